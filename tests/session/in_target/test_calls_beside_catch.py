"""Exception breakpoints beside calls that the target observes: each stop is as it is without, and each call counts."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

import jdbpy
from jdbpy.session.calls.observation import Observation
from tests.harness import Debugging, Jvm, debug, inline

PROGRAM = inline(
    """
    import java.util.Scanner;
    import java.util.concurrent.atomic.AtomicIntegerArray;

    class Crossing {
        public static void main(String[] args) throws Exception {
            Scanner in = new Scanner(System.in);
            System.out.println("ready");
            while (in.hasNextLine()) {
                String line = in.nextLine();
                if (line.equals("throw")) {
                    throwing();
                } else {
                    for (int i = 0; i < 25; i++) {
                        new Toll("quiet").outer(0);
                    }
                }
                System.out.println("done " + Toll.calls + " " + Toll.failed + " " + Toll.thrown); // @done
            }
        }

        static void throwing() throws Exception {
            Thread[] threads = new Thread[8];
            for (int t = 0; t < 8; t++) {
                threads[t] = new Thread("crossing " + t) {
                    public void run() { work(getName()); }
                };
                threads[t].setUncaughtExceptionHandler((thread, error) -> { });
                threads[t].start();
            }
            for (Thread each : threads) {
                each.join();
            }
        }

        static void work(String name) {
            Toll toll = new Toll(name);
            for (int turn = 0; turn < 2; turn++) {
                toll.outer(1);
                try {
                    toll.outer(2);
                    throw new AssertionError("not thrown");
                } catch (IllegalArgumentException error) { // @here
                }
                try {
                    toll.outer(3);
                    throw new AssertionError("not thrown");
                } catch (IllegalStateException error) { // @nested
                }
                try {
                    new Toll("");
                    throw new AssertionError("not thrown");
                } catch (UnsupportedOperationException error) { // @none
                }
            }
            if (name.endsWith("0")) {
                toll.outer(4);
            }
            toll.inner(4);
        }
    }

    class Toll {
        static final AtomicIntegerArray calls = new AtomicIntegerArray(4), failed = new AtomicIntegerArray(4);
        static final AtomicIntegerArray thrown = new AtomicIntegerArray(1);
        static final int MADE = 0, OUTER = 1, INNER = 2, CHECK = 3;
        final String name;
        int passed;

        Toll(String name) {
            calls.incrementAndGet(MADE);
            this.name = name;
            if (name.isEmpty()) {
                failed.incrementAndGet(MADE);
                thrown.incrementAndGet(0);
                throw new UnsupportedOperationException("no name"); // @made
            }
        }

        /** 0: nothing is thrown, 1: caught inside, 2: caught outside, 3: another one in its place, 4: by nobody. */
        int outer(int kind) {
            calls.incrementAndGet(OUTER);
            boolean fails = kind > 1;
            try {
                return inner(kind);
            } catch (ArithmeticException error) { // @inside
                return -1;
            } finally {
                passed++;
                if (fails) {
                    failed.incrementAndGet(OUTER);
                    thrown.incrementAndGet(0); // what the compiler makes of 'finally' throws again
                }
            }
        }

        int inner(int kind) {
            calls.incrementAndGet(INNER);
            if (kind > 0) {
                failed.incrementAndGet(INNER);
            }
            try {
                return check(kind) + 1;
            } catch (IllegalArgumentException error) { // @instead
                if (kind == 3) {
                    thrown.incrementAndGet(0);
                    throw new IllegalStateException(name + " instead", error); // @second
                }
                thrown.incrementAndGet(0);
                throw error; // @again
            }
        }

        private static int check(int kind) {
            calls.incrementAndGet(CHECK);
            if (kind == 0) {
                return 1;
            }
            failed.incrementAndGet(CHECK);
            thrown.incrementAndGet(0);
            if (kind == 1) {
                return 1 / (kind - 1); // @zero
            }
            if (kind == 4) {
                throw new SecurityException("nobody"); // @nobody
            }
            throw new IllegalArgumentException("kind " + kind); // @argument
        }
    }
    """,
    release=8,
)

CALLS, FAILED, THROWN = range(3)
METHODS = ("<init>", "outer", "inner", "check")
SORTS = {"all": (True, True), "caught": (True, False), "uncaught": (False, True)}

Told = tuple[str, int | None, str, bool | None, tuple[str, int | None] | None, tuple[str, ...]]
"""Where and what was thrown, who catches it, and the exception breakpoints that stop there."""


class Crossing:
    """The program with its exception breakpoints, whose hits are compared with what it says itself."""

    def __init__(self, d: Debugging) -> None:
        self._d = d
        self._points: dict[int, str] = {}

    async def catch(self) -> None:
        for name, (caught, uncaught) in SORTS.items():
            point = await self._d.session.catchpoints.exception(
                "java.lang.RuntimeException", caught=caught, uncaught=uncaught
            )
            self._points[point.number] = name

    async def uncatch(self) -> None:
        await self._d.session.points.remove(list(self._points))
        self._points.clear()

    async def said(self, word: str) -> list[list[int]]:
        """Let the program do something in which nothing stops; return its counts of calls, failures and throws."""
        done = len(await self._d.target.wait_lines("done ", 0))
        await self._d.target.send(word)
        return counts_of((await self._d.target.wait_lines("done ", done + 1))[-1])

    async def throws(self) -> dict[str, list[Told]]:
        """Let the threads throw; return what stopped in each."""
        d, found = self._d, dict[str, list[Told]]()
        hits = {name: d.session.points.get(number).hits for number, name in self._points.items()}
        before = (await self.said("quiet"))[THROWN][0]
        point = await d.session.breakpoints.add(d.at("done"))
        await d.target.send("throw")
        while not isinstance(stop := await d.next_event(), jdbpy.Stopped) or stop.breakpoints != (point.number,):
            assert isinstance(stop, jdbpy.Stopped) and stop.exception is not None, stop
            assert stop.thread is not None and stop.location is not None and not stop.message, stop
            caught = stop.exception.catch_location
            told = (
                stop.location.method,
                stop.location.line,
                str(stop.exception.message),
                stop.exception.caught,
                None if caught is None else (caught.method, caught.line),
                tuple(self._points[each] for each in sorted(stop.breakpoints)),
            )
            found.setdefault(stop.thread.name, []).append(told)
            await d.resume()
        await d.session.points.remove([point.number])
        done = len(await d.target.wait_lines("done ", 0))
        await d.resume()
        thrown = counts_of((await d.target.wait_lines("done ", done + 1))[-1])[THROWN][0] - before
        counted = {name: d.session.points.get(each).hits - hits[name] for each, name in self._points.items()}
        assert counted == {"all": thrown, "caught": thrown - 8, "uncaught": 8}
        assert sum(map(len, found.values())) == thrown
        return found


def counts_of(line: str) -> list[list[int]]:
    """The counts in a line of the program, by kind and method."""
    return [[int(each) for each in part.split(",")] for part in line.replace("done ", "").strip("[]").split("] [")]


async def into_target(crossing: Crossing, observations: Sequence[Observation]) -> None:
    for _ in range(20):  # a call that is under way may be in the way once
        if not all(each.in_target for each in observations):
            await crossing.said("quiet")
    assert [each.why_ordinary for each in observations] == [""] * len(observations)


async def sums(*observations: Observation) -> list[int]:
    """The calls and failures of each until now."""
    found: list[int] = []
    for each in observations:
        await each.refresh()
        found += [each.calls, each.failures]
    return found


@pytest.mark.every_java
async def test_stops_at_exceptions_are_those_without_calls(jvm: Jvm) -> None:
    """Eight threads throw what a method catches itself, its caller, nobody, and others in its place: with exception
    breakpoints that were set before the target observed the calls, and behind it; counts are those of the program."""
    async with debug(jvm, PROGRAM, jvm_options=["-Xverify:all"]) as d:
        await d.resume()
        await d.target.wait_lines("ready", 1)
        d.session.instrumentation.mode = "eager"
        d.ignored.add("stops-waiting")
        crossing, observer = Crossing(d), d.session.observer
        await crossing.catch()
        ordinary = await crossing.throws()
        nobody = ("check", d.program.line("nobody"), "nobody", False, None, ("all", "uncaught"))
        assert [those[-1] == nobody for _, those in sorted(ordinary.items())] == [False] + [True] * 7
        for anew in (False, True):
            if anew:
                await crossing.uncatch()
            async with (
                observer.statistics("Toll.*") as times,
                observer.tree("Toll.outer") as tree,
                observer.calls("Toll.*", limit=0) as every,
            ):
                await into_target(crossing, [times, tree, every])
                if anew:
                    await crossing.catch()
                first, before = await crossing.said("quiet"), await sums(times, tree, every)
                times.take()
                assert await crossing.throws() == ordinary
                last, after = await crossing.said("quiet"), await sums(times, tree, every)
                assert [each.why_ordinary for each in (times, tree, every)] == [""] * 3 and times.in_target
                calls, failed = ([b - a for a, b in zip(first[n], last[n], strict=True)] for n in (CALLS, FAILED))
                found = {each.method: (each.count, each.failures) for each in times.take().methods}
                assert found == dict(zip(METHODS, zip(calls, failed, strict=True), strict=True))
                wanted = [sum(calls), sum(failed), calls[1], failed[1], sum(calls), sum(failed)]
                assert [b - a for a, b in zip(before, after, strict=True)] == wanted
            assert d.session.instrumentation.woven() == []
        await d.session.detach()
        d.unseen()
        assert (await crossing.said("quiet"))[THROWN] == last[THROWN]

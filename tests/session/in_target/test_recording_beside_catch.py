"""Exception breakpoints beside recorded methods: each stop is as it is without, and each call is recorded."""

from __future__ import annotations

import pytest

import jdbpy
from tests.harness import Debugging, Jvm, debug, inline

PROGRAM = inline(
    """
    class Throws {
        public static void main(String[] args) throws Exception {
            for (turn = 0; turn < 6; turn++) {
                try {
                    Desk.outer(turn); // @outer
                } catch (IllegalArgumentException error) { // @here
                    System.out.println("turn " + turn + " " + error.getMessage());
                }
            }
            System.out.println("last"); // @last
            Thread thread = new Thread() {
                public void run() { Desk.inner(turn, 12); }
            };
            thread.start();
            thread.join();
        }
        static int turn;
    }
    class Desk {
        static int outer(int turn) {
            int twice = 2 * turn;
            try {
                return inner(turn, twice); // @call
            } catch (IllegalStateException error) { // @own
                return -1; // @failed
            } finally {
                twice++; // @finally
            }
        }
        static int inner(int turn, int given) {
            int sum = given + 1; // @first
            if (turn % 3 == 1) {
                throw new IllegalStateException("state " + sum); // @state
            }
            if (turn % 3 == 2 || turn == 6) {
                sum += check(sum); // @check
            }
            return sum; // @return
        }
        private static int check(int sum) {
            throw new IllegalArgumentException("argument " + sum); // @argument
        }
    }
    """,
    release=8,
)


ALL, CAUGHT, UNCAUGHT = 1, 2, 3
"""The exception breakpoints, by number."""


async def catch(d: Debugging) -> None:
    for caught, uncaught in ((True, True), (True, False), (False, True)):
        await d.session.catchpoints.exception("java.lang.RuntimeException", caught=caught, uncaught=uncaught)


async def next_exception(d: Debugging) -> jdbpy.Stopped:
    stop = await d.session.execution.cont()
    assert isinstance(stop, jdbpy.Stopped), stop
    return await d.check_stop(stop, jdbpy.StopReason.EXCEPTION)


async def stops_at(d: Debugging, count: int) -> list[tuple[object, ...]]:
    """Return where exceptions stop, with the values there, who catches them, and the stack."""
    found: list[tuple[object, ...]] = []
    for _ in range(count):
        stop = await next_exception(d)
        thrown = stop.exception
        assert thrown is not None
        caught = thrown.catch_location
        where = (caught.method, caught.line) if caught is not None else None
        values = [(each.name, each.value and each.value.text) for each in await d.session.stack.variables()]
        frames = [(each.location.method, each.location.line) for each in (await d.session.stack.of()).frames]
        found.append((sorted(stop.breakpoints), thrown.type, thrown.message, thrown.caught, where, values, frames))
    assert [d.session.points.get(each).hits for each in (ALL, CAUGHT, UNCAUGHT)] == [7, 6, 1]
    await d.resume()
    await d.wait_exit()
    return found


def ends(d: Debugging) -> list[tuple[str, str]]:
    return [(each.method.name, each.exception.message or "") for each in d.session.recorder.calls if each.exception]


@pytest.mark.every_java
async def test_stops_at_exceptions_are_those_without_a_recording(jvm: Jvm) -> None:
    """True line, variables and catcher, once each: through a method that is recorded, and through three."""
    async with debug(jvm, PROGRAM) as d:
        await catch(d)
        ordinary = await stops_at(d, 7)
    async with debug(jvm, PROGRAM) as d:
        await catch(d)
        recording = await d.session.recorder.record("Desk.*")
        assert await stops_at(d, 7) == ordinary
        await d.session.recorder.refresh()
        assert (recording.calls, recording.kept, recording.missed) == (16, 16, 0)
        thrown = [f"argument {number}" for number in (5, 11, 13)]
        assert [text for name, text in ends(d) if name == "Desk.outer"] == thrown[:2]
        assert [text for name, text in ends(d) if name == "Desk.check"] == thrown
        assert [text for name, text in ends(d) if name == "Desk.inner" and text not in thrown] == ["state 3", "state 9"]


FUTURE = inline("""
    class Later {
        public static void main(String[] args) throws Exception {
            System.out.println("ready"); // @ready
            new java.util.concurrent.FutureTask<Object>(Later::work).run();
            System.out.println("over"); // @over
        }
        static Object work() {
            return deep(7); // @work
        }
        static Object deep(int number) {
            throw new IllegalStateException("number " + number); // @deep
        }
    }""")


async def test_where_nobody_knows_who_catches_the_stop_says_so(jvm: Jvm) -> None:
    """The class file of what catches is not at hand: one that is for uncaught ones alone does not stop."""
    async with debug(jvm, FUTURE) as d:
        await d.run_to("ready", "Later")
        await d.session.recorder.record("Later.work")
        await catch(d)  # with code in the class already
        stop = await next_exception(d)
        assert stop.frame is not None and stop.exception is not None
        assert (stop.breakpoints, stop.location and stop.location.line) == ((2,), d.target.program.line("deep"))
        assert (stop.exception.caught, stop.exception.catch_location) == (None, None)
        stop = await next_exception(d)
        assert stop.exception is not None and stop.exception.caught
        assert stop.breakpoints == (3,)
        assert stop.message.startswith(
            f"it was thrown in Later.deep, line {d.target.program.line('deep')}: who catches"
        )
        await d.resume()
        await d.wait_exit()
        assert [call.method.name for call in d.session.recorder.calls if call.failed] == ["Later.work"]

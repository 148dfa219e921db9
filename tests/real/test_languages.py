"""Kotlin, Scala, Groovy and Clojure: a thread pool whose threads all pass the places that are debugged."""

from __future__ import annotations

import pytest
import trio

import jdbpy
from jdbpy import JdbpyError, Notice, Options, StepDepth, Stopped, SuspendPolicy
from tests.harness import LIMIT, Jvm, Target, debug, start_target, within
from tests.real.languages import ALL, Language, compiled

pytestmark = pytest.mark.one_java

SUM = "sum 5740"  # of forty orders: 7 times 1 to 40
ROUND = "((Number) (Object) round).intValue()"  # an int, or in Clojure an object
MOST_STEPS = 12


class Pool:
    """The program of a language in debug."""

    def __init__(self, language: Language, target: Target, session: jdbpy.Session) -> None:
        self.session = session
        self.target = target
        self._file = language.file.rpartition("/")[2]

    def line(self, marker: str) -> int:
        return self.target.program.line(marker)

    def at(self, marker: str) -> str:
        """A place by its line in the language's own file."""
        return f"{self._file}:{self.line(marker)}"

    async def stopped(self, marker: str) -> Stopped:
        """The next stop, in the file of the language and with its source."""
        stop = await self.session.next_stop()
        assert isinstance(stop, Stopped)
        assert stop.location is not None
        assert stop.location.line == self.line(marker)
        assert stop.source is not None
        assert stop.source.name.endswith(self._file)
        assert any(f"@{marker}" in text for number, text in stop.source.lines if number == stop.location.line)
        return stop

    async def step_to(self, depth: StepDepth, marker: str, thread: int, most: int = MOST_STEPS) -> None:
        """Step until that line is reached: the code of a language calls and is called through its runtime."""
        ways = []
        for _ in range(most):
            stop = await self.session.execution.step(depth)
            assert isinstance(stop, Stopped)
            assert stop.thread is not None
            assert stop.thread.id == thread
            assert stop.location is not None
            if stop.location.line == self.line(marker):
                return
            ways.append((stop.location.class_name, stop.location.method, stop.location.line))
        raise AssertionError(f"@{marker} was not reached by steps {depth}: {ways}")

    async def value(self, text: str) -> str:
        return (await self.session.values.evaluate(text)).text


@pytest.mark.parametrize("language", ALL, ids=lambda each: each.name)
async def test_a_thread_pool(jvm: Jvm, language: Language) -> None:
    program = compiled(language)
    options = Options(source_path=(program.sources,))
    async with start_target(jvm, program, suspend=False) as target:
        await target.wait_output("ready")
        with within(LIMIT):
            async with jdbpy.attach_session(target.address, options=options) as session:
                session.execution.set_excludes(language.runtime)
                pool = Pool(language, target, session)
                await pool_in_one_thread(pool, language)
                await session.execution.resume()
                await target.wait_output(f"{SUM}\n")
                await pool_in_all_threads(pool)
            # it was left while all threads ran into a breakpoint
            await target.wait_output(f"{SUM}\n" * 3)
            await target.send()
            await target.wait_output(f"{SUM}\n" * 4)


async def pool_in_one_thread(pool: Pool, language: Language) -> None:
    """A condition that 40 tasks in four threads are tried with, in the target; then variables, expressions, steps."""
    session = pool.session
    condition = f"{ROUND} == 20"
    point = await session.breakpoints.add(
        pool.at("price"), policy=SuspendPolicy.THREAD, condition=condition, woven=True
    )
    await pool.target.send()
    stop = await pool.stopped("price")
    assert stop.breakpoint == point.number
    assert stop.thread is not None
    assert stop.thread.name.startswith("pool-")
    shown = session.breakpoints.get(point.number)
    assert (shown.in_target, shown.ordinary) == (True, "")
    await session.breakpoints.remove([point.number])
    variables = {each.name: each.value.text for each in await session.stack.variables() if each.value}
    assert variables["round"] == "20"
    assert "item" in variables
    assert await pool.value(language.price) == "3"
    assert await pool.value(f"({language.price}) * {ROUND}") == "60"
    await pool.step_to(StepDepth.OUT, "step", stop.thread.id, most=2 if language.name == "clojure" else 1)
    if language.name != "groovy":  # the agent's step into passes what its call sites without lines call
        await pool.step_to(StepDepth.INTO, "price", stop.thread.id)
        assert await pool.value(language.price) == "4"
        await pool.step_to(StepDepth.OUT, "step", stop.thread.id)
    await pool.step_to(StepDepth.OVER, "sum", stop.thread.id)


async def pool_in_all_threads(pool: Pool) -> None:
    """A logpoint tells of each task; a breakpoint of all threads is left with the session."""
    session = pool.session
    with session.events() as events:
        log = await session.breakpoints.add(pool.at("price"), log="round {round}")
        await pool.target.send()
        rounds: list[int] = []
        with trio.move_on_after(LIMIT / 2):
            while len(rounds) < 80:  # each order has two items
                event = await anext(events)
                if isinstance(event, Notice) and event.kind == "logpoint":
                    rounds.append(int(event.text.removeprefix("round ")))
    said = session.breakpoints.get(log.number), session.statistics()
    assert sorted(rounds) == sorted([*range(1, 41), *range(1, 41)]), said
    await pool.target.wait_output(f"{SUM}\n{SUM}\n")
    await session.breakpoints.remove([log.number])
    await session.breakpoints.add(pool.at("price"), policy=SuspendPolicy.ALL)
    await pool.target.send()
    await pool.stopped("price")


async def test_a_groovy_closure_sees_the_fields_around_it(jvm: Jvm) -> None:
    """Its class has no ``this$0``: what is around it is in fields of ``groovy.lang.Closure``."""
    groovy = next(each for each in ALL if each.name == "groovy")
    program = compiled(groovy.replace(file="Closures.groovy", main="shop.Closures"))
    async with debug(jvm, program) as d:
        for marker, meant in {
            "outer": {"drawer": "40", "key + n": "5", "sum": "43", "Closures.this.drawer": "40", "opened": "7"},
            "deeper": {
                "drawer": "40",
                "key": "2",
                "more": "45",
                "drawer + m": "83",
                "doubled(more)": "90",
                "opened": "7",
            },
            "alone": {"opened": "7", "sum": "10"},
        }.items():
            await d.session.breakpoints.add(f"Closures.groovy:{program.line(marker)}", temporary=True)
            await d.resume()
            await d.wait_stop("breakpoint")
            assert {each: (await d.session.values.evaluate(each)).text for each in meant} == meant, marker
        with pytest.raises(JdbpyError):  # a closure of static code has no instance around it
            await d.session.values.evaluate("drawer")

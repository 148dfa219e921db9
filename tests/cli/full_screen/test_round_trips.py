"""What a stop costs with the screen open, over a link of 100 ms: the source with the stop itself, all else together."""

from __future__ import annotations

import trio

import jdbpy
from benchmarks.bench import TARGETS
from benchmarks.relay import open_relay
from jdbpy.cli.commands import TABLE
from jdbpy.cli.context import Context
from jdbpy.cli.jvms import Jvms
from jdbpy.cli.repl.completion_refresh import Known, NamesRefresher
from jdbpy.cli.screen.reader import PaneReader
from jdbpy.cli.screen.state import ScreenState
from jdbpy.task_groups import open_nursery
from tests.harness import Jvm, program, start_target

RTT = 0.1
LOOP = program("Loop", where=TARGETS)
STEPS = 6


async def test_a_step_costs_no_trip_more_than_at_the_prompt(any_jvm: Jvm) -> None:
    """The prompt reads the names for its completion behind a stop; with the screen open the panes have read them."""
    async with (
        start_target(any_jvm, LOOP, suspend=False) as target,
        open_relay(target.address, rtt=RTT, settled=True) as relay,
        jdbpy.attach_session(relay.address, options=jdbpy.Options(source_path=(LOOP.sources,))) as session,
    ):
        context = Context(session)
        jvms = Jvms()
        jvms.begin(session, "", None)
        jvms.current.context = context
        states: list[tuple[int, ScreenState]] = []

        def waves() -> int:
            return relay.traffic().waves

        whole = trio.Event()

        def publish(state: ScreenState) -> None:
            states.append((waves(), state))
            if not state.busy:
                whole.set()

        reader = PaneReader(jvms, publish)
        names = NamesRefresher(context, Known(TABLE))
        await session.breakpoints.add(LOOP.at("hit"))
        await session.next_stop()
        await names.read()

        prompt = []
        for _ in range(STEPS):
            before = waves()
            await session.execution.step()
            await names.read()
            prompt.append(waves() - before)

        screen, painted = [], []
        async with open_nursery() as nursery:
            nursery.start_soon(reader.run)
            await whole.wait()
            for _ in range(STEPS):
                whole = trio.Event()
                states.clear()
                before = waves()
                stop = await session.execution.step()
                assert isinstance(stop, jdbpy.Stopped) and stop.location is not None
                came = waves()
                reader.poke()
                await whole.wait()
                await names.read()
                screen.append(waves() - before)
                at, first = states[0]
                assert (first.source.current, first.frames[0].place) == (
                    stop.location.line,
                    f"{stop.location.source}:{stop.location.line}",
                )
                painted.append(at - came)
                assert {"variables", "threads"} <= context.seen.keys() if context.seen is not None else False
            nursery.cancel_scope.cancel()
        assert painted == [0] * STEPS  # source, marks and stack are there with the stop
        assert min(screen) <= min(prompt) and max(screen) <= max(prompt), (screen, prompt)
        assert states[-1][1].variables and states[-1][1].threads and states[-1][1].frames

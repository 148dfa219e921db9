"""Over a slow link stops are read before their event has come in: what they show is what a near debugger sees."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

import jdbpy
from benchmarks.bench import TARGETS
from benchmarks.relay import Relay, open_relay
from tests.harness import Jvm, program, start_target

pytestmark = pytest.mark.one_java

RTT = 0.05
LOOP = program("Loop", where=TARGETS)
POLICIES = [jdbpy.SuspendPolicy.THREAD, jdbpy.SuspendPolicy.ALL]


@asynccontextmanager
async def at_hit(jvm: Jvm, policy: jdbpy.SuspendPolicy) -> AsyncIterator[tuple[jdbpy.Session, Relay]]:
    async with (
        start_target(jvm, LOOP, suspend=False) as target,
        open_relay(target.address, rtt=RTT, settled=True) as relay,
    ):
        async with jdbpy.attach_session(relay.address) as session:
            await session.breakpoints.add(LOOP.at("hit"), policy=policy)
            await session.next_stop()
            yield session, relay


async def local(session: jdbpy.Session, name: str) -> str:
    found = {variable.name: variable for variable in await session.stack.variables()}
    value = found[name].value
    assert value is not None
    return value.text


@pytest.mark.parametrize("policy", POLICIES)
async def test_every_hit_shows_its_own_variables(jvm: Jvm, policy: jdbpy.SuspendPolicy) -> None:
    async with at_hit(jvm, policy) as (session, relay):
        first = int(await local(session, "number"))
        before = relay.traffic()
        for number in range(1, 11):
            stop = await session.execution.cont()
            assert isinstance(stop, jdbpy.Stopped)
            assert stop.frame is not None
            assert (stop.reason, stop.frame.location.line) == (jdbpy.StopReason.BREAKPOINT, LOOP.line("hit"))
            assert (stop.thread and stop.thread.name, stop.frame.location.method) == ("main", "work")
            assert int(await local(session, "number")) == (first + number) & 0xFFFF
        trips = relay.traffic().since(before).waves
        assert trips < 2 * 10, "at least one was read ahead, with its variables"


async def test_steps_show_where_they_end_and_what_is_there(jvm: Jvm) -> None:
    async with at_hit(jvm, jdbpy.SuspendPolicy.ALL) as (session, _):
        number = int(await local(session, "number"))
        for turn in range(1, 4):
            lines = []
            while True:
                stop = await session.execution.step()
                assert isinstance(stop, jdbpy.Stopped)
                assert stop.location is not None
                if stop.reason is jdbpy.StopReason.BREAKPOINT:
                    break
                assert stop.location.method in ("work", "main")
                lines.append(stop.location.line)
                if stop.location.method == "main":
                    assert int(await local(session, "turn")) & 0xFFFF in (number, (number + 1) & 0xFFFF)
            assert lines[0] == LOOP.line("hit") + 1
            assert len(lines) >= 3
            number = (number + 1) & 0xFFFF
            assert int(await local(session, "number")) == number, turn

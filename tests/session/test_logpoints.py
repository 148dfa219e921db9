"""Logpoints: what they write, in the order of the hits, and that the thread goes on in the trip that reads it."""

from __future__ import annotations

from itertools import pairwise

import pytest

import jdbpy
from benchmarks.bench import TARGETS
from jdbpy.errors import EvalError
from jdbpy.session.model import Notice
from jdbpy.session.streams import EventStream
from tests.harness import Jvm, program, start_target

LOOP = program("Loop", where=TARGETS)
PLACE = LOOP.at("hit")


async def texts(events: EventStream, count: int) -> list[str]:
    """What the next logpoint hits write."""
    found: list[str] = []
    while len(found) < count:
        event = await anext(events)
        if isinstance(event, Notice) and event.kind == "logpoint":
            found.append(event.text)
    return found


async def test_every_hit_is_written_in_its_order(any_jvm: Jvm) -> None:
    async with start_target(any_jvm, LOOP, suspend=False) as target, jdbpy.attach(target.address) as session:
        with session.events() as events:
            point = await session.breakpoints.add(PLACE, log="number is {number}")
            assert point.options == (("log", "number is {number}"),)
            before = session.statistics()
            numbers = [int(text.removeprefix("number is ")) for text in await texts(events, 300)]
            assert all((second - first) & 0xFFFF == 1 for first, second in pairwise(numbers))
            after = session.statistics()
            assert after.waves - before.waves <= after.events - before.events + 10, "one trip a hit"
        assert session.state is jdbpy.VmState.RUNNING


async def test_what_has_to_be_read_further_holds_the_thread(any_jvm: Jvm) -> None:
    async with start_target(any_jvm, LOOP, suspend=False) as target, jdbpy.attach(target.address) as session:
        with session.events() as events:
            await session.breakpoints.add(PLACE, log="{number} {total} {{}}", condition="number > 5")
            for text in await texts(events, 20):
                number, total, braces = text.split(" ")
                assert total.lstrip("-").isdigit()
                assert int(number) > 5
                assert braces == "{}"


async def test_what_is_wrong_is_written_in_its_place(any_jvm: Jvm) -> None:
    async with start_target(any_jvm, LOOP, suspend=False) as target, jdbpy.attach(target.address) as session:
        with pytest.raises(EvalError):
            await session.breakpoints.add(PLACE, log="{number +}")
        with session.events() as events:
            await session.breakpoints.add(PLACE, log="{nowhere}")
            [text] = await texts(events, 1)
            assert text.startswith("the text of logpoint ")
            assert "nowhere" in text

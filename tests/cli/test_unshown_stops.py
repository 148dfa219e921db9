"""A thread that has stopped is not resumed by a command before anybody was shown the stop."""

from __future__ import annotations

import pytest

import jdbpy
from jdbpy.cli.commands import TABLE
from jdbpy.cli.context import Context
from jdbpy.cli.results import Resumed
from tests.harness import LIMIT, Jvm, start_target, within

pytestmark = pytest.mark.one_java


@pytest.mark.parametrize("word", ["next", "step", "step up", "stepi", "nexti", "until", "reenter", "cont"])
async def test_a_stop_is_shown_before_its_thread_goes_on(jvm: Jvm, word: str) -> None:
    async with (
        start_target(jvm, "Crew", "6", suspend=False) as target,
        jdbpy.attach_session(target.address, options=jdbpy.Options(hold="thread")) as session,
    ):
        await target.wait_output("ready")
        await session.breakpoints.add("Crew.hit")
        with within(LIMIT):
            await session._target.publisher.wait_for_stop()
            [first, *_] = session.untaken_stops()
            assert isinstance(await TABLE.by_name[word](Context(session), ""), Resumed)
            assert session.is_current(first)
            stop = await session.next_stop()
            assert stop is first and session.is_current(first)
            assert isinstance(await TABLE.by_name[word](Context(session), ""), Resumed)
            assert not session.is_current(first)

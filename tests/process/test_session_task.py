"""A session that is kept in a task of its own: what opening it raises, how it ends, and what is known of that."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio

from jdbpy.errors import ConnectError, LeaveError, StateError
from jdbpy.process.session_task import SessionTask
from jdbpy.task_groups import open_nursery


class Kept:
    """A task with what it has reported."""

    def __init__(self, nursery: trio.Nursery) -> None:
        self.told: list[str] = []
        self.task = SessionTask[str](
            nursery, ready=self.ready, leaving=self.leaving, report=self.told.append, ended=self.ended
        )

    async def ready(self, session: str, nursery: trio.Nursery) -> None:
        self.told.append(f"{session} is ready")

    async def leaving(self, session: str) -> None:
        assert self.task.current is None
        self.told.append(f"{session} is left")

    def ended(self) -> None:
        self.told.append("over")


@asynccontextmanager
async def session(name: str, error: Exception | None = None, *, refusal: Exception | None = None) -> AsyncIterator[str]:
    if refusal is not None:
        raise refusal
    yield name
    if error is not None:
        raise error


@asynccontextmanager
async def opening_for_ever(entered: trio.Event) -> AsyncIterator[str]:
    entered.set()
    await trio.Event().wait()
    yield ""


async def test_one_session_after_the_other() -> None:
    async with open_nursery() as nursery:
        kept = Kept(nursery)
        await kept.task.leave()  # none is left: no error
        await kept.task.open(session("one"))
        assert (kept.task.current, kept.task.is_busy, kept.task.was_left) == ("one", True, False)
        await kept.task.leave()
        assert (kept.task.current, kept.task.is_busy, kept.task.was_left) == (None, False, True)
        await kept.task.open(session("two"))
        left = kept.task.left
        kept.task.finish()
        await left.wait()
    assert kept.told == ["one is ready", "one is left", "over", "two is ready", "two is left", "over"]


async def test_what_goes_wrong_while_opening_is_raised_there() -> None:
    async with open_nursery() as nursery:
        kept = Kept(nursery)
        with pytest.raises(ConnectError, match="nobody answers"):
            await kept.task.open(session("one", refusal=ConnectError("nobody answers")))
        assert not kept.task.is_busy and kept.told == []


async def test_an_opening_that_is_given_up_says_why() -> None:
    async with open_nursery() as nursery:
        kept = Kept(nursery)
        entered = trio.Event()

        async def give_up() -> None:
            await entered.wait()
            kept.task.give_up("the program has ended")

        nursery.start_soon(give_up)
        with pytest.raises(StateError, match="the program has ended"):
            await kept.task.open(opening_for_ever(entered))
        assert not kept.task.is_busy
        entered = trio.Event()

        async def leave() -> None:
            await entered.wait()
            await kept.task.leave()

        nursery.start_soon(leave)
        with pytest.raises(StateError, match="the client has ended the session meanwhile"):
            await kept.task.open(opening_for_ever(entered))


async def test_an_uncertain_end_is_raised_once_and_not_at_the_end_of_the_next_session() -> None:
    async with open_nursery() as nursery:
        kept = Kept(nursery)
        await kept.task.open(session("one", LeaveError("it may be suspended")))
        with pytest.raises(LeaveError, match="it may be suspended"):
            await kept.task.leave()
        await kept.task.open(session("two"))
        await kept.task.leave()
    assert kept.told == [
        "one is ready",
        "one is left",
        "it may be suspended",
        "over",
        "two is ready",
        "two is left",
        "over",
    ]

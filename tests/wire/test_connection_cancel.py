"""Waiters that go away: the reply is swallowed, and what the command did to the target is undone."""

from __future__ import annotations

from typing import Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from jdbpy.record import Record
from jdbpy.wire.command import Command
from jdbpy.wire.connection import Connection
from jdbpy.wire.constants import EventKind, JdwpSuspendPolicy
from jdbpy.wire.ids import ObjectID, ThreadID
from jdbpy.wire.messages import event_request, object_reference, thread_reference, virtual_machine
from tests.wire.peer import connected

SET = event_request.Set(EventKind.THREAD_START, JdwpSuspendPolicy.NONE, [])
CLEAR = event_request.Clear(EventKind.THREAD_START, 5)
SET_REPLY = event_request.SetReply(5)
ALL = virtual_machine.AllThreads()
THREADS = virtual_machine.AllThreadsReply([ThreadID(1)])


async def cancel_while_waiting(connection: Connection, *commands: Command[Any]) -> None:
    """Sends the commands as one batch and is cancelled before any reply."""
    with trio.CancelScope() as scope:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(connection.batch, commands)
            await wait_all_tasks_blocked()
            scope.cancel()
    assert scope.cancelled_caught


async def test_a_cancelled_waiter_disturbs_nobody() -> None:
    async with connected() as (connection, peer):
        await cancel_while_waiting(connection, ALL)
        other = connection.submit(ALL)
        [first, second] = await peer.packets(2)
        await peer.reply(first.id, virtual_machine.AllThreadsReply([]))
        await peer.reply(second.id, THREADS)
        assert await other.wait() == THREADS
        assert connection.statistics().strays == 0, "the late reply was expected, only nobody wanted it any more"


async def test_the_id_of_an_abandoned_command_is_not_used_again() -> None:
    async with connected() as (connection, peer):
        await cancel_while_waiting(connection, ALL)
        connection._next_id = 1
        other = connection.submit(ALL)
        [first, second] = await peer.packets(2)
        assert first.id != second.id
        await peer.reply(first.id, virtual_machine.AllThreadsReply([]))
        await peer.reply(second.id, THREADS)
        assert await other.wait() == THREADS


@pytest.mark.parametrize(
    ("command", "reply", "undo"),
    [
        (SET, SET_REPLY, CLEAR),
        (
            object_reference.DisableCollection(ObjectID(9)),
            b"",
            object_reference.EnableCollection(ObjectID(9)),
        ),
        (thread_reference.Suspend(ThreadID(9)), b"", thread_reference.Resume(ThreadID(9))),
        (virtual_machine.Suspend(), b"", virtual_machine.Resume()),
    ],
    ids=lambda value: getattr(value, "NAME", ""),
)
async def test_a_late_reply_is_undone(command: Command[Any], reply: Record | bytes, undo: Command[Any]) -> None:
    async with connected() as (connection, peer):
        await cancel_while_waiting(connection, command)
        await peer.answer(command, reply)
        await peer.answer(undo)


async def test_a_late_error_needs_no_undo() -> None:
    async with connected() as (connection, peer):
        await cancel_while_waiting(connection, SET)
        await peer.answer(SET, error=102)
        await wait_all_tasks_blocked()
        assert connection.statistics().commands == 1


async def test_a_set_that_was_abandoned_has_no_callback() -> None:
    async with connected() as (connection, peer):
        replies: list[object] = []
        pending = connection.submit(SET, on_reply=replies.append)
        pending.abandon()
        await peer.answer(SET, SET_REPLY)
        await peer.answer(CLEAR)
        assert replies == []


async def test_who_has_the_outcome_keeps_it() -> None:
    async with connected() as (connection, peer):
        taken = connection.submit(SET)
        told = connection.submit(SET, on_reply=lambda reply: None)
        for _ in range(2):
            await peer.answer(SET, SET_REPLY)
        await wait_all_tasks_blocked()
        assert taken.outcome == SET_REPLY
        taken.abandon()
        told.abandon()
        assert connection.statistics().commands == 2


async def test_an_answered_command_that_nobody_looked_at_is_undone() -> None:
    async with connected() as (connection, peer):
        pending = connection.submit(SET)
        await peer.answer(SET, SET_REPLY)
        await wait_all_tasks_blocked()
        pending.abandon()
        pending.abandon()
        await peer.answer(CLEAR)
        assert connection.statistics().commands == 2


async def test_a_batch_cancelled_half_way_is_undone_whole() -> None:
    """The first Set was answered before the cancellation, the second after it: the caller has heard of neither."""
    async with connected() as (connection, peer), trio.open_nursery() as nursery:
        scope = trio.CancelScope()

        async def ask() -> None:
            with scope:
                await connection.batch([SET, ALL, SET])

        nursery.start_soon(ask)
        first, second, third = await peer.packets(3)
        await peer.reply(first.id, SET_REPLY)
        await wait_all_tasks_blocked()
        scope.cancel()
        await peer.answer(CLEAR)
        await peer.reply(second.id, THREADS)
        await peer.reply(third.id, event_request.SetReply(6))
        await peer.answer(event_request.Clear(EventKind.THREAD_START, 6))


async def test_a_waiter_in_a_cancelled_scope_does_not_wait_at_all() -> None:
    async with connected() as (connection, peer):
        pending = connection.submit(SET)
        await peer.answer(SET, SET_REPLY)
        await wait_all_tasks_blocked()
        with trio.CancelScope() as scope:
            scope.cancel()
            await pending.wait()
        assert scope.cancelled_caught
        await peer.answer(CLEAR)


async def test_no_undo_after_the_end() -> None:
    async with connected() as (connection, peer):
        pending = connection.submit(SET)
        await peer.answer(SET, SET_REPLY)
        await wait_all_tasks_blocked()
        await connection.aclose()
        pending.abandon()
        await peer.nothing_more()


async def test_clean_up_in_a_cancelled_scope_can_still_speak_to_the_target() -> None:
    with trio.CancelScope() as scope:
        async with connected() as (connection, peer):
            scope.cancel()
            try:
                await trio.lowlevel.checkpoint()
            finally:
                with trio.CancelScope(shield=True):
                    pending = connection.submit(ALL)
                    await peer.answer(ALL, THREADS)
                    assert await pending.wait() == THREADS
                    cleaned_up = True
    assert scope.cancelled_caught
    assert cleaned_up

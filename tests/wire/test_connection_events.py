"""Event sets: order, events that overtake the reply of their Set, back-pressure, and what cannot be decoded."""

from __future__ import annotations

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from jdbpy.errors import Disconnected, JdbpyError
from jdbpy.wire.connection import Connection
from jdbpy.wire.constants import EventKind, JdwpSuspendPolicy
from jdbpy.wire.event_queue import HIGH, LOW
from jdbpy.wire.ids import IDSizes, ThreadID
from jdbpy.wire.messages import event, event_request, virtual_machine
from tests.wire.peer import Peer, connected

SET = event_request.Set(EventKind.THREAD_START, JdwpSuspendPolicy.NONE, [])


def thread_start(request_id: int) -> event.Composite:
    return event.Composite(JdwpSuspendPolicy.NONE, [event.ThreadStart(request_id, ThreadID(1))])


async def next_id(connection: Connection) -> int:
    """The request id of the next event set."""
    [happened] = (await connection.next_event()).events
    return happened.requestID


async def test_events_come_in_order() -> None:
    async with connected() as (connection, peer):
        for number in range(5):
            await peer.event(thread_start(number))
        assert [await next_id(connection) for _ in range(5)] == [0, 1, 2, 3, 4]
        assert connection.statistics().events == 5


async def test_events_are_decoded_when_they_are_taken() -> None:
    """VMStart comes before the reply that tells how long its thread id is."""
    async with connected() as (connection, peer):
        peer.sizes = IDSizes(4, 4, 4, 4, 4)
        start = event.Composite(JdwpSuspendPolicy.ALL, [event.VMStart(0, ThreadID(1))])
        await peer.event(start)
        await wait_all_tasks_blocked()
        connection.id_sizes = IDSizes(4, 4, 4, 4, 4)
        assert await connection.next_event() == start


async def test_an_event_that_overtakes_the_reply_of_its_set() -> None:
    known: list[int] = []

    def on_reply(reply: event_request.SetReply | JdbpyError) -> None:
        assert isinstance(reply, event_request.SetReply)
        known.append(reply.requestID)

    async with connected() as (connection, peer), trio.open_nursery() as nursery:
        seen: list[int] = []

        async def dispatcher() -> None:
            seen.append(await next_id(connection))
            assert known == [2], "the request table knows the id first"

        nursery.start_soon(dispatcher)
        pending = connection.submit(SET, on_reply=on_reply)
        await peer.event(thread_start(2))
        await wait_all_tasks_blocked()
        assert seen == []
        await peer.answer(SET, event_request.SetReply(2))
        assert (await pending.wait()).requestID == 2
        await wait_all_tasks_blocked()
        assert seen == [2]


async def test_a_refused_set_frees_the_events_too() -> None:
    async with connected() as (connection, peer):
        connection.submit(SET)
        await peer.event(thread_start(1))
        await peer.answer(SET, error=102)
        assert await next_id(connection) == 1


async def test_other_commands_keep_no_event_waiting() -> None:
    async with connected() as (connection, peer):
        connection.submit(virtual_machine.AllThreads())
        await peer.event(thread_start(1))
        assert await next_id(connection) == 1


async def flood(peer: Peer, count: int) -> None:
    for number in range(count):
        await peer.event(thread_start(number))
    await wait_all_tasks_blocked()


async def test_back_pressure() -> None:
    async with connected() as (connection, peer):
        await flood(peer, HIGH)
        assert connection.statistics().commands == 0
        await flood(peer, 1)
        await peer.answer(virtual_machine.HoldEvents())
        for _ in range(HIGH + 1 - LOW):
            await connection.next_event()
        assert connection.statistics().commands == 1
        await connection.next_event()
        await peer.answer(virtual_machine.ReleaseEvents())
        assert connection.statistics().holds == 1


async def test_a_flood_does_not_delay_replies() -> None:
    """Nobody takes the events; requests are answered all the same."""
    async with connected() as (connection, peer), trio.open_nursery() as nursery:
        await flood(peer, 5 * HIGH)
        await peer.answer(virtual_machine.HoldEvents())
        nursery.start_soon(peer.answer, virtual_machine.AllThreads(), virtual_machine.AllThreadsReply([]))
        assert (await connection.request(virtual_machine.AllThreads())).threads == []


async def test_events_before_the_end_are_delivered_then_the_end() -> None:
    async with connected() as (connection, peer):
        await flood(peer, 3)
        await peer.stream.aclose()
        assert await connection.wait_closed()
        assert [await next_id(connection) for _ in range(3)] == [0, 1, 2]
        for _ in range(2):
            with pytest.raises(Disconnected):
                await connection.next_event()


async def test_parked_events_are_delivered_at_the_end() -> None:
    async with connected() as (connection, peer):
        connection.submit(SET)
        await peer.event(thread_start(1))
        await peer.stream.aclose()
        assert await next_id(connection) == 1


async def test_a_consumer_that_waits_learns_of_the_end() -> None:
    async with connected() as (connection, peer), trio.open_nursery() as nursery:

        async def dispatcher() -> None:
            with pytest.raises(Disconnected, match="the target closed it"):
                await connection.next_event()

        nursery.start_soon(dispatcher)
        await wait_all_tasks_blocked()
        await peer.stream.aclose()


async def test_an_event_set_that_cannot_be_decoded_ends_the_connection() -> None:
    """It may have suspended the target, and nobody would resume it; at the end of a connection the agent does."""
    async with connected() as (connection, peer):
        await peer.event(bytes.fromhex("02 00000001 02"))
        with pytest.raises(Disconnected, match="not JDWP") as caught:
            await connection.next_event()
        assert caught.value.reason == connection.close_reason
        await peer.nothing_more()


async def test_an_unknown_kind_of_event_is_kept_raw() -> None:
    async with connected() as (connection, peer):
        await peer.event(bytes.fromhex("00 00000001 c8 0001"))
        [unknown] = (await connection.next_event()).events
        assert isinstance(unknown, event.UnknownEvent)
        assert (unknown.kind, unknown.data) == (200, b"\0\1")

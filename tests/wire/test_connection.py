"""Requests and replies over a connection: one, many at once, in any order, with errors among them."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import pytest
import trio
from trio.testing import MockClock, memory_stream_pair, wait_all_tasks_blocked

from jdbpy.errors import ConnectError, JdwpError, ProtocolError, UsageError
from jdbpy.wire.command import Command
from jdbpy.wire.ids import ArrayID, ClassID, IDSizes, ModuleID, ObjectID, ThreadID
from jdbpy.wire.messages import (
    array_reference,
    class_type,
    module_reference,
    object_reference,
    string_reference,
    thread_reference,
    virtual_machine,
)
from jdbpy.wire.opening import exchange, open_connection, shake_hands
from jdbpy.wire.reply_cache import MOST_IN_A_ROW, Recall
from jdbpy.wire.statistics import Statistics
from tests.harness import LIMIT
from tests.wire.peer import Peer, connected

THREADS = virtual_machine.AllThreadsReply([ThreadID(1), ThreadID(2)])


async def test_a_request() -> None:
    async with connected() as (connection, peer), trio.open_nursery() as nursery:
        nursery.start_soon(peer.answer, virtual_machine.AllThreads(), THREADS)
        assert await connection.request(virtual_machine.AllThreads()) == THREADS


async def test_the_round_trip_is_that_of_the_handshake(autojump_clock: MockClock) -> None:
    ours, theirs = memory_stream_pair()

    async def target() -> None:
        peer = Peer(theirs)
        await trio.sleep(0.25)
        await peer.shake_hands()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(target)
        async with open_connection(ours) as connection:
            await trio.sleep(3)
            assert connection.round_trip == pytest.approx(0.25)


async def test_an_error_of_the_target() -> None:
    async with connected() as (connection, peer), trio.open_nursery() as nursery:
        # The agent leaves bytes in an error reply that it wrote before the error: they mean nothing.
        nursery.start_soon(lambda: peer.answer(thread_reference.Name(ThreadID(7)), b"\0\0", error=10))
        with pytest.raises(JdwpError, match=r"INVALID_THREAD from ThreadReference\.Name") as caught:
            await connection.request(thread_reference.Name(ThreadID(7)))
        assert (caught.value.number, caught.value.code) == (10, "INVALID_THREAD")


@pytest.mark.parametrize(
    "command",
    [
        string_reference.Value(ObjectID(0)),
        array_reference.GetValues(ArrayID(0), 0, 1),
        object_reference.ReferenceType(ObjectID(0)),
        thread_reference.Suspend(ThreadID(0)),
        class_type.Superclass(ClassID(0)),
        module_reference.Name(ModuleID(0)),
    ],
    ids=lambda command: command.NAME,
)
async def test_nothing_is_sent_about_null(command: Command[Any]) -> None:
    """The agent would crash: the VM ends."""
    async with connected() as (connection, peer), trio.open_nursery() as nursery:
        with pytest.raises(ProtocolError, match=f"{command.NAME} was to be sent for null"):
            connection.submit(command)
        with pytest.raises(ProtocolError, match="for null"):
            connection.submit_raw(type(command), bytes(8), lambda error, data: None)
        nursery.start_soon(peer.answer, virtual_machine.AllThreads(), THREADS)
        assert await connection.request(virtual_machine.AllThreads()) == THREADS  # the first that the peer gets


async def test_an_unknown_error_keeps_its_number() -> None:
    async with connected() as (connection, peer), trio.open_nursery() as nursery:
        nursery.start_soon(lambda: peer.answer(virtual_machine.AllThreads(), error=4711))
        with pytest.raises(JdwpError) as caught:
            await connection.request(virtual_machine.AllThreads())
        assert caught.value.number == 4711
        assert "4711" in str(caught.value)


async def test_a_malformed_reply_is_the_error_of_its_request_alone() -> None:
    async with connected() as (connection, peer), trio.open_nursery() as nursery:
        nursery.start_soon(lambda: peer.answer(virtual_machine.AllThreads(), b"\0\0\0\x09"))
        with pytest.raises(ProtocolError, match="AllThreads"):
            await connection.request(virtual_machine.AllThreads())
        nursery.start_soon(peer.answer, virtual_machine.AllThreads(), THREADS)
        assert await connection.request(virtual_machine.AllThreads()) == THREADS


async def test_a_batch_is_one_segment_and_one_wave() -> None:
    names = [thread_reference.Name(ThreadID(number)) for number in range(1, 6)]
    async with connected() as (connection, peer), trio.open_nursery() as nursery:

        async def target() -> None:
            # A memory stream hands over whatever was sent, in one piece.
            peer.feed(await peer.stream.receive_some())
            for number, packet in enumerate(await peer.packets(5)):
                if number == 2:
                    await peer.reply(packet.id, error=10)
                else:
                    await peer.reply(packet.id, thread_reference.NameReply(f"t{number}"))

        nursery.start_soon(target)
        outcomes = await connection.batch(names)
        assert [getattr(outcome, "threadName", None) for outcome in outcomes] == ["t0", "t1", None, "t3", "t4"]
        assert isinstance(outcomes[2], JdwpError)
        statistics = connection.statistics()
        assert (statistics.commands, statistics.replies, statistics.waves) == (5, 5, 1)


async def test_an_empty_batch() -> None:
    async with connected() as (connection, _):
        assert await connection.batch([]) == []


async def test_replies_in_any_order() -> None:
    async with connected() as (connection, peer), trio.open_nursery() as nursery:

        async def target() -> None:
            for packet in reversed(await peer.packets(3)):
                await peer.reply(packet.id, thread_reference.NameReply(f"#{packet.id}"))

        nursery.start_soon(target)
        pendings = [connection.submit(thread_reference.Name(ThreadID(1))) for _ in range(3)]
        assert [(await pending.wait()).threadName for pending in pendings] == ["#1", "#2", "#3"]


async def test_outcome_only_when_done() -> None:
    async with connected() as (connection, peer):
        pending = connection.submit(virtual_machine.AllThreads())
        with pytest.raises(RuntimeError, match="has not come yet"):
            _ = pending.outcome
        done = [pending.done]
        await peer.answer(virtual_machine.AllThreads(), THREADS)
        await wait_all_tasks_blocked()
        assert [*done, pending.done] == [False, True]
        assert pending.outcome == THREADS
        assert await pending.wait() == THREADS, "and again"


async def test_an_answered_command_keeps_nobody_alive() -> None:
    """What is told of a reply often knows its handle. In a loop of thousands a second, cycles would be felt."""

    class Owner:
        handle: Any
        reply: object = None

        def told(self, reply: object) -> None:
            self.reply = reply

    async with connected() as (connection, peer):
        owner = Owner()
        owner.handle = connection.submit(virtual_machine.AllThreads(), on_reply=owner.told)
        await peer.answer(virtual_machine.AllThreads(), THREADS)
        await wait_all_tasks_blocked()
        assert owner.reply == THREADS
        gone = weakref.ref(owner)
        gc.disable()
        try:
            del owner
            assert gone() is None
        finally:
            gc.enable()


async def test_on_reply_runs_before_later_packets() -> None:
    order: list[str] = []
    async with connected() as (connection, peer):
        connection.submit(virtual_machine.AllThreads(), on_reply=lambda reply: order.append(f"first {reply}"))
        connection.submit(virtual_machine.Version(), on_reply=lambda reply: order.append(type(reply).__name__))
        await peer.answer(virtual_machine.AllThreads(), THREADS)
        await peer.answer(virtual_machine.Version(), error=112)
        await wait_all_tasks_blocked()
    assert order == [f"first {THREADS}", "JdwpError"]


async def test_replies_are_decoded_with_the_sizes_of_the_moment() -> None:
    """Sizes are asked for together with the rest: they must be in force when a reply is looked at."""
    async with connected(hello=[virtual_machine.IDSizes(), virtual_machine.AllThreads()]) as (connection, peer):
        sizes = IDSizes(4, 4, 4, 4, 4)
        await peer.answer(virtual_machine.IDSizes(), virtual_machine.IDSizesReply(4, 4, 4, 4, 4))
        peer.sizes = sizes
        await peer.answer(virtual_machine.AllThreads(), THREADS)
        await wait_all_tasks_blocked()
        first, second = connection.hello
        assert (await first.wait()).objectIDSize == 4
        connection.id_sizes = sizes
        assert await second.wait() == THREADS


async def test_ids_wrap_and_skip_live_ones() -> None:
    async with connected() as (connection, peer):
        live = connection.submit(virtual_machine.AllThreads())
        [first] = await peer.packets(1)
        connection._next_id = 0xFFFFFFFE
        for _ in range(4):
            connection.submit(virtual_machine.AllThreads())
        packets = await peer.packets(4)
        assert [packet.id for packet in packets] == [0xFFFFFFFE, 0xFFFFFFFF, 0, first.id + 1]
        await peer.reply(first.id, THREADS)
        assert await live.wait() == THREADS


async def test_thousands_of_requests_at_once() -> None:
    count = 20_000
    async with connected() as (connection, peer), trio.open_nursery() as nursery:

        async def target() -> None:
            for packet in await peer.packets(count):
                await peer.reply(packet.id, thread_reference.NameReply(str(packet.id)))

        nursery.start_soon(target)
        outcomes = await connection.batch([thread_reference.Name(ThreadID(1))] * count)
        assert [outcome.threadName for outcome in outcomes] == [str(number + 1) for number in range(count)]
        assert connection.statistics().waves == 1


async def test_many_tasks_at_once() -> None:
    async with connected() as (connection, peer), trio.open_nursery() as nursery:
        answered: list[int] = []

        async def ask(number: int) -> None:
            reply = await connection.request(thread_reference.Name(ThreadID(number)))
            assert reply.threadName == f"t{number}"
            answered.append(number)

        for number in range(1, 101):
            nursery.start_soon(ask, number)
        for packet in await peer.packets(100):
            command = peer.codec.decode(thread_reference.Name, packet.data, peer.sizes)
            await peer.reply(packet.id, thread_reference.NameReply(f"t{command.thread}"))
        await wait_all_tasks_blocked()
        assert sorted(answered) == list(range(1, 101))


async def test_strays_are_counted_and_ignored() -> None:
    async with connected() as (connection, peer), trio.open_nursery() as nursery:
        await peer.reply(99, b"nobody asked")
        await peer.stream.send_all(bytes.fromhex("0000000b 00000001 00 c7 01"))  # Android's DDM command set
        nursery.start_soon(peer.answer, virtual_machine.AllThreads(), THREADS)
        assert await connection.request(virtual_machine.AllThreads()) == THREADS
        assert connection.statistics().strays == 2


async def test_a_second_reply_is_a_stray() -> None:
    async with connected() as (connection, peer):
        pending = connection.submit(virtual_machine.AllThreads())
        [packet] = await peer.packets(1)
        await peer.reply(packet.id, THREADS)
        await peer.reply(packet.id, error=10)
        await wait_all_tasks_blocked()
        assert await pending.wait() == THREADS
        assert connection.statistics().strays == 1


async def test_statistics() -> None:
    async with connected() as (connection, peer), trio.open_nursery() as nursery:
        for _ in range(2):
            nursery.start_soon(peer.answer, virtual_machine.AllThreads(), THREADS)
            await connection.request(virtual_machine.AllThreads())
        before = connection.statistics()
        assert before == Statistics(commands=2, replies=2, waves=2, bytes_out=22, bytes_in=2 * (11 + 4 + 2 * 8))
        nursery.start_soon(peer.answer, virtual_machine.AllThreads(), THREADS)
        await connection.request(virtual_machine.AllThreads())
        assert connection.statistics().since(before) == Statistics(
            commands=1, replies=1, waves=1, bytes_out=11, bytes_in=31
        )


async def test_a_command_that_cannot_be_encoded_leaves_no_trace() -> None:
    async with connected() as (connection, peer), trio.open_nursery() as nursery:
        with pytest.raises(UsageError, match=r"ThreadReference\.Name cannot be sent"):
            connection.submit(thread_reference.Name(ThreadID(-1)))
        assert connection.statistics() == Statistics()
        nursery.start_soon(peer.answer, virtual_machine.AllThreads(), THREADS)
        assert await connection.request(virtual_machine.AllThreads()) == THREADS


async def test_a_cancelled_writer_leaves_whole_packets() -> None:
    """Whoever submitted is cancelled while the packet is half out: the other half still goes."""
    ours, theirs = memory_stream_pair()
    go_on = trio.Event()
    send = ours.send_stream.send_all

    async def slowly(data: bytes | bytearray | memoryview) -> None:
        half = len(data) // 2
        await send(data[:half])
        await go_on.wait()
        await send(data[half:])

    async with trio.open_nursery() as nursery:
        peer = Peer(theirs)
        nursery.start_soon(peer.shake_hands)
        async with open_connection(ours) as connection:
            ours.send_stream.send_all = slowly  # type: ignore[method-assign]
            with trio.CancelScope() as scope:
                nursery.start_soon(_cancel_when_blocked, scope)
                await connection.request(thread_reference.Name(ThreadID(1)))
            assert scope.cancelled_caught
            go_on.set()
            await peer.answer(thread_reference.Name(ThreadID(1)), thread_reference.NameReply("late"))
            nursery.start_soon(peer.answer, virtual_machine.AllThreads(), THREADS)
            assert await connection.request(virtual_machine.AllThreads()) == THREADS


async def _cancel_when_blocked(scope: trio.CancelScope) -> None:
    await wait_all_tasks_blocked()
    scope.cancel()


async def test_only_one_packet_id_space() -> None:
    """The target numbers its events on its own: an event with the id of a command is no reply to it."""
    async with connected() as (connection, peer), trio.open_nursery() as nursery:
        pending = connection.submit(virtual_machine.AllThreads())
        [packet] = await peer.packets(1)
        await peer.stream.send_all(
            bytes.fromhex("00000010") + packet.id.to_bytes(4, "big") + bytes.fromhex("00 40 64 00 00000000")
        )
        assert (await connection.next_event()).events == []
        assert not pending.done
        nursery.start_soon(peer.reply, packet.id, THREADS)
        assert await pending.wait() == THREADS


async def test_a_greeting_whose_time_was_used_up_before_is_given_up() -> None:
    ours, theirs = memory_stream_pair()
    peer = Peer(theirs)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(peer.shake_hands)
        connection = await shake_hands(ours, hello=[virtual_machine.IDSizes()], timeout=LIMIT, peer="peer:1")
    with pytest.raises(ConnectError, match="peer:1"):
        await exchange(connection, connection.hello, -0.001)


@pytest.mark.parametrize("together", [False, True])
async def test_who_asks_what_is_known_lets_others_run(together: bool) -> None:
    """Recalled answers never block, so a polling loop must yield: else no other task runs, not even the receiver."""
    async with connected() as (connection, peer), trio.open_nursery() as nursery:
        connection.recall = Recall(lambda: 1)
        others_ran = trio.Event()

        async def other() -> None:
            others_ran.set()

        nursery.start_soon(peer.answer, virtual_machine.AllThreads(), THREADS)
        await connection.request(virtual_machine.AllThreads())
        nursery.start_soon(other)
        for _ in range(2 * MOST_IN_A_ROW):  # of two tasks that can go on, either may be the first
            if together:
                assert await connection.batch([virtual_machine.AllThreads()]) == [THREADS]
            else:
                assert await connection.request(virtual_machine.AllThreads()) == THREADS
        assert others_ran.is_set()

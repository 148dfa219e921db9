"""The end of a connection: in every phase, with its reason in words, and nobody left waiting."""

from __future__ import annotations

import errno

import pytest
import trio
from trio.testing import MockClock, memory_stream_pair, wait_all_tasks_blocked

from jdbpy.errors import ConnectError, Disconnected, ProtocolError
from jdbpy.wire.connection import EXIT_LIMIT
from jdbpy.wire.constants import JdwpSuspendPolicy
from jdbpy.wire.ids import ThreadID
from jdbpy.wire.messages import event, event_request, thread_reference, virtual_machine
from jdbpy.wire.opening import open_connection
from jdbpy.wire.packet_stream import CLOSE_LIMIT, LAST_WORDS
from tests.wire.peer import Peer, connected

ALL = virtual_machine.AllThreads()


async def test_leaving_the_block_closes() -> None:
    async with connected() as (connection, peer):
        pass
    assert connection.close_reason == "the debugger closed it"
    await peer.nothing_more()


async def test_everything_outstanding_fails_and_nothing_can_be_submitted() -> None:
    async with connected() as (connection, _):
        told: list[object] = []
        pendings = [connection.submit(ALL) for _ in range(3)]
        connection.submit(ALL, on_reply=told.append)
        await connection.aclose()
        for pending in pendings:
            with pytest.raises(Disconnected, match="the connection to the target is closed: the debugger closed it"):
                await pending.wait()
        assert [type(outcome) for outcome in told] == [Disconnected]
        with pytest.raises(Disconnected):
            connection.submit(ALL)
        with pytest.raises(Disconnected):
            await connection.batch([ALL])
        assert await connection.wait_closed() == "the debugger closed it"
        await connection.aclose()


async def test_waiters_wake_at_the_end() -> None:
    async with connected() as (connection, peer), trio.open_nursery() as nursery:

        async def ask() -> None:
            with pytest.raises(Disconnected, match="the target closed it"):
                await connection.batch([ALL, ALL])

        nursery.start_soon(ask)
        await wait_all_tasks_blocked()
        await peer.stream.aclose()


async def test_the_first_reason_stays() -> None:
    async with connected() as (connection, peer):
        await peer.stream.aclose()
        reason = await connection.wait_closed()
        await connection.aclose()
    assert connection.close_reason == reason
    assert reason.startswith("the target closed it: the VM was killed or crashed")


@pytest.mark.parametrize("data", [b"\0", b"\0\0\0\x20\0\0\0\x01\x80\0\0abc"], ids=["header", "body"])
async def test_closed_in_the_middle_of_a_packet(data: bytes) -> None:
    async with connected() as (connection, peer):
        await peer.stream.send_all(data)
        await peer.stream.aclose()
        length = 11 if len(data) < 11 else 0x20
        assert (await connection.wait_closed()).startswith(
            f"the target closed it in the middle of a packet ({len(data)} of {length} bytes): the VM was killed"
        )


async def test_the_vm_said_that_it_ends() -> None:
    async with connected() as (connection, peer):
        await peer.event(event.Composite(JdwpSuspendPolicy.NONE, [event.VMDeath(0), event.VMDeath(0)]))
        await peer.stream.aclose()
        assert await connection.wait_closed() == "the VM has ended"


async def test_exit() -> None:
    """The agent answers, and the process ends: no event says so."""
    async with connected() as (connection, peer), trio.open_nursery() as nursery:
        nursery.start_soon(peer.answer, virtual_machine.Exit(3))
        await connection.request(virtual_machine.Exit(3))
        assert connection.close_reason is None, "closing first would make the agent resume the program"
        await peer.stream.aclose()
        assert await connection.wait_closed() == "the VM has ended, as the debugger asked"


async def test_closing_waits_for_a_target_that_exits(autojump_clock: MockClock) -> None:
    async with connected() as (connection, peer), trio.open_nursery() as nursery:
        nursery.start_soon(peer.answer, virtual_machine.Exit(3))
        await connection.request(virtual_machine.Exit(3))

        async def end() -> None:
            await trio.sleep(EXIT_LIMIT / 2)
            await peer.stream.aclose()

        nursery.start_soon(end)
        await connection.aclose()
        assert connection.close_reason == "the VM has ended, as the debugger asked"


async def test_closing_does_not_wait_long_for_a_target_that_does_not_exit(autojump_clock: MockClock) -> None:
    async with connected() as (connection, peer), trio.open_nursery() as nursery:
        nursery.start_soon(peer.answer, virtual_machine.Exit(3))
        await connection.request(virtual_machine.Exit(3))
        await connection.aclose()
        assert connection.close_reason == "the debugger closed it"
        assert trio.current_time() <= EXIT_LIMIT


async def test_dispose() -> None:
    async with connected() as (connection, peer), trio.open_nursery() as nursery:
        invocation = connection.submit(ALL)
        await peer.packets(1)
        nursery.start_soon(peer.answer, virtual_machine.Dispose())
        await connection.request(virtual_machine.Dispose())
        assert await connection.wait_closed() == "the debugger has detached"
        with pytest.raises(Disconnected, match="has detached"):
            await invocation.wait()
        await peer.nothing_more()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", "a packet of 1213486160 bytes"),
        (b"\0\0\0\x05hello", "a packet of 5 bytes: the header alone has 11"),
        (b"\xff" * 100, "a packet of 4294967295 bytes"),
        (b"\0\0\0\x0b\0\0\0\x01\x42\0\0", "a packet with flags 0x42"),
    ],
)
async def test_garbage(data: bytes, reason: str) -> None:
    async with connected() as (connection, peer):
        pending = connection.submit(ALL)
        await peer.stream.send_all(data)
        closed = await connection.wait_closed()
        assert closed.startswith("the target sent something that is not JDWP: ")
        assert reason in closed
        with pytest.raises(Disconnected, match="not JDWP"):
            await pending.wait()


@pytest.mark.parametrize("seed", range(20))
async def test_any_garbage_ends_or_is_ignored_but_never_hangs(seed: int) -> None:
    import random

    random_bytes = random.Random(seed).randbytes(4000)
    async with connected() as (connection, peer):
        pendings = [connection.submit(ALL) for _ in range(100)]
        await peer.stream.send_all(random_bytes)
        await peer.stream.aclose()
        await connection.wait_closed()
        for pending in pendings:
            with pytest.raises((Disconnected, ProtocolError)):
                await pending.wait()


async def test_garbage_behind_the_handshake() -> None:
    ours, theirs = memory_stream_pair()
    await theirs.send_all(b"JDWP-Handshake" + b"\0\0\0\0")
    async with open_connection(ours) as connection:
        assert "a packet of 0 bytes" in await connection.wait_closed()


async def test_a_packet_in_the_segment_of_the_handshake() -> None:
    ours, theirs = memory_stream_pair()
    await theirs.send_all(b"JDWP-Handshake" + bytes.fromhex("00000010 00000000 00 40 64 00 00000000"))
    async with open_connection(ours) as connection:
        assert (await connection.next_event()).events == []


async def test_closed_during_the_handshake() -> None:
    ours, theirs = memory_stream_pair()
    await theirs.send_eof()
    with pytest.raises(ConnectError, match="host:1 closed the connection without a JDWP handshake"):
        async with open_connection(ours, peer="host:1", hello=[ALL]):
            raise AssertionError("the block must not be entered")
    with pytest.raises(trio.ClosedResourceError):
        await ours.receive_some()


class BrokenStream(trio.abc.Stream):
    """Shakes hands, then fails as a socket does."""

    def __init__(self, number: int, *, only_sending: bool = False) -> None:
        self._handshake = [b"JDWP-Handshake"]
        self._error = OSError(number, "what the system says")
        self._only_sending = only_sending
        self._fail = trio.Event()

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        await trio.lowlevel.checkpoint()
        if not self._handshake:
            self._fail.set()
            raise trio.BrokenResourceError from self._error

    async def receive_some(self, max_bytes: int | None = None) -> bytes:
        if self._handshake:
            return self._handshake.pop()
        await self._fail.wait()
        if self._only_sending:
            await trio.sleep_forever()
        raise trio.BrokenResourceError from self._error

    async def wait_send_all_might_not_block(self) -> None:
        await trio.lowlevel.checkpoint()

    async def aclose(self) -> None:
        await trio.lowlevel.checkpoint()


@pytest.mark.parametrize("only_sending", [False, True])
@pytest.mark.parametrize(
    ("number", "reason"),
    [
        (errno.ECONNRESET, "it was reset: the VM was killed or crashed, or the network dropped the connection"),
        (errno.EPIPE, "the target's side is gone"),
        (errno.ETIMEDOUT, "the network has not answered for a long time"),
        (errno.ENOBUFS, "the system reports: what the system says"),
    ],
)
async def test_what_the_system_says(number: int, reason: str, only_sending: bool, autojump_clock: MockClock) -> None:
    async with open_connection(BrokenStream(number, only_sending=only_sending)) as connection:
        with pytest.raises(Disconnected, match=reason):
            await connection.request(ALL)
    assert trio.current_time() <= LAST_WORDS


async def test_closing_is_bounded_when_the_stream_will_not_close(autojump_clock: MockClock) -> None:
    class Stubborn(BrokenStream):
        async def aclose(self) -> None:
            await trio.sleep_forever()

    async with open_connection(Stubborn(errno.EPIPE)):
        start = trio.current_time()
    assert trio.current_time() - start <= CLOSE_LIMIT


async def test_an_error_of_the_block_comes_out_as_it_is() -> None:
    ours, theirs = memory_stream_pair()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(Peer(theirs).shake_hands)
        with pytest.raises(Disconnected):  # not an ExceptionGroup
            async with open_connection(ours) as connection:
                raise Disconnected("as said")
    assert connection.close_reason == "the debugger closed it"


async def test_cancelling_the_block_closes() -> None:
    ours, theirs = memory_stream_pair()
    peer = Peer(theirs)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(peer.shake_hands)
        with trio.CancelScope() as scope:
            async with open_connection(ours) as connection:
                connection.submit(event_request.ClearAllBreakpoints())
                scope.cancel()
                await connection.request(thread_reference.Name(ThreadID(1)))
        assert scope.cancelled_caught
    assert connection.close_reason == "the debugger closed it"


async def test_an_error_in_a_callback_leaves_nobody_waiting() -> None:
    def fail(reply: object) -> None:
        raise ZeroDivisionError("a bug")

    cleaned_up = []
    with pytest.raises(BaseExceptionGroup) as caught:
        async with connected() as (connection, peer):
            connection.submit(ALL, on_reply=fail)
            other = connection.submit(ALL)
            [first, _] = await peer.packets(2)
            await peer.reply(first.id, virtual_machine.AllThreadsReply([]))
            try:
                await trio.sleep_forever()
            finally:
                with (
                    trio.CancelScope(shield=True),
                    pytest.raises(Disconnected, match="an error in the debugger itself"),
                ):
                    await other.wait()
                cleaned_up.append(connection.close_reason)
    assert caught.group_contains(ZeroDivisionError, match="a bug")
    assert cleaned_up == ["an error in the debugger itself"]

"""The delay relay: the delay is exact, packets overlap, waves are counted right; and budgets of real sessions."""

from __future__ import annotations

import trio
from trio.testing import MockClock, memory_stream_pair

from benchmarks.relay import open_relay, pass_on
from benchmarks.traffic import Traffic, TrafficCounter
from jdbpy.wire.framing import REPLY, Packet, encode_command, encode_packet
from jdbpy.wire.handshake import HANDSHAKE
from jdbpy.wire.messages import virtual_machine
from jdbpy.wire.opening import open_connection
from tests.harness import LIMIT, Jvm, start_target, within

RTT = 0.1


def command(number: int) -> bytes:
    return encode_command(number, 1, 1, b"")


def reply(number: int) -> bytes:
    return encode_packet(Packet(number, REPLY, 0, 0, 0, b"12345"))


EVENT = encode_command(1, 64, 100, b"\0\0\0\0\0")


def test_waves() -> None:
    counter = TrafficCounter()
    counter.sent(HANDSHAKE + command(1) + command(2))
    counter.received(HANDSHAKE + EVENT + reply(1))
    counter.sent(command(3))
    assert counter.traffic().waves == 2, "it may depend on the first answer, though another is still outstanding"
    counter.received(reply(2))
    counter.sent(command(4))
    assert counter.traffic().waves == 2, "the wave goes on until the command that began it is answered"
    counter.received(reply(4) + reply(3))
    counter.sent(command(5))
    assert counter.traffic() == Traffic(
        commands=5, replies=4, events=1, waves=3, bytes_out=14 + 5 * 11, bytes_in=14 + 16 + 4 * 16
    )


def test_bytes_one_at_a_time() -> None:
    counter = TrafficCounter()
    for byte in HANDSHAKE + command(1) + command(2):
        counter.sent(bytes([byte]))
    assert (counter.traffic().commands, counter.traffic().waves) == (2, 1)


def test_since() -> None:
    counter = TrafficCounter()
    counter.sent(HANDSHAKE + command(1))
    before = counter.traffic()
    counter.received(HANDSHAKE + reply(1))
    assert counter.traffic().since(before) == Traffic(replies=1, bytes_in=14 + 16)


async def test_delay(autojump_clock: MockClock) -> None:
    """Half a round trip each way, after the round trip that connecting takes; packets overlap."""
    near, debugger_side = memory_stream_pair()
    jvm_side, high_latency = memory_stream_pair()
    arrivals: list[tuple[str, float]] = []

    async def arrived(stream: trio.abc.ReceiveStream, expected: bytes) -> None:
        data = b""
        while data != expected:
            data += await stream.receive_some(1)
        arrivals.append((expected.decode(), round(trio.current_time() - start, 6)))

    async with trio.open_nursery() as nursery:
        start = trio.current_time()
        nursery.start_soon(pass_on, debugger_side, jvm_side, RTT, TrafficCounter())
        await near.send_all(b"early")
        await arrived(high_latency, b"early")
        await trio.sleep_until(start + 1)
        await near.send_all(b"one")
        await trio.sleep(0.01)
        await near.send_all(b"two")
        await high_latency.send_all(b"back")
        await arrived(high_latency, b"one")
        await arrived(high_latency, b"two")
        await arrived(near, b"back")
        nursery.cancel_scope.cancel()
    assert arrivals == [("early", 0.15), ("one", 1.05), ("two", 1.06), ("back", 1.06)]


async def test_ends_are_passed_on(autojump_clock: MockClock) -> None:
    near, debugger_side = memory_stream_pair()
    jvm_side, high_latency = memory_stream_pair()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(pass_on, debugger_side, jvm_side, RTT, TrafficCounter())
        await near.send_all(b"last words")
        await near.send_eof()
        assert await high_latency.receive_some() == b"last words"
        assert await high_latency.receive_some() == b""
        await high_latency.send_eof()
        assert await near.receive_some() == b""


async def test_a_broken_side_ends_the_link(autojump_clock: MockClock) -> None:
    near, debugger_side = memory_stream_pair()
    jvm_side, high_latency = memory_stream_pair()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(pass_on, debugger_side, jvm_side, RTT, TrafficCounter())
        await high_latency.aclose()
        await near.send_all(b"to nobody")
        await trio.sleep(1)
        assert not [task for task in nursery.child_tasks if task.name.endswith("pass_on")]


async def test_it_counts_as_the_connection_does(any_jvm: Jvm) -> None:
    async with (
        start_target(any_jvm, "Hello", suspend=False) as target,
        open_relay(target.address, rtt=0.001) as relay,
        open_connection(await trio.open_tcp_stream(relay.host, relay.port)) as connection,
    ):
        await connection.request(virtual_machine.Version())
        await connection.batch([virtual_machine.AllThreads(), virtual_machine.IDSizes()])
        ours, theirs = connection.statistics(), relay.traffic()
        assert (ours.commands, ours.replies, ours.waves) == (theirs.commands, theirs.replies, theirs.waves) == (3, 3, 2)
        assert (ours.bytes_out, ours.bytes_in) == (theirs.bytes_out - 14, theirs.bytes_in - 14)


async def test_nobody_behind_the_relay() -> None:
    async with open_relay("127.0.0.1:1", rtt=0.001) as relay:
        async with await trio.open_tcp_stream(relay.host, relay.port) as stream:
            await stream.send_all(b"JDWP-Handshake")
            with within(LIMIT):
                assert await stream.receive_some() == b""


async def test_a_target_is_connected_to_by_who_speaks() -> None:
    """An agent hangs up on who says nothing for two seconds, which the bytes may take on a busy machine."""
    [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1")
    port = listener.socket.getsockname()[1]
    async with listener, open_relay(f"127.0.0.1:{port}", rtt=0.001) as relay:
        silent = await trio.open_tcp_stream(relay.host, relay.port)
        async with silent, await trio.open_tcp_stream(relay.host, relay.port) as speaking:
            await speaking.send_all(b"hello")
            with within(LIMIT):
                async with await listener.accept() as accepted:
                    assert await accepted.receive_some() == b"hello"

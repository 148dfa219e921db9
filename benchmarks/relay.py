"""A link with a fixed delay between a debugger and a JVM, on one machine.

Every byte arrives half a round trip after it was sent, in order; nothing waits for anything else, so packets that are
sent together arrive together, as on a real line. Opening a connection costs a round trip too, as TCP's does. The relay
counts what passes (``traffic``). From a test or a benchmark::

    async with open_relay("127.0.0.1:5005", rtt=0.1) as relay:
        async with jdbpy.attach_session(relay.address) as session:
            before = relay.traffic()
            await session.stack.all()
            assert relay.traffic().since(before).waves <= 4

and from the command line, for any debugger: ``python -m benchmarks.relay --rtt 0.1 127.0.0.1:5005``.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress

import trio
import trio.testing

from benchmarks.traffic import Traffic, TrafficCounter
from jdbpy.task_groups import open_nursery
from jdbpy.wire.framing import HEADER_LENGTH, REPLY
from jdbpy.wire.handshake import HANDSHAKE
from jdbpy.wire.messages import class_type, interface_type, object_reference

_END = b""

_CALLS = frozenset(
    bytes((each.COMMAND_SET, each.COMMAND))
    for each in (
        class_type.InvokeMethod,
        class_type.NewInstance,
        interface_type.InvokeMethod,
        object_reference.InvokeMethod,
    )
)
"""The commands that run methods."""


@asynccontextmanager
async def open_relay(
    target: str, *, rtt: float, port: int = 0, calls_in_turn: bool = False, settled: bool = False
) -> AsyncIterator[Relay]:
    """Listens on a loopback port (0: any) and passes each connection on to ``target`` ("HOST:PORT").

    ``rtt`` is the time of a round trip in seconds. Leaving the block cuts what is open. With ``calls_in_turn`` what
    follows the call of a method reaches the target when that call has been answered: a target that gets no processor
    time then refuses no call that was sent behind another, and round trips can be counted on a busy machine. With
    ``settled`` nothing reaches a debugger of this process while it is at work: what it still has to send belongs to the
    wave that it has begun, however late the machine lets it do so.
    """
    [listener] = await trio.open_tcp_listeners(port, host="127.0.0.1")
    relay = Relay(target, rtt, listener.socket.getsockname()[1], calls_in_turn=calls_in_turn, settled=settled)
    async with open_nursery() as nursery:
        nursery.start_soon(trio.serve_listeners, relay.serve, [listener])
        yield relay
        nursery.cancel_scope.cancel()


class Relay:
    """``address`` ("HOST:PORT") is what the debugger connects to."""

    def __init__(
        self, target: str, rtt: float, port: int, *, calls_in_turn: bool = False, settled: bool = False
    ) -> None:
        self.host = "127.0.0.1"
        self.port = port
        self.address = f"{self.host}:{port}"
        self._target = target
        self._rtt = rtt
        self._calls_in_turn = calls_in_turn
        self._settled = settled
        self._counters: list[TrafficCounter] = []

    def traffic(self) -> Traffic:
        """The totals of all connections so far."""
        totals = [counter.traffic() for counter in self._counters]
        return Traffic(**{field: sum(getattr(one, field) for one in totals) for field in Traffic.__fields__})

    async def serve(self, debugger: trio.abc.HalfCloseableStream) -> None:
        """Passes one connection on until both sides have closed it."""
        host, _, port = self._target.rpartition(":")
        counter = TrafficCounter()
        self._counters.append(counter)
        async with _Late(host, int(port)) as jvm:
            turns = Turns() if self._calls_in_turn else None
            await pass_on(debugger, jvm, self._rtt, counter, turns, settled=self._settled)


class _Late(trio.abc.HalfCloseableStream):
    """A connection that the first bytes open which are sent: an agent hangs up on who has none for two seconds, which
    a busy machine may take to bring them over a link. One that is refused is an end, as on a real link."""

    def __init__(self, host: str, port: int) -> None:
        self._where = host, port
        self._stream: trio.SocketStream | None = None
        self._tried = trio.Event()

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        if not self._tried.is_set():
            with suppress(OSError):
                self._stream = await trio.open_tcp_stream(*self._where)
            self._tried.set()
        if self._stream is None:
            raise trio.BrokenResourceError("refused")
        await self._stream.send_all(data)

    async def wait_send_all_might_not_block(self) -> None:
        await trio.lowlevel.checkpoint()

    async def send_eof(self) -> None:
        if self._stream is not None:
            await self._stream.send_eof()
        self._tried.set()

    async def receive_some(self, max_bytes: int | None = None) -> bytes | bytearray:
        await self._tried.wait()
        return b"" if self._stream is None else await self._stream.receive_some(max_bytes)

    async def aclose(self) -> None:
        if self._stream is not None:
            await self._stream.aclose()


async def pass_on(
    debugger: trio.abc.HalfCloseableStream,
    jvm: trio.abc.HalfCloseableStream,
    rtt: float,
    counter: TrafficCounter,
    turns: Turns | None = None,
    *,
    settled: bool = False,
) -> None:
    """Passes bytes both ways, each half a round trip late, until both sides have ended.

    What a side has sent before it went away still arrives, as on a real link.
    """
    connected = trio.current_time() + rtt
    async with trio.open_nursery() as nursery:
        there = _Way(debugger, jvm, rtt / 2, not_before=connected, on_take=counter.sent, turns=turns)
        answered = turns.answered if turns else None
        back = _Way(jvm, debugger, rtt / 2, on_delivery=counter.received, on_take=answered, settled=settled)
        nursery.start_soon(_carry, there)
        nursery.start_soon(_carry, back)


class Turns:
    """Which calls of methods are under way in the target, by what passes on a link."""

    def __init__(self) -> None:
        self._there, self._back = _Whole(), _Whole()
        self._under_way: set[bytes] = set()
        self._ended = trio.lowlevel.ParkingLot()

    async def pass_on(self, data: bytes, sink: trio.abc.SendStream) -> None:
        """Send what goes to the target, and what is behind a call when that has been answered."""
        portion = b""
        for packet in self._there.take(data):
            portion += packet
            if packet[9:11] in _CALLS:
                self._under_way.add(packet[4:8])
                await sink.send_all(portion)
                portion = b""
                while self._under_way:
                    await self._ended.park()
        if portion:
            await sink.send_all(portion)

    def answered(self, data: bytes) -> None:
        """Take note of what comes from the target."""
        for packet in self._back.take(data):
            if packet[8] & REPLY:
                self._under_way.discard(packet[4:8])
        if not self._under_way:
            self._ended.unpark_all()


class _Whole:
    """Cuts the bytes of one direction into the handshake and whole packets."""

    def __init__(self) -> None:
        self._rest = b""
        self._handshake = len(HANDSHAKE)

    def take(self, data: bytes) -> Iterator[bytes]:
        self._rest += data
        while len(self._rest) >= HEADER_LENGTH:
            length = self._handshake or int.from_bytes(self._rest[:4], "big")
            if len(self._rest) < length:
                return
            self._handshake = 0
            packet, self._rest = self._rest[:length], self._rest[length:]
            yield packet


class _Way:
    """One direction of a link. ``on_take`` and ``on_delivery`` are told of the bytes when they set off and arrive."""

    def __init__(
        self,
        source: trio.abc.HalfCloseableStream,
        sink: trio.abc.HalfCloseableStream,
        delay: float,
        *,
        not_before: float = 0.0,
        on_take: Callable[[bytes], None] | None = None,
        on_delivery: Callable[[bytes], None] | None = None,
        turns: Turns | None = None,
        settled: bool = False,
    ) -> None:
        self.source = source
        self.sink = sink
        self.delay = delay
        self.not_before = not_before
        self.on_take = on_take
        self.on_delivery = on_delivery
        self.turns = turns
        self.settled = settled

    def due(self) -> float:
        """When bytes that set off now arrive."""
        return max(trio.current_time(), self.not_before) + self.delay


async def _carry(way: _Way) -> None:
    send, receive = trio.open_memory_channel[tuple[float, bytes]](math.inf)
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_deliver, way, receive)
            with suppress(trio.BrokenResourceError):  # the source has gone: nothing more will come
                async for chunk in way.source:
                    data = bytes(chunk)
                    if way.on_take:
                        way.on_take(data)
                    send.send_nowait((way.due(), data))
            send.send_nowait((way.due(), _END))
    except* trio.BrokenResourceError:
        pass  # the sink has gone, which the other way learns from its source


async def _deliver(way: _Way, receive: trio.MemoryReceiveChannel[tuple[float, bytes]]) -> None:
    async for due, data in receive:
        await trio.sleep_until(due)
        if data == _END:
            await way.sink.send_eof()
            return
        if way.settled:
            await trio.testing.wait_all_tasks_blocked()
        if way.on_delivery:
            way.on_delivery(data)
        if way.turns is not None:
            await way.turns.pass_on(data, way.sink)
        else:
            await way.sink.send_all(data)


async def _serve_command_line() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.relay", description="A link with a fixed delay.")
    parser.add_argument("target", metavar="HOST:PORT", help="where the JVM listens")
    parser.add_argument("--rtt", type=float, default=0.1, metavar="SECONDS", help="time of a round trip (%(default)s)")
    parser.add_argument("--port", type=int, default=0, help="port to listen on (any)")
    arguments = parser.parse_args()
    async with open_relay(arguments.target, rtt=arguments.rtt, port=arguments.port) as relay:
        print(f"relaying {relay.address} to {arguments.target}; Ctrl-C ends it and tells what has passed", flush=True)
        try:
            await trio.sleep_forever()
        finally:
            print(", ".join(f"{value:,} {name}" for name, value in relay.traffic().__iter_fields__()))


def main() -> None:
    """The command line."""
    with suppress(KeyboardInterrupt):
        trio.run(_serve_command_line)


if __name__ == "__main__":
    main()

"""Packets over a stream of bytes: one task that only receives, one that only sends.

Owns the stream: nobody else receives, sends or closes. Senders queue whole packets and never wait, so a sender that is
cancelled cannot break a packet in two, and what is queued in one turn of the loop goes out in one segment. It knows
neither commands nor replies: every packet goes to ``on_packet``, the end, with its reason, to ``on_end``.

On a socket there is a short way as well: ``flush`` hands the queue to the system from where it is called, as far as the
system takes it at once, and what is received is taken likewise. Waking a task for it costs more than the call does.
The rest of a packet that was taken in part goes to the front of the queue, and nothing is sent past the sending task.
"""

from __future__ import annotations

import socket
from collections.abc import Callable
from contextlib import suppress
from time import perf_counter

import trio

from jdbpy.errors import ProtocolError
from jdbpy.task_groups import open_nursery
from jdbpy.wire import close_reason
from jdbpy.wire.framing import GREETING_MAX_LENGTH, MAX_LENGTH, Framer, Packet
from jdbpy.wire.handshake import shake_hands

RECEIVE_BYTES = 256 * 1024
"""Asked for at a time: a reply of some megabytes then costs few turns of the loop."""

CLOSE_LIMIT = 1.0
"""The longest that a polite good-bye to the peer may take, in seconds."""

LAST_WORDS = 1.0
"""The seconds for which a failed sender waits for the receiver, who can still learn more of why it failed."""

READS_IN_A_ROW = 4
"""As often the receiver takes what is there already before it lets other tasks run."""


class Corked:
    """The block ``with packets.corked``: what is sent in it, without a wait, goes out at its end in one segment."""

    def __init__(self, packets: PacketStream) -> None:
        self.depth = 0
        self._packets = packets

    def __enter__(self) -> None:
        self.depth += 1

    def __exit__(self, *error: object) -> None:
        self.depth -= 1
        if not self.depth:
            self._packets.flush()


class PacketStream:
    """Whole packets in both directions over ``stream``, from ``shake_hands`` to ``stop``."""

    def __init__(
        self, stream: trio.abc.Stream, on_packet: Callable[[Packet], None], on_end: Callable[[str], None]
    ) -> None:
        self.bytes_in = 0
        self.bytes_out = 0
        self.busy = 0.0
        """Seconds that were spent on packets which had come in."""
        self.round_trip = 0.0
        """Seconds that the handshake took."""
        self._stream = stream
        self._on_packet = on_packet
        self._on_end = on_end
        self._framer = Framer(GREETING_MAX_LENGTH)
        self._queue: list[bytes] = []
        self._sender = trio.lowlevel.ParkingLot()
        self._sending = False  # the sending task is inside a packet
        self.corked = Corked(self)
        self._reads = 0  # in a row
        self._socket: socket.socket | None = None  # a second handle of the stream's, which never waits
        # Shielded: a task that is cancelled inside ``open_connection`` may still want to clean up in the target.
        self._tasks = trio.CancelScope(shield=True)
        self._finished = trio.Event()

    def send(self, data: bytes) -> None:
        """Queue a packet; everything queued when the sender has its turn goes out together."""
        self.bytes_out += len(data)
        self._queue.append(data)
        if len(self._queue) == 1 and not self.corked.depth:
            self._sender.unpark()

    def flush(self) -> None:
        """Send what is queued at once, as far as the system takes it; the rest is left to the sending task."""
        if not self._queue:
            return
        if self._socket is not None and not self._sending:
            data = self._take_queue()
            try:
                sent = self._socket.send(data)
            except OSError:  # it would have to wait, or it is broken, which the task will find and tell
                sent = 0
            if sent == len(data):
                return
            self._queue.append(data[sent:])
        self._sender.unpark()

    async def shake_hands(self, timeout: float, peer: str) -> None:
        """The handshake, with what has been queued so far in the same segment. Raises ConnectError."""
        _notice_dead_peers(self._stream)
        begun = trio.current_time()
        rest = await shake_hands(self._stream, self._take_queue(), timeout=timeout, peer=peer)
        self.round_trip = trio.current_time() - begun
        self.bytes_in += len(rest)
        self._framer.feed(rest)

    async def exchange(self, done: Callable[[], bool]) -> None:
        """Send what is queued and take in packets until ``done``, before ``run``: for the first words with a stranger.

        Raises ProtocolError, trio.BrokenResourceError, and EOFError when the peer has closed the stream.
        """
        if self._queue:
            await self._stream.send_all(self._take_queue())
        while True:
            for packet in self._framer:
                self._on_packet(packet)
            if done():
                return
            data = await self._stream.receive_some(RECEIVE_BYTES)
            if not data:
                raise EOFError
            self.bytes_in += len(data)
            self._framer.feed(data)

    async def run(self) -> None:
        """Receives and sends until ``stop`` is called or the stream ends, then closes it.

        ``on_end`` is called at least once; its first reason is the one that counts.
        """
        try:
            self._framer.max_length = MAX_LENGTH
            self._socket = _second_handle(self._stream)
            with self._tasks:
                async with open_nursery() as nursery:
                    nursery.start_soon(self._receive)
                    nursery.start_soon(self._send)
        finally:
            self._on_end(close_reason.OUR_FAULT)  # unless a reason is known: one of the callbacks has raised
            await self._close()
            self._finished.set()

    def incomplete(self) -> tuple[int, int] | None:
        """Return (bytes that are here, bytes of the whole packet) of a packet that has come in as a part."""
        return self._framer.incomplete()

    def stop(self) -> None:
        """Ends ``run``; what is queued is not sent any more."""
        self._queue.clear()
        self._tasks.cancel()

    async def wait_finished(self) -> None:
        """Wait until the stream is closed, ``CLOSE_LIMIT`` seconds after ``stop`` at the latest."""
        await self._finished.wait()

    async def _receive(self) -> None:
        try:
            while True:
                begun = perf_counter()
                with self.corked:
                    for packet in self._framer:
                        self._on_packet(packet)
                self.busy += perf_counter() - begun
                data = await self._receive_some()
                if not data:
                    self._on_end(close_reason.closed_by_peer(self._framer.incomplete()))
                    return
                self.bytes_in += len(data)
                self._framer.feed(data)
        except ProtocolError as error:
            self._on_end(close_reason.not_jdwp(error))
        except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
            self._on_end(close_reason.broken(error))

    async def _receive_some(self) -> bytes | bytearray:
        """Return the next bytes. From a socket without a turn of the loop where some are there, ``READS_IN_A_ROW``
        times."""
        if self._socket is None:
            return await self._stream.receive_some(RECEIVE_BYTES)
        if self._reads == READS_IN_A_ROW:
            self._reads = 0
            await trio.lowlevel.checkpoint()
        while True:
            try:
                data = self._socket.recv(RECEIVE_BYTES)
            except BlockingIOError:
                self._reads = 0
                await trio.lowlevel.wait_readable(self._socket)
            except OSError as error:
                raise trio.BrokenResourceError from error
            else:
                self._reads += 1
                return data

    async def _send(self) -> None:
        try:
            while True:
                while not self._queue:
                    await self._sender.park()
                self._sending = True
                await self._stream.send_all(self._take_queue())
                self._sending = False
        except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
            await trio.sleep(LAST_WORDS)
            self._on_end(close_reason.broken(error))

    def _take_queue(self) -> bytes:
        data = b"".join(self._queue)
        self._queue.clear()
        return data

    async def _close(self) -> None:
        """Close the stream: politely if that takes no time (a TLS stream would say good-bye), else by force."""
        if self._socket is not None:
            self._socket.close()  # the connection ends with its last handle
            self._socket = None
        with (
            trio.CancelScope(shield=True, deadline=trio.current_time() + CLOSE_LIMIT),
            suppress(OSError, trio.BrokenResourceError),  # it is broken: there is nobody to say good-bye to
        ):
            await self._stream.aclose()


def _second_handle(stream: trio.abc.Stream) -> socket.socket | None:
    """Return another handle of the stream's socket, which trio knows nothing of; None for other streams."""
    if not isinstance(stream, trio.SocketStream):
        return None
    own = stream.socket
    handle = socket.fromfd(own.fileno(), own.family, own.type, own.proto)
    handle.setblocking(False)
    return handle


def _notice_dead_peers(stream: trio.abc.Stream) -> None:
    """Let the system find out within about a minute that the network or the other machine has gone silently.

    Nothing here limits how long a reply takes: a target that lives answers these probes while its program is stopped.
    """
    if not isinstance(stream, trio.SocketStream) or stream.socket.family == getattr(socket, "AF_UNIX", None):
        return
    stream.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, seconds_or_count in (("TCP_KEEPIDLE", 30), ("TCP_KEEPINTVL", 10), ("TCP_KEEPCNT", 3)):
        if hasattr(socket, name):  # macOS calls the first one otherwise
            stream.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), seconds_or_count)
    if hasattr(socket, "TCP_USER_TIMEOUT"):  # the same for bytes that were sent and never acknowledged
        stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 60_000)

"""Packets over real sockets: what is sent directly, what the system does not take, and the order of both."""

from __future__ import annotations

import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio
from trio.testing import wait_all_tasks_blocked

from jdbpy.wire.framing import Framer, Packet, encode_command
from jdbpy.wire.packet_stream import PacketStream
from tests.harness import LIMIT, within

LARGE = bytes(100_000)


class Ends:
    """A PacketStream on one end of a pair of sockets, and the bare other end."""

    def __init__(self, near: trio.SocketStream, other: trio.SocketStream) -> None:
        self.received: list[Packet] = []
        self.ended: list[str] = []
        self.packets = PacketStream(near, self.received.append, self.ended.append)
        self.other = other
        self._framer = Framer()

    def send(self, number: int, data: bytes = b"") -> None:
        self.packets.send(encode_command(number, 1, 1, data))

    async def numbers(self, count: int) -> list[int]:
        """The ids of the next packets that come out at the other end."""
        found: list[int] = []
        while len(found) < count:
            found += [packet.id for packet in self._framer]
            if len(found) < count:
                self._framer.feed(await self.other.receive_some(1 << 16))
        return found


@asynccontextmanager
async def ends() -> AsyncIterator[Ends]:
    near, high_latency = (trio.SocketStream(trio.socket.from_stdlib_socket(each)) for each in socket.socketpair())
    made = Ends(near, high_latency)
    async with trio.open_nursery() as nursery, high_latency:
        nursery.start_soon(made.packets.run)
        await wait_all_tasks_blocked()
        yield made
        made.packets.stop()
        await made.packets.wait_finished()


async def test_what_is_gathered_has_left_at_the_end_of_the_block() -> None:
    async with ends() as e:
        with e.packets.corked:
            e.send(1)
            e.send(2)
            with e.packets.corked:
                e.send(3)
        arrived = e.other.socket.recv(1 << 16)  # no other task has had a turn
        with within(LIMIT):
            assert len(await arrived) == 3 * 11


async def test_what_the_system_does_not_take_follows_in_order() -> None:
    async with ends() as e:
        with e.packets.corked:
            for number in range(50):
                e.send(number, LARGE)  # more than fits
        e.send(50)
        with e.packets.corked:
            e.send(51, LARGE)
        await wait_all_tasks_blocked()  # the sending task is inside a packet
        with e.packets.corked:
            e.send(52)
        e.send(53)
        assert await e.numbers(54) == list(range(54))


async def test_what_comes_in_brings_about_goes_out_in_one_piece() -> None:
    async with ends() as e:
        e.packets._on_packet = lambda packet: e.send(packet.id + 100)
        await e.other.send_all(b"".join(encode_command(number, 1, 1, b"") for number in range(20)))
        assert await e.numbers(20) == list(range(100, 120))


async def test_a_flood_lets_others_have_their_turn() -> None:
    async with ends() as e:
        async with trio.open_nursery() as nursery:

            async def flood() -> None:
                while True:
                    await e.other.send_all(encode_command(1, 1, 1, LARGE))

            nursery.start_soon(flood)
            for _ in range(1000):
                await trio.lowlevel.checkpoint()
            nursery.cancel_scope.cancel()
        assert e.received


async def test_nobody_at_the_other_end_is_no_error_where_it_is_sent() -> None:
    async with ends() as e:
        await e.other.aclose()
        with e.packets.corked:
            e.send(1)
        await e.packets.wait_finished()
        assert e.ended[0].startswith("the target closed it")


async def test_both_handles_of_the_socket_are_closed() -> None:
    async with ends() as e:
        e.packets.stop()
        await e.packets.wait_finished()
        assert await e.other.receive_some() == b""

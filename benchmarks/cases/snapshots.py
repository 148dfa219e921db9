"""A snapshot of a program with many threads, and the same questions asked by the floor; one of Tomcat under load.

The floor asks in the session of the snapshot itself, whose target stands still, over the very connection: so frames and
objects have the ids that the questions name. It has all of them at hand and sends them without waiting for answers.
"""

from __future__ import annotations

import os
import socket
import tempfile
from typing import Any

import trio

import jdbpy
from benchmarks.bench import Bench, Stopwatch, in_thread
from benchmarks.cases.stacks import WAITING_FRAMES
from benchmarks.cases.tomcat import CLIENTS, serving
from benchmarks.figures import Figure, Result, Sample, Unit
from benchmarks.relay import open_relay
from benchmarks.rivals.floor import Command, Floor
from jdbpy.wire.framing import Packet

_THREADS = 1_000
_FRAMES = 20
_AT_ONCE = 4_000


async def run(bench: Bench) -> list[Result]:
    """Each run measures both, one after the other, in one session."""
    ours: list[Sample] = []
    floors: list[Sample] = []
    for _ in range(max(1, bench.effort.runs // 2)):
        one, other = await _both(bench)
        ours.append(one)
        floors.append(other)
    figures = (Figure("floor", tuple(floors)), Figure("jdbpy", tuple(ours)))
    work = f"`snapshot`, {_THREADS:,} threads of {_FRAMES} frames with their variables (floor: the same questions)"
    return [Result(work, "loopback", figures), *[each for rtt in (0.0, 0.1) for each in await _of_tomcat(bench, rtt)]]


async def _of_tomcat(bench: Bench, rtt: float) -> list[Result]:
    """Tomcat answers requests of eight clients all the while: how long it stands still, all of it, and the file."""
    taken: list[jdbpy.SnapshotTaken] = []
    async with serving(bench) as tomcat:
        await tomcat.ask(CLIENTS * 1_000)
        await tomcat.begin()
        for _ in range(max(1, bench.effort.runs // 2)):
            async with open_relay(tomcat.target.address, rtt=rtt) as relay:  # the agent listens anew, at another port
                with tempfile.TemporaryDirectory() as directory:
                    async with jdbpy.attach_session(relay.address) as session:
                        taken.append(await session.snapshot(os.path.join(directory, "one")))
            await tomcat.target.wait_listening_again()
    work = f"`snapshot` of Tomcat under {CLIENTS} clients, {taken[0].threads} threads"
    link = f"{rtt * 1000:g} ms" if rtt else "loopback"
    stood = Figure("jdbpy", tuple(Sample(each.paused or 0.0, each.paused_trips) for each in taken))
    whole = Figure("jdbpy", tuple(Sample(each.took, each.trips) for each in taken))
    file = Figure("jdbpy", tuple(Sample(each.size) for each in taken))
    return [
        Result(f"{work}: the JVM stands still", link, (stood,)),
        Result(f"{work}: all of it", link, (whole,)),
        Result(f"{work}: the file", link, (file,), Unit.BYTES),
    ]


async def _both(bench: Bench) -> tuple[Sample, Sample]:
    asked = _Questions()
    async with bench.near_target("Crowd", str(_THREADS), str(_FRAMES - WAITING_FRAMES)) as link:
        async with jdbpy.attach_session(link.address) as session:
            await session.execution.suspend()
            connection = session._target.conn
            with tempfile.TemporaryDirectory() as directory:
                connection.recorder = asked
                watch = Stopwatch(link)
                taken = await session.snapshot(os.path.join(directory, "one"))
                ours = watch.sample()
            if taken.frames < _THREADS * _FRAMES or len(asked.questions) != taken.questions:
                raise RuntimeError(f"not what was asked: {taken}")
            stream = connection._stream
            assert isinstance(stream, trio.SocketStream)
            bare = stream.socket.dup()
            await connection.aclose()  # the agent has no word of it: the other handle keeps the connection
            bare_socket = socket.socket(fileno=bare.detach())
            floor = await in_thread(lambda: _ask(bare_socket, link, asked.questions))
    return ours, floor


class _Questions:
    """Notes what a connection asks."""

    def __init__(self) -> None:
        self.questions: list[Command] = []

    def sent(self, packet_id: int, command: type[Any], body: bytes) -> None:
        self.questions.append((command.COMMAND_SET, command.COMMAND, body))

    def received(self, packet: Packet) -> None:
        """Nothing is noted."""

    def line(self, text: str) -> None:
        """Nothing is noted."""

    def stop(self) -> None:
        """Nothing is noted."""

    def begin(self) -> None:
        """It notes from the start."""

    def session_began(self, *, remote: bool, hold: str) -> None:
        """Nothing is noted."""


def _ask(connected: socket.socket, link: Any, questions: list[Command]) -> Sample:
    floor = Floor.over(connected)
    watch = Stopwatch(link)
    for start in range(0, len(questions), _AT_ONCE):
        floor.wave(questions[start : start + _AT_ONCE])
    sample = watch.sample()
    floor.close()
    return sample

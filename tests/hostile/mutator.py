"""Sessions with a target whose packets are changed on their way, by a seed.

    recorded = await record(jvm)                          # once: a session with a real JVM, nothing changed
    outcome = await mutated_session(seed, recorded)       # thousands of times: played again, with changes
    outcome = await mutated_session(seed, target.port)    # or with a real JVM behind it

``outcome.failure`` is empty when the debugger did what it must: it ended in time, with a status of the contract, and no
exception outside of its own tree of errors was seen. The same seed makes the same changes.
"""

from __future__ import annotations

import random
import struct
import sys
import traceback
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from typing import Any, TextIO

import trio

import jdbpy
from jdbpy import ConnectError, JdbpyError, UsageError
from jdbpy.cli.batch import Batch
from jdbpy.cli.console import Console
from jdbpy.cli.output.plain import PlainRenderer
from jdbpy.cli.output.renderer import Outcome as Done
from jdbpy.cli.settings import Settings
from jdbpy.process.scripts import Script, ScriptLines
from jdbpy.process.statuses import status_of
from jdbpy.record import Record
from tests.harness import LIMIT, Jvm, program, start_target
from tests.hostile.recording import Hangup, Recording, between, playing, recording

COMMANDS = (
    "stop in Prey.total(int)",
    "cont",
    "where",
    "where all",
    "locals",
    "dump this",
    "print this.items",
    "print map",
    "print items.get(3).name",
    "print factor * items.size() + opened",
    "print this.best",
    "print this.failure",
    "print this.items.get(0).next.next.id",
    "threads",
    "threadgroups",
    "threadlocks all",
    "deadlocks",
    "class Prey$Item",
    "methods Prey$Item",
    "fields Prey$Item",
    "classes Prey",
    "lines Prey",
    "watch Prey.opened",
    "stop in Prey$Item.<init> if price > 3",
    "print/x opened",
    "step",
    "next",
    "up",
    "locals",
    "list",
    "set opened = 5",
    "catch java.lang.IllegalStateException",
    "thread info",
    "constpool Prey",
    "instances Prey$Item",
    "finish",
    "version",
    "stop",
    "clear",
)
"""What every session does: something of each part of the debugger."""

COMMANDS_OF_CODE = (
    "stop in Prey.depth(int,java.lang.String,double) in-target if left == 0 && opened == 3",
    "cont",
    "info woven",
    "where",
    "snapshot {path}",
    "moment one",
    "clear 1",
    'logpoint Prey.total in-target "{factor} {opened}" if factor > 1',
    "resume",
    "calls Prey.total for 50ms",
    "calls stats Prey.* every 50ms for 100ms",
    "calls tree Prey.depth for 50ms",
    "calls Prey.total in-target for 50ms",
    "calls stats Prey.total in-target every 50ms for 100ms",
    "calls tree Prey.depth in-target for 50ms",
    "info woven",
    "unweave",
    "pause",
    "disassemble Prey.total",
    "where all",
    "detach",
)
"""Code that is woven into the target, calls that are observed, a snapshot; ``{path}`` is a file that is not there."""

STATUSES = (0, 1, 3, 4, 5)
"""How a session may end (docs/cli): all went well, a command failed, no agent, too late, the connection was lost."""

LONGEST = LIMIT
"""Seconds of a session after which it counts as hanging."""

_EDGES = (0, 1, 2, 0x7F, 0xFF, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)


class Outcome(Record):
    """How a mutated session ended."""

    seed: int | None
    status: int
    changes: tuple[str, ...]
    failure: str = ""
    text: str = ""


class Mutator:
    """Changes packets of the target. ``applied`` says what was done, in order."""

    def __init__(self, seed: int | None) -> None:
        """None changes nothing."""
        self._random = random.Random(seed)
        self.applied: list[str] = []
        self._every = self._random.choice((2, 5, 15, 40, 100, 300))
        self._skip = self._random.choice((0, 0, 5, 20, 60, 200))  # a sound beginning leads deeper
        if seed is None:
            self._skip = 1 << 60
        self._ids: deque[bytes] = deque(maxlen=64)
        self._late: list[bytes] = []

    def __call__(self, packet: bytes) -> Iterator[bytes]:
        """The packets to send in place of one. Raises Hangup."""
        late, self._late = self._late, []
        self._skip -= 1
        if self._skip >= 0 or self._random.randrange(self._every):
            self._remember(packet)
            yield packet
        else:
            how = self._random.choice(_WAYS)
            self.applied.append(f"{how.__name__[1:]} at {packet[:11].hex()}")
            yield from how(self, packet)
        yield from late

    def _remember(self, packet: bytes) -> None:
        for at in range(11, len(packet) - 7, 4):
            part = packet[at : at + 8]
            if part[:4] == b"\0\0\0\0" and part != bytes(8):  # looks like an id of HotSpot's
                self._ids.append(part)

    def _bit(self, packet: bytes) -> Iterator[bytes]:
        yield self._patched(
            packet, self._random.randrange(len(packet)), lambda old: old ^ 1 << self._random.randrange(8)
        )

    def _byte(self, packet: bytes) -> Iterator[bytes]:
        yield self._patched(packet, self._random.randrange(len(packet)), lambda old: self._random.randrange(256))

    def _body_bit(self, packet: bytes) -> Iterator[bytes]:
        if len(packet) == 11:
            yield packet
            return
        at = self._random.randrange(11, len(packet))
        yield self._patched(packet, at, lambda old: old ^ 1 << self._random.randrange(8))

    def _patched(self, packet: bytes, at: int, change: Any) -> bytes:
        return packet[:at] + bytes([change(packet[at])]) + packet[at + 1 :]

    def _number(self, packet: bytes) -> Iterator[bytes]:
        """A count, a length or half an id becomes an edge case."""
        if len(packet) < 15:
            yield packet
            return
        at = self._random.randrange(11, len(packet) - 3)
        yield packet[:at] + struct.pack(">I", self._random.choice(_EDGES)) + packet[at + 4 :]

    def _first_number(self, packet: bytes) -> Iterator[bytes]:
        if len(packet) < 15:
            yield packet
            return
        yield packet[:11] + struct.pack(">I", self._random.choice(_EDGES)) + packet[15:]

    def _other_id(self, packet: bytes) -> Iterator[bytes]:
        """An id becomes one that was seen before: this is how circles come about."""
        places = [at for at in range(11, len(packet) - 7) if packet[at : at + 4] == b"\0\0\0\0"]
        if not places or not self._ids:
            yield packet
            return
        at = self._random.choice(places)
        yield packet[:at] + self._random.choice((bytes(8), *self._ids)) + packet[at + 8 :]

    def _same_id(self, packet: bytes) -> Iterator[bytes]:
        """All ids of the packet become the same one."""
        if self._ids:
            one, out = self._random.choice(self._ids), bytearray(packet)
            for at in range(11, len(packet) - 7):
                if packet[at : at + 8] in self._ids:
                    out[at : at + 8] = one
            packet = bytes(out)
        yield packet

    def _length(self, packet: bytes) -> Iterator[bytes]:
        yield struct.pack(">I", self._random.choice((*_EDGES, len(packet) - 1, len(packet) + 1))) + packet[4:]

    def _error(self, packet: bytes) -> Iterator[bytes]:
        code = self._random.choice((10, 13, 20, 21, 22, 35, 99, 101, 103, 112, 113, 500, 502, 503, 504, 65535))
        if packet[8] == 0x80:
            packet = struct.pack(">IIBH", 11, struct.unpack_from(">I", packet, 4)[0], 0x80, code)
        yield packet

    def _shortened(self, packet: bytes) -> Iterator[bytes]:
        """The body is cut, and the length says so."""
        size = self._random.randrange(11, len(packet) + 1)
        yield struct.pack(">I", size) + packet[4:size]

    def _lengthened(self, packet: bytes) -> Iterator[bytes]:
        packet += self._random.randbytes(self._random.choice((1, 4, 8, 1000)))
        yield struct.pack(">I", len(packet)) + packet[4:]

    def _noise(self, packet: bytes) -> Iterator[bytes]:
        yield packet[:11] + self._random.randbytes(len(packet) - 11)

    def _repeated(self, packet: bytes) -> Iterator[bytes]:
        """A run of the body stands there twice: lists with the same element again."""
        if len(packet) > 19:
            at = self._random.randrange(11, len(packet) - 8)
            packet = packet[:at] + packet[at : at + 8] * 2 + packet[at + 8 :]
        yield struct.pack(">I", len(packet)) + packet[4:]

    def _dropped(self, packet: bytes) -> Iterator[bytes]:
        yield from ()

    def _duplicated(self, packet: bytes) -> Iterator[bytes]:
        yield packet
        yield packet

    def _reordered(self, packet: bytes) -> Iterator[bytes]:
        self._late.append(packet)
        yield from ()

    def _of_another_command(self, packet: bytes) -> Iterator[bytes]:
        """The id of the packet is that of a neighbor."""
        number = struct.unpack_from(">I", packet, 4)[0] + self._random.choice((-1, 1))
        yield packet[:4] + struct.pack(">I", number % 2**32) + packet[8:]

    def _inserted(self, packet: bytes) -> Iterator[bytes]:
        yield packet
        yield self._random.randbytes(self._random.choice((1, 11, 50)))

    def _cut(self, packet: bytes) -> Iterator[bytes]:
        yield packet[: self._random.randrange(len(packet))]
        raise Hangup

    def _event(self, packet: bytes) -> Iterator[bytes]:
        """An event that nobody has waited for comes behind the packet."""
        yield packet
        kind = self._random.choice((1, 2, 4, 6, 7, 8, 9, 10, 20, 21, 40, 41, 42, 43, 90, 99, 200))
        rest = self._random.randbytes(self._random.choice((0, 8, 33, 60)))
        thread = self._random.choice((bytes(8), *self._ids))
        policy = self._random.choice((0, 1, 2, 2, 3, 255))
        body = (
            struct.pack(">BIBI", policy, self._random.choice((0, 1, 1, 2)), kind, self._random.randrange(12)) + thread
        )
        body += rest
        yield struct.pack(">IIBBB", 11 + len(body), self._random.getrandbits(31), 0, 64, 100) + body


_WAYS = (
    *(Mutator._bit, Mutator._byte, Mutator._body_bit, Mutator._body_bit, Mutator._body_bit),
    *(Mutator._number, Mutator._number, Mutator._first_number, Mutator._first_number),
    *(Mutator._other_id, Mutator._other_id, Mutator._other_id, Mutator._same_id, Mutator._same_id),
    *(Mutator._length, Mutator._error, Mutator._error, Mutator._shortened, Mutator._lengthened, Mutator._noise),
    *(Mutator._repeated, Mutator._dropped, Mutator._duplicated, Mutator._reordered, Mutator._of_another_command),
    *(Mutator._inserted, Mutator._cut, Mutator._event, Mutator._event),
)


class Paper(Console):
    """A console that keeps what is written."""

    def __init__(self) -> None:
        self.text = ""
        super().__init__(PlainRenderer(Settings()), json=False)

    def write(self, text: str, stream: TextIO | None = None) -> None:
        self.text = (self.text + text)[-20_000:]


class WatchedBatch(Batch):
    """A batch that remembers what went wrong in the debugger itself."""

    faults: tuple[str, ...] = ()

    def _report(self, outcome: Done) -> None:
        if outcome.error is not None and type(outcome.error) is JdbpyError and outcome.error.code == "JDBPY_FAULT":
            self.faults += (f"{outcome.line}: {''.join(traceback.format_exception(sys.exc_info()[1]))}",)
        super()._report(outcome)


async def record(jvm: Jvm, commands: Sequence[str] = COMMANDS) -> Recording:
    """A session of the commands with a real JVM, for ``mutated_session``."""
    recorded = Recording()
    prey = program("Prey")
    async with start_target(jvm, prey, suspend=False) as target:
        await target.wait_output("ready")
        async with recording(target.port, recorded) as address:
            async with jdbpy.attach_session(address, options=jdbpy.Options(source_path=(prey.sources,))) as session:
                paper = Paper()
                batch = WatchedBatch(session, paper, Settings(), timeout=LONGEST, keep_going=True)
                await batch.run(ScriptLines([Script(command="\n".join(commands))]))
    assert sum(map(len, recorded.events)) >= 3, paper.text
    return recorded


async def mutated_session(
    seed: int | None,
    source: Recording | int,
    *,
    timeout: float = 0.3,
    greeting: float = 0.0,
    longest: float = LONGEST,
    commands: Sequence[str] = COMMANDS,
) -> Outcome:
    """Run the commands in a session whose packets are changed by the seed; never raise.

    ``source`` is a recording, or the port of a JVM. ``timeout`` bounds each command, and the greeting unless that has a
    limit of its own, in seconds; ``longest`` the whole.
    """
    mutator = Mutator(seed)
    paper = Paper()
    batch: WatchedBatch | None = None
    status, failure = -1, ""
    agent = playing(source, mutator) if isinstance(source, Recording) else between(source, mutator)
    with trio.move_on_after(longest) as limit:
        try:
            async with agent as address, jdbpy.attach_session(address, timeout=greeting or timeout) as session:
                batch = WatchedBatch(session, paper, Settings(), timeout=timeout, keep_going=True)
                status = await batch.run(ScriptLines([Script(command="\n".join(commands))]))
        except JdbpyError as error:
            status = 3 if isinstance(error, ConnectError) else 2 if isinstance(error, UsageError) else status_of(error)
            paper.text += f"error: {error}\n"
        except Exception as fault:
            failure = f"raised {''.join(traceback.format_exception(fault))}"
    if limit.cancelled_caught:
        failure = f"hung for {longest:g} seconds"
    elif batch is not None and batch.faults:
        failure = batch.faults[0]
    elif "a fault of jdbpy" in paper.text:
        failure = paper.text[paper.text.index("a fault of jdbpy") :][:300]
    elif not failure and status not in STATUSES:
        failure = f"ended with status {status}"
    return Outcome(seed, status, tuple(mutator.applied), failure, paper.text)


async def side_by_side(seeds: Iterable[int], play: Callable[[int], Awaitable[None]], lanes: int) -> None:
    """Play a session for each seed, so many at a time: mostly they wait for limits of time."""
    rest = iter(seeds)

    async def lane() -> None:
        for seed in rest:
            await play(seed)

    async with trio.open_nursery() as nursery:
        for _ in range(lanes):
            nursery.start_soon(lane)


async def mutated_sessions(
    seeds: Iterable[int], source: Recording | int, *, workers: int = 4, timeout: float = 0.3
) -> list[Outcome]:
    """Run ``mutated_session`` for each seed, some of them side by side."""
    outcomes: list[Outcome] = []

    async def play(seed: int) -> None:
        outcomes.append(await mutated_session(seed, source, timeout=timeout))

    await side_by_side(seeds, play, workers)
    return outcomes

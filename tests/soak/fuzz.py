"""Input from outside that is no good: bytes, packets, greetings, events, command lines, expressions, class files.

Only errors of jdbpy's own tree may come out, within bounds of time and memory.
"""

from __future__ import annotations

import functools
import random
import resource
import signal
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

import trio

import jdbpy
from jdbpy import JdbpyError
from jdbpy.cli.cmdline import parse
from jdbpy.cli.commands import TABLE
from jdbpy.cli.context import Context
from jdbpy.cli.interpreter import Interpreter
from jdbpy.errors import ProtocolError, Thrown
from jdbpy.record import Record
from jdbpy.session.in_target.weave.weaver import weave
from jdbpy.session.java.class_file import MalformedClassFile
from jdbpy.wire.codec import default_codec
from jdbpy.wire.command import all_commands
from jdbpy.wire.framing import REPLY, Framer, Packet, encode_packet
from jdbpy.wire.handshake import HANDSHAKE
from jdbpy.wire.ids import IDSizes
from jdbpy.wire.messages.event import Composite
from tests.eval.fake_shop import shop
from tests.fakes.jvm import FakeJvm
from tests.harness import program, within
from tests.hostile.class_files import mutated, read_by_all
from tests.soak.messages import message, spoil, text
from tests.soak.trial import Run
from tests.weaving.programs import places_of, read_directory

LIMIT = 60
"""Seconds that any one input may take; ordinary ones take milliseconds."""

MEMORY = 100
"""Megabytes that any one input may add to the memory of this process."""

SIZES = [IDSizes(), IDSizes(4, 4, 4, 4, 4), IDSizes(8, 4, 4, 8, 4)]


async def run(run: Run) -> None:
    """Feed inputs for as long as there is time."""
    before = megabytes()
    for seed in run.seeds():
        rng = run.random(seed)
        [kind] = rng.choices(list(KINDS), [weight for weight, _ in KINDS.values()])
        with run.attempt(seed, kind), bounded(), within(LIMIT):
            await KINDS[kind][1](rng)
    for kind, count in sorted(run.outcome.kinds.items()):
        run.figure(kind, f"{count:,}")
    run.figure("memory", f"{before} MB before, {megabytes()} MB at most")


async def framing(rng: random.Random) -> None:
    """A stream of packets, spoilt, in portions of any size."""
    stream = b"".join(
        encode_packet(Packet(i, rng.choice([0, REPLY]), 1, 1, 0, rng.randbytes(rng.randint(0, 40)))) for i in range(8)
    )
    stream = spoil(stream, rng) if rng.random() < 0.8 else rng.randbytes(rng.randint(0, 200))
    framer = Framer()
    with suppress(ProtocolError):
        while stream:
            portion = rng.randint(1, 30)
            framer.feed(stream[:portion])
            stream = stream[portion:]
            for _ in framer:
                pass
            framer.incomplete()


async def codec(rng: random.Random) -> None:
    """A message of any kind, spoilt: read or refused, never another exception."""
    sizes = rng.choice(SIZES)
    command = rng.choice(all_commands())
    cls: type[Record] = rng.choice([command, command.REPLY])
    data = default_codec().encode(message(cls, sizes, rng), sizes)
    if rng.random() < 0.9:
        data = spoil(data, rng)
    with suppress(ProtocolError):
        default_codec().decode(cls, data, sizes, tags=[rng.choice(b"BCDFIJSZL[st") for _ in range(64)])


class TakingTurns(FakeJvm):
    """A JVM whose events and replies may be sent by several tasks."""

    def __init__(self) -> None:
        super().__init__()
        self._turn = trio.Lock()

    async def send(self, data: bytes) -> None:
        """Send when the others have sent."""
        async with self._turn:
            await super().send(data)


class Spoilt(TakingTurns):
    """A JVM that spoils many a packet behind its ``sound`` first ones, and hangs up after ``last`` packets."""

    def __init__(self, rng: random.Random, *, sound: int, last: int) -> None:
        super().__init__()
        self._rng = rng
        self._sound = sound
        self._last = last
        self._sent = 0

    async def send(self, data: bytes) -> None:
        """Send a packet or what has become of it."""
        self._sent += 1
        if self._sent > self._last:
            await self.close()
            raise trio.ClosedResourceError
        if self._sent > self._sound and self._rng.random() < 0.4:
            body = data[11:]
            if data[4:5] and self._rng.random() < 0.7:  # the packet stays one, its contents do not
                body = spoil(body, self._rng)
                data = (len(body) + 11).to_bytes(4, "big") + data[4:11] + body
            else:
                data = spoil(data, self._rng)
        await super().send(data)


async def greeting(rng: random.Random) -> None:
    """A peer whose first answers are spoilt, and which then hangs up."""
    jvm = Spoilt(rng, sound=rng.randint(0, 4), last=rng.randint(1, 30))
    if rng.random() < 0.2:
        jvm.handshake = spoil(HANDSHAKE, rng)
    await _session(jvm, rng)


async def answers(rng: random.Random) -> None:
    """A peer that greets well and answers badly later."""
    await _session(Spoilt(rng, sound=8, last=rng.randint(20, 80)), rng)


async def events(rng: random.Random) -> None:
    """Event sets of any contents, amid a session."""
    jvm = TakingTurns()
    number = 1 << 20

    async def send() -> None:
        nonlocal number
        for _ in range(rng.randint(1, 6)):
            number += 1
            body = default_codec().encode(message(Composite, jvm.sizes, rng), jvm.sizes)
            body = body if rng.random() < 0.6 else spoil(body, rng)
            command = (Composite.COMMAND_SET, Composite.COMMAND)
            await jvm.send(encode_packet(Packet(number, 0, *command, 0, body)))
        await jvm.close()

    await _session(jvm, rng, send)


async def _session(jvm: FakeJvm, rng: random.Random, amid: Callable[[], Awaitable[None]] | None = None) -> None:
    """Use the JVM as a front end would, until an error or the end."""

    async def use(session: jdbpy.Session) -> None:
        with suppress(JdbpyError):
            await session.breakpoints.add("Played.total")
            for _ in range(3):
                await session.threads.list(with_frames=True)
                await session.classes.detail("Played")
                await session.execution.resume()

    async with jvm.listening() as address:
        # An answer that was lost may be waited for as long as the user likes: Ctrl-C is a cancellation.
        with trio.move_on_after(0.3), suppress(JdbpyError):
            async with jdbpy.attach_session(address) as session:
                with session.events() as stream:
                    if amid is not None:
                        with suppress(trio.ClosedResourceError, trio.BrokenResourceError):
                            await amid()
                    await use(session)
                    while stream.take_nowait() is not None:
                        pass


def _words(text: str) -> list[str]:
    return text.split()


WORDS = _words(
    "-1 0 1 2 -c -t if all Played Played.total Played:4 main * x=1 n 'open limit 10/s on thread from -- ( 1.. /x [ $_"
    ' after stack # !! "t" "{n}" "t {n \x1b[2J @18446744073709551615'
) + [f"{kind}{'9' * 5000}" for kind in ("", "@", "$", "0x", "A:", "1.")]
MACHINE = {"read", "source", "save", "snapshot", "redefine", "shell", "quit", "exit", "detach", "kill", "q"}
"""First words of commands that read or write files here, run programs, or end the session."""


async def _wait(seconds: float) -> bool:
    await trio.sleep(seconds)
    return True


async def command_lines(rng: random.Random) -> None:
    """Words after jdbpy, and lines at its prompt: any of the commands with any arguments."""
    words = ["attach", "launch", "listen", "5005", "-c", "-x", "--json", "--timeout", "1", "--", "-jar", "", text(rng)]
    with suppress(JdbpyError):
        parse([rng.choice(words) for _ in range(rng.randint(0, 6))])
    names = [name for name in TABLE.names if name.split()[0] not in MACHINE]
    async with FakeJvm().listening() as address, jdbpy.attach_session(address) as session:
        context = Context(session)
        context.wait = _wait
        interpreter = Interpreter(TABLE, context, lambda outcome: None)
        for _ in range(10):
            count = rng.randint(0, 5)
            line = " ".join([rng.choice(names), *(rng.choice([*WORDS, text(rng)]) for _ in range(count))])
            with trio.move_on_after(0.2):
                try:
                    await interpreter.run(line)
                except Exception as error:
                    error.add_note(f"command line: {line!r}")
                    raise


TOKENS = _words(
    "order . total ( ) n + - * / % ints [ ] 1 0 2147483648 1.5f 'c' == ? : -> :: new Order int { } ; = list .. it &&"
    ' ! null instanceof this (int) ++ << >>> return if var x , text @ "a" \\u0041 0x $1 map \x00'
)
SEEDS = [
    "order.next.total + n * 2",
    "list[? it.total > 10].map(o -> o.total).sum()",
    "int x = n << 3; x / (n - 7)",
    "new int[] {1, n}[1]",
    "object instanceof Special s && s.bonus > 1",
    '(text + "\\n").length() > 3 ? 1 : ints[9]',
]


async def expressions(rng: random.Random) -> None:
    """Texts that are nearly Java, compiled and run in a frame of a fake target."""
    if rng.random() < 0.5:
        source = " ".join(rng.choice(TOKENS) for _ in range(rng.randint(1, 20)))
    elif rng.random() < 0.05:
        source = rng.choice(["(", "[", "-", "!", "n+", "a.", "{"]) * rng.choice([100, 5000, 100_000]) + "n"
    else:
        source = rng.choice(SEEDS)
        for _ in range(rng.randint(1, 4)):
            at = rng.randint(0, len(source))
            source = source[:at] + rng.choice([*TOKENS, text(rng)]) + source[at + rng.randint(0, 3) :]
    with suppress(JdbpyError, Thrown):
        try:
            await shop().evaluate(source)
        except Exception as error:
            error.add_note(f"expression: {source[:200]!r}")
            raise


@functools.cache
def _classes() -> tuple[bytes, ...]:
    return tuple(read_directory(Path(program("Woven").classes)).values())


async def class_files(rng: random.Random) -> None:
    """A class file, spoilt behind its beginning: all readers get it, and the places of the good one are
    woven."""
    good = rng.choice(_classes())
    read_by_all(good, mutated(good, rng.randrange(1 << 32)))
    with suppress(MalformedClassFile):
        weave(good[:10] + spoil(good[10:], rng), list(places_of(good)))


KINDS: dict[str, tuple[float, Callable[[random.Random], Awaitable[None]]]] = {
    "framing": (10, framing),
    "codec": (30, codec),
    "greeting": (2, greeting),
    "answers": (2, answers),
    "events": (2, events),
    "command lines": (2, command_lines),
    "expressions": (10, expressions),
    "class files": (10, class_files),
}
"""How often each kind of input comes, and what feeds it."""


class TooLong(Exception):
    """The input took longer than any may."""


@contextmanager
def bounded(limit: int = 2 * LIMIT) -> Iterator[None]:
    """Interrupt what goes on for too long, though it never waits; fail if it took too much memory."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise TooLong(f"more than {limit} seconds of computing")

    had = megabytes()
    before = signal.signal(signal.SIGALRM, interrupt)
    signal.alarm(limit)  # later than the wait's limit: to interrupt trio itself would spoil it
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
    assert megabytes() - had < MEMORY, f"one input took {megabytes() - had} MB"


def megabytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024

"""Agents that lack parts: a relay in front of a real JVM that refuses what an agent of another kind does not have.

Owns the profiles. ``Lacks`` says which capabilities, command sets, commands and kinds of events are missing; the relay
answers as an agent without them does (NOT_IMPLEMENTED, or INVALID_EVENT_TYPE for events), and passes on all else.
"""

from __future__ import annotations

import random
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass, field

import trio

from jdbpy.task_groups import open_nursery
from jdbpy.wire.command import all_commands
from jdbpy.wire.constants import CommandSet, Error, EventKind, ModKind
from jdbpy.wire.framing import REPLY, Framer, Packet, encode_packet
from jdbpy.wire.handshake import HANDSHAKE
from jdbpy.wire.messages import event_request, thread_reference, virtual_machine

FLAGS = [name for name in virtual_machine.CapabilitiesNewReply.__fields__ if not name.startswith("reserved")]
"""The capabilities, in the order of the reply."""

_EVENTS_OF = {
    "canWatchFieldModification": {EventKind.FIELD_MODIFICATION},
    "canWatchFieldAccess": {EventKind.FIELD_ACCESS},
    "canRequestMonitorEvents": {
        EventKind.MONITOR_CONTENDED_ENTER,
        EventKind.MONITOR_CONTENDED_ENTERED,
        EventKind.MONITOR_WAIT,
        EventKind.MONITOR_WAITED,
    },
    "canRequestVMDeathEvent": {EventKind.VM_DEATH},
}
_FILTERS_OF = {
    "canUseInstanceFilters": ModKind.INSTANCE_ONLY,
    "canUseSourceNameFilters": ModKind.SOURCE_NAME_MATCH,
}
_SETS = [each for each in CommandSet if each not in (CommandSet.Field, CommandSet.Event)]
_CAPABILITIES = virtual_machine.CapabilitiesNew.COMMAND_SET, virtual_machine.CapabilitiesNew.COMMAND
_SET = event_request.Set.COMMAND_SET, event_request.Set.COMMAND
_DDM = encode_packet(Packet(0x40000001, 0, 199, 1, 0, b"APNM\0\0\0\4\0\0\0\0"))

Answer = Callable[[tuple[int, int], bytes], int | None]


@dataclass(frozen=True)
class Lacks:
    """What an agent lacks. ``answer`` gives the error for a command and its data, or None to pass it on."""

    name: str
    flags: frozenset[str] = frozenset()
    sets: frozenset[int] = frozenset()
    commands: frozenset[str] = frozenset()
    events: frozenset[int] = frozenset()
    answer: Answer = field(default=lambda command, data: None)
    unasked: bytes = b""
    """What it sends behind the handshake, and behind each reply to a resume."""

    def refusal(self, packet: Packet) -> int | None:
        """Return the error for a command, or None if this agent has it."""
        number = packet.command_set, packet.command
        if packet.command_set in self.sets:
            return Error.NOT_IMPLEMENTED
        known = _BY_NUMBER.get(number)
        if known is not None and (known.NAME in self.commands or known.CAPABILITY in self.flags):
            return Error.NOT_IMPLEMENTED
        if number == _SET:
            if packet.data[0] in self.events:
                return Error.INVALID_EVENT_TYPE
            if any(packet.data[0] in kinds for flag, kinds in _EVENTS_OF.items() if flag in self.flags):
                return Error.NOT_IMPLEMENTED
            first = packet.data[6:7]
            if any(first == bytes([kind]) for flag, kind in _FILTERS_OF.items() if flag in self.flags):
                return Error.NOT_IMPLEMENTED
        return self.answer(number, packet.data)


_BY_NUMBER = {(each.COMMAND_SET, each.COMMAND): each for each in all_commands()}


def by_twos() -> list[Lacks]:
    """Two capabilities off at a time, and each command set by itself."""
    pairs = [FLAGS[at : at + 2] for at in range(0, len(FLAGS), 2)]
    flags = [Lacks("-".join(pair), frozenset(pair)) for pair in pairs]
    return [*flags, *(Lacks(each.name, sets=frozenset([each.value])) for each in _SETS)]


def some_at_random(seed: int) -> Lacks:
    """Some capabilities, commands and kinds of events off."""
    chance = random.Random(seed)
    names = [each.NAME for each in all_commands() if CommandSet.VirtualMachine != each.COMMAND_SET]
    return Lacks(
        f"seed {seed}",
        frozenset(chance.sample(FLAGS, chance.randrange(len(FLAGS)))),
        frozenset(),
        frozenset(chance.sample(names, chance.randrange(30))),
        frozenset(map(int, chance.sample(list(EventKind), chance.randrange(6)))),
    )


def native_image() -> Lacks:
    """The JDWP of GraalVM native images: no class is changed, no frame is popped, no field is watched."""
    missing = ("canPop", "canForce", "canRedefine", "canAdd", "canUnrestricted", "canWatch", "canGetInstance")
    flags = [flag for flag in FLAGS if flag.startswith((*missing, "canRequestMonitor", "canGetOwned", "canGetCurrent"))]
    flags += ["canGetMonitorInfo", "canGetMonitorFrameInfo", "canGetBytecodes", "canGetConstantPool"]
    commands = {"ReferenceType.ClassFileVersion", "VirtualMachine.SetDefaultStratum", "ThreadReference.Stop"}
    kinds = {EventKind.EXCEPTION, EventKind.CLASS_UNLOAD, EventKind.METHOD_ENTRY, EventKind.METHOD_EXIT}
    kinds |= {EventKind.METHOD_EXIT_WITH_RETURN_VALUE}
    return Lacks("native image", frozenset(flags), frozenset(), frozenset(commands), frozenset(map(int, kinds)))


def open_j9(carrier: int) -> Lacks:
    """OpenJ9: the frames of a carrier thread cannot be told."""
    asked = thread_reference.Frames.COMMAND_SET, thread_reference.Frames.COMMAND
    counted = thread_reference.FrameCount.COMMAND_SET, thread_reference.FrameCount.COMMAND

    def answer(command: tuple[int, int], data: bytes) -> int | None:
        is_carrier = data[:8] == carrier.to_bytes(8, "big")
        return Error.INTERNAL if command in (asked, counted) and is_carrier else None

    return Lacks("OpenJ9", answer=answer)


def android() -> Lacks:
    """Android: DDM packets come unasked, and much is missing."""
    flags = frozenset(FLAGS) - {"canGetBytecodes", "canGetSyntheticAttribute", "canUseInstanceFilters"}
    return Lacks("Android", flags, unasked=_DDM)


@asynccontextmanager
async def lacking(target: str, lacks: Lacks) -> AsyncIterator[str]:
    """Yields the address of an agent that lacks something, in front of the one at ``target``."""
    host, _, port = target.rpartition(":")

    async def serve(debugger: trio.SocketStream) -> None:
        async with debugger, await trio.open_tcp_stream(host, int(port)) as jvm, trio.open_nursery() as nursery:
            relay = _Relay(lacks, debugger, jvm)
            nursery.start_soon(relay.commands)
            nursery.start_soon(relay.answers)

    [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1")
    async with open_nursery() as nursery:
        nursery.start_soon(trio.serve_listeners, serve, [listener])
        yield f"127.0.0.1:{listener.socket.getsockname()[1]}"
        nursery.cancel_scope.cancel()


class _Relay:
    def __init__(self, lacks: Lacks, debugger: trio.SocketStream, jvm: trio.SocketStream) -> None:
        self.lacks = lacks
        self.debugger = debugger
        self.jvm = jvm
        self.capabilities: set[int] = set()
        self.resumes: set[int] = set()
        self.sending = trio.Lock()
        self.greeted = trio.Event()

    async def commands(self) -> None:
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            async with aclosing(self._packets(self.debugger, self.jvm)) as packets:
                async for packet in packets:
                    refused = self.lacks.refusal(packet)
                    if refused is not None:
                        await self.greeted.wait()
                        await self._answer(encode_packet(Packet(packet.id, REPLY, 0, 0, refused, b"")))
                        continue
                    number = packet.command_set, packet.command
                    if number == _CAPABILITIES:
                        self.capabilities.add(packet.id)
                    elif number == (virtual_machine.Resume.COMMAND_SET, virtual_machine.Resume.COMMAND):
                        self.resumes.add(packet.id)
                    await self.jvm.send_all(encode_packet(packet))
            await self.jvm.send_eof()

    async def answers(self) -> None:
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            first = True
            async with aclosing(self._packets(self.jvm, self.debugger)) as packets:
                async for packet in packets:
                    unasked = self.lacks.unasked if first or packet.id in self.resumes else b""
                    first = False
                    if packet.is_reply and packet.id in self.capabilities and not packet.error:
                        flags = [
                            on and name not in self.lacks.flags for name, on in zip(FLAGS, packet.data, strict=False)
                        ]
                        packet = packet.replace(data=bytes(flags) + packet.data[len(FLAGS) :])
                    await self._answer(unasked + encode_packet(packet))
            await self.debugger.send_eof()

    async def _answer(self, data: bytes) -> None:
        async with self.sending:
            await self.debugger.send_all(data)

    async def _packets(self, source: trio.SocketStream, sink: trio.SocketStream) -> AsyncGenerator[Packet, None]:
        """The packets of a direction; the handshake is passed on."""
        framer = Framer()
        greeting = b""
        async for data in source:
            rest = bytes(data)
            if len(greeting) < len(HANDSHAKE):
                missing = len(HANDSHAKE) - len(greeting)
                greeting, begin, rest = greeting + rest[:missing], rest[:missing], rest[missing:]
                await sink.send_all(begin)
                if source is self.jvm and len(greeting) == len(HANDSHAKE):
                    self.greeted.set()
            framer.feed(rest)
            for packet in framer:
                yield packet

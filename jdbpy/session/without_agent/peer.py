"""The peer of a JDWP connection to a JVM without the debugger agent: it answers from thread dumps.

A new dump is taken for a list of all threads, and for a stack that was read from the last dump already, or whose dump
is old; related answers come from one dump. Virtual threads that are not mounted are in a dump of their own, a file,
which is taken for a list of virtual threads, or for a thread that is in no other dump. ``Suspend`` and ``Resume`` of
the VM suspend nothing: between them, where the session reads what must not change, one dump stays valid. The program
keeps running.

The peer answers commands that it has no data for with NEEDS_AGENT; commands that it never answers are not sent
(``guard``).
"""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Callable
from time import monotonic
from typing import Any

import trio

from jdbpy.errors import ProtocolError, StateError
from jdbpy.session.answer_stream import (
    ERROR,
    FRAME,
    ID,
    INT,
    NULL,
    OK,
    AnswerStream,
    count_at,
    kind_of,
    text_body,
)
from jdbpy.session.events.threads import STATE_NOT_KNOWN
from jdbpy.session.java.dump_file import DumpedVirtualThread, parse_dump_file
from jdbpy.session.java.releases import DUMPS_THAT_CRASH
from jdbpy.session.without_agent.attach_socket import AttachError
from jdbpy.session.without_agent.channels import AttachChannel, ChannelEnded
from jdbpy.session.without_agent.thread_dump import DumpedLock, DumpedThread, ThreadDump, parse_dump
from jdbpy.session.without_agent.types import FIELDS, FIRST_TYPE, QUEUED, THREAD, VIRTUAL, DumpedTypes
from jdbpy.wire.command import Command
from jdbpy.wire.constants import Error, SuspendStatus, Tag, ThreadStatus, TypeTag
from jdbpy.wire.framing import REPLY, Packet, encode_packet
from jdbpy.wire.messages import (
    array_reference,
    class_object_reference,
    class_type,
    event_request,
    method,
    object_reference,
    reference_type,
    stack_frame,
    string_reference,
    thread_group_reference,
    thread_reference,
    virtual_machine,
)

FRESH = 0.25
"""Seconds for which a dump answers questions about single threads."""

_LARGE = 1_000_000
"""Characters of a dump from which on it is read beside what else is done."""

_FIRST_HASHED = 1 << 59
"""Ids of objects that the file of all threads names: no address is that high."""

_GROUP = ID.pack(FIRST_TYPE - 1)
"""The group of all threads, without a name: a dump tells none."""

_ALL_THREADS = kind_of(virtual_machine.AllThreads)
_SUSPEND = kind_of(virtual_machine.Suspend)
_FRAMES = kind_of(thread_reference.Frames)
_INSTANCES = kind_of(reference_type.Instances)

NEEDS_AGENT = ERROR.pack(Error.NEEDS_AGENT)
_NO_THREAD = ERROR.pack(Error.INVALID_THREAD)
_NO_OBJECT = ERROR.pack(Error.INVALID_OBJECT)
_ABSENT = ERROR.pack(Error.ABSENT_INFORMATION)

_STATES = {
    "NEW": -1,
    "RUNNABLE": ThreadStatus.RUNNING,
    "BLOCKED": ThreadStatus.MONITOR,
    "WAITING": ThreadStatus.WAIT,
    "TIMED_WAITING": ThreadStatus.WAIT,
    "TERMINATED": ThreadStatus.ZOMBIE,
    "": STATE_NOT_KNOWN,
}
_CLASS_OBJECT = "java.lang.Class for "
_SYNCHRONIZERS = ("Sync", "NonfairSync", "FairSync")
_CAPABILITIES = bytes(number in (4, 5, 6, 17) for number in range(32))
"""Of those of the specification, in its order: monitors that are owned, contended, and in which frame; no other."""

Answer = Callable[[bytes], bytes]


class VmWords:
    """What the VM reports about itself when the session starts."""

    def __init__(self, properties: dict[str, str]) -> None:
        version = properties.get("java.version", "")
        feature = properties.get("java.specification.version", "8").removeprefix("1.")
        self.version = version
        self.name = properties.get("java.vm.name", "HotSpot")
        self.release = int(feature) if feature.isdigit() else 8
        self.dumps_virtual = 21 <= self.release < DUMPS_THAT_CRASH
        self.description = f"attach socket of {self.name} ({properties.get('java.vm.version', '')})"
        self.directory = properties.get("user.dir", "")
        separator = properties.get("path.separator", ":")
        self.class_path = [each for each in properties.get("java.class.path", "").split(separator) if each]
        self.boot = [each for each in properties.get("sun.boot.class.path", "").split(separator) if each]


class DumpMoment:
    """A dump with indexes for lookups."""

    def __init__(self, dump: ThreadDump, types: DumpedTypes) -> None:
        self.taken = monotonic()
        self.looked_at: set[bytes] = set()
        """The stacks that were asked for."""
        self.threads = {each.number: each for each in dump.threads}
        self.virtual: dict[int, DumpedVirtualThread] | None = None
        """Virtual threads, once the file of all threads was asked for."""
        self._hashed: dict[str, int] = {}  # objects that the file names by class and hash, with ids made up for them
        self.classes: dict[int, str] = {}
        """Classes of objects by their addresses."""
        self.owners: dict[int, int] = {}
        """Threads that own synchronizers of java.util.concurrent."""
        self.holders: dict[int, DumpedThread] = {}
        self.waiters: dict[int, list[DumpedThread]] = {}
        for thread in dump.threads:
            for lock in thread.locked:
                self._know(lock)
                if thread.waiting is None or thread.waiting.address != lock.address:
                    self.holders[lock.address] = thread
            for lock in thread.owned:
                self._know(lock)
                self.owners[lock.address] = thread.number
                types.named(lock.class_name).superclass = QUEUED
            for wanted in (thread.entering, thread.waiting):
                if wanted is not None:
                    self._know(wanted)
                    self.waiters.setdefault(wanted.address, []).append(thread)
            if thread.parked is not None:
                self._know(thread.parked)
                name = thread.parked.class_name
                if name.startswith("java.util.concurrent.") and name.rpartition("$")[2] in _SYNCHRONIZERS:
                    types.named(name).superclass = QUEUED

    def _know(self, lock: DumpedLock) -> None:
        self.classes[lock.address] = lock.class_name

    def thread(self, number: int) -> DumpedThread | None:
        """Return a thread; None if none has this number, as far as it is known."""
        found = self.threads.get(number)
        told = (self.virtual or {}).get(number)
        if told is None:
            return found
        if found is not None:  # it is mounted; not all releases tell its name there
            found.name = found.name or told.name
            return found
        found = DumpedThread(told.name, number)
        found.virtual = found.daemon = True
        found.state, found.frames = told.state, list(told.frames)
        found.parked, found.entering, found.waiting = map(self._lock, (told.blocker, told.entering, told.waiting))
        return found

    def _lock(self, text: str) -> DumpedLock | None:
        """Return what a virtual thread waits for. Nothing tells who owns it: the id fits none of the other dump's."""
        if not text:
            return None
        address = self._hashed.setdefault(text, _FIRST_HASHED + len(self._hashed))
        self.classes[address] = text.rpartition("@")[0]
        return DumpedLock(address, self.classes[address], 0)

    def held(self, thread: DumpedThread) -> list[DumpedLock]:
        """Return the monitors that a thread holds, without the one that it waits for, as the agent reports them."""
        wanted = {each.address for each in (thread.entering, thread.waiting) if each is not None}
        once = {lock.address: lock for lock in thread.locked if lock.address not in wanted}
        return list(once.values())


class DumpPeer:
    """Answers JDWP commands for one JVM."""

    def __init__(
        self,
        channel: AttachChannel,
        words: VmWords,
        say: Callable[[ThreadDump], None],
        on_changed: Callable[[set[int]], object],
    ) -> None:
        """``on_changed`` is called with classes that have new lines or methods, before any answer contains these."""
        self._channel = channel
        self._words = words
        self._say = say
        self._serial = 0
        self._held = 0  # Suspends that are not resumed
        self._moment: DumpMoment | None = None
        self._platform: set[int] = set()  # threads that were in a dump, and are not virtual
        self.types = DumpedTypes()
        self._on_changed = on_changed
        of_threads: dict[type[Command[Any]], Callable[[DumpMoment, DumpedThread, bytes], bytes]] = {
            thread_reference.Name: lambda _, thread, body: OK + text_body(thread.name),
            thread_reference.Status: lambda _, thread, body: (
                OK + INT.pack(_status(thread)) + INT.pack(SuspendStatus.SUSPEND_STATUS_SUSPENDED)
            ),
            thread_reference.ThreadGroup: lambda *_: OK + _GROUP,
            thread_reference.IsVirtual: lambda _, thread, body: OK + bytes([thread.virtual]),
            thread_reference.Frames: self._frames,
            thread_reference.FrameCount: lambda _, thread, body: OK + INT.pack(len(thread.frames)),
            thread_reference.OwnedMonitorsStackDepthInfo: self._monitors,
            thread_reference.CurrentContendedMonitor: self._contended,
        }
        self._of_threads = {kind_of(command): made for command, made in of_threads.items()}
        types = self.types
        plain: dict[type[Command[Any]], Answer] = {
            virtual_machine.IDSizes: lambda _: OK + INT.pack(8) * 5,
            virtual_machine.Version: self._version,
            virtual_machine.CapabilitiesNew: lambda _: OK + _CAPABILITIES,
            virtual_machine.Capabilities: lambda _: OK + _CAPABILITIES[:7],
            virtual_machine.ClassPaths: self._class_paths,
            virtual_machine.ClassesBySignature: self._classes_by_signature,
            virtual_machine.AllClassesWithGeneric: lambda _: types.listed(),
            virtual_machine.Resume: self._resume,
            thread_reference.Resume: lambda _: OK,
            thread_group_reference.Name: lambda _: OK + text_body(""),
            thread_reference.SuspendCount: lambda _: OK + INT.pack(0),
            reference_type.Signature: types.signature,
            reference_type.SignatureWithGeneric: types.generic_signature,
            reference_type.SourceFile: types.source_file,
            reference_type.SourceDebugExtension: lambda _: _ABSENT,
            reference_type.MethodsWithGeneric: types.declared_methods,
            reference_type.FieldsWithGeneric: types.declared_fields,
            reference_type.Modifiers: lambda _: OK + INT.pack(1),
            reference_type.Interfaces: lambda _: OK + INT.pack(0),
            reference_type.Status: lambda _: OK + INT.pack(7),
            reference_type.ClassLoader: lambda _: OK + NULL,
            class_type.Superclass: types.super_of,
            method.LineTable: types.line_table,
            object_reference.ReferenceType: self._type_of,
            object_reference.GetValues: self._fields,
            object_reference.MonitorInfo: self._monitor,
            object_reference.IsCollected: lambda _: OK + b"\0",
            class_object_reference.ReflectedType: self._reflected,
        }
        for released in (
            virtual_machine.Dispose,
            virtual_machine.DisposeObjects,
            virtual_machine.HoldEvents,
            virtual_machine.ReleaseEvents,
            event_request.Clear,
            event_request.ClearAllBreakpoints,
            object_reference.EnableCollection,
        ):
            plain[released] = lambda _: OK
        self._plain = {kind_of(command): made for command, made in plain.items()}

    def answer(self, kind: int, body: bytes) -> bytes | None:
        """Return the error code and body of the reply to a command, or None if a new dump is needed first.

        Raises ProtocolError for a malformed command.
        """
        try:
            of_thread = self._of_threads.get(kind)
            if of_thread is not None:
                moment = self._moment
                if moment is None or not self._is_good(moment, kind, body):
                    return None
                number = ID.unpack_from(body)[0]
                thread = moment.thread(number)
                if thread is not None:
                    return of_thread(moment, thread, body)
                return None if self._may_be_virtual(moment, number) else _NO_THREAD
            if kind == _ALL_THREADS:
                return self._listed() if self._held and self._moment is not None else None
            if kind == _INSTANCES:
                moment = self._moment
                known = moment is not None and moment.virtual is not None and self._is_good(moment, kind, body)
                return self._instances(moment, body) if moment is not None and known else None
            if kind == _SUSPEND:
                if not self._held:
                    return None
                self._held += 1
                return OK
            made = self._plain.get(kind)
            return made(body) if made is not None else NEEDS_AGENT
        except struct.error as fault:
            raise ProtocolError(f"a question makes no sense: {fault}") from fault

    async def answer_anew(self, kind: int, body: bytes) -> bytes:
        """As ``answer``, where that has given None: out of a new dump. Raises AttachError when the JVM does not
        answer."""
        moment = self._moment
        of_thread = kind in self._of_threads
        if moment is None or not (of_thread or kind == _INSTANCES) or not self._is_good(moment, kind, body):
            moment = await self._take()
        if kind == _INSTANCES or (of_thread and self._may_be_virtual(moment, ID.unpack_from(body)[0])):
            await self._take_virtual(moment)
        moment.looked_at.discard(body)
        if kind == _INSTANCES:
            return self._instances(moment, body)
        if kind == _SUSPEND:
            self._held += 1
            return OK
        return self._listed() if kind == _ALL_THREADS else self.answer(kind, body) or NEEDS_AGENT

    # -- dumps -----------------------------------------------------------------------------------------------------

    async def _take(self) -> DumpMoment:
        status, text = await self._channel.ask("threaddump", "-l", "-e" if self._words.release >= 11 else "")
        if status:  # what -e is, is not known there
            status, text = await self._channel.ask("threaddump", "-l")
        dump = await trio.to_thread.run_sync(parse_dump, text) if len(text) > _LARGE else parse_dump(text)
        if dump.unknown:
            self._say(dump)
        self._serial += 1
        self._moment = DumpMoment(dump, self.types)
        self._platform.update(each.number for each in dump.threads if not each.virtual)
        return self._moment

    async def _take_virtual(self, moment: DumpMoment) -> None:
        """Add the virtual threads."""
        data = await self._channel.thread_file()
        try:
            found = await trio.to_thread.run_sync(parse_dump_file, data)
        except StateError as error:
            raise AttachError(error.message) from error
        moment.virtual = {each.number: each for each in found}
        moment.taken = monotonic()

    def _may_be_virtual(self, moment: DumpMoment, number: int) -> bool:
        """True if only the file of all threads could tell of a thread. What was seen in another dump has ended."""
        possible = self._words.dumps_virtual and moment.virtual is None and number < FIRST_TYPE
        return possible and number not in moment.threads and number not in self._platform

    def _is_good(self, moment: DumpMoment, kind: int, body: bytes) -> bool:
        """True if the dump answers a question about one thread; a stack is asked for twice to see whether it has
        changed."""
        stack = kind == _FRAMES
        good = bool(self._held) or (monotonic() - moment.taken <= FRESH and not (stack and body in moment.looked_at))
        if stack and good:
            moment.looked_at.add(body)
        return good

    def _listed(self) -> bytes:
        threads = self._moment.threads if self._moment is not None else {}
        return OK + INT.pack(len(threads)) + b"".join(map(ID.pack, threads))

    def _instances(self, moment: DumpMoment, body: bytes) -> bytes:
        """Return the virtual threads, as an answer to Instances of their class; of others no objects are known."""
        if ID.unpack_from(body)[0] != self.types.named(VIRTUAL).id:
            return NEEDS_AGENT
        most = count_at(body, 8)
        found = list(moment.virtual or ())[: most or None]
        return OK + INT.pack(len(found)) + b"".join(bytes([Tag.THREAD]) + ID.pack(each) for each in found)

    def _resume(self, body: bytes) -> bytes:
        self._held = max(0, self._held - 1)
        return OK

    # -- the VM ----------------------------------------------------------------------------------------------------

    def _version(self, body: bytes) -> bytes:
        words = self._words
        major, minor = (1, words.release) if words.release < 9 else (words.release, 0)
        return (
            OK + text_body(words.description) + INT.pack(major) + INT.pack(minor)
            + text_body(words.version) + text_body(words.name)
        )  # fmt: skip

    def _class_paths(self, body: bytes) -> bytes:
        paths = [
            INT.pack(len(each)) + b"".join(map(text_body, each)) for each in (self._words.class_path, self._words.boot)
        ]
        return OK + text_body(self._words.directory) + b"".join(paths)

    def _classes_by_signature(self, body: bytes) -> bytes:
        found = self.types.with_signature(body[4:].decode("utf-8", "surrogatepass"))
        return OK + (INT.pack(1) + self.types.row(found) if found is not None else INT.pack(0))

    # -- threads ---------------------------------------------------------------------------------------------------

    def _frames(self, moment: DumpMoment, thread: DumpedThread, body: bytes) -> bytes:
        first, count = struct.unpack_from(">ii", body, 8)
        total = len(thread.frames)
        if first < 0 or first > total or (first == total and count > 0):
            return ERROR.pack(Error.INVALID_INDEX)
        count = total - first if count == -1 else count
        if count < 0 or first + count > total:
            return ERROR.pack(Error.INVALID_LENGTH)
        rows = []
        for depth, frame in enumerate(thread.frames[first : first + count], first):
            place = self.types.place(frame.class_name, frame.method, frame.file, frame.line, frame.native)
            number = (self._serial & 0xFFFFFF) << 32 | (depth + 1)
            rows.append(FRAME.pack(ID.pack(number), TypeTag.CLASS, ID.pack(place[0]), ID.pack(place[1]), place[2]))
        if self.types.changed:
            changed, self.types.changed = self.types.changed, set()
            self._on_changed(changed)
        return OK + INT.pack(count) + b"".join(rows)

    def _monitors(self, moment: DumpMoment, thread: DumpedThread, body: bytes) -> bytes:
        held = moment.held(thread)
        rows = [self._tagged(each.address, each.class_name) + INT.pack(each.depth) for each in held]
        return OK + INT.pack(len(rows)) + b"".join(rows)

    def _contended(self, moment: DumpMoment, thread: DumpedThread, body: bytes) -> bytes:
        wanted = thread.entering or thread.waiting
        return OK + (
            self._tagged(wanted.address, wanted.class_name) if wanted is not None else bytes([Tag.OBJECT]) + NULL
        )

    def _tagged(self, address: int, class_name: str) -> bytes:
        tag = (
            Tag.CLASS_OBJECT
            if class_name.startswith(_CLASS_OBJECT)
            else Tag.ARRAY if class_name.startswith("[") or class_name.endswith("]")
            else Tag.OBJECT
        )  # fmt: skip
        return bytes([tag]) + ID.pack(address)

    # -- objects ---------------------------------------------------------------------------------------------------

    def _class_of(self, number: int) -> str:
        moment = self._moment
        if moment is None:
            return ""
        if (thread := moment.thread(number)) is not None:
            return VIRTUAL if thread.virtual else THREAD
        name = moment.classes.get(number, "")
        return "java.lang.Class" if name.startswith(_CLASS_OBJECT) else _java_name(name)

    def _type_of(self, body: bytes) -> bytes:
        name = self._class_of(ID.unpack_from(body)[0])
        return OK + self.types.tagged(self.types.named(name)) if name else _NO_OBJECT

    def _reflected(self, body: bytes) -> bytes:
        moment = self._moment
        name = moment.classes.get(ID.unpack_from(body)[0], "") if moment is not None else ""
        if not name.startswith(_CLASS_OBJECT):
            return NEEDS_AGENT
        return OK + self.types.tagged(self.types.named(_java_name(name.removeprefix(_CLASS_OBJECT))))

    def _fields(self, body: bytes) -> bytes:
        moment, number = self._moment, ID.unpack_from(body)[0]
        if moment is None:
            return _NO_OBJECT
        names = {own: name for rows in FIELDS.values() for own, name, _ in rows}
        count = count_at(body, 8)
        values = []
        for at in range(12, 12 + 8 * count, 8):
            value = self._field(moment, number, names.get(ID.unpack_from(body, at)[0], ""))
            if value is None:
                return NEEDS_AGENT
            values.append(value)
        return OK + INT.pack(count) + b"".join(values)

    def _field(self, moment: DumpMoment, number: int, name: str) -> bytes | None:
        thread = moment.thread(number)
        if name == "exclusiveOwnerThread":
            return bytes([Tag.THREAD]) + ID.pack(moment.owners.get(number, 0))
        if thread is None:
            return None
        if name == "parkBlocker":
            parked = thread.parked
            return self._tagged(parked.address, parked.class_name) if parked else bytes([Tag.OBJECT]) + NULL
        if name == "tid":
            return b"J" + struct.pack(">q", thread.number)
        if name == "daemon":
            return b"Z" + bytes([thread.daemon])
        return b"I" + INT.pack(thread.priority) if name == "priority" else None

    def _monitor(self, body: bytes) -> bytes:
        moment, number = self._moment, ID.unpack_from(body)[0]
        if moment is None:
            return _NO_OBJECT
        owner = moment.holders.get(number)
        entered = sum(each.address == number for each in owner.locked) if owner is not None else 0
        waiters = [each.number for each in moment.waiters.get(number, ())]
        return (
            OK + ID.pack(owner.number if owner is not None else 0) + INT.pack(entered)
            + INT.pack(len(waiters)) + b"".join(map(ID.pack, waiters))
        )  # fmt: skip

    def answers(self, command: Command[Any] | type[Command[Any]]) -> bool:
        """True if the peer can answer such a command, at least in some cases."""
        if isinstance(command, reference_type.Instances):
            return int(command.refType) == self.types.named(VIRTUAL).id and self._words.dumps_virtual
        kind = kind_of(command if isinstance(command, type) else type(command))
        known = kind in self._of_threads or kind in self._plain or kind in (_ALL_THREADS, _SUSPEND)
        return known or command in _REFUSED_AT_LEISURE or type(command) in _REFUSED_AT_LEISURE


_REFUSED_AT_LEISURE = (
    array_reference.Length,
    array_reference.GetValues,
    string_reference.Value,
    stack_frame.ThisObject,
    reference_type.GetValues,
)
"""Questions on the way to the description of a lock: they are answered with NEEDS_AGENT, which leaves the rest good."""


def _status(thread: DumpedThread) -> int:
    if thread.state == "TIMED_WAITING" and thread.how == "sleeping":
        return ThreadStatus.SLEEPING
    return _STATES.get(thread.state, ThreadStatus.RUNNING)


def _java_name(name: str) -> str:
    """Return the name of a class in source form: ``java.lang.String[]`` for ``[Ljava.lang.String;``."""
    if not name.startswith("["):
        return name
    from jdbpy.session.java.signatures import java_name

    return java_name(name.replace(".", "/"))


class DumpStream(AnswerStream):
    """The stream of a connection to a peer. It answers what the last dump has at once; ``run`` answers the rest, one
    command at a time.
    """

    def __init__(self, peer: DumpPeer, say: Callable[[AttachError], None]) -> None:
        super().__init__(lambda *_: (Error.INTERNAL, b""))
        self._peer = peer
        self._say = say
        self._waiting: deque[Packet] = deque()
        self._asked = trio.Event()
        self.ending = ""
        """Why it has ended; "" while it has not."""

    def take(self, packet: Packet) -> None:
        """Answer a command, or queue it for ``run`` if it needs a new dump or others are queued."""
        entry = self._peer.answer(packet.command_set << 8 | packet.command, packet.data) if not self._waiting else None
        if entry is not None:
            self._answered(packet, entry)
        else:
            self._waiting.append(packet)
            self._asked.set()

    async def run(self) -> None:
        """Answer queued commands until cancelled, or until the connection to the JVM is lost."""
        while True:
            await self._asked.wait()
            self._asked = trio.Event()
            while self._waiting:
                packet = self._waiting[0]
                kind = packet.command_set << 8 | packet.command
                try:
                    entry = self._peer.answer(kind, packet.data) or await self._peer.answer_anew(kind, packet.data)
                except ChannelEnded as ended:
                    self.end(ended.message)
                    return
                except AttachError as failure:
                    self._say(failure)
                    entry = ERROR.pack(Error.NO_ANSWER)
                except ProtocolError as failure:
                    self.failed = failure
                    self._ready.set()
                    return
                self._waiting.popleft()
                self._answered(packet, entry)

    def _answered(self, packet: Packet, entry: bytes) -> None:
        self.send_back(encode_packet(Packet(packet.id, REPLY, 0, 0, ERROR.unpack_from(entry)[0], entry[2:])))

    def end(self, why: str) -> None:
        """End the connection because the JVM has ended or cannot be reached any more."""
        self.ending = self.ending or why
        self.ended = True
        self._ready.set()

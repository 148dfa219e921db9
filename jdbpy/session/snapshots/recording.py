"""Recordings: all packets of a session in their order, with times, and the lines that the user has given.

Owns what a recording holds, and the peer that says it again: each command is answered as the JVM has answered the same
bytes behind as many resumes, one time after the other; events come where they came, behind the start or behind the same
resume, but not before the request that they belong to, nor before the line before them where lines are followed.

Resumes count from the beginning of the session: to find out how a JVM stands may take some before, or none.
"""

from __future__ import annotations

import json
import math
import os
import struct
import time
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from operator import attrgetter
from typing import Any

import trio

from jdbpy.errors import StateError
from jdbpy.record import Record
from jdbpy.session.answer_stream import AnswerStream
from jdbpy.session.snapshots.forms import ID, INT, kind_of
from jdbpy.session.snapshots.store import SnapshotStore, StoreWriter, not_a_snapshot
from jdbpy.wire.command import Command
from jdbpy.wire.constants import Error, EventKind, JdwpSuspendPolicy
from jdbpy.wire.framing import REPLY, Packet, encode_packet
from jdbpy.wire.messages import (
    class_type,
    event_request,
    interface_type,
    object_reference,
    thread_reference,
    virtual_machine,
)

PACKETS = 0x20000
"""The kind of the entries of a recording, by their number."""

_MOST_PLAIN = 64 * 1024 * 1024, 24
_MOST_PACKETS = 100_000, 1 / 6
"""What a recording may hold, in bytes unpacked and in packets: so much, and so much for each byte of the file.

No true recording comes near: each packet has a time of its own, and few have the same content.
"""
_COMMAND, _REPLY, _EVENT, _LINE, _STOP, _BEGINNING = b"CRELSB"
_HEAD = struct.Struct(">BdIHH")
"""What it is, seconds since the beginning, packet id, command set and command or error code, nothing or flags."""
_CALLS = {
    kind_of(each)
    for each in (
        class_type.InvokeMethod,
        class_type.NewInstance,
        interface_type.InvokeMethod,
        object_reference.InvokeMethod,
    )
}
_RESUMES = {kind_of(each) for each in (virtual_machine.Resume, thread_reference.Resume)} | _CALLS
"""Commands that let threads run, of which those of ``_CALLS`` are answered when they stand again."""
_VM_DEATH = bytes([EventKind.VM_DEATH])
_GOES_ON = bytes([JdwpSuspendPolicy.NONE])
_NO_REQUEST = INT.pack(0)
_SET = kind_of(event_request.Set)
_ENDS = {kind_of(virtual_machine.Dispose): b"", kind_of(virtual_machine.Exit): b""}


class SessionRecorder:
    """Writes what is said into a file; silent once that fails.

    ``waiting``: it keeps what is said to itself until ``begin``, as for one of several callers.
    """

    def __init__(self, writer: StoreWriter, *, waiting: bool = False) -> None:
        self._writer = writer
        self._began = time.monotonic()
        self._number = 0
        self._held: list[tuple[bytes, bytes]] | None = [] if waiting else None

    def another(self) -> SessionRecorder:
        """Return a recorder into the same file that waits."""
        return SessionRecorder(self._writer, waiting=True)

    def begin(self) -> None:
        """Write what was kept back, and what follows."""
        held, self._held = self._held, None
        for key, value in held or ():
            self._writer.put(PACKETS, key, value)

    def sent(self, packet_id: int, command: type[Command[Any]], body: bytes) -> None:
        """A command leaves."""
        self._put(_COMMAND, packet_id, kind_of(command), 0, body)

    def received(self, packet: Packet) -> None:
        """A packet has come in."""
        if packet.is_reply:
            self._put(_REPLY, packet.id, packet.error, 0, packet.data)
        else:
            self._put(_EVENT, packet.id, packet.command_set << 8 | packet.command, 0, packet.data)

    def line(self, text: str) -> None:
        """The user has given a command."""
        self._put(_LINE, 0, 0, 0, text.encode("utf-8", "replace"))

    def stop(self) -> None:
        """The user has been shown a stop."""
        self._put(_STOP, 0, 0, 0, b"")

    def session_began(self, *, remote: bool, hold: str) -> None:
        """The session begins; what breakpoints suspend depends on these."""
        self._put(_BEGINNING, 0, 0, 0, json.dumps({"remote": remote, "hold": hold}).encode())

    def _put(self, what: int, packet_id: int, number: int, more: int, data: bytes) -> None:
        head = _HEAD.pack(what, time.monotonic() - self._began, packet_id, number, more)
        if self._held is None:
            self._writer.put(PACKETS, ID.pack(self._number), head + data)
        else:
            self._held.append((ID.pack(self._number), head + data))
        self._number += 1


@contextmanager
def recording(path: str | None, address: str) -> Iterator[SessionRecorder | None]:
    """Record into a new file while the block lasts; None without a path.

    Raises UsageError; at the end StateError for a file that could not be written to the end.
    """
    if not path:
        yield None
        return
    with StoreWriter(path, {"what": "recording", "taken": time.time(), "address": address}) as writer:
        yield SessionRecorder(writer)
    if writer.failed:
        raise StateError(
            f"the recording {path} is not whole: {writer.failed}",
            hint="the file system may be full: name a file on another one",
            code="FILE",
        )


class _Answer(Record):
    """An answer of the JVM.

    ``asked`` and ``resumes`` count the commands that had let threads run when the question left, and when the answer
    came; ``heard`` counts the events that had come in before the answer.
    """

    error: int
    data: bytes
    asked: int
    resumes: int
    heard: int


_asked = attrgetter("asked")


class RecordedEntry(Record):
    """An entry of a recording: what it is, when it was, and what its head says."""

    what: int
    time: float  # seconds since the beginning
    packet_id: int
    number: int  # the command set and the command, or the error code
    data: bytes

    @property
    def packet(self) -> Packet | None:
        """Return the packet, if it is one."""
        if self.what == _REPLY:
            return Packet(self.packet_id, REPLY, 0, 0, self.number, self.data)
        if self.what in (_COMMAND, _EVENT):
            return Packet(self.packet_id, 0, self.number >> 8, self.number & 0xFF, 0, self.data)
        return None

    @property
    def by_debugger(self) -> bool:
        return self.what == _COMMAND

    @property
    def line(self) -> str | None:
        """Return the command that the user has given; None if it is something else."""
        return self.data.decode("utf-8", "replace") if self.what == _LINE else None

    @property
    def is_stop(self) -> bool:
        """True if the user was shown a stop."""
        return self.what == _STOP


def recorded_entries(store: SnapshotStore) -> Iterator[list[RecordedEntry]]:
    """Yield the entries of a recording, as many at a time as take a moment.

    Raises UsageError for a file of another kind, StateError for a damaged one.
    """
    if store.meta.get("what") != "recording":
        raise not_a_snapshot(store.path, "it is a snapshot; 'jdbpy open FILE' shows it", noun="recording")
    try:
        length = os.stat(store.path).st_size
    except OSError as error:
        raise store.damaged(error.strerror or str(error)) from error
    most_bytes, most_packets = (least + length * each for least, each in (_MOST_PLAIN, _MOST_PACKETS))
    size = packets = 0
    for block in store.blocks(PACKETS):
        found: list[RecordedEntry] = []
        for entry in block.values():
            size += len(entry)
            packets += 1
            if len(entry) < _HEAD.size:
                raise store.damaged("a packet is cut off")
            if size > most_bytes or packets > most_packets:
                raise store.damaged("it unpacks to more than a recording holds")
            what, when, packet_id, number, _ = _HEAD.unpack_from(entry)
            found.append(RecordedEntry(what, when, packet_id, number, entry[_HEAD.size :]))
        yield found


class Recording:
    """A recording: answers by question, events by the resumes before them, lines. It is empty before ``read``."""

    def __init__(self, store: SnapshotStore) -> None:
        """Raises UsageError for a file of another kind."""
        self._store = store
        if store.meta.get("what") != "recording":
            raise not_a_snapshot(store.path, "it is a snapshot; 'jdbpy open FILE' shows it", noun="recording")
        self.lines: list[str] = []
        self.stops: list[int] = []
        """How many stops had been shown, or had ended the target, before each line; and in all."""
        self.replies: dict[tuple[int, bytes], list[_Answer]] = {}
        """The answers to a command, in the order of the questions."""
        self.events: list[list[tuple[int, Packet]]] = [[]]
        """Behind each resume: how many lines had been given by then, and an event."""
        self.remote = False
        self.hold = ""
        """The option of the session. Recordings of before do not tell it, nor whether the JVM was remote."""
        self.tells_beginning = self.began_stopped = False
        """True if it tells where the session began; and if the JVM had stopped by itself before that."""

    async def read(self) -> None:
        """Read the file; other tasks run meanwhile. Raises StateError for a damaged one. wire: nothing."""
        store = self._store
        stops = heard = 0
        asked: dict[int, tuple[tuple[int, bytes], int]] = {}
        for some in recorded_entries(store):
            await trio.lowlevel.checkpoint()
            for entry in some:
                data, packet_id, number = entry.data, entry.packet_id, entry.number
                if entry.what == _COMMAND:
                    asked[packet_id] = (number, data), len(self.events) - 1
                    if number in _RESUMES:
                        self.events.append([])
                elif entry.what == _REPLY and packet_id in asked:
                    question, resumes = asked.pop(packet_id)
                    answer = _Answer(number, data, resumes, len(self.events) - 1, heard)
                    self.replies.setdefault(question, []).append(answer)
                elif entry.what == _EVENT and (packet := entry.packet) is not None:
                    heard += 1
                    self.events[-1].append((len(self.lines), packet))
                    stops += data[5:6] == _VM_DEATH
                elif (line := entry.line) is not None:
                    self.lines.append(line)
                    self.stops.append(stops)
                elif entry.is_stop:
                    stops += 1
                elif entry.what == _BEGINNING and not self.tells_beginning:
                    self._begin(store, data)
                    asked = {each: (question, 0) for each, (question, _) in asked.items()}
        self.stops.append(stops)
        for answers in self.replies.values():
            answers.sort(key=_asked)

    def _begin(self, store: SnapshotStore, data: bytes) -> None:
        try:
            found = json.loads(data)
            remote, hold = found["remote"], found["hold"]
        except (ValueError, KeyError, TypeError, RecursionError):
            remote = hold = None
        if not isinstance(remote, bool) or hold not in ("", "thread", "all"):
            raise store.damaged("what it says of its beginning makes no sense")
        self.remote, self.hold, self.tells_beginning = remote, hold, True
        self.events = [[event for behind in self.events for event in behind]]
        self.began_stopped = any(
            event.data[:1] != _GOES_ON and event.data[6:10] == _NO_REQUEST for _, event in self.events[0]
        )
        for question, answers in self.replies.items():
            self.replies[question] = [each.replace(asked=0, resumes=0) for each in answers]


class RecordingStream(AnswerStream):
    """The stream of a connection whose peer says again what was recorded."""

    def __init__(self, recorded: Recording) -> None:
        super().__init__(lambda *_: (Error.NOT_IN_RECORDING, b""))
        self._recorded = recorded
        self._used: dict[tuple[int, bytes], int] = {}
        self._resumes = self._heard = 0
        self._requests = {_NO_REQUEST}
        self._begun = not recorded.tells_beginning
        self._due = list(recorded.events[0])
        self._given: float = math.inf
        self.ending = ""
        """Why the stream has ended behind the last event; "" if it has not."""
        self._late: list[tuple[int, Packet]] = []  # answers to calls, with the number of resumes behind which they come

    def take(self, packet: Packet) -> None:
        kind = packet.command_set << 8 | packet.command
        key = kind, packet.data
        known = self._recorded.replies.get(key)
        if known is None:
            error = 0 if kind in _ENDS else Error.NOT_IN_RECORDING
            self.send_back(encode_packet(Packet(packet.id, REPLY, 0, 0, error, b"")))
            return
        answer = self._said(key, known)
        if kind in _RESUMES and self._begun:
            self._resumes += 1
            if self._resumes < len(self._recorded.events):
                self._due += self._recorded.events[self._resumes]
        elif kind == _SET:
            self._requests.add(answer.data[:4])
        reply = Packet(packet.id, REPLY, 0, 0, answer.error, answer.data)
        if kind in _CALLS:
            self._late.append((answer.resumes, reply))
        else:
            self.send_back(encode_packet(reply))
        self._send_due()
        for each in [each for each in self._late if each[0] <= self._resumes]:
            self._late.remove(each)
            self.send_back(encode_packet(each[1]))

    def _said(self, key: tuple[int, bytes], known: Sequence[_Answer]) -> _Answer:
        """Return the next answer to a question that was asked behind as many resumes; one from before an event that was
        given already only when there is no other. Where it was not asked then, the last one from before."""
        first = bisect_left(known, self._resumes, key=_asked)
        end = bisect_right(known, self._resumes, first, key=_asked)
        if first == end:
            return known[max(0, first - 1)]
        at = max(first, min(self._used.get(key, 0), end - 1))
        while at < end - 1 and known[at].heard < self._heard:
            at += 1
        self._used[key] = at + 1
        return known[at]

    @property
    def stops(self) -> Sequence[int]:
        """Return the number of stops that had been shown before each line, and in all."""
        return self._recorded.stops

    def begin(self) -> None:
        """Take note that the session has begun: what resumes counts from now on."""
        self._begun = True

    def give_line(self, number: int) -> None:
        """Take note that this line is run now, counted from 0: events that came behind the next one wait for that.

        Where this is never called, events wait for no lines.
        """
        self._given = number + 1
        self._send_due()

    @property
    def said_all(self) -> bool:
        """True if nothing more comes unless something is asked."""
        return not self._out and not self._late

    def end(self) -> None:
        """End the connection here."""
        self.ending, self.ended = "the recording ends here", True
        self._ready.set()

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        await super().send_all(data)
        self._send_due()  # those of the start

    def _send_due(self) -> None:
        while self._due and self._due[0][0] <= self._given and self._due[0][1].data[6:10] in self._requests:
            _, event = self._due.pop(0)
            self._heard += 1
            self.ended = self.ended or event.data[5:6] == _VM_DEATH
            self.send_back(encode_packet(event))

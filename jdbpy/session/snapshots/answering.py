"""The peer of a connection that answers from a file: what a JVM would say, of what was kept.

Owns how an answer is made of an entry that holds more than was asked for: some fields of an object, some elements, some
frames. A question whose answer was not kept is answered with the error NOT_IN_SNAPSHOT. What the file says is not
believed further than an agent would be: all of it goes through the codecs of the connection.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from jdbpy.errors import ProtocolError, StateError
from jdbpy.session.events.target import needs_jvm
from jdbpy.session.jvm.refs import MASKED_ID
from jdbpy.session.snapshots.calls_alone import NothingKept
from jdbpy.session.snapshots.forms import (
    ERROR,
    FRAME,
    ID,
    INT,
    LAYOUTS,
    NULL,
    OK,
    SLOT,
    SLOT_ANSWER,
    SOURCES,
    TOGETHER,
    count_at,
    kind_of,
    size_of,
    tagged_values,
    text_body,
)
from jdbpy.session.snapshots.store import SnapshotStore
from jdbpy.wire.codec import default_codec
from jdbpy.wire.command import Command
from jdbpy.wire.constants import Error, Tag, TypeTag
from jdbpy.wire.effects import Effect, ReadOnlyGuard, effect_of, in_words
from jdbpy.wire.ids import IDSizes
from jdbpy.wire.layout import OBJECT_TAGS
from jdbpy.wire.messages import (
    array_reference,
    class_object_reference,
    event_request,
    object_reference,
    reference_type,
    stack_frame,
    thread_reference,
    virtual_machine,
)

_MISSING = ERROR.pack(Error.NOT_IN_SNAPSHOT)
_RUNS = {kind_of(each) for each in (virtual_machine.Resume, thread_reference.Resume)}
_HEAP_WALKS = {
    kind_of(virtual_machine.InstanceCounts): "counting instances",
    kind_of(reference_type.Instances): "looking for instances",
    kind_of(object_reference.ReferringObjects): "looking for what refers to an object",
}
"""Questions that no snapshot keeps answers of, in words."""


class SnapshotGuard(ReadOnlyGuard):
    """Refuses what needs a JVM that runs."""

    def __init__(self, where: str = "a snapshot") -> None:
        super().__init__(allow_suspend=False)
        self._where = where

    def refusal(self, command: Command[Any] | type[Command[Any]]) -> StateError | None:
        effect = effect_of(command)
        kind = kind_of(_class_of(command))
        if effect in (Effect.READS, Effect.RELEASES) and kind not in _RUNS and kind not in _HEAP_WALKS:
            return None
        words = "letting threads run" if effect is Effect.RELEASES else _HEAP_WALKS.get(kind) or in_words(command)
        return needs_jvm(words, self._where)


def _class_of(command: Command[Any] | type[Command[Any]]) -> type[Command[Any]]:
    return command if isinstance(command, type) else type(command)


class SnapshotPeer:
    """The answers of a snapshot: bytes to bytes."""

    def __init__(self, store: SnapshotStore | NothingKept) -> None:
        self.store = store
        self._types: dict[bytes, tuple[int, str, str, int]] | None = None
        self._named: dict[str, list[bytes]] = {}
        derived: dict[type[Command[Any]], Callable[[bytes], bytes]] = {
            virtual_machine.ClassesBySignature: self._classes_by_signature,
            reference_type.Signature: self._signature,
            reference_type.SignatureWithGeneric: self._generic_signature,
            reference_type.Status: self._status,
            reference_type.ClassObject: lambda body: OK + body,
            reference_type.GetValues: self._statics,
            class_object_reference.ReflectedType: self._reflected,
            object_reference.ReferenceType: self._type_of,
            object_reference.GetValues: self._fields,
            object_reference.IsCollected: lambda _: OK + b"\0",
            array_reference.GetValues: self._elements,
            thread_reference.Frames: self._frames,
            thread_reference.FrameCount: self._frame_count,
            stack_frame.GetValues: self._variables,
            stack_frame.ThisObject: self.this_object,
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
            derived[released] = lambda _: OK
        derived[event_request.Set] = lambda _: OK + INT.pack(1)
        self._derived = {kind_of(command): made for command, made in derived.items()}

    def answer(self, command_set: int, command: int, body: bytes) -> tuple[int, bytes]:
        """Error code (0: none) and body of the reply. Raises StateError for a damaged file."""
        kind = command_set << 8 | command
        made = self._derived.get(kind)
        try:
            entry = made(body) if made is not None else self._entry(kind, body)
        except (ProtocolError, struct.error, LookupError, ValueError) as fault:
            why = fault.message if isinstance(fault, ProtocolError) else fault
            raise self.store.damaged(f"an answer makes no sense ({why})") from fault
        if len(entry) < 2:
            raise self.store.damaged("an answer is empty")
        return ERROR.unpack_from(entry)[0], entry[2:]

    def source(self, class_name: str, source: str | None) -> tuple[str, str] | None:
        """Path and text of the source file of a class that was at hand; None if it was not."""
        entry = self.store.get(SOURCES, f"{class_name}\0{source or ''}".encode("utf-8", "replace"))
        if entry is None:
            return None
        path, _, text = entry.decode("utf-8", "replace").partition("\0")
        return path, text

    def _entry(self, kind: int, key: bytes) -> bytes:
        found = self.store.get(kind, key)
        return _MISSING if found is None else found

    # -- types -----------------------------------------------------------------------------------------------------

    def types(self) -> dict[bytes, tuple[int, str, str, int]]:
        """Return all loaded types: tag, signature, generic signature and status by id."""
        if self._types is None:
            entry = self._entry(kind_of(virtual_machine.AllClassesWithGeneric), b"")
            self._types = {}
            if entry[:2] == OK:
                listed = (
                    default_codec().decode_reply(virtual_machine.AllClassesWithGeneric, entry[2:], IDSizes()).classes
                )
                names = ("typeID", "refTypeTag", "signature", "genericSignature", "status")
                for type_id, *about in zip(*(listed.column(name) for name in names), strict=True):
                    key = ID.pack(type_id)
                    self._types[key] = tuple(about)
                    self._named.setdefault(about[1], []).append(key)
        return self._types

    def _classes_by_signature(self, body: bytes) -> bytes:
        types = self.types()
        found = self._named.get(body[4:].decode("utf-8", "surrogatepass"), [])
        rows = b"".join(bytes([types[each][0]]) + each + INT.pack(types[each][3]) for each in found)
        return OK + INT.pack(len(found)) + rows

    def _signature(self, body: bytes) -> bytes:
        known = self.types().get(body)
        return OK + text_body(known[1]) if known else self._entry(kind_of(reference_type.Signature), body)

    def _generic_signature(self, body: bytes) -> bytes:
        known = self.types().get(body)
        if known:
            return OK + text_body(known[1]) + text_body(known[2])
        return self._entry(kind_of(reference_type.SignatureWithGeneric), body)

    def _status(self, body: bytes) -> bytes:
        known = self.types().get(body)
        return OK + INT.pack(known[3]) if known else _MISSING

    def _reflected(self, body: bytes) -> bytes:
        known = self.types().get(body)  # HotSpot gives a type and its object the same number
        if known:
            return OK + bytes([known[0]]) + body
        return self._entry(kind_of(class_object_reference.ReflectedType), body)

    def _statics(self, body: bytes) -> bytes:
        entry = self._entry(kind_of(reference_type.GetValues), body[:8])
        if entry[:2] != OK:
            return entry
        count = count_at(entry, 2)
        ids = entry[6 : 6 + 8 * count]
        return _chosen(body, _row(ids, tagged_values(entry, 6 + 8 * count, count)))

    # -- objects ---------------------------------------------------------------------------------------------------

    def _type_of(self, body: bytes) -> bytes:
        entry = self._entry(kind_of(object_reference.ReferenceType), body)
        if entry == _MISSING:
            row = self._entry(kind_of(object_reference.GetValues), body)
            if row[:2] == OK:
                return OK + bytes([TypeTag.CLASS]) + row[2:10]
            if body in self.types():
                found = self._named.get("Ljava/lang/Class;", [])
                return OK + bytes([TypeTag.CLASS]) + found[0] if found else entry
        return entry

    def _fields(self, body: bytes) -> bytes:
        entry = self._entry(kind_of(object_reference.GetValues), body[:8])
        if entry[:2] != OK:
            return entry[:2]
        ids = self.store.get(LAYOUTS, entry[2:10]) or b""
        return _chosen(body, _row(ids, tagged_values(entry, 10, len(ids) // 8)))

    def _elements(self, body: bytes) -> bytes:
        array, first, count = body[:8], *struct.unpack(">ii", body[8:])
        length_entry = self._entry(kind_of(array_reference.Length), array)
        if length_entry[:2] != OK:
            return length_entry[:2]
        (length,) = INT.unpack(length_entry[2:])
        count = length - first if count == -1 else count
        if first < 0 or first >= length:
            return ERROR.pack(Error.INVALID_INDEX)
        if count < 0 or first + count > length:
            return ERROR.pack(Error.INVALID_LENGTH)
        entry = self._entry(kind_of(array_reference.GetValues), array)
        if array == ID.pack(MASKED_ID + 1) or entry[:2] != OK:
            return entry[:2] if entry[:2] != OK else _MISSING
        tag, kept = entry[2], count_at(entry, 3)
        width = 9 if tag in OBJECT_TAGS else size_of(tag)
        if first + count > kept:
            return _MISSING
        start = 7 + first * width
        return OK + bytes([tag]) + INT.pack(count) + entry[start : start + count * width]

    # -- threads and frames ----------------------------------------------------------------------------------------

    def _stack(self, thread: bytes) -> bytes:
        return self._entry(kind_of(thread_reference.Frames), thread + INT.pack(0) + INT.pack(-1))

    def _frame_count(self, body: bytes) -> bytes:
        entry = self._stack(body)
        return entry[:6] if entry[:2] == OK else entry

    def _frames(self, body: bytes) -> bytes:
        entry = self._stack(body[:8])
        if entry[:2] != OK:
            return entry
        first, count = struct.unpack(">ii", body[8:])
        total = count_at(entry, 2)
        if first < 0 or first > total or (first == total and count > 0):
            return ERROR.pack(Error.INVALID_INDEX)
        count = total - first if count == -1 else count
        if count < 0 or first + count > total:
            return ERROR.pack(Error.INVALID_LENGTH)
        rows = entry[6 + first * FRAME.size : 6 + (first + count) * FRAME.size]
        return OK + INT.pack(count) + rows

    def _variables(self, body: bytes) -> bytes:
        frame, count = body[:16], count_at(body, 16)
        this = self.this_object(frame)
        known = self.slots(frame)
        values = []
        for slot, tag in (SLOT.unpack_from(body, 20 + SLOT.size * index) for index in range(count)):
            found = known.get((slot, tag)) or known.get((slot, Tag.OBJECT if tag in OBJECT_TAGS else tag))
            if found is None and slot == 0 and tag in OBJECT_TAGS and this[:2] == OK and this[3:] != NULL:
                found = 0, this[2:]
            if found is None:
                return ERROR.pack(Error.INVALID_SLOT) if known else _MISSING
            if found[0]:
                return ERROR.pack(found[0])
            values.append(found[1])
        return OK + INT.pack(count) + b"".join(values)

    def this_object(self, frame: bytes) -> bytes:
        """Return the entry of a frame's ``this``."""
        entry = self._entry(kind_of(stack_frame.ThisObject), frame)
        if entry == _MISSING and (own := self.slots(frame).get((0, Tag.OBJECT))) is not None and not own[0]:
            return OK + own[1]
        return entry

    def slots(self, frame: bytes) -> dict[tuple[int, int], tuple[int, bytes]]:
        """Return the variables of a frame (thread id and frame id): error code and tagged value by slot and tag."""
        entry = self.store.get(kind_of(stack_frame.GetValues), frame) or b""
        found: dict[tuple[int, int], tuple[int, bytes]] = {}
        at = 1
        if entry[:1] == TOGETHER:
            count = count_at(entry, 1)
            asked = [SLOT.unpack_from(entry, 5 + SLOT.size * index) for index in range(count)]
            for (slot, tag), value in zip(asked, tagged_values(entry, 5 + SLOT.size * count, count), strict=True):
                found[slot, tag] = found[slot, Tag.OBJECT if tag in OBJECT_TAGS else tag] = 0, value
            return found
        while at < len(entry):
            slot, tag, error, length = SLOT_ANSWER.unpack_from(entry, at)
            at += SLOT_ANSWER.size
            kind = Tag.OBJECT if tag in OBJECT_TAGS else tag
            found[slot, tag] = found[slot, kind] = error, entry[at : at + length]
            at += length
        return found


def _row(ids: bytes, values: Any) -> dict[bytes, bytes]:
    return {ids[8 * index : 8 * index + 8]: value for index, value in enumerate(values)}


def _chosen(body: bytes, row: dict[bytes, bytes]) -> bytes:
    """Return the answer to a question for some fields, whose ids follow an id and their count."""
    count = count_at(body, 8)
    values = [row.get(body[at : at + 8]) for at in range(12, 12 + 8 * count, 8)]
    if any(value is None for value in values):
        return _MISSING
    return OK + INT.pack(count) + b"".join(value for value in values if value is not None)

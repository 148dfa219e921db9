"""Texts in a snapshot, and what holds them: strings, names of threads, names of classes.

Owns the walk from variables to objects, nearest first, which gives each string a place that can be printed. It reads
the file and asks nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import closing

from jdbpy.errors import StateError, UsageError
from jdbpy.session.events.frames import from_table
from jdbpy.session.java.signatures import java_name
from jdbpy.session.jvm import facts
from jdbpy.session.jvm.refs import VariableTable
from jdbpy.session.model.snapshots import TextFound, TextsFound
from jdbpy.session.snapshots.answering import SnapshotPeer
from jdbpy.session.snapshots.forms import FRAME, ID, LAYOUTS, NULL, OK, count_at, kind_of, tagged_values
from jdbpy.session.snapshots.store import SnapshotStore
from jdbpy.wire.codec import default_codec
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import IDSizes, MethodID, ReferenceTypeID
from jdbpy.wire.layout import OBJECT_TAGS
from jdbpy.wire.messages import (
    array_reference,
    class_type,
    method,
    object_reference,
    reference_type,
    string_reference,
    thread_reference,
)

_LONGEST_WAY = 40

Way = tuple[bytes, str]
"""The object that holds another (none for a root), and the place in it: ``.name``, ``[2]``, or a root in words."""


def find_text(path: str | None, text: str, most: int) -> TextsFound:
    """Strings, names of threads and of classes that contain a text, whatever the case; the first ``most`` of them.

    Raises UsageError without a text, StateError in a session that shows no snapshot. It blocks.
    """
    if not text:
        raise UsageError("a text to look for is missing")
    if path is None:
        raise StateError(
            "texts can be found in a snapshot only", hint="'snapshot FILE' takes one; 'jdbpy open FILE' opens it"
        )
    with closing(SnapshotStore(path)) as store:
        return _Finder(SnapshotPeer(store)).find(text.casefold(), text, most)


class _Finder:
    """Reads one snapshot from one end to the other."""

    def __init__(self, answers: SnapshotPeer) -> None:
        self._answers = answers
        self._store = answers.store
        self._codec = default_codec()
        self._fields: dict[bytes, list[str]] = {}
        self._names: dict[bytes, dict[bytes, tuple[str, bool]]] = {}

    def find(self, wanted: str, text: str, most: int) -> TextsFound:
        found: list[TextFound] = []
        strings: dict[bytes, str] = {}
        total = 0
        for thread, name in self._texts(thread_reference.Name):
            if wanted in name.casefold():
                total += 1
                found.append(TextFound("thread", name, (), ID.unpack(thread)[0]))
        for key, value in self._texts(string_reference.Value):
            if wanted in value.casefold():
                total += 1
                if len(strings) < most:
                    strings[key] = value
        ways = self._ways(strings) if strings else {}
        found += [
            TextFound("string", value, self._where(key, ways), ID.unpack(key)[0]) for key, value in strings.items()
        ]
        for _, signature, _, _ in self._answers.types().values():
            if wanted in (name := java_name(signature)).casefold() and not name.endswith("]"):
                total += 1
                if len(found) < most:
                    found.append(TextFound("class", name))
        return TextsFound(text, total, tuple(found[:most]))

    def _texts(
        self, command: type[thread_reference.Name] | type[string_reference.Value]
    ) -> Iterator[tuple[bytes, str]]:
        for key, entry in self._store.items(kind_of(command)):
            if entry[:2] == OK:
                yield key, entry[6:].decode("utf-8", "replace")

    # -- ways ------------------------------------------------------------------------------------------------------

    def _ways(self, strings: dict[bytes, str]) -> dict[bytes, Way]:
        """Return how objects are reached from variables and static fields, until all the strings are."""
        ways: dict[bytes, Way] = {}
        missing = set(strings)
        pending: deque[bytes] = deque()

        def reach(value: bytes, way: Way) -> None:
            key = value[1:]
            if value[0] in OBJECT_TAGS and key != NULL and key not in ways:
                ways[key] = way
                missing.discard(key)
                if value[0] != Tag.STRING:
                    pending.append(key)

        for value, words in self._roots():
            reach(value, (b"", words))
        while pending and missing:
            holder = pending.popleft()
            for value, place in self._inside(holder):
                reach(value, (holder, place))
        return ways

    def _where(self, key: bytes, ways: dict[bytes, Way]) -> tuple[str, ...]:
        """Return the place of an object: the root in words, and the expression that leads from it."""
        places: list[str] = []
        while key in ways and len(places) < _LONGEST_WAY:
            key, place = ways[key]
            if not key:
                root, _, start = place.partition("\0")
                return root, start + "".join(reversed(places))
            places.append(place)
        return ()

    def _roots(self) -> Iterator[tuple[bytes, str]]:
        """Variables of frames and static fields, with where they are and their names."""
        for thread_key, entry in self._store.items(kind_of(thread_reference.Frames)):
            if entry[:2] != OK or len(thread_key) != 16:
                continue
            thread = thread_key[:8]
            named = self._store.get(kind_of(thread_reference.Name), thread) or b""
            thread_name = named[6:].decode("utf-8", "replace")
            rows = entry[6 : 6 + FRAME.size * count_at(entry, 2)]
            for index, (frame, _, type_id, method_id, code_index) in enumerate(FRAME.iter_unpack(rows), 1):
                place = f'thread "{thread_name}", frame {index}'
                this = self._answers.this_object(thread + frame)
                if this[:2] == OK:
                    yield this[2:11], f"{place}\0this"
                slots = self._answers.slots(thread + frame)
                names = self._variables(type_id, method_id, code_index) if slots else {}
                for (slot, _), (error, value) in slots.items():
                    if not error and value:
                        yield value, f"{place}\0{names.get(slot, f'slot{slot}')}"
        for type_id, entry in self._store.items(kind_of(reference_type.GetValues)):
            if entry[:2] == OK:
                count = count_at(entry, 2)
                ids = entry[6 : 6 + 8 * count]
                names_of = self._declared(type_id)
                known = self._answers.types().get(type_id)
                class_name = java_name(known[1]) if known else "?"
                for index, value in enumerate(tagged_values(entry, 6 + 8 * count, count)):
                    name, _ = names_of.get(ids[8 * index : 8 * index + 8], ("?", True))
                    yield value, f"static field\0{class_name}.{name}"

    def _variables(self, type_id: bytes, method_id: bytes, code_index: int) -> dict[int, str]:
        entry = self._store.get(kind_of(method.VariableTableWithGeneric), type_id + method_id) or b""
        if entry[:2] != OK:
            return {}
        reply = self._codec.decode_reply(method.VariableTableWithGeneric, entry[2:], IDSizes())
        key = ReferenceTypeID(ID.unpack(type_id)[0]), MethodID(ID.unpack(method_id)[0])
        table = facts.VARIABLES.read(key, reply)
        assert isinstance(table, VariableTable)
        return {each.slot: each.name for each in from_table(table, code_index)}

    def _inside(self, holder: bytes) -> Iterator[tuple[bytes, str]]:
        """Yield what an object refers to, and by which field or element."""
        entry = self._store.get(kind_of(object_reference.GetValues), holder)
        if entry is not None and entry[:2] == OK:
            type_id = entry[2:10]
            if type_id not in self._fields:
                self._fields[type_id] = self._layout(type_id)
            names = self._fields[type_id]
            for name, value in zip(names, tagged_values(entry, 10, len(names)), strict=True):
                yield value, f".{name}"
            return
        entry = self._store.get(kind_of(array_reference.GetValues), holder) or b""
        if entry[:2] == OK and len(entry) > 7 and entry[2] in OBJECT_TAGS:
            for index, value in enumerate(tagged_values(entry, 7, count_at(entry, 3))):
                yield value, f"[{index}]"

    def _layout(self, type_id: bytes) -> list[str]:
        """Return the names of an object's fields, in the order of their values."""
        ids = self._store.get(LAYOUTS, type_id) or b""
        declared: dict[bytes, tuple[str, bool]] = {}
        above = type_id
        for _ in range(1_000):
            declared.update(self._declared(above))
            entry = self._store.get(kind_of(class_type.Superclass), above) or b""
            above = entry[2:10]
            if entry[:2] != OK or above in (b"", NULL):
                break
        return [declared.get(ids[at : at + 8], ("?", False))[0] for at in range(0, len(ids), 8)]

    def _declared(self, type_id: bytes) -> dict[bytes, tuple[str, bool]]:
        """Return the fields that a class declares itself, by id: name, and whether static."""
        if type_id not in self._names:
            entry = self._store.get(kind_of(reference_type.FieldsWithGeneric), type_id) or b""
            found = {}
            if entry[:2] == OK:
                reply = self._codec.decode_reply(reference_type.FieldsWithGeneric, entry[2:], IDSizes())
                found = {ID.pack(each.fieldID): (each.name, bool(each.modBits & 8)) for each in reply.declared}
            self._names[type_id] = found
        return self._names[type_id]

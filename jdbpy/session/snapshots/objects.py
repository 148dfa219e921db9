"""The objects of a snapshot: those that are reached from variables, nearest first, to the limits.

Owns how far references are followed. An object is at a distance from the variables; up to the limit its fields or
elements are kept, one reference beyond it its type alone, and the text of a string.
"""

from __future__ import annotations

from collections.abc import Iterator

from jdbpy.session.snapshots.classes import INSIDE, Layout, SnapshotClasses
from jdbpy.session.snapshots.forms import ERROR, ID, INT, NULL, OK, count_at, tagged_values
from jdbpy.session.snapshots.keeping import KeptAnswers
from jdbpy.session.snapshots.masking import Masks
from jdbpy.wire.constants import Tag
from jdbpy.wire.layout import OBJECT_TAGS
from jdbpy.wire.messages import (
    array_reference,
    class_object_reference,
    object_reference,
    reference_type,
    string_reference,
)

_MOST_ELEMENTS = 4_096
"""Elements of an array that are kept."""
_MOST_BUCKETS = 65_536
"""The same of a table of nodes: few of them may be used, and all have to be looked at to show the first."""
_MOST_REACHED = 100
"""Elements of an array whose objects are kept."""
_MOST_BYTES = 65_536
"""Elements of a primitive array, and characters of a string, that are kept."""
_NEVER = 1 << 30
_WHOLE = 4_096
"""Characters up to which sessions ask for strings whole (``values.strings``)."""
_GUARDED = frozenset((Tag.THREAD, Tag.CLASS_LOADER, Tag.THREAD_GROUP))
"""Objects that lead to half of the JVM: not followed from where a reference to them happens to stand."""


class SnapshotObjects:
    """The objects that are kept. ``limit`` is a distance, ``most`` bytes of answers after which no more are asked."""

    def __init__(self, kept: KeptAnswers, classes: SnapshotClasses, masks: Masks, limit: int, most: int) -> None:
        self.complete = True
        self.limit = limit
        self._kept = kept
        self._classes = classes
        self._masks = masks
        self._most = most
        self._seen: dict[int, int] = {}
        self._statics_of: set[bytes] = set()
        masks.on_hidden = self._read_hidden

    @property
    def count(self) -> int:
        return len(self._seen)

    def value(self, value: bytes, distance: int, declared: str = "") -> None:
        """Take note of a value with its tag; ``declared`` as for ``reach``."""
        if value[0] in OBJECT_TAGS:
            self.reach(value[0], ID.unpack_from(value, 1)[0], distance, declared)

    def reach(self, tag: int, object_id: int, distance: int, declared: str = "") -> None:
        """Keep an object; ``declared`` is the type of the field or array that holds it."""
        if not object_id or self._seen.get(object_id, _NEVER) <= distance:
            return
        if tag == Tag.CLASS_OBJECT or (tag in _GUARDED and distance):
            distance = max(distance, self.limit + (tag == Tag.CLASS_OBJECT))
        distance = min(distance, self.limit + 1)
        before = self._seen.get(object_id)
        if before is not None and not distance <= self.limit < before:
            return
        if self._kept.of_objects > self._most:
            self.complete = False
            return
        self._seen[object_id] = distance
        key = ID.pack(object_id)
        if tag == Tag.CLASS_OBJECT:
            self._kept.keep(class_object_reference.ReflectedType, key, None, distance)
        if tag == Tag.STRING and self._classes.string:
            self._typed(key, self._classes.string, distance)
        elif tag == Tag.ARRAY:
            self._array(key, distance, _MOST_BUCKETS if declared.startswith("[Ljava/util/") else _MOST_ELEMENTS)
        elif distance > self.limit:
            self._kept.keep(object_reference.ReferenceType, key, None, distance)
        elif tag == Tag.OBJECT and declared and (expected := self._classes.expected(declared)) is not None:
            self._expected(key, expected, distance)
        else:

            def typed(error: int, data: bytes) -> None:
                if not error and len(data) == 9:
                    self._typed(key, data[1:], distance)

            self._kept.tell(object_reference.ReferenceType, key, typed, distance)

    def _read_hidden(self, value: bytes) -> None:
        """Read the text of a value that is masked, which never reaches the file: it may stand in other places."""
        key, number = value[1:], ID.unpack_from(value, 1)[0]

        def typed(error: int, data: bytes) -> None:
            if not error and self._classes.signatures.get(data[1:]) in ("[C", "[B"):
                self.reach(Tag.ARRAY, number, self.limit)

        if value[0] == Tag.STRING:
            self.reach(Tag.STRING, number, self.limit)
        else:
            self._kept.tell(object_reference.ReferenceType, key, typed, self.limit)

    def class_object(self, type_id: bytes, distance: int) -> None:
        """Keep the fields of a class object: newer JDKs keep there where the class comes from."""
        self._kept.keep(class_object_reference.ReflectedType, type_id)
        if self._classes.named("Ljava/lang/Class;"):
            self._typed(type_id, self._classes.named("Ljava/lang/Class;"), distance)

    def _expected(self, key: bytes, expected: Layout, distance: int) -> None:
        """Read an object by the class that the field with it is declared to hold, and ask for its own class beside: one
        trip instead of two. One of a subclass is read again, as what it is."""

        def checked(error: int, data: bytes) -> None:
            if not error and len(data) == 9:
                expected.count(hit=data[1:] == expected.type_id)
                if data[1:] != expected.type_id:
                    self._typed(key, data[1:], distance)

        self._kept.tell(object_reference.ReferenceType, key, checked, distance)
        self._read(key, expected, distance)

    def _typed(self, key: bytes, type_id: bytes, distance: int) -> None:
        self._classes.layout(type_id, lambda layout: self._read(key, layout, distance))

    def _read(self, key: bytes, layout: Layout, distance: int) -> None:
        if not layout.ids:
            self._kept.enter(object_reference.GetValues, key, OK + layout.type_id)
            return

        def answered(error: int, data: bytes) -> None:
            if layout.masked and not error:
                data = data[:4] + self._masks.replaced(tagged_values(data, 4, len(layout.names)), layout.masked)
            self._kept.enter(object_reference.GetValues, key, ERROR.pack(error) + layout.type_id + data[4:])
            if error:
                return
            if layout.type_id == self._classes.string:
                self._text(key, layout, data)
            elif layout.masked:
                for value, declared, cost in self._unmasked(data, layout):
                    self.reach(value[0], ID.unpack_from(value, 1)[0], distance + cost, declared)
            elif layout.references:
                found = iter(layout.form.unpack(data))
                for (_, declared, cost), tag, object_id in zip(layout.references, found, found, strict=True):
                    if object_id:
                        self.reach(tag, object_id, distance + cost, declared)

        self._kept.asker.ask(object_reference.GetValues, key + layout.asked, answered, distance)

    def _unmasked(self, data: bytes, layout: Layout) -> Iterator[tuple[bytes, str, int]]:
        """Yield the references of an object of whose fields some are masked: value, declared type, cost."""
        references = iter(layout.references)
        for index, value in enumerate(tagged_values(data, 4, len(layout.names))):
            if layout.tags[index] in OBJECT_TAGS:
                _, declared, cost = next(references)
                if index not in layout.masked:
                    yield value, declared, cost

    def _text(self, key: bytes, layout: Layout, data: bytes) -> None:
        """The text of a string: whole, unless it is very long; then as the start of the array behind it."""
        found = iter(layout.form.unpack(data))
        array = next(
            (
                object_id
                for (name, _, _), _, object_id in zip(layout.references, found, found, strict=True)
                if name == "value"
            ),
            0,
        )
        if not array:
            return

        def measured(error: int, data: bytes) -> None:
            length = 0 if error else INT.unpack(data)[0]
            if length <= _MOST_BYTES:
                self._kept.keep(string_reference.Value, key, None, self.limit)
            if length > _WHOLE:
                self._elements(ID.pack(array), length, _MOST_BYTES, self.limit)

        self._kept.tell(array_reference.Length, ID.pack(array), measured, self.limit)

    def _array(self, key: bytes, distance: int, most: int) -> None:
        component = ""

        def typed(error: int, data: bytes) -> None:
            nonlocal component, most
            component = "" if error else self._classes.signatures.get(data[1:], "")[1:]
            if len(component) == 1:
                most = _MOST_BYTES

        def measured(error: int, data: bytes) -> None:
            if not error and distance <= self.limit:
                self._elements(key, INT.unpack(data)[0], most, distance, component)

        self._kept.tell(object_reference.ReferenceType, key, typed, distance)
        self._kept.tell(array_reference.Length, key, measured, distance)

    def _elements(self, key: bytes, length: int, most: int, distance: int, component: str = "") -> None:
        """The first elements of an array."""
        kept = self._kept.of(array_reference.GetValues)
        if length <= 0 or key in kept:
            return
        kept[key] = b""

        def answered(error: int, data: bytes) -> None:
            self._kept.enter(array_reference.GetValues, key, ERROR.pack(error) + data)
            if error or not data or data[0] not in OBJECT_TAGS:
                return
            reached = 0
            for value in tagged_values(data, 5, count_at(data, 1)):
                if value[1:] != NULL:
                    self.value(value, distance + INSIDE, component)
                    reached += 1
                    if reached == _MOST_REACHED:
                        break

        body = key + INT.pack(0) + INT.pack(min(length, most))
        self._kept.asker.ask(array_reference.GetValues, body, answered, distance)

    def statics(self, type_id: bytes, distance: int, only: tuple[str, ...] = ()) -> None:
        """Keep the static fields of a class, and what they hold at a distance."""
        if not type_id or type_id in self._statics_of:
            return
        self._statics_of.add(type_id)

        def known(_: Layout) -> None:
            fields = [each for each in self._classes.static_fields(type_id) if not only or each.name in only]
            if not fields:
                return
            ids = b"".join(ID.pack(each.fieldID) for each in fields)
            hidden = frozenset(index for index, each in enumerate(fields) if self._masks.hides(each.name))

            def answered(error: int, data: bytes) -> None:
                values = [] if error else list(tagged_values(data, 4, len(fields)))
                kept = ERROR.pack(error) + INT.pack(len(fields)) + ids + self._masks.replaced(values, hidden)
                self._kept.enter(reference_type.GetValues, type_id, kept)
                for index, value in enumerate(values):
                    if index not in hidden:
                        self.value(value, distance)

            self._kept.asker.ask(reference_type.GetValues, type_id + INT.pack(len(fields)) + ids, answered)

        self._classes.layout(type_id, known)

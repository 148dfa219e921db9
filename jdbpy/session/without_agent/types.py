"""The classes that dumps mention, in JDWP terms: ids, methods, lines, and a few fields.

A dump names classes, methods and lines, but has no signatures and no bytecode. So a class has one method for each name,
and the code index of a location is its line number. When a later dump adds something to a class, the class is listed in
``changed``, and facts cached from it are read again.
"""

from __future__ import annotations

import struct

from jdbpy.session.answer_stream import ID, INT, OK, text_body
from jdbpy.session.java.signatures import signature_of
from jdbpy.wire.constants import ClassStatus, Error, TypeTag

FIRST_TYPE = 1 << 60
"""Ids of types begin here: threads have the numbers that Java gives them, and objects their addresses."""

THREAD = "java.lang.Thread"
VIRTUAL = "java.lang.VirtualThread"
OWNABLE = "java.util.concurrent.locks.AbstractOwnableSynchronizer"
QUEUED = "java.util.concurrent.locks.AbstractQueuedSynchronizer"
OBJECT = "java.lang.Object"

FIELDS: dict[str, tuple[tuple[int, str, str], ...]] = {
    THREAD: (
        (1, "parkBlocker", "Ljava/lang/Object;"),
        (2, "tid", "J"),
        (3, "daemon", "Z"),
        (4, "priority", "I"),
    ),
    OWNABLE: ((5, "exclusiveOwnerThread", "Ljava/lang/Thread;"),),
}
"""The fields that a dump tells, by the class that declares them: id, name, signature."""

_NATIVE = 0x0100
_PUBLIC = 0x0001
_LINE = struct.Struct(">qi")
_ABSENT = Error.ABSENT_INFORMATION.to_bytes(2, "big")
_NO_TYPE = Error.INVALID_CLASS.to_bytes(2, "big")
_NO_METHOD = Error.INVALID_METHODID.to_bytes(2, "big")
_IS_NATIVE = Error.NATIVE_METHOD.to_bytes(2, "big")


class DumpedMethod:
    """All methods of one name in a class."""

    def __init__(self, number: int, name: str, native: bool) -> None:
        self.number = number
        self.name = name
        self.native = native
        self.lines: set[int] = set()


class DumpedType:
    """A class that a dump mentions."""

    def __init__(self, number: int, name: str) -> None:
        self.id = FIRST_TYPE + number
        self.name = name
        self.signature = signature_of(name)
        self.file = ""
        self.superclass = OBJECT
        self.methods: dict[tuple[str, bool], DumpedMethod] = {}


class DumpedTypes:
    """All classes of the dumps. ``changed`` has the ids of those with new methods, lines or source file since it
    was last cleared."""

    def __init__(self) -> None:
        self.changed: set[int] = set()
        self._named: dict[str, DumpedType] = {}
        self._by_id: dict[int, DumpedType] = {}
        self.named(OBJECT).superclass = ""
        self.named(QUEUED).superclass = OWNABLE
        self.named(VIRTUAL).superclass = THREAD
        for name in (THREAD, OWNABLE, "java.lang.Class", "java.lang.String"):
            self.named(name)

    def named(self, name: str) -> DumpedType:
        """Return the class of a name; it is created if necessary."""
        found = self._named.get(name)
        if found is None:
            found = self._named[name] = DumpedType(len(self._named), name)
            self._by_id[found.id] = found
        return found

    def place(self, class_name: str, method: str, file: str, line: int, native: bool) -> tuple[int, int, int]:
        """Return a code location: the ids of its class and method, and the code index."""
        found = self.named(class_name)
        if file and not found.file:
            found.file = file
            self.changed.add(found.id)
        own = found.methods.get((method, native))
        if own is None:
            own = found.methods[method, native] = DumpedMethod(len(found.methods) + 1, method, native)
            self.changed.add(found.id)
        if line and line not in own.lines:
            own.lines.add(line)
            self.changed.add(found.id)
        return found.id, own.number, -1 if native else line

    def with_signature(self, signature: str) -> DumpedType | None:
        """Return the class of a JNI signature, or None if no dump mentions it."""
        return next((each for each in self._named.values() if each.signature == signature), None)

    def listed(self) -> bytes:
        """Return all classes as the reply to AllClassesWithGeneric."""
        rows = [
            bytes([_tag(each)]) + ID.pack(each.id) + text_body(each.signature) + text_body("") + INT.pack(_STATUS)
            for each in self._named.values()
        ]
        return OK + INT.pack(len(rows)) + b"".join(rows)

    def row(self, found: DumpedType) -> bytes:
        """Return a class as an entry of the reply to ClassesBySignature."""
        return bytes([_tag(found)]) + ID.pack(found.id) + INT.pack(_STATUS)

    def tagged(self, found: DumpedType) -> bytes:
        """Return the tag and the id of a class."""
        return bytes([_tag(found)]) + ID.pack(found.id)

    # Answers, by the body of the question

    def _at(self, body: bytes) -> DumpedType | None:
        return self._by_id.get(ID.unpack_from(body)[0])

    def signature(self, body: bytes) -> bytes:
        """Return the reply to Signature."""
        found = self._at(body)
        return OK + text_body(found.signature) if found is not None else _NO_TYPE

    def generic_signature(self, body: bytes) -> bytes:
        """Return the reply to SignatureWithGeneric."""
        found = self._at(body)
        return OK + text_body(found.signature) + text_body("") if found is not None else _NO_TYPE

    def source_file(self, body: bytes) -> bytes:
        """Return the reply to SourceFile."""
        found = self._at(body)
        if found is None:
            return _NO_TYPE
        return OK + text_body(found.file) if found.file else _ABSENT

    def super_of(self, body: bytes) -> bytes:
        """Return the reply to Superclass."""
        found = self._at(body)
        if found is None:
            return _NO_TYPE
        return OK + (ID.pack(self.named(found.superclass).id) if found.superclass else bytes(8))

    def declared_methods(self, body: bytes) -> bytes:
        """Return the reply to MethodsWithGeneric; signatures are empty."""
        found = self._at(body)
        if found is None:
            return _NO_TYPE
        rows = [
            ID.pack(each.number)
            + text_body(each.name)
            + text_body("")
            + text_body("")
            + INT.pack(_PUBLIC | _NATIVE * each.native)
            for each in found.methods.values()
        ]
        return OK + INT.pack(len(rows)) + b"".join(rows)

    def declared_fields(self, body: bytes) -> bytes:
        """Return the reply to FieldsWithGeneric."""
        found = self._at(body)
        if found is None:
            return _NO_TYPE
        rows = [
            ID.pack(number) + text_body(name) + text_body(signature) + text_body("") + INT.pack(0)
            for number, name, signature in FIELDS.get(found.name, ())
        ]
        return OK + INT.pack(len(rows)) + b"".join(rows)

    def line_table(self, body: bytes) -> bytes:
        """Return the reply to LineTable: the code index of each line is its number."""
        found = self._at(body)
        number = ID.unpack_from(body, 8)[0]
        own = next((each for each in found.methods.values() if each.number == number), None) if found else None
        if own is None:
            return _NO_METHOD
        if own.native:
            return _IS_NATIVE
        if not own.lines:
            return _ABSENT
        rows = b"".join(_LINE.pack(line, line) for line in sorted(own.lines))
        return OK + struct.pack(">qqi", 0, max(own.lines), len(own.lines)) + rows


_STATUS = ClassStatus.VERIFIED | ClassStatus.PREPARED | ClassStatus.INITIALIZED


def _tag(found: DumpedType) -> int:
    return TypeTag.ARRAY if found.signature.startswith("[") else TypeTag.CLASS

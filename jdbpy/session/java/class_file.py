"""Class files (JVMS 4), as far as hot swap compares them: names, members, code, lines, variables; versions.

Pure: bytes in, records out. Attributes that are not needed are stepped over by their length.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from jdbpy.record import Record
from jdbpy.session.java.constant_pool import ConstantPool, MalformedPool

MAGIC = b"\xca\xfe\xba\xbe"


class MalformedClassFile(Exception):
    """The bytes are no class file."""


class FileField(Record):
    access: int
    name: str
    signature: str


class FileMethod(Record):
    """A method. ``lines`` are (code index, line); ``variables`` (code index, length, name, signature, slot).

    ``handlers`` are (first code index, index behind the last, index of the handler); ``caught`` has for each the class
    that it catches, "" for everything.
    """

    access: int
    name: str
    signature: str
    code: bytes
    lines: tuple[tuple[int, int], ...]
    variables: frozenset[tuple[int, int, str, str, int]]
    handlers: tuple[tuple[int, int, int], ...] = ()
    caught: tuple[str, ...] = ()


class ClassFile(Record):
    """A class file. Names are internal: "com/acme/Order"; ``superclass`` is "" for java/lang/Object."""

    name: str
    major: int
    minor: int
    access: int
    superclass: str
    interfaces: tuple[str, ...]
    fields: tuple[FileField, ...]
    methods: tuple[FileMethod, ...]
    pool: ConstantPool


def parse(data: bytes) -> ClassFile:
    """Read a class file. Raises MalformedClassFile."""
    if data[:4] != MAGIC:
        raise MalformedClassFile("it does not begin with CAFEBABE")
    try:
        return _ClassFileReader(data).class_file()
    except (struct.error, IndexError, KeyError, MalformedPool) as error:
        raise MalformedClassFile(f"it is cut short or damaged: {error}") from None


class _ClassFileReader:
    """Reads numbers one after the other."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        minor, major, count = struct.unpack_from(">HHH", data, 4)
        self._version = major, minor
        self._pool = ConstantPool(count, data, 10)
        self._at = self._pool.end

    def class_file(self) -> ClassFile:
        access, this, above = self._take(">HHH")
        interfaces = tuple(self._pool.name(self._u2()) for _ in range(self._u2()))
        fields = tuple(self._field() for _ in range(self._u2()))
        methods = tuple(self._method() for _ in range(self._u2()))
        name = self._pool.name(this)
        if not name:
            raise MalformedClassFile("it does not give its name")
        superclass = self._pool.name(above) if above else ""
        return ClassFile(name, *self._version, access, superclass, interfaces, fields, methods, self._pool)

    def _field(self) -> FileField:
        access, name, signature = self._take(">HHH")
        list(self._attributes())
        return FileField(access, self._pool.utf8(name), self._pool.utf8(signature))

    def _method(self) -> FileMethod:
        access, name, signature = self._take(">HHH")
        code = b""
        lines: dict[int, int] = {}
        variables: set[tuple[int, int, str, str, int]] = set()
        handlers: list[tuple[int, int, int]] = []
        caught: list[str] = []
        for attribute, end in self._attributes():
            if attribute == "Code":
                _, _, length = self._take(">HHI")
                code = self._data[self._at : self._at + length]
                self._at += length
                for _ in range(self._u2()):
                    first, end_of_range, handler, kind = self._take(">HHHH")
                    handlers.append((first, end_of_range, handler))
                    caught.append(self._pool.name(kind) if kind else "")
                for inner, _ in self._attributes():
                    if inner == "LineNumberTable":
                        for _ in range(self._u2()):
                            start, line = self._take(">HH")
                            lines[start] = line
                    elif inner == "LocalVariableTable":
                        variables.update(self._variable() for _ in range(self._u2()))
                self._at = end
        return FileMethod(
            access=access,
            name=self._pool.utf8(name),
            signature=self._pool.utf8(signature),
            code=code,
            lines=tuple(sorted(lines.items())),
            variables=frozenset(variables),
            handlers=tuple(handlers),
            caught=tuple(caught),
        )

    def _variable(self) -> tuple[int, int, str, str, int]:
        start, length, name, signature, slot = self._take(">HHHHH")
        return start, length, self._pool.utf8(name), self._pool.utf8(signature), slot

    def _attributes(self) -> Iterator[tuple[str, int]]:
        """Names of the attributes with the offset of their end; what the caller does not read of one is skipped."""
        for _ in range(self._u2()):
            name, length = self._take(">HI")
            end = self._at + length
            yield self._pool.utf8(name), end
            self._at = end

    def _u2(self) -> int:
        [number] = self._take(">H")
        return int(number)

    def _take(self, form: str) -> tuple[int, ...]:
        numbers = struct.unpack_from(form, self._data, self._at)
        self._at += struct.calcsize(form)
        return numbers


_PREVIEW = 65535


def version_words(version: tuple[int, int]) -> str:
    """(61, 0) is "61.0, Java 17"; a class compiled with preview features says so."""
    major, minor = version
    preview = " with preview features" if minor == _PREVIEW and major >= 56 else ""
    return f"{major}.{minor}, Java {java_release(major)}{preview}"


def java_release(major: int) -> str:
    """Return the release of Java that a major version belongs to: "17" of 61, "1.4" of 48."""
    return str(major - 44) if major >= 49 else f"1.{max(1, major - 44)}"

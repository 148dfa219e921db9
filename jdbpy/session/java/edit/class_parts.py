"""Class files to be written: taken apart into parts that are put together again, and constant pools that grow.

Pure. What is not changed keeps its bytes: a pool is only appended to, names keep their spelling in modified UTF-8.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

from jdbpy.record import Record
from jdbpy.session.java.class_file import MAGIC, MalformedClassFile
from jdbpy.session.java.constant_pool import (
    CLASS,
    DOUBLE,
    FIELD,
    FLOAT,
    INTEGER,
    INTERFACE_METHOD,
    LONG,
    METHOD,
    NAME_AND_TYPE,
    STRING,
    UTF8,
    ConstantPool,
    MalformedPool,
)

MOST_ENTRIES = 0xFFFF


class PoolFull(Exception):
    """A constant pool has no room for another entry, or a text is too long for one."""


class PoolWriter:
    """Entries behind those that a pool has; equal ones are written once. ``count`` is one more than the last index."""

    def __init__(self, count: int = 1) -> None:
        self.count = count
        self._entries: list[bytes] = []
        self._known: dict[bytes, int] = {}

    @property
    def data(self) -> bytes:
        """Return the new entries."""
        return b"".join(self._entries)

    def utf8(self, text: str) -> int:
        """Return the index of a text. Raises PoolFull, as all of these."""
        data = modified_utf8(text)
        if len(data) > 0xFFFF:
            raise PoolFull("a text is longer than 65,535 bytes")
        return self._entry(struct.pack(">BH", UTF8, len(data)) + data)

    def class_(self, name: str) -> int:
        """Return the index of a class by its internal name, of an array type by its descriptor."""
        return self._entry(struct.pack(">BH", CLASS, self.utf8(name)))

    def string(self, text: str) -> int:
        return self._entry(struct.pack(">BH", STRING, self.utf8(text)))

    def int_(self, value: int) -> int:
        return self._entry(struct.pack(">Bi", INTEGER, value))

    def float_(self, value: float) -> int:
        return self._entry(struct.pack(">Bf", FLOAT, value))

    def long_(self, value: int) -> int:
        return self._entry(struct.pack(">Bq", LONG, value), 2)

    def double_(self, value: float) -> int:
        return self._entry(struct.pack(">Bd", DOUBLE, value), 2)

    def field(self, owner: str, name: str, signature: str) -> int:
        return self._member(FIELD, owner, name, signature)

    def method(self, owner: str, name: str, signature: str) -> int:
        return self._member(METHOD, owner, name, signature)

    def interface_method(self, owner: str, name: str, signature: str) -> int:
        return self._member(INTERFACE_METHOD, owner, name, signature)

    def _member(self, tag: int, owner: str, name: str, signature: str) -> int:
        both = self._entry(struct.pack(">BHH", NAME_AND_TYPE, self.utf8(name), self.utf8(signature)))
        return self._entry(struct.pack(">BHH", tag, self.class_(owner), both))

    def _entry(self, data: bytes, width: int = 1) -> int:
        index = self._known.get(data)
        if index is None:
            if self.count + width > MOST_ENTRIES:
                raise PoolFull("the constant pool has no room")
            index = self._known[data] = self.count
            self._entries.append(data)
            self.count += width
        return index


def modified_utf8(text: str) -> bytes:
    """Return the text as class files have it (JVMS 4.4.7): NUL as two bytes, each half of a surrogate pair as three."""
    units = text.encode("utf-16-be", "surrogatepass")
    if len(units) == 2 * len(text) and "\0" not in text:
        return text.encode("utf-8", "surrogatepass")
    halves = (chr(int.from_bytes(units[i : i + 2], "big")) for i in range(0, len(units), 2))
    return b"".join(b"\xc0\x80" if each == "\0" else each.encode("utf-8", "surrogatepass") for each in halves)


class Attribute(Record):
    """An attribute. ``index`` is the number of its name in the pool."""

    index: int
    name: str
    content: bytes


class MethodParts(Record):
    """A method. ``head`` holds access flags and the numbers of name and descriptor."""

    head: bytes
    name: str
    signature: str
    attributes: tuple[Attribute, ...]

    @property
    def is_static(self) -> bool:
        return bool(self.head[1] & 0x08)

    @property
    def code(self) -> Attribute | None:
        """Return the Code attribute."""
        return next((each for each in self.attributes if each.name == "Code"), None)


class ClassParts(Record):
    """A class file. ``version`` are its minor and major version, ``pool_data`` the entries of the pool as they stand;
    ``middle`` is what stands between pool and methods, ``tail`` what stands behind them."""

    version: bytes
    pool: ConstantPool
    pool_count: int
    pool_data: bytes
    middle: bytes
    methods: tuple[MethodParts, ...]
    tail: bytes


def take_apart(data: bytes) -> ClassParts:
    """Return the parts of a class file. Raises MalformedClassFile."""
    if data[:4] != MAGIC:
        raise MalformedClassFile("it does not begin with CAFEBABE")
    try:
        return _take_apart(data)
    except (struct.error, IndexError, KeyError, MalformedPool) as error:
        raise MalformedClassFile(f"it is cut short or damaged: {error}") from None


def _take_apart(data: bytes) -> ClassParts:
    [count] = struct.unpack_from(">H", data, 8)
    pool = ConstantPool(count, data, 10)
    reader = PartReader(data, pool, pool.end)
    reader.skip(6)
    reader.skip(2 * reader.u2())
    for _ in range(reader.u2()):
        reader.skip(6)
        reader.attributes()
    middle = data[pool.end : reader.at]
    methods = []
    for _ in range(reader.u2()):
        head = reader.take(6)
        name, signature = struct.unpack_from(">HH", head, 2)
        methods.append(MethodParts(head, pool.utf8(name), pool.utf8(signature), reader.attributes()))
    tail = data[reader.at :]
    reader.attributes()
    if reader.at != len(data):
        raise MalformedClassFile("there are bytes behind its end")
    return ClassParts(data[4:8], pool, count, data[10 : pool.end], middle, tuple(methods), tail)


def put_together(parts: ClassParts, more: PoolWriter) -> bytes:
    """Return the class file of parts whose pool has grown."""
    methods = [each.head + attributes_data(each.attributes) for each in parts.methods]
    return b"".join(
        (
            MAGIC,
            parts.version,
            struct.pack(">H", more.count),
            parts.pool_data,
            more.data,
            parts.middle,
            struct.pack(">H", len(methods)),
            *methods,
            parts.tail,
        )
    )


def attributes_data(attributes: Sequence[Attribute]) -> bytes:
    """Attributes with their number in front."""
    each = (struct.pack(">HI", one.index, len(one.content)) + one.content for one in attributes)
    return struct.pack(">H", len(attributes)) + b"".join(each)


class PartReader:
    """Reads from ``at`` on. Raises struct.error, IndexError and MalformedClassFile for what is cut short."""

    def __init__(self, data: bytes, pool: ConstantPool, at: int = 0) -> None:
        self.at = at
        self._data = data
        self._pool = pool

    def u2(self) -> int:
        [number] = struct.unpack_from(">H", self._data, self.at)
        self.at += 2
        return int(number)

    def take(self, count: int) -> bytes:
        """Return so many bytes."""
        data = self._data[self.at : self.at + count]
        if len(data) != count:
            raise MalformedClassFile("it is cut short")
        self.at += count
        return data

    def skip(self, count: int) -> None:
        self.at += count

    def rows(self, form: str) -> Iterable[tuple[int, ...]]:
        """Return the rows of a table that begins with their number."""
        size = struct.calcsize(form)
        count = self.u2()
        return struct.iter_unpack(form, self.take(size * count))

    def attributes(self) -> tuple[Attribute, ...]:
        """Attributes that begin with their number."""
        found = []
        for _ in range(self.u2()):
            index, length = struct.unpack_from(">HI", self._data, self.at)
            self.at += 6
            found.append(Attribute(index, self._pool.utf8(index), self.take(length)))
        return tuple(found)

"""The constant pool of a class file (JVMS 4.4), as ``ReferenceType.ConstantPool`` sends it and as class files hold it.

Pure. Entries are written as ``javap`` does: a method is ``java/lang/Object."<init>":()V``.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence

from jdbpy.wire import strings

UTF8, INTEGER, FLOAT, LONG, DOUBLE, CLASS, STRING = 1, 3, 4, 5, 6, 7, 8
FIELD, METHOD, INTERFACE_METHOD, NAME_AND_TYPE = 9, 10, 11, 12
METHOD_HANDLE, METHOD_TYPE, DYNAMIC, INVOKE_DYNAMIC, MODULE, PACKAGE = 15, 16, 17, 18, 19, 20

KINDS = {
    UTF8: "Utf8", INTEGER: "Integer", FLOAT: "Float", LONG: "Long", DOUBLE: "Double", CLASS: "Class",
    STRING: "String", FIELD: "Fieldref", METHOD: "Methodref", INTERFACE_METHOD: "InterfaceMethodref",
    NAME_AND_TYPE: "NameAndType", METHOD_HANDLE: "MethodHandle", METHOD_TYPE: "MethodType", DYNAMIC: "Dynamic",
    INVOKE_DYNAMIC: "InvokeDynamic", MODULE: "Module", PACKAGE: "Package",
}  # fmt: skip
"""The names of the kinds of entries by their tag."""

_HANDLES = (
    "", "REF_getField", "REF_getStatic", "REF_putField", "REF_putStatic", "REF_invokeVirtual", "REF_invokeStatic",
    "REF_invokeSpecial", "REF_newInvokeSpecial", "REF_invokeInterface",
)  # fmt: skip

_FORMS = {
    INTEGER: ">i", FLOAT: ">f", LONG: ">q", DOUBLE: ">d", CLASS: ">H", STRING: ">H", FIELD: ">HH", METHOD: ">HH",
    INTERFACE_METHOD: ">HH", NAME_AND_TYPE: ">HH", METHOD_HANDLE: ">BH", METHOD_TYPE: ">H", DYNAMIC: ">HH",
    INVOKE_DYNAMIC: ">HH", MODULE: ">H", PACKAGE: ">H",
}  # fmt: skip
"""The form of the bytes that follow the tag of each kind; a Utf8 entry has its own length."""

_SIZES = {tag: 1 + struct.calcsize(form) for tag, form in _FORMS.items()}


class MalformedPool(Exception):
    """The bytes are no constant pool that we know."""


class ConstantPool:
    """The entries by their index. ``end`` is the offset of the first byte after the pool."""

    def __init__(self, count: int, data: bytes, start: int = 0) -> None:
        """``count`` is one more than the highest index. Raises MalformedPool."""
        self._data = data
        self._offsets: dict[int, int] = {}
        index, offset = 1, start
        try:
            while index < count:
                tag = data[offset]
                self._offsets[index] = offset
                if tag == UTF8:
                    [length] = struct.unpack_from(">H", data, offset + 1)
                    offset += 3 + length
                else:
                    offset += _SIZES[tag]
                index += 2 if tag in (LONG, DOUBLE) else 1  # these take two numbers
        except (KeyError, IndexError, struct.error):
            raise MalformedPool(f"entry {index} at {offset}") from None
        if offset > len(data):
            raise MalformedPool("it ends before its last entry")
        self.end = offset

    def __iter__(self) -> Iterator[int]:
        """Return the indices, rising."""
        return iter(self._offsets)

    def tag(self, index: int) -> int:
        """Return the kind of an entry, 0 when there is none."""
        offset = self._offsets.get(index)
        return self._data[offset] if offset is not None else 0

    def numbers(self, index: int) -> Sequence[int | float]:
        """Return what an entry holds: the indices it refers to, or its number."""
        return struct.unpack_from(_FORMS[self.tag(index)], self._data, self._offsets[index] + 1)

    def utf8(self, index: int) -> str:
        """Return the text of a Utf8 entry; "" for any other."""
        if self.tag(index) != UTF8:
            return ""
        offset = self._offsets[index]
        [length] = struct.unpack_from(">H", self._data, offset + 1)
        text = self._data[offset + 3 : offset + 3 + length]
        try:
            return text.decode("utf-8", strings.ENCODING_ERRORS)
        except UnicodeDecodeError:
            return text.decode("latin-1")

    def name(self, index: int) -> str:
        """Return the text that a Class, String, MethodType, Module or Package entry refers to."""
        return self.utf8(int(self.numbers(index)[0])) if self.tag(index) in _OF_TEXT else ""

    def member(self, index: int) -> tuple[str, str, str]:
        """Return the class, the name and the descriptor of a field or method that is referred to; ("", "", "") else."""
        if self.tag(index) not in (FIELD, METHOD, INTERFACE_METHOD):
            return "", "", ""
        owner, both = map(int, self.numbers(index))
        if self.tag(both) != NAME_AND_TYPE:
            return "", "", ""
        name, descriptor = map(int, self.numbers(both))
        return self.name(owner), self.utf8(name), self.utf8(descriptor)

    def references(self, index: int) -> str:
        """Return the entries that an entry refers to, "#3.#7"; "" for one that holds its value itself."""
        tag = self.tag(index)
        if tag in (UTF8, INTEGER, FLOAT, LONG, DOUBLE, 0):
            return ""
        numbers = self.numbers(index)
        if tag in (DYNAMIC, INVOKE_DYNAMIC):
            return f"#{numbers[0]}:#{numbers[1]}"
        if tag == METHOD_HANDLE:
            return f"{numbers[0]}:#{numbers[1]}"
        return (":" if tag == NAME_AND_TYPE else ".").join(f"#{number}" for number in numbers)

    def text(self, index: int) -> str:
        """Return an entry with all that it refers to, as javap shows it. "?" where it refers to nothing."""
        tag = self.tag(index)
        if tag == 0:
            return "?"
        if tag == UTF8:
            return self.utf8(index)
        if tag == CLASS:
            return _quoted(self.name(index))
        if tag in _OF_TEXT:
            return self.name(index)
        numbers = self.numbers(index)
        if tag in _SUFFIXES:
            return f"{numbers[0]}{_SUFFIXES[tag]}"
        first, second = int(numbers[0]), int(numbers[1])
        if tag == NAME_AND_TYPE:
            return f"{_quoted(self.utf8(first))}:{self.utf8(second)}"
        if tag == METHOD_HANDLE:
            kind = _HANDLES[first] if first < len(_HANDLES) else str(first)
            return f"{kind} {self.text(second) if second != index else '?'}"
        if tag in (DYNAMIC, INVOKE_DYNAMIC):
            return f"#{first}:{self._name_and_type(second)}"
        return f"{_quoted(self.name(first))}.{self._name_and_type(second)}"

    def _name_and_type(self, index: int) -> str:
        return self.text(index) if self.tag(index) == NAME_AND_TYPE else "?"


_OF_TEXT = (CLASS, STRING, METHOD_TYPE, MODULE, PACKAGE)
_SUFFIXES = {INTEGER: "", FLOAT: "f", LONG: "l", DOUBLE: "d"}


def _quoted(name: str) -> str:
    """Names that are no plain identifiers stand in quotes: ``"<init>"``, ``"[I"``."""
    return f'"{name}"' if name.startswith(("<", "[")) else name


def read_pool(count: int, data: bytes) -> ConstantPool | None:
    """Return the pool, or None when it has an entry that we do not know."""
    try:
        return ConstantPool(count, data)
    except MalformedPool:
        return None


def class_names(count: int, data: bytes) -> frozenset[str] | None:
    """Java names of all classes in the pool: of members, of those that are used, of all that is nested in it.

    ``count`` is one more than the highest index. None when the pool has an entry that we do not know.
    """
    pool = read_pool(count, data)
    if pool is None:
        return None
    names = (pool.name(index) for index in pool if pool.tag(index) == CLASS)
    return frozenset(name.replace("/", ".") for name in names if name and not name.startswith("["))

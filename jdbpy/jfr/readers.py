"""Compiles functions that read values of one type: Python source is generated once for each type of a chunk.

Owns the speed of the parser: integers of one or two bytes and nested structs are read inline, without calls. Values
are raw: a struct is a tuple, the key of a constant an integer, as is a string that is kept as a constant. No text of a
recording gets into the code, only numbers and names of our own.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from jdbpy.jfr.metadata import Type, TypedField
from jdbpy.jfr.primitives import BadRecording, more, more_int, more_long, more_short, plain_string, string

Row = tuple[Any, ...]
ReadRow = Callable[[bytes, int], tuple[Any, int]]
"""Reads a value at an offset, and returns it with the offset behind it."""

ReadPool = Callable[[bytes, int, int, dict[int, Any]], int]
"""Reads so many constants at an offset into a pool, and returns the offset behind them."""

_LARGEST = 3000
"""The most fields of a type, including those of its structs; the largest of the JDK has 60."""

_DEEPEST = 30

_BITS = {"short": 16, "int": 32, "long": 64}


def refuse(count: int, at: int) -> None:
    """Raise BadRecording: an array says that it has more parts than there are bytes."""
    raise BadRecording(f"an array at byte {at} of its chunk says it has {count} parts")


class ReaderWriter:
    """Writes the readers of one chunk's types."""

    def __init__(self, types: dict[int, Type], compressed: bool) -> None:
        self._types = types
        self._compressed = compressed
        self._scope = {
            "more": more,
            "more_short": more_short,
            "more_int": more_int,
            "more_long": more_long,
            "string": string if compressed else plain_string,
            "refuse": refuse,
            "from_bytes": int.from_bytes,
            "float4": struct.Struct(">f").unpack_from,
            "float8": struct.Struct(">d").unpack_from,
        }
        self._lines: list[str] = []
        self._names = 0
        self._nested = 0

    def row(self, type_id: int) -> ReadRow:
        """Return a reader of events, or other values, of a type."""
        self._begin()
        self._add(1, "def read(d, p):")
        value = self._value(2, self._type(type_id), True)
        self._add(2, f"return {value}, p")
        return self._compiled("read")  # type: ignore[no-any-return]

    def pool(self, type_id: int) -> ReadPool:
        """Return a reader of the constants of a type."""
        self._begin()
        self._add(1, "def fill(d, p, n, pool):")
        self._add(2, "for _ in range(n):")
        key = self._number(3, 64)
        value = self._value(3, self._type(type_id), False)
        self._add(3, f"pool[{key}] = {value}")
        self._add(2, "return p")
        return self._compiled("fill")  # type: ignore[no-any-return]

    def _begin(self) -> None:
        self._lines = []
        self._names = 0
        self._nested = 0

    def _compiled(self, name: str) -> Any:
        scope = dict(self._scope)
        exec("\n".join(line.removeprefix("    ") for line in self._lines), scope)
        return scope[name]

    def _type(self, type_id: int) -> Type:
        found = self._types.get(type_id)
        if found is None:
            raise BadRecording(f"a value has the type {type_id}, which the metadata does not describe")
        return found

    def _add(self, deep: int, line: str) -> None:
        self._lines.append("    " * deep + line)

    def _name(self) -> str:
        self._names += 1
        if self._names > _LARGEST:
            raise BadRecording(f"a type has more than {_LARGEST} fields, or is part of itself")
        return f"v{self._names}"

    def _fields(self, deep: int, owner: Type) -> str:
        """Add the lines that read a struct; returns the expression of its value."""
        parts = [self._field(deep, field) for field in owner.fields]
        return f"({', '.join(parts)},)" if parts else "()"

    def _field(self, deep: int, field: TypedField) -> str:
        kind = self._type(field.type_id)
        if not field.array:
            return self._number(deep, 64) if field.constant else self._value(deep, kind, False)
        count, found = self._number(deep, 32), self._name()
        if deep > 15:  # the compiler nests 20 loops
            raise BadRecording("a type has arrays more than 15 deep in each other")
        self._add(deep, f"if {count} > len(d) - p: refuse({count}, p)")
        self._add(deep, f"{found} = []")
        self._add(deep, f"for _ in range({count}):")
        before = len(self._lines)
        value = self._number(deep + 1, 64) if field.constant else self._value(deep + 1, kind, False)
        if not field.constant and not any("p" in line for line in self._lines[before:]):
            raise BadRecording(f"an array of {kind.name}, whose values take no bytes, has no end")
        self._add(deep + 1, f"{found}.append({value})")
        return found

    def _value(self, deep: int, kind: Type, outermost: bool) -> str:
        """Add the lines that read a value; returns its expression. Every name stands for one value."""
        name = kind.name
        if name == "java.lang.String":
            return self._call(deep, "string(d, p)")
        if kind.fields or outermost:
            return self._struct(deep, kind)
        if name in _BITS:
            return self._number(deep, _BITS[name], name)
        return self._odd(deep, name)

    def _struct(self, deep: int, kind: Type) -> str:
        self._name()  # a struct counts as a field
        self._nested += 1
        if self._nested > _DEEPEST:
            raise BadRecording(
                f"structs stand more than {_DEEPEST} deep in each other, or {kind.name} is part of itself"
            )
        value = self._fields(deep, kind)
        self._nested -= 1
        return value

    def _odd(self, deep: int, name: str) -> str:
        """Add the lines that read a value which is no integer, or one of a fixed size."""
        found = self._name()
        if name == "boolean":
            self._add(deep, f"{found} = d[p] != 0")
        elif name == "byte":
            self._add(deep, f"{found} = d[p] - ((d[p] & 128) << 1)")
        elif name == "char":
            number = self._number(deep, 16)
            self._add(deep, f"{found} = chr({number} & 65535)")
            return found
        elif name in ("float", "double"):
            size = 4 if name == "float" else 8
            self._add(deep, f"if len(d) - p < {size}: refuse({size}, p)")
            self._add(deep, f"[{found}] = float{size}(d, p)")
            self._add(deep, f"p += {size}")
            return found
        else:  # a struct without fields takes no byte
            self._add(deep, f"{found} = ()")
            return found
        self._add(deep, "p += 1")
        return found

    def _number(self, deep: int, bits: int, signed: str = "") -> str:
        """Add the lines that read an integer: one with a sign where the name of its type is given."""
        found = self._name()
        if not self._compressed:
            size = bits // 8
            self._add(deep, f"if len(d) - p < {size}: refuse({size}, p)")
            self._add(deep, f'{found} = from_bytes(d[p : p + {size}], "big", signed={bool(signed)})')
            self._add(deep, f"p += {size}")
            return found
        self._add(deep, f"{found} = d[p]")
        self._add(deep, f"if {found} < 128: p += 1")
        self._add(deep, f"elif (w := d[p + 1]) < 128: {found} += (w << 7) - 128; p += 2")
        rest = f"more_{signed}" if signed else "more"
        self._add(deep, f"else: {found}, p = {rest}(d, p, {found} + (w << 7) - 128)")
        return found

    def _call(self, deep: int, call: str) -> str:
        found = self._name()
        self._add(deep, f"{found}, p = {call}")
        return found

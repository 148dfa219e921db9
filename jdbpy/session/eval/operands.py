"""Values as the evaluator computes with them: a Java type and a raw value.

Owns the operand and the objects that live in the debugger only, until the target needs them: strings, boxes and
sequences. It does not convert between types; ``conversions`` does.
"""

from __future__ import annotations

from jdbpy.session.eval.target import Raw
from jdbpy.session.java.types import BOXES, BYTE, CHAR, INT, LONG, SHORT, JavaType, Primitive


class LocalString:
    """A String that is not in the target yet. Identity is this object's, unless it is ``interned`` (a constant)."""

    __slots__ = ("interned", "text")

    def __init__(self, text: str, *, interned: bool = False) -> None:
        self.text = text
        self.interned = interned

    def __repr__(self) -> str:
        return f"LocalString({self.text!r})"


class LocalBox:
    """A boxed primitive that is not in the target yet."""

    __slots__ = ("kind", "value")

    def __init__(self, kind: Primitive, value: bool | int | float) -> None:
        self.kind = kind
        self.value = value

    def same(self, other: LocalBox) -> bool:
        """True if ``valueOf`` would give the same object for both (JLS 5.1.7: small values are cached)."""
        return self is other or (self.kind is other.kind and self.value == other.value and self.cached)

    @property
    def cached(self) -> bool:
        """True if ``valueOf`` always gives the same object for this value."""
        if self.kind in (SHORT, INT, LONG, CHAR):
            return -128 <= self.value <= 127
        return self.kind is BYTE or isinstance(self.value, bool)

    def __repr__(self) -> str:
        return f"LocalBox({BOXES[self.kind].name}, {self.value!r})"


class Elements:
    """Elements that the debugger holds: the result of a slice, a filter, or ``map``.

    ``start`` is the index that the first one had, of a slice.
    """

    __slots__ = ("elements", "start")

    def __init__(self, elements: list[Operand], start: int = 0) -> None:
        self.elements = elements
        self.start = start


class Entry:
    """A key and a value, read out of a map."""

    __slots__ = ("key", "value")

    def __init__(self, key: Operand, value: Operand) -> None:
        self.key = key
        self.value = value


OperandValue = Raw | LocalString | LocalBox | Elements | Entry
"""The value of an operand: a raw value of the target, or an object that only the debugger knows."""


class Operand:
    """A value with its static type."""

    __slots__ = ("type", "value")

    def __init__(self, type: JavaType, value: OperandValue) -> None:
        self.type = type
        self.value = value

    def __repr__(self) -> str:
        return f"Operand({self.type}, {self.value!r})"

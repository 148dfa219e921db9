"""Values as the evaluator computes with them: a Java type and a raw value.

Owns the operand and the objects that live in the debugger only, until the target needs them: strings, boxes and
sequences; and what becomes of a value that a script hands to an expression. Conversions are in ``typing``.
"""

from __future__ import annotations

from jdbpy.errors import ProtocolError, UsageError
from jdbpy.session.eval.target import Raw, Ref
from jdbpy.session.java.types import (
    BOOLEAN,
    BOXES,
    BY_TAG,
    BYTE,
    CHAR,
    DOUBLE,
    INT,
    LATE,
    LONG,
    NULL,
    SHORT,
    STRING,
    VOID,
    JavaType,
    Primitive,
)
from jdbpy.session.model.values import ValueInfo


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


def element_operand(type: JavaType, raw: Raw) -> Operand:
    """Return the operand of an array's element. Raises ProtocolError where the target has sent one of another kind."""
    is_object = raw is None or isinstance(raw, Ref)
    if is_object == isinstance(type, Primitive) and type is not LATE:
        raise ProtocolError(f"the target answered with elements that are not of the type {type}")
    return Operand(type, raw)


_INT = range(-(1 << 31), 1 << 31)
_LONG = range(-(1 << 63), 1 << 63)


_STRING = "s"


def operand_of(name: str, value: object) -> Operand:
    """Return the operand of a value: a ``ValueInfo``, else bool, int (a ``long`` if it must be), float (a ``double``),
    str or None. Raises UsageError for anything else."""
    match value:
        case ValueInfo():
            return _described(name, value)
        case bool():
            return Operand(BOOLEAN, value)
        case int() if value in _LONG:
            return Operand(INT if value in _INT else LONG, value)
        case float():
            return Operand(DOUBLE, value)
        case str():
            return Operand(STRING, LocalString(value))
        case None:
            return Operand(NULL, None)
    what = f"the number {value}" if isinstance(value, int) else f"a {type(value).__name__}"
    raise UsageError(
        f"{name}: Java has no value for {what}",
        hint="give None, a bool, an int of 64 bits, a float, a str, or a value of the target",
        code="NO_JAVA_VALUE",
    )


def _described(name: str, value: ValueInfo) -> Operand:
    kind = BY_TAG.get(value.tag)
    if kind is VOID:
        raise UsageError(f"{name}: a method without a result has no value", code="NO_JAVA_VALUE")
    if (
        kind is None and value.tag == _STRING and not value.id and value.text.startswith('"')
    ):  # only the debugger has it
        if value.truncated:
            raise UsageError(f"{name}: the whole text is not known", code="NO_JAVA_VALUE")
        from jdbpy.session.java.literals import unescape

        return Operand(STRING, LocalString(unescape(value.text[1:-1])))
    if kind is None:
        return Operand(LATE, Ref(value.id, ord(value.tag))) if value.id else Operand(NULL, None)
    raw = ord(value.raw) if isinstance(value.raw, str) else value.raw
    return Operand(kind, raw)

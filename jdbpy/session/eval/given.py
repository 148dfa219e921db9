"""Values that a script hands to an expression: from Python, or from an earlier answer, to an operand."""

from __future__ import annotations

from jdbpy.errors import UsageError
from jdbpy.session.eval.operands import LocalString, Operand
from jdbpy.session.eval.target import Ref
from jdbpy.session.java.types import BOOLEAN, BY_TAG, DOUBLE, INT, LATE, LONG, NULL, STRING, VOID
from jdbpy.session.model.values import Value

_INT = range(-(1 << 31), 1 << 31)
_LONG = range(-(1 << 63), 1 << 63)


_STRING = "s"


def operand_of(name: str, value: object) -> Operand:
    """The operand of a value: of a ``Value`` itself, else bool, int (a ``long`` if it must be), float (a ``double``),
    str or None. Raises UsageError for anything else."""
    match value:
        case Value():
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


def _described(name: str, value: Value) -> Operand:
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

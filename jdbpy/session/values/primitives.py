"""Text of primitive values as Java would write it. Pure.

Numbers are written without suffix: the type stands beside them. Owns which releases of Java print decimals how.
"""

from __future__ import annotations

from jdbpy.session.values import literals, old_decimals
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import TaggedValue

SHORTEST_DECIMALS = 19
"""The Java release from which on floating-point numbers are printed with the fewest digits."""


def decimal_text(tag: int, value: float, release: int) -> str:
    """``String.valueOf`` of a float or double (by its JDWP tag) in that release of Java."""
    if release < SHORTEST_DECIMALS:
        return old_decimals.float_text(value) if tag == Tag.FLOAT else old_decimals.double_text(value)
    return literals.float_text(value) if tag == Tag.FLOAT else literals.double_text(value)


def primitive_text(value: TaggedValue, release: int = SHORTEST_DECIMALS) -> str:
    """The literal of a primitive value, without the suffixes L and F; "void" for no value."""
    held = value.value
    match value.tag:
        case Tag.BOOLEAN:
            return "true" if held else "false"
        case Tag.CHAR:
            return literals.char_literal(chr(int(held or 0)))
        case Tag.FLOAT | Tag.DOUBLE:
            return decimal_text(value.tag, float(0 if held is None else held), release)
        case Tag.VOID:
            return "void"
        case _:
            return str(held)

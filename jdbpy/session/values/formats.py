"""Numbers in other forms: ``print/x``, ``/t``, ``/c`` and so on. Pure.

Owns the letters and what they make of a primitive value: two's complement in the width of its Java type, spelled as
Java spells such literals. Of a float or double, the letters for bits show its bits.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

from jdbpy.errors import UsageError
from jdbpy.session.values.literals import char_literal
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import TaggedValue

FORMATS = {
    "x": "hexadecimal",
    "d": "decimal",
    "u": "unsigned",
    "o": "octal",
    "t": "binary",
    "c": "character",
}
"""Letters of formats, and what they mean."""

_WIDTHS = {Tag.BOOLEAN: 1, Tag.BYTE: 8, Tag.CHAR: 16, Tag.SHORT: 16, Tag.INT: 32, Tag.LONG: 64}
_DECIMALS = {Tag.FLOAT: (">f", 32), Tag.DOUBLE: (">d", 64)}
_BITS: dict[str, Callable[[int], str]] = {
    "x": lambda bits: f"0x{bits:x}",
    "o": lambda bits: f"0{bits:o}" if bits else "0",
    "t": lambda bits: f"0b{bits:b}",
}
_LAST_CHARACTER = 0x10FFFF


def check_format(letter: str) -> str:
    """The letter; raises UsageError, with the letters that there are, for any other."""
    if letter not in FORMATS:
        known = ", ".join(f"{each} ({name})" for each, name in FORMATS.items())
        what = f"'{letter}' is no format" if letter else "a format is missing after '/'"
        raise UsageError(f"{what}: there are {known}", code="UNKNOWN_FORMAT")
    return letter


def formatted(value: TaggedValue, letter: str) -> str:
    """A primitive value in a format; "" where the format has nothing to say: a boolean as a character."""
    held = value.value
    if value.tag in _DECIMALS:
        return _BITS[letter](_bits_of(value)) if letter in _BITS else ""
    if value.tag not in _WIDTHS or held is None:
        return ""
    number = int(held)
    bits = number & (1 << _WIDTHS[Tag(value.tag)]) - 1
    match letter:
        case "d":
            return str(number)
        case "u":
            return str(bits)
        case "c":
            narrow = bits if value.tag in (Tag.BYTE, Tag.SHORT) else number
            is_character = value.tag != Tag.BOOLEAN and 0 <= narrow <= _LAST_CHARACTER
            return char_literal(chr(narrow)) if is_character else ""
    return _BITS[letter](bits)


def _bits_of(value: TaggedValue) -> int:
    form, width = _DECIMALS[Tag(value.tag)]
    return int.from_bytes(struct.pack(form, float(value.value or 0)), "big") & (1 << width) - 1

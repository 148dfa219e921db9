"""Plain data about values: a value with its text, a variable, elements as bytes; and the formats of numbers.

Owns also how much of a value is read (``Limits``), and the letters of formats with what they make of a primitive value:
two's complement in the width of its Java type, spelled as Java spells such literals. Of a float or double, the letters
for bits show its bits.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Annotated

from jdbpy.errors import UsageError
from jdbpy.json_form import HIDDEN, Inline, Json
from jdbpy.record import Record
from jdbpy.session.java.texts import char_literal
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import TaggedValue


class Bytes(Record):
    """Elements as bytes, high byte first. ``start`` is the index of the first, ``length`` counts all that there are.

    ``type`` is that of the whole value, ``element`` that of an element: "byte", "int"; ``width`` its bytes.
    """

    json_properties = ("left_out",)

    type: str
    element: Annotated[str, "the type of an element"]
    width: Annotated[int, "bytes of an element, high byte first"]
    start: Annotated[int, "index of the first element"]
    length: Annotated[int, "elements in all"]
    data: Annotated[bytes, Json("the bytes, two digits each", "hex")]
    id: Annotated[int | None, "of the array, string or buffer"] = None

    @property
    def left_out(self) -> int:
        """Elements after the last one that was read, which are not in `hex`."""
        return self.length - len(self.data) // self.width


class UserView(Record):
    """A view that was added for a class pattern: a Java expression, or a Python function by its name."""

    json_name = "view"

    pattern: Annotated[str, "of class names"]
    expression: Annotated[str, Json("over the fields of the object", optional=True)]
    function: Annotated[str, Json("of Python, by its name", optional=True)]


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
    """Return the letter; raises UsageError, with the letters that there are, for any other."""
    if letter not in FORMATS:
        known = ", ".join(f"{each} ({name})" for each, name in FORMATS.items())
        what = f"'{letter}' is not a format" if letter else "a format is missing after '/'"
        raise UsageError(f"{what}: there are {known}", code="UNKNOWN_FORMAT")
    return letter


def formatted(value: TaggedValue, letter: str) -> str:
    """Return a primitive value in a format; "" where the format has nothing to say: a boolean as a character."""
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


class ValueInfo(Record):
    """A value with its text as Java would write the literal.

    ``text`` of an object is a short description, of a string its quoted and escaped literal, cut at the limit with
    ``truncated`` set. ``id`` is the object id (None for primitives, null and void). ``tag`` is the JDWP tag character.
    ``raw`` is the Python value of a primitive: int, float, bool, a one-character str; the object id of an object.
    """

    json_name = "value"

    type: Annotated[str, "the type of the value itself, as in source"]
    text: Annotated[str, Json("as Java would write the literal; null when it could not be read", "value")]
    tag: Annotated[str, HIDDEN]
    raw: Annotated[int | float | bool | str | None, HIDDEN]
    id: Annotated[int | None, "the object's id"] = None
    length: Annotated[int | None, "of a string, an array or a known collection"] = None
    truncated: Annotated[bool, "more of it was left out"] = False
    children: Annotated[tuple[Variable, ...], "fields or elements, as far as the limits allowed"] = ()
    note: Annotated[str, 'a word of explanation ("not an ArrayList layout that is known")'] = ""
    changed: Annotated[bool, "since an earlier stop"] = False
    number: Annotated[int | None, "in the history: 7 for `$7`"] = None
    formatted: Annotated[str, 'the text in the format that was asked for, where that makes another one: "0xff"'] = ""

    def in_format(self, letter: str) -> str:
        """Return the text of a primitive in a format of ``FORMATS``; "" for all else. No trip."""
        if self.tag not in "ZBCSIJFD":
            return ""
        held = ord(self.raw) if isinstance(self.raw, str) else self.raw
        return formatted(TaggedValue(Tag(ord(self.tag)), held), letter)


class Variable(Record):
    """A named value: local, argument, ``this``, field, element."""

    name: str
    type: Annotated[str, "declared type as in source, generics included when the class file has them"]
    value: Annotated[
        ValueInfo | None,
        Inline(
            (
                ("type", Json("the type of the value itself", "runtime_type", True)),
                ("changed", HIDDEN),
                ("number", HIDDEN),
            )
        ),
    ]  # None when it could not be read; ``error`` says why
    kind: Annotated[str, "argument, local, this, slot, field, static, element, captured, kept, noted, expression"]
    error: Annotated[str, "why it could not be read"] = ""
    declared_in: Annotated[str, "the class of a field"] = ""
    modifiers: Annotated[str, "of a field, as in source"] = ""
    changed: Annotated[bool, "since the last stop at which it was shown"] = False
    key: Annotated[ValueInfo | None, HIDDEN] = None  # of an entry of a map, whose ``name`` is the key's text


class Limits(Record):
    """The limits of what is read of a value: every value request carries its limits, so that nothing is unbounded."""

    depth: int = 1  # levels of children
    string: int = 200  # characters shown
    elements: int = 100  # of an array or collection
    fields: int = 100

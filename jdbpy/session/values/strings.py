"""Strings of the target, as much of them as is wanted.

The protocol gives the text of a string whole or not at all, and a string may have a thousand million characters. So its
length is read from its fields first, and of a long one only a piece of the array behind it. Owns the layouts of
java.lang.String: bytes and a coder since JDK 9, characters before.
"""

from __future__ import annotations

from collections.abc import Sequence

from jdbpy.session.java.texts import utf16_length
from jdbpy.session.jvm.reading import read_both
from jdbpy.session.values.reader import Reader
from jdbpy.session.values.remembered import StringBody
from jdbpy.wire.ids import TaggedValue

WHOLE = 4_096
"""Characters up to which a string is fetched whole, in one command, and remembered."""

MOST = 1_000_000
"""Characters that are fetched at most where a text is needed in full."""

MOST_OF_A_MESSAGE = 16_384
"""Characters of a message of an exception that are fetched."""

STRING = "java.lang.String"


async def string_length(reader: Reader, string_id: int) -> int | None:
    """Return the length of a string in UTF-16 units; None when this VM keeps it in a way that is not known.

    wire: 2 trips, 0 when known.
    """
    known = reader.known_text(string_id)
    if known is not None:
        return utf16_length(known)
    body = await _body(reader, string_id)
    return body.length if body is not None else None


async def string_start(reader: Reader, string_id: int, most: int) -> tuple[str, int]:
    """Return the first ``most`` characters of a string (more, if that is no dearer), and its length. wire: 3 trips."""
    length = await string_length(reader, string_id)
    if length is None or length <= max(most, WHOLE):
        text = await reader.text(string_id)
        return text, utf16_length(text)
    return await string_part(reader, string_id, 0, most), length


async def message_text(reader: Reader, string_id: int) -> str:
    """Return the text of a message; of a very long one the beginning and "...". wire: 3 trips."""
    text, length = await string_start(reader, string_id, MOST_OF_A_MESSAGE)
    return text if length <= MOST_OF_A_MESSAGE else f"{text[:MOST_OF_A_MESSAGE]}..."


async def string_part(reader: Reader, string_id: int, start: int, count: int) -> str:
    """``count`` characters (UTF-16 units) from ``start`` on, which must lie inside the string. wire: 3 trips."""
    length = await string_length(reader, string_id)
    body = None if length is None or length <= WHOLE else await _body(reader, string_id)
    if body is None:
        text = await reader.text(string_id)
        if len(text) == utf16_length(text):
            return text[start : start + count]
        data = text.encode("utf-16-be", "surrogatepass")
        return data[2 * start : 2 * (start + count)].decode("utf-16-be", "surrogatepass")
    if body.layout == "utf16":
        pieces, high_first = await read_both(
            reader.elements(body.array, 2 * start, 2 * count), is_high_byte_first(reader)
        )
        return decode_utf16_bytes(pieces, high_first=high_first)
    elements = await reader.elements(body.array, start, count)
    return decode_latin1(elements) if body.layout == "latin1" else decode_chars(elements)


async def is_high_byte_first(reader: Reader) -> bool:
    """The byte order in which the VM keeps UTF-16; the JDK notes it as a shift."""
    utf16 = await reader.boot_class("java.lang.StringUTF16")
    field = utf16.field("HI_BYTE_SHIFT", static=True) if utf16 else None
    if utf16 is None or field is None:
        return False
    [shift] = await reader.statics(utf16, [field])
    return bool(shift.value)


def decode_latin1(elements: Sequence[TaggedValue]) -> str:
    """Characters kept as one byte each."""
    return bytes(int(each.value or 0) & 0xFF for each in elements).decode("latin-1")


def decode_utf16_bytes(elements: Sequence[TaggedValue], *, high_first: bool) -> str:
    """Characters kept as two bytes each."""
    data = bytes(int(each.value or 0) & 0xFF for each in elements)
    return data.decode("utf-16-be" if high_first else "utf-16-le", "surrogatepass")


def decode_chars(elements: Sequence[TaggedValue]) -> str:
    """Characters of a char[]."""
    data = b"".join(int(each.value or 0).to_bytes(2, "big") for each in elements)
    return data.decode("utf-16-be", "surrogatepass")


async def _body(reader: Reader, string_id: int) -> StringBody | None:
    """Return the array behind a string. wire: 2 trips, 0 when known; 2 more for the first string of the session."""
    known = reader.known_body(string_id)
    if known is not None:
        return known
    shape = await reader.boot_class(STRING)
    array_field = shape.field("value") if shape is not None else None
    coder_field = shape.field("coder") if shape is not None else None
    if shape is None or array_field is None or shape.field("offset") is not None:
        return None
    if array_field.signature != ("[C" if coder_field is None else "[B"):
        return None
    fields = [array_field, *([coder_field] if coder_field is not None else [])]
    array, *coder = await reader.fields(string_id, fields)
    if not array.value:
        return None  # its constructor has not come to an end
    units = await reader.length(int(array.value))
    layout = "chars" if not coder else "utf16" if coder[0].value else "latin1"
    body = StringBody(int(array.value), layout, units // 2 if layout == "utf16" else units)
    reader.cache_body(string_id, body)
    return body

"""The bytes of arrays of primitives, of strings and of buffers over an array, as far as they were asked for. Those of
arrays can be written.

Reads elements only. Values wider than a byte are given high byte first, as Java's own streams and class files have
them, whatever order the machine of the target keeps them in: the debug protocol does not tell that.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from jdbpy.errors import EvalError, UsageError
from jdbpy.session.events.target import Target
from jdbpy.session.java.signatures import PRIMITIVES, java_name
from jdbpy.session.jvm.reading import read_both
from jdbpy.session.model.values import Bytes
from jdbpy.session.values.obj import find_fields, number, reference
from jdbpy.session.values.objects import Objects
from jdbpy.session.values.reader import ClassLayout, Reader
from jdbpy.session.values.writes import write_elements
from jdbpy.wire.ids import TaggedValue

MOST = 256
"""Bytes that are read where no count is given."""

WIDTHS = {"Z": 1, "B": 1, "C": 2, "S": 2, "I": 4, "F": 4, "J": 8, "D": 8}
"""Bytes of each primitive type, by its JNI letter."""

_FORMS = {"Z": "?", "B": "b", "C": "H", "S": "h", "I": "i", "F": "f", "J": "q", "D": "d"}
_BUFFERS = {"ByteBuffer": "B", "CharBuffer": "C", "ShortBuffer": "S", "IntBuffer": "I", "LongBuffer": "J"}


def of_values(type_name: str, kind: str, values: Sequence[int | float | bool], start: int, length: int) -> Bytes:
    """Return the bytes of elements of the primitive type with that JNI letter."""
    data = struct.pack(f">{len(values)}{_FORMS[kind]}", *values)
    return Bytes(type_name, PRIMITIVES[kind], WIDTHS[kind], start, length, data)


def of_text(text: str, count: int | None, object_id: int | None = None, length: int | None = None) -> Bytes:
    """Return the UTF-16 units of a string; ``length`` where the text is only the beginning of it."""
    data = text.encode("utf-16-be", "surrogatepass")
    length = len(data) // 2 if length is None else length
    return Bytes("java.lang.String", "char", 2, 0, length, data[: 2 * wanted("C", count, length)], object_id)


def wanted(kind: str, count: int | None, length: int) -> int:
    """Return how many of ``length`` elements are to be read."""
    return min(length, MOST // WIDTHS[kind] if count is None else count)


async def of_array(reader: Reader, array_id: int, count: int | None) -> Bytes:
    """Return the first elements of an array. Raises EvalError for one of objects. wire: 2 trips, 1 when known."""
    type_id, length = await read_both(reader.type_id(array_id), reader.length(array_id))
    signature = await reader.signature(type_id)
    kind = signature[1:]
    if kind not in WIDTHS:
        raise no_bytes(java_name(signature))
    elements = await reader.elements(array_id, 0, wanted(kind, count, length))
    return of_values(java_name(signature), kind, _raw(elements), 0, length).replace(id=array_id)


async def of_object(reader: Reader, object_id: int, count: int | None) -> Bytes:
    """Return what a buffer of java.nio holds between its position and its limit. Raises EvalError for all else.

    wire: 4 trips, 3 when its class is known.
    """
    shape = await reader.shape(await reader.type_id(object_id))
    kind = await _buffer_kind(reader, shape)
    if kind is None:
        raise no_bytes(shape.name)
    fields = await find_fields(reader, shape, ("hb", "offset", "position", "limit"))
    array, offset, position, limit = await reader.fields(object_id, fields)
    if not array.value:
        raise EvalError(
            f"this {shape.name} keeps its bytes outside the heap, where a debugger cannot read them",
            hint="its methods can be run: 'print buffer.get(0)'",
        )
    first, length = number(position), number(limit) - number(position)
    read = await reader.elements(reference(array), number(offset) + first, wanted(kind, count, length))
    return of_values(shape.name, kind, _raw(read), first, length).replace(id=object_id)


async def write(target: Target, array_id: int, offset: int, data: bytes) -> None:
    """Overwrite bytes of an array of primitives from an offset on.

    Raises UsageError for another object, and for bytes that the array does not have. wire: 2 trips, 3 to begin or end
    within an element.
    """
    reader = Objects.of(target).reader
    type_id, length = await reader.run(read_both(reader.type_id(array_id), reader.length(array_id)))
    signature = await reader.run(reader.signature(type_id))
    kind = signature[1:]
    if kind not in WIDTHS:
        raise UsageError(f"an object of type {java_name(signature)} has no bytes that can be set")
    width, end = WIDTHS[kind], offset + len(data)
    if not 0 <= offset <= end <= width * length:
        raise UsageError(f"the array has {width * length:,} bytes", code="INVALID_INDEX")
    if not data:
        return
    first, last = offset // width, -(-end // width)
    form = f">{last - first}{_FORMS[kind]}"
    if offset % width or end % width:
        elements = await reader.run(reader.elements(array_id, first, last - first))
        before = struct.pack(form, *_raw(elements))
        data = before[: offset - first * width] + data + before[end - first * width :]
    values = [TaggedValue(ord(kind), each) for each in struct.unpack(form, data)]
    await write_elements(target, array_id, first, values)


def _raw(elements: Sequence[TaggedValue]) -> list[int | float | bool]:
    return [each.value for each in elements if isinstance(each.value, int | float)]


async def _buffer_kind(reader: Reader, shape: ClassLayout) -> str | None:
    """Return the JNI letter of what a buffer holds, known by the class that has its array; None for other objects."""
    current: ClassLayout | None = shape
    while current is not None:
        package, _, name = current.name.rpartition(".")
        if package == "java.nio" and name in _BUFFERS and current.field("hb"):
            return _BUFFERS[name]
        current = await reader.shape(current.superclass) if current.superclass else None
    return None


def no_bytes(type_name: str) -> EvalError:
    """Return the error for what has no bytes to show."""
    return EvalError(
        f"bytes are shown of arrays of primitives, strings and buffers, and this is {type_name}",
        hint="'print/x' shows a number in hexadecimal, 'dump' the fields of an object",
    )

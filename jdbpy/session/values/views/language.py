"""java.lang: enums, records, throwables, string builders, threads, Optional; boxes, BigInteger, BigDecimal."""

from __future__ import annotations

from collections.abc import Sequence

from jdbpy.session.java.signatures import simple_name
from jdbpy.session.java.texts import primitive_text
from jdbpy.session.jvm.reading import gather, read_both
from jdbpy.session.values.obj import Obj, number
from jdbpy.session.values.shown import Holder, Items, Part, Parts, Scalar, Shown, Text, Trouble
from jdbpy.session.values.strings import (
    decode_chars,
    decode_latin1,
    decode_utf16_bytes,
    is_high_byte_first,
    message_text,
)
from jdbpy.session.values.views.registry import view
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import TaggedValue


@view("java.lang.Enum")
async def enum_constant(obj: Obj) -> Shown:
    """Show it as in source: Color.RED. A constant with a body is of a class of its own, below that of the enum."""
    name = await obj.text(await obj.get("name"))
    declaring = obj.below[-1].name if obj.below else obj.name
    return Scalar(f"{simple_name(declaring).replace('$', '.')}.{name}", fields=True)


@view("java.lang.Record")
async def record(obj: Obj) -> Shown:
    return Parts(await obj.own_parts())


@view("java.util.Optional")
async def optional(obj: Obj) -> Shown:
    value = await obj.get("value")
    return Holder(value if value.value else None)


@view("java.util.OptionalInt", "java.util.OptionalLong", "java.util.OptionalDouble")
async def optional_number(obj: Obj) -> Shown:
    present, value = await obj.read("isPresent", "value")
    return Holder(value if present.value else None)


@view("java.lang.AbstractStringBuilder")
async def string_builder(obj: Obj) -> Shown:
    """Bytes, one or two a character, since JDK 9; characters before."""
    names = ("count", "value", "coder") if obj.has("coder") else ("count", "value")
    count, array, *coder = await obj.read(*names)
    length = number(count)
    wanted = min(length, obj.text_limit + 1)
    if not coder:
        return Text(decode_chars(await obj.elements(array, 0, wanted)), length)
    if not number(coder[0]):
        return Text(decode_latin1(await obj.elements(array, 0, wanted)), length)
    pieces, high_first = await read_both(obj.elements(array, 0, 2 * wanted), is_high_byte_first(obj.reader))
    return Text(decode_utf16_bytes(pieces, high_first=high_first), length)


@view("java.lang.Throwable")
async def throwable(obj: Obj) -> Shown:
    """Message, cause and stack. A throwable without a cause has itself in that field.

    The stack is in a form that no debugger can read until the program, or ``po``, asks for it once.
    """
    if not obj.want:
        return Trouble(await _message(obj, await obj.get("detailMessage")), [])
    fields = obj.read("detailMessage", "cause", "stackTrace", "suppressedExceptions")
    (detail, cause, stack, suppressed), own = await read_both(fields, obj.own_parts())
    message, [frames, others] = await read_both(
        _message(obj, detail), gather([_length(obj, stack), _size(obj, suppressed)])
    )
    parts = [Part("message", detail, "java.lang.String")]
    if cause.value and cause.value != obj.id:
        parts.append(Part("cause", cause, "java.lang.Throwable"))
    if frames:
        parts.append(Part("stackTrace", stack, "java.lang.StackTraceElement[]"))
    if others:
        parts.append(Part("suppressed", suppressed, "java.util.List<java.lang.Throwable>"))
    note = "" if frames else "the target has not filled in its stack yet: evaluate getStackTrace() on it"
    return Trouble(message, [*parts, *own], note)


async def _message(obj: Obj, detail: TaggedValue) -> str | None:
    return await message_text(obj.reader, int(detail.value)) if detail.value else None


async def _length(obj: Obj, array: TaggedValue) -> int:
    return await obj.reader.length(int(array.value)) if array.value else 0


async def _size(obj: Obj, collection: TaggedValue) -> int:
    shown = await obj.show(collection, 0) if collection.value else None
    return shown.size or 0 if isinstance(shown, Items) else 0


@view("java.lang.StackTraceElement")
async def stack_trace_element(obj: Obj) -> Shown:
    """Show it as StackTraceElement.toString does, without loader and module."""
    declaring, method, file, line = await obj.read("declaringClass", "methodName", "fileName", "lineNumber")
    class_name, method_name, file_name = await obj.texts([declaring, method, file])
    place = file_name or "Unknown Source"
    if number(line) == -2:
        place = "Native Method"
    elif file_name and number(line) >= 0:
        place = f"{file_name}:{number(line)}"
    return Scalar(f"{class_name}.{method_name}({place})")


@view("java.lang.Thread")
async def thread(obj: Obj) -> Shown:
    """By its name; virtual threads mostly have none and are shown by their number. JDK 8 keeps the name in a char[]."""
    name, number_ = await obj.read("name", "tid")
    text = decode_chars(await obj.elements(name)) if name.tag == Tag.ARRAY else None
    text = text if text is not None else await obj.text(name)
    label = obj.name.rpartition(".")[2]
    return Scalar(f'{label}["{text}"]' if text else f"{label}[#{number(number_)}]", fields=True)


@view("java.lang.ThreadGroup")
async def thread_group(obj: Obj) -> Shown:
    name = await obj.text(await obj.get("name"))
    return Scalar(f'ThreadGroup["{name}"]', fields=True)


_NOT_COMPACT = -(1 << 63)
"""``BigDecimal.INFLATED``: the digits are in ``intVal``."""


@view(
    "java.lang.Boolean",
    "java.lang.Byte",
    "java.lang.Character",
    "java.lang.Double",
    "java.lang.Float",
    "java.lang.Integer",
    "java.lang.Long",
    "java.lang.Short",
)
async def boxed(obj: Obj) -> Shown:
    value = await obj.get("value")
    return Scalar(primitive_text(value, obj.reader.release), held=value)


@view("java.math.BigInteger")
async def big_integer(obj: Obj) -> Shown:
    sign, magnitude = await obj.read("signum", "mag")
    return Scalar(str(await _whole(obj, sign, magnitude)))


async def _whole(obj: Obj, sign: TaggedValue, magnitude: TaggedValue) -> int:
    """Sign and magnitude; the latter in 32-bit words, the most significant first, which come as signed numbers."""
    words: Sequence[TaggedValue] = await obj.elements(magnitude)
    result = 0
    for word in words:
        result = result << 32 | number(word) & 0xFFFFFFFF
    return number(sign) * result


@view("java.math.BigDecimal")
async def big_decimal(obj: Obj) -> Shown:
    compact, scale, big = await obj.read("intCompact", "scale", "intVal")
    unscaled = number(compact)
    if unscaled == _NOT_COMPACT:
        unscaled = await _whole(obj, *await obj.object_fields(big, "signum", "mag"))
    return Scalar(decimal_text(unscaled, number(scale)))


def decimal_text(unscaled: int, scale: int) -> str:
    """``BigDecimal.toString``: plain for exponents down to -6, else in scientific notation."""
    digits = str(abs(unscaled))
    sign = "-" if unscaled < 0 else ""
    if scale == 0:
        return sign + digits
    exponent = len(digits) - 1 - scale
    if scale > 0 and exponent >= -6:
        padded = digits.rjust(scale + 1, "0")
        return f"{sign}{padded[:-scale]}.{padded[-scale:]}"
    mantissa = digits[0] + (f".{digits[1:]}" if len(digits) > 1 else "")
    return f"{sign}{mantissa}" + (f"E{exponent:+d}" if exponent else "")

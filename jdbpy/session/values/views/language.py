"""java.lang: enums, records, throwables, string builders, threads, and Optional."""

from __future__ import annotations

from jdbpy.session.types.signatures import simple_name
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
from jdbpy.session.values.waves import both, gather
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import TaggedValue


@view("java.lang.Enum")
async def enum_constant(obj: Obj) -> Shown:
    """As in source: Color.RED. A constant with a body is of a class of its own, below that of the enum."""
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
    pieces, high_first = await both(obj.elements(array, 0, 2 * wanted), is_high_byte_first(obj.reader))
    return Text(decode_utf16_bytes(pieces, high_first=high_first), length)


@view("java.lang.Throwable")
async def throwable(obj: Obj) -> Shown:
    """Message, cause and stack. A throwable without a cause has itself in that field.

    The stack is in a form that no debugger can read until the program, or ``po``, asks for it once.
    """
    if not obj.want:
        return Trouble(await _message(obj, await obj.get("detailMessage")), [])
    fields = obj.read("detailMessage", "cause", "stackTrace", "suppressedExceptions")
    (detail, cause, stack, suppressed), own = await both(fields, obj.own_parts())
    message, [frames, others] = await both(_message(obj, detail), gather([_length(obj, stack), _size(obj, suppressed)]))
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
    """As StackTraceElement.toString, without loader and module."""
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
    """By its name; virtual threads mostly have none and are told by their number. JDK 8 keeps the name in a char[]."""
    name, number_ = await obj.read("name", "tid")
    text = decode_chars(await obj.elements(name)) if name.tag == Tag.ARRAY else None
    text = text if text is not None else await obj.text(name)
    label = obj.name.rpartition(".")[2]
    return Scalar(f'{label}["{text}"]' if text else f"{label}[#{number(number_)}]", fields=True)


@view("java.lang.ThreadGroup")
async def thread_group(obj: Obj) -> Shown:
    name = await obj.text(await obj.get("name"))
    return Scalar(f'ThreadGroup["{name}"]', fields=True)

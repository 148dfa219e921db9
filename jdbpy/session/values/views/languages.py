"""Classes of Groovy and JRuby, whose other collections are Java's own."""

from __future__ import annotations

from jdbpy.session.java.texts import primitive_text, utf16_length
from jdbpy.session.jvm.reading import gather, read_both
from jdbpy.session.values.obj import Obj, find_fields, number, reference
from jdbpy.session.values.shown import Entries, Holder, Items, Part, Parts, Scalar, Shown, Text, UnknownLayout
from jdbpy.session.values.views.registry import view
from jdbpy.session.values.views.sequences import whole_array
from jdbpy.session.values.views.structures import cells, numbers
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import TaggedValue
from jdbpy.wire.layout import OBJECT_TAGS

# -- Groovy --------------------------------------------------------------------------------------------------------


@view("org.codehaus.groovy.runtime.GStringImpl")
async def g_string(obj: Obj) -> Shown:
    """Its fixed pieces, and between them the values: texts and numbers as they are, of other objects their class.

    What those give as a text only their code knows.
    """
    pieces, held = await read_both(_elements(obj, "strings"), _elements(obj, "values"))
    texts, values = await read_both(obj.texts(pieces), gather([_in_text(obj, value) for value in held]))
    parts = [text or "" for text in texts]
    joined = "".join(
        part + (values[index] if index < len(values) else "") for index, part in enumerate(parts)
    ) + "".join(values[len(parts) :])
    return Text(joined, utf16_length(joined))


async def _elements(obj: Obj, field: str) -> list[TaggedValue]:
    return await obj.elements(await obj.get(field))


async def _in_text(obj: Obj, value: TaggedValue) -> str:
    """Return a value inside a text: ``${Order}`` for what has no text of its own."""
    if value.tag not in OBJECT_TAGS:
        return primitive_text(value, obj.reader.release)
    if not value.value:
        return "null"
    if value.tag == Tag.STRING:
        return await obj.text(value) or ""
    try:
        shown = await obj.show(value, 0)
    except UnknownLayout:
        shown = None
    if isinstance(shown, (Scalar, Text)):
        return shown.text.strip("'") if isinstance(shown, Scalar) and len(shown.text) == 3 else shown.text
    shape = await obj.reader.shape(await obj.reader.type_id(reference(value)))
    return f"${{{shape.name.rpartition('.')[2]}}}"


@view("groovy.lang.IntRange")
async def int_range(obj: Obj) -> Shown:
    """``inclusive`` is null in a range that was made with a direction, whose end belongs to it. 4.0 knows half open
    ranges on the left, too."""
    known = ("from", "to", "reverse", "inclusive", "inclusiveLeft", "inclusiveRight")
    names = [name for name in known if obj.has(name)]
    found = dict(zip(names, await obj.read(*names), strict=True))
    if not {"from", "to", "reverse"} <= set(names):
        raise UnknownLayout("no field from, to or reverse")
    start, end, backwards = number(found["from"]), number(found["to"]), bool(found["reverse"].value)
    right = await _boolean(obj, found.get("inclusiveRight", found.get("inclusive")))
    left = await _boolean(obj, found.get("inclusiveLeft"))
    if right is None:  # with a direction: from is the lower end
        step = -1 if backwards else 1
        first, last = (end, start) if backwards else (start, end)
    else:
        step = -1 if start > end else 1
        first, last = start if left in (None, True) else start + step, end if right else end - step
    size = max(0, (last - first) * step + 1)
    return Items(size, numbers(first, step, min(size, obj.want)))


async def _boolean(obj: Obj, boxed: TaggedValue | None) -> bool | None:
    if boxed is None or not boxed.value:
        return None
    [value] = await obj.object_fields(boxed, "value")
    return bool(value.value)


@view("groovy.lang.ObjectRange")
async def object_range(obj: Obj) -> Shown:
    """By its ends: what lies between them the class of the elements knows."""
    start, end, backwards = await obj.read("from", "to", "reverse")
    first, last = await gather([_in_text(obj, each) for each in ((end, start) if backwards.value else (start, end))])
    return Scalar(f"{first}..{last}", fields=True)


@view("groovy.lang.EmptyRange")
async def empty_range(obj: Obj) -> Shown:
    return Items(0, [])


@view("groovy.lang.Tuple")
async def tuple_(obj: Obj) -> Shown:
    """An array; of two and more parts, fields v1, v2 and so on since 2.5."""
    if obj.has("contents"):
        return await whole_array(obj, await obj.get("contents"))
    raise UnknownLayout("no field contents")


@view(*(f"groovy.lang.Tuple{size}" for size in range(1, 17)))
async def tuple_of_fields(obj: Obj) -> Shown:
    names = [field.name for field in obj.view_class.fields if field.name[:1] == "v" and field.name[1:].isdigit()]
    if names:
        return Items(len(names), await obj.read(*names))
    return await whole_array(obj, await obj.get("contents"))


@view("groovy.lang.Reference")
async def closure_variable(obj: Obj) -> Shown:
    return Holder(await obj.get("value"))


@view("groovy.lang.Binding")
async def binding(obj: Obj) -> Shown:
    return await obj.show(await obj.get("variables"))


# -- JRuby ---------------------------------------------------------------------------------------------------------


async def _bytes_text(obj: Obj, byte_list: TaggedValue) -> Text:
    """Bytes in an encoding of their own: UTF-8, or one byte a character where they are no UTF-8."""
    array, start, size = await obj.object_fields(byte_list, "bytes", "begin", "realSize")
    length = number(size)
    elements = await obj.elements(array, number(start), min(length, 4 * obj.text_limit + 4)) if length else []
    data = bytes(number(each) & 0xFF for each in elements)
    try:
        text = data.decode("utf-8", "strict" if len(data) == length else "ignore")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    return Text(text, utf16_length(text) + length - len(data))


@view("org.jruby.RubyString")
async def ruby_string(obj: Obj) -> Shown:
    return await _bytes_text(obj, await obj.get("value"))


@view("org.jruby.RubySymbol")
async def ruby_symbol(obj: Obj) -> Shown:
    if obj.has("symbolBytes"):
        return Scalar(f":{(await _bytes_text(obj, await obj.get('symbolBytes'))).text}")
    return Scalar(f":{await obj.text(await obj.get('symbol'))}")


@view("org.jruby.RubyFixnum", "org.jruby.RubyFloat")
async def ruby_number(obj: Obj) -> Shown:
    value = await obj.get("value")
    return Scalar(primitive_text(value, obj.reader.release), held=value)


@view("org.jruby.RubyBignum")
async def ruby_bignum(obj: Obj) -> Shown:
    return await obj.show(await obj.get("value"))


@view("org.jruby.RubyRational")
async def ruby_rational(obj: Obj) -> Shown:
    parts = await gather([_in_text(obj, value) for value in await obj.read("num", "den")])
    return Scalar(f"({'/'.join(parts)})")


@view("org.jruby.RubyNil")
async def ruby_nil(obj: Obj) -> Shown:
    return Scalar("nil")


@view("org.jruby.RubyBoolean$True")
async def ruby_true(obj: Obj) -> Shown:
    return Scalar("true")


@view("org.jruby.RubyBoolean$False")
async def ruby_false(obj: Obj) -> Shown:
    return Scalar("false")


@view("org.jruby.RubyArray")
async def ruby_array(obj: Obj) -> Shown:
    array, start, size = await obj.read("values", "begin", "realLength")
    count = min(number(size), obj.want)
    return Items(number(size), await obj.elements(array, number(start), count) if count else [], "RubyArray")


@view("org.jruby.specialized.RubyArrayOneObject", "org.jruby.specialized.RubyArrayTwoObject")
async def ruby_short_array(obj: Obj) -> Shown:
    """Arrays of one and two elements have fields for them, until they grow."""
    if (await obj.get("values")).value and await obj.reader.length(reference(await obj.get("values"))):
        return await ruby_array(obj)
    names = [name for name in ("value", "car", "cdr") if obj.has(name)]
    return Items(len(names), (await obj.read(*names))[: obj.want], "RubyArray")


@view("org.jruby.RubyHash")
async def ruby_hash(obj: Obj) -> Shown:
    """Show it in the order in which the keys were put in: a ring that begins and ends with ``head``. wire: 1 trip an
    entry.
    """
    size, head = await obj.read("size", "head")
    count = min(number(size), obj.want)
    if count <= 0:
        return Entries(number(size), [])
    shape = await obj.reader.shape(await obj.reader.type_id(reference(head)))
    fields = await find_fields(obj.reader, shape, ["key", "value", "nextAdded"])
    [first] = await obj.object_fields(head, "nextAdded")
    found = await cells(obj.reader, first, fields, count, {int(head.value or 0)})
    return Entries(number(size), [(key, value) for key, value in found])


@view("org.jruby.gen.RubyObject*")
async def ruby_object(obj: Obj) -> Shown:
    """An object of a class written in Ruby, by its instance variables: their names are kept by its class."""
    slots = [field.name for field in obj.view_class.fields if field.name[:3] == "var" and field.name[3:].isdigit()]
    meta, *values = await obj.read("metaClass", *slots)
    manager, own_name, real = await obj.object_fields(meta, "variableTableManager", "baseName", "realClass")
    [names] = await obj.object_fields(manager, "variableNames")
    texts = await obj.texts(await obj.elements(names))
    if len(texts) > len(values):
        raise UnknownLayout("it has more variables than fields")
    if not own_name.value and real.value:
        [own_name] = await obj.object_fields(real, "baseName")
    parts = [Part(text or "?", value) for text, value in zip(texts, values, strict=False) if value.value]
    return Parts(parts, await obj.text(own_name) or "RubyObject")


@view("org.jruby.RubyRange")
async def ruby_range(obj: Obj) -> Shown:
    start, end, open_end = await obj.read("begin", "end", "isExclusive")
    first, last = await gather([_in_text(obj, each) for each in (start, end)])
    return Scalar(f"{first}{'...' if open_end.value else '..'}{last}", fields=True)


@view("org.jruby.RubyModule")
async def ruby_module(obj: Obj) -> Shown:
    """Its own name; the names around it are kept in others."""
    return Scalar(await obj.text(await obj.get("baseName")) or "Class", fields=True)

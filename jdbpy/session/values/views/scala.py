"""Scala's collections and small classes, as releases 2.11 to 2.13 (which Scala 3 uses too) lay them out."""

from __future__ import annotations

from jdbpy.session.java.signatures import simple_name
from jdbpy.session.jvm.reading import read_both
from jdbpy.session.values.obj import Obj, find_fields, number, reference
from jdbpy.session.values.reader import ClassLayout
from jdbpy.session.values.shown import Holder, Items, Part, Parts, Scalar, Shown, UnknownLayout
from jdbpy.session.values.views.registry import interface_view, view
from jdbpy.session.values.views.sequences import array_prefix, items_of, ring, whole_array
from jdbpy.session.values.views.structures import (
    MOST_CELLS,
    cells,
    nested_arrays,
    numbers,
    radix_elements,
    single_objects,
)
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import TaggedValue

_IMMUTABLE = "scala.collection.immutable"
_MUTABLE = "scala.collection.mutable"
_VALUE = "Lscala/Enumeration$Value;"


# -- lists ---------------------------------------------------------------------------------------------------------


@view(f"{_IMMUTABLE}.$colon$colon")
async def scala_list(obj: Obj) -> Shown:
    """A cell with its head and the rest (``next``; ``tl`` up to 2.12); the last one leads to the object Nil."""
    if not obj.want:
        return Items(None, [], "List")
    link = "next" if obj.has("next") else "tl"
    fields, ends = await read_both(
        find_fields(obj.reader, obj.view_class, ["head", link]), single_objects(obj.reader, f"{_IMMUTABLE}.Nil$")
    )
    if not ends:
        raise UnknownLayout(f"{_IMMUTABLE}.Nil$ is not loaded")
    found = [item for [item] in await cells(obj.reader, TaggedValue(Tag.OBJECT, obj.id), fields, obj.want + 1, ends)]
    return Items(len(found) if len(found) <= obj.want else None, found[: obj.want], "List")


@view(f"{_IMMUTABLE}.Nil$")
async def scala_nil(obj: Obj) -> Shown:
    return Items(0, [], "List")


@view(f"{_MUTABLE}.ListBuffer")
async def list_buffer(obj: Obj) -> Shown:
    first = "first" if obj.has("first") else "scala$collection$mutable$ListBuffer$$start"
    size, cell = await obj.read("len", first)
    return Items(number(size), (await items_of(obj, cell, obj.want)).items if number(size) else [])


@view(f"{_MUTABLE}.MutableList", f"{_MUTABLE}.LinkedList")
async def mutable_list(obj: Obj) -> Shown:
    """Up to 2.12, a queue among others; the last cell leads to itself."""
    if not obj.has("first0"):
        raise UnknownLayout("no field first0")
    size, first = await obj.read("len", "first0")
    count = min(number(size), obj.want)
    if count <= 0:
        return Items(number(size), [])
    shape = await obj.reader.shape(await obj.reader.type_id(reference(first)))
    found = await cells(obj.reader, first, await find_fields(obj.reader, shape, ["elem", "next"]), count)
    return Items(number(size), [item for [item] in found])


@view(f"{_IMMUTABLE}.Queue")
async def queue(obj: Obj) -> Shown:
    """Two lists: what is to come out, and what has come in, the last first."""
    incoming, outgoing = (f"scala$collection$immutable$Queue$${name}" for name in ("in", "out"))
    if obj.has("in"):
        incoming, outgoing = "in", "out"
    added, first = await obj.read(incoming, outgoing)
    if not obj.want:
        return Items(None, [])
    front, back = await read_both(items_of(obj, first, obj.want), items_of(obj, added, MOST_CELLS))
    if front.size is None or back.size is None:
        return Items(None, front.items)
    return Items(front.size + back.size, [*front.items, *reversed(back.items)][: obj.want])


@view(f"{_IMMUTABLE}.Stack", f"{_MUTABLE}.Stack")
async def stack(obj: Obj) -> Shown:
    return await items_of(obj, await obj.get("elems"), obj.want)


@view(f"{_IMMUTABLE}.Stream$Cons")
async def stream(obj: Obj) -> Shown:
    """Show it as far as it has been computed, which ``tlVal`` shows."""
    if not obj.want:
        return Items(None, [], "Stream")
    found: list[TaggedValue] = []
    at = TaggedValue(Tag.OBJECT, obj.id)
    while len(found) <= obj.want:
        if await obj.reader.type_id(reference(at)) != obj.view_class.id:
            return Items(len(found), found, "Stream")
        head, at = await obj.object_fields(at, "hd", "tlVal")
        found.append(head)
        if not at.value:
            break
    return Items(None, found[: obj.want], "Stream")


@view(f"{_IMMUTABLE}.Stream$Empty$")
async def empty_stream(obj: Obj) -> Shown:
    return Items(0, [], "Stream")


@view(f"{_IMMUTABLE}.LazyList")
async def lazy_list(obj: Obj) -> Shown:
    """Show it as far as it has been computed. Cells of their own up to 2.13.14, head and tail of the list
    itself later.
    """
    found: list[TaggedValue] = []
    at = TaggedValue(Tag.OBJECT, obj.id)
    own_cells = not obj.has("_head")
    while len(found) < obj.want:
        if own_cells:
            [cell] = await obj.object_fields(at, "state")
            if not cell.value:
                return Items(None, found)
            if (await _class_of(obj, cell)).field("head") is None:
                return Items(len(found), found)
            head, at = await obj.object_fields(cell, "head", "tail")
        else:
            head, at = await obj.object_fields(at, "_head", "_tail")
            if not at.value:
                return Items(len(found), found)
            if await obj.reader.type_id(reference(at)) != obj.view_class.id:
                return Items(None, found)
        found.append(head)
    return Items(None, found)


async def _class_of(obj: Obj, value: TaggedValue) -> ClassLayout:
    return await obj.reader.shape(await obj.reader.type_id(reference(value)))


# -- sequences over arrays -----------------------------------------------------------------------------------------


@view(f"{_MUTABLE}.ArrayBuffer")
async def array_buffer(obj: Obj) -> Shown:
    size, array = await obj.read("size0", "array")
    return await array_prefix(obj, array, number(size))


@view(f"{_MUTABLE}.ArrayDeque")
async def array_deque(obj: Obj) -> Shown:
    array, start, end = await obj.read("array", "start", "end")
    size = (number(end) - number(start)) % await obj.reader.length(reference(array))
    return await ring(obj, array, number(start), size)


@view(f"{_MUTABLE}.WrappedArray$of*", f"{_MUTABLE}.ArraySeq$of*", f"{_IMMUTABLE}.ArraySeq$of*", f"{_MUTABLE}.ArraySeq")
async def array_seq(obj: Obj) -> Shown:
    shown = await whole_array(obj, await obj.get("unsafeArray" if obj.has("unsafeArray") else "array"))
    return Items(shown.size, shown.items, obj.view_class.name.partition("$")[0])


@view(f"{_IMMUTABLE}.Vector")
async def vector(obj: Obj) -> Shown:
    """Up to 2.12 one tree of arrays, later arrays before, in and behind the middle (``Vector1`` to ``Vector6``)."""
    if not obj.has("display0"):
        return await _layered_vector(obj)
    start, end, focus, depth, *displays = await obj.read(
        "startIndex", "endIndex", "focus", "depth", *(f"display{level}" for level in range(6))
    )
    size = number(end) - number(start)
    levels = number(depth)
    if not 0 <= levels <= len(displays):
        raise UnknownLayout(f"{levels} levels")
    if size <= 0 or not levels or not obj.want:
        return Items(max(size, 0), [])
    at = number(focus)  # the way to the last place that was written; it may be newer than the tree
    newer = {(level, at >> 5 * (level + 1)): displays[level] for level in range(levels)}
    count = min(size, obj.want)
    return Items(size, await radix_elements(obj, displays[levels - 1], levels, number(start), count, newer))


async def _layered_vector(obj: Obj) -> Shown:
    layers = int(obj.name[-1]) if obj.name[-1].isdecimal() else 0
    if not layers:
        return Items(0, [], "Vector")
    own = [field.name for shape in (*obj.below, obj.view_class) for field in shape.fields if not field.is_static]
    names = {name.rpartition("$")[2].lstrip("_"): name for name in own}
    middle = [f"data{layers}"] if layers > 1 else []
    order = [f"prefix{level}" for level in range(1, max(layers, 2))]
    order += middle + [f"suffix{level}" for level in range(layers - 1, 0, -1)]
    missing = next((name for name in order if name not in names), "")
    if missing:
        raise UnknownLayout(f"no field {missing}")
    wanted = [names[name] for name in order] + ([names["length0"]] if layers > 1 and "length0" in names else [])
    values = await obj.reader.fields(obj.id, await find_fields(obj.reader, (*obj.below, obj.view_class)[0], wanted))
    arrays = [(value, int(name[-1])) for name, value in zip(order, values, strict=False)]
    size = number(values[-1]) if layers > 1 else await obj.reader.length(reference(values[0]))
    return Items(size, await nested_arrays(obj, arrays, obj.want) if obj.want else [], "Vector")


@view(f"{_IMMUTABLE}.Range")
async def scala_range(obj: Obj) -> Shown:
    start, step, count = await obj.read("start", "step", "numRangeElements")
    size = max(number(count), 0)
    return Items(size, numbers(number(start), number(step), min(size, obj.want)), "Range")


@view(f"{_IMMUTABLE}.WrappedString")
async def wrapped_string(obj: Obj) -> Shown:
    return Holder(await obj.get("self"))


@view(f"{_MUTABLE}.StringBuilder")
async def string_builder(obj: Obj) -> Shown:
    return await obj.show(await obj.get("underlying"))


# -- small classes -------------------------------------------------------------------------------------------------


@view("scala.Some")
async def some(obj: Obj) -> Shown:
    return Holder(await obj.get("value" if obj.has("value") else "x"))


@view("scala.None$")
async def none(obj: Obj) -> Shown:
    return Scalar("None")


@view("scala.util.Left", "scala.util.Right")
async def either(obj: Obj) -> Shown:
    return Holder(await obj.get(next((name for name in ("value", "a", "b") if obj.has(name)), "value")))


@view("scala.util.Success")
async def success(obj: Obj) -> Shown:
    return Holder(await obj.get("value"))


@view("scala.util.Failure")
async def failure(obj: Obj) -> Shown:
    return Holder(await obj.get("exception"), "exception")


@view("scala.Tuple*")
async def scala_tuple(obj: Obj) -> Shown:
    """A tuple of primitives is of a class of its own, with fields as ``_1$mcI$sp``."""
    names = [field.name for field in obj.view_class.fields if field.name.startswith("_") and not field.is_static]
    parts = [Part(name.partition("$")[0], value) for name, value in zip(names, await obj.read(*names), strict=True)]
    return Parts(parts, simple_name(obj.name).partition("$")[0])


@view("scala.Symbol")
async def symbol(obj: Obj) -> Shown:
    return Scalar(f"Symbol({await obj.text(await obj.get('name'))})")


@view("scala.math.BigInt")
async def big_int(obj: Obj) -> Shown:
    """Small ones are a long with a mark in the other field since 2.13."""
    big = await obj.get("bigInteger" if obj.has("bigInteger") else "_bigInteger")
    return await obj.show(big) if big.value else Scalar(str(number(await obj.get("_long"))))


@view("scala.math.BigDecimal")
async def big_decimal(obj: Obj) -> Shown:
    return await obj.show(await obj.get("bigDecimal"))


@view("scala.runtime.*Ref")
async def captured(obj: Obj) -> Shown:
    """A variable that a closure changes."""
    return Holder(await obj.get("elem"))


@view("scala.runtime.BoxedUnit")
async def unit(obj: Obj) -> Shown:
    return Scalar("()")


@view("scala.Enumeration$Val")
async def enumeration_value(obj: Obj) -> Shown:
    """Its name is kept only where the program gave one; else it is that of the enumeration's field which holds it, as
    Scala finds out by reflection. wire: 2 trips, 3 more for that."""
    name, index, outer = await obj.read("name", "i", "$outer")
    if name.value:
        return Scalar(str(await obj.text(name)), fields=True)
    named = await _field_that_holds(obj, outer) if outer.value else ""
    return Scalar(named or f"Value({number(index)})", fields=True)


async def _field_that_holds(obj: Obj, enumeration: TaggedValue) -> str:
    """Return the name of the field of an enumeration that holds a value; "" where none does."""
    reader = obj.reader
    shape = await reader.shape(await reader.type_id(reference(enumeration)))
    while shape.name != "scala.Enumeration" and shape.superclass:
        own = [each for each in shape.fields if each.signature == _VALUE]
        of_class, of_object = ([each for each in own if each.is_static is static] for static in (True, False))
        held = await read_both(reader.statics(shape, of_class), reader.fields(reference(enumeration), of_object))
        for field, value in zip((*of_class, *of_object), (*held[0], *held[1]), strict=True):
            if value.value == obj.id:
                return field.name.rpartition("$$")[2]
        shape = await reader.shape(shape.superclass)
    return ""


@interface_view("scala.Product")
async def case_class(obj: Obj) -> Shown:
    """By its fields; a case object has none."""
    parts = await obj.own_parts()
    name = simple_name(obj.name)
    return Parts(parts) if parts else Scalar(name.rstrip("$").rpartition("$")[2])

"""Small values of the JDK that are best shown as one word, and the simple collections of Kotlin and Scala."""

from __future__ import annotations

from itertools import pairwise

from jdbpy.session.values.obj import Obj, number, reference
from jdbpy.session.values.shown import Entries, Holder, Items, Part, Parts, Scalar, Shown, UnknownLayout
from jdbpy.session.values.views.registry import view
from jdbpy.session.values.views.sequences import array_prefix, ring
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import Value


@view("java.util.UUID")
async def uuid(obj: Obj) -> Shown:
    most, least = (number(half) & (1 << 64) - 1 for half in await obj.read("mostSigBits", "leastSigBits"))
    digits = f"{most:016x}{least:016x}"
    cuts = (0, 8, 12, 16, 20, 32)
    return Scalar("-".join(digits[start:end] for start, end in pairwise(cuts)))


@view("java.util.Locale")
async def locale(obj: Obj) -> Shown:
    """As Locale.toString, for those that have no more than language, region and variant."""
    names = ("language", "region", "variant")
    language, region, variant = await obj.texts(await obj.object_fields(await obj.get("baseLocale"), *names))
    return Scalar("_".join([language or "", region or "", variant or ""]).rstrip("_"))


@view("java.util.Currency")
async def currency(obj: Obj) -> Shown:
    return Scalar(await obj.text(await obj.get("currencyCode")) or "")


@view("java.util.regex.Pattern")
async def pattern(obj: Obj) -> Shown:
    return Scalar(await obj.text(await obj.get("pattern")) or "")


@view("java.nio.charset.Charset")
async def charset(obj: Obj) -> Shown:
    return Scalar(await obj.text(await obj.get("name")) or "")


@view("java.nio.Buffer")
async def buffer(obj: Obj) -> Shown:
    position, limit, capacity = map(number, await obj.read("position", "limit", "capacity"))
    name = obj.name.rpartition(".")[2]
    return Scalar(f"{name}[pos={position} lim={limit} cap={capacity}]", fields=True)


# -- Kotlin ------------------------------------------------------------------------------------------------------


@view("kotlin.Pair", "kotlin.Triple")
async def data_class(obj: Obj) -> Shown:
    names = [name for name in ("first", "second", "third") if obj.has(name)]
    return Parts([Part(name, value) for name, value in zip(names, await obj.read(*names), strict=True)])


@view("kotlin.collections.ArrayDeque")
async def kotlin_deque(obj: Obj) -> Shown:
    head, array, size = await obj.read("head", "elementData", "size")
    return await ring(obj, array, number(head), number(size))


@view("kotlin.collections.EmptyList", "kotlin.collections.EmptySet")
async def kotlin_empty(obj: Obj) -> Shown:
    return Items(0, [])


@view("kotlin.collections.EmptyMap")
async def kotlin_empty_map(obj: Obj) -> Shown:
    return Entries(0, [])


# -- Scala -------------------------------------------------------------------------------------------------------


@view("scala.collection.immutable.$colon$colon")
async def scala_list(obj: Obj) -> Shown:
    """A cell with its head and the rest (``next``; ``tl`` up to 2.12), which ends in an object without a head."""
    if not obj.want:
        return Items(None, [], "List")
    item, link = ("head", "next" if obj.has("next") else "tl")
    if not obj.has(item):
        raise UnknownLayout("no field head")
    items: list[Value] = []
    at = Value(Tag.OBJECT, obj.id)
    while len(items) <= obj.want:
        shape = await obj.reader.shape(await obj.reader.type_id(reference(at)))
        if shape.id != obj.view_class.id:
            return Items(len(items), items, "List")
        head, at = await obj.object_fields(at, item, link)
        items.append(head)
    return Items(None, items[: obj.want], "List")


@view("scala.collection.immutable.Nil$")
async def scala_nil(obj: Obj) -> Shown:
    return Items(0, [], "List")


@view("scala.Some")
async def scala_some(obj: Obj) -> Shown:
    return Holder(await obj.get("value" if obj.has("value") else "x"))


@view("scala.None$")
async def scala_none(obj: Obj) -> Shown:
    return Scalar("None")


@view("scala.Tuple*")
async def scala_tuple(obj: Obj) -> Shown:
    names = [field.name for field in obj.view_class.fields if field.name.startswith("_") and not field.is_static]
    return Parts([Part(name, value) for name, value in zip(names, await obj.read(*names), strict=True)])


@view(*(f"scala.collection.immutable.Map$Map{size}" for size in range(1, 5)))
async def scala_small_map(obj: Obj) -> Shown:
    """Up to four entries in fields of their own: key1, value1, key2 and so on."""
    keys, values = _numbered(obj, "key"), _numbered(obj, "value")
    found = await obj.read(*keys, *values)
    entries = list(zip(found[: len(keys)], found[len(keys) :], strict=True))
    return Entries(len(entries), entries[: obj.want], "Map")


@view(*(f"scala.collection.immutable.Set$Set{size}" for size in range(1, 5)))
async def scala_small_set(obj: Obj) -> Shown:
    elements = await obj.read(*_numbered(obj, "elem"))
    return Items(len(elements), elements[: obj.want], "Set")


@view("scala.collection.immutable.Map$EmptyMap$")
async def scala_empty_map(obj: Obj) -> Shown:
    return Entries(0, [], "Map")


@view("scala.collection.immutable.Set$EmptySet$")
async def scala_empty_set(obj: Obj) -> Shown:
    return Items(0, [], "Set")


def _numbered(obj: Obj, word: str) -> list[str]:
    """The fields called word1, word2 and so on; where inner classes read them, the compiler puts ``$$`` before that."""
    fields = [name for name in (field.name for field in obj.view_class.fields) if name.rpartition("$$")[2][:-1] == word]
    if not fields:
        raise UnknownLayout(f"no field {word}1")
    return sorted(fields, key=lambda name: name[-1])


@view("scala.collection.mutable.ArrayBuffer")
async def scala_buffer(obj: Obj) -> Shown:
    size, array = await obj.read("size0", "array")
    return await array_prefix(obj, array, number(size))

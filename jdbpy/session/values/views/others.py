"""Small values of the JDK that are best shown as one word, and the simple collections of Kotlin."""

from __future__ import annotations

from itertools import pairwise

from jdbpy.session.values.obj import Obj, number
from jdbpy.session.values.shown import Entries, Items, Part, Parts, Scalar, Shown
from jdbpy.session.values.views.registry import view
from jdbpy.session.values.views.sequences import ring


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

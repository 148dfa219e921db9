"""Sets, and the key, value and entry views of maps: mostly a map behind them. Wrappers are shown as what they wrap.

Wrappers are those of Collections.unmodifiableX, synchronizedX and checkedX.
"""

from __future__ import annotations

from jdbpy.session.values.obj import Obj, number
from jdbpy.session.values.shown import Items, Scalar, Shown, UnknownLayout
from jdbpy.session.values.views.maps import entries_of
from jdbpy.session.values.views.registry import view
from jdbpy.session.values.views.sequences import items_of


async def keys_of(obj: Obj, field: str) -> Items:
    """The keys of the map in a field."""
    entries = await entries_of(obj, await obj.get(field))
    return Items(entries.size, [key for key, _ in entries.entries])


async def values_of(obj: Obj, field: str) -> Items:
    """The values of the map in a field."""
    entries = await entries_of(obj, await obj.get(field))
    return Items(entries.size, [value for _, value in entries.entries])


@view("java.util.HashSet")
async def hash_set(obj: Obj) -> Shown:
    return await keys_of(obj, "map")


@view(
    "java.util.TreeSet",
    "java.util.concurrent.ConcurrentSkipListSet",
    "java.util.TreeMap$KeySet",
    "java.util.concurrent.ConcurrentSkipListMap$KeySet",
    "java.util.Collections$SetFromMap",
)
async def set_over_map(obj: Obj) -> Shown:
    return await keys_of(obj, "m")


@view("java.util.concurrent.ConcurrentHashMap$KeySetView")
async def concurrent_key_set(obj: Obj) -> Shown:
    return await keys_of(obj, "map")


@view("java.util.HashMap$KeySet", "java.util.LinkedHashMap$LinkedKeySet", "java.util.Hashtable$KeySet")
async def key_set(obj: Obj) -> Shown:
    return await keys_of(obj, "this$0")


@view("java.util.HashMap$Values", "java.util.LinkedHashMap$LinkedValues", "java.util.TreeMap$Values")
async def map_values(obj: Obj) -> Shown:
    return await values_of(obj, "this$0")


@view("java.util.concurrent.ConcurrentHashMap$ValuesView")
async def concurrent_values(obj: Obj) -> Shown:
    return await values_of(obj, "map")


@view("java.util.HashMap$EntrySet", "java.util.LinkedHashMap$LinkedEntrySet", "java.util.TreeMap$EntrySet")
async def entry_set(obj: Obj) -> Shown:
    return await entries_of(obj, await obj.get("this$0"))


@view("java.util.concurrent.ConcurrentHashMap$EntrySetView")
async def concurrent_entry_set(obj: Obj) -> Shown:
    return await entries_of(obj, await obj.get("map"))


@view("java.util.concurrent.CopyOnWriteArraySet")
async def copy_on_write_set(obj: Obj) -> Shown:
    return await items_of(obj, await obj.get("al"), obj.want)


@view("java.util.Collections$SingletonSet")
async def singleton_set(obj: Obj) -> Shown:
    return Items(1, [await obj.get("element")])


@view("java.util.Collections$EmptySet")
async def empty_set(obj: Obj) -> Shown:
    return Items(0, [])


@view("java.util.RegularEnumSet", "java.util.JumboEnumSet")
async def enum_set(obj: Obj) -> Shown:
    """A bit for each constant: in a long, or in an array of them beyond 64."""
    bits, universe = await obj.read("elements", "universe")
    words = [bits] if obj.name == "java.util.RegularEnumSet" else await obj.elements(bits)
    ordinals = set_bits([number(word) for word in words])
    constants = await obj.elements(universe) if obj.want and ordinals else []
    if constants and ordinals[-1] >= len(constants):
        raise UnknownLayout("it has more bits than constants")
    return Items(len(ordinals), [constants[ordinal] for ordinal in ordinals[: obj.want]] if constants else [])


@view("java.util.BitSet")
async def bit_set(obj: Obj) -> Shown:
    """Show it as BitSet.toString does: the numbers of the bits that are set."""
    words, used = await obj.read("words", "wordsInUse")
    bits = set_bits([number(word) for word in await obj.elements(words, 0, number(used))])
    return Scalar("{" + ", ".join(map(str, bits)) + "}")


def set_bits(words: list[int]) -> list[int]:
    """Return the numbers of the bits that are set in 64-bit words, which come as signed numbers."""
    return [64 * index + bit for index, word in enumerate(words) for bit in range(64) if word >> bit & 1]


@view(
    "java.util.Collections$UnmodifiableCollection",
    "java.util.Collections$SynchronizedCollection",
    "java.util.Collections$CheckedCollection",
)
async def wrapped_collection(obj: Obj) -> Shown:
    return await obj.show(await obj.get("c"))


@view(
    "java.util.Collections$UnmodifiableMap",
    "java.util.Collections$SynchronizedMap",
    "java.util.Collections$CheckedMap",
)
async def wrapped_map(obj: Obj) -> Shown:
    return await entries_of(obj, await obj.get("m"))

"""Maps that are no hash tables with buckets: trees, arrays, skip lists, single entries."""

from __future__ import annotations

from jdbpy.session.jvm.reading import read_both
from jdbpy.session.values.obj import Obj, find_fields, number, readable
from jdbpy.session.values.shown import Entries, Pair, Shown, UnknownLayout
from jdbpy.session.values.views.hashing import KeyValue, hashtable, striped_sum
from jdbpy.session.values.views.registry import view
from jdbpy.session.values.views.sequences import with_node_class
from jdbpy.session.values.views.structures import in_tree
from jdbpy.session.values.walk import KnownEntry, Plan, Unread, Walk
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import TaggedValue

_NULL = TaggedValue(Tag.OBJECT, 0)


@view("java.util.TreeMap")
async def tree_map(obj: Obj) -> Shown:
    """Show it in order; a round trip for each level of the tree."""
    if not obj.want:
        return Entries(number(await obj.get("size")), [])
    (size, root), node = await with_node_class(obj, ["size", "root"], "root")
    count = number(size)
    if not root.value:
        return Entries(count, [])
    fields = await find_fields(obj.reader, node, ["key", "value", "left", "right"])
    return Entries(count, await in_tree(obj.reader, root, fields, obj.want))


@view("java.util.concurrent.ConcurrentSkipListMap")
async def skip_list_map(obj: Obj) -> Shown:
    """Along its lowest level, a round trip an entry. JDK 8 keeps no count."""
    count = None
    if obj.has("adder"):
        [adder] = await obj.read("adder")
        base, cells = await obj.object_fields(adder, "base", "cells") if adder.value else (None, None)
        count = await striped_sum(obj, base, cells) if base and cells else 0
    if not obj.want:
        return Entries(count, [])
    head = await obj.get("head")
    if not head.value:
        return Entries(0, [])
    [first] = await obj.object_fields(head, "node")
    node = await obj.reader.shape(await obj.reader.type_id(int(first.value or 0)))
    fields = await find_fields(obj.reader, node, ["key", "val" if node.field("val") else "value", "next"])

    async def expand(places: list[int]) -> list[Plan[KeyValue]]:
        plans: list[Plan[KeyValue]] = []
        for values in await obj.reader.fields_of_all(places, fields):
            key, value, after = readable(values)
            known = (
                [KnownEntry((key, value))] if key.value and value.value else []
            )  # else the head, or one being removed
            plans.append([*known, Unread(after.value)] if after.value else known)
        return plans

    walk: Walk[KeyValue] = obj.reader.walks.of((skip_list_map, first.value), [Unread(first.value)])
    entries = await walk.first(expand, obj.want + 1)
    return Entries(len(entries) if len(entries) <= obj.want else count, entries[: obj.want])


@view("java.util.EnumMap")
async def enum_map(obj: Obj) -> Shown:
    size, keys, values = await obj.read("size", "keyUniverse", "vals")
    count = number(size)
    if not obj.want or not count:
        return Entries(count, [])
    universe, held = await read_both(obj.elements(keys), obj.elements(values))
    null = await static_mask(obj, "NULL")
    entries = [
        (key, _NULL if value.value == null else value) for key, value in zip(universe, held, strict=True) if value.value
    ]
    return Entries(count, entries[: obj.want])


@view("java.util.IdentityHashMap")
async def identity_hash_map(obj: Obj) -> Shown:
    """Keys and values by turns in one array."""
    size, table = await obj.read("size", "table")
    count = number(size)
    if not obj.want or not count:
        return Entries(count, [])
    slots = await obj.elements(table)
    null = await static_mask(obj, "NULL_KEY")
    pairs = zip(slots[::2], slots[1::2], strict=True)
    entries = [(_NULL if key.value == null else key, value) for key, value in pairs if key.value]
    return Entries(count, entries[: obj.want])


async def static_mask(obj: Obj, name: str) -> int:
    """Return the object that replaces null in a table: a static field of the view's class; 0 if there is no such
    field."""
    field = obj.view_class.field(name, static=True)
    [value] = await obj.reader.statics(obj.view_class, [field]) if field else [_NULL]
    return int(value.value or 0)


@view("java.util.Properties")
async def properties(obj: Obj) -> Shown:
    """Since JDK 9 a ConcurrentHashMap inside; before, the Hashtable that it is (docs/jdk.md, "Properties")."""
    return await entries_of(obj, await obj.get("map")) if obj.has("map") else await hashtable(obj)


@view("java.util.Collections$SingletonMap")
async def singleton_map(obj: Obj) -> Shown:
    key, value = await obj.read("k", "v")
    return Entries(1, [(key, value)])


@view("java.util.Collections$EmptyMap")
async def empty_map(obj: Obj) -> Shown:
    return Entries(0, [])


@view(
    "java.util.HashMap$Node",
    "java.util.TreeMap$Entry",
    "java.util.Hashtable$Entry",
    "java.util.KeyValueHolder",
    "java.util.AbstractMap$SimpleEntry",
    "java.util.AbstractMap$SimpleImmutableEntry",
)
async def entry(obj: Obj) -> Shown:
    key, value = await obj.read("key", "value")
    return Pair(key, value)


@view("java.util.concurrent.ConcurrentHashMap$Node", "java.util.concurrent.ConcurrentHashMap$MapEntry")
async def concurrent_entry(obj: Obj) -> Shown:
    key, value = await obj.read("key", "val")
    return Pair(key, value)


async def entries_of(obj: Obj, mapping: TaggedValue) -> Entries:
    """Return what another map shows. Raises UnknownLayout when its view is no map."""
    shown = await obj.show(mapping)
    if not isinstance(shown, Entries):
        raise UnknownLayout("the map behind it is of an unknown kind")
    return shown

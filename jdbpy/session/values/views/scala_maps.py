"""Scala's maps and sets, as releases 2.11 to 2.13 (which Scala 3 uses too) lay them out."""

from __future__ import annotations

from jdbpy.session.jvm.reading import gather, read_both
from jdbpy.session.values.obj import Obj, find_fields, number, reference
from jdbpy.session.values.reader import ClassLayout
from jdbpy.session.values.shown import Entries, Items, Shown, UnknownLayout
from jdbpy.session.values.views.hashing import Buckets
from jdbpy.session.values.views.registry import view
from jdbpy.session.values.views.sequences import items_of
from jdbpy.session.values.views.sets import set_bits
from jdbpy.session.values.views.structures import (
    MOST_CELLS,
    KeyValue,
    TrieNode,
    cells,
    in_trie,
    single_objects,
    tree_entries,
    unread,
)
from jdbpy.session.values.walk import KnownEntry, Plan, Unread
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import TaggedValue

_IMMUTABLE = "scala.collection.immutable"
_MUTABLE = "scala.collection.mutable"


async def _class_of(obj: Obj, value: TaggedValue) -> ClassLayout:
    return await obj.reader.shape(await obj.reader.type_id(reference(value)))


@view(*(f"{_IMMUTABLE}.Map$Map{size}" for size in range(1, 5)))
async def small_map(obj: Obj) -> Shown:
    """Up to four entries in fields of their own: key1, value1, key2 and so on."""
    keys, values = _numbered(obj, "key"), _numbered(obj, "value")
    found = await obj.read(*keys, *values)
    entries = list(zip(found[: len(keys)], found[len(keys) :], strict=True))
    return Entries(len(entries), entries[: obj.want], "Map")


@view(*(f"{_IMMUTABLE}.Set$Set{size}" for size in range(1, 5)))
async def small_set(obj: Obj) -> Shown:
    elements = await obj.read(*_numbered(obj, "elem"))
    return Items(len(elements), elements[: obj.want], "Set")


@view(f"{_IMMUTABLE}.Map$EmptyMap$", f"{_IMMUTABLE}.HashMap$EmptyHashMap$", f"{_IMMUTABLE}.ListMap$EmptyListMap$")
async def empty_map(obj: Obj) -> Shown:
    return Entries(0, [], obj.name.partition("$")[0])


@view(f"{_IMMUTABLE}.Set$EmptySet$", f"{_IMMUTABLE}.HashSet$EmptyHashSet$", f"{_IMMUTABLE}.ListSet$EmptyListSet$")
async def empty_set(obj: Obj) -> Shown:
    return Items(0, [], obj.name.partition("$")[0])


def _numbered(obj: Obj, word: str) -> list[str]:
    """Return the fields called word1, word2 and so on; where inner classes read them, the compiler puts ``$$`` before
    that."""
    fields = [name for name in (field.name for field in obj.view_class.fields) if name.rpartition("$$")[2][:-1] == word]
    if not fields:
        raise UnknownLayout(f"no field {word}1")
    return sorted(fields, key=lambda name: name[-1])


@view(f"{_IMMUTABLE}.HashMap")
async def hash_map(obj: Obj) -> Shown:
    """A trie. Up to 2.12 the map is its root; later it has one, whose nodes keep entries and nodes in one array."""
    root, size = await _root(obj)
    if size == 0 or not obj.want:
        return Entries(size, [], "HashMap")
    entries = await in_trie(obj, root, _map_node, obj.want)
    return Entries(len(entries) if size is None and len(entries) < obj.want else size, entries, "HashMap")


@view(f"{_IMMUTABLE}.HashSet")
async def hash_set(obj: Obj) -> Shown:
    root, size = await _root(obj)
    if size == 0 or not obj.want:
        return Items(size, [], "HashSet")
    items = await in_trie(obj, root, _set_node, obj.want)
    return Items(len(items) if size is None and len(items) < obj.want else size, items, "HashSet")


async def _root(obj: Obj) -> tuple[TaggedValue, int | None]:
    """Return the root of a trie and the number of entries, None where it would have to be counted."""
    if not obj.has("rootNode"):
        return TaggedValue(Tag.OBJECT, obj.id), await _old_size(obj)
    root = await obj.get("rootNode")
    [size] = await obj.object_fields(root, "size")
    return root, number(size)


async def _old_size(obj: Obj) -> int | None:
    """Return the size of a map or set that is a node of a trie itself; None for one whose keys all have one hash."""
    shape = (*obj.below, obj.view_class)[0]
    if shape.field("size0") is not None:
        [size] = await obj.reader.fields(obj.id, await find_fields(obj.reader, shape, ["size0"]))
        return number(size)
    return None if "Collision" in shape.name else 1 if shape.field("key") is not None else 0


async def _map_node(node: TrieNode) -> Plan[KeyValue]:
    if node.has("content"):
        if not node.has("dataMap"):  # keys of one hash, as pairs
            [content] = await node.read("content")
            pairs = (await items_of(node.obj, content, MOST_CELLS)).items
            return [KnownEntry(await _pair(node.obj, pair)) for pair in pairs]
        bits, elements = await _contents(node)
        entries = [KnownEntry((elements[at], elements[at + 1])) for at in range(0, 2 * bits, 2)]
        return [*entries, *unread(reversed(elements[2 * bits :]))]
    if node.has("elems"):
        return await _old_branches(node)
    if node.has("kvs"):
        shown = await node.obj.show((await node.read("kvs"))[0], MOST_CELLS)
        return [KnownEntry(entry) for entry in shown.entries] if isinstance(shown, Entries) else []
    key, value = await node.read("key", "value")
    return [KnownEntry((key, value))]


async def _set_node(node: TrieNode) -> Plan[TaggedValue]:
    if node.has("content"):
        if not node.has("dataMap"):
            [content] = await node.read("content")
            return await _all_of(node, content)
        bits, elements = await _contents(node)
        return [*(KnownEntry(each) for each in elements[:bits]), *unread(reversed(elements[bits:]))]
    if node.has("elems"):
        return await _old_branches(node)
    if node.has("ks"):
        [collection] = await node.read("ks")
        return await _all_of(node, collection)
    [key] = await node.read("key")
    return [KnownEntry(key)]


async def _all_of(node: TrieNode, collection: TaggedValue) -> Plan[TaggedValue]:
    """The elements with one hash, which a node keeps in a list or a vector."""
    return [KnownEntry(each) for each in (await items_of(node.obj, collection, MOST_CELLS)).items]


async def _contents(node: TrieNode) -> tuple[int, list[TaggedValue]]:
    """Return how many entries a node has, and its array: entries from the front, nodes from the back."""
    data, content = await node.read("dataMap", "content")
    return (number(data) & 0xFFFFFFFF).bit_count(), await node.obj.elements(content)


async def _old_branches(node: TrieNode) -> list[Unread]:
    [elements] = await node.read("elems")
    return unread(await node.obj.elements(elements))


async def _pair(obj: Obj, pair: TaggedValue) -> KeyValue:
    key, value = await obj.object_fields(pair, "_1", "_2")
    return key, value


@view(f"{_IMMUTABLE}.ListMap$Node")
async def list_map(obj: Obj) -> Shown:
    """Cells from the last entry to the first."""
    if not obj.want:
        return Entries(None, [], "ListMap")
    names = ["_value", "_init"] if obj.has("_value") else ["value", "$outer"]
    fields, ends = await read_both(
        find_fields(obj.reader, obj.view_class, ["key", *names]),
        single_objects(obj.reader, f"{_IMMUTABLE}.ListMap$EmptyListMap$"),
    )
    found = await cells(obj.reader, TaggedValue(Tag.OBJECT, obj.id), fields, MOST_CELLS, ends)
    entries = [(key, value) for key, value in reversed(found)]
    return Entries(len(entries) if len(entries) < MOST_CELLS else None, entries[: obj.want], "ListMap")


@view(f"{_IMMUTABLE}.ListSet$Node")
async def list_set(obj: Obj) -> Shown:
    """Cells from the last element to the first, which is the order of 2.11; later ones go the other way."""
    if not obj.want:
        return Items(None, [], "ListSet")
    old = obj.has("head")
    fields, ends = await read_both(
        find_fields(obj.reader, obj.view_class, ["head" if old else "elem", "$outer"]),
        single_objects(obj.reader, f"{_IMMUTABLE}.ListSet$EmptyListSet$"),
    )
    found = [item for [item] in await cells(obj.reader, TaggedValue(Tag.OBJECT, obj.id), fields, MOST_CELLS, ends)]
    items = found if old else found[::-1]
    return Items(len(items) if len(items) < MOST_CELLS else None, items[: obj.want], "ListSet")


@view(f"{_IMMUTABLE}.TreeMap")
async def tree_map(obj: Obj) -> Shown:
    size, entries = await _tree(obj, await obj.get("tree"))
    return Entries(size, entries)


@view(f"{_IMMUTABLE}.TreeSet")
async def tree_set(obj: Obj) -> Shown:
    size, entries = await _tree(obj, await obj.get("tree"))
    return Items(size, [key for key, _ in entries])


@view(f"{_MUTABLE}.TreeMap")
async def mutable_tree_map(obj: Obj) -> Shown:
    size, entries = await _mutable_tree(obj)
    return Entries(size, entries)


@view(f"{_MUTABLE}.TreeSet")
async def mutable_tree_set(obj: Obj) -> Shown:
    """Show the tree; in 2.11 it is behind a reference, as the immutable sets have it."""
    if obj.has("treeRef"):
        [root] = await obj.object_fields(await obj.get("treeRef"), "elem")
        size, entries = await _tree(obj, root)
    else:
        size, entries = await _mutable_tree(obj)
    return Items(size, [key for key, _ in entries])


async def _tree(obj: Obj, root: TaggedValue) -> tuple[int, list[KeyValue]]:
    """Return the size of a red-black tree and its first entries; 2.13 keeps the color in a bit of the count."""
    if not root.value:
        return 0, []
    mark = "_" if (await _class_of(obj, root)).field("_key") is not None else ""
    [count] = await obj.object_fields(root, f"{mark}count")
    names = [f"{mark}{name}" for name in ("key", "value", "left", "right")]
    return number(count) & 0x7FFFFFFF, await tree_entries(obj.reader, root, names, obj.want)


async def _mutable_tree(obj: Obj) -> tuple[int, list[KeyValue]]:
    name = next((each.name for each in obj.view_class.fields if each.name.rpartition("$")[2] == "tree"), "tree")
    size, root = await obj.object_fields(await obj.get(name), "size", "root")
    return number(size), await tree_entries(obj.reader, root, ["key", "value", "left", "right"], obj.want)


@view(f"{_MUTABLE}.HashMap")
async def mutable_hash_map(obj: Obj) -> Shown:
    """Buckets, which the iterator takes from the last to the first up to 2.12, from the first on later."""
    size, entries = await _buckets(obj, "value")
    return Entries(size, entries)


@view(f"{_MUTABLE}.HashSet")
async def mutable_hash_set(obj: Obj) -> Shown:
    """Up to 2.12 a table of elements, later one of buckets."""
    if obj.has("contentSize"):
        size, entries = await _buckets(obj, "key")
        return Items(size, [key for key, _ in entries])
    count, table = await obj.read("tableSize", "table")
    slots = await obj.elements(table) if obj.want and number(count) else []
    return Items(number(count), [slot for slot in slots if slot.value][: obj.want])


async def _buckets(obj: Obj, value: str) -> tuple[int, list[KeyValue]]:
    old = not obj.has("contentSize")
    count, table = await obj.read("tableSize" if old else "contentSize", "table")
    size = number(count)
    if not size or not obj.want:
        return size, []
    slots = await obj.elements(table)
    first = next((slot for slot in slots if slot.value), None)
    if first is None:
        raise UnknownLayout("it changed while it was read")
    mark = "" if old else "_"
    names = [f"{mark}{name}" for name in ("key", value, "next")]
    fields = await find_fields(obj.reader, await _class_of(obj, first), names)
    return size, await Buckets(obj, fields, downwards=old).entries(table, size, len(slots))


@view(f"{_MUTABLE}.LinkedHashMap")
async def linked_hash_map(obj: Obj) -> Shown:
    size, entries = await _linked_entries(obj, "value")
    return Entries(size, entries)


@view(f"{_MUTABLE}.LinkedHashSet")
async def linked_hash_set(obj: Obj) -> Shown:
    size, entries = await _linked_entries(obj, "key")
    return Items(size, [key for key, _ in entries])


async def _linked_entries(obj: Obj, value: str) -> tuple[int, list[KeyValue]]:
    count, first = await obj.read("contentSize" if obj.has("contentSize") else "tableSize", "firstEntry")
    size = number(count)
    if not size or not obj.want or not first.value:
        return size, []
    fields = await find_fields(obj.reader, await _class_of(obj, first), ["key", value, "later"])
    return size, [(key, each) for key, each in await cells(obj.reader, first, fields, min(size, obj.want))]


_CONCURRENT = "scala.collection.concurrent"
_DEEPEST = 16
"""Nodes on the way to an entry of a TrieMap: seven levels of two nodes each, and those of one that is being changed."""


@view(f"{_CONCURRENT}.TrieMap")
async def trie_map(obj: Obj) -> Shown:
    """As it is at this moment; it keeps no count, so the size of one with more than is wanted is not known."""
    if not obj.want:
        return Entries(None, [])
    entries = await _concurrent_entries(obj, await obj.get("root"), obj.want + 1, _DEEPEST)
    return Entries(len(entries) if len(entries) <= obj.want else None, entries[: obj.want])


async def _concurrent_entries(obj: Obj, node: TaggedValue, want: int, deep: int) -> list[KeyValue]:
    """Return the first entries below a node. wire: 1 trip or 2 for each level."""
    kind = (await _class_of(obj, node)).name.removeprefix(f"{_CONCURRENT}.")
    if not deep:
        raise UnknownLayout("too many levels")
    if kind in ("INode", "TrieMap$RDCSS_Descriptor", "RDCSS_Descriptor"):
        [inner] = await obj.object_fields(node, "mainnode" if kind == "INode" else "old")
        return await _concurrent_entries(obj, inner, want, deep - 1)
    if kind in ("SNode", "TNode"):
        key, value = await obj.object_fields(node, "k", "v")
        return [(key, value)]
    if kind == "CNode":
        [array] = await obj.object_fields(node, "array")
        count = min(want, await obj.reader.length(reference(array)))  # each of them leads to one entry at least
        children = await obj.elements(array, 0, count)
        below = await gather([_concurrent_entries(obj, child, want, deep - 1) for child in children])
        return [entry for entries in below for entry in entries][:want]
    if kind != "LNode":
        raise UnknownLayout(f"a node of class {kind}")
    if (await _class_of(obj, node)).field("listmap") is not None:  # up to 2.12
        [older] = await obj.object_fields(node, "listmap")
        shown = await obj.show(older, want)
        return list(shown.entries) if isinstance(shown, Entries) else []
    [collided] = await obj.object_fields(node, "entries")
    pairs = (await items_of(obj, collided, want)).items
    found = await gather([obj.object_fields(pair, "_1", "_2") for pair in pairs])
    return [(key, value) for key, value in found]


@view(f"{_IMMUTABLE}.Map$WithDefault", f"{_MUTABLE}.Map$WithDefault", "scala.collection.Map$WithDefault")
async def map_with_default(obj: Obj) -> Shown:
    return await obj.show(await obj.get("underlying"))


@view(*(f"{_IMMUTABLE}.BitSet$BitSet{size}" for size in ("1", "2", "N")), f"{_MUTABLE}.BitSet")
async def bit_set(obj: Obj) -> Shown:
    """The numbers of the bits that are set in one, two or an array of words."""
    names = [name for name in ("elems", "elems0", "elems1") if obj.has(name)] or ["elems"]
    words = await obj.read(*names)
    if words[0].tag == Tag.ARRAY:
        words = await obj.elements(words[0])
    bits = set_bits([number(word) for word in words])
    return Items(len(bits), [TaggedValue(Tag.INT, bit) for bit in bits[: obj.want]], "BitSet")

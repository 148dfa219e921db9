"""Clojure's collections, sequences, names and references. Nothing is computed: of lazy sequences the realized part."""

from __future__ import annotations

from jdbpy.session.jvm.reading import gather, read_both
from jdbpy.session.values.obj import Obj, find_fields, number, reference
from jdbpy.session.values.shown import Entries, Holder, Items, Pair, Part, Parts, Scalar, Shown, UnknownLayout
from jdbpy.session.values.views.maps import entries_of
from jdbpy.session.values.views.registry import interface_view, view
from jdbpy.session.values.views.sequences import items_of
from jdbpy.session.values.views.structures import KeyValue, TrieNode, cells, in_trie, numbers, radix_elements, unread
from jdbpy.session.values.walk import KnownEntry, Plan, Unread
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import TaggedValue

_L = "clojure.lang"
_NULL = TaggedValue(Tag.OBJECT, 0)


# -- names ---------------------------------------------------------------------------------------------------------


async def _symbol_text(obj: Obj, symbol: TaggedValue) -> str:
    space, name = await obj.texts(await obj.object_fields(symbol, "ns", "name"))
    return f"{space}/{name}" if space else name or ""


@view(f"{_L}.Symbol")
async def symbol(obj: Obj) -> Shown:
    return Scalar(await _symbol_text(obj, TaggedValue(Tag.OBJECT, obj.id)))


@view(f"{_L}.Keyword")
async def keyword(obj: Obj) -> Shown:
    return Scalar(f":{await _symbol_text(obj, await obj.get('sym'))}")


@view(f"{_L}.Namespace")
async def namespace(obj: Obj) -> Shown:
    return Scalar(await _symbol_text(obj, await obj.get("name")), fields=True)


@view(f"{_L}.Var")
async def var(obj: Obj) -> Shown:
    """Show it as the reader spells it: #'user/x."""
    space, name = await obj.read("ns", "sym")
    text = await _symbol_text(obj, name)
    if space.value:
        [owner] = await obj.object_fields(space, "name")
        text = f"{await _symbol_text(obj, owner)}/{text}"
    return Scalar(f"#'{text}", fields=True)


# -- numbers -------------------------------------------------------------------------------------------------------


@view(f"{_L}.Ratio")
async def ratio(obj: Obj) -> Shown:
    shown = await gather([obj.show(value) for value in await obj.read("numerator", "denominator")])
    return Scalar("/".join(each.text if isinstance(each, Scalar) else "?" for each in shown))


@view(f"{_L}.BigInt")
async def big_int(obj: Obj) -> Shown:
    """A long unless it is too large for that; written with the N of Clojure's literals."""
    small, big = await obj.read("lpart", "bipart")
    if not big.value:
        return Scalar(f"{number(small)}N")
    shown = await obj.show(big)
    return Scalar(f"{shown.text}N") if isinstance(shown, Scalar) else Holder(big)


# -- vectors -------------------------------------------------------------------------------------------------------


@view(f"{_L}.PersistentVector")
async def vector(obj: Obj) -> Shown:
    """A tree of nodes, and the last elements in an array of their own."""
    return await _vector_part(obj, TaggedValue(Tag.OBJECT, obj.id), 0)


async def _vector_part(obj: Obj, whole: TaggedValue, start: int) -> Items:
    """The elements of a vector from an index on."""
    count, shift, root, tail = await obj.object_fields(whole, "cnt", "shift", "root", "tail")
    size = number(count)
    end = min(size, start + obj.want)
    if start >= end:
        return Items(max(size - start, 0), [])
    in_tree = 0 if size < 32 else (size - 1) >> 5 << 5
    if not 0 < number(shift) <= 35:
        raise UnknownLayout(f"a tree of {number(shift)} bits")
    front, back = await read_both(
        radix_elements(obj, root, number(shift) // 5 + 1, start, min(end, in_tree) - start),
        obj.elements(tail, max(start - in_tree, 0), end - max(start, in_tree)) if end > in_tree else _nothing(),
    )
    return Items(size - start, [*front, *back])


async def _nothing() -> list[TaggedValue]:
    return []


@view(f"{_L}.APersistentVector$SubVector")
async def sub_vector(obj: Obj) -> Shown:
    base, start, end = await obj.read("v", "start", "end")
    size = number(end) - number(start)
    count = min(size, obj.want)
    items = (await items_of(obj, base, number(start) + count)).items if count > 0 else []
    return Items(size, items[number(start) : number(start) + count])


@view(f"{_L}.PersistentVector$ChunkedSeq")
async def vector_seq(obj: Obj) -> Shown:
    whole, index, offset = await obj.read("vec", "i", "offset")
    return await _vector_part(obj, whole, number(index) + number(offset))


@view(f"{_L}.MapEntry")
async def map_entry(obj: Obj) -> Shown:
    key, value = await obj.read("_key", "_val")
    return Pair(key, value)


# -- maps and sets -------------------------------------------------------------------------------------------------


@view(f"{_L}.PersistentArrayMap")
async def array_map(obj: Obj) -> Shown:
    elements = await obj.elements(await obj.get("array"))
    entries = list(zip(elements[::2], elements[1::2], strict=True))
    return Entries(len(entries), entries[: obj.want])


@view(f"{_L}.PersistentHashMap")
async def hash_map(obj: Obj) -> Shown:
    """A trie; the key null is kept beside it, and comes first."""
    count, root, has_null, of_null = await obj.read("count", "root", "hasNull", "nullValue")
    first: list[KeyValue] = [(_NULL, of_null)] if has_null.value else []
    if not obj.want:
        return Entries(number(count), [])
    entries = first + await in_trie(obj, root, _map_node, obj.want - len(first))
    return Entries(number(count), entries[: obj.want])


async def _map_node(node: TrieNode) -> Plan[KeyValue]:
    """A node of nodes only, or one of keys and values, in which null as a key says that the value is a node."""
    if node.kind == "ArrayNode":
        return unread(await node.obj.elements((await node.read("array"))[0]))
    if node.kind == "HashCollisionNode":
        count, array = await node.read("count", "array")
        elements = await node.obj.elements(array, 0, 2 * number(count))
    elif node.kind == "BitmapIndexedNode":
        bitmap, array = await node.read("bitmap", "array")
        elements = await node.obj.elements(array, 0, 2 * (number(bitmap) & 0xFFFFFFFF).bit_count())
    else:
        raise UnknownLayout(f"a node of class {node.shape.name}")
    pairs = zip(elements[::2], elements[1::2], strict=True)
    return [
        KnownEntry((key, value)) if key.value else Unread(value) for key, value in pairs if key.value or value.value
    ]


@view(f"{_L}.PersistentTreeMap")
async def tree_map(obj: Obj) -> Shown:
    count, root = await obj.read("_count", "tree")
    entries = await in_trie(obj, root, _tree_node, obj.want) if obj.want else []
    return Entries(number(count), entries)


async def _tree_node(node: TrieNode) -> Plan[KeyValue]:
    """Nodes have fields only for what is not null: BlackVal has a value, RedBranch has subtrees."""
    names = [*(["val"] if "Val" in node.kind else []), *(["left", "right"] if "Branch" in node.kind else [])]
    key, *rest = await node.read("key", *names)
    found = dict(zip(names, rest, strict=True))
    entry: KnownEntry[KeyValue] = KnownEntry((key, found.get("val", _NULL)))
    return [*unread([found.get("left", _NULL)]), entry, *unread([found.get("right", _NULL)])]


@view(f"{_L}.APersistentSet")
async def persistent_set(obj: Obj) -> Shown:
    entries = await entries_of(obj, await obj.get("impl"))
    return Items(entries.size, [key for key, _ in entries.entries])


# -- sequences -----------------------------------------------------------------------------------------------------


@view(f"{_L}.PersistentList")
async def persistent_list(obj: Obj) -> Shown:
    size = number(await obj.get("_count"))
    fields = await find_fields(obj.reader, obj.view_class, ["_first", "_rest"])
    found = await cells(obj.reader, TaggedValue(Tag.OBJECT, obj.id), fields, min(size, obj.want)) if obj.want else []
    return Items(size, [item for [item] in found])


@view(f"{_L}.PersistentList$EmptyList")
async def empty_list(obj: Obj) -> Shown:
    return Items(0, [], f"{_L}.PersistentList")


@view(f"{_L}.PersistentQueue")
async def queue(obj: Obj) -> Shown:
    """A sequence of what is to come out, and a vector of what has come in."""
    count, front, back = await obj.read("cnt", "f", "r")
    size = number(count)
    items: list[TaggedValue] = []
    for part in (front, back):
        if part.value and len(items) < min(size, obj.want):
            items += (await items_of(obj, part, obj.want - len(items))).items
    return Items(size, items)


@view(f"{_L}.LazySeq", f"{_L}.Cons", f"{_L}.ChunkedCons")
async def sequence(obj: Obj) -> Shown:
    """Cell by cell, as far as the program has computed it. wire: 2 trips a cell, 4 for a chunk of 32 elements."""
    if not obj.want:
        return Items(None, [])
    items: list[TaggedValue] = []
    at = TaggedValue(Tag.OBJECT, obj.id)
    for _ in range(10 * obj.want + 10):
        if not at.value:
            return Items(len(items), items) if len(items) <= obj.want else Items(None, items[: obj.want])
        if len(items) > obj.want:
            return Items(None, items[: obj.want])
        kind = (await obj.reader.shape(await obj.reader.type_id(reference(at)))).name.removeprefix(f"{_L}.")
        if kind == "LazySeq":
            compute, value, rest = await obj.object_fields(at, "fn", "sv", "s")
            if compute.value:
                return Items(None, items[: obj.want])
            at = value if value.value else rest
        elif kind == "Cons":
            first, at = await obj.object_fields(at, "_first", "_more")
            items.append(first)
        elif kind == "ChunkedCons":
            chunk, at = await obj.object_fields(at, "chunk", "_more")
            array, start, end = await obj.object_fields(chunk, "array", "off", "end")
            items += await obj.elements(array, number(start), number(end) - number(start))
        else:
            rest_shown = await items_of(obj, at, obj.want + 1 - len(items))
            items += rest_shown.items
            size = None if rest_shown.size is None else len(items) - len(rest_shown.items) + rest_shown.size
            return Items(size, items[: obj.want])
    raise UnknownLayout("it leads in circles")


@view(f"{_L}.LongRange")
async def long_range(obj: Obj) -> Shown:
    start, end, step = map(number, await obj.read("start", "end", "step"))
    if not step:
        return Items(None, numbers(start, 0, obj.want, Tag.LONG))
    size = max(0, -((start - end) // step))
    return Items(size, numbers(start, step, min(size, obj.want), Tag.LONG))


@view(f"{_L}.ArraySeq")
async def array_seq(obj: Obj) -> Shown:
    array, start = await obj.read("array", "i")
    length = await obj.reader.length(reference(array))
    size = length - number(start)
    return Items(size, await obj.elements(array, number(start), min(size, obj.want)))


@view(f"{_L}.Repeat")
async def repeat(obj: Obj) -> Shown:
    count, value = await obj.read("count", "val")
    size = number(count) if number(count) >= 0 else None
    return Items(size, [value] * (obj.want if size is None else min(size, obj.want)))


# -- references ----------------------------------------------------------------------------------------------------


@view(f"{_L}.Atom")
async def atom(obj: Obj) -> Shown:
    [value] = await obj.object_fields(await obj.get("state"), "value")
    return Holder(value)


@view(f"{_L}.Agent")
async def agent(obj: Obj) -> Shown:
    return Holder(await obj.get("state"))


@view(f"{_L}.Ref")
async def ref(obj: Obj) -> Shown:
    """The latest of the values that it keeps for transactions."""
    values = await obj.get("tvals")
    return Holder((await obj.object_fields(values, "val"))[0] if values.value else None)


@view(f"{_L}.Volatile", f"{_L}.Reduced")
async def box(obj: Obj) -> Shown:
    return Holder(await obj.get("val"))


@view(f"{_L}.Delay")
async def delay(obj: Obj) -> Shown:
    compute, value = await obj.read("fn", "val")
    return Holder(None, empty="unrealized") if compute.value else Holder(value)


@interface_view(f"{_L}.IRecord")
async def defrecord(obj: Obj) -> Shown:
    """By its fields, and what else was put in; without what Clojure keeps for itself."""
    parts = await obj.own_parts()
    own = [part for part in parts if not part.name.startswith("__")]
    extra = next((part.value for part in parts if part.name == "__extmap"), _NULL)
    return Parts([*own, *([Part("__extmap", extra)] if extra.value else [])])

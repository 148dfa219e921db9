"""Linked structures whose nodes are of several classes: lists that end in an object, binary trees, tries, radix trees.

Scala's and Clojure's collections consist of these. Fields are read only from objects whose class was asked for, except
along lists, where the class of each cell is known from the declaration.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TypeVar

from jdbpy.session.jvm.reading import Reading, gather
from jdbpy.session.jvm.refs import Field
from jdbpy.session.values.obj import Obj, find_fields, number, readable, reference
from jdbpy.session.values.reader import ClassLayout, Reader
from jdbpy.session.values.shown import UnknownLayout
from jdbpy.session.values.walk import KnownEntry, Plan, Unread, Walk, first_in_order
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import TaggedValue

T = TypeVar("T")
KeyValue = tuple[TaggedValue, TaggedValue]

MOST_CELLS = 10_000
"""Cells of a list that are followed where the first ones are wanted last."""

_BITS = 5
"""A node of a radix tree has 32 places, in Scala as in Clojure."""


async def cells(
    reader: Reader, first: TaggedValue, fields: Sequence[Field], want: int, ends: Collection[int] = ()
) -> list[list[TaggedValue]]:
    """Fields of the first ``want`` cells of a list; the last of ``fields`` is the link.

    All cells must be of one class. The list ends with null or one of the objects ``ends``. wire: 1 trip a cell.
    """

    async def expand(places: list[int]) -> list[Plan[list[TaggedValue]]]:
        plans: list[Plan[list[TaggedValue]]] = []
        for outcome in await reader.fields_of_all(places, fields):
            *parts, link = readable(outcome)
            here = KnownEntry(parts)
            plans.append([here] if _is_end(link, ends) else [here, Unread(link.value)])
        return plans

    return await first_in_order([] if _is_end(first, ends) else [Unread(first.value)], expand, want)


def _is_end(link: TaggedValue, ends: Collection[int]) -> bool:
    return not link.value or link.value in ends


async def single_objects(reader: Reader, class_name: str) -> set[int]:
    """Return the instances of a class with one instance, which it keeps in MODULE$ (Scala). wire: 2-3 trips."""
    shapes = await gather([reader.shape(each.id) for each in await reader.classes(class_name)])
    fields = [shape.field("MODULE$", static=True) for shape in shapes]
    known = [(shape, field) for shape, field in zip(shapes, fields, strict=True) if field is not None]
    return {int(value.value or 0) for [value] in await gather([reader.statics(each, [field]) for each, field in known])}


async def tree_entries(reader: Reader, root: TaggedValue, names: Sequence[str], want: int) -> list[KeyValue]:
    """Return the first entries of a binary tree in order. ``names``: key, value, left and right, declared by the root's
    class or above it, in a class of all nodes. wire: 1 trip for each level, and 2 more."""
    if not root.value or not want:
        return []
    shape = await reader.shape(await reader.type_id(reference(root)))
    return await in_tree(reader, root, await find_fields(reader, shape, names), want)


async def in_tree(reader: Reader, root: TaggedValue, fields: Sequence[Field], want: int) -> list[KeyValue]:
    """Return the first entries of a binary tree in order; ``fields`` are key, value, left and right. wire: 1 trip a
    level."""

    async def expand(places: list[int]) -> list[Plan[KeyValue]]:
        plans: list[Plan[KeyValue]] = []
        for values in await reader.fields_of_all(places, fields):
            key, value, left, right = readable(values)
            plan: list[Unread | KnownEntry[KeyValue]] = [Unread(left.value)] if left.value else []
            plan.append(KnownEntry((key, value)))
            plans.append([*plan, Unread(right.value)] if right.value else plan)
        return plans

    walk: Walk[KeyValue] = reader.walks.of((in_tree, root.value), [Unread(root.value)])
    return await walk.first(expand, want)


class TrieNode:
    """A node of a trie: the object, its class, and its fields by name."""

    def __init__(self, obj: Obj, value: TaggedValue, shape: ClassLayout) -> None:
        self.obj = obj
        self.value = value
        self.shape = shape

    @property
    def kind(self) -> str:
        """Return the class's own name: the last part of a nested one's."""
        return self.shape.name.rpartition(".")[2].rpartition("$")[2]

    def has(self, name: str) -> bool:
        return self.shape.field(name) is not None

    async def read(self, *names: str) -> list[TaggedValue]:
        fields = await find_fields(self.obj.reader, self.shape, names)
        return await self.obj.reader.fields(reference(self.value), fields)


async def in_trie(obj: Obj, root: TaggedValue, plan: Callable[[TrieNode], Reading[Plan[T]]], want: int) -> list[T]:
    """Return the first entries of a tree whose nodes are of several classes; ``plan`` reads one node.

    wire: for each level 2 trips and those of ``plan``.
    """

    async def node(place: TaggedValue) -> Plan[T]:
        return await plan(TrieNode(obj, place, await obj.reader.shape(await obj.reader.type_id(reference(place)))))

    async def expand(places: list[TaggedValue]) -> list[Plan[T]]:
        return await gather([node(place) for place in places])

    return await first_in_order([Unread(root)] if root.value else [], expand, want)


def unread(values: Iterable[TaggedValue]) -> list[Unread]:
    """Parts that have to be read, null ones left out."""
    return [Unread(value) for value in values if value.value]


async def nested_arrays(obj: Obj, arrays: Sequence[tuple[TaggedValue, int]], want: int) -> list[TaggedValue]:
    """Return the first elements of arrays of arrays, each given with its number of dimensions, as one sequence."""

    async def one(array: TaggedValue, dimensions: int) -> Plan[TaggedValue]:
        elements = await obj.reader.whole(reference(array))
        if dimensions == 1:
            return [KnownEntry(element) for element in elements]
        return [Unread((element, dimensions - 1)) for element in elements if element.value]

    async def expand(places: list[tuple[TaggedValue, int]]) -> list[Plan[TaggedValue]]:
        return await gather([one(array, dimensions) for array, dimensions in places])

    return await first_in_order([Unread(each, least=0) for each in arrays if each[0].value], expand, want)


async def radix_elements(
    obj: Obj,
    root: TaggedValue,
    depth: int,
    start: int,
    count: int,
    focus: Mapping[tuple[int, int], TaggedValue] | None = None,
) -> list[TaggedValue]:
    """``count`` elements from index ``start`` on of a radix tree of ``depth`` levels.

    ``root`` is an array of 32, whose elements are arrays, or objects with a field ``array``. ``focus`` has the nodes,
    by (level, index of the node in its level), that are newer than those in the tree. wire: 1 trip a level, 3 with
    objects.
    """
    if count <= 0:
        return []
    last = start + count - 1
    nodes = {0: root}
    for level in range(depth - 1, 0, -1):
        below: dict[int, TaggedValue] = {}
        arrays = await gather([_slots(obj, node) for node in nodes.values()])
        for index, slots in zip(nodes, arrays, strict=True):
            for place, slot in enumerate(slots):
                child = index << _BITS | place
                if start >> _BITS * level <= child <= last >> _BITS * level:
                    below[child] = (focus or {}).get((level - 1, child), slot)
        nodes = below
    found: list[TaggedValue] = []
    for index, slots in zip(nodes, await gather([_slots(obj, node) for node in nodes.values()]), strict=True):
        first = index << _BITS
        found += slots[max(start - first, 0) : last + 1 - first]
    if len(found) != count:
        raise UnknownLayout("it changed while it was read")
    return found


async def _slots(obj: Obj, node: TaggedValue) -> list[TaggedValue]:
    array = node if node.tag == Tag.ARRAY else (await obj.object_fields(node, "array"))[0]
    return await obj.reader.whole(reference(array))


def numbers(start: int, step: int, count: int, tag: int = Tag.INT) -> list[TaggedValue]:
    """Return the values of a range."""
    return [TaggedValue(tag, start + step * index) for index in range(count)]


def as_number(value: TaggedValue | None) -> int | None:
    """Return the number of an integral value; None for others."""
    try:
        return number(value) if value is not None else None
    except UnknownLayout:
        return None

"""The common part of the views of lists, queues and sets: reading the first elements of arrays and chains."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence

from jdbpy.errors import JdwpError
from jdbpy.session.jvm.reading import gather, read_both
from jdbpy.session.jvm.refs import Field
from jdbpy.session.values.obj import Obj, find_fields, number, readable, reference
from jdbpy.session.values.reader import ClassLayout, Reader
from jdbpy.session.values.shown import Items, UnknownLayout
from jdbpy.session.values.walk import LEFT_OUT, KnownEntry, Plan, Unread, first_in_order
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import ReferenceTypeID, TaggedValue

_LONG = 200
"""A chain of more nodes than this is followed by itself; the nodes of shorter ones share the waves of all else."""

_NO_NODES = ClassLayout(ReferenceTypeID(0), "", "", (), ReferenceTypeID(0))
"""Stands for the class of nodes while it is not loaded."""

_SPARE = 10_000
"""Nodes without an item that a long chain may have: one that changes while it is read can lead in circles."""


async def array_prefix(obj: Obj, array: TaggedValue, size: int) -> Items:
    """A sequence whose elements are the first ``size`` of an array; the array may be null when there are none."""
    count = min(size, obj.want)
    return Items(size, await obj.elements(array, 0, count) if count > 0 else [])


async def whole_array(obj: Obj, array: TaggedValue) -> Items:
    """A sequence that has exactly the elements of an array."""
    return await array_prefix(obj, array, await obj.reader.length(reference(array)))


async def ring(obj: Obj, array: TaggedValue, start: int, size: int) -> Items:
    """A sequence of ``size`` elements in an array that goes round, beginning at ``start``."""
    count = min(size, obj.want)
    if count <= 0:
        return Items(size, [])
    straight = min(count, await obj.reader.length(reference(array)) - start)
    front, back = await read_both(obj.elements(array, start, straight), obj.elements(array, 0, count - straight))
    return Items(size, [*front, *back])


async def with_node_class(obj: Obj, names: Sequence[str], node_field: str) -> tuple[list[TaggedValue], ClassLayout]:
    """Fields of a linked structure, and side by side the class of the nodes that ``node_field`` leads to.

    While that class is not loaded there are no nodes: the field, which must be among ``names``, is null, and the class
    is one without fields.
    """
    values, node = await read_both(obj.read(*names), obj.node_class(node_field))
    if node is None and values[names.index(node_field)].value:
        raise UnknownLayout(f"the class of {node_field} is not loaded")
    return values, node or _NO_NODES


async def chain(
    reader: Reader, node_class: ClassLayout, first: TaggedValue, want: int, *, in_part: bool = False
) -> list[TaggedValue]:
    """Items of a linked list in order, ``want`` at most; nodes without an item are passed over. wire: 1 trip a node.

    ``in_part`` as for ``first_in_order``.
    """
    if not first.value:
        return []
    fields = await find_fields(reader, node_class, ["item", "next"])
    if want > _LONG:
        heap = reader.is_on_heap(want)
        return await _long_chain(reader, fields, first, want, skip_empty=True, from_heap=heap, in_part=in_part)

    async def expand(places: list[int]) -> list[Plan[TaggedValue]]:
        return [_link(*readable(values)) for values in await reader.fields_of_all(places, fields)]

    return await first_in_order([Unread(first.value)], expand, want, in_part=in_part)


def _link(item: TaggedValue, next_node: TaggedValue) -> Plan[TaggedValue]:
    known = [KnownEntry(item)] if item.value else []
    return [*known, Unread(next_node.value)] if next_node.value else known


async def double_chain(
    reader: Reader, node_class: ClassLayout, first: TaggedValue, last: TaggedValue, size: int, want: int
) -> list[TaggedValue]:
    """Items of a list linked both ways. From both ends when all of it is wanted, which halves the round trips, unless
    it is long enough to be looked for in the heap."""
    if not first.value:
        return []
    fields = await find_fields(reader, node_class, ["item", "next", "prev"])
    from_heap = size <= 2 * want and reader.is_on_heap(size)

    async def walk(start: TaggedValue, step: int, count: int) -> list[TaggedValue]:
        if min(size, want) > _LONG:
            ways = [fields[0], fields[step]]
            return await _long_chain(reader, ways, start, count, from_heap=from_heap, in_part=True)

        async def expand(places: list[int]) -> list[Plan[TaggedValue]]:
            nodes = [readable(values) for values in await reader.fields_of_all(places, fields)]
            return [
                [KnownEntry(node[0]), Unread(node[step].value)] if node[step].value else [KnownEntry(node[0])]
                for node in nodes
            ]

        return await first_in_order([Unread(start.value)] if start.value else [], expand, count, in_part=True)

    if size > want or from_heap:
        return await walk(first, 1, min(size, want))
    front, back = await gather([walk(first, 1, size - size // 2), _if_kept(walk(last, 2, size // 2))])
    return [*front, *reversed(back)] if len(front) + len(back) == size else front


async def _if_kept(items: Awaitable[list[TaggedValue]]) -> list[TaggedValue]:
    """Return the items, none where a snapshot does not have the first."""
    try:
        return await items
    except JdwpError as error:
        if error.number not in LEFT_OUT:
            raise
        return []


async def _long_chain(
    reader: Reader,
    fields: Sequence[Field],
    first: TaggedValue,
    want: int,
    *,
    skip_empty: bool = False,
    from_heap: bool = False,
    in_part: bool,
) -> list[TaggedValue]:
    """Items of a chain of many nodes; ``fields`` are the item and the link. No wave passes from node to node."""
    if not first.value:
        return []
    try:
        found = await reader.follow(
            reference(first), fields, want, _SPARE, skip_empty=skip_empty, from_heap=from_heap, in_part=in_part
        )
    except JdwpError as error:
        if error.number in LEFT_OUT:
            raise
        raise UnknownLayout("it changed while it was read") from None
    if found is None:
        raise UnknownLayout("it leads in circles")
    return found


async def items_of(obj: Obj, collection: TaggedValue, want: int) -> Items:
    """Return what another collection shows. Raises UnknownLayout when its view is no sequence."""
    if collection.tag == Tag.ARRAY:
        size = await obj.reader.length(reference(collection))
        return Items(size, await obj.elements(collection, 0, min(want, size)))
    shown = await obj.show(collection, want)
    if not isinstance(shown, Items):
        raise UnknownLayout("the collection behind it is of an unknown kind")
    return shown


async def total(obj: Obj, value: TaggedValue) -> int:
    """Return the number in an AtomicInteger or a LongAdder."""
    [held] = await obj.object_fields(value, "value")
    return number(held)

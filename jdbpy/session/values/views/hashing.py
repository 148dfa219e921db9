"""Hash tables with chained buckets: HashMap, LinkedHashMap, ConcurrentHashMap, Hashtable, WeakHashMap.

The table is read a stretch at a time, as long as entries are wanted, and all its chains side by side: a chain of n
nodes costs n round trips, whatever the number of chains.
"""

from __future__ import annotations

from collections.abc import Sequence

from jdbpy.errors import JdwpError
from jdbpy.record import Record
from jdbpy.session.jvm.reading import gather, read_both
from jdbpy.session.jvm.refs import Field
from jdbpy.session.values.obj import Obj, find_fields, number, readable, reference
from jdbpy.session.values.shown import Entries, Shown
from jdbpy.session.values.views.registry import view
from jdbpy.session.values.views.sequences import with_node_class
from jdbpy.session.values.walk import LEFT_OUT, KnownEntry, Plan, Unread, Walk, first_in_order
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import TaggedValue

KeyValue = tuple[TaggedValue, TaggedValue]
_Node = tuple[int, TaggedValue, TaggedValue]
"""A node with its key and value."""

_STRETCH = 64
"""Table slots that are read at the least."""

_SMALL = 2_000
"""Entries up to which the whole table is read at once, without asking for its length first."""


class Slots(Record):
    """Slots of a table that are not read yet: ``count`` of them from ``start`` on, in rising order."""

    table: int
    start: int
    count: int
    capacity: int


class Bucket(Record):
    """A node of the chain in one slot of a table."""

    node: int
    slots: Slots


class Buckets:
    """Reads the entries of one hash table in the order of its iterator.

    ``fields`` are those of a node: key, value, next, and whatever else a subclass looks at. ``downwards``: the iterator
    goes from the last slot to the first.
    """

    def __init__(self, obj: Obj, fields: Sequence[Field], *, downwards: bool = False) -> None:
        self._obj = obj
        self._reader = obj.reader
        self._fields = fields
        self._downwards = downwards

    async def open(self, table: TaggedValue, size: int) -> int:
        """Find out the length of a table, which may be large although little is in it. wire: 1 trip."""
        return await self._reader.length(reference(table))

    async def entries(self, table: TaggedValue, size: int, capacity: int, version: int | None = None) -> list[KeyValue]:
        """Return the first entries of a table, as many as are wanted. ``version``: see ``Walks``."""
        want = min(size, self._obj.want)
        if want <= 0 or not table.value:
            return []
        whole = Slots(reference(table), 0, capacity, capacity)
        walks = self._reader.walks
        walk: Walk[_Node] = walks.of((type(self), whole.table), [Unread(whole, least=0)], version)
        known = len(walk)
        self._stretch = max(_STRETCH, 2 * (want - known) * capacity // size)
        found = await walk.first(self._expand, want, in_part=True)
        if not walks.stand_still and known > self._obj.skip:  # others may have changed values
            found[self._obj.skip : known] = await self._read_again(found[self._obj.skip : known])
        return [(key, value) for _, key, value in found]

    async def _read_again(self, nodes: list[_Node]) -> list[_Node]:
        """Return nodes with the values that they have by now. wire: 1 trip."""
        ids = [node for node, _, _ in nodes]
        read = [readable(each) for each in await self._reader.fields_of_all(ids, self._fields)]
        return [(node, key, value) for node, (key, value, *_) in zip(ids, read, strict=True)]

    async def _expand(self, places: list[Slots | Bucket]) -> list[Plan[_Node]]:
        slots = [place for place in places if isinstance(place, Slots)]
        buckets = [place for place in places if isinstance(place, Bucket)]
        from_slots, from_buckets = await read_both(
            gather([self._read_slots(each) for each in slots]), self._nodes(buckets)
        )
        plans = {id(place): plan for place, plan in zip([*slots, *buckets], [*from_slots, *from_buckets], strict=True)}
        return [plans[id(place)] for place in places]

    async def _read_slots(self, slots: Slots) -> Plan[_Node]:
        """The chains in a stretch of slots, and what is left of the slots."""
        count = min(slots.count, self._stretch)
        rest = slots.count - count
        start = slots.start + rest if self._downwards else slots.start
        nodes = await self._reader.elements(slots.table, start, count)
        plan: list[Unread | KnownEntry[_Node]] = [
            Unread(Bucket(int(node.value), Slots(slots.table, start + index, 1, slots.capacity)))
            for index, node in enumerate(nodes)
            if node.value
        ]
        if self._downwards:
            plan.reverse()
        if rest:
            after = slots.start if self._downwards else slots.start + count
            plan.append(Unread(Slots(slots.table, after, rest, slots.capacity), least=0))
        return plan

    async def _nodes(self, buckets: list[Bucket]) -> list[Plan[_Node]]:
        nodes = await self._reader.fields_of_all([bucket.node for bucket in buckets], self._fields)
        return [self.plan(bucket, readable(node)) for bucket, node in zip(buckets, nodes, strict=True)]

    def plan(self, bucket: Bucket, node: list[TaggedValue]) -> Plan[_Node]:
        """Return what a node holds: its entry, and the rest of its chain."""
        key, value, next_node = node[:3]
        known = KnownEntry((bucket.node, key, value))
        return [known, Unread(Bucket(int(next_node.value), bucket.slots))] if next_node.value else [known]


async def capacity_of(obj: Obj, table: TaggedValue, threshold: int, load_factor: float) -> int:
    """Return the length of a table; mostly known by the threshold, which saves a round trip."""
    capacity = 1
    while capacity * load_factor < threshold and capacity < 1 << 30:
        capacity *= 2
    if int(capacity * load_factor) == threshold:
        return capacity
    return await obj.reader.length(reference(table))


@view("java.util.HashMap")
async def hash_map(obj: Obj) -> Shown:
    if not obj.want:
        return Entries(number(await obj.get("size")), [])
    names = ["size", "table", "threshold", "loadFactor", "modCount"]
    (size, table, threshold, load, changes), node = await with_node_class(obj, names, "table")
    count = number(size)
    if not count:
        return Entries(count, [])
    fields = await find_fields(obj.reader, node, ["key", "value", "next"])
    capacity = await capacity_of(obj, table, number(threshold), float(load.value or 0))
    return Entries(count, await Buckets(obj, fields).entries(table, count, capacity, number(changes)))


@view("java.util.LinkedHashMap")
async def linked_hash_map(obj: Obj) -> Shown:
    """Show it in the order of its list.

    When most of it is wanted, all nodes are taken out of the table, in a few round trips, and put in order here;
    following the list of a big map for its first entries costs a round trip each.
    """
    if not obj.want:
        return Entries(number(await obj.get("size")), [])
    (size, table, head), node = await with_node_class(obj, ["size", "table", "head"], "head")
    count = number(size)
    if not count:
        return Entries(count, [])
    fields = await find_fields(obj.reader, node, ["key", "value", "next", "after"])
    known = len(_walk(obj, head))
    if count > 10 * (obj.want - known):
        return Entries(count, await _follow(obj, head, fields))
    try:
        found = await _Nodes(obj, fields).by_id(table, count)
    except JdwpError as error:
        if error.number not in LEFT_OUT:
            raise
        found = {}
    entries: list[KeyValue] = []
    at = head.value
    while at and len(entries) < count:
        if at not in found:  # it changed while it was read, or a snapshot has a part of it
            return Entries(count, await _follow(obj, head, fields))
        key, value, _, after = found[int(at)]
        entries.append((key, value))
        at = after.value
    obj.reader.walks.all_read((_follow, head.value), entries)
    return Entries(count, entries[: obj.want])


class _Nodes(Buckets):
    """Collects the nodes of a table by their ids, all of them."""

    def __init__(self, obj: Obj, fields: Sequence[Field]) -> None:
        super().__init__(obj, fields)
        self._found: dict[int, list[TaggedValue]] = {}

    async def by_id(self, table: TaggedValue, size: int) -> dict[int, list[TaggedValue]]:
        capacity = await self.open(table, size)
        self._stretch = capacity
        await first_in_order([Unread(Slots(reference(table), 0, capacity, capacity), least=0)], self._expand, size)
        return self._found

    def plan(self, bucket: Bucket, node: list[TaggedValue]) -> Plan[_Node]:
        self._found[bucket.node] = node
        return super().plan(bucket, node)


async def _follow(obj: Obj, head: TaggedValue, fields: Sequence[Field]) -> list[KeyValue]:
    async def expand(places: list[int]) -> list[Plan[KeyValue]]:
        plans: list[Plan[KeyValue]] = []
        for values in await obj.reader.fields_of_all(places, fields):
            key, value, _, after = readable(values)
            plans.append([KnownEntry((key, value)), Unread(after.value)] if after.value else [KnownEntry((key, value))])
        return plans

    return await _walk(obj, head).first(expand, obj.want, in_part=True)


def _walk(obj: Obj, head: TaggedValue) -> Walk[KeyValue]:
    """Return how far the list of a map was read, which begins with that node. No trip."""
    return obj.reader.walks.of((_follow, head.value), [Unread(head.value)] if head.value else [])


@view("java.util.Hashtable")
async def hashtable(obj: Obj) -> Shown:
    if not obj.want:
        return Entries(number(await obj.get("count")), [])
    (size, table), node = await with_node_class(obj, ["count", "table"], "table")
    count = number(size)
    if not count:
        return Entries(count, [])
    fields = await find_fields(obj.reader, node, ["key", "value", "next"])
    buckets = Buckets(obj, fields, downwards=True)
    return Entries(count, await buckets.entries(table, count, await buckets.open(table, count)))


@view("java.util.WeakHashMap")
async def weak_hash_map(obj: Obj) -> Shown:
    """Keys are weak references; one that is cleared but not yet swept out is passed over, though it is counted."""
    if not obj.want:
        return Entries(number(await obj.get("size")), [])
    (size, table), node = await with_node_class(obj, ["size", "table"], "table")
    count = number(size)
    if not count:
        return Entries(count, [])
    fields = await find_fields(obj.reader, node, ["referent", "value", "next"])
    null_key = obj.view_class.field("NULL_KEY", static=True)
    capacity, nulls = await read_both(
        obj.reader.length(reference(table)), obj.reader.statics(obj.view_class, [null_key] if null_key else [])
    )
    entries = await _WeakBuckets(obj, fields, nulls).entries(table, count, capacity)
    return Entries(count, entries)


class _WeakBuckets(Buckets):
    """A table whose keys may be gone; the key null is kept as one of ``nulls``."""

    def __init__(self, obj: Obj, fields: Sequence[Field], nulls: list[TaggedValue]) -> None:
        super().__init__(obj, fields, downwards=True)
        self._nulls = {value.value for value in nulls}

    def plan(self, bucket: Bucket, node: list[TaggedValue]) -> Plan[_Node]:
        key = node[0]
        plan = super().plan(bucket, [TaggedValue(Tag.OBJECT, 0) if key.value in self._nulls else key, *node[1:]])
        return plan if key.value else plan[1:]


@view("java.util.concurrent.ConcurrentHashMap")
async def concurrent_hash_map(obj: Obj) -> Shown:
    names = ["baseCount", "counterCells", "table"]
    if not obj.want:
        base, cells, _ = await obj.read(*names)
        return Entries(await striped_sum(obj, base, cells), [])
    (base, cells, table), node = await with_node_class(obj, names, "table")
    if not table.value:
        return Entries(0, [])
    fields = await find_fields(obj.reader, node, ["key", "val", "next", "hash"])
    buckets = _ConcurrentBuckets(obj, fields)
    # Without cells the base is the count; with them it is less, and a table that is taken for small may be a large one.
    guess = number(base) if not cells.value else _SMALL + 1
    count, capacity = await read_both(striped_sum(obj, base, cells), buckets.open(table, guess))
    if not count:
        return Entries(count, [])
    return Entries(count, await buckets.entries(table, count, capacity))


async def striped_sum(obj: Obj, base: TaggedValue, cells: TaggedValue) -> int:
    """Return a count that is spread over cells to keep threads apart (``Striped64``, ``CounterCell``)."""
    if not cells.value:
        return number(base)
    read = [obj.object_fields(cell, "value") for cell in await obj.elements(cells) if cell.value]
    return number(base) + sum(number(value) for [value] in await gather(read))


class _ConcurrentBuckets(Buckets):
    """A table with nodes that are no entries, known by their hash: trees, and slots that have moved to a new table."""

    _MOVED, _TREE = -1, -2

    async def _nodes(self, buckets: list[Bucket]) -> list[Plan[_Node]]:
        nodes = await self._reader.fields_of_all([bucket.node for bucket in buckets], self._fields)
        return await gather(
            [self._resolve(bucket, readable(node)) for bucket, node in zip(buckets, nodes, strict=True)]
        )

    async def _resolve(self, bucket: Bucket, node: list[TaggedValue]) -> Plan[_Node]:
        kind = number(node[3])
        if kind == self._TREE:
            [first] = await self._obj.object_fields(TaggedValue(Tag.OBJECT, bucket.node), "first")
            return [Unread(Bucket(reference(first), bucket.slots))]
        if kind == self._MOVED:
            [table] = await self._obj.object_fields(TaggedValue(Tag.OBJECT, bucket.node), "nextTable")
            at, old = bucket.slots.start, bucket.slots.capacity
            return [Unread(Slots(reference(table), start, 1, 2 * old), least=0) for start in (at, at + old)]
        return self.plan(bucket, node) if kind >= 0 else []

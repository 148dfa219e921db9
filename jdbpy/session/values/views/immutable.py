"""List.of, Set.of, Map.of and their like (java.util.ImmutableCollections, JDK 9 and later).

Sets and maps of more than two elements are walked in an order that the VM draws at its start; the draw is in static
fields, so the order shown is the one that the program sees.
"""

from __future__ import annotations

from jdbpy.record import Record
from jdbpy.session.jvm.reading import read_both
from jdbpy.session.values.obj import Obj, number
from jdbpy.session.values.shown import Entries, Items, Shown
from jdbpy.session.values.views.registry import view
from jdbpy.session.values.views.sequences import whole_array
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import TaggedValue

_OUTER = "java.util.ImmutableCollections"


class Draw(Record):
    """The draw of the VM: where a walk begins, its direction, and the object that stands for "no element".

    ``scaled``: the salt is a fraction of the slots (since JDK 16), else a number modulo theirs (docs/jdk.md, "The order
    of Set.of").
    """

    salt: int | None  # None: drawn in a way that is not known, and shown from the first slot on
    reverse: bool
    empty: int
    scaled: bool = True


async def _draw(obj: Obj) -> Draw:
    """Never changes, and is asked for beside the fields of each collection all the same: a trip less."""
    outer = await obj.reader.boot_class(_OUTER)
    if outer is None:
        return Draw(None, False, 0)
    fields = [field for name in ("SALT32L", "SALT", "REVERSE", "EMPTY") if (field := outer.field(name, static=True))]
    values = await obj.reader.statics(outer, fields)
    drawn = {field.name: value.value for field, value in zip(fields, values, strict=True)}
    empty = int(drawn.get("EMPTY") or 0)
    if "SALT" in drawn:
        salt = int(drawn["SALT"] or 0)
        return Draw(salt, salt >= 0, empty, scaled=False)
    scaled = drawn.get("SALT32L")
    return Draw(None if scaled is None else int(scaled), bool(drawn.get("REVERSE")), empty)


def walk_order(length: int, draw: Draw, step: int = 1) -> list[int]:
    """Return the indices of an array of slots in the order of the iterators; ``step`` is 2 where a slot is key and
    value."""
    slots = length // step
    if draw.salt is None or not slots:
        return list(range(0, length, step))
    start = draw.salt * slots >> 32 if draw.scaled else draw.salt % slots
    turns = range(1, slots + 1)
    return [(start + turn if draw.reverse else start - turn) % slots * step for turn in turns]


@view(f"{_OUTER}$ListN")
async def list_n(obj: Obj) -> Shown:
    return await whole_array(obj, await obj.get("elements"))


@view(f"{_OUTER}$List12")
async def list_12(obj: Obj) -> Shown:
    (first, second), draw = await read_both(obj.read("e0", "e1"), _draw(obj))
    return Items(2, [first, second]) if _is_element(second, draw) else Items(1, [first])


@view(f"{_OUTER}$Set12")
async def set_12(obj: Obj) -> Shown:
    (first, second), draw = await read_both(obj.read("e0", "e1"), _draw(obj))
    if not _is_element(second, draw):
        return Items(1, [first])
    return Items(2, [second, first] if draw.reverse else [first, second])


def _is_element(value: TaggedValue, draw: Draw) -> bool:
    """True if the second place is taken: null or, since JDK 12, an Object of its own says that it is not."""
    return bool(value.value) and (value.tag != Tag.OBJECT or value.value != draw.empty)


@view(f"{_OUTER}$SetN")
async def set_n(obj: Obj) -> Shown:
    (size, array), draw = await read_both(obj.read("size", "elements"), _draw(obj))
    count = number(size)
    if not obj.want or not count:
        return Items(count, [])
    slots = await obj.elements(array)
    items = [slots[index] for index in walk_order(len(slots), draw) if slots[index].value]
    return Items(count, items[: obj.want])


@view(f"{_OUTER}$Map1")
async def map_1(obj: Obj) -> Shown:
    key, value = await obj.read("k0", "v0")
    return Entries(1, [(key, value)])


@view(f"{_OUTER}$MapN")
async def map_n(obj: Obj) -> Shown:
    (size, array), draw = await read_both(obj.read("size", "table"), _draw(obj))
    count = number(size)
    if not obj.want or not count:
        return Entries(count, [])
    slots = await obj.elements(array)
    entries = [(slots[at], slots[at + 1]) for at in walk_order(len(slots), draw, step=2) if slots[at].value]
    return Entries(count, entries[: obj.want])


# JDK 9 and 10 have classes for no, one and two elements.


@view(f"{_OUTER}$List0", f"{_OUTER}$Set0")
async def nothing(obj: Obj) -> Shown:
    return Items(0, [])


@view(f"{_OUTER}$Map0")
async def no_entries(obj: Obj) -> Shown:
    return Entries(0, [])


@view(f"{_OUTER}$List1", f"{_OUTER}$Set1")
async def one(obj: Obj) -> Shown:
    return Items(1, [await obj.get("e0")])


@view(f"{_OUTER}$List2", f"{_OUTER}$Set2")
async def two(obj: Obj) -> Shown:
    return Items(2, await obj.read("e0", "e1"))

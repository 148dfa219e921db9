"""The shortest chain of references to an object from a root: a static field, or a variable of a stopped thread.

Searched backwards and level by level: the referrers of the object, then theirs, all of a level in one batch, until one
of them is a class that holds the last one in a static field, or an object that a stack holds. Each question walks the
heap, so the number of objects asked about is bounded.

The protocol has who refers to an object and not from where; reading the referrer gives its field or element. What the
VM itself holds inside an object (a class's loader) shows in none, and gives no place.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import cast

from jdbpy.errors import JdwpError, StateError
from jdbpy.session.concurrency import both, together
from jdbpy.session.events.target import Target
from jdbpy.session.java.signatures import simple_name
from jdbpy.session.jvm.reading import gather, read_both
from jdbpy.session.jvm.refs import Field
from jdbpy.session.model.events import Notice
from jdbpy.session.model.heap import HeapPath, PathStep, StackRoot
from jdbpy.session.model.threads import FrameInfo
from jdbpy.session.model.values import Limits
from jdbpy.session.values.describe import describe
from jdbpy.session.values.objects import Objects
from jdbpy.session.values.reader import ClassLayout, Reader
from jdbpy.session.values.stack import StackReader
from jdbpy.session.values.variables import frame_slots, prefetch_slots, read_slots
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import ObjectID, TaggedObjectID, TaggedValue
from jdbpy.wire.layout import OBJECT_TAGS
from jdbpy.wire.messages import object_reference

_CHUNK = 20_000
"""Elements of an array looked at: the place of a reference further on stays unknown."""

_MOST_PLACES = 5


async def places_of(
    target: Target, referrers: Sequence[TaggedObjectID], wanted: Sequence[int]
) -> list[tuple[str, ...]]:
    """For each referrer the places that hold the object beside it in ``wanted``: ``.next``, ``[3]``, ``static CACHE``.

    wire: 2 trips when the classes are known, 1 more for each superclass that is not; whatever the number of referrers.
    """
    reader = Objects.of(target).reader
    return await reader.run(gather([_places_in(reader, *each) for each in zip(referrers, wanted, strict=True)]))


async def _places_in(reader: Reader, referrer: TaggedObjectID, wanted: int) -> tuple[str, ...]:
    try:
        if referrer.tag == Tag.ARRAY:
            length = await reader.length(referrer.objectID)
            values = await reader.elements(referrer.objectID, 0, min(length, _CHUNK))
            return tuple(f"[{index}]" for index, value in enumerate(values) if _is(value, wanted))[:_MOST_PLACES]
        own = _own_places(reader, referrer.objectID, wanted)
        if referrer.tag != Tag.CLASS_OBJECT:
            return tuple((await own)[:_MOST_PLACES])
        found, static = await read_both(own, _static_places(reader, referrer.objectID, wanted))
        return tuple([*found, *static][:_MOST_PLACES])
    except JdwpError:  # collected, or unloaded, meanwhile
        return ()


async def _own_places(reader: Reader, referrer: int, wanted: int) -> list[str]:
    fields = await _instance_fields(reader, referrer)
    values = await reader.fields(referrer, fields)
    return [f".{field.name}" for field, value in zip(fields, values, strict=True) if _is(value, wanted)]


async def _instance_fields(reader: Reader, object_id: int) -> list[Field]:
    """Return all instance fields of an object that can hold a reference, inherited ones too."""
    fields: list[Field] = []
    shape: ClassLayout | None = await reader.shape(await reader.type_id(object_id))
    while shape is not None:
        fields += [field for field in shape.fields if not field.is_static and field.signature[0] in "L["]
        shape = await reader.shape(shape.superclass) if shape.superclass else None
    return fields


async def _static_places(reader: Reader, class_object: int, wanted: int) -> list[str]:
    shape = await reader.shape(await reader.reflected_type(class_object))
    fields = [field for field in shape.fields if field.is_static and field.signature[0] in "L["]
    values = await reader.statics(shape, fields)
    name = simple_name(shape.name)
    return [f"static {name}.{field.name}" for field, value in zip(fields, values, strict=True) if _is(value, wanted)]


def _is(value: TaggedValue, wanted: int) -> bool:
    return value.tag in OBJECT_TAGS and value.value == wanted


_FRAMES = 50
"""Frames of each thread that are looked at, the innermost first."""


async def stack_roots(target: Target, stack: StackReader) -> dict[int, StackRoot]:
    """Return the objects in ``this``, arguments and locals of stopped threads, by id.

    wire: the stacks (2 or 3 trips), 1 for what variables the methods have, 1 for the values, whatever the number of
    frames; 1 more where there are methods without a variable table.
    """
    roots: dict[int, StackRoot] = {}
    if not target.suspension.anything_held:
        return roots
    traces = await stack.all()
    frames = [frame for trace in traces for frame in trace.frames[:_FRAMES] if not frame.native]
    await prefetch_slots(target, frames)
    for frame, held in zip(frames, await together(*(partial(_held, target, frame) for frame in frames)), strict=True):
        for name, value in held:
            roots.setdefault(value, StackRoot(frame.thread, frame, name))
    return roots


async def _held(target: Target, frame: FrameInfo) -> list[tuple[str, int]]:
    """Return the variables of a frame that hold objects; none when its thread was resumed meanwhile. wire: 1 trip."""
    try:
        variables = [each for each in await frame_slots(target, frame) if each.signature[0] in "L["]
        this, values = await read_slots(target, frame, variables)
    except (JdwpError, StateError):
        return []
    named = [("this", this), *zip((each.name for each in variables), values, strict=True)]
    return [
        (name, int(value.value))
        for name, value in named
        if not isinstance(value, JdwpError) and value.tag in OBJECT_TAGS and value.value
    ]


_REFERRERS = 64
"""Referrers of one object that are followed: the first ones do for a shortest path in all but odd heaps."""

_NO_ROOT = (
    "no static field and no variable of a stopped thread leads to it: "
    "a running thread, native code or the VM itself must hold it, or nothing does"
)

_SHORT = Limits(depth=0, string=80, elements=0, fields=0)


class _PathSearch:
    """The objects reached: ``toward[id]`` is the next object on the way to the one that is looked for."""

    def __init__(self, wanted: TaggedObjectID) -> None:
        self.toward: dict[int, TaggedObjectID | None] = {wanted.objectID: None}
        self.tags: dict[int, TaggedObjectID] = {wanted.objectID: wanted}
        self.searched = 0

    def chain(self, first: TaggedObjectID) -> list[TaggedObjectID]:
        """Return the objects from ``first`` to the one that is looked for."""
        found = [first]
        while (following := self.toward[found[-1].objectID]) is not None:
            found.append(following)
        return found


async def find_path(target: Target, stack: StackReader, object_id: int, most: int) -> HeapPath:
    """Return a shortest path to the object; see ``Heap.path``."""
    tag, on_stack = await both(
        lambda: Objects.of(target).reader.run(_tag(Objects.of(target).reader, object_id)),
        lambda: stack_roots(target, stack),
    )
    search = _PathSearch(TaggedObjectID(tag, ObjectID(object_id)))
    level = [search.tags[object_id]]
    note = ""
    while level:
        held = next((one for one in level if one.objectID in on_stack), None)
        if held is not None:
            root = on_stack[held.objectID]
            name = f"{root.variable} of frame {root.frame.index} ({root.frame.location.method})"
            return await _described(target, search, f'local {name}, thread "{root.thread.name}"', search.chain(held))
        if search.searched >= most:
            note = f"the search was given up after {search.searched} objects"
            break
        level = level[: most - search.searched]
        following = await _referrers(target, search, level)
        classes = [one for one in following if one.tag == Tag.CLASS_OBJECT]
        for one, places in zip(classes, await _places(target, search, classes), strict=True):
            static = next((place for place in places if place.startswith("static ")), None)
            if static is not None:
                return await _described(target, search, static, search.chain(one)[1:])
        target.publish(Notice("progress", f"{len(search.toward)} objects reached, {search.searched} searched"))
        level = following
    return await _described(target, search, "", [search.tags[object_id]], note or _NO_ROOT)


_TAGS = {"Ljava/lang/String;": Tag.STRING, "Ljava/lang/Class;": Tag.CLASS_OBJECT}
"""Tags of the objects that are described otherwise than by their fields; all else is an array or a plain object."""


async def _tag(reader: Reader, object_id: int) -> Tag:
    signature = await reader.signature(await reader.type_id(object_id))
    return Tag.ARRAY if signature.startswith("[") else _TAGS.get(signature, Tag.OBJECT)


async def _referrers(target: Target, search: _PathSearch, level: Sequence[TaggedObjectID]) -> list[TaggedObjectID]:
    """Return the objects that refer to those of the level and were not reached before. wire: 1 trip."""
    outcomes = await target.conn.batch([object_reference.ReferringObjects(each.objectID, _REFERRERS) for each in level])
    found: list[TaggedObjectID] = []
    for nearer, outcome in zip(level, outcomes, strict=True):
        search.searched += 1
        if isinstance(outcome, JdwpError):  # collected meanwhile
            continue
        for one in outcome.referringObjects:
            if one.objectID not in search.toward:
                search.toward[one.objectID] = nearer
                search.tags[one.objectID] = one
                found.append(one)
    return found


async def _described(
    target: Target, search: _PathSearch, root: str, chain: Sequence[TaggedObjectID], note: str = ""
) -> HeapPath:
    values, places = await both(
        lambda: describe(target, [TaggedValue(one.tag, one.objectID) for one in chain], _SHORT),
        lambda: _places(target, search, chain[:-1]),
    )
    hows = [*(each[0] if each else "(inside the VM)" for each in places), ""]
    return HeapPath(root, tuple(map(PathStep, values, hows)), search.searched, note)


async def _places(target: Target, search: _PathSearch, holders: Sequence[TaggedObjectID]) -> list[tuple[str, ...]]:
    """Return where each of the objects holds the next one on the way. wire: 2 trips or so, whatever their number."""
    following = [cast("TaggedObjectID", search.toward[one.objectID]) for one in holders]
    return await places_of(target, holders, [each.objectID for each in following])

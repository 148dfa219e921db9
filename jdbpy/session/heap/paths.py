"""The shortest chain of references to an object from a root: a static field, or a variable of a stopped thread.

Searched backwards and level by level: the referrers of the object, then theirs, all of a level in one batch, until one
of them is a class that holds the last one in a static field, or an object that a stack holds. Each question walks the
heap, so the number of objects asked about is bounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from jdbpy.errors import JdwpError
from jdbpy.session.concurrency import both
from jdbpy.session.events import Notice
from jdbpy.session.heap.model import HeapPath, PathStep
from jdbpy.session.heap.places import places_of
from jdbpy.session.heap.roots import stack_roots
from jdbpy.session.model import Limits
from jdbpy.session.stack.component import Stack
from jdbpy.session.target import Target
from jdbpy.session.values.describe import describe
from jdbpy.session.values.reader import Reader
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import ObjectID, TaggedObjectID, TaggedValue
from jdbpy.wire.messages import object_reference

_REFERRERS = 64
"""Referrers of one object that are followed: the first ones do for a shortest path in all but odd heaps."""

_NO_ROOT = (
    "no static field and no variable of a stopped thread leads to it: "
    "a running thread, native code or the VM itself must hold it, or nothing does"
)

_SHORT = Limits(depth=0, string=80, elements=0, fields=0)


class _PathSearch:
    """What has been reached: ``toward[id]`` is the next object on the way to the one that is looked for."""

    def __init__(self, wanted: TaggedObjectID) -> None:
        self.toward: dict[int, TaggedObjectID | None] = {wanted.objectID: None}
        self.tags: dict[int, TaggedObjectID] = {wanted.objectID: wanted}
        self.searched = 0

    def chain(self, first: TaggedObjectID) -> list[TaggedObjectID]:
        """The objects from ``first`` to the one that is looked for."""
        found = [first]
        while (following := self.toward[found[-1].objectID]) is not None:
            found.append(following)
        return found


async def find_path(target: Target, stack: Stack, object_id: int, most: int) -> HeapPath:
    """A shortest path to the object; see ``Heap.path``."""
    tag, on_stack = await both(
        lambda: target.objects.reader.run(_tag(target.objects.reader, object_id)), lambda: stack_roots(target, stack)
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
    """The objects that refer to those of the level and were not reached before. wire: 1 trip."""
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
    """Where each of the objects holds the next one on the way. wire: 2 trips or so, whatever their number."""
    following = [cast("TaggedObjectID", search.toward[one.objectID]) for one in holders]
    return await places_of(target, holders, [each.objectID for each in following])

"""The ``heap`` component of a session: instances, counts, referrers, paths, pins.

These commands walk the reachable heap at a safepoint (docs/agent.md, "Heap walks stop the VM"): the target stands still
meanwhile, some ten milliseconds for a small heap and seconds for a large one, and unreachable objects are not seen. So
each says before it walks, as a ``Notice`` of kind ``heap-walk``.
"""

from __future__ import annotations

from collections.abc import Sequence

from jdbpy.errors import JdwpError, StateError, UsageError
from jdbpy.session.concurrency import both
from jdbpy.session.eval.jvm.pins import PinLedger
from jdbpy.session.eval.utility_calls import CallRunner
from jdbpy.session.events.target import Target
from jdbpy.session.inspect.classes import ClassDirectory
from jdbpy.session.inspect.heap_paths import find_path, places_of
from jdbpy.session.inspect.memory import Usage
from jdbpy.session.model.classes import ClassInfo
from jdbpy.session.model.events import Notice
from jdbpy.session.model.heap import ClassCount, ClassHistogram, HeapPath, Instances, Referrer
from jdbpy.session.model.values import Limits
from jdbpy.session.values.describe import describe
from jdbpy.session.values.stack import StackReader
from jdbpy.wire.constants import GONE
from jdbpy.wire.ids import ObjectID, ReferenceTypeID, TaggedObjectID, TaggedValue
from jdbpy.wire.messages import object_reference, reference_type, virtual_machine

_SHORT = Limits(depth=0, string=80, elements=0, fields=0)


class HeapReader:
    """Questions about all objects of one target. ``usage`` asks its beans, by running code in it.

    ``pinned`` are the ids of the objects that ``pin`` keeps from collection.
    """

    def __init__(self, target: Target, classes: ClassDirectory, stack: StackReader, runner: CallRunner) -> None:
        self._target = target
        self.usage = Usage(runner)
        self._classes = classes
        self._stack = stack
        self.pinned = target.pinned

    async def instances(self, class_name: str, *, limit: int = 20, limits: Limits = _SHORT) -> Instances:
        """Reachable instances of a class, in every loader that has one of that name.

        Raises UsageError for a class that is not loaded, and for an array type or interface, which have none of their
        own. wire: 2 trips to count and find, and what describing them takes.
        """
        if limit < 1:
            raise UsageError("the number of instances to show must be 1 or more")
        infos = await self._loaded(class_name)
        self._walks(f"instances of {infos[0].name}")
        ids = [ReferenceTypeID(info.id) for info in infos]
        counts = self._target.conn.submit(virtual_machine.InstanceCounts(ids))
        outcomes = await self._target.conn.batch([reference_type.Instances(each, limit) for each in ids])
        refused = next((each for each in outcomes if isinstance(each, JdwpError) and each.number not in GONE), None)
        if refused is not None:
            raise refused
        found = [one for each in outcomes if not isinstance(each, JdwpError) for one in each.instances]
        total = sum((await counts.wait()).counts)
        values = await describe(self._target, [_value(one) for one in found[:limit]], limits)
        return Instances(infos[0].name, total, tuple(values))

    async def histogram(self, pattern: str = "", *, limit: int = 50) -> ClassHistogram:
        """Reachable instances by class, of the classes whose name fits the pattern (``com.acme.*``). wire: 2 trips."""
        if self._target.diagnostics is not None:
            return await self.usage.histogram(pattern, limit=limit)
        infos = await self._classes.list(pattern)
        if not infos:
            raise UsageError(f"no loaded class fits '{pattern}'", hint="'classes' lists them")
        self._walks("instances of all classes" if not pattern else f"instances of {pattern}")
        ids = [ReferenceTypeID(info.id) for info in infos]
        reply = await self._target.conn.request(virtual_machine.InstanceCounts(ids))
        counted = [
            ClassCount(info.name, info.id, count) for info, count in zip(infos, reply.counts, strict=True) if count > 0
        ]
        counted.sort(key=lambda each: (-each.count, each.class_name))
        return ClassHistogram(tuple(counted[:limit]), sum(each.count for each in counted), max(0, len(counted) - limit))

    async def referrers(self, object_id: int, *, limit: int = 50) -> tuple[Referrer, ...]:
        """Return the objects that refer to this one, with the fields and elements that do. Raises UsageError when it is
        gone.

        wire: 1 trip to find them, then what reading them takes, whatever their number.
        """
        self._require_instance_info()
        self._walks("referrers")
        reply = await self._target.conn.request(object_reference.ReferringObjects(ObjectID(object_id), limit))
        found = list(reply.referringObjects)
        values, places = await both(
            lambda: describe(self._target, [_value(one) for one in found], _SHORT),
            lambda: places_of(self._target, found, [object_id] * len(found)),
        )
        return tuple(Referrer(value, how) for value, how in zip(values, places, strict=True))

    async def path(self, object_id: int, *, most: int = 2000) -> HeapPath:
        """Return a shortest chain of references to the object from a static field, or from a variable of a stopped
        thread.

        ``most`` bounds the objects whose referrers are asked for; each question walks the heap. It can be cancelled
        at any moment. wire: 3 to 5 trips for the stacks, 1 a level of distance and 2 or so for the classes among its
        objects, 3 or so to describe what was found.
        """
        self._require_instance_info()
        self._walks("a path from the roots")
        return await find_path(self._target, self._stack, object_id, most)

    async def pin(self, object_id: int) -> None:
        """Keep an object from being collected (ObjectReference.DisableCollection), until ``unpin`` or the end of the
        session. Raises UsageError when it is gone. wire: 1 trip."""
        if object_id in self.pinned:
            return
        await self._target.conn.request(object_reference.DisableCollection(ObjectID(object_id)))
        PinLedger.of(self._target).pinned(object_id)  # or the end of an evaluation that uses it would let it go
        self.pinned.add(object_id)

    async def unpin(self, object_id: int) -> None:
        """Let an object that was pinned be collected again. Not waited for. wire: no trip."""
        if object_id in self.pinned:
            PinLedger.of(self._target).unpin(object_id)
            self.pinned.discard(object_id)

    async def is_collected(self, object_id: int) -> bool:
        """True if the object has been garbage-collected. wire: 1 trip."""
        reply = await self._target.conn.request(object_reference.IsCollected(ObjectID(object_id)))
        return reply.isCollected

    async def _loaded(self, class_name: str) -> Sequence[ClassInfo]:
        self._require_instance_info()
        infos = await self._classes.find(class_name)
        if not infos:
            raise UsageError(
                f"no class {class_name} is loaded",
                hint="'classes PATTERN' lists loaded classes",
                code="CLASS_NOT_LOADED",
            )
        return infos

    def _require_instance_info(self) -> None:
        self._target.require_alive()
        self._target.require_agent("looking for objects")
        if not self._target.can("canGetInstanceInfo"):
            raise StateError("this VM cannot walk its heap for a debugger", hint="'capabilities' lists what it can do")

    def _walks(self, what: str) -> None:
        if self._target.snapshot is None:
            self._target.publish(
                Notice("heap-walk", f"looking for {what}: the target is suspended while its heap is walked")
            )


def _value(tagged: TaggedObjectID) -> TaggedValue:
    return TaggedValue(tagged.tag, tagged.objectID)

"""The locks of java.util.concurrent: what a parked thread waits for, and who holds that. Read from fields only.

``LockSupport.park(blocker)`` notes its blocker in the thread. A blocker that is an ``AbstractOwnableSynchronizer``
(ReentrantLock, the write lock of ReentrantReadWriteLock) says who owns it, a ``FutureTask`` who runs it. Others (a
CountDownLatch, a Condition, a Semaphore, a read lock) have no owner.
"""

from __future__ import annotations

from collections.abc import Sequence

from jdbpy.errors import JdwpError
from jdbpy.record import Record
from jdbpy.session.jvm.reading import gather, read_both
from jdbpy.session.values.reader import Reader
from jdbpy.wire.ids import ReferenceTypeID

OWNABLE = "java.util.concurrent.locks.AbstractOwnableSynchronizer"
QUEUED = "java.util.concurrent.locks.AbstractQueuedSynchronizer"
QUEUED_LONG = "java.util.concurrent.locks.AbstractQueuedLongSynchronizer"
FUTURE = "java.util.concurrent.FutureTask"

_OWNER = {OWNABLE: "exclusiveOwnerThread", FUTURE: "runner"}
"""The field that names a thread, by the class that declares it."""

_DEEPEST = 20


class Synchronizer(Record):
    """A synchronizer that threads park for. ``owner`` is a thread's id, 0 for none; ``state`` counts how often that has
    locked it.
    """

    id: int
    kind: str  # "synchronizer", "task", or "" for what nobody can own
    owner: int = 0
    state: int = 0


async def read_synchronizers(reader: Reader, objects: Sequence[int]) -> dict[int, Synchronizer]:
    """Return what each object is to who waits for it; those that were collected are left out. To be run by the reader.

    wire: 1 trip for their classes, 1 for each class above that is not known, 1 for the owners.
    """
    found = await gather([_read(reader, each) for each in dict.fromkeys(objects)])
    return {each.id: each for each in found if each is not None}


async def _read(reader: Reader, object_id: int) -> Synchronizer | None:
    try:
        type_id = await reader.type_id(object_id)
        owner = state = 0
        kind = ""
        for _ in range(_DEEPEST):
            shape = await reader.shape(type_id)
            if shape.name in _OWNER:
                kind = "synchronizer" if shape.name == OWNABLE else "task"
                owner = await _number(reader, object_id, type_id, _OWNER[shape.name])
            elif shape.name in (QUEUED, QUEUED_LONG):
                above, state = await read_both(
                    _number(reader, object_id, shape.superclass, _OWNER[OWNABLE]),
                    _number(reader, object_id, type_id, "state"),
                )
                return Synchronizer(object_id, "synchronizer", above, state)
            if not shape.superclass or kind:
                break
            type_id = shape.superclass
    except JdwpError:
        return None
    return Synchronizer(object_id, kind, owner, state)


async def sync_of_lock(reader: Reader, object_id: int) -> int:
    """Return the synchronizer behind a lock object: itself, or what its field ``sync`` holds; 0 for any other object.

    Raises JdwpError when the object is gone. wire: 3 trips or more.
    """
    type_id = await reader.type_id(object_id)
    for _ in range(_DEEPEST):
        shape = await reader.shape(type_id)
        if shape.name in (OWNABLE, QUEUED, QUEUED_LONG):
            return object_id
        field = shape.field("sync")
        if field is not None and shape.name.startswith("java.util.concurrent."):
            [value] = await reader.fields(object_id, [field])
            return int(value.value or 0)
        if not shape.superclass:
            break
        type_id = shape.superclass
    return 0


async def _number(reader: Reader, object_id: int, type_id: ReferenceTypeID, name: str) -> int:
    """Return a field that this very class declares: a number, or an object's id; 0 when there is none."""
    field = (await reader.shape(type_id)).field(name)
    if field is None:
        return 0
    [value] = await reader.fields(object_id, [field])
    return int(value.value or 0)

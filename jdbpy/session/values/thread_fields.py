"""The facts in the fields of ``java.lang.Thread`` that the protocol does not tell; virtual threads found in the heap.

Read without running anything. Owns the names of those fields from Java 8 on: a JVM that names them otherwise gives
nothing, which is no error. Owns the search for virtual threads (Java 21): the agent lists only those that it has come
across; an event in one, and the agent's option includevirtualthreads=y, make them known without a search.
"""

from __future__ import annotations

from collections.abc import Sequence

from jdbpy.errors import JdwpError, StateError
from jdbpy.record import Record
from jdbpy.session.events.target import Target
from jdbpy.session.events.threads import wire_thread
from jdbpy.session.java.releases import DUMPS_THAT_CRASH, THREAD_HOLDER
from jdbpy.session.jvm.reading import gather, read_both
from jdbpy.session.jvm.refs import Field
from jdbpy.session.values.reader import ClassLayout, Reader
from jdbpy.wire.ids import TaggedValue, ThreadID
from jdbpy.wire.layout import OBJECT_TAGS
from jdbpy.wire.messages import reference_type

_THREAD = "java.lang.Thread"
_HOLDER = "java.lang.Thread$FieldHolder"  # since 19, for platform threads
_VIRTUAL = "java.lang.VirtualThread"
_LATER = (_HOLDER, _VIRTUAL)


class ThreadFields(Record):
    """Fields of a thread. Objects are ids, 0 for null; None is what this JVM has no such field for."""

    java_id: int | None = None  # Thread.getId()
    daemon: bool | None = None
    priority: int | None = None
    interrupted: bool | None = None
    blocker: int = 0  # LockSupport.getBlocker()
    context_loader: int = 0
    carrier: int = 0  # the thread that a virtual one is mounted on


async def expect_blockers(reader: Reader) -> None:
    """Look for the class that ``read_blockers`` begins with; to be run by the reader. wire: 1 trip, or none."""
    await reader.look_up_boot_classes([_THREAD])


async def read_blockers(reader: Reader, threads: Sequence[int]) -> dict[int, int]:
    """Return what each thread is parked for (LockSupport.getBlocker), 0 for nothing; those that were collected left
    out.

    To be run by the reader, and only for ids that the agent has called threads. wire: 3 trips, 1 when known.
    """
    shape = await reader.boot_class(_THREAD)
    if shape is None:
        return {}
    read = await _read(reader, threads, shape, "parkBlocker")
    return {thread: _number(values, "parkBlocker") or 0 for thread, values in read.items()}


async def read_thread_fields(reader: Reader, threads: Sequence[int]) -> dict[int, ThreadFields]:
    """Return the fields of threads, those that were collected left out; to be run by the reader. wire: 4 trips, 3 when
    known.

    Only for ids that the agent has called threads.
    """
    # The other classes are looked for beside; before 19 there are none, and the question would be asked every time.
    own, _ = await read_both(
        _own(reader, threads), reader.boot_classes(_LATER if reader.release >= THREAD_HOLDER else ())
    )
    held = await _held(reader, own)
    virtual = await _carriers(reader, [thread for thread, values in own.items() if _number(values, "holder") == 0])
    found: dict[int, ThreadFields] = {}
    for thread, values in own.items():
        merged = values | held.get(thread, {})
        if thread in virtual:  # by definition (Thread.Builder.OfVirtual)
            merged |= {"daemon": _TRUE, "priority": _NORMAL}
        found[thread] = ThreadFields(
            java_id=_number(merged, "tid"),
            daemon=None if "daemon" not in merged else bool(merged["daemon"].value),
            priority=_number(merged, "priority"),
            interrupted=None if "interrupted" not in merged else bool(merged["interrupted"].value),
            blocker=_number(merged, "parkBlocker") or 0,
            context_loader=_number(merged, "contextClassLoader") or 0,
            carrier=virtual.get(thread, 0),
        )
    return found


async def _own(reader: Reader, threads: Sequence[int]) -> dict[int, Named]:
    """Return the fields of the thread objects themselves."""
    shape = await reader.boot_class(_THREAD)
    if shape is None:
        return {}
    return await _read(reader, threads, shape, "tid", "daemon", "priority", "interrupted", "parkBlocker",
                       "contextClassLoader", "holder")  # fmt: skip


_TRUE = TaggedValue(ord("Z"), True)
_NORMAL = TaggedValue(ord("I"), 5)

Named = dict[str, TaggedValue]


async def _held(reader: Reader, own: dict[int, Named]) -> dict[int, Named]:
    """Daemon and priority of those whose fields are kept in an object beside the thread."""
    holders = {thread: _number(values, "holder") or 0 for thread, values in own.items() if "holder" in values}
    wanted = [holder for holder in holders.values() if holder]
    shape = await reader.boot_class(_HOLDER) if wanted else None
    if shape is None:
        return {}
    read = await _read(reader, wanted, shape, "daemon", "priority")
    return {thread: read[holder] for thread, holder in holders.items() if holder in read}


async def _carriers(reader: Reader, threads: Sequence[int]) -> dict[int, int]:
    """Return the carrier of each virtual thread of the JDK's own class, 0 while it is not mounted."""
    shape = await reader.boot_class(_VIRTUAL) if threads else None
    if shape is None:
        return {}
    fits = await gather([_is_of(reader, thread, shape) for thread in threads])
    virtual = [thread for thread, is_virtual in zip(threads, fits, strict=True) if is_virtual]
    read = await _read(reader, virtual, shape, "carrierThread")
    return {thread: _number(values, "carrierThread") or 0 for thread, values in read.items()}


async def _is_of(reader: Reader, thread: int, shape: ClassLayout) -> bool:
    try:
        return await reader.type_id(thread) == shape.id
    except JdwpError:
        return False


async def _read(reader: Reader, objects: Sequence[int], shape: ClassLayout, *names: str) -> dict[int, Named]:
    """Return the fields that the class declares, of each object that is still there."""
    fields: list[Field] = [field for field in map(shape.field, names) if field is not None]
    if not fields or not objects:
        return {}
    rows = await reader.fields_of_all(objects, fields)
    return {
        each: {field.name: value for field, value in zip(fields, row, strict=True)}
        for each, row in zip(objects, rows, strict=True)
        if not isinstance(row, JdwpError)
    }


def _number(values: Named, name: str) -> int | None:
    """Return a number, or the id of an object; None when there is no such field."""
    value = values.get(name)
    if value is None:
        return None
    assert value.tag in OBJECT_TAGS or isinstance(value.value, int)
    return int(value.value or 0)


_CLASS = "Ljava/lang/VirtualThread;"


def require_virtual_threads(target: Target) -> None:
    """Raises StateError when the target has no virtual threads: before Java 21."""
    if not target.at_least(21):
        raise StateError(
            f"this target, Java {target.info.version}, has no virtual threads",
            hint="they came with Java 21",
            code="NOT_AVAILABLE",
        )


def dumps_are_safe(target: Target) -> bool:
    """True if the JVM can be told to dump its virtual threads (``DUMPS_THAT_CRASH``)."""
    return target.at_least(21) and (target.diagnostics is None or not target.at_least(DUMPS_THAT_CRASH))


async def find_virtual_threads(target: Target, most: int) -> list[ThreadID]:
    """At most ``most`` virtual threads (0: all), those that have ended but were not collected yet among them.

    The target stands still while its heap is walked; without an agent a dump of its threads tells. Raises StateError
    when the target has no virtual threads, or cannot tell its instances. wire: 2 trips.
    """
    require_virtual_threads(target)
    if not target.can("canGetInstanceInfo") and target.diagnostics is None:
        raise StateError("the target cannot find the instances of a class", code="NOT_AVAILABLE")
    found = await target.types.by_signature(_CLASS)
    if not found:  # no program has made one yet
        return []
    reply = await target.conn.request(reference_type.Instances(found[0].id, most))
    return [wire_thread(each.objectID) for each in reply.instances]

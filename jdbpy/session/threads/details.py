"""All about one thread, and what many threads are and have used of the processor.

Owns what is put together from three sources: the protocol, the fields of the thread object, and ThreadMXBean, which
has to be run in the target and is asked for on request only.
"""

from __future__ import annotations

from collections.abc import Sequence

from jdbpy.errors import EvalError, JdwpError, StateError
from jdbpy.session.concurrency import both
from jdbpy.session.eval.own_calls import CallRunner, OwnCalls
from jdbpy.session.model import Limits, ThreadInfo, ThreadRef
from jdbpy.session.target import Target
from jdbpy.session.threads.fields import ThreadFields, read_thread_fields
from jdbpy.session.threads.model import ThreadDetail
from jdbpy.session.threads.reader import wire_thread
from jdbpy.session.values.describe import describe
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import Value
from jdbpy.wire.messages import thread_group_reference, thread_reference

_DEEPEST_GROUP = 50
_BEAN = "com.sun.management.ThreadMXBean"  # HotSpot's, which takes many ids at once
_FACTORY = "java.lang.management.ManagementFactory"
_TOLD = ("getThreadCpuTime", "getThreadUserTime", "getThreadAllocatedBytes")
_BRIEF = Limits(depth=0)


async def with_fields(target: Target, threads: Sequence[ThreadInfo]) -> list[ThreadInfo]:
    """The threads with their daemon flag, priority and Java id. wire: 3 or 4 trips, whatever the number of threads."""
    fields = await _fields(target, [thread.id for thread in threads])
    return [_merged(thread, fields.get(thread.id, ThreadFields())) for thread in threads]


async def read_detail(target: Target, info: ThreadInfo, runner: CallRunner) -> ThreadDetail:
    """All about one thread. What takes a method that cannot be run now is left out, with a note. wire: 10 trips."""
    fields = (await _fields(target, [info.id])).get(info.id, ThreadFields())
    outcomes, groups = await both(
        lambda: target.conn.batch([thread_reference.FrameCount(wire_thread(info.id))]), lambda: _groups(target, info.id)
    )
    thread_class, context, blocker = await _described(target, info.id, fields.context_loader, fields.blocker)
    info = _merged(info, fields)
    notes: list[str] = []
    cpu = user = None
    allocated = None
    try:
        async with runner.calls("the CPU time of a thread") as calls:
            (cpu,), (user,), (allocated,) = await _used(calls, [info.java_id or 0], *_TOLD)
    except (EvalError, StateError) as error:
        notes.append(f"no CPU time: {error.message}")
    if cpu is None and not notes:
        notes.append("no CPU time: this JVM does not measure it" + (" for virtual threads" if info.virtual else ""))
    if isinstance(outcomes[0], JdwpError):
        notes.append("no frames: the thread is running")
    return ThreadDetail(
        thread=info.replace(cpu=_seconds(cpu)),
        class_name=thread_class or "",
        groups=groups,
        frames=None if isinstance(outcomes[0], JdwpError) else outcomes[0].frameCount,
        interrupted=fields.interrupted,
        context_loader=context,
        carrier=await _carrier(target, fields.carrier),
        blocker=blocker,
        user=_seconds(user),
        allocated=allocated,
        notes=tuple(notes),
    )


async def with_times(target: Target, threads: Sequence[ThreadInfo], runner: CallRunner) -> list[ThreadInfo]:
    """The threads with their processor time, and what ``with_fields`` adds.

    Raises StateError when no method can be run. wire: 4 trips and two calls, whatever the number of threads.
    """
    merged = await with_fields(target, threads)
    async with runner.calls("the CPU time of threads") as calls:
        (cpu,) = await _used(calls, [thread.java_id or 0 for thread in merged], "getThreadCpuTime")
    return [thread.replace(cpu=_seconds(each)) for thread, each in zip(merged, cpu, strict=True)]


async def _used(calls: OwnCalls, java_ids: Sequence[int], *methods: str) -> list[list[int | None]]:
    """What methods of the bean tell of threads by their Java ids: nanoseconds, or bytes; None where it does not."""
    bean = await calls.static(_FACTORY, "getThreadMXBean", "()Ljava/lang/management/ThreadMXBean;")
    ids = await calls.longs([max(each, 1) for each in java_ids])  # the bean refuses ids below 1
    rows = []
    for method in methods:
        told = zip(await calls.array(await calls.call(bean, _BEAN, method, "([J)[J", ids)), java_ids, strict=True)
        rows.append(
            [int(each) if isinstance(each, int) and each >= 0 and java_id > 0 else None for each, java_id in told]
        )
    return rows


async def _fields(target: Target, ids: Sequence[int]) -> dict[int, ThreadFields]:
    reader = target.objects.reader
    return await reader.run(read_thread_fields(reader, ids))


def _merged(info: ThreadInfo, fields: ThreadFields) -> ThreadInfo:
    return info.replace(  # type: ignore[no-any-return]
        daemon=fields.daemon, priority=fields.priority, java_id=fields.java_id
    )


async def _groups(target: Target, thread: int) -> tuple[str, ...]:
    """The names of the thread's groups from the top down. wire: 1 trip a level."""
    names: list[str] = []
    try:
        group = (await target.conn.request(thread_reference.ThreadGroup(wire_thread(thread)))).group
        while group and len(names) < _DEEPEST_GROUP:
            name, parent = await target.conn.batch(
                [thread_group_reference.Name(group), thread_group_reference.Parent(group)]
            )
            if isinstance(name, JdwpError) or isinstance(parent, JdwpError):
                break
            names.append(name.groupName)
            group = parent.parentGroup
    except JdwpError:
        pass  # the thread has ended meanwhile
    return tuple(reversed(names))


async def _described(target: Target, thread: int, *objects: int) -> tuple[str | None, ...]:
    """The class of the thread object, and the texts of the other objects, None for null."""
    values = [Value(Tag.OBJECT, each) for each in (thread, *objects)]
    first, *rest = await describe(target, values, _BRIEF)
    return (first.type, *(each.text if each.id else None for each in rest))


async def _carrier(target: Target, thread: int) -> ThreadRef | None:
    if not thread:
        return None
    [name] = await target.conn.batch([thread_reference.Name(wire_thread(thread))])
    return None if isinstance(name, JdwpError) else ThreadRef(thread, name.threadName)


def _seconds(nanoseconds: int | None) -> float | None:
    return None if nanoseconds is None else nanoseconds / 1e9

"""All about one thread, what many threads have used of the processor; exceptions thrown in one, its name.

Owns what is put together from three sources: the protocol, the fields of the thread object, and ThreadMXBean, which has
to be run in the target and is asked for on request only.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from jdbpy.errors import EvalError, JdwpError, ProtocolError, StateError, UsageError
from jdbpy.session.concurrency import both, once, together
from jdbpy.session.eval.target import Ref
from jdbpy.session.eval.utility_calls import FACTORY, CallRunner, UtilityCall, UtilityCalls, on
from jdbpy.session.events.target import Target
from jdbpy.session.events.threads import thread_ref, wire_thread
from jdbpy.session.java.releases import BEANS_OF_ALL_INTERFACES, INTERRUPTED_FIELD
from jdbpy.session.model.threads import ThreadDetail, ThreadInfo, ThreadRef
from jdbpy.session.model.values import Limits
from jdbpy.session.values.describe import describe
from jdbpy.session.values.objects import Objects
from jdbpy.session.values.thread_fields import ThreadFields, read_thread_fields
from jdbpy.wire import ids
from jdbpy.wire.constants import Error, Tag
from jdbpy.wire.error_text import jdwp_error
from jdbpy.wire.ids import ObjectID, TaggedValue
from jdbpy.wire.messages import thread_group_reference, thread_reference

if TYPE_CHECKING:
    from jdbpy.session.eval.target import Raw


_DEEPEST_GROUP = 50
_BEAN = "com.sun.management.ThreadMXBean"  # HotSpot's, which takes many ids at once
_TOLD = ("getThreadCpuTime", "getThreadUserTime", "getThreadAllocatedBytes")
_THREAD = "java.lang.Thread"
_BRIEF = Limits(depth=0)

ReadFields = Callable[[], Awaitable[dict[int, ThreadFields]]]
JavaIds = Callable[[], Awaitable[Sequence[int]]]


async def with_fields(target: Target, threads: Sequence[ThreadInfo]) -> list[ThreadInfo]:
    """Return the threads with their daemon flag, priority and Java id. wire: 3 or 4 trips, whatever the number of
    threads."""
    fields = await _fields(target, [thread.id for thread in threads])
    return [_merged(thread, fields.get(thread.id, ThreadFields())) for thread in threads]


async def read_detail(
    target: Target, thread: int, find: Callable[[], Awaitable[ThreadInfo]], runner: CallRunner
) -> ThreadDetail:
    """Return all about one thread, which ``find`` gives. What takes a method that cannot be run now is left out, with a
    note.

    Methods are run when the fields have been read: what is asked of the thread in the first trip is asked before.

    wire: 8 trips over a link, 4 again, or 1 for each group that the thread is in; before Java 14 a call more.
    """
    read = once(lambda: _fields(target, [thread]))
    info, described, groups, (cpu, user, allocated, note), frames = await together(
        find,
        lambda: _described(target, thread, read),
        lambda: _groups(target, thread),
        lambda: _times(runner, lambda: _java_ids([thread], read)),
        lambda: _frames(target, thread),
    )
    thread_class, context, blocker, carrier = described
    fields = (await read()).get(thread, ThreadFields())
    info = _merged(info, fields)
    notes = [note] if note else []
    if cpu is None and not notes:
        notes.append("no CPU time: this JVM does not measure it" + (" for virtual threads" if info.virtual else ""))
    if isinstance(frames, JdwpError):
        running = frames.number == Error.THREAD_NOT_SUSPENDED
        notes.append("no frames: the thread is running" if running else f"the number of frames is not known: {frames}")
    interrupted, note = await _interrupted(target, thread, fields, runner)
    if note:
        notes.append(note)
    return ThreadDetail(
        thread=info.replace(cpu=_seconds(cpu)),
        class_name=thread_class or "",
        groups=groups,
        frames=None if isinstance(frames, JdwpError) else frames,
        interrupted=interrupted,
        context_loader=context,
        carrier=carrier,
        blocker=blocker,
        user=_seconds(user),
        allocated=allocated,
        notes=tuple(notes),
    )


async def _frames(target: Target, thread: int) -> int | JdwpError:
    """Return the number of frames, or why there is none. wire: 1 trip, 1 more where it may be ending."""
    if target.suspension.is_suspended(thread) and not await target.ending.standing([thread]):
        return jdwp_error(Error.THREAD_NOT_SUSPENDED)
    [outcome] = await target.conn.batch([thread_reference.FrameCount(wire_thread(thread))])
    return outcome if isinstance(outcome, JdwpError) else int(outcome.frameCount)


async def _interrupted(
    target: Target, thread: int, fields: ThreadFields, runner: CallRunner
) -> tuple[bool | None, str]:
    """Return whether a thread is interrupted, and why that is not known.

    A thread at an event may seem not to be although it is (docs/agent.md, "An interrupt is kept at an event").
    wire: 0 trips; before Java 14 a call.
    """
    interrupted = fields.interrupted
    if interrupted is None and not target.at_least(INTERRUPTED_FIELD):
        what = "telling, before Java 14, whether a thread is interrupted"
        try:
            async with runner.calls(what) as calls:
                # not the public method, which a program's own class may override
                told = await calls.call(Ref(thread, Tag.THREAD), _THREAD, "isInterrupted", "(Z)Z", False)
                interrupted = bool(told)
        except (EvalError, StateError) as error:
            return None, f"not known whether it is interrupted: {error.message}"
    if interrupted is False and (target.suspension.stopped_by_event(thread) or thread in target.suspension.evaluating):
        return None, (
            "not known whether it is interrupted: at an event the agent keeps an interrupt until the thread runs on"
        )
    return interrupted, ""


async def _times(runner: CallRunner, java_ids: JavaIds) -> tuple[int | None, int | None, int | None, str]:
    """Return what one thread has used: nanoseconds, those in user mode, bytes; and why that is not known."""
    try:
        async with runner.calls("the CPU time of a thread") as calls:
            (cpu,), (user,), (allocated,) = await _used(calls, 1, java_ids, *_TOLD)
            return cpu, user, allocated, ""
    except (EvalError, StateError) as error:
        return None, None, None, f"no CPU time: {error.message}"


async def with_times(target: Target, threads: Sequence[ThreadInfo], runner: CallRunner) -> list[ThreadInfo]:
    """Return the threads with their processor time, and what ``with_fields`` adds.

    Raises StateError when no method can be run. wire: 8 trips over a link, 4 again, whatever the number of threads.
    """
    ids = [thread.id for thread in threads]
    if target.diagnostics is not None:
        told = await target.diagnostics.thread_times()
        return [each.replace(cpu=told.get(each.java_id or 0)) for each in await with_fields(target, threads)]
    read = once(lambda: _fields(target, ids))
    async with runner.calls("the CPU time of threads") as calls:
        (cpu,) = await _used(calls, len(ids), lambda: _java_ids(ids, read), "getThreadCpuTime")
    fields = await read()
    merged = [_merged(thread, fields.get(thread.id, ThreadFields())) for thread in threads]
    return [thread.replace(cpu=_seconds(each)) for thread, each in zip(merged, cpu, strict=True)]


async def _java_ids(threads: Sequence[int], read: ReadFields) -> list[int]:
    fields = await read()
    return [fields.get(thread, ThreadFields()).java_id or 0 for thread in threads]


async def _used(calls: UtilityCalls, count: int, java_ids: JavaIds, *methods: str) -> list[list[int | None]]:
    """Return what methods of the bean tell of threads by their Java ids: nanoseconds, or bytes; None where it
    does not.
    """
    (ids, _), numbers = await both(lambda: both(lambda: calls.longs(count), lambda: _expect_bean(calls)), java_ids)
    (bean,), _ = await both(
        lambda: _bean(calls),
        lambda: calls.fill(ids, [max(each, 1) for each in numbers]),  # the bean refuses ids below 1
    )
    arrays = await calls.arrays(await calls.all(*(on(bean, _BEAN, method, "([J)[J", ids) for method in methods)))
    if any(len(array) != len(numbers) for array in arrays):
        raise ProtocolError(f"the target answered for other than the {len(numbers)} threads that were asked about")
    return [
        [
            int(each) if isinstance(each, int) and each >= 0 and java_id > 0 else None
            for each, java_id in zip(array, numbers, strict=True)
        ]
        for array in arrays
    ]


async def _expect_bean(calls: UtilityCalls) -> None:
    if calls.release >= BEANS_OF_ALL_INTERFACES:
        await calls.expect(load=[FACTORY], beans=[_BEAN])
    else:
        await calls.expect(load=[FACTORY, _BEAN])


async def _bean(calls: UtilityCalls) -> list[Raw]:
    """Return the bean of threads; it is declared to have HotSpot's interface where the VM has made sure of that."""
    if calls.release < BEANS_OF_ALL_INTERFACES:  # docs/jdk.md, "The bean of threads"
        return await calls.all(
            UtilityCall(FACTORY, "getThreadMXBean", "()Ljava/lang/management/ThreadMXBean;"), slow=True
        )
    found = await calls.all(await calls.bean(_BEAN))
    calls.declare(_BEAN, *found)
    return found


async def _fields(target: Target, ids: Sequence[int]) -> dict[int, ThreadFields]:
    reader = Objects.of(target).reader
    return await reader.run(read_thread_fields(reader, ids))


def _merged(info: ThreadInfo, fields: ThreadFields) -> ThreadInfo:
    return info.replace(daemon=fields.daemon, priority=fields.priority, java_id=fields.java_id)


async def _groups(target: Target, thread: int) -> tuple[str, ...]:
    """Return the names of the thread's groups from the top down. wire: 1 trip a level."""
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


async def _described(
    target: Target, thread: int, read: ReadFields
) -> tuple[str | None, str | None, str | None, ThreadRef | None]:
    """Return the class of the thread object, the texts of its context loader and blocker, and the thread that carries
    it."""
    fields = (await read()).get(thread, ThreadFields())
    values = [TaggedValue(Tag.OBJECT, each) for each in (thread, fields.context_loader, fields.blocker)]
    (first, *rest), carrier = await both(
        lambda: describe(target, values, _BRIEF), lambda: _carrier(target, fields.carrier)
    )
    context, blocker = (each.text if each.id else None for each in rest)
    return first.type, context, blocker, carrier


async def _carrier(target: Target, thread: int) -> ThreadRef | None:
    if not thread:
        return None
    [name] = await target.conn.batch([thread_reference.Name(wire_thread(thread))])
    return thread_ref(thread, name)


def _seconds(nanoseconds: int | None) -> float | None:
    return None if nanoseconds is None else nanoseconds / 1e9


Convert = Callable[[str, str], Awaitable[ids.TaggedValue]]
"""The value of an expression as a variable of the type of a JNI signature takes it."""


async def throw_in(target: Target, info: ThreadInfo, expression: str, convert: Convert) -> None:
    """Throws an exception in a thread, as soon as it runs (JVM TI StopThread).

    Raises EvalError for an expression that is no Throwable, UsageError for null, StateError when the agent refuses:
    a virtual thread has to stand at an event in Java code. wire: what the expression takes, and 1 trip.
    """
    target.require_alive()
    target.conn.require_allowed(thread_reference.Stop)
    value = await convert(expression, "Ljava/lang/Throwable;")
    if not value.value:
        raise UsageError("null cannot be thrown", hint="'kill THREAD new RuntimeException(\"why\")'")
    try:
        await target.conn.request(thread_reference.Stop(wire_thread(info.id), ObjectID(int(value.value))))
    except JdwpError as error:
        raise _refusal(error, info) from error


def _refusal(error: JdwpError, info: ThreadInfo) -> StateError:
    if error.number in (Error.OPAQUE_FRAME, Error.THREAD_NOT_SUSPENDED) and info.virtual:
        return StateError(
            "an exception can be thrown in a virtual thread only where an event has stopped it in Java code",
            hint="'break' where it passes, or 'interrupt THREAD'",
            code=error.code,
        )
    if error.number in (Error.INVALID_THREAD, Error.THREAD_NOT_ALIVE):
        return StateError("the thread has ended, or has not begun", hint="'threads' lists them", code=error.code)
    return StateError(f"the target refuses to throw in that thread: {error.message}", hint=error.hint, code=error.code)


async def rename(target: Target, info: ThreadInfo, name: str, runner: CallRunner) -> None:
    """Calls ``setName`` of a thread. Raises StateError when no method can be run. wire: one call."""
    async with runner.calls("naming a thread") as calls:
        await calls.call(Ref(info.id, Tag.THREAD), _THREAD, "setName", "(Ljava/lang/String;)V", name)

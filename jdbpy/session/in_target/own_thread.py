"""The making of a thread of the debugger's own: a plain daemon thread of the target, held at its first instruction.

Only a thread that an event has stopped can make it. Where the user has stopped none, a thread of the JVM's own lends
itself: one that waits for references to be cleaned up, and looks again when it is interrupted, which its code expects.
No thread of the program is suspended, and nothing of the debugger is loaded: the new thread has nothing to run, so it
ends when it is resumed, as it is when the debugger leaves or is killed.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from itertools import pairwise
from typing import Any

import trio

from jdbpy.errors import Disconnected, JdwpError, StateError
from jdbpy.session.eval.jvm.invoking import MakeCommand, run_method
from jdbpy.session.eval.jvm.throwables import read_throwable
from jdbpy.session.eval.target import Ref
from jdbpy.session.events.own_threads import NAME, OwnThread
from jdbpy.session.events.requests import RESUME, EventRequest, RequestHit, RequestSpec, Verdict
from jdbpy.session.events.suspension import SuspendOp
from jdbpy.session.events.target import Target
from jdbpy.session.events.threads import wire_thread
from jdbpy.session.jvm.refs import Method, RefType
from jdbpy.session.model.options import InvokeRules
from jdbpy.session.model.threads import Location
from jdbpy.session.values.writes import create_string, release
from jdbpy.wire.constants import EventKind, JdwpSuspendPolicy, Tag
from jdbpy.wire.ids import ClassID, CodeLocation, MethodID, ObjectID, ReferenceTypeID, TaggedValue
from jdbpy.wire.messages import class_type, event_request, object_reference, thread_reference, virtual_machine

LIMIT = 5.0
"""Seconds within which a thread must come to its place, beside a trip."""

_LENDERS = {
    "Finalizer": "java.lang.ref.Finalizer$FinalizerThread",
    "Common-Cleaner": "jdk.internal.ref.CleanerImpl",
}
"""Threads of the JVM that wait for references, by name, and the classes whose ``run`` does it in a loop."""

_WAITING_IN = ("java.lang.Object", "java.lang.ref.", "java.util.concurrent.locks.", "jdk.internal.misc.Unsafe")
"""Where such a thread is while it waits, and does nothing else."""

_NORMAL = 5
"""``Thread.NORM_PRIORITY``; that of the threads which lend themselves is higher."""

_WHAT = "a thread of the debugger's own"
_RULES = InvokeRules(limit=5.0)


async def make_own_thread(target: Target) -> OwnThread:
    """Make a thread in which methods can be run; ``prepare_own_thread`` follows. Raises StateError where no thread
    comes that could make it. wire: some 15 trips.
    """
    async with _lender(target) as lender:
        return OwnThread(await _start(target, lender))


@asynccontextmanager
async def _lender(target: Target) -> AsyncIterator[int]:
    """A thread that stands at an event: one that the user has stopped, else one of the JVM's own, for a moment."""
    suspension = target.suspension
    able = [each for each in suspension.threads_at_events() if each not in suspension.evaluating]
    if able:
        yield able[0]
        return
    for lender in await _find_lenders(target):
        coming = _Coming(target, lender)
        if not await coming.interrupted():
            continue
        try:
            yield lender
        finally:
            coming.give_back()
        return
    raise StateError(
        "no thread of this JVM can start one of the debugger's own, in which methods are run",
        hint="let the program come to a breakpoint, or do one step ('stepi')",
        code="NOT_AT_EVENT",
    )


async def _find_lenders(target: Target) -> list[int]:
    """Return the threads of the JVM that may lend themselves, the best one first. wire: 2 trips."""
    threads = (await target.conn.request(virtual_machine.AllThreads())).threads
    names = await target.conn.batch([thread_reference.Name(each) for each in threads])
    found = {
        name.threadName: int(thread)
        for thread, name in zip(threads, names, strict=True)
        if not isinstance(name, JdwpError) and name.threadName in _LENDERS
    }
    held = {*target.suspension.user_holds, *target.suspension.event_holds}
    return [found[name] for name in _LENDERS if name in found and found[name] not in held]


class _Coming:
    """A thread that is to come to a place, and to stay there for the debugger."""

    def __init__(self, target: Target, thread: int) -> None:
        self._target = target
        self._thread = thread
        self._came = trio.Event()

    def request(self, place: CodeLocation) -> EventRequest:
        """Have it stop at the place. wire: no wait."""
        modifiers = [
            event_request.ThreadOnly(wire_thread(self._thread)),
            event_request.LocationOnly(place),
            event_request.Count(1),
        ]
        spec = RequestSpec(EventKind.BREAKPOINT, JdwpSuspendPolicy.EVENT_THREAD, modifiers, self._come)
        return self._target.requests.submit(spec)[0]

    def _come(self, hit: RequestHit) -> Verdict:
        """Keep it suspended when its event is resumed."""
        self._target.requests.spent(hit.request)
        suspension = self._target.suspension
        for op, thread in suspension.plan_keep(self._thread, everything=hit.policy is JdwpSuspendPolicy.ALL):
            self._target.submit_op(op, thread, brief=True)
        suspension.hold_briefly(self._thread, 1)
        self._came.set()
        return RESUME

    async def wait(self, *requests: EventRequest) -> bool:
        """Wait until it has come; False if it does not. Whatever suspends it meanwhile is taken back."""
        target = self._target
        try:
            with trio.move_on_after(LIMIT + target.latency.round_trip):
                while not self._came.is_set() and not all(each.dropped for each in requests):  # the agent refuses them
                    self.let_go()
                    with trio.move_on_after(LIMIT / 20):
                        await self._came.wait()
                        break
                    await self._let_start()
        finally:
            target.requests.drop(requests)
        return self._came.is_set() and target.suspension.stopped_by_event(self._thread)

    def let_go(self) -> None:
        """Let it run, whatever suspends it. wire: no wait."""
        target = self._target
        with suppress(Disconnected), target.conn.corked:
            for _ in range(target.suspension.count(self._thread)):
                target.submit_op(SuspendOp.THREAD_RESUME, self._thread)

    async def _let_start(self) -> None:
        """Let it run where the agent has suspended it at its start. wire: 1 trip, 2 before release 21.

        New threads are suspended there while all are. The agent passes over a Resume of one that has not come there
        yet, as on a busy machine. One that stands at its place has a frame: its event is under way.
        """
        target, thread = self._target, wire_thread(self._thread)
        if target.suspension.is_suspended(self._thread) or not await target.ending.standing([thread]):
            return
        try:
            frames = (await target.conn.request(thread_reference.FrameCount(thread))).frameCount
        except JdwpError:  # it runs
            return
        if not frames and not self._came.is_set():
            target.conn.submit(thread_reference.Resume(thread))

    async def interrupted(self) -> bool:
        """Have a thread of the JVM that waits for references come to where it begins to wait; False if it is busy.

        wire: 3 trips.
        """
        target = self._target
        target.suspension.own.add(self._thread)  # what the user waits for does not happen there meanwhile
        target.virtual_threads[self._thread] = False
        came = False
        try:
            place = await self._where_it_waits()
            if place is not None:
                with target.conn.corked:
                    request = self.request(place)
                    target.conn.submit(thread_reference.Interrupt(wire_thread(self._thread)))
                came = await self.wait(request)
        finally:
            if not came:
                self.give_back()
        return came

    async def _where_it_waits(self) -> CodeLocation | None:
        """Suspend it, if it is not, and return where it begins to wait; None if it does anything else."""
        target, thread = self._target, wire_thread(self._thread)
        if not target.suspension.is_suspended(thread):
            target.submit_op(SuspendOp.THREAD_SUSPEND, thread, brief=True)
        if not await target.ending.standing([thread]):
            return None
        try:
            frames = (await target.conn.request(thread_reference.Frames(thread, 0, -1))).frames
        except JdwpError:
            return None
        return _where_it_waits(await target.types.locations([each.location for each in frames]))

    def give_back(self) -> None:
        """Suspend it as often as most threads are: it is one of the JVM's again. wire: no wait."""
        suspension = self._target.suspension
        with suppress(Disconnected), self._target.conn.corked:
            for op, thread in suspension.plan_join(self._thread):
                self._target.submit_op(op, thread, brief=True)
            suspension.hold_briefly(self._thread, 0)
        suspension.own.discard(self._thread)


def _where_it_waits(stack: Sequence[Location]) -> CodeLocation | None:
    """Return the entry of the method in which a thread waits for references; None if it does anything else."""
    for above, frame in pairwise(stack):
        if not above.class_name.startswith(_WAITING_IN):
            return None
        if frame.method == "run" and frame.class_name in _LENDERS.values():
            if above.method != "remove":
                return None
            return CodeLocation(above.type_tag, ReferenceTypeID(above.type_id), MethodID(above.method_id), 0)
    return None


async def _start(target: Target, lender: int) -> int:
    """Have a thread that stands at an event start another one, and return that, held where it begins. wire: 10 trips.

    It is in the group of the system's threads, and takes over none of the values that the other one hands on.
    """
    [thread_class] = await target.types.by_signature("Ljava/lang/Thread;")
    methods = (await target.types.methods([thread_class.id]))[thread_class.id]
    signature = "(Ljava/lang/ThreadGroup;Ljava/lang/Runnable;Ljava/lang/String;"
    wide = next((each for each in methods if (each.name, each.signature) == ("<init>", f"{signature}JZ)V")), None)
    constructor = wide or _method(methods, "<init>", f"{signature})V")
    [group, *_] = (await target.conn.request(virtual_machine.TopLevelThreadGroups())).groups
    name = await create_string(target, NAME)
    thread = 0
    try:
        args = [TaggedValue(Tag.THREAD_GROUP, group), TaggedValue(Tag.OBJECT, 0), name]
        if wide is not None:
            args += [TaggedValue(Tag.LONG, 0), TaggedValue(Tag.BOOLEAN, False)]
        clazz = ClassID(thread_class.id)
        made = await _run(
            target,
            lender,
            lambda options: class_type.NewInstance(clazz, wire_thread(lender), constructor.id, args, options),
        )
        thread = int(made.newObject.objectID)
        await target.conn.request(object_reference.DisableCollection(ObjectID(thread)))
        target.suspension.own.add(thread)
        target.virtual_threads[thread] = False
        for setter, signature, value in (
            ("setDaemon", "(Z)V", TaggedValue(Tag.BOOLEAN, True)),
            ("setPriority", "(I)V", TaggedValue(Tag.INT, _NORMAL)),
        ):
            await _call(target, lender, thread, thread_class, _method(methods, setter, signature), [value])
        coming = _Coming(target, thread)
        run = _method(methods, "run", "()V")
        request = coming.request(CodeLocation(thread_class.tag, thread_class.id, run.id, 0))
        came = False
        try:
            await _call(target, lender, thread, thread_class, _method(methods, "start", "()V"))
            came = await coming.wait(request)
        finally:
            target.requests.drop([request])
            if not came:
                coming.let_go()  # it ends
        if not came:
            raise StateError(f"{_WHAT} was started, and has not begun to run", hint="try again in a moment")
    finally:
        release(target, name)
        release(target, TaggedValue(Tag.OBJECT, thread))
    return thread


async def prepare_own_thread(target: Target, thread: int) -> int:
    """Give a new thread the class loader of the application; return that loader. wire: 4 trips."""
    [loader_class] = await target.types.by_signature("Ljava/lang/ClassLoader;")
    [thread_class] = await target.types.by_signature("Ljava/lang/Thread;")
    methods = await target.types.methods([loader_class.id, thread_class.id])
    get = _method(methods[loader_class.id], "getSystemClassLoader", "()Ljava/lang/ClassLoader;")
    clazz, thread_id = ClassID(loader_class.id), wire_thread(thread)
    found = await _run(target, thread, lambda options: class_type.InvokeMethod(clazz, thread_id, get.id, [], options))
    loader = int(found.returnValue.value)
    set_ = _method(methods[thread_class.id], "setContextClassLoader", "(Ljava/lang/ClassLoader;)V")
    await _call(target, thread, thread, thread_class, set_, [TaggedValue(Tag.CLASS_LOADER, loader)])
    return loader


def _method(methods: Sequence[Method], name: str, signature: str) -> Method:
    found = next((each for each in methods if (each.name, each.signature) == (name, signature)), None)
    if found is None:
        raise StateError(f"java.lang.Thread has no method {name} on this JVM", code="NOT_AVAILABLE")
    return found


async def _call(
    target: Target, thread: int, obj: int, clazz: RefType, method: Method, args: Sequence[TaggedValue] = ()
) -> Any:
    thread_id, class_id, object_id = wire_thread(thread), ClassID(clazz.id), ObjectID(obj)
    return await _run(
        target,
        thread,
        lambda options: object_reference.InvokeMethod(object_id, thread_id, class_id, method.id, args, options),
    )


async def _run(target: Target, thread: int, make: MakeCommand) -> Any:
    """Run one method that the making takes. Raises StateError when it throws. wire: 1 trip."""
    reply = await run_method(target, thread, f"starting {_WHAT}", make, _RULES)
    if reply.exception.objectID:
        thrown = await read_throwable(target, Ref(reply.exception.objectID, reply.exception.tag), None)
        raise StateError(f"the JVM starts no thread for the debugger: {thrown.message}", code="NOT_AVAILABLE")
    return reply

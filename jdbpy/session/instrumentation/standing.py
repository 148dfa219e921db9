"""Frames that are in a class already, before its code is changed.

A redefinition takes effect for calls that come later. A frame that is there runs the code of before, in which no
breakpoint can be set any more, and runs it interpreted until it returns, as all frames of the class do. So code is
changed only while no frame can come to the place again, and none of the class is in a loop.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress

from jdbpy.errors import Disconnected, JdwpError
from jdbpy.session.java.bytecode import leads_to
from jdbpy.session.target import facts
from jdbpy.session.target.refs import OBSOLETE, RefType
from jdbpy.session.target.suspension import SuspendOp
from jdbpy.session.target.target import Target
from jdbpy.wire.ids import CodeLocation, MethodID
from jdbpy.wire.messages import thread_reference, virtual_machine


@asynccontextmanager
async def everything_suspended(target: Target) -> AsyncIterator[None]:
    """All threads are suspended within the block. wire: no wait."""
    target.submit_op(SuspendOp.VM_SUSPEND)
    try:
        yield
    finally:
        with suppress(Disconnected):
            target.submit_op(SuspendOp.VM_RESUME)


async def why_not_now(
    target: Target,
    type_: RefType,
    places: Iterable[tuple[MethodID, int]],
    *,
    at_event: int = 0,
    despite_loops: bool = False,
) -> str:
    """Return why the code of a class must stay as it is for now, "" if it need not; all threads must be suspended.

    ``places`` are to be changed, by method and code index as they are now. ``at_event`` is a thread that stands at an
    event and is past its place. ``despite_loops``: loops that do not come to the places may go on interpreted.
    wire: 2 trips, 1 more for code that is not known.
    """
    threads = (await target.conn.request(virtual_machine.AllThreads())).threads
    frames_of = [thread_reference.Frames(each, 0, -1) for each in threads]
    outcomes = await target.conn.batch([*frames_of, *(thread_reference.SuspendCount(each) for each in threads)])
    found: list[tuple[bool, CodeLocation]] = []
    for thread, frames, count in zip(threads, outcomes[: len(threads)], outcomes[len(threads) :], strict=True):
        if isinstance(frames, JdwpError):
            continue
        hit = thread == at_event or (not isinstance(count, JdwpError) and count.suspendCount > 1)
        for index, frame in enumerate(frames.frames):
            if frame.location.classID == type_.id:
                found.append((hit and not index, frame.location))
    if any(at.methodID == OBSOLETE for _, at in found):
        return "a call is under way that began before the class was changed"
    keys = {(type_.id, at.methodID) for _, at in found}
    codes = await target.types.facts.many(facts.BYTECODES, keys)
    wanted = list(places)
    for past, at in found:
        code = codes.get((type_.id, at.methodID), b"")
        name = target.types.location(at).method
        for method, index in wanted:
            if at.methodID == method and ((at.index == index and not past) or leads_to(code, at.index, index)):
                return f"{name} can come to the line again"
        if not despite_loops and leads_to(code, at.index, at.index):
            return f"{name} is in a loop of the same class"
    return ""

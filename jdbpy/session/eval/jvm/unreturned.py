"""A method that has not returned within the limit: what its thread does or waits for, and what ends that.

The thread alone is suspended for the few trips that this takes. Its count is the same afterwards, also when the method
returns meanwhile.
"""

from __future__ import annotations

from contextlib import suppress

import trio

from jdbpy.errors import Disconnected, JdbpyError
from jdbpy.session.events.target import Target
from jdbpy.session.events.threads import FrameRange, ThreadReader, wire_thread
from jdbpy.session.model.locks import AwaitedLock
from jdbpy.session.model.threads import FrameInfo
from jdbpy.session.values.lock_reader import LockReader
from jdbpy.wire.messages import thread_reference

LIMIT = 5.0
"""Seconds that the target may take to answer what is asked."""

_AWAITS = {
    "enter": "it waits to enter the monitor of {lock}",
    "acquire": "it waits for {lock}",
    "join": "it waits for the end of {lock}",
    "get": "it waits for the result of {lock}",
    "wait": "it waits for a notification of {lock}",
    "park": "it is parked for {lock}",
}


async def explain_unreturned(target: Target, thread: int) -> tuple[str, str]:
    """Return what the thread of a call does, and a hint, both in words. wire: 6 trips or fewer, at most LIMIT."""
    with trio.move_on_after(LIMIT):
        try:
            target.conn.submit(thread_reference.Suspend(wire_thread(thread)))
            return await _read(target, thread)
        except Disconnected:
            raise
        except JdbpyError:
            return "", "'where all' shows what it waits for; 'resume' lets the threads run that it may wait for"
        finally:
            with suppress(Disconnected):
                target.conn.submit(thread_reference.Resume(wire_thread(thread)))
    return "; the target does not answer", "it may be stopped, or overloaded; 'quit' leaves it"


async def _read(target: Target, thread: int) -> tuple[str, str]:
    for locks in await LockReader(target).read([wire_thread(thread)]):
        if locks.awaits is not None:
            return _waiting(target, thread, locks.awaits)
    found = await ThreadReader(target).read([wire_thread(thread)], FrameRange(0, 1))
    if not found:
        return "; that has ended", "the method never returns"
    [read] = found
    place = f"; it is in {_place(read.frames[0])}" if read.frames else ""
    interrupt = "" if target.interrupts_later(thread) else f"'interrupt {thread}' interrupts it; "
    return place, (
        f"'suspend {thread}' and 'where {thread}' show more; {interrupt}"
        "with 'set let-others-run on' the other threads run while a method does"
    )


def _waiting(target: Target, thread: int, awaits: AwaitedLock) -> tuple[str, str]:
    text = "; " + _AWAITS[awaits.how].format(lock=awaits.lock.text)
    owner = awaits.owner
    if owner is None:
        interrupt = "" if target.interrupts_later(thread) else f"'interrupt {thread}' ends the wait; "
        return text, f"{interrupt}'resume' lets the threads run that could end it"
    if awaits.how != "join":
        text += f', which thread "{owner.name}" ({owner.id}) holds'
    if not target.suspension.is_suspended(owner.id):
        is_monitor = awaits.how == "enter"
        interrupt = "" if is_monitor or target.interrupts_later(thread) else f"; 'interrupt {thread}' ends the wait"
        return text, f"that thread runs{interrupt}"
    return text + ", and that is suspended", (
        f"'resume {owner.id}' lets it run, and the method then goes on; "
        "with 'set let-others-run on' all threads run while a method does"
    )


def _place(frame: FrameInfo) -> str:
    at = frame.location
    line = f" ({at.source}:{at.line})" if at.source and at.line else ""
    return f"{at.class_name}.{at.method}{line}"

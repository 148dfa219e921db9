"""Leaving the target: nothing stays suspended, which is proved before the connection is given up.

Dispose makes the agent drop all requests and resume all threads. Two things it does not do well.

It drops the end of a method that is being run for the debugger, whose thread then takes itself for busy for ever: no
later debugger can run a method in it (docs/agent.md, "Calls of an earlier session"). So the requests are cleared and
everything is resumed first, and the methods get ``RETURN`` seconds to return.

It does not stop an event that its helper thread is reporting at that moment: with Java 17 the helper may suspend
threads right after they were resumed, and no debugger is left to resume them. Therefore the order is this:

1. HoldEvents: the helper takes no further event from its queue. What waits there when Dispose comes belongs to an old
   session, and the agent drops it without suspending anything (``eventHelper.c``).
2. The requests are cleared, classes that run checks get their own code again, and everything is resumed, in the same
   segment.
3. The helper may still be reporting the one event that it had taken before. Its packet comes within microseconds, and
   the set is resumed like any other. So the proof waits until none has come for ``QUIET`` seconds, and until the agent
   says of every thread that its suspend count is 0.
4. Dispose. A method that has not returned by then is detached by the agent: its thread runs on when it returns.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import trio

from jdbpy.errors import Disconnected, JdbpyError, JdwpError, LeaveError
from jdbpy.session.concurrency import open_nursery
from jdbpy.session.target.suspension import SuspendOp
from jdbpy.session.target.target import Target
from jdbpy.wire import ending
from jdbpy.wire.constants import Error
from jdbpy.wire.ids import ObjectID, ThreadID
from jdbpy.wire.messages import event_request, thread_reference, virtual_machine

LIMIT = 3.0
"""Seconds without a byte from the target, beside the trips, after which the socket is closed unproved. Only time counts
in which this process could run: on a machine that is overloaded neither side gets on."""

LONGEST = 5
"""So many times the limit leaving may take in all: a flood of events that are under way has to be read first."""

QUIET = 0.010
"""Seconds without an event set after which none is under way any more."""

MOST = 100
"""Resumes that are sent before the counts are asked for again: what the target says may be a lie."""

RETURN = 1.0
"""Seconds within which methods that are being run for the debugger should return: most do at once."""

TRIPS = 6
"""Trips that the limit allows for, each as long as the handshake or the slowest answer of late."""

_TICKS = 12
"""So often within the limit it is looked whether something has come in."""

_ENDED = frozenset((ending.VM_DEATH, ending.EXITED, ending.DISPOSED))

_GONE = frozenset((Error.INVALID_CLASS, Error.INVALID_OBJECT))
"""Errors about a class that was unloaded meanwhile."""

_HINT = "attach again: what an earlier debugger has left suspended is resumed then"


async def leave(target: Target, *, prove: bool = True) -> None:
    """Resume everything, prove it, and dispose. Shielded and bounded in time. The caller closes the connection.

    Raises LeaveError when the target has not confirmed that it runs. ``prove=False`` is for a target that is about to
    be ended. wire: 1 trip; 3 after requests that suspend threads, and 4 where those take less than ``QUIET``.
    """
    held = _StillSuspended()
    limit = _limit(target)
    try:
        with trio.CancelScope(shield=True) as scope:
            async with open_nursery() as nursery:
                nursery.start_soon(_give_up, target, scope, limit)
                await _leave(target, held, prove=prove)
                nursery.cancel_scope.cancel()
            return
    except Disconnected as gone:
        if gone.reason in _ENDED or not prove:
            return
        raise LeaveError(
            f"the connection was lost while leaving, and the target may still be suspended: {gone.reason}", hint=_HINT
        ) from gone
    except _LeftChanged as error:
        raise LeaveError(
            f"the target runs, but {error.message}", hint="what is left there are calls without effect; attach again"
        ) from error
    except JdbpyError as error:
        if prove:
            raise LeaveError(f"the target may still be suspended: {error.message}", hint=_HINT) from error
        return
    if prove:
        raise LeaveError(held.sentence(limit), hint=_HINT)


def _limit(target: Target) -> float:
    """Seconds without a byte that are allowed: more for a target, or a link, that has been slow."""
    return min(LIMIT + TRIPS * max(target.round_trip, target.conn.slowest), LIMIT * LONGEST + TRIPS * target.round_trip)


async def _give_up(target: Target, scope: trio.CancelScope, limit: float) -> None:
    """Cancel the scope when nothing has come in for ``limit`` seconds, or all takes ``LONGEST`` times as long.

    A tick that came late counts as one: this process was not given the processor, and could not have read an answer.
    """
    silent, received = 0, target.conn.statistics().bytes_in
    for _ in range(_TICKS * LONGEST):
        await trio.sleep(limit / _TICKS)
        before, received = received, target.conn.statistics().bytes_in
        silent = silent + 1 if received == before else 0
        if silent >= _TICKS:
            break
    scope.cancel()


async def resume_left_over(target: Target) -> int:
    """Resume what an earlier debugger left suspended; return the number of threads. For a session that just began.

    It takes no longer than leaving may.

    wire: 4 trips.
    """
    found = _StillSuspended()
    with trio.move_on_after(_limit(target)):
        listed = await target.conn.request(virtual_machine.AllThreads())
        await _prove(target, listed.threads, found, quiet=QUIET)
    return found.most


class _LeftChanged(JdbpyError):
    """Code that was put into classes of the target could not be taken out."""


class _StillSuspended:
    """The findings so far about threads that are still suspended; None as long as the agent has said nothing."""

    def __init__(self) -> None:
        self.threads: int | None = None
        self.most = 0

    def sentence(self, seconds: float) -> str:
        if self.threads:
            threads = "1 thread of the target is" if self.threads == 1 else f"{self.threads} threads of the target are"
            return f"{threads} still suspended after {seconds:.0f} s of resuming"
        return f"the target has not confirmed within {seconds:.0f} s that it runs, and may still be suspended"


async def _leave(target: Target, held: _StillSuspended, *, prove: bool) -> None:
    conn = target.conn
    uncertain = target.requests.has_suspended
    if target.invocations.any:
        await _let_return(target)
    with conn.corked:
        if uncertain:
            conn.hold_events()
        target.requests.submit_clear(target.requests.all_active())
        conn.submit(event_request.ClearAllBreakpoints())
        restored = [conn.submit(command) for command in target.changed_code.restoring()] if prove else []
        for command in target.changed_code.closing() if prove else []:
            conn.submit(command)
        if target.steps_by_raw_lines:
            conn.submit(virtual_machine.SetDefaultStratum(""))  # no class has it: each one's own default
        resumes = target.suspension.plan_run_everything()
        for op, thread in resumes:
            target.submit_op(op, thread)
        listed = conn.submit(virtual_machine.AllThreads()) if prove and (uncertain or resumes) else None
    if listed is not None:
        threads = {*(await listed.wait()).threads, *target.suspension.threads()}
        await _prove(target, threads, held, quiet=QUIET if uncertain else 0.0)
    refused = [each for each in await conn.gather(restored) if isinstance(each, JdwpError) and each.number not in _GONE]
    await conn.request(virtual_machine.Dispose())
    if refused:
        count = "a class has" if len(refused) == 1 else f"{len(refused)} classes have"
        raise _LeftChanged(f"{count} not got back the code of their own: {refused[0].message}")


async def _let_return(target: Target) -> None:
    """Clear the requests and resume everything, and wait until the methods that are being run have returned.

    One that waits for what never comes is left alone after ``RETURN`` seconds.
    """
    with target.conn.corked:
        target.requests.submit_clear(target.requests.all_active())
        for op, thread in target.suspension.plan_run_everything():
            target.submit_op(op, thread)
    with trio.move_on_after(RETURN + target.round_trip):
        await target.invocations.all_ended()


async def _prove(target: Target, threads: Iterable[int], held: _StillSuspended, *, quiet: float) -> None:
    """Resume until no thread is suspended and no event set has come for so many seconds. wire: 1 or 2 trips."""
    conn = target.conn
    events, since = conn.statistics().events, trio.current_time()
    while True:
        asked: list[Any] = [thread_reference.SuspendCount(ThreadID(ObjectID(thread))) for thread in threads]
        *counts, listed = await conn.batch([*asked, virtual_machine.AllThreads()])
        suspended = [each.suspendCount for each in counts if not isinstance(each, JdwpError) and each.suspendCount > 0]
        held.threads, held.most = len(suspended), max(held.most, len(suspended))
        with conn.corked:
            for _ in range(min(MOST, max(suspended, default=0))):
                target.submit_op(SuspendOp.VM_RESUME)
        now = trio.current_time()
        if suspended or conn.statistics().events != events:
            events, since = conn.statistics().events, now
        elif now - since >= quiet:
            return
        if not isinstance(listed, JdwpError):
            threads = {*listed.threads, *target.suspension.threads()}
        await trio.sleep(max(0.0, since + quiet - now))

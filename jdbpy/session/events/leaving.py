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
3. The helper may still be reporting the one event that it had taken before. A look at the top frames shows whose that
   may be (``events_under_way``). If there is any such thread, the agent may send its events again, and each set is
   resumed like any other, until none of these threads is where it was, or ``STANDING`` seconds and ``LOOKS`` looks have
   brought nothing.
4. Threads of some kinds are not seen like that (``events_under_way``). The packet of an event comes within
   microseconds, unless the machine is busy and gives the helper no processor. So the proof also waits until none has
   come for ``QUIET`` seconds, or for ``DELAYS`` times as long as the target was late with its answer, and until the
   agent says of every thread that its suspend count is 0.
5. Dispose. A method that has not returned by then is detached by the agent: its thread runs on when it returns.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any

import trio

from jdbpy.errors import Disconnected, JdbpyError, JdwpError, LeaveError, StateError
from jdbpy.session.events.ending import is_suspended
from jdbpy.session.events.events_under_way import EventsUnderWay
from jdbpy.session.events.suspension import SuspendOp
from jdbpy.session.events.target import Target
from jdbpy.session.extension import Extension
from jdbpy.task_groups import open_nursery
from jdbpy.wire import close_reason
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

DELAYS = 10
"""So many times the lateness of an answer is waited: the helper gets a processor as late as other threads do."""

LONGEST_QUIET = 0.5
"""Seconds that are waited at most for that."""

STANDING = 1.0
"""Seconds for which a thread may stand where it brings an event, and bring none: it runs a loop there."""

LOOKS = 30
"""Looks that must have found it there besides: where a JVM hardly gets a processor, few are made in ``STANDING``."""

PAUSE = 0.002
"""Seconds between two looks at threads that may bring an event."""

MOST = 100
"""Resumes that are sent before the counts are asked for again: what the target says may be a lie."""

RETURN = 1.0
"""Seconds within which methods that are being run for the debugger should return: most do at once."""

TRIPS = 6
"""Trips that the limit allows for, each as long as the handshake or the slowest answer of late."""

_TICKS = 12
"""So often within the limit it is looked whether something has come in."""

_ENDED = frozenset((close_reason.VM_DEATH, close_reason.EXITED, close_reason.DISPOSED))

_GONE = frozenset((Error.INVALID_CLASS, Error.INVALID_OBJECT))
"""Errors about a class that was unloaded meanwhile."""

_HINT = "attach again: what an earlier debugger has left suspended is resumed then"


async def leave(target: Target, *, prove: bool = True) -> None:
    """Resume everything, prove it, and dispose. Shielded and bounded in time. The caller closes the connection.

    Raises LeaveError when the target has not confirmed that it runs. ``prove=False`` is for a target that is about to
    be ended. wire: 1 trip; 3 after requests that suspend threads, and 4 where those take less than ``QUIET``; 1
    or 2 more where the target keeps hits.
    """
    held = _StillSuspended()
    limit = _limit(target)
    await _read_last(target, limit)
    try:
        with trio.CancelScope(shield=True) as scope:
            async with open_nursery() as nursery:
                nursery.start_soon(_give_up, target, scope, limit, held)
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


async def _read_last(target: Target, limit: float) -> None:
    """Have what the target has kept of hits read and reported, while it answers; leaving goes on whatever happens."""
    if not (extensions := target.extensions.of(Extension.before_leave)):
        return
    with trio.CancelScope(shield=True) as scope, suppress(JdbpyError):
        async with open_nursery() as nursery:
            nursery.start_soon(_give_up, target, scope, limit)
            for extension in extensions:
                await extension.before_leave()
            nursery.cancel_scope.cancel()


def _limit(target: Target) -> float:
    """Seconds without a byte that are allowed: more for a target, or a link, that has been slow."""
    trip = target.latency.round_trip
    return min(LIMIT + TRIPS * max(trip, target.conn.slowest), LIMIT * LONGEST + TRIPS * trip)


async def _give_up(target: Target, scope: trio.CancelScope, limit: float, held: _StillSuspended | None = None) -> None:
    """Cancel the scope when nothing has come in for ``limit`` seconds, or all takes ``LONGEST`` times as long.

    It may take twice that while ``held`` says that threads are looked at: old JVMs halt all threads for each look, and
    a busy machine makes that long. A tick that came late counts as one: this process was not given the processor, and
    could not have read an answer.
    """
    silent, received = 0, target.conn.statistics().bytes_in
    for tick in range(2 * _TICKS * LONGEST):
        if tick >= _TICKS * LONGEST and not (held and held.looks):
            break
        await trio.sleep(limit / _TICKS)
        before, received = received, target.conn.statistics().bytes_in
        silent = silent + 1 if received == before else 0
        if silent >= _TICKS:
            break
    scope.cancel()


def run_others(target: Target, stopped: frozenset[int]) -> None:
    """Clear the requests and resume all but some threads, for a target that is about to end. wire: no wait."""
    with (
        target.conn.corked,
        suppress(JdbpyError),
    ):  # what has not been suspended, in a read-only session, is not resumed
        target.requests.submit_clear(target.requests.all_active())
        target.conn.submit(event_request.ClearAllBreakpoints())
        for op, thread in target.suspension.plan_release(stopped):
            target.submit_op(op, thread)


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


def wake_reporting(target: Target) -> None:
    """Have an agent report events again, where an earlier debugger was killed at a stop of all threads.

    Its threads would wait for that for ever at their next event (docs/agent.md, "A killed debugger leaves the helper
    waiting"). A pair of suspend and resume changes no count, whatever happens meanwhile. wire: no wait.
    """
    commands = virtual_machine.Suspend, virtual_machine.Resume
    if all(target.conn.allows(each) for each in commands):
        with target.conn.corked:
            target.submit_op(SuspendOp.VM_SUSPEND)
            target.submit_op(SuspendOp.VM_RESUME)


async def has_not_begun(target: Target) -> bool:
    """True if the program has not begun: its main thread is suspended and has no frame yet. wire: 2 trips, 1 more where
    it is suspended."""
    threads = (await target.conn.request(virtual_machine.AllThreads())).threads
    asked = [command(each) for each in threads for command in (thread_reference.Name, thread_reference.Status)]
    replies = await target.conn.batch(asked)
    mains = [
        thread
        for thread, name, status in zip(threads, replies[::2], replies[1::2], strict=True)
        if isinstance(name, thread_reference.NameReply) and name.threadName == "main" and is_suspended(status)
    ]
    counts = await target.conn.batch([thread_reference.FrameCount(each) for each in mains])
    return any(isinstance(each, thread_reference.FrameCountReply) and not each.frameCount for each in counts)


class _LeftChanged(JdbpyError):
    """Code that was put into classes of the target could not be taken out."""


class _StillSuspended:
    """The findings so far about threads that are still suspended; None as long as the agent has said nothing."""

    def __init__(self) -> None:
        self.threads: int | None = None
        self.most = 0
        self.looks = False
        """True while threads are looked at that run, and may bring an event."""

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
    sent = trio.current_time()
    with conn.corked:
        if uncertain:
            conn.hold_events()
        target.requests.submit_clear(target.requests.all_active())
        conn.submit(event_request.ClearAllBreakpoints())
        restored = [conn.submit(command) for command in target.changed_code.restoring()] if prove else []
        for extension in target.extensions.of(Extension.closing_commands) if prove else ():
            for command in extension.closing_commands():
                conn.submit(command)
        if target.steps_by_raw_lines:
            conn.submit(virtual_machine.SetDefaultStratum(""))  # no class has it: each one's own default
        resumes = target.suspension.plan_run_everything()
        for op, thread in resumes:
            target.submit_op(op, thread)
        listed = conn.submit(virtual_machine.AllThreads()) if prove and (uncertain or resumes) else None
    if listed is not None:
        threads = {*(await listed.wait()).threads, *target.suspension.threads()}
        if uncertain:
            late = trio.current_time() - sent - target.latency.round_trip
            quiet = max(QUIET, min(DELAYS * late, LONGEST_QUIET))
            await _prove(target, threads, held, quiet=quiet, under_way=EventsUnderWay(target))
        else:
            await _prove(target, threads, held, quiet=0.0)
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
    with trio.move_on_after(RETURN + target.latency.round_trip):
        await target.invocations.all_ended()


async def _prove(
    target: Target,
    threads: Iterable[int],
    held: _StillSuspended,
    *,
    quiet: float,
    under_way: EventsUnderWay | None = None,
) -> None:
    """Resume until no thread is suspended, no event set has come for so many seconds, and none is to come.

    wire: 1 or 2 trips; as many as there are sets, where the agent has kept some.
    """
    conn = target.conn
    events, since = conn.statistics().events, trio.current_time()
    looks_since, released = 0, False
    while True:
        asked: list[Any] = [thread_reference.SuspendCount(ThreadID(ObjectID(thread))) for thread in threads]
        asked.append(virtual_machine.AllThreads())
        try:
            replies = await (conn.batch(asked) if under_way is None else under_way.examine(threads, asked))
        except StateError:  # the audit log cannot be written: nothing is suspended any more, not even for a look
            if under_way is None:
                raise
            under_way = None
            continue
        counts, listed = replies[:-1], replies[-1]
        suspended = [each.suspendCount for each in counts if not isinstance(each, JdwpError) and each.suspendCount > 0]
        held.threads, held.most = len(suspended), max(held.most, len(suspended))
        if (
            under_way is not None and under_way.threads and not released
        ):  # what the agent keeps would not come otherwise
            conn.submit(virtual_machine.ReleaseEvents())
            released = True
        with conn.corked:
            for _ in range(min(MOST, max(suspended, default=0))):
                target.submit_op(SuspendOp.VM_RESUME)
        now = trio.current_time()
        if suspended or conn.statistics().events != events:
            events, since, looks_since = conn.statistics().events, now, 0
        elif under_way is not None and under_way.threads:
            looks_since += 1
            if now - since >= STANDING and looks_since >= LOOKS:
                return
        elif now - since >= quiet:
            return
        if not isinstance(listed, JdwpError):
            threads = {*listed.threads, *target.suspension.threads()}
        standing = under_way is not None and under_way.threads
        held.looks = bool(standing and not suspended)
        await trio.sleep(PAUSE if standing else max(0.0, since + quiet - now))

"""Threads that would pass a breakpoint because of a step, and how that is kept from happening.

HotSpot keeps, for each thread, the place of its last breakpoint or step event, so that one place is not reported
twice. While any thread is stepped, every interpreted thread notes each place that it comes to. If the first one that
it notes is the place of its last breakpoint, the VM takes the next breakpoint there for one that has been reported,
and leaves it out. If the step ends before the thread has noted another place, the VM leaves it out until the next
step (docs/agent.md, "Steps make other threads pass breakpoints").

A step of its own that ends makes a thread's last place void. So before a thread is stepped, each other one that has met
a breakpoint since is suspended, is given a step request that rejects every class, and is resumed when that is cleared.
One that may be virtual runs on meanwhile (docs/agent.md, "Suspending a virtual thread that is ending").
A method that is run in a thread whose last event was a step, or whose frames were popped, leaves the place of the last
breakpoint in it noted: the thread passes that (docs/agent.md, "A method after a step eats breakpoints"). So such a
thread is given such a request after each method, too.

Of two step requests in a thread the agent serves the latter, and ends it when either is cleared: so such a request
stays as long as a step that came after it.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from jdbpy.errors import Disconnected, JdbpyError
from jdbpy.session.events.suspension import SuspendOp
from jdbpy.wire.constants import EventKind, JdwpStepDepth, JdwpStepSize, JdwpSuspendPolicy
from jdbpy.wire.event_parts import KIND, THREAD_AT
from jdbpy.wire.ids import ObjectID, ThreadID
from jdbpy.wire.messages import event_request

if TYPE_CHECKING:
    from jdbpy.session.events.target import Target

_MOST = 32
"""The most threads for which that is done before a step, those that have met a breakpoint last: each takes time."""

_PLACES = frozenset((bytes((EventKind.BREAKPOINT,)), bytes((EventKind.METHOD_ENTRY,))))
"""The first event of a set with a breakpoint in it; one with a step is of a thread whose step has ended."""

_BREAKPOINTS = frozenset((EventKind.BREAKPOINT, EventKind.METHOD_ENTRY))

_STEP = bytes((EventKind.SINGLE_STEP,))

_NO_CLASS = event_request.ClassMatch("none")


class LastBreakpoints:
    """The threads of one target that have met a breakpoint since a step of their own."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._threads: dict[bytes, None] = {}  # by the bytes of their ids, the latest last
        self._voiding: dict[int, bool] = {}  # threads that are given such a request; True if a step has come after it
        self._stepped: set[int] = set()  # threads whose last event was a step, or whose frames were popped
        self._outlived: dict[int, int] = {}  # ids of such requests that a step has come after, by thread

    def came_in(self, data: bytes) -> None:
        """Take note of the thread of an event set, by its bytes."""
        if self._outlived and data[KIND : KIND + 1] == _STEP:
            thread = data[THREAD_AT : THREAD_AT + self._target.conn.id_sizes.objectIDSize]
            self._clear_outlived(int.from_bytes(thread, "big"))
        if data[KIND : KIND + 1] == _STEP or self._stepped:
            self._came_in_stepped(data)
        if data[KIND : KIND + 1] not in _PLACES:
            return
        thread = data[THREAD_AT : THREAD_AT + self._target.conn.id_sizes.objectIDSize]
        if thread not in self._threads:
            self._threads[thread] = None
            if len(self._threads) > _MOST:
                del self._threads[next(iter(self._threads))]

    def _came_in_stepped(self, data: bytes) -> None:
        thread = int.from_bytes(data[THREAD_AT : THREAD_AT + self._target.conn.id_sizes.objectIDSize], "big")
        if thread in self._target.suspension.evaluating:
            return
        if data[KIND : KIND + 1] == _STEP:
            self._stepped.add(thread)
        else:
            self._stepped.discard(thread)

    def popped(self, thread: int) -> None:
        """Frames of the thread were popped, which the agent does by steps."""
        self._stepped.add(thread)

    def has_run_method(self, thread: int) -> None:
        """The thread has run a method for the debugger: make void what that has left. wire: no wait."""
        if thread in self._stepped and thread not in self._voiding:
            requests = self._target.requests
            if not requests.is_stepped(thread) and any(each.kind in _BREAKPOINTS for each in requests.all_active()):
                self._submit_request(thread, None)

    def before_step(self, thread: int) -> None:
        """Make the last places of other threads void before this one is stepped. wire: no wait; those that run are
        suspended for 1 trip.

        One that is stopped at its breakpoint is among them: a step is not under way all the time (none is while a
        method that it steps over runs), and the thread may leave its place unnoted and come there again. It is not
        suspended once more: where the step lets it go, it steps itself until its place is void. Those that run a method
        for the debugger, or have a step under way, are left as they are.
        """
        target, suspension = self._target, self._target.suspension
        if thread in self._voiding:
            self._voiding[thread] = True
        self._clear_outlived(thread)
        self._threads.pop(thread.to_bytes(target.conn.id_sizes.objectIDSize, "big"), None)
        due = []
        for each in self._threads:
            other = int.from_bytes(each, "big")
            busy = other in suspension.evaluating or target.requests.is_stepped(other)
            if not busy and other not in self._voiding:
                due.append((each, other))
        if due:
            with suppress(Disconnected), target.conn.corked:
                for each, other in due:
                    del self._threads[each]
                    if suspension.stopped_by_event(other):
                        self._submit_request(other, None)
                    else:
                        self._make_void(other)

    def _make_void(self, thread: int) -> None:
        target = self._target
        resumed = None
        if not target.may_be_virtual(thread):  # one that is ending must not be suspended
            target.submit_op(SuspendOp.THREAD_SUSPEND, thread, brief=True)
            resumed = target.suspension.resumed(thread)
        self._submit_request(thread, resumed)

    def _submit_request(self, thread: int, resumed: int | None) -> None:
        target = self._target
        self._voiding[thread] = False
        step = event_request.Step(ThreadID(ObjectID(thread)), JdwpStepSize.MIN, JdwpStepDepth.INTO)
        command = event_request.Set(EventKind.SINGLE_STEP, JdwpSuspendPolicy.NONE, [_NO_CLASS, step])
        target.conn.submit(command, on_reply=partial(self._was_set, thread, resumed))

    def _was_set(self, thread: int, resumed: int | None, reply: Any) -> None:
        """Clear the step request, and resume the thread unless it was resumed otherwise meanwhile, or not suspended.

        Where a step of the thread was set after it, that one is what the agent serves: clearing any would end it.
        """
        target = self._target
        has_step = self._voiding.pop(thread, False)
        with suppress(Disconnected), target.conn.corked:
            if has_step and not isinstance(reply, JdbpyError):
                self._outlived[thread] = reply.requestID
            elif not isinstance(reply, JdbpyError):
                target.conn.submit(event_request.Clear(EventKind.SINGLE_STEP, reply.requestID))
            if resumed is not None and target.suspension.resumed(thread) == resumed:
                target.submit_op(SuspendOp.THREAD_RESUME, thread, brief=True)

    def _clear_outlived(self, thread: int) -> None:
        """Clear such a request of a thread whose step has ended, or before the next is set. wire: no wait."""
        if (outlived := self._outlived.pop(thread, None)) is not None:
            with suppress(Disconnected):
                self._target.conn.submit(event_request.Clear(EventKind.SINGLE_STEP, outlived))

"""The means that get a target running again when its user does not: the watchdog, and ``panic``.

Owns how long threads have been suspended, when the user was last active, and the rule between the two. The suspend
counts themselves, and the commands that lower them, belong to others.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import trio

from jdbpy.errors import JdbpyError, UsageError
from jdbpy.record import Record
from jdbpy.session.events.target import Target
from jdbpy.session.extension import Extension
from jdbpy.session.model.events import Notice
from jdbpy.wire.messages import event_request

if TYPE_CHECKING:
    from jdbpy.session.breakpoints.breakpoint_table import BreakpointTable
    from jdbpy.session.events.suspension import Suspension
    from jdbpy.session.execution.execution import Execution

EVERYTHING = 0
"""Stands for the whole VM among ids of threads."""

_LOOKS = 20
"""How often the suspend counts are looked at during the longest suspension that is allowed."""

_SHORTEST, _LONGEST = 0.02, 1.0
"""Bounds of the time between two looks, in seconds."""

PANIC_LIMIT = 3.0
"""Seconds that the target may take to confirm that all requests are out."""


class Panicked(Record):
    """The effect of ``Session.panic``: the numbers of the breakpoints that it disabled, how many requests it took out
    of the target, and what had been suspended: "all", "none", or the number of threads.
    """

    disabled: Annotated[tuple[int, ...], "numbers of the breakpoints and the like that were enabled"]
    requests: Annotated[int, "how many stood in the target"]
    resumed: Annotated[str, "what had been suspended: all, none, or the number of threads"]


class SuspendedSince:
    """The begin of suspensions, as far as they were looked at. Pure: the caller brings the time."""

    def __init__(self) -> None:
        self._since: dict[int, tuple[int, float]] = {}  # of a thread or everything: number of the stop, first seen

    def look(self, suspension: Suspension, now: float) -> dict[int, float]:
        """Return what is suspended now, each with when it was first seen so: threads by id, or ``EVERYTHING`` alone."""
        keys = (EVERYTHING,) if suspension.frozen else tuple(suspension.held_threads())
        before, self._since = self._since, {}
        for key in keys:
            stop = suspension.stop_of(key)
            known = before.get(key)
            self._since[key] = known if known is not None and known[0] == stop else (stop, now)
        return {key: since for key, (_, since) in self._since.items()}


class Watchdog(Extension):
    """Resumes what has been suspended for ``limit`` seconds while the user did nothing.

    ``resume`` is given the threads, or None for everything.
    """

    def __init__(self, target: Target, resume: Callable[[Sequence[int] | None], None]) -> None:
        self._target = target
        self._resume = resume
        self._suspended = SuspendedSince()
        self._active = trio.current_time()
        self._limit: float | None = None
        self._changed = trio.Event()

    @property
    def limit(self) -> float | None:
        """Return the longest that anything may be suspended, in seconds; None: there is no limit."""
        return self._limit

    @limit.setter
    def limit(self, seconds: float | None) -> None:
        if seconds is not None and not 0 < seconds < 1e9:
            raise UsageError(f"max-suspend is a number of seconds above 0, not {seconds:g}")
        self._limit = seconds
        self._changed.set()
        self._changed = trio.Event()

    def touch(self) -> None:
        """The user has done something: the time begins anew."""
        self._active = trio.current_time()

    @property
    def idle(self) -> float:
        """Seconds since the user last did something."""
        return trio.current_time() - self._active

    def suspended(self) -> None:
        self.note()

    def note(self) -> None:
        """Note that a suspension has just begun: its time counts from now, and not from the first question."""
        self._suspended.look(self._target.suspension, trio.current_time())

    def suspended_for(self) -> float:
        """Seconds that the longest suspension has lasted, since its stop or since it was first looked at; 0 while
        everything runs."""
        now = trio.current_time()
        return max((now - since for since in self._suspended.look(self._target.suspension, now).values()), default=0.0)

    async def run(self) -> None:
        """Watch until it is cancelled."""
        while True:
            changed, limit = self._changed, self._limit
            with trio.move_on_after(float("inf") if limit is None else min(_LONGEST, max(_SHORTEST, limit / _LOOKS))):
                await changed.wait()
            if limit is not None and limit == self._limit:
                self._look(limit)

    def _look(self, limit: float) -> None:
        now = trio.current_time()
        began = self._suspended.look(self._target.suspension, now)
        running = self._target.suspension.evaluating  # a method for an expression: such a thread is not suspended
        late = [key for key, since in began.items() if now - max(since, self._active) >= limit and key not in running]
        if not late:
            return
        everything = late == [EVERYTHING]
        with suppress(JdbpyError):  # the target has ended
            self._resume(None if everything else late)
            who = "all threads" if everything else "1 thread" if len(late) == 1 else f"{len(late)} threads"
            text = f"resumed {who}: suspended for {limit:g} s without a key or command (max-suspend)"
            threads = () if everything else tuple(late)
            data = (("reason", "max-suspend"), ("seconds", limit), ("threads", threads))
            self._target.publish(Notice("resumed", text, data))


async def panic(target: Target, points: BreakpointTable, execution: Execution) -> Panicked:
    """Take out every request and resume everything, whatever else goes on; breakpoints stay, disabled.

    Waits for no other task: not for events that are being handled, nor for methods that are being run. wire: 1 trip.
    """
    target.require_alive()
    suspension = target.suspension
    held = len(suspension.held_threads())
    resumed = "all" if suspension.frozen else str(held) if held else "none"
    requests = len(target.requests.all_active())
    disabled = points.disable_all()
    target.requests.submit_clear(target.requests.all_active())
    cleared = target.conn.submit(event_request.ClearAllBreakpoints())
    execution.resume_everything()
    with trio.move_on_after(PANIC_LIMIT), suppress(JdbpyError):
        await cleared.wait()
    return Panicked(disabled, requests, resumed)

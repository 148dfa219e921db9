"""Stops between the decision and the release of their threads: which wait to be shown, and why.

Pure data. The rules, for programs in which several threads come to breakpoints at once (gdb's all-stop mode is the
reference, but for the third):

* A stop is shown only while its thread stands where the stop says. A stop that waits keeps its thread suspended.
* No command resumes a thread whose stop has not been shown. Where everything is suspended, ``cont`` shows a waiting
  stop instead of resuming.
* A step ends in its own thread: hits of other threads wait while it is under way. If it does not end within
  ``STEP_LIMIT`` seconds while threads wait, the oldest waiting stop is shown, and the step stays pending.
* While a method runs for an expression, or everything is suspended for a stop that was shown, further hits that suspend
  everything wait: nothing but the user's own commands moves the selection.
* What the debugger itself suspends, for a hit that is still to be decided or for a moment, no command of the user
  resumes: as far as the user is concerned, that thread runs. ``panic`` and the watchdog resume that as well.
* A stop that waits is dropped, and its thread resumed, when its breakpoint is removed, disabled or changed.

What happens to a stop (``StopState``)::

    WAITING  -> SHOWN      'cont' goes there, or what it has waited for is over
    WAITING  -> DROPPED    its breakpoint is gone
    WAITING  -> RELEASED   its thread was resumed by name, by 'panic' or the watchdog, or has ended
    SHOWN    -> WAITING    it was published, but a step began before anybody took it
    SHOWN    -> RELEASED   its thread was resumed

``execution/stops.py`` sends the commands that follow from it, and is the only module that changes this table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum

from jdbpy.record import Record
from jdbpy.session.model.events import Stopped, StopReason

STEP_LIMIT = 1.0
"""Seconds for which hits of other threads wait for the end of a step."""


class StopState(Enum):
    """What has become of a stop."""

    WAITING = "waiting"
    SHOWN = "shown"
    DROPPED = "dropped"
    RELEASED = "released"


NEXT_STATES = {
    StopState.WAITING: {StopState.SHOWN, StopState.DROPPED, StopState.RELEASED},
    StopState.SHOWN: {StopState.WAITING, StopState.RELEASED},
    StopState.DROPPED: set[StopState](),
    StopState.RELEASED: set[StopState](),
}
"""The transitions that are legal."""


class WaitReason(Enum):
    """What a stop waits for."""

    STEP = "another thread is being stepped"
    METHOD = "a method runs for an expression"
    SHOWN = "everything is suspended for a stop that was shown"


class WaitingStop(Record):
    """A stop that waits, and what for."""

    stop: Stopped
    reason: WaitReason


class StopTable:
    """The stops of one target, at most one a thread."""

    def __init__(self) -> None:
        self._waiting: dict[int, WaitingStop] = {}  # by thread, the oldest first
        self._states: dict[int, StopState] = {}

    def state(self, thread: int) -> StopState | None:
        """Return what has become of the thread's last stop; None if it had none."""
        return self._states.get(thread)

    @property
    def waiting(self) -> tuple[WaitingStop, ...]:
        """Return the stops that wait, the oldest first."""
        return tuple(self._waiting.values())

    def waits(self, waiting: WaitingStop) -> bool:
        """True if a stop that has waited still does."""
        return self._waiting.get(_thread(waiting.stop)) is waiting

    @property
    def waiting_threads(self) -> frozenset[int]:
        """Return the threads that stand at stops that wait."""
        return frozenset(self._waiting)

    @property
    def shows(self) -> bool:
        """True if a thread stands at a stop that was shown."""
        return StopState.SHOWN in self._states.values()

    def wait(self, waiting: WaitingStop) -> None:
        """Let a stop wait; it may have been published, but not taken."""
        thread = _thread(waiting.stop)
        if self._states.get(thread) is not StopState.SHOWN:
            self._states[thread] = StopState.WAITING  # decided just now
        else:
            self._move(thread, StopState.WAITING)
        self._waiting[thread] = waiting

    def show(self, stop: Stopped) -> None:
        """Take in that a stop is published."""
        thread = _thread(stop)
        waited = self._waiting.pop(thread, None)
        if waited is not None:
            self._move(thread, StopState.SHOWN)
        else:
            self._states[thread] = StopState.SHOWN

    def drop(self, numbers: Iterable[int]) -> list[WaitingStop]:
        """Drop the waiting stops that only these breakpoints have caused, and return them."""
        removed = set(numbers)
        gone = [each for each in self._waiting.values() if is_only_of(removed, each.stop)]
        for each in gone:
            del self._waiting[_thread(each.stop)]
            self._move(_thread(each.stop), StopState.DROPPED)
        return gone

    def release(self, runs: Callable[[int], bool]) -> list[WaitingStop]:
        """Take in that threads were resumed, and return the stops that had waited there."""
        gone = [each for thread, each in self._waiting.items() if runs(thread)]
        for thread in [each for each, state in self._states.items() if _stands(state) and runs(each)]:
            self._move(thread, StopState.RELEASED)
            self._waiting.pop(thread, None)
            del self._states[thread]
        return gone

    def _move(self, thread: int, state: StopState) -> None:
        before = self._states[thread]
        assert state in NEXT_STATES[before], (before, state)
        self._states[thread] = state


def _thread(stop: Stopped) -> int:
    return stop.thread.id if stop.thread is not None else 0


def _stands(state: StopState) -> bool:
    return state is StopState.WAITING or state is StopState.SHOWN


def is_only_of(numbers: set[int], stop: Stopped) -> bool:
    """True if the stop was caused by breakpoints of these numbers alone."""
    caused = stop.reason is StopReason.BREAKPOINT and bool(stop.breakpoints)
    return caused and numbers.issuperset(stop.breakpoints)

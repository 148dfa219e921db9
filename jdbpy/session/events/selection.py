"""The thread and the frame that the user is looking at. Pure state; reading frames is the stack component's work."""

from __future__ import annotations

from collections import deque

from jdbpy.errors import StateError, UsageError
from jdbpy.session.model.events import Stopped
from jdbpy.session.model.threads import ThreadRef

_REMEMBERED = 32
"""Stops of which it is known that they were shown: a slow stream may show one that a waiter had long before."""


class Selection:
    """The selected thread and frame number (from 1). Nothing is selected while the selected thread runs."""

    def __init__(self) -> None:
        self.thread: ThreadRef | None = None
        self.frame = 1
        self.by_default = False
        """True if the thread was selected for want of another, and its stop was not shown yet."""
        self.why_none = ""
        """What to do instead where there never is a thread."""
        self._shown: deque[Stopped] = deque(maxlen=_REMEMBERED)

    def is_first(self, stop: Stopped) -> bool:
        """True if the stop was not shown before; it has been from now on."""
        first = all(each is not stop for each in self._shown)
        if first:
            self._shown.append(stop)
        return first

    def select(self, thread: ThreadRef, frame: int = 1, *, by_default: bool = False) -> None:
        self.thread = thread
        self.frame = frame
        self.by_default = by_default

    def clear(self) -> None:
        self.thread = None
        self.frame = 1

    def require_thread(self) -> ThreadRef:
        """Return the selected thread. Raises StateError when there is none."""
        if self.thread is None:
            raise StateError(
                "no thread is selected",
                hint=self.why_none
                or "'pause' (Ctrl-C) stops the target and selects one; 'threads' lists them, 'thread N' selects one",
                code="NO_THREAD",
            )
        return self.thread


def no_such_thread(number: int) -> UsageError:
    """Return the error for a number that no thread has."""
    return UsageError(f"no thread {number}", hint="'threads' lists them", code="NO_SUCH_THREAD")

"""What a call has taken out of a queue is handed back if its caller was not there any more to get it.

A task that awaits gets what it has taken, or is cancelled before. A script without ``await`` waits in another thread,
which Ctrl-C may have interrupted when the answer comes: see ``jdbpy.sync``.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar


class Takings:
    """What one call has taken, its tasks included, as functions that hand it back."""

    def __init__(self) -> None:
        self._back: list[Callable[[], None]] = []
        self._open = True

    def begin(self) -> None:
        """Note from now on what this task takes, and those that it starts."""
        _OF_TASK.set(self)

    def end(self) -> None:
        """The call is over: what its tasks take from now on is not its own."""
        self._open = False

    def add(self, hand_back: Callable[[], None]) -> None:
        """Note how something is handed back."""
        if self._open:
            self._back.append(hand_back)

    def hand_back(self) -> None:
        """Hand all of it back, what was taken last first. To do it again is no error."""
        while self._back:
            self._back.pop()()


_OF_TASK: ContextVar[Takings | None] = ContextVar("takings", default=None)


def taken(hand_back: Callable[[], None]) -> None:
    """Something was taken for the caller of this task; ``hand_back`` puts it back to where it was."""
    of = _OF_TASK.get()
    if of is not None:
        of.add(hand_back)

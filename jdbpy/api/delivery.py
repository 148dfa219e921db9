"""Items that a call has taken out of a queue, and hands back if its caller has gone before it returns.

A task that awaits gets the item that it has taken, or is cancelled before. A script without ``await`` waits in another
thread, which Ctrl-C may have interrupted when the answer comes: see ``jdbpy.sync``.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar


class Rollback:
    """The items that one call, with its tasks, has taken: as functions that hand them back."""

    def __init__(self) -> None:
        self._back: list[Callable[[], None]] = []
        self._open = True

    def begin(self) -> None:
        """Note from now on the items that this task takes, and the tasks that it starts."""
        _OF_TASK.set(self)

    def end(self) -> None:
        """End the call: items that its tasks take from now on are not its own."""
        self._open = False

    def add(self, hand_back: Callable[[], None]) -> None:
        """Note a function that hands an item back."""
        if self._open:
            self._back.append(hand_back)

    def hand_back(self) -> None:
        """Hand all items back, the last first. To do it again is not an error."""
        while self._back:
            self._back.pop()()


_OF_TASK: ContextVar[Rollback | None] = ContextVar("rollback", default=None)


def on_rollback(hand_back: Callable[[], None]) -> None:
    """Note an item that was taken for the caller of this task; ``hand_back`` puts it back to where it was."""
    of = _OF_TASK.get()
    if of is not None:
        of.add(hand_back)

"""The calls that are under way, by thread: pairs entries with ends. Pure.

A method that an exception leaves tells nothing by itself. The exception does: it tells where it will be caught, and the
frames of its thread tell which calls stand above that place.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Generic, Protocol, TypeVar

Place = tuple[int, int, int]
"""Class, method and code index."""


class KeyedCall(Protocol):
    """A call under way; ``key`` is its class and method."""

    @property
    def key(self) -> tuple[int, int]: ...


C = TypeVar("C", bound=KeyedCall)


class OpenCalls(Generic[C]):
    """Calls under way, the outermost first."""

    def __init__(self) -> None:
        self._by_thread: dict[int, list[C]] = {}

    def of(self, thread: int) -> Sequence[C]:
        """Return the calls of a thread."""
        return self._by_thread.get(thread, ())

    def enter(self, thread: int, call: C) -> None:
        """Note a call that has begun."""
        self._by_thread.setdefault(thread, []).append(call)

    def leave(self, thread: int, key: tuple[int, int]) -> C | None:
        """Return the innermost call of that method, which has ended; None if its begin was not seen.

        Calls above it have ended unseen, and are forgotten.
        """
        calls = self._by_thread.get(thread, [])
        for at in range(len(calls) - 1, -1, -1):
            if calls[at].key == key:
                found = calls[at]
                self._cut(thread, calls, at)
                return found
        return None

    def above(self, thread: int, frames: Sequence[Place], catching: int | None) -> list[tuple[C, int | None]]:
        """Return the calls above a frame, the innermost first, each with the number of its own frame.

        ``frames`` are those of the thread, the innermost first; ``catching`` is the number of the frame in which an
        exception will be caught, None if that is in none of them.
        """
        calls = self._by_thread.get(thread, [])
        at = _frames_of([call.key for call in calls], frames)
        return [
            (call, frame)
            for call, frame in reversed(list(zip(calls, at, strict=True)))
            if catching is None or (frame is not None and frame < catching)
        ]

    def end(self, thread: int, ended: Sequence[C]) -> None:
        """Calls of a thread, the innermost ones, have ended."""
        calls = self._by_thread.get(thread, [])
        self._cut(thread, calls, max(len(calls) - len(ended), 0))

    def forget(self, keys: Collection[tuple[int, int]]) -> None:
        """Calls of these methods are not seen to end any more."""
        for thread, calls in list(self._by_thread.items()):
            calls[:] = [call for call in calls if call.key not in keys]
            self._cut(thread, calls, len(calls))

    def _cut(self, thread: int, calls: list[C], at: int) -> None:
        del calls[at:]
        if not calls:
            self._by_thread.pop(thread, None)


def _frames_of(calls: Sequence[tuple[int, int]], frames: Sequence[Place]) -> list[int | None]:
    """Return the numbers of the frames of calls, given the outermost call first and the innermost frame first."""
    found: list[int | None] = []
    rest = iter(range(len(frames)))
    for key in reversed(calls):
        found.append(next((number for number in rest if frames[number][:2] == key), None))
    return found[::-1]


def catching_frames(frames: Sequence[Place], caught: Place) -> list[int]:
    """Return the numbers of the frames that may catch an exception where a handler begins: several only in recursion.

    They stand in front of the handler: compilers put handlers behind what they protect.
    """
    numbers = [number for number, place in enumerate(frames) if place[:2] == caught[:2]]
    return [number for number in numbers if frames[number][2] < caught[2]] or numbers

"""Small helpers over trio that several parts of the session need: running side by side.

Everything that can be asked together is sent together; ``together`` is how code says so without counting requests: the
connection puts what its tasks submit in one scheduling round into one segment.
"""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import trio

from jdbpy.task_groups import open_nursery

T1 = TypeVar("T1")
T2 = TypeVar("T2")


async def together(*calls: Callable[[], Awaitable[Any]]) -> list[Any]:
    """Run the calls side by side and return their results in order; the first error cancels the others."""
    results: list[Any] = [None] * len(calls)

    async def run(index: int, call: Callable[[], Awaitable[Any]]) -> None:
        results[index] = await call()

    async with open_nursery() as nursery:
        for index, call in enumerate(calls):
            nursery.start_soon(run, index, call)
    return results


async def both(first: Callable[[], Awaitable[T1]], second: Callable[[], Awaitable[T2]]) -> tuple[T1, T2]:
    """Two calls side by side, with their types kept."""
    one, two = await together(first, second)
    return one, two


class ThreadCall:
    """A function for a thread of its own: ``trio.to_thread.run_sync(call.run, abandon_on_cancel=True)``.

    ``at_end`` is called with the thread's ident when the function has returned or failed.
    """

    def __init__(self, work: Callable[[], Any], at_end: Callable[[int], object]) -> None:
        self._work = work
        self._at_end = at_end
        self._lock = threading.Lock()
        self._thread: int | None = None
        self._cancelled = False

    def run(self) -> Any:
        """Return what the function gives; None, without calling it, if the call was cancelled first."""
        thread = threading.get_ident()
        with self._lock:
            if self._cancelled:
                return None
            self._thread = thread
        try:
            return self._work()
        finally:
            with self._lock:
                self._thread = None
                self._at_end(thread)

    def cancel(self, interrupt: Callable[[int], object]) -> bool:
        """Pass the thread's ident to ``interrupt`` if the function runs now; True if it does."""
        with self._lock:
            self._cancelled = True
            runs = self._thread is not None
            if self._thread is not None:
                interrupt(self._thread)
        return runs


def once(read: Callable[[], Awaitable[T1]]) -> Callable[[], Awaitable[T1]]:
    """Reads when it is first asked, and gives the same to all who ask, side by side or later."""
    lock = trio.Lock()
    known: list[T1] = []

    async def get() -> T1:
        async with lock:
            if not known:
                known.append(await read())
        return known[0]

    return get

"""Small helpers over trio that several parts of the session need: running side by side, and plain exceptions.

Everything that can be asked together is sent together; ``together`` is how code says so without counting requests: the
connection puts what its tasks submit in one scheduling round into one segment.
"""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any, TypeVar

import trio

from jdbpy.errors import JdbpyError

T1 = TypeVar("T1")
T2 = TypeVar("T2")


@contextmanager
def plain_errors() -> Iterator[None]:
    """Turn an exception group that holds a single exception, or several errors of ours, into one exception.

    A nursery wraps whatever leaves it; users of the session wrote ``except StateError`` and mean it.
    """
    try:
        yield
    except BaseExceptionGroup as group:
        error = _only(group)
        if error is None:
            raise
        raise error from error.__cause__


def _only(group: BaseExceptionGroup[Any]) -> BaseException | None:
    """Return the one error of a group; of several, the one that is not a cancellation; of several of ours, the first.

    All that waited when the connection went away fail together, and one of them says it all.
    """
    leaves: list[BaseException] = []
    pending: list[BaseException] = [group]
    while pending:
        error = pending.pop()
        if isinstance(error, BaseExceptionGroup):
            pending.extend(error.exceptions)
        else:
            leaves.append(error)
    real = [error for error in leaves if not isinstance(error, trio.Cancelled)]
    if len(real) == 1 or (real and all(isinstance(error, JdbpyError) for error in real)):
        return real[0]
    return leaves[0] if len(leaves) == 1 else None


@asynccontextmanager
async def open_nursery() -> AsyncIterator[trio.Nursery]:
    """A nursery out of which a single exception comes as itself."""
    with plain_errors():
        async with trio.open_nursery() as nursery:
            yield nursery


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

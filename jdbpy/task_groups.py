"""Task groups out of which an error comes as itself, not wrapped: the one way in which jdbpy opens them.

A lost connection is one, and ends with status 5, whatever ran beside it; so do an end of the time and Ctrl-C. They are
trio's: ``require_trio`` is what the doors of the library ask first.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import trio

from jdbpy.errors import Disconnected, JdbpyError, StateError


def require_trio() -> None:
    """Raises StateError where the caller is no task of trio, but one of asyncio."""
    if not trio.lowlevel.in_trio_task():
        raise StateError(
            "jdbpy needs trio, and this is a task of another library, such as asyncio",
            hint="start with trio.run(main), or use jdbpy.sync in a thread: await asyncio.to_thread(function)",
            code="NO_TRIO",
        )


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
    """Return the one error of a group; of several, the one that is not a cancellation; of several of ours, the loss of
    the connection, or the first.

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
    if not real:
        return leaves[0]
    if all(isinstance(error, JdbpyError) for error in real):
        return next((error for error in real if isinstance(error, Disconnected)), real[0])
    return real[0] if len(real) == 1 else None


@asynccontextmanager
async def open_nursery() -> AsyncIterator[trio.Nursery]:
    """A nursery out of which a single exception comes as itself."""
    with plain_errors():
        async with trio.open_nursery() as nursery:
            yield nursery

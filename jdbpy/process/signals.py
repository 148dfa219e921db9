"""The meaning of Ctrl-C, and the one place where signals arrive.

Owns SIGINT, SIGTERM and SIGHUP from the first prompt to the last: the same consumer for life, so that no signal ever
finds a moment in which it would end the debugger and leave a broken terminal behind. What to do is decided by a pure
function; doing it is the REPL's affair.
"""

from __future__ import annotations

import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from enum import Enum

import trio

from jdbpy.process.processor_time import open_signals
from jdbpy.task_groups import open_nursery

_ENDING = [number for name in ("SIGTERM", "SIGHUP") if (number := getattr(signal, name, None)) is not None]


def ending_signals() -> list[signal.Signals]:
    """Return the signals that end the debugger: SIGTERM, and SIGHUP unless it was started with that ignored (nohup)."""
    return [number for number in _ENDING if number == signal.SIGTERM or signal.getsignal(number) != signal.SIG_IGN]


class Doing(Enum):
    """The activity of the REPL when the user interrupts it."""

    PROMPTING = "waiting for a line"
    COMMAND = "running a command"
    WAITING = "waiting for the target to stop, inside a command"
    PAGING = "showing a long text in a pager"


class Reaction(Enum):
    """The reaction to an interrupt."""

    CANCEL = "ends the command; the target is left alone"
    PAUSE = "stops the target"
    EXPLAIN = "says how to leave: nothing runs that could be interrupted"
    IGNORE = "nothing: the pager has had the key as well"


def reaction(doing: Doing, target_runs: bool) -> Reaction:
    """Return what Ctrl-C does. Never does it end the debugger."""
    if doing is Doing.PAGING:
        return Reaction.IGNORE
    if doing is Doing.COMMAND:
        return Reaction.CANCEL
    if target_runs:
        return Reaction.PAUSE
    return Reaction.CANCEL if doing is Doing.WAITING else Reaction.EXPLAIN


async def watch_signals(
    interrupt: Callable[[], object],
    leave: Callable[[int], object],
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    """Calls ``interrupt`` at each SIGINT, ``leave(signal number)`` at SIGTERM and SIGHUP, until cancelled."""
    with open_signals(signal.SIGINT, *ending_signals()) as signals:
        task_status.started()
        async for number in signals:
            if number == signal.SIGINT:
                interrupt()
            else:
                leave(number)


@asynccontextmanager
async def ended_by_signals(ends_itself: Callable[[], bool] = lambda: False) -> AsyncIterator[list[int]]:
    """Cancel the block at the first signal that asks for the end; take further ones, which must not stop the leaving.

    ``ends_itself`` is called at a SIGINT: if it returns True, the block comes to its end in good order, and is not
    cancelled before the next signal. Gives the numbers of the signals that have come, SIGINT among them.
    """
    ended_by: list[int] = []
    async with open_nursery() as watching:
        work = trio.CancelScope()
        await watching.start(_cancel_at_each, ended_by, work, ends_itself)
        with work:
            yield ended_by
        watching.cancel_scope.cancel()


async def _cancel_at_each(
    ended_by: list[int],
    work: trio.CancelScope,
    ends_itself: Callable[[], bool],
    *,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    with open_signals(signal.SIGINT, *ending_signals()) as signals:
        task_status.started()
        async for number in signals:
            ended_by.append(number)
            if not (number == signal.SIGINT and ends_itself()):
                work.cancel()

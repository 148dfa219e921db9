"""Monitors and locks: who holds them, who waits, and deadlocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from jdbpy import FrameInfo, locks
from jdbpy.cli.arguments.base import Option
from jdbpy.cli.arguments.code import ExpressionArgument
from jdbpy.cli.arguments.target import ThreadArgument
from jdbpy.cli.context import Context
from jdbpy.cli.output.pieces import Line, Pieces, Sentence, Shown, count, faint, name, piece, remark, title
from jdbpy.cli.output.places import place_of, thread_name, thread_title
from jdbpy.cli.output.shows import shows
from jdbpy.cli.settings import Settings
from jdbpy.cli.table import command
from jdbpy.errors import StateError, UsageError

_HOW = {
    "enter": "waits to enter",
    "wait": "waits for a notification of",
    "acquire": "waits to lock",
    "park": "is parked for",
    "join": "waits for the end of",
    "get": "waits for the result of",
}


@shows(locks.LocksReport)
def locks_report(result: locks.LocksReport, settings: Settings) -> Shown:
    for each in result.threads:
        yield thread_title(each.thread, ":")
        for held in each.held:
            yield "  " + word("holds") + " " + _lock(held.lock) + _in(held.frame)
        if each.awaits is not None:
            yield "  " + _awaits(each.awaits)
        if each.error:
            yield remark(each.error)
        elif not each.held and each.awaits is None:
            yield remark("no locks")
    yield from _held_up(result.held_up)


@shows(locks.LockState)
def lock_state(result: locks.LockState, settings: Settings) -> Shown:
    if result.owner is not None:
        times = f", entered {count(result.entry_count, 'time')}" if result.entry_count > 1 else ""
        yield _lock(result.lock) + " is " + word("held by") + " " + thread_name(result.owner) + times
    else:
        yield _lock(result.lock) + " is " + word("held by") + " no thread"
    for waits, waiting in (("waits for it", result.entering), ("waits for a notification", result.waiting)):
        yield from ("  " + thread_name(each) + f" {waits}" for each in waiting)
    if not result.entering and not result.waiting:
        yield "  no thread waits"
    if result.note:
        yield remark(result.note)


@shows(locks.DeadlockReport)
def deadlocks_report(result: locks.DeadlockReport, settings: Settings) -> Shown:
    for index, deadlock in enumerate(result.deadlocks, 1):
        yield title(f"Deadlock {index}") + f": {count(len(deadlock.cycle), 'thread')}, each waits for the next"
        yield from _cycle(deadlock.cycle)
        for each in deadlock.behind:
            if each.awaits is not None:
                yield "  behind them: " + thread_name(each.thread) + " " + _awaits(each.awaits)
    if not result.deadlocks:
        yield Sentence(f"no deadlock among {count(result.threads, 'thread')}")
    yield from _held_up(result.held_up)


def _cycle(cycle: Sequence[locks.ThreadLocks]) -> Shown:
    """Yield the threads of a cycle one below the other, with a line on the left from the last back to the first."""
    for index, each in enumerate(cycle):
        before = cycle[index - 1].awaits
        yield f"  {'┌→' if index == 0 else '│ '} " + thread_name(each.thread) + _holding(each, before)
        if each.awaits is not None:
            yield f"  {'└─' if index == len(cycle) - 1 else '│ '}   " + _awaits(each.awaits, owner=False)


def _holding(each: locks.ThreadLocks, wanted: locks.AwaitedLock | None) -> Line:
    """Return what a thread holds of what the one before it wants, and where."""
    if wanted is None or wanted.how in ("join", "get"):
        return ""
    held = next((one for one in each.held if one.lock.id == wanted.lock.id), None)
    return " " + word("holds") + " " + _lock(wanted.lock) + _in(held.frame if held is not None else None)


def _awaits(awaits: locks.AwaitedLock, *, owner: bool = True) -> Pieces:
    shown = word(_HOW.get(awaits.how, "waits for")) + " " + _lock(awaits.lock)
    if owner and awaits.owner is not None and awaits.owner.error:
        shown += f" ({awaits.owner.error})"
    elif owner and awaits.owner is not None and awaits.how != "join":
        shown += ", " + word("held by") + " " + name(f'thread {awaits.owner.id} "{awaits.owner.name}"')
    return shown + _in(awaits.frame)


def _lock(lock: locks.Lock) -> Pieces:
    """``Object@12 (java.lang.Object)``: the text alone seldom has the package."""
    full = f" ({lock.type})" if lock.kind != "thread" and lock.type not in lock.text else ""
    return piece(lock.text, "string") + full


def _in(frame: FrameInfo | None) -> Line:
    return ", in " + place_of(frame.location) if frame is not None else ""


def word(text: str) -> Pieces:
    """Return what a thread does with a lock."""
    return piece(text, "word")


def _held_up(milliseconds: float | None) -> Shown:
    if milliseconds is not None:
        yield Sentence(faint(f"(the target runs; it was suspended for {milliseconds:.0f} ms to look)"))


class _ThreadOrAll(ThreadArgument):
    metavar = "THREAD|all"


@command("threadlocks", "info locks", group="threads")
async def threadlocks(ctx: Context, which: Annotated[str | None, _ThreadOrAll()] = None) -> locks.LocksReport:
    """Show the monitors that a thread holds and what it waits for; of the selected thread, another, or `all`.

    Locks of java.util.concurrent and Thread.join are included, as far as threads wait for them. A target that runs is
    suspended for a moment to look.
    """
    if which is not None and which.lower() == "all":
        return await ctx.session.locks.of()
    if which is None:
        selected = ctx.session.selection[0]
        if selected is None:
            raise StateError("no thread is selected", hint="'threadlocks all' shows those of every thread")
        return await ctx.session.locks.of([selected])
    return await ctx.session.locks.of([(await ctx.session.threads.find(which)).id])


@command("lock", group="threads")
async def lock(ctx: Context, expression: Annotated[str, ExpressionArgument()]) -> locks.LockState:
    """Show who holds the monitor of an object, how often it has entered it, and who waits.

    For a lock of java.util.concurrent, show its owner and the threads parked for it. `lock this`, `lock
    com.acme.Shop.door`.
    """
    value = await ctx.session.values.evaluate(expression, limits=ctx.limits(depth=0))
    if value.id is None:
        raise UsageError(f"{expression} is {value.text}: only an object has a monitor")
    return await ctx.session.locks.state(value.id)


@command("deadlocks", "deadlock", group="threads")
async def deadlocks(
    ctx: Context,
    *,
    virtual: Annotated[bool, Option("--virtual", help="among all virtual threads too, looked for in the heap")] = False,
) -> locks.DeadlockReport:
    """Find threads that wait for each other for ever, and show what each holds and wants, and where.

    Through monitors, locks of java.util.concurrent and Thread.join alike; nothing is run in the target, which is
    suspended for a moment if it runs.
    """
    return await ctx.session.locks.deadlocks(virtual=virtual)

"""Locks, deadlocks, equal stacks and all about one thread, as plain text."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from jdbpy import Frame, ThreadInfo, ThreadRef, locks, threads
from jdbpy.cli.plain.stacks import cpu_text, state_of, thread_title
from jdbpy.cli.plain.text import count, frame_line, place_of, table
from jdbpy.cli.results.threads import Applied, FoldedStacks
from jdbpy.cli.settings import Settings
from jdbpy.escape import escape

_NAMED = 8
"""Threads of a group of equal stacks that are named."""

_HOW = {
    "enter": "waits to enter",
    "wait": "waits for a notification of",
    "acquire": "waits to lock",
    "park": "is parked for",
    "join": "waits for the end of",
    "get": "waits for the result of",
}


def folded(result: FoldedStacks, settings: Settings) -> Iterator[str]:
    for group in result.groups:
        yield from _fold_title(group.threads)
        for frame in group.frames:
            yield f"  {frame_line(frame, settings, pc=result.pc)}"
        if not group.frames:
            yield f"  ({escape(group.error or 'no frames')})"
    total = sum(len(group.threads) for group in result.groups)
    yield f"{count(total, 'thread')}, {count(len(result.groups), 'different stack')}"


def detail(result: threads.ThreadDetail, settings: Settings) -> Iterator[str]:
    thread = result.thread
    yield thread_title(thread)
    rows = [
        ("class", result.class_name),
        ("group", " / ".join(result.groups)),
        ("Java id", _text(thread.java_id)),
        ("priority", _text(thread.priority)),
        ("daemon", _yes(thread.daemon)),
        ("interrupted", _yes(result.interrupted)),
        ("suspended", count(thread.suspend_count, "time") if thread.suspend_count else "no"),
        ("frames", _text(result.frames)),
        ("parked for", result.blocker or ""),
        ("mounted on", _ref(result.carrier)),
        ("loader", result.context_loader or ""),
        (
            "CPU time",
            cpu_text(thread.cpu) + (f", {cpu_text(result.user)} of it user" if result.user is not None else ""),
        ),
        ("allocated", f"{result.allocated:,} bytes" if result.allocated is not None else ""),
    ]
    yield from table([row for row in rows if row[1]], "  ")
    yield from (f"  ({escape(note)})" for note in result.notes)


def lock_report(result: locks.LocksReport, settings: Settings) -> Iterator[str]:
    for each in result.threads:
        yield f"{thread_title(each.thread)}:"
        for held in each.held:
            yield f"  holds {_lock(held.lock)}{_in(held.frame)}"
        if each.awaits is not None:
            yield f"  {_awaits(each.awaits)}"
        if each.error:
            yield f"  ({escape(each.error)})"
        elif not each.held and each.awaits is None:
            yield "  (no locks)"
    yield from _held_up(result.held_up)


def lock(result: locks.LockState, settings: Settings) -> Iterator[str]:
    if result.owner is not None:
        times = f", entered {count(result.entry_count, 'time')}" if result.entry_count > 1 else ""
        yield f"{_lock(result.lock)} is held by {_thread(result.owner)}{times}"
    else:
        yield f"{_lock(result.lock)} is held by nobody"
    for title, waiting in (("waits for it", result.entering), ("waits for a notification", result.waiting)):
        yield from (f"  {_thread(each)} {title}" for each in waiting)
    if not result.entering and not result.waiting:
        yield "  nobody waits"
    if result.note:
        yield f"  ({escape(result.note)})"


def deadlocks(result: locks.DeadlockReport, settings: Settings) -> Iterator[str]:
    for number, deadlock in enumerate(result.deadlocks, 1):
        yield f"Deadlock {number}: {count(len(deadlock.cycle), 'thread')}, each waits for the next"
        yield from _cycle(deadlock.cycle)
        for each in deadlock.behind:
            if each.awaits is not None:
                yield f"  behind them: {_thread(each.thread)} {_awaits(each.awaits)}"
    if not result.deadlocks:
        yield f"no deadlock among {count(result.threads, 'thread')}"
    yield from _held_up(result.held_up)


def applied(result: Applied, settings: Settings) -> Iterator[str]:
    failed = f"; it failed for {result.failed}" if result.failed else ""
    yield f"'{escape(result.command)}' was run for {count(result.threads, 'thread')}{failed}"


def _cycle(cycle: Sequence[locks.ThreadLocks]) -> Iterator[str]:
    """The threads of a cycle one below the other, with a line on the left from the last back to the first."""
    for index, each in enumerate(cycle):
        before = cycle[index - 1].awaits
        yield f"  {'┌→' if index == 0 else '│ '} {_thread(each.thread)}{_holding(each, before)}"
        if each.awaits is not None:
            yield f"  {'└─' if index == len(cycle) - 1 else '│ '}   {_awaits(each.awaits, owner=False)}"


def _holding(each: locks.ThreadLocks, wanted: locks.AwaitedLock | None) -> str:
    """What a thread holds of what the one before it wants, and where."""
    if wanted is None or wanted.how in ("join", "get"):
        return ""
    held = next((one for one in each.held if one.lock.id == wanted.lock.id), None)
    return f" holds {_lock(wanted.lock)}{_in(held.frame if held is not None else None)}"


def _fold_title(group: Sequence[ThreadInfo]) -> Iterator[str]:
    if len(group) == 1:
        yield f"{thread_title(group[0])}:"
        return
    named = ", ".join(f'{thread.id} "{escape(thread.name)}"' for thread in group[:_NAMED])
    more = f" and {len(group) - _NAMED} more" if len(group) > _NAMED else ""
    states = sorted({state_of(thread) for thread in group})
    yield f"{len(group)} threads, {' or '.join(states)}: {named}{more}"


def _awaits(awaits: locks.AwaitedLock, *, owner: bool = True) -> str:
    words = f"{_HOW.get(awaits.how, 'waits for')} {_lock(awaits.lock)}"
    if owner and awaits.owner is not None and awaits.owner.error:
        words += f" ({escape(awaits.owner.error)})"
    elif owner and awaits.owner is not None and awaits.how != "join":
        words += f', held by thread {awaits.owner.id} "{escape(awaits.owner.name)}"'
    return words + _in(awaits.frame)


def _lock(lock: locks.Lock) -> str:
    """``Object@12 (java.lang.Object)``: the text alone seldom tells the package."""
    full = f" ({escape(lock.type)})" if lock.kind != "thread" and lock.type not in lock.text else ""
    return f"{escape(lock.text)}{full}"


def _in(frame: Frame | None) -> str:
    return f", in {place_of(frame.location)}" if frame is not None else ""


def _thread(thread: ThreadInfo) -> str:
    return f'thread {thread.id} "{escape(thread.name)}"'


def _ref(thread: ThreadRef | None) -> str:
    return f'thread {thread.id} "{thread.name}"' if thread is not None else ""


def _held_up(milliseconds: float | None) -> Iterator[str]:
    if milliseconds is not None:
        yield f"(the target runs; it was suspended for {milliseconds:.0f} ms to look)"


def _text(number: int | None) -> str:
    return "" if number is None else str(number)


def _yes(flag: bool | None) -> str:
    return "" if flag is None else "yes" if flag else "no"


LINES: dict[type, Callable[[Any, Settings], Iterator[str]]] = {
    Applied: applied,
    FoldedStacks: folded,
    locks.DeadlockReport: deadlocks,
    locks.LockState: lock,
    locks.LocksReport: lock_report,
    threads.ThreadDetail: detail,
}

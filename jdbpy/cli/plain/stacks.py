"""Stacks, frames, threads and variables as plain text."""

from __future__ import annotations

from collections.abc import Iterator

from jdbpy import SourceWindow, StackTrace, ThreadGroup, ThreadInfo
from jdbpy.cli.plain.text import count, frame_line, place_of, source_lines, table, variable_line
from jdbpy.cli.results import (
    FrameSelected,
    Stack,
    Stacks,
    ThreadGroups,
    Threads,
    ThreadSelected,
    Variables,
)
from jdbpy.cli.settings import Settings
from jdbpy.escape import escape


def stack(result: Stack, settings: Settings) -> Iterator[str]:
    variables = {one.index: one.variables for one in result.variables}
    for frame in result.trace.frames:
        yield f"  {frame_line(frame, settings, pc=result.pc)}"
        for variable in variables.get(frame.index, ()):
            yield f"        {variable_line(variable)}"
    yield from _left_out(result.trace)


def stacks(result: Stacks, settings: Settings) -> Iterator[str]:
    for trace in result.traces:
        yield f"{thread_title(trace.thread)}:"
        for frame in trace.frames:
            yield f"  {frame_line(frame, settings, pc=result.pc)}"
        if trace.error:
            yield f"  ({escape(trace.error)})"
        elif not trace.frames:
            yield "  (no frames)"
        yield from _left_out(trace)


def frame_selected(result: FrameSelected, settings: Settings) -> Iterator[str]:
    yield f"  {frame_line(result.frame, settings)}"
    yield from _source(result.source)


def thread_selected(result: ThreadSelected, settings: Settings) -> Iterator[str]:
    yield thread_title(result.thread)
    if result.frame is not None:
        yield f"  {frame_line(result.frame, settings)}"
        yield from _source(result.source)


def threads(result: Threads, settings: Settings) -> Iterator[str]:
    rows = [
        (
            "*" if thread.current else " ",
            str(thread.id),
            f'"{thread.name}"',
            thread.group if not result.group else "",
            state_of(thread),
            *(more_about(thread) if result.verbose else ()),
            place_of(thread.frame.location) if thread.frame is not None else "",
        )
        for thread in result.threads
    ]
    yield from table(rows)
    if not rows:
        yield "no threads"
    if result.note:
        yield f"({escape(result.note)})"


def more_about(thread: ThreadInfo) -> tuple[str, str, str]:
    """What ``threads -v`` adds: CPU time, priority with the daemon flag, Java id."""
    priority = "" if thread.priority is None else f"prio {thread.priority}"
    return (
        cpu_text(thread.cpu),
        f"{priority} daemon" if thread.daemon else priority,
        "" if thread.java_id is None else f"Java id {thread.java_id}",
    )


def thread_groups(result: ThreadGroups, settings: Settings) -> Iterator[str]:
    for group in result.groups:
        yield from _group(group, "")


def variables(result: Variables, settings: Settings) -> Iterator[str]:
    arguments = [variable for variable in result.variables if variable.kind == "argument"]
    others = [variable for variable in result.variables if variable.kind not in ("argument", "this")]
    for variable in result.variables:
        if variable.kind == "this":
            yield variable_line(variable)
    if arguments:
        yield "Arguments:"
        yield from (f"  {variable_line(variable)}" for variable in arguments)
    if others:
        yield "Local variables:"
        yield from (f"  {variable_line(variable)}" for variable in others)
    if not result.variables:
        yield "no arguments" if result.only else "no variables here"


def thread_title(thread: ThreadInfo) -> str:
    """``Thread 1 "main", waiting, suspended``."""
    return f'Thread {thread.id} "{escape(thread.name)}", {state_of(thread)}'


def state_of(thread: ThreadInfo) -> str:
    """The state in words, with what the debugger does to it."""
    words = [escape(thread.state)]
    if thread.at_breakpoint:
        words.append("stopped here")
    elif thread.suspended:
        words.append("suspended" if thread.suspend_count < 2 else f"suspended {thread.suspend_count} times")
    if thread.virtual:
        words.append("virtual")
    if thread.error:
        words.append(escape(thread.error))
    return ", ".join(words)


def cpu_text(seconds: float | None) -> str:
    """A short time: ``0.17 ms``, ``2.350 s``; "" for one that is not known."""
    if seconds is None:
        return ""
    return f"{seconds:.3f} s" if seconds >= 1 else f"{seconds * 1000:.2f} ms"


def _group(group: ThreadGroup, indent: str) -> Iterator[str]:
    yield f"{indent}group {escape(group.name)} ({count(len(group.threads), 'thread')})"
    yield from table(((str(one.id), f'"{one.name}"', state_of(one)) for one in group.threads), f"{indent}  ")
    for inner in group.groups:
        yield from _group(inner, f"{indent}  ")


def _source(window: SourceWindow | None) -> Iterator[str]:
    if window is not None:
        yield from source_lines(window)


def _left_out(trace: StackTrace) -> Iterator[str]:
    more = trace.total - len(trace.frames)
    if more > 0 and trace.frames:
        yield f"  ... {count(more, 'more frame')}"

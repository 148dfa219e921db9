"""Threads: listing, selecting, suspending, interrupting."""

from __future__ import annotations

import re
from typing import Annotated

from jdbpy import ThreadInfo
from jdbpy.cli.arguments.plain import Text
from jdbpy.cli.arguments.target import Thread, ThreadGroup
from jdbpy.cli.context import Context
from jdbpy.cli.results import Done, ThreadGroups, Threads, ThreadSelected
from jdbpy.cli.table import command
from jdbpy.errors import StateError, UsageError

ThreadWord = Annotated[str | None, Thread()]


@command("threads", "info threads", group="threads")
async def threads(ctx: Context, group: Annotated[str | None, ThreadGroup()] = None) -> Threads:
    """List the threads: id, name, state, and where each one stands that is suspended.

    With the name of a thread group, only its threads.
    """
    found = await ctx.session.threads.list(with_frames=True)
    if group is not None:
        found = [thread for thread in found if thread.group.lower() == group.lower()]
        if not found:
            raise UsageError(f"no thread is in a group '{group}'", hint="'threadgroups' lists the groups")
    return Threads(tuple(found), group or "")


@command("thread", "info thread", group="threads")
async def thread(ctx: Context, which: ThreadWord = None) -> ThreadSelected:
    """Select a thread by its id or name; without one, show which is selected."""
    session = ctx.session
    if which is None:
        selected = session.selection[0]
        if selected is None:
            raise StateError("no thread is selected", hint="'threads' lists them, 'thread ID' selects one")
        found = await session.threads.find(str(selected))
    else:
        found = await session.threads.find(which)
        await session.select_thread(found.id)
        ctx.listed = None
    if not found.suspended:
        return ThreadSelected(found)
    trace = await session.stack.of(found.id, count=1)
    if not trace.frames:
        return ThreadSelected(found)
    frame = trace.frames[0] if which is not None else await session.stack.selected()
    return ThreadSelected(found, frame, await session.sources.window(frame))


@command("thread find", group="threads")
async def thread_find(ctx: Context, pattern: Annotated[str, Text("REGEX", "a regular expression")]) -> Threads:
    """List the threads whose name fits a regular expression."""
    try:
        wanted = re.compile(pattern, re.IGNORECASE)
    except re.error as error:
        raise UsageError(f"'{pattern}' is no regular expression: {error}") from error
    found = await ctx.session.threads.list(with_frames=True)
    return Threads(tuple(thread for thread in found if wanted.search(thread.name)))


@command("threadgroups", group="threads")
async def threadgroups(ctx: Context) -> ThreadGroups:
    """Show the tree of thread groups with their threads."""
    return ThreadGroups(tuple(await ctx.session.threads.groups()))


@command("suspend", group="threads")
async def suspend(ctx: Context, *threads: Annotated[str, Thread()]) -> Done:
    """Suspend threads, or all of them. Each suspend needs a resume of its own.

    To stop the program and look at it, `pause` is the better word.
    """
    found = await _find(ctx, threads)
    await ctx.session.execution.suspend([thread.id for thread in found] or None)
    return Done(f"{_described(found)} suspended", hint="'resume' undoes it")


@command("resume", group="threads")
async def resume(ctx: Context, *threads: Annotated[str, Thread()]) -> Done:
    """Let threads run that are suspended, whatever suspended them; without a thread, all of them."""
    found = await _find(ctx, threads)
    await ctx.session.execution.unsuspend([thread.id for thread in found] or None)
    return Done(f"{_described(found)} resumed")


@command("interrupt", group="threads")
async def interrupt(ctx: Context, which: ThreadWord = None) -> Done:
    """Call interrupt() on a thread, the selected one by default: it ends its sleep or wait with an exception.

    This does not stop the program: `pause` (or Ctrl-C) does.
    """
    selected = ctx.session.selection[0]
    if which is None and selected is None:
        raise UsageError(
            "which thread shall be interrupted?",
            hint="'interrupt THREAD' calls its interrupt(); to stop the program, 'pause'",
        )
    found = await ctx.session.threads.find(which or str(selected))
    await ctx.session.execution.interrupt(found.id)
    return Done(f"interrupt() was called on {_described([found])}", hint="to stop the program and look at it: 'pause'")


@command("kill", group="threads")
async def kill(ctx: Context, words: Annotated[str, Text("THREAD EXPRESSION")] = "") -> Done:
    """Not the way to end the program: that is `exit --kill`. In jdb, `kill` throws an exception in a thread."""
    raise UsageError(
        "'kill' does not end the program", hint="'exit --kill' ends the target; 'quit' leaves it running when attached"
    )


async def _find(ctx: Context, names: tuple[str, ...]) -> list[ThreadInfo]:
    return [await ctx.session.threads.find(name) for name in names]


def _described(threads: list[ThreadInfo]) -> str:
    if not threads:
        return "all threads"
    return ", ".join(f'thread {thread.id} "{thread.name}"' for thread in threads)

"""Threads: listing, selecting, all about one, the tree of groups."""

from __future__ import annotations

import re
from typing import Annotated

from jdbpy import Notice, ThreadInfo, threads as thread_data
from jdbpy.cli.arguments.base import Option
from jdbpy.cli.arguments.plain import Number, Text
from jdbpy.cli.arguments.target import Thread
from jdbpy.cli.arguments.vm import GROUP_NAME, THREAD_NAMES, ThreadState
from jdbpy.cli.context import Context
from jdbpy.cli.results import ThreadGroups, Threads, ThreadSelected
from jdbpy.cli.table import command
from jdbpy.errors import StateError, UsageError

ThreadWord = Annotated[str | None, Thread()]
NameOption = Annotated[
    str,
    Option("-n", "--name", argument=THREAD_NAMES, help="only threads with such a name; `*` stands for anything"),
]
StateOption = Annotated[
    str, Option("-s", "--state", argument=ThreadState(), help=f"only threads that are {', '.join(thread_data.STATES)}")
]
GroupOption = Annotated[str, Option("-g", "--group", argument=GROUP_NAME, help="only threads of this group")]


@command("threads", "info threads", group="threads")
async def threads(
    ctx: Context,
    group: Annotated[str | None, GROUP_NAME] = None,
    *,
    name: NameOption = "",
    state: StateOption = "",
    in_group: GroupOption = "",
    verbose: Annotated[bool, Option("-v", help="with priority, daemon, Java id and CPU time")] = False,
    virtual: Annotated[bool, Option("--virtual", help="virtual threads, all that the heap has (Java 21)")] = False,
    most: Annotated[int, Option("--most", argument=Number("N"), help="of --virtual, how many are looked for")] = 20_000,
) -> Threads:
    """List the threads: id, name, state, and where each one stands that is suspended.

    With the name of a thread group, only its threads. `threads -s blocked`, `threads -n pool-*`. Virtual threads are
    listed as far as the debugger has met them; `--virtual` finds the others, and the target stands still meanwhile.
    CPU times (-v) are told by a method that runs in a thread that an event has stopped.
    """
    chosen = thread_data.ThreadFilter(name, state, group or in_group)
    component = ctx.session.threads
    if virtual:
        ctx.session.publish(Notice("heap-walk", "the target stands still while virtual threads are looked for"))
        found = await component.virtual(most, with_frames=True, chosen=chosen)
    else:
        found = await component.list(with_frames=True, chosen=chosen)
    if group is not None and not found:
        raise UsageError(f"no thread is in a group '{group}'", hint="'threadgroups' lists the groups")
    note = ""
    if verbose:
        try:
            found = await component.with_times(found)
        except StateError as error:
            found = await component.with_fields(found)
            note = f"no CPU times: {error.message}"
    return Threads(tuple(found), group or "", verbose, note)


@command("cputime", group="threads")
async def cputime(
    ctx: Context, *, name: NameOption = "", state: StateOption = "", in_group: GroupOption = ""
) -> Threads:
    """List the threads by the CPU time that they have used, the busiest first.

    The time is told by a method that runs in a thread that an event has stopped.
    """
    found = await ctx.session.threads.list(with_frames=True, chosen=thread_data.ThreadFilter(name, state, in_group))
    timed = await ctx.session.threads.with_times(found)
    return Threads(tuple(sorted(timed, key=_least_busy)), verbose=True)


def _least_busy(thread: ThreadInfo) -> float:
    return 0.0 if thread.cpu is None else -thread.cpu


@command("thread", "info thread", group="threads")
async def thread(
    ctx: Context,
    which: ThreadWord = None,
    *,
    quiet: Annotated[bool, Option("-q", help="show only its name and state")] = False,
) -> ThreadSelected:
    """Select a thread by its id or name; without one, show which is selected."""
    session = ctx.session
    if which is None:
        found = await session.threads.find(str(selected_thread(ctx)))
    else:
        found = await session.threads.find(which)
        await session.select_thread(found.id)
        ctx.listed = None
    if not found.suspended or quiet:
        return ThreadSelected(found)
    try:
        frame = await session.stack.selected()
    except StateError:  # it has no Java frames
        return ThreadSelected(found)
    return ThreadSelected(found, frame, await session.sources.window(frame))


@command("thread info", group="threads")
async def thread_info(ctx: Context, which: ThreadWord = None) -> thread_data.ThreadDetail:
    """Show all about a thread, the selected one by default: class, groups, priority, CPU time, what it is parked for.

    CPU time and allocated bytes are told by methods that run in a thread that an event has stopped.
    """
    threads = ctx.session.threads
    return await threads.detail(selected_thread(ctx) if which is None else await threads.find(which))


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


def selected_thread(ctx: Context) -> int:
    """The id of the selected thread. Raises StateError when there is none."""
    selected = ctx.session.selection[0]
    if selected is None:
        raise StateError("no thread is selected", hint="'threads' lists them, 'thread ID' selects one")
    return selected

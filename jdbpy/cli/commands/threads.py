"""Threads: listing, selecting, all about one, the tree of groups."""

from __future__ import annotations

import re
from typing import Annotated

from jdbpy import FrameInfo, Notice, SourceWindow, ThreadGroup, ThreadInfo, threads as thread_data
from jdbpy.cli.arguments.base import Number, Option, TextArgument
from jdbpy.cli.arguments.target import ThreadWord
from jdbpy.cli.arguments.vm import GROUP_NAME, THREAD_NAMES, ThreadState
from jdbpy.cli.context import Context
from jdbpy.cli.output.pieces import (
    CodePieces,
    Column,
    Line,
    RowPieces,
    Sentence,
    Shown,
    TablePieces,
    count,
    faint,
    number,
    remark,
)
from jdbpy.cli.output.places import frame_line, place_of, short_place_of, state_of, thread_title
from jdbpy.cli.output.shows import shows
from jdbpy.cli.settings import Settings
from jdbpy.cli.table import command
from jdbpy.errors import StateError, UsageError
from jdbpy.json_form import HIDDEN
from jdbpy.record import Record


class Threads(Record):
    """Threads, of one ``group`` or of all."""

    threads: tuple[ThreadInfo, ...]
    group: str = ""
    verbose: Annotated[bool, HIDDEN] = False  # daemon, priority, Java id and CPU time are wanted
    note: Annotated[str, "what is not known, and why"] = ""


class ThreadGroups(Record):
    """Thread groups."""

    groups: tuple[ThreadGroup, ...]


class ThreadSelected(Record):
    """A thread was selected; ``frame`` is its top frame when it is held."""

    thread: ThreadInfo
    frame: FrameInfo | None = None
    source: SourceWindow | None = None


_COLUMNS = (
    Column("", style="marker", least=1),
    Column("id", style="number", least=4, right=True),
    Column("name", style="name", least=8, fold=True),
    Column("group", style="faint", least=6, spare=True),
    Column("container", style="faint", least=9, drop=2),
    Column("state", least=8, fold=True),
    Column("CPU", style="number", least=8, right=True),
    Column("priority", least=7, drop=4),
    Column("Java id", style="faint", least=9, drop=5),
    Column("place", style="type", least=20, drop=1),
)


_PACKAGES = re.compile(r"\b([a-z_]\w*\.)+")


@shows(Threads)
def threads_shown(result: Threads, settings: Settings) -> Shown:
    rows: list[tuple[Line, ...]] = []
    plain: list[tuple[Line, ...]] = []
    for each in result.threads:
        group = each.group if not result.group else ""
        more = _more_about(each) if result.verbose else ("", "", "")
        short: Line = ""
        place: Line = ""
        if each.frame is not None:
            short, place = short_place_of(each.frame.location), place_of(each.frame.location)
        mark, id, state = "*" if each.current else " ", str(each.id), state_of(each)
        container = each.container
        rows.append((mark.strip(), id, each.name, group, _PACKAGES.sub("", container), state, *more, short))
        between = (group, container, state) if container else (group, state)
        plain.append((mark, id, f'"{each.name}"', *between, *(more if result.verbose else ()), place))
    yield TablePieces(_COLUMNS, rows, plain=RowPieces(plain))
    if not rows:
        yield "no threads"
    if result.note:
        yield Sentence(faint(f"({result.note})"))


@shows(ThreadGroups)
def thread_groups(result: ThreadGroups, settings: Settings) -> Shown:
    for group in result.groups:
        yield from _group(group, "")


@shows(ThreadSelected)
def thread_selected(result: ThreadSelected, settings: Settings) -> Shown:
    yield thread_title(result.thread)
    if result.frame is not None:
        yield "  " + frame_line(result.frame, settings)
        if result.source is not None:
            yield CodePieces(result.source)


@shows(thread_data.ThreadDetail)
def thread_detail(result: thread_data.ThreadDetail, settings: Settings) -> Shown:
    thread = result.thread
    yield thread_title(thread)
    carrier = result.carrier
    cpu = cpu_text(thread.cpu) + (f", {cpu_text(result.user)} of it user" if result.user is not None else "")
    rows = [
        ("class", result.class_name),
        ("group", " / ".join(result.groups)),
        ("Java id", "" if thread.java_id is None else str(thread.java_id)),
        ("priority", "" if thread.priority is None else str(thread.priority)),
        ("daemon", _yes(thread.daemon)),
        ("interrupted", _yes(result.interrupted)),
        ("suspended", count(thread.suspend_count, "time") if thread.suspend_count else "no"),
        ("frames", "" if result.frames is None else str(result.frames)),
        ("parked for", result.blocker or ""),
        ("mounted on", f'thread {carrier.id} "{carrier.name}"' if carrier is not None else ""),
        ("loader", result.context_loader or ""),
        ("CPU time", cpu),
        ("allocated", f"{result.allocated:,} bytes" if result.allocated is not None else ""),
    ]
    yield RowPieces([(faint(title), text) for title, text in rows if text], "  ")
    yield from map(remark, result.notes)


def _more_about(thread: ThreadInfo) -> tuple[str, str, str]:
    """Return what ``threads -v`` adds: CPU time, priority with the daemon flag, Java id."""
    priority = "" if thread.priority is None else f"prio {thread.priority}"
    return (
        cpu_text(thread.cpu),
        f"{priority} daemon" if thread.daemon else priority,
        "" if thread.java_id is None else f"Java id {thread.java_id}",
    )


def cpu_text(seconds: float | None) -> str:
    """Return a short time: ``0.17 ms``, ``2.350 s``; "" for one that is not known."""
    if seconds is None:
        return ""
    return f"{seconds:.3f} s" if seconds >= 1 else f"{seconds * 1000:.2f} ms"


def _group(group: ThreadGroup, indent: str) -> Shown:
    yield f"{indent}group {group.name} ({count(len(group.threads), 'thread')})"
    yield RowPieces(((number(one.id), f'"{one.name}"', state_of(one)) for one in group.threads), f"{indent}  ")
    for inner in group.groups:
        yield from _group(inner, f"{indent}  ")


def _yes(flag: bool | None) -> str:
    return "" if flag is None else "yes" if flag else "no"


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
    most: Annotated[int, Option("--max", argument=Number("N"), help="of --virtual, how many are looked for")] = 20_000,
) -> Threads:
    """List the threads: id, name, state, and where each one stands that is suspended.

    With the name of a thread group, only its threads. `threads -s blocked`, `threads -n pool-*`. Virtual threads are
    listed as far as the debugger has met them; `--virtual` finds the others, and the target stands still meanwhile, or
    without the agent they come from a dump. `where all --virtual` shows their stacks.
    CPU times (-v) are read by a method that is run in the JVM, also while the program runs.
    """
    chosen = thread_data.ThreadFilter(name, state, group or in_group)
    component = ctx.session.threads
    if virtual:
        if not ctx.session.agent_line:
            ctx.session.publish(Notice("heap-walk", "the target is suspended while virtual threads are looked for"))
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

    The time is read by a method that is run in the JVM, also while the program runs.
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

    CPU time and allocated bytes are read by methods that are run in the JVM, also while the program runs.
    """
    threads = ctx.session.threads
    return await threads.detail(selected_thread(ctx) if which is None else await threads.find(which))


@command("thread find", group="threads")
async def thread_find(ctx: Context, pattern: Annotated[str, TextArgument("REGEX", "a regular expression")]) -> Threads:
    """List the threads whose name fits a regular expression."""
    try:
        wanted = re.compile(pattern, re.IGNORECASE)
    except re.error as error:
        raise UsageError(f"'{pattern}' is not a regular expression: {error}") from error
    found = await ctx.session.threads.list(with_frames=True)
    return Threads(tuple(thread for thread in found if wanted.search(thread.name)))


@command("threadgroups", group="threads")
async def threadgroups(ctx: Context) -> ThreadGroups:
    """Show the tree of thread groups with their threads."""
    return ThreadGroups(tuple(await ctx.session.threads.groups()))


def selected_thread(ctx: Context) -> int:
    """Return the id of the selected thread. Raises StateError when there is none."""
    selected = ctx.session.selection[0]
    if selected is None:
        raise StateError("no thread is selected", hint="'threads' lists them, 'thread ID' selects one")
    return selected

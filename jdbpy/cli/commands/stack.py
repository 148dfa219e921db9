"""Looking at stacks: where, where all, wherei, up, down, frame."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Annotated

from jdbpy import FrameInfo, JdbpyError, StackTrace, ThreadInfo, Variable, threads
from jdbpy.cli.arguments.base import Number, Option
from jdbpy.cli.arguments.code import ExpressionArgument
from jdbpy.cli.arguments.target import FrameArgument, FrameNumber, ThreadWord
from jdbpy.cli.commands.threads import GroupOption, NameOption, StateOption
from jdbpy.cli.context import Context
from jdbpy.cli.output.pieces import CutPieces, Line, LinePieces, Sentence, Shown, count, faint, piece, remark, title
from jdbpy.cli.output.places import FrameLines, frames_left_out, shared_stack, short_name, state_of, thread_title
from jdbpy.cli.output.shows import shows
from jdbpy.cli.output.values import variable_line
from jdbpy.cli.pictures import Svg, draw_stacks
from jdbpy.cli.results import Done, FrameSelected, Resumed
from jdbpy.cli.settings import Settings
from jdbpy.cli.table import command
from jdbpy.errors import UsageError
from jdbpy.json_form import HIDDEN, Inline, Json
from jdbpy.record import Record


class FrameVariables(Record):
    """The variables of the frame with this number."""

    index: int
    variables: tuple[Variable, ...]


class StackFrames(Record):
    """One thread's stack. ``pc``: code indexes are wanted; ``variables`` of the frames, for ``bt full``."""

    json_name = "where"

    trace: Annotated[StackTrace, Inline()]
    pc: Annotated[bool, HIDDEN] = False
    variables: Annotated[tuple[FrameVariables, ...], "for `bt full`"] = ()
    selected: Annotated[int | None, HIDDEN] = None  # the frame that is, if the thread is selected
    hint: Annotated[str, HIDDEN] = ""


class Stacks(Record):
    """The stacks of all threads."""

    traces: Annotated[tuple[StackTrace, ...], Json(key="stacks")]
    pc: Annotated[bool, HIDDEN] = False


class FoldedStacks(Record):
    """The stacks of threads, equal ones together. ``pc``: code indexes are wanted."""

    groups: Annotated[tuple[threads.EqualStacks, ...], Json("the most frequent first", "stacks")]
    pc: Annotated[bool, HIDDEN] = False


RUNNING_HINT = "'pause' suspends the threads, so that their stacks can be read; 'cont' lets them run on"
"""The way to stacks of a running target."""

_NAMED = 8
"""Threads of a group of equal stacks that are named."""


@shows(StackFrames)
def stack(result: StackFrames, settings: Settings) -> Shown:
    variables = {one.index: one.variables for one in result.variables}
    frames = tuple(result.trace.frames)  # each is made once
    yield Sentence(thread_title(result.trace.thread, ":"))
    for frame, line in zip(frames, FrameLines(settings, pc=result.pc).of(frames), strict=True):
        yield CutPieces((piece("=> ", "marker") if frame.index == result.selected else "   ") + line)
        yield from ("        " + variable_line(variable) for variable in variables.get(frame.index, ()))
    if not result.trace.frames:
        yield remark(result.trace.error or "no frames")
    yield from frames_left_out(result.trace)
    if result.hint and settings["hints"]:
        yield remark(result.hint)


@shows(Stacks)
def stacks(result: Stacks, settings: Settings) -> Shown:
    lines = FrameLines(settings, pc=result.pc, indent="  ")
    for trace in result.traces:
        yield thread_title(trace.thread, ":")
        yield LinePieces(lines.of(trace.frames), lines.plain(trace.frames))
        if trace.error or not trace.frames:
            yield remark(trace.error or "no frames")
        yield from frames_left_out(trace)
    yield from running_hint((trace.thread, trace.error) for trace in result.traces)


@shows(FoldedStacks)
def folded(result: FoldedStacks, settings: Settings) -> Shown:
    for group in result.groups:
        yield from shared_stack(_group_title(group.threads), group.frames, group.error, settings, pc=result.pc)
    total = sum(len(group.threads) for group in result.groups)
    yield f"{count(total, 'thread')}, {count(len(result.groups), 'different stack')}"
    yield from running_hint((thread, group.error) for group in result.groups for thread in group.threads)


def running_hint(threads: Iterable[tuple[ThreadInfo, str]]) -> Shown:
    """Yield what to do about stacks that cannot be read because their threads run, if there are any."""
    if any(error and not thread.suspended for thread, error in threads):
        yield Sentence(faint(f"  hint: {RUNNING_HINT}"), "    ")


def _group_title(group: Sequence[ThreadInfo]) -> Line:
    if len(group) == 1:
        return thread_title(group[0], ":")
    named = ", ".join(short_name(thread) for thread in group[:_NAMED])
    more = f" and {len(group) - _NAMED} more" if len(group) > _NAMED else ""
    states = sorted({state_of(thread) for thread in group})
    return title(f"{len(group)} threads") + f", {' or '.join(states)}: {named}{more}"


Limit = Annotated[int | None, Option("-n", argument=Number("COUNT"), help="show only the COUNT innermost frames")]
Count = Annotated[int, Number("COUNT", help="how many frames")]
Fold = Annotated[bool, Option("--fold", help="equal stacks once")]
Virtual = Annotated[
    bool, Option("--virtual", help="of all virtual threads, mounted or not, and of no others (Java 21)")
]
Frames = Annotated[int | None, Option("--frames", argument=Number("COUNT"), help="only the COUNT innermost frames")]

_OUTERMOST = re.compile(r"-[1-9][0-9]{0,8}")


@command("where", "bt", "w", "backtrace", "stack", "info stack", group="stack")
async def where(ctx: Context, thread: ThreadWord = None, *, count: Limit = None) -> StackFrames:
    """Show the stack of the selected thread, or of another.

    `where all` shows every thread's. `where -3` shows the 3 outermost frames, `where -n 3` the 3 innermost.
    """
    return await _where(ctx, thread, count)


@command("wherei", group="stack")
async def wherei(ctx: Context, thread: ThreadWord = None, *, count: Limit = None) -> StackFrames:
    """Show a stack with the index of the bytecode instruction in each frame."""
    ctx.session.require_agent("showing bytecode indexes")
    return await _where(ctx, thread, count, pc=True)


@command("bt full", "where full", "backtrace full", group="stack")
async def where_full(ctx: Context, thread: ThreadWord = None, *, count: Limit = None) -> StackFrames:
    """Show a stack with the variables of each frame.

    The JVM searches for each frame from the top of the stack: 1,000 frames take a second, 10,000 minutes (`set
    frame-limit`).
    """
    stack = await _where(ctx, thread, count)
    frames = [frame for frame in stack.trace.frames if not frame.native]
    found = await ctx.session.stack.variables_of_all(frames)
    variables = [FrameVariables(frame.index, each) for frame, each in zip(frames, found, strict=True)]
    return stack.replace(variables=tuple(variables))


@command("where all", "bt all", "w all", "backtrace all", "stack all", "thread apply all bt", group="stack")
async def where_all(
    ctx: Context,
    *,
    name: NameOption = "",
    state: StateOption = "",
    group: GroupOption = "",
    fold: Fold = False,
    count: Frames = None,
    virtual: Virtual = False,
    svg: Svg = "",
) -> Stacks | FoldedStacks:
    """Show the stacks of all threads, or of some: `where all -s blocked`, `where all -n http-*`.

    `where all --fold` shows equal stacks once, with the threads that have them; `--svg FILE` draws these. With
    `--virtual` the JVM writes its virtual threads to a temporary file, which is read and removed: Java 21 to 24 while
    the program runs, later ones after `pause`.
    """
    chosen = threads.ThreadFilter(name, state, group)
    found = await _where_all(ctx, chosen, fold or bool(svg), count, pc=False, virtual=virtual)
    if svg and isinstance(found, FoldedStacks):
        draw_stacks(ctx.session, found.groups, svg)
    return found


@command("wherei all", group="stack")
async def wherei_all(
    ctx: Context,
    *,
    name: NameOption = "",
    state: StateOption = "",
    group: GroupOption = "",
    fold: Fold = False,
    count: Frames = None,
) -> Stacks | FoldedStacks:
    """Show the stacks of all threads with bytecode indexes; options as those of `where all`."""
    ctx.session.require_agent("showing bytecode indexes")
    return await _where_all(ctx, threads.ThreadFilter(name, state, group), fold, count, pc=True)


async def _where_all(
    ctx: Context, chosen: threads.ThreadFilter, folded: bool, count: int | None, *, pc: bool, virtual: bool = False
) -> Stacks | FoldedStacks:
    stack, component = ctx.session.stack, ctx.session.threads
    if folded:
        groups = component.virtual_folded(chosen, count=count) if virtual else stack.folded(chosen, count=count)
        return FoldedStacks(tuple(await groups), pc)
    traces = component.virtual_stacks(chosen, count=count) if virtual else stack.all(chosen, count=count)
    return Stacks(tuple(await traces), pc)


@command("up", "u", group="stack", repeats="again")
async def up(ctx: Context, count: Count = 1) -> FrameSelected:
    """Select the frame of the caller."""
    return await show_frame(ctx, await ctx.session.up(count))


@command("down", group="stack", repeats="again")
async def down(ctx: Context, count: Count = 1) -> FrameSelected:
    """Select the frame of the method that was called."""
    return await show_frame(ctx, await ctx.session.down(count))


@command("frame", "f", "info frame", group="stack")
async def frame(ctx: Context, number: Annotated[FrameNumber | None, FrameArgument()] = None) -> FrameSelected:
    """Show the selected frame, or select another by its number.

    Numbers are those that `where` shows: from 1, or from 0 after `set frame-base 0`. `#0` always counts from 0.
    """
    if number is None:
        return await show_frame(ctx, await ctx.session.stack.selected())
    base = 0 if number.from_zero else ctx.settings["frame-base"]
    index = number.number - base + 1
    if index < 1:
        raise UsageError("frames are counted from 1", hint="'where' shows the numbers; '#0' counts from 0")
    return await show_frame(ctx, await ctx.session.select_frame(index))


async def show_frame(ctx: Context, frame: FrameInfo) -> FrameSelected:
    """Return the frame with its source, which may be missing."""
    ctx.listed = None
    return FrameSelected(frame, await ctx.session.sources.window(frame))


async def _where(ctx: Context, thread: str | None, count: int | None, *, pc: bool = False) -> StackFrames:
    session = ctx.session
    if thread is not None and _OUTERMOST.fullmatch(thread):
        if count is not None:
            raise UsageError(f"'{thread}' and '-n {count}' ask for different frames", hint="give one of them")
        return StackFrames(await _outermost(ctx, -int(thread)), pc=pc)
    chosen = None if thread is None else (await session.threads.find(thread)).id
    trace = await session.stack.of(chosen, count=min(count or ctx.settings["frame-limit"], ctx.settings["frame-limit"]))
    if trace.error:
        raise JdbpyError(trace.error, hint=_way_out(trace))
    selected, at = session.selection
    if selected == trace.thread.id:
        return StackFrames(trace, pc=pc, selected=at)
    other = f"thread {thread} is not the selected one; 'where -n {thread}' shows {thread} frames of the selected one"
    is_number = thread is not None and thread.isascii() and thread.isdigit()
    return StackFrames(trace, pc=pc, hint=other if is_number and selected is not None else "")


def _way_out(trace: StackTrace) -> str:
    """Return what shows the stack of a thread that has no frames now; "" where it has ended."""
    if trace.thread.suspended or trace.thread.state == "ended":
        return ""
    number = trace.thread.id
    return f"'suspend {number}' stops it alone, and 'resume {number}' lets it go on; 'pause' stops all threads"


async def _outermost(ctx: Context, count: int) -> StackTrace:
    """Return the ``count`` outermost frames of the selected thread, as gdb's ``bt -COUNT`` does. wire: 3 trips."""
    stack = ctx.session.stack
    top = await stack.of(count=1)
    if top.error:
        raise JdbpyError(top.error, hint=_way_out(top))
    count = min(count, ctx.settings["frame-limit"])
    return await stack.of(start=max(0, top.total - count), count=count)


@command("return", "force-return", group="changing")
async def return_(ctx: Context, expression: Annotated[str | None, ExpressionArgument()] = None) -> Done:
    """Make the current method return at once, with the value of an expression unless it is void.

    Neither the rest of the method nor its `finally` blocks run. It takes effect when the thread runs on. To run to the
    method's own end, use `finish`. A trace of exits set by breakpoints does not report this return; one with `--values`
    does.
    """
    frame = await ctx.session.stack.selected()
    name = f"{frame.location.class_name}.{frame.location.method}"
    if not await ctx.confirm(f"leave {name} now, without running the rest of it?"):
        return Done("nothing was changed", hint="'finish' runs to the end of the method")
    await ctx.session.execution.force_return(expression)
    value = f" {expression}" if expression else ""
    return Done(f"{name} will return{value} when its thread runs on", hint="'next' goes to the caller")


@command("pop", group="changing", repeats="again")
async def pop(ctx: Context, count: Annotated[int, Number("COUNT", help="how many frames")] = 1) -> FrameSelected:
    """Drop the current frame: the thread is back before the call. Side effects of the method are not undone."""
    await ctx.session.execution.pop(count)
    return await show_frame(ctx, await ctx.session.stack.selected())


@command("reenter", "restart-frame", group="changing", resumes=True, repeats="again")
async def reenter(ctx: Context) -> Resumed:
    """Drop the current frame and enter its method anew, with the arguments as they are now."""
    if not ctx.session.execution.has_unshown_stop:
        await ctx.session.execution.start_reenter()
    return Resumed()

"""Actions on threads: suspending, interrupting, throwing in them, naming them, running a command for each."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import Annotated

from jdbpy import ThreadInfo
from jdbpy.cli.arguments.base import Option, TextArgument, WordArgument
from jdbpy.cli.arguments.code import ExpressionArgument
from jdbpy.cli.arguments.target import ThreadArgument, ThreadWord
from jdbpy.cli.commands.threads import selected_thread
from jdbpy.cli.context import Context
from jdbpy.cli.output.pieces import Shown, count
from jdbpy.cli.output.shows import shows
from jdbpy.cli.results import Done
from jdbpy.cli.settings import Settings
from jdbpy.cli.table import TABLE, command
from jdbpy.errors import StateError, UsageError
from jdbpy.json_form import Json
from jdbpy.record import Record


class Applied(Record):
    """A command was run for several threads."""

    command: str
    threads: int
    failed: Annotated[int, Json("for how many it failed", optional=False)] = 0


@shows(Applied)
def applied(result: Applied, settings: Settings) -> Shown:
    failed = f"; it failed for {result.failed}" if result.failed else ""
    yield f"'{result.command}' was run for {count(result.threads, 'thread')}{failed}"


@command("suspend", group="threads")
async def suspend(ctx: Context, *threads: Annotated[str, ThreadArgument()]) -> Done:
    """Suspend threads, or all of them. Each suspend needs a resume of its own.

    To stop the program and look at it, use `pause` instead.
    """
    found = await _find(ctx, threads)
    await ctx.session.execution.suspend([thread.id for thread in found] or None)
    return Done(f"{_described(found)} suspended", hint="'resume' undoes it")


@command("resume", group="threads")
async def resume(ctx: Context, *threads: Annotated[str, ThreadArgument()]) -> Done:
    """Take back one `suspend` of a thread, or of all; where there was none, let it run whatever suspends it.

    At a stop, `suspend` and `resume` leave everything as it was.
    """
    found = await _find(ctx, threads)
    await ctx.session.execution.unsuspend([thread.id for thread in found] or None)
    held = [thread for thread in found if ctx.session.is_suspended(thread.id)]
    if not (held if found else ctx.session.suspended_everything):
        return Done(f"{_described(found)} resumed")
    those = _described(held) if held != found else "it" if len(found) == 1 else "they"
    still = f"{those} {'is' if len(held) == 1 else 'are'} still suspended"
    return Done(f"one 'suspend' of {_described(found)} was taken back; {still}", hint="'cont' lets the program run")


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
    if await ctx.session.execution.interrupt(found.id):
        done = f"interrupt() was called on {_described([found])}"
    else:
        done = f"interrupt() is called on {_described([found])} when it runs on: this JVM does not do it before"
    return Done(done, hint="to stop the program and look at it: 'pause'")


@command("kill", group="threads")
async def kill(
    ctx: Context, which: ThreadWord = None, expression: Annotated[str | None, ExpressionArgument()] = None
) -> Done:
    """Throw an exception in a thread, as soon as it runs: `kill worker-1 new RuntimeException("enough")`.

    This is jdb's word. It does not end the program: `exit --kill` does. The JVM itself may end on Java 8 and 11, if an
    event of the thread comes at once after that.
    """
    if which is None or expression is None:
        raise UsageError(
            "'kill' throws an exception in a thread, and takes both: kill THREAD EXPRESSION",
            hint="to end the target: 'exit --kill'; 'quit' leaves it running when attached",
        )
    found = await ctx.session.threads.find(which)
    await ctx.session.threads.throw_in(found.id, expression)
    return Done(f"{expression} will be thrown in {_described([found])} when it runs")


@command("thread name", group="threads")
async def thread_name(
    ctx: Context,
    name: Annotated[str, TextArgument("NAME")],
    *,
    which: Annotated[str, Option("-t", argument=ThreadArgument(), help="of this thread, not of the selected one")] = "",
) -> Done:
    """Give a thread another name with Thread.setName, the selected one by default: the program sees it too.

    The method is run in the JVM, also while the program runs.
    """
    found = await ctx.session.threads.find(which or str(selected_thread(ctx)))
    await ctx.session.threads.rename(found.id, name)
    return Done(f'{_described([found])} is called "{name}" now')


@command("thread apply", group="threads")
async def thread_apply(
    ctx: Context,
    which: Annotated[str, WordArgument("all|THREADS", "all, or ids: `3`, `3,5`, `3-9`")],
    line: Annotated[str, TextArgument("COMMAND")],
) -> Applied:
    """Run a command for each of several threads, each selected in its turn: `thread apply 3,5-9 locals`.

    It goes on when the command fails for one of them. What lets the target run cannot be applied.
    """
    found = TABLE.find(line)
    if found is None:
        raise UsageError(f"unknown command '{line.split()[0]}'", hint="'help' lists them", code="UNKNOWN_COMMAND")
    if found.command.resumes or found.command.name in ("thread apply", "quit", "detach"):
        raise UsageError(f"'{found.command.name}' cannot be run for several threads")
    chosen = await _chosen(ctx, which)
    before = ctx.session.selection
    failed = 0
    try:
        for thread in chosen:
            failed += not (await ctx.run_line(f"thread -q {thread.id}") and await ctx.run_line(line))
    finally:
        await _select_again(ctx, before)
    return Applied(line, len(chosen), failed)


async def _chosen(ctx: Context, which: str) -> list[ThreadInfo]:
    """Return the threads that ``thread apply`` means."""
    ranges = []
    for part in () if which.lower() == "all" else which.split(","):
        match = re.fullmatch(r"#?(\d{1,18})(?:-#?(\d{1,18}))?", part)
        if not match:
            raise UsageError(
                f"'{which}' names no threads", hint="'thread apply all COMMAND', 'thread apply 3,5 COMMAND'"
            )
        ranges.append((int(match[1]), int(match[2] or match[1])))
    everybody = await ctx.session.threads.list()
    if not ranges:
        return everybody
    chosen = [thread for thread in everybody if any(first <= thread.id <= last for first, last in ranges)]
    if not chosen:
        raise UsageError(f"no thread {which}", hint="'threads' lists them", code="NO_SUCH_THREAD")
    return chosen


async def _select_again(ctx: Context, selection: tuple[int | None, int]) -> None:
    """Puts the selection back, unless its thread has ended or runs."""
    thread, frame = selection
    if thread is None:
        return
    with suppress(StateError, UsageError):
        await ctx.session.select_thread(thread)
        await ctx.session.select_frame(frame)


async def _find(ctx: Context, names: tuple[str, ...]) -> list[ThreadInfo]:
    return [await ctx.session.threads.find(name) for name in names]


def _described(threads: list[ThreadInfo]) -> str:
    if not threads:
        return "all threads"
    return ", ".join(f'thread {thread.id} "{thread.name}"' for thread in threads)

"""Letting the target run and making it stop: run, restart, start, cont, the steps, until, advance, pause, wait."""

from __future__ import annotations

from typing import Annotated

import trio

from jdbpy import Exited, Panicked, StepDepth, StepSize, StopReason, VmState
from jdbpy.cli.arguments.base import Number, Option, Seconds, TextArgument
from jdbpy.cli.arguments.location import LocationArgument, PlaceRequest
from jdbpy.cli.arguments.target import ThreadArgument
from jdbpy.cli.context import Context
from jdbpy.cli.points import policy_here
from jdbpy.cli.results import Done, Paused, Restarting, Resumed
from jdbpy.cli.table import command
from jdbpy.errors import StateError, UsageError


@command("run", "r", group="running", resumes=True)
async def run(ctx: Context, words: Annotated[str, TextArgument("CLASS AND ARGUMENTS")] = "") -> Resumed:
    """Start the program of a launched target, or let an attached one go on.

    After the program has ended `run` starts it again, as `restart` does. The class and its arguments are given when
    jdbpy is started; `run` takes none.
    """
    if words:
        raise UsageError(
            "the program and its arguments are set when jdbpy starts it",
            hint=f"run without arguments, or start anew: jdbpy launch {words}",
        )
    if isinstance(ctx.session.ending, Exited) and ctx.restarts is not None and not ctx.restarts.attaches:
        return await _start_again(ctx, "run")
    return await _resume(ctx)


@command("restart", group="running", resumes=True)
async def restart(ctx: Context) -> Resumed:
    """Start the launched program again, from its beginning, and let it run to the first stop.

    Breakpoints, with their numbers, displays, monitors, views and step filters are kept; values are not. A program that
    still runs is ended first; at the prompt you are asked. A target that was attached to cannot be started again.
    """
    return await _resume(ctx) if ctx.restarted else await _start_again(ctx, "restart")


@command("reconnect", group="running")
async def reconnect(ctx: Context) -> Done | Restarting:
    """Attach again to the target, when the connection or the JVM has gone, or to begin afresh.

    Breakpoints, catchpoints, watchpoints, logpoints and traces are set again with their numbers, and displays,
    monitors, views and step filters are kept; values are not, nor what was set for a thread or an object. If the target
    does not answer, jdbpy retries with increasing delays until Ctrl-C. `jdbpy attach --reconnect` does it by itself.
    After `jdbpy listen` it waits for the next JVM that connects to the port.
    """
    if ctx.restarted:
        return Done(f"attached to {ctx.session.address}")
    if ctx.restarts is None or not ctx.restarts.attaches:
        raise StateError("only what jdbpy has attached to can be attached to again", hint="'restart' starts a program")
    if ctx.jvms is not None and ctx.jvms.several:
        jvm = ctx.jvms.current
        if jvm.lives:
            await jvm.session.detach()
        ctx.jvms.bring_back(jvm)
        return Done(f"{jvm.name} is attached to again as soon as it answers")
    ctx.restarts.ask(ctx, "reconnect")
    return Restarting()


@command("start", group="running", resumes=True)
async def start(ctx: Context) -> Resumed:
    """Run the launched program to the first line of its `main` method; if it is already running, restart it first."""
    session = ctx.session
    if ctx.restarts is None or ctx.restarts.attaches:
        raise _cannot_restart()
    name = ctx.restarts.main_class
    if not name:
        raise UsageError("the main class is not known", hint="'stop in CLASS.main', then 'run'")
    if not ctx.restarted and (session.ending is not None or not _is_at_start(ctx)):
        return await _start_again(ctx, "start")
    point = await session.breakpoints.add(f"{name}.main(java.lang.String[])", temporary=True, policy=policy_here(ctx))
    return await _resume(ctx, f"temporary breakpoint {point.number} at {point.spec}")


@command("wait", group="running")
async def wait(ctx: Context, seconds: Annotated[float, Seconds()]) -> Done:
    """Wait for so many seconds, or until the program stops or ends, and show what is reported meanwhile.

    For scripts that set logpoints and traces: `wait 10`. It does not resume the target; use `cont` or `resume` for
    that.
    """
    if ctx.session.ending is not None:
        return Done("there is nothing to wait for: the target has ended")
    began = trio.current_time()
    if await ctx.wait(seconds):
        return Done(f"waited for {seconds:g} s")
    return Done(f"the wait ended after {trio.current_time() - began:.1f} s")


@command("cont", "continue", "c", group="running", resumes=True, repeats="again")
async def cont(ctx: Context, place: Annotated[PlaceRequest | None, LocationArgument()] = None) -> Resumed:
    """Let the target run on until the next stop.

    With a location, stop there once, like `advance`.
    """
    if place is not None:
        if place.line is not None:
            raise UsageError(
                f"'cont {place.text}' could be a line or a count", hint=f"'advance {place.text}' or '{place.text} cont'"
            )
        return await advance(ctx, place)
    return await _resume(ctx)


@command("until", group="running", resumes=True)
async def until(ctx: Context, place: Annotated[PlaceRequest | None, LocationArgument()] = None) -> Resumed:
    """Run to a later line of this method, or until it returns.

    Without a line, to any line below this one: the way out of a loop. With another place, as `advance` does.
    """
    if place is not None and place.line is None and place.offset is None:
        return await advance(ctx, place)
    if ctx.session.execution.has_unshown_stop:
        return Resumed()  # to that stop, which is shown now
    line = None if place is None else place.line
    if place is not None and place.offset is not None:
        frame = await ctx.session.stack.selected()
        line = (frame.location.line or 0) + place.offset
    await ctx.session.execution.start_until(line)
    return Resumed()


@command("advance", group="running", resumes=True)
async def advance(ctx: Context, place: Annotated[PlaceRequest, LocationArgument()]) -> Resumed:
    """Run on until a place is reached: a temporary breakpoint and `cont`."""
    point = await ctx.session.breakpoints.add(place.text, temporary=True, policy=policy_here(ctx))
    return await _resume(ctx, f"temporary breakpoint {point.number} at {point.spec}")


@command("pause", group="running")
async def pause(ctx: Context, thread: Annotated[str | None, ThreadArgument()] = None) -> Paused:
    """Stop the running target, or one thread, wherever it is. Ctrl-C does it too."""
    chosen = None if thread is None else (await ctx.session.threads.find(thread)).id
    return Paused(await ctx.session.execution.pause(chosen))


def _is_at_start(ctx: Context) -> bool:
    """True if the program has not run yet: it is stopped where the launcher has left it."""
    stop = ctx.session.last_stop
    return stop is not None and stop.reason is StopReason.START and ctx.session.state is VmState.STOPPED


async def _start_again(ctx: Context, line: str) -> Resumed:
    """Keep what the next run needs and make the front end leave this session. Raises StateError where it cannot."""
    if ctx.restarts is None or ctx.restarts.attaches:
        raise _cannot_restart()
    if ctx.session.ending is None and not await ctx.confirm("end the program and start it again?"):
        raise StateError("nothing was done", code="CANCELED")
    ctx.restarts.ask(ctx, line)
    return Restarting()


def _cannot_restart() -> StateError:
    return StateError(
        "jdbpy did not start this program and cannot start it again",
        hint="'jdbpy launch' starts programs; for others, start the JVM again, then 'reconnect'",
    )


async def _resume(ctx: Context, note: str = "") -> Resumed:
    """Let the target go. A script that says so of a running target wants to wait for its next stop.

    The note stands above what happens then where a person reads; in data it belongs to the result.
    """
    if note and ctx.announce is not None:
        if not ctx.quiet:
            ctx.announce(note)
        note = ""
    await (ctx.session.execution.resume() if ctx.interactive else ctx.session.execution.resume_if_stopped())
    return Resumed(note=note)


@command("panic", group="running")
async def panic(ctx: Context) -> Panicked:
    """Take every request out of the target and resume everything, at once, whatever is going on.

    Breakpoints stay, disabled: `enable NUMBER` sets them again. At the prompt Ctrl-X Ctrl-R does the same. While a
    command runs, Ctrl-C ends it first.
    """
    return await ctx.session.panic()


Count = Annotated[int, Number("COUNT", help="how many times")]
Alone = Annotated[
    bool,
    Option(
        "-alone",
        "--alone",
        help="keep all other threads suspended during the step; 'set step-others hold' makes this the default",
    ),
]


@command("step", "s", "step in", "step into", group="stepping", resumes=True, repeats="again")
async def step(ctx: Context, count: Count = 1, *, alone: Alone = False) -> Resumed:
    """Run to the next line, into the methods that are called.

    Classes named by `exclude` are passed through. A breakpoint met on the way ends the step.
    """
    return await _step(ctx, StepDepth.INTO, StepSize.LINE, count, alone)


@command("step up", "finish", "fin", "out", "so", "step out", group="stepping", resumes=True, repeats="again")
async def step_up(ctx: Context, count: Count = 1, *, alone: Alone = False) -> Resumed:
    """Run until the current method returns to its caller, and show what it returned: `$ret` in expressions.

    From a lambda, return to its caller. From code that Kotlin inlined, return to the line of the call.
    """
    return await _step(ctx, StepDepth.OUT, StepSize.LINE, count, alone)


@command("next", "n", "step over", group="stepping", resumes=True, repeats="again")
async def next_line(ctx: Context, count: Count = 1, *, alone: Alone = False) -> Resumed:
    """Run to the next line of this method, over the methods that it calls.

    If the line makes exactly one call, its return value is shown, and available as `$ret` in expressions. Code that a
    compiler inlined (Kotlin) is passed like a call; `step` enters it.
    """
    return await _step(ctx, StepDepth.OVER, StepSize.LINE, count, alone)


@command("stepi", "si", group="stepping", resumes=True, repeats="again")
async def step_instruction(ctx: Context, count: Count = 1, *, alone: Alone = False) -> Resumed:
    """Run one bytecode instruction, into calls."""
    return await _step(ctx, StepDepth.INTO, StepSize.MIN, count, alone)


@command("nexti", "ni", group="stepping", resumes=True, repeats="again")
async def next_instruction(ctx: Context, count: Count = 1, *, alone: Alone = False) -> Resumed:
    """Run one bytecode instruction, over calls."""
    return await _step(ctx, StepDepth.OVER, StepSize.MIN, count, alone)


async def _step(ctx: Context, depth: StepDepth, size: StepSize, count: int, alone: bool) -> Resumed:
    if ctx.session.execution.has_unshown_stop:
        return Resumed()  # to that stop, which is shown now
    held = alone or ctx.settings["step-others"] == "hold"
    await ctx.session.execution.start_step(depth, size, count, alone=held)
    return Resumed()

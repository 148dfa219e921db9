"""Traces: methods that are entered and left, monitors, places that report."""

from __future__ import annotations

from typing import Annotated

from jdbpy import SuspendPolicy
from jdbpy.cli.arguments.base import Option
from jdbpy.cli.arguments.plain import Number, Text
from jdbpy.cli.arguments.points import Trace, TraceArgument
from jdbpy.cli.arguments.target import BreakpointNumber
from jdbpy.cli.context import Context
from jdbpy.cli.points import TRACES, add_breakpoint, delete, listed, options_of, was_set
from jdbpy.cli.results import Breakpoints, BreakpointsChanged, BreakpointSet, Done
from jdbpy.cli.results.tracing import TraceSummaries
from jdbpy.cli.table import command
from jdbpy.errors import UsageError


@command("trace", "info traces", group="breakpoints")
async def trace(ctx: Context, request: Annotated[Trace | None, TraceArgument()] = None) -> BreakpointSet | Breakpoints:
    """Stop, or with `go` only report, where methods are entered and left; without arguments, list the traces.

    `trace go methods from com.acme.Order` reports every call with its arguments and what it returns, `trace entries
    Prices.find` stops where that method is entered; `trace method exit` stops when the current method returns. `trace
    monitors` is for threads that contend for monitors or wait. `trace Order.java:42` reports each time the place is
    reached; `tracepoint` has the stack too. Named classes and methods are traced by breakpoints. Patterns
    (`com.acme.*`) need the JVM's method events, which make the target very slow.
    """
    if request is None:
        return listed(ctx, TRACES)
    session, tail = ctx.session, request.tail
    if request.place is not None:
        return await add_breakpoint(ctx, request.place, SuspendPolicy.NONE)
    flood = request.what != "monitors"
    options = await options_of(ctx, tail, SuspendPolicy.ALL, flood=flood)
    if request.what == "monitors":
        return await was_set(ctx, await session.traces.monitors(request.kinds, options=options), tail)
    method = (await session.stack.selected()).location if request.what == "exit" else request.method or None
    if method is None and not (options.classes or options.excludes):
        options = options.replace(excludes=tuple(session.execution.excludes))
    entries, exits = request.what in ("methods", "entries"), request.what != "entries"
    point = await session.traces.methods(
        entries=entries, exits=exits, method=method, values=request.values, options=options
    )
    return await was_set(ctx, point, tail)


@command("trace summary", group="breakpoints")
async def trace_summary(
    ctx: Context,
    number: Annotated[int | None, BreakpointNumber()] = None,
    *,
    count: Annotated[int, Option("-n", argument=Number("N"), help="how many methods are shown")] = 20,
) -> TraceSummaries:
    """What the hits of traces, logpoints and the like come to: by method how many, how often, with which values.

    All hits count, those too that were left out of the reports. Without a number, of everything that reports.
    """
    points = ctx.session.points
    reporting = [each.number for each in points.list() if each.policy is SuspendPolicy.NONE]
    chosen = reporting if number is None else [number]
    return TraceSummaries(tuple([await points.summary(each, methods=count) for each in chosen]))


@command("untrace", group="breakpoints")
async def untrace(
    ctx: Context, what: Annotated[str, Text("[methods|monitors|NUMBER]")] = ""
) -> BreakpointsChanged | Done:
    """Trace no more: nothing at all, or no `methods`, or no `monitors`, or not what has a number."""
    word = what.strip().lower()
    if word.isdecimal():
        return await delete(ctx, (int(word),))
    if word not in ("", "methods", "monitors"):
        raise UsageError(f"'{what}' is none of methods, monitors and a number")
    numbers = ctx.session.traces.find(methods=word != "monitors", monitors=word != "methods")
    if not numbers:
        return Done("nothing is traced")
    return await delete(ctx, tuple(numbers))

"""Traces: methods that are entered and left, monitors, places that report."""

from __future__ import annotations

import re
from typing import Annotated

from jdbpy import SuspendPolicy, tracing
from jdbpy.cli.arguments.base import Number, Option, TextArgument
from jdbpy.cli.arguments.logpoint import Logpoint, LogpointRequest, Tracepoint
from jdbpy.cli.arguments.points import Trace, TraceArgument
from jdbpy.cli.arguments.target import BreakpointNumber
from jdbpy.cli.breakpoint_list import Breakpoints, BreakpointsChanged, BreakpointSet
from jdbpy.cli.context import Context
from jdbpy.cli.output.pieces import Line, RowPieces, Sentence, Shown, count as count_of, faint, number
from jdbpy.cli.output.shows import shows
from jdbpy.cli.points import TRACES, add_breakpoint, delete, listed, options_of
from jdbpy.cli.results import Done
from jdbpy.cli.settings import Settings
from jdbpy.cli.table import command
from jdbpy.errors import UsageError
from jdbpy.record import Record


class TraceSummaries(Record):
    """The totals of points that report."""

    summaries: tuple[tracing.TraceSummary, ...]


@shows(TraceSummaries)
def summaries(result: TraceSummaries, settings: Settings) -> Shown:
    if not result.summaries:
        yield Sentence("nothing reports; 'trace --no-stop methods in CLASS' or 'logpoint PLACE \"TEXT\"' begins it")
    for each in result.summaries:
        yield from _summary(each)


def _summary(result: tracing.TraceSummary) -> Shown:
    off = "" if result.enabled else " (switched off)"
    pace = f" in {result.seconds:.1f} s, {_rate(result.rate)} a second" if result.seconds else ""
    cost = f", {result.cost * 1e6:,.1f} µs of the debugger's time each" if result.cost else ""
    slows = "" if result.slowdown is None else f", {result.slowdown:.0%} of the target's time at its busiest place"
    yield f"{result.name} {result.number}, {result.spec}{off}: {count_of(result.hits, 'hit')}{pace}{cost}{slows}"
    if not result.methods:
        return
    titles = (f"{'hits':>12}", f"{'a second':>10}", "", "method", "values")
    rows: list[tuple[Line, ...]] = [tuple(map(faint, titles))]
    rows += [
        (number(f"{each.count:>12,}"), f"{_rate(each.rate):>10}", each.happened, _method(each), _values(each))
        for each in result.methods
    ]
    yield RowPieces(rows)
    if result.others:
        yield f"{result.others:>12,}  in other methods; 'trace summary {result.number} -n 100' shows more"


def _method(each: tracing.MethodTally) -> str:
    types = ",".join(name.rpartition(".")[2] if "..." not in name else name for name in each.parameters)
    return f"{each.class_name}.{each.method}({types})"


def _values(each: tracing.MethodTally) -> str:
    if not each.values:
        return ""
    shown = ", ".join(f"{value.text} ({value.count:,})" for value in each.values)
    if each.forgot:
        return f"more than {each.distinct:,} different, most often {shown}"
    return f"{each.distinct:,} different, most often {shown}" if each.distinct > len(each.values) else shown


def _rate(rate: float) -> str:
    return f"{rate:,.0f}" if rate >= 10 else f"{rate:.1f}"


@command("trace", "info traces", group="breakpoints")
async def trace(ctx: Context, request: Annotated[Trace | None, TraceArgument()] = None) -> BreakpointSet | Breakpoints:
    """Stop, or with `--no-stop` only report, where methods are entered and left; without arguments, list the traces.

    `trace --no-stop methods in com.acme.Order` reports every call with its arguments and what it returns, `trace
    entries Prices.find` stops where that method is entered; `trace method exit` stops when the current method returns.
    `trace monitors` is for threads that contend for monitors or wait. `trace Order.java:42` reports each time the place
    is reached; `tracepoint` has the stack too. Named classes and methods are traced by breakpoints. Patterns
    (`com.acme.*`) need the JVM's method events, which make the target very slow.
    """
    if request is None:
        return listed(ctx, TRACES)
    session = ctx.session
    if request.place is not None:
        return await add_breakpoint(ctx, request.place, SuspendPolicy.NONE)
    flood = request.what != "monitors"
    options = await options_of(ctx, request.tail, SuspendPolicy.ALL, flood=flood)
    if request.what == "monitors":
        return BreakpointSet(await session.traces.monitors(request.kinds, options=options), session.remote)
    method = (await session.stack.selected()).location if request.what == "exit" else request.method or None
    if method is None and not (options.classes or options.excludes):
        options = options.replace(excludes=tuple(session.execution.excludes))
    entries, exits = request.what in ("methods", "entries"), request.what != "entries"
    point = await session.traces.methods(
        entries=entries, exits=exits, method=method, values=request.values, options=options
    )
    return BreakpointSet(point, session.remote)


@command("trace summary", group="breakpoints")
async def trace_summary(
    ctx: Context,
    number: Annotated[int | None, BreakpointNumber()] = None,
    *,
    count: Annotated[int, Option("-n", argument=Number("N"), help="how many methods are shown")] = 20,
) -> TraceSummaries:
    """Totals of the hits of traces, logpoints and the like: per method: number of hits, rate and values.

    All hits are counted, including those that were not reported. Without a number, for everything that reports.
    """
    points = ctx.session.points
    reporting = [each.number for each in points.list() if each.policy is SuspendPolicy.NONE]
    chosen = reporting if number is None else [number]
    return TraceSummaries(tuple([await points.summary(each, methods=count) for each in chosen]))


@command("untrace", group="breakpoints")
async def untrace(
    ctx: Context, what: Annotated[str, TextArgument("[methods|monitors|NUMBER]")] = ""
) -> BreakpointsChanged | Done:
    """Remove traces: all, those of `methods` or of `monitors`, or one by its number."""
    word = what.strip().lower()
    if re.fullmatch("[0-9]{1,9}", word):
        return await delete(ctx, (int(word),))
    if word not in ("", "methods", "monitors"):
        raise UsageError(f"'{what}' is not one of methods, monitors and a number")
    numbers = ctx.session.traces.find(methods=word != "monitors", monitors=word != "methods")
    if not numbers:
        return Done("nothing is traced")
    return await delete(ctx, tuple(numbers))


@command("logpoint", "dprintf", group="breakpoints", everywhere=True)
async def logpoint(ctx: Context, request: Annotated[LogpointRequest, Logpoint()]) -> BreakpointSet:
    """Write a text at each hit of a place and go on, with Java expressions in braces.

    `logpoint Order.java:42 "total {total} of {lines.size()}"`, `logpoint Order.pay "paid {amount}" if amount > 100`,
    `logpoint Order:42 "{total}" to orders.log limit 10/s`; as gdb has it, `dprintf Order:42,"total %d\\n",total`.
    Each line has the time, the thread and the number of the hit. The thread waits for no longer than it takes to read
    its variables; it does not wait at all where they are numbers. With `set in-target eager` no thread is suspended:
    the target keeps the values.
    """
    return await add_breakpoint(ctx, request.breakpoint, SuspendPolicy.NONE, request.text)


@command("tracepoint", "tp", group="breakpoints", everywhere=True)
async def tracepoint(ctx: Context, request: Annotated[LogpointRequest, Tracepoint()]) -> BreakpointSet:
    """Report each hit of a place with its stack and go on.

    `tracepoint Order.pay`, `tp Order:42 "total {total}" stack 20 -max 100 to orders.log`. The thread is resumed by the
    same packets that read its frames.
    """
    return await add_breakpoint(ctx, request.breakpoint, SuspendPolicy.NONE, request.text)

"""Calls observed while the target runs: each by itself, as statistics, as a tree of what is called inside."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Annotated, Any

import trio

from jdbpy import Notice, calls as model
from jdbpy.cli.arguments.calls import CallsArgument, CallsRequest
from jdbpy.cli.context import Context
from jdbpy.cli.output.pieces import (
    Column,
    Line,
    Pieces,
    RowPieces,
    Shown,
    TablePieces,
    count as count_of,
    faint,
    name,
    number,
)
from jdbpy.cli.output.plain import plain_lines
from jdbpy.cli.output.shows import shows
from jdbpy.cli.pictures import draw_statistics, draw_trees
from jdbpy.cli.settings import Settings
from jdbpy.cli.table import command
from jdbpy.errors import StateError, UsageError
from jdbpy.record import Record
from jdbpy.task_groups import open_nursery

_FOR_EVER = 1e8
_MOST_ASKED = 5_000
"""Methods that a pattern may fit if the user says so."""


class CallTrees(Record):
    """The calls of methods with what was called inside, folded."""

    trees: tuple[model.CallTree, ...]
    observed: Annotated[int, "methods"] = 0
    in_target: Annotated[int, "methods that the target itself observes"] = 0
    ordinary: Annotated[str, "why it does not observe others, where it was to"] = ""
    condition_false: Annotated[int, "further calls, for which the condition was false"] = 0


# -- how they are shown ------------------------------------------------------------------------------------------------


@shows(model.CallsEnded)
def calls_ended(result: model.CallsEnded, settings: Settings) -> Shown:
    yield _ended(result)


def _ended(result: model.CallsEnded) -> str:
    failed = f", {result.failures:,} ended by an exception" if result.failures else ""
    where = _where(result.in_target, result.observed, result.ordinary)
    if result.condition_false:
        refused = f"{',' if result.reported else ':'} the condition was false for {result.condition_false:,}"
        where = refused + (f", observed{where}" if where.startswith(" ") else where)
    return (
        f"{_calls(result.calls)} of {result.method} in {result.seconds:.1f} s{failed}; "
        f"{result.reported:,} reported{where}"
    )


@shows(model.CallStatistics)
def statistics_shown(result: model.CallStatistics, settings: Settings) -> Shown:
    total = sum(each.count for each in result.methods)
    yield (
        f"{_calls(total)} in {result.seconds:.1f} s, {count_of(result.observed, 'method')} observed"
        f"{_where(result.in_target, result.observed, result.ordinary)}"
    )
    if not result.methods:
        return
    rows: list[tuple[Line, ...]] = []
    for each in result.methods:
        rate = f"{each.rate:,.0f}" if each.rate >= 10 else f"{each.rate:.1f}"
        times = (each.mean, each.p50, each.p99, each.maximum)
        types = ",".join(_short(parameter) for parameter in each.parameters)
        rows.append(
            (
                number(f"{each.count:,}"),
                f"{each.failures:,}",
                rate,
                *(_time(seconds) for seconds in times),
                f"{each.class_name}.{each.method}({types})",
            )
        )
    head = tuple(faint(f"{column.title:>{width}}") for column, width in zip(_STATISTICS, _WIDTHS, strict=True))
    lines = [tuple(_right(cell, width) for cell, width in zip(row, _WIDTHS, strict=True)) for row in rows]
    yield TablePieces(_STATISTICS, rows, plain=RowPieces([head, *lines]))


_STATISTICS = (
    Column("calls", right=True, least=6),
    Column("failed", right=True, least=5, drop=1),
    Column("a second", right=True, least=6, drop=4),
    Column("mean", right=True, least=7),
    Column("p50", right=True, least=7, drop=3),
    Column("p99", right=True, least=7, drop=2),
    Column("max", right=True, least=7, drop=5),
    Column("method", least=24),
)
_WIDTHS = (10, 8, 9, 9, 9, 9, 9, 0)
"""Characters of the columns where there is no window."""


def _right(cell: Line, width: int) -> Line:
    """Return a cell with blanks before it."""
    text = cell if isinstance(cell, str) else cell.text
    return " " * max(0, width - len(text)) + cell


@shows(CallTrees)
def trees_shown(result: CallTrees, settings: Settings) -> Shown:
    refused = f"the condition was false for {_calls(result.condition_false)}"
    if not result.trees:
        yield f"nothing is shown: {refused}" if result.condition_false else "no call has ended"
    for each in result.trees:
        yield from _tree(each)
    if result.trees and result.condition_false:
        yield faint(f"{refused} more")
    if where := _where(result.in_target, result.observed, result.ordinary):
        yield faint(f"{count_of(result.observed, 'method')} observed{where}")


def _calls(number: int) -> str:
    return f"{number:,} {'call' if number == 1 else 'calls'}"


def _where(in_target: int, observed: int, ordinary: str) -> str:
    """Return who observes: nothing where the target has nothing to do with it."""
    if in_target == observed:
        return " in the target" if in_target else ""
    some = f", {in_target:,} of them in the target" if in_target else ""
    return some + (f"; ordinary: {ordinary}" if ordinary else "")


def _tree(tree: model.CallTree) -> Iterator[Line]:
    failed = f", {tree.failures:,} ended by an exception" if tree.failures else ""
    yield name(f"{tree.class_name}.{tree.method}") + f": {_times(tree)}{failed}"
    yield from _nodes(tree.children, "  ")
    if tree.children and tree.total:
        yield faint(f"  {tree.own / tree.total:6.1%}  {_time(tree.own):>9}  in its own code, and in calls not shown")


def _nodes(nodes: tuple[model.CallNode, ...], indent: str) -> Iterator[Line]:
    for each in nodes:
        line = f"line {each.line}" if each.line else "no line"
        failed = f", {each.failures:,} threw" if each.failures else ""
        start: Pieces | str = number(f"{indent}{each.share:6.1%}")
        yield (
            start
            + f"  {_time(each.total):>9}  {line}: {_short(each.class_name)}.{each.method}"
            + faint(f"  {_times(each)}{failed}")
        )
        yield from _nodes(each.children, indent + "    ")


def _times(of: model.CallTree | model.CallNode) -> str:
    count = of.calls if isinstance(of, model.CallTree) else of.count
    if count == 1:
        return f"1 call, {_time(of.total)}"
    return f"{count:,} calls, min {_time(of.minimum)}, max {_time(of.maximum)}, total {_time(of.total)}"


def _time(seconds: float) -> str:
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:,.2f} {unit}"
    return f"{seconds * 1e6:,.0f} µs"


def _short(class_name: str) -> str:
    return class_name if class_name.endswith("...") else class_name.rpartition(".")[2]


# -- the commands ------------------------------------------------------------------------------------------------------


@command("calls", group="breakpoints")
async def calls(
    ctx: Context,
    request: Annotated[
        CallsRequest,
        CallsArgument("except", "for", "limit", "callers", "--depth", "-max", "-methods", "in-target", "if", "show"),
    ],
) -> model.CallsEnded:
    """Report the calls of a method as they end: arguments, receiver, result or exception, time. Ctrl-C ends it.

    `calls Order.pay`, `calls Order.pay -max 10 if $cost > 100ms`, `calls com.acme.*Service.find* limit 5/s if $exc !=
    null show $args, this.name`. `$cost` is the time in milliseconds, `$ret` what is returned, `$exc` the exception,
    `$args[0]` the first argument. `--depth 2` also shows the contents of the values. A thread is suspended only at the
    end of a call, for the trips that read its values. In a script, limit it with `for 10s` or `-max 10`. With
    `in-target` behind the method, or `set in-target eager`, the target itself keeps arguments and results, and no
    thread is suspended.
    """
    _require_bound(ctx, request)

    def observed(most_methods: int) -> Any:
        return ctx.session.observer.calls(
            request.method,
            when=request.condition,
            show=request.show,
            callers=request.callers,
            depth=request.levels,
            limit=request.limit,
            most=request.most,
            most_methods=most_methods,
            in_target=request.in_target,
            excludes=request.excludes,
        )

    def ended(of: Any) -> Notice:
        return Notice("calls-ended", _ended(of.summary), tuple(of.summary.to_dict().items()))

    async with _observing(ctx, request, observed, ended) as observation:
        await _wait(ctx, observation, request.seconds)
    summary: model.CallsEnded = observation.summary
    return summary


@command("calls stats", group="breakpoints")
async def calls_stats(
    ctx: Context,
    request: Annotated[CallsRequest, CallsArgument("except", "every", "for", "-methods", "in-target", "--svg")],
) -> model.CallStatistics:
    """Count the calls of methods and their failures, with mean time, median and 99th percentile, by method.

    `calls stats com.acme.*Service.* every 5s`, `calls stats Order for 10s`. Nothing is suspended by a call. Ctrl-C
    ends it. With `set in-target eager`, or `in-target` behind the method, the target itself counts, at its own speed.
    """
    _require_bound(ctx, request)

    def ended(of: Any) -> Notice:
        return _statistics_notice(ctx, of.whole())

    async with _observing(
        ctx,
        request,
        lambda most: ctx.session.observer.statistics(
            request.method, most_methods=most, in_target=request.in_target, excludes=request.excludes
        ),
        ended,
    ) as observation:
        end = request.seconds or _FOR_EVER
        due = min(request.every or end, end)
        while await _wait(ctx, observation, due) and due < end:
            await observation.refresh()
            ctx.session.publish(_statistics_notice(ctx, observation.take()))
            due = min(max(due, observation.seconds) + (request.every or end), end)
    whole: model.CallStatistics = observation.whole()
    if request.svg:
        draw_statistics(ctx.session, whole, request.svg)
    return whole


@command("calls tree", group="breakpoints")
async def calls_tree(
    ctx: Context,
    request: Annotated[
        CallsRequest,
        CallsArgument("except", "for", "-max", "--depth", "-methods", "in-target", "--svg", "if", tree=True),
    ],
) -> CallTrees:
    """Show what a method calls, line by line, with time and share, folded: the next call, or `-max N` or `for SECONDS`.

    `calls tree OrderServlet.doGet -max 100`, `calls tree Order.pay --depth 3 if $cost > 100ms`. The condition is about
    `$cost` alone. Nothing is suspended by a call. Ctrl-C ends it and shows what there is. With `set in-target eager`
    or `in-target` behind the method, the target itself takes the times, without what breakpoints cost.
    """
    most = request.most or (0 if request.seconds else 1)

    def observed(most_methods: int) -> Any:
        return ctx.session.observer.tree(
            request.method,
            when=request.condition,
            depth=request.depth,
            most=most,
            most_methods=most_methods,
            in_target=request.in_target,
            excludes=request.excludes,
        )

    def ended(of: Any) -> Notice:
        trees = _trees(of)
        text = "\n".join(plain_lines(trees_shown(trees, ctx.settings)))
        return Notice("call-tree", text, tuple(trees.to_dict().items()))

    async with _observing(ctx, request, observed, ended) as observation:
        await _wait(ctx, observation, request.seconds)
    if request.svg:
        draw_trees(ctx.session, observation.trees(), request.svg)
    return _trees(observation)


def _trees(observation: Any) -> CallTrees:
    return CallTrees(
        observation.trees(),
        observation.observed,
        len(observation.in_target),
        observation.why_ordinary,
        observation.condition_false,
    )


def _statistics_notice(ctx: Context, statistics: model.CallStatistics) -> Notice:
    text = "\n".join(plain_lines(statistics_shown(statistics, ctx.settings)))
    return Notice("call-statistics", text, tuple(statistics.to_dict().items()))


def _require_bound(ctx: Context, request: CallsRequest) -> None:
    if not (ctx.interactive or request.seconds or request.most or ctx.session.snapshot_info is not None):
        raise UsageError("a script has to say how long calls are observed", hint="'for 10s', or '-max 10' of 'calls'")


@asynccontextmanager
async def _observing(
    ctx: Context, request: CallsRequest, make: Callable[[int], Any], ended: Callable[[Any], Notice]
) -> AsyncIterator[Any]:
    """An observation for the time of a block; what it came to is published if the block is cancelled."""
    session = ctx.session
    if session.suspended_everything and session.snapshot_info is None:
        raise StateError(
            "all threads are suspended: nothing is called", hint="'resume' lets them run", code="SUSPENDED"
        )
    observation = make(request.most_methods or model.MOST_METHODS)
    try:
        await observation.__aenter__()
    except UsageError as error:
        if error.code != "TOO_MANY_METHODS" or not ctx.interactive:
            raise
        if not await ctx.confirm(f"{error.message}; observe them all?"):
            raise
        observation = make(_MOST_ASKED)
        await observation.__aenter__()
    try:
        if ctx.interactive and ctx.announce is not None:
            ctx.announce(f"observing {count_of(observation.observed, 'method')}; Ctrl-C ends it")
        for sentence in (observation.waiting, *observation.lacks):
            if sentence:
                session.publish(Notice("warning", sentence))
        try:
            yield observation
        except trio.Cancelled:
            session.publish(ended(observation))
            raise
    finally:
        await observation.__aexit__(None, None, None)


async def _wait(ctx: Context, observation: Any, seconds: float | None) -> bool:
    """Wait until the observation has lasted so many seconds by the clock, its beginning included, while calls are
    reported: False if a stop, an end or Ctrl-C came before."""
    left = max(0.0, (seconds or _FOR_EVER) - observation.seconds)
    whole = False

    async def over(event: trio.Event) -> None:
        await event.wait()
        nursery.cancel_scope.cancel()

    try:
        async with open_nursery() as nursery:
            nursery.start_soon(over, observation.over)
            nursery.start_soon(over, ctx.observe())
            whole = await ctx.wait(left)
            nursery.cancel_scope.cancel()
    finally:
        ctx.observing = None
    return whole

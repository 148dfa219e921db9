"""The common part of the commands for breakpoints, catchpoints, watchpoints and traces.

Owns the way from typed words to what the session takes, and from a point back to the command that sets it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from jdbpy import BreakpointInfo, PointOptions, Reporting, SuspendPolicy, breakpoints, kinds
from jdbpy.cli.arguments.location import BreakpointRequest
from jdbpy.cli.arguments.logpoint import quoted
from jdbpy.cli.arguments.tail import Tail
from jdbpy.cli.breakpoint_list import Breakpoints, BreakpointsChanged, BreakpointSet
from jdbpy.cli.context import Context
from jdbpy.cli.resolving import class_of
from jdbpy.errors import EvalError, UsageError

CATCHPOINTS = kinds.kinds_called("catchpoint")
WATCHPOINTS = kinds.kinds_called("watchpoint")
TRACES = kinds.kinds_called("trace")

_LATE = re.compile(
    rf"\s(?:{'|'.join(each.word for each in breakpoints.OPTIONS if not each.apart)})\s.*"
    rf"|\s(?:{'|'.join(each.word for each in breakpoints.OPTIONS if each.takes is breakpoints.Takes.NOTHING)})$"
)
"""Words of a breakpoint that stand behind its condition, where they are taken for a part of it."""


def policy_here(ctx: Context) -> SuspendPolicy:
    """Return what gdb's words suspend: all on this machine, only the thread that hits elsewhere; or as
    ``hold`` says.
    """
    return ctx.session.default_policy


async def options_of(
    ctx: Context, tail: Tail, policy: SuspendPolicy, *, log: str = "", flood: bool = False
) -> PointOptions:
    """Return the words after a subject as the session takes them; ``flood``: hits may come by the thousand.

    wire: 1 or 2 trips for a thread or an object.
    """
    found: dict[str, int] = {field: await _id(ctx, _TAKES[field], text) for field, text in tail.typed}
    policy = tail.options.policy or policy
    if tail.options.after is not None:
        found["after"] = _number(ctx, tail.options.after)
    options: PointOptions = tail.options.replace(
        **found,
        policy=policy,
        log=log,
        tried=not ctx.putting_back,
        reporting=_reporting(ctx, tail, bool(log) or policy is SuspendPolicy.NONE, flood=flood),
    )
    return options


_TAKES = {option.field: option.takes for option in breakpoints.OPTIONS}


async def _id(ctx: Context, takes: breakpoints.Takes, text: str) -> int:
    """Return the id of the thread or object that was typed. Raises UsageError. wire: 1 trip or 2."""
    if takes is breakpoints.Takes.THREAD:
        return (await ctx.session.threads.find(text)).id
    value = await ctx.session.values.evaluate(text, limits=ctx.limits(0), remember=False)
    if value.id is None:
        raise UsageError(f"{text} is not an object: it is {value.text}")
    return value.id


def _number(ctx: Context, number: int) -> int:
    """Return the number of a point; a negative one is counted from the one that was set last."""
    numbers = [point.number for point in ctx.session.points.list()]
    if -number > len(numbers):
        raise UsageError(f"no breakpoint {-number} (there are {len(numbers)})", hint="'breakpoints' lists them")
    return numbers[number] if number < 0 else number


def _reporting(ctx: Context, tail: Tail, reports: bool, *, flood: bool) -> Reporting:
    """Return how it reports, with the settings for what was not said. Raises UsageError for words that need a
    report.
    """
    reporting = tail.options.reporting
    if not reports:
        useless = sorted(each.word for each in breakpoints.OPTIONS if each.reports and each.field in tail.said)
        if useless:
            hint = "put go before the place, or use logpoint or tracepoint"
            raise UsageError(f"'{useless[0]}' is for what reports and does not stop", hint=hint)
        return reporting
    changes = {} if "limit" in tail.said else {"limit": ctx.settings["report-limit"]}
    if (flood or not reporting.hold) and "cost" not in tail.said:
        changes["cost"] = ctx.settings["cost-limit"]
    return reporting.replace(**changes)


async def add_breakpoint(
    ctx: Context, request: BreakpointRequest, policy: SuspendPolicy, log: str = ""
) -> BreakpointSet:
    """Set the breakpoint that was asked for; ``policy`` is what a hit suspends when nothing was said.

    With ``log``, a text, it is a logpoint.
    """
    options = await options_of(ctx, request.tail, policy, log=log)
    try:
        point = await ctx.session.breakpoints.add_with(request.place.text, options)
    except EvalError as error:
        late = _LATE.search(options.condition)
        if late is not None and not error.hint:
            error.hint = f"'if' comes last: '{late[0].strip()}' stands before it"
        raise
    except UsageError as error:
        if error.code == "NO_METHOD" and (name := await class_of(ctx, request.place.text)):
            short = name.rpartition(".")[2]
            raise UsageError(
                f"{name} is a class, and a line or a method is wanted",
                hint=f"{short}:LINE, {short}.METHOD ('methods {short}' lists them); 'rbreak . {name}' takes all",
            ) from None
        raise
    return BreakpointSet(point, ctx.session.remote)


def listed(ctx: Context, kinds: Iterable[str] = ()) -> Breakpoints:
    """Return all points with the number of their commands, or those of some kinds."""
    wanted = tuple(kinds)
    points = [point for point in ctx.session.points.list() if not wanted or point.kind in wanted]
    waiting = () if wanted or ctx.restarts is None else tuple(ctx.restarts.waiting)
    return Breakpoints(tuple(_with_actions(ctx, point) for point in points), wanted, waiting)


async def delete(ctx: Context, numbers: tuple[int, ...]) -> BreakpointsChanged:
    """Removes points and their commands."""
    points = tuple(ctx.session.points.get(number) for number in numbers)
    await ctx.session.points.remove(numbers)
    for number in numbers:
        ctx.actions.pop(number, None)
    return BreakpointsChanged("deleted", points)


def as_commands(
    points: Iterable[BreakpointInfo], threads: Mapping[int, str], actions: Mapping[int, Sequence[str]]
) -> list[str]:
    """Return the commands that set these points again, in their order; ``threads`` are names by id, ``actions`` what
    hits run.

    What is for a thread, an object or a place of this run only is a comment, and so is what waits for such a point.
    """
    lines: list[str] = []
    kept: list[int] = []  # numbers of those that are set again
    for point in points:
        after, here = point.after, point.is_of_this_run
        if after is not None and after in kept:
            after = kept.index(after) - len(kept)  # numbers may be others then
        elif after is not None:
            here = True
        command = " ".join(as_command(point, threads.get(point.thread or 0, ""), after).splitlines())  # one command
        runs = actions.get(point.number)
        block = [command, *(["commands", *runs, "end"] if runs else [])]
        lines += [f"{'# ' * here}{line}" for line in block]
        kept += [] if here else [point.number]
    return lines


def _spec_of_enabled(point: BreakpointInfo) -> str:
    """Return the place of a breakpoint, narrowed to the part of the line that its enabled places are, where there is
    one."""
    enabled = [place for place in point.places if place.enabled]
    lambdas = [place for place in point.places if place.kind == "lambda"]
    spec: str = point.spec
    if point.kind != "line" or len(enabled) == len(point.places) or not spec[-1:].isdigit() or ":lambda" in spec:
        return spec
    if all(place.kind == "line" for place in enabled) and enabled:
        return f"{spec}:line"
    if enabled == lambdas:
        return f"{spec}:lambda"
    return f"{spec}:lambda{lambdas.index(enabled[0]) + 1}" if len(enabled) == 1 and enabled[0] in lambdas else spec


def as_command(point: BreakpointInfo, thread: str = "", after: int | None = None) -> str:
    """Return the command that sets this breakpoint again.

    ``thread`` is the name of its thread, ``after`` another number of the breakpoint that must be hit first.
    """
    kind = kinds.kind_named(point.kind)
    verb = None if kind.in_code else kind.command
    point = point.replace(spec=_spec_of_enabled(point))
    options = dict(point.options)
    log = options.pop("log", None)
    no_stop = "--no-suspend " * (options.pop("--no-suspend", None) is not None)
    no_stop += "--values " * (options.pop("--values", None) is not None)
    if point.policy is SuspendPolicy.NONE:  # the settings may be others then
        options.setdefault("limit", "none")
        if point.kind == "methods" or no_stop:
            options.setdefault("cost", "none")
    if "to" in options and " " in options["to"]:
        options["to"] = f"'{options['to']}'"
    if "on" in options:
        options["on"] = options["on"].replace("object ", "@")
    given = point.given if after is None else point.given.replace(after=after)
    words = "".join(
        f" {name} {text}".rstrip() for name, text in (*options.items(), *_typed(given, kind.in_code, thread))
    )
    if verb is None:
        text = f" {quoted(log)}" if log is not None else ""
        if "stack" in options:
            return f"tracepoint {point.spec}{text}{words}"
        if log is not None:
            return f"logpoint {point.spec}{text}{words}"
        if no_stop:
            return f"trace {no_stop}{point.spec}{words}"
        policy = {SuspendPolicy.NONE: "--no-stop ", SuspendPolicy.THREAD: "thread ", SuspendPolicy.ALL: "all "}[
            point.policy
        ]
        return f"break {policy}{point.spec}{words}"
    return f"{verb} {no_stop}{point.spec} suspend {point.policy}{words}"


def _typed(given: PointOptions, in_code: bool, thread: str) -> Iterable[tuple[str, str]]:
    """Yield the options that have keys of their own, as they are typed; not what a hit suspends, which comes first."""
    for option in breakpoints.OPTIONS:
        if not option.has_key or not option.is_given(given):
            continue
        value = option.value(given)
        match option.takes:
            case breakpoints.Takes.POLICY:
                continue
            case breakpoints.Takes.PATTERNS:
                yield option.word, ",".join(value)
            case breakpoints.Takes.THREAD:
                yield option.word, f'"{thread or value}"'
            case breakpoints.Takes.BREAKPOINT:
                yield option.word, f"{'each ' * given.after_each}{value}"
            case breakpoints.Takes.PASSED:
                yield option.word, str(value + 1)
            case _:
                yield option.word, option.shown(given)


def _with_actions(ctx: Context, point: BreakpointInfo) -> BreakpointInfo:
    lines = ctx.actions.get(point.number)
    if not lines:
        return point
    options = (*point.options, ("runs", "; ".join(lines)))
    return point.replace(options=options)

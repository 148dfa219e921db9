"""Methods timed by the JVM itself: calls, average, shortest and longest time."""

from __future__ import annotations

from typing import Annotated

from jdbpy import Notice, calls as model
from jdbpy.cli.arguments.calls import CallsArgument, CallsRequest
from jdbpy.cli.commands.profiling import DEFAULT_SECONDS, titled_table
from jdbpy.cli.context import Context
from jdbpy.cli.output.pieces import Column, Shown, count as count_of
from jdbpy.cli.output.shows import shows
from jdbpy.cli.progress import Progress, wait_for
from jdbpy.cli.settings import Settings
from jdbpy.cli.table import command
from jdbpy.drawing.units import NANOS, in_words

_COLUMNS = (
    Column("calls", right=True, style="number", least=6),
    Column("mean", right=True, least=8),
    Column("min", right=True, least=8, drop=2),
    Column("max", right=True, least=8),
    Column("total", right=True, style="faint", least=8, drop=1),
    Column("method", least=24),
)


@shows(model.MethodTimings)
def timings_shown(result: model.MethodTimings, settings: Settings) -> Shown:
    called = sum(each.count for each in result.methods)
    what = "call" if called == 1 else "calls"
    yield f"{called:,} {what} in {result.seconds:.1f} s, {count_of(result.timed, 'method')} timed by the JVM"
    if result.methods:
        rows = [
            (
                f"{each.count:,}",
                *(_time(each_time) for each_time in (each.mean, each.minimum, each.maximum, each.total)),
                f"{each.class_name}.{each.method}({','.join(_short(kind) for kind in each.parameters)})",
            )
            for each in result.methods
        ]
        yield titled_table(_COLUMNS, rows)


def _time(seconds: float | None) -> str:
    return "?" if seconds is None else in_words(seconds * 1e9, NANOS)


def _short(class_name: str) -> str:
    return class_name.rpartition(".")[2]


@command("timing", group="vm")
async def timing(
    ctx: Context, request: Annotated[CallsRequest, CallsArgument("except", "for", "-methods")]
) -> model.MethodTimings:
    """Have the JVM count and time the calls of methods: mean, shortest and longest, by method. It needs Java 25.

    `timing Order.pay`, `timing Order.pay(int) for 30s`, `timing com.acme.*Service.find*`, and with an annotation
    `timing @jakarta.ws.rs.GET`. It ends after ten seconds, or early with Ctrl-C. The flight recorder puts the clocks
    into the methods, so no thread is ever suspended, and no debugger agent is needed: with `attach --pid` name the
    method in full. Other Javas have `calls stats METHOD`, with percentiles and failures.
    """
    session = ctx.session
    seconds = request.seconds or DEFAULT_SECONDS
    async with session.profiler.timing(
        request.method, most_methods=request.most_methods or model.MOST_METHODS, excludes=request.excludes
    ) as running:
        for note in running.methods.notes:
            session.publish(Notice("warning", note))
        what = f"timing {count_of(running.count, 'method')}" if running.count else f"timing {request.method}"
        progress = Progress(ctx, what, seconds)
        await wait_for(ctx, seconds, progress.show)
        progress.end()
        return await running.finish()

"""Runs a command's query periodically: updated in place at the prompt, as lines elsewhere, until a time limit or
Ctrl-C.

Owns the loop and its orderly end: a stop, the end of the target or Ctrl-C ends it, and the last output becomes the
result of the command. What is shown, and how often, is up to the command.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

import trio

from jdbpy import Notice
from jdbpy.cli.arguments.repeating import Repetition
from jdbpy.cli.context import Context
from jdbpy.cli.output.plain import plain_lines
from jdbpy.cli.output.shows import shown
from jdbpy.errors import UsageError
from jdbpy.record import Record
from jdbpy.task_groups import open_nursery

Shown = TypeVar("Shown", bound=Record)


def require_end(ctx: Context, repeat: Repetition) -> None:
    """Raise UsageError for a script that does not limit the duration."""
    if repeat.every is not None and repeat.seconds is None and not (ctx.interactive and not ctx.acting):
        raise UsageError("a script has to say how long this goes on", hint="'every 5s for 1m'")


async def repeated(
    ctx: Context,
    repeat: Repetition,
    once: Callable[[], Awaitable[Shown]],
    *,
    kind: str,
    every: float,
    endless: bool,
    first: float = 0.0,
) -> Shown:
    """Call ``once`` after each interval and show its result; return the last one without showing it.

    ``kind`` is the kind of the notices that report all but the last one. ``every`` is the default interval in seconds;
    ``endless``: at a prompt, repeat even if the user gives no interval; ``first``: seconds before the first call.
    """
    require_end(ctx, repeat)
    asks = ctx.interactive and not ctx.acting
    interval = repeat.every or every
    many = repeat.every is not None or repeat.seconds is not None or (endless and asks)
    deadline = trio.current_time() + (repeat.seconds if repeat.seconds is not None else 1e8)
    over = ctx.observe() if asks else None
    try:
        goes_on = await _wait(ctx, min(first, max(0.0, deadline - trio.current_time())), over)
        begun = trio.current_time()
        found = await once()
        while goes_on and many and trio.current_time() + interval / 100 < deadline:
            _show(ctx, found, kind)
            begun = max(begun + interval, trio.current_time())
            goes_on = await _wait(ctx, min(begun, deadline) - trio.current_time(), over)
            if goes_on or over is None or not over.is_set():
                found = await once()
        return found
    finally:
        ctx.observing = None


def _show(ctx: Context, found: Record, kind: str) -> None:
    in_place = ctx.show_in_place
    if in_place is not None and not (ctx.screen is not None and ctx.screen.is_open):
        in_place(found)
        return
    text = "\n".join(plain_lines(shown(found, ctx.settings)))
    ctx.session.publish(Notice(kind, text, tuple(found.to_dict().items())))


async def _wait(ctx: Context, seconds: float, over: trio.Event | None) -> bool:
    """Wait while events are shown; False if a stop, the end of the target or Ctrl-C came first."""
    if seconds <= 0:
        await trio.lowlevel.checkpoint()
        return over is None or not over.is_set()
    whole = False

    async def end() -> None:
        assert over is not None
        await over.wait()
        nursery.cancel_scope.cancel()

    async with open_nursery() as nursery:
        if over is not None:
            nursery.start_soon(end)
        whole = await ctx.wait(seconds)
        nursery.cancel_scope.cancel()
    return whole

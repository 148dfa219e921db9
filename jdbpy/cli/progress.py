"""A measurement that takes a while at the prompt: its progress, and the wait, which a stop or Ctrl-C ends."""

from __future__ import annotations

from collections.abc import Callable

import trio

from jdbpy.cli.context import Context
from jdbpy.cli.results import Done
from jdbpy.task_groups import open_nursery

_BAR = 16
"""Characters of the bar that shows how far it is."""


class Progress:
    """Tells how far a measurement is: at a terminal in one line that is written over, else once at its beginning."""

    def __init__(self, ctx: Context, what: str, seconds: float) -> None:
        self._what, self._seconds, self._passed = what, seconds, -1
        in_place = ctx.show_in_place
        self._show = in_place if in_place is not None and not (ctx.screen is not None and ctx.screen.is_open) else None
        if ctx.interactive and self._show is None and ctx.announce is not None:
            ctx.announce(f"{what} for {seconds:g} s; Ctrl-C ends it")

    def show(self, passed: float) -> None:
        """Tell how many seconds have passed, once each second."""
        if self._show is None or int(passed) == self._passed:
            return
        self._passed = int(passed)
        full = min(_BAR, int(_BAR * passed / self._seconds))
        bar = "█" * full + "░" * (_BAR - full)
        self._show(Done(f"{self._what} {bar} {self._passed} of {self._seconds:g} s; Ctrl-C ends it"))

    def end(self) -> None:
        """Tell that the recording is being fetched, which may take a while."""
        if self._show is not None:
            self._show(Done(f"{self._what}: reading what was recorded"))


async def wait_for(ctx: Context, seconds: float, progress: Callable[[float], None]) -> None:
    """Wait for so many seconds and show events meanwhile; a stop or Ctrl-C ends the wait. Call ``progress`` with the
    seconds that have passed."""

    async def over(event: trio.Event) -> None:
        await event.wait()
        nursery.cancel_scope.cancel()

    begun = trio.current_time()
    try:
        async with open_nursery() as nursery:
            nursery.start_soon(over, ctx.observe())
            whole, passed = True, 0.0
            while whole and passed < seconds:
                progress(passed)
                whole = await ctx.wait(min(1.0, seconds - passed))
                passed = trio.current_time() - begun
            nursery.cancel_scope.cancel()
    finally:
        ctx.observing = None

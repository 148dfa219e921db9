"""The launched program started again: what goes from one session to the next.

Owns the choice of what is kept (breakpoints with their numbers, what they run, displays, monitors, step filters, views,
the source path) and how it is put back. Values and objects of the last run are gone with it.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from jdbpy import Breakpoint, JdbpyError
from jdbpy.cli.context import Context, Display
from jdbpy.cli.points import as_command
from jdbpy.record import Record


class Kept(Record):
    """What is put back after a restart. ``line`` is the command that asked for it, run again in the new session."""

    line: str
    points: tuple[tuple[Breakpoint, tuple[str, ...]], ...]  # each with the commands that its hits run
    displays: dict[int, Display]
    next_display: int
    monitors: dict[int, str]
    excludes: tuple[str, ...]
    source_path: tuple[str, ...]
    views: dict[str, str]


class Restarts:
    """The restarts of one launched program. ``kept`` is set while one is asked for and not done yet.

    ``main_class`` is the name of its main class, "" where the command does not tell.
    """

    def __init__(self, main_class: str = "") -> None:
        self.main_class = main_class
        self.kept: Kept | None = None

    def ask(self, ctx: Context, line: str) -> None:
        """Keep what is to be put back, and make the front end leave its session."""
        session = ctx.session
        points = tuple((point, tuple(ctx.actions.get(point.number, ()))) for point in session.points.list())
        self.kept = Kept(
            line,
            points,
            dict(ctx.displays),
            ctx.next_display,
            dict(ctx.monitors),
            session.execution.excludes,
            session.sources.path,
            {view.pattern: view.expression for view in session.values.views.list()},
        )
        ctx.leaving = True

    async def put_back(self, ctx: Context, say: Callable[[str], None]) -> str:
        """Put back what was kept and return the line that asked for the restart; "" if none did.

        ``say`` is called with a sentence for each breakpoint that cannot be set again.
        """
        kept, self.kept = self.kept, None
        if kept is None:
            return ""
        session = ctx.session
        ctx.displays.update(kept.displays)
        ctx.monitors.update(kept.monitors)
        ctx.next_display = kept.next_display
        session.execution.set_excludes(kept.excludes)
        if session.sources.path != kept.source_path:
            session.sources.path = kept.source_path
        for pattern, expression in kept.views.items():
            with suppress(JdbpyError):
                session.values.views.add(pattern, expression)
        await _set_again(ctx, kept, say)
        return kept.line


async def _set_again(ctx: Context, kept: Kept, say: Callable[[str], None]) -> None:
    quiet, ctx.quiet = ctx.quiet, True
    try:
        for point, actions in kept.points:
            if point.thread is not None or "on" in dict(point.options) or point.spec.startswith("exit of "):
                say(f"breakpoint {point.number} was for a thread or an object of the last run: {point.spec}")
                continue
            ctx.session.points.number_next(point.number)
            waits = f" after {'each ' * point.after_each}{point.after}" if point.after is not None else ""
            if await ctx.run_line(as_command(point, waits)) and actions:
                ctx.actions[point.number] = list(actions)
    finally:
        ctx.quiet = quiet

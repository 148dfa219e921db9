"""A launched program started again, a target attached to again: what goes from one session to the next.

Owns the choice of what is kept (breakpoints with their numbers, what they run, displays, monitors, step filters, views,
the source path) and how it is put back. Values and objects of the last run are gone with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from jdbpy import BreakpointInfo, Disconnected, Exited, JdbpyError, Notice, VMDisconnected
from jdbpy.cli.context import Context, Display
from jdbpy.cli.points import as_command
from jdbpy.cli.table import CliCommand
from jdbpy.record import Record

SETTING = (
    *("stop", "break", "tbreak", "logpoint", "dprintf", "tracepoint", "catch"),
    *("watch", "rwatch", "awatch", "trace"),
    *("condition", "ignore"),
)
"""Commands that set a breakpoint or the like, or say when one stops."""


class Kept(Record):
    """The things that are put back afterwards. ``line`` is the command that asked for it, run again in the
    new session.
    """

    line: str
    points: tuple[tuple[BreakpointInfo, tuple[str, ...]], ...]  # each with the commands that its hits run
    displays: dict[int, Display]
    next_display: int
    monitors: dict[int, str]
    excludes: tuple[str, ...]
    source_path: tuple[str, ...]
    views: dict[str, str]


class Restarts:
    """The restarts of one launched program, or the returns to a target. ``kept`` is set while one is asked for.

    ``main_class`` is the name of the program's main class, "" where the command does not tell. ``attaches``: the target
    was attached to, or has connected where jdbpy ``listens``; it is started by others, and attached to again.
    ``automatic``: that is done whenever it goes away.
    """

    def __init__(
        self, main_class: str = "", *, attaches: bool = False, listens: bool = False, automatic: bool = False
    ) -> None:
        self.main_class = main_class
        self.attaches = attaches or listens
        self.listens = listens
        self.automatic = automatic
        self.kept: Kept | None = None
        self.waiting: list[str] = []  # commands that set breakpoints, typed after the end of the session

    def comes_back(self, ctx: Context) -> bool:
        """True if the session has ended and another one follows by itself."""
        return self.automatic and ctx.session.ending is not None and not ctx.leaving

    def stays(self, ctx: Context, ending: Exited | VMDisconnected) -> bool:
        """True if the prompt outlives the session: the user may want to go on, and what is typed is for nobody else."""
        return not self.automatic if self.attaches else isinstance(ending, Exited)

    def waits_for_another(self, ctx: Context, command: CliCommand, error: JdbpyError) -> bool:
        """True if a command that has failed is about breakpoints, and can be run in the next session."""
        over = isinstance(error, Disconnected) or error.code == "VM_DEAD"
        return over and ctx.interactive and ctx.session.ending is not None and command.name in SETTING

    def wait(self, line: str) -> str:
        """Keep a line for the next session; return a sentence about it."""
        self.waiting.append(line)
        return f"pending: '{line}' is run when {'the target is back' if self.attaches else 'the program starts again'}"

    def hint(self, ctx: Context) -> str:
        """Return what to say below the end of the session."""
        if self.automatic:
            return "attaching again when it comes back; Ctrl-C leaves"
        if self.listens:
            return "'reconnect' waits for the next JVM, which gets its breakpoints; 'quit' leaves"
        if self.attaches:
            return "'reconnect' attaches again with its breakpoints, 'quit' leaves"
        return "'run' starts it again with its breakpoints, 'start' stops in main, 'quit' leaves"

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
        """Put back what was kept and return the line to run then, which asked for it; "" for none.

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
        failed = await set_again(ctx, kept.points, say)
        waiting, self.waiting = self.waiting, []
        for line in waiting:
            await ctx.run_line(line)
        if self.attaches:
            session.publish(_back(session.address, len(kept.points), failed))
        return kept.line


def _back(address: str, points: int, failed: int) -> Notice:
    text = f"attached again to {address}"
    if points:
        text += f": {points - failed} of {points} breakpoints and their like are set again"
    return Notice("reconnected", text, (("breakpoints", points - failed), ("failed", failed)))


async def set_again(
    ctx: Context,
    points: Sequence[tuple[BreakpointInfo, tuple[str, ...]]],
    say: Callable[[str], None],
    *,
    of: str = "the last run",
) -> int:
    """Set breakpoints and their like, each with the commands that its hits run; return how many could not be set.

    They are ``of`` another run or JVM, whose threads and objects are not here; ``say`` is called with these.
    """
    failed = 0
    quiet, ctx.quiet = ctx.quiet, True
    ctx.putting_back = True
    try:
        for point, actions in points:
            if point.is_of_this_run:
                say(f"breakpoint {point.number} was for a thread or an object of {of}: {point.spec}")
                failed += 1
                continue
            ctx.session.points.number_next(point.number)
            if not await ctx.run_line(as_command(point)):
                failed += 1
            elif actions:
                ctx.actions[point.number] = list(actions)
    finally:
        ctx.quiet = quiet
        ctx.putting_back = False
    return failed

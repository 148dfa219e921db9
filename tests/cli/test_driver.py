"""A further front end: what it has to say, and that the rest comes with the driver."""

from __future__ import annotations

from collections.abc import Iterable

import trio

import jdbpy
from jdbpy import JdbpyError, SourceWindow, Stopped, VMDisconnected
from jdbpy.cli.commands import TABLE
from jdbpy.cli.context import Context
from jdbpy.cli.driver import Driver
from jdbpy.cli.jvms import Jvm, Jvms
from jdbpy.cli.output.plain import PlainRenderer
from jdbpy.cli.output.renderer import Outcome
from jdbpy.cli.results import Displayed, Resumed
from jdbpy.cli.settings import Settings
from jdbpy.cli.table import CliCommand
from jdbpy.record import Record
from tests.harness import LIMIT, Jvm as Runtime, program, start_target, within

LEDGER = program("Ledger")


class Paper(Driver):
    """Runs lines that are given, and writes all into a list."""

    def __init__(self, session: jdbpy.Session, lines: Iterable[str]) -> None:
        jvms = Jvms()
        super().__init__(jvms, TABLE)
        self.written: list[str] = []
        self._left = iter(lines)
        self._stopped = trio.Event()
        self._renderer = PlainRenderer(Settings())
        jvms.begin(session, "", None)
        jvms.bind(self)

    async def begin(self, nursery: trio.Nursery) -> None:
        nursery.start_soon(self._listen)

    async def _listen(self) -> None:
        async for event in self.session.events():
            if isinstance(event, Stopped) and not await self.do_at_stop(self.jvms.current, event):
                self._stopped.set()
            elif isinstance(event, VMDisconnected):
                return

    async def next_line(self) -> str | None:
        return next(self._left, None)

    @property
    def over(self) -> bool:
        return self.context.leaving

    async def next_stop(self) -> None:
        await self._stopped.wait()

    async def settle(self, command: CliCommand, result: Record) -> Record:
        self._stopped = trio.Event()
        if isinstance(result, Resumed):
            await self.next_stop()
        return result

    def make_context(self, jvm: Jvm) -> Context:
        return Context(jvm.session, jvms=self.jvms, restarts=jvm.restarts)

    def show_events_of(self, jvm: Jvm) -> None:
        pass

    def part(self, jvm: Jvm) -> None:
        pass

    def selected(self, jvm: Jvm) -> None:
        pass

    def all_ended(self) -> None:
        pass

    def report(self, jvm: Jvm, outcome: Outcome) -> None:
        self.written += [self._renderer.error(outcome)] if outcome.error else list(self._renderer.parts(outcome))

    def fault(self, line: str, fault: Exception) -> None:
        raise fault

    def plugin_failed(self, jvm: Jvm, error: JdbpyError) -> None:
        raise error

    def show_source(self, jvm: Jvm, window: SourceWindow) -> None:
        self.written.append(self._renderer.source(window))

    def show_displays(self, jvm: Jvm, displayed: Displayed) -> None:
        self.written.append(self._renderer.displays(displayed))

    def say(self, text: str) -> None:
        self.written.append(text)

    def printed(self, text: str) -> None:
        self.written.append(text)


async def test_a_third_front_end_says_where_lines_come_from_and_where_output_goes(any_jvm: Runtime) -> None:
    lines = ("stop in Ledger.total", "display 6 * 7", "monitor print 40 + 1", "cont", "print 1 +", "quit", "print 5")
    with within(LIMIT):
        async with start_target(any_jvm, LEDGER) as target, jdbpy.attach_session(target.address) as session:
            paper = Paper(session, lines)
            await paper.drive()
    text = "".join(paper.written)
    assert "6 * 7 = 42" in text  # what is displayed at a stop, and what is run there
    assert "= 41" in text
    assert "error: " in text  # a line that fails ends nothing
    assert "= 5" not in text  # no line is run behind the one that leaves
    assert paper.over

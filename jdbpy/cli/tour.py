"""``jdbpy demo``: bringing the bundled program to its ``main``, and the tour that runs by itself.

Owns how the tour is run and checked when nobody is at the keyboard; what it consists of stands in ``jdbpy.demo.tour``.
A person at the prompt is led by the `Guide` instead.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable

import trio

from jdbpy import Event, Exited, Gone, Output, Session, Stop
from jdbpy.cli.context import Context
from jdbpy.cli.escape import escape_line
from jdbpy.cli.interpreter import Interpreter
from jdbpy.cli.renderer import Outcome, Renderer
from jdbpy.cli.sink_lines import LineGatherer
from jdbpy.cli.table import TABLE, Command
from jdbpy.demo.tour import LAST_WORDS, START, TOUR, Guide, Step
from jdbpy.wire.record import Record

STEP_LIMIT = 30.0
"""Seconds that a step of the tour may take; they take hundredths."""

_COLORS = re.compile(r"\x1b\[[0-9;]*m")


async def stop_at_main(session: Session) -> None:
    """Let a program that is held before its start run to the first line of its ``main``."""
    await session.breakpoints.add(START, temporary=True)
    await session.execution.cont()


def guide() -> Guide:
    """Who leads a person at the prompt through the tour."""
    return Guide(_canonical)


def _canonical(line: str) -> str:
    """A line with the main name of its command and single blanks: equal for "c" and "cont"."""
    found = TABLE.find(line)
    return " ".join([found.command.name, *line[found.rest :].split()]) if found else line


class TourFailed(Exception):
    """A step did not do what it should; the text says which and what was missing."""


async def run_tour(session: Session, renderer: Renderer, write: Callable[[str], None]) -> int:
    """Run the tour to its end, and write what a person would see. Returns the exit status.

    The session must be stopped at ``main``. That is 0 only when every step showed what it should.
    """
    with session.events() as events:
        player = _Player(session, renderer, write)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(player.watch, events)
            try:
                await player.play(TOUR)
                write(f"\nAll {len(TOUR)} steps did what they should. {LAST_WORDS}")
                status = 0
            except TourFailed as failure:
                write(f"\nThe tour failed: {failure}\n")
                status = 1
            nursery.cancel_scope.cancel()
    return status


class _Player:
    """Types the commands of the tour and looks at the screen."""

    def __init__(self, session: Session, renderer: Renderer, write: Callable[[str], None]) -> None:
        self._renderer = renderer
        self._write = write
        self._interpreter = Interpreter(TABLE, Context(session), self._report, self._settle)
        self._lines = LineGatherer()
        self._screen = ""  # what has been written since the step began
        self._changed = trio.Event()
        self._halted = trio.Event()
        if session.last_stop is not None:
            self._show(renderer.event(session.last_stop))

    async def play(self, steps: tuple[Step, ...]) -> None:
        """Run the steps one after the other; raises TourFailed."""
        for number, step in enumerate(steps, 1):
            self._write(f"\n{number}/{len(steps)}  {step.say}\n> {step.line}\n")
            self._screen = ""
            self._halted = trio.Event()
            with trio.move_on_after(STEP_LIMIT):
                if not await self._interpreter.run(step.line):
                    raise TourFailed(f"the command '{step.line}' failed")
                while self._missing(step):
                    await self._changed.wait()
            if missing := self._missing(step):
                raise TourFailed(f"'{step.line}' should have shown {' and '.join(map(repr, missing))}")

    async def watch(self, events: AsyncIterator[Event]) -> None:
        """Show what happens, as it happens."""
        async for event in events:
            if isinstance(event, Output):
                lines = self._lines.feed(event.stream, event.text)
                self._show("".join(f"{escape_line(line)}\n" for line in lines))
                continue
            self._show(self._renderer.event(event))
            if isinstance(event, Stop | Exited | Gone):
                self._halted.set()

    async def _settle(self, command: Command, result: Record) -> Record:
        """Go on with the tour only when the target has stopped again."""
        await self._halted.wait()
        return result

    def _report(self, outcome: Outcome) -> None:
        self._show(self._renderer.error(outcome) if outcome.error else self._renderer.result(outcome))

    def _show(self, text: str) -> None:
        if text:
            self._write(text)
            self._screen += text
            self._changed.set()
            self._changed = trio.Event()

    def _missing(self, step: Step) -> list[str]:
        screen = _COLORS.sub("", self._screen)
        return [piece for piece in step.shows if piece not in screen]

"""The demo at the terminal and without one: the bundled program, and the tour through it.

The program and the words of the tour are in ``jdbpy.demo``; this runs them with the ordinary batch and prompt.
"""

from __future__ import annotations

import trio

from jdbpy import LaunchCommand, Options
from jdbpy.cli.batch import Batch
from jdbpy.cli.repl.terminal import COLOR_CODES
from jdbpy.cli.table import TABLE
from jdbpy.demo import program
from jdbpy.demo.tour import LAST_WORDS, TOUR, Guide, Step
from jdbpy.process.statuses import FAILED

OUTPUT_LIMIT = 10.0
"""Seconds to wait for what a step must show: output of the program comes another way than its stops."""


def demo_command() -> LaunchCommand:
    """Return how to launch the bundled program. Raises UsageError when there is no Java for it."""
    return program.demo_command()


def demo_options(options: Options) -> Options:
    """Return the options with the program's source on the source path."""
    path = (str(program.JAVA_SOURCE), *options.source_path)
    return options.replace(source_path=path)


def tour_guide() -> Guide:
    """Return who leads a person at the prompt; commands of the same meaning are equal to it."""
    return Guide(canonical)


def canonical(line: str) -> str:
    """Return a line with the command's full name: "c" and "cont" are the same."""
    found = TABLE.find(line)
    return " ".join([found.command.name, *line[found.rest :].split()]) if found else line.strip()


async def run_tour(batch: Batch) -> int:
    """Runs every step, checks what it showed, and returns the exit status."""
    say = _silent if batch.console.json else batch.console.write
    with batch.stream:
        await batch.start()
        for line in Guide.first_lines:
            say(f"> {line}\n")
            if not await batch.run_line(line):
                return batch.status
        for number, step in enumerate(TOUR, 1):
            say(f"\n{number}/{len(TOUR)}  {step.say}\n> {step.line}\n")
            if not await _take(step, batch):
                return batch.status or FAILED
    say(f"\n{LAST_WORDS}")
    return batch.status


async def _take(step: Step, batch: Batch) -> bool:
    """One step; False when it failed or did not show what it must."""
    if batch.console.json:
        return await batch.run_line(step.line)
    written: list[str] = []
    batch.console.listener = written.append
    succeeded = await batch.run_line(step.line)
    with trio.move_on_after(OUTPUT_LIMIT):
        await batch.show_events(until=lambda: not _missing(step, written))
    batch.console.listener = None
    if missing := _missing(step, written):
        batch.console.say(f"the tour expected to see here: {', '.join(missing)}")
    return succeeded and not missing


def _missing(step: Step, written: list[str]) -> list[str]:
    text = COLOR_CODES.sub("", "".join(written))
    return [piece for piece in step.shows if piece not in text]


def _silent(text: str) -> None:
    """Show nothing: JSON has results and events only."""

"""The plain writer: what a person reads in a log, a pipe, or a terminal without colors.

Owns how pieces become lines of text, and what is said beside results: errors, hints, where jdbpy listens.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import TypeVar

from jdbpy import EvalError, Event, Output, SourceWindow, Stopped, Thrown
from jdbpy.cli.arguments.code import ExpressionArgument
from jdbpy.cli.output.columns import broken, cut, cut_text, with_packages
from jdbpy.cli.output.events import event_shown
from jdbpy.cli.output.pieces import (
    CodePieces,
    CutPieces,
    Line,
    LinePieces,
    Pieces,
    RowPieces,
    Sentence,
    Shown,
    TablePieces,
    aligned,
    behind,
    faint,
    piece,
    plain_text,
)
from jdbpy.cli.output.renderer import Outcome
from jdbpy.cli.output.shows import shown
from jdbpy.cli.results import Displayed
from jdbpy.cli.settings import Settings
from jdbpy.cli.table import TABLE
from jdbpy.escape import escape, escape_code

TAB = 8
"""Columns of a tab in source."""

STACK_LINES = 10
"""Frames that are shown of an exception that left an expression."""

_FIRST_STEPS = "Hint: 'where' shows the stack, 'locals' the variables, 'next' steps, 'cont' goes on, 'help' lists all"
_BEFORE_START = "Hint: nothing has run yet; 'stop in CLASS.METHOD' sets a breakpoint, 'run' starts the program"
_NO_SOURCE = "Hint: {source} was not found; 'use DIRECTORY' says where the sources are"

_T = TypeVar("_T")


def plain_lines(shown: Shown, columns: int | None = None) -> Iterator[str]:
    """Yield what is shown as lines of text. ``columns``: of the window, if it is for one."""
    for each in shown:
        if isinstance(each, Pieces):  # nearly all of a long result
            yield escape(each.text)
        elif isinstance(each, str):
            yield escape(each)
        elif isinstance(each, Sentence):
            yield from map(plain_text, broken(each, columns))
        elif isinstance(each, CutPieces):
            yield cut(each, columns).text
        elif isinstance(each, CodePieces):
            if lines := source_lines(each.window, columns):
                yield "\n".join(lines)  # in one piece: there is one at each stop
        elif isinstance(each, LinePieces):
            yield from map(escape, each.plain)
        elif isinstance(each, TablePieces) and each.plain is not None and not isinstance(each.plain, RowPieces):
            yield from map(plain_text, each.plain)
        else:
            rows = each if isinstance(each, RowPieces) else each.plain or RowPieces(each.rows)
            assert isinstance(rows, RowPieces)
            yield from (plain_text(row).rstrip() for row in aligned(rows))


def source_lines(window: SourceWindow, columns: int | None = None) -> list[str]:
    """Return the lines of a window with their numbers, ``=>`` before the current one, each in one row."""
    width = max([len(str(number)) for number, _ in window.lines], default=1)
    lines = [
        cut_text(f"{'=>' if number == window.current else '  '} {number:>{width}}  {text}".rstrip(), columns)
        for (number, _), text in zip(window.lines, code_of(window, columns), strict=True)
    ]
    if window.stale:
        lines.append(plain_text(stale(window)))
    return lines


def code_of(window: SourceWindow, columns: int | None) -> list[str]:
    """Return the lines without their numbers, escaped; where they must fit, without tabs."""
    lines = [text if columns is None else text.expandtabs(TAB) for _, text in window.lines]
    return list(escape_code(lines))


def stale(window: SourceWindow) -> Pieces:
    """Return the line below source that cannot be the class's, or that a decompiler has made."""
    if window.decompiled:
        return piece(f"({window.path}: {window.warning})", "faint")
    return piece(f"(the class was not compiled from this {window.name}: {window.warning})", "error")


def some_at_a_time(items: Iterator[_T]) -> Iterator[list[_T]]:
    """Yield items by the hundred: as many as are made and handed on in one piece."""
    while some := list(islice(items, 100)):
        yield some


class PlainRenderer:
    """Implements ``Renderer``. ``columns`` gives the width of the window at each time, None where there is none."""

    def __init__(self, settings: Settings, columns: Callable[[], int | None] = lambda: None) -> None:
        self.settings = settings
        self._columns = columns

    def parts(self, outcome: Outcome) -> Iterator[str]:
        """Yield the result in pieces, each of whole lines: long ones need not be made before the first is shown."""
        if outcome.result is not None:
            yield from self.text_of(self._but_source(shown(outcome.result, self.settings)))

    def _but_source(self, shown: Shown) -> Shown:
        """Leave out source text where a pane shows it."""
        return (each for each in shown if not isinstance(each, CodePieces)) if self.settings.on_screen else shown

    def text_of(self, shown: Shown) -> Iterator[str]:
        """Yield what is shown as text of whole lines, some at a time."""
        shown = with_packages(shown, self.settings["packages"])
        for some in some_at_a_time(plain_lines(shown, self._columns())):
            yield "\n".join([*some, ""])

    def sentences(self, text: str, indent: str = "  ") -> str:
        """Return a text, each line of it as a sentence. What others may have written in it must be escaped by then."""
        return "".join(self.text_of(Sentence(line, indent) for line in text.splitlines()))

    def result(self, outcome: Outcome) -> str:
        return "".join(self.parts(outcome))

    def error(self, outcome: Outcome) -> str:
        return "".join(self.text_of(of_jvm(outcome.jvm, error_shown(outcome))))

    def event(self, event: Event, jvm: str = "", stays: str = "") -> str:
        if isinstance(event, Output):
            return event.text
        text = "".join(self.text_of(self._but_source(of_jvm(jvm, event_shown(event, self.settings)))))
        if stays and isinstance(event, Stopped) and event.thread is not None:
            way = f"'thread {event.thread.id}' selects the one that stopped"
            text += self.sentences(f"thread {escape(stays)} stays selected; {way}")
        return text + "".join(self.text_of(self.hints(event))) if isinstance(event, Stopped) else text

    def displays(self, displayed: Displayed, jvm: str = "") -> str:
        if self.settings.on_screen:
            return ""
        return "".join(self.text_of(of_jvm(jvm, shown(displayed, self.settings))))

    def source(self, window: SourceWindow, jvm: str = "") -> str:
        return "".join(self.text_of(self._but_source(of_jvm(jvm, iter([CodePieces(window)])))))

    def listening(self, address: str) -> str:
        agent = f"-agentlib:jdwp=transport=dt_socket,server=n,suspend=y,address={address}"
        return f"listening on {address}; start the JVM with {agent}\n"

    def hints(self, stop: Stopped) -> Shown:
        """Yield what a newcomer may need at this stop, each hint once."""
        if stop.location is None:
            wanted = [_BEFORE_START] if not self.settings.hints_given else []
        else:
            wanted = [_FIRST_STEPS]
            if stop.source is None and stop.location.source is not None and stop.location.line is not None:
                wanted.insert(0, _NO_SOURCE.format(source=stop.location.source))
        new = [hint for hint in wanted if hint not in self.settings.hints_given]
        self.settings.hints_given.update(new)
        if self.settings["hints"]:
            yield from (Sentence(faint(hint)) for hint in new)


def of_jvm(jvm: str, shown: Shown) -> Shown:
    """Put ``[NAME]`` before the first line that is shown, where several JVMs are debugged."""
    begun = not jvm
    for each in shown:
        if begun or not isinstance(each, str | Pieces | Sentence | CutPieces):
            yield each
        else:
            yield behind(piece(f"[{jvm}] ", "type"), each)
        begun = True


def error_shown(outcome: Outcome) -> Shown:
    """Yield an error: one sentence, the expression with a caret, where it was thrown, the hint."""
    error = outcome.error
    if error is None:
        return
    yield Sentence(piece("error:", "error") + f" {error.message}")
    if isinstance(error, EvalError) and error.column is not None:
        yield from _caret(outcome, error.column)
    if isinstance(error, Thrown):
        yield from (faint(f"    at {frame}") for frame in error.stack[:STACK_LINES])
        if len(error.stack) > STACK_LINES:
            yield faint(f"    ... {len(error.stack) - STACK_LINES} more")
    if error.hint:
        yield Sentence(faint(f"  hint: {error.hint}"), "    ")


def _caret(outcome: Outcome, column: int) -> Iterator[Line]:
    """Yield the expression with a caret under the column: the error's, or that of a command which takes nothing
    else."""
    expression = getattr(outcome.error, "expression", "")
    if not expression:
        command = outcome.command
        found = TABLE.find(outcome.line)
        if command is None or found is None or not command.signature.positional:
            return
        if not isinstance(command.signature.positional[0].argument, ExpressionArgument):
            return
        expression = command.signature.text_of(0, outcome.line[found.rest :])
    if column <= len(expression):
        yield f"  {expression}"
        yield f"  {' ' * len(plain_text(expression[:column]))}" + piece("^", "error")

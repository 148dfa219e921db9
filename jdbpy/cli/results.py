"""Results of several commands, and how they are shown: done, resumed, a frame, displayed values.

What one command returns is declared in its own module, below ``commands``.
"""

from __future__ import annotations

from typing import Annotated

from jdbpy import Exited, FrameInfo, LineEntry, Panicked, SourceWindow, Stopped, ValueInfo, Variable
from jdbpy.cli.output.pieces import (
    CodePieces,
    CutPieces,
    Pieces,
    RowPieces,
    Sentence,
    Shown,
    name,
    nearest,
    number,
    piece,
    remark,
)
from jdbpy.cli.output.places import frame_line
from jdbpy.cli.output.shows import shows
from jdbpy.cli.output.values import changed_mark, value_line
from jdbpy.cli.settings import Settings
from jdbpy.json_form import HIDDEN, Inline, Json
from jdbpy.record import Record


class Done(Record):
    """The plain success of a command; ``message`` says what was done, ``hint`` what may come next."""

    message: str
    hint: str = ""


class Resumed(Record):
    """The target was resumed. A batch fills in how that ended: ``stop`` or ``exited``."""

    note: str = ""  # what was set up on the way
    stop: Annotated[Stopped | None, "the stop that came"] = None
    exited: Annotated[Exited | None, "the target ended"] = None

    @property
    def resumes(self) -> bool:
        """True if a target was resumed."""
        return True


class Restarting(Resumed):
    """The front end is to leave its session and start the program again; the next session shows how that went."""


class Paused(Record):
    """A command stopped a thread by itself (``pause``); the stop is shown as every other."""

    json_name = "stopped"

    stop: Stopped


class FrameSelected(Record):
    """A frame was selected; ``source`` is what stands there."""

    frame: FrameInfo
    source: Annotated[SourceWindow | None, Json(optional=True)]


class Assigned(Record):
    """A new value."""

    target: str
    value: Annotated[ValueInfo, Inline((("changed", HIDDEN), ("number", HIDDEN)))]


class Displayed(Record):
    """Values that a stop shows: those of `display`, and variables."""

    json_name = "display"

    items: tuple[DisplayedItem, ...]
    variables: Annotated[tuple[StopVariable, ...], Json("as the setting `stop-shows` wants it", optional=True)] = ()


class StopVariable(Record):
    """A variable that a stop shows."""

    json_name = "stop-variable"

    variable: Annotated[Variable, Inline()]
    before: Annotated[str, "what it showed at the stop before in this frame; empty for a new one"] = ""


class DisplayedItem(Record):
    """One of them."""

    json_name = "display-item"

    number: int
    expression: str
    value: Annotated[ValueInfo | None, Inline((("number", HIDDEN),))]
    error: Annotated[str, "why it could not be evaluated"] = ""


class Actions(Record):
    """Commands that are run when a point is hit; ``expected``: they are to be typed now."""

    number: Annotated[int, "of the breakpoint"]
    commands: tuple[str, ...]
    expected: Annotated[bool, "the next lines, up to `end`, take their place"] = False


class Lines(Record):
    """Lines with code."""

    class_name: Annotated[str, Json(key="class")]
    lines: tuple[LineEntry, ...]


class Listening(Record):
    """jdbpy waits for a JVM to connect to ``address``."""

    address: str


@shows(Done)
def done(result: Done, settings: Settings) -> Shown:
    yield result.message
    if result.hint and settings["hints"]:
        yield remark(result.hint)


@shows(Resumed)
def resumed(result: Resumed, settings: Settings) -> Shown:
    if result.note:
        yield result.note


@shows(Paused)
def stopped(result: Paused, settings: Settings) -> Shown:
    """Nothing: the stop is shown as an event."""
    yield from ()


@shows(FrameSelected)
def frame_selected(result: FrameSelected, settings: Settings) -> Shown:
    yield CutPieces("  " + frame_line(result.frame, settings))
    if result.source is not None and settings.stop_lines:
        yield CodePieces(nearest(result.source, settings.stop_lines))


@shows(Assigned)
def assigned(result: Assigned, settings: Settings) -> Shown:
    yield name(result.target) + " = " + value_line(result.value)


@shows(Displayed)
def displayed(result: Displayed, settings: Settings) -> Shown:
    for each in result.variables:
        yield CutPieces("  " + _stop_variable(each))
    for item in result.items:
        shown = value_line(item.value, item.error) + changed_mark(item.value)
        yield number(item.number) + ": " + name(item.expression) + " = " + shown
    if not result.items and not result.variables:
        yield Sentence("nothing is shown at stops; 'display EXPRESSION' adds something")


def _stop_variable(shown: StopVariable) -> Pieces:
    """``sum = 220  (was 0)``."""
    variable = shown.variable
    now = value_line(variable.value, variable.error)
    was = piece(f"  (was {shown.before})", "changed") if shown.before not in ("", now.text) else Pieces()
    return name(variable.name) + " = " + now + was


@shows(Actions)
def actions(result: Actions, settings: Settings) -> Shown:
    if result.expected:
        yield Sentence(f"commands for hits of {result.number}, one a line; 'end' ends them")
        return
    if not result.commands:
        yield Sentence(f"a hit of {result.number} runs no commands")
        return
    yield f"a hit of {result.number} runs"
    yield from (f"  {line}" for line in result.commands)


@shows(Lines)
def lines(result: Lines, settings: Settings) -> Shown:
    yield RowPieces(
        (
            f"{one.source}:{one.line}" if one.source else str(one.line),
            f"{one.method}({', '.join(one.parameters)})",
            f"code {one.code_index}",
        )
        for one in result.lines
    )


@shows(Panicked)
def panicked(result: Panicked, settings: Settings) -> Shown:
    who = {"all": "all threads", "1": "1 thread"}.get(result.resumed, f"{result.resumed} threads")
    yield Sentence(f"resumed: {who}" if result.resumed != "none" else "nothing was suspended")
    if result.disabled:
        numbers = " ".join(map(str, result.disabled))
        yield Sentence(f"disabled: {numbers}, nothing of them is in the target; 'enable {numbers}' sets them again")
    else:
        yield Sentence("no breakpoints were enabled")

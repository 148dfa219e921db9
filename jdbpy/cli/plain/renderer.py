"""The plain renderer: what a person reads in a log, a pipe, or a terminal without colors.

Owns the choice of the text for each type of result; the texts are made in the ``plain_*`` modules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from typing import Any

from jdbpy import ClassDetail, EvalError, Event, Output, Panicked, Stop, Thrown
from jdbpy.cli import results
from jdbpy.cli.plain import answers as plain_answers, help as plain_help, stacks as plain_stacks
from jdbpy.cli.plain.events import event_lines
from jdbpy.cli.plain.text import prose
from jdbpy.cli.renderer import Outcome
from jdbpy.cli.settings import Settings
from jdbpy.cli.table import TABLE
from jdbpy.escape import escape

Lines = dict[type, Callable[[Any, Settings], Iterator[str]]]

_LINES: Lines = {
    ClassDetail: plain_answers.class_detail,
    Panicked: plain_answers.panicked,
    results.Actions: plain_answers.actions,
    results.Assigned: plain_answers.assigned,
    results.BreakpointSet: plain_answers.breakpoint_set,
    results.Breakpoints: plain_answers.breakpoints,
    results.BreakpointsChanged: plain_answers.breakpoints_changed,
    results.Classes: plain_answers.classes,
    results.Displayed: plain_answers.displayed,
    results.Done: plain_answers.done,
    results.Excludes: plain_answers.excludes,
    results.Fields: plain_answers.fields,
    results.FrameSelected: plain_stacks.frame_selected,
    results.HelpIndex: plain_help.help_index,
    results.HelpPage: plain_help.help_page,
    results.HelpTopic: plain_help.help_topic,
    results.Left: plain_answers.left,
    results.Lines: plain_answers.lines,
    results.Listing: plain_answers.listing,
    results.Methods: plain_answers.methods,
    results.Monitors: plain_answers.monitors,
    results.Printed: plain_answers.printed,
    results.Resumed: plain_answers.resumed,
    results.Saved: plain_answers.saved,
    results.ScriptRead: plain_answers.script_read,
    results.SettingValues: plain_answers.setting_values,
    results.ShellRun: plain_answers.shell_run,
    results.SourceFiles: plain_answers.source_files,
    results.SourcePath: plain_answers.source_path,
    results.Stack: plain_stacks.stack,
    results.Stacks: plain_stacks.stacks,
    results.Stopped: plain_answers.stopped,
    results.ThreadGroups: plain_stacks.thread_groups,
    results.ThreadSelected: plain_stacks.thread_selected,
    results.Threads: plain_stacks.threads,
    results.TypeOf: plain_answers.type_of,
    results.Variables: plain_stacks.variables,
    results.Version: plain_answers.version,
}


@cache
def all_lines() -> Lines:
    """What writes each type of result, the special subjects included: those are loaded when one is to be shown."""
    from jdbpy.cli.plain import code, heap, threads, tracing, values, vm

    return {**_LINES, **code.LINES, **heap.LINES, **threads.LINES, **tracing.LINES, **values.LINES, **vm.LINES}


def lines_of(result: Any, settings: Settings) -> Iterator[str]:
    """The lines of a result."""
    kind = type(result)
    return (_LINES.get(kind) or all_lines()[kind])(result, settings)


def some_at_a_time(lines: Iterator[str]) -> Iterator[list[str]]:
    """The lines by the hundred: as many as are made and handed on in one piece."""
    while some := list(islice(lines, 100)):
        yield some


STACK_LINES = 10
"""Frames that are shown of an exception that left an expression."""

_FIRST_STEPS = "Hint: 'where' shows the stack, 'locals' the variables, 'next' steps, 'cont' goes on, 'help' lists all"
_BEFORE_START = "Hint: nothing has run yet; 'stop in CLASS.METHOD' sets a breakpoint, 'run' starts the program"
_NO_SOURCE = "Hint: {source} was not found; 'use DIRECTORY' says where the sources are"


class PlainRenderer:
    """Implements ``Renderer``; remembers which hints it has given."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._given: set[str] = set()

    def parts(self, outcome: Outcome) -> Iterator[str]:
        """The result in pieces, each of whole lines: long ones need not be made before the first is shown."""
        if outcome.result is not None:
            for some in some_at_a_time(lines_of(outcome.result, self.settings)):
                yield "\n".join([*some, ""])

    def result(self, outcome: Outcome) -> str:
        return "".join(self.parts(outcome))

    def error(self, outcome: Outcome) -> str:
        error = outcome.error
        if error is None:
            return ""
        lines = prose(f"error: {escape(error.message)}")
        if isinstance(error, EvalError) and error.column is not None:
            lines += caret_lines(outcome, error.column)
        if isinstance(error, Thrown):
            lines += thrown_lines(error)
        if error.hint:
            lines += prose(f"  hint: {escape(error.hint)}", "    ")
        return "".join(f"{line}\n" for line in lines)

    def event(self, event: Event) -> str:
        if isinstance(event, Output):
            return event.text
        lines = [*event_lines(event)]
        if isinstance(event, Stop):
            lines += self.hints(event)
        return "".join(f"{line}\n" for line in lines)

    def displays(self, displayed: results.Displayed) -> str:
        return "".join(f"{line}\n" for line in plain_answers.displayed(displayed, self.settings))

    def listening(self, address: str) -> str:
        agent = f"-agentlib:jdwp=transport=dt_socket,server=n,suspend=y,address={address}"
        return f"listening on {address}; start the JVM with {agent}\n"

    def hints(self, stop: Stop) -> list[str]:
        """What a newcomer may need at this stop, each hint once."""
        if stop.location is None:
            wanted = [_BEFORE_START] if not self._given else []
        else:
            wanted = [_FIRST_STEPS]
            if stop.source is None and stop.location.source is not None and stop.location.line is not None:
                wanted.insert(0, _NO_SOURCE.format(source=escape(stop.location.source)))
        new = [hint for hint in wanted if hint not in self._given]
        self._given.update(new)
        return [line for hint in new for line in prose(hint)] if self.settings["hints"] else []


def thrown_lines(error: Thrown) -> list[str]:
    """Where a called method has thrown, as Java prints it."""
    lines = [f"    at {escape(frame)}" for frame in error.stack[:STACK_LINES]]
    more = len(error.stack) - len(lines)
    return [*lines, f"    ... {more} more"] if more else lines


def caret_lines(outcome: Outcome, column: int) -> list[str]:
    """The expression with a caret under the column: the error's, or that of a command which takes nothing else."""
    from jdbpy.cli.arguments.code import Expression

    expression = getattr(outcome.error, "expression", "")
    if not expression:
        command = outcome.command
        found = TABLE.find(outcome.line)
        if command is None or found is None or not command.signature.positional:
            return []
        if not isinstance(command.signature.positional[0].argument, Expression):
            return []
        expression = command.signature.text_of(0, outcome.line[found.rest :])
    if column > len(expression):
        return []
    return [f"  {escape(expression)}", f"  {' ' * len(escape(expression[:column]))}^"]

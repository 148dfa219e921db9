"""The grammar around commands: comments, repetition, `!!`, unknown words, settling."""

from __future__ import annotations

from typing import Annotated, Any, cast

import pytest

from jdbpy import Session
from jdbpy.cli.arguments.base import TextArgument
from jdbpy.cli.commands import TABLE as REAL
from jdbpy.cli.commands.help import HelpPage
from jdbpy.cli.commands.leaving import Left
from jdbpy.cli.context import Context, Listed
from jdbpy.cli.interpreter import Interpreter
from jdbpy.cli.output.renderer import Outcome
from jdbpy.cli.results import Done, Resumed
from jdbpy.cli.table import CliCommand, CommandTable
from jdbpy.errors import StateError
from jdbpy.record import Record


class Script:
    """An interpreter over four commands, and what it reported."""

    def __init__(self) -> None:
        self.outcomes: list[Outcome] = []
        self.settled: list[str] = []
        self.context = Context(cast(Session, None))
        table = CommandTable()
        for function, names, resumes in (
            (self._say, ("say", "s"), False),
            (self._fail, ("fail",), False),
            (self._go, ("go",), True),
            (self._leave, ("leave",), False),
        ):
            table.add(CliCommand(cast(Any, function), names, "session", resumes=resumes, repeats=""))
        self.interpreter = Interpreter(table, self.context, self.outcomes.append, self._settle)

    async def run(self, line: str) -> bool:
        return await self.interpreter.run(line)

    @property
    def lines(self) -> list[str]:
        return [outcome.line for outcome in self.outcomes]

    async def _settle(self, command: CliCommand, result: Record) -> Record:
        self.settled.append(command.name)
        return result.replace(note="settled")

    @staticmethod
    async def _say(ctx: Context, text: Annotated[str, TextArgument("TEXT")]) -> Done:
        return Done(text)

    @staticmethod
    async def _fail(ctx: Context) -> Done:
        raise StateError("not now")

    @staticmethod
    async def _go(ctx: Context) -> Resumed:
        return Resumed()

    @staticmethod
    async def _leave(ctx: Context) -> Left:
        ctx.leaving = True
        return Left("detached", "")


async def test_a_line_is_reported_as_typed_without_its_blanks() -> None:
    script = Script()
    assert await script.run("  say  hello ")
    assert script.outcomes[0].line == "say  hello"
    assert script.outcomes[0].result == Done("hello")


@pytest.mark.parametrize("line", ["", "   ", "# say x", "#"])
async def test_comments_and_empty_lines_do_nothing(line: str) -> None:
    script = Script()
    assert await script.run(line)
    assert script.outcomes == []


async def test_a_count_runs_a_command_so_many_times() -> None:
    script = Script()
    assert await script.run("3 say x")
    assert script.lines == ["say x", "say x", "say x"]


async def test_a_count_ends_at_the_first_failure() -> None:
    script = Script()
    assert not await script.run("3 fail")
    assert script.lines == ["fail"]


async def test_a_count_ends_when_a_command_leaves() -> None:
    script = Script()
    assert await script.run("3 leave")
    assert script.lines == ["leave"]


async def test_bang_bang_runs_the_last_line_again() -> None:
    script = Script()
    await script.run("say x")
    await script.run("# between")
    assert await script.run("!!")
    assert await script.run("!! y")
    assert script.lines == ["say x", "say x", "say x y"]


async def test_bang_bang_needs_a_line() -> None:
    script = Script()
    assert not await script.run("!!")
    assert getattr(script.outcomes[0].error, "message", "") == "no last command"


async def test_an_error_is_reported_and_the_usage_is_its_hint() -> None:
    script = Script()
    assert not await script.run("say")
    error = script.outcomes[0].error
    assert error is not None
    assert (error.code, error.message, error.hint) == ("USAGE", "TEXT is missing", "usage: say TEXT")


async def test_a_resuming_command_is_settled() -> None:
    script = Script()
    script.context.listed = Listed("A", None, 1, 2)
    await script.run("go")
    await script.run("say x")
    assert script.settled == ["go"]
    assert script.outcomes[0].result == Resumed(note="settled")
    assert script.context.listed is None


async def test_an_unknown_word_is_never_run() -> None:
    script = Script()
    assert not await script.run("sya hello")
    error = script.outcomes[0].error
    assert error is not None
    assert (error.code, error.message, error.hint) == (
        "UNKNOWN_COMMAND",
        "unknown command 'sya'",
        "did you mean 'say'?",
    )


@pytest.mark.parametrize("word", ["d", "t", "j", "D"])
async def test_words_that_mean_different_things_to_different_people_are_not_bound(word: str) -> None:
    outcomes: list[Outcome] = []
    interpreter = Interpreter(REAL, Context(cast(Session, None)), outcomes.append)
    assert not await interpreter.run(f"{word} 1")
    error = outcomes[0].error
    assert error is not None
    assert error.code == "UNKNOWN_COMMAND"
    assert "'" in error.hint


@pytest.mark.parametrize(
    ("line", "hint"),
    [
        ("total = 3", "'set total = 3' gives it a new value"),
        ("x = 3", "'set x = 3' gives it a new value"),
        ("n=3", "'set n=3' gives it a new value"),
        ("order.total()", "'print order.total()' shows a value"),
        ("a[3]", "'print a[3]' shows a value"),
        ("(1 + 2)", "'print (1 + 2)' shows a value"),
        ("jump 7", "'help jump' says more"),
        ("brek at A:1", "did you mean 'break'?"),
        ("brek Order.total", "did you mean 'break'?"),
        ("back", "it is for recorded calls: 'recorded 1' opens the first, 'help recorded back' says more"),
        ("last total", "it is for recorded calls: 'recorded 1' opens the first, 'help recorded last' says more"),
        ("order", "'help' lists the commands, 'print order' shows a variable"),
        ("package order", "'help' lists the commands"),
        ("customer 1", "'help' lists the commands"),
    ],
)
async def test_an_unknown_word_has_a_hint_at_what_was_meant(line: str, hint: str) -> None:
    outcomes: list[Outcome] = []
    assert not await Interpreter(REAL, Context(cast(Session, None)), outcomes.append).run(line)
    assert outcomes[0].error is not None
    assert outcomes[0].error.hint == hint


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("thread fnd x", "thread find"),
        ("calls tre Ledger.total", "calls tree"),
        ("info brekpoints", "info breakpoints"),
        ("catch laod java.lang.*", "catch load"),
        ("session", ""),
    ],
)
async def test_a_second_word_is_guessed(line: str, meant: str) -> None:
    outcomes: list[Outcome] = []
    assert not await Interpreter(REAL, Context(cast(Session, None)), outcomes.append).run(line)
    assert outcomes[0].error is not None
    assert outcomes[0].error.hint == (f"did you mean '{meant}'?" if meant else "usage: jvm JVM [COMMAND]")


@pytest.mark.parametrize(
    ("line", "name"),
    [("break --help", "break"), ("thread apply --help", "thread apply"), ("catch load --help", "catch")],
)
async def test_a_command_has_help_of_its_own(line: str, name: str) -> None:
    outcomes: list[Outcome] = []
    assert await Interpreter(REAL, Context(cast(Session, None)), outcomes.append).run(line)
    assert isinstance(outcomes[0].result, HelpPage)
    assert outcomes[0].result.entry.name == name

"""The command table: names, aliases, what is bound to one letter, and what is suggested for an unknown word."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

from jdbpy.cli import commands
from jdbpy.cli.commands import TABLE
from jdbpy.cli.results import Done
from jdbpy.cli.table import CliCommand, CommandTable
from jdbpy.cli.topics import GROUPS


def named(line: str) -> str | None:
    found = TABLE.find(line)
    return found.command.name if found else None


@pytest.mark.parametrize(
    ("line", "name"),
    [
        # jdb's
        *[(word, word) for word in ("run", "cont", "stop", "clear", "step", "stepi", "next", "where", "wherei")],
        *[(word, word) for word in ("up", "down", "threads", "thread", "threadgroups", "suspend", "resume")],
        *[(word, word) for word in ("print", "dump", "set", "locals", "pop", "reenter", "list", "use", "classes")],
        *[(word, word) for word in ("class", "methods", "fields", "lines", "exclude", "version", "read", "help")],
        *[(word, word) for word in ("interrupt", "kill")],
        ("eval", "print"), ("exit", "quit"), ("?", "help"), ("sourcepath", "use"), ("step up", "step up"),
        ("where all", "where all"), ("wherei all", "wherei all"), ("repeat on", "repeat"),
        # gdb's
        ("break", "break"), ("b Order:3", "break"), ("tbreak x", "tbreak"), ("tb x", "tbreak"), ("delete 1", "delete"),
        ("info breakpoints", "breakpoints"), ("info b", "breakpoints"), ("info locals", "locals"),
        ("i locals", "locals"), ("i", "info"),
        ("info args", "args"), ("info threads", "threads"), ("info frame", "frame"), ("info stack", "where"),
        ("bt", "where"), ("bt full", "bt full"), ("backtrace", "where"), ("thread apply all bt", "where all"),
        ("c", "cont"), ("continue", "cont"), ("n", "next"), ("s", "step"), ("si", "stepi"), ("ni", "nexti"),
        ("finish", "step up"), ("fin", "step up"), ("until 3", "until"), ("advance 3", "advance"), ("f 2", "frame"),
        ("p a+b", "print"), ("call a.b()", "print"), ("ptype x", "ptype"), ("whatis x", "whatis"), ("l", "list"),
        ("display x", "display"), ("undisplay 1", "undisplay"), ("directory", "use"), ("source f", "source"),
        ("show", "show"), ("return", "return"), ("skip a.*", "exclude"), ("save breakpoints f", "save breakpoints"),
        ("apropos x", "apropos"), ("enable", "enable"), ("disable", "disable"), ("tbreak x", "tbreak"),
        # delve's, pdb's, lldb's
        ("so", "step up"), ("out", "step up"), ("stack", "where"), ("args", "args"), ("config", "config"),
        ("toggle", "toggle"), ("bl", "breakpoints"), ("w", "where"), ("ll", "longlist"), ("pp x", "dump"),
        ("po x", "po"),
        ("bt all", "where all"),
        ("u", "up"), ("q", "quit"), ("h", "help"), ("restart-frame", "reenter"), ("force-return 1", "return"),
        # with a format
        ("print/x n", "print"), ("P/t n", "print"), ("display/x n", "display"), ("print/", "print"),
        ("x/16 a", "x"), ("x a", "x"), ("save a b", "save"), ("save breakpoints", "save breakpoints"),
        ("show values", "values"),
        # letters of any case, and blanks
        ("STOP in A.b", "stop"), ("  Step   UP  ", "step up"), ("Where\tAll", "where all"),
    ],
)  # fmt: skip
def test_words_mean_what_their_users_expect(line: str, name: str) -> None:
    assert named(line) == name


def test_the_longest_name_wins_and_the_rest_are_arguments() -> None:
    found = TABLE.find("step up 3")
    assert found is not None
    assert (found.command.name, "step up 3"[found.rest :]) == ("step up", " 3")
    found = TABLE.find("step upper")
    assert found is not None
    assert (found.command.name, "step upper"[found.rest :]) == ("step", " upper")


@pytest.mark.parametrize("word", ["d", "t", "j", "st", "con", "frobnicate", "x+1", "1", "stop!", "/help", ""])
def test_other_words_are_unknown(word: str) -> None:
    assert named(word) is None


def test_only_these_letters_are_bound() -> None:
    assert {name for name in TABLE.by_name if len(name) == 1} == set("bcnsplwufhqixr?")


@pytest.mark.parametrize(
    ("word", "suggestion"),
    [("wher", "where"), ("stpo", "stop"), ("contniue", "cont"), ("brek", "break"), ("locls", "locals"), ("st", "stop")],
)
def test_near_words_are_suggested(word: str, suggestion: str) -> None:
    assert suggestion in TABLE.suggestions(word)


def test_nothing_is_suggested_for_a_word_like_none() -> None:
    assert TABLE.suggestions("xyzzy123") == []


@pytest.mark.parametrize("command", list(TABLE), ids=lambda command: command.name)
def test_every_command_is_documented(command: CliCommand) -> None:
    assert command.group in GROUPS
    assert command.summary.endswith((".", ")"))
    assert len(command.summary) <= 120
    for parameter in command.signature.positional:
        assert parameter.argument.metavar
    for option in command.signature.options.values():
        assert option.help


def test_jdb_s_nine_safe_commands_repeat_on_an_empty_line() -> None:
    again = {"up", "down", "step", "step up", "stepi", "next", "nexti", "cont", "pop", "reenter"}
    again |= {"recorded next", "recorded back"}
    assert {command.name for command in TABLE if command.repeats == "again"} == again
    assert TABLE.by_name["list"].repeats == "list +"


def test_resuming_commands() -> None:
    assert {command.name for command in TABLE if command.resumes} == {
        "run", "restart", "start", "cont", "until", "advance", "step", "step up", "next", "stepi", "nexti", "reenter",
    }  # fmt: skip


def test_every_module_of_commands_has_the_names_that_the_package_says() -> None:
    modules = {f"{commands.__name__}.{module.name}" for module in pkgutil.iter_modules(commands.__path__)}
    modules.discard(f"{commands.__name__}.names")
    for module in modules:
        importlib.import_module(module)  # a name that the package does not know is an error
    assert {command.function.__module__ for command in TABLE} == modules
    assert [(name, name in (found.name, *found.aliases)) for name, found in TABLE.by_name.items()] == [
        (name, True) for name in TABLE.names
    ]


def test_a_name_that_its_package_does_not_know_is_refused() -> None:
    async def function() -> Done:
        return Done("")

    table = CommandTable()
    table.hold("tests.cli", {"test_table": ("a", "b")})
    table.add(CliCommand(function, ("a",), "session", resumes=False, repeats=""))
    with pytest.raises(ValueError, match="'c' is missing from the names"):
        table.add(CliCommand(function, ("b", "c"), "session", resumes=False, repeats=""))


def test_a_name_cannot_be_taken_twice() -> None:
    async def function() -> Done:
        return Done("")

    table = CommandTable()
    table.add(CliCommand(function, ("a", "b"), "session", resumes=False, repeats=""))
    with pytest.raises(ValueError, match="two commands are called 'b'"):
        table.add(CliCommand(function, ("c", "b"), "session", resumes=False, repeats=""))


@pytest.mark.parametrize(
    ("line", "wanted"),
    [("step u", ["step up"]), ("step ", ["step up", "step in", "step into", "step out", "step over"]), ("zz", [])],
)
def test_continuations(line: str, wanted: list[str]) -> None:
    assert sorted(TABLE.continuations(line)) == sorted(wanted)

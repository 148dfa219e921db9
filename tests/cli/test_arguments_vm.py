"""Arguments that name properties, flags, modules, states of threads: what they take, what they complete."""

from __future__ import annotations

import re

import pytest

from jdbpy.cli.arguments.vm import NameAndValue, SettingArgument
from jdbpy.cli.commands import TABLE
from jdbpy.cli.names import Names
from jdbpy.cli.repl.completion import complete_line
from jdbpy.errors import UsageError
from jdbpy.session.inspect.vm import MEANINGS

NAMES = Names(
    commands=tuple(TABLE.by_name),
    classes=("com.acme.Order",),
    threads=((1, "main"), (17, "pool-1-thread-1")),
    thread_groups=("crowd", "main"),
    properties=("java.home", "java.version", "user.dir"),
    flags=("HeapDumpPath", "UseG1GC"),
    modules=("java.base", "java.logging"),
)


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("threads -s bl", ["blocked"]),
        ("threads -n po", ["pool-1-thread-1"]),
        ("threads cr", ["crowd"]),
        ("where all -g ma", ["main"]),
        ("thread info ma", ["main"]),
        ("properties java.", ["java.home", "java.version"]),
        ("property user", ["user.dir"]),
        ("property user.dir = us", []),
        ("flags Heap", ["HeapDumpPath"]),
        ("flag use", ["UseG1GC"]),
        ("modules java.l", ["java.logging"]),
        ("module java.b", ["java.base"]),
        ("module com", ["com.acme.Order"]),
        ("module reads java.base java.l", ["java.logging"]),
    ],
)
def test_completion(line: str, offered: list[str]) -> None:
    assert [candidate.text for candidate in complete_line(TABLE, line, NAMES)] == offered


@pytest.mark.parametrize(
    ("text", "setting"),
    [
        ("a.b", SettingArgument("a.b", None)),
        ("a.b=c", SettingArgument("a.b", "c")),
        ("a.b = c = d e ", SettingArgument("a.b", "c = d e")),
        ("a.b=", SettingArgument("a.b", "")),
    ],
)
def test_a_name_and_its_value(text: str, setting: SettingArgument) -> None:
    assert NameAndValue().parse(text) == setting


@pytest.mark.parametrize("text", ["= c", "a b", "a b = c"])
def test_what_is_no_name(text: str) -> None:
    with pytest.raises(UsageError, match="is not a name"):
        NameAndValue().parse(text)


def test_capabilities_name_commands_that_there_are() -> None:
    named = [line for meaning in MEANINGS.values() for line in re.findall(r"'([^']+)'", meaning)]
    assert len(named) > 15
    assert [line for line in named if TABLE.find(line) is None] == []

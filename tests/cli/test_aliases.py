"""Aliases: the user's names for the beginnings of commands."""

from __future__ import annotations

from tests.cli.process import jdbpy, launching, script
from tests.harness import Jvm, program

LEDGER = program("Ledger")


async def test_an_alias_stands_for_the_beginning_of_a_command(any_jvm: Jvm) -> None:
    lines = ("alias Say = echo one", "say two", "2 say three", "alias say =", "say four", "alias")
    done = await jdbpy(*launching(LEDGER, "--json", "--keep-going", *script(*lines)), jvm=any_jvm)
    assert [each["command"] for each in done.results] == [
        *(
            "alias Say = echo one",
            "echo one two",
            "echo one three",
            "echo one three",
            "alias say =",
            "say four",
            "alias",
        ),
    ]
    assert [each["ok"] for each in done.results] == [True] * 5 + [False, True]
    assert done.results[-1]["data"]["aliases"] == []

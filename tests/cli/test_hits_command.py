"""``info hits``: what was decided about hits, for people and as JSON; and the log of decisions."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any

import pytest

from jdbpy.cli.arguments.hits import HitsArgument, HitsRequest
from jdbpy.cli.names import Names
from jdbpy.errors import UsageError
from tests.cli.process import jdbpy, launching, script
from tests.harness import Jvm, program

ROUNDS = program("Rounds")
LINES = (
    f"break {ROUNDS.at('number')} if number == 3",
    "info hits",
    "cont",
    "info hits",
    "hits 1 for 1",
    "info hits for 9",
    "info hits some",
)


async def test_it_says_why(jvm: Jvm) -> None:
    done = await jdbpy(*launching(ROUNDS, "--keep-going", *script(*LINES)), jvm=jvm)
    text = done.out
    assert "no hit has come in" in text
    assert "passed: the condition was false" in text
    assert "breakpoint 1: 1 shown, 2 passed (the condition was false)" in text
    assert "no breakpoint 9" in text + done.err
    assert "'some' is not a number of hits" in text + done.err


async def test_the_json_form(jvm: Jvm) -> None:
    done = await jdbpy(*launching(ROUNDS, "--json", "--keep-going", *script(*LINES)), jvm=jvm)
    results: list[Any] = [each for each in map(json.loads, done.out.splitlines()) if each.get("type") == "result"]
    hits, one = [each["data"] for each in results if "hits" in each["command"] and each["ok"]][-2:]
    start, *others = hits["hits"]
    assert (start["reason"], start["breakpoints"], start["location"]) == ("shown", [], None)
    assert [each["reason"] for each in others] == ["condition-false", "condition-false", "shown"]
    assert [each["outcome"] for each in others] == ["passed", "passed", "shown"]
    assert one["hits"] == hits["hits"][-1:]
    assert one["breakpoints"] == hits["breakpoints"]
    assert hits["breakpoints"][0]["number"] == 1


@pytest.mark.parametrize("to_file", [True, False])
async def test_the_log(jvm: Jvm, tmp_path: Path, to_file: bool) -> None:
    file = tmp_path / "log"
    option = f"decisions={file}" if to_file else "decisions"
    done = await jdbpy(*launching(ROUNDS, "--log", option, *script(*LINES[:1], "cont")), jvm=jvm)
    text = file.read_text() if to_file else done.err
    assert text.count("breakpoint 1 passed: the condition was false") == 2
    assert text.count("breakpoint 1 shown") == 1
    if to_file:
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert "condition was false" not in done.err


def test_the_argument() -> None:
    argument = HitsArgument()
    assert argument.parse("50 for 3") == HitsRequest(50, 3)
    assert argument.parse("for breakpoint 3") == HitsRequest(20, 3)
    for wrong in ("0", "1001", "for", "3 3", "-1"):
        with pytest.raises(UsageError):
            argument.parse(wrong)
    names = Names(breakpoints=((3, "Order.pay"), (12, "Order.total")))
    assert [each.text for each in argument.complete("50 f", names)] == ["for"]
    assert [each.text for each in argument.complete("for 1", names)] == ["12"]

"""The places of a breakpoint, by command: listed, switched off and on, spelled, saved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import trio

from jdbpy.cli.arguments.location import LocationArgument
from jdbpy.cli.arguments.target import BreakpointNumbers, BreakpointPlaces, PlaceNumber
from jdbpy.cli.names import Names
from jdbpy.errors import UsageError
from tests.cli.process import jdbpy, launching, script
from tests.harness import Jvm, program

LAMBDAS = program("Lambdas")


def _enabled(data: dict[str, Any], index: int = 0) -> list[bool]:
    return [place["enabled"] for place in data["breakpoints"][index]["places"]]


async def test_places_by_command(jvm: Jvm, tmp_path: Path) -> None:
    two, saved = LAMBDAS.at("two"), tmp_path / "saved"
    lines = [
        f"tbreak {LAMBDAS.at('one-line')}",
        "run",
        f"break {two}",
        "disable 2.2 2.3",
        f"save breakpoints {saved}",
        "toggle 2.1-2",
        "breakpoints",
        "enable 2.1",
        "condition 2 n > 1",
        f"break {two}:lambda2",
        "delete 2.1",
        "disable 2.4",
        "cont",
    ]
    done = await jdbpy(*launching(LAMBDAS, "--json", "--keep-going", *script(*lines)), jvm=jvm)
    results = {each["command"]: each for each in done.results}
    set_point = results[f"break {two}"]["data"]["breakpoint"]
    assert [place["kind"] for place in set_point["places"]] == ["line", "lambda", "lambda"]
    disabled = results["disable 2.2 2.3"]["data"]
    assert (disabled["places"], _enabled(disabled)) == (["2.2", "2.3"], [True, False, False])
    assert (await trio.Path(saved).read_text()).splitlines()[1:] == [f"break all {two}:line"]
    assert _enabled(results["toggle 2.1-2"]["data"]) == [False, True, False]
    assert _enabled(results["enable 2.1"]["data"]) == [True, True, False]
    changed = results["condition 2 n > 1"]["data"]["breakpoints"][0]
    assert ["error" in place for place in changed["places"]] == [True, False, False]
    assert results[f"break {two}:lambda2"]["data"]["breakpoint"]["location"] == f"{two}:lambda2"
    assert "is a place of a breakpoint" in results["delete 2.1"]["error"]["message"]
    assert results["disable 2.4"]["error"]["code"] == "NO_PLACE"
    assert results["cont"]["data"]["stop"]["location"]["method"] == "lambda$main$3"


async def test_places_as_text(any_jvm: Jvm) -> None:
    two = LAMBDAS.at("two")
    lines = [f"tbreak {LAMBDAS.at('one-line')}", "run", f"break {two}", "disable 2.2", "breakpoints"]
    done = await jdbpy(*launching(LAMBDAS, *script(*lines)), jvm=any_jvm)
    line = LAMBDAS.line("two")
    assert f"Breakpoint 2 set: {two}, 3 places; a hit suspends all threads" in done.out
    assert f"  2.1  on  Lambdas.main (Lambdas.java:{line})           line\n" in done.out
    assert f"disabled: 2.2 at {two}" in done.out
    assert f"2.2  off  Lambdas.lambda$main$2 (Lambdas.java:{line})  lambda\n" in done.out


def test_numbers_of_places() -> None:
    places = BreakpointPlaces()
    assert places.parse("2") == (PlaceNumber(2),)
    assert places.parse("1.2-3") == (PlaceNumber(1, 2), PlaceNumber(1, 3))
    for wrong in ("1.", "1.0", "x.1", "1.3-2", ".1"):
        with pytest.raises(UsageError, match="is not a place of a breakpoint"):
            places.parse(wrong)
    with pytest.raises(UsageError, match="is a place of a breakpoint, not a breakpoint"):
        BreakpointNumbers().parse("1.2")


def test_completion() -> None:
    names = Names(breakpoints=((1, "Order:42"),), breakpoint_places=(("1.1", "line"), ("1.2", "lambda")))
    assert [each.text for each in BreakpointPlaces().complete("1", names)] == ["1", "1.1", "1.2"]
    assert [each.text for each in BreakpointPlaces().complete("1.2", names)] == ["1.2"]
    assert [each.text for each in LocationArgument().complete("Order:42:l", names)] == ["line", "lambda"]

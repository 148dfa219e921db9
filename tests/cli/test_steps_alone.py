"""``next -alone`` and ``set step-others hold``: the program's own counters say that no other thread has run."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cli.process import jdbpy, launching, script
from tests.harness import Jvm, program

PASSED = "print Crew.passed"


@pytest.mark.parametrize(
    "words", [("next -alone", "step -alone", "next --alone 2"), ("set step-others hold", "next", "step", "next 2")]
)
async def test_no_other_thread_runs_during_a_step_alone(jvm: Jvm, words: tuple[str, ...]) -> None:
    lines = ["stop in Crew.hit", "cont", "next -alone", PASSED, *words, PASSED]
    done = await jdbpy(*launching(program("Crew"), "--json", *script(*lines), arguments=["6"]), jvm=jvm)
    assert done.status == 0, f"{done.out[-2000:]}\n{done.err[-2000:]}"
    results: list[Any] = [each for each in map(json.loads, done.out.splitlines()) if each.get("type") == "result"]
    before, after = [each["data"] for each in results if each["command"] == PASSED]
    assert before["value"] == after["value"]
    stops = [each["data"]["stop"] for each in results if "stop" in each["data"]]
    assert {each["reason"] for each in stops[1:]} == {"step"}
    assert {each["thread"]["id"] for each in stops} == {stops[0]["thread"]["id"]}
    assert {each["suspended"] for each in stops} == {"all"}

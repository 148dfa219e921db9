"""Settings that are rules of the session: how methods are run for an expression."""

from __future__ import annotations

from tests.cli.process import jdbpy, launching, script
from tests.harness import Jvm, program

HOARD = program("Hoard")


async def test_a_lambda_for_the_target_is_compiled_when_that_is_allowed(any_jvm: Jvm) -> None:
    expression = "print Hoard.CACHE.keySet().removeIf(key -> key.length() > 5)"
    lines = [f"stop at {HOARD.at('look')}", "run", expression, "set javac on", expression]
    done = await jdbpy(*launching(HOARD, "--json", "--keep-going", *script(*lines)), jvm=any_jvm)
    refused, allowed = [found for found in done.results if found["command"] == expression]
    assert not refused["ok"]
    assert "set javac on" in refused["error"]["hint"]
    assert allowed["data"]["value"] == "false"


async def test_a_method_that_takes_too_long_gives_the_prompt_back(any_jvm: Jvm) -> None:
    lines = [
        f"stop at {HOARD.at('look')}",
        "run",
        "set run-limit 1",
        "set let-others-run on",
        "print Thread.sleep(60000)",
    ]
    done = await jdbpy(*launching(HOARD, "--json", "--keep-going", *script(*lines)), jvm=any_jvm)
    assert done.results[-1]["error"]["code"] == "STILL_RUNNING"
    assert "1 s" in done.results[-1]["error"]["message"]

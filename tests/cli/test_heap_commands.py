"""The heap's commands on every JVM: their JSON, checked against the declared shapes and for what it says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.process import jdbpy, launching, script
from tests.harness import Jvm, program

HOARD = program("Hoard")


def steps(directory: Path) -> list[tuple[str, Callable[[Any], object]]]:
    """Lines, and what the data of each result must satisfy; the program stands where its objects are in place."""
    return [
        ("instances -n 1 Hoard$Node", lambda d: d["total"] == 2 and len(d["instances"]) == 1),
        ("histogram Hoard$Node", lambda d: d["classes"] == [{"class": "Hoard$Node", "count": 2}]),
        ("histogram --bytes -n 1", lambda d: d["classes"][0]["bytes"] > 0 and d["bytes"] > d["classes"][0]["bytes"]),
        ("referrers chain.next", lambda d: d["referrers"][0]["how"] == [".next"]),
        ("path chain.next.held", lambda d: [step.get("how") for step in d["steps"]] == [".next", ".held", None]),
        ("size chain", lambda d: d["bytes"] % 8 == 0),
        ("size chain.next.held", lambda d: d["bytes"] is None and d["length"] == 2),
        ("disablegc chain", lambda d: "kept" in d["message"]),
        ("enablegc chain", lambda d: "may be collected" in d["message"]),
        ("gc", lambda d: "System.gc()" in d["message"]),
        ("memory", lambda d: {"heap", "non-heap", "pool", "collector"} == {area["kind"] for area in d["areas"]}),
        (f"heapdump {directory}/whole.hprof --all", lambda d: "whole.hprof" in d["message"]),
        (f"heapdump --fetch {directory}/fetched.hprof", lambda d: "fetched.hprof, " in d["message"]),
    ]


@pytest.mark.every_java
async def test_every_command_of_the_heap(jvm: Jvm, tmp_path: Path) -> None:
    expected = steps(tmp_path)
    lines = [f"stop at {HOARD.at('look')}", "run", *(line for line, _ in expected)]
    done = await jdbpy(*launching(HOARD.on(jvm), "--json", "--keep-going", *script(*lines)), jvm=jvm)
    wrong = [
        f"{line}: {found}"
        for (line, check), found in zip(expected, done.results[2:], strict=True)
        if not found["ok"] or not check(found["data"])
    ]
    assert not wrong, "\n".join(wrong)
    assert {event["kind"] for event in done.events("notice")} >= {"heap-walk", "progress"}
    assert (tmp_path / "whole.hprof").stat().st_size > 0


async def test_what_is_no_object_is_said(any_jvm: Jvm) -> None:
    lines = [f"stop at {HOARD.at('look')}", "run", "referrers 1 + 1", "size chain.held", "instances no.such.Class"]
    done = await jdbpy(*launching(HOARD, "--json", "--keep-going", *script(*lines)), jvm=any_jvm)
    refused = [found["error"] for found in done.results[2:]]
    assert ["not an object" in error["message"] for error in refused] == [True, True, False]
    assert refused[2]["message"] == "no class no.such.Class is loaded"
    assert all(error["hint"] for error in refused)

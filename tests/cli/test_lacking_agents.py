"""Agents that lack parts: whatever is missing, each command answers in one sentence, and the program runs on."""

from __future__ import annotations

import pytest

from jdbpy.session.inspect.vm import MEANINGS, NOT_IN_HOTSPOT
from tests.cli.process import Done, jdbpy, script
from tests.harness import Jvm, Target, program, start_target
from tests.harness.lacking import FLAGS, Lacks, android, by_twos, lacking, native_image, open_j9, some_at_random

LEDGER = program("Ledger")
LINES = (
    "break Ledger.total(int,String)",
    "cont",
    "vm",
    "capabilities",
    "where",
    "locals",
    "next",
    "step",
    "print factor",
    "print owner",
    "print this.toString()",
    "set factor = 7",
    "dump this",
    "ptype this",
    "threads",
    "thread main",
    "threadgroups",
    "where all",
    "threadlocks",
    "lock this",
    "deadlocks",
    "classes Ledger",
    "class Ledger",
    "methods Ledger",
    "fields Ledger",
    "disassemble Ledger.total",
    "constpool Ledger",
    "instances Ledger",
    "histogram Ledger",
    "referrers this",
    "path this",
    "size this",
    "watch Ledger.owner",
    "catch java.lang.RuntimeException",
    "trace go methods in Ledger",
    "trace monitors",
    'logpoint Ledger.total "x {factor}"',
    "break Ledger.total if factor > 1",
    "breakpoints",
    "info line",
    "extension Ledger",
    "stratum",
    "modules",
    "properties",
    "flags",
    "memory",
    "gc",
    "cputime",
    "suspend",
    "resume",
    "disablegc this",
    "enablegc this",
    "save me this",
    "interrupt main",
    "set in-target eager",
    "info woven",
    "reenter",
    "step up",
    "pop",
    f"redefine Ledger {LEDGER.classes}/Ledger.class",
    "delete all",
)


NEVER_STOPS = frozenset({"ReferenceType", "ThreadReference", "EventRequest"})
"""Without the commands of these no breakpoint is hit: `cont` waits for as long as it may."""


async def answers(target: Target, lacks: Lacks, *, timeout: float = 20) -> Done:
    """What the commands give; each must have answered in a sentence, by jdbpy's own will."""
    async with lacking(target.address, lacks) as address:
        words = ("--json", "--keep-going", "--sourcepath", LEDGER.sources, "--timeout", f"{timeout:g}")
        done = await jdbpy("attach", address, *words, *script(*LINES))
    assert "Traceback" not in done.err + done.out, done.err
    for each in done.results:
        if not each["ok"]:
            error = each["error"]
            assert error["code"] != "JDBPY_FAULT", each
            assert error["message"] and "\n" not in error["message"], each
    assert target.process.returncode is None, "the JVM has ended"
    return done


def data_of(done: Done, line: str) -> dict[str, object]:
    [found] = [each for each in done.results if each["command"] == line]
    assert found["ok"], found
    data: dict[str, object] = found["data"]
    return data


async def test_a_native_image(jvm: Jvm) -> None:
    async with start_target(jvm, LEDGER) as target:
        done = await answers(target, native_image())
        assert [each["command"] for each in done.results] == list(LINES)
        cannot = data_of(done, "vm")["cannot"]
        assert isinstance(cannot, list)
        assert {MEANINGS[flag] for flag in ("canPopFrames", "canRedefineClasses", "canWatchFieldAccess")} <= set(cannot)
        failed = {each["command"]: each["error"]["message"] for each in done.results if not each["ok"]}
        assert "step up" not in failed  # it knows no value that is returned, which is no reason not to step
        assert failed["pop"] == "this VM does not offer popping a frame"
        assert failed["watch Ledger.owner"] == "this JVM cannot watch fields"
        await target.wait_output("again")


async def test_what_cannot_go_into_the_target_says_why_and_how_it_would(jvm: Jvm) -> None:
    lines = ["break Ledger.total(int,String)", "cont", "clear 1"]
    lines += [
        "break Ledger.total(int,String) in-target if factor > 1000",
        "breakpoints",
        "info woven",
        "weave 2",
        "resume",
    ]
    lines += ["calls stats Ledger.total in-target for 0.1"]
    lacks = Lacks("no redefinition", frozenset(["canRedefineClasses"]))
    async with start_target(jvm, LEDGER) as target, lacking(target.address, lacks) as address:
        done = await jdbpy("attach", address, "--keep-going", "--timeout", "20", *script(*lines))
    assert done.out.count("ordinary: this VM cannot redefine classes") == 2, done.out
    assert done.err.count("error: this VM cannot redefine classes") == 2, done.err
    hint = (
        "by class redefinition over JDWP, no agent is loaded for them; tested is HotSpot of Java 8, 11, 17, 21 and 25"
    )
    assert done.err.count(hint) == 2, done.err


async def test_what_cannot_go_into_the_target_of_a_session_that_only_reads_says_so(jvm: Jvm) -> None:
    words = ("--keep-going", "--read-only", "--allow-suspend", "--timeout", "20")
    lines = ["break Ledger.total(int,String)", "cont", "clear 1", "set in-target eager"]
    lines += ["break Ledger.total(int,String) if factor > 1000", "breakpoints", "info woven", "weave 2", "resume"]
    lines += ["calls stats Ledger.total for 0.1"]
    async with start_target(jvm, LEDGER) as target:
        done = await jdbpy("attach", target.address, *words, *script(*lines))
    assert done.out.count("ordinary: the session is read-only") == 3, done.out
    assert "cannot redefine" not in done.out + done.err


async def test_open_j9(jvm: Jvm) -> None:
    """One thread whose frames cannot be told: the others are shown."""
    async with start_target(jvm, LEDGER) as target:
        done = await answers(target, open_j9(carrier=2))
        stacks = data_of(done, "where all")["stacks"]
        assert isinstance(stacks, list)
        [unknown] = [each for each in stacks if each["thread"]["id"] == 2]
        assert not unknown.get("frames")
        [main] = [each for each in stacks if each["thread"]["name"] == "main"]
        assert main["frames"][-1]["method"] == "main"
        assert "threads" in data_of(done, "threads")
        assert "cannot" not in data_of(done, "vm")
        await target.wait_output("again")


async def test_android(jvm: Jvm) -> None:
    """Packets of DDM come unasked and harm nothing."""
    async with start_target(jvm, LEDGER) as target:
        done = await answers(target, android())
        assert data_of(done, "cont")["stop"] and data_of(done, "step up")["stop"]
        await target.wait_output("again")


@pytest.mark.parametrize("lacks", by_twos(), ids=lambda lacks: lacks.name)
async def test_each_part(any_jvm: Jvm, lacks: Lacks) -> None:
    async with start_target(any_jvm, LEDGER) as target:
        done = await answers(target, lacks, timeout=10 if lacks.name in NEVER_STOPS else 60)
        if lacks.name == "VirtualMachine":
            [failed] = done.results
            assert (done.status, failed["ok"]) == (3, False)
            return
        assert [each["command"] for each in done.results] == list(LINES)
        cannot = data_of(done, "vm").get("cannot", [])
        assert cannot == [MEANINGS[flag] for flag in FLAGS if flag in lacks.flags and flag not in NOT_IN_HOTSPOT]


@pytest.mark.parametrize("seed", range(4))
async def test_random_parts(any_jvm: Jvm, seed: int) -> None:
    async with start_target(any_jvm, LEDGER) as target:
        done = await answers(target, some_at_random(seed), timeout=5)
        assert [each["command"] for each in done.results] == list(LINES)

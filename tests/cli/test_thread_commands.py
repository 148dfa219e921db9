"""Commands about threads and locks on every JVM: their JSON, checked against the shapes and for what it says."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.process import jdbpy, launching, script
from tests.harness import Jvm, program, start_target

LOCKS = program("Locks")
LINE = LOCKS.line


def names(threads: list[dict[str, Any]]) -> list[str]:
    return [each["name"] for each in threads]


def by_name(report: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {each["thread"]["name"]: each for each in report["threads"]}


def steps(directory: Path) -> list[tuple[str, Callable[[Any], object]]]:
    """Lines, and what the data of each result must satisfy; the program stands where all locks are taken."""
    return [
        ("threads -s blocked", lambda d: sorted(names(d["threads"])) == ["adam", "behind", "eve"]),
        ("threads -n a*", lambda d: sorted(names(d["threads"])) == ["abel", "adam"]),
        ("threads -g system -n final", lambda d: names(d["threads"]) == ["Finalizer"]),
        ("threads -v -n adam", lambda d: d["threads"][0]["daemon"] and d["threads"][0]["cpu"] > 0),
        ("cputime -s blocked", lambda d: all(each["java_id"] for each in d["threads"]) and len(d["threads"]) == 3),
        ("thread -q adam", lambda d: d["thread"]["name"] == "adam" and "frame" not in d),
        ("thread info", lambda d: d["groups"] == ["system", "main"] and d["thread"]["priority"] == 5 and d["frames"]),
        ("thread info cain", lambda d: "NonfairSync" in d["blocker"] and d["user"] >= 0 and d["allocated"] >= 0),
        ("thread name -t ringer the bell", lambda d: 'is called "the bell" now' in d["message"]),
        ("threads -n bell", lambda d: names(d["threads"]) == ["the bell"]),
        ("thread apply 1 print 6 * 7", lambda d: d["value"] == "42" if "value" in d else True),
        ("thread", lambda d: d["thread"]["name"] == "adam"),
        ("where all -n adam", lambda d: [each["thread"]["name"] for each in d["stacks"]] == ["adam"]),
        ("where all -s blocked --frames 1", lambda d: {len(each["frames"]) for each in d["stacks"]} == {1}),
        (
            "where all --fold -s waiting --frames 3",
            lambda d: ["castor", "pollux"] in [sorted(names(each["threads"])) for each in d["stacks"]],
        ),
        ("wherei all --fold -n adam", lambda d: len(d["stacks"]) == 1 and d["stacks"][0]["frames"]),
        ("threadlocks", lambda d: [each["awaits"]["owner"]["name"] for each in d["threads"]] == ["eve"]),
        ("threadlocks cain", lambda d: d["threads"][0]["awaits"]["how"] == "acquire"),
        ("threadlocks all", lambda d: by_name(d)["main"]["held"][0]["frame"]["line"] == LINE("ready")),
        ("lock Locks.left", lambda d: (d["owner"]["name"], {*names(d["entering"])}) == ("adam", {"eve", "behind"})),
        ("lock Locks.first", lambda d: d["owner"]["name"] == "cain" and d["entry_count"] == 2),
        ("deadlocks", lambda d: len(d["deadlocks"]) == 3 and names_behind(d["deadlocks"][0]) == ["behind"]),
        ("thread -q main", lambda d: d["thread"]["at_breakpoint"]),
        ("suspend", lambda d: d["message"] == "all threads suspended"),
        ("resume", lambda d: "all threads was taken back; they are still suspended" in d["message"]),
        ("suspend adam eve", lambda d: d["message"].endswith(" suspended")),
        ("resume adam eve", lambda d: d["message"].endswith("they are still suspended")),
        ("resume eve", lambda d: d["message"].endswith('"eve" resumed')),
        ("suspend eve", lambda d: d["message"].endswith('"eve" suspended')),
        ('kill adam new IllegalStateException("enough")', lambda d: "will be thrown" in d["message"]),
        ("deadlock", lambda d: len(d["deadlocks"]) == 3),
    ]


def names_behind(deadlock: dict[str, Any]) -> list[str]:
    return [each["thread"]["name"] for each in deadlock["behind"]]


@pytest.mark.every_java
async def test_every_command_about_threads(jvm: Jvm, tmp_path: Path) -> None:
    expected = steps(tmp_path)
    lines = [f"stop at {LOCKS.at('ready')}", "run", *(line for line, _ in expected)]
    done = await jdbpy(*launching(LOCKS.on(jvm), "--json", "--keep-going", *script(*lines)), jvm=jvm)
    asked = {line for line, _ in expected}
    found = [each for each in done.results[2:] if each["command"] in asked]
    assert [each["command"] for each in found] == [line for line, _ in expected], done.err
    wrong = [
        f"{line}: {each}"
        for (line, check), each in zip(expected, found, strict=True)
        if not each["ok"] or not check(each["data"])
    ]
    assert not wrong, "\n".join(wrong)


async def test_a_command_for_several_threads(any_jvm: Jvm) -> None:
    lines = [
        f"stop at {LOCKS.at('ready')}",
        "run",
        "thread eve",
        "up",
        "thread apply all print 1",
        "thread apply 1 cont",
        "thread apply one where",
        "thread apply 999999 where",
        "frame",
    ]
    done = await jdbpy(*launching(LOCKS, "--json", "--keep-going", *script(*lines)), jvm=any_jvm)
    [applied] = [each for each in done.results if each["command"] == "thread apply all print 1"]
    shown = [each for each in done.results if each["command"] == "print 1"]
    assert applied["data"]["threads"] == len(shown) > 10
    assert [each["ok"] for each in shown].count(False) == applied["data"]["failed"]
    refused = {each["command"]: each["error"]["message"] for each in done.results if not each["ok"]}
    assert "cannot be run for several" in refused["thread apply 1 cont"]
    assert "names no threads" in refused["thread apply one where"]
    assert "no thread 999999" in refused["thread apply 999999 where"]
    assert done.results[-1]["data"]["frame"]["index"] == 2, "the selection is as it was"


async def test_a_deadlock_is_drawn(any_jvm: Jvm) -> None:
    lines = [f"stop at {LOCKS.at('ready')}", "run", "deadlocks"]
    done = await jdbpy(*launching(LOCKS, *script(*lines)), jvm=any_jvm)
    drawn = done.out[done.out.index("Deadlock 1") :].splitlines()
    assert drawn[0] == "Deadlock 1: 2 threads, each waits for the next"
    assert [line.split()[0] for line in drawn[1:5]] == ["┌→", "│", "│", "└─"]
    assert 'thread 1 "main"' not in done.out


async def test_a_running_target_is_looked_at(any_jvm: Jvm) -> None:
    lines = ["set in-target off", "stop thread at Locks:9999", "resume", "threads", "thread info main", "cputime"]
    lines.append("thread name x")
    done = await jdbpy(*launching(LOCKS, "--json", "--keep-going", *script(*lines)), jvm=any_jvm)
    about = {each["command"]: each for each in done.results}
    assert any("CPU time" in note for note in about["thread info main"]["data"]["notes"])
    assert about["cputime"]["error"]["code"] == "NOT_AT_EVENT"
    assert about["thread name x"]["error"]["hint"]


async def test_what_a_thread_without_frames_shows(jvm: Jvm) -> None:
    """``main`` before its first instruction has none: there is nothing to step from."""
    done = await jdbpy(*launching(LOCKS, "--keep-going", *script("where", "next", "quit")), jvm=jvm)
    assert "  (no frames)\n" in done.out
    assert "error: the thread has no Java frames\n  hint: 'run' starts the program\n" in done.err


async def test_the_stack_of_a_running_thread_has_a_way_out(any_jvm: Jvm) -> None:
    async with start_target(any_jvm, LOCKS, suspend=False) as target:
        await target.wait_output("ready")
        done = await jdbpy("attach", target.address, *script("where adam"))
        number = re.search(r"'suspend (\d+)' stops it alone, and 'resume \1' lets it go on", done.err)
        assert number is not None, done.err
        await target.wait_listening(2)
        lines = [f"suspend {number[1]}", f"where {number[1]}", f"resume {number[1]}"]
        done = await jdbpy("attach", target.address, *script(*lines))
        assert (done.status, done.err) == (0, "")
        assert "Locks" in done.out

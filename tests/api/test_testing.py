"""``jdbpy.test`` on real JVMs: failures one after the other, each with its JVM."""

from __future__ import annotations

import shlex
import signal
import sys

import trio

import jdbpy
from jdbpy import sync
from tests.harness import LIMIT, Jvm, program, within


async def test_failures_come_one_by_one(jvm: Jvm) -> None:
    tests = [jvm.java, "-cp", program("Tested").on(jvm).classes, "Tested", "4", "shop.PriceTest"]
    with within(LIMIT):
        async with jdbpy.test([*tests, "compares", "assertsIt", "throwsIt"]) as failing:
            found = []
            async for failure in failing:
                found.append((failure.name, failure.expected, failure.message))
                place = failure.stop.frame.method
                assert place == ("compares" if len(found) == 1 else "total")
                if len(found) == 1:
                    assert await failure.stop.frame["got"].python() == 6
                    assert failure.vm.is_suspended
            assert failing.status == 3
    assert found == [
        ("shop.PriceTest.compares", "7", "java.lang.AssertionError: expected:<7> but was:<6>"),
        ("shop.PriceTest.throwsIt", None, "java.lang.IllegalArgumentException: too many: 101"),
    ]


async def test_the_end_of_the_block_ends_the_command(any_jvm: Jvm) -> None:
    words = [any_jvm.java, "-cp", program("Tested").on(any_jvm).classes, "Tested", "4", "shop.PriceTest", "texts"]
    with within(LIMIT):
        async with jdbpy.test(words) as failing:
            failure = await anext(failing)
            assert failure.actual == "tea"
        assert failing.status is None, "it stood at the failure"


async def test_jvms_side_by_side_stop_one_after_the_other(any_jvm: Jvm) -> None:
    """The others stand at their failures too, but nobody is told before the one that stops runs on."""
    java = [any_jvm.java, "-cp", program("Tested").on(any_jvm).classes, "Tested", "4", "shop.PriceTest", "compares"]
    words = ["sh", "-c", f"{shlex.join(java)} & {shlex.join(java)} & {shlex.join(java)} & wait"]
    waiting: list[int] = []
    with within(2 * LIMIT):
        async with jdbpy.open_build(jdbpy.BuildCommand(words)) as build, trio.open_nursery() as nursery:

            async def pass_those_of(session: jdbpy.Session) -> None:
                stop = await session.next_stop()
                assert isinstance(stop, jdbpy.Stopped) and stop.test is not None
                wanted = 2 - len(waiting)
                for _ in iter(lambda: build.waiting, wanted):
                    await trio.sleep(0.01)
                waiting.append(wanted)
                await session.execution.resume()

            while (jvm := await build.next_jvm()) is not None:
                nursery.start_soon(pass_those_of, jvm.session)
    assert waiting == [2, 1, 0]


def test_failures_without_await(any_jvm: Jvm) -> None:
    words = [
        any_jvm.java,
        "-cp",
        program("Tested").on(any_jvm).classes,
        "Tested",
        "4",
        "shop.PriceTest",
        "compares",
        "texts",
    ]
    with sync.test(words) as failing:
        found = [(each.name, each.actual, each.stop.frame.method, each.vm.is_suspended) for each in failing]
    assert found == [("shop.PriceTest.compares", "6", "compares", True), ("shop.PriceTest.texts", "tea", "texts", True)]
    assert failing.status == 3


KILLED_AT_A_FAILURE = """
import os, sys, trio, jdbpy

async def main():
    async with jdbpy.test(sys.argv[1:]) as tests:
        async for failure in tests:
            os.kill(os.getpid(), 9)

trio.run(main)
"""


async def test_a_command_goes_on_when_the_debugger_is_killed(jvm: Jvm) -> None:
    """The JVM that stands at a failure runs on; one that is started later finds nobody, and ends."""
    java = [jvm.java, "-cp", program("Tested").on(jvm).classes, "Tested", "4", "shop.PriceTest", "compares", "throwsIt"]
    both = f"{shlex.join(java)}; echo $?; {shlex.join(java)}; echo $?"
    with within(LIMIT):  # until nothing writes to the output any more
        done = await trio.run_process(
            [sys.executable, "-c", KILLED_AT_A_FAILURE, "sh", "-c", both],
            capture_stdout=True,
            capture_stderr=True,
            check=False,
        )
    assert done.returncode == -signal.SIGKILL
    lines = done.stdout.decode().splitlines()
    assert lines[:2] == ["failed: compares throwsIt", "3"]
    assert lines[-1] not in ("0", "3")
    assert b"connect failed" in done.stdout + done.stderr

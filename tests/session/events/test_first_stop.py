"""Targets whose agent starts the debugger, or begins to work when an exception is thrown: their first stop."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio

import jdbpy
from jdbpy.session.connect import attach
from jdbpy.session.connect.greeting import Greeted, greet as real_greet
from jdbpy.session.local.tunnel import PeerProcess
from jdbpy.session.model.events import StopReason
from jdbpy.session.model.options import StepDepth
from tests.cli.process import command, script
from tests.harness import LIMIT, Jvm, Program, inline, start_target, within

THROWER = inline(
    """
    class Thrower {
        public static void main(String[] args) throws Exception {
            int number = 42;
            try {
                throw new Special("for the debugger"); // @throw
            } catch (Special e) {
                System.out.println("caught " + number); // @catch
            }
            System.in.read();
        }
        static class Special extends RuntimeException {
            Special(String message) { super(message); }
        }
    }
    """
)
ON_THROW = ",onthrow=Thrower$Special"


@asynccontextmanager
async def launching_debugger(
    jvm: Jvm,
    directory: Path,
    words: Sequence[str],
    *,
    options: str = "",
    suspend: str = "y",
    program: Program = THROWER,
) -> AsyncIterator[str]:
    """A target whose agent runs the words with its address for ``ADDRESS``; the block gets what they print.

    The agent would run them again after each debugger that has left.
    """
    pipe, runner = directory / "pipe", directory / "run"
    os.mkfifo(pipe)
    line = " ".join(f"'{word}'" if word != "ADDRESS" else '"$2"' for word in words)
    runner.write_text(f"#!/bin/sh\nmkdir {directory}/ran || exit\nexec {line} > {pipe} 2>&1\n")
    runner.chmod(0o755)
    agent = (
        f"-agentlib:jdwp=transport=dt_socket,server=y,suspend={suspend},address=127.0.0.1:0,launch={runner}{options}"
    )
    async with start_target(jvm, program, with_agent=False, jvm_options=[agent]):
        with within(LIMIT):
            yield await trio.to_thread.run_sync(pipe.read_text, abandon_on_cancel=True)


@pytest.fixture
def _counts_read_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """The greeting reads the suspend counts before the agent has suspended the threads for its first event."""

    async def greet(*args: Any, **options: Any) -> Greeted:
        return (await real_greet(*args, **options)).replace(suspended=False)

    monkeypatch.setattr(attach, "greet", greet)


@pytest.mark.usefixtures("_counts_read_before")
@pytest.mark.parametrize(("options", "reason"), [("", StopReason.START), (ON_THROW, StopReason.EXCEPTION)])
async def test_a_first_stop_that_comes_late_is_waited_for(
    jvm: Jvm, tmp_path: Path, options: str, reason: StopReason
) -> None:
    async with launching_debugger(jvm, tmp_path, ["echo", "ADDRESS"], options=options) as address:
        async with jdbpy.attach_session(address.strip()) as session:
            assert session.last_stop is not None
            assert session.last_stop.reason is reason


async def test_the_exception_of_the_first_stop_is_shown(jvm: Jvm, tmp_path: Path) -> None:
    async with launching_debugger(jvm, tmp_path, ["echo", "ADDRESS"], options=ON_THROW) as address:
        async with jdbpy.attach_session(address.strip()) as session:
            stop = session.last_stop
            assert stop is not None
            assert stop.exception is not None
            assert (stop.exception.type, stop.exception.message) == ("Thrower$Special", "for the debugger")
            assert stop.exception.catch_location is not None
            assert stop.location is not None
            assert stop.location.line == THROWER.line("throw")


async def test_methods_at_the_exception_of_the_first_stop(jvm: Jvm, tmp_path: Path) -> None:
    """The agent would let the thread run on instead, and never answer: the debugger's own runs them."""
    async with launching_debugger(jvm, tmp_path, ["echo", "ADDRESS"], options=ON_THROW) as address:
        async with jdbpy.attach_session(address.strip()) as session:
            assert (await session.vm.facts()).arguments is not None
            assert (await session.values.evaluate("Thread.currentThread().getName()")).text == '"jdbpy"'
            [frame] = (await session.stack.of()).frames
            assert frame.location.line == THROWER.line("throw")
            assert (await session.values.evaluate("number")).text == "42"
            with within(LIMIT):
                stop = await session.execution.step(StepDepth.OVER)
            assert isinstance(stop, jdbpy.Stopped)
            assert stop.location is not None
            assert stop.location.line == THROWER.line("catch") - 1
            assert (await session.values.evaluate("Integer.toString(number)")).text == '"42"'


@pytest.mark.parametrize(("options", "shown"), [("", "Ready to start"), (ON_THROW, "int number = 42")])
async def test_a_batch_that_the_agent_starts(jvm: Jvm, tmp_path: Path, options: str, shown: str) -> None:
    lines = script("locals" if options else "threads", "quit")
    words = [*command("attach", "ADDRESS", "--batch"), *lines]
    async with launching_debugger(jvm, tmp_path, words, options=options) as said:
        assert shown in said
        assert "error" not in said


async def test_a_target_that_is_not_suspended_is_not_waited_for(
    jvm: Jvm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attach, "LATE_START_LIMIT", 10 * LIMIT)
    async with launching_debugger(jvm, tmp_path, ["echo", "ADDRESS"], options=ON_THROW, suspend="n") as address:
        with within(LIMIT):
            async with jdbpy.attach_session(address.strip()) as session:
                assert session.state is jdbpy.VmState.RUNNING


def process(root: Path, number: int, words: str, socket: str = "") -> None:
    """An entry of /proc."""
    (root / str(number) / "fd").mkdir(parents=True)
    (root / str(number) / "cmdline").write_text(words.replace(" ", "\0"))
    if socket:
        (root / str(number) / "fd" / "5").symlink_to(f"socket:[{socket}]")


@pytest.mark.parametrize(
    ("agent", "options"),
    [
        ("-agentlib:jdwp=suspend=y,launch=/a/b", {"suspend": "y", "launch": "/a/b"}),
        ("-Xdebug -Xrunjdwp:server=y,suspend=n", {"server": "y", "suspend": "n"}),
        ("-agentpath:/opt/lib/libjdwp.so=server=y,quiet", {"server": "y", "quiet": ""}),
        ("-agentlib:other=launch=x", {}),
        ("", {}),
    ],
)
def test_options_of_the_agent_in_the_process_at_the_other_end(
    tmp_path: Path, agent: str, options: dict[str, str]
) -> None:
    (tmp_path / "net").mkdir()
    row = "0: 0100007F:138D 0100007F:0050 01 0:0 0:0 0 0 0 777 1"  # of the JVM's port 5005 to our 80
    (tmp_path / "net/tcp").write_text(f"head\n{row}\n")
    process(tmp_path, 5, "java -agentlib:jdwp=launch=of_another_jvm Main", "776")
    process(tmp_path, 6, f"java {agent} Main", "777")
    assert PeerProcess(80, 5005, proc=str(tmp_path)).agent_options() == options
    assert PeerProcess(80, 5006, proc=str(tmp_path)).agent_options() == {}
    assert PeerProcess(80, 5005, proc=str(tmp_path / "none")).agent_options() == {}

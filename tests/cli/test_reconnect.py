"""A target that was attached to goes away and comes back: what is set again, in batches and at the prompt."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest
import trio

import jdbpy as library
from jdbpy.cli.commands import TABLE
from jdbpy.cli.context import Context
from tests.cli.process import Driver, driving
from tests.cli.pseudo_terminal import open_terminal
from tests.harness import Jvm, start_target
from tests.harness.remote import run_sshd


def at(port: int) -> str:
    """Words for the agent, which count more than those before them."""
    return f",address=127.0.0.1:{port}"


async def notice(driver: Driver, kind: str) -> dict[str, Any]:
    """The next notice of a kind."""
    while (found := await driver.event("notice"))["kind"] != kind:
        pass
    return found


async def test_a_jvm_that_is_started_anew(jvm: Jvm, port: int) -> None:
    """With a conditional breakpoint, a logpoint, a catchpoint and a watchpoint; what was for a thread is not set."""
    async with start_target(jvm, "Ticker", suspend=False, agent=at(port)) as first:
        await first.wait_output("ready")
        async with driving("attach", str(port), "--reconnect") as driver:
            await driver.ask("break Ticker.tick if ticks == 1")
            await driver.ask('logpoint Ticker.tick "ticks {ticks}"')
            await driver.ask("catch java.lang.IllegalStateException")
            await driver.ask("watch Ticker.ticks")
            await driver.ask("disable 4")
            await driver.ask("break Ticker.tick thread main -d")
            await driver.ask("display ticks + 1")
            before = (await driver.ask("breakpoints"))["breakpoints"]
            await driver.send("cont")
            await first.send()
            assert (await notice(driver, "logpoint"))["message"].endswith("ticks 0")
            first.kill()
            await driver.event("disconnected")
            async with start_target(jvm, "Ticker", suspend=False, agent=at(port)) as second:
                told = await notice(driver, "reconnected")
                said = "4 of 5 breakpoints and their like are set again"
                assert told["message"] == f"attached again to 127.0.0.1:{port}: {said}"
                assert told["data"] == {"breakpoints": 4, "failed": 1}
                await second.send("\n")
                for ticks in (0, 1):
                    assert (await notice(driver, "logpoint"))["message"].endswith(f"ticks {ticks}")
                assert (await driver.event("display"))["items"][0]["value"] == "2"
                found = await driver.result()
                assert (found["command"], found["data"]["stop"]["breakpoint"]) == ("cont", 1)
                after = (await driver.ask("breakpoints"))["breakpoints"]
                assert [settings_of(each) for each in after] == [settings_of(each) for each in before[:4]]
                await driver.ask("enable 4")
                assert (await driver.ask("cont"))["stop"]["breakpoint"] == 4
                await driver.ask("quit")
                assert await driver.wait() == 0


def settings_of(point: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(point.get(key) for key in ("number", "kind", "spec", "condition", "enabled", "policy", "options"))


async def test_the_ssh_process_is_killed_amid_a_command(
    jvm: Jvm, port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with run_sshd(tmp_path / "ssh") as sshd, start_target(jvm, "Hello", "Ada", agent=at(port)) as target:
        monkeypatch.setenv("PATH", f"{sshd.programs}{os.pathsep}{os.environ['PATH']}")
        words = ["attach", f"ssh://{sshd.place}/{port}", "--reconnect", "--keep-going"]
        async with driving(*words) as driver:
            await driver.ask("break Hello.greeting")
            assert (await driver.ask("cont"))["stop"]["breakpoint"] == 1
            assert [frame["method"] for frame in (await driver.ask("where"))["frames"]] == ["greeting", "main"]
            await driver.ask("break Hello.main -d")
            helper = child_of(driver.process.pid)
            os.kill(helper, signal.SIGSTOP)  # nothing is answered from now on
            await driver.send("threads")
            await trio.to_thread.run_sync(os.kill, helper, signal.SIGKILL)
            cut = await driver.result()
            assert cut["error"]["code"] == "DISCONNECTED"
            assert "was ended by signal 9" in cut["error"]["message"]
            assert (await notice(driver, "reconnected"))["data"] == {"breakpoints": 2, "failed": 0}
            points = (await driver.ask("breakpoints"))["breakpoints"]
            assert [(point["number"], point["enabled"]) for point in points] == [(1, True), (2, False)]
            await driver.ask("quit")
            assert await driver.wait() == 5
        await target.send()
        assert await target.wait_exit() == 0


def child_of(pid: int) -> int:
    """The only child of a process."""
    [child] = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return int(child)


async def test_the_prompt_stays_for_what_would_be_lost(jvm: Jvm, port: int, tmp_path: Path) -> None:
    async with start_target(jvm, "Ticker", suspend=False, agent=at(port)) as first:
        await first.wait_output("ready")
        async with open_terminal(["attach", str(port)], tmp_path) as terminal:
            await terminal.prompt(">")
            await terminal.run("break Ticker.tick", "Breakpoint 1 set", then=">")
            first.kill()
            await terminal.expect("The connection is closed", "'reconnect' attaches again with its breakpoints")
            await terminal.run("threads", "error", then=">")
            terminal.type("reconnect\r")
            await terminal.expect("waiting for the target: no debugger agent is listening")
            async with start_target(jvm, "Ticker", suspend=False, agent=at(port)) as second:
                await terminal.expect("attached again")
                await terminal.prompt(">")
                await second.send()
                await terminal.expect("Breakpoint 1 hit")
                await terminal.prompt("main[1]")
                terminal.type("quit\r")
                assert await terminal.wait_exit() == 0
                assert terminal.modes == terminal.modes_before


async def test_the_prompt_waits_for_the_next_jvm_to_connect(any_jvm: Jvm, port: int, tmp_path: Path) -> None:
    here = f"127.0.0.1:{port}"
    async with open_terminal(["listen", str(port)], tmp_path) as terminal:
        await terminal.expect("server=n")
        async with start_target(any_jvm, "Ticker", suspend=False, connect_to=here) as first:
            await terminal.prompt(">")
            await terminal.run("break Ticker.tick", "Breakpoint 1 set", then=">")
            first.kill()
            await terminal.expect("The connection is closed", "'reconnect' waits for the next JVM")
            terminal.type("reconnect\r")
            await terminal.expect("server=n")
        async with start_target(any_jvm, "Ticker", suspend=False, connect_to=here) as second:
            await terminal.expect("attached again")
            await terminal.prompt(">")
            await second.send()
            await terminal.expect("Breakpoint 1 hit")
            await terminal.prompt("main[1]")
            terminal.type("quit\r")
            assert await terminal.wait_exit() == 0


async def test_the_prompt_with_the_option(any_jvm: Jvm, port: int, tmp_path: Path) -> None:
    """By itself; the end of a JVM of its own accord counts as well as a crash."""
    async with start_target(any_jvm, "Ticker", suspend=False, agent=at(port)) as first:
        await first.wait_output("ready")
        async with open_terminal(["attach", str(port), "--reconnect"], tmp_path) as terminal:
            await terminal.prompt(">")
            await terminal.run("break Ticker.tick", "Breakpoint 1 set", then=">")
            assert first.process.stdin is not None
            await first.process.stdin.aclose()
            await terminal.expect("The target has ended", "attaching again when it comes back")
            async with start_target(any_jvm, "Ticker", suspend=False, agent=at(port)) as second:
                await terminal.expect("attached again")
                await terminal.prompt(">")
                await second.send()
                await terminal.prompt("main[1]")
                terminal.type("quit\r")
                assert await terminal.wait_exit() == 0


async def test_ctrl_c_ends_the_wait(any_jvm: Jvm, port: int, tmp_path: Path) -> None:
    async with start_target(any_jvm, "Ticker", suspend=False, agent=at(port)) as target:
        async with open_terminal(["attach", str(port), "--reconnect"], tmp_path) as terminal:
            await terminal.prompt(">")
            target.kill()
            await terminal.expect("waiting for the target")
            terminal.signal(signal.SIGINT)
            assert await terminal.wait_exit() == 128 + signal.SIGINT
            assert terminal.modes == terminal.modes_before


async def test_what_cannot_be_attached_to_again(any_jvm: Jvm) -> None:
    async with start_target(any_jvm, "Hello") as target, library.attach_session(target.address) as session:
        with pytest.raises(library.StateError, match="can be attached to again"):
            await TABLE.by_name["reconnect"](Context(session), "")


async def test_it_does_not_come_back(any_jvm: Jvm, port: int) -> None:
    async with start_target(any_jvm, "Ticker", suspend=False, agent=at(port)) as target:
        async with driving("attach", str(port), "--reconnect", "--timeout", "3") as driver:
            await driver.ask("version")
            await driver.send("cont")
            target.kill()
            found = await driver.result()
            assert "the target did not come back within 3 seconds" in found["error"]["message"]
            assert await driver.wait() == 5

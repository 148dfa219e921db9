"""A JVM without the agent through the front ends: the same words and the same JSON."""

from __future__ import annotations

import pytest
import trio

import jdbpy
from jdbpy import StateError, UsageError, sync
from tests.cli.process import jdbpy as run_jdbpy
from tests.harness import Jvm, start_target
from tests.mcp.client import agent

pytestmark = pytest.mark.one_java


async def test_the_command_line(any_jvm: Jvm) -> None:
    async with start_target(any_jvm, "EveryState", with_agent=False) as target:
        await target.wait_output("settled")
        listed = await run_jdbpy("list")
        [line] = [line for line in listed.out.splitlines() if line.split()[:1] == [str(target.pid)]]
        assert "no agent; --pid shows threads, locks, heap" in line
        lines = [
            "threads",
            "where latch",
            "where all --fold",
            "deadlocks",
            "uptime",
            "cputime",
            "break EveryState.sleeps",
        ]
        words = [word for line in lines for word in ("-c", line)]
        done = await run_jdbpy("attach", "--pid", str(target.pid), "--json", "--keep-going", *words)
        results = {each["command"]: each for each in done.results}
        assert done.status == 1
        assert [line for line in lines if not results[line]["ok"]] == ["break EveryState.sleeps"]
        assert len(results["threads"]["data"]["threads"]) > 15
        assert not any(each["suspended"] for each in results["threads"]["data"]["threads"])
        frames = results["where latch"]["data"]["frames"]
        assert next(each["method"] for each in frames if each["class"] == "EveryState") == "meet"
        assert len(results["deadlocks"]["data"]["deadlocks"]) == 2
        error = results["break EveryState.sleeps"]["error"]
        assert error["code"] == "NEEDS_AGENT"
        found = await run_jdbpy("completion", "addresses")
        assert f"pid://{target.pid}" in found.out.splitlines()


async def test_an_agent_looks_at_a_process(any_jvm: Jvm) -> None:
    async with start_target(any_jvm, "EveryState", with_agent=False) as target, agent() as client:
        await target.wait_output("settled")
        found = await client.call("diagnose", pid=target.pid, seconds=0.2, limit=100)
        assert len(found["deadlocks"]["deadlocks"]) == 2
        assert any("EveryState.meet" in str(each["frames"]) for each in found["stacks"])
        found = await client.call("diagnose", pid=target.pid, what="heap", limit=5)
        assert len(found["heap"]["classes"]) == 5
        assert "does not exist" in await client.refused("diagnose", pid=4194305)


async def test_scripts(jvm: Jvm) -> None:
    """The process in place of an address: also one without the agent."""
    async with start_target(jvm, "EveryState", with_agent=False) as target:
        await target.wait_output("settled")
        async with jdbpy.attach(pid=target.pid) as vm:
            names = {thread.name for thread in await vm.threads}
            assert {"latch", "main"} <= names
            with pytest.raises(StateError, match="agent"):
                await vm.stop_at("EveryState.sleeps")

        def without_await() -> set[str]:
            with sync.attach(pid=target.pid) as vm:
                return {thread.name for thread in vm.threads}

        assert {"latch", "main"} <= await trio.to_thread.run_sync(without_await)


@pytest.mark.parametrize(
    ("address", "pid", "message"),
    [
        ("", None, "no address"),
        ("5005", 4711, "an address and a pid"),
        ("", 0, "0 is not the ID of a process"),
        ("", 4194305, "the process 4194305 does not exist"),
    ],
)
async def test_what_a_script_is_told(address: str, pid: int | None, message: str) -> None:
    with pytest.raises((UsageError, jdbpy.ConnectError), match=message):
        async with jdbpy.attach(address, pid=pid):
            pass

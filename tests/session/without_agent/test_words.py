"""What works on a JVM without the debugger agent, and what is said of the rest."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import jdbpy
from jdbpy import ConnectError, Disconnected, LocalJvm, Options, ReadOnlyError, Session, StateError, UsageError, VmState
from tests.harness import LIMIT, Jvm, start_target, within


async def test_facts(jvm: Jvm, tmp_path: Path) -> None:
    options = ["-XX:+HeapDumpOnOutOfMemoryError", "-Dsome.name=line\nbreak \u20ac=:"]
    async with start_target(jvm, "EveryState", with_agent=False, jvm_options=options) as target:
        await target.wait_output("settled")
        async with jdbpy.attach_session(f"pid://{target.pid}") as session:
            assert session.state is VmState.RUNNING
            assert session.agent_line.startswith("-agentlib:jdwp=")
            assert session.info.version == jvm.version
            assert not session.remote
            [own] = await session.vm.properties("some.name")
            assert own.value == "line\nbreak \u20ac=:"
            flags = {each.name: each for each in await session.vm.flags()}
            assert flags["HeapDumpOnOutOfMemoryError"].value == "true"
            assert flags["HeapDumpOnOutOfMemoryError"].writeable
            assert len(flags) > 300
            await session.vm.set_flag("HeapDumpPath", "/tmp/elsewhere")
            [path] = await session.vm.flags("HeapDumpPath")
            assert path.value == "/tmp/elsewhere"
            with pytest.raises(UsageError):
                await session.vm.set_flag("MaxHeapSize", "1")
            facts = await session.vm.facts()
            assert (facts.process, facts.java) == (target.pid, jvm.version)
            assert facts.arguments is not None
            assert "-XX:+HeapDumpOnOutOfMemoryError" in facts.arguments
            clocks = await session.vm.clocks()
            assert 0 < clocks.uptime < 1000
            heap, *others = await session.heap.usage.memory()
            assert heap.kind == "heap"
            assert 0 < heap.used <= heap.committed
            assert {each.kind for each in others} >= {"pool", "collector"}
            assert "space" not in {each.name for each in others}  # the old generation has its name
            histogram = await session.heap.histogram("java.lang.Thread")
            assert histogram.classes[0].count > 10
            assert "VM.version" in await session.vm.diagnostic_command("help")
            with pytest.raises(UsageError, match="Unknown diagnostic command"):
                await session.vm.diagnostic_command("No.such")
            dump = tmp_path / "heap.hprof"
            await session.heap.usage.dump(str(dump))
            assert dump.read_bytes()[:12] == b"JAVA PROFILE"
            timed = await session.threads.with_times(await session.threads.list())
            assert all(each.cpu is not None and each.java_id == each.id for each in timed)
            kept = tmp_path / "threads.snapshot"
            await session.snapshot(str(kept))
            moment = await session.moments.take(("threads", "classes", "flags"))
            assert moment.threads
            assert moment.flags
            assert "needs the debugger agent" in moment.missing["classes"]
        async with jdbpy.open_snapshot_session(str(kept)) as shown:
            assert len((await shown.locks.deadlocks()).deadlocks) == 2
        await target.send()
        with within(LIMIT):
            assert await target.wait_exit() == 0


async def refusals(session: Session) -> list[str]:
    """What is said of words that need the agent: one of each kind."""
    said = []
    thread = session.selection[0]
    assert thread is not None
    for ask in (
        lambda: session.breakpoints.add("EveryState.sleeps"),
        lambda: session.execution.cont(),
        lambda: session.execution.suspend([thread]),
        lambda: session.execution.step(),
        lambda: session.stack.variables(),
        lambda: session.classes.list(),
        lambda: session.threads.groups(),
        lambda: session.modules.list(),
        lambda: session.heap.instances("EveryState"),
        lambda: session.vm.set_property("a", "b"),
        lambda: session.up(),
        lambda: session.values.evaluate("EveryState.A"),
    ):
        with pytest.raises(StateError, match="needs the debugger agent, which this JVM was started without") as caught:
            await ask()
        assert caught.value.hint.startswith("start it with -agentlib:jdwp=")
        said.append(caught.value.message.partition(" needs ")[0])
    return said


async def test_the_rest_is_said(any_jvm: Jvm, tmp_path: Path) -> None:
    async with start_target(any_jvm, "EveryState", with_agent=False) as target:
        await target.wait_output("settled")
        found = jdbpy.local_jvms()
        assert LocalJvm(target.pid, "EveryState", any_jvm.version) in found
        async with jdbpy.attach_session(f"pid://{target.pid}") as session:
            said = await refusals(session)
            assert len(set(said)) > 8
            assert said[0] == "setting a breakpoint"
        with pytest.raises(UsageError, match="cannot be recorded"):
            async with jdbpy.attach_session(f"pid://{target.pid}", options=Options(record="never.jdbrec")):
                pass
        log = tmp_path / "audit.log"
        async with jdbpy.attach_session(f"pid://{target.pid}", options=Options(audit=str(log))) as session:
            await session.vm.diagnostic_command("VM.version")
            await session.vm.set_flag("HeapDumpPath", "/tmp/there")
        changed = [json.loads(line) for line in log.read_text().splitlines() if "attach socket" in line]
        assert [(each["what"], each["fields"]) for each in changed] == [("setting a flag", "HeapDumpPath=/tmp/there")]
        async with jdbpy.attach_session(f"pid://{target.pid}", options=Options(read_only=True)) as session:
            assert len(await session.stack.all()) > 10
            assert "version" in await session.vm.diagnostic_command("VM.version")
            assert (await session.heap.histogram()).total
            with pytest.raises(ReadOnlyError, match=r"jcmd GC.run may change the target"):
                await session.vm.diagnostic_command("GC.run")
            with pytest.raises(ReadOnlyError, match="a heap dump may change"):
                await session.heap.usage.dump("/tmp/never.hprof")
            with pytest.raises(ReadOnlyError, match="setting a flag may change"):
                await session.vm.set_flag("HeapDumpPath", "/tmp")


async def test_the_jvm_ends(any_jvm: Jvm) -> None:
    async with start_target(any_jvm, "EveryState", with_agent=False) as target:
        await target.wait_output("settled")
        async with jdbpy.attach_session(f"pid://{target.pid}") as session:
            await target.send()
            with within(LIMIT):
                await session.wait_ended()
            with pytest.raises(Disconnected, match=f"the JVM {target.pid} has ended"):
                await session.threads.list()
        with pytest.raises(ConnectError, match=f"the process {target.pid} does not exist"):
            await target.wait_exit()
            async with jdbpy.attach_session(f"pid://{target.pid}"):
                pass


async def test_an_agent_that_waits_for_the_word(any_jvm: Jvm) -> None:
    """``onjcmd=y``: it is told to begin, and the debugger is used."""
    agent = "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,onjcmd=y,address=127.0.0.1:0"
    async with start_target(any_jvm, "EveryState", with_agent=False, jvm_options=[agent]) as target:
        await target.wait_output("settled")
        async with jdbpy.attach_session(f"pid://{target.pid}") as session:
            assert not session.agent_line
            point = await session.breakpoints.add("EveryState.sleeps")
            assert point.number == 1

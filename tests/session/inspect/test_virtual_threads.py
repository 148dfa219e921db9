"""Virtual threads of a JVM with the agent, in a file that a method of the target writes: running, and paused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import jdbpy
from jdbpy import Options, ReadOnlyError, StateError, VmState
from jdbpy.session.model.threads import ThreadFilter
from tests.harness import Jvm, start_target
from tests.session.virtual import CARRIERS, EACH, KINDS, require_what_the_program_says


@pytest.mark.every_java
async def test_all_stand_where_the_program_says(jvm: Jvm, tmp_path: Path) -> None:
    options = [*CARRIERS, f"-Djava.io.tmpdir={tmp_path}"]
    async with start_target(jvm, "ManyVirtual", str(EACH), suspend=False, jvm_options=options) as target:
        await target.wait_output("settled")
        async with jdbpy.attach_session(target.address) as session:
            if jvm.feature < 21:
                with pytest.raises(StateError, match="has no virtual threads"):
                    await session.threads.virtual_folded()
                return
            marks = {kind: target.program.line(kind) for kind in KINDS}
            assert "Thread.dump_to_file" in await session.vm.diagnostic_command(
                "help"
            )  # by a thread that is made running
            paused = jvm.feature >= 25
            for _ in range(2):  # running and paused: one of them is not safe
                if (session.state is VmState.STOPPED) == paused:
                    traces = await session.threads.virtual_stacks()
                    require_what_the_program_says(traces, await session.threads.virtual_folded(), marks)
                    assert {each.thread.id for each in traces} == {0}
                    assert len({each.thread.java_id for each in traces}) == len(traces)
                    [latch] = await session.threads.virtual_folded(ThreadFilter(name="latch-*"), count=2)
                    assert (len(latch.threads), len(latch.frames)) == (EACH, 2)
                else:
                    why = "may crash when it dumps" if paused else "while all threads are suspended"
                    with pytest.raises(StateError, match=why):
                        await session.threads.virtual_stacks()
                if session.state is VmState.RUNNING:
                    await session.execution.pause()
            await session.execution.resume()
            assert not [each for each in os.listdir(tmp_path) if each.startswith("jdbpy-")]
        await target.wait_listening_again()
        async with jdbpy.attach_session(target.address, options=Options(read_only=True)) as session:
            why = "running a method changes the target" if jvm.feature < 25 else "may crash"
            with pytest.raises((ReadOnlyError, StateError), match=why):
                await session.threads.virtual_stacks()

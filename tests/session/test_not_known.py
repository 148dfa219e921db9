"""What the agent refuses to tell is shown as not known, with its reason, and never as something else."""

from __future__ import annotations

import pytest
import trio

import jdbpy
from jdbpy.wire.constants import Error
from jdbpy.wire.messages import method, object_reference, reference_type, thread_reference
from tests.fakes.jvm import FakeJvm

REFUSED = int(Error.INTERNAL)


@pytest.mark.parametrize("command", [thread_reference.Frames, thread_reference.FrameCount, thread_reference.Name, method.LineTable, reference_type.MethodsWithGeneric, reference_type.SourceFile, reference_type.SourceDebugExtension, reference_type.SignatureWithGeneric])
async def test_a_stop_is_a_stop_whatever_is_refused(command) -> None:
    jvm = FakeJvm()
    async with jvm.listening() as address, jdbpy.attach(address) as session:
        await session.breakpoints.add("Played:4")
        jvm.on(command, REFUSED)
        with session.events() as events:
            await jvm.hit()
            with trio.fail_after(5):
                async for event in events:
                    print(event)
                    if isinstance(event, jdbpy.Stop): break

"""Methods that the debugger runs on its own account, several at once, near and over a link."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

import jdbpy
from benchmarks.relay import open_relay
from jdbpy.errors import StateError, Thrown
from jdbpy.session.eval.utility_calls import CallRunner, UtilityCall
from jdbpy.session.model.vm import VmState
from tests.harness import Jvm, program, start_target

pytestmark = pytest.mark.one_java

ABS = "(I)I"


@asynccontextmanager
async def stopped(jvm: Jvm, rtt: float) -> AsyncIterator[tuple[jdbpy.Session, CallRunner]]:
    """A session behind a link with this round trip, at a breakpoint; and what finds the thread for calls."""
    crowd = program("Crowd")
    async with start_target(jvm, crowd, "0") as target:
        async with open_relay(target.address, rtt=rtt) as relay, jdbpy.attach_session(relay.address) as session:
            await session.breakpoints.add(crowd.at("ready"))
            await session.execution.cont()
            yield session, CallRunner(session._target, session.stack, lambda: session.values.evaluator)


@pytest.mark.parametrize("rtt", [0.0, 0.04])
async def test_many_at_once(jvm: Jvm, rtt: float) -> None:
    """The first one is still running when the others come in: they are sent again. Each gives its own result."""
    async with stopped(jvm, rtt) as (session, runner):
        before = await session.stack.of()
        async with runner.calls("a test") as calls:
            await calls.expect("java.lang.Math", "java.lang.Thread", "java.lang.Integer")
            slept, thrown, missing, *numbers = await calls.outcomes(
                UtilityCall("java.lang.Thread", "sleep", "(J)V", (60,)),
                UtilityCall("java.lang.Math", "floorDiv", "(II)I", (1, 0)),
                UtilityCall("java.lang.Math", "nonesuch", ABS, (1,)),
                *(UtilityCall("java.lang.Math", "abs", ABS, (-number,)) for number in range(1, 12)),
            )
            assert slept is None
            assert isinstance(thrown, Thrown)
            assert thrown.exception_type == "java.lang.ArithmeticException"
            assert isinstance(missing, StateError)
            assert numbers == list(range(1, 12))
        assert session.state is VmState.STOPPED
        after = await session.stack.of()
        assert [frame.location for frame in after.frames] == [frame.location for frame in before.frames]


async def test_classes_are_loaded_in_order(jvm: Jvm) -> None:
    """All of them at once over a link; one that there is not spoils no other."""
    names = ["java.util.zip.Adler32", "no.such.Clazz", "java.util.zip.CRC32C"]
    async with stopped(jvm, 0.04) as (_, runner):
        async with runner.calls("a test") as calls:
            await calls.expect(load=names)
            adler = await calls.static_field("java.util.zip.CRC32C", "CRC32C_POLY")
            assert adler == 0x1EDC6F41
            with pytest.raises(StateError, match=r"no class no\.such\.Clazz"):
                await calls.static("no.such.Clazz", "x", "()V")
            [first] = await calls.arrays([None])
            assert first == []

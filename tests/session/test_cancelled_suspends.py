"""A suspend whose waiter was cancelled is taken back once: not if another command has resumed its threads meanwhile."""

from __future__ import annotations

from typing import Any

import pytest
import trio

import jdbpy
from jdbpy.wire.command import Command
from jdbpy.wire.messages import thread_reference, virtual_machine
from tests.fakes.jvm import FakeJvm

VM = pytest.mark.parametrize(
    ("suspend", "resume", "threads"),
    [
        (virtual_machine.Suspend, virtual_machine.Resume, None),
        (thread_reference.Suspend, thread_reference.Resume, (1,)),
    ],
    ids=["vm", "thread"],
)


async def cancelled_suspend(session: jdbpy.Session, jvm: FakeJvm, suspend: Any, threads: Any) -> None:
    """Suspend, and be cancelled when the command has been sent and not yet answered."""
    jvm.hold(suspend)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(session.execution.suspend, threads)
        await jvm.wait_for(suspend)
        nursery.cancel_scope.cancel()


@VM
async def test_it_is_taken_back_by_its_late_reply(
    suspend: type[Command[Any]], resume: type[Command[Any]], threads: tuple[int, ...] | None
) -> None:
    jvm = FakeJvm()
    async with jvm.listening() as address, jdbpy.attach_session(address) as session:
        await cancelled_suspend(session, jvm, suspend, threads)
        await jvm.release()
        await jvm.wait_for(resume)
        await session.threads.list()
        assert len(jvm.received(resume)) == 1
        assert session.state is jdbpy.VmState.RUNNING


@VM
async def test_a_pause_is_taken_back_while_its_stop_is_read(
    suspend: type[Command[Any]], resume: type[Command[Any]], threads: tuple[int, ...] | None
) -> None:
    jvm = FakeJvm()
    async with jvm.listening() as address, jdbpy.attach_session(address) as session:
        jvm.hold(thread_reference.Name)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(session.execution.pause, threads[0] if threads else None)
            await jvm.wait_for(suspend)
            await jvm.wait_for(thread_reference.Name)
            nursery.cancel_scope.cancel()
        assert session.state is jdbpy.VmState.RUNNING
        await jvm.wait_for(resume)
        await jvm.release()
        await session.threads.list()
        assert len(jvm.received(resume)) == 1


@VM
async def test_it_is_not_taken_back_when_it_was_resumed_meanwhile(
    suspend: type[Command[Any]], resume: type[Command[Any]], threads: tuple[int, ...] | None
) -> None:
    jvm = FakeJvm()
    async with jvm.listening() as address, jdbpy.attach_session(address) as session:
        await cancelled_suspend(session, jvm, suspend, threads)
        await session.execution.unsuspend(threads)
        await jvm.wait_for(resume)
        await jvm.release()
        await session.threads.list()
        assert len(jvm.received(resume)) == 1
        jvm.world.resume_all()  # the late reply has suspended them in this fake, which a JVM would have done before

"""A suspend whose waiter was cancelled is taken back once: not if another command has resumed its threads meanwhile."""

from __future__ import annotations

from typing import Any

import pytest
import trio

import jdbpy
from jdbpy import SuspendPolicy
from jdbpy.wire.command import Command
from jdbpy.wire.messages import thread_reference, virtual_machine
from tests.fakes.jvm import FakeJvm
from tests.harness import LIMIT, within

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


@VM
async def test_a_pause_that_was_resumed_before_its_reply_is_not_taken_back(
    suspend: type[Command[Any]], resume: type[Command[Any]], threads: tuple[int, ...] | None
) -> None:
    """One more Resume would take from the event at which a thread has stopped meanwhile."""
    jvm = FakeJvm()
    async with jvm.listening() as address, jdbpy.attach_session(address) as session:
        jvm.hold(suspend, thread_reference.Name)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(session.execution.pause, threads[0] if threads else None)
            await jvm.wait_for(suspend)
            await session.execution.unsuspend(threads)
            await jvm.wait_for(resume)
            await jvm.release(suspend)
            await jvm.wait_for(thread_reference.Name)  # it reads its stop
            nursery.cancel_scope.cancel()
        await jvm.release()
        await session.threads.list()
        assert len(jvm.received(resume)) == 1
        jvm.world.resume_all()  # the late reply has suspended them in this fake, which a JVM would have done before


async def test_a_suspend_that_was_resumed_before_its_reply_leaves_nothing_to_take_back() -> None:
    jvm = FakeJvm()
    async with jvm.listening() as address, jdbpy.attach_session(address) as session:
        jvm.hold(virtual_machine.Suspend)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(session.execution.suspend)
            await jvm.wait_for(virtual_machine.Suspend)
            await session.execution.unsuspend()
            await jvm.wait_for(virtual_machine.Resume)
            await jvm.release()
        await session.execution.unsuspend()
        await session.threads.list()
        assert len(jvm.received(virtual_machine.Resume)) == 1
        jvm.world.resume_all()


async def test_a_stop_that_was_resumed_is_not_undone() -> None:
    """Its thread is still suspended, by the user; a Resume of everything would take that."""
    jvm = FakeJvm()
    async with jvm.listening() as address, jdbpy.attach_session(address) as session:
        stop = await session.execution.pause()
        assert stop.thread is not None
        await session.execution.suspend([stop.thread.id])
        await session.execution.resume()
        await jvm.wait_for(virtual_machine.Resume)
        session.undo_pause(stop)
        await session.threads.list()
        assert len(jvm.received(virtual_machine.Resume)) == 1
        assert session._target.suspension.count(stop.thread.id) == 1


def resumes_of_everything(jvm: FakeJvm) -> list[Any]:
    """Return, for each resume of all threads, the threads that were suspended just before it."""
    told = [each for each in jvm.commands if isinstance(each, virtual_machine.Resume | thread_reference.Suspend)]
    found, before = list[Any](), list[int]()
    for each in told:
        if isinstance(each, thread_reference.Suspend):
            before.append(int(each.thread))
        else:
            found.append(before)
            before = []
    return found


async def test_a_thread_that_runs_alone_keeps_the_event_that_comes_in() -> None:
    """The agent's Resume lowers every count above 0: the thread is suspended first, so that its event's count stays."""
    jvm = FakeJvm()
    async with jvm.listening() as address, jdbpy.attach_session(address) as session:
        await session.threads.list()  # it is known that the thread is no virtual one, which must not be suspended
        await cancelled_suspend(session, jvm, virtual_machine.Suspend, None)
        await session.execution.resume(1)
        await jvm.release()
        await jvm.wait_for(virtual_machine.Resume)
        await session.threads.list()
        assert resumes_of_everything(jvm) == [[1]]
        assert session._target.suspension.counts() == (0, {})


async def test_a_thread_whose_method_may_have_returned_does_not_run_on() -> None:
    """The reply of its call may be on its way, and the thread stand at its event again."""
    jvm = FakeJvm()
    async with jvm.listening() as address, jdbpy.attach_session(address) as session:
        await session.breakpoints.add("Played.main", policy=SuspendPolicy.THREAD)
        await jvm.hit(1)
        await session.next_stop()
        await cancelled_suspend(session, jvm, virtual_machine.Suspend, None)
        session._target.invocations.begin(1, others_run=False)
        await jvm.release()
        await jvm.wait_for(virtual_machine.Resume)
        session._target.invocations.ended(1)
        await session.threads.list()
        assert resumes_of_everything(jvm) == [[1]]
        assert session._target.suspension.count(1) == 1


async def test_a_hit_that_was_put_off_comes() -> None:
    """It waited until nothing else suspends its thread any more."""
    jvm = FakeJvm()
    async with jvm.listening() as address, jdbpy.attach_session(address) as session:
        point = await session.breakpoints.add("Played.main", policy=SuspendPolicy.ALL, condition="1 == 1")
        jvm.hold(virtual_machine.Suspend)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(session.execution.suspend)
            await jvm.wait_for(virtual_machine.Suspend)
            await jvm.hit(1)
            await session.threads.list()
            assert session._dispatcher.put_off == {1}
            nursery.cancel_scope.cancel()
        await jvm.release()
        with within(LIMIT):
            stop = await session.next_stop()
        assert isinstance(stop, jdbpy.Stopped)
        assert stop.breakpoint == point.number

"""Stops and who takes them; what the user suspends by hand beside them."""

from __future__ import annotations

import pytest
import trio
import trio.testing

import jdbpy
from jdbpy import Session, StateError, SuspendPolicy
from jdbpy.wire.command import Empty
from jdbpy.wire.messages import event_request, thread_reference, virtual_machine
from tests.fakes.jvm import FakeJvm
from tests.fakes.world import FakeThread
from tests.harness import Jvm, start_target
from tests.session.running import counts_of


def crowded(threads: int = 3) -> FakeJvm:
    jvm = FakeJvm()
    for number in range(2, threads + 1):
        jvm.world.threads[number] = FakeThread(number, f"worker-{number}", list(jvm.world.threads[1].stack))
    return jvm


async def add(session: Session, policy: SuspendPolicy = SuspendPolicy.THREAD) -> int:
    return (await session.breakpoints.add("Played.main", policy=policy)).number


def thread_of(stop: jdbpy.Stopped | jdbpy.Exited) -> int:
    assert isinstance(stop, jdbpy.Stopped)
    assert stop.thread is not None
    return stop.thread.id


async def test_a_subscriber_takes_no_stop_from_cont() -> None:
    jvm = crowded()
    async with jvm.listening() as address, jdbpy.attach_session(address) as session:
        await add(session)
        with session.events() as events:
            await jvm.hit(1)
            assert thread_of(await session.execution.cont()) == 1
            await jvm.hit(2)
            await jvm.hit(3)
            seen = [thread_of(await anext(events)) for _ in range(3)]  # type: ignore[arg-type]
            assert seen == [1, 2, 3]
            assert thread_of(await session.execution.cont()) == 2
            assert thread_of(await session.execution.cont()) == 3


async def test_resume_after_a_subscriber_has_shown_the_stops_releases_them() -> None:
    jvm = crowded()
    async with jvm.listening() as address, jdbpy.attach_session(address) as session:
        await add(session)
        with session.events() as events:
            await jvm.hit(1)
            await session.execution.cont()
            await jvm.hit(2)
            assert [thread_of(await anext(events)) for _ in range(2)] == [1, 2]  # type: ignore[arg-type]
            assert await session.execution.resume() == ()
            await jvm.wait_for(thread_reference.Resume)
            await session.threads.list()
            assert jvm.world.suspended() == []


async def test_all_who_wait_get_the_stop() -> None:
    jvm = crowded()
    found: list[jdbpy.Stopped | jdbpy.Exited] = []
    async with jvm.listening() as address, jdbpy.attach_session(address) as session:
        await add(session)

        async def wait() -> None:
            found.append(await session.next_stop())

        async with trio.open_nursery() as nursery:
            for _ in range(3):
                nursery.start_soon(wait)
            await trio.testing.wait_all_tasks_blocked(0.01)
            await jvm.hit(1)
        assert len(found) == 3
        assert found[0] is found[1] is found[2]
        await session.execution.resume()
        with trio.move_on_after(0.05) as scope:
            await session.next_stop()
        assert scope.cancelled_caught


async def test_resume_returns_the_stops_that_it_leaves() -> None:
    jvm = crowded()
    async with jvm.listening() as address, jdbpy.attach_session(address) as session:
        await add(session)
        await jvm.hit(1)
        assert thread_of(await session.next_stop()) == 1
        await jvm.hit(2)
        await session._target.publisher.wait_for_stop()
        [left] = await session.execution.resume()
        assert thread_of(left) == 2
        assert await session.next_stop() is left


async def test_the_stop_of_a_removed_breakpoint_is_none() -> None:
    jvm = crowded()
    async with jvm.listening() as address, jdbpy.attach_session(address) as session:
        number = await add(session)
        await jvm.hit(2)
        await session._target.publisher.wait_for_stop()
        await session.breakpoints.remove([number])
        with pytest.raises(StateError, match="the target is running already"):
            await session.execution.resume()
        await add(session)
        await jvm.hit(3)
        assert thread_of(await session.execution.cont()) == 3


async def test_resume_yields_to_the_event_loop() -> None:
    jvm = crowded()
    async with jvm.listening() as address, jdbpy.attach_session(address) as session:
        with trio.CancelScope() as scope:
            scope.cancel()
            await session.execution.resume()
        assert scope.cancelled_caught


async def test_a_later_stop_of_another_thread_leaves_the_selection() -> None:
    jvm = crowded()
    async with jvm.listening() as address, jdbpy.attach_session(address) as session:
        await add(session)
        await jvm.hit(1)
        await session.next_stop()
        await jvm.hit(2)
        later = await session.next_stop()
        assert thread_of(later) == 2
        assert session.selection[0] == 1
        await session.execution.resume()
        await jvm.hit(3)
        await session.next_stop()
        assert session.selection[0] == 3


async def test_the_selection_follows_a_stop_of_everything() -> None:
    jvm = crowded()
    async with jvm.listening() as address, jdbpy.attach_session(address) as session:
        await add(session)
        await jvm.hit(1)
        await session.next_stop()
        await session.breakpoints.add("Played.total", policy=SuspendPolicy.ALL)
        await jvm.hit(2)
        await session.next_stop()
        assert session.selection[0] == 2


@pytest.mark.every_java
async def test_suspend_and_resume_by_hand_leave_a_stop_as_it_was(jvm: Jvm) -> None:
    async with start_target(jvm, "Busy", "1", suspend=False) as target:
        await target.wait_output("ready")
        async with jdbpy.attach_session(target.address) as session:
            execution = session.execution
            await session.breakpoints.add("Busy.work")
            stop = await session.next_stop()
            at_stop = await counts_of(session)
            thread = thread_of(stop)
            other = next(each for each in at_stop if each != thread)
            for threads in (None, [thread], [other]):
                await execution.suspend(threads)
                assert await counts_of(session) != at_stop
                await execution.unsuspend(threads)
                assert await counts_of(session) == at_stop
                assert session.selection[0] == thread
            await session.breakpoints.clear_all()
            await execution.resume()
            assert set((await counts_of(session)).values()) == {0}


async def test_a_thread_that_runs_while_the_vm_is_suspended_keeps_its_hits() -> None:
    """The agent counts an event before the debugger has it: no command that is sent meanwhile may take that count."""
    jvm = crowded()
    async with jvm.listening() as address, jdbpy.attach_session(address) as session:
        await add(session)
        execution = session.execution
        await jvm.hit(1)
        assert thread_of(await execution.next_stop()) == 1
        await execution.suspend()
        await execution.resume(1)
        await jvm.hit(1)
        assert thread_of(await execution.next_stop()) == 1
        await execution.resume(1)
        on_the_way = [1]

        async def hit_and_resume(_: virtual_machine.Resume) -> Empty:
            while on_the_way:
                await jvm.hit(on_the_way.pop())
            jvm.world.resume_all()
            return Empty()

        jvm.on(virtual_machine.Resume, hit_and_resume)
        await execution.resume()
        assert thread_of(await execution.next_stop()) == 1
        assert jvm.world.suspended() == ["main"]
        await execution.suspend()
        await execution.resume(1)
        await jvm.hit(1)
        assert thread_of(await execution.next_stop()) == 1
        sent = len(jvm.commands)
        await execution.resume()
        await jvm.wait_for(virtual_machine.Resume)
        await session.threads.list()
        assert not [each for each in jvm.commands[sent:] if isinstance(each, thread_reference.Resume)]
        assert jvm.world.suspended() == []


@pytest.mark.parametrize("by_watchdog", [False, True])
async def test_a_thread_whose_hit_is_looked_at_is_resumed_once(by_watchdog: bool) -> None:
    """It runs, as far as its user is concerned. What is found out of the hit after the watchdog has resumed it neither
    stops, nor takes from the count of the thread's next hit."""
    jvm = crowded()
    async with jvm.listening() as address, jdbpy.attach_session(address) as session:
        await session.breakpoints.add("Played.main", policy=SuspendPolicy.THREAD, callers=("Nowhere.at",))
        await jvm.wait_for(event_request.Set)
        jvm.hold(thread_reference.Frames)
        await jvm.hit(1)
        await jvm.wait_for(thread_reference.Frames)
        if by_watchdog:
            session.execution.release([1])
        else:
            with pytest.raises(StateError, match="the thread is running"):
                session.execution._resuming.resume(1)  # the hit has come while the public method went to work
        await jvm.release()
        await session._target.publisher.settled()
        await session.threads.list()  # all commands before have come
        assert [int(each.thread) for each in jvm.received(thread_reference.Resume)] == [1]
        assert session.last_stop is None


@pytest.mark.every_java
async def test_a_step_outlives_the_stop_of_another_thread(jvm: Jvm) -> None:
    async with start_target(jvm, "Busy", "2", suspend=False) as target:
        await target.wait_output("ready")
        async with jdbpy.attach_session(target.address) as session:
            execution = session.execution
            await session.breakpoints.add("Busy.work")
            first = thread_of(await session.next_stop())
            other = next(
                each.id for each in await session.threads.list() if each.name.startswith("busy") and each.id != first
            )
            await session.breakpoints.clear_all()
            await session.breakpoints.add("Busy.work", thread=other)
            await execution.start_step(jdbpy.StepDepth.OUT, thread_id=first)
            stops: list[jdbpy.Stopped] = []
            while not stops or stops[-1].reason is not jdbpy.StopReason.STEP:
                stop = await execution.cont()
                assert isinstance(stop, jdbpy.Stopped)
                stops.append(stop)
            assert thread_of(stops[-1]) == first

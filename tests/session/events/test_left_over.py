"""What an earlier debugger left in the agent: suspended threads, and an event that the next one gets."""

from __future__ import annotations

import pytest

import jdbpy
from jdbpy import SuspendPolicy
from jdbpy.session.connect import attach
from jdbpy.session.events import leaving
from jdbpy.wire.constants import JdwpSuspendPolicy as Policy
from jdbpy.wire.ids import ThreadID
from jdbpy.wire.messages import event, thread_reference, virtual_machine
from tests.fakes.jvm import FakeJvm
from tests.fakes.world import FakeThread
from tests.harness import LIMIT, within


@pytest.fixture
def _short_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    """No stop at the start is going to come."""
    monkeypatch.setattr(attach, "START_LIMIT", 0.05)


def busy_jvm(threads: int = 3) -> FakeJvm:
    jvm = FakeJvm()
    for number in range(2, threads + 1):
        jvm.world.threads[number] = FakeThread(number, f"worker-{number}", list(jvm.world.threads[1].stack))
    return jvm


@pytest.mark.usefixtures("_short_wait")
@pytest.mark.parametrize(("suspended", "said"), [([1], "1 thread was"), ([1, 2, 3], "3 threads were")])
async def test_threads_that_were_left_suspended_are_resumed_and_reported(suspended: list[int], said: str) -> None:
    jvm = busy_jvm()
    for number in suspended:
        jvm.world.threads[number].suspend_count = 2
    async with jvm.listening() as address, jdbpy.attach_session(address) as session:
        assert jvm.world.suspended() == []
        with session.events() as events:
            notice = events.take_nowait()
        assert notice == jdbpy.Notice("warning", f"{said} left suspended by an earlier debugger; resumed")
        assert session.suspended_threads == ()


async def test_a_stop_at_the_start_is_none_of_an_earlier_debugger() -> None:
    jvm = busy_jvm()
    async with jvm.listening() as address:

        async def start() -> None:
            jvm._before.clear()
            await jvm.happen(event.VMStart(0, ThreadID(1)))

        jvm.before(virtual_machine.CapabilitiesNew, start)
        async with jdbpy.attach_session(address) as session:
            assert session.last_stop is not None
            assert len(jvm.world.suspended()) == 3


async def test_a_vm_whose_program_has_not_begun_takes_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its main thread has no frame: no earlier debugger can have suspended it at an event of the program."""
    monkeypatch.setattr(attach, "START_LIMIT", 0.0)
    jvm = busy_jvm()
    jvm.world.threads[1].stack.clear()
    for thread in jvm.world.threads.values():
        thread.suspend_count = 1

    async def start() -> None:
        jvm._before.clear()
        for thread in jvm.world.threads.values():
            thread.suspend_count = 0  # it is the event that has suspended them
        await jvm.happen(event.VMStart(0, ThreadID(1)))

    jvm.before(thread_reference.FrameCount, start)
    async with jvm.listening() as address, jdbpy.attach_session(address) as session:
        assert session.last_stop is not None
        assert session.last_stop.reason is jdbpy.StopReason.START
        assert len(jvm.world.suspended()) == 3


@pytest.mark.parametrize("suspends", [True, False])
async def test_a_vm_that_is_about_to_begin_is_waited_for(suspends: bool) -> None:
    """The agent has answered, and its helper thread has not suspended the VM yet; or it is not to, and main gets on."""
    jvm = busy_jvm()
    jvm.world.begun = False
    stack = list(jvm.world.threads[1].stack)
    jvm.world.threads[1].stack.clear()

    async def begin() -> None:
        jvm._before.clear()
        if suspends:
            await jvm.happen(event.VMStart(0, ThreadID(1)))
        else:
            jvm.world.threads[1].stack += stack

    jvm.before(thread_reference.FrameCount, begin)
    async with jvm.listening() as address, jdbpy.attach_session(address) as session:
        assert (session.last_stop is not None) == suspends
        assert len(jvm.world.suspended()) == (3 if suspends else 0)


@pytest.mark.usefixtures("nothing_ahead")
async def test_a_session_with_nothing_left_over_asks_no_more() -> None:
    jvm = busy_jvm()
    async with jvm.listening() as address, jdbpy.attach_session(address) as session:
        assert session.statistics().waves == 1


async def leftover(what: event.Event) -> tuple[FakeJvm, list[str]]:
    """The names of threads that are suspended after an event which is not of the session's breakpoint."""
    jvm = busy_jvm()
    async with jvm.listening() as address, jdbpy.attach_session(address) as session:
        await session.breakpoints.add("Played.main", policy=SuspendPolicy.THREAD)
        with session.events() as events, within(LIMIT):
            await jvm.happen(what, policy=Policy.EVENT_THREAD)
            notice = await anext(events)
        assert isinstance(notice, jdbpy.Notice)
        assert notice.text.startswith("an event was ignored: ")
        await jvm.wait_for(thread_reference.Resume)
        assert session.last_stop is None
        assert [each.hits for each in session.breakpoints.list()] == [0]
        return jvm, jvm.world.suspended()


async def test_an_event_of_another_kind_than_its_request_is_dropped() -> None:
    place = FakeJvm().world.threads[1].stack[0]
    _, suspended = await leftover(event.MethodEntry(2, ThreadID(1), place))
    assert suspended == []


async def test_an_event_at_another_place_than_its_request_is_dropped() -> None:
    place = FakeJvm().world.threads[1].stack[0]
    _, suspended = await leftover(event.Breakpoint(2, ThreadID(1), place.replace(index=16)))
    assert suspended == []


@pytest.mark.usefixtures("_short_wait")
async def test_what_cannot_be_resumed_holds_up_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaving, "LIMIT", 0.1)
    jvm = busy_jvm()
    jvm.on(thread_reference.SuspendCount, thread_reference.SuspendCountReply(1))
    async with jvm.listening() as address:
        with pytest.raises(jdbpy.LeaveError):
            async with jdbpy.attach_session(address) as session:
                await session.breakpoints.add("Played.main")

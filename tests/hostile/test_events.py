"""Events that cannot be: the session goes on, a warning names what was wrong, and no thread stays suspended."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest
from trio.testing import wait_all_tasks_blocked

import jdbpy
from jdbpy.session.events.streams import EventStream
from jdbpy.session.model.events import Notice, StopReason
from jdbpy.wire.constants import EventKind, JdwpSuspendPolicy
from jdbpy.wire.ids import ClassID, CodeLocation, MethodID, ReferenceTypeID, ThreadID
from jdbpy.wire.messages import event
from tests.fakes.jvm import FakeJvm
from tests.fakes.world import FakeThread
from tests.harness import LIMIT, within

ALL, THREAD = JdwpSuspendPolicy.ALL, JdwpSuspendPolicy.EVENT_THREAD
MAIN, NO_THREAD = ThreadID(1), ThreadID(0)
NOWHERE = CodeLocation(1, ClassID(ReferenceTypeID(0)), MethodID(0), 0)
THE_REQUEST = -1
"""Stands for the id of the breakpoint's request."""


def breakpoint_at(location: CodeLocation, thread: ThreadID = MAIN, request: int = THE_REQUEST) -> event.Breakpoint:
    return event.Breakpoint(request, thread, location)


PLACE = CodeLocation(1, ClassID(ReferenceTypeID(100)), MethodID(0x7000), 0)
"""The entry of Played.main, where the breakpoint of these tests is."""

CASES: dict[str, tuple[int, Sequence[event.Event], str]] = {
    "the request of another kind": (ALL, [event.SingleStep(THE_REQUEST, MAIN, PLACE)], "SINGLE_STEP for a request of"),
    "of another kind, the thread alone": (THREAD, [event.MethodEntry(THE_REQUEST, MAIN, PLACE)], "METHOD_ENTRY for"),
    "a class for a breakpoint": (
        ALL,
        [event.ClassPrepare(THE_REQUEST, MAIN, 1, ReferenceTypeID(7), "LX;", 7)],
        "PREPARE",
    ),
    "a dead VM for a breakpoint": (ALL, [event.VMDeath(THE_REQUEST)], "VM_DEATH for a request of BREAKPOINT"),
    "thread 0": (ALL, [breakpoint_at(PLACE, NO_THREAD)], "BREAKPOINT without a thread"),
    "thread 0, the thread alone": (THREAD, [breakpoint_at(PLACE, NO_THREAD)], "BREAKPOINT without a thread"),
    "no location": (ALL, [breakpoint_at(NOWHERE)], "BREAKPOINT without a location"),
    "not requested": (ALL, [breakpoint_at(PLACE, MAIN, 0)], "BREAKPOINT that was not requested"),
    "no events": (ALL, [], ""),
    "no events, the thread alone": (THREAD, [], ""),
    "an unknown request": (ALL, [breakpoint_at(PLACE, MAIN, 123456)], ""),
    "a negative request": (ALL, [breakpoint_at(PLACE, MAIN, -7)], ""),
    "an unknown kind": (ALL, [event.UnknownEvent(0, 200, b"\0\0\0\1")], "an event of an unknown kind (200)"),
    "an unknown thread": (ALL, [event.SingleStep(0, ThreadID(4711), PLACE)], "SINGLE_STEP that was not requested"),
}


@pytest.mark.parametrize("case", CASES)
async def test_the_session_goes_on(case: str) -> None:
    policy, events, warning = CASES[case]
    async with playing() as (jvm, session, stream):
        request = await set_breakpoint(jvm, session)
        if policy == THREAD:  # as a real agent: where no thread is named it suspends all
            jvm.world.suspend_all() if not getattr(events[0] if events else None, "thread", 0) else None
        await jvm.happen(*(_of(one, request) for one in events), policy=policy)
        await settled(session)
        assert not jvm.world.suspended()
        await jvm.hit()  # the next one is handled as always
        stop = await session.next_stop()
        assert isinstance(stop, jdbpy.Stopped) and stop.reason is StopReason.BREAKPOINT
        texts = warnings(stream)
        assert len(texts) == bool(warning) and all(warning in text for text in texts)


@pytest.mark.parametrize("policy", [3, 17, 255])
@pytest.mark.parametrize("of_ours", [True, False], ids=["of our request", "of nobody's"])
async def test_an_unknown_policy_counts_as_all(policy: int, of_ours: bool) -> None:
    async with playing() as (jvm, session, stream):
        request = await set_breakpoint(jvm, session)
        jvm.world.suspend_all()  # what such an agent does is its own; this is the most it can do
        await jvm.happen(breakpoint_at(PLACE, MAIN, request if of_ours else 999), policy=policy)
        if of_ours:
            stop = await session.next_stop()
            assert isinstance(stop, jdbpy.Stopped) and stop.policy is jdbpy.SuspendPolicy.ALL
            await session.execution.resume()
        await settled(session)
        assert not jvm.world.suspended()
        [text] = warnings(stream)
        assert f"unknown suspend policy {policy}" in text


async def test_events_of_several_threads_in_a_set_resume_all() -> None:
    async with playing() as (jvm, session, _):
        jvm.world.threads[2] = FakeThread(2, "other", list(jvm.world.threads[1].stack))
        jvm.world.suspend_all()
        jvm.world.threads[1].resume()  # happen() suspends it
        await jvm.happen(*(event.SingleStep(77, ThreadID(one), PLACE) for one in (1, 2)), policy=THREAD)
        await settled(session)
        assert not jvm.world.suspended()


async def test_duplicates_leave_nothing_suspended() -> None:
    """The same hit twice in a set, and the same set twice."""
    async with playing() as (jvm, session, _):
        request = await set_breakpoint(jvm, session)
        for _ in range(2):
            await jvm.happen(*[breakpoint_at(PLACE, MAIN, request)] * 2)
        stop = await session.next_stop()
        assert isinstance(stop, jdbpy.Stopped) and stop.reason is StopReason.BREAKPOINT
        assert isinstance(await session.execution.cont(), jdbpy.Stopped)
        await session.execution.resume()
        await settled(session)
        assert not jvm.world.suspended()


async def test_a_fault_of_ours_ends_no_session(monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(votes: object) -> None:
        raise KeyError("oops")

    async with playing() as (jvm, session, stream):
        await set_breakpoint(jvm, session)
        with monkeypatch.context() as patch:
            patch.setattr(session._dispatcher, "_show_stop", broken)
            await jvm.hit()
            await settled(session)
        assert not jvm.world.suspended()
        [text] = warnings(stream)
        assert "a fault of jdbpy: KeyError: 'oops'" in text
        await jvm.hit()
        assert isinstance(await session.next_stop(), jdbpy.Stopped)


@asynccontextmanager
async def playing() -> AsyncIterator[tuple[FakeJvm, jdbpy.Session, EventStream]]:
    """A played JVM with a session; afterwards nothing may be suspended in it."""
    jvm = FakeJvm()
    with within(LIMIT):
        async with jvm.listening() as address:
            async with jdbpy.attach_session(address) as session:
                with session.events() as stream:
                    yield jvm, session, stream
            await jvm.gone.wait()
            assert not jvm.world.suspended()


async def set_breakpoint(jvm: FakeJvm, session: jdbpy.Session) -> int:
    await session.breakpoints.add("Played.main")
    [request] = [one for one, made in jvm.requests.items() if made.eventKind == EventKind.BREAKPOINT]
    return request


async def settled(session: jdbpy.Session) -> None:
    """All that was sent is handled, and what that has led to is answered."""
    for _ in range(2):
        await session.threads.list()
        await wait_all_tasks_blocked()


def warnings(stream: EventStream) -> list[str]:
    return [one.text for one in iter(stream.take_nowait, None) if isinstance(one, Notice) and one.kind == "warning"]


def _of(one: event.Event, request: int) -> event.Event:
    return one.replace(requestID=request) if one.requestID == THE_REQUEST else one

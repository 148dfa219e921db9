"""The dispatcher's votes and order, against a played target: races that no JVM makes on demand."""

from __future__ import annotations

from collections import deque

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from jdbpy.errors import JdwpError, StateError
from jdbpy.session.events.dispatch import EXIT_LIMIT
from jdbpy.session.events.requests import (
    RESUME,
    CountingFilter,
    Handler,
    RequestHit,
    RequestSpec,
    Verdict,
    Vote,
)
from jdbpy.session.events.suspension import SuspendOp
from jdbpy.session.model.events import Exited, Notice, StopReason, VMDisconnected
from jdbpy.session.model.vm import VmState
from jdbpy.wire.constants import Error, EventKind, JdwpSuspendPolicy
from jdbpy.wire.messages import event, event_request, thread_reference, virtual_machine
from tests.fakes.stage import ALL, MAIN, NONE, OTHER, PLACE, THREAD, go_at_once, stage, stop, stop_at_once

BREAKPOINT = event_request.Set(EventKind.BREAKPOINT, ALL, [])


async def go(hit: RequestHit) -> Verdict:
    return RESUME


async def test_all_agree_to_go_on_and_the_set_is_resumed_once() -> None:
    async with stage() as s:
        await s.request(2, go)
        await s.request(3, go)
        await s.hit(2, 3)
        await s.peer.answer(virtual_machine.Resume())
        assert not s.shown
        assert s.target.state is VmState.RUNNING


@pytest.mark.parametrize("goes", [go, go_at_once])
@pytest.mark.parametrize("stops", [stop, stop_at_once])
async def test_one_vote_stops_the_set(goes: Handler, stops: Handler) -> None:
    async with stage() as s:
        await s.request(2, goes)
        await s.request(3, stops)
        await s.hit(2, 3)
        assert [[hit.event.requestID for hit, _ in votes] for votes in s.shown] == [[3]]
        assert s.target.state is VmState.STOPPED


async def test_a_thread_policy_is_resumed_by_the_thread() -> None:
    async with stage() as s:
        await s.request(2, go, THREAD)
        await s.hit(2, policy=THREAD, thread=OTHER)
        await s.peer.answer(thread_reference.Resume(OTHER))
        assert not s.target.suspension.anything_held


async def test_an_event_of_a_cleared_request_is_passed() -> None:
    async with stage() as s:
        await s.request(2, stop)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(s.target.requests.remove, s.target.requests.all_active())
            clear = await s.peer.expect(event_request.Clear(EventKind.BREAKPOINT, 2))
            await s.peer.event(event.Composite(ALL, [event.Breakpoint(2, MAIN, PLACE)]))
            await s.peer.reply(clear)
        await s.peer.answer(virtual_machine.Resume())
        assert not s.shown


async def test_an_event_that_overtakes_the_reply_finds_its_handler() -> None:
    async with stage() as s, trio.open_nursery() as nursery:
        nursery.start_soon(s.target.requests.add, EventKind.BREAKPOINT, ALL, [], stop)
        packet = await s.peer.expect(BREAKPOINT)
        await s.hit(9)
        assert not s.shown
        await s.peer.reply(packet, event_request.SetReply(9))
        await wait_all_tasks_blocked()
        assert len(s.shown) == 1


async def test_a_begin_that_overtakes_the_reply_is_not_handled_after_the_end() -> None:
    """Calls are paired by the order in which their events come in: one that is handled late would never end."""
    seen: list[str] = []

    def at_once(name: str) -> RequestSpec:
        def take(data: bytes) -> bool:
            seen.append(name)
            return True

        def handle(hit: RequestHit) -> Vote:
            seen.append(name)
            return RESUME

        counted = CountingFilter(take, deque())
        return RequestSpec(EventKind.BREAKPOINT, NONE, [], handle, counting_filter=counted, immediate=True)

    async with stage() as s, trio.open_nursery() as nursery:
        command = event_request.Set(EventKind.BREAKPOINT, NONE, [])
        nursery.start_soon(s.target.requests.add_many, [at_once("end")])
        await s.peer.answer(command, event_request.SetReply(2))
        nursery.start_soon(s.target.requests.add_many, [at_once("begin")])
        packet = await s.peer.expect(command)
        await s.hit(3, policy=NONE)
        await s.hit(2, policy=NONE)
        await s.peer.reply(packet, event_request.SetReply(3))
        await wait_all_tasks_blocked()
        assert seen == ["end"]
        await s.hit(3, policy=NONE)
        await s.hit(2, policy=NONE)
        assert seen == ["end", "begin", "end"]


async def test_sets_wait_for_a_slow_handler_but_those_of_an_evaluating_thread_do_not() -> None:
    async with stage() as s:
        release = trio.Event()

        async def evaluate(hit: RequestHit) -> Verdict:
            s.target.invocations.begin(hit.thread, others_run=False)
            await release.wait()
            s.target.invocations.ended(hit.thread)
            return RESUME

        await s.request(2, evaluate, THREAD)
        await s.request(3, stop, THREAD)
        await s.hit(2, policy=THREAD, thread=MAIN)
        await s.hit(3, policy=THREAD, thread=OTHER)
        assert not s.shown  # it waits its turn
        await s.hit(3, policy=THREAD, thread=MAIN)  # a breakpoint inside the invoked method
        await s.peer.answer(thread_reference.Resume(MAIN))
        release.set()
        await s.peer.answer(thread_reference.Resume(MAIN))
        await wait_all_tasks_blocked()
        assert [hit.thread for hit, _ in s.shown[0]] == [OTHER]
        assert not s.target.suspension.is_suspended(MAIN)


@pytest.mark.parametrize("policy", [THREAD, ALL])
async def test_a_hit_that_is_not_decided_is_not_released(policy: JdwpSuspendPolicy) -> None:
    """The user's ``cont`` is about what has stopped; a thread whose condition is being read has not."""
    async with stage() as s:
        release = trio.Event()

        async def think(hit: RequestHit) -> Verdict:
            await release.wait()
            return await stop(hit)

        await s.request(2, stop, THREAD)
        await s.request(3, think, policy)
        await s.hit(2, policy=THREAD, thread=OTHER)
        await s.hit(3, policy=policy, thread=MAIN)
        assert s.target.suspension.plan_release() == [(SuspendOp.THREAD_RESUME, OTHER)]
        assert s.target.suspension.threads_at_events() == [OTHER]
        release.set()
        await wait_all_tasks_blocked()
        assert s.target.suspension.threads_at_events() == [MAIN, OTHER]
        everything = [(SuspendOp.VM_RESUME, 0)] if policy is ALL else [(SuspendOp.THREAD_RESUME, MAIN)]
        assert sorted(s.target.suspension.plan_release(), key=str) == sorted(
            [*everything, (SuspendOp.THREAD_RESUME, OTHER)], key=str
        )


def fail_at_once(hit: RequestHit) -> Verdict:
    raise JdwpError(Error.INVALID_OBJECT, "INVALID_OBJECT")


async def fail_later(hit: RequestHit) -> Verdict:
    return fail_at_once(hit)


@pytest.mark.parametrize("fail", [fail_at_once, fail_later])
async def test_a_hit_that_cannot_be_looked_at_is_a_stop_that_says_why(fail: Handler) -> None:
    """Resuming it would lose the stop."""
    async with stage() as s:
        await s.request(2, fail)
        await s.hit(2)
        [[(hit, plan)]] = s.shown
        assert (hit.event.requestID, plan.reason) == (2, StopReason.BREAKPOINT)
        assert "INVALID_OBJECT" in plan.extra["error"]
        assert s.target.state is VmState.STOPPED


async def test_an_unknown_kind_of_event_is_told_and_passed() -> None:
    async with stage() as s:
        with s.target.publisher.subscribe() as events:
            await s.peer.event(event.Composite(ALL, [event.UnknownEvent(0, 77, b"")]))
            await s.peer.answer(virtual_machine.Resume())
            told = await anext(events)
        assert isinstance(told, Notice) and "77" in told.text


async def test_vm_death_and_then_the_end_is_an_exit() -> None:
    async with stage() as s:
        await s.peer.event(event.Composite(NONE, [event.VMDeath(0), event.VMDeath(0)]))
        await s.peer.stream.aclose()
        assert isinstance(await s.target.publisher.wait_ended(), Exited)
        with pytest.raises(StateError):
            s.target.require_alive()


async def test_an_end_without_vm_death_is_a_lost_connection() -> None:
    async with stage() as s:
        await s.peer.stream.aclose()
        assert isinstance(await s.target.publisher.wait_ended(), VMDisconnected)


async def test_events_before_the_end_are_still_handled() -> None:
    async with stage() as s:
        await s.request(2, stop)
        await s.peer.event(event.Composite(ALL, [event.Breakpoint(2, MAIN, PLACE)]))
        await s.peer.stream.aclose()
        await s.target.publisher.wait_ended()
        assert len(s.shown) == 1


async def test_requests_that_are_refused_are_told_one_by_one() -> None:
    async with stage() as s, trio.open_nursery() as nursery:
        outcomes: list[object] = []

        async def add() -> None:
            spec = RequestSpec(EventKind.BREAKPOINT, ALL, [], go)
            outcomes.extend(await s.target.requests.add_many([spec, spec]))

        nursery.start_soon(add)
        first, second = await s.peer.expect(BREAKPOINT), await s.peer.expect(BREAKPOINT)
        await s.peer.reply(first, error=Error.INVALID_LOCATION)
        await s.peer.reply(second, event_request.SetReply(4))
        await wait_all_tasks_blocked()
        refused, taken = outcomes
        assert isinstance(refused, JdwpError) and refused.code == "INVALID_LOCATION"
        assert s.target.requests.find(4) is taken


async def test_a_cancelled_set_leaves_nothing_behind() -> None:
    async with stage() as s:
        spec = RequestSpec(EventKind.BREAKPOINT, ALL, [], go)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(s.target.requests.add_many, [spec, spec])
            answered, late = await s.peer.expect(BREAKPOINT), await s.peer.expect(BREAKPOINT)
            await s.peer.reply(answered, event_request.SetReply(4))
            await wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()
        await s.peer.answer(event_request.Clear(EventKind.BREAKPOINT, 4))
        await s.peer.reply(late, event_request.SetReply(5))
        await s.peer.answer(event_request.Clear(EventKind.BREAKPOINT, 5))
        assert not s.target.requests.all_active()


async def test_a_cancelled_suspend_is_taken_back_in_the_ledger_too() -> None:
    async with stage() as s:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(s.target.submit_op(SuspendOp.VM_SUSPEND).wait)
            packet = await s.peer.expect(virtual_machine.Suspend())
            await wait_all_tasks_blocked()
            nursery.cancel_scope.cancel()
        assert s.target.suspension.anything_held
        await s.peer.reply(packet)
        await s.peer.answer(virtual_machine.Resume())
        assert not s.target.suspension.anything_held


async def test_the_ledger_is_ahead_of_the_wire() -> None:
    async with stage() as s:
        await s.request(2, stop)
        await s.hit(2)
        s.target.submit_op(SuspendOp.VM_RESUME)
        assert not s.target.suspension.anything_held  # although no reply has come
        await s.hit(2)  # the event that the resume caused comes before its reply
        assert s.target.state is VmState.STOPPED
        await s.peer.answer(virtual_machine.Resume())


@pytest.mark.parametrize("told", [True, False])
async def test_a_launched_target_that_says_it_ends_has_its_time(told: bool, autojump_clock: MockClock) -> None:
    """Its exit status is waited for, however busy the machine is; after a lost connection it is not for long."""
    async with stage() as s:

        async def exit_status() -> int:
            await trio.sleep(3 * EXIT_LIMIT)
            return 7

        s.dispatcher.exit_status = exit_status
        if told:
            await s.peer.event(event.Composite(NONE, [event.VMDeath(0)]))
        await s.peer.stream.aclose()
        ending = await s.target.publisher.wait_ended()
        assert isinstance(ending, Exited) and ending.status == 7 if told else isinstance(ending, VMDisconnected)

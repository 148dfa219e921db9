"""``Suspension`` against a model of the agent's own counting (threadControl.c), under any sequence of commands."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import assume, given, strategies as st

from jdbpy.errors import StateError
from jdbpy.session.events.suspension import SuspendOp, Suspension
from jdbpy.session.model.threads import FrameInfo, Location, ThreadRef
from tests.fakes.suspending import THREADS, play, steps, thread_ids


@given(st.lists(steps, max_size=25))
def test_counts_are_the_agents(script: list[tuple[object, int]]) -> None:
    ledger, agent = play(script)
    assert {thread: ledger.count(thread) for thread in THREADS} == agent.counts
    assert {thread: ledger.epoch_of(thread) for thread in THREADS} == agent.runs


@given(st.lists(steps, max_size=25))
def test_cont_leaves_only_what_the_user_suspended(script: list[tuple[object, int]]) -> None:
    ledger, agent = play(script)
    users = {thread for thread in THREADS if ledger.user_holds.get(thread) and agent.counts[thread]}
    for op, thread in ledger.plan_release():
        assert op is not SuspendOp.THREAD_RESUME or agent.counts[thread], "it could take from the thread's next event"
        ledger.apply(op, thread, by_event=thread in ledger.event_holds)
        agent.take(op, thread)
    held = {thread for thread in THREADS if agent.counts[thread]}
    assert users <= held
    assert ledger.vm_holds == 0
    assert {thread: ledger.count(thread) for thread in THREADS} == agent.counts


@pytest.mark.parametrize("plan", [Suspension.plan_release, Suspension.plan_run_everything])
@given(st.lists(steps, max_size=25), thread_ids, st.booleans())
def test_no_event_that_is_on_its_way_is_resumed(
    plan: Callable[[Suspension], list[tuple[SuspendOp, int]]],
    script: list[tuple[object, int]],
    thread: int,
    all_of: bool,
) -> None:
    """A thread that runs, maybe alone, while all else is suspended, hits just before the commands reach the agent."""
    ledger, agent = play(script)
    assume(not agent.counts[thread])
    agent.change(THREADS if all_of else (thread,), +1)
    for op, each in plan(ledger):
        for alone in ledger.running_alone() if op is SuspendOp.VM_RESUME else ():
            ledger.apply(SuspendOp.THREAD_SUSPEND, alone)
            agent.take(SuspendOp.THREAD_SUSPEND, alone)
        ledger.apply(op, each, by_event=each in ledger.event_holds)
        agent.take(op, each)
    ledger.event(thread, everything=all_of)
    assert {each: ledger.count(each) for each in THREADS} == agent.counts
    assert agent.counts[thread] == 1


@given(st.lists(steps, max_size=25))
def test_leaving_runs_everything(script: list[tuple[object, int]]) -> None:
    ledger, agent = play(script)
    for op, thread in ledger.plan_run_everything():
        ledger.apply(op, thread)
        agent.take(op, thread)
    assert not any(agent.counts.values())
    assert not ledger.anything_held


@given(st.lists(steps, max_size=25), thread_ids)
def test_running_one_thread_leaves_the_others(script: list[tuple[object, int]], thread: int) -> None:
    ledger, agent = play(script)
    before = {other: count for other, count in agent.counts.items() if other != thread}
    for op, one in ledger.plan_run_thread(thread):
        ledger.apply(op, one)
        agent.take(op, one)
    assert agent.counts == {**before, thread: 0}


def test_a_kept_thread_outlives_cont() -> None:
    ledger = Suspension()
    ledger.event(1, everything=False)
    ledger.event(2, everything=False)
    assert ledger.plan_release(keep=frozenset({2})) == [(SuspendOp.THREAD_RESUME, 1)]


@pytest.mark.parametrize("everything", [False, True])
def test_an_event_that_is_still_to_be_decided_holds_nothing_that_anybody_has_seen(everything: bool) -> None:
    ledger = Suspension()
    ledger.event(1, everything=everything)
    ledger.undecided = 1, everything
    held = [ledger.anything_held]
    ledger.apply(SuspendOp.THREAD_SUSPEND, 2)
    held.append(ledger.anything_held)
    ledger.apply(SuspendOp.THREAD_RESUME, 2)
    ledger.undecided = None
    held.append(ledger.anything_held)
    assert held == [False, True, True]


def test_a_hold_that_the_agent_has_dropped_is_no_reason_any_more() -> None:
    ledger = Suspension()
    ledger.apply(SuspendOp.THREAD_SUSPEND, 1)
    ledger.apply(SuspendOp.VM_RESUME)
    ledger.event(1, everything=False)
    assert ledger.plan_release() == [(SuspendOp.THREAD_RESUME, 1)]
    assert 1 not in ledger.user_holds


def test_a_user_held_thread_that_lacks_a_count_gets_one_first() -> None:
    ledger = Suspension()
    ledger.apply(SuspendOp.VM_SUSPEND)
    ledger.apply(SuspendOp.THREAD_RESUME, 1)
    ledger.event(1, everything=False)
    ledger.apply(SuspendOp.THREAD_SUSPEND, 1)
    assert ledger.plan_release() == [
        (SuspendOp.THREAD_SUSPEND, 1),
        (SuspendOp.VM_RESUME, 0),
        (SuspendOp.THREAD_RESUME, 1),
    ]


def test_a_thread_held_by_name_stays_held_when_the_vm_goes_on() -> None:
    ledger = Suspension()
    ledger.event(1, everything=True)
    ledger.apply(SuspendOp.THREAD_SUSPEND, 3)
    for op, thread in ledger.plan_release():
        ledger.apply(op, thread)
    assert [ledger.is_suspended(thread) for thread in THREADS] == [False, False, True]


def frame_of(ledger: Suspension, thread: int) -> FrameInfo:
    location = Location("T", "m", "()V", None, None, 0)
    return FrameInfo(1, location, ThreadRef(thread, "t"), epoch=ledger.epoch_of(thread))


def test_a_frame_is_good_until_its_thread_runs() -> None:
    ledger = Suspension()
    ledger.event(1, everything=True)
    ledger.apply(SuspendOp.VM_SUSPEND)
    frame = frame_of(ledger, 1)
    ledger.apply(SuspendOp.VM_RESUME)
    ledger.require_current(frame)  # one of two holds went: it has not run
    ledger.apply(SuspendOp.VM_RESUME)
    with pytest.raises(StateError, match="running"):
        ledger.require_current(frame)
    ledger.event(1, everything=False)
    with pytest.raises(StateError, match="earlier stop"):
        ledger.require_current(frame)


def test_frames_outlive_invoked_methods_and_their_ids_do_not() -> None:
    ledger = Suspension()
    ledger.event(1, everything=False)
    frame = frame_of(ledger, 1)
    for _ in range(2):
        ledger.invoked(1)
        assert ledger.stopped_by_event(1)
        ledger.require_current(frame)
        assert frame.epoch != ledger.epoch_of(1)
    ledger.popped(1)
    with pytest.raises(StateError, match="earlier stop"):
        ledger.require_current(frame)
    later = frame_of(ledger, 1)
    ledger.invoked(1)
    ledger.require_current(later)
    ledger.apply(SuspendOp.THREAD_RESUME, 1, by_event=True)
    ledger.event(1, everything=False)
    ledger.invoked(1)
    with pytest.raises(StateError, match="earlier stop"):
        ledger.require_current(later)


def test_a_stop_lasts_until_the_thread_goes_on() -> None:
    """Methods that are run in it, and pops, void its frames; the stop is the same."""
    ledger = Suspension()
    ledger.event(1, everything=True)
    stop, resumed = ledger.stop_of(1), ledger.resumed(1)
    ledger.invoked(1)
    ledger.popped(1)
    assert ledger.stop_of(1) == stop
    assert ledger.resumed(1) == resumed  # a suspend from before is still to be taken back
    assert ledger.epoch_of(1) == stop + 2
    ledger.apply(SuspendOp.VM_RESUME)
    ledger.event(1, everything=False)
    assert ledger.stop_of(1) != stop and ledger.resumed(1) != resumed
    ledger.forget(1)
    assert ledger.stop_of(1) == ledger.epoch_of(1)


def test_there_is_no_moment_while_a_thread_runs() -> None:
    ledger = Suspension()
    ledger.event(1, everything=True)
    moment = ledger.moment
    assert moment is not None
    ledger.apply(SuspendOp.THREAD_RESUME, 2)
    assert ledger.moment is None
    ledger.apply(SuspendOp.THREAD_SUSPEND, 2)
    assert ledger.moment not in (None, moment)


def test_frames_are_others_when_the_thread_has_run_on_or_was_popped() -> None:
    ledger = Suspension()
    ledger.event(1, everything=True)
    frames = ledger.frames_of(1)
    ledger.invoked(1)
    assert ledger.frames_of(1) == frames
    ledger.popped(1)
    popped = ledger.frames_of(1)
    assert popped != frames
    ledger.apply(SuspendOp.VM_RESUME)
    assert ledger.frames_of(1) not in (frames, popped)


def test_only_the_thread_of_the_event_may_invoke() -> None:
    ledger = Suspension()
    ledger.event(1, everything=True)
    assert ledger.stopped_by_event(1)
    assert not ledger.stopped_by_event(2)
    ledger.apply(SuspendOp.VM_RESUME)
    ledger.apply(SuspendOp.VM_SUSPEND)
    assert not ledger.stopped_by_event(1)


def test_vm_start_gives_no_right_to_invoke() -> None:
    ledger = Suspension()
    ledger.event(1, everything=True, at_event=False)
    assert ledger.is_suspended(1)
    assert not ledger.stopped_by_event(1)


def test_a_brief_hold_is_no_stop() -> None:
    """It is not released by ``cont``, and is gone when the thread is resumed otherwise."""
    ledger = Suspension()
    ledger.apply(SuspendOp.THREAD_SUSPEND, 1, brief=True)
    assert (ledger.count(1), ledger.anything_held, ledger.held_threads()) == (1, False, [])
    assert ledger.plan_release() == []
    ledger.event(1, everything=False)
    assert (ledger.count(1), ledger.held_threads(), ledger.threads_at_events()) == (2, [1], [1])
    assert ledger.plan_release() == [(SuspendOp.THREAD_RESUME, 1)]
    ledger.apply(SuspendOp.THREAD_RESUME, 1, by_event=True)
    assert (ledger.count(1), ledger.anything_held) == (1, False)
    ledger.apply(SuspendOp.VM_SUSPEND)
    assert ledger.plan_release() == [(SuspendOp.VM_RESUME, 0)]
    ledger.apply(SuspendOp.VM_RESUME)
    ledger.apply(SuspendOp.THREAD_RESUME, 1, brief=True)
    assert (ledger.count(1), ledger.brief_holds) == (0, {})


def test_a_brief_hold_of_everything_is_no_stop() -> None:
    """A stop that comes within it is one, also that of a thread which was let run alone meanwhile."""
    ledger = Suspension()
    ledger.event(2, everything=False)
    ledger.apply(SuspendOp.VM_SUSPEND, brief=True)
    assert (ledger.frozen, ledger.everything_held, ledger.held_threads()) == (True, False, [2])
    assert ledger.plan_release() == [(SuspendOp.THREAD_RESUME, 2)]
    for op, thread in ledger.plan_run_thread(2):
        ledger.apply(op, thread, by_event=True)
    assert (ledger.count(2), ledger.anything_held, ledger.stopped_alone()) == (0, False, [])
    ledger.event(2, everything=False)
    assert (ledger.count(2), ledger.anything_held, ledger.stopped_alone()) == (1, True, [2])
    ledger.event(3, everything=True)
    assert ledger.everything_held
    assert ledger.plan_release() == [(SuspendOp.VM_RESUME, 0), (SuspendOp.THREAD_RESUME, 2)]
    ledger.apply(SuspendOp.VM_RESUME)
    assert (ledger.frozen, ledger.everything_held) == (True, False)
    ledger.apply(SuspendOp.VM_RESUME, brief=True)
    assert not ledger.frozen


def test_what_stands_at_a_stop_of_its_own_is_not_resumed_with_another() -> None:
    """Three stops suspend everything; the thread of the first steps on alone, to a breakpoint."""
    ledger = Suspension()
    for thread in (1, 2, 3):
        ledger.event(thread, everything=True)
    for op, thread in ledger.plan_run_thread(1):
        ledger.apply(op, thread)
    assert (ledger.count(1), ledger.stopped_alone()) == (0, [])
    ledger.event(1, everything=True)
    assert (ledger.count(1), ledger.count(2)) == (1, 4)
    assert ledger.stopped_alone() == [1]
    assert ledger.stopped_alone(but=1) == []  # the resume is for that stop
    assert ledger.stopped_alone(brief=True) == []  # it has not suspended this thread
    ledger.apply(SuspendOp.VM_SUSPEND, brief=True)
    assert ledger.stopped_alone(brief=True) == []

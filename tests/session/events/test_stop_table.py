"""The rules of stops against a model of the agent: suspend counts, hits, steps, methods and commands in any order.

The real ``WaitingStops``, ``Resuming``, ``Publisher`` and ``Suspension`` run on a target whose commands change the
counts of the model at once.
"""

from __future__ import annotations

from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any

import pytest
import trio
import trio.testing
from hypothesis import settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from jdbpy.errors import StateError
from jdbpy.session.events.clients import Steps
from jdbpy.session.events.selection import Selection
from jdbpy.session.events.stop_table import NEXT_STATES, STEP_LIMIT, StopState, StopTable, WaitingStop, WaitReason
from jdbpy.session.events.streams import Publisher
from jdbpy.session.events.suspension import SuspendOp, Suspension
from jdbpy.session.execution.resuming import Resuming
from jdbpy.session.execution.waiting import WaitingStops
from jdbpy.session.model.breakpoints import SuspendPolicy
from jdbpy.session.model.events import Stopped, StopReason
from jdbpy.session.model.threads import ThreadRef
from jdbpy.task_groups import open_nursery

THREADS = (1, 2, 3, 4)
POLICIES = (SuspendPolicy.ALL, SuspendPolicy.THREAD)


class Agent:
    """Suspend counts as the agent keeps them."""

    def __init__(self) -> None:
        self.counts = dict.fromkeys(THREADS, 0)

    def change(self, thread: int, by: int) -> None:
        for each in (thread,) if thread else THREADS:
            self.counts[each] = max(0, self.counts[each] + by)


class FakeTarget:
    """What stops need of a target; its commands take effect in the model at once."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._parts: dict[type[Any], Any] = {}
        self.suspension = Suspension()
        self.publisher = Publisher()
        self.selection = Selection()
        self.clients = None
        self.suspends: dict[int, int] = {}
        self.high_latency = False
        self.conn = SimpleNamespace(corked=nullcontext(), flush=lambda: None)
        self.invocations = SimpleNamespace(any=False, let_run=lambda: None)
        self.requests = SimpleNamespace(submit_clear=lambda requests: None)
        self.decisions = SimpleNamespace(settle=lambda thread, decision: None)
        self.publish = self.publisher.publish

    def require_alive(self) -> None: ...

    def part(self, kind: type[Any], make: Any) -> Any:
        if kind not in self._parts:
            self._parts[kind] = make(self)
        return self._parts[kind]

    def submit_op(self, op: SuspendOp, thread: int = 0, *, by_event: bool = False) -> None:
        if op is SuspendOp.VM_RESUME:
            for each in self.suspension.running_alone():
                self.submit_op(SuspendOp.THREAD_SUSPEND, each)
        self.suspension.apply(op, thread, by_event=by_event)
        self._agent.change(thread, +1 if op in (SuspendOp.VM_SUSPEND, SuspendOp.THREAD_SUSPEND) else -1)

    def unsuspend_all(self, *, but: int) -> None:
        for each in self.suspension.stopped_alone(but=but):
            self.submit_op(SuspendOp.THREAD_SUSPEND, each, by_event=True)
        self.submit_op(SuspendOp.VM_RESUME)


class Debugging(RuleBasedStateMachine):
    """One person debugs a program of four threads that all come to breakpoints."""

    @initialize(hold=st.sampled_from(POLICIES))
    def begin(self, hold: SuspendPolicy) -> None:
        self.hold = hold
        self.agent = Agent()
        target: Any = FakeTarget(self.agent)
        self.target = target
        self.waiting = WaitingStops.of(target)
        self.waiting.announce = self.announce
        self.steps = Steps.of(target)
        self.resuming = Resuming(self.target, SimpleNamespace(waiting=self.waiting))  # type: ignore[arg-type]
        self.stream = self.target.publisher.subscribe()
        self.shown: dict[int, Stopped] = {}  # that the person was shown, by thread, until it was resumed

    # -- the program -------------------------------------------------------------------------------------------------

    def coming(self) -> list[int]:
        """Return the threads that can come to a breakpoint."""
        return [each for each in THREADS if self.can_hit(each)] if hasattr(self, "agent") else []

    def stepped(self) -> list[int]:
        """Return the threads whose step can end."""
        pending = self.steps.pending if hasattr(self, "agent") else ()
        return [each for each in pending if self.agent.counts[each] == 0]

    def can_hit(self, thread: int) -> bool:
        """True if the thread runs, or had come to its breakpoint when everything was suspended."""
        own = self.target.suspension.event_holds.get(thread) or self.target.suspension.user_holds.get(thread)
        at_stop = thread in self.shown or thread in self.waiting.table.waiting_threads
        return not own and not at_stop and (self.agent.counts[thread] == 0 or self.hold is SuspendPolicy.ALL)

    @precondition(lambda self: self.coming())
    @rule(which=st.integers(0, 3), number=st.integers(1, 2), several=st.booleans())
    def hit(self, which: int, number: int, several: bool) -> None:
        """A thread comes to a breakpoint, or ``several`` do before anybody looks."""
        self.read()
        threads = self.coming()
        for thread in threads if several else [threads[which % len(threads)]] if threads else []:
            if self.can_hit(thread):
                self.stop(thread, StopReason.BREAKPOINT, breakpoints=(number,), breakpoint=number)

    @precondition(lambda self: self.stepped())
    @rule(which=st.integers(0, 3))
    def step_ends(self, which: int) -> None:
        threads = self.stepped()
        self.stop(threads[which % len(threads)], StopReason.STEP)

    def stop(self, thread: int, reason: StopReason, **extra: Any) -> None:
        suspension, everything = self.target.suspension, self.hold is SuspendPolicy.ALL
        suspension.event(thread, everything=everything)
        self.agent.change(0 if everything else thread, +1)
        suspension.undecided = (thread, everything)
        if everything and self.waiting.stepping(thread, self.hold):
            self.waiting.hold_alone(thread)
        ref = ThreadRef(thread, f"worker-{thread}", "")
        stop = Stopped(reason, ref, None, None, self.hold, suspension.epoch_of(thread), **extra)
        why = self.waiting.reason(thread, self.hold)
        if list(self.steps.pending) == [thread] and not suspension.evaluating:
            assert why is None, "who waits for the end of a step gets a stop"
        if why is None:
            self.announce(stop)
        else:
            self.waiting.wait(stop, why)
        suspension.undecided = None

    def announce(self, stop: Stopped) -> None:
        assert stop.thread is not None
        self.waiting.table.show(stop)
        self.steps.on_stop(stop)
        self.target.publish(stop)
        self.waiting.settle()

    # -- the person --------------------------------------------------------------------------------------------------

    @rule()
    def read(self) -> None:
        while (event := self.stream.take_nowait()) is not None:
            if isinstance(event, Stopped):
                self.is_true(event)

    def is_true(self, stop: Stopped) -> None:
        """The stop that is shown is one (S1), and no step of another thread is interrupted by it (S5)."""
        assert stop.thread is not None
        thread = stop.thread.id
        assert self.agent.counts[thread] > 0, f"{thread} runs, and is shown as stopped"
        assert thread not in self.shown, f"{thread} stands at a stop already"
        self.shown[thread] = stop
        self.target.selection.select(stop.thread)

    @precondition(lambda self: hasattr(self, "agent"))
    @rule()
    def cont(self) -> None:
        self.read()
        before = self.waiting.table.waiting_threads
        held = dict(self.agent.counts)
        try:
            unseen = self.resuming.resume()
        except StateError:
            assert not before, "stops wait, and 'cont' says that nothing is stopped"
            assert self.agent.counts == held
            return
        if before:
            assert unseen, "a waiting stop is shown instead of resuming"
        self.runs()

    @precondition(lambda self: self.selected_stands())
    @rule(alone=st.booleans())
    def step(self, alone: bool) -> None:
        self.read()
        selected = self.target.selection.thread
        assert selected is not None
        waited = self.waiting.table.waiting_threads - {selected.id}
        self.steps.end(selected.id)
        self.steps.pending[selected.id] = []
        self.resuming.run_for_step(selected.id, alone=alone)
        assert self.agent.counts[selected.id] == 0
        assert all(self.agent.counts[each] > 0 for each in waited), "S2: a step resumes no stop that was not shown"
        self.runs()

    @precondition(lambda self: self.selected_stands())
    @rule(which=st.integers(0, 3), several=st.booleans(), alone=st.booleans(), ends=st.booleans())
    def step_beside_hits(self, which: int, several: bool, alone: bool, ends: bool) -> None:
        """A step, during which others come to breakpoints; then it may end."""
        self.step(alone=alone)
        if self.coming():
            self.hit(which=which, number=1, several=several)
        if ends and self.stepped():
            self.step_ends(which=which)

    def selected_stands(self) -> bool:
        """True if the selected thread is suspended."""
        selected = self.target.selection.thread if hasattr(self, "agent") else None
        return selected is not None and self.target.suspension.is_suspended(selected.id)

    @rule(thread=st.sampled_from(THREADS))
    def suspend(self, thread: int) -> None:
        self.target.submit_op(SuspendOp.THREAD_SUSPEND, thread)

    @rule()
    def resume_everything(self) -> None:
        self.read()
        self.resuming.release()
        self.steps.forget()
        self.runs()
        assert set(self.agent.counts.values()) == {0}

    @rule(number=st.integers(1, 2))
    def clear(self, number: int) -> None:
        self.read()
        self.waiting.drop([number])
        assert all(self.agent.counts[each] for each in self.shown), "who was shown at a stop stays there"
        self.runs()
        assert all(each.stop.breakpoint != number for each in self.waiting.table.waiting)

    @rule(thread=st.sampled_from(THREADS), ends=st.booleans())
    def evaluate(self, thread: int, ends: bool) -> None:
        """A method runs in the thread, or has returned; ``Suspension`` counts on as if it stood."""
        if ends:
            self.target.suspension.evaluating.clear()
        elif thread in self.shown:
            self.target.suspension.evaluating = {thread}

    def runs(self) -> None:
        self.shown = {each: stop for each, stop in self.shown.items() if self.agent.counts[each]}
        self.target.suspension.evaluating &= self.shown.keys()

    # -- what always holds -------------------------------------------------------------------------------------------

    @precondition(lambda self: hasattr(self, "agent"))
    @invariant()
    def the_counts_are_the_agents(self) -> None:
        for each in THREADS:
            assert self.target.suspension.count(each) == self.agent.counts[each]

    @precondition(lambda self: hasattr(self, "agent"))
    @invariant()
    def who_waits_or_is_shown_stands(self) -> None:
        for each in (*self.waiting.table.waiting_threads, *self.shown):
            assert self.agent.counts[each] > 0


TestDebugging = Debugging.TestCase
TestDebugging.settings = settings(max_examples=300, stateful_step_count=40, deadline=None)


def stopped(thread: int, number: int) -> Stopped:
    return Stopped(
        StopReason.BREAKPOINT, ThreadRef(thread, "", ""), None, None, SuspendPolicy.ALL, 0, breakpoints=(number,)
    )


def test_the_states_of_a_stop() -> None:
    table = StopTable()
    table.wait(WaitingStop(stopped(1, 7), WaitReason.STEP))
    table.wait(WaitingStop(stopped(2, 8), WaitReason.METHOD))
    assert [each.stop.breakpoints for each in table.waiting] == [(7,), (8,)]
    assert [each.stop.breakpoints for each in table.drop([8])] == [(8,)]
    assert (table.state(1), table.state(2)) == (StopState.WAITING, StopState.DROPPED)
    table.show(stopped(1, 7))
    assert table.shows and not table.waiting
    table.release(lambda thread: thread == 1)
    assert table.state(1) is None


def test_a_dropped_stop_is_never_shown() -> None:
    assert not NEXT_STATES[StopState.DROPPED]
    table = StopTable()
    table.wait(WaitingStop(stopped(1, 7), WaitReason.STEP))
    table.drop([7])
    with pytest.raises(AssertionError):
        table._move(1, StopState.SHOWN)


async def test_each_step_has_its_own_time_to_end(autojump_clock: trio.testing.MockClock) -> None:
    """Steps of one thread that follow each other are several, though the stop of another thread waits all the time."""
    target: Any = FakeTarget(Agent())
    target.conn.batch = answers_of_a_running_thread
    waiting, shown = WaitingStops.of(target), list[Stopped]()

    def announce(stop: Stopped) -> None:
        waiting.table.show(stop)
        target.publish(stop)
        shown.append(stop)

    waiting.announce = announce
    steps = Steps.of(target)
    target.submit_op(SuspendOp.THREAD_SUSPEND, 2)

    def step() -> None:
        steps.pending[1] = []
        steps.begun[1] += 1
        waiting.before_step(1)

    async with open_nursery() as nursery:
        nursery.start_soon(waiting.run)
        step()
        waiting.wait(stopped(2, 7), WaitReason.STEP)
        for _ in range(5):
            await trio.sleep(STEP_LIMIT * 0.7)
            assert not shown
            steps.end(1)
            step()
        await trio.sleep(STEP_LIMIT * 1.1)
        assert [stop.breakpoints for stop in shown] == [(7,)]
        assert steps.overdue == {1}
        nursery.cancel_scope.cancel()


async def answers_of_a_running_thread(commands: list[Any]) -> list[Any]:
    return [SimpleNamespace(threadName="stepped", threadStatus=1) for _ in commands]

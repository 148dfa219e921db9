"""Suspend counts while methods run, against a model of the agent in which everything may cross on the way."""

from __future__ import annotations

import random
from collections import deque
from typing import Any

import pytest

from jdbpy.session.target.invocations import Invocations
from jdbpy.session.target.suspension import SuspendOp, Suspension
from jdbpy.wire.messages import thread_reference, virtual_machine

CALLER, OTHER = 1, 2
INVOKE = "invoke"


class Agent:
    """Suspend counts of two threads, of which one can run methods; packets that are on their way to it and from it."""

    def __init__(self, *, others_run: bool, patient: bool) -> None:
        self.counts = {CALLER: 0, OTHER: 0}
        self.others_run = others_run
        self.patient = patient  # sends nothing after a set that suspends everything before it has had a Resume
        self.calls = 0
        self.blocked = False
        self.ran_on = False  # the caller has left the event at which it stood
        self.sent: deque[Any] = deque()
        self.received: deque[Any] = deque()

    def submit(self, command: Any) -> None:
        self.sent.append(command)

    def change(self, by: int, *threads: int) -> None:
        for thread in threads or (CALLER, OTHER):
            self.counts[thread] = max(0, self.counts[thread] + by)
        self.ran_on = self.ran_on or (not self.counts[CALLER] and not self.calls)

    def carry_out(self) -> None:
        command = self.sent.popleft()
        if command == INVOKE:
            assert not self.ran_on
            self.calls += 1
            self.blocked = False
            self.change(-1, *(() if self.others_run else (CALLER,)))
        elif isinstance(command, virtual_machine.Suspend):
            self.change(+1)
        elif isinstance(command, virtual_machine.Resume):
            self.blocked = False
            self.change(-1)
        elif isinstance(command, thread_reference.Suspend):
            self.change(+1, int(command.thread))
        else:
            self.blocked = False
            self.change(-1, int(command.thread))

    def can_hit(self) -> bool:
        return not self.blocked and not self.ran_on

    def hit(self) -> None:
        """The other thread comes to a breakpoint of policy ALL, or had done so before it was suspended."""
        self.change(+1)
        self.blocked = self.patient
        self.received.append("set")

    def can_hit_alone(self) -> bool:
        return not self.blocked and not self.counts[OTHER]

    def hit_alone(self) -> None:
        """The other thread comes to a breakpoint that suspends it alone."""
        self.change(+1, OTHER)
        self.received.append("alone")

    def can_return(self) -> bool:
        return bool(self.calls) and not self.counts[CALLER] and not self.blocked

    def give_back(self) -> None:
        self.change(+1, *(() if self.others_run else (CALLER,)))
        self.calls -= 1
        self.received.append("reply")


class Debugger:
    """What the session does: ``Suspension``, calls, sets that are entered at once or later, and resumed or kept."""

    def __init__(self, agent: Agent) -> None:
        self.agent = agent
        self.suspension = Suspension()
        self.invocations = Invocations(agent, self.suspension)  # type: ignore[arg-type]
        self.sets = 0  # in the queue

    def op(self, op: SuspendOp, thread: int = 0, *, by_event: bool = False) -> None:
        for each in self.suspension.running_alone() if op is SuspendOp.VM_RESUME else ():
            self.op(SuspendOp.THREAD_SUSPEND, each)
        if self.invocations.any:
            self.invocations.before(op, thread)
        self.suspension.apply(op, thread, by_event=by_event)
        kinds: dict[SuspendOp, Any] = {
            SuspendOp.VM_SUSPEND: virtual_machine.Suspend(),
            SuspendOp.VM_RESUME: virtual_machine.Resume(),
            SuspendOp.THREAD_SUSPEND: thread_reference.Suspend(thread),  # type: ignore[arg-type]
            SuspendOp.THREAD_RESUME: thread_reference.Resume(thread),  # type: ignore[arg-type]
        }
        self.agent.submit(kinds[op])

    def invoke(self) -> None:
        self.invocations.begin(CALLER, others_run=self.agent.others_run)
        self.agent.submit(INVOKE)

    def take(self) -> None:
        taken = self.agent.received.popleft()
        if taken == "reply":
            self.invocations.ended(CALLER)
            return
        if taken == "alone":
            self.suspension.event(OTHER, everything=False)
            self.invocations.suspended(OTHER)
            return
        self.invocations.suspended_all()
        self.invocations.let_run()
        self.sets += 1

    def handle(self, *, keep: bool) -> None:
        self.sets -= 1
        self.suspension.event(OTHER, everything=True)
        self.invocations.entered()
        if not keep:
            self.op(SuspendOp.VM_RESUME)


@pytest.mark.parametrize("others_run", [False, True])
@pytest.mark.parametrize("patient", [True, False])
@pytest.mark.parametrize("seed", range(150))
def test_all_counts_are_those_of_the_ledger(seed: int, patient: bool, others_run: bool) -> None:
    chance = random.Random(seed)
    agent = Agent(others_run=others_run, patient=patient)
    debugger = Debugger(agent)
    everything = others_run or chance.random() < 0.7
    agent.change(+1, *(() if everything else (CALLER,)))
    debugger.suspension.event(CALLER, everything=everything)
    for _ in range(chance.randrange(3)):
        agent.change(+1, CALLER)
        debugger.suspension.apply(SuspendOp.THREAD_SUSPEND, CALLER)
    left = chance.randrange(1, 6)  # hits to come
    alone, resumes = chance.randrange(3), chance.randrange(3)
    calls = chance.randrange(1, 4)

    def may_call() -> bool:
        lets_run = not others_run or debugger.suspension.everything_held  # as the session has it
        return bool(calls) and lets_run and not debugger.invocations.any

    def possible() -> list[Any]:
        found: list[Any] = []
        if agent.sent:
            found.append(agent.carry_out)
        if agent.received:
            found.append(debugger.take)
        if debugger.sets:
            found.append(lambda: debugger.handle(keep=chance.random() < 0.5))
        if agent.can_hit() and left:
            found.append(hit)
        if agent.can_hit_alone() and alone:
            found.append(hit_alone)
        if agent.can_return():
            found.append(agent.give_back)
        if resumes and debugger.suspension.vm_holds and debugger.suspension.count(CALLER) > 1:
            found.append(resume)
        if resumes and debugger.suspension.count(OTHER):
            found.append(resume_other)
        if may_call():
            found.append(call)
        return found

    def hit() -> None:
        nonlocal left
        left -= 1
        agent.hit()

    def hit_alone() -> None:
        nonlocal alone
        alone -= 1
        agent.hit_alone()

    def resume() -> None:
        nonlocal resumes
        resumes -= 1
        debugger.op(SuspendOp.VM_RESUME)

    def resume_other() -> None:
        nonlocal resumes
        resumes -= 1
        debugger.op(SuspendOp.THREAD_RESUME, OTHER)

    def call() -> None:
        nonlocal calls
        calls -= 1
        debugger.invoke()

    while steps := possible():
        chance.choice(steps)()
        assert not agent.ran_on
    assert not debugger.invocations.any, "the call has never returned"
    assert not may_call()
    assert agent.counts == {thread: debugger.suspension.count(thread) for thread in (CALLER, OTHER)}

"""Suspend counts while methods run, against a model of the agent in which everything may cross on the way."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Sequence
from functools import partial
from typing import Any

import pytest

from jdbpy.session.events.invocations import Invocations
from jdbpy.session.events.suspension import SuspendOp, Suspension
from jdbpy.wire.messages import thread_reference, virtual_machine

OTHER = 1
"""The thread that runs no methods."""


class Invoke:
    """The command that runs a method in a thread."""

    def __init__(self, thread: int, *, others_run: bool) -> None:
        self.thread = thread
        self.others_run = others_run


class Agent:
    """Suspend counts of threads, of which some can run methods; packets that are on their way to it and from it."""

    def __init__(self, callers: Sequence[int], *, patient: bool) -> None:
        self.callers = callers
        self.counts = dict.fromkeys((OTHER, *callers), 0)
        self.patient = patient  # sends nothing after a set that suspends everything before it has had a Resume
        self.calls: dict[int, Invoke] = {}
        self.blocked = False
        self.ran_on = False  # a caller has left the event at which it stood
        self.sent: deque[Any] = deque()
        self.received: deque[Any] = deque()

    def submit(self, command: Any) -> None:
        self.sent.append(command)

    def change(self, by: int, *threads: int) -> None:
        for thread in threads or self.counts:
            self.counts[thread] = max(0, self.counts[thread] + by)
        self.ran_on |= any(not self.counts[each] and each not in self.calls for each in self.callers)

    def carry_out(self) -> None:
        command = self.sent.popleft()
        if isinstance(command, Invoke):
            assert not self.ran_on
            self.calls[command.thread] = command
            self.blocked = False
            self.change(-1, *(() if command.others_run else (command.thread,)))
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

    def can_return(self, thread: int) -> bool:
        return thread in self.calls and not self.counts[thread] and not self.blocked

    def give_back(self, thread: int) -> None:
        self.change(+1, *(() if self.calls[thread].others_run else (thread,)))
        self.received.append(self.calls.pop(thread))


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

    def invoke(self, thread: int, *, others_run: bool) -> None:
        self.invocations.begin(thread, others_run=others_run)
        self.agent.submit(Invoke(thread, others_run=others_run))

    def take(self) -> None:
        taken = self.agent.received.popleft()
        if isinstance(taken, Invoke):
            self.invocations.ended(taken.thread)
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


@pytest.mark.parametrize(
    "others_run", [(False,), (True,), (False, False), (False, True), (True, True), (False, True, True)]
)
@pytest.mark.parametrize("patient", [True, False])
def test_all_counts_are_those_of_the_ledger(patient: bool, others_run: tuple[bool, ...]) -> None:
    """``others_run`` says of each thread that runs methods whether these let all threads run."""
    for seed in range(150):
        counts_are_those_of_the_ledger(seed, patient, others_run)


def counts_are_those_of_the_ledger(seed: int, patient: bool, others_run: tuple[bool, ...]) -> None:
    chance = random.Random(seed)
    lets_run = dict(enumerate(others_run, OTHER + 1))
    callers = list(lets_run)
    agent = Agent(callers, patient=patient)
    debugger = Debugger(agent)
    everything = any(others_run) or chance.random() < 0.7
    if everything:
        agent.change(+1)
        debugger.suspension.event(callers[0], everything=True)
    for each in callers[everything and len(callers) == 1 :]:  # one that is held by nothing else goes on with the others
        agent.change(+1, each)
        debugger.suspension.event(each, everything=False)
    for _ in range(chance.randrange(3)):
        held = chance.choice(callers)
        agent.change(+1, held)
        debugger.suspension.apply(SuspendOp.THREAD_SUSPEND, held)
    agent.ran_on = False
    left = chance.randrange(1, 6)  # hits to come
    alone, resumes = chance.randrange(3), chance.randrange(3)
    calls = chance.randrange(1, 4) * len(callers)

    def may_call() -> list[int]:
        may = debugger.suspension.everything_held  # as the session has it
        free = [each for each in callers if each not in debugger.suspension.evaluating]
        return [each for each in free if calls and (may or not lets_run[each])]

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
        found += [partial(agent.give_back, each) for each in callers if agent.can_return(each)]
        more = all(debugger.suspension.count(each) > 1 for each in callers)
        if resumes and debugger.suspension.vm_holds and more:
            found.append(resume)
        if resumes and debugger.suspension.count(OTHER):
            found.append(resume_other)
        found += [partial(call, each) for each in may_call()]
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

    def call(thread: int) -> None:
        nonlocal calls
        calls -= 1
        debugger.invoke(thread, others_run=lets_run[thread])

    while steps := possible():
        chance.choice(steps)()
        assert not agent.ran_on
    assert not debugger.invocations.any, "a call has never returned"
    assert not may_call()
    assert agent.counts == {thread: debugger.suspension.count(thread) for thread in agent.counts}

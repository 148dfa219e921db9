"""An agent that counts suspensions as JDWP says, and random steps on it."""

from __future__ import annotations

from hypothesis import strategies as st

from jdbpy.session.events.suspension import SuspendOp, Suspension

THREADS = (1, 2, 3)


class Agent:
    """What HotSpot counts: one number a thread, never below 0; a birth takes the count of the VM."""

    def __init__(self) -> None:
        self.counts = dict.fromkeys(THREADS, 0)
        self.runs = dict.fromkeys(THREADS, 0)

    def change(self, threads: tuple[int, ...], by: int) -> None:
        for thread in threads:
            before = self.counts[thread]
            self.counts[thread] = max(0, before + by)
            self.runs[thread] += before > 0 and self.counts[thread] == 0

    def take(self, op: SuspendOp, thread: int) -> None:
        by = +1 if op in (SuspendOp.VM_SUSPEND, SuspendOp.THREAD_SUSPEND) else -1
        self.change(THREADS if op in (SuspendOp.VM_SUSPEND, SuspendOp.VM_RESUME) else (thread,), by)


thread_ids = st.sampled_from(THREADS)


steps = st.one_of(
    st.tuples(st.sampled_from([SuspendOp.VM_SUSPEND, SuspendOp.VM_RESUME]), st.just(0)),
    st.tuples(st.sampled_from([SuspendOp.THREAD_SUSPEND, SuspendOp.THREAD_RESUME]), thread_ids),
    st.tuples(st.just("event"), thread_ids),
    st.tuples(st.just("event, all"), thread_ids),
)


def play(script: list[tuple[object, int]]) -> tuple[Suspension, Agent]:
    ledger, agent = Suspension(), Agent()
    for step, thread in script:
        if isinstance(step, SuspendOp):
            ledger.apply(step, thread)
            agent.take(step, thread)
        elif agent.counts[thread] == 0:  # a thread that is held has no events
            everything = step == "event, all"
            ledger.event(thread, everything=everything)
            agent.change(THREADS if everything else (thread,), +1)
    return ledger, agent

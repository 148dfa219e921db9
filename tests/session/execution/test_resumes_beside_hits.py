"""``resume`` while hits are being decided: what the debugger itself holds for that is nobody's to resume."""

from __future__ import annotations

from typing import Any

import pytest
import trio
from hypothesis import given, strategies as st

from jdbpy import Notice, StateError, Stopped, SuspendPolicy
from jdbpy.session.events.suspension import SuspendOp
from jdbpy.session.model.breakpoints import Reporting
from tests.fakes.suspending import THREADS, play, steps, thread_ids
from tests.harness import Debugging, Jvm, debug, inline

pytestmark = pytest.mark.one_java

# it says itself how often each thread has passed, and how often with what the conditions ask for
SEVENTHS = """
public class Sevenths {
    public static void main(String[] args) throws Exception {
        System.out.println("ready");
        line();
        Thread[] threads = new Thread[2];
        for (int t = 0; t < threads.length; t++) {
            threads[t] = new Thread(() -> {
                for (int i = 1; i <= 350; i++) pass(i);
            });
            threads[t].start();
        }
        for (Thread each : threads) each.join();
        System.out.println("done 700 passes, 100 of them seventh");
        line();
    }

    static volatile int sink;

    static void line() throws Exception {
        while (System.in.read() > '\\n') { }
    }

    static boolean seventh(int i) {
        return i % 7 == 0;
    }

    static void pass(int i) {
        sink = i; // @pass
    }
}"""

OPTIONS: dict[str, dict[str, Any]] = {
    "a method in a condition": {"condition": "seventh(i)", "log": "seen"},
    "a method in the text of a logpoint": {"condition": "i % 7 == 0", "log": "seen {seventh(i)}"},
    "callers": {"callers": ("Sevenths.lambda*",), "condition": "seventh(i)", "log": "seen"},
    "a stop of the thread": {"condition": "seventh(i)", "policy": SuspendPolicy.THREAD},
    "a stop of everything": {"condition": "seventh(i)", "policy": SuspendPolicy.ALL},
}
"""Breakpoints whose hits take the debugger several commands to decide."""


@pytest.mark.parametrize("how", ["all", "each thread"])
@pytest.mark.parametrize("kind", OPTIONS)
async def test_a_resume_takes_no_hit_from_its_decision(jvm: Jvm, kind: str, how: str) -> None:
    async with debug(jvm, inline(SEVENTHS)) as d:
        d.ignored |= {"slowdown", "stops-waiting"}
        await d.resume()
        await d.target.wait_output("ready")
        point = await d.session.breakpoints.add(d.at("pass"), reporting=Reporting(limit=None), **OPTIONS[kind])
        await d.target.send("go")
        async with trio.open_nursery() as nursery:
            nursery.start_soon(_resume_for_ever, d, how)
            await d.target.wait_output("done 700 passes, 100 of them seventh")
            nursery.cancel_scope.cancel()
        found = d.session.breakpoints.get(point.number)
        assert found.hits == 100
        told = [each for each in d.unseen() if not isinstance(each, Stopped)]
        text = OPTIONS[kind].get("log", "").replace("{seventh(i)}", "true")
        assert [each.text for each in told if isinstance(each, Notice)] == ([text] * 100 if text else [])
        d.session.execution.resume_everything()


async def _resume_for_ever(d: Debugging, how: str) -> None:
    while True:
        threads = [None] if how == "all" else [each.id for each in await d.session.threads.list()]
        for thread in threads:
            try:
                await d.session.execution.unsuspend(None if thread is None else [thread])
            except StateError:
                assert thread is not None  # it runs, as far as its user is concerned
        await trio.sleep(0.001)


@given(st.lists(steps, max_size=25), thread_ids, st.booleans(), st.booleans())
def test_resuming_everything_leaves_what_is_to_be_decided(
    script: list[tuple[object, int]], thread: int, asked: bool, everything: bool
) -> None:
    ledger, agent = play(script)
    hit = not agent.counts[thread]
    if hit:
        ledger.event(thread, everything=everything and not asked)
        agent.change(THREADS if everything and not asked else (thread,), +1)
        if asked:
            ledger.asked.add(thread)
        else:
            ledger.undecided = thread, everything
    for op, each in ledger.plan_unsuspend_everything():
        for alone in ledger.running_alone() if op is SuspendOp.VM_RESUME else ():
            ledger.apply(SuspendOp.THREAD_SUSPEND, alone)
            agent.take(SuspendOp.THREAD_SUSPEND, alone)
        ledger.apply(op, each, by_event=op is SuspendOp.THREAD_SUSPEND)
        agent.take(op, each)
    assert {each: ledger.count(each) for each in THREADS} == agent.counts
    assert not ledger.anything_held
    held = THREADS if everything and not asked else (thread,)
    assert agent.counts == {each: int(hit and each in held) for each in THREADS}

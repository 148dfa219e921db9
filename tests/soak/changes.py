"""A condition is put into a class that four threads are running, then taken out, and a logpoint is set at once.

Hits may be on their way while the code is changed: every one is counted, every text has its values, and the VM lives.
One round of a try is two redefinitions.
"""

from __future__ import annotations

import jdbpy
from jdbpy import Stopped, SuspendPolicy
from tests.harness import LIMIT, Program, Target, inline, start_target, within
from tests.soak.trial import Run

THREADS, PASSES = 4, 20
ROUNDS = 10
"""Rounds of one try."""

_SOURCE = f"""
public class Kitchen {{
    public static void main(String[] args) throws Exception {{
        System.out.println("ready");
        while (System.in.read() == '\\n') {{
            Thread[] threads = new Thread[{THREADS}];
            for (int t = 0; t < threads.length; t++) {{
                int own = t;
                threads[t] = new Thread(() -> cook(own));
            }}
            for (Thread each : threads) each.start();
            for (Thread each : threads) each.join();
            System.out.println("done");
        }}
    }}

    static void cook(int own) {{
        for (int i = 0; i < {PASSES}; i++) Pot.passed(own, i, "a".repeat(i));
    }}
}}

class Pot {{
    static int passed(int own, int i, String text) {{
        return own + i + text.length(); // @passed
    }}
}}
"""


async def run(run: Run) -> None:
    """Change the class, again and again, in several sessions."""
    rounds = 0
    assert run.jvm is not None
    program = inline(_SOURCE)
    for seed in run.seeds():
        rng = run.random(seed)
        with run.attempt(seed):
            async with start_target(run.jvm, program, suspend=False) as target:
                await target.wait_output("ready")
                with within(4 * LIMIT):
                    async with jdbpy.attach_session(target.address) as session:
                        for _ in range(ROUNDS):
                            text = rng.choice(["{i}", "{i} {text}"])
                            await _round(session, target, program, text, waits=rng.random() < 0.5)
                            rounds += 1
                    await target.send()  # what it was left with does no harm
                    await target.wait_lines("done", 2 * ROUNDS + 1)
    run.figure("rounds", f"{rounds:,}")


async def _round(session: jdbpy.Session, target: Target, program: Program, text: str, *, waits: bool) -> None:
    """``waits``: the threads of the condition's run have ended before the logpoint is set."""
    place = program.at("passed", "Pot")
    condition = f"own == 0 && i == {PASSES - 1}"
    point = await session.breakpoints.add(place, policy=SuspendPolicy.THREAD, condition=condition, woven=True)
    before = target.stdout.count("done")
    await target.send()
    stop = await session.next_stop()
    assert isinstance(stop, Stopped), stop
    assert stop.breakpoint == point.number
    await session.breakpoints.remove([point.number])
    await session.execution.resume()
    if waits:
        await target.wait_lines("done", before + 1)
    log = await session.breakpoints.add(place, log=text)
    await target.send()
    await target.wait_lines("done", before + 2)
    told = session.breakpoints.get(log.number)
    assert told.hits >= THREADS * PASSES, told.hits
    assert told.failures == 0, told.failure
    await session.breakpoints.remove([log.number])

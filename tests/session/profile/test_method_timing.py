"""Methods that the JVM itself times, against what the program counts."""

from __future__ import annotations

import pytest

import jdbpy
from jdbpy import Session, StateError, Stopped, calls
from jdbpy.errors import UsageError
from tests.harness import LIMIT, Jvm, program, start_target, within
from tests.harness.targets import Target

CALLS = 2_000


async def timed(session: Session, target: Target, method: str, times: int = CALLS) -> calls.MethodTimings:
    """The times of methods while eight threads call each of them so many times."""
    async with session.profiler.timing(method) as running:
        await target.send(str(times))
        await target.wait_output(f"called {8 * times}\n")
        return await running.finish()


async def stop_at_one(session: Session, target: Target) -> None:
    """Let the program come to the breakpoint whose condition is true for one call of each method."""
    await target.send("1")
    assert isinstance(await session.next_stop(), Stopped)
    await session.execution.resume()
    await target.wait_output("called 8\n")


async def test_calls_and_times_are_those_of_the_program(jvm: Jvm) -> None:
    """Eight threads call: an overload alone, a class with a nested one, and a name without the agent's help. A
    breakpoint in the class is hit meanwhile and afterwards, although the JVM drops it when it changes the code."""
    async with start_target(jvm, program("Clocked"), suspend=False) as target:
        await target.wait_output("ready")
        with within(2 * LIMIT):
            async with jdbpy.attach_session(target.address) as session:
                if jvm.feature < 25:
                    with pytest.raises(StateError, match=f"needs Java 25 or later; this is Java {jvm.feature}") as old:
                        await session.profiler.timings("Clocked.work", 0.1)
                    assert "'calls stats METHOD'" in old.value.hint
                    return
                called = await session.breakpoints.add(program("Clocked").at("called"), condition="times == 1")
                async with session.profiler.timing("Clocked.work(int)") as running:
                    await stop_at_one(session, target)
                    await target.send(str(CALLS))
                    await target.wait_output(f"called {8 * CALLS}\n")
                    found = await running.finish()
                await stop_at_one(session, target)
                [work] = found.methods
                assert (work.class_name, work.method, work.signature) == ("Clocked", "work", "(I)I")
                assert work.count == 8 * (CALLS + 1)
                found = await timed(session, target, "Clocked*.w*", CALLS + 2)
                assert found.timed == 3
                counts = {f"{each.class_name}.{each.method}{each.signature}": each.count for each in found.methods}
                assert counts == {
                    "Clocked.work(I)I": 8 * (CALLS + 2),
                    "Clocked.work(Ljava/lang/String;)I": 4 * (CALLS + 2),
                    "Clocked$Inner.wait(I)V": 8,
                }
                [wait] = [each for each in found.methods if each.method == "wait"]
                assert wait.minimum is not None and wait.mean is not None and wait.maximum is not None
                assert 0.002 <= wait.minimum <= wait.mean <= wait.maximum
                assert abs(wait.total - 8 * wait.mean) < 1e-6
                assert "jdbpy-" not in await session.vm.diagnostic_command("JFR.check")
                with pytest.raises(UsageError, match="no method"):
                    await session.profiler.timings("Clocked.nothing", 0.1)
                await session.points.remove([called.number])
                never = await session.breakpoints.add("Clocked.work(int)", condition="number < 0", woven=True)
                await target.send("5")
                await target.wait_output("called 40\n")
                assert session.instrumentation.woven()
                with pytest.raises(StateError, match="has put code of its own into Clocked") as woven:
                    await session.profiler.timings("Clocked.work(int)", 0.1)
                assert "'unweave' takes it out" in woven.value.hint
                await session.points.remove([never.number])
                await session.instrumentation.remove()
                [work] = (await timed(session, target, "Clocked.work(int)", 7)).methods
                assert work.count == 8 * 7
    async with start_target(jvm, program("Clocked"), suspend=False, with_agent=False) as target:
        await target.wait_output("ready")
        with within(LIMIT):
            async with jdbpy.attach_session(f"pid://{target.pid}") as session:
                [work] = (await timed(session, target, "Clocked.work(String)")).methods
                assert (work.count, work.signature) == (4 * CALLS, "(Ljava/lang/String;)I")
                with pytest.raises(UsageError, match="only a name can be timed"):
                    await session.profiler.timings("Clocked.*", 0.1)

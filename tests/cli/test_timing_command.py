"""`timing METHOD` in a batch, and how its result is shown."""

from __future__ import annotations

from jdbpy import calls
from jdbpy.cli.commands.timing import timings_shown
from jdbpy.cli.output.plain import plain_lines
from jdbpy.cli.settings import Settings
from tests.cli.process import jdbpy
from tests.harness import Jvm, program, start_target


async def test_a_batch_gets_the_times_or_what_to_use_instead(jvm: Jvm) -> None:
    async with start_target(jvm, program("Busy"), "2", suspend=False) as target:
        await target.wait_output("ready")
        done = await jdbpy("attach", target.address, "--json", "-c", "timing Busy.work 300ms")
        [result] = done.results
        if jvm.feature < 25:
            assert (done.status, result["error"]["code"]) == (1, "NO_METHOD_TIMING")
            assert "'calls stats METHOD'" in result["error"]["hint"]
        else:
            assert done.status == 0
            [work] = result["data"]["methods"]
            assert (work["class"], work["method"], work["signature"]) == ("Busy", "work", "(IJ)I")
            assert work["count"] > 0
            assert 0 <= work["minimum"] <= work["mean"] <= work["maximum"]


def test_the_table() -> None:
    work = calls.TimedMethod(
        "shop.Order", "pay", "(ILjava/lang/String;)V", ("int", "java.lang.String"), 1_234, 2.468, 2e-3, None, 0.25
    )
    shown = list(plain_lines(timings_shown(calls.MethodTimings(1.5, 3, (work,)), Settings())))
    assert shown == [
        "1,234 calls in 1.5 s, 3 methods timed by the JVM",
        "calls     mean  min       max   total  method",
        "1,234  2.00 ms    ?  250.0 ms  2.47 s  shop.Order.pay(int,String)",
    ]

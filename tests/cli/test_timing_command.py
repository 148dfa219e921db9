"""`timing METHOD` in a batch, and how its result is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from jdbpy import calls
from jdbpy.cli.commands.timing import timings_shown
from jdbpy.cli.output.plain import plain_lines
from jdbpy.cli.settings import Settings
from tests.cli.process import jdbpy
from tests.harness import Jvm, program, start_target


@pytest.mark.two_javas
async def test_a_batch_gets_the_times_or_what_to_use_instead(jvm: Jvm) -> None:
    async with start_target(jvm, program("Busy"), "2", suspend=False) as target:
        await target.wait_output("ready")
        done = await jdbpy("attach", target.address, "--json", "-c", "timing Busy.work 2s")
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


@pytest.mark.two_javas
async def test_a_recording_in_a_file_shows_the_methods_that_it_has_timed(jvm: Jvm, tmp_path: Path) -> None:
    """As the program counts them; a file that has samples too says that it has times, one without says so."""
    timed, both = str(tmp_path / "timed.jfr"), str(tmp_path / "both.jfr")
    times = " +jdk.MethodTiming#enabled=true +jdk.MethodTiming#filter=Clocked" if jvm.feature >= 25 else ""
    sleeps = " +jdk.ThreadSleep#enabled=true +jdk.ThreadSleep#threshold=0ms"
    async with start_target(jvm, program("Clocked"), suspend=False) as target:
        await target.wait_output("ready")

        async def command(line: str) -> None:
            done = await jdbpy("attach", target.address, "-c", f"jcmd {line}")
            assert done.status == 0, done
            await target.wait_listening_again()

        for file, events, count in ((timed, times, 6), (both, times + sleeps, 7)):
            await command(f"JFR.start name=one settings=none{events}")
            await target.send(str(count))
            await target.wait_output(f"called {8 * count}\n")
            await command(f"JFR.stop name=one filename={file}")
    if jvm.feature < 25:
        none = await jdbpy("open", both, "timing")
        assert (none.status, "has no methods that the JVM has timed" in none.err) == (1, True), none
        return
    done = await jdbpy("open", timed, "Clocked.work", "--json")
    [found] = done.results
    assert done.status == 0, done
    counts = {each["signature"]: each["count"] for each in found["data"]["methods"]}
    assert counts == {"(I)I": 48, "(Ljava/lang/String;)I": 24}
    table = await jdbpy("open", timed, "timing")
    assert table.out.startswith("80 calls in ") and "Clocked.work(String)" in table.out
    drawn = await jdbpy("open", timed, "timing", "to", str(tmp_path / "x.svg"))
    assert (drawn.status, "a table, not a picture" in drawn.err) == (1, True), drawn
    wrong = await jdbpy("open", timed, "cpu")
    assert (wrong.status, "has no events for cpu" in wrong.err) == (1, True), wrong
    assert "also in it: timing" in (await jdbpy("open", both, "wall")).out


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

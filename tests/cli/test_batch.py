"""The rules of a batch: what waits, what is shown when, what ends it. On every JVM where the target matters."""

from __future__ import annotations

import re
from pathlib import Path
from typing import cast

import pytest
import trio

from jdbpy import Session
from jdbpy.cli.batch import Batch
from jdbpy.cli.console import Console
from jdbpy.cli.output.json_lines import JsonRenderer
from jdbpy.cli.settings import Settings
from jdbpy.process.scripts import Script, ScriptLines
from tests.cli.json_check import check_line
from tests.cli.process import assert_runs_on, driving, jdbpy, launching, script
from tests.harness import LIMIT, Jvm, inline, program, start_target, within

LEDGER = program("Ledger")
TOTAL = "stop in Ledger.total(int)"


async def test_each_resuming_command_waits_for_its_stop(jvm: Jvm) -> None:
    async with start_target(jvm, LEDGER) as target:
        lines = (TOTAL, "cont", "next", "step", "step up", "stepi", "until", "where")
        done = await jdbpy("attach", target.address, "--json", *script(*lines))
        assert done.status == 0, done
        stops = [found["data"]["stop"]["location"]["line"] for found in done.results[1:-1]]
        assert stops[:3] == [LEDGER.line("total"), LEDGER.line("total") + 1, LEDGER.line("loop")]
        assert stops[3] == LEDGER.line("call")
        assert done.results[-1]["data"]["frames"][0]["line"] == stops[-1]


async def test_a_result_follows_the_event_of_its_stop(jvm: Jvm) -> None:
    async with start_target(jvm, LEDGER) as target:
        done = await jdbpy("attach", target.address, "--json", *script(TOTAL, "cont"))
        start, hit = done.events("stop")
        assert start["reason"] == "start"
        assert hit["reason"] == "breakpoint"
        assert done.objects[-2:] == [
            {"type": "event", "event": "stop", "data": hit},
            {"type": "result", "command": "cont", "ok": True, "data": {"stop": hit}},
        ]


async def test_the_end_of_the_target_ends_a_wait(jvm: Jvm) -> None:
    async with start_target(jvm, LEDGER) as target:
        await target.send()
        done = await jdbpy("attach", target.address, "--json", "--keep-going", *script("cont", "where", "version"))
        assert done.status == 1
        assert done.results[0]["data"]["exited"]["status"] is None
        assert [found["ok"] for found in done.results] == [True, False, True]
        assert done.results[1]["error"]["code"] == "VM_DEAD"


async def test_a_launched_target_tells_its_status_and_output(jvm: Jvm) -> None:
    done = await jdbpy(*launching(LEDGER, "--json", *script("run", "wait 60")), stdin="", jvm=jvm)
    assert done.status == 0, done
    assert done.results[1]["data"]["message"] == "there is nothing to wait for: the target has ended"
    written = {
        stream: "".join(e["text"] for e in done.events("output") if e["stream"] == stream)
        for stream in ("stdout", "stderr")
    }
    assert written == {"stdout": "total 120\nagain 60\nentry 7\nthe end\n", "stderr": "half way\n"}
    assert [event["status"] for event in done.events("exited")] == [0]
    assert done.results[0]["data"]["exited"]["status"] == 0


async def test_a_running_target_needs_no_resume_to_be_waited_for(jvm: Jvm) -> None:
    async with start_target(jvm, program("Ticker"), suspend=False) as target:
        done = await jdbpy("attach", target.address, "--json", *script("stop in Ticker.spun", "cont", "where"))
        assert done.status == 0, done
        assert done.results[1]["data"]["stop"]["reason"] == "breakpoint"
        assert done.results[2]["data"]["frames"][0]["method"] == "spun"


async def test_a_stop_between_commands_is_not_lost(jvm: Jvm) -> None:
    """The breakpoint is hit while other commands run: the next `cont` gets it, however long that took."""
    async with start_target(jvm, program("Ticker"), suspend=False) as target:
        lines = ("stop in Ticker.spun", "threads", "classes Ticker", "cont", "where")
        done = await jdbpy("attach", target.address, "--json", *script(*lines))
        assert done.status == 0, done
        assert len(done.events("stop")) == 1
        assert done.results[4]["data"]["frames"][0]["method"] == "spun"


async def test_standard_input_is_a_batch(jvm: Jvm) -> None:
    async with start_target(jvm, LEDGER) as target:
        lines = f"# a comment\n\n{TOTAL}\ncont\n  where\n!!\n2 next\nprint factor"
        done = await jdbpy("attach", target.address, "--json", stdin=lines)
        assert done.status == 0, done
        commands = [found["command"] for found in done.results]
        assert commands == [TOTAL, "cont", "where", "where", "next", "next", "print factor"]
        await assert_runs_on(target)


async def test_lines_are_answered_as_they_come(jvm: Jvm) -> None:
    async with start_target(jvm, LEDGER) as target, driving("attach", target.address) as driver:
        assert (await driver.event("stop"))["reason"] == "start"
        assert (await driver.ask(TOTAL))["breakpoint"]["number"] == 1
        assert (await driver.ask("cont"))["stop"]["breakpoint"] == 1
        assert (await driver.ask("print factor"))["value"] == "2"
        assert (await driver.ask("set factor = 3"))["value"] == "3"
        await driver.ask("clear 1")
        await driver.close_input()
        assert await driver.wait() == 0
        await target.wait_output("total 180")
        await assert_runs_on(target)


async def test_events_come_while_no_line_does(jvm: Jvm) -> None:
    async with (
        start_target(jvm, program("Ticker"), suspend=False) as target,
        driving("attach", target.address) as driver,
    ):
        await driver.ask("stop in Ticker.spun")
        assert (await driver.event("stop"))["breakpoint"] == 1  # nobody has asked for it
        assert (await driver.ask("where"))["frames"][0]["method"] == "spun"
        again = await driver.ask("cont")  # that stop was seen: this is the next one
        assert again["stop"]["breakpoint"] == 1
        assert len([found for found in driver.seen if found.get("event") == "stop"]) == 2


async def test_files_and_commands_run_in_order(jvm: Jvm, tmp_path: Path) -> None:
    first, nested = tmp_path / "first", tmp_path / "nested"
    await trio.Path(first).write_text(f"# breakpoints\n{TOTAL}\nread {nested}\n")
    await trio.Path(nested).write_text("show repeat\nshow hints\n")
    async with start_target(jvm, LEDGER) as target:
        words = ["-c", "show color", "-x", str(first), "-c", "cont", "-x", "-"]
        done = await jdbpy("attach", target.address, "--json", *words, stdin="where\n")
        assert done.status == 0, done
        commands = [found["command"] for found in done.results]
        assert commands == ["show color", TOTAL, "show repeat", "show hints", f"read {nested}", "cont", "where"]


@pytest.mark.parametrize("going", [False, True])
async def test_a_line_of_a_script_that_fails_is_named(any_jvm: Jvm, tmp_path: Path, going: bool) -> None:
    inner, outer = tmp_path / "inner", tmp_path / "outer"
    await trio.Path(inner).write_text("# nothing\nfrobnicate\n")
    await trio.Path(outer).write_text(f"\nshow repeat\nread {inner}\nshow hints\n")
    async with start_target(any_jvm, LEDGER) as target:
        options = ["--batch", *(["--keep-going"] if going else [])]
        done = await jdbpy("attach", target.address, *options, "-x", str(outer))
    assert done.status == 1
    lines = [line for line in done.err.splitlines() if "failed" in line]
    assert lines == [
        f"error: line 2 of {inner} failed: frobnicate",
        f"jdbpy: line 3 of {outer} failed: read {inner}",
    ]


async def test_a_script_ends_at_the_first_failure_and_so_does_who_read_it(any_jvm: Jvm, tmp_path: Path) -> None:
    path = tmp_path / "script"
    await trio.Path(path).write_text("show repeat\nfrobnicate\nshow color\n")
    async with start_target(any_jvm, LEDGER) as target:
        done = await jdbpy("attach", target.address, "--json", *script(f"read {path}", "version"))
        assert done.status == 1
        assert [(found["command"], found["ok"]) for found in done.results] == [
            ("show repeat", True),
            ("frobnicate", False),
            (f"read {path}", False),
        ]
        assert "line 2" in done.results[-1]["error"]["message"]


async def test_a_script_that_reads_itself_is_refused(any_jvm: Jvm, tmp_path: Path) -> None:
    path = tmp_path / "script"
    await trio.Path(path).write_text(f"read {path}\n")
    async with start_target(any_jvm, LEDGER) as target:
        done = await jdbpy("attach", target.address, "--json", *script(f"read {path}"))
        assert done.status == 1
        assert "reads itself" in done.results[0]["error"]["message"]


async def test_each_command_has_the_whole_time_limit(any_jvm: Jvm) -> None:
    """Ten steps of a second each at most, all together more: the limit is that of a single wait."""
    async with start_target(any_jvm, program("Ticker"), suspend=False) as target:
        lines = ("stop in Ticker.spun", "20 cont")
        done = await jdbpy("attach", target.address, "--json", "--timeout", "5", *script(*lines))
        assert done.status == 0, done
        assert len(done.results) == 21


async def test_quit_ends_the_batch(any_jvm: Jvm) -> None:
    async with start_target(any_jvm, LEDGER) as target:
        done = await jdbpy("attach", target.address, "--json", *script("quit", "version"))
        assert done.status == 0
        assert [found["command"] for found in done.results] == ["quit"]
        assert done.results[0]["data"]["action"] == "detached"
        await assert_runs_on(target)


async def test_a_launched_target_that_is_detached_from_runs_on(jvm: Jvm, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    source = f"""
        class Survivor {{
            public static void main(String[] args) throws Exception {{
                java.nio.file.Files.writeString(java.nio.file.Path.of("{mark}"), "done");
            }}
        }}"""
    from tests.harness import inline

    done = await jdbpy(*launching(inline(source), "--json", *script("detach")), jvm=jvm)
    assert done.status == 0, done
    with within(LIMIT):
        while not mark.exists() or mark.read_text() != "done":  # noqa: ASYNC110 - it is no child of ours
            await trio.sleep(0.01)


async def test_exit_kill_ends_an_attached_target(jvm: Jvm) -> None:
    async with start_target(jvm, LEDGER) as target:
        done = await jdbpy("attach", target.address, "--json", *script("exit --kill 7"))
        assert done.status == 0, done
        assert done.results[0]["data"]["action"] == "terminated"
        assert await target.wait_exit() == 7


async def test_listening(jvm: Jvm) -> None:
    async with driving("listen", "0") as driver:
        address = (await driver.event("listening"))["address"]
        async with start_target(jvm, LEDGER, connect_to=address) as target:
            await driver.ask(TOTAL)
            assert (await driver.ask("run"))["stop"]["breakpoint"] == 1
            await driver.close_input()
            assert await driver.wait() == 0
            await assert_runs_on(target)


async def test_application_output_goes_out_as_it_comes(jvm: Jvm) -> None:
    async with driving(*launching(LEDGER), jvm=jvm) as driver:
        await driver.send("run")
        text = ""
        while "entry 7" not in text:  # it comes while `run` waits: the target has not ended
            event = await driver.next()
            assert event["type"] == "event"
            text += event["data"].get("text", "")


async def test_a_stop_is_shown_whole_in_plain_text(jvm: Jvm) -> None:
    async with start_target(jvm, LEDGER) as target:
        words = script(TOTAL, "cont", "display factor", "next")
        done = await jdbpy("attach", target.address, "--sourcepath", LEDGER.sources, *words)
        assert done.status == 0, done
        line = LEDGER.line("total")
        assert f'Breakpoint 1 hit: thread "main", Ledger.total, Ledger.java:{line}\n' in done.out
        assert f"=> {line}          int sum = 0; // @total\n" in done.out
        assert "Hint: " not in done.out  # a script needs none
        assert "1: factor = 2\n" in done.out.rpartition("Step completed")[2]


class BrokenSession:
    """A session with a fault: whatever is asked of it raises. Nothing ever happens in it."""

    launched = points_are_used = False
    address = "broken"
    remote_reason = ""
    last_stop = ending = None

    def events(self) -> BrokenSession:
        return self

    def listen(self, listener: object) -> None:
        pass

    def __enter__(self) -> BrokenSession:
        return self

    def __exit__(self, *error: object) -> None:
        pass

    def take_nowait(self) -> None:
        return None

    def touch(self) -> None:
        pass

    def note_line(self, line: str) -> None:
        pass

    @property
    def info(self) -> object:
        raise RuntimeError("a fault of ours")


async def test_a_fault_of_ours_is_a_result_too(capsys: pytest.CaptureFixture[str]) -> None:
    batch = Batch(cast(Session, BrokenSession()), Console(JsonRenderer(), json=True), Settings(), keep_going=True)
    assert await batch.run(ScriptLines([Script(command="version\nshow color")])) == 1
    out, err = capsys.readouterr()
    failed, shown = [check_line(line) for line in out.splitlines()]
    assert failed["error"]["code"] == "JDBPY_FAULT"
    assert "RuntimeError: a fault of ours" in failed["error"]["message"]
    assert "Traceback" in err
    assert shown["ok"]


async def test_errors_go_to_standard_error_in_plain_text(any_jvm: Jvm) -> None:
    async with start_target(any_jvm, LEDGER) as target:
        done = await jdbpy("attach", target.address, *script("frobnicate"))
        assert done.status == 1
        assert "frobnicate" not in done.out
        hint = "'help' lists the commands, 'print frobnicate' shows a variable"
        assert done.err == f"error: unknown command 'frobnicate'\n  hint: {hint}\n"


async def test_breakpoints_that_were_never_set_or_never_hit_are_named(any_jvm: Jvm) -> None:
    lines = ["stop in Ledger.nowhere", "stop at Absent:7", f"break {LEDGER.at('again')} if false", "run"]
    done = await jdbpy(*launching(LEDGER, "--json", "--keep-going", *script(*lines)), jvm=any_jvm)
    assert done.status == 1
    assert "breakpoint 1 at Ledger.nowhere was never set: no method nowhere in Ledger" in done.err
    assert "breakpoint 2 at Absent:7 was never set: pending: class Absent is not loaded yet" in done.err
    done = await jdbpy(*launching(LEDGER, *script("stop in Ledger.nowhere", "breakpoints")), jvm=any_jvm)
    assert (done.status, done.err) == (0, "")  # nothing has run: nothing can be said


async def test_a_breakpoint_whose_condition_failed_is_not_said_to_have_been_passed_by(any_jvm: Jvm) -> None:
    lines = [f'break {LEDGER.at("again")} if Integer.parseInt("x") > 1', "run", "cont"]
    done = await jdbpy(*launching(LEDGER, "--keep-going", *script(*lines)), jvm=any_jvm)
    assert "was never hit" not in done.err
    said = r"breakpoint 1 at \S+: its condition failed \d+ times?, and was true at no hit"
    assert re.search(said, done.err), done.err


HOT = """
class Hot {
    public static void main(String[] args) { System.out.println("hot"); for (int i = 0; ; i++) again(i); }
    static void again(int i) { sum += i; } // @again
    static long sum;
}
"""


@pytest.mark.parametrize("option", ["-hit 3", "-hit 1", "-t", "-d"])
async def test_a_breakpoint_that_is_hit_for_good_at_once_was_set(any_jvm: Jvm, option: str) -> None:
    hot = inline(HOT)
    async with start_target(any_jvm, hot, suspend=False) as target:
        await target.wait_output("hot")
        lines = [f"stop in Hot.again {option}", *(["cont"] if option != "-d" else []), "breakpoints"]
        done = await jdbpy("attach", target.address, *script(*lines))
        assert (done.status, done.err) == (0, ""), done
        assert f"reakpoint 1 set: Hot.again (Hot.java:{hot.line('again')})" in done.out
        assert "pending" not in done.out and "not loaded" not in done.out
        if option != "-d":
            assert 'reakpoint 1 hit: thread "main", Hot.again' in done.out


async def test_a_breakpoint_that_is_over_was_set(jvm: Jvm) -> None:
    lines = [f"{TOTAL} -hit 1", "cont"]
    done = await jdbpy(*launching(LEDGER, *script(*lines)), jvm=jvm)
    assert (done.status, done.err) == (0, ""), done

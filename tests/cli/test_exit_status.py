"""Each exit status, by a process of its own, on every JVM."""

from __future__ import annotations

import os
import shlex
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest
import trio

from tests.cli.process import assert_runs_on, command, driving, environment, jdbpy, launching, script
from tests.harness import LIMIT, Jvm, inline, program, start_target
from tests.harness.processes import halt

LEDGER = program("Ledger")


async def test_0_all_commands_succeeded(jvm: Jvm) -> None:
    async with start_target(jvm, LEDGER) as target:
        words = script("stop in Ledger.total(int)", "cont", "where", "locals")
        done = await jdbpy("attach", target.address, *words, "--json")
        assert done.status == 0, done
        assert [found["ok"] for found in done.results] == [True] * 4
        assert done.results[2]["data"]["frames"][0]["method"] == "total"
        assert done.err == ""
        await assert_runs_on(target)


async def test_0_a_launched_target_is_ended(jvm: Jvm) -> None:
    done = await jdbpy(*launching(LEDGER, *script(f"stop at {LEDGER.at('again')}", "run")), jvm=jvm)
    assert done.status == 0, done
    assert "total 120\n" in done.out
    assert "\nthe end" not in done.out
    assert "half way" in done.err


async def test_1_a_command_failed(jvm: Jvm) -> None:
    async with start_target(jvm, LEDGER) as target:
        done = await jdbpy("attach", target.address, *script("frobnicate", "version"), "--json")
        assert done.status == 1
        [only] = done.results
        assert only["error"]["code"] == "UNKNOWN_COMMAND"
        await assert_runs_on(target)


async def test_1_also_when_the_others_are_still_run(jvm: Jvm) -> None:
    async with start_target(jvm, LEDGER) as target:
        done = await jdbpy("attach", target.address, "--keep-going", *script("frobnicate", "version"), "--json")
        assert done.status == 1
        assert [found["ok"] for found in done.results] == [False, True]


@pytest.mark.parametrize("words", [["attach", "nonsense"], ["attach", "1", "-x", "no/such/file"], ["attach"]], ids=str)
async def test_2_usage(words: list[str]) -> None:
    done = await jdbpy(*words)
    assert done.status == 2
    assert done.out == ""
    assert "Traceback" not in done.err
    assert done.err.count("\n") <= 2


async def test_2_a_wire_log_that_cannot_be_written(tmp_path: Path) -> None:
    done = await jdbpy("launch", "--wire-log", str(tmp_path / "no" / "log"), "Main")
    assert done.status == 2
    assert "Traceback" not in done.err


async def test_3_nobody_listens() -> None:
    done = await jdbpy("attach", "127.0.0.1:1", *script("where"), "--json")
    assert done.status == 3
    [only] = done.results
    assert only["command"] == "attach 127.0.0.1:1"
    assert only["error"]["code"] == "CONNECT"
    assert "-agentlib:jdwp" in only["error"]["hint"]


@asynccontextmanager
async def answering(reply: bytes) -> AsyncIterator[int]:
    """A peer that is no JVM: it answers any connection with ``reply`` and closes it."""

    async def serve(stream: trio.SocketStream) -> None:
        async with stream:
            await stream.send_all(reply)

    async with trio.open_nursery() as nursery:
        listeners = await nursery.start(partial(trio.serve_tcp, serve, 0, host="127.0.0.1"))
        yield listeners[0].socket.getsockname()[1]
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("reply", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b""], ids=["http", "nothing"])
async def test_3_no_handshake(reply: bytes) -> None:
    async with answering(reply) as port:
        done = await jdbpy("attach", str(port), *script("where"))
    assert done.status == 3
    assert done.out == ""
    assert done.err.startswith("error: ")
    assert "Traceback" not in done.err


async def test_4_no_stop_came_in_time(jvm: Jvm) -> None:
    async with start_target(jvm, LEDGER) as target:
        done = await jdbpy("attach", target.address, "--timeout", "5", *script("cont", "where"), "--json")
        assert done.status == 4, done
        assert done.results[-1]["command"] == "cont"
        assert done.results[-1]["error"]["code"] == "TIMED_OUT"
        assert "5 seconds" in done.results[-1]["error"]["message"]
        await assert_runs_on(target)


async def test_4_no_answer_came_in_time(any_jvm: Jvm) -> None:
    async with start_target(any_jvm, LEDGER) as target:
        async with driving("attach", target.address, "--timeout", "5") as driver:
            await driver.ask("version")
            await halt(target.pid)
            await driver.send("classes")
            error = (await driver.result())["error"]
            assert (error["code"], error["message"]) == ("TIMED_OUT", "no answer within 5 seconds")
            assert await driver.wait() == 4
        target.process.send_signal(signal.SIGCONT)
        await assert_runs_on(target)


async def test_4_no_jvm_came_in_time() -> None:
    done = await jdbpy("listen", "0", "--timeout", "0.3", *script("where"), "--json")
    assert done.status == 4
    assert done.objects[0]["event"] == "listening"
    assert done.results[-1]["error"]["code"] == "TIMED_OUT"


async def test_5_the_target_was_killed_in_a_wait(jvm: Jvm) -> None:
    async with start_target(jvm, LEDGER) as target, driving("attach", target.address) as driver:
        await driver.send("cont")
        await target.wait_output("entry 7")
        target.kill()
        assert (await driver.event("disconnected"))["reason"]
        assert (await driver.result())["error"]["code"] == "DISCONNECTED"
        assert await driver.wait() == 5


async def test_5_the_target_was_killed_between_commands(jvm: Jvm) -> None:
    async with start_target(jvm, LEDGER) as target, driving("attach", target.address) as driver:
        await driver.ask("version")
        target.kill()
        await driver.event("disconnected")
        assert await driver.wait() == 5


async def test_130_interrupted_in_a_wait(jvm: Jvm) -> None:
    async with start_target(jvm, LEDGER) as target, driving("attach", target.address) as driver:
        await driver.send("cont")
        await target.wait_output("entry 7")
        driver.interrupt()
        assert (await driver.result())["error"]["code"] == "INTERRUPTED"
        assert await driver.wait() == 130
        await assert_runs_on(target)


async def test_130_interrupted_while_it_waits_for_a_line(jvm: Jvm) -> None:
    async with start_target(jvm, LEDGER) as target, driving("attach", target.address) as driver:
        await driver.ask("version")
        driver.interrupt()
        assert await driver.wait() == 130
        await assert_runs_on(target)


async def test_130_interrupted_while_it_waits_for_a_jvm() -> None:
    async with driving("listen", "0", "--timeout", str(LIMIT)) as driver:
        await driver.event("listening")
        driver.interrupt()
        assert await driver.wait() == 130


async def test_130_a_launched_target_ends_with_us(any_jvm: Jvm) -> None:
    endless = inline("""
        class Endless {
            public static void main(String[] args) throws Exception {
                System.out.println(ProcessHandle.current().pid());
                Thread.sleep(600_000);
            }
        }""")
    async with driving(*launching(endless), jvm=any_jvm) as driver:
        await driver.send("run")
        pid = int((await driver.event("output"))["text"])
        driver.interrupt()
        assert await driver.wait() == 130
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_0_without_a_standard_input(any_jvm: Jvm) -> None:
    async with start_target(any_jvm, LEDGER) as target:
        line = f"{shlex.join(command('attach', target.address, '-x', '-'))} <&-"
        done = await trio.run_process(["sh", "-c", line], capture_stderr=True, env=environment(None))
        assert done.stderr == b""
        await assert_runs_on(target)


async def test_143_terminated(any_jvm: Jvm) -> None:
    async with start_target(any_jvm, LEDGER) as target, driving("attach", target.address) as driver:
        await driver.ask("stop in Ledger.total")
        driver.process.send_signal(signal.SIGTERM)
        assert await driver.wait() == 128 + signal.SIGTERM
        await assert_runs_on(target)


async def test_a_second_signal_does_not_stop_the_leaving(jvm: Jvm) -> None:
    async with start_target(jvm, LEDGER) as target, driving("attach", target.address) as driver:
        await driver.ask("stop in Ledger.total")
        driver.process.send_signal(signal.SIGTERM)
        driver.interrupt()
        driver.process.send_signal(signal.SIGHUP)
        assert await driver.wait() in (128 + signal.SIGTERM, 128 + signal.SIGINT, 128 + signal.SIGHUP)
        await assert_runs_on(target)


async def test_141_nobody_reads_the_output(any_jvm: Jvm) -> None:
    async with start_target(any_jvm, LEDGER) as target, driving("attach", target.address) as driver:
        await driver.ask("version")
        assert driver.process.stdout is not None
        await driver.process.stdout.aclose()
        await driver.send("threads")
        assert await driver.wait() == 128 + signal.SIGPIPE
        await assert_runs_on(target)

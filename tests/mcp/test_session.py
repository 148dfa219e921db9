"""Whole sessions of an agent: a planted bug is found, eight threads stop, a client vanishes."""

from __future__ import annotations

import json
import signal
import sys

import pytest
import trio

import jdbpy
from jdbpy.demo.program import JAVA_SOURCE
from tests.cli.process import environment
from tests.harness import LIMIT, Jvm, Program, Target, inline, start_target, within
from tests.harness.processes import piped, send_line
from tests.mcp.client import ROOT, Agent, agent


def bar_with_a_bug() -> Program:
    """The demo's program, in which the till forgets what it held."""
    files = sorted((JAVA_SOURCE / "coffee").glob("*.java"), key=lambda path: path.stem != "CoffeeBar")
    lines = [line for path in files for line in path.read_text().splitlines() if not line.startswith("package ")]
    imports = sorted({line for line in lines if line.startswith("import ")})
    code = "\n".join(line.replace("public final class", "final class") for line in lines if line not in imports)
    assert "balance += cents" in code
    start = "class Start { public static void main(String[] args) throws Exception { CoffeeBar.main(args); } }"
    return inline(
        "\n".join([*imports, start, code.replace("balance += cents", "balance = cents")]).replace(
            "List.of(", "java.util.Arrays.asList("
        )
    )


async def test_a_planted_bug_is_found(jvm: Jvm) -> None:
    async with start_target(jvm, bar_with_a_bug()) as target:
        async with agent("--sourcepath", target.program.sources, "attach", target.address) as client:
            made = await client.call("set_breakpoint", field="Till.balance")
            assert made["breakpoint"]["kind"] == "field"
            seen = []
            while (found := await client.call("run_until_stop"))["stop"] is not None:
                stop = found["stop"]
                assert stop["reason"] == "modification" and stop["variable"].endswith("balance")
                [line] = [
                    each["text"] for each in found["source"]["lines"] if each["line"] == found["source"]["current"]
                ]
                cents = next(each["value"] for each in found["variables"] if each["name"] == "cents")
                seen.append((stop["old_value"]["value"], cents, stop["new_value"]["value"], line.strip()))
            assert seen == [  # what is new is what came, not what was there and what came: the line says why
                ("0", "540", "540", "balance = cents;"),
                ("540", "980", "980", "balance = cents;"),
                ("980", "315", "315", "balance = cents;"),
            ]
            assert found["ended"] and client.target["state"] == "ended"
        assert await target.wait_exit() == 0


@pytest.mark.every_java
async def test_eight_threads_stop_at_once(jvm: Jvm) -> None:
    async with start_target(jvm, "Racers", *("8", "1000")) as target:
        async with agent("--hold", "thread", "attach", target.address) as client:
            await client.call("set_breakpoint", at=target.program.at("done"))
            names = {(await client.call("run_until_stop"))["stop"]["thread"]["name"]}
            answers: list[dict[str, object]] = []

            async def look(name: str) -> None:
                found = await client.call("inspect", expression="lap", thread=name)
                answers.append({"thread": name, "lap": found["value"]})

            while len((await client.resource("jdbpy://stops"))["data"]["stops"]) < 8:
                await trio.lowlevel.checkpoint()
            async with trio.open_nursery() as nursery:
                for number in range(8):
                    nursery.start_soon(look, f"racer-{number}")
            assert {each["thread"] for each in answers} == {f"racer-{number}" for number in range(8)}
            assert {each["lap"] for each in answers} == {"1000"}
            assert client.target["suspended"] == "8 threads" and len(client.target["stops"]) == 8
            for _ in range(7):  # each resume releases the stop that was shown, and brings another one
                names.add((await client.call("run_until_stop"))["stop"]["thread"]["name"])
            assert names == {f"racer-{number}" for number in range(8)}
            assert (await client.call("run_until_stop"))["ended"]
        assert await target.wait_exit() == 0


async def stopped_by_a_raw_client(process: trio.Process, target: Target) -> None:
    """Bring the target to a stop, with lines of JSON only."""

    async def ask(number: int, method: str, **params: object) -> dict[str, object]:
        await send_line(process, json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}))
        data = b""
        assert process.stdout is not None
        while not data.endswith(b"\n"):
            data += await process.stdout.receive_some()
        answer: dict[str, object] = json.loads(data)
        assert answer["id"] == number
        return answer

    client = {"name": "test", "version": "0"}
    await ask(1, "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo=client)
    await send_line(process, '{"jsonrpc":"2.0","method":"notifications/initialized"}')
    await ask(2, "tools/call", name="set_breakpoint", arguments={"at": target.program.at("number")})
    answer = await ask(3, "tools/call", name="run_until_stop", arguments={})
    assert "all threads" in str(answer)


@pytest.mark.parametrize("end", ["closed", "terminated", "killed"])
async def test_a_client_that_goes_leaves_nothing_suspended(jvm: Jvm, end: str) -> None:
    async with start_target(jvm, "Rounds") as target:
        command = [sys.executable, "-m", "jdbpy", "mcp", "attach", target.address]
        async with piped(command, cwd=ROOT) as process:
            await stopped_by_a_raw_client(process, target)
            assert process.stdin is not None
            if end == "closed":
                await process.stdin.aclose()
                assert await process.wait() == 0
            else:
                process.send_signal(signal.SIGTERM if end == "terminated" else signal.SIGKILL)
                assert await process.wait() in (128 + signal.SIGTERM, -signal.SIGKILL)
        assert await target.wait_exit() == 0  # it runs to its end, as no breakpoint stops it in the next round


async def test_a_second_debugger_finds_all_running(jvm: Jvm) -> None:
    async with start_target(jvm, "Crowd", "3") as target:
        async with agent("attach", target.address) as client:
            await client.call("run_until_stop", timeout=0)
            await target.wait_output("ready")
            await client.call("pause")
            assert client.target["suspended"] == "all threads" and client.target["seconds"] >= 0
        await target.wait_listening_again()
        async with jdbpy.attach(target.address) as vm:
            assert not vm.is_suspended and not vm.breakpoints
            assert {each.record.to_dict()["suspend_count"] for each in await vm.threads} == {0}


async def test_a_client_that_goes_while_a_tool_waits(any_jvm: Jvm) -> None:
    async with start_target(any_jvm, "Crowd", "1") as target:
        async with piped([sys.executable, "-m", "jdbpy", "mcp", "attach", target.address], cwd=ROOT) as process:
            client = {"name": "test", "version": "0"}
            hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
            call = {"name": "run_until_stop", "arguments": {"timeout": 3600}}
            for number, method, params in ((1, "initialize", hello), (2, "tools/call", call)):
                message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
                await send_line(process, json.dumps(message))
                if number == 1:
                    await send_line(process, '{"jsonrpc":"2.0","method":"notifications/initialized"}')
            await target.wait_output("ready")  # the tool has resumed it, and waits
            assert process.stdin is not None
            await process.stdin.aclose()
            with within(LIMIT):
                assert await process.wait() == 0
        await target.wait_listening_again()
        async with jdbpy.attach(target.address) as vm:
            assert not vm.is_suspended


async def test_ending_lets_run_what_has_stopped_unseen(jvm: Jvm) -> None:
    """A breakpoint that was hit between two calls: nobody was told of the stop, and nothing stands still for it."""
    async with start_target(jvm, "Turns", suspend=False) as target:
        await target.wait_output("open")
        async with agent("attach", target.address) as client:
            await client.call("set_breakpoint", at=target.program.at("take"), suspend="all", temporary=True)
            while client.target["suspended"] != "all threads":
                await client.call("threads")
            found = await client.call("run_until_stop", timeout=0)
            assert found["stop"] is None
            assert [each["thread"]["name"] for each in found["passed"]] == ["taker"]
            assert client.target["suspended"] == "nothing"
            assert await client.call("run_until_stop", timeout=0) == {"stop": None}


async def test_a_step_tells_of_the_stop_that_keeps_it(jvm: Jvm) -> None:
    """It does not wait for the end of its time when everything stands at a breakpoint of another thread."""
    async with start_target(jvm, "Turns", suspend=False) as target:
        await target.wait_output("open")
        async with agent("attach", target.address) as client:
            await client.call("set_breakpoint", at=target.program.at("pass"), suspend="all", temporary=True)
            assert (await client.call("run_until_stop"))["stop"]["thread"]["name"] == "passer"
            made = await client.call("set_breakpoint", at=target.program.at("take"), suspend="all")
            found = await client.call("step", thread="passer", timeout=3600)
            assert found["stop"]["thread"]["name"] == "taker"
            assert found["stop"]["breakpoint"] == made["breakpoint"]["number"]
            assert found["step"].startswith("goes on")
            await client.call("remove_breakpoint", number=0)
            found = await client.call("run_until_stop", timeout=LIMIT)
            assert (found["stop"]["thread"]["name"], found["stop"]["reason"]) == ("passer", "step")


DESK = """
import java.io.*;
import java.net.*;
import java.util.*;
import java.util.concurrent.*;

public class Desk {
    public static void main(String[] args) throws Exception {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        ExecutorService workers = Executors.newFixedThreadPool(4);
        Ledger ledger = new Ledger();
        for (int client = 0; client < 4; client++) {
            String account = "account-" + client;
            Thread thread = new Thread(() -> bookForEver(server.getLocalPort(), account), account);
            thread.setDaemon(true);
            thread.start();
        }
        while (true) {
            Socket socket = server.accept();
            workers.submit(() -> serve(socket, ledger));
        }
    }

    static void serve(Socket socket, Ledger ledger) {
        try (socket; Scanner in = new Scanner(socket.getInputStream());
             PrintStream out = new PrintStream(socket.getOutputStream(), true)) {
            while (in.hasNextLine()) {
                String[] words = in.nextLine().split(" ");
                out.println(ledger.book(words[0], Integer.parseInt(words[1])));
            }
        } catch (IOException gone) {
            System.err.println(gone);
        }
    }

    static void bookForEver(int port, String account) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
             Scanner in = new Scanner(socket.getInputStream());
             PrintStream out = new PrintStream(socket.getOutputStream(), true)) {
            for (int cents = 100; ; cents = cents == 1000 ? 100 : cents + 300) {
                out.println(account + " " + cents);
                in.nextLine();
                Thread.sleep(50);
            }
        } catch (IOException | InterruptedException gone) {
            System.err.println(gone);
        }
    }
}

class Ledger {
    private final Map<String, Integer> totals = new ConcurrentHashMap<>();

    int book(String account, int cents) {
        int before = totals.getOrDefault(account, 0);
        int after = before + cents;
        if (cents > 999) after = cents;
        totals.put(account, after);
        return after;
    }
}
"""


async def wrong_bookings(client: Agent) -> list[int]:
    """The cents of the calls after which a total was not what it was before and these."""
    found = await client.call("trace", method="Ledger.book", seconds=60, limit=60)
    totals: dict[str, int] = {}
    wrong = []
    for call in found["traced"]:
        account, cents, total = call["arguments"]["account"], int(call["arguments"]["cents"]), call.get("returned")
        if total is not None and account in totals and int(total) != totals[account] + cents:
            wrong.append(cents)
        if total is not None:
            totals[account] = int(total)
    return wrong


async def test_a_bug_of_a_concurrent_server_is_fixed_by_tools_alone(jvm: Jvm) -> None:
    """Which calls are wrong, in which line, and that they are right with another: each as a tool tells it."""
    faulty = inline(DESK)
    async with agent("--allow-changes", "--sourcepath", faulty.sources, environ=environment(jvm)) as client:
        await client.call("launch", command=["-cp", faulty.classes, faulty.main])
        await client.call("run_until_stop", timeout=0)
        wrong = await wrong_bookings(client)
        assert wrong and set(wrong) == {1000}
        await client.call("set_breakpoint", at="Ledger.book", condition=f"cents == {wrong[0]}", suspend="thread")
        found = await client.call("run_until_stop")
        blamed = ""
        while not blamed:
            window = found["source"]
            [line] = [each["text"] for each in window["lines"] if each["line"] == window["current"]]
            found = await client.call("step")
            values = {each["name"]: each["value"] for each in found["variables"]}
            if "after" in values and int(values["after"]) != int(values["before"]) + int(values["cents"]):
                blamed = line
        assert blamed.strip() == "if (cents > 999) after = cents;"
        assert len((await client.call("breakpoints"))["breakpoints"]) == 1
        await client.call("detach")
        mended = inline(DESK.replace(blamed, ""))
        await client.call("launch", command=["-cp", mended.classes, mended.main])
        await client.call("run_until_stop", timeout=0)
        assert await wrong_bookings(client) == []
        await client.call("detach")


@pytest.mark.parametrize("hold", ["all", "thread"])
async def test_a_method_that_does_not_return_in_time_is_told(jvm: Jvm, hold: str) -> None:
    """The thread is of no use meanwhile, each tool says why, and the next stop is the one that is told."""
    async with start_target(jvm, "Crew", "4") as target:
        async with agent("--allow-changes", "--hold", hold, "attach", target.address) as client:
            await client.call("set_breakpoint", at=target.program.at("deep"))
            stopped = (await client.call("run_until_stop"))["stop"]["thread"]["name"]
            refused = await client.refused("evaluate", expression="Crew.slower(60000)", timeout=0.1, thread=stopped)
            assert "Crew.slower has not returned within 0.1 s and is still running in its thread" in refused
            for tool, arguments in (("evaluate", {"expression": "name"}), ("stack", {}), ("step", {})):
                refused = await client.refused(tool, thread=stopped, **arguments)
                assert "that thread is running a method for an earlier expression: Crew.slower" in refused, tool
            told = set()
            for _ in range(4):
                stop = (await client.call("run_until_stop"))["stop"]
                name = stop["thread"]["name"]
                told.add(name)
                found = await client.call("evaluate", expression="name", thread=name)
                assert found["value"] == f'"w{name[-1]}"'
                shown = await client.call("stack", thread=name)
                assert shown["frames"][0]["method"] == "deep"
            assert len(told) > 1

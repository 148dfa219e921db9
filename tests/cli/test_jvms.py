"""Several JVMs in one batch or at one prompt: each, sessions, session, attach; stops, reports and losses by name."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.cli.process import Driver, driving, jdbpy, script
from tests.cli.pseudo_terminal import open_terminal
from tests.harness import Jvm, Target, program, start_target
from tests.harness.remote import KUBECTL, write_python_program

SHOP = program("Stall")


@asynccontextmanager
async def shops(jvm: Jvm, *names: str) -> AsyncIterator[list[Target]]:
    async with AsyncExitStack() as stack:
        found = [await stack.enter_async_context(start_target(jvm, SHOP, name, suspend=False)) for name in names]
        for target in found:
            await target.wait_output("ready")
        yield found


def by_jvm(result: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """What ``each`` has found, by the name of the JVM."""
    assert all(item["ok"] for item in result["results"]), result
    return {item["jvm"]: item["data"] for item in result["results"]}


async def next_event(driver: Driver, name: str) -> tuple[str, dict[str, Any]]:
    """The JVM and the data of the next event of that name."""
    data = await driver.event(name)
    return driver.seen[-1]["jvm"], data


async def test_one_session_with_several(jvm: Jvm) -> None:
    async with shops(jvm, "a", "b", "c") as (a, b, c):
        async with driving("attach", f"a={a.address}", f"b1={b.address}", "--keep-going") as driver:
            listed = (await driver.ask("jvms"))["jvms"]
            assert [(each["name"], each["state"], each["current"]) for each in listed] == [
                ("a", "running", True),
                ("b1", "running", False),
            ]
            await driver.ask("break Stall.done")  # in one only; numbers stay alike all the same
            set_ = await driver.ask('logpoint Stall.order "{shop}"')
            assert {name: data["breakpoint"]["number"] for name, data in by_jvm(set_).items()} == {"a": 2, "b1": 2}
            await driver.ask(f"attach b2={c.address}")  # it gets what was set in all, and only that
            where, notice = await next_event(driver, "notice")
            assert (where, notice["kind"]) == ("b2", "set-for-all")
            in_c = by_jvm(await driver.ask("jvm b2 breakpoints"))["b2"]["breakpoints"]
            assert [each["number"] for each in in_c] == [2]
            counts = await driver.ask("each print Stall.orders")
            assert {name: data["value"] for name, data in by_jvm(counts).items()} == {"a": "0", "b1": "0", "b2": "0"}

            await c.send()  # it reports, and the others wait for nothing
            assert (await next_event(driver, "notice"))[0] == "b2"
            await driver.ask("each break Stall.done")
            await driver.send("cont")
            await b.send()
            where, stop = await next_event(driver, "stop")
            assert (where, stop["location"]["method"]) == ("b1", "done")
            ended = await driver.result()
            assert (ended["command"], ended["jvm"], ended["data"]["stop"]["breakpoint"]) == ("cont", "b1", 3)
            await driver.send("where")
            found = await driver.result()
            assert (found["jvm"], found["data"]["frames"][0]["method"]) == ("b1", "done")

            await a.send()  # the current one is stopped: it stays the current one
            assert (await next_event(driver, "stop"))[0] == "a"
            await driver.send("step up")  # and a step ends with its own stop
            ended = await driver.result()
            assert (ended["jvm"], ended["data"]["stop"]["location"]["method"]) == ("b1", "order")
            folded = await driver.ask("each where all --fold")
            [main] = [each for each in folded["stacks"] if each["frames"][:1] and each["frames"][0]["method"] == "done"]
            assert [(thread["jvm"], thread["name"]) for thread in main["threads"]] == [("a", "main")]
            assert folded["jvms"] == 3
            await driver.ask("each resume")
            await driver.send("each frobnicate")
            assert (await driver.result())["error"]["code"] == "UNKNOWN_COMMAND"
            await driver.send("jvm b")
            assert (await driver.result())["error"]["message"] == "ambiguous JVM name 'b': b1, b2"

            await driver.ask("jvm b1")
            b.kill()
            assert (await next_event(driver, "disconnected"))[0] == "b1"
            again = await driver.ask("each print Stall.orders")
            assert {name: data["value"] for name, data in by_jvm(again).items()} == {"a": "1", "b2": "1"}
            assert again["missing"] == ["b1"]
            await driver.ask("jvm a")
            await driver.ask("detach")
            assert [each["name"] for each in (await driver.ask("jvms"))["jvms"]] == ["b1", "b2"]
            await driver.ask("quit")
            assert await driver.wait() == 1  # of the first failure
        for target, seen in ((a, 1), (c, 1)):
            await target.send()
            await target.wait_output(f" {seen + 1}")


async def test_one_cannot_be_had_and_one_fails(any_jvm: Jvm) -> None:
    async with shops(any_jvm, "a", "b") as (a, b):
        lines = script("each print 1 / Stall.orders", "jvm a set Stall.orders = 1", "each print 1 / Stall.orders")
        done = await jdbpy("attach", f"a={a.address}", "b=1", f"b={b.address}", "--keep-going", *lines)
        assert done.status == 1
        assert "error: no debugger agent is listening at 127.0.0.1:1" in done.err
        assert "error: java.lang.ArithmeticException: / by zero" in done.err
        assert "[a] Stall.orders = 1\n[a] 1 / Stall.orders = 1\n[b#2] error: java.lang.Arithmetic" in done.out
        await b.wait_listening_again()
        done = await jdbpy("attach", f"b={b.address}", "b=1", *script("jvms"))
        assert (done.status, done.out.split()[:4]) == (3, ["=>", "1", "b", "running"])


async def test_pods_of_a_selector_come_and_go(any_jvm: Jvm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A rolling restart: another pod takes the place of one that is gone, with its breakpoints."""
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    state = tmp_path / "kubectl.json"
    write_python_program(tmp_path / "bin" / "kubectl", KUBECTL, state)

    def cluster(pods: dict[str, int]) -> None:
        ports = {f"pod/{name}": port for name, port in pods.items()}
        beside = tmp_path / "next.json"
        beside.write_text(json.dumps({"ports": ports, "names": {}, "selected": {"app=shop": list(ports)}}))
        beside.replace(state)  # it is read all the time

    async with shops(any_jvm, "old", "other", "new") as (old, other, new):
        cluster({"shop-1": old.port, "shop-2": other.port})
        async with driving("attach", "k8s://web:5005?selector=app=shop", "--reconnect") as driver:
            assert [each["name"] for each in (await driver.ask("jvms"))["jvms"]] == ["shop-1", "shop-2"]
            await driver.ask('logpoint Stall.order "{shop}"')
            cluster({"shop-2": other.port})
            old.kill()
            assert (await next_event(driver, "disconnected"))[0] == "shop-1"
            await driver.ask('logpoint Stall.main "set in all while one was away"')
            cluster({"shop-2": other.port, "shop-3": new.port})
            await other.send()  # meanwhile
            told: set[tuple[str, str]] = set()
            while len(told) < 3:
                where, notice = await next_event(driver, "notice")
                told.add((where, notice["kind"]))
            assert told == {("shop-2", "logpoint"), ("shop-3", "reconnected"), ("shop-3", "set-for-all")}
            await new.send()
            where, notice = await next_event(driver, "notice")
            assert (where, notice["kind"], notice["message"]) == ("shop-3", "logpoint", "new")
            await driver.ask("quit")
            assert await driver.wait() == 0


async def test_at_the_prompt(jvm: Jvm, tmp_path: Path) -> None:
    async with shops(jvm, "a", "b") as (a, b):
        async with open_terminal(["attach", f"a={a.address}"], tmp_path) as terminal:
            await terminal.prompt(">")
            await terminal.run(f"attach second={b.address}", "it is called second", then="second>")
            await terminal.run("each break Stall.order", "[a, second] Breakpoint 1 set", then="second>")
            await a.send()
            await terminal.expect("[a] Breakpoint 1 hit")
            await terminal.prompt("a:main[1]")
            await b.send()
            await terminal.expect(
                "[second] Breakpoint 1 hit", "a stays current; 'session second' makes the one that stopped"
            )
            terminal.type("jvm s\t")
            await terminal.expect("jvm second")
            terminal.type("\r")
            await terminal.prompt("second:main[1]")
            await terminal.run("each cont", then="second>")
            b.kill()
            await terminal.expect("[second] The connection is closed", "a is current now")
            await terminal.prompt("a>")
            terminal.type("quit\r")
            assert await terminal.wait_exit() == 0
        await a.send()
        await a.wait_output("a 2")

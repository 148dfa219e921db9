"""The agent starts jdbpy, or begins to listen, when something happens: ``launch=`` of ``onthrow``, ``onjcmd``."""

from __future__ import annotations

import json
import os
import sys

import pytest
import trio

from tests.cli.process import driving
from tests.harness import Jvm, start_target
from tests.harness.jvms import javac
from tests.harness.programs import ROOT, inline

AGENT = "-agentlib:jdwp=transport=dt_socket,server=y,address=127.0.0.1:0"
BOOM = inline("""\
public class Boom {
    public static void main(String[] args) throws Exception {
        System.out.println("ready");
        System.in.read();
        try {
            fail(7);
        } catch (IllegalStateException caught) {
            Thread worker = new Thread(() -> fail(8), "worker");
            worker.start();
            worker.join();
            System.out.println("went on");
        }
        System.in.read();
    }
    static void fail(int n) {
        throw new IllegalStateException("n is " + n);
    }
}
""")


@pytest.mark.parametrize(
    ("event", "n", "methods"),
    [
        ("onthrow=java.lang.IllegalStateException", 7, ["fail", "main"]),
        ("onuncaught=y", 8, ["fail", "lambda$main$0", "run"]),  # the first throw is caught, the second by nothing
    ],
)
async def test_an_exception_starts_jdbpy(
    jvm: Jvm, monkeypatch: pytest.MonkeyPatch, event: str, n: int, methods: list[str]
) -> None:
    """With the transport and the address behind its own words; it finds the thread at the throw."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), *sys.path[:0], os.environ.get("PYTHONPATH", "")]))
    call = f"{sys.executable} -m jdbpy attach --json --batch --command where --command locals"
    agent = f"{AGENT},suspend=y,{event},launch={call}"
    async with start_target(jvm, BOOM, with_agent=False, jvm_options=[agent]) as target:
        await target.wait_output("ready")
        await target.send()
        await target.wait_output("went on")
        found = [json.loads(line) for line in target.stdout.splitlines() if line.startswith("{")]
        assert len(found) >= 3, target.stdout + target.stderr
        stop, where, variables = (each["data"] for each in found[:3])
        assert (stop["reason"], stop["exception"]["message"]) == ("exception", f"n is {n}")
        assert [frame["method"] for frame in where["frames"]][: len(methods)] == methods
        assert [(each["name"], each["value"]) for each in variables["variables"]] == [("n", str(n))]
        await target.send()


async def test_jcmd_lets_the_agent_listen(any_jvm: Jvm) -> None:
    """Java 12 to 23."""
    jcmd = str((await trio.Path(javac()).resolve()).parent / "jcmd")
    agent = f"{AGENT},suspend=n,onjcmd=y"
    async with start_target(any_jvm, BOOM, with_agent=False, jvm_options=[agent]) as target:
        await target.wait_output("ready")
        done = await trio.run_process([jcmd, str(target.pid), "VM.start_java_debugging"], capture_stdout=True)
        assert b"Debugging has been started" in done.stdout
        async with driving("attach", f"pid://{target.pid}") as driver:
            assert not (await driver.ask("version"))["remote"]
            await driver.ask("quit")
            assert await driver.wait() == 0
        await target.send("\n")

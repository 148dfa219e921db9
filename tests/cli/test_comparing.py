"""Two JVMs, or two moments of one, compared: moment, diff."""

from __future__ import annotations

from pathlib import Path

from tests.cli.process import driving, jdbpy, script
from tests.harness import Jvm, inline, start_target

ONE = """\
public class Stall {{
    public static void main(String[] args) throws Exception {{
        kept.add(new Item());
        System.out.println("ready");
        for (int read; (read = System.in.read()) != -1;) if (read == '\\n') more();
    }}
    static java.util.List<Object> kept = new java.util.ArrayList<>();
    static class Item {{ int price() {{ return {price}; }} }}
    static void more() throws Exception {{
        kept.add(new Item());
        System.setProperty("stall.open", "yes");
        Thread worker = new Thread(Stall::sleep, "worker-" + kept.size());
        worker.setDaemon(true);
        worker.start();
        while (worker.getState() != Thread.State.WAITING) Thread.onSpinWait();
        System.out.println("more");
    }}
    static void sleep() {{ synchronized (kept) {{ try {{ kept.wait(); }} catch (InterruptedException gone) {{ }} }} }}
}}
"""


async def test_two_moments_and_two_jvms(jvm: Jvm, tmp_path: Path) -> None:
    old, new = inline(ONE.format(price=1)), inline(ONE.format(price=2))
    async with (
        start_target(jvm, old, suspend=False) as first,
        start_target(jvm, new, "-Dx=1", suspend=False) as second,
    ):
        for target in (first, second):
            await target.wait_output("ready")
        async with driving("attach", f"one={first.address}", f"two={second.address}", "--keep-going") as driver:
            kept = (await driver.ask("moment before threads classes properties histogram"))["moments"]
            assert [(each["name"], each["threads"] > 3, each["classes"] > 300) for each in kept] == [
                ("before", True, True)
            ]
            assert (await driver.ask("jvms"))["jvms"][0]["state"] == "running"
            await driver.ask(f"snapshot {tmp_path / 'old.snapshot'}")
            await first.send()
            await first.wait_output("more")
            found = await driver.ask("diff before now threads classes properties histogram")
            assert found["compared"] == ["threads", "classes", "properties", "histogram"]
            [stack] = [each for each in found["threads"] if "worker-2" in each["threads"]]
            assert (stack["first"], stack["second"]) == (0, 1)
            assert any(frame.startswith("Stall.sleep (Stall.java:") for frame in stack["frames"])
            assert {"name": "stall.open", "first": None, "second": "yes"} in found["properties"]
            assert {"class": "Stall$Item", "first": 1, "second": 2} in found["histogram"]
            assert [each for each in found["classes"] if each["how"] == "code"] == []

            await second.send()
            await second.wait_output("more")
            found = await driver.ask("diff one two threads")  # a lambda's class has another name in each JVM
            different = found.get("threads", [])  # of main, perhaps, which may still be on its way to its next read
            assert "worker-2" not in [name for each in different for name in each["threads"]]
            await driver.ask("each suspend")
            stacks = (await driver.ask("each where all --fold"))["stacks"]
            [workers] = [each for each in stacks if "worker-2" in [thread["name"] for thread in each["threads"]]]
            assert [(thread["jvm"], thread["name"]) for thread in workers["threads"]] == [
                ("one", "worker-2"),
                ("two", "worker-2"),
            ]
            await driver.ask("each resume")

            found = await driver.ask("diff one two classes flags")
            assert [each["name"] for each in found["classes"] if each["how"] == "code"] == ["Stall$Item"]
            assert not found.get("missing")

            found = await driver.ask(f"diff {tmp_path / 'old.snapshot'} one threads")
            assert "worker-2" in [name for each in found["threads"] for name in each["threads"]]

            await driver.send("diff one nowhere")
            assert "not a JVM, a moment or a file" in (await driver.result())["error"]["message"]
            await driver.ask("quit")
            await driver.wait()


async def test_it_is_shown(any_jvm: Jvm) -> None:
    async with start_target(any_jvm, inline(ONE.format(price=1)), suspend=False) as target:
        await target.wait_output("ready")
        lines = script("moment a properties", "moment", "diff a now")
        done = await jdbpy("attach", target.address, "--keep-going", *lines)
        assert "properties: no difference" in done.out
        assert "threads: not compared: a has none" in done.out

"""Several JVMs in one script, and one that goes away and comes back: ``fleet``, ``attach(reconnect=True)``."""

from __future__ import annotations

from collections import defaultdict

import pytest
import trio

import jdbpy
import jdbpy.sync
from tests.harness import LIMIT, Jvm, program, start_target

SHOP = program("Stall")


async def test_a_fleet_and_one_that_is_killed_and_restarted(jvm: Jvm, port: int) -> None:
    """Nothing is lost that the others report, each in its order."""
    on_port = f",address=127.0.0.1:{port}"
    async with (
        start_target(jvm, SHOP, "a", suspend=False) as a,
        start_target(jvm, SHOP, "b", suspend=False) as b,
        start_target(jvm, SHOP, "c", suspend=False, agent=on_port) as c,
    ):
        for target in (a, b, c):
            await target.wait_output("ready")
        addresses = {"a": a.address, "b": b.address, "c": c.address, "none": "127.0.0.1:1"}
        went: list[str] = []
        async with jdbpy.fleet(addresses, reconnect=True) as fleet:
            assert (fleet.names, list(fleet.missing)) == (["a", "b", "c"], ["none"])
            assert await fleet.gather(lambda vm: vm.static("Stall.orders").python()) == {"a": 0, "b": 0, "c": 0}
            answers = await fleet.each(lambda vm: vm.eval("1 / Stall.orders"))
            assert [answer.ok for answer in answers.values()] == [False] * 3
            seen: dict[str, list[int]] = defaultdict(list)

            async with fleet.hits(lambda vm: vm.log("Stall.done", "{orders}")) as hits:
                for target in (a, b, c):
                    await target.send("\n" * 9)
                while sum(map(len, seen.values())) < 30:
                    found = await hits.next(timeout=LIMIT)
                    assert found.hit is not None
                    seen[found.name].append(int(found.hit.values["orders"].text))
                assert seen == {name: list(range(1, 11)) for name in ("a", "b", "c")}
                c.kill()
                await a.send("\n" * 9)
                async with start_target(jvm, SHOP, "c", suspend=False, agent=on_port) as again:
                    await again.wait_output("ready")
                    await fleet["c"].wait_connected(LIMIT)
                    await again.send()
                    await b.send("\n" * 9)
                    while sum(map(len, seen.values())) < 51:
                        found = await hits.next(timeout=LIMIT)
                        assert found.hit is not None
                        seen[found.name].append(int(found.hit.values["orders"].text))
                    assert (seen["a"], seen["b"]) == ([*range(1, 21)], [*range(1, 21)])
                    assert seen["c"] == [*range(1, 11), 1]
                    went.append((await fleet["c"].find_thread("main")).name)
        assert went == ["main"]


async def test_one_of_a_fleet_goes_away_for_good(any_jvm: Jvm) -> None:
    async with (
        start_target(any_jvm, SHOP, "a", suspend=False) as a,
        start_target(any_jvm, SHOP, "b", suspend=False) as b,
    ):
        for target in (a, b):
            await target.wait_output("ready")

        def script() -> None:
            with jdbpy.sync.fleet([a.address, b.address]) as fleet:
                with fleet.hits(lambda vm: vm.log("Stall.order", "{shop}")) as hits:
                    trio.from_thread.run_sync(a.kill)
                    gone = hits.next(timeout=LIMIT)
                    assert (gone.name, gone.hit) == (a.address, None)
                    assert "the VM was killed or crashed" in gone.gone
                    trio.from_thread.run(b.send)
                    found = hits.next(timeout=LIMIT)
                    assert found.hit is not None
                    assert (found.name, found.hit.values["shop"].string) == (b.address, "b")
                answers = fleet.each(lambda vm: vm.static("Stall.orders").python())
                assert isinstance(answers[a.address].error, jdbpy.Disconnected)
                assert answers[b.address].value == 1
                with pytest.raises(jdbpy.Disconnected) as raised:
                    fleet.gather(lambda vm: vm.static("Stall.orders"))
                assert raised.value.__notes__ == [f"in the JVM {a.address}"]

        await trio.to_thread.run_sync(script)


async def test_a_script_goes_on_after_a_restart(jvm: Jvm, port: int) -> None:
    on_port = f",address=127.0.0.1:{port}"
    told: list[str] = []
    async with start_target(jvm, SHOP, "one", suspend=False, agent=on_port) as first:
        await first.wait_output("ready")
        address = f"127.0.0.1:{port}"
        async with jdbpy.attach(address, reconnect=LIMIT, on_reconnect=lambda vm, why: told.append(why)) as vm:
            kept = await vm.stop_at("Stall.order", when="orders > 0")
            await vm.stop_at("Stall.done", thread=await vm.find_thread("main"))
            off = await vm.stop_at("Stall.done")
            await off.disable()
            first.kill()
            async with start_target(jvm, SHOP, "two", agent=on_port) as second:  # it stands at its start
                await second.wait_output("ready")
                await second.send("\n")
                stop = await kept.wait(LIMIT)  # which has waited meanwhile
                assert await stop.frame.eval("shop + orders").string == "two1"
                assert [(each.number, each.enabled) for each in vm.breakpoints] == [(1, True), (3, False)]
                assert told[1:] == [""]
                await stop.resume()
            with pytest.raises(jdbpy.Disconnected):
                while True:
                    await vm.eval("1 + 1")

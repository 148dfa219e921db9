"""Several JVMs in one script, and one that goes away and comes back: ``fleet``, ``attach(reconnect=True)``."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from contextlib import AsyncExitStack

import pytest
import trio

import jdbpy
import jdbpy.sync
from tests.harness import LIMIT, Jvm, program, start_target

SHOP = program("Stall")
ORDERS = 100
ALL_ORDERS = list(range(1, ORDERS + 2))
"""A line that ends the input of ``send`` is one more."""


async def test_a_fleet_and_one_that_is_killed_and_restarted(jvm: Jvm, port: int) -> None:
    """Ten JVMs: nothing is lost that the others report, each in its order, and in that of time."""
    on_port = f",address=127.0.0.1:{port}"
    names = "abcdefghij"
    async with AsyncExitStack() as stack:
        targets = {
            name: await stack.enter_async_context(
                start_target(jvm, SHOP, name, suspend=False, agent=on_port if name == "j" else "")
            )
            for name in names
        }
        for target in targets.values():
            await target.wait_output("ready")
        addresses = {**{name: target.address for name, target in targets.items()}, "none": "127.0.0.1:1"}
        went: list[str] = []
        async with jdbpy.fleet(addresses, reconnect=True) as fleet:
            assert (fleet.names, list(fleet.missing)) == (list(names), ["none"])
            assert set((await fleet.gather(lambda vm: vm.static("Stall.orders").python())).values()) == {0}
            answers = await fleet.each(lambda vm: vm.eval("1 / Stall.orders"))
            assert [answer.ok for answer in answers.values()] == [False] * len(names)
            seen: dict[str, list[int]] = defaultdict(list)
            times: dict[str, list[float]] = defaultdict(list)

            async with fleet.hits(lambda vm: vm.log("Stall.done", "{orders}")) as hits:

                async def take_until(done: Callable[[], bool]) -> None:
                    while not done():
                        found = await hits.next(timeout=LIMIT)
                        if found.hit is not None:
                            seen[found.name].append(int(found.hit.values["orders"].text))
                            times[found.name].append(found.hit.time)

                for target in targets.values():  # all at once
                    await target.send("\n" * ORDERS)
                await take_until(lambda: all(seen[name] for name in names))
                targets["j"].kill()
                others = names[:-1]
                await take_until(lambda: all(len(seen[name]) > ORDERS for name in others))
                assert {name: seen[name] for name in others} == dict.fromkeys(others, ALL_ORDERS)
                async with start_target(jvm, SHOP, "j", suspend=False, agent=on_port) as again:
                    await again.wait_output("ready")
                    await fleet["j"].wait_connected(LIMIT)
                    await again.send()
                    await take_until(lambda: seen["j"].count(1) == 2)
                    assert seen["j"][:-1] == ALL_ORDERS[: len(seen["j"]) - 1]
                    went.append((await fleet["j"].find_thread("main")).name)
        assert went == ["main"]
        assert {name: sorted(times[name]) for name in names} == times


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
                    trio.from_thread.run(b.wait_output, "b 1")  # the order is counted behind the place of the report
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
            await vm.session.points.set_hit_count(off.number, "% 2")  # what was changed meanwhile comes along
            await vm.session.points.set_ignore(off.number, 3)
            first.kill()
            async with start_target(jvm, SHOP, "two", agent=on_port) as second:  # it stands at its start
                await second.wait_output("ready")
                await second.send("\n")
                stop = await kept.wait(LIMIT)  # which has waited meanwhile
                assert await stop.frame.eval("shop + orders").string == "two1"
                assert [(each.number, each.enabled) for each in vm.breakpoints] == [(1, True), (3, False)]
                assert (off.record.hit_count, off.record.ignore) == ("% 2", 3)
                assert told[1:] == [""]
                await stop.resume()
            with pytest.raises(jdbpy.Disconnected):
                while True:
                    await vm.eval("1 + 1")

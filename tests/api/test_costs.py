"""What loops of a script cost: round trips behind a link, and memory under a flood of reports."""

from __future__ import annotations

import resource
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from typing import Any

import jdbpy
from benchmarks.relay import Relay, open_relay
from jdbpy.api.vm import Vm
from tests.benchmarks.counted import RTT, waves_of
from tests.harness import LIMIT, Jvm, Target, program, start_target


class Behind:
    """A JVM behind a link whose round trips are counted."""

    def __init__(self, target: Target, vm: Vm, relay: Relay) -> None:
        self.target = target
        self.vm = vm
        self._relay = relay

    async def waves(self, work: Awaitable[Any]) -> int:
        """The round trips of the work."""
        return await waves_of(self._relay, work)


@asynccontextmanager
async def behind(jvm: Jvm) -> AsyncIterator[Behind]:
    async with start_target(jvm, program("Lab"), suspend=False) as target:
        await target.wait_output("ready")
        async with (
            open_relay(target.address, rtt=RTT, settled=True) as relay,
            jdbpy.attach(relay.address, hold="thread") as vm,
        ):
            yield Behind(target, vm, relay)


async def test_a_thousand_nodes_are_a_few_trips(jvm: Jvm) -> None:
    """Eight nodes by themselves, then all of their class; then the names of all."""
    async with behind(jvm) as b:
        head = await b.vm.static("lab.Lab.HEAD")

        async def names() -> None:
            found = [await node["name"].string async for node in head.follow("next")]
            assert found == [f"node {number}" for number in range(1000)]

        assert await b.waves(names()) <= 9 + 3 + 2 * 8
        assert await b.waves(names()) <= 9 + 3 + 2 * 4


async def test_a_thousand_rows_and_entries_are_a_few_trips(jvm: Jvm) -> None:
    async with behind(jvm) as b:
        rows = await b.vm.static("lab.Lab.ROWS")
        index = await b.vm.static("lab.Lab.INDEX")

        async def cents() -> None:
            assert [await row["cents"].python() async for row in rows.children] == list(range(1000))

        async def entries() -> None:
            found = {await each.key.string: await each["cents"].python() async for each in index.children if each.key}
            assert found == {f"key {number}": number for number in range(1000)}

        assert await b.waves(cents()) <= 20
        assert await b.waves(cents()) <= 10
        assert await b.waves(entries()) <= 40
        assert await b.waves(entries()) <= 30


async def test_a_whole_is_a_few_trips_a_level(jvm: Jvm) -> None:
    async with behind(jvm) as b:
        rows = await b.vm.static("lab.Lab.ROWS")
        index = await b.vm.static("lab.Lab.INDEX")
        assert await b.waves(rows.python(depth=2)) <= 12
        assert await b.waves(rows.python(depth=2)) <= 4
        assert await b.waves(index.python(depth=2)) <= 20


async def test_what_was_read_ahead_is_not_used_after_the_target_has_run(jvm: Jvm) -> None:
    async with behind(jvm) as b:
        breakpoint = await b.vm.stop_at("lab.Lab.nothing", hold="all")
        await b.target.send("nothing")
        stop = await breakpoint.wait(timeout=LIMIT)
        rows = [row async for row in (await b.vm.static("lab.Lab.ROWS")).children]
        assert await rows[0]["name"].string == "item 0"
        assert await b.waves(rows[1]["name"].get()) == 0
        await stop.frame.set("lab.Lab.served", 7)
        assert await b.waves(rows[2]["name"].get()) > 0
        await stop.resume()
        assert await b.waves(rows[3]["name"].get()) > 0


async def test_a_frame_and_its_variables(jvm: Jvm) -> None:
    """At a stop the frame is there; what its variables hold is asked for once for all of them."""
    async with behind(jvm) as b:
        breakpoint = await b.vm.stop_at(program("Lab").at("order", "lab.Lab"))
        await b.target.send("order 3")
        stop = await breakpoint.wait(timeout=LIMIT)
        assert await b.waves(stop.frame.locals.get()) <= 6
        assert await b.waves(stop.frame["total"].get()) <= 1
        assert await b.waves(stop.frame.eval("total * 2").get()) <= 1
        assert await b.waves(stop.frame["order"]["customer"]["name"].string.get()) <= 12


def peak() -> int:
    """The most memory that this process has had, in KiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


async def test_a_million_reports_take_no_more_memory_than_ten_thousand(any_jvm: Jvm) -> None:
    """A script that takes none of them, and one that takes all; what does not fit is counted."""
    report = jdbpy.Report("2026-01-01T00:00:00.000+00:00", None, 1, event="method-entry")
    async with start_target(any_jvm, program("Lab"), suspend=False) as target:
        await target.wait_output("ready")
        async with jdbpy.attach(target.address) as vm, vm.entries("lab.Lab.nothing") as hits:
            number = hits.breakpoint.number
            notice = jdbpy.Notice("trace", "method entered", (("breakpoint", number),), report)
            for _ in range(20_000):
                vm.session.publish(notice)
            full = peak()
            for _ in range(780_000):
                vm.session.publish(notice)
            assert hits.dropped == 790_000
            taken = 0
            async for _hit in hits.take(count=200_000):
                taken += 1
                vm.session.publish(notice)
            assert taken == 200_000
            assert hits.dropped == 790_000
            assert peak() < full + 10_000

"""The heap on real JVMs: counts, instances, referrers, paths, pins, and what the target's beans tell."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from jdbpy.errors import JdbpyError, JdwpError, StateError, UsageError
from jdbpy.session.model.events import Notice, StopReason
from jdbpy.session.model.options import Options
from jdbpy.session.model.values import Limits
from tests.harness import Debugging, Jvm, debug, inline

pytestmark = pytest.mark.one_java


@asynccontextmanager
async def hoard(jvm: Jvm) -> AsyncIterator[Debugging]:
    """Hoard, stopped where its objects are in place."""
    async with debug(jvm, "Hoard") as d:
        d.ignored |= {"heap-walk", "progress"}
        await d.session.breakpoints.add(d.at("look"))
        await d.check_stop(await d.session.execution.cont(), StopReason.BREAKPOINT, at="look")
        yield d


async def object_id(d: Debugging, expression: str) -> int:
    value = await d.session.values.evaluate(expression)
    assert value.id is not None
    return value.id


@pytest.mark.every_java
async def test_instances_are_of_the_class_itself(jvm: Jvm) -> None:
    async with hoard(jvm) as d:
        nodes = await d.session.heap.instances("Hoard$Node")
        assert nodes.total == len(nodes.values) == 2
        assert {value.type for value in nodes.values} == {"Hoard$Node"}
        assert (await d.session.heap.instances("Hoard$Special")).total == 1
        some = await d.session.heap.instances("java.lang.String", limit=3, limits=Limits(depth=0))
        assert len(some.values) == 3 < some.total
        assert all(value.text.startswith('"') for value in some.values)
        with pytest.raises(UsageError, match="loaded"):
            await d.session.heap.instances("Hoard$Marker")


async def test_a_walk_is_announced(any_jvm: Jvm) -> None:
    async with hoard(any_jvm) as d:
        with d.session.events() as events:
            await d.session.heap.instances("Hoard$Node")
            told = await anext(events)
        assert isinstance(told, Notice)
        assert told.kind == "heap-walk"


async def test_the_histogram_agrees_with_the_instances(jvm: Jvm) -> None:
    async with hoard(jvm) as d:
        histogram = await d.session.heap.histogram("Hoard$*")
        counted = {each.class_name: each.count for each in histogram.classes}
        assert (counted["Hoard$Node"], counted["Hoard$Special"]) == (2, 1)
        assert histogram.total == sum(counted.values())  # a class of a lambda may be among them
        everything = await d.session.heap.histogram(limit=5)
        assert len(everything.classes) == 5
        assert everything.left_out > 0
        counts = [each.count for each in everything.classes]
        assert counts == sorted(counts, reverse=True)
        with pytest.raises(UsageError, match="no loaded class"):
            await d.session.heap.histogram("no.such.*")


@pytest.mark.every_java
async def test_the_target_s_own_histogram_has_sizes(jvm: Jvm) -> None:
    async with hoard(jvm) as d:
        histogram = await d.session.heap.usage.histogram("Hoard$N*", limit=10)
        counted = {each.class_name: each.count for each in histogram.classes}
        assert counted == {"Hoard$Node": 2}
        size = await d.session.heap.usage.size_of("Hoard$Node")
        assert size and size % 8 == 0
        assert size * 2 == next(each.bytes for each in histogram.classes if each.class_name == "Hoard$Node")


async def test_referrers_with_the_place_of_the_reference(jvm: Jvm) -> None:
    async with hoard(jvm) as d:
        [holder] = await d.session.heap.referrers(await object_id(d, "chain.next"))
        assert (holder.value.type, holder.how) == ("Hoard$Node", (".next",))
        [array] = await d.session.heap.referrers(await object_id(d, "((Object[]) chain.next.held)[1]"))
        assert array.how == ("[1]",)
        [owner] = await d.session.heap.referrers(await object_id(d, "Hoard.CACHE"))
        assert (owner.value.text, owner.how) == ("Hoard.class", ("static Hoard.CACHE",))


@pytest.mark.every_java
async def test_a_path_from_a_static_field(jvm: Jvm) -> None:
    async with hoard(jvm) as d:
        found = await d.session.heap.path(await object_id(d, 'Hoard.CACHE.get("k").get(0)'))
        assert found.root == "static Hoard.CACHE"
        assert [step.how for step in found.steps][-2:] == ["[0]", ""]
        assert found.steps[-1].value.type == "Hoard$Node"
        assert not found.note


async def test_a_path_from_a_local_variable(jvm: Jvm) -> None:
    async with hoard(jvm) as d:
        found = await d.session.heap.path(await object_id(d, "((Object[]) chain.next.held)[1]"))
        assert found.root == 'local chain of frame 1 (look), thread "main"'
        assert [step.how for step in found.steps] == [".next", ".held", "[1]", ""]


async def test_no_path_is_said(jvm: Jvm) -> None:
    async with hoard(jvm) as d:
        found = await d.session.heap.path(await object_id(d, "new Object()"))
        assert not found.root
        assert "running thread" in found.note
        given_up = await d.session.heap.path(await object_id(d, 'Hoard.CACHE.get("k").get(0)'), most=1)
        assert "given up" in given_up.note


@pytest.mark.every_java
async def test_a_pinned_object_outlives_collections(jvm: Jvm) -> None:
    async with hoard(jvm) as d:
        heap = d.session.heap
        kept = await object_id(d, "new Hoard.Node()")
        await heap.pin(kept)
        await heap.usage.collect()
        assert not await heap.is_collected(kept)
        assert heap.pinned == {kept}
        await heap.unpin(kept)
        assert heap.pinned == set()
        with pytest.raises(JdwpError):
            await heap.pin(123_456_789)


HOLDS = inline("""
class Holds {
    public static void main(String[] args) throws Exception {
        while (true) {
            Thread.sleep(1); // @beat
        }
    }
    static Object held = new Object();
}
""")


@pytest.mark.every_java
async def test_a_pin_lasts_while_expressions_use_the_object_and_no_longer(jvm: Jvm) -> None:
    """Agents differ: one EnableCollection ends all pins, or one of them (Java 17)."""
    async with debug(jvm, HOLDS, options=Options(hold="thread")) as d:
        await d.run_to("beat")
        values, heap = d.session.values, d.session.heap
        held = await values.evaluate("held", remember=False)
        assert held.id is not None
        await heap.pin(held.id)
        await heap.pin(held.id)
        await values.evaluate("held = null", remember=False)
        for _ in range(3):
            await values.evaluate("java.util.Objects.requireNonNull($held)", given={"$held": held}, remember=False)
        await heap.usage.collect()
        assert not await heap.is_collected(held.id)
        await heap.unpin(held.id)
        await heap.usage.collect()
        assert await heap.is_collected(held.id)


@pytest.mark.every_java
async def test_memory_in_areas(jvm: Jvm) -> None:
    async with hoard(jvm) as d:
        areas = {area.name: area for area in await d.session.heap.usage.memory()}
        assert 0 < areas["heap"].used <= areas["heap"].committed
        assert areas["heap"].maximum
        assert any(area.kind == "pool" for area in areas.values())
        before = [area.collections for area in areas.values() if area.kind == "collector"]
        await d.session.heap.usage.collect()
        after = [area.collections for area in await d.session.heap.usage.memory() if area.kind == "collector"]
        assert sum(count or 0 for count in after) > sum(count or 0 for count in before)


@pytest.mark.every_java
async def test_a_heap_dump(jvm: Jvm, tmp_path: Path) -> None:
    async with hoard(jvm) as d:
        file = tmp_path / 'a "quoted" name.hprof'
        await d.session.heap.usage.dump(str(file))
        assert file.read_bytes().startswith(b"JAVA PROFILE 1.0")
        with pytest.raises(JdbpyError):  # the VM refuses to write over a file
            await d.session.heap.usage.dump(str(file))
        with pytest.raises(UsageError, match="hprof"):
            await d.session.heap.usage.dump(str(tmp_path / "dump.bin"))


async def test_what_runs_no_code_needs_no_thread(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Hoard", options=Options(in_target="off")) as d:
        d.ignored |= {"heap-walk"}
        with pytest.raises(StateError):
            await d.session.heap.usage.collect()
        assert (await d.session.heap.histogram("java.lang.String")).total > 0

"""Stops and hits through the objects of a script, on real JVMs: who gets what, and that nothing is lost in between."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from decimal import Decimal

import pytest
import trio

import jdbpy
from jdbpy.api.vm import Vm
from jdbpy.session.model.breakpoints import PointOptions
from tests.harness import LIMIT, Jvm, Target, program, start_target, within


@asynccontextmanager
async def lab(jvm: Jvm, hold: str = "thread") -> AsyncIterator[tuple[Target, Vm]]:
    """The program Lab, which waits for lines of input, and a script's view of it."""
    async with start_target(jvm, program("Lab"), suspend=False) as target:
        await target.wait_output("ready")
        async with jdbpy.attach(target.address, hold=hold) as vm:
            yield target, vm


async def test_the_tour(jvm: Jvm) -> None:
    async with lab(jvm) as (target, vm):
        breakpoint = await vm.stop_at(f"Lab.java:{program('Lab').line('order')}", when="total > 100")
        await target.send("order 3")
        stop = await breakpoint.wait(timeout=LIMIT)
        assert (stop.reason, breakpoint.hits, stop.thread.name) == ("breakpoint", 1, "main")
        frame = stop.frame
        assert await frame["order"]["customer"]["name"].string == "Ada"
        assert await frame.eval("order.total() * 2").python() == 1140
        assert await frame["total"].python() == 570  # a method was run in between
        assert "words" in (await (await frame.caller).locals)
        assert (await frame.set("total", 7)).text == "7"
        assert await frame["total"].python() == 7
        with pytest.raises(jdbpy.UsageError, match="more than depth=2 reaches: a "):
            await frame["order"].python(depth=2)
        order = await frame["order"].python(depth=5)
        assert order["customer"]["orders"][0] is order
        assert (order["customer"].pop("orders"), order.type) == ([order], "lab.Lab$Order")
        assert order == {
            "id": 7,
            "customer": {"name": "Ada", "kind": "RETAIL"},
            "items": [{"name": "tea", "cents": 250}, {"name": "cake", "cents": 320}],
            "note": "soon",
            "rebate": Decimal("0.05"),
            "counts": {"tea": 2, "cake": 1},
            "state": 0,
        }
        inner = await vm.stop_at("lab.Lab.submit")
        await stop.resume()
        entered = await inner.wait(timeout=LIMIT)
        assert await entered.frame["amount"].python() == 3
        done = await entered.thread.finish(timeout=LIMIT)
        assert await done.returned.python() == 4
        await inner.remove()
        assert not inner.exists
        with pytest.raises(jdbpy.StateError, match="earlier stop"):
            await frame["total"]
        await done.resume()
        await target.wait_output("ordered 7 4")
        with pytest.raises(jdbpy.TimedOut, match=r"breakpoint 1 .* was not hit within 0.05 seconds"):
            await breakpoint.wait(timeout=0.05)


async def test_calls_are_hits_that_suspend_nothing(jvm: Jvm) -> None:
    async with lab(jvm) as (target, vm):
        async with vm.entries("lab.Lab.submit", when="customer == null", stack=3) as hits:
            await target.send("pool 8 50")
            got = [hit async for hit in hits.take(seconds=LIMIT, count=200)]
            await target.wait_output("pooled")
            assert len(got) == 200
            assert hits.dropped == 0
            assert {await hit.args["amount"].python() % 2 for hit in got} == {0}
            assert {hit.caller.class_name for hit in got} == {"lab.Lab"}
            assert {hit.event for hit in got} == {"method-entry"}
            assert len({hit.thread.id for hit in got}) == 8
            assert all(hit.args["customer"].is_null for hit in got)
        for outside in (vm.entries("lab.Lab.submit"), vm.calls("lab.Lab.submit")):
            with pytest.raises(jdbpy.StateError, match="for a 'with' block"):
                outside.take(seconds=LIMIT)
            with pytest.raises(jdbpy.StateError, match="for a 'with' block"):
                await outside.next()
        with pytest.raises(jdbpy.StateError, match="for a 'with' block"):
            await vm.sample("lab.*", seconds=1).table()
        async with vm.returns("lab.Lab.find", when="$ret == null") as returned:
            await target.send("find")
            hit = await returned.next(timeout=LIMIT)
            assert hit.returned.is_null


async def test_what_never_changes_comes_with_the_hit(jvm: Jvm) -> None:
    """Numbers, dates and texts are there when their objects are gone: no trip asks for them."""
    async with lab(jvm) as (target, vm):
        async with vm.entries("lab.Lab.boxed") as hits:
            await target.send("boxed")
            hit = await hits.next(timeout=LIMIT)
        before = vm.session.statistics().commands
        args = {name: await value.python() for name, value in hit.args.items()}
        assert args == {
            "number": 70000,
            "letter": "'",
            "rebate": Decimal("1.50"),
            "rate": 1e10,
            "is": True,
            "text": "a\tb" * 1000,
        }
        assert await hit.args["text"].string == "a\tb" * 1000
        assert vm.session.statistics().commands == before


async def test_several_waiters_each_get_a_stop(jvm: Jvm) -> None:
    """Eight threads hit; four tasks wait for the same breakpoint, evaluate, and let their own thread go on."""
    async with lab(jvm) as (target, vm):
        breakpoint = await vm.stop_at("lab.Lab.submit")
        got: list[tuple[int, int]] = []

        async def work(number: int) -> None:
            while len(got) < 40:
                stop = await breakpoint.wait(timeout=LIMIT)
                value = await stop.frame.eval("amount + java.lang.Math.abs(extra)", extra=-number).python()
                assert value == await stop.frame["amount"].python() + number
                got.append((stop.thread.id, number))
                await stop.resume()

        await target.send("pool 8 6")
        with within(LIMIT):
            async with trio.open_nursery() as nursery:
                for number in range(4):
                    nursery.start_soon(work, number)
        assert len({thread for thread, _ in got}) == 8
        assert {number for _, number in got} == {0, 1, 2, 3}


async def test_a_function_is_run_for_each_stop(jvm: Jvm) -> None:
    async with lab(jvm) as (target, vm):
        seen: list[str] = []
        await vm.on_exception("java.lang.OutOfMemoryError", do=lambda stop: seen.append(stop.message))
        await target.send("fill")
        await target.wait_output("full")
        assert seen == ["no room for 0"]
    with pytest.raises(ZeroDivisionError):
        async with lab(jvm) as (target, vm):
            broken = await vm.on_exception("java.lang.OutOfMemoryError", do=lambda stop: 1 / 0)
            await target.send("fill")
            await target.wait_output("full")
            assert isinstance(broken.error, ZeroDivisionError)


async def test_changes_of_a_field_have_both_values(jvm: Jvm) -> None:
    async with lab(jvm) as (target, vm):
        async with vm.changes("lab.Lab.served", stack=2) as hits:
            await target.send("nothing")
            await target.send("nothing")
            first, second = [hit async for hit in hits.take(seconds=LIMIT, count=2)]
            assert await first.new.python() == 1 == await second.old.python()
            assert first.stack[0].method == "nothing"
            assert str(first.caller).startswith("lab.Lab.does(Lab.java:")
        stop = vm.on_change("lab.Lab.served")
        await stop
        await target.send("nothing")
        at = await stop.wait(timeout=LIMIT)
        assert (await at.old.python(), await at.new.python(), at.field) == (2, 3, "lab.Lab.served")
        assert await (await at.thread.next(timeout=LIMIT)).frame.eval("served").python() == 3


async def test_a_void_method_returns_nothing(jvm: Jvm) -> None:
    async with lab(jvm) as (target, vm):
        breakpoint = await vm.stop_at("lab.Lab.nothing")
        await target.send("nothing")
        stop = await breakpoint.wait(timeout=LIMIT)
        done = await stop.thread.finish(timeout=LIMIT)
        assert (done.returned.type, await done.returned.python()) == ("void", None)
        with pytest.raises(jdbpy.StateError, match="has no exception"):
            _ = done.exception
        assert not done.has("exception")


@pytest.mark.parametrize("hold", ["thread", "all"])
async def test_a_script_that_leaves_in_the_midst_leaves_all_running(jvm: Jvm, hold: str) -> None:
    """Eight threads hit two breakpoints and a trace; some stops are taken, some wait, when the block ends."""
    async with start_target(jvm, program("Lab"), suspend=False) as target:
        await target.wait_output("ready")
        async with jdbpy.attach(target.address, hold=hold) as vm:
            served = await vm.stop_at(program("Lab").at("served", "lab.Lab"))
            entered = await vm.stop_at("lab.Lab.submit", when="amount % 2 == 0")
            async with vm.changes("lab.Lab.served", stack=2) as hits:
                await target.send("pool 8 100")
                for turn in range(8):
                    if hold == "all":  # a stop that is not taken suspends those that would come to the other place
                        stop = await vm.wait(timeout=LIMIT)
                        assert stop.breakpoint in (entered, served)
                    else:
                        breakpoint = (entered, served)[turn % 2]
                        stop = await breakpoint.wait(timeout=LIMIT)
                        assert stop.breakpoint is breakpoint
                    assert stop.suspends_all is (hold == "all")
                    await stop.frame.eval("java.lang.Math.max(amount, 3)")
                    await stop.resume()
                if hold == "thread":
                    await hits.next(timeout=LIMIT)
            await vm.wait(timeout=LIMIT)
        await target.wait_output("pooled")


async def test_a_wait_names_the_stop_that_suspends_all(any_jvm: Jvm) -> None:
    async with lab(any_jvm, "all") as (target, vm):
        entered = await vm.stop_at("lab.Lab.submit")
        other = await vm.stop_at("lab.Lab.order")
        await target.send("pool 1 1")
        with within(LIMIT):
            while True:
                with pytest.raises(jdbpy.TimedOut, match=r"breakpoint 2 .* was not hit within") as raised:
                    await other.wait(timeout=0.05)
                if "has stopped at breakpoint 1, which suspends all threads" in raised.value.message:
                    break
        assert "hold" in raised.value.hint
        await (await entered.wait(timeout=LIMIT)).resume()


async def test_a_condition_that_fails_is_told_at_its_stop(any_jvm: Jvm) -> None:
    async with lab(any_jvm) as (target, vm):
        breakpoint = await vm.stop_at("lab.Lab.submit", when="customer.name.isEmpty()")
        await target.send("pool 1 1")
        stop = await breakpoint.wait(timeout=LIMIT)
        assert "failed" in stop.warning
        assert stop.failure == stop.to_dict()["failure"]
        assert stop.failure == "cannot find symbol: variable name in class Customer", "that class is not loaded"
        await breakpoint.remove()
        async with (
            vm.entries("lab.Lab.submit", when="customer.name.isEmpty()") as hits,
            vm.log("lab.Lab.submit", "{amount / 0}") as logged,
        ):
            await stop.resume()
            await target.wait_output("pooled")
            await target.send("pool 1 1")
            assert (await hits.next(timeout=LIMIT)).failure == stop.failure
            assert (await logged.next(timeout=LIMIT)).failure == "java.lang.ArithmeticException: / by zero"
            await target.wait_lines("pooled", 2)


async def test_what_is_set_disabled_never_stops(jvm: Jvm) -> None:
    async with start_target(jvm, "Busy", "1", suspend=False) as target, jdbpy.attach(target.address) as vm:
        await target.wait_output("ready")  # before that the class may not be loaded, and a missing place is pending
        disabled = PointOptions(enabled=False, tried=True)
        place = program("Busy").at("work")
        for number in (1, 2, 3):
            made = await vm.session.breakpoints.add_with(place, disabled)
            assert (made.number, made.enabled, made.hits) == (number, False, 0)
        with pytest.raises(jdbpy.UsageError):
            await vm.session.breakpoints.add_with("Busy.missing", disabled)
        assert not vm.is_suspended
        await vm.breakpoint(1).enable()
        assert (await vm.wait(timeout=LIMIT)).breakpoint.number == 1


async def test_a_launched_target_begins_when_it_is_resumed(any_jvm: Jvm) -> None:
    hello = program("Hello")
    async with jdbpy.launch("-cp", hello.classes, hello.main, java=any_jvm.home, hold="thread") as vm:
        assert vm.is_suspended
        breakpoint = await vm.stop_at("Hello.main")
        assert breakpoint.is_pending
        await vm.resume()
        stop = await breakpoint.wait(timeout=LIMIT)
        assert (stop.thread.name, breakpoint.is_pending) == ("main", False)
        await breakpoint.remove()
        with pytest.raises(jdbpy.StateError, match="it was removed"):
            await breakpoint.wait(timeout=LIMIT)
        await stop.resume()
        assert await vm.wait_ended(timeout=LIMIT) == 0
        with pytest.raises(jdbpy.StateError, match="the target has ended"):
            await vm.wait(timeout=LIMIT)


async def test_a_step_alone_keeps_the_other_threads_suspended(jvm: Jvm) -> None:
    """The program's own counters say that no other thread has run."""
    passed = "java.util.Arrays.toString(Crew.passed)"
    async with start_target(jvm, "Crew", "6") as target, jdbpy.attach(target.address, hold="all") as vm:
        breakpoint = await vm.stop_at(program("Crew").at("deep"))
        await vm.resume()
        stop = await breakpoint.wait(timeout=LIMIT)
        before = await stop.frame.eval(passed).python()
        thread = stop.thread
        for stepping in (thread.next, thread.step, thread.finish, thread.step_instruction, thread.next):
            stop = await stepping(alone=True, timeout=LIMIT)
            assert (stop.reason, stop.thread.id) == ("step", thread.id)
            assert await stop.frame.eval(passed).python() == before

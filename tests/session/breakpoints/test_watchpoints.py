"""Watchpoints on real JVMs: reads and changes of fields, of all objects and of one."""

from __future__ import annotations

import pytest

from jdbpy import PointOptions, SuspendPolicy, UsageError
from tests.harness import Debugging, Jvm, debug

pytestmark = pytest.mark.one_java

COUNTER = "happenings.Counter"


async def to_the_counters(d: Debugging) -> None:
    """Lets the target run to where both counters are there, one of which holds 1."""
    await d.run_to("counters", "happenings.Happenings")


async def change(d: Debugging, reason: str = "modification") -> tuple[str, str]:
    """Runs to the next hit; the field's value before and after."""
    await d.resume()
    stop = await d.wait_stop(reason)
    return _text(stop.old_value), _text(stop.new_value)


def _text(value: object) -> str:
    return getattr(value, "text", "")


@pytest.mark.every_java
async def test_changes_of_a_field_whose_class_is_loaded_later(jvm: Jvm) -> None:
    async with debug(jvm, "Happenings", "fields") as d:
        point = await d.session.watchpoints.add(f"{COUNTER}.value")
        assert (point.number, point.kind, point.spec) == (1, "field", f"{COUNTER}.value")
        assert point.message == f"pending: class {COUNTER} is not loaded yet"
        await d.resume()
        notice = await d.wait_notice("breakpoint-resolved")
        assert notice.text == f"watchpoint 1 is set for {COUNTER}.value"
        stop = await d.wait_stop("modification", at="add", breakpoint=1, frames=["Counter.add", "Happenings.fields"])
        assert (stop.variable, _text(stop.old_value), _text(stop.new_value)) == (f"{COUNTER}.value", "0", "1")
        assert stop.object is not None
        assert stop.object.type == COUNTER
        changes = [await change(d) for _ in range(3)]
        assert changes == [("0", "10"), ("1", "3"), ("10", "30")]
        await d.resume()
        await d.wait_exit()


async def test_reads_and_changes_of_a_static_field(jvm: Jvm) -> None:
    async with debug(jvm, "Happenings", "fields") as d:
        read = await d.session.watchpoints.add(f"{COUNTER}.made", access=True, modification=False)
        both = await d.session.watchpoints.add(f"{COUNTER}.made", access=True)
        assert (read.spec, both.spec) == (f"access {COUNTER}.made", f"all {COUNTER}.made")
        d.ignored.add("breakpoint-resolved")
        await d.resume()
        stop = await d.wait_stop("access")
        assert (stop.breakpoints, _text(stop.old_value), stop.new_value, stop.object) == ((1, 2), "0", None, None)
        assert await change(d) == ("0", "1")
        assert [await change(d, "access"), await change(d)] == [("1", ""), ("1", "2")]
        await d.resume()
        await d.wait_stop("access", at="read")
        assert [point.hits for point in d.session.points.list()] == [3, 5]
        find = d.session.watchpoints.find
        assert find("Counter.made") == [1, 2]
        assert find(f"{COUNTER}.made", access=True, modification=False) == [1]
        assert find("Counter.value") == find("Other.made") == find("x + 1.made") == []
        await d.session.points.remove([1, 2])
        await d.resume()
        await d.wait_exit()


@pytest.mark.every_java
async def test_one_object_only(jvm: Jvm) -> None:
    async with debug(jvm, "Happenings", "fields") as d:
        await to_the_counters(d)
        point = await d.session.watchpoints.add("two.value")
        assert point.spec == "happenings.Tally.value"
        assert dict(point.options)["on"].startswith("object ")
        assert point.message == f"declared in {COUNTER}: stops for every object that has it"
        assert [await change(d), await change(d)] == [("0", "10"), ("10", "30")]
        await d.resume()
        await d.wait_exit()


async def test_a_field_of_this(jvm: Jvm) -> None:
    async with debug(jvm, "Happenings", "fields") as d:
        await to_the_counters(d)
        await d.run_to("add", COUNTER)
        await d.session.watchpoints.add("this.value")
        await d.session.watchpoints.add("value")
        await d.resume()
        stop = await d.wait_stop("modification")
        assert stop.object is not None
        assert stop.object.type == "happenings.Tally"
        assert len(stop.breakpoints) == 2
        assert await change(d) == ("10", "30")
        await d.resume()
        await d.wait_exit()


async def test_an_object_whose_field_is_changed_by_code_of_another(jvm: Jvm) -> None:
    async with debug(jvm, "Happenings", "fields") as d:
        await to_the_counters(d)
        await d.session.watchpoints.add("one.label")
        await d.session.watchpoints.add("two.label")
        await d.resume()
        stop = await d.wait_stop("modification", at="name", breakpoint=2)
        assert (_text(stop.old_value), _text(stop.new_value)) == ("null", '"first"')
        await d.resume()
        await d.wait_exit()


async def test_reported_without_a_stop(jvm: Jvm) -> None:
    async with debug(jvm, "Happenings", "fields") as d:
        await to_the_counters(d)
        go = PointOptions(policy=SuspendPolicy.NONE, condition="amount == 2", classes=(COUNTER,))
        watchpoint = await d.session.watchpoints.add("Counter.value", access=True, options=go)
        assert "the JVM interprets all threads" in watchpoint.message
        await d.resume()
        read, changed = await d.wait_notice("field-read"), await d.wait_notice("field-changed")
        line = d.program.line("add")
        assert read.text == f'{COUNTER}.value read, 1: thread "main", {COUNTER}.add, line {line}'
        assert changed.text == f'{COUNTER}.value changed from 1 to 3: thread "main", {COUNTER}.add, line {line}'
        assert dict(changed.data)["method"] == "add"
        await d.wait_exit()


async def test_limited_to_a_thread_and_to_code(jvm: Jvm) -> None:
    async with debug(jvm, "Happenings", "fields") as d:
        await to_the_counters(d)
        other = next(thread for thread in await d.session.threads.list() if thread.name == "Finalizer")
        await d.session.watchpoints.add("Counter.value", options=PointOptions(thread=other.id))
        await d.session.watchpoints.add("Counter.label", options=PointOptions(classes=(COUNTER,)))
        await d.session.watchpoints.add("Counter.label", options=PointOptions(classes=("*Happenings",), ignore=0))
        await d.resume()
        stop = await d.wait_stop("modification", at="name")
        assert stop.breakpoints == (3,)
        await d.resume()
        await d.wait_exit()


async def test_switched_off_and_on_again(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Happenings", "fields") as d:
        await to_the_counters(d)
        point = await d.session.watchpoints.add("Counter.value")
        await d.session.points.disable([point.number])
        await d.run_to("label", "happenings.Happenings")
        assert d.session.points.get(point.number).hits == 0
        await d.session.points.enable([point.number])
        assert d.session.points.get(point.number).enabled
        await d.session.values.evaluate("one.value = 7")  # a change by the debugger is none of the program's
        await d.resume()
        await d.wait_exit()


async def test_what_is_no_field(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Happenings", "fields") as d:
        with pytest.raises(UsageError, match="names no field"):
            await d.session.watchpoints.add("Counter.")
        waiting = await d.session.watchpoints.add(f"{COUNTER}.valve")
        await d.resume()
        notice = await d.wait_notice("breakpoint-failed")
        assert notice.text == f"watchpoint {waiting.number} cannot be set: no field valve in {COUNTER}"
        await d.wait_exit()


async def test_what_is_no_field_of_a_loaded_class(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Happenings", "fields") as d:
        await to_the_counters(d)
        with pytest.raises(UsageError, match="no field valve in happenings") as caught:
            await d.session.watchpoints.add("Counter.valve")
        assert caught.value.hint == "there is value"
        with pytest.raises(UsageError, match="is not an object: it is 1"):
            await d.session.watchpoints.add("one.value.bits")
        constant = await d.session.watchpoints.add("Counter.LIMIT")
        assert constant.message.startswith("a constant: the compiler may have copied its value")
        await d.resume()
        await d.wait_exit()

"""Breakpoints on real JVMs: where they stand, and when they are set."""

from __future__ import annotations

import select
from collections import Counter

import pytest
import trio

from jdbpy.errors import StateError, UsageError
from tests.harness import Jvm, debug, program
from tests.session.running import places

pytestmark = pytest.mark.one_java

# -- lines ---------------------------------------------------------------------------------------------------------


@pytest.mark.every_java
async def test_a_breakpoint_waits_for_its_class(jvm: Jvm) -> None:
    async with debug(jvm, "Shop") as d:
        point = await d.session.breakpoints.add(d.at("sent"))
        assert (point.number, point.kind, point.resolved) == (1, "line", ())
        assert point.message == "pending: class shop.Courier is not loaded yet"
        await d.resume()
        notice = await d.wait_notice("breakpoint-resolved")
        assert notice.text == f"breakpoint 1 is set at {d.at('sent')}"
        await d.wait_stop("breakpoint", at="sent", thread="main", breakpoint=1)
        point = d.session.breakpoints.get(1)
        assert (places(point), point.hits, point.message) == (Counter(["Courier.send"]), 1, "")


@pytest.mark.every_java
async def test_a_static_initializer_does_not_slip_through(jvm: Jvm) -> None:
    async with debug(jvm, "Shop") as d:
        await d.session.breakpoints.add(d.at("static-init"))
        await d.session.breakpoints.add("shop.Courier.<clinit>")
        await d.resume()
        await d.wait_stop("breakpoint", at="static-init", breakpoint=1)
        await d.resume()
        await d.wait_stop("breakpoint", at="courier-static", breakpoint=2)


@pytest.mark.usefixtures("nothing_ahead")
async def test_setting_in_a_loaded_class_costs_few_trips(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Shop") as d:
        await d.run_to("closed")

        async def waves(spec: str) -> int:
            before = d.session.statistics().waves
            assert (await d.session.breakpoints.add(spec)).resolved
            return int(d.session.statistics().waves - before)

        assert await waves("shop.Document.title") <= 3
        assert await waves("shop.Document.title") == 1
        assert await waves(d.at("compare")) <= 4
        assert await waves(d.at("compare")) == 1
        assert await waves(d.at("price")) <= 4
        assert await waves(d.at("sum")) == 1


METHODS = [f"shop.{each}" for each in ("Document.title", "Order.total", "Order.names", "Order.pay", "Order.discount")]


class SlowTurns(trio.abc.Instrument):
    """A loop that turns slowly, as on a busy machine: what was sent in one turn is answered by the next."""

    def before_io_wait(self, timeout: float) -> None:
        select.select([], [], [], 0.002)


@pytest.mark.usefixtures("nothing_ahead")
async def test_setting_costs_as_few_trips_where_the_loop_turns_slowly(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Shop") as d:
        await d.run_to("closed")
        instrument, found = SlowTurns(), list[int]()
        trio.lowlevel.add_instrument(instrument)
        try:
            for place in METHODS:
                before = d.session.statistics().waves
                assert (await d.session.breakpoints.add(place)).resolved
                found.append(int(d.session.statistics().waves - before))
        finally:
            trio.lowlevel.remove_instrument(instrument)
        assert sum(found[:2]) <= 6, "what is read for the two classes may meet in a wave, or just miss it"
        assert found[2:] == [1, 1, 1]


async def test_a_line_in_a_loop_header_is_hit_at_the_start_and_after_each_round(jvm: Jvm) -> None:
    async with debug(jvm, "Shop") as d:
        await d.run_to("total", "shop.Order")
        await d.session.breakpoints.add(d.at("loop"))
        await d.session.breakpoints.add(d.at("body"))
        await d.session.breakpoints.add(d.at("sum"))
        for marker in ("loop", "body", "loop", "body", "loop", "sum"):
            await d.resume()
            await d.wait_stop("breakpoint", at=marker)


async def test_a_call_over_several_lines_is_hit_once(jvm: Jvm) -> None:
    async with debug(jvm, "Shop") as d:
        await d.session.breakpoints.add(d.at("call"))
        await d.session.breakpoints.add(d.at("saved"))
        await d.resume()
        await d.wait_stop("breakpoint", at="call")
        await d.resume()
        await d.wait_stop("breakpoint", at="saved")
        assert len(d.session.breakpoints.get(1).resolved) == 1


async def test_lambdas_on_one_line_and_the_statement_around_them(jvm: Jvm) -> None:
    async with debug(jvm, "Shop") as d:
        point = await d.session.breakpoints.add(d.at("lambdas"))
        await d.run_to("anonymous-new", "shop.Order")
        point = d.session.breakpoints.get(point.number)
        assert places(point) == Counter(["Order.names", "Order.lambda$names$0", "Order.lambda$names$1"])


@pytest.mark.every_java
async def test_a_finally_block_is_there_for_every_way_into_it(jvm: Jvm) -> None:
    async with debug(jvm, "Shop") as d:
        await d.session.breakpoints.add(d.at("finally"))
        for _ in ("refused", "paid"):
            await d.resume()
            await d.wait_stop("breakpoint", at="finally")
        point = d.session.breakpoints.get(1)
        assert places(point) == Counter({"Order.pay": 3})  # after return, after catch, and for any other throwable
        assert point.hits == 2


async def test_an_anonymous_class_is_covered_by_the_class_around_it(jvm: Jvm) -> None:
    async with debug(jvm, "Shop") as d:
        await d.run_to("total", "shop.Order")
        point = await d.session.breakpoints.add(d.at("anonymous"))
        assert point.message == "pending: class shop.Order$1 is not loaded yet"
        await d.resume()
        await d.wait_stop("breakpoint", at="anonymous", breakpoint=point.number)
        assert places(d.session.breakpoints.get(point.number)) == Counter(["Order$1.compare"])


async def test_a_nested_class_may_be_loaded_before_the_one_around_it(jvm: Jvm) -> None:
    async with debug(jvm, "Shop") as d:
        await d.session.breakpoints.add(d.at("add", "Order"))
        await d.session.breakpoints.add(d.at("builder", "shop.Order.Builder"))
        await d.resume()
        await d.wait_stop("breakpoint", at="builder", breakpoint=2)
        await d.resume()
        await d.wait_stop("breakpoint", at="add", breakpoint=1)


async def test_a_line_without_code_is_the_next_one_with_code_and_that_is_said(jvm: Jvm) -> None:
    async with debug(jvm, "Shop") as d:
        await d.run_to("closed")
        sum_line = d.program.line("sum")
        point = await d.session.breakpoints.add(f"shop.Order:{sum_line - 1}")
        assert [place.line for place in point.resolved] == [sum_line]
        assert point.message == f"moved to line {sum_line}: no code on line {sum_line - 1} of shop.Order"
        with pytest.raises(UsageError, match=r"no code on line 9999 of shop\.Order; the nearest is"):
            await d.session.breakpoints.add("shop.Order:9999")
        d.session.breakpoints.refuse_lines_without_code()
        with pytest.raises(UsageError) as caught:
            await d.session.breakpoints.add(f"shop.Order:{sum_line - 1}")
        loop = d.program.line("body")
        expected = f"no code on line {sum_line - 1} of shop.Order; the nearest are {loop} and {sum_line}"
        assert caught.value.message == expected
        assert [each.number for each in d.session.breakpoints.list()] == [point.number]


async def test_a_line_that_turns_out_to_have_no_code_is_moved_when_the_class_comes(jvm: Jvm) -> None:
    async with debug(jvm, "Shop") as d:
        await d.session.breakpoints.add("shop.Courier:1")
        await d.session.breakpoints.add("shop.Courier.fly")
        await d.session.breakpoints.add("Courier.java:2")
        await d.session.breakpoints.add("Courier.java:999")
        await d.resume()
        failed = await d.wait_notice("breakpoint-failed")
        assert failed.text.startswith("breakpoint 2 cannot be set")
        moved = await d.wait_notice("breakpoint-resolved")
        assert "breakpoint 1 is set at shop.Courier:1 (moved to line" in moved.text
        line = d.program.line("courier-static") - 1
        assert d.session.breakpoints.get(3).message == f"moved to line {line}: no code on line 2 of Courier.java"
        assert d.session.breakpoints.get(2).message == "no method fly in shop.Courier"
        assert "loaded so far" in d.session.breakpoints.get(4).message
        stop = await d.wait_stop("breakpoint", breakpoint=1)
        assert stop.breakpoints == (1, 3)
        await d.resume()
        await d.wait_exit()


async def test_a_slip_in_a_method_is_said_when_the_class_comes_also_of_a_short_name(jvm: Jvm) -> None:
    async with debug(jvm, "Shop") as d:
        for name in ("Order.totl", "shop.Order.totl", "Order.total(int)", "Order.total", "Absent.totl"):
            await d.session.breakpoints.add(name)
        await d.resume()
        said = [await d.wait_notice("breakpoint-failed") for _ in range(3)]
        assert sorted(each.text for each in said) == [
            "breakpoint 1 cannot be set: no method totl in shop.Order (there is total)",
            "breakpoint 2 cannot be set: no method totl in shop.Order (there is total)",
            "breakpoint 3 cannot be set: no method total(int) in shop.Order (there is total())",
        ]
        await d.wait_stop("breakpoint", breakpoint=4)
        assert d.session.breakpoints.get(1).message == "no method totl in shop.Order"


async def test_no_line_numbers(any_jvm: Jvm) -> None:
    async with debug(any_jvm, program("Shop", debug="none")) as d:
        await d.session.breakpoints.add("shop.Order.pay")
        await d.resume()
        stop = await d.wait_stop("breakpoint")
        assert stop.location is not None
        assert (stop.location.method, stop.location.line, stop.location.source) == ("pay", None, None)
        with pytest.raises(UsageError) as caught:
            await d.session.breakpoints.add("shop.Document:5")
        assert caught.value.message == "shop.Document has no line numbers"
        assert "javac -g" in caught.value.hint


async def test_a_slip_in_the_name_of_a_class_is_not_waited_for_in_silence(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Shop") as d:
        await d.run_to("total", "shop.Order")
        for name, place in (("shop.Ordre", ":5"), ("shop.order", ".total"), ("store.Order", ":5")):
            point = await d.session.breakpoints.add(name + place)
            assert point.message == f"pending: class {name} is not loaded yet (there is shop.Order)"


# -- files ---------------------------------------------------------------------------------------------------------


async def test_lines_of_files(jvm: Jvm) -> None:
    async with debug(jvm, "Shop") as d:
        audit, rounded = d.program.line("audit"), d.program.line("rounded")
        await d.session.breakpoints.add(f"Order.java:{audit}")
        await d.session.breakpoints.add(f"src/main/java/shop/Courier.java:{rounded}")
        elsewhere = await d.session.breakpoints.add(f"com/acme/Courier.java:{rounded}")
        await d.resume()
        await d.wait_stop("breakpoint", at="audit", breakpoint=1)
        loaded = await d.session.breakpoints.add(f"shop/Order.java:{audit}")
        assert places(loaded) == Counter(["Audit.note"])
        await d.resume()
        await d.wait_stop("breakpoint", at="audit")
        await d.resume()
        await d.wait_stop("breakpoint", at="rounded", breakpoint=2)
        assert d.session.breakpoints.get(elsewhere.number).resolved == ()


async def test_the_line_of_a_file_that_has_no_code(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Shop") as d:
        await d.run_to("closed")
        point = await d.session.breakpoints.add(f"Order.java:{d.program.line('sum') - 1}")
        assert [place.line for place in point.resolved] == [d.program.line("sum")]
        d.session.breakpoints.refuse_lines_without_code()
        with pytest.raises(UsageError, match=r"no code on line \d+ of Order\.java; the nearest are \d+ and \d+"):
            await d.session.breakpoints.add(f"Order.java:{d.program.line('sum') - 1}")


# -- methods -------------------------------------------------------------------------------------------------------


@pytest.mark.every_java
async def test_overloads(jvm: Jvm) -> None:
    async with debug(jvm, "Shop") as d:
        await d.session.breakpoints.add("Order.discount")
        one = await d.session.breakpoints.add("shop.Order.discount(String...)")
        await d.resume()
        await d.wait_stop("breakpoint", at="percent", breakpoint=1)
        assert len(d.session.breakpoints.get(1).resolved) == 3
        await d.resume()
        await d.wait_stop("breakpoint", at="factor", breakpoint=1)
        await d.resume()
        stop = await d.wait_stop("breakpoint", at="call", breakpoint=1)
        assert stop.breakpoints == (1, one.number)


async def test_constructors_and_nested_classes(jvm: Jvm) -> None:
    async with debug(jvm, "Shop") as d:
        await d.session.breakpoints.add("Order.Builder.<init>(String)")
        await d.session.breakpoints.add("shop.Order.<init>")
        await d.session.breakpoints.add("Order$Builder.build")
        await d.resume()
        for number, method in ((1, "<init>"), (3, "build"), (2, "<init>")):
            stop = await d.wait_stop("breakpoint", breakpoint=number)
            assert stop.location is not None
            assert stop.location.method == method
            await d.resume()
        await d.wait_exit()


async def test_an_inherited_method_is_found_where_it_is_written(jvm: Jvm) -> None:
    async with debug(jvm, "Shop") as d:
        await d.session.breakpoints.add("shop.Order.title")
        await d.resume()
        await d.wait_stop("breakpoint", at="title", breakpoint=1)
        point = d.session.breakpoints.get(1)
        assert point.message == "inherited from shop.Document: stops for every class that inherits it"
        await d.run_to("sent", "shop.Courier")
        default = await d.session.breakpoints.add("Courier.rounded")
        assert places(default) == Counter(["Priced.rounded"])


async def test_methods_without_code(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Shop") as d:
        await d.run_to("closed")
        with pytest.raises(UsageError) as caught:
            await d.session.breakpoints.add("Document.total")
        assert caught.value.message == "shop.Document.total() is abstract: no code to stop at"
        with pytest.raises(UsageError, match=r"java.lang.Object.hashCode\(\) is native"):
            await d.session.breakpoints.add("java.lang.Object.hashCode")


async def test_a_bridge_is_passed_over(jvm: Jvm) -> None:
    async with debug(jvm, "Shop") as d:
        await d.session.breakpoints.add("Basket.compareTo")
        for _ in ("directly", "by the bridge"):
            await d.resume()
            await d.wait_stop("breakpoint", at="compare", breakpoint=1)
        await d.resume()
        await d.wait_exit()


@pytest.mark.parametrize(
    ("spec", "message", "hint"),
    [
        ("Order.totl", "no method totl in shop.Order", "there is total"),
        ("Order.total(int)", "no method total(int) in shop.Order", "there is total()"),
        ("Order.Order", "no method Order in shop.Order", "constructors are called <init>"),
        ("Document.<clinit>", "no method <clinit> in shop.Document", "no static initializer"),
        ("Node.getKey", "'Node' may be java.util.", "give the full name, or *.Node"),
    ],
)
async def test_methods_that_are_not_there(any_jvm: Jvm, spec: str, message: str, hint: str) -> None:
    async with debug(any_jvm, "Shop") as d:
        await d.run_to("closed")
        with pytest.raises(UsageError) as caught:
            await d.session.breakpoints.add(spec)
        assert caught.value.message.startswith(message)
        assert hint in caught.value.hint


async def test_a_line_without_code_moves_again_to_what_is_nearer(jvm: Jvm) -> None:
    """The classes of the file are loaded from the last to the first: each has nearer code than the one before."""
    async with debug(jvm, "Nearer") as d:
        nearer, breakpoints = d.program, d.session.breakpoints
        blank, third, second = (nearer.line(each) for each in ("blank", "third-class", "second-class"))
        await breakpoints.add(f"Nearer.java:{blank}")
        await breakpoints.add(d.at("between"))
        await d.resume()
        moved = f"moved to line {third}: no code on line {blank} of Nearer.java"
        await d.wait_stop("breakpoint", at="between", breakpoint=2)
        assert breakpoints.get(1).message == moved
        await d.resume()
        notice = await d.wait_notice("breakpoint-resolved")
        moved = f"moved to line {second}: no code on line {blank} of Nearer.java"
        assert notice.text == f"breakpoint 1 is set on line {second} now ({moved})"
        assert breakpoints.get(1).message == moved
        assert [each.line for each in breakpoints.get(1).resolved] == [second]
        await d.wait_exit()


# -- several classes -----------------------------------------------------------------------------------------------


async def test_every_loader_has_its_own(jvm: Jvm) -> None:
    async with debug(jvm, "Shop") as d:
        await d.session.breakpoints.add(d.at("plugin"))
        for _ in ("first loader", "second loader"):
            await d.resume()
            await d.wait_stop("breakpoint", at="plugin", breakpoint=1)
        assert places(d.session.breakpoints.get(1)) == Counter({"Plugin.run": 2})
        late = await d.session.breakpoints.add("Plugin.run")
        assert places(late) == Counter({"Plugin.run": 2})


async def test_patterns(jvm: Jvm) -> None:
    async with debug(jvm, "Shop") as d:
        await d.session.breakpoints.add("*.Order.total")
        await d.session.breakpoints.add("shop.*.rounded")
        await d.resume()
        await d.wait_stop("breakpoint", at="total", breakpoint=1)
        await d.session.breakpoints.remove([1])
        await d.resume()
        await d.wait_stop("breakpoint", at="rounded", breakpoint=2)


@pytest.mark.parametrize(("place", "hint"), [("total", "Class.total"), ("+3", "Class:LINE"), (":7", "Class:LINE")])
async def test_a_place_in_the_class_of_the_frame_needs_one(any_jvm: Jvm, place: str, hint: str) -> None:
    async with debug(any_jvm, "Ledger") as d:
        with pytest.raises(StateError) as raised:
            await d.session.breakpoints.add(place)
        said = f"'{place}' is looked for in the class of the selected frame: the thread has no Java frames"
        assert (raised.value.message, raised.value.hint) == (said, f"name the class: {hint}")

"""Calls observed while the target runs: values, exceptions, recursion, constructors, patterns, threads, limits."""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import Any, cast

import pytest

import jdbpy
from jdbpy.errors import EvalError, JdwpError, UsageError
from jdbpy.session.calls.call_reader import CallReader
from jdbpy.session.events.requests import RESUME, CountingFilter, EventRequest, RequestTable
from jdbpy.session.model.events import Report
from jdbpy.wire.constants import Error, EventKind, JdwpSuspendPolicy
from jdbpy.wire.messages import event_request
from tests.harness import LIMIT, Jvm, debug, inline, program, start_target, within

pytestmark = pytest.mark.one_java


def told(report: Report) -> str:
    """A report in short: arguments, and what came of the call."""
    given = ",".join(each.value.text for each in report.arguments if each.value)
    if report.exception is not None:
        return f"{given} threw {report.exception.message}"
    return f"{given} -> {report.return_value.text if report.return_value else 'void'}"


async def test_calls_are_reported_with_what_they_took_and_gave(jvm: Jvm) -> None:
    async with debug(jvm, "Tills") as d:
        await d.run_to("start")
        take: list[Report] = []
        refuse: list[Report] = []
        fall: list[Report] = []
        factorial: list[Report] = []
        made: list[Report] = []
        observer = d.session.observer
        async with (
            observer.calls("Tills$Till.take", on_call=take.append, callers=1, most=2),
            observer.calls("Tills$Till.refuse", on_call=refuse.append, most=2) as refusals,
            observer.calls("Tills$Till.fall", on_call=fall.append),
            observer.calls("Tills$Till.factorial", on_call=factorial.append),
            observer.calls("Tills$Till.<init>", on_call=made.append, show=["name", "$args[0].length()"]),
            observer.calls("Tills$Till.refuse", on_call=list[Report]().append, show=["$ret", "name"]) as without,
            observer.calls("Tills$Till.*", on_call=list[Report]().append, show=["$ret.length()"]) as several,
        ):
            assert without.lacks == ("'$ret' is not shown for Tills$Till.refuse: it is void and returns nothing",)
            assert several.lacks[-1].startswith("'$ret.length()' is not shown for Tills$Till.")
            assert several.lacks[-1].endswith(": they are void and return nothing")
            await d.resume()
            await d.wait_exit()
        assert [told(each) for each in take] == ['3,"tea" -> 6', '40,"cake" -> 47']
        first = take[0]
        assert first.cost is not None and first.cost > 0
        assert first.object is not None and "Till" in first.object.text
        assert first.thread is not None and first.thread.name == "main"
        assert [place.method for place in first.stack] == ["main"]
        assert [told(each) for each in refuse] == ["99 threw only 43", "1 -> void"]
        assert refusals.failures == 1
        assert [told(each) for each in fall] == [
            "0 threw bottom", "1 threw bottom", "2 threw bottom", "3 -> 300", "4 -> 301", "5 -> 302",
        ]  # fmt: skip
        assert [told(each) for each in factorial] == ["1 -> 1", "2 -> 2", "3 -> 6", "4 -> 24", "5 -> 120"]
        shown = [[value.value.text for value in each.values if value.value] for each in made]
        assert shown == [[f'"till{i}"', "5"] for i in range(8)]


async def test_a_void_method_has_no_result_to_be_shown(jvm: Jvm) -> None:
    async with debug(jvm, "Tills") as d:
        await d.run_to("start")
        unseen: list[Report] = []
        async with (
            d.session.observer.calls("Tills$Till.refuse", on_call=unseen.append, show=["$ret", "name"]) as one,
            d.session.observer.calls("Tills$Till.*", on_call=unseen.append, show=["$ret.length()"]) as several,
        ):
            assert one.lacks == ("'$ret' is not shown for Tills$Till.refuse: it is void and returns nothing",)
            assert several.lacks[-1].startswith("'$ret.length()' is not shown for Tills$Till.")
            assert several.lacks[-1].endswith(": they are void and return nothing")


async def test_threads_conditions_and_patterns(jvm: Jvm) -> None:
    async with debug(jvm, "Tills") as d:
        await d.run_to("start")
        observer = d.session.observer
        chosen: list[Report] = []
        costly: list[Report] = []
        quick: list[Report] = []
        failed: list[Report] = []
        limited: list[Report] = []
        with pytest.raises(EvalError, match="illegal start"):
            observer.calls("Tills$Till.take", when="$ret >")
        with pytest.raises(UsageError, match=r"no \$args\[2\]"):
            await observer.calls("Tills$Till.take", when="$args[2] == 1").__aenter__()
        with pytest.raises(UsageError, match="fits 9 methods, more than 3") as many:
            await observer.statistics("Tills$Til*.*", most_methods=3).__aenter__()
        assert many.value.code == "TOO_MANY_METHODS"
        with pytest.raises(UsageError, match="is abstract"):
            await observer.statistics("java.lang.Runnable.run").__aenter__()
        for pattern, excludes, left in (
            ("Tills$Til*.*", ("*.re*", "Till.t*"), {"<init>", "check", "fall", "factorial", "line"}),
            ("Tills$Til*.*", ("Tills.Till.f*", "no.such.*"), {"<init>", "take", "refuse", "check", "receipt",
             "line", "twice"}),
            ("Tills.*", ("*.main", "Tills.w*"), {"<init>"}),
            ("Tills*.*", ("*$Till", "Refused"), None),
            ("Till.take", ("Till.refuse",), {"take"}),
        ):  # fmt: skip
            async with observer.statistics(pattern, most_methods=30, excludes=excludes) as times:
                names = {each.method.name for each in times.methods}
                assert names == left if left is not None else "work" in names and "take" not in names, pattern
        for make in (observer.calls, observer.statistics, observer.tree):
            with pytest.raises(UsageError, match=r"'except \*.take,Till' leaves out every method that 'Till.t\*' fits"):
                await make("Till.t*", excludes=["*.take", "Till"]).__aenter__()
            with pytest.raises(UsageError, match="'' is not a pattern of methods or classes"):
                make("Till.t*", excludes=[""])
        with pytest.raises(UsageError, match="fits 7 methods, more than 3"):
            await observer.statistics("Tills$Til*.*", most_methods=3, excludes=["*.t*"]).__aenter__()
        async with (
            observer.calls("Tills$Till.take", when="$args[0] == 40 && $ret > 0", on_call=chosen.append) as some,
            observer.calls("Tills$Till.take", when="$cost > 1000s", on_call=costly.append) as none,
            observer.calls("Tills$Till.take", when="$cost < 1000s", on_call=quick.append, most=5),
            observer.calls(
                "Tills$Till.refuse", when="$exc != null", show=["$exc.getMessage()"], on_call=failed.append
            ) as refused,
            observer.calls("Tills$Till.refuse", limit=0, on_call=limited.append) as counted,
            observer.statistics("Tills$Til*.*") as times,
        ):
            await d.resume()
            await d.wait_exit()
            found = {each.method: each for each in times.take().methods}
        assert [each.thread.name for each in chosen if each.thread and "worker" in each.thread.name].__len__() == 8
        assert len(chosen) == 9 and not costly and len(quick) == 5 and not limited
        assert counted.calls == 403 and counted.failures == 42
        assert [(each.summary.calls, each.summary.condition_false) for each in (some, none, refused, counted)] == [
            (402, 393), (402, 402), (403, 361), (403, 0),
        ]  # fmt: skip
        assert len(failed) == 42 and all(each.values[0].value for each in failed)
        assert [told(each) for each in failed][:1] == [" threw only 43"]
        assert {name: each.count for name, each in found.items()} == {
            "<init>": 8, "take": 402, "refuse": 403, "check": 403, "fall": 6, "factorial": 5, "receipt": 1,
            "line": 4, "twice": 4,
        }  # fmt: skip
        assert {name: each.failures for name, each in found.items() if each.failures} == {
            "refuse": 42, "check": 42, "fall": 3
        }  # fmt: skip
        take = found["take"]
        assert 0 < take.minimum <= take.p50 <= take.p99 <= take.maximum <= take.total


async def test_a_tree_tells_what_is_called_line_by_line(jvm: Jvm) -> None:
    async with debug(jvm, "Tills") as d:
        await d.run_to("start")
        observer = d.session.observer
        with pytest.raises(UsageError, match=r"by \$cost only"):
            observer.tree("Tills$Till.receipt", when="$ret == null")
        async with (
            observer.tree("Tills$Till.receipt") as flat,
            observer.tree("Tills$Till.receipt", depth=3, when="$cost < 1000s") as deep,
            observer.tree("Tills$Till.receipt", when="$cost > 1000s") as none,
            observer.tree("Tills$Till.factorial", depth=2) as recursive,
            observer.tree("Tills.work", most=3) as work,
        ):
            set_in = [modifier.loc.index for each in flat.means._requests for modifier in each.modifiers[:1]
                      if isinstance(modifier, event_request.LocationOnly)]  # fmt: skip
            assert (min(set_in), set_in[-1]) == (0, 0)  # the entry comes last: a call that is seen is seen to end
            await d.resume()
            await d.wait_exit()
        [tree] = flat.trees()
        assert (tree.class_name, tree.method, tree.calls, tree.failures) == ("Tills$Till", "receipt", 1, 0)
        at = d.program.line
        calls = {(each.line, each.method): (each.count, each.failures) for each in tree.children}
        assert calls[at("each"), "line"] == (3, 0) and calls[at("each"), "append"] == (3, 0)
        assert calls[at("refusing"), "refuse"] == (1, 1)
        assert calls[at("opening"), "open"] == (1, 0) and calls[at("opening"), "line"] == (1, 0)
        assert not any(each.children for each in tree.children)
        assert tree.own >= 0 and sum(each.share for each in tree.children) < 1.001
        [tree] = deep.trees()
        [line] = [each for each in tree.children if (each.line, each.method) == (at("each"), "line")]
        assert [(each.method, each.count) for each in line.children] == [("twice", 3)]
        [refuse] = [each for each in tree.children if each.method == "refuse"]
        assert [(each.method, each.failures) for each in refuse.children] == [("check", 1)]
        assert "<init>" in {each.method for each in refuse.children[0].children}
        assert none.trees() == () and none.calls == none.condition_false == 1
        [tree] = recursive.trees()
        [first] = tree.children
        [second] = first.children
        assert (tree.calls, first.method, first.count, second.count, second.children) == (1, "factorial", 1, 1, ())
        [tree] = work.trees()
        assert tree.calls == 3 and {each.method: each.count for each in tree.children} == {"take": 150, "refuse": 150}


TILLS = program("Tills")
SOURCE = Path(TILLS.sources, "Tills.java").read_text(encoding="utf-8")


async def test_observation_goes_on_in_code_that_was_replaced(jvm: Jvm) -> None:
    changed = inline(SOURCE.replace("return total + what.length();", "return total + what.length() + 100;"))
    async with debug(jvm, "Tills") as d:
        await d.run_to("start")
        found: list[Report] = []
        observer = d.session.observer
        async with (
            observer.calls("Till.take", on_call=found.append, most=2),
            observer.tree("Till.take", most=2) as tree,
        ):
            await d.session.hotswap.redefine("Tills$Till", str(Path(changed.classes, "Tills$Till.class")))
            await d.resume()
            await d.wait_exit()
        assert [told(each) for each in found] == ['3,"tea" -> 106', '40,"cake" -> 147']
        [folded] = tree.trees()
        assert [(each.method, each.count) for each in folded.children] == [("length", 2)]


async def test_what_ends_under_many_calls_leaves_no_thread_suspended(jvm: Jvm) -> None:
    async with debug(jvm, "Tills") as d:
        await d.run_to("working")
        found: list[Report] = []
        observer = d.session.observer
        async with observer.calls("Till.take", on_call=found.append, most=20) as calls:
            await d.resume()
            await calls.over.wait()
        assert len(found) == calls.reported == 20
        await d.wait_exit()


def test_an_event_that_suspends_is_never_swallowed_after_its_request_is_cleared() -> None:
    table = RequestTable(cast(Any, None))
    for policy, swallowed in ((JdwpSuspendPolicy.NONE, True), (JdwpSuspendPolicy.EVENT_THREAD, False)):
        request = EventRequest(EventKind.BREAKPOINT, policy, lambda hit: RESUME)
        request.counting_filter = CountingFilter(lambda data: False, deque())
        request.id = 7
        table.spent(request)
        assert table.count_only(bytes((policy, 0, 0, 0, 1)) + request.key) is swallowed


LITTER = """
class Litter {
    public static void main(String[] args) throws Exception {
        System.out.println("start"); // @start
        for (int i = 0; i < 3; i++) {
            make(i);
            try {
                refuse(i);
            } catch (IllegalStateException thrown) {
            }
            System.gc();
            System.out.println("collected");
        }
    }
    static String make(int i) {
        return new String("made " + i + " ");
    }
    static void refuse(int i) {
        throw new IllegalStateException("refused " + i);
    }
}
"""


async def test_what_a_call_gave_is_told_after_the_target_has_collected_its_garbage(
    jvm: Jvm, monkeypatch: pytest.MonkeyPatch
) -> None:
    describe = CallReader.describe
    async with debug(jvm, inline(LITTER)) as d:
        await d.run_to("start")

        async def late(self: CallReader, *args: Any) -> Any:
            await d.target.wait_lines("collected", 3)
            return await describe(self, *args)

        monkeypatch.setattr(CallReader, "describe", late)
        made: list[Report] = []
        refused: list[Report] = []
        async with (
            d.session.observer.calls("Litter.make", on_call=made.append, show=["$ret", "$ret.trim()"], most=3) as one,
            d.session.observer.calls("Litter.refuse", on_call=refused.append, most=3) as other,
        ):
            await d.resume()
            await one.over.wait()
            await other.over.wait()
        shown = [[value.value.text for value in each.values if value.value] for each in made]
        assert shown == [[f'"made {i} "', f'"made {i}"'] for i in range(3)]
        assert [each.exception.message for each in refused if each.exception] == [f"refused {i}" for i in range(3)]
        await d.wait_exit()


async def test_calls_that_cannot_be_told_end_an_observation_too(jvm: Jvm, monkeypatch: pytest.MonkeyPatch) -> None:
    describe = CallReader.describe

    async def refuse(self: CallReader, method: Any, read: Any) -> Any:
        if len(told_of) == 1:
            raise JdwpError(int(Error.INVALID_CLASS), "ReferenceType.SignatureWithGeneric")
        return await describe(self, method, read)

    async with debug(jvm, inline(LITTER)) as d:
        await d.run_to("start")
        told_of: list[Report] = []
        monkeypatch.setattr(CallReader, "describe", refuse)
        async with d.session.observer.calls("Litter.make", on_call=told_of.append, most=3) as calls:
            await d.resume()
            await calls.over.wait()
        assert (calls.calls, calls.reported) == (3, 1)
        await d.wait_exit()


ORDERS = """
import java.util.List;
class Orders {
    public static void main(String[] args) {
        System.out.println("start"); // @start
        new Order().pay(1, 2);
    }
    static class Item {
        final int cents;
        Item(int cents) { this.cents = cents; }
    }
    static class Order {
        final List<Item> items = List.of(new Item(3), new Item(40));
        Order pay(int... coins) { return this; }
    }
}
"""


async def test_values_are_told_as_deep_as_asked(jvm: Jvm) -> None:
    def inside(value: Any) -> Any:
        held = {each.name: inside(each.value) for each in value.children}
        return held or value.text.split("@")[0]

    async with debug(jvm, inline(ORDERS)) as d:
        await d.run_to("start")
        calls = d.session.observer.calls
        found: dict[int, list[Report]] = {depth: [] for depth in (0, 1, 3)}
        with pytest.raises(UsageError, match="0 to 10 levels deep, not 11"):
            calls("Orders.Order.pay", depth=11)
        shown: list[Report] = []
        async with (
            calls("Orders.Order.pay", on_call=found[0].append),
            calls("Orders.Order.pay", on_call=found[1].append, depth=1),
            calls("Orders.Order.pay", on_call=found[3].append, depth=3),
            calls("Orders.Order.pay", on_call=shown.append, depth=2, show=["$ret.items"]),
        ):
            await d.resume()
            await d.wait_exit()
        coins, items = {"[0]": "1", "[1]": "2"}, {"[0]": {"cents": "3"}, "[1]": {"cents": "40"}}
        for depth, order in ((0, "Order"), (1, {"items": "List12(2)"}), (3, {"items": items})):
            [told_of] = found[depth]
            assert inside(told_of.arguments[0].value) == (coins if depth else "int[2]")
            assert inside(told_of.object) == inside(told_of.return_value) == order
        assert inside(shown[0].values[0].value) == items


async def test_the_limit_is_that_of_all_threads_together(jvm: Jvm) -> None:
    """Calls of eight threads end while the first are read: those have their place among the reports of a second."""
    told: list[Report] = []
    async with start_target(jvm, "Crew", "8") as target, jdbpy.attach_session(target.address) as session:
        with within(LIMIT):
            await session.next_stop()
            await session.breakpoints.add("Crew.hit", condition="n >= 60", temporary=True)
            observation = session.observer.calls("Crew.guarded", limit=3, on_call=told.append)
            async with observation:
                assert isinstance(await session.execution.cont(), jdbpy.Stopped)
        assert observation.calls > 40
        assert 0 < len(told) <= 3 * (int(observation.seconds) + 1), observation.seconds

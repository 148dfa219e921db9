"""``$ret``, ``$exc``, ``$old`` and ``$new`` in conditions and log texts: those of the hit, typed as declared."""

from __future__ import annotations

import pytest

from jdbpy import Notice, PointOptions, Reporting, SuspendPolicy
from tests.harness import Jvm, debug, inline

pytestmark = pytest.mark.one_java

PRICES = inline("""
class Prices {
    public static void main(String[] args) {
        Prices prices = new Prices();
        for (String name : new String[] {"tea", "milk", null, "mug", "water"}) {
            prices.find(name);
            try {
                prices.check(name);
            } catch (IllegalStateException expected) {
                System.out.println("caught");
            }
        }
        System.out.println("done"); // @done
    }
    Integer last;
    Prices() { last = 1; }
    String find(String name) { return name == null ? null : name.toUpperCase(); }
    void check(String name) {
        last = last + 1;
        if (name == null || name.length() == 3) {
            throw new IllegalStateException("no " + name);
        }
    }
}
""")
RESUME = PointOptions(policy=SuspendPolicy.NONE)


async def test_the_value_that_is_returned(jvm: Jvm) -> None:
    async with debug(jvm, PRICES) as d:
        find = "Prices.find"
        await d.session.traces.methods(method=find, entries=False, options=PointOptions(condition="$ret == null"))
        await d.session.traces.methods(
            method=find, entries=False, options=PointOptions(condition='$ret != null && $ret.endsWith("ER")')
        )
        await d.resume()
        stop = await d.wait_stop("method-exit", breakpoint=1)
        assert stop.message == ""
        assert (await d.session.values.evaluate("name == null && $ret == null")).text == "true"
        await d.resume()
        stop = await d.wait_stop("method-exit", breakpoint=2)
        assert stop.message == ""
        assert (await d.session.values.evaluate("$ret.length() + name")).text == '"5water"'
        await d.session.points.remove([1, 2])
        await d.resume()
        await d.wait_exit()


async def test_a_condition_on_what_a_hit_never_has_does_not_hold(jvm: Jvm) -> None:
    """Constructors and void methods return nothing, an entry neither; what is read gets no new value."""
    async with debug(jvm, PRICES) as d:
        await d.session.traces.methods(options=PointOptions(classes=("Prices",), condition="$ret == null"))
        await d.session.watchpoints.add("Prices.last", access=True, options=PointOptions(condition="$new == 4"))
        await d.resume()
        stop = await d.wait_stop("method-exit", breakpoint=1)
        assert (stop.message, stop.location and stop.location.method) == ("", "find")
        assert (await d.session.values.evaluate("name == null && $ret == null")).text == "true"
        await d.resume()
        stop = await d.wait_stop("modification", breakpoint=2)
        assert stop.message == ""
        assert (await d.session.values.evaluate("$old")).text == "3"
        await d.session.points.remove([1, 2])
        await d.resume()
        await d.wait_exit()


async def test_what_was_thrown_and_what_a_field_becomes(jvm: Jvm) -> None:
    async with debug(jvm, PRICES) as d:
        condition = '$exc.detailMessage.equals("no mug")'
        await d.session.catchpoints.exception("IllegalStateException", options=PointOptions(condition=condition))
        seven = PointOptions(condition="$old != null && $old + $new == 7")
        await d.session.watchpoints.add("Prices.last", options=seven)
        await d.session.watchpoints.add("Prices.last", options=RESUME.replace(log="{$old} to {$new + 0.5}"))
        await d.resume()
        for text in ("null to 1.5", "1 to 2.5", "2 to 3.5", "3 to 4.5"):
            assert (await d.wait_notice("logpoint")).text == text
        d.ignored.add("logpoint")
        stop = await d.wait_stop("modification", breakpoint=2)
        assert stop.message == ""
        assert (await d.session.values.evaluate("$old")).text == "3"
        assert (await d.session.values.evaluate("$new - $old")).text == "1"
        await d.resume()
        stop = await d.wait_stop("exception", breakpoint=1)
        assert stop.exception is not None
        assert stop.exception.message == "no mug"
        await d.session.points.remove([1])
        await d.resume()
        await d.wait_exit()


async def test_reports_have_their_values_as_data(jvm: Jvm) -> None:
    async with debug(jvm, PRICES) as d:
        await d.session.watchpoints.add("Prices.last", options=RESUME.replace(log="{$new} by {this.last}"))
        await d.session.catchpoints.exception(
            "IllegalStateException", options=RESUME.replace(reporting=Reporting(stack=2), classes=("Prices",))
        )
        await d.session.traces.methods(method="Prices.find", options=RESUME)
        found = []
        await d.resume()
        while isinstance(event := await d.next_event(), Notice):
            assert event.report is not None
            assert event.report.location is not None
            assert event.report.time_ns > 0
            found.append(event.report)
        kinds = [each.event for each in found]
        assert kinds.count("method-entry") == kinds.count("method-exit") == 5
        changed = next(each for each in found if each.event == "modification")
        texts = [(each.name, each.value and each.value.text) for each in changed.values]
        assert texts == [("$new", "1"), ("this.last", "null")]
        entered, left = (next(each for each in found if each.event == name) for name in ("method-entry", "method-exit"))
        assert [(each.name, each.value and each.value.text) for each in entered.arguments] == [("name", '"tea"')]
        assert left.return_value is not None
        assert left.return_value.text == '"TEA"'
        thrown = [each for each in found if each.event == "exception"]
        assert [each.exception and each.exception.message for each in thrown] == ["no tea", "no null", "no mug"]
        assert {each.exception and each.exception.type for each in thrown} == {"java.lang.IllegalStateException"}
        assert [place.method for place in thrown[0].stack] == ["check", "main"]


async def test_a_thread_without_a_name_is_told_by_its_id(jvm: Jvm) -> None:
    async with debug(jvm, UNNAMED) as d:
        await d.session.catchpoints.exception("IllegalStateException", options=RESUME.replace(classes=("Unnamed*",)))
        await d.session.traces.methods(method="Unnamed.twice", options=RESUME)
        await d.resume()
        told = 0
        while isinstance(event := await d.next_event(), Notice):
            assert event.report is not None
            assert event.report.thread is not None
            assert event.report.thread.name == ""
            assert f"thread {event.report.thread.id}, Unnamed." in event.text
            told += 1
        assert told == 3


UNNAMED = inline("""
class Unnamed {
    public static void main(String[] args) throws Exception {
        Thread thread = new Thread(Unnamed::run);
        thread.setName("");
        thread.start();
        thread.join();
    }
    static void run() {
        try {
            throw new IllegalStateException(String.valueOf(twice(2)));
        } catch (IllegalStateException expected) {
            // it is what is to be told
        }
    }
    static int twice(int number) { return 2 * number; }
}
""")


@pytest.mark.parametrize("mode", ["off", "auto", "eager"])
async def test_the_last_reports_before_the_end_are_whole(jvm: Jvm, mode: str) -> None:
    """The end of the target waits until they are read, also those that the target has kept; nothing else is told."""
    async with debug(jvm, LAST) as d:
        d.session.instrumentation.mode = mode
        await d.session.breakpoints.add("Last.end", log="{text} {other}")
        await d.resume()
        for _ in range(20):
            assert (await d.wait_notice("logpoint")).text == "last words"
        await d.wait_exit()


LAST = inline("""
class Last {
    public static void main(String[] args) {
        for (int n = 0; n < 20; n++) { end("last", new StringBuilder("words").toString()); }
        Runtime.getRuntime().halt(0);
    }
    static void end(String text, String other) { }
}
""")

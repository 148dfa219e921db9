"""``$ret``, ``$exc``, ``$old`` and ``$new`` in conditions and log texts are those of the hit, with their declared types."""

from __future__ import annotations

from jdbpy import PointOptions, SuspendPolicy
from tests.harness import Jvm, debug, inline

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
GO = PointOptions(policy=SuspendPolicy.NONE)


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


async def test_what_was_thrown_and_what_a_field_becomes(jvm: Jvm) -> None:
    async with debug(jvm, PRICES) as d:
        condition = '$exc.detailMessage.equals("no mug")'
        await d.session.catchpoints.exception("IllegalStateException", options=PointOptions(condition=condition))
        await d.session.watchpoints.add("Prices.last", options=PointOptions(condition="$old != null && $old + $new == 7"))
        await d.session.watchpoints.add("Prices.last", options=GO.replace(log="{$old} to {$new + 0.5}"))
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

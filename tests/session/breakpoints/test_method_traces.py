"""Named methods and the methods of named classes, traced by breakpoints: arguments, what is returned, what it costs."""

from __future__ import annotations

import pytest

from jdbpy import Notice, PointOptions, Reporting, SuspendPolicy, UsageError
from jdbpy.session.java.bytecode import ReturnInstruction, method_ends
from jdbpy.wire.constants import EventKind
from tests.harness import LIMIT, Debugging, Jvm, debug, inline, within

pytestmark = pytest.mark.one_java

RESUME = PointOptions(policy=SuspendPolicy.NONE)
NO_STOP = RESUME.replace(reporting=Reporting(hold=False))

SHOP = inline("""
class Shop {
    public static void main(String[] args) {
        Prices prices = new Prices();
        for (int round = 0; round < 2; round++) {
            prices.find("tea", 4);
            prices.label("mug");
            prices.open();
            prices.none();
            prices.close();
            prices.pick(round == 0);
            prices.rounds(3);
            prices.forever(new int[] {3});
            try {
                prices.fail();
            } catch (IllegalStateException expected) {
                System.out.println("caught");
            }
        }
        System.out.println("done"); // @done
    }
    static class Prices {
        int calls;
        int find(String name, long by) { calls++; return name.length() + (int) by; }
        String label(String name) { return name; }
        boolean open() { return true; }
        Object none() { return null; }
        void close() { }
        int fail() { throw new IllegalStateException("no price"); }
        int pick(boolean first) { return first ? 1 : calls; }
        int rounds(int left) {
            while (left > 0) { left--; }
            return left;
        }
        void forever(int[] left) { while (left[0]-- > 0) { } }
        native int far();
    }
}
""")
CROWD = inline("""
class Crowd {
    public static void main(String[] args) throws InterruptedException {
        Thread[] all = new Thread[6];
        for (int n = 0; n < all.length; n++) {
            int base = n * 1000;
            all[n] = new Thread(() -> { for (int each = 0; each < 50; each++) { next(base, each); } }, "t" + n);
            all[n].start();
        }
        for (Thread each : all) { each.join(); }
    }
    static int next(int base, int each) { return base + each; }
}
""")
PRICES = "Shop$Prices"


async def texts(d: Debugging, kind: str = "trace") -> list[str]:
    """What is reported until the target has ended, without thread and place."""
    d.ignored.discard(kind)
    await d.resume()
    found = []
    while isinstance(event := await d.next_event(), Notice):
        assert event.kind == kind, event
        happened, _, rest = event.text.partition(": ")
        what = [part for part in rest.split(", ")[1:] if not part.startswith("line ")]
        found.append(", ".join([happened.removeprefix("method "), *what]).replace(f"{PRICES}.", ""))
    return found


def requested(d: Debugging) -> set[EventKind]:
    """The kinds of events that are requested now."""
    return {each.kind for each in d.session._target.requests.all_active()}


async def test_a_class_with_arguments_and_what_is_returned(jvm: Jvm) -> None:
    async with debug(jvm, SHOP) as d:
        d.ignored.add("trace")
        point = await d.session.traces.methods(options=RESUME.replace(classes=(PRICES,)))
        assert point.message == f"pending: class {PRICES} is not loaded yet"
        await d.run_to("done")
        assert EventKind.METHOD_ENTRY not in requested(d)
        found = d.session.points.get(point.number)
        assert set(found.message.removeprefix("not traced: ").split("; ")) == {
            "far, native",
            "forever, which loops to its first instruction",
            "rounds, which loops to its first instruction",
        }
        rows = {(each.method, each.happened): each for each in (await d.session.points.summary(point.number)).methods}
        assert rows["find", "entered"].count == rows["find", "exited"].count == 2
        assert [value.text for value in rows["find", "exited"].values] == ["7"]
        assert [value.text for value in rows["label", "exited"].values] == ['"mug"', '"mug"'][:1]
        assert {value.text for value in rows["pick", "exited"].values} == {"1", "2"}
        assert ("fail", "exited") not in rows
        await d.resume()
        await d.wait_exit()


async def test_methods_that_breakpoints_cannot_trace_are_named_when_the_class_has_come(jvm: Jvm) -> None:
    async with debug(jvm, SHOP) as d:
        d.ignored -= {"breakpoint-resolved"}
        d.ignored.add("trace")
        point = await d.session.traces.methods(entries=False, options=RESUME.replace(classes=(PRICES,)))
        await d.resume()
        notice = await d.wait_notice("breakpoint-resolved")
        assert notice.text == f"trace {point.number} is set for exits; not traced: far, native"
        await d.wait_exit()


@pytest.mark.parametrize("values", [False, True])
async def test_a_forced_return_is_an_exit_to_the_jvm_s_own_events(jvm: Jvm, values: bool) -> None:
    async with debug(jvm, SHOP) as d:
        d.ignored.add("trace")
        await d.session.breakpoints.add(f"{PRICES}.find", temporary=True)
        options = RESUME.replace(classes=(PRICES,))
        point = await d.session.traces.methods(entries=False, values=values, options=options)
        await d.resume()
        await d.wait_stop("breakpoint")
        await d.session.execution.force_return("99")
        await d.run_to("done")
        rows = {each.method: each for each in (await d.session.points.summary(point.number)).methods}
        assert rows["find"].count == 1 + values
        assert ("99" in [value.text for value in rows["find"].values]) is values
        await d.resume()
        await d.wait_exit()


async def test_reports_of_named_methods(jvm: Jvm) -> None:
    async with debug(jvm, SHOP) as d:
        await d.session.traces.methods(method=f"{PRICES}.find", options=RESUME)
        await d.session.traces.methods(method=f"{PRICES}.label(String)", entries=False, options=RESUME)
        await d.session.traces.methods(method=f"{PRICES}.open", entries=False, options=RESUME)
        await d.session.traces.methods(method=f"{PRICES}.rounds", options=RESUME)
        once = [
            'entered, find, with name = "tea", by = 4',
            "exited, find, returns 7",
            'exited, label, returns "mug"',
            "exited, open, returns true",
            "entered, rounds, with left = 3",
            "exited, rounds, returns 0",
        ]
        assert await texts(d) == once * 2


async def test_nothing_is_suspended_where_nothing_is_read(jvm: Jvm) -> None:
    async with debug(jvm, SHOP) as d:
        d.ignored.add("trace")
        await d.session.traces.methods(method=f"{PRICES}.find", options=NO_STOP)
        await d.run_to("done")
        requests = d.session._target.requests.all_active()
        assert {each.policy.name for each in requests if each.kind is EventKind.BREAKPOINT} == {"NONE"}
        await d.resume()
        await d.wait_exit()


async def test_stops_where_a_named_method_is_left(jvm: Jvm) -> None:
    async with debug(jvm, SHOP) as d:
        point = await d.session.traces.methods(method=f"{PRICES}.find", entries=False)
        assert point.spec == f"exits {PRICES}.find"
        for _ in range(2):
            await d.resume()
            stop = await d.wait_stop("method-exit", frames=["Shop$Prices.find", "Shop.main"], breakpoint=point.number)
            assert stop.return_value is not None
            assert stop.return_value.text == "7"
            assert d.session.suspended_everything
            assert (await d.session.values.evaluate("$ret + calls")).text in ("8", "9")
        await d.resume()
        await d.wait_exit()


async def test_where_breakpoints_cannot_the_agent_s_events_do_and_that_is_said(jvm: Jvm) -> None:
    async with debug(jvm, SHOP) as d:
        await d.session.traces.methods(method=f"{PRICES}.forever", exits=False, options=RESUME)
        everything = await d.session.traces.methods(options=RESUME.replace(classes=("nowhere.*",)))
        assert everything.message.startswith("the agent's method events make the JVM interpret all threads")
        assert await texts(d) == ["entered, forever, with left = int[1]"] * 2
        assert "method events" in d.session.points.get(1).message


async def test_values_by_the_agent_s_events(any_jvm: Jvm) -> None:
    async with debug(any_jvm, SHOP) as d:
        options = NO_STOP.replace(classes=(PRICES,), reporting=Reporting(limit=0, hold=False))
        point = await d.session.traces.methods(entries=False, options=options, values=True)
        assert point.options[0] == ("--values", "")
        await d.run_to("done")
        rows = {each.method: each for each in (await d.session.points.summary(point.number)).methods}
        assert [value.text for value in rows["find"].values] == ["7"]
        await d.resume()
        await d.wait_exit()


async def test_several_threads_return_at_once(jvm: Jvm) -> None:
    """Each value is that of its own thread and hit."""
    async with debug(jvm, CROWD) as d:
        await d.session.traces.methods(method="Crowd.next", entries=False, options=RESUME)
        found: dict[str, list[int]] = {}
        d.ignored.discard("trace")
        await d.resume()
        with within(LIMIT):
            while isinstance(event := await d.next_event(), Notice):
                assert event.report is not None
                assert event.report.thread is not None
                found.setdefault(event.report.thread.name, []).append(int(event.text.rpartition(" ")[2]))
        assert found == {f"t{n}": [n * 1000 + each for each in range(50)] for n in range(6)}


async def test_what_names_no_method(any_jvm: Jvm) -> None:
    async with debug(any_jvm, SHOP) as d:
        with pytest.raises(UsageError, match="names no method of a class"):
            await d.session.traces.methods(method="Shop:42")
        await d.run_to("done")
        with pytest.raises(UsageError, match=r"no method lable in Shop\$Prices"):
            await d.session.traces.methods(method=f"{PRICES}.lable")
        await d.resume()
        await d.wait_exit()


def test_the_ends_of_a_method() -> None:
    assert method_ends(bytes([0x1B, 0xAC])).returns == (ReturnInstruction(1, slot=1),)  # iload_1, ireturn
    assert method_ends(bytes([0x10, 0xFF, 0xAC])).returns == (
        ReturnInstruction(2, is_constant=True, constant=-1),
    )  # bipush -1
    assert method_ends(bytes([0x1A, 0x1B, 0x60, 0xAC])).returns == (
        ReturnInstruction(3),
    )  # iload_0, iload_1, iadd, ireturn
    assert method_ends(bytes([0xC4, 0x19, 1, 2, 0xB0])).returns == (
        ReturnInstruction(4, slot=258),
    )  # wide aload 258, areturn
    assert method_ends(bytes([0xB1])).returns == (ReturnInstruction(0, void=True),)
    # iload_0, ifeq 8, iload_1, goto 9, iload_2, ireturn: what is returned has come by two ways
    assert method_ends(bytes([0x1A, 0x99, 0, 7, 0x1B, 0xA7, 0, 4, 0x1C, 0xAC])).returns == (ReturnInstruction(9),)
    assert method_ends(bytes([0x1A, 0x99, 0, 6, 0xA7, 0xFF, 0xFC, 0xB1])).enters_once is False  # while (first) { }
    assert method_ends(bytes([0x1A, 0xAC])).enters_once

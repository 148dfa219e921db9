"""Calls that the target itself observes: the figures of breakpoints, exact, with no thread suspended."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import Any

import pytest

from jdbpy.session.calls.call_trees import ObservedTree
from jdbpy.session.calls.observation import Observation
from jdbpy.session.in_target.weave.count_helper import BUCKETS, MOST, bounds_of, bucket_of, middle_of
from jdbpy.session.model.events import Report
from tests.harness import Debugging, Jvm, debug


def test_buckets_are_in_order_and_narrow() -> None:
    times = [*range(200), *(1 << power for power in range(8, 44)), 123_456_789, MOST]
    for time in times:
        low, high = bounds_of(bucket_of(time))
        assert low <= time <= high and abs(middle_of(bucket_of(time)) - time) <= 0.032 * time
    assert [bounds_of(n)[1] + 1 for n in range(BUCKETS - 1)] == [bounds_of(n)[0] for n in range(1, BUCKETS)]
    assert bucket_of(MOST) == BUCKETS - 1


async def rounds(d: Debugging, count: int, word: str = "rounds") -> str:
    """Let the program make so many rounds; return what it says at the end."""
    done = len(await d.target.wait_lines("done ", 0))
    await d.target.send(f"{word} {count}")
    return (await d.target.wait_lines("done ", done + 1))[-1]


async def rounds_with_events(d: Debugging, count: int) -> None:
    """Let the program make so many rounds; all events of them have come, as that of a stop behind them has."""
    done = len(await d.target.wait_lines("done ", 0))
    point = await d.session.breakpoints.add(d.at("done"))
    await d.target.send(f"rounds {count}")
    await d.wait_stop("breakpoint", at="done")
    await d.session.points.remove([point.number])
    await d.resume()
    await d.target.wait_lines("done ", done + 1)


async def into_target(d: Debugging, *observations: Observation, word: str = "rounds", count: int = 25) -> None:
    """Let the program go on until the target itself observes."""
    while not all(each.in_target or each.why_ordinary for each in observations):
        await rounds(d, count, word)
    assert [each.why_ordinary for each in observations] == [""] * len(observations)


PER_ROUND = {
    "<init>(int)": 1, "<init>(java.lang.String,int)": 1, "sell": 1, "twice": 1, "locked": 1, "factorial": 5,
    "refuse": 1, "check": 2, "receipt": 1, "line": 3,
}  # fmt: skip


@pytest.mark.every_java
async def test_statistics_are_counted_in_the_target(jvm: Jvm) -> None:
    """All calls and failures from then on, of every kind of method and thread; taken out, the program is as before."""
    async with debug(jvm, "Stalls", jvm_options=["-Xverify:all"]) as d:
        await d.resume()
        d.session.instrumentation.mode = "eager"
        await rounds(d, 1)
        async with d.session.observer.statistics("Booth.*") as times:
            await into_target(d, times)
            await times.refresh()
            times.take()
            [woven] = d.session.instrumentation.woven()
            assert (woven.class_name, woven.breakpoints, woven.calls) == ("Booth", (), ("Booth.*",))
            await rounds(d, 80)
            await rounds(d, 40, "threads")
            await times.refresh()
            found = times.take()
            assert (found.in_target, found.ordinary, found.observed) == (12, "", 12)
            every = 80 + 4 * 40
            counts = {}
            for each in found.methods:
                name = each.method + ("" if each.method != "<init>" else f"({','.join(each.parameters)})")
                counts[name] = each.count, each.failures
                assert 0 < each.minimum <= each.p50 <= each.p99 <= each.maximum <= each.total, name
                assert each.minimum <= each.mean <= each.maximum, name
            wanted = {name: (per * every, 0) for name, per in PER_ROUND.items()}
            wanted["twice"] = every + every // 2, 0
            wanted["line"] = 3 * every + every // 2, 0
            wanted["refuse"] = every, every // 4
            wanted["check"] = 2 * every, every + every // 4
            wanted["<init>(java.lang.String,int)"] = every, every // 8
            assert counts == wanted
            await d.session.instrumentation.remove()
            assert times.why_ordinary == "it was taken out of the target" and not times.in_target
            times.take()
            await rounds_with_events(d, 3)
            assert {each.method: each.count for each in times.take().methods}["factorial"] == 15
        assert d.session.instrumentation.woven() == []
        async with d.session.observer.statistics("Booth.factorial") as again:
            await into_target(d, again)
            point = await d.session.catchpoints.exception("java.lang.IllegalStateException", caught=False)
            await again.refresh()
            again.take()
            await rounds(d, 3)
            await again.refresh()
            assert [each.count for each in again.take().methods] == [15]
            assert (len(again.in_target), again.why_ordinary) == (1, "")
            await d.session.points.remove([point.number])
        await d.session.detach()
        d.unseen()
        await d.target.send("rounds 2")
        await d.target.wait_output("done rounds 2 ")


@pytest.mark.parametrize("mode", ["off", "ask"])
async def test_nothing_goes_into_the_target_unasked(any_jvm: Jvm, mode: str) -> None:
    async with debug(any_jvm, "Stalls") as d:
        await d.resume()
        d.session.instrumentation.mode = mode
        async with d.session.observer.statistics("Booth.factorial") as times:
            await rounds_with_events(d, 100)
            found = times.take()
            assert (found.in_target, found.ordinary) == (0, "") and found.methods[0].count == 500
        async with d.session.observer.statistics("Booth.factorial", in_target=True) as asked:
            await into_target(d, asked)
            assert len(asked.in_target) == 1
        await d.session.detach()
        d.unseen()


@pytest.mark.every_java
async def test_trees_are_folded_in_the_target(jvm: Jvm) -> None:
    """Calls by line, also those that fail and are caught, in choices and loops; of recursion the outermost; the times
    lie between those that the program takes inside of the calls and around them."""
    async with debug(jvm, "Stalls", jvm_options=["-Xverify:all"]) as d:
        await d.resume()
        d.session.instrumentation.mode = "eager"
        await rounds(d, 1)
        tree = d.session.observer.tree
        async with (
            tree("Booth.receipt") as receipt,
            tree("Booth.<init>(String,int)") as made,
            tree("Booth.factorial", most=200) as some,
            tree("Booth.factorial", when="$cost > 1000s") as none,
            tree("Booth.refuse", depth=2) as deep,
            tree("Booth.serve") as serve,
        ):
            while not deep.why_ordinary:
                await rounds(d, 25)
            await into_target(d, receipt, made, some, none)
            await receipt.refresh()
            before = counts_of(receipt)
            await rounds(d, 80)
            await rounds(d, 40, "threads")
            for each in (receipt, made, some, none):
                await each.refresh()
            after = counts_of(receipt)
            every, at = 80 + 4 * 40, d.program.line
            found = {key: (count - before[key][0], failed - before[key][1]) for key, (count, failed) in after.items()}
            assert found == {
                (None, "receipt"): (every, 0),
                (at("each"), "line"): (3 * every, 0),
                (at("each"), "append"): (3 * every, 0),
                (at("choice"), "line"): (every // 2, 0),
                (at("choice"), "twice"): (every // 2, 0),
                (at("choice"), "toString"): (every // 2, 0),
                (at("choice"), "append"): (every, 0),
                (at("failing"), "check"): (every, every),
                (at("caught"), "getMessage"): (every, 0),
                (at("caught"), "append"): (every, 0),
                **{
                    key: (every, 0) for key in after if key[1] in ("<init>",) or key[0] == max(n for n, _ in after if n)
                },
            }
            assert made.failures == made.trees()[0].failures > 0
            assert some.over.is_set() and some.trees()[0].calls == 200
            assert {each.method: each.count for each in some.trees()[0].children} == {"factorial": 200}
            assert none.trees() == () and none.calls > every
            assert deep.why_ordinary == "a tree of 2 levels is not folded in the target" and deep.calls
            await into_target(d, serve, word="serve")
            own = await served(d, 1)
            await serve.refresh()
            taken = totals_of(serve)
            own = [now - former for now, former in zip(await served(d, 40), own, strict=True)]
            await serve.refresh()
            taken = [now - former for now, former in zip(totals_of(serve), taken, strict=True)]
            inside, around = own[:2], own[2:]
            for least, its, most in zip(inside, taken, around, strict=True):
                assert least <= its <= most, (inside, taken, around)
        await d.session.detach()
        d.unseen()


def counts_of(tree: ObservedTree) -> dict[tuple[int | None, str], tuple[int, int]]:
    """How often each call was made by line, and failed; also the method itself."""
    [found] = tree.trees()
    counts = {(each.line, each.method): (each.count, each.failures) for each in found.children}
    return {(None, found.method): (found.calls, found.failures), **counts}


def totals_of(tree: ObservedTree) -> list[int]:
    """The nanoseconds in the two pieces of work."""
    return [round(each.total * 1e9) for each in tree.trees()[0].children if each.method == "work"]


async def served(d: Debugging, count: int) -> list[int]:
    """Let the program work; return the nanoseconds that it has taken itself for the two pieces, in all: inside of the
    calls, then around them."""
    return [int(each) for each in (await rounds(d, count, "serve")).split()[-4:]]


def told(report: Report) -> tuple[str, ...]:
    """A report in short: what it was about, and what came of it."""
    assert report.location is not None and report.cost is not None and report.cost > 0
    given = ",".join(each.value.text for each in report.arguments if each.value)
    ended = report.return_value.text if report.return_value else "void"
    return report.location.method, given, f"threw {report.exception.message}" if report.exception else ended


@pytest.mark.every_java
async def test_calls_are_kept_by_the_target(jvm: Jvm) -> None:
    """Each with receiver, arguments, result or exception, thread and time; limits count what they leave out."""
    async with debug(jvm, "Stalls", jvm_options=["-Xverify:all"]) as d:
        await d.resume()
        d.session.instrumentation.mode = "eager"
        await rounds(d, 1)
        found: list[Report] = []
        limited: list[Report] = []
        costly: list[Report] = []
        deep: list[Report] = []
        watch = d.session.observer.calls
        async with (
            watch("Booth.*", on_call=found.append) as every,
            watch("Booth.twice", on_call=limited.append, limit=0) as few,
            watch("Booth.twice", on_call=costly.append, when="$cost > 1000s") as none,
            watch("Booth.twice", when="$ret >= 0", callers=1) as ordinary,
            watch("Booth.sell", on_call=deep.append, depth=1) as sales,
        ):
            await into_target(d, every, few, none, sales, count=4)
            while not ordinary.why_ordinary:
                await rounds(d, 4)
            assert len(every.in_target) == 12
            await every.refresh()
            before, counted = len(found), every.calls
            await rounds(d, 8)
            await every.refresh()
            reports = found[before:]
            assert every.calls - counted == len(reports) == 8 * 17 + 4 + 4
            assert ordinary.why_ordinary == "callers are read from the stack" and not ordinary.in_target
            shown = [told(each) for each in reports]
            assert shown[:8] == [
                ("<init>", "0", "void"), ("sell", '0,"tea"', "3"),
                ("factorial", "1", "1"), ("factorial", "2", "2"), ("factorial", "3", "6"), ("factorial", "4", "24"),
                ("factorial", "5", "120"), ("twice", "0", "0"),
            ]  # fmt: skip
            assert {each for each in shown if each[2].startswith("threw")} == {
                ("check", "3", "threw rest 3"), ("refuse", "3", "threw rest 3"), ("<init>", '"broken",7', "threw rest"),
            }  # fmt: skip
            assert {each.thread.name for each in reports if each.thread} == {"main"}
            times = [each.time_ns for each in reports]
            assert times == sorted(times)
            assert all(
                each.object is not None and "Booth" in each.object.text for each in reports if told(each)[0] == "sell"
            )
            await few.refresh()
            await none.refresh()
            assert limited == costly == [] and few.calls >= 12 and none.calls >= 12
            assert (none.condition_false, few.condition_false, every.condition_false) == (none.calls, 0, 0)
            await sales.refresh()
            assert all(each.object and not each.object.children for each in reports if told(each)[0] == "sell")
            held = {each.name: each.value for each in (deep[-1].object.children if deep[-1].object else ())}
            assert held.keys() == {"name", "total", "number"} and held["name"] and held["name"].text == '"booth7"'
            threads = len(found)
            await rounds(d, 3, "threads")
            await every.refresh()
            names = {each.thread.id for each in found[threads:] if each.thread}
            assert len(names) == 4 and len(found) - threads == 4 * (3 * 17 + 3)
        # calls of virtual threads are not seen, one may be under way: then the code stays until the debugger leaves
        left = [each.class_name for each in d.session.instrumentation.woven()]
        assert left == (["Booth"] if jvm.feature >= 21 else [])
        await d.session.detach()
        d.unseen()
        await d.target.send("rounds 2")
        await d.target.wait_output("done rounds 2 ")


async def test_calls_at_the_time_of_the_change_are_told_right_or_not_at_all(jvm: Jvm) -> None:
    """The class is changed while other threads stand at the ends of calls, whose conditions are asked just then."""
    async with debug(jvm, "Tills") as d:
        d.session.instrumentation.mode = "eager"
        await d.run_to("start")
        chosen: list[Report] = []
        watch = d.session.observer.calls
        async with watch("Tills$Till.take", when="$args[0] == 40 && cents == 40", on_call=chosen.append) as calls:
            await d.resume()
            await d.wait_exit()
            assert calls.in_target
        assert chosen and {(each.failure, *told(each)[:2]) for each in chosen} <= {
            ("", "take", '40,"x"'), ("", "take", '40,"cake"'),
        }  # fmt: skip


@pytest.mark.every_java
async def test_conditions_and_expressions_of_calls_are_computed_in_the_target(jvm: Jvm) -> None:
    """Of arguments, the receiver, what is returned or thrown, and the time; also those that run methods, and fail."""
    async with debug(jvm, "Stalls", jvm_options=["-Xverify:all"]) as d:
        await d.resume()
        d.session.instrumentation.mode = "eager"
        await rounds(d, 1)
        watch = d.session.observer.calls
        found: dict[str, list[Report]] = {"sold": [], "refused": [], "twice": [], "recursive": [], "stays": []}
        given: dict[str, dict[str, Any]] = {
            "sold": {
                "method": "Booth.sell",
                "when": '$args[0] % 4 == 3 && what.length() == 3 && name.startsWith("booth") && $cost < 1000s',
                "show": ["$ret", "100 / (cents - 3)", "name", "this.twice(cents) + total * 0", "$args", "$cost > 0"],
            },
            "refused": {"method": "Booth.check", "when": "$exc != null", "show": ["$exc.getMessage()"]},
            "twice": {"method": "Booth.twice", "when": "$ret >= 6 && 10 / (number - 6) > -100"},
            "recursive": {"method": "Booth.factorial", "when": "$ret == factorial(4) && this.number < 5"},
            "stays": {"method": "Booth.sell", "when": "$limit < $ret"},
        }
        await d.session.values.save("limit", "4")
        async with AsyncExitStack() as stack:
            every = {
                name: await stack.enter_async_context(watch(on_call=found[name].append, **options))
                for name, options in given.items()
            }
            while not every["stays"].why_ordinary:
                await rounds(d, 4)
            stays = "an expression uses $limit, a variable of the debugger"
            assert every["stays"].why_ordinary == stays
            await into_target(d, *(each for name, each in every.items() if name != "stays"), count=4)
            for each in every.values():
                await each.refresh()
            before = {name: len(reports) for name, reports in found.items()}
            counted = {name: each.calls for name, each in every.items()}
            await rounds(d, 8)
            for each in every.values():
                await each.refresh()
            assert {name: each.calls - counted[name] for name, each in every.items() if name != "stays"} == {
                "sold": 8, "refused": 16, "twice": 12 + 2, "recursive": 40,
            }  # fmt: skip
            new = {name: reports[before[name] :] for name, reports in found.items()}
            assert [shown_of(each) for each in new["sold"]] == [
                ("$ret 6, name \"booth3\", this.twice(cents) + total * 0 6, $cost > 0 true",
                 "100 / (cents - 3): java.lang.ArithmeticException: / by zero"),
                ("$ret 10, 100 / (cents - 3) 25, name \"booth7\", this.twice(cents) + total * 0 14, $cost > 0 true",
                 ""),
            ]  # fmt: skip
            assert [told(each)[1] for each in new["sold"]] == ['3,"tea"', '7,"tea"']
            assert {shown_of(each) for each in new["refused"]} == {('$exc.getMessage() "rest 3"', "")}
            assert len(new["refused"]) == 10 and {told(each)[2] for each in new["refused"]} == {"threw rest 3"}
            failed = "the condition failed: java.lang.ArithmeticException: / by zero"
            assert [(each.return_value.text, each.failure) for each in new["twice"] if each.return_value] == [
                *[("6", "")] * 3, ("8", ""), *[("10", "")] * 2, ("12", failed), *[("14", "")] * 3,
            ]  # fmt: skip
            assert [told(each)[1:] for each in new["recursive"]] == [("4", "24")] * 5
            sums = [each.summary for name, each in every.items() if name != "stays"]
            assert [each.condition_false for each in sums] == [each.calls - each.reported for each in sums]
        assert d.session.instrumentation.woven() == []
        await d.session.detach()
        d.unseen()
        await d.target.send("rounds 2")
        await d.target.wait_output("done rounds 2 ")


def shown_of(report: Report) -> tuple[str, str]:
    """The values of the expressions of a report, and what went wrong."""
    return ", ".join(f"{each.name} {each.value.text}" for each in report.values if each.value), report.failure

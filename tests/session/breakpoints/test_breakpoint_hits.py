"""What a hit of a breakpoint does: once, after some, in one thread, reported; and how breakpoints are found again."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from jdbpy.errors import UsageError
from jdbpy.session.model.breakpoints import SuspendPolicy
from jdbpy.session.model.events import Notice
from tests.harness import Jvm, debug
from tests.session.running import places


async def test_temporary(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Shop") as d:
        await d.session.breakpoints.add("Order.pay", temporary=True)
        await d.resume()
        stop = await d.wait_stop("breakpoint", breakpoint=1)
        assert stop.temporary
        assert d.session.breakpoints.list() == []
        await d.resume()
        await d.wait_exit()


async def test_ignore_count(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Shop") as d:
        await d.session.breakpoints.add(d.at("body"), ignore=3)
        await d.resume()
        await d.wait_stop("breakpoint", at="body")
        point = d.session.breakpoints.get(1)
        assert (point.hits, point.ignore) == (4, 0)
        assert (await d.session.breakpoints.set_ignore(1, 1)).ignore == 1
        await d.resume()
        await d.wait_stop("breakpoint", at="body")
        assert d.session.breakpoints.get(1).hits == 6


async def test_disable_and_enable(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Shop") as d:
        await d.session.breakpoints.add("Order.total")
        await d.session.breakpoints.add("Order.pay")
        await d.session.breakpoints.disable([1])
        await d.resume()
        await d.wait_stop("breakpoint", breakpoint=2)
        point = d.session.breakpoints.get(1)
        assert (point.enabled, point.resolved, point.hits) == (False, (), 0)
        await d.session.breakpoints.enable([1])
        assert places(d.session.breakpoints.get(1)) == Counter(["Order.total"])
        assert await d.session.breakpoints.clear_all() == [1, 2]
        await d.resume()
        await d.wait_exit()


async def test_a_hit_that_suspends_nothing_is_told(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Shop") as d:
        await d.session.breakpoints.add("Order.pay", policy=SuspendPolicy.NONE)
        await d.resume()
        notices = [await d.wait_notice("breakpoint-hit") for _ in range(2)]
        assert notices[0].text == f'breakpoint 1 hit: thread "main", shop.Order.pay, line {d.program.line("throw") - 1}'
        await d.wait_exit()


async def test_one_thread_only(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Shop") as d:
        start = await d.run_to("total", "shop.Order")
        assert start.thread is not None
        reaper = next(each for each in await d.session.threads.list() if each.name == "Finalizer")
        await d.session.breakpoints.add("Order.pay", thread=reaper.id)
        await d.session.breakpoints.add("Order.pay", thread=start.thread.id, policy=SuspendPolicy.THREAD)
        await d.resume()
        stop = await d.wait_stop("breakpoint", breakpoint=3)
        assert stop.breakpoints == (3,)
        assert stop.policy is SuspendPolicy.THREAD


async def test_numbers_and_finding(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Shop") as d:
        await d.run_to("total", "shop.Order")
        points = d.session.breakpoints
        await points.add(d.at("sum"))
        await points.add("Order.discount(int)")
        await points.add("Courier:1000")
        line = d.program.line("sum")
        assert points.find(f"shop.Order:{line}") == points.find(f"Order:{line}") == [2]
        assert points.find(f"Order.java:{line}") == points.find(f"src/shop/Order.java:{line}") == [2]
        assert points.find("shop.Order.discount") == points.find("Order.discount(int)") == [3]
        assert points.find("Order.discount(double)") == []
        assert points.find("Courier:1000") == [4]
        assert [point.number for point in points.list()] == [2, 3, 4]
        with pytest.raises(UsageError, match="no breakpoint 9"):
            await points.remove([2, 9])
        await points.remove([2, 2])
        assert [point.number for point in points.list()] == [3, 4]


@pytest.mark.parametrize(
    ("keywords", "message"),
    [({"ignore": -1}, "ignore count -1"), ({"thread": 0}, "no thread 0")],
)
async def test_arguments_that_make_no_sense(any_jvm: Jvm, keywords: dict[str, Any], message: str) -> None:
    async with debug(any_jvm, "Shop") as d:
        with pytest.raises(UsageError, match=message):
            await d.session.breakpoints.add("Order.total", **keywords)
        with pytest.raises(UsageError, match="depends on the selected frame"):
            d.session.breakpoints.find(":3")


async def test_notices_carry_the_number(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Shop") as d:
        await d.session.breakpoints.add("Courier.send")
        await d.resume()
        notice = await d.wait_notice("breakpoint-resolved")
        assert isinstance(notice, Notice)
        assert notice.data == (("breakpoint", 1), ("spec", "shop.Courier.send"))
        await d.wait_stop("breakpoint", breakpoint=1)


async def test_an_instruction(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Stepping") as d:
        point = await d.session.breakpoints.add("Stepping.twice(int)@4")
        await d.resume()
        stop = await d.wait_stop("breakpoint", at="return-twice", breakpoint=point.number)
        assert stop.location is not None and stop.location.code_index == 4 and point.spec == "Stepping.twice(int)@4"
        again = await d.session.breakpoints.add("Stepping.twice(int)")  # another place, and no second one of it
        assert again.number != point.number
        with pytest.raises(UsageError, match="no instruction begins at index 1000 of twice"):
            await d.session.breakpoints.add("Stepping.twice@1000")
        with pytest.raises(UsageError, match="only a method has instructions"):
            await d.session.breakpoints.add("Stepping:20@3")
        await d.session.breakpoints.clear_all()
        await d.resume()
        await d.wait_exit()

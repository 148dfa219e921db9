"""Round-trip budgets of expressions: the first at a stop over a link, and again."""

from __future__ import annotations

import zipfile
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from pathlib import Path

import pytest
import trio

from benchmarks.bench import TARGETS
from benchmarks.rivals.stopped import Place
from jdbpy import EvalError
from tests.benchmarks.counted import RTT, Counted, at, at_look, attached
from tests.harness import Jvm, program, start_target

ORDERS = Place("Orders", "look")


async def test_path(jvm: Jvm) -> None:
    """The static field, then a trip for each link that depends on the one before.

    The class of the next link is looked up beside the value of this one. One more where it was never heard of.
    """
    async with at_look(jvm) as counted:
        values = counted.session.values
        assert await counted.waves(values.evaluate("Data.PATH.of[3].next.number")) <= 5 + 1
        assert await counted.waves(values.evaluate("Data.PATH.of[2].next.number")) <= 5


STRING = 4
"""Trips more where the first string of a session is met: its class with the fields, the array behind it, its length."""

FIRST = {
    "number + more": (1, "85"),
    "served >= 0": (1, "true"),
    "more = 5": (2, "5"),
    "order.customer.address.number": (4 + 1, "7"),
    "FIRST.customer.address.street": (4 + 1, '"Main Street"'),
    "Orders.FIRST.customer.name": (4, '"Ann"'),
    "this.latest.customer.name": (5, '"Ann"'),
    "order.drinks[1].cents": (5, "300"),
    "goods instanceof Drink": (3, "true"),
    "((Drink) goods).cents": (4, "250"),
    "Math.max(number, 3)": (2, "42"),
    "something.toString()": (3, '"text"'),
    "something.length()": (3, "4"),
    "this.till.add(3)": (5, "103"),
    "order.total(5)": (5, "27"),
    "order.total(goods)": (6, "800"),
    "order.customer.where().number": (6, "7"),
    "list.size()": (5, "2"),
    "goods.toString()": (6, '"tea for 250"'),
    '"x" + goods': (6, '"xtea for 250"'),
    "new ArrayList<>(list).size()": (7, "2"),
}
"""Expressions that are the first at a stop, in how many trips each may be answered, and the answer."""


async def test_first_evaluation(jvm: Jvm) -> None:
    """The frame's variables, what the frame's class and names lead to, the links of paths, and calls, one by one.

    The count begins when all that jdbpy reads ahead at the stop has been answered. Paths cost a trip a link, as they do
    again later. A call is one trip behind the class of the object it is called on, what is above that class, which the
    protocol tells level by level, and the text of a string that it gives.
    """

    async def first(counted: Counted, text: str) -> None:
        budget, answer = FIRST[text]
        shown: list[str] = []

        async def evaluate() -> None:
            shown.append((await counted.session.values.evaluate(text)).text)

        trips = await counted.waves(evaluate())
        budget += STRING if answer.startswith('"') or "something" in text else 0
        assert (text, shown, trips) == (text, [answer], min(trips, budget))

    await at_first_stops(jvm, FIRST, first)


async def at_first_stops(
    jvm: Jvm,
    texts: Iterable[str],
    check: Callable[[Counted, str], Awaitable[None]],
    *,
    each: int = 7,
    calls_in_turn: bool = False,
) -> None:
    """Check each text in a session of its own, stopped for the first time.

    So many on ``each`` target, in order, and the targets beside each other, since the link takes the time.
    """

    async def on_a_target(texts: tuple[str, ...]) -> None:
        async with start_target(jvm, program(ORDERS.program, where=TARGETS), suspend=False) as target:
            await target.wait_output("ready")
            for number, text in enumerate(texts, 1):
                await target.wait_listening(number)
                async with attached(target, 2 * RTT, calls_in_turn=calls_in_turn) as counted:
                    await counted.stop_at(ORDERS)
                    await check(counted, text)

    every = tuple(texts)
    async with trio.open_nursery() as nursery:
        for start in range(0, len(every), each):
            nursery.start_soon(on_a_target, every[start : start + each])


AGAIN = {
    "list.get(0)": (7, 2),
    "List.of(number, more)": (8, 6),
    'Map.of("a", 1, "b", 2)': (9, 8),
    "Arrays.asList(number, more, 7)": (10, 8),
    'String.format("%d", number)': (9, 7),
    'new StringBuilder("x").append(number)': (10, 7),
    "list[? it.price() > 200]": (10, 5),
}
"""Calls with arguments that have to be made, in how many trips they may be answered at first, and again."""


async def test_calls(jvm: Jvm) -> None:
    """Strings, then boxes and interned literals; an array beside them, and its elements; the call; what it gives.

    Boxes may be one more on a busy machine, as above. Names of types are looked for again when something has run, since
    a class may have been loaded that hides what they meant; the frame keeps its variables. A filter that calls a method
    is a trip for each element: the calls are the program's, and run in order, each after the other has ended.
    """

    async def cold_and_again(counted: Counted, text: str) -> None:
        cold, again = AGAIN[text]
        cold, again = (cold + STRING, again + 2) if '"' in text else (cold, again)
        evaluate = partial(counted.session.values.evaluate, text)
        trips = await counted.waves(evaluate()), await counted.fewest(evaluate, again, 3)
        assert (text, *trips) == (text, min(trips[0], cold + 1), min(trips[1], again))

    await at_first_stops(jvm, AGAIN, cold_and_again, each=3, calls_in_turn=True)


async def test_imports_of_a_file_that_is_far_away(jvm: Jvm, tmp_path: Path) -> None:
    """What the class came from is looked at when a name is unknown, and not before."""
    archive = tmp_path / "orders-sources.jar"
    with zipfile.ZipFile(archive, "w") as jar:
        jar.writestr("Orders.java", "import static java.lang.Math.floorMod;\nclass Orders {}\n")
    (tmp_path / "empty").mkdir()
    asked: list[str] = []

    async def beside(class_name: str) -> tuple[str, ...]:
        asked.append(class_name)
        return (str(archive),)

    async with at(ORDERS, jvm, 2 * RTT) as counted:
        session = counted.session
        session.sources.path = (str(tmp_path / "empty"),)
        session.sources._find_beside_class = beside
        assert (await session.values.evaluate("number + 1")).text == "43"
        assert (await session.values.evaluate("Math.floorMod(number, 5)")).text == "2"
        assert asked == []
        assert (await session.values.evaluate("floorMod(number, 5)")).text == "2"
        assert asked == ["Orders"]
        with pytest.raises(EvalError, match="cannot find symbol"):
            await session.values.evaluate("frobnicate(number)")
        assert asked == ["Orders"]

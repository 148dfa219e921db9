"""The driver of side-by-side readings, and the walk through linked structures. Pure: no target."""

from __future__ import annotations

import pytest

from jdbpy.session.jvm.reading import Drive, SingleFlight, ask, drive, gather, read_both, start
from jdbpy.session.values.shown import UnknownLayout
from jdbpy.session.values.walk import KnownEntry, Plan, Unread, first_in_order


class Oracle:
    """Answers a question with itself, doubled; keeps what was asked together."""

    def __init__(self) -> None:
        self.waves: list[list[object]] = []

    async def __call__(self, questions: list[int]) -> list[object]:
        self.waves.append(list(questions))
        return [ValueError(question) if question < 0 else question * 2 for question in questions]


async def double(number: int) -> int:
    return int(await ask(number))


async def quadruple(number: int) -> int:
    return await double(await double(number))


async def test_what_is_asked_at_one_moment_is_answered_together() -> None:
    oracle = Oracle()
    assert await drive(gather([double(n) for n in range(5)]), oracle) == [0, 2, 4, 6, 8]
    assert oracle.waves == [[0, 1, 2, 3, 4]]


async def test_waves_count_the_longest_chain() -> None:
    oracle = Oracle()
    assert await drive(read_both(quadruple(1), gather([double(5), quadruple(7)])), oracle) == (4, [10, 28])
    assert oracle.waves == [[1, 5, 7], [2, 14]]


async def test_nothing_asked_costs_no_wave() -> None:
    oracle = Oracle()

    async def silent() -> list[int]:
        return await gather([])

    assert await drive(gather([silent(), silent()]), oracle) == [[], []]
    assert oracle.waves == []


async def test_an_error_is_raised_where_it_was_asked_and_where_it_was_gathered() -> None:
    oracle = Oracle()

    async def forgiving(number: int) -> int:
        try:
            return await double(number)
        except ValueError:
            return 0

    assert await drive(gather([forgiving(-1), forgiving(3)]), oracle) == [0, 6]

    async def parent() -> str:
        try:
            await gather([double(-1), quadruple(2)])
        except ValueError as error:
            return f"caught {error}"
        return "nothing"

    assert await drive(parent(), oracle) == "caught -1"
    assert oracle.waves[-1] == [4], "the sibling ran to its end"
    with pytest.raises(ValueError, match="-9"):
        await drive(double(-9), oracle)


async def test_an_error_of_the_answer_ends_all_readings() -> None:
    ended = []

    async def reading() -> None:
        try:
            await ask(1)
        finally:
            ended.append(True)

    async def broken(questions: list[int]) -> list[object]:
        raise ConnectionError("gone")

    with pytest.raises(ConnectionError, match="gone"):
        await drive(gather([reading(), reading()]), broken)
    assert ended == [True, True]


# Walking


async def test_a_reading_that_was_started_is_not_waited_for_and_ends_with_the_drive() -> None:
    oracle, ended = Oracle(), []

    async def branch(number: int) -> None:
        ended.append(await quadruple(number))
        if number < 3:
            await start(branch(number + 1))

    async def main() -> str:
        await start(branch(2))
        await double(9)
        return f"ended before: {ended}"

    assert await drive(main(), oracle) == "ended before: []"
    assert (ended, oracle.waves) == ([8, 12], [[9, 2], [4], [3], [6]])

    async def failing() -> None:
        await start(double(-1))

    with pytest.raises(ValueError, match="-1"):
        await drive(failing(), oracle)


async def test_what_several_ask_for_is_read_once() -> None:
    oracle, flight = Oracle(), SingleFlight()

    async def asker(number: int, first: int = 0) -> int:
        if first:
            await double(first)
        return await flight.read(number, lambda: quadruple(number))

    readings = gather([asker(1), asker(1), asker(2), asker(1, first=7), asker(2, first=5)])
    assert await drive(readings, oracle) == [4, 4, 8, 4, 8]
    assert oracle.waves == [[7, 5, 1, 2], [2, 4]], "one that comes later waits for what is under way"
    assert Drive(flight.read(1, lambda: quadruple(1))).result() == 4, "what has ended is not asked again"

    async def caught(number: int) -> str:
        try:
            return str(await flight.read(number, lambda: double(number)))
        except ValueError as error:
            return f"error {error}"

    assert await drive(gather([caught(-5), caught(-5)]), oracle) == ["error -5"] * 2


class Chains:
    """Numbered nodes, each with an entry and a next node; counts rounds."""

    def __init__(self, nodes: dict[int, tuple[str, int]]) -> None:
        self.nodes = nodes
        self.rounds: list[list[int]] = []

    async def expand(self, places: list[int]) -> list[Plan[str]]:
        self.rounds.append(places)
        plans: list[Plan[str]] = []
        for place in places:
            entry, following = self.nodes[place]
            plans.append([KnownEntry(entry), Unread(following)] if following else [KnownEntry(entry)])
        return plans


async def test_chains_are_read_side_by_side_and_kept_in_order() -> None:
    chains = Chains({1: ("a", 2), 2: ("b", 0), 3: ("c", 0), 4: ("d", 5), 5: ("e", 0)})
    plan: Plan[str] = [Unread(1), Unread(3), Unread(4)]
    assert await first_in_order(plan, chains.expand, 10) == ["a", "b", "c", "d", "e"]
    assert chains.rounds == [[1, 3, 4], [2, 5]]


async def test_no_more_is_read_than_can_be_shown() -> None:
    chains = Chains({1: ("a", 2), 2: ("b", 3), 3: ("c", 0), 9: ("z", 0)})
    assert await first_in_order([Unread(1), Unread(9)], chains.expand, 2) == ["a", "b"]
    assert chains.rounds == [[1, 9], [2]]
    assert await first_in_order([Unread(1)], chains.expand, 0) == []


async def test_a_circle_ends() -> None:
    async def expand(places: list[int]) -> list[Plan[str]]:
        return [[Unread(1, least=0)] for _ in places]

    with pytest.raises(UnknownLayout, match="circles"):
        await first_in_order([Unread(1, least=0)], expand, 1)


async def test_a_chain_of_many_nodes_is_no_circle() -> None:
    """Its end may be further away than the rounds that a structure in circles is given."""

    async def expand(places: list[int]) -> list[Plan[int]]:
        return [[KnownEntry(place), Unread(place + 1)] if place < 12_000 else [KnownEntry(place)] for place in places]

    assert await first_in_order([Unread(1)], expand, 11_000) == list(range(1, 11_001))
    assert await first_in_order([Unread(1)], expand, 20_000) == list(range(1, 12_001))

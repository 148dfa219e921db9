"""Conditions that only read, at a place that several threads pass: each kind, evaluated where its answers come in."""

from __future__ import annotations

import pytest

import jdbpy
from tests.harness import LIMIT, Jvm, debug, program, within

pytestmark = pytest.mark.one_java

THREADS, ROUNDS = 4, 25
HITS = THREADS * ROUNDS

READERS = program("Readers")

FALSE = [
    "reader == null",
    "this != reader",
    "reader.next != reader",
    "number < 0",
    "reader.next.next.number == -1 || reader.any == null",
    "total < 0",
    "reader.numbers.length == 4 || reader.numbers[round % 3] == 9",
    'reader.name.equals("nobody") || name.length() == 3',
    "reader.any instanceof String",
    "reader.number == -1 && reader.next.number == -2",
    "reader.number + next.number == -1",
]


@pytest.mark.parametrize("condition", FALSE)
async def test_one_that_is_false_is_passed_without_a_task(jvm: Jvm, condition: str) -> None:
    with within(LIMIT):
        async with debug(jvm, "Readers") as d:
            point = await d.session.breakpoints.add(READERS.at("look"), condition=condition)
            await d.resume()
            await d.wait_exit()
            await d.target.wait_output(f"done {HITS}")
            shown = d.session.breakpoints.get(point.number)
            assert (shown.hits, shown.failures) == (0, 0)
            assert d.session._dispatcher.fast_hits.let_go > HITS * 3 // 4, (
                "the first hits of the threads are the dispatcher's"
            )


@pytest.mark.parametrize("policy", [jdbpy.SuspendPolicy.THREAD, jdbpy.SuspendPolicy.ALL])
async def test_one_that_is_true_once_stops_once(jvm: Jvm, policy: jdbpy.SuspendPolicy) -> None:
    condition = 'round == 20 && reader.next.number == 2 && reader.name.endsWith("-2") && reader.numbers[2] == 3'
    with within(LIMIT):
        async with debug(jvm, "Readers") as d:
            await d.session.breakpoints.add(READERS.at("look"), condition=condition, policy=policy)
            await d.resume()
            stop = await d.wait_stop("breakpoint", at="look", thread="reader-2")
            assert stop.thread is not None
            await d.session.select_thread(stop.thread.id)
            assert (await d.session.values.evaluate("round")).text == "20"
            await d.resume()
            await d.wait_exit()


async def test_what_takes_more_than_reading_is_left_to_the_dispatcher(any_jvm: Jvm) -> None:
    """Methods are run, and what throws is told: nothing of that is begun where answers come in."""
    with within(LIMIT):
        async with debug(any_jvm, "Readers") as d:
            await d.session.breakpoints.add(READERS.at("look"), condition="reader.toString() == null")
            await d.session.breakpoints.add(READERS.at("look"), condition="round == 24 && reader.numbers[round] == 0")
            await d.resume()
            stop = await d.wait_stop("breakpoint", at="look")
            assert "ArrayIndexOutOfBoundsException" in stop.message
            d.unseen()
            await d.session.breakpoints.remove([1, 2])
            await d.resume()
            await d.wait_exit()

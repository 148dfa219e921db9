"""The harness's sessions: stops are checked in one call, and nothing that happened goes unseen."""

from __future__ import annotations

import pytest

from tests.harness import Jvm, debug


async def test_a_stop_is_checked_in_one_call(jvm: Jvm) -> None:
    async with debug(jvm, "Hello", "Ada") as d:
        number = (await d.session.breakpoints.add(d.at("greeting"))).number
        await d.resume()
        await d.wait_stop(
            "breakpoint", at="greeting", thread="main", frames=["Hello.greeting", "Hello.main"], breakpoint=number
        )
        await d.resume()
        await d.target.send()
        await d.wait_exit()


async def test_a_stop_that_a_call_returned_can_be_checked(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Hello", "Ada") as d:
        await d.session.breakpoints.add(d.at("greeting"))
        await d.check_stop(await d.session.execution.cont(), "breakpoint", at="greeting")


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"at": "count"}, r"'place': 'Hello\.java:\d+'\}, it should be .*'place': 'Hello\.java:\d+'"),
        ({"thread": "worker"}, "'thread': 'main'}, it should be .*'thread': 'worker'"),
        ({"frames": ["Hello.main"]}, r"\['Hello\.greeting'\]\}, it should be .*\['Hello\.main'\]"),
        ({"breakpoint": 7}, "'breakpoint': 1}, it should be .*'breakpoint': 7"),
    ],
)
async def test_a_stop_that_is_not_as_expected_fails(any_jvm: Jvm, wrong: dict[str, object], told: str) -> None:
    async with debug(any_jvm, "Hello", "Ada") as d:
        await d.session.breakpoints.add(d.at("greeting"))
        await d.resume()
        with pytest.raises(AssertionError, match=told):
            await d.wait_stop("breakpoint", **wrong)  # type: ignore[arg-type]


async def test_a_stop_that_nobody_looked_at_fails(any_jvm: Jvm) -> None:
    with pytest.raises(AssertionError, match="events that the test did not look at"):
        async with debug(any_jvm, "Hello", "Ada") as d:
            await d.session.breakpoints.add(d.at("greeting"))
            await d.session.execution.cont()


async def test_an_end_instead_of_a_stop_fails_with_the_output(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Hello") as d:
        await d.resume()
        await d.target.send()
        with pytest.raises(AssertionError, match=r"(?s)expected a stop.*done 0"):
            await d.wait_stop("breakpoint")

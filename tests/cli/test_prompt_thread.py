"""The crossing between trio and asyncio: results, errors, and that nothing is ever abandoned."""

from __future__ import annotations

import asyncio
import threading
from functools import partial

import pytest
import trio

from jdbpy.cli.repl.prompt_thread import open_prompt_thread
from tests.harness import LIMIT, within


async def test_results_and_errors_cross() -> None:
    async def add(first: int, second: int) -> tuple[int, int]:
        await asyncio.sleep(0)
        return first + second, threading.get_ident()

    async def fail() -> None:
        raise EOFError

    with within(LIMIT):
        async with open_prompt_thread() as thread:
            total, where = await thread.run(lambda: add(1, 2), wake=lambda: None)
            assert total == 3
            assert where != threading.get_ident()
            with pytest.raises(EOFError):
                await thread.run(fail, wake=lambda: None)


async def test_whoever_stops_waiting_waits_for_the_cleaning_up() -> None:
    order: list[str] = []
    inside = trio.Event()

    async with open_prompt_thread() as thread:
        leave = asyncio.Event()

        async def prompt() -> None:
            thread.notify(inside.set)
            try:
                await leave.wait()
            finally:
                await asyncio.sleep(0)
                order.append("terminal restored")

        async def wait() -> None:
            try:
                await thread.run(prompt, wake=leave.set)
            finally:
                order.append("waiter went on")

        with within(LIMIT):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(wait)
                await inside.wait()
                nursery.cancel_scope.cancel()
    assert order == ["terminal restored", "waiter went on"]


async def test_waking_may_come_before_the_coroutine_has_begun() -> None:
    woken: list[bool] = []

    async def prompt() -> str:
        return "begun after the waking" if woken else "begun before"

    async with open_prompt_thread() as thread:
        with trio.CancelScope() as scope, within(LIMIT):
            scope.cancel()
            await thread.run(prompt, wake=lambda: woken.append(True))
    assert scope.cancelled_caught
    assert woken == [True]


async def test_posts_run_in_order_and_notices_come_back() -> None:
    seen: list[int] = []
    done = trio.Event()
    with within(LIMIT):
        async with open_prompt_thread() as thread:
            for number in range(100):
                thread.post(partial(seen.append, number))
            thread.post(lambda: thread.notify(done.set))
            await done.wait()
    assert seen == list(range(100))


async def test_the_thread_ends_with_its_block() -> None:
    before = set(threading.enumerate())
    with within(LIMIT):
        async with open_prompt_thread() as thread:
            pass
    with pytest.raises(RuntimeError, match="closed"):
        thread.post(lambda: None)
    assert not [thread for thread in set(threading.enumerate()) - before if not thread.name.startswith("Trio thread")]

"""Points that are removed, disabled or cancelled while they are being set: nothing of them stays behind."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
import trio

from jdbpy import PointOptions, Session, SuspendPolicy
from tests.harness import Jvm, debug, inline

BANK = inline("""
class Bank {
    public static void main(String[] args) {
        pay(1);
    }
    static int balance;
    static void pay(int amount) { balance += amount; }
}
""")
RESUME = SuspendPolicy.NONE

Setting = Callable[[Session], Awaitable[Any]]
SETTINGS: dict[str, Setting] = {
    "breakpoint": lambda session: session.breakpoints.add("Bank.pay"),
    "deferred breakpoint": lambda session: session.breakpoints.add("Unknown.pay"),
    "trace": lambda session: session.traces.methods(options=PointOptions(policy=RESUME, classes=("Bank",))),
    "watchpoint": lambda session: session.watchpoints.add("Bank.balance"),
    "catchpoint": lambda session: session.catchpoints.exception("IllegalStateException"),
}


async def remove(session: Session, number: int) -> None:
    await session.points.remove([number])


async def toggle(session: Session, number: int) -> None:
    await session.points.disable([number])
    await session.points.enable([number])
    await session.points.remove([number])


def requests(session: Session) -> int:
    return len(session._target.requests.all_active())


async def settled(session: Session) -> int:
    """The requests that are set when the target has answered all that was sent so far."""
    await session.classes.list("Bank")
    return requests(session)


@pytest.mark.parametrize("change", [remove, toggle])
@pytest.mark.parametrize("kind", list(SETTINGS))
async def test_what_is_removed_while_it_is_set(any_jvm: Jvm, kind: str, change: Any) -> None:
    async with debug(any_jvm, BANK) as d:
        before = requests(d.session)

        async def change_after(turns: int) -> None:
            while not (points := d.session.points.list()):
                await trio.lowlevel.checkpoint()
            for _ in range(turns):
                await trio.lowlevel.checkpoint()
            await change(d.session, points[0].number)

        for turns in range(12):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(change_after, turns)
                await SETTINGS[kind](d.session)
            assert d.session.points.list() == []
            assert await settled(d.session) == before
        await d.resume()
        await d.wait_exit()


@pytest.mark.parametrize("kind", list(SETTINGS))
async def test_what_is_cancelled_while_it_is_set(any_jvm: Jvm, kind: str) -> None:
    async with debug(any_jvm, BANK) as d:
        before = requests(d.session)
        for turns in range(0, 40, 2):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(SETTINGS[kind], d.session)
                for _ in range(turns):
                    await trio.lowlevel.checkpoint()
                nursery.cancel_scope.cancel()
            await d.session.points.remove([point.number for point in d.session.points.list()])
            assert await settled(d.session) == before
        await d.resume()
        await d.wait_exit()

"""Breakpoints and traces are not set while their class is redefined, and no class is redefined while one is set."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from jdbpy import BreakpointInfo, PointOptions, SuspendPolicy
from jdbpy.session.jvm.code_guard import CodeGuard
from jdbpy.wire.command import Command
from jdbpy.wire.ids import ObjectID, ReferenceTypeID
from jdbpy.wire.messages import virtual_machine
from tests.harness import LIMIT, Debugging, Jvm, debug, within

pytestmark = pytest.mark.one_java

ONE, OTHER = ReferenceTypeID(ObjectID(7)), ReferenceTypeID(ObjectID(8))

TRIPS = 40
"""More than setting anything takes."""

Setting = Callable[[Debugging], Awaitable[BreakpointInfo]]


async def a_logpoint(d: Debugging) -> BreakpointInfo:
    return await d.session.breakpoints.add(d.at("returned", "Kettle"), log="{i}")


async def a_logpoint_that_is_off(d: Debugging) -> BreakpointInfo:
    """Found and checked, but not in the target until it is switched on."""
    point = await d.session.breakpoints.add(d.at("returned", "Kettle"), log="{i}", enabled=False, tried=True)
    await d.session.breakpoints.enable([point.number])
    return point


async def a_trace(d: Debugging) -> BreakpointInfo:
    options = PointOptions(policy=SuspendPolicy.THREAD, log="{i}")
    return await d.session.traces.methods(method="Kettle.passed", entries=False, options=options)


class HeldChange:
    """Holds back the reply to the next RedefineClasses: the target runs new code, the session knows old places."""

    def __init__(self, d: Debugging, monkeypatch: pytest.MonkeyPatch) -> None:
        self.done, self.told = trio.Event(), trio.Event()
        conn = d.session._target.conn
        request = conn.request

        async def held(command: Command[Any], *arguments: Any, **named: Any) -> Any:
            reply = await request(command, *arguments, **named)
            if isinstance(command, virtual_machine.RedefineClasses) and not self.done.is_set():
                self.done.set()
                await self.told.wait()
            return reply

        monkeypatch.setattr(conn, "request", held)


async def passed(d: Debugging, times: int, turn: int) -> None:
    """Let the target execute the line that many times."""
    await d.target.send(f"loop {times} {turn}")
    await d.target.wait_output(f"done loop {times} {turn} ")


async def is_in_target(d: Debugging, number: int) -> None:
    turn = 0
    while not d.session.breakpoints.get(number).in_target:
        turn += 1
        await passed(d, 3, -turn)


@pytest.mark.parametrize("setting", [a_logpoint, a_logpoint_that_is_off, a_trace])
@pytest.mark.parametrize("comes", [True, False], ids=["put-in", "taken-out"])
async def test_a_place_is_not_set_by_the_code_of_before(
    jvm: Jvm, setting: Setting, comes: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the new code the old index may lie within an instruction, or behind the end."""
    with within(LIMIT):
        async with debug(jvm, "Heated", suspend=False) as d:
            d.ignored.add("logpoint")
            await passed(d, 1, 0)  # the class is loaded
            place, policy = d.at("passed", "Kettle"), SuspendPolicy.THREAD
            check = await d.session.breakpoints.add(place, policy=policy, condition="i < 0", woven=True)
            if not comes:
                await is_in_target(d, check.number)
            change, found = HeldChange(d, monkeypatch), list[BreakpointInfo]()

            async def set_it() -> None:
                found.append(await setting(d))

            async with trio.open_nursery() as nursery:
                if comes:
                    nursery.start_soon(is_in_target, d, check.number)
                else:
                    nursery.start_soon(d.session.breakpoints.remove, [check.number])
                await change.done.wait()
                nursery.start_soon(set_it)
                for _ in range(TRIPS):
                    await d.session._target.conn.request(virtual_machine.IDSizes())
                assert not found
                change.told.set()
            [point] = found
            before = d.session.points.get(point.number).hits
            await passed(d, 5, 1)
            shown = d.session.points.get(point.number)
            assert (shown.hits - before, shown.failures) == (5, 0), shown


async def test_who_relies_on_code_and_who_replaces_it_take_turns() -> None:
    guard, order = CodeGuard(), list[str]()
    go = {name: trio.Event() for name in ("first", "second", "replacing", "third")}

    async def relies(name: str) -> None:
        async with guard.unchanged():
            order.append(name)
            await go[name].wait()

    async def replaces() -> None:
        async with guard.replacing([ONE]):
            order.append("replacing")
            await go["replacing"].wait()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(relies, "first")
        nursery.start_soon(relies, "second")
        await wait_all_tasks_blocked()
        assert sorted(order) == ["first", "second"]
        nursery.start_soon(replaces)
        await wait_all_tasks_blocked()
        nursery.start_soon(relies, "third")  # new readers could keep a redefinition waiting forever
        go["first"].set()
        await wait_all_tasks_blocked()
        assert len(order) == 2
        assert not guard.is_replaced(ONE)
        go["second"].set()
        await wait_all_tasks_blocked()
        assert order[2:] == ["replacing"]
        assert (guard.is_replaced(ONE), guard.is_replaced(OTHER)) == (True, False)
        go["replacing"].set()
        await wait_all_tasks_blocked()
        assert order[3:] == ["third"]
        go["third"].set()


async def test_who_replaces_code_may_rely_on_it_and_so_may_tasks_that_it_starts() -> None:
    guard, order = CodeGuard(), list[str]()
    over = trio.Event()

    async def relies(name: str) -> None:
        async with guard.unchanged():
            order.append(name)

    async def later() -> None:
        await over.wait()
        await relies("later")

    async with trio.open_nursery() as nursery:
        async with guard.replacing([ONE]):
            nursery.start_soon(later)
            async with guard.replacing([ONE]), guard.unchanged(), trio.open_nursery() as inner:
                inner.start_soon(relies, "child")
            assert not guard.is_replaced(ONE), "for the task itself"
        async with CodeGuard().unchanged(), guard.replacing([ONE]):
            over.set()
            await wait_all_tasks_blocked()
            assert order == ["child"], "the section in which the task was started is over"
    assert order == ["child", "later"]


async def test_a_change_that_is_given_up_while_it_waits_keeps_nobody_waiting() -> None:
    guard, order = CodeGuard(), list[str]()

    async def replaces(scope: trio.CancelScope) -> None:
        with scope:
            async with guard.replacing([ONE]):
                order.append("replaced")

    async def relies() -> None:
        async with guard.unchanged():
            order.append("relied")

    async def holds(over: trio.Event) -> None:
        async with guard.unchanged():
            await over.wait()

    scope, over = trio.CancelScope(), trio.Event()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(holds, over)
        await wait_all_tasks_blocked()
        nursery.start_soon(replaces, scope)
        await wait_all_tasks_blocked()
        nursery.start_soon(relies)
        await wait_all_tasks_blocked()
        assert not order
        scope.cancel()
        await wait_all_tasks_blocked()
        assert order == ["relied"]
        over.set()
    with pytest.raises(AssertionError, match="is to be replaced by what relies on it"):
        async with guard.unchanged(), guard.replacing([ONE]):
            order.append("both")
    assert order == ["relied"]

"""Breakpoints where they meet other parts: conditions, the selected frame, redefinition, cancellation, remoteness."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pytest
import trio

from jdbpy.errors import EvalError, JdbpyError, UsageError
from jdbpy.session.breakpoints.breakpoint_table import BreakpointTable
from jdbpy.session.breakpoints.line_breakpoints import LineBreakpoints
from jdbpy.session.events.conditions import NOTHING, Condition, FastCondition, Given
from jdbpy.session.events.target import Target
from jdbpy.session.model.breakpoints import SuspendPolicy
from jdbpy.session.model.events import Stopped
from jdbpy.session.model.threads import FrameInfo, Location
from jdbpy.wire.ids import CodeLocation, ReferenceTypeID
from jdbpy.wire.messages import virtual_machine
from tests.harness import Debugging, Jvm, debug

pytestmark = pytest.mark.one_java


def target_of(d: Debugging) -> Target:
    return d.session._target


class Verdicts:
    """A condition that gives prepared answers; an exception among them is raised."""

    def __init__(self, *answers: bool | EvalError) -> None:
        self.answers = list(answers)
        self.threads: list[int] = []

    async def holds(self, thread_id: int, given: Given = NOTHING, at: CodeLocation | None = None) -> bool:
        self.threads.append(thread_id)
        answer = self.answers.pop(0)
        if isinstance(answer, EvalError):
            raise answer
        return answer

    async def check(self, place: Location, names: Iterable[str] = ()) -> EvalError | None:
        return None

    async def prepare(self, at: CodeLocation, place: Location) -> None:
        """No class is redefined here."""

    def forget_code(self) -> None:
        """No class is redefined here."""

    def fast_condition(self, place: CodeLocation) -> FastCondition | None:
        return None

    def was_read(self, thread_id: int, epoch: int, answers: Sequence[Any], *, holds: bool) -> None:
        raise AssertionError("nobody has read it")

    def has_run(self, thread_id: int, calls: Sequence[Any], error: JdbpyError | None) -> None:
        raise AssertionError("nobody has run anything")


async def test_a_condition_is_compiled_when_set_and_asked_at_each_hit(any_jvm: Jvm) -> None:
    verdicts = Verdicts(False, True, True)

    def compile_condition(text: str) -> Condition:
        if "(" in text:
            raise EvalError("')' is missing", 3)
        return verdicts

    async with debug(any_jvm, "Shop") as d:
        points = LineBreakpoints(target_of(d), BreakpointTable(target_of(d), compile_condition))
        with pytest.raises(EvalError, match="is missing"):
            await points.add(d.at("body"), condition="f(x")
        point = await points.add(d.at("body"), condition=" i == 1 ")
        assert point.condition == "i == 1"
        await d.resume()
        stop = await d.wait_stop("breakpoint", at="body")
        assert stop.thread is not None
        assert verdicts.threads == [stop.thread.id] * 2
        assert points.get(point.number).hits == 1
        await points.set_condition(point.number, "")
        await d.resume()
        stop = await d.wait_stop("breakpoint", at="body")
        assert (stop.message, verdicts.answers) == ("", [True])


async def test_an_ignore_count_counts_hits_whose_condition_holds(any_jvm: Jvm) -> None:
    verdicts = Verdicts(True, False, False, True)
    async with debug(any_jvm, "Shop") as d:
        points = LineBreakpoints(target_of(d), BreakpointTable(target_of(d), lambda text: verdicts))
        await points.add(d.at("body"), condition="odd(i)", ignore=1)
        await d.resume()
        await d.wait_stop("breakpoint", at="body")
        assert verdicts.answers == []


async def test_places_of_the_selected_frame(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Shop") as d:
        stop = await d.run_to("total")

        async def selected() -> FrameInfo:
            assert stop.frame is not None
            return stop.frame

        points = LineBreakpoints(target_of(d), BreakpointTable(target_of(d)), selected)
        here, there = d.program.line("total"), d.program.line("sum")
        bare = await points.add(str(there))
        assert bare.spec == f"shop/Order.java:{there}"
        assert [each.line for each in bare.resolved] == [there]
        assert (await points.add(f"+{there - here}")).resolved == bare.resolved
        assert [each.signature for each in (await points.add("discount(int)")).resolved] == ["(I)J"]
        with pytest.raises(UsageError, match="no line -999"):
            await points.add("-999")
        with pytest.raises(UsageError, match="no frame is selected"):
            await LineBreakpoints(target_of(d), BreakpointTable(target_of(d))).add("+1")


async def test_breakpoints_come_back_in_redefined_classes(jvm: Jvm) -> None:
    async with debug(jvm, "Shop") as d:
        point = await d.session.breakpoints.add(d.at("sum"))
        await d.resume()
        await d.wait_stop("breakpoint", at="sum")
        [order] = await d.session.classes.find("shop.Order")
        code = await trio.Path(d.program.classes, "shop", "Order.class").read_bytes()
        target = target_of(d)
        definition = virtual_machine.ClassDef(ReferenceTypeID(order.id), code)
        await target.conn.request(virtual_machine.RedefineClasses([definition]))
        target.types.invalidate([ReferenceTypeID(order.id)])
        await d.session.breakpoints.reinstall([order.id])
        assert len(d.session.breakpoints.get(point.number).resolved) == 1
        await d.resume()
        await d.wait_stop("breakpoint", at="sum")


async def test_a_cancelled_add_leaves_nothing_behind(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Shop") as d:
        target = target_of(d)
        before = target.requests.all_active()

        async def cancel_after(trips: int, scope: trio.CancelScope) -> None:
            for _ in range(trips):
                await target.conn.request(virtual_machine.IDSizes())
            scope.cancel()

        for trips in range(6):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(cancel_after, trips, nursery.cancel_scope)
                await d.session.breakpoints.add("java.lang.String.isEmpty")
            await d.session.breakpoints.clear_all()
            await target.conn.request(virtual_machine.IDSizes())
            assert target.requests.all_active() == before
            assert d.session.breakpoints.list() == []


async def test_one_that_is_removed_while_it_is_set_leaves_nothing_behind(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Shop") as d:
        target, points = target_of(d), d.session.breakpoints
        before = target.requests.all_active()
        target.conn.recall = None  # each question is to take its trip

        async def remove_after(trips: int, numbers: list[int]) -> None:
            for _ in range(trips):
                await target.conn.request(virtual_machine.IDSizes())
            await points.remove(numbers)

        for trips in range(1, 7):
            first = await points.add("java.lang.String.isEmpty")
            later = await points.add("java.lang.String.isBlank", after=first.number)
            await points.disable([first.number])
            async with trio.open_nursery() as nursery:
                nursery.start_soon(points.enable, [first.number])
                nursery.start_soon(remove_after, trips, [first.number, later.number])
            await target.conn.request(virtual_machine.IDSizes())
            assert target.requests.all_active() == before
            assert points.list() == []


async def test_on_a_remote_target_only_the_thread_that_hits_is_held(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Shop") as d:
        assert (await d.session.breakpoints.add("Order.pay")).policy is SuspendPolicy.ALL
        target_of(d).tunnel = "ssh (process 1)"
        assert (await d.session.breakpoints.add("Order.pay")).policy is SuspendPolicy.THREAD
        chosen = await d.session.breakpoints.add("Order.title", policy=SuspendPolicy.ALL)
        assert chosen.policy is SuspendPolicy.ALL
        await d.resume()
        stop: Stopped = await d.wait_stop("breakpoint", breakpoint=chosen.number)
        assert stop.policy is SuspendPolicy.ALL

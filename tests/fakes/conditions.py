"""A condition that a fake target answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from jdbpy.errors import EvalError, JdbpyError
from jdbpy.session.events.conditions import NOTHING, Condition, ConditionEvaluation, FastCondition, Given, MethodCall
from jdbpy.session.events.hit_rates import HitLoad
from jdbpy.session.model.threads import Location
from jdbpy.wire.command import Command
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import CodeLocation, FrameID, ThreadID
from jdbpy.wire.messages import stack_frame
from tests.fakes.stage import PLACE


class Told:
    """An evaluation that is over."""

    asks: Sequence[Command[Any]] = ()
    call: MethodCall | None = None
    calls: Sequence[Any] = ()

    def __init__(self, holds: bool) -> None:
        self.holds = holds

    def answer(self, outcomes: Sequence[Any]) -> None:
        raise AssertionError("it asks for nothing")

    def close(self) -> None:
        return


class IsOne:
    """``n == 1``, of a variable in slot 0. It plays the parts of a point, its condition, and the fast condition."""

    def __init__(self) -> None:
        self.condition: Condition | None = self
        self.load = HitLoad()
        self.passes = self.look_after = 0
        self.number = 1
        self.suspends_all = False
        self.holds_there: bool | None = None
        self.told: list[tuple[int, int | None]] = []
        self.run: list[tuple[list[Any], JdbpyError | None]] = []
        self.evaluations: list[ConditionEvaluation] = []  # to be used in their order; then those that are over at once

    async def holds(self, thread_id: int, given: Given = NOTHING, at: CodeLocation | None = None) -> bool:
        raise AssertionError("the handlers of these tests do not ask")

    async def check(self, place: Location, names: Iterable[str] = ()) -> EvalError | None:
        return None

    async def prepare(self, at: CodeLocation, place: Location) -> None:
        """No class is redefined here."""

    def forget_code(self) -> None:
        """No class is redefined here."""

    def fast_condition(self, place: CodeLocation) -> FastCondition | None:
        return self if place == PLACE else None

    def was_read(self, thread_id: int, epoch: int, answers: Sequence[Any], *, holds: bool) -> None:
        self.holds_there = holds
        self.told.append((thread_id, answers[1].values[0].value if answers else None))

    def has_run(self, thread_id: int, calls: Sequence[Any], error: JdbpyError | None) -> None:
        self.run.append((list(calls), error))

    def commands(self, thread: ThreadID, frame: FrameID) -> list[Command[Any]]:
        return [stack_frame.GetValues(thread, frame, [stack_frame.SlotInfo(0, Tag.INT)])]

    def begin(self, answers: Sequence[Any], thread: int) -> ConditionEvaluation:
        return self.evaluations.pop(0) if self.evaluations else Told(bool(answers[0].values[0].value == 1))

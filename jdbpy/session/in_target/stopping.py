"""Threads that have stopped, or may be about to, while the code of a class is changed.

Owns what is known of them without running anything: who is held, who steps, who is in a check that the target computes,
who stands where a hit may become a stop, and which of these hits pass because their condition is false.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from jdbpy.session.breakpoints.breakpoint_base import BreakpointBase
from jdbpy.session.breakpoints.breakpoint_table import BreakpointTable
from jdbpy.session.breakpoints.line_breakpoint import LineBreakpoint
from jdbpy.session.breakpoints.methods import MethodTrace
from jdbpy.session.events.clients import Steps
from jdbpy.session.events.conditions import ConditionEvaluation, FastCondition
from jdbpy.session.events.target import Target
from jdbpy.wire.ids import CodeLocation, ReferenceTypeID, ThreadID
from jdbpy.wire.messages.thread_reference import Frame

Stack = tuple[ThreadID, Sequence[Frame]]
"""A thread with its frames, the innermost first."""


class _Places(NamedTuple):
    """The places where a hit may become a stop, each with its breakpoint, or None for a trace. ``checks`` are the
    classes that hold such places because the target itself computes the condition."""

    points: Mapping[CodeLocation | None, BreakpointBase | None]
    checks: Collection[ReferenceTypeID]


class _Hit(NamedTuple):
    """A hit of which it is to be told whether it passes."""

    condition: FastCondition
    thread: ThreadID
    top: Frame
    unsure: bool


class Stopping:
    """The stops of one target, those to come among them.

    ``unsure`` are points whose hits count as passing where only a method could tell: they are about to go into the
    target, and in a busy one some of their hits are always under way.
    """

    def __init__(self, target: Target, points: BreakpointTable, unsure: Collection[BreakpointBase] = ()) -> None:
        self._target = target
        self._points = points
        self._unsure = unsure

    @property
    def held(self) -> set[int]:
        """Return the threads that are held for somebody, or for a hit that is being looked at. No trip."""
        return {*self._target.suspension.held_threads()} - self._target.suspension.asked

    def steps(self, thread: int) -> bool:
        """True if a step of the thread is under way. No trip."""
        return thread in Steps.of(self._target).pending or self._target.requests.is_stepped(thread)

    async def why(self, stacks: Sequence[Stack]) -> str:
        """Return why one of these threads has stopped or may be about to, as far as can be told; "" if none.

        wire: 1 trip for the conditions of all hits, and 1 for each further link that they follow; 0 without hits.
        """
        if not stacks:
            return ""
        if self._target.suspension.everything_held:
            return "everything is held"
        held, places = self.held, self._places()
        hits: list[_Hit] = []
        for thread, frames in stacks:
            if thread in held or self.steps(thread):
                return "a thread that has stopped, or steps, is in it"
            if any(frame.location.classID in places.checks for frame in frames):
                return "a thread that may stop is in it"
            top = frames[0]
            if top.location not in places.points:
                continue
            point = places.points[top.location]
            condition = point.condition if point is not None else None
            fast_condition = condition.fast_condition(top.location) if condition is not None else None
            if fast_condition is not None:
                hits.append(_Hit(fast_condition, thread, top, point in self._unsure))
            elif point not in self._unsure:
                return "a thread may be about to stop in it"
        return "" if await self._all_pass(hits) else "a thread is about to stop in it"

    def _places(self) -> _Places:
        points: dict[CodeLocation | None, BreakpointBase | None] = {}
        checks = set()
        for point in self._points.of_type(LineBreakpoint):
            for place, request in point.placed.items() if not point.reports else ():
                at = request.place
                points[at] = point
                if at is not None and at.classID != place.classID:
                    checks.add(at.classID)
        for trace in self._points.of_type(MethodTrace):
            for type_id in trace.traced_types if not trace.reports else ():
                points.update((request.place, None) for request in trace.places_in(type_id).values())
        return _Places(points, checks)

    async def _all_pass(self, hits: Sequence[_Hit]) -> bool:
        """True if the conditions of hits are false; what reading alone does not tell is so for ``unsure`` ones."""
        asked = [list(hit.condition.commands(hit.thread, hit.top.frameID)) for hit in hits]
        answered = await self._answers(asked)
        evaluations: list[ConditionEvaluation] = []
        try:
            for hit, answers in zip(hits, answered, strict=True):
                evaluations.append(hit.condition.begin(answers, hit.thread))
            while going_on := [each for each in evaluations if each.asks]:
                answered = await self._answers([list(each.asks) for each in going_on])
                for evaluation, answers in zip(going_on, answered, strict=True):
                    evaluation.answer(answers)
            outcomes = [(hit, each.holds) for hit, each in zip(hits, evaluations, strict=True)]
            return not any(holds or (holds is None and not hit.unsure) for hit, holds in outcomes)
        finally:
            for each in evaluations:
                each.close()

    async def _answers(self, groups: Sequence[list[Any]]) -> list[list[Any]]:
        """Return the answers to groups of commands, all asked at once. wire: 1 trip, 0 for none."""
        commands = [command for group in groups for command in group]
        outcomes = iter(await self._target.conn.batch(commands) if commands else ())
        return [[next(outcomes) for _ in group] for group in groups]

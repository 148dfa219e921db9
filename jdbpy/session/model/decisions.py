"""What was decided about hits, and why: plain data."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from jdbpy.json_form import Json
from jdbpy.record import Record
from jdbpy.session.model.threads import Location, ThreadRef


class HitOutcome(StrEnum):
    """What becomes of a hit."""

    SHOWN = "shown"
    REPORTED = "reported"
    WAITING = "waiting"
    PASSED = "passed"
    DROPPED = "dropped"


class Decision(StrEnum):
    """Why a hit was shown, reported, passed or dropped; the ``reason`` of the JSON form. There are no others."""

    SHOWN = "shown"
    REPORT = "report"
    WAITING_STEP = "waiting-step"
    WAITING_METHOD = "waiting-method"
    WAITING_TURN = "waiting-turn"
    CONDITION_FALSE = "condition-false"
    CONDITION_FAILED = "condition-failed"
    HIT_COUNT = "hit-count"
    IGNORED = "ignored"
    CALLER = "caller"
    NOT_MEANT = "not-meant"
    AFTER = "after"
    LIMIT = "limit"
    COUNTED = "counted"
    OWN_CODE = "own-code"
    EVALUATION = "evaluation"
    OWN_REQUEST = "own-request"
    BREAKPOINT_GONE = "breakpoint-gone"
    LEFT_OVER = "left-over"
    LEAVING = "leaving"
    RESUMED = "resumed"
    FAULT = "fault"

    @property
    def text(self) -> str:
        """Return the reason in words that follow "passed: " and the like."""
        return _TEXTS[self][1]

    @property
    def outcome(self) -> HitOutcome:
        """Return what became of the hit."""
        return _TEXTS[self][0]


_TEXTS = {
    Decision.SHOWN: (HitOutcome.SHOWN, "it stopped"),
    Decision.REPORT: (HitOutcome.REPORTED, "reported, and the thread went on"),
    Decision.WAITING_STEP: (HitOutcome.WAITING, "another thread is being stepped"),
    Decision.WAITING_METHOD: (HitOutcome.WAITING, "a method runs for an expression"),
    Decision.WAITING_TURN: (HitOutcome.WAITING, "all threads are suspended at another stop"),
    Decision.CONDITION_FALSE: (HitOutcome.PASSED, "the condition was false"),
    Decision.CONDITION_FAILED: (HitOutcome.PASSED, "the condition failed, as it did at a stop before"),
    Decision.HIT_COUNT: (HitOutcome.PASSED, "excluded by its hit count"),
    Decision.IGNORED: (HitOutcome.PASSED, "the ignore count"),
    Decision.CALLER: (HitOutcome.PASSED, "no matching caller"),
    Decision.NOT_MEANT: (HitOutcome.PASSED, "another class or method than it is for"),
    Decision.AFTER: (HitOutcome.PASSED, "the breakpoint that it waits for was not hit yet"),
    Decision.LIMIT: (HitOutcome.PASSED, "left out of the reports: over its limit"),
    Decision.COUNTED: (HitOutcome.PASSED, "only counted"),
    Decision.OWN_CODE: (HitOutcome.PASSED, "in code that the debugger has put into the target"),
    Decision.EVALUATION: (HitOutcome.PASSED, "in a method that was run for an expression"),
    Decision.OWN_REQUEST: (HitOutcome.PASSED, "the debugger's own request, of no breakpoint"),
    Decision.BREAKPOINT_GONE: (HitOutcome.DROPPED, "its breakpoint was removed, disabled or changed meanwhile"),
    Decision.LEFT_OVER: (HitOutcome.DROPPED, "left over from an earlier debugger"),
    Decision.LEAVING: (HitOutcome.DROPPED, "the session was being left"),
    Decision.RESUMED: (HitOutcome.DROPPED, "its thread was resumed before the stop was shown"),
    Decision.FAULT: (HitOutcome.DROPPED, "it could not be handled (see the warning)"),
}


class HitDecision(Record):
    """What was decided about one hit, and why."""

    time: Annotated[float, "seconds since 1970"]
    thread: Annotated[ThreadRef | None, "null where the event has none"]
    location: Annotated[Location | None, "null where the event has none"]
    breakpoints: Annotated[tuple[int, ...], "empty for a stop of something else, such as a step"]
    reason: Annotated[Decision, ", ".join(Decision)]

    @property
    def outcome(self) -> HitOutcome:
        """Return what became of the hit: shown, reported, waiting, passed, dropped."""
        return self.reason.outcome

    json_properties = ("outcome",)


class DecisionTotal(Record):
    """How many hits had one reason."""

    reason: Annotated[Decision, "as of hit-decision"]
    count: int

    @property
    def outcome(self) -> HitOutcome:
        """Return what became of these hits: shown, reported, waiting, passed, dropped."""
        return self.reason.outcome

    json_properties = ("outcome",)


class BreakpointHits(Record):
    """What became of the hits of one breakpoint, most frequent reason first."""

    number: Annotated[int, "of the breakpoint; 0: hits of none"]
    totals: tuple[DecisionTotal, ...]
    in_target: Annotated[bool, "hits that the target itself passes are not counted"] = False

    def count(self, outcome: HitOutcome) -> int:
        """Return how many hits had an outcome."""
        return sum(each.count for each in self.totals if each.outcome is outcome)


class HitLog(Record):
    """The latest decisions about hits, the oldest first, and the totals of each breakpoint."""

    hits: tuple[HitDecision, ...]
    breakpoints: tuple[BreakpointHits, ...]
    earlier: Annotated[int, Json("decisions before these that are not kept", optional=False)] = 0

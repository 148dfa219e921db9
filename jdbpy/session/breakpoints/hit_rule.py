"""The rule of a hit, for all kinds of points: callers, condition, hit count, ignore count, once; stop or report.

Owns the vote of a point on one of its hits. Whether a set of events stops the target is decided by all votes together
in the dispatcher.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from jdbpy.errors import Disconnected, JdbpyError, JdwpError
from jdbpy.session.breakpoints.breakpoint_base import BreakpointBase
from jdbpy.session.breakpoints.dependents import Dependents
from jdbpy.session.breakpoints.hot_places import HotPlaces
from jdbpy.session.breakpoints.reports import Reporter
from jdbpy.session.events.requests import RESUME, RequestHit, StopPlan, Verdict, Vote, verdict_of
from jdbpy.session.events.target import Target
from jdbpy.session.events.threads import wire_thread
from jdbpy.session.execution.waiting import WaitingStops
from jdbpy.session.extension import Extension
from jdbpy.session.model.decisions import Decision
from jdbpy.session.model.kinds import StopReason
from jdbpy.wire.constants import JdwpSuspendPolicy
from jdbpy.wire.messages import thread_reference


class HitRule:
    """Votes on the hits of ``points``, which are those of ``BreakpointTable`` by number."""

    def __init__(
        self,
        target: Target,
        points: dict[int, BreakpointBase],
        reporter: Reporter,
        dependents: Dependents,
        hot_places: HotPlaces,
    ) -> None:
        self._target = target
        self._points = points
        self._reporter = reporter
        self._dependents = dependents
        self._hot_places = hot_places

    def hit(self, point: BreakpointBase, reason: StopReason, hit: RequestHit) -> Vote:
        """Return the vote on one hit: at once for one that is only counted."""
        if self._points.get(point.number) is not point or point.waiting:  # while the event was on its way
            return self._passed(point, hit, Decision.AFTER if point.waiting else Decision.BREAKPOINT_GONE)
        if self._target.changed_code.helpers and self._is_own(hit.event):
            return self._passed(point, hit, Decision.OWN_CODE)
        if self._target.changed_code.running_methods and hit.thread and hit.policy is not JdwpSuspendPolicy.NONE:
            return self._outside_checks(point, reason, hit)
        return self._hit(point, reason, hit)

    async def _outside_checks(self, point: BreakpointBase, reason: StopReason, hit: RequestHit) -> Verdict:
        """Return the verdict on a hit, unless it is in a method that a check in the target runs: as in methods that the
        debugger runs, nothing stops and reports there. wire: 1 trip more.
        """
        wanted = thread_reference.Frames(wire_thread(hit.thread), 0, -1)
        with suppress(JdwpError):
            frames = (await self._target.conn.request(wanted)).frames
            if any(each.location.classID in self._target.changed_code.running_methods for each in frames):
                if hit.request.counting_filter is not None and hit.request.counting_filter.taken:
                    hit.request.counting_filter.taken.popleft()
                return self._passed(point, hit, Decision.OWN_CODE)
        return await verdict_of(self._hit(point, reason, hit))

    def _hit(self, point: BreakpointBase, reason: StopReason, hit: RequestHit) -> Vote:
        if not point.place_checked:
            place = getattr(hit.event, "location", None)
            self._hot_places.check(point, () if place is None else (self._target.types.location(place).class_name,))
            point.place_checked = True
        if hit.request.counting_filter is not None and hit.request.counting_filter.taken:  # it is counted already
            return self._report(point, hit)
        if point.callers is not None or point.condition is not None:
            return self._decide(self._look, point, reason, hit)
        return self._decide(self._meet, point, reason, hit) if self._counts(point, hit) else RESUME

    async def _decide(
        self, rule: Callable[..., Awaitable[Verdict]], point: BreakpointBase, reason: StopReason, hit: RequestHit
    ) -> Verdict:
        """Return the verdict of a rule: to go on, if the point is removed or changed before it comes to one."""
        with WaitingStops.of(self._target).making() as gone:
            verdict = await rule(point, reason, hit)
        if verdict is None or point.number not in gone:
            return verdict
        return self._passed(point, hit, Decision.BREAKPOINT_GONE)

    def _is_own(self, event: Any) -> bool:
        """True if it happened in code that the debugger has put in, or is an exception that such code catches."""
        places = getattr(event, "location", None), getattr(event, "catchLocation", None)
        return any(place is not None and place.classID in self._target.changed_code.helpers for place in places)

    def counts(self, point: BreakpointBase, hit: RequestHit) -> bool:
        """Count a hit whose condition holds; True if it is one to stop at. wire: no wait."""
        if self._points.get(point.number) is point and not point.waiting:
            return self._counts(point, hit)
        self._passed(point, hit, Decision.AFTER if point.waiting else Decision.BREAKPOINT_GONE)
        return False

    async def met(self, point: BreakpointBase, hit: RequestHit) -> Verdict:
        """Return the verdict on a hit that ``counts``, at the place that the user has meant."""
        if self._points.get(point.number) is not point:
            return self._passed(point, hit, Decision.BREAKPOINT_GONE)
        return await self._decide(self._meet, point, StopReason.BREAKPOINT, hit)

    async def _report(self, point: BreakpointBase, hit: RequestHit) -> Verdict:
        assert hit.request.counting_filter is not None
        taken, before = hit.request.counting_filter.taken.popleft()
        await self._reporter.report(point, hit, taken, before)
        return self._passed(point, hit, Decision.REPORT if taken.reported else Decision.LIMIT)

    async def _look(self, point: BreakpointBase, reason: StopReason, hit: RequestHit) -> Verdict:
        """Return the verdict on a hit that counts only if callers and condition fit.

        A condition that fails stops, and says so: the user is to know rather than to wonder.
        """
        message, failure = "", ""
        try:
            if point.callers is not None and not await point.callers.fit(hit.thread):
                return self._passed(point, hit, Decision.CALLER)
            if any(f"${name}" in point.options.condition for name in point.lacks(hit)):
                return self._passed(point, hit, Decision.CONDITION_FALSE)
            if point.condition is not None and not await point.condition.holds(
                hit.thread, await point.given(hit, point.options.condition), getattr(hit.event, "location", None)
            ):
                point.passes += 1
                if 0 < point.look_after <= point.passes:
                    await self._at_threshold(point, hit)
                return self._passed(point, hit, Decision.CONDITION_FALSE)
        except Disconnected:
            raise
        except JdbpyError as error:
            if not point.failures.note(error.message):
                return self._passed(point, hit, Decision.CONDITION_FAILED)
            message, failure = _failed(point, error), error.message
        if not message and not self._counts(point, hit):
            return RESUME
        return await self._meet(point, reason, hit, message, failure)

    async def _meet(
        self, point: BreakpointBase, reason: StopReason, hit: RequestHit, message: str = "", failure: str = ""
    ) -> Verdict:
        """Return what follows from a hit that counts, or whose condition failed with ``message``, because of
        ``failure``: a stop or a report.
        """
        if not message:
            if point.options.temporary:
                self._points.pop(point.number, None)
                point.removed = True
                point.disarm()
            await self._dependents.was_hit(point)
        taken = self._reporter.take(point)
        if not taken.reported:
            point.on_left_out(point, hit.request)
        if point.reports:
            point.count(hit)
            point.passes += 1
            often = bool(self._at_thresholds) and 0 < point.look_after <= point.passes and _suspends(point)
            told = hit.replace(go_on=None) if often else hit
            await self._reporter.report(point, told, taken, failed=message, failure=failure)
            if often:
                await self._at_threshold(point, hit)
            return self._passed(point, hit, Decision.REPORT if taken.reported else Decision.LIMIT)
        extra: dict[str, Any] = {"failure": failure} if failure else {}
        extra |= {"breakpoint": point.number, "breakpoints": (point.number,)}
        if point.options.temporary and not message:
            extra["temporary"] = True
        if point.client:
            extra["clients"] = (point.client,)
        try:
            extra.update(await point.details(hit))
        except JdwpError as error:
            message = message or f"what happened could not be read: {error.message}"
        if message:
            extra["message"] = message
        if taken.spent:
            self._reporter.switch_off(point, taken)
        return StopPlan(reason, extra, point.suspends_all)

    @property
    def _at_thresholds(self) -> tuple[Extension, ...]:
        return self._target.extensions.of(Extension.hit_threshold)

    async def _at_threshold(self, point: BreakpointBase, hit: RequestHit) -> None:
        """Tell extensions of a point whose hits were passed or reported so often that it is worth a change of code."""
        extensions = self._at_thresholds
        if extensions:
            self._target.hit_times.stopped(hit.thread)  # what is done now is done once
        for extension in extensions:
            await extension.hit_threshold(point, hit)

    def _counts(self, point: BreakpointBase, hit: RequestHit) -> bool:
        """Count a hit; whether it is one to stop at, or to report. wire: no wait."""
        if point.counting:  # the agent has counted, and has dropped the request
            point.hits += point.counting - 1
            point.ignore = 0
            self._target.requests.spent(hit.request)
        point.hits += 1
        admitted = point.hit_count is None or point.hit_count.admits(point.hits)
        if point.over:
            point.disarm()
        if admitted and point.ignore:
            point.ignore -= 1
            self._passed(point, hit, Decision.IGNORED)
            return False
        if not admitted:
            self._passed(point, hit, Decision.HIT_COUNT)
        return admitted

    def _passed(self, point: BreakpointBase, hit: RequestHit, reason: Decision) -> Verdict:
        """Record why a hit is no stop, and return the vote to go on. wire: no wait."""
        self._target.decisions.record(point.number, hit.thread, getattr(hit.event, "location", None), reason)
        return RESUME


def _suspends(point: BreakpointBase) -> bool:
    """True if a thread stands at a hit of the point."""
    return point.wire_policy is not JdwpSuspendPolicy.NONE


def _failed(point: BreakpointBase, error: JdbpyError) -> str:
    return (
        f"the condition of {point.noun} {point.number} failed: {error.message}; further hits with this error are "
        f"ignored, 'condition {point.number} EXPRESSION' changes it"
    )

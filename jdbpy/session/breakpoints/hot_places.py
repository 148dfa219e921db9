"""Hot places: breakpoints whose hits cost the target much, or that stand in code which other threads wait for.

Owns the reports of them, one for each. ``target.hit_rates`` has the figures and says which code is sensitive,
``slowdown`` measures those that suspend nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from jdbpy.session.breakpoints.breakpoint_base import BreakpointBase
from jdbpy.session.breakpoints.line_breakpoint import LineBreakpoint
from jdbpy.session.breakpoints.reports import Reporter
from jdbpy.session.breakpoints.slowdown import Measuring, Slowdown
from jdbpy.session.events.hit_rates import WHY, HotLimits, Load, sensitive
from jdbpy.session.events.target import Target
from jdbpy.session.model.events import Notice
from jdbpy.session.model.kinds import KINDS, StopReason
from jdbpy.wire.constants import JdwpSuspendPolicy


class HotPlaces:
    """Watches ``points``, which are those of ``BreakpointTable`` by number; takes out what costs more than it may."""

    def __init__(self, target: Target, points: Mapping[int, BreakpointBase], reporter: Reporter) -> None:
        self._target = target
        self._points = points
        self._reporter = reporter
        self._limits = HotLimits()
        target.hit_times.on_load = self._on_load
        self.measuring = Measuring(target, self._on_measured, reporter.lost)

    def warn_at(self, rate: int | None, cost: int | None) -> None:
        """See ``BreakpointTable.warn_at``."""
        limits = self._limits
        self._limits = HotLimits(limits.rate if rate is None else rate, limits.cost if cost is None else cost)

    def check(self, point: BreakpointBase, class_names: Iterable[str]) -> None:
        """Reports once that the point suspends threads in code that other threads wait for."""
        suspends = _in_code(point) and point.wire_policy is not JdwpSuspendPolicy.NONE
        name, kind = sensitive(class_names) if suspends else ("", "")
        if kind and not point.place_checked:
            point.place_checked = True
            text = f"{point.called} is in {kind} code ({name}): {WHY[kind]}"
            data = (("breakpoint", point.number), ("why", kind), ("class", name))
            self._target.publish(Notice("hot-place", text, data))

    def _on_load(self, point: BreakpointBase, load: Load) -> None:
        """A second with hits of a point that suspended threads and did not stop: is that more than it may cost?"""
        if self._points.get(point.number) is not point or not point.enabled:
            return
        budget = point.reporting.cost
        if budget and load.share * 100 > budget:
            self._reporter.over_budget(point, load)
        elif (self._limits.cost and not budget and load.share * 100 > self._limits.cost) or self._is_frequent(
            load.rate
        ):
            self._say_hot(point, load)

    def on_rate(self, point: BreakpointBase, load: Load) -> None:
        """A second with hits of a point that suspends nothing."""
        if self._is_frequent(load.rate):
            self._say_hot(point, load)
        self.measuring.consider(point, load.rate)

    def _on_measured(self, point: BreakpointBase, slowdown: Slowdown | None, hits: int) -> None:
        """A point that suspends nothing was taken out for a moment, in which the target has counted so many hits."""
        point.hits += hits
        point.rate_limiter.missed(hits)
        self._reporter.watch(point)
        if slowdown is not None:
            point.rate_limiter.slowdown = slowdown.share
            if slowdown.share * 100 > point.reporting.cost:
                self._reporter.slows(point, slowdown)

    def _is_frequent(self, rate: float) -> bool:
        return 0 < self._limits.rate < rate

    def _say_hot(self, point: BreakpointBase, load: Load) -> None:
        if point.was_hot or load.hits < 2:
            return
        ordinary = self._why_ordinary(point)
        if ordinary is None:
            return  # the target may compute it soon
        point.was_hot = True
        share = round(load.share, 3)
        data = (("breakpoint", point.number), ("why", "rate" if self._is_frequent(load.rate) else "cost"))
        measured = (("hits", load.hits), ("rate", round(load.rate)), ("suspended", share))
        why = f"; its condition is computed by the debugger: {ordinary[0]}" if ordinary[0] else ""
        helps = (("weave", True),) if ordinary[1] else ()
        self._target.publish(Notice("hot-place", f"{point.called} was {load.text}{why}", (*data, *measured, *helps)))

    def _why_ordinary(self, point: BreakpointBase) -> tuple[str, bool] | None:
        """Return why the target does not compute the condition of a point itself ("": that is no question), and whether
        ``weave N`` helps; None if it has not been tried yet."""
        if not isinstance(point, LineBreakpoint) or point.condition is None or point.computed_in_target:
            return "", False
        if stays := self._target.why_code_stays():
            return stays, False
        if point.why_ordinary:
            return point.why_ordinary, point.weaving_helps
        if point.look_after:
            return None
        if self._target.remote:
            return "the JVM is on another machine", True
        shared = self._target.clients is not None and not point.reports
        return "the session is shared" if shared else "the setting 'in-target' leaves it there", True


def _in_code(point: BreakpointBase) -> bool:
    """True if it stands in code that its user has chosen."""
    kind = KINDS[point.kind]
    return kind.in_code or StopReason.METHOD_ENTRY in kind.reasons

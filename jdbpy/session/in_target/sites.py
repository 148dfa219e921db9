"""One place at which the target itself computes the condition of a breakpoint, and what a hit of it is.

The check of the condition calls a method of the debugger's own class where the condition holds, and another where it
fails; breakpoints stand there. One step out leads to the program's own frame, behind the check and on its line. It is
asked for in one segment with the Resume, so a hit costs one trip more than an ordinary one. There the hit is that of
the user's breakpoint. A condition that failed is computed once more there, as for an ordinary breakpoint, which shows
why it fails.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from jdbpy.session.breakpoints.breakpoint_table import BreakpointTable
from jdbpy.session.breakpoints.line_breakpoint import LineBreakpoint
from jdbpy.session.events.clients import Steps
from jdbpy.session.events.conditions import Condition
from jdbpy.session.events.hit_rates import HitLoad
from jdbpy.session.events.requests import (
    RESUME,
    EventRequest,
    RequestHit,
    RequestSpec,
    StopPlan,
    Verdict,
    Vote,
    verdict_of,
)
from jdbpy.session.events.target import Target
from jdbpy.session.in_target.weave.records import FAILED, TRAP, HelperClass, Surrounding, WovenPlace
from jdbpy.session.jvm.refs import Method
from jdbpy.session.model.kinds import StopReason
from jdbpy.wire.constants import EventKind, JdwpStepDepth, JdwpStepSize, JdwpSuspendPolicy, TypeTag
from jdbpy.wire.ids import CodeLocation, MethodID, ObjectID, ReferenceTypeID, ThreadID
from jdbpy.wire.messages import event as wire_event, event_request

_HANDLES = "java.lang.invoke.*"
"""The code between a check and what it reaches through method handles."""


class _Trap:
    """The guard of the requests of a site: the debugger computes nothing at their hits."""

    condition: Condition | None = None
    passes = 0
    look_after = 0

    def __init__(self, point: LineBreakpoint) -> None:
        self._point = point
        self.number = point.number
        self.load: HitLoad = point.load

    @property
    def suspends_all(self) -> bool:
        return self._point.suspends_all


class Site:
    """A place of a breakpoint. ``at`` is the code index in the program's own code; ``type_id`` is the helper's."""

    def __init__(self, point: Any, condition: Condition | None, method: Method, at: int, helper: HelperClass) -> None:
        self.point = point
        self.condition = condition
        self.method = method
        self.at = at
        self.helper = helper
        self.type_id = ReferenceTypeID(0)
        self.trap: EventRequest | None = None
        self.failed: EventRequest | None = None

    @property
    def place(self) -> WovenPlace | Surrounding:
        """Return the place as the weaver takes it."""
        return WovenPlace(self.method.name, self.method.signature, self.at, self.helper.call)

    def is_of(self, point: LineBreakpoint) -> bool:
        """True if the check is for the breakpoint and the condition that it has now."""
        return bool(self.point is point) and self.condition is point.condition

    def is_for(self, point: LineBreakpoint, at: int, method: MethodID) -> bool:
        """True if it is also for that place."""
        return self.is_of(point) and (self.at, self.method.id) == (at, method)

    @property
    def request(self) -> EventRequest | None:
        """Return the request that takes the place of the breakpoint's ordinary one."""
        return self.trap

    @property
    def requests(self) -> list[EventRequest]:
        """Return its requests in the target."""
        return [each for each in (self.trap, self.failed) if each is not None]

    def withdrawn(self) -> None:
        """Nothing calls its helper any more. wire: no wait."""

    async def begin(self) -> None:
        """Its helper is about to be called; the target may be suspended. wire: no wait, or as the kind of site."""


async def set_traps(target: Target, points: BreakpointTable, site: Site) -> None:
    """Set the breakpoints at which a helper reports. Raises JdwpError. wire: 2 trips, 1 when the class is known."""
    methods = {(each.name, each.signature): each for each in (await target.types.methods([site.type_id]))[site.type_id]}
    specs = []
    for stop in site.helper.stops:
        place = CodeLocation(TypeTag.CLASS, site.type_id, methods[stop].id, 0)
        handler = partial(_on_trap, target, points, site, stop == FAILED)
        modifiers = [event_request.LocationOnly(place)]
        trap = _Trap(site.point)
        specs.append(RequestSpec(EventKind.BREAKPOINT, JdwpSuspendPolicy.EVENT_THREAD, modifiers, handler, trap))
    outcomes = await target.requests.add_many(specs)
    made = [each for each in outcomes if isinstance(each, EventRequest)]
    if len(made) < len(outcomes):
        await target.requests.remove(made)
        raise next(each for each in outcomes if not isinstance(each, EventRequest))
    by_stop = dict(zip(site.helper.stops, made, strict=True))
    site.trap, site.failed = by_stop.get(TRAP), by_stop.get(FAILED)


def _on_trap(target: Target, points: BreakpointTable, site: Site, fails: bool, hit: RequestHit) -> Vote:
    """Let the thread step out to the program's own frame, if the hit is one to stop at. wire: no wait."""
    if not fails and not points.rule.counts(site.point, hit):
        return RESUME
    had_step = Steps.of(target).end(hit.thread)  # of two steps in a thread the agent serves one
    step = event_request.Step(ThreadID(ObjectID(hit.thread)), JdwpStepSize.MIN, JdwpStepDepth.OUT)
    own = event_request.ClassExclude(site.helper.name.replace("/", "."))
    between = [event_request.ClassExclude(_HANDLES)] if site.helper.handles else []
    modifiers = [step, own, *between, event_request.Count(1)]
    handler = partial(_landed, target, points, site, fails, had_step)
    policy = JdwpSuspendPolicy.EVENT_THREAD
    target.requests.submit(RequestSpec(EventKind.SINGLE_STEP, policy, modifiers, handler, _Trap(site.point)))
    return RESUME


def _landed(target: Target, points: BreakpointTable, site: Site, fails: bool, had_step: bool, hit: RequestHit) -> Vote:
    """Vote on the hit of the user's breakpoint, now that the thread is in the program's own frame."""
    target.requests.spent(hit.request)
    event = wire_event.Breakpoint(hit.event.requestID, hit.event.thread, hit.event.location)
    there: RequestHit = hit.replace(event=event)
    return _failed(points, site, had_step, there) if fails else points.rule.met(site.point, there)


async def _failed(points: BreakpointTable, site: Site, had_step: bool, hit: RequestHit) -> Verdict:
    """Compute the condition as an ordinary breakpoint does; a step that was under way ends here at the latest."""
    verdict = await verdict_of(points.rule.hit(site.point, StopReason.BREAKPOINT, hit))
    return StopPlan(StopReason.STEP, {}) if verdict is None and had_step else verdict

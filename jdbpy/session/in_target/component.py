"""The ``instrumentation`` of a session: conditions of breakpoints that the target itself computes.

A condition that is false costs an ordinary breakpoint a stop of its thread and a trip. Here the method of the
breakpoint gets a call in front of the line, to a class that computes the condition: it runs at the speed of compiled
code, and only what is true reports. Owns when that is done, for which breakpoints, and that it is undone: it is done
when a class is prepared that a breakpoint waits for, and when an ordinary one has been passed often.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial

import trio

from jdbpy.errors import Disconnected, JdbpyError, JdwpError, StateError, UsageError
from jdbpy.session.breakpoints.breakpoint_base import BreakpointBase
from jdbpy.session.breakpoints.breakpoint_table import BreakpointTable
from jdbpy.session.breakpoints.line_breakpoint import LineBreakpoint
from jdbpy.session.breakpoints.line_breakpoints import LineBreakpoints
from jdbpy.session.breakpoints.methods import MethodTrace
from jdbpy.session.breakpoints.until_hot import PROMOTED_AFTER, UntilHot, goes_by_itself
from jdbpy.session.eval.evaluator import Evaluator
from jdbpy.session.events.requests import RESUME, EventRequest, RequestHit, Verdict
from jdbpy.session.events.target import Target
from jdbpy.session.extension import Extension
from jdbpy.session.in_target.call_sites import CallSites, MethodSite
from jdbpy.session.in_target.catching import Catches
from jdbpy.session.in_target.change_safety import has_virtual_threads, why_not_now
from jdbpy.session.in_target.class_changes import (
    CodeChanges,
    NotInstalled,
    NotInstalledAtStop,
    NotInstalledUnlessAsked,
    NotInstalledUntilLeft,
    NotInstalledWhileBusy,
)
from jdbpy.session.in_target.install import Installer, attempt, places_in, say
from jdbpy.session.in_target.ring_poller import Ring, RingPoller
from jdbpy.session.in_target.sites import Site
from jdbpy.session.in_target.stopping import Stopping
from jdbpy.session.in_target.thread_runner import request_thread
from jdbpy.session.in_target.trace_sites import TraceSite
from jdbpy.session.java.releases import TESTED
from jdbpy.session.jvm import facts
from jdbpy.session.jvm.changed_code import ChangedClass
from jdbpy.session.jvm.refs import RefType
from jdbpy.session.model.events import Notice
from jdbpy.session.model.instrumentation import WovenClass
from jdbpy.session.values.stack import StackReader
from jdbpy.wire.constants import Error, JdwpSuspendPolicy
from jdbpy.wire.ids import CodeLocation, ReferenceTypeID
from jdbpy.wire.messages import virtual_machine

REPORTED_AFTER = 20
"""The same for hits that are reported."""

AGAIN_AFTER = 5_000
"""After so many more it is looked for again."""

AFTER_BUSY, SOON = 20, 10
"""The same where a call was under way that could come to the place again: at the next hit it may have returned. It is
looked for so many times after so few hits, then after twice as many each time, up to ``AGAIN_AFTER``."""

AFTER_A_STOP = 1_000
"""The same where a stop was in the way, which may be over soon."""

_AGAIN = 2.0
"""Seconds until it is tried again to take checks out of a class that was busy; twice as long after each time ..."""

_LONGEST = 300.0
"""... up to so many: each time all threads are suspended for a moment."""

_BY_REDEFINITION = (
    "conditions and calls go into the target by class redefinition over JDWP, no agent is loaded for them"
)

MODES = ("auto", "eager", "ask", "off")


class Instrumentation(Extension):
    """Puts conditions into the target, and takes them out."""

    def __init__(
        self,
        target: Target,
        points: BreakpointTable,
        breakpoints: LineBreakpoints,
        evaluator: Callable[[], Evaluator],
        stack: StackReader,
    ) -> None:
        self._target = target
        self._points = points
        self._mode = "off"
        self._lock = trio.Lock()
        self._more = trio.Event()
        self.changes = CodeChanges(target, points, breakpoints, stack, self)
        self.rings = RingPoller(target, self._ring_failed, points.reporter.clock)
        self.installer = Installer(target, points, self.changes, evaluator, self.rings)
        self.catches = Catches(target)
        """Finds who catches an exception that passes an observed method."""
        self.calls = CallSites(
            target, points, self.changes, self.installer, self.rings, self._lock, self._take_out_calls
        )
        self._thread_requests: dict[LineBreakpoint, list[EventRequest]] = {}
        self._busy: Counter[BreakpointBase] = Counter()  # how often a call that was under way was in the way of each
        self._trace_thread_requests: dict[tuple[MethodTrace, ReferenceTypeID], list[EventRequest]] = {}
        target.extensions.add(self, in_place_of=UntilHot)

    # -- what the user chooses ---------------------------------------------------------------------------------------

    @property
    def mode(self) -> str:
        """``auto``: conditions of breakpoints that are hot, in a session of one client with a JVM on this machine.
        ``eager``: on this machine all conditions, also when a class is prepared, reports, traces and calls. ``ask``:
        only breakpoints that were asked for. ``off``: the same, and nothing is loaded before."""
        return self._mode

    @mode.setter
    def mode(self, mode: str) -> None:
        """Raises UsageError for another word."""
        if mode not in MODES:
            raise UsageError(f"'{mode}' is not one of {', '.join(MODES)}")
        self._mode = mode
        if mode == "off":
            self._target.own_threads.end()
        for point in (*self.changes.breakpoints, *self._points.of_type(MethodTrace)):
            self.breakpoint_installed(point)

    def observed(self, asked: bool) -> CallSites | None:
        """Return what has the target observe calls, where that is possible and asked for or set; else None.

        Raises StateError where it was asked for and cannot be.
        """
        if asked:
            self._require_possible()
            return self.calls
        return self.calls if self._is_eager else None

    def ask(self, number: int) -> None:
        """Have the condition of a breakpoint computed in the target as soon as that can be done. Raises UsageError."""
        self._require_possible()
        point = self._point(number)
        if wrong := self._unfit(point):
            raise UsageError(f"breakpoint {number} stays ordinary: {wrong}")
        point.options = point.options.replace(woven=True)
        self._target.requests.drop(self._thread_requests.pop(point, ()))
        point.look_after, point.why_ordinary = 0, ""
        self._installed(point)

    def woven(self) -> list[WovenClass]:
        """Return the classes that run checks now. No trip."""
        shown = []
        for changed in self.changes.changed:
            sites = self.changes.sites.get(changed.type.id, {}).values()
            methods = self._target.types.facts.known(facts.METHODS, changed.type.id) or ()
            names = sorted({method.name for method in methods if method.id in changed.maps})
            numbers = sorted({site.point.number for site in sites if not isinstance(site, MethodSite)})
            calls = dict.fromkeys(site.point.method for site in sites if isinstance(site, MethodSite))
            shown.append(WovenClass(changed.type.name, tuple(numbers), tuple(names), tuple(calls)))
        return shown

    async def remove(self, numbers: Iterable[int] = ()) -> list[str]:
        """Take the checks of breakpoints out of the target, of all if none is named; they are ordinary from then on.
        With all of them the debugger's own threads end.

        Return the names of the classes that have their own code again. A call that is under way in such a class runs
        the former code until it returns. Raises UsageError. wire: 2 trips a class.
        """
        chosen = {self._point(number) for number in numbers}
        restored = []
        if not chosen:
            self._target.own_threads.end()
        async with self._lock:
            for changed in self.changes.changed:
                sites = self.changes.sites.get(changed.type.id, {})
                kept = {place: site for place, site in sites.items() if chosen and site.point not in chosen}
                if len(kept) == len(sites) and changed.type.id not in self.changes.stale:
                    continue
                observed = {site.point for site in sites.values() if isinstance(site, MethodSite)} if not chosen else ()
                async with self.changes.held(changed.type.id):
                    for observation in observed:
                        observation.take_back(changed.type.id, "it was taken out of the target")
                    await self.changes.redefine(changed, kept)
                if not changed.maps:
                    restored.append(changed.type.name)
                for point in dict.fromkeys(site.point for site in sites.values() if site not in kept.values()):
                    if isinstance(point, MethodTrace):
                        point.why_ordinary = "it was taken out of the target"
                        await point.given_back(changed.type.id)
                        self._target.requests.drop(self._trace_thread_requests.pop((point, changed.type.id), ()))
            for point in chosen or self.changes.breakpoints:
                point.options = point.options.replace(woven=False)
                point.look_after = 0
                point.why_ordinary = "it was taken out of the target" if point.condition is not None else ""
        return restored

    # -- what breakpoints tell ---------------------------------------------------------------------------------------

    def request_at(self, point: LineBreakpoint, place: CodeLocation) -> EventRequest | None:
        site = self.changes.site_at(place)
        return site.request if site is not None and site.is_of(point) else None

    def breakpoint_installed(self, point: BreakpointBase) -> None:
        if isinstance(point, LineBreakpoint):
            self._installed(point)
        elif isinstance(point, MethodTrace):
            self._traced(point)

    def _installed(self, point: LineBreakpoint) -> None:
        traps = {id(site.request) for sites in self.changes.sites.values() for site in sites.values()}
        point.computed_in_target = bool(point.placed) and all(id(each) in traps for each in point.placed.values())
        wanted = self._is_wanted(point)
        unfit = self._unfit(point)
        if not wanted or unfit or point.computed_in_target:
            point.look_after = 0
            point.why_ordinary = unfit if wanted else ""
        elif not point.look_after:
            hits = 1 if point.options.woven else REPORTED_AFTER if point.reports else PROMOTED_AFTER
            point.look_after = point.passes + hits
            if point.wire_policy is JdwpSuspendPolicy.NONE:
                self._request_thread_at(point, point.placed, hits)

    def breakpoint_removed(self, point: BreakpointBase) -> None:
        """End what the target keeps and computes for a point. wire: no wait."""
        if isinstance(point, LineBreakpoint):
            point.computed_in_target = False
            self._target.requests.drop(self._thread_requests.pop(point, ()))
        self._busy.pop(point, None)
        for key in [each for each in self._trace_thread_requests if each[0] is point]:
            self._target.requests.drop(self._trace_thread_requests.pop(key))
        for type_id, sites in self.changes.sites.items():
            gone = {place: site for place, site in sites.items() if site.point is point}
            self.changes.drop(gone.values())
            for place in gone:
                del sites[place]
                self.changes.stale.add(type_id)
        if self.changes.stale:
            self._more.set()

    async def class_prepared(self, prepared: RefType, thread: int) -> None:
        """Put conditions into a class of which no frame is there yet. wire: some 20 trips."""
        if not self._target.suspension.frozen:  # else what is run could wait for a thread that is suspended
            points = [point for point in self.changes.breakpoints if places_in(point, prepared.id)]
            points = [point for point in points if self._is_eager or point.options.woven]
            await self._improve(prepared, points, thread)

    def _request_thread_at(self, point: LineBreakpoint, places: Iterable[CodeLocation], hits: int) -> None:
        """Have a thread come to places, after so many hits of one. Methods can only be run in a thread."""
        if point in self._thread_requests:
            return
        self._thread_requests[point] = []
        for place in places:
            if self._target.code_guard.is_replaced(place.classID):
                continue
            came = partial(self._thread_came, point)
            self._thread_requests[point].append(request_thread(self._target, place, hits, came))

    def code_cleared(self, type_ids: Sequence[ReferenceTypeID]) -> None:
        """Drop the requests that count hits in classes with new code; the agent has dropped their breakpoints.

        Counting begins anew with ``breakpoint_installed``, when a breakpoint or trace is set again. wire: no wait.
        """
        renewed = set(type_ids)
        for point in self.changes.breakpoints:
            if any(place.classID in renewed for place in point.code.locations()):
                self._target.requests.drop(self._thread_requests.pop(point, ()))
                point.look_after = 0 if point.wire_policy is JdwpSuspendPolicy.NONE else point.look_after
        for key in [each for each in self._trace_thread_requests if each[1] in renewed]:
            self._target.requests.drop(self._trace_thread_requests.pop(key))

    async def _thread_came(self, point: LineBreakpoint, hit: RequestHit) -> Verdict:
        self._target.requests.spent(hit.request)
        self._target.requests.drop(self._thread_requests.pop(point, ()))
        if point.look_after:
            own = hit.event.location in point.placed
            await self.hit_threshold(point, hit.replace(shared=False) if own else hit)  # it came with that of the point
            if point.look_after and point.wanted and point.wire_policy is JdwpSuspendPolicy.NONE:
                self._request_thread_at(point, point.placed, max(1, point.look_after - point.passes))
        return RESUME

    def _traced(self, point: MethodTrace) -> None:
        """Have a thread come to a trace that was set, after some hits in each of its classes. wire: no wait."""
        if not self._possible or not self._is_eager or not point.by_places:
            return
        options = point.options
        looks = point.condition is not None or point.callers is not None or point.log is not None
        chosen = not point.counts_every_hit or point.awaited
        limited = options.instance is not None or point.reporting.stack
        if not point.reports or looks or chosen or limited:
            return
        for type_id in point.traced_types:
            self._request_thread_in(point, type_id, REPORTED_AFTER)

    def _request_thread_in(self, point: MethodTrace, type_id: ReferenceTypeID, hits: int) -> None:
        if (point, type_id) in self._trace_thread_requests:
            return
        if self._target.code_guard.is_replaced(type_id):
            return
        came = partial(self._thread_came_to_trace, point, type_id)
        places = [place for place, is_exit in point.places_in(type_id) if not is_exit or not point.entries]
        if places:
            requests = [request_thread(self._target, place, hits, came) for place in places]
            self._trace_thread_requests[point, type_id] = requests

    async def _thread_came_to_trace(self, point: MethodTrace, type_id: ReferenceTypeID, hit: RequestHit) -> Verdict:
        self._target.requests.drop(self._trace_thread_requests.pop((point, type_id), ()))
        if not point.wanted or type_id in point.in_target:
            return RESUME
        if self._target.suspension.frozen:  # what is run could wait for a thread that is suspended
            self._request_thread_in(point, type_id, REPORTED_AFTER)
            return RESUME
        async with self._lock:
            why = await attempt(self.installer.trace(point, type_id, hit.thread))
            point.why_ordinary = "" if why is None else str(why)
            if why is None:
                return RESUME
            again = self._again_after(point, why)
            if isinstance(why, NotInstalledUntilLeft):
                came, again = partial(self._thread_came_to_trace, point, type_id), AGAIN_AFTER
                if requests := await self.installer.request_at_exits(hit.event.location, came):
                    self._trace_thread_requests[point, type_id] = requests
                    return RESUME
        self._request_thread_in(point, type_id, again)
        return RESUME

    async def before_change(self, points: Iterable[BreakpointBase]) -> None:
        """Report what the target has kept of hits so far. wire: 1 trip, 2 where there are some."""
        chosen = list(points)
        await self.read_sites(
            [site for sites in self.changes.sites.values() for site in sites.values() if site.point in chosen]
        )

    async def read_sites(self, sites: Iterable[Site]) -> None:
        """Report what the target has kept for sites. wire: 1 trip, 2 where there is something."""
        found = [site.log.ring if isinstance(site, TraceSite) else getattr(site, "ring", None) for site in sites]
        rings = list(dict.fromkeys(each for each in found if each is not None))
        if rings:
            await self.rings.poll(rings)

    def _ring_failed(self, ring: Ring, error: JdbpyError) -> None:
        """Warn that a ring cannot be read any more, as its class has gone with its loader; not at the target's end."""
        if isinstance(error, JdwpError) and error.number == Error.VM_DEAD:
            return
        self._target.publish(Notice("warning", f"values kept in the target can no longer be read: {error.message}"))

    async def hit_threshold(self, point: BreakpointBase, hit: RequestHit) -> None:
        """Put a breakpoint that has been passed often into the target, by the thread of this hit.

        wire: some 30 trips, once.
        """
        assert isinstance(point, LineBreakpoint)
        if hit.shared:  # another may stop here, and is to stop in code that stays
            point.look_after = point.passes + AFTER_BUSY
            return
        point.look_after = point.passes + AGAIN_AFTER
        if self._target.suspension.frozen:
            return
        if self._goes_by_itself(point) and self._target.suspension.anything_held:
            say([point], "a thread is suspended, and may own a lock that changing the class takes")
            point.look_after = point.passes + AFTER_A_STOP
            return
        location = hit.event.location
        if self.changes.site_at(location) is not None:
            return  # a call that began before
        type_ = (await self._target.types.info([location.classID]))[location.classID]
        await self._improve(type_, [point], hit.thread, at_hit=location)

    async def take_out_stale(self) -> None:
        """Take checks that nothing waits for out of classes, where no call of them is under way. wire: 4 trips each."""
        if not self.changes.stale or self._target.suspension.anything_held:
            return
        if self._mode in ("auto", "eager") and await has_virtual_threads(self._target):
            return  # their calls may be under way
        async with self._lock:
            for type_id in list(self.changes.stale):
                changed = self._target.changed_code.classes.get(type_id)
                if changed is None or not changed.maps:
                    self.changes.stale.discard(type_id)
                    continue
                async with self.changes.held(type_id):
                    starts, others = self.changes.starts(changed), self.changes.ordinary_in(type_id)
                    changing, stopping = {method for method, *_ in starts}, Stopping(self._target, self._points)
                    busy = await why_not_now(
                        self._target, changed, starts, others, changing=changing, stopping=stopping, whole=True
                    )
                    if busy is None:
                        await self.changes.redefine(changed, self.changes.sites.get(type_id, {}))

    async def _take_out_calls(self) -> None:
        """Take out of classes what observed calls, at once or later."""
        if self.changes.stale:
            self._more.set()
            await self.take_out_stale()

    async def run(self) -> None:
        """Take out later what could not be taken out at once, for ever."""
        pause = _AGAIN
        while True:
            if not self.changes.stale:
                pause = _AGAIN
            await self._more.wait()
            await trio.sleep(pause)
            pause = min(2 * pause, _LONGEST)
            self._more = trio.Event()
            try:
                await self.take_out_stale()
            except Disconnected:
                return
            except JdbpyError as error:
                text = f"a check could not be taken out of the target: {error.message}"
                self._target.publish(Notice("warning", text))
                self.changes.stale.clear()
            if self.changes.stale:
                self._more.set()

    async def breakpoints_removed(self) -> None:
        await self.take_out_stale()

    async def hot_swapped(self, type_id: ReferenceTypeID, data: bytes) -> None:
        """Take the code that a hot swap has given a class for its own. wire: 2 trips where something was kept."""
        changed = await self.give_back(type_id)
        if changed is not None:
            self._target.changed_code.classes[type_id] = ChangedClass(changed.type, data)

    async def give_back(self, type_id: ReferenceTypeID) -> ChangedClass | None:
        """Give back to breakpoints what a class computed that runs its checks no more; return its former change.

        wire: 2 trips where something was kept.
        """
        await self.read_sites(self.changes.sites.get(type_id, {}).values())
        changed = self._target.changed_code.classes.pop(type_id, None)
        for site in self.changes.forget(type_id):
            point, requests = site.point, site.requests
            if isinstance(site, MethodSite):
                self.calls.lost(point, type_id)
                continue
            if isinstance(point, MethodTrace):
                point.in_target.discard(type_id)
                point.lost_in.add(type_id)
                site.withdrawn()
                continue
            point.placed = {place: each for place, each in point.placed.items() if each not in requests}
            self.changes.drop([site])
            point.look_after = point.passes + 1
        self.installer.forget(type_id)
        return changed

    # -- what can be done --------------------------------------------------------------------------------------------

    @property
    def _possible(self) -> bool:
        return not self._target.why_code_stays()

    @property
    def _is_eager(self) -> bool:
        """True if whatever can go into the target is to do so, without being asked for or hot."""
        return self._mode == "eager" and not self._target.remote

    def _again_after(self, point: BreakpointBase, why: NotInstalled) -> int:
        """Return after how many hits it is tried again to put a point into the target."""
        if isinstance(why, NotInstalledAtStop):
            return AFTER_A_STOP
        if not isinstance(why, NotInstalledWhileBusy | NotInstalledUnlessAsked):
            return AGAIN_AFTER
        self._busy[point] += 1
        return min(AGAIN_AFTER, AFTER_BUSY << max(0, min(self._busy[point], 2 * SOON) - SOON))

    def _require_possible(self) -> None:
        self._target.require_alive()
        self._target.conn.require_allowed(virtual_machine.RedefineClasses)
        if stays := self._target.why_code_stays():
            raise StateError(stays, hint=f"{_BY_REDEFINITION}; tested is {TESTED}, and 'version' shows what VM this is")

    def _is_wanted(self, point: LineBreakpoint) -> bool:
        if point.options.woven:
            return True
        if self._mode == "auto":
            return goes_by_itself(self._target, point)
        return self._is_eager and (point.condition is not None or point.reports)

    def _goes_by_itself(self, point: LineBreakpoint) -> bool:
        """True if nobody has asked for it: then no stop and no frame may be less than it was before."""
        return self._mode == "auto" and not point.options.woven

    def _unfit(self, point: LineBreakpoint) -> str:
        """Return why a breakpoint stays ordinary wherever it is; "" if it may be in the target."""
        if stays := self._target.why_code_stays():
            return stays
        if point.condition is None and not point.reports:
            return "it has no condition"
        if point.reporting.stack:
            return "it reports the stack"
        if point.reports and point.options.temporary:
            return "it is there for one hit"
        if point.reports and point.awaited:
            return "another breakpoint waits for it"
        if point.callers is not None:
            return "it depends on callers"
        if point.options.after_each:
            return "it waits for another breakpoint each time"
        return ""

    def _point(self, number: int) -> LineBreakpoint:
        found = next((each for each in self.changes.breakpoints if each.number == number), None)
        if found is None:
            self._points.get(number)
            raise UsageError(f"number {number} is not a breakpoint at a line or method")
        return found

    async def _improve(
        self, type_: RefType, points: list[LineBreakpoint], thread: int, *, at_hit: CodeLocation | None = None
    ) -> None:
        """Have the target compute the conditions of breakpoints in a class, where that can be done."""
        wanted = [point for point in points if self._is_wanted(point) and not self._unfit(point)]
        if not wanted:
            return
        asked = any(point.options.woven for point in wanted)
        again = AGAIN_AFTER
        async with self._lock:
            try:
                whole, at = all(map(self._goes_by_itself, wanted)), at_hit is not None
                installing = self.installer.install(type_, wanted, thread, at_hit=at, asked=asked, whole=whole)
                if (why := await attempt(installing)) is not None:
                    say(wanted, why)
                    again = self._again_after(wanted[0], why)
                    if isinstance(why, NotInstalledUntilLeft) and at_hit is not None and at_hit in wanted[0].placed:
                        self._request_thread_at(wanted[0], await self.installer.exits_of(at_hit), 1)
            finally:
                self.installer.take_back(wanted)
                for point in wanted:
                    if at_hit and not point.computed_in_target:
                        point.look_after = point.passes + again

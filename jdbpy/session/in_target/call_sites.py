"""Calls that the target itself observes: code around the methods, put in after some calls, taken out with the last use.

Owns when a class goes over from breakpoints to code of its own, what each kind of observation has there, and the way
back: where something is against it breakpoints go on, and the observation says why. What is counted is read a few
times a second, and once more at the end of the observation and of the target.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import partial

import trio

from jdbpy.errors import Disconnected, JdbpyError, JdwpError
from jdbpy.session.breakpoints.breakpoint_table import BreakpointTable
from jdbpy.session.breakpoints.exceptions import ExceptionCatchpoint
from jdbpy.session.breakpoints.method_patterns import ObservedMethod
from jdbpy.session.breakpoints.method_places import find_places
from jdbpy.session.calls.call_stats import ObservedTimes
from jdbpy.session.calls.call_trees import ObservedTree
from jdbpy.session.calls.each_call import ObservedCalls
from jdbpy.session.calls.observation import Observation
from jdbpy.session.events.clients import Steps
from jdbpy.session.events.requests import RESUME, EventRequest, RequestHit, RequestSpec, Verdict
from jdbpy.session.events.target import Target
from jdbpy.session.events.threads import wire_thread
from jdbpy.session.extension import Extension
from jdbpy.session.in_target.call_counters import CallLog, CountLog, TreeLog
from jdbpy.session.in_target.call_records import RecordLog, computed_ends
from jdbpy.session.in_target.class_changes import (
    ChangedByAgent,
    CodeChanges,
    NotInstalled,
    NotInstalledAtStop,
    NotInstalledUntilLeft,
    PlaceKey,
)
from jdbpy.session.in_target.install import Installer, attempt, staying
from jdbpy.session.in_target.record_log import record_log
from jdbpy.session.in_target.recording import MethodRecording
from jdbpy.session.in_target.ring_poller import RingPoller
from jdbpy.session.in_target.sites import Site
from jdbpy.session.in_target.thread_runner import request_thread, set_static
from jdbpy.session.in_target.weave.records import Surrounding
from jdbpy.session.in_target.weave.weaver import weave
from jdbpy.session.jvm.changed_code import ChangedClass
from jdbpy.session.model.events import Notice
from jdbpy.wire.constants import EventKind, JdwpSuspendPolicy
from jdbpy.wire.ids import CodeLocation, ReferenceTypeID
from jdbpy.wire.messages import stack_frame, thread_reference

_TRIES, _BETWEEN_TRIES = 30, 0.005
"""The tries to change a class while one thread waits, and the seconds between two of them."""

_TRIES_ANYHOW = 5
"""The last of them, in which calls may go on in the program's own code of before beside exception breakpoints too."""

_PAUSE = 0.25
"""Seconds between two readings of what the target has counted."""


class MethodSite(Site):
    """The code around one method, for one observation; ``log`` is for all of the class."""

    def __init__(self, log: CallLog, observation: Observation, observed: ObservedMethod, number: int) -> None:
        super().__init__(observation, None, observed.method, 0, log.helper)
        self.log = log
        self.observed = observed
        self._place = log.surrounding(number)

    @property
    def place(self) -> Surrounding:
        return self._place

    async def begin(self) -> None:
        await self.log.begin()


class CallSites(Extension):
    """Puts observations of calls into one target, and takes them out."""

    def __init__(
        self,
        target: Target,
        points: BreakpointTable,
        changes: CodeChanges,
        installer: Installer,
        poller: RingPoller,
        lock: trio.Lock,
        take_out_stale: Callable[[], Awaitable[None]],
    ) -> None:
        self._target = target
        self._points = points
        self._changes = changes
        self._installer = installer
        self._poller = poller
        self._lock = lock
        self._take_out_stale = take_out_stale
        self._pending: dict[tuple[Observation, ReferenceTypeID], list[EventRequest]] = {}
        self._logs: dict[Observation, list[CallLog]] = {}
        self._ends: dict[Observation, EventRequest] = {}
        self._reading = trio.Lock()
        self._more = trio.Event()
        target.extensions.add(self)

    # -- see ``CallsInTarget`` -----------------------------------------------------------------------------------------

    def begun(self, observation: Observation) -> None:
        if stays := self._target.why_code_stays():
            observation.why_ordinary = stays
            return
        for type_id in dict.fromkeys(each.owner.id for each in observation.methods):
            self._begin_in(observation, type_id)

    def _begin_in(self, observation: Observation, type_id: ReferenceTypeID) -> None:
        """Have a class observe its own calls: after some of them, or before the next one where nothing else does."""
        if not isinstance(observation, MethodRecording):
            self._request_threads_in(observation, type_id, observation.calls_until)
        elif (observation, type_id) not in self._pending:
            self._pending[observation, type_id] = []
            observation.start(partial(self._install_before_calls, observation, type_id))

    async def refresh(self, observation: Observation) -> None:
        await self._read(observation)

    async def ended(self, observation: Observation) -> None:
        for key in [each for each in self._pending if each[0] is observation]:
            self._target.requests.drop(self._pending.pop(key))
        async with self._lock:  # a class may be about to be changed for it
            with suppress(Disconnected):
                await self._read(observation)
                self._forget(observation)
        with suppress(JdbpyError):
            await self._take_out_stale()
        async with self._lock:  # nothing is about to be put in
            self._note_handlers()

    # -- into the target -----------------------------------------------------------------------------------------------

    def _request_threads_in(self, observation: Observation, type_id: ReferenceTypeID, calls: int) -> None:
        """Have a thread come after so many calls of a method: the target's own methods have to be run in one."""
        if (observation, type_id) not in self._pending:
            self._pending[observation, type_id] = []
            observation.start(partial(self._place_requests, observation, type_id, calls))

    async def _install_before_calls(self, observation: MethodRecording, type_id: ReferenceTypeID) -> None:
        """Have a class observe its calls from the next one on: by the thread that prepares it, else by one of the
        debugger's own. Where that cannot be, one that comes to a method or returns from it does it."""
        preparing = observation.preparing.get(type_id, 0)
        own = self._target.own_threads
        with suppress(JdbpyError):
            if preparing and not self._target.suspension.frozen:
                if await self._installed(observation, type_id, preparing):
                    return
            elif not preparing and own.possible and not self._target.why_code_stays():
                found = await own.get()
                async with found.turn:
                    if await self._installed(observation, type_id, found.id):
                        return
        await self._place_requests(observation, type_id, observation.calls_until)

    async def _installed(self, observation: Observation, type_id: ReferenceTypeID, thread: int) -> bool:
        """True if a class observes its calls now; what that takes is run in the thread."""
        async with self._lock:
            if observation.has_ended():
                return True
            frozen = self._target.suspension.frozen  # what is run may wait for a suspended thread
            why = await attempt(self._install(observation, type_id, thread))
        if why is None:
            self._target.requests.drop(self._pending.pop((observation, type_id), ()))
        elif isinstance(why, NotInstalledAtStop):
            observation.why_ordinary = "a thread has stopped in it: the next call is recorded"
        else:
            observation.why_ordinary = f"{why}; it is tried again when a call returns" if frozen else str(why)
        return why is None

    async def _place_requests(self, observation: Observation, type_id: ReferenceTypeID, calls: int) -> None:
        """Have a thread come to a method after so many calls; the first that returns does as well, where each call
        counts: a stop at the entry of the next one is the user's, and keeps all threads where they are."""
        methods = [each for each in observation.methods if each.owner.id == type_id and each.method.has_code]
        exits = calls == 1 and isinstance(observation, MethodRecording)
        with suppress(JdbpyError):
            async with self._target.code_guard.unchanged():
                found = await find_places(
                    self._target, [(each.owner, each.method) for each in methods], entries=True, exits=exits
                )
                came = partial(self._thread_came, observation, type_id)
                for place in (*found.entries, *(each.place for each in found.exits)):
                    if (observation, type_id) not in self._pending or observation.has_ended():
                        return
                    self._pending[observation, type_id].append(request_thread(self._target, place, calls, came))

    def code_cleared(self, type_ids: Sequence[ReferenceTypeID]) -> None:
        """Drop the requests for threads in classes with new code; the agent has dropped their breakpoints."""
        for (_, type_id), requests in self._pending.items():
            if type_id in type_ids:
                self._target.requests.submit_clear(requests)
                requests.clear()

    async def redefined(self, type_ids: Sequence[ReferenceTypeID]) -> None:
        for observation, type_id in list(self._pending):
            if type_id in type_ids:
                await self._place_requests(observation, type_id, observation.calls_until)

    async def _thread_came(self, observation: Observation, type_id: ReferenceTypeID, hit: RequestHit) -> Verdict:
        """A thread stands at an entry of one of the methods, or at a return of one with other breakpoints."""
        self._target.requests.drop(self._pending.pop((observation, type_id), ()))
        if observation.has_ended():
            return RESUME
        if not self._target.suspension.frozen:  # else what is run could wait for a suspended thread
            async with self._lock:
                records = isinstance(observation, MethodRecording)
                why = await attempt(self._install(observation, type_id, hit.thread))
                if records and isinstance(why, NotInstalledUntilLeft) and await self._left_again(hit):
                    why = await attempt(self._install(observation, type_id, hit.thread))
                elif records and why is None:
                    await self._left_again(hit)
                if why is None:
                    return RESUME
                observation.refuse(str(why))
                leaving = hit.event.location if isinstance(why, NotInstalledUntilLeft) else None
                if leaving is None and not records and self._watches_exceptions:
                    leaving = await self._outermost(hit, type_id)
                if leaving is not None:
                    came = partial(self._thread_came, observation, type_id)
                    if requests := await self._installer.request_at_exits(leaving, came):
                        self._pending[observation, type_id] = requests
                        return RESUME
            calls = observation.calls_again
        else:
            calls = observation.calls_until
        self._request_threads_in(observation, type_id, calls)
        return RESUME

    async def _outermost(self, hit: RequestHit, type_id: ReferenceTypeID) -> CodeLocation | None:
        """Return where the first call of a class stands that a thread is in; None if that is the one at the hit.

        wire: 1 trip.
        """
        try:
            asked = thread_reference.Frames(wire_thread(hit.thread), 0, -1)
            frames = (await self._target.conn.request(asked)).frames
        except JdwpError:
            return None
        found = [at for at, each in enumerate(frames) if each.location.classID == type_id and each.location.methodID]
        return frames[found[-1]].location if found and found[-1] else None

    async def _left_again(self, hit: RequestHit) -> bool:
        """Have a thread that stands at the entry of a method go back to the call, which it makes once more then, in the
        code that the method has by then. True if it did.

        Nothing of the method was run yet. It stays where others look at it, or the caller is no Java code. wire: 2
        trips.
        """
        place, target = hit.event.location, self._target
        if place.index or hit.shared or hit.thread in Steps.of(target).pending:
            return False
        thread = wire_thread(hit.thread)
        try:
            frames = (await target.conn.request(thread_reference.Frames(thread, 0, 2))).frames
            if len(frames) < 2:
                return False
            caller = frames[1].location
            if frames[0].location.classID != place.classID or any(
                each.place == caller for each in target.requests.all_active()
            ):
                return False
            target.last_breakpoints.before_step(hit.thread)  # the agent pops by steps
            await target.conn.request(stack_frame.PopFrames(thread, frames[0].frameID))
        except JdwpError:
            return False
        target.suspension.popped(hit.thread)
        target.last_breakpoints.popped(hit.thread)
        return True

    async def _install(self, observation: Observation, type_id: ReferenceTypeID, thread: int) -> None:
        """Have a class observe its own calls. Raises NotInstalled. wire: some 30 trips."""
        if observation.has_ended():
            return
        methods = [each for each in observation.methods if each.owner.id == type_id and each.method.has_code]
        methods = [each for each in methods if each.key not in observation.in_target]
        type_ = methods[0].owner
        async with self._installer.changing(type_, thread, asked=observation.asked) as change:
            name, original = self._installer.helper_name(type_), change.changed.original
            if isinstance(observation, MethodRecording):
                with staying("the condition"):
                    log: CallLog = await record_log(self._target, observation, methods, name, original, self._poller)
            else:
                log = await self._log(observation, methods, name, original)
            new: dict[PlaceKey, MethodSite] = {}
            for number, each in enumerate(methods):
                new[each.method.id, 0, id(observation), number] = MethodSite(log, observation, each, number)
            sites = {**self._changes.sites.get(type_id, {}), **new}
            for refused in weave(change.changed.original, [site.place for site in sites.values()]).refused:
                for key in [key for key, site in new.items() if site.place is refused.place]:
                    observation.refuse(f"{refused.place.method}: {refused.text}")
                    del new[key], sites[key]
            if not new:
                raise NotInstalled(observation.why_ordinary)
            changing = {each.method.id for each in methods}
            await self._installer.require_left(change.changed, changing, thread, asked=observation.asked)
            log.type_id = await change.run.define_helper(log.helper)
            if handles := {each.field: await change.run.handle(each) for each in log.helper.handles}:
                await set_static(self._target, log.type_id, handles)
            await self._installer.keep(change)
        if observation.has_ended():
            return
        await self._change_soon(observation, change.changed, sites, new.values(), thread)
        self._logs.setdefault(observation, []).append(log)
        self._watch_end(observation)
        self._more.set()
        if len(new) == len(methods):
            observation.why_ordinary = ""

    async def _change_soon(
        self,
        observation: Observation,
        changed: ChangedClass,
        sites: Mapping[PlaceKey, Site],
        new: Collection[MethodSite],
        thread: int,
    ) -> None:
        """Give a class its code as soon as no frame is in the way. Raises NotInstalled. wire: as ``_change``."""
        watched = not isinstance(observation, MethodRecording) and self._watches_exceptions
        self._has_handlers(True)
        try:
            for tries in range(_TRIES, 0, -1):  # in a server some call is always under way, but not always in a loop
                whole = watched and (bool(changed.maps) or tries > _TRIES_ANYHOW)
                try:
                    await self._change(observation, changed, sites, new, thread, whole=whole)
                    return
                except NotInstalled as why:
                    if tries == 1 or isinstance(why, NotInstalledUntilLeft | ChangedByAgent):
                        raise
                    await trio.sleep(_BETWEEN_TRIES)
        finally:
            self._note_handlers()

    async def _change(
        self,
        observation: Observation,
        changed: ChangedClass,
        sites: Mapping[PlaceKey, Site],
        new: Collection[MethodSite],
        thread: int,
        *,
        whole: bool,
    ) -> None:
        """Give a class its code. Raises NotInstalled while frames are in a loop of it. wire: 4 trips and more."""
        type_ = changed.type
        async with self._changes.held(type_.id):
            changing = {site.method.id for site in new}
            if whole:  # also those from which code is taken
                changing |= changed.maps.keys()
            await self._installer.require_free(changed, changing, thread, asked=observation.asked, whole=whole)
            observation.hand_over([site.observed for site in new])
            try:
                await self._changes.redefine(changed, sites)
            except ChangedByAgent as why:
                observation.take_back(type_.id, str(why))
                raise
            except JdbpyError as error:
                observation.take_back(type_.id, f"it could not be put into the target: {error.message}")
                await observation.means.redefined([type_.id])
                raise

    async def _log(
        self, observation: Observation, methods: Sequence[ObservedMethod], name: str, original: bytes
    ) -> CallLog:
        """Return the log of a class for an observation. Raises NotInstalled, CodeTooLong. wire: as compiling what is
        computed there.
        """
        if isinstance(observation, ObservedTimes):
            return CountLog(self._target, observation, methods, name)
        if isinstance(observation, ObservedTree):
            if observation.depth > 1:
                raise NotInstalled(f"a tree of {observation.depth} levels is not folded in the target")
            if observation.most and len({each.owner.id for each in observation.methods}) > 1:
                raise NotInstalled("so many calls of several classes are not counted in the target")
            return TreeLog(self._target, observation, methods, name, original)
        assert isinstance(observation, ObservedCalls)
        if observation.ordinary_because:
            raise NotInstalled(observation.ordinary_because)
        owner = methods[0].owner
        places = [CodeLocation(owner.tag, owner.id, each.method.id, 0) for each in methods]
        computed = []
        with staying("an expression"):
            for each, entry in zip(methods, await self._target.types.locations(places), strict=True):
                computed.append(await computed_ends(observation, each, entry, owner.name))
        return RecordLog(self._target, observation, methods, computed, name, self._changes, self._poller)

    @property
    def _watches_exceptions(self) -> bool:
        """True if there are exception breakpoints: they do not tell where a call throws that goes on in the code of
        before, and what a handler there throws again is thrown by the program to them."""
        return any(each.enabled for each in self._points.of_type(ExceptionCatchpoint))

    def _note_handlers(self) -> None:
        """Have exception breakpoints be as ever if no class has code for calls any more. wire: no wait."""
        sites = [each for those in self._changes.sites.values() for each in those.values()]
        if not self._changes.stale and not any(isinstance(each, MethodSite) for each in sites):
            self._has_handlers(False)

    def _has_handlers(self, has: bool) -> None:
        """Have exception breakpoints find out who catches, from before the change to a class on: each exception that
        leaves an observed method is caught there first, and thrown again. wire: no wait."""
        self._target.changed_code.has_handlers = has
        with suppress(Disconnected):
            for each in self._points.of_type(ExceptionCatchpoint):
                each.look_at_all()

    def _watch_end(self, observation: Observation) -> None:
        """Keep the target from its end until what it has counted is read."""
        if observation in self._ends:
            return

        async def at_end(hit: RequestHit) -> Verdict:
            with suppress(JdbpyError):
                await self._read(observation)
            return RESUME

        spec = RequestSpec(EventKind.VM_DEATH, JdwpSuspendPolicy.ALL, [], at_end)
        with suppress(Disconnected):
            self._ends[observation], _ = self._target.requests.submit(spec)

    # -- what the target has counted -----------------------------------------------------------------------------------

    async def run(self) -> None:
        """Read what was counted, for ever, as long as something is."""
        while True:
            if not self._logs:
                self._more = trio.Event()
                await self._more.wait()
            await trio.sleep(_PAUSE)
            for observation in list(self._logs):
                try:
                    await self._read(observation)
                except Disconnected:
                    return
                except JdbpyError as error:
                    self._logs.pop(observation, None)
                    text = f"counts kept in the target can no longer be read: {error.message}"
                    self._target.publish(Notice("warning", text))

    async def _read(self, observation: Observation) -> None:
        async with self._reading:
            for log in list(self._logs.get(observation, ())):
                await log.refresh()

    # -- out of it again -----------------------------------------------------------------------------------------------

    def _forget(self, observation: Observation) -> None:
        """End what the target keeps for an observation. wire: no wait."""
        if (end := self._ends.pop(observation, None)) is not None:
            self._target.requests.drop([end])
        logs = self._logs.pop(observation, [])
        with suppress(Disconnected):
            self._target.conn.submit_all([command for log in logs for command in log.close()])
        for type_id, sites in self._changes.sites.items():
            for place in [place for place, site in sites.items() if site.point is observation]:
                del sites[place]
                self._changes.stale.add(type_id)

    def lost(self, observation: Observation, type_id: ReferenceTypeID) -> None:
        """Give calls back to breakpoints after a hot swap, and try the target again later. wire: no wait."""
        observation.take_back(type_id, "its class was replaced")
        self._begin_in(observation, type_id)

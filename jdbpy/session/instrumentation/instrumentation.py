"""The ``instrumentation`` of a session: conditions of breakpoints that the target itself computes.

A condition that is false costs an ordinary breakpoint a stop of its thread and a trip. Here the method of the
breakpoint gets a call in front of the line, to a class that computes the condition: it runs at the speed of compiled
code, and only what is true reports. ``weaving`` makes the bytes; owns when that is done, where it is not, and that it
is undone: when a class is prepared that a breakpoint waits for, and when an ordinary one has been passed often.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable
from typing import Any

import trio

from jdbpy.errors import Disconnected, EvalError, JdbpyError, JdwpError, StateError, UsageError
from jdbpy.session.breakpoints.breakpoint import LogicalBreakpoint
from jdbpy.session.breakpoints.breakpoints import LineBreakpoints
from jdbpy.session.breakpoints.point import Point
from jdbpy.session.breakpoints.points import Points
from jdbpy.session.eval.conditions import CompiledCondition
from jdbpy.session.eval.emit.emitter import emit
from jdbpy.session.eval.emit.refusals import NotInTarget
from jdbpy.session.eval.evaluator import Evaluator
from jdbpy.session.eval.target import Ref
from jdbpy.session.hotswap.differences import differences, of_file
from jdbpy.session.hotswap.hotswap import running_shapes
from jdbpy.session.instrumentation.host_class import local_class_file
from jdbpy.session.instrumentation.in_thread import InThread, in_thread, set_static
from jdbpy.session.instrumentation.originals import keeper_class, keeper_name
from jdbpy.session.instrumentation.sites import Site, set_traps
from jdbpy.session.instrumentation.standing import everything_suspended, why_not_now
from jdbpy.session.java import class_file
from jdbpy.session.model.events import Notice
from jdbpy.session.model.instrumentation import WovenClass
from jdbpy.session.stack import StackReader
from jdbpy.session.target import facts
from jdbpy.session.target.changed_code import PREFIX, SIGN, ChangedClass
from jdbpy.session.target.refs import Method, RefType
from jdbpy.session.target.requests import EventRequest, RequestHit
from jdbpy.session.target.target import Target
from jdbpy.session.weaving.helper import helper_class
from jdbpy.session.weaving.parts import Filters, Woven
from jdbpy.session.weaving.weaver import weave
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import CodeLocation, MethodID, ReferenceTypeID
from jdbpy.wire.messages import object_reference, virtual_machine

PROMOTED_AFTER = 300
"""Hits with a false condition after which a way without stops is looked for."""

AGAIN_AFTER = 5_000
"""After so many more it is looked for again."""

_AGAIN = 5.0
"""Seconds until it is tried again to take checks out of a class that was busy."""

MODES = ("auto", "ask", "off")

_Place = tuple[MethodID, int]
"""A method and an index in the program's own code."""


class _Ordinary(Exception):  # it is no error
    """The condition stays with the debugger, for the reason that the text says."""


class Instrumentation:
    """Puts conditions into the target, and takes them out."""

    def __init__(
        self,
        target: Target,
        points: Points,
        breakpoints: LineBreakpoints,
        evaluator: Callable[[], Evaluator],
        stack: StackReader,
    ) -> None:
        self._target = target
        self._points = points
        self._breakpoints = breakpoints
        self._evaluator = evaluator
        self._stack = stack
        self._mode = "off"
        self._asked: set[int] = set()
        self._sites: dict[ReferenceTypeID, dict[_Place, Site]] = {}
        self._idle: list[Site] = []  # helpers that are in the target and not called
        self._lock = trio.Lock()
        self._session = secrets.token_hex(3)
        self._made = 0
        self._signed = False
        self._stale: set[ReferenceTypeID] = set()  # classes with checks that nothing waits for any more
        self._more = trio.Event()
        placement = breakpoints.placement
        placement.in_target = self
        points.on_false = self._often_false
        points.after_removal = self.settle
        target.changed_code.on_redefined = self._redefined

    # -- what the user chooses ---------------------------------------------------------------------------------------

    @property
    def mode(self) -> str:
        """``auto``: where the JVM is on this machine; ``ask``: only breakpoints that were asked for; ``off``."""
        return self._mode

    @mode.setter
    def mode(self, mode: str) -> None:
        """Raises UsageError for another word."""
        if mode not in MODES:
            raise UsageError(f"'{mode}' is none of {', '.join(MODES)}")
        self._mode = mode
        for point in self._breakpoints_here():
            self.placed(point)

    def ask(self, number: int) -> None:
        """Have the condition of a breakpoint computed in the target as soon as that can be done. Raises UsageError."""
        self._require_possible()
        point = self._point(number)
        self._asked.add(number)
        if wrong := self._unfit(point):
            self._asked.discard(number)
            raise UsageError(f"breakpoint {number} stays ordinary: {wrong}")
        point.look_after = max(1, point.passes)

    def woven(self) -> list[WovenClass]:
        """The classes that run checks now. No trip."""
        shown = []
        for type_id, changed in self._target.changed_code.classes.items():
            if changed.maps:
                sites = self._sites.get(type_id, {}).values()
                numbers = sorted({site.point.number for site in sites if type_id not in self._stale})
                methods = sorted({site.method.name for site in sites})
                shown.append(WovenClass(changed.type.name, tuple(numbers), tuple(methods)))
        return shown

    async def remove(self, numbers: Iterable[int] = ()) -> list[str]:
        """Take the checks of breakpoints out of the target, of all if none is named; they are ordinary from then on.

        Return the names of the classes that have their own code again. A call that is under way in such a class runs
        the former code until it returns. Raises UsageError. wire: 2 trips a class.
        """
        chosen = {self._point(number) for number in numbers}
        async with self._lock:
            restored = []
            for type_id in [each for each, changed in self._target.changed_code.classes.items() if changed.maps]:
                sites = self._sites.get(type_id, {})
                gone = {place: site for place, site in sites.items() if not chosen or site.point in chosen}
                if not gone and type_id not in self._stale:
                    continue
                changed = self._target.changed_code.classes[type_id]
                await self._redefine(changed, {place: each for place, each in sites.items() if place not in gone})
                if not changed.maps:
                    restored.append(changed.type.name)
            for point in chosen or set(self._breakpoints_here()):
                self._asked.discard(point.number)
                point.look_after = 0
                point.why_ordinary = "it was taken out of the target" if point.condition is not None else ""
        return restored

    # -- what breakpoints tell ---------------------------------------------------------------------------------------

    def request_at(self, point: LogicalBreakpoint, place: CodeLocation) -> EventRequest | None:
        """See ``placement.InTarget``."""
        site = self._site_at(place)
        return site.trap if site is not None and site.point is point and site.condition is point.condition else None

    def placed(self, point: LogicalBreakpoint) -> None:
        """See ``placement.InTarget``."""
        requests = list(point.placed.values())
        traps = {id(site.trap) for sites in self._sites.values() for site in sites.values()}
        point.computed_in_target = bool(requests) and all(id(each) in traps for each in requests)
        wanted = not point.computed_in_target and self._is_wanted(point) and not self._unfit(point)
        if wanted and not point.look_after:
            point.look_after = point.passes + PROMOTED_AFTER
        elif not wanted:
            point.look_after = 0
        point.why_ordinary = self._unfit(point) if self._is_wanted(point) and not wanted else point.why_ordinary
        if point.condition is None or not self._is_wanted(point):
            point.why_ordinary = ""

    def dropped(self, point: LogicalBreakpoint) -> None:
        """See ``placement.InTarget``."""
        point.computed_in_target = False
        for type_id, sites in self._sites.items():
            for place, site in list(sites.items()):
                if site.point is point:
                    self._target.requests.drop(site.requests)
                    site.trap = site.failed = None
                    del sites[place]
                    self._stale.add(type_id)
        if self._stale:
            self._more.set()

    async def prepared(self, prepared: RefType, thread: int) -> None:
        """See ``placement.InTarget``: no frame of the class is there yet. wire: some 20 trips."""
        points = [point for point in self._breakpoints_here() if self._places(point, prepared.id)]
        if self._target.suspension.everything_held:
            return  # what is run could wait for a thread that is suspended
        await self._improve(prepared, points, thread, at_hit=False)

    async def _often_false(self, point: Point, hit: RequestHit) -> None:
        """A breakpoint has been passed often: the thread of this hit stands at it. wire: some 30 trips, once."""
        assert isinstance(point, LogicalBreakpoint)
        point.look_after = point.passes + AGAIN_AFTER
        if self._target.suspension.everything_held:
            return
        location = hit.event.location
        if self._site_at(location) is not None:
            return  # a call that began before
        type_ = (await self._target.types.info([location.classID]))[location.classID]
        await self._improve(type_, [point], hit.thread, at_hit=True)

    async def settle(self) -> None:
        """Take checks that nothing waits for out of classes, where no call of them is under way. wire: 4 trips each."""
        if not self._stale or self._target.suspension.anything_held:
            return
        async with self._lock:
            for type_id in list(self._stale):
                changed = self._target.changed_code.classes.get(type_id)
                if changed is None or not changed.maps:
                    self._stale.discard(type_id)
                    continue
                async with everything_suspended(self._target):
                    if not await why_not_now(self._target, changed.type, self._now(changed)):
                        await self._redefine(changed, dict(self._sites.get(type_id, {})))

    async def run(self) -> None:
        """Take out later what could not be taken out at once, for ever."""
        while True:
            await self._more.wait()
            await trio.sleep(_AGAIN)
            self._more = trio.Event()
            try:
                await self.settle()
            except Disconnected:
                return
            except JdbpyError as error:
                self._target.publish(Notice("warning", f"a check could not be taken out of the target: {error}"))
                self._stale.clear()
            if self._stale:
                self._more.set()

    def _redefined(self, type_id: ReferenceTypeID, data: bytes) -> None:
        """A hot swap has given a class new code: that is its own now."""
        changed = self._target.changed_code.classes.pop(type_id, None)
        self._stale.discard(type_id)
        for site in self._sites.pop(type_id, {}).values():
            self._target.requests.drop(site.requests)
            site.point.placed = {place: each for place, each in site.point.placed.items() if each not in site.requests}
            site.trap = site.failed = None
            site.point.look_after = site.point.passes + 1
        self._idle = [site for site in self._idle if site.method.type_id != type_id]
        if changed is not None:
            self._target.changed_code.classes[type_id] = ChangedClass(changed.type, data)

    # -- what can be done --------------------------------------------------------------------------------------------

    @property
    def _possible(self) -> bool:
        target = self._target
        commands = (virtual_machine.RedefineClasses, object_reference.InvokeMethod)
        return target.can("canRedefineClasses") and all(target.conn.allows(each) for each in commands)

    def _require_possible(self) -> None:
        self._target.require_alive()
        self._target.conn.require_allowed(virtual_machine.RedefineClasses)
        if not self._possible:
            raise StateError("this VM cannot redefine classes", hint="'version' shows which VM it is")

    def _is_wanted(self, point: LogicalBreakpoint) -> bool:
        if point.condition is None or not self._possible or (self._mode == "off" and point.number not in self._asked):
            return False
        return point.number in self._asked or (self._mode == "auto" and not self._target.remote)

    def _unfit(self, point: LogicalBreakpoint) -> str:
        """Return why a breakpoint stays ordinary wherever it is; "" if it may be in the target."""
        if point.condition is None:
            return "it has no condition"
        if point.reports:
            return "it reports, and does not stop"
        if point.callers is not None:
            return "it looks at callers"
        if point.after_each:
            return "it waits for another breakpoint each time"
        return ""

    def _breakpoints_here(self) -> list[LogicalBreakpoint]:
        return self._points.of_type(LogicalBreakpoint)

    def _point(self, number: int) -> LogicalBreakpoint:
        found = next((each for each in self._breakpoints_here() if each.number == number), None)
        if found is None:
            self._points.get(number)
            raise UsageError(f"number {number} is no breakpoint at a line or method")
        return found

    def _places(self, point: LogicalBreakpoint, type_id: ReferenceTypeID) -> list[CodeLocation]:
        """Where a breakpoint is to stand in a class, as its code is now."""
        return [place for place in point.code.wanted() if place.classID == type_id] if point.wanted else []

    def _site_at(self, place: CodeLocation) -> Site | None:
        changed = self._target.changed_code.classes.get(place.classID)
        at = changed.index_before(place) if changed is not None else int(place.index)
        return self._sites.get(place.classID, {}).get((place.methodID, at))

    def _now(self, changed: ChangedClass) -> list[_Place]:
        """Where the checks of a class begin now."""
        sites = self._sites.get(changed.type.id, {})
        return [
            (method, changed.maps[method].start_after(at) if method in changed.maps else at) for method, at in sites
        ]

    # -- putting in --------------------------------------------------------------------------------------------------

    async def _improve(self, type_: RefType, points: list[LogicalBreakpoint], thread: int, *, at_hit: bool) -> None:
        """Have the target compute the conditions of breakpoints in a class, where that can be done."""
        wanted = [point for point in points if self._is_wanted(point) and not self._unfit(point)]
        if not wanted:
            return
        async with self._lock:
            try:
                await self._install(type_, wanted, thread, at_hit=at_hit)
            except _Ordinary as why:
                _say(wanted, str(why))
            except Disconnected:
                raise
            except (JdbpyError, class_file.MalformedClassFile) as error:
                _say(wanted, f"it could not be put into the target: {error}")
            finally:
                for point in wanted:
                    if at_hit and not point.computed_in_target:
                        point.look_after = point.passes + AGAIN_AFTER
                        for site in [each for each in self._idle if each.point is point]:
                            self._target.requests.drop(site.requests)
                            site.trap = site.failed = None

    async def _install(self, type_: RefType, points: list[LogicalBreakpoint], thread: int, *, at_hit: bool) -> None:
        target = self._target
        loader = (await target.types.facts.many(facts.LOADER, [type_.id])).get(type_.id, 0)
        asked = any(point.number in self._asked for point in points)
        if not loader and not asked:
            raise _Ordinary("its class is one of the JVM's own")
        if target.types.stratum_of(type_.id) is None and type_.is_array:
            raise _Ordinary("it is in no class")
        known = target.changed_code.classes.get(type_.id)
        methods = {method.id: method for method in (await target.types.methods([type_.id]))[type_.id]}
        sites = dict(self._sites.get(type_.id, {}))
        new: list[Site] = []
        async with in_thread(target, self._evaluator(), thread, type_) as run:
            changed = known or ChangedClass(type_, await self._original(run, type_))
            for point in points:
                for place in self._places(point, type_.id):
                    key = place.methodID, changed.index_before(place)
                    if key in sites:
                        if sites[key].point is not point:
                            _say([point], "another breakpoint is at the same place")
                        continue
                    if self._others_at(place, point):
                        _say([point], "another breakpoint is at the same place")
                        continue
                    try:
                        site = await self._site(point, type_, methods[place.methodID], key[1], place)
                    except _Ordinary as why:
                        _say([point], str(why))
                        continue
                    sites[key] = site
                    new.append(site)
            new = self._only_woven(changed, sites, new)
            if not new:
                return
            if at_hit:
                async with everything_suspended(target):
                    places = [(site.method.id, _start_now(changed, site)) for site in new]
                    if busy := await why_not_now(target, type_, places, at_event=thread, despite_loops=asked):
                        raise _Ordinary(busy)
            for site in new:
                await self._define(run, type_, site)
            if not changed.maps:
                await self._keep(run, type_, changed.original)
        if not at_hit:
            await self._redefine(changed, sites)
            return
        async with everything_suspended(target):
            places = [(site.method.id, _start_now(changed, site)) for site in new]
            if busy := await why_not_now(target, type_, places, at_event=thread, despite_loops=asked):
                raise _Ordinary(busy)
            await self._redefine(changed, sites)

    def _others_at(self, place: CodeLocation, point: LogicalBreakpoint) -> bool:
        return any(each is not point and place in each.placed for each in self._breakpoints_here())

    async def _original(self, run: InThread, type_: RefType) -> bytes:
        """The class file of a class, if that is what runs. Raises _Ordinary. wire: some 8 trips."""
        shapes = await running_shapes(self._target.types, [type_])
        different = False
        for data in (await local_class_file(self._target, type_.signature[1:-1]), None):
            found = data if data is not None else await run.class_file(type_)
            if not found:
                continue
            if not differences(shapes[type_.id], of_file(class_file.parse(found))):
                return found
            different = True
        why = "the code that runs differs from the class file" if different else "its class file is not found"
        raise _Ordinary(why)

    async def _site(
        self, point: LogicalBreakpoint, type_: RefType, method: Method, at: int, place: CodeLocation
    ) -> Site:
        """The check of a condition at a place. Raises _Ordinary. wire: as compiling it."""
        assert isinstance(point.condition, CompiledCondition)
        for site in self._idle:
            if site.is_for(point, at, method.id):
                return site
        [location] = await self._target.types.locations([place])
        try:
            emitted = emit(await point.condition.operations(location), type_.name)
        except NotInTarget as why:
            raise _Ordinary(f"the condition {why.reason}") from None
        except EvalError as error:
            raise _Ordinary(f"the condition does not compile yet: {error.message}") from None
        package = type_.signature[1:-1].rpartition("/")[0]
        self._made += 1
        name = f"{package + '/' if package else ''}{PREFIX}{self._session}_{self._made}"
        filters = Filters(thread=point.options.thread is not None, instance=point.options.instance is not None)
        helper = helper_class(name, type_.signature[1:-1], emitted, filters)
        return Site(point, point.condition, method, at, helper)

    def _only_woven(self, changed: ChangedClass, sites: dict[_Place, Site], new: list[Site]) -> list[Site]:
        """Leave out the places that the weaver refuses."""
        refused = weave(changed.original, [site.place for site in sites.values()]).refused
        for each in refused:
            for key, site in list(sites.items()):
                if site.place == each.place:
                    del sites[key]
                    _say([site.point], each.text)
        return [site for site in new if site in sites.values()]

    async def _define(self, run: InThread, type_: RefType, site: Site) -> None:
        """Define the helper of a site, and set its breakpoints. wire: some 8 trips, 4 more for each private member."""
        if site.type_id:
            if site.trap is None:
                await set_traps(self._target, self._points, site)
            return
        helper, options = site.helper, site.point.options
        site.type_id = await run.define(helper.name, helper.data)
        values: dict[str, Ref | None] = {each.field: await run.handle(each) for each in helper.handles}
        objects = {"thread": options.thread, "instance": options.instance}
        values.update({name: Ref(objects[name] or 0, Tag.OBJECT) for name in helper.references})
        if values:
            await set_static(self._target, site.type_id, values)
        self._idle.append(site)
        await set_traps(self._target, self._points, site)

    async def _keep(self, run: InThread, type_: RefType, original: bytes) -> None:
        """Keep the code of a class in the target, for a debugger that comes after this one was killed."""
        if not self._signed:
            sign = await self._target.conn.request(virtual_machine.ClassesBySignature(SIGN))
            if not sign.classes:
                await run.define(SIGN[1:-1], keeper_class(SIGN[1:-1]), boot=True)
            self._signed = True
        internal = type_.signature[1:-1]
        self._made += 1
        name = keeper_name(internal[: internal.rfind("/") + 1], self._session, self._made)
        keeper = await run.define(name, keeper_class(name))
        await set_static(self._target, keeper, {"data": await run.bytes(original), "host": await run.text(internal)})

    async def _redefine(self, changed: ChangedClass, sites: dict[_Place, Site]) -> None:
        """Give a class the checks of these sites and no others; everything else stands as it stood.

        Raises JdwpError when the VM refuses; nothing has changed then. wire: 2 trips.
        """
        target, type_ = self._target, changed.type
        woven = weave(changed.original, [site.place for site in sites.values()])
        methods = (await target.types.methods([type_.id]))[type_.id]
        definition = virtual_machine.ClassDef(type_.id, woven.data)
        await target.conn.request(virtual_machine.RedefineClasses([definition]))
        former, self._sites[type_.id] = self._sites.get(type_.id, {}), sites
        moved = self._moved(changed, woven, methods)
        maps = {method.id: found for method in methods if (found := woven.method(method.name, method.signature))}
        changed.maps = maps
        target.changed_code.classes[type_.id] = changed
        self._stale.discard(type_.id)
        await self._stand_again(type_, moved)
        for site in former.values():
            if site not in sites.values():
                self._target.requests.drop(site.requests)
                site.trap = site.failed = None

    def _moved(
        self, changed: ChangedClass, woven: Woven, methods: Iterable[Method]
    ) -> dict[CodeLocation, CodeLocation]:
        """Where the places of breakpoints in a class are, by where they were."""
        by_id = {method.id: woven.method(method.name, method.signature) for method in methods}
        moved = {}
        for point in self._breakpoints_here():
            for place in (*point.code.locations(), *point.placed):
                if place.classID == changed.type.id:
                    at, found = changed.index_before(place), by_id.get(place.methodID)
                    moved[place] = place.replace(index=found.start_after(at) if found is not None else at)
        return moved

    async def _stand_again(self, type_: RefType, moved: dict[CodeLocation, CodeLocation]) -> None:
        """The redefinition has dropped the breakpoints of the class: set them where their places are now. wire: 1 trip.

        The former requests stay known: events of them may still be on their way.
        """
        placement, target = self._breakpoints.placement, self._target
        target.types.invalidate([type_.id])
        self._stack.forget()
        placement.forget_code()
        pending: list[Any] = []
        for point in self._breakpoints_here():
            here = [place for place in point.placed if place in moved]
            point.code.move(moved)
            point.moved = tuple(moved.get(place, place) for place in point.moved)
            if isinstance(point.condition, CompiledCondition):
                point.condition.forget_code()
            for place in here:
                del point.placed[place]
            for place in here:
                own = self.request_at(point, moved[place])
                if own is not None:
                    point.placed[moved[place]] = own
                else:
                    pending.append(placement.put(point, moved[place])[1])
            if here:
                self.placed(point)
        for outcome in await target.conn.gather(pending):
            if isinstance(outcome, JdwpError):
                raise outcome
        await self._points.redefined([type_.id])


def _start_now(changed: ChangedClass, site: Site) -> int:
    found = changed.maps.get(site.method.id)
    return site.at if found is None else found.start_after(site.at)


def _say(points: Iterable[LogicalBreakpoint], why: str) -> None:
    for point in points:
        point.why_ordinary = why

"""Putting breakpoints into the target and taking them out again, now and when classes are loaded later.

Owns the requests of breakpoints: one for each code location, and those that tell when a class is prepared which the
breakpoint waits for. These suspend the preparing thread until the breakpoint is set, so that not even a static
initialiser slips through. A request for a location keeps its class from being unloaded (the agent holds on to it).
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import trio

from jdbpy.errors import JdbpyError, JdwpError, UsageError
from jdbpy.session import events
from jdbpy.session.breakpoints.breakpoint import LogicalBreakpoint
from jdbpy.session.breakpoints.location_spec import ClassLine, FileLine, MethodPlace
from jdbpy.session.breakpoints.places import AbsoluteSpec, Found, PlaceFinder
from jdbpy.session.concurrency import both
from jdbpy.session.requests import GO, EventRequest, Hit, RequestSpec, Vote
from jdbpy.session.target import Target
from jdbpy.session.types import facts
from jdbpy.session.types.class_names import ClassName, enclosing, similar
from jdbpy.session.types.refs import RefType
from jdbpy.session.types.signatures import outermost, signature_of
from jdbpy.wire.constants import EventKind
from jdbpy.wire.ids import Location, ObjectID, ReferenceTypeID, ThreadID
from jdbpy.wire.messages import event_request, virtual_machine
from jdbpy.wire.pending import Pending

_FEW = 8
"""The most places of a breakpoint of which everything is learned when it is set."""

_AHEAD = 256
"""The most places that are not confirmed yet while many breakpoints are added."""

OnHit = Callable[[LogicalBreakpoint, Hit], Vote]


class ClassGroup:
    """Breakpoints whose classes are found in the same way: those of one class name, or of one file.

    They share the requests that tell of classes prepared later (``watches``, by their pattern), and what a listing of
    all classes has shown: ``types``, None while that is not known; ``missing`` is what they wait for if there are none.
    A class that is prepared voids it. ``spec`` is the place of one of them.
    """

    def __init__(self, spec: AbsoluteSpec) -> None:
        self.spec = spec
        self.points: dict[LogicalBreakpoint, None] = {}
        self.watches: dict[str, EventRequest] = {}
        self.types: Sequence[RefType] | None = None
        self.missing = ""
        self.stale = False
        self.was_known = False
        self.lock = trio.Lock()

    def forget(self) -> None:
        self.types, self.stale = None, True


class Placement:
    """Sets and clears the requests of the breakpoints of one target; ``on_hit`` is asked when one is reached."""

    def __init__(self, target: Target, on_hit: OnHit) -> None:
        self._target = target
        self.types = target.types
        self._on_hit = on_hit
        self._finder = PlaceFinder(target.types)
        self._groups: dict[Any, ClassGroup] = {}
        self.moves = True
        """A line without code is taken for the next one with code, which is said; False: it is refused."""
        self._prepared = 0  # the class of which requests told last
        self._adding_many = False
        self._unconfirmed: deque[tuple[LogicalBreakpoint, Location, Pending[Any]]] = deque()

    async def arm(self, point: LogicalBreakpoint) -> None:
        """Sets the breakpoint wherever its place is now, and watches for classes that are loaded later.

        Raises UsageError when the place cannot exist; nothing is left behind then.
        wire: a method 3 trips, a line 4, since methods, their lines and the breakpoints each follow from the trip
        before; 2 when the code is known; 1 for a line and 2 for a method of a class that is not loaded. Another
        breakpoint in the same class or file: 1, 0 when the class is not loaded.
        """
        group = point.group = self._group(point.spec)
        group.points[point] = None
        try:
            try:
                await self._arm_in(group, point)
            except JdwpError:  # what was known of the class may be out of date
                if not group.was_known:
                    raise
                group.forget()
                await self._arm_in(group, point)
        except BaseException:
            self.disarm(point)
            raise

    @asynccontextmanager
    async def adding_many(self) -> AsyncIterator[None]:
        """Within the block, setting a breakpoint in known code does not wait for the agent's confirmation.

        The agent handles commands in order, so a later command finds it set. One that is refused is published as
        failed. At most ``_AHEAD`` places are unconfirmed, and none behind the block. wire: 1 trip at the end.
        """
        nested, self._adding_many = self._adding_many, True
        try:
            yield
        finally:
            self._adding_many = nested
        await self._confirm(0)

    async def _confirm(self, most: int) -> None:
        """Publish the places that the agent has refused, if more than so many are unconfirmed. wire: 1 trip."""
        if len(self._unconfirmed) <= most:
            return
        await self._target.conn.request(virtual_machine.IDSizes())  # answered behind them; may be cancelled
        while self._unconfirmed and self._unconfirmed[0][2].done:
            point, place, pending = self._unconfirmed.popleft()
            if _failed(pending.outcome) and point.placed.pop(place, None) is not None and not point.placed:
                self._tell_failure(point, pending.outcome)

    async def _arm_in(self, group: ClassGroup, point: LogicalBreakpoint) -> None:
        types = await self._types_of(group, point.spec)
        if point.group is not group:
            return
        if not types:
            point.message = f"waits for {group.missing} to be loaded"
            return
        _bind(point, types)
        found = await self._finder.places(point.spec, types, move=self.moves)
        point.message = found.note
        if point.group is group:
            self._replace_moved(point, found)
            await self._set(point, found.places)

    def disarm(self, point: LogicalBreakpoint) -> list[Pending[Any]]:
        """Takes the breakpoint out of the target; what is returned may be waited for."""
        requests = list(point.placed.values())
        group, point.group = point.group, None
        if group is not None:
            del group.points[point]
            if not group.points:
                self._groups = {key: each for key, each in self._groups.items() if each is not group}
                requests += group.watches.values()
                group.watches.clear()
        point.placed.clear()
        point.moved = ()
        point.counting = 0
        return self._target.requests.drop(requests)

    def forget_code(self) -> None:
        """Classes were redefined: what was made of their lines is out of date."""
        self._finder.forget()

    async def renew(self, point: LogicalBreakpoint, type_ids: Iterable[ReferenceTypeID]) -> None:
        """Sets the breakpoint again in classes that were redefined, which has dropped it there (agent notes 91)."""
        renewed = set(type_ids)
        lost = [place for place in point.placed if place.classID in renewed]
        self._target.requests.submit_clear([point.placed.pop(place) for place in lost])
        point.counting = 0 if lost else point.counting
        known = await self._target.types.info(renewed)
        types = await self._finder.among(point.spec, known.values())
        if types:
            await self._set_or_tell(point, types)

    # -- looking -----------------------------------------------------------------------------------------------------

    def _group(self, spec: AbsoluteSpec) -> ClassGroup:
        """The breakpoints whose classes are found in the same way as those of this place."""
        key = _key(spec)
        if key not in self._groups:
            self._groups[key] = ClassGroup(spec)
        return self._groups[key]

    async def _types_of(self, group: ClassGroup, spec: AbsoluteSpec) -> Sequence[RefType]:
        """The loaded types that places of the group can be in. wire: as listing them; 0 while that is known."""
        async with group.lock:
            if not group.points:  # all were removed while the lock was waited for
                return ()
            group.was_known = group.types is not None
            if group.types is None:
                group.stale = False
                listed = await self._watch_and_list(group)
                types = await self._finder.among(spec, listed)
                group.missing = "" if types else _what_is_missing(spec, listed)
                if group.stale:  # a class was prepared meanwhile
                    return types
                group.types = types
            return group.types

    async def _watch_and_list(self, group: ClassGroup) -> list[RefType]:
        """Watches for classes, then lists those that are there, in one segment and in this order, so that no class
        can be loaded unseen in between. What the listing will show is asked about ahead, as far as it is known."""
        types, conn, spec = self._target.types, self._target.conn, group.spec
        watches = self._submit_watches(group, _watches(spec))
        signatures = _signatures(spec)
        listing: list[Pending[Any]] = [conn.submit(virtual_machine.ClassesBySignature(name)) for name in signatures]
        everything = None if signatures else conn.submit(virtual_machine.AllClassesWithGeneric())
        ahead = self._finder.likely(spec)
        refused, _ = await both(lambda: self._settle(group, watches), lambda: types.prefetch((facts.METHODS, ahead)))
        if isinstance(spec, FileLine) and refused:
            # An agent without source name filters: then the class is taken to be named like its file.
            name = ClassName(spec.file.partition(".")[0])
            await self._settle(group, self._submit_watches(group, _class_watches(name, nested=True)))
        named = [(signature, await reply.wait()) for signature, reply in zip(signatures, listing, strict=True)]
        found = [types.learn(each.typeID, each.refTypeTag, sign) for sign, reply in named for each in reply.classes]
        if found:
            return found
        listed = (await everything.wait()).classes if everything else await types.all_classes()
        return [types.learn(each.typeID, each.refTypeTag, each.signature) for each in listed]

    def _submit_watches(
        self, group: ClassGroup, patterns: dict[str, Any]
    ) -> list[tuple[str, EventRequest, Pending[Any]]]:
        submitted = []
        policy = self._target.requests.policy_of_watching
        for label, modifier in patterns.items():
            if label not in group.watches:
                handler = partial(self._on_prepare, group)
                spec = RequestSpec(EventKind.CLASS_PREPARE, policy, [modifier], handler)
                request, pending = self._target.requests.submit(spec)
                group.watches[label] = request
                submitted.append((label, request, pending))
        return submitted

    async def _settle(self, group: ClassGroup, watches: Sequence[tuple[str, EventRequest, Pending[Any]]]) -> bool:
        """Waits for watches; whether one was refused, which only a source name filter can be."""
        outcomes = await self._target.conn.gather([pending for _, _, pending in watches])
        refused = [label for (label, _, _), outcome in zip(watches, outcomes, strict=True) if _failed(outcome)]
        for label in refused:
            group.watches.pop(label, None)
        return bool(refused)

    # -- setting -----------------------------------------------------------------------------------------------------

    async def _set(self, point: LogicalBreakpoint, places: Iterable[Location]) -> None:
        """Sets the breakpoint at those places where it does not stand yet, and learns their lines. wire: 1 trip."""
        with self._target.conn.gathering:  # thousands in a row: no task is woken to send each
            submitted = self._submit_places(point, places)
        if self._adding_many and self._is_known([place for place, _ in submitted]):
            self._unconfirmed += [(point, place, pending) for place, pending in submitted]
            await self._confirm(_AHEAD)
            return
        await self._settle_places(point, submitted)

    def _submit_places(
        self, point: LogicalBreakpoint, places: Iterable[Location]
    ) -> list[tuple[Location, Pending[Any]]]:
        new = [place for place in dict.fromkeys(places) if place not in point.placed]
        if new and point.counting:
            new = [*self._count_anew(point), *new]
        if new:
            point.counting = point.agent_count if len(new) + len(point.placed) == 1 else 0
        submitted = []
        for place in new:
            request, pending = self._target.requests.submit(self._spec(point, place))
            point.placed[place] = request
            submitted.append((place, pending))
        return submitted

    async def _settle_places(self, point: LogicalBreakpoint, submitted: list[tuple[Location, Pending[Any]]]) -> None:
        places, replies = [place for place, _ in submitted], [pending for _, pending in submitted]
        if not self._target.far and self._is_known(places):
            outcomes = await self._target.conn.gather(replies)
        else:
            outcomes, _ = await both(lambda: self._target.conn.gather(replies), lambda: self._learn(places))
        refused = {place: outcome for place, outcome in zip(places, outcomes, strict=True) if _failed(outcome)}
        for place in refused:
            point.placed.pop(place, None)
        if refused and not point.placed:
            raise next(iter(refused.values()))

    def _is_known(self, places: Sequence[Location]) -> bool:
        """True if nothing has to be asked for to show these places. No trip."""
        for place in places:
            self.types.location(place)  # which keeps what it finds
        return self.types.is_placed(places)

    async def _learn(self, places: Sequence[Location]) -> None:
        """Learns the lines of places; over a slow link also what the first stop there would have to ask for.

        wire: 1 trip.
        """
        if self._target.far and len(places) <= _FEW:
            await self._target.stop_places.learn(places)
        else:
            await self._target.types.locations(places)

    def _spec(self, point: LogicalBreakpoint, place: Location) -> RequestSpec:
        """The request for one place; Count comes last, since the agent tests modifiers in their order."""
        options = point.options
        modifiers: list[Any] = [event_request.LocationOnly(place)]
        if options.thread is not None:
            modifiers.append(event_request.ThreadOnly(ThreadID(ObjectID(options.thread))))
        if options.instance is not None:
            modifiers.append(event_request.InstanceOnly(ObjectID(options.instance)))
        if point.counting:
            modifiers.append(event_request.Count(point.counting))
        handler = partial(self._on_hit, point)
        sieve = point.sieve(EventKind.BREAKPOINT, 0)
        return RequestSpec(EventKind.BREAKPOINT, point.wire_policy, modifiers, handler, point, sieve)

    def _count_anew(self, point: LogicalBreakpoint) -> list[Location]:
        """Takes out a breakpoint whose hits the agent counts at one place, since there is a second one now."""
        places = list(point.placed)
        self._target.requests.submit_clear(point.placed.values())
        point.placed.clear()
        text = f"breakpoint {point.number} counts its hits anew: its place is there a second time now"
        self._publish("breakpoint-recount", point, text)
        return places

    def _on_prepare(self, group: ClassGroup, hit: Hit) -> Vote:
        """A class is prepared: breakpoints whose place may be in it are set before it runs."""
        event = hit.event
        prepared = self._target.types.learn(event.typeID, event.refTypeTag, event.signature)
        if hit.request not in group.watches.values():
            return GO
        group.forget()
        if isinstance(group.spec, FileLine):
            concerned = list(group.points)
        elif self._prepared == prepared.id:  # another group's request has told of it, and all were set then
            return GO
        else:
            self._prepared = prepared.id
            named = [each for each in self._groups.values() if not isinstance(each.spec, FileLine)]
            points = [point for each in named for point in each.points]
            concerned = [point for point in points if self._finder.may_concern(point.spec, prepared)]
        return self._target.verdict_on_prepared(self._on_class(concerned, prepared)) if concerned else GO

    async def _on_class(self, points: Sequence[LogicalBreakpoint], prepared: RefType) -> None:
        """Sets breakpoints in a class that may have their places. wire: 2 to 4 trips, for all of them."""
        if not await self._finder.concerns(points[0].spec, prepared):
            return
        begun = []
        for point in sorted(points, key=lambda each: -each.number):  # as an agent tells of requests: the newest first
            if point.group is not None:  # it may have been removed meanwhile
                begun.append((point, await self._begin(point, [prepared])))
        for point, setting in begun:
            if setting is not None:
                await self._finish(point, *setting)

    async def _set_or_tell(self, point: LogicalBreakpoint, types: Sequence[RefType]) -> None:
        """Sets the breakpoint in classes that have come or changed, and publishes what came of it."""
        setting = await self._begin(point, types)
        if setting is not None:
            await self._finish(point, *setting)

    async def _begin(
        self, point: LogicalBreakpoint, types: Sequence[RefType]
    ) -> tuple[bool, Found, list[tuple[Location, Pending[Any]]]] | None:
        """Submits the breakpoint in classes that have come or changed: whether it stood before, what was found, and the
        pending replies; None if its place is not there. wire: 0 trips when the code is known."""
        stood = bool(point.placed)
        try:
            found = await self._find_later(point.spec, types)
        except UsageError as error:
            if not stood and _is_the_one(point.spec, types):
                self._tell_failure(point, error)
            return None
        self._replace_moved(point, found)
        return stood, found, self._submit_places(point, found.places)

    def _replace_moved(self, point: LogicalBreakpoint, found: Found) -> None:
        """Take out the places to which the breakpoint was moved, now that there is its own line or a nearer one."""
        if found.places:
            stale = [place for place in point.moved if place not in found.places]
            self._target.requests.drop([point.placed.pop(place) for place in stale if place in point.placed])
            point.moved = found.places if found.moved else ()

    async def _finish(
        self, point: LogicalBreakpoint, stood: bool, found: Found, submitted: list[tuple[Location, Pending[Any]]]
    ) -> None:
        await self._settle_places(point, submitted)
        if point.placed:
            point.message = found.note if found.places else ""
            if not stood:
                shown = point.shown_spec
                note = f" ({point.message})" if found.moved else ""
                self._publish("breakpoint-resolved", point, f"breakpoint {point.number} is set at {shown}{note}")
        else:
            point.message = found.note

    async def _find_later(self, spec: AbsoluteSpec, types: Sequence[RefType]) -> Found:
        """The place in classes that have just come; if it is not there, in all that their file has brought so far."""
        try:
            return await self._finder.places(spec, types)
        except UsageError:
            if isinstance(spec, MethodPlace):
                raise
        tops = {outermost(each.name) for each in types}
        known = self._target.types.all_known()
        around = [each for each in known if outermost(each.name) in tops and not each.is_array]
        return await self._finder.places(spec, around, move=self.moves)

    def _tell_failure(self, point: LogicalBreakpoint, error: JdbpyError) -> None:
        text = f"breakpoint {point.number} cannot be set: {error.message}"
        if error.message != point.message:
            point.message = error.message
            self._publish("breakpoint-failed", point, f"{text} ({error.hint})" if error.hint else text, error.code)

    def _publish(self, kind: str, point: LogicalBreakpoint, text: str, code: str = "") -> None:
        data = (("breakpoint", point.number), ("spec", point.shown_spec))
        self._target.publish(events.Notice(kind, text, (*data, ("code", code)) if code else data))


def _key(spec: AbsoluteSpec) -> Any:
    """What decides which classes a place may be in."""
    if isinstance(spec, FileLine):
        return spec.directory, spec.file
    return type(spec), spec.class_name


def _bind(point: LogicalBreakpoint, types: Sequence[RefType]) -> None:
    """Takes the full name for a short one, now that it is known."""
    spec = point.spec
    if isinstance(spec, FileLine) or spec.class_name is None or spec.class_name.is_pattern or spec.class_name.bound:
        return
    name = spec.class_name
    around = {each for known in types for each in enclosing(known.name)}
    meant = [each for each in around if name.is_name_of(each)] or [each for each in around if name.is_end_of(each)]
    point.spec = spec.replace(class_name=ClassName(min(meant, key=len), bound=True))


def _failed(outcome: object) -> bool:
    return isinstance(outcome, JdwpError)


def _what_is_missing(spec: AbsoluteSpec, loaded: Iterable[RefType]) -> str:
    """What a breakpoint waits for, with what may have been meant instead: a slip would make it wait for ever."""
    if isinstance(spec, FileLine):
        return f"a class of {spec.file}"
    assert spec.class_name is not None
    name = spec.class_name.text
    if spec.class_name.is_pattern:
        return f"a class {name}"
    near = similar(name, (each.name for each in loaded if not each.is_array))
    return f"{name} (there is {', '.join(near)})" if near else name


def _is_the_one(spec: AbsoluteSpec, types: Sequence[RefType]) -> bool:
    """Whether the place ought to be in one of the types: not merely in something that has a similar name."""
    if isinstance(spec, FileLine):
        return True
    assert spec.class_name is not None
    name = spec.class_name
    return not name.is_pattern and any(name.is_name_of(each) for known in types for each in enclosing(known.name))


def _signatures(spec: AbsoluteSpec) -> list[str]:
    """Signatures that name all the types there can be; none when only a listing of all classes tells."""
    if isinstance(spec, MethodPlace) and spec.class_name is not None and spec.class_name.is_full:
        return [signature_of(name) for name in spec.class_name.spellings()]
    return []


def _watches(spec: AbsoluteSpec) -> dict[str, Any]:
    """Modifiers of the requests that tell when a class is prepared which may have the place, by a label."""
    if isinstance(spec, FileLine):
        return {f"source {spec.file}": event_request.SourceNameMatch(spec.file)}
    assert spec.class_name is not None
    watches = _class_watches(spec.class_name, nested=isinstance(spec, ClassLine))
    if isinstance(spec, ClassLine) and not spec.class_name.is_full and not spec.class_name.text.endswith("*"):
        # Classes inside one of which only the end of the name is known: no pattern of names catches them.
        pattern = spec.class_name.source_pattern
        watches[f"source {pattern}"] = event_request.SourceNameMatch(pattern)
    return watches


def _class_watches(name: ClassName, *, nested: bool) -> dict[str, Any]:
    return {pattern: event_request.ClassMatch(pattern) for pattern in name.prepare_patterns(nested=nested)}

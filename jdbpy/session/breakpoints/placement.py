"""Putting breakpoints into the target and taking them out again, now and when classes are loaded later.

Owns the requests of breakpoints, one for each code location, and what happens when a class is prepared that one waits
for (``class_groups``). A request for a location keeps its class from being unloaded (the agent holds on to it).
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Callable, Collection, Iterable, Sequence
from contextlib import asynccontextmanager, nullcontext
from functools import partial
from typing import Any

from jdbpy.errors import Disconnected, EvalError, JdbpyError, JdwpError, UsageError
from jdbpy.session.breakpoints.class_groups import ClassGroup, ClassGroups, failed
from jdbpy.session.breakpoints.line_breakpoint import LineBreakpoint
from jdbpy.session.breakpoints.location_spec import FileLine, MethodPlace
from jdbpy.session.breakpoints.places import AbsoluteSpec, FoundPlaces, PlaceFinder
from jdbpy.session.concurrency import both
from jdbpy.session.events.conditions import Condition
from jdbpy.session.events.requests import RESUME, EventRequest, RequestHit, RequestSpec, Vote
from jdbpy.session.events.target import Target
from jdbpy.session.extension import Extension
from jdbpy.session.java.class_names import ClassName, enclosing, not_loaded
from jdbpy.session.java.signatures import outermost
from jdbpy.session.jvm import facts
from jdbpy.session.jvm.facts import MethodKey
from jdbpy.session.jvm.refs import RefType
from jdbpy.session.model import events
from jdbpy.wire.constants import EventKind
from jdbpy.wire.ids import CodeLocation, ObjectID, ReferenceTypeID, ThreadID
from jdbpy.wire.messages import event_request, virtual_machine
from jdbpy.wire.pending import Pending

_FEW = 8
"""The most places of a breakpoint of which everything is learned when it is set."""

_AHEAD = 256
"""The most places that are not confirmed yet while many breakpoints are added."""


OnHit = Callable[[LineBreakpoint, RequestHit], Vote]


class Placement:
    """Sets and clears the requests of the breakpoints of one target; ``on_hit`` is asked when one is reached."""

    def __init__(self, target: Target, on_hit: OnHit) -> None:
        self._target = target
        self.types = target.types
        self._on_hit = on_hit
        self._finder = PlaceFinder(target)
        self._groups = ClassGroups(target, self._finder, self._on_prepare)
        self.moves = True
        """A line without code is taken for the next one with code, which is said; False: it is refused."""
        self._prepared = 0  # the class of which requests told last
        self._adding_many = False
        self._unconfirmed: deque[tuple[LineBreakpoint, CodeLocation, Pending[Any]]] = deque()

    async def arm(self, point: LineBreakpoint) -> None:
        """Set the breakpoint wherever its place is now, and watch for classes that are loaded later.

        Raises UsageError when the place cannot exist; nothing is left behind then.
        wire: a method 3 trips, a line 4, since methods, their lines and the breakpoints each follow from the trip
        before; 2 when the code is known; 1 for a line and 2 for a method of a class that is not loaded. Another
        breakpoint in the same class or file: 1, 0 when the class is not loaded.
        """
        group = self._groups.join(point)
        point.code.forget()
        try:
            async with self._target.code_guard.unchanged():
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
        try:
            await self._target.conn.request(virtual_machine.IDSizes())  # answered behind them; may be cancelled
        except Disconnected:  # the last line has left the target: nothing of them is set any more
            self._unconfirmed.clear()
            return
        while self._unconfirmed and self._unconfirmed[0][2].done:
            point, place, pending = self._unconfirmed.popleft()
            if failed(pending.outcome) and point.placed.pop(place, None) is not None and not point.placed:
                self._tell_failure(point, pending.outcome)

    async def _arm_in(self, group: ClassGroup, point: LineBreakpoint) -> None:
        types = await self._groups.types_of(group, point.spec)
        if point.group is not group:
            return
        if not types:
            point.message = group.missing
            return
        _bind(point, types)
        found = await self._finder.places(point.spec, types, move=self.moves)
        point.message = found.note
        if point.group is group:
            await self._enter(point, found)
        if point.group is group:
            await self.sync(point)

    def disarm(self, point: LineBreakpoint) -> list[Pending[Any]]:
        """Take the breakpoint out of the target; what is returned may be waited for."""
        requests = [*point.placed.values(), *self._groups.leave(point)]
        point.placed.clear()
        point.moved = ()
        point.counting = 0
        for extension in self._target.extensions.of(Extension.breakpoint_removed):
            extension.breakpoint_removed(point)
        return self._target.requests.drop(requests)

    def forget_code(self) -> None:
        """Classes were redefined: what was made of their lines is out of date."""
        self._finder.forget()

    def put(self, point: LineBreakpoint, place: CodeLocation) -> tuple[EventRequest, Pending[Any]]:
        """Submit an ordinary breakpoint at a place where the point stands already by what it is set for. No wait."""
        request, pending = self._target.requests.submit(self._spec(point, place))
        point.placed[place] = request
        return request, pending

    async def renew(self, point: LineBreakpoint, type_ids: Iterable[ReferenceTypeID]) -> None:
        """Set the breakpoint again in redefined classes (docs/agent.md, "Redefinition drops breakpoints")."""
        renewed = set(type_ids)
        lost = [place for place in point.code.locations() if place.classID in renewed]
        point.code.forget(lost)
        self._target.requests.submit_clear([point.placed.pop(place) for place in lost if place in point.placed])
        point.counting = 0 if lost else point.counting
        known = await self._target.types.info(renewed)
        types = await self._finder.among(point.spec, known.values())
        if types:
            await self._set_or_tell(point, types, {(place.classID, place.methodID) for place in lost})

    # -- setting -----------------------------------------------------------------------------------------------------

    async def sync(self, point: LineBreakpoint) -> None:
        """Make the breakpoint stand at its places that are wanted, and at no other. wire: 1 trip."""
        # Thousands in a row leave at once, and no task is woken to send each. Else what is asked beside them, in the
        # next turn of the loop, is to leave with them: on a busy machine the agent has answered by then.
        with self._target.conn.corked if self._adding_many else nullcontext():
            submitted = self._submit_places(point)
        if self._adding_many and self._is_known([place for place, _ in submitted]):
            self._unconfirmed += [(point, place, pending) for place, pending in submitted]
            await self._confirm(_AHEAD)
            return
        await self._settle_places(point, submitted)

    def _submit_places(self, point: LineBreakpoint) -> list[tuple[CodeLocation, Pending[Any]]]:
        wanted = point.code.wanted()
        stale = set(point.placed).difference(wanted)
        if stale:
            self._target.requests.submit_clear([point.placed.pop(place) for place in stale])
            point.counting = point.counting if point.placed else 0
        new = [place for place in wanted if place not in point.placed]
        if new and point.counting:
            new = [*self._count_anew(point), *new]
        if new:
            point.counting = point.agent_count if len(new) + len(point.placed) == 1 else 0
        submitted = []
        for place in new:
            own = self._own_request(point, place)
            if own is not None:
                point.placed[place] = own
                continue
            request, pending = self._target.requests.submit(self._spec(point, place))
            point.placed[place] = request
            submitted.append((place, pending))
        for extension in self._target.extensions.of(Extension.breakpoint_installed):
            extension.breakpoint_installed(point)
        return submitted

    def _own_request(self, point: LineBreakpoint, place: CodeLocation) -> EventRequest | None:
        """Return the request by which an extension reports the hits of a place."""
        for extension in self._target.extensions.of(Extension.request_at):
            found: EventRequest | None = extension.request_at(point, place)
            if found is not None:
                return found
        return None

    async def _enter(self, point: LineBreakpoint, found: FoundPlaces) -> None:
        """Take in the places that were found, and compile the condition there.

        Raises UsageError, EvalError where none of them is wanted, unless a class is still to come that may have one.
        wire: none without a condition, else as compiling it.
        """
        self._replace_moved(point, found)
        point.code.enter(found.places)
        results = await point.code.compile(point.condition, point.brings)
        for place, wrong in results.items():
            place.checked, place.wrong = point.condition, wrong
        await self._require_place(point, results.values())

    async def check(self, point: LineBreakpoint, condition: Condition | None) -> None:
        """Compile a new condition at the places of a breakpoint, which stands from then on where it makes sense.

        Raises EvalError where that is nowhere; nothing has changed then. wire: as compiling it.
        """
        results = await point.code.compile(condition, point.brings)
        await self._require_place(point, results.values())
        for place, wrong in results.items():
            place.checked, place.wrong = condition, wrong

    async def _require_place(self, point: LineBreakpoint, results: Iterable[EvalError | None]) -> None:
        """Raises the reason why the breakpoint has no place to stand at, if no class is outstanding that may have one.

        wire: 1 trip where there is a reason.
        """
        wrong = list(results)
        reason = point.code.missing_part() or (wrong[0] if wrong and None not in wrong else None)
        if reason is None:
            return
        by_line = not isinstance(point.spec, MethodPlace)
        absent = await self._finder.outstanding(point.code.locations()) if by_line else []
        if not absent:
            raise reason
        point.message = f"{not_loaded(absent)}: {reason.message}"

    async def _settle_places(self, point: LineBreakpoint, submitted: list[tuple[CodeLocation, Pending[Any]]]) -> None:
        places, replies = [place for place, _ in submitted], [pending for _, pending in submitted]
        if not self._target.high_latency and self._is_known(places):
            outcomes = await self._target.conn.gather(replies)
        else:
            outcomes, _ = await both(lambda: self._target.conn.gather(replies), lambda: self._learn(places))
        refused = {place: outcome for place, outcome in zip(places, outcomes, strict=True) if failed(outcome)}
        for place in refused:
            point.placed.pop(place, None)
        if refused and not point.placed:
            raise next(iter(refused.values()))

    def _is_known(self, places: Sequence[CodeLocation]) -> bool:
        """True if nothing has to be asked for to show these places. No trip."""
        for place in places:
            self.types.location(place)  # which keeps what it finds
        return self.types.is_placed(places)

    async def _learn(self, places: Sequence[CodeLocation]) -> None:
        """Learn the lines of places; over a slow link also what the first stop there would have to ask for.

        wire: 1 trip.
        """
        if self._target.high_latency and len(places) <= _FEW:
            await self._target.stop_places.learn(places)
        else:
            await self._target.types.locations(places)

    def _spec(self, point: LineBreakpoint, place: CodeLocation) -> RequestSpec:
        """Return the request for one place; Count comes last, since the agent tests modifiers in their order."""
        options = point.options
        modifiers: list[Any] = [event_request.LocationOnly(place)]
        if options.thread is not None:
            modifiers.append(event_request.ThreadOnly(ThreadID(ObjectID(options.thread))))
        if options.instance is not None:
            modifiers.append(event_request.InstanceOnly(ObjectID(options.instance)))
        if point.counting:
            modifiers.append(event_request.Count(point.counting))
        handler = partial(self._on_hit, point)
        counting_filter = point.counting_filter(EventKind.BREAKPOINT, 0)
        return RequestSpec(EventKind.BREAKPOINT, point.wire_policy, modifiers, handler, point, counting_filter)

    def _count_anew(self, point: LineBreakpoint) -> list[CodeLocation]:
        """Take out a breakpoint whose hits the agent counts at one place, since there is a second one now."""
        places = list(point.placed)
        self._target.requests.submit_clear(point.placed.values())
        point.placed.clear()
        text = f"breakpoint {point.number} counts its hits anew: its place is there a second time now"
        self._publish("breakpoint-recount", point, text)
        return places

    def _on_prepare(self, group: ClassGroup, hit: RequestHit) -> Vote:
        """A class is prepared: breakpoints whose place may be in it are set before it runs."""
        event = hit.event
        prepared = self._target.types.learn(event.typeID, event.refTypeTag, event.signature)
        if hit.request not in group.watches.values():
            return RESUME
        group.forget()
        if isinstance(group.spec, FileLine):
            concerned = list(group.points)
        elif self._prepared == prepared.id:  # another group's request has told of it, and all were set then
            return RESUME
        else:
            self._prepared = prepared.id
            points = self._groups.points_by_name()
            concerned = [point for point in points if self._finder.may_concern(point.spec, prepared)]
        if not concerned:
            return RESUME
        return self._target.verdict_on_prepared(partial(self._on_class, concerned, prepared, event.thread))

    async def _on_class(self, points: Sequence[LineBreakpoint], prepared: RefType, thread: int) -> None:
        """Set breakpoints in a class that may have their places. wire: 2 to 4 trips, for all of them."""
        async with self._target.code_guard.unchanged():
            if not await self._finder.concerns(points[0].spec, prepared):
                return
            begun = []
            for point in sorted(points, key=lambda each: -each.number):  # as an agent tells of requests: newest first
                if point.group is not None:  # it may have been removed meanwhile
                    begun.append((point, await self._begin(point, [prepared])))
            for point, setting in begun:
                if setting is not None:
                    await self._finish(point, *setting)
        for extension in self._target.extensions.of(Extension.class_prepared) if thread else ():
            await extension.class_prepared(prepared, thread)

    async def _set_or_tell(
        self, point: LineBreakpoint, types: Sequence[RefType], stood_in: Collection[MethodKey] = ()
    ) -> None:
        """Set the breakpoint in classes that have changed, and publish what came of it: where its line is gone it moves
        within the methods that it ``stood_in``, not to others."""
        setting = await self._begin(point, types, stood_in)
        if setting is not None:
            await self._finish(point, *setting)

    async def _begin(
        self, point: LineBreakpoint, types: Sequence[RefType], stood_in: Collection[MethodKey] = ()
    ) -> tuple[set[int | None], FoundPlaces, list[tuple[CodeLocation, Pending[Any]]]] | None:
        """Submit the breakpoint in classes that have come or changed: the lines on which it stood before, what was
        found, and the pending replies; None if its place is not there. wire: 0 trips when the code is known."""
        stood = self._lines(point)
        try:
            found = await self._find_later(point.spec, types)
            if found.moved and stood_in and not {(each.classID, each.methodID) for each in found.places} <= {*stood_in}:
                raise UsageError(found.note.partition(": ")[2], code="NO_CODE")
            await self._enter(point, found)
        except EvalError:
            point.code.stand_where_wrong()
        except UsageError as error:
            named = not stood and _is_named(point.spec, types)
            if named or (not stood and not point.passed_by and _is_meant(point.spec, types)):
                point.passed_by = not named
                self._tell_failure(point, error)
            return None
        return (stood, found, self._submit_places(point)) if point.group is not None else None

    def _lines(self, point: LineBreakpoint) -> set[int | None]:
        """Return the lines on which the breakpoint stands. No trip."""
        return {self.types.location(place).line for place in point.placed}

    def _replace_moved(self, point: LineBreakpoint, found: FoundPlaces) -> None:
        """Take out the places to which the breakpoint was moved, now that there is its own line or a nearer one."""
        if found.places:
            stale = [place for place in point.moved if place not in found.places]
            self._target.requests.drop([point.placed.pop(place) for place in stale if place in point.placed])
            point.code.forget(stale)
            point.moved = found.places if found.moved else ()

    async def _finish(
        self,
        point: LineBreakpoint,
        stood: set[int | None],
        found: FoundPlaces,
        submitted: list[tuple[CodeLocation, Pending[Any]]],
    ) -> None:
        await self._settle_places(point, submitted)
        if point.placed:
            if found.places:
                point.message = found.note
            lines = self._lines(point)
            note = f" ({point.message})" if found.moved else ""
            if not stood:
                shown = point.shown_spec
                self._publish("breakpoint-resolved", point, f"breakpoint {point.number} is set at {shown}{note}")
            elif lines != stood and not isinstance(point.spec, MethodPlace):
                shown = " and ".join(str(line) for line in sorted(line for line in lines if line is not None))
                self._publish(
                    "breakpoint-resolved", point, f"breakpoint {point.number} is set on line {shown} now{note}"
                )
        elif found.note and found.note != point.message:
            point.message = found.note
            self._publish("breakpoint-pending", point, f"breakpoint {point.number} is not set yet: {found.note}")

    async def _find_later(self, spec: AbsoluteSpec, types: Sequence[RefType]) -> FoundPlaces:
        """Return the place in classes that have just come; if it is not there, in all that their file has brought so
        far."""
        try:
            found = await self._finder.places(spec, types)
            if found.places or isinstance(spec, MethodPlace):
                return found
        except UsageError:
            if isinstance(spec, MethodPlace):
                raise
        tops = {outermost(each.name) for each in types}
        known = [each for each in self._target.types.all_known() if not each.is_array]
        files = self._target.types.facts.all_of(facts.SOURCE_FILE) if isinstance(spec, FileLine) else {}
        same_file = {type_id for type_id, file in files.items() if isinstance(spec, FileLine) and file == spec.file}
        around = [each for each in known if outermost(each.name) in tops or each.id in same_file]
        return await self._finder.places(spec, around, move=self.moves)

    def _tell_failure(self, point: LineBreakpoint, error: JdbpyError) -> None:
        text = f"breakpoint {point.number} cannot be set: {error.message}"
        if error.message != point.message:
            point.message = error.message
            self._publish("breakpoint-failed", point, f"{text} ({error.hint})" if error.hint else text, error.code)

    def _publish(self, kind: str, point: LineBreakpoint, text: str, code: str = "") -> None:
        data = (("breakpoint", point.number), ("spec", point.shown_spec))
        self._target.publish(events.Notice(kind, text, (*data, ("code", code)) if code else data))


def _bind(point: LineBreakpoint, types: Sequence[RefType]) -> None:
    """Take the full name for a short one, now that it is known."""
    spec = point.spec
    if isinstance(spec, FileLine) or spec.class_name is None or spec.class_name.is_pattern or spec.class_name.bound:
        return
    name = spec.class_name
    around = {each for known in types for each in enclosing(known.name)}
    meant = [each for each in around if name.is_name_of(each)] or [each for each in around if name.is_end_of(each)]
    point.spec = spec.replace(class_name=ClassName(min(meant, key=len), bound=True))


def _is_named(spec: AbsoluteSpec, types: Sequence[RefType]) -> bool:
    """True if the place ought to be in one of the types, not merely in something that has a similar name."""
    if isinstance(spec, FileLine):
        return True
    assert spec.class_name is not None
    name = spec.class_name
    return not name.is_pattern and any(name.is_name_of(each) for known in types for each in enclosing(known.name))


def _is_meant(spec: AbsoluteSpec, types: Sequence[RefType]) -> bool:
    """True if a short name may mean one of the types, of which there may be others that it means."""
    if isinstance(spec, FileLine) or spec.class_name is None or spec.class_name.is_pattern:
        return False
    return any(spec.class_name.may_mean(each) for known in types for each in enclosing(known.name))

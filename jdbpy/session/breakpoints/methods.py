"""Method traces: stops or reports where methods are entered and left, with what they return.

Named classes and methods are traced by breakpoints (``method_places``), everything else by the agent's method events. A
method that an exception leaves is not reported by either (``eventHandler.c``): the exception is.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from jdbpy.errors import Disconnected, JdwpError, UsageError
from jdbpy.session.breakpoints.breakpoint_base import CountedPlace
from jdbpy.session.breakpoints.class_watch import ClassWatch
from jdbpy.session.breakpoints.event_point import Basis, EventBreakpoint, count_for_agent
from jdbpy.session.breakpoints.location_spec import MethodPlace
from jdbpy.session.breakpoints.method_places import Exit, FrameSlotReader, constant, find_places
from jdbpy.session.breakpoints.places import PlaceFinder
from jdbpy.session.events.conditions import NOTHING, Given
from jdbpy.session.events.requests import RESUME, EventRequest, RequestHit, RequestSpec, Verdict, Vote, verdict_of
from jdbpy.session.extension import Extension
from jdbpy.session.java.bytecode import second_instruction
from jdbpy.session.java.class_names import ClassName, fits_exclude, parse_class_name
from jdbpy.session.java.signatures import split_method
from jdbpy.session.jvm import facts
from jdbpy.session.jvm.refs import Method, RefType
from jdbpy.session.model import events
from jdbpy.session.model.breakpoints import BreakpointInfo
from jdbpy.session.model.threads import Location
from jdbpy.session.model.values import Limits, ValueInfo, Variable
from jdbpy.session.values.describe import describe
from jdbpy.wire import ids
from jdbpy.wire.constants import EventKind, JdwpSuspendPolicy, Tag
from jdbpy.wire.ids import CodeLocation, ObjectID, ReferenceTypeID, ThreadID
from jdbpy.wire.messages import event, event_request
from jdbpy.wire.pending import Pending

_RETURN_VALUES_SINCE = 6

COSTS = (
    "the agent's method events make the JVM interpret all threads and call the agent for every method, which slows it "
    "many times over"
)
_INSTEAD = "; named classes and methods are traced by breakpoints, which cost only what their own hits cost"

_MOST_TOLD = 5


class MethodTrace(EventBreakpoint):
    """Entries, exits or both: of the methods of named classes, of named methods, of all that the filters let through,
    or the exits of one method (``method``). ``values``: by the agent's events, which tell what is returned."""

    kind = "methods"
    what = "methods"
    brings = frozenset(("ret",))

    def __init__(
        self,
        basis: Basis,
        *,
        entries: bool,
        exits: bool,
        method: Location | None = None,
        place: MethodPlace | None = None,
        values: bool = False,
    ) -> None:
        super().__init__(basis)
        self.entries = entries
        self.exits = exits
        self.method = method
        self.place = place
        self.values = values
        self.only_method = method.method_id if method is not None else 0
        names = self.options.classes
        named = place is not None or method is not None or (bool(names) and all(map(_is_one_class, names)))
        self.by_places = named and not values and self._target.can("canGetBytecodes")
        reads = self.by_places and self.reporting.limit != 0
        self.looks_at_thread = reads and self._target.conn.allows(event_request.Set)
        self._finder = PlaceFinder(self._target)
        self._frames = FrameSlotReader(self._target)
        self._watches: list[ClassWatch] = []
        self._placed: dict[tuple[CodeLocation, bool], EventRequest] = {}  # by place, and whether it is an exit
        self._relays: set[EventRequest] = set()
        self._native: set[tuple[ReferenceTypeID, ids.MethodID]] = set()
        self._missed: dict[str, str] = {}
        self.in_target: set[ReferenceTypeID] = set()
        """Classes of which the target itself keeps entries and exits."""
        self.lost_in: set[ReferenceTypeID] = set()
        """Those whose code was replaced meanwhile."""
        self.why_ordinary = ""

    @property
    def spec(self) -> str:
        if self.method is not None:
            return f"exit of {self.method.class_name}.{self.method.method}"
        what = "methods" if self.entries and self.exits else "entries" if self.entries else "exits"
        return f"{what} {self.place}" if self.place is not None else what

    @property
    def agent_count(self) -> int:
        one_sort = self.entries != self.exits and self.method is None and self.place is None
        return count_for_agent(self) if one_sort and not self.by_places else 0

    def places(self) -> tuple[Location, ...]:
        """Return where a named method is traced; nothing for whole classes, which have many places."""
        if self.place is None:
            return ()
        return tuple(self._target.types.location(place) for place, _ in self._placed)

    # -- setting ---------------------------------------------------------------------------------------------------

    async def _set_up(self) -> None:
        """wire: by events 1 trip; by breakpoints 3 trips, 1 for classes that are not loaded."""
        self._missed.clear()
        self._native.clear()
        if not self.by_places and self.place is None:
            only = [event_request.ClassOnly(ReferenceTypeID(self.method.type_id))] if self.method is not None else []
            await self._request_events(only)
            self.message = COSTS + ("" if self.values else _INSTEAD)
            return
        if self.method is not None:
            known = await self._target.types.info([ReferenceTypeID(self.method.type_id)])
            await self._place(list(known.values()))
            return
        assert self.place is None or self.place.class_name is not None
        names = [self.place.class_name] if self.place is not None else map(parse_class_name, self.options.classes)
        waiting = []
        for name in names:
            assert name is not None
            watch = ClassWatch(self._target, name, self._on_class)
            self._watches.append(watch)
            found = await watch.open()
            if found:
                await self._place(found)
            else:
                waiting.append(watch.waiting())
        self._note(waiting)

    async def _request_events(self, only: Sequence[Any], *, exits: bool = True) -> None:
        returns = self._target.at_least(_RETURN_VALUES_SINCE)
        leaving = EventKind.METHOD_EXIT_WITH_RETURN_VALUE if returns else EventKind.METHOD_EXIT
        kinds = [EventKind.METHOD_ENTRY] * self.entries + [leaving] * (self.exits and exits)
        await self._request([(kind, only) for kind in kinds])

    @property
    def slows_more_than_its_hits(self) -> bool:
        """True if the agent's method events are used."""
        return not self.by_places or bool(self._native)

    async def counted_place(self, kind: EventKind, method: tuple[int, int]) -> CountedPlace | None:
        """Return the second instruction: after an entry event the agent keeps back breakpoints at the first
        (docs/agent.md, "A place is reported once")."""
        key = ReferenceTypeID(method[0]), ids.MethodID(method[1])
        known = await self._target.types.info([key[0]])
        code = (await self._target.types.facts.many(facts.BYTECODES, [key])).get(key, b"")
        index = second_instruction(code)
        if index is None or key[0] not in known:
            return None
        place = CodeLocation(known[key[0]].tag, *key, index)
        return CountedPlace(EventKind.BREAKPOINT, self._modifiers_at(place), kind, method)

    def disarm(self) -> list[Pending[Any]]:
        watches, self._watches = self._watches, []
        self._placed.clear()
        self.in_target.clear()
        for extension in self._target.extensions.of(Extension.breakpoint_removed):
            extension.breakpoint_removed(self)
        dropped = self._target.requests.drop(self._relays)
        self._relays.clear()
        return [*(reply for watch in watches for reply in watch.close()), *dropped, *super().disarm()]

    async def redefined(self, type_ids: Iterable[ReferenceTypeID]) -> None:
        """Set the breakpoints again in classes whose code is new: the agent has dropped them there."""
        renewed = {each for each in type_ids if each not in self.in_target}
        lost = [key for key in self._placed if key[0].classID in renewed]
        if lost or renewed & self.lost_in:
            self.lost_in -= renewed
            requests = [self._placed.pop(key) for key in lost]
            self.requests = [each for each in self.requests if each not in requests]
            self._target.requests.submit_clear(requests)
            with suppress(UsageError):  # the method is gone
                await self._place(list((await self._target.types.info(renewed)).values()))

    async def _on_class(self, prepared: RefType) -> None:
        waited = not self.requests
        try:
            await self._place([prepared])
        except UsageError as error:
            self.message = error.message
            self._announce(resolved=False)
            return
        self._note([])
        self._announce(resolved=waited, remark=f"; {self.message}" if self.message else "")

    async def _place(self, types: Sequence[RefType]) -> None:
        """Set what traces the methods of these classes. Raises UsageError. wire: 3 trips."""
        async with self._target.code_guard.unchanged():
            await self._place_in(types)

    async def _place_in(self, types: Sequence[RefType]) -> None:
        types = [each for each in types if each.id not in self.in_target]
        types = [
            each for each in types if not any(fits_exclude(pattern, each.name) for pattern in self.options.excludes)
        ]
        methods = await self._methods(types)
        if not methods:
            return
        if not self.by_places or all(method.is_native for _, method in methods):
            await self._trace_by_events(methods)
            return
        found = await find_places(self._target, methods, entries=self.entries, exits=self.exits)
        self._missed.update(found.missed)
        wanted: list[tuple[CodeLocation, Exit | None]] = [(place, None) for place in found.entries]
        wanted += [(each.place, each) for each in found.exits]
        if found.looping and self.place is not None:
            await self._trace_by_events(found.looping, exits=False)
        new = [(place, exit_) for place, exit_ in wanted if (place, exit_ is not None) not in self._placed]
        submitted = []
        for place, exit_ in new:
            request, pending = self._target.requests.submit(self._spec_of(place, exit_))
            self._placed[place, exit_ is not None] = request
            self.requests.append(request)
            submitted.append(pending)
        for outcome in await self._target.conn.gather(submitted):
            if isinstance(outcome, JdwpError):
                raise outcome
        if self.place is not None:
            await self._target.types.locations([place for place, _ in new])
        for extension in self._target.extensions.of(Extension.breakpoint_installed):
            extension.breakpoint_installed(self)

    def standing(self) -> Mapping[EventRequest, EventKind]:
        meant = {False: EventKind.METHOD_ENTRY, True: EventKind.METHOD_EXIT}
        return {request: meant[is_exit] for (_, is_exit), request in self._placed.items()}

    def places_in(self, type_id: ReferenceTypeID) -> dict[tuple[CodeLocation, bool], EventRequest]:
        """Return where the trace stands in a class, with the requests; the second is True at an exit. No trip."""
        return {key: request for key, request in self._placed.items() if key[0].classID == type_id}

    @property
    def traced_types(self) -> list[ReferenceTypeID]:
        """Return the classes in which the trace stands by breakpoints. No trip."""
        return list(dict.fromkeys(place.classID for place, _ in self._placed))

    def taken_over(self, type_id: ReferenceTypeID) -> None:
        """The target keeps entries and exits of a class from now on. wire: no wait."""
        requests = self.places_in(type_id)
        self._placed = {key: each for key, each in self._placed.items() if key not in requests}
        self.requests = [each for each in self.requests if each not in requests.values()]
        self._target.requests.drop(requests.values())
        self.in_target.add(type_id)

    async def given_back(self, type_id: ReferenceTypeID) -> None:
        """The target keeps nothing of a class any more: set breakpoints in it again. wire: 3 trips."""
        self.in_target.discard(type_id)
        if self.wanted:
            with suppress(UsageError):
                await self._place(list((await self._target.types.info([type_id])).values()))

    def snapshot(self) -> BreakpointInfo:
        there = bool(self.in_target) and not self._placed
        shown = super().snapshot().replace(in_target=there, ordinary="" if there else self.why_ordinary)
        return shown.replace(options=(("--values", ""), *shown.options)) if self.values else shown

    async def _methods(self, types: Sequence[RefType]) -> list[tuple[RefType, Method]]:
        """Return the methods that are meant, of these classes and of those that they inherit from. wire: 1 trip."""
        if not types:
            return []
        declared = await self._target.types.methods([each.id for each in types])
        every = [(each, method) for each in types for method in declared.get(each.id, ())]
        if self.method is not None:
            return [(each, method) for each, method in every if method.id == self.method.method_id]
        if self.place is None:
            return every
        fitting = [(each, method) for each, method in every if self.place.fits(method) and not method.is_bridge]
        if fitting and all(method.is_native for _, method in fitting):
            return fitting
        found = await self._finder.places(self.place, types)
        owners = await self._target.types.info([place.classID for place in found.places])
        declared = await self._target.types.methods(owners)
        chosen = {(place.classID, place.methodID) for place in found.places}
        return [
            (owner, method)
            for owner in owners.values()
            for method in declared[owner.id]
            if (owner.id, method.id) in chosen
        ]

    async def _trace_by_events(self, methods: Sequence[tuple[RefType, Method]], *, exits: bool = True) -> None:
        """Trace methods by the agent's events, where breakpoints cannot."""
        new = [key for key in ((owner.id, method.id) for owner, method in methods) if key not in self._native]
        self._native.update(new)
        self.only_method = new[0][1] if len(self._native) == 1 else 0
        for type_id in dict.fromkeys(type_id for type_id, _ in new):
            await self._request_events([event_request.ClassOnly(type_id)], exits=exits)

    def _spec_of(self, place: CodeLocation, exit_: Exit | None) -> RequestSpec:
        modifiers = self._modifiers_at(place)
        policy, meant = self.wire_policy, EventKind.METHOD_ENTRY if exit_ is None else EventKind.METHOD_EXIT
        handler = self._on_entry if exit_ is None else partial(self._on_return, exit_)
        if exit_ is not None and self._is_relayed(exit_):
            policy = JdwpSuspendPolicy.EVENT_THREAD
        counting_filter = self.counting_filter(EventKind.BREAKPOINT, 0, meant)
        return RequestSpec(EventKind.BREAKPOINT, policy, modifiers, handler, self, counting_filter)

    def _modifiers_at(self, place: CodeLocation) -> list[Any]:
        options = self.options
        modifiers: list[Any] = [event_request.LocationOnly(place)]
        if options.thread is not None:
            modifiers.append(event_request.ThreadOnly(ThreadID(ObjectID(options.thread))))
        if options.instance is not None:
            modifiers.append(event_request.InstanceOnly(ObjectID(options.instance)))
        return modifiers

    def _note(self, waiting: Sequence[str]) -> None:
        """Return a remark about the methods that were found, and about those that were not."""
        notes = list(waiting)
        if self._native:
            notes.append(COSTS)
        missed = [f"{name}, {why}" for name, why in self._missed.items()]
        if missed and not self._native:
            more = f" and {len(missed) - _MOST_TOLD} more" if len(missed) > _MOST_TOLD else ""
            notes.append(f"not traced: {'; '.join(missed[:_MOST_TOLD])}{more}")
        self.message = "; ".join(notes)

    # -- hits ------------------------------------------------------------------------------------------------------

    @property
    def _holds(self) -> bool:
        return self.wire_policy is not JdwpSuspendPolicy.NONE

    def _is_relayed(self, of: Exit) -> bool:
        """True if the value has to come with the agent's exit event, of one thread and at once."""
        known = of.how.void or of.how.is_constant or of.how.slot is not None
        return self._holds and not known and self._target.at_least(_RETURN_VALUES_SINCE)

    def _is_only_counted(self) -> bool:
        """True if the next hit is neither reported nor looked at: as far as that is known before it is."""
        free = self.reports and self.condition is None and self.callers is None and not self.awaited
        return free and self.counts_every_hit and self.rate_limiter.passes(self.hits + 1, time.perf_counter())

    def _on_entry(self, hit: RequestHit) -> Vote:
        happened = hit.event
        entered = hit.replace(event=event.MethodEntry(happened.requestID, happened.thread, happened.location))
        if self._holds and self._is_only_counted():
            return self._count_only(entered)
        return self._on_hit(self, events.StopReason.METHOD_ENTRY, entered)

    def _count_only(self, hit: RequestHit) -> Verdict:
        self.hits += 1
        self.count(hit)
        self.on_left_out(self, hit.request)
        return RESUME

    def _on_return(self, of: Exit, hit: RequestHit) -> Vote:
        value = constant(of)
        if value is not None or not self._holds:
            return self._left(hit, value)
        if self._is_only_counted():
            return self._count_only(hit.replace(event=_exit(hit, None)))
        if not self._is_relayed(of):
            return self._read_and_leave(of, hit)
        thread = ThreadID(ObjectID(hit.thread))
        one_class = event_request.ClassOnly(of.place.classID)
        modifiers = [event_request.ThreadOnly(thread), one_class, event_request.Count(1)]
        kind = EventKind.METHOD_EXIT_WITH_RETURN_VALUE
        spec = RequestSpec(kind, self.wire_policy, modifiers, partial(self._on_relayed, of), self)
        with suppress(Disconnected):
            request, _ = self._target.requests.submit(spec)  # the agent carries it out before the Resume
            self._relays.add(request)
        self.load.goes_on(hit.thread)
        return RESUME

    def _on_relayed(self, of: Exit, hit: RequestHit) -> Vote:
        self._target.requests.spent(hit.request)
        self._relays.discard(hit.request)
        if hit.event.location.methodID != of.place.methodID:
            return RESUME
        return self._on_hit(self, events.StopReason.METHOD_EXIT, hit)

    async def _read_and_leave(self, of: Exit, hit: RequestHit) -> Verdict:
        try:
            value = await self._frames.returned(hit.thread, of)
        except JdwpError:
            value = None
        return await verdict_of(self._left(hit, value))

    def _left(self, hit: RequestHit, value: ids.TaggedValue | None) -> Vote:
        return self._on_hit(self, events.StopReason.METHOD_EXIT, hit.replace(event=_exit(hit, value)))

    def count(self, hit: RequestHit) -> None:
        """Enter a hit in the hit statistics, by what it means. No wait."""
        place, value = hit.event.location, getattr(hit.event, "value", None)
        kind = EventKind.METHOD_ENTRY if isinstance(hit.event, event.MethodEntry) else EventKind.METHOD_EXIT
        if hit.request.kind is not EventKind.BREAKPOINT:
            kind = hit.request.kind
        carried = value if isinstance(value, ids.TaggedValue) and value.tag != ord("V") else None
        self.hit_statistics.add(kind, (place.classID, place.methodID), carried)

    async def given(self, hit: RequestHit, text: str) -> Given:
        happened = hit.event
        if not isinstance(happened, event.MethodExitWithReturnValue) or happened.value.tag == Tag.VOID:
            return NOTHING
        place = happened.location
        declared = (await self._target.types.methods([place.classID])).get(place.classID, ())
        method = next((each for each in declared if each.id == place.methodID), None)
        return {"ret": (happened.value, split_method(method.signature)[1] if method is not None else "")}

    def lacks(self, hit: RequestHit) -> frozenset[str]:
        happened = hit.event
        returned = getattr(happened, "value", None)
        is_void = isinstance(happened, event.MethodEntry) or (returned is not None and returned.tag == Tag.VOID)
        return self.brings if is_void else frozenset()

    def concerns(self, hit: RequestHit) -> bool:
        place = hit.event.location
        if self._native:
            return (place.classID, place.methodID) in self._native
        return self.method is None or bool(place.methodID == self.method.method_id)

    async def details(self, hit: RequestHit) -> dict[str, Any]:
        """Return what is returned, or of a report the arguments. wire: 1 trip or 2; none for a primitive that is
        returned.
        """
        if isinstance(hit.event, event.MethodEntry):
            if not (self.reports and self._holds and self.by_places):
                return {}
            longest = self.reporting.longest
            return {"arguments": await self._frames.arguments(hit.thread, hit.event.location, hit.go_on, longest)}
        if not isinstance(hit.event, event.MethodExitWithReturnValue):
            return {}
        if self.reports and hit.go_on is not None:
            hit.go_on()
        [value] = await describe(self._target, [hit.event.value], Limits(depth=0, string=self.reporting.longest))
        return {"return_value": value}

    def told(self, hit: RequestHit, where: str, details: dict[str, Any]) -> tuple[str, str]:
        if isinstance(hit.event, event.MethodEntry):
            arguments: Sequence[Variable] = details.get("arguments", ())
            texts = [f"{each.name} = {each.value.text}" for each in arguments if each.value is not None]
            return "trace", f"method entered: {where}{', with ' * bool(texts)}{', '.join(texts)}"
        value: ValueInfo | None = details.get("return_value")
        returns = "" if value is None or value.tag == "V" else f", returns {value.text}"
        return "trace", f"method exited: {where}{returns}"


def _exit(hit: RequestHit, value: ids.TaggedValue | None) -> event.LocatableEvent:
    """Return the exit event in whose place a breakpoint at a return was hit."""
    happened = hit.event
    if value is None:
        return event.MethodExit(happened.requestID, happened.thread, happened.location)
    return event.MethodExitWithReturnValue(happened.requestID, happened.thread, happened.location, value)


def _is_one_class(name: str) -> bool:
    return "*" not in name and not name.endswith("+") and not ClassName(name).is_pattern

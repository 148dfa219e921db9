"""The way of a condition into the target: its class file, a helper class for each place, and the class redefined.

Owns the order of the steps, by which no hit is missed and no class is left half changed. Steps that can fail come
first. The breakpoints of the helpers and the former class file are in the target before the class is changed.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import NamedTuple

from jdbpy.errors import Disconnected, EvalError, JdbpyError
from jdbpy.session.breakpoints.breakpoint_base import BreakpointBase
from jdbpy.session.breakpoints.breakpoint_table import BreakpointTable
from jdbpy.session.breakpoints.line_breakpoint import LineBreakpoint
from jdbpy.session.breakpoints.method_places import find_places
from jdbpy.session.breakpoints.methods import MethodTrace
from jdbpy.session.eval.conditions import CompiledCondition, CompiledTemplate
from jdbpy.session.eval.evaluator import Evaluator
from jdbpy.session.eval.program import Compiled
from jdbpy.session.eval.target import Ref
from jdbpy.session.events.requests import EventRequest, Handler
from jdbpy.session.events.target import Target
from jdbpy.session.hotswap.differences import differences, of_file
from jdbpy.session.hotswap.hotswap import running_shapes
from jdbpy.session.in_target.change_safety import Blocker, has_virtual_threads, why_not_now
from jdbpy.session.in_target.class_changes import (
    CodeChanges,
    NotInstalled,
    NotInstalledAtStop,
    NotInstalledUnlessAsked,
    NotInstalledUntilLeft,
    NotInstalledWhileBusy,
    PlaceKey,
    StaysUntilReturned,
    start_now,
)
from jdbpy.session.in_target.class_files import local_class_file
from jdbpy.session.in_target.emit.expressions import called_by, emit, emit_values, value_types
from jdbpy.session.in_target.emit.refusals import NotInTarget
from jdbpy.session.in_target.logpoint_sites import LogSite, count_of
from jdbpy.session.in_target.ring_poller import RingPoller
from jdbpy.session.in_target.saved_originals import keeper_class, keeper_name
from jdbpy.session.in_target.sites import Site, set_traps
from jdbpy.session.in_target.stopping import Stopping
from jdbpy.session.in_target.thread_runner import InThread, in_thread, request_thread, set_static
from jdbpy.session.in_target.trace_sites import TracedPlace, TraceLog, TraceSite, entry_of, exit_of, names_of
from jdbpy.session.in_target.weave.condition_helper import helper_class
from jdbpy.session.in_target.weave.log_helper import log_class
from jdbpy.session.in_target.weave.records import Emitted, Filters
from jdbpy.session.in_target.weave.trace_helper import trace_class
from jdbpy.session.in_target.weave.weaver import weave
from jdbpy.session.java import class_file
from jdbpy.session.java.bytecode import only_reads
from jdbpy.session.java.class_file import MalformedClassFile
from jdbpy.session.java.edit.assembler import CodeTooLong
from jdbpy.session.java.edit.class_parts import PoolFull
from jdbpy.session.java.types import NULL, JavaType, erasure, is_string, source_name, unboxed
from jdbpy.session.jvm import facts
from jdbpy.session.jvm.changed_code import PREFIX, SIGN, ChangedClass
from jdbpy.session.jvm.refs import Method, RefType
from jdbpy.session.model.threads import Location
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import CodeLocation, MethodID, ReferenceTypeID
from jdbpy.wire.messages import virtual_machine

_PLACES = 4_096
"""The number of entries that a ring has room for: that many hits between two polls."""


class ClassChange(NamedTuple):
    """A class that is about to be changed; ``run`` can be used while the thread is suspended."""

    changed: ChangedClass
    run: InThread


@contextmanager
def staying(what: str) -> Iterator[None]:
    """Raises NotInstalled, with the reason, for what cannot run in the target."""
    try:
        yield
    except NotInTarget as why:
        raise NotInstalled(f"{what} {why.reason}") from None
    except EvalError as error:
        raise NotInstalled(f"{what} does not compile yet: {error.message}") from None


async def attempt(installing: Awaitable[None]) -> NotInstalled | None:
    """Return why something cannot be put into the target now; None: it is there.

    For all that is tried by the thread of a hit: the debugger's own requests go on in its place, and another thread
    comes for the next try. Raises Disconnected.
    """
    try:
        await installing
    except NotInstalled as why:
        return why
    except Disconnected:
        raise
    except (JdbpyError, MalformedClassFile) as error:
        text = error.message if isinstance(error, JdbpyError) else str(error)
        return NotInstalled(f"it could not be put into the target: {text}")
    except (CodeTooLong, PoolFull):
        return NotInstalled("its code there would be too long")
    return None


def _is_unchanging(kind: JavaType, compiled: Compiled) -> bool:
    """True if values of the type are the same whenever they are read: numbers, strings, boxes, constants of enums."""
    if unboxed(kind) is not None or is_string(kind) or kind == NULL:
        return True
    found = compiled.compiler.graph.known(erasure(kind))
    return found is not None and (found.is_enum or found.name == "java.lang.Class")


class Installer:
    """Puts the conditions of breakpoints into one target."""

    def __init__(
        self,
        target: Target,
        points: BreakpointTable,
        changes: CodeChanges,
        evaluator: Callable[[], Evaluator],
        poller: RingPoller,
    ) -> None:
        self._target = target
        self._poller = poller
        self._points = points
        self._changes = changes
        self._evaluator = evaluator
        self._idle: list[Site] = []  # those whose helper is in the target
        self._session = secrets.token_hex(3)
        self._made = 0
        self._signed = False

    async def install(
        self,
        type_: RefType,
        points: Sequence[LineBreakpoint],
        thread: int,
        *,
        at_hit: bool,
        asked: bool,
        whole: bool,
    ) -> None:
        """Have a class compute the conditions of breakpoints in it; methods that this takes are run in the thread.

        ``at_hit``: the thread is at one of the places, and others may be in the class; else the class has not run yet.
        ``asked``: the user has asked for it. ``whole``: see ``why_not_now``. Raises NotInstalled for all of them; the
        reason why one alone does is noted at it. wire: some 30 trips for the first, 15 for a further one.
        """
        target, changes = self._target, self._changes
        async with self.changing(type_, thread, asked=asked) as change:
            changed = change.changed
            methods = {method.id: method for method in (await target.types.methods([type_.id]))[type_.id]}
            sites = dict(changes.sites.get(type_.id, {}))
            for point in points:
                for place in places_in(point, type_.id):
                    key = place.methodID, changed.index_before(place)
                    if key not in sites or sites[key].point is not point:
                        try:
                            sites[key] = await self._site(point, type_, methods[place.methodID], key, place)
                        except NotInstalled as why:
                            point.why_ordinary = str(why)
            self._leave_out_refused(changed, sites)
            new = [site for site in sites.values() if site not in changes.sites.get(type_.id, {}).values()]
            if not new:
                return
            starts = [(site.method.id, start_now(changed, site.method.id, site.at)) for site in new]
            changing = {method for method, _ in starts}
            require = partial(
                self.require_free,
                changed,
                changing,
                thread,
                starts=starts,
                asked=asked,
                whole=whole,
                unsure=() if whole else points,
            )
            if at_hit and not asked and await has_virtual_threads(target):
                raise NotInstalledUnlessAsked("the program has virtual threads, whose calls are not seen")
            if at_hit:  # to find out in time that nothing has to be defined
                await changes.prepare_conditions(type_.id)
                with target.frozen():
                    await require()
            for site in new:
                await self._define(change.run, site)
            await self.keep(change)
        if not at_hit:
            await changes.redefine(changed, sites)
            return
        async with changes.held(type_.id):
            await require()
            await changes.redefine(changed, sites)

    @asynccontextmanager
    async def changing(self, type_: RefType, thread: int, *, asked: bool) -> AsyncIterator[ClassChange]:
        """Open a class for a change, by what is run in the thread; ``keep`` comes before the change.

        Raises NotInstalled. wire: some 15 trips, 0 for what is known.
        """
        self._changes.require_untouched(type_.id)
        if type_.id in self._target.changed_code.timed:
            raise NotInstalled("the JVM times its methods")
        loader = (await self._target.types.facts.many(facts.LOADER, [type_.id])).get(type_.id, 0)
        if not loader and not asked:
            raise NotInstalledUnlessAsked("its class is one of the JVM's own")
        async with in_thread(self._target, self._evaluator(), thread, type_) as run:
            known = self._target.changed_code.classes.get(type_.id)
            changed = known or ChangedClass(type_, await self._original(run, type_))
            _ = changed.handlers  # needed while everything is suspended: the class file is read before that
            yield ClassChange(changed, run)

    async def keep(self, change: ClassChange) -> None:
        """Keep the class file of before in the target. wire: some 10 trips, 0 for a class that is changed already."""
        if not change.changed.maps:
            await self._keep(change.run, change.changed.type, change.changed.original)

    def helper_name(self, type_: RefType) -> str:
        """Return a name for another helper in the package of a class: internal, and never given before."""
        self._made += 1
        host = type_.signature[1:-1]
        return f"{host[: host.rfind('/') + 1]}{PREFIX}{self._session}_{self._made}"

    async def trace(self, point: MethodTrace, type_id: ReferenceTypeID, thread: int) -> None:
        """Have a class keep the entries and exits of a trace. Calls that are under way are not seen to be left.

        Raises NotInstalled. wire: some 30 trips.
        """
        target, changes = self._target, self._changes
        type_ = (await target.types.info([type_id]))[type_id]
        async with self.changing(type_, thread, asked=False) as change:
            changed = change.changed
            places = await self._traced(point, changed)
            name, host = self.helper_name(type_), type_.signature[1:-1]
            thread_meant = point.options.thread
            filters = Filters(thread=thread_meant is not None)
            helper = trace_class(name, host, [each.spot for each in places], filters, size=_PLACES)
            log = TraceLog(
                point,
                type_,
                places,
                helper,
                target=target,
                changes=changes,
                reporter=self._points.reporter,
                poller=self._poller,
            )
            sites = dict(changes.sites.get(type_.id, {}))
            for index, each in enumerate(places):
                sites[each.method.id, each.at, point.number, index] = TraceSite(log, each, index)
            refused = weave(changed.original, [site.place for site in sites.values()]).refused
            if refused:
                raise NotInstalled(f"{refused[0].place.method}: {refused[0].text}")
            changing = {each.method.id for each in places}
            await self.require_left(changed, changing, thread, asked=False, but=[point])
            log.type_id = await change.run.define_helper(helper)
            if thread_meant is not None:
                await set_static(target, log.type_id, {"thread": Ref(thread_meant, Tag.OBJECT)})
            await self.keep(change)
        async with changes.held(type_.id):
            await self.require_free(changed, changing, thread, asked=False, but=[point])
            await log.begin()
            point.taken_over(type_.id)
            try:
                await changes.redefine(changed, sites)
            except (JdbpyError, NotInstalled):
                await point.given_back(type_.id)
                raise

    async def _traced(self, point: MethodTrace, changed: ChangedClass) -> list[TracedPlace]:
        """Return the places of a trace in a class. wire: 1 trip, 0 when known."""
        types, type_id = self._target.types, changed.type.id
        methods = {method.id: method for method in (await types.methods([type_id]))[type_id]}
        keys = [(type_id, each) for each in dict.fromkeys(place.methodID for place, _ in point.places_in(type_id))]
        tables = await types.facts.many(facts.VARIABLES, keys)
        found = []
        for place, is_exit in point.places_in(type_id):
            method, at = methods[place.methodID], changed.index_before(place)
            if is_exit:
                found.append(exit_of(method, at))
            else:
                table = tables.get((type_id, method.id))
                found.append(entry_of(method, names_of(table)))
        return found

    async def require_free(
        self,
        changed: ChangedClass,
        changing: Collection[MethodID],
        thread: int,
        *,
        starts: Collection[PlaceKey] = (),
        asked: bool,
        whole: bool = False,
        but: Collection[BreakpointBase] = (),
        unsure: Collection[BreakpointBase] = (),
    ) -> None:
        """Raises NotInstalled while frames keep methods of the class from being changed; all threads must be
        suspended.

        ``starts`` are where checks are put in. The breakpoints of points in ``but`` may be missed by calls that are
        under way. ``whole``: see ``why_not_now``. ``unsure``: see ``Stopping``.
        """
        busy = await why_not_now(
            self._target,
            changed,
            starts,
            self._changes.ordinary_in(changed.type.id, but),
            changing=changing,
            stopping=Stopping(self._target, self._points, unsure),
            at_event=thread,
            asked=asked,
            whole=whole,
        )
        if busy is not None:
            raise _kind(busy)(busy.reason)

    async def require_left(
        self,
        changed: ChangedClass,
        changing: Collection[MethodID],
        thread: int,
        *,
        asked: bool,
        but: Collection[BreakpointBase] = (),
    ) -> None:
        """Raises NotInstalledUntilLeft, before anything is defined, where the thread would pass a breakpoint by.

        wire: 2 trips, 0 for a class without other breakpoints.
        """
        if self._changes.ordinary_in(changed.type.id, but):
            with self._target.frozen():
                try:
                    await self.require_free(changed, changing, thread, asked=asked, but=but)
                except NotInstalledUntilLeft:
                    raise
                except NotInstalled:
                    pass  # another thread is in the way, which may be gone when it matters

    async def request_at_exits(self, place: CodeLocation, came: Handler) -> list[EventRequest]:
        """Have a thread come to where the method of a place returns; to none if it returns at the place, or never.

        wire: 1 trip, 0 when known.
        """
        async with self._target.code_guard.unchanged():
            exits = await self.exits_of(place)
            return [] if place in exits else [request_thread(self._target, each, 1, came) for each in exits]

    async def exits_of(self, place: CodeLocation) -> list[CodeLocation]:
        """Return where the method of a place returns. wire: 1 trip, 0 when known."""
        type_ = (await self._target.types.info([place.classID]))[place.classID]
        methods = (await self._target.types.methods([type_.id]))[type_.id]
        method = next(each for each in methods if each.id == place.methodID)
        found = await find_places(self._target, [(type_, method)], entries=False, exits=True)
        return [each.place for each in found.exits]

    def take_back(self, points: Collection[LineBreakpoint]) -> None:
        """Take the breakpoints of helpers that nothing calls out of the target again. wire: no wait."""
        used = [site for sites in self._changes.sites.values() for site in sites.values()]
        self._changes.drop(site for site in self._idle if site.point in points and site not in used)

    def forget(self, type_id: ReferenceTypeID) -> None:
        """Forget the sites of a class whose own code has been replaced: they do not fit any more."""
        self._idle = [site for site in self._idle if site.method.type_id != type_id]

    async def _original(self, run: InThread, type_: RefType) -> bytes:
        """Return the class file of a class, if that is what runs. Raises NotInstalled. wire: some 8 trips."""
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
        raise NotInstalled(why)

    async def _site(
        self, point: LineBreakpoint, type_: RefType, method: Method, key: PlaceKey, place: CodeLocation
    ) -> Site:
        """Return the check of a condition at a place. Raises NotInstalled. wire: as compiling it."""
        if any(each is not point and place in each.placed for each in self._changes.breakpoints):
            raise NotInstalled("another breakpoint is at the same place")
        for site in self._idle:
            if site.is_for(point, key[1], method.id):
                return site
        [location] = await self._target.types.locations([place])
        condition = await self._condition(point, location, type_)
        host, options = type_.signature[1:-1], point.options
        name = self.helper_name(type_)
        filters = Filters(thread=options.thread is not None, instance=options.instance is not None)
        if not point.reports:
            assert condition is not None
            return Site(point, point.condition, method, key[1], helper_class(name, host, condition, filters))
        values, types = await self._values(point, location, type_)
        if (point.hit_count is not None or point.ignore) and len(point.code.wanted()) > 1:
            raise NotInstalled("its hits are counted over several places")
        size = 0 if point.reporting.limit == 0 else _PLACES
        return LogSite(
            point,
            point.condition,
            method,
            key[1],
            log_class(name, host, condition, values, filters, count_of(point), size=size),
            types=types,
            place=partial(self._changes.place_now, type_, *key),
            target=self._target,
            reporter=self._points.reporter,
            poller=self._poller,
        )

    async def _condition(self, point: LineBreakpoint, location: Location, type_: RefType) -> Emitted | None:
        if point.condition is None:
            return None
        assert isinstance(point.condition, CompiledCondition)
        with staying("the condition"):
            compiled = await point.condition.operations(location)
            keys = [(ReferenceTypeID(owner), MethodID(method)) for owner, method in called_by(compiled)]
            codes = await self._target.types.facts.many(facts.BYTECODES, keys)
            return emit(compiled, type_.name, [key for key, code in codes.items() if only_reads(code)])
        raise AssertionError

    async def _values(
        self, point: LineBreakpoint, location: Location, type_: RefType
    ) -> tuple[Sequence[Emitted], Sequence[JavaType]]:
        """Return the expressions of a text. Raises NotInstalled where one is an object whose fields the text shows."""
        text = point.log
        if not isinstance(text, CompiledTemplate) or not text.has_values or point.reporting.limit == 0:
            return (), ()
        with staying("the text"):
            compiled = await text.operations(location)
            values, types = emit_values(compiled, type_.name), value_types(compiled)
        for each in types:
            if not _is_unchanging(each, compiled):
                raise NotInstalled(f"the text shows the fields of an object ({source_name(each)})")
        return values, types

    @staticmethod
    def _leave_out_refused(changed: ChangedClass, sites: dict[PlaceKey, Site]) -> None:
        """Leave out the places that the weaver refuses, and note why."""
        for refused in weave(changed.original, [site.place for site in sites.values()]).refused:
            for key, site in list(sites.items()):
                if site.place == refused.place:
                    del sites[key]
                    site.point.why_ordinary = refused.text

    async def _define(self, run: InThread, site: Site) -> None:
        """Define the helper of a site, and set its breakpoints. wire: some 8 trips, 4 more for each private member."""
        if not site.type_id:
            helper, options = site.helper, site.point.options
            site.type_id = await run.define_helper(helper)
            values: dict[str, Ref | None] = {each.field: await run.handle(each) for each in helper.handles}
            objects = {"thread": options.thread, "instance": options.instance}
            values.update({name: Ref(objects[name] or 0, Tag.OBJECT) for name in helper.references})
            if values:
                await set_static(self._target, site.type_id, values)
            if isinstance(site, LogSite):
                await site.defined()
            self._idle.append(site)
        if site.request is None:
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


def places_in(point: LineBreakpoint, type_id: ReferenceTypeID) -> list[CodeLocation]:
    """Return the places of a breakpoint in a class, as its code is now."""
    return [place for place in point.code.wanted() if place.classID == type_id] if point.wanted else []


def _kind(busy: Blocker) -> type[NotInstalled]:
    if busy.until_left:
        return StaysUntilReturned if busy.unless_asked else NotInstalledUntilLeft
    if busy.for_a_stop:
        return NotInstalledAtStop
    return NotInstalledUnlessAsked if busy.unless_asked else NotInstalledWhileBusy


def say(points: Iterable[LineBreakpoint], why: NotInstalled | str) -> None:
    """Note why breakpoints stay ordinary."""
    for point in points:
        point.why_ordinary = str(why)
        point.weaving_helps = isinstance(why, NotInstalledUnlessAsked)

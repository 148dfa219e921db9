"""Classes that are given checks, or their own code again, while all other breakpoints stay in effect.

Owns which checks each class runs, and the order of a change: redefine the class, move the places of breakpoints to
where their code is now, set those again that the agent has dropped (docs/agent.md, "Redefinition drops breakpoints").
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Collection, Iterable, Mapping
from contextlib import asynccontextmanager
from math import isnan
from typing import Any, Protocol

from jdbpy.errors import JdwpError
from jdbpy.session.breakpoints.breakpoint_base import BreakpointBase
from jdbpy.session.breakpoints.breakpoint_table import BreakpointTable
from jdbpy.session.breakpoints.line_breakpoint import LineBreakpoint
from jdbpy.session.breakpoints.line_breakpoints import LineBreakpoints
from jdbpy.session.breakpoints.methods import MethodTrace
from jdbpy.session.eval.conditions import CompiledCondition, CompiledTemplate
from jdbpy.session.events.clients import Steps
from jdbpy.session.events.redefining import redefine
from jdbpy.session.events.target import Target
from jdbpy.session.extension import Extension
from jdbpy.session.hotswap.differences import differences, of_file
from jdbpy.session.hotswap.hotswap import running_shapes
from jdbpy.session.in_target.sites import Site
from jdbpy.session.in_target.weave.records import Woven, WovenMethod
from jdbpy.session.in_target.weave.weaver import weave
from jdbpy.session.java.class_file import parse
from jdbpy.session.java.constant_pool import FLOAT
from jdbpy.session.jvm.changed_code import ChangedClass
from jdbpy.session.jvm.refs import Method, RefType
from jdbpy.session.values.stack import StackReader
from jdbpy.wire.constants import TypeTag
from jdbpy.wire.ids import CodeLocation, MethodID, ReferenceTypeID
from jdbpy.wire.messages import virtual_machine


class NotInstalled(Exception):  # it is no error
    """The condition stays with the debugger; the text is the reason."""


class NotInstalledUnlessAsked(NotInstalled):
    """A breakpoint goes into the class all the same if the user has asked for it: ``weave N``."""


class NotInstalledUntilLeft(NotInstalled):
    """The class can be changed when the thread at the event is about to leave the method."""


class StaysUntilReturned(NotInstalledUntilLeft, NotInstalledUnlessAsked):
    """The call at whose line the thread stands is to end before the class is changed, unless the user has asked."""


class NotInstalledWhileBusy(NotInstalled):
    """A call that is under way is in the way: another hit may come when none is."""


class NotInstalledAtStop(NotInstalled):
    """The class is not changed in the middle of a stop, or of what may become one."""


class ChangedByAgent(NotInstalled):
    """An agent of the program, or the JVM, changes the class when it is redefined; it has its own code and that change
    again."""


_BY_AGENT = "an agent of the program changes its code when it is redefined"
_BY_JVM = "the JVM changes its code when it is redefined: it has a constant Float.NaN"


PlaceKey = tuple[Any, ...]
"""A method and an index in the program's own code; of a place of a trace also its number, and which place it is."""


class ChangesOwner(Protocol):
    """What decides about changes of code: ``component.Instrumentation``."""

    async def read_sites(self, sites: Iterable[Site]) -> None:
        """Report what the target has kept for sites."""

    async def give_back(self, type_id: ReferenceTypeID) -> object:
        """Give back to breakpoints the checks of a class that runs none of them any more."""

    def breakpoint_installed(self, point: BreakpointBase) -> None:
        """The places of a breakpoint have moved."""


class CodeChanges:
    """The classes of one target that run checks."""

    def __init__(
        self,
        target: Target,
        points: BreakpointTable,
        breakpoints: LineBreakpoints,
        stack: StackReader,
        owner: ChangesOwner,
    ) -> None:
        self._target = target
        self._points = points
        self._breakpoints = breakpoints
        self._stack = stack
        self.sites: dict[ReferenceTypeID, dict[PlaceKey, Site]] = {}
        self.stale: set[ReferenceTypeID] = set()
        """Classes with checks that no breakpoint needs any more."""
        self._foreign: dict[ReferenceTypeID, str] = {}
        """Classes that others change when they are redefined, and who does."""
        self._owner = owner

    @property
    def changed(self) -> list[ChangedClass]:
        """Return the classes that run other code than their own."""
        return [each for each in self._target.changed_code.classes.values() if each.maps]

    @property
    def breakpoints(self) -> list[LineBreakpoint]:
        """Return the breakpoints at lines and methods, by number."""
        return self._points.of_type(LineBreakpoint)

    def site_at(self, place: CodeLocation) -> Site | None:
        """Return the site at a code location as it is now."""
        changed = self._target.changed_code.classes.get(place.classID)
        at = changed.index_before(place) if changed is not None else int(place.index)
        return self.sites.get(place.classID, {}).get((place.methodID, at))

    def place_now(self, type_: RefType, method: MethodID, at: int) -> CodeLocation:
        """Return where the line is now that begins at ``at`` in the program's own code, behind what was put in."""
        changed = self._target.changed_code.classes.get(type_.id)
        found = changed.maps.get(method) if changed is not None else None
        return CodeLocation(TypeTag(type_.tag), type_.id, method, found.index_after(at) if found is not None else at)

    def starts(self, changed: ChangedClass) -> list[PlaceKey]:
        """Return where the checks of a class begin, as its code is now."""
        return [(method, start_now(changed, method, at)) for method, at in self._inserted(changed)]

    def _inserted(self, changed: ChangedClass) -> Iterable[PlaceKey]:
        for method, moved in changed.maps.items():
            if isinstance(moved, WovenMethod):
                yield from ((method, each.at) for each in moved.insertions)

    def ordinary_in(self, type_id: ReferenceTypeID, but: Collection[BreakpointBase] = ()) -> list[tuple[MethodID, int]]:
        """Return where breakpoints, traces and steps wait in a class, but for some points, as its code is now: frames
        that were in it before a change would pass these by."""
        traps = {id(each) for site in self.sites.get(type_id, {}).values() for each in site.requests}
        requests = [each for pending in Steps.of(self._target).pending.values() for each in pending]
        for point in self.breakpoints:
            requests += point.placed.values() if point not in but else ()
        for trace in self._points.of_type(MethodTrace):
            requests += trace.places_in(type_id).values() if trace not in but else ()
        places = [each.place for each in requests if id(each) not in traps]
        return [(each.methodID, int(each.index)) for each in places if each is not None and each.classID == type_id]

    def drop(self, sites: Iterable[Site]) -> None:
        """Take the breakpoints of helpers out of the target. wire: no wait."""
        for site in sites:
            self._target.requests.drop(site.requests)
            site.trap = site.failed = None
            site.withdrawn()

    def forget(self, type_id: ReferenceTypeID) -> list[Site]:
        """Return the checks that a class had; it runs none any more."""
        self.stale.discard(type_id)
        return list(self.sites.pop(type_id, {}).values())

    async def prepare_conditions(self, type_id: ReferenceTypeID) -> None:
        """Have the conditions of breakpoints in a class compiled for its code as it is now: hits there may be on their
        way when it changes. wire: 1 trip, if any is new there."""
        await self._breakpoints.before_redefinition([type_id])

    @asynccontextmanager
    async def held(self, type_id: ReferenceTypeID) -> AsyncIterator[None]:
        """Suspend all threads within the block, to check whether a class can be redefined and to do it.

        No breakpoint is set by places meanwhile; the block begins when those under way are set. wire: no wait.
        """
        async with self._target.code_guard.replacing([type_id]):
            with self._target.frozen():
                yield

    async def redefine(self, changed: ChangedClass, sites: Mapping[PlaceKey, Site]) -> None:
        """Give a class the checks of these sites and no others; all other breakpoints stay in effect.

        Raises JdwpError when the VM refuses; nothing has changed then. Raises ChangedByAgent where something that is
        new among them cannot be, as an agent of the program has changed the code as well. wire: 4 trips, 6 before 23.
        """
        async with self._target.code_guard.replacing([changed.type.id]):
            await self._redefine(changed, sites)

    async def _redefine(self, changed: ChangedClass, sites: Mapping[PlaceKey, Site]) -> None:
        target, type_ = self._target, changed.type
        woven = weave(changed.original, [site.place for site in sites.values()])
        methods = (await target.types.methods([type_.id]))[type_.id]
        definition = virtual_machine.ClassDef(type_.id, woven.data)
        for site in sites.values():
            if site not in self.sites.get(type_.id, {}).values():
                await site.begin()
        await redefine(target, [definition])
        if not await self._runs(type_, woven.data):
            await self._leave_to_agent(changed, sites)
            return
        former, self.sites[type_.id] = self.sites.get(type_.id, {}), dict(sites)
        moved = self._moved(changed, woven, methods)
        changed.maps = {
            method.id: found for method in methods if (found := woven.method(method.name, method.signature))
        }
        target.changed_code.classes[type_.id] = changed
        self.stale.discard(type_.id)
        await self._stand_again(type_, moved)
        gone = [site for site in former.values() if site not in sites.values()]
        await self._owner.read_sites(gone)
        self.drop(gone)

    def require_untouched(self, type_id: ReferenceTypeID) -> None:
        """Raises ChangedByAgent for a class that was found to be changed by others."""
        if type_id in self._foreign:
            raise ChangedByAgent(self._foreign[type_id])

    async def _runs(self, type_: RefType, data: bytes) -> bool:
        """True if the code of a class is that of a class file. wire: 2 trips."""
        self._target.types.invalidate_facts([type_.id])
        running = (await running_shapes(self._target.types, [type_]))[type_.id]
        return not differences(running, of_file(parse(data)))

    async def _leave_to_agent(self, changed: ChangedClass, sites: Mapping[PlaceKey, Site]) -> None:
        """Give a class its own code, because an agent of the program changes code that it is given.

        Places in changed code cannot be found. The agent changes the class's own code as well, as before. So does the
        JVM where it takes a constant for a new one: no NaN is equal to another, and the longer constant pool may need
        a longer instruction. Raises ChangedByAgent if a site is new.
        """
        target, type_id = self._target, changed.type.id
        former = self.sites.get(type_id, {})
        is_new = any(site not in former.values() for site in sites.values())
        await redefine(target, [virtual_machine.ClassDef(type_id, changed.original)])
        self._foreign[type_id] = _BY_JVM if _has_nan(changed.original) else _BY_AGENT
        await self._owner.give_back(type_id)
        target.types.invalidate([type_id])
        self._stack.forget()
        await self._breakpoints.reinstall([type_id])
        if is_new:
            self.require_untouched(type_id)

    def _moved(
        self, changed: ChangedClass, woven: Woven, methods: Iterable[Method]
    ) -> dict[CodeLocation, CodeLocation]:
        """Return where the places of breakpoints in a class are, by where they were."""
        by_id = {method.id: woven.method(method.name, method.signature) for method in methods}
        moved = {}
        for point in self.breakpoints:
            for place in (*point.code.locations(), *point.placed):
                if place.classID == changed.type.id:
                    at, found = changed.index_before(place), by_id.get(place.methodID)
                    moved[place] = place.replace(index=found.start_after(at) if found is not None else at)
        return moved

    async def _stand_again(self, type_: RefType, moved: Mapping[CodeLocation, CodeLocation]) -> None:
        """Set the breakpoints of a redefined class where their places are now. wire: 1 trip, and 1 more where a place
        was not known.

        The former requests stay known: events of them may still be on their way.
        """
        placement, target = self._breakpoints.placement, self._target
        target.types.moved(type_.id, moved)
        self._stack.forget()
        placement.forget_code()
        for extension in target.extensions.of(Extension.code_cleared):
            extension.code_cleared([type_.id])
        pending: list[Any] = []
        for point in self.breakpoints:
            here = [place for place in point.placed if place in moved]
            point.code.move(moved)
            point.moved = tuple(moved.get(place, place) for place in point.moved)
            for compiled in (point.condition, point.log):
                if isinstance(compiled, CompiledCondition | CompiledTemplate):
                    compiled.forget_code()
            for place in here:
                del point.placed[place]
            for place in here:
                site = self.site_at(moved[place])
                if site is not None and site.is_of(point) and site.request is not None:
                    point.placed[moved[place]] = site.request
                else:
                    pending.append(placement.put(point, moved[place])[1])
            if here:
                self._owner.breakpoint_installed(point)
        for outcome in await target.conn.gather(pending):
            if isinstance(outcome, JdwpError):
                raise outcome
        await target.types.locations([place for place in moved.values() if not target.types.is_placed([place])])
        await self._points.redefined([type_.id])


def _has_nan(data: bytes) -> bool:
    """True if a class file has the constant ``Float.NaN``."""
    pool = parse(data).pool
    return any(pool.tag(index) == FLOAT and isnan(pool.numbers(index)[0]) for index in pool)


def start_now(changed: ChangedClass, method: MethodID, at: int) -> int:
    """Return where the line begins now that began at ``at`` in the program's own code."""
    found = changed.maps.get(method)
    return at if found is None else found.start_after(at)

"""The classes that breakpoints at lines and methods may be in: those that are loaded, and those that are loaded later.

Owns which names, patterns and files catch them, and the requests that tell when such a class is prepared. These suspend
the preparing thread until the breakpoint is set, so that not even a static initializer slips through.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import trio

from jdbpy.errors import JdwpError
from jdbpy.session.breakpoints.line_breakpoint import LineBreakpoint
from jdbpy.session.breakpoints.location_spec import ClassLine, FileLine, MethodPlace
from jdbpy.session.breakpoints.places import AbsoluteSpec, PlaceFinder
from jdbpy.session.concurrency import both
from jdbpy.session.events.requests import EventRequest, RequestHit, RequestSpec, Vote
from jdbpy.session.events.target import Target
from jdbpy.session.java.class_names import ClassName, none_loaded, not_loaded, of_the_runtime, similar
from jdbpy.session.java.signatures import signature_of
from jdbpy.session.jvm import facts
from jdbpy.session.jvm.refs import RefType
from jdbpy.session.sources.local_classes import LONGEST_LOOK, LocalClasses
from jdbpy.wire.constants import EventKind
from jdbpy.wire.messages import event_request, virtual_machine
from jdbpy.wire.pending import Pending


class ClassGroup:
    """Breakpoints whose classes are found in the same way: those of one class name, or of one file.

    They share the requests that tell of classes prepared later (``watches``, by their pattern), and what a listing of
    all classes has shown: ``types``, None while that is not known; ``missing`` is what they wait for if there are none.
    A class that is prepared voids it. ``spec`` is the place of one of them.
    """

    def __init__(self, spec: AbsoluteSpec) -> None:
        self.spec = spec
        self.points: dict[LineBreakpoint, None] = {}
        self.watches: dict[str, EventRequest] = {}
        self.types: Sequence[RefType] | None = None
        self.missing = ""
        self.stale = False
        self.was_known = False
        self.lock = trio.Lock()

    def forget(self) -> None:
        self.types, self.stale = None, True


class ClassGroups:
    """The groups of one target; ``on_prepare`` is asked when a class is prepared that one of them watches for."""

    def __init__(
        self, target: Target, finder: PlaceFinder, on_prepare: Callable[[ClassGroup, RequestHit], Vote]
    ) -> None:
        self._target = target
        self._finder = finder
        self._on_prepare = on_prepare
        self._groups: dict[Any, ClassGroup] = {}

    def join(self, point: LineBreakpoint) -> ClassGroup:
        """Enter a breakpoint into the group of those whose classes are found in the same way. No trip."""
        key = _group_key(point.spec)
        if key not in self._groups:
            self._groups[key] = ClassGroup(point.spec)
        group = point.group = self._groups[key]
        group.points[point] = None
        return group

    def leave(self, point: LineBreakpoint) -> list[EventRequest]:
        """Take a breakpoint out of its group; return the requests that nothing needs any more. No trip."""
        group, point.group = point.group, None
        if group is None:
            return []
        del group.points[point]
        if group.points:
            return []
        self._groups = {key: each for key, each in self._groups.items() if each is not group}
        watches = list(group.watches.values())
        group.watches.clear()
        return watches

    def points_by_name(self) -> list[LineBreakpoint]:
        """Return the breakpoints in classes that are known by a name, not by a file. No trip."""
        named = [each for each in self._groups.values() if not isinstance(each.spec, FileLine)]
        return [point for each in named for point in each.points]

    async def types_of(self, group: ClassGroup, spec: AbsoluteSpec) -> Sequence[RefType]:
        """Return the loaded types that places of the group can be in. wire: as listing them; 0 while that is known."""
        async with group.lock:
            if not group.points:  # all were removed while the lock was waited for
                return ()
            group.was_known = group.types is not None
            if group.types is None:
                group.stale = False
                listed = await self._watch_and_list(group)
                types = await self._among(spec, listed)
                group.missing = "" if types else _what_is_missing(spec, listed, LocalClasses.of(self._target))
                if group.stale:  # a class was prepared meanwhile
                    return types
                group.types = types
            return group.types

    async def _among(self, spec: AbsoluteSpec, listed: Sequence[RefType]) -> Sequence[RefType]:
        """Return the types, of those given, that the place can be in: the program's own, else the JDK's.

        None of the JDK's where a class of the program that is not loaded yet has the short name. wire: as
        ``PlaceFinder.among``, and 1 trip, once.
        """
        if isinstance(spec, FileLine):
            return await self._finder.among(spec, listed)
        name, local = spec.class_name, LocalClasses.of(self._target)
        assert name is not None
        is_short = not (name.is_full or name.is_pattern)
        own = [each for each in listed if not of_the_runtime(each.name)] if is_short else listed
        types = await self._finder.among(spec, own)
        if types:
            return types
        await local.look(LONGEST_LOOK)
        return [] if not is_short or local.has(name) else await self._finder.among(spec, listed)

    async def _watch_and_list(self, group: ClassGroup) -> list[RefType]:
        """Watch for classes, then list those that are there, in one segment and in this order, so that no class
        can be loaded unseen in between. What the listing will show is asked about ahead, as far as it is known."""
        types, conn, spec = self._target.types, self._target.conn, group.spec
        watches = self._submit_watches(group, _watches_of(spec))
        signatures = _signatures_of(spec)
        listing: list[Pending[Any]] = [conn.submit(virtual_machine.ClassesBySignature(name)) for name in signatures]
        everything = None if signatures else conn.submit(virtual_machine.AllClassesWithGeneric())
        ahead = self._finder.likely(spec)
        refused, _ = await both(
            lambda: self._settle(group, watches), lambda: types.facts.prefetch((facts.METHODS, ahead))
        )
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
                spec = RequestSpec(EventKind.CLASS_PREPARE, policy, [modifier], handler, during_calls=True)
                request, pending = self._target.requests.submit(spec)
                group.watches[label] = request
                submitted.append((label, request, pending))
        return submitted

    async def _settle(self, group: ClassGroup, watches: Sequence[tuple[str, EventRequest, Pending[Any]]]) -> bool:
        """Wait for watches; whether one was refused, which only a source name filter can be."""
        outcomes = await self._target.conn.gather([pending for _, _, pending in watches])
        refused = [label for (label, _, _), outcome in zip(watches, outcomes, strict=True) if failed(outcome)]
        for label in refused:
            group.watches.pop(label, None)
        return bool(refused)


def failed(outcome: object) -> bool:
    """True for the error of an agent that refuses a command."""
    return isinstance(outcome, JdwpError)


def _group_key(spec: AbsoluteSpec) -> Any:
    """Return what decides which classes a place may be in."""
    if isinstance(spec, FileLine):
        return spec.directory, spec.file
    return type(spec), spec.class_name


def _what_is_missing(spec: AbsoluteSpec, loaded: Iterable[RefType], local: LocalClasses) -> str:
    """Return why a breakpoint is pending, with what may have been meant instead: a slip would keep it pending.

    ``local`` has the classes that are not loaded yet, as far as they are known: one of the name is the one meant.
    """
    if isinstance(spec, FileLine):
        return none_loaded(f"of {spec.file}")
    assert spec.class_name is not None
    name = spec.class_name.text
    if spec.class_name.is_pattern:
        return none_loaded(name)
    if local.has(spec.class_name):
        return not_loaded([name], sorted(each.name for each in loaded if spec.class_name.is_end_of(each.name))[:3])
    near = similar(name, (each.name for each in loaded if not each.is_array)) or local.near(name)
    return not_loaded([name], near)


def _signatures_of(spec: AbsoluteSpec) -> list[str]:
    """Signatures that name all the types there can be; none when only a listing of all classes would do."""
    if isinstance(spec, MethodPlace) and spec.class_name is not None and spec.class_name.is_full:
        return [signature_of(name) for name in spec.class_name.spellings()]
    return []


def _watches_of(spec: AbsoluteSpec) -> dict[str, Any]:
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

"""The catchpoints of a session: exceptions, and what comes and goes (classes, threads, the VM)."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from jdbpy.errors import UsageError
from jdbpy.session.breakpoints import event_point
from jdbpy.session.breakpoints.breakpoint_table import BreakpointTable
from jdbpy.session.breakpoints.event_point import Basis, EventBreakpoint, count_for_agent, set_point
from jdbpy.session.breakpoints.exceptions import ExceptionCatchpoint
from jdbpy.session.events.requests import RESUME, RequestHit, Vote
from jdbpy.session.events.target import Target
from jdbpy.session.java.class_names import check_excludes, fits_exclude, parse_class_name
from jdbpy.session.java.signatures import java_name
from jdbpy.session.model.breakpoints import NO_OPTIONS, BreakpointInfo, PointOptions, SuspendPolicy
from jdbpy.wire.constants import EventKind
from jdbpy.wire.messages import event_request

_PLATFORM_THREADS_SINCE = 21


class ClassLoadCatchpoint(EventBreakpoint):
    """Classes that are prepared; of a class that fits, none of its code has run."""

    kind = "class-load"
    what = "the loading of classes"
    allowed = event_point.THREAD | event_point.CLASSES | event_point.CONDITION

    def __init__(self, basis: Basis, *, source: str = "") -> None:
        super().__init__(basis)
        self.source = source

    @property
    def spec(self) -> str:
        names = ",".join(self.options.classes) or "*"
        return f"load source {self.source}" if self.source else f"load {names}"

    @property
    def agent_count(self) -> int:
        return count_for_agent(self)

    async def _set_up(self) -> None:
        source = [event_request.SourceNameMatch(self.source)] if self.source else []
        await self._request([(EventKind.CLASS_PREPARE, source)])

    async def details(self, hit: RequestHit) -> dict[str, Any]:
        happened = hit.event
        known = self._target.types.learn(happened.typeID, happened.refTypeTag, happened.signature)
        return {"class_name": known.name}

    def told(self, hit: RequestHit, where: str, details: dict[str, Any]) -> tuple[str, str]:
        return "class-loaded", f"class {details['class_name']} loaded: {where}"

    def snapshot(self) -> BreakpointInfo:
        shown = super().snapshot()
        return shown if self.source else _without_classes(shown)


class ClassUnloadCatchpoint(EventBreakpoint):
    """Classes that are gone. The agent never suspends anything for them, so they are only reported."""

    kind = "class-unload"
    what = "the unloading of classes"
    allowed = event_point.CLASSES

    @property
    def spec(self) -> str:
        return f"unload {','.join(self.options.classes) or '*'}"

    @property
    def agent_count(self) -> int:
        return count_for_agent(self)

    async def _set_up(self) -> None:
        await self._request([(EventKind.CLASS_UNLOAD, [])])

    def _on_event(self, earlier: tuple[str, ...], hit: RequestHit) -> Vote:
        """The class has no id any more: only its name identifies it, here and in the cache of types."""
        self._target.types.forget_signature(hit.event.signature)
        if any(fits_exclude(pattern, java_name(hit.event.signature)) for pattern in earlier):
            return RESUME
        return super()._on_event((), hit)

    async def details(self, hit: RequestHit) -> dict[str, Any]:
        return {"class_name": java_name(hit.event.signature)}

    def told(self, hit: RequestHit, where: str, details: dict[str, Any]) -> tuple[str, str]:
        return "class-unloaded", f"class {details['class_name']} unloaded"

    def snapshot(self) -> BreakpointInfo:
        return _without_classes(super().snapshot())


def _without_classes(shown: BreakpointInfo) -> BreakpointInfo:
    """Return a breakpoint as it is listed, without the classes that its ``spec`` has already."""
    return shown.replace(options=tuple(option for option in shown.options if option[0] != "in"))


class ThreadCatchpoint(EventBreakpoint):
    """Threads that start, or end; virtual ones, of which there may be millions, only if they are asked for."""

    kind = "thread"
    what = "starts and ends of threads"
    allowed = event_point.THREAD

    def __init__(self, basis: Basis, *, start: bool, death: bool, virtual: bool) -> None:
        super().__init__(basis)
        self.start = start
        self.death = death
        self.virtual = virtual

    @property
    def spec(self) -> str:
        which = "" if self.start and self.death else " start" if self.start else " death"
        return f"thread{which}" + (" virtual" if self.virtual else "")

    @property
    def agent_count(self) -> int:
        return count_for_agent(self) if self.start != self.death else 0

    async def _set_up(self) -> None:
        kinds = [EventKind.THREAD_START] * self.start + [EventKind.THREAD_DEATH] * self.death
        platform = not self.virtual and self._target.at_least(_PLATFORM_THREADS_SINCE)
        await self._request([(kind, [event_request.PlatformThreadsOnly()] if platform else []) for kind in kinds])

    def told(self, hit: RequestHit, where: str, details: dict[str, Any]) -> tuple[str, str]:
        if hit.request.kind == EventKind.THREAD_START:
            return "thread-started", f"{where} starts"
        return "thread-ended", f"{where} ends"


class ExitCatchpoint(EventBreakpoint):
    """The end of the VM, while everything can still be looked at."""

    kind = "exit"
    what = "the end of the VM"
    allowed = frozenset[str]()

    @property
    def spec(self) -> str:
        return "exit"

    async def _set_up(self) -> None:
        await self._request([(EventKind.VM_DEATH, [])])

    def told(self, hit: RequestHit, where: str, details: dict[str, Any]) -> tuple[str, str]:
        return "vm-death", "the target is about to end"


class Catchpoints:
    """The ``catchpoints`` of a session. ``session.points`` lists, switches and removes them."""

    def __init__(self, target: Target, points: BreakpointTable) -> None:
        self._target = target
        self._points = points

    async def exception(
        self, name: str = "*", *, caught: bool = True, uncaught: bool = True, options: PointOptions = NO_OPTIONS
    ) -> BreakpointInfo:
        """Stops where an exception is thrown: of the class or a subclass, or of a class that fits a pattern.

        A class that is not loaded yet is waited for; the ``message`` of the result says so. ``options.classes`` limits
        it to exceptions that are thrown in the code of those classes. The stop's ``exception`` has message, cause and
        the place where it will be caught. Raises UsageError for a class that is no exception. wire: 3 trips, and 1 a
        superclass that is new.
        """
        wanted = parse_class_name(name)
        if not (caught or uncaught):
            raise UsageError("neither caught nor uncaught exceptions would be left")
        return await self._add(ExceptionCatchpoint, options, name=wanted, caught=caught, uncaught=uncaught)

    def find_exceptions(
        self, name: str, *, caught: bool | None = None, uncaught: bool | None = None
    ) -> builtins.list[int]:
        """Numbers of the catchpoints for a class or pattern; with ``caught`` and ``uncaught`` only of that sort."""
        wanted = parse_class_name(name)
        return [
            point.number
            for point in self._points.of_type(ExceptionCatchpoint)
            if point.is_for(wanted) and caught in (None, point.caught) and uncaught in (None, point.uncaught)
        ]

    async def class_load(self, source: str = "", *, options: PointOptions = NO_OPTIONS) -> BreakpointInfo:
        """Stops where a class is loaded (prepared) that fits ``options.classes``, before any of its code runs.

        ``source`` is a pattern of names of source files. wire: 1 trip.
        """
        if source:
            check_excludes([source])
        return await self._add(ClassLoadCatchpoint, options, source=source)

    async def class_unload(self, *, options: PointOptions = NO_OPTIONS) -> BreakpointInfo:
        """Report classes that are unloaded; the target cannot be stopped there. wire: 1 trip."""
        return await self._add(ClassUnloadCatchpoint, options.replace(policy=SuspendPolicy.NONE))

    async def thread(
        self, *, start: bool = True, death: bool = True, virtual: bool = False, options: PointOptions = NO_OPTIONS
    ) -> BreakpointInfo:
        """Stops where a thread starts or ends; virtual threads only if they are asked for. wire: 1 trip."""
        return await self._add(ThreadCatchpoint, options, start=start, death=death, virtual=virtual)

    async def exit(self, *, options: PointOptions = NO_OPTIONS) -> BreakpointInfo:
        """Stops when the VM is about to end, which is the last chance to look at it. wire: 1 trip."""
        return await self._add(ExitCatchpoint, options)

    async def _add(self, kind: Callable[..., EventBreakpoint], options: PointOptions, **subject: Any) -> BreakpointInfo:
        return await set_point(self._points, self._target, kind, options, **subject)

"""The catchpoints of a session: exceptions, and what comes and goes (classes, threads, the VM)."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from typing import Any

from jdbpy.errors import UsageError
from jdbpy.session.execution.excludes import check
from jdbpy.session.model import Breakpoint, SuspendPolicy
from jdbpy.session.points.component import Points
from jdbpy.session.points.event_point import EventPoint, set_point
from jdbpy.session.points.exceptions import ExceptionPoint
from jdbpy.session.points.lifecycle import ClassLoadPoint, ClassUnloadPoint, ExitPoint, ThreadPoint
from jdbpy.session.points.options import NO_OPTIONS, PointOptions
from jdbpy.session.target import Target
from jdbpy.session.types.class_names import parse_class_name


class Catchpoints:
    """The ``catchpoints`` of a session. Listing, switching and removing them is ``session.points``' business."""

    def __init__(self, target: Target, points: Points) -> None:
        self._target = target
        self._points = points

    async def exception(
        self, name: str = "*", *, caught: bool = True, uncaught: bool = True, options: PointOptions = NO_OPTIONS
    ) -> Breakpoint:
        """Stops where an exception is thrown: of the class or a subclass, or of a class that fits a pattern.

        A class that is not loaded yet is waited for; the ``message`` of the result says so. ``options.classes`` limits
        it to exceptions that are thrown in the code of those classes. The stop's ``exception`` has message, cause and
        the place where it will be caught. Raises UsageError for a class that is no exception. wire: 3 trips, and 1 a
        superclass that is new.
        """
        wanted = parse_class_name(name)
        if not (caught or uncaught):
            raise UsageError("neither caught nor uncaught exceptions would be left")
        return await self._add(ExceptionPoint, options, name=wanted, caught=caught, uncaught=uncaught)

    def find_exceptions(
        self, name: str, *, caught: bool | None = None, uncaught: bool | None = None
    ) -> builtins.list[int]:
        """Numbers of the catchpoints for a class or pattern; with ``caught`` and ``uncaught`` only of that sort."""
        wanted = parse_class_name(name)
        return [
            point.number
            for point in self._points.of_type(ExceptionPoint)
            if point.is_for(wanted) and caught in (None, point.caught) and uncaught in (None, point.uncaught)
        ]

    async def class_load(self, source: str = "", *, options: PointOptions = NO_OPTIONS) -> Breakpoint:
        """Stops where a class is loaded (prepared) that fits ``options.classes``, before any of its code runs.

        ``source`` is a pattern of names of source files. wire: 1 trip.
        """
        if source:
            check([source])
        return await self._add(ClassLoadPoint, options, source=source)

    async def class_unload(self, *, options: PointOptions = NO_OPTIONS) -> Breakpoint:
        """Reports classes that are unloaded; the target cannot be stopped there. wire: 1 trip."""
        return await self._add(ClassUnloadPoint, options.replace(policy=SuspendPolicy.NONE))

    async def thread(
        self, *, start: bool = True, death: bool = True, virtual: bool = False, options: PointOptions = NO_OPTIONS
    ) -> Breakpoint:
        """Stops where a thread starts or ends; virtual threads only if they are asked for. wire: 1 trip."""
        return await self._add(ThreadPoint, options, start=start, death=death, virtual=virtual)

    async def exit(self, *, options: PointOptions = NO_OPTIONS) -> Breakpoint:
        """Stops when the VM is about to end, which is the last chance to look at it. wire: 1 trip."""
        return await self._add(ExitPoint, options)

    async def _add(self, kind: Callable[..., EventPoint], options: PointOptions, **subject: Any) -> Breakpoint:
        return await set_point(self._points, self._target, kind, options, **subject)

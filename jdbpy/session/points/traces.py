"""The traces of a session: methods that are entered and left, monitors that threads contend for and wait on."""

from __future__ import annotations

import builtins
from collections.abc import Sequence

from jdbpy.errors import UsageError
from jdbpy.session.breakpoints.location_spec import MethodPlace, parse_location
from jdbpy.session.model import Breakpoint, Location
from jdbpy.session.points.component import Points
from jdbpy.session.points.event_point import set_point
from jdbpy.session.points.methods import MethodPoint
from jdbpy.session.points.monitors import KINDS, MonitorPoint
from jdbpy.session.points.options import NO_OPTIONS, PointOptions
from jdbpy.session.target import Target


class Traces:
    """The ``traces`` of a session. Listing, switching and removing them is ``session.points``' business."""

    def __init__(self, target: Target, points: Points) -> None:
        self._target = target
        self._points = points

    async def methods(
        self,
        *,
        entries: bool = True,
        exits: bool = True,
        method: Location | str | None = None,
        values: bool = False,
        options: PointOptions = NO_OPTIONS,
    ) -> Breakpoint:
        """Stops, or with the policy NONE reports, where methods are entered and left; a stop has ``return_value``.

        ``method`` is the name of one, ``Prices.find`` or ``Prices.find(int)``, whose class may be loaded later; or a
        place in the one method whose exits are meant. Named methods, and those of classes that ``options.classes``
        names in full, are traced by breakpoints. What a method returns is known there if threads are suspended (unless
        ``hold`` is off). Everything else, and all with ``values``, is traced by the agent's method events, which make
        the whole target very slow. wire: 1 trip; by breakpoints 3.
        """
        if not (entries or exits):
            raise UsageError("neither entries nor exits would be left")
        place = _method(method) if isinstance(method, str) else None
        subject = {
            "entries": entries and not isinstance(method, Location),
            "exits": exits,
            "method": method if isinstance(method, Location) else None,
            "place": place,
            "values": values,
        }
        return await set_point(self._points, self._target, MethodPoint, options, **subject)

    async def monitors(self, kinds: Sequence[str] = (), *, options: PointOptions = NO_OPTIONS) -> Breakpoint:
        """Stops or reports at what happens to monitors, all or some ``kinds`` of it: enter, entered, wait, waited.

        A stop has ``monitor``, ``object`` and a sentence as ``message``. Raises StateError when the JVM cannot tell.
        wire: 1 trip.
        """
        unknown = [kind for kind in kinds if kind not in KINDS]
        if unknown:
            raise UsageError(f"'{', '.join(unknown)}' does not happen to monitors", hint=f"there is {', '.join(KINDS)}")
        chosen = tuple(kinds or KINDS)
        return await set_point(self._points, self._target, MonitorPoint, options, kinds=chosen)

    def find(self, *, methods: bool = True, monitors: bool = True) -> builtins.list[int]:
        """Numbers of the traces of methods, of monitors, or of both. No trip."""
        points = self._points
        found = [point.number for point in points.of_type(MethodPoint)] if methods else []
        return found + ([point.number for point in points.of_type(MonitorPoint)] if monitors else [])


def _method(text: str) -> MethodPlace:
    """The method that a text names, with its class. Raises UsageError."""
    place = parse_location(text)
    if not isinstance(place, MethodPlace) or place.class_name is None:
        raise UsageError(f"'{text}' names no method of a class", hint="write Class.method or Class.method(int,String)")
    return place

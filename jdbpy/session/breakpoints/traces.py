"""The traces of a session: methods that are entered and left, monitors that threads contend for and wait on."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import Any

from jdbpy.errors import JdwpError, UsageError
from jdbpy.session.breakpoints.breakpoint_table import BreakpointTable
from jdbpy.session.breakpoints.event_point import Basis, EventBreakpoint, count_for_agent, set_point
from jdbpy.session.breakpoints.location_spec import MethodPlace, parse_location
from jdbpy.session.breakpoints.methods import MethodTrace
from jdbpy.session.concurrency import both
from jdbpy.session.events.requests import RequestHit
from jdbpy.session.events.target import Target
from jdbpy.session.model.breakpoints import NO_OPTIONS, BreakpointInfo, PointOptions
from jdbpy.session.model.threads import Location
from jdbpy.session.model.values import Limits
from jdbpy.session.values.describe import describe
from jdbpy.wire import ids
from jdbpy.wire.constants import EventKind
from jdbpy.wire.messages import event, object_reference, thread_reference

KINDS = {
    "enter": EventKind.MONITOR_CONTENDED_ENTER,
    "entered": EventKind.MONITOR_CONTENDED_ENTERED,
    "wait": EventKind.MONITOR_WAIT,
    "waited": EventKind.MONITOR_WAITED,
}
"""The events of a monitor: a thread wants one that another holds, gets it, begins to wait on one, is back."""


class MonitorTrace(EventBreakpoint):
    """Some of ``KINDS``. Class filters are for the class of the monitor's object where a thread waits."""

    kind = "monitors"
    what = "monitors"
    looks_at_thread = True

    def __init__(self, basis: Basis, *, kinds: Sequence[str]) -> None:
        super().__init__(basis)
        self.kinds = tuple(kinds)

    @property
    def spec(self) -> str:
        return "monitors" if len(self.kinds) == len(KINDS) else f"monitors {','.join(self.kinds)}"

    @property
    def agent_count(self) -> int:
        return count_for_agent(self) if len(self.kinds) == 1 else 0

    async def _set_up(self) -> None:
        """wire: 1 trip."""
        await self._request([(KINDS[kind], []) for kind in self.kinds])

    async def details(self, hit: RequestHit) -> dict[str, Any]:
        """Return the object, and in a sentence what happened to it. wire: 2 trips, 3 where a thread wants the
        monitor."""
        happened = hit.event
        value = ids.TaggedValue(happened.object.tag, happened.object.objectID)
        owner, [shown] = await both(
            lambda: self._owner(happened), lambda: describe(self._target, [value], Limits(depth=0))
        )
        name = shown.text
        match happened:
            case event.MonitorContendedEnter():
                text = f"wants the monitor of {name}" + (f', which thread "{owner}" holds' if owner else "")
            case event.MonitorContendedEntered():
                text = f"got the monitor of {name}"
            case event.MonitorWait():
                text = f"waits on {name}" + (f" for {happened.timeout} ms" if happened.timeout else "")
            case _:
                text = f"is back from waiting on {name}" + (", its time is over" if happened.timed_out else "")
        kind = next(word for word, kind in KINDS.items() if kind == type(happened).KIND)
        return {"object": shown, "monitor": kind, "message": text}

    def told(self, hit: RequestHit, where: str, details: dict[str, Any]) -> tuple[str, str]:
        return "monitor", f"{details.get('message', 'something happened to a monitor')}: {where}"

    async def _owner(self, happened: Any) -> str:
        """Name of the thread that holds the monitor which another one wants."""
        if not isinstance(happened, event.MonitorContendedEnter):
            return ""
        conn = self._target.conn
        try:
            info = await conn.request(object_reference.MonitorInfo(happened.object.objectID))
            return (await conn.request(thread_reference.Name(info.owner))).threadName if info.owner else ""
        except JdwpError:
            return ""  # it ended, or is a virtual thread, which the agent does not tell


class Traces:
    """The ``traces`` of a session. ``session.points`` lists, switches and removes them."""

    def __init__(self, target: Target, points: BreakpointTable) -> None:
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
    ) -> BreakpointInfo:
        """Stops, or with the policy NONE reports, where methods are entered and left; a stop has ``return_value``.

        ``method`` is the name of one, ``Prices.find`` or ``Prices.find(int)``, whose class may be loaded later; or a
        place in the one method whose exits are meant. Named methods, and those of classes that ``options.classes``
        names in full, are traced by breakpoints. What a method returns is known there if threads are suspended (unless
        ``hold`` is off). Everything else, and all with ``values``, is traced by the agent's method events, which make
        the whole target very slow. wire: 1 trip; by breakpoints 3.
        """
        if not (entries or exits):
            raise UsageError("nothing to trace: entries and exits are both off")
        place = _method(method) if isinstance(method, str) else None
        subject = {
            "entries": entries and not isinstance(method, Location),
            "exits": exits,
            "method": method if isinstance(method, Location) else None,
            "place": place,
            "values": values,
        }
        return await set_point(self._points, self._target, MethodTrace, options, **subject)

    async def monitors(self, kinds: Sequence[str] = (), *, options: PointOptions = NO_OPTIONS) -> BreakpointInfo:
        """Stops or reports at what happens to monitors, all or some ``kinds`` of it: enter, entered, wait, waited.

        A stop has ``monitor``, ``object`` and a sentence as ``message``. Raises StateError when the JVM cannot tell.
        wire: 1 trip.
        """
        unknown = [kind for kind in kinds if kind not in KINDS]
        if unknown:
            raise UsageError(f"unknown monitor event '{', '.join(unknown)}' (one of {', '.join(KINDS)})")
        chosen = tuple(kinds or KINDS)
        return await set_point(self._points, self._target, MonitorTrace, options, kinds=chosen)

    def find(self, *, methods: bool = True, monitors: bool = True) -> builtins.list[int]:
        """Numbers of the traces of methods, of monitors, or of both. No trip."""
        points = self._points
        found = [point.number for point in points.of_type(MethodTrace)] if methods else []
        return found + ([point.number for point in points.of_type(MonitorTrace)] if monitors else [])


def _method(text: str) -> MethodPlace:
    """Return the method that a text names, with its class. Raises UsageError."""
    place = parse_location(text)
    if not isinstance(place, MethodPlace) or place.class_name is None or place.index:
        raise UsageError(f"'{text}' names no method of a class", hint="write Class.method or Class.method(int,String)")
    return place

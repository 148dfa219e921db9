"""Method traces: stops or reports where methods are entered and left, with what they return.

A method that an exception leaves is not reported (``eventHandler.c``): the exception is.
"""

from __future__ import annotations

from typing import Any

from jdbpy.session import model
from jdbpy.session.points.event_point import Basis, EventPoint, count_for_agent
from jdbpy.session.requests import Hit
from jdbpy.session.values.describe import describe
from jdbpy.wire.constants import EventKind
from jdbpy.wire.ids import ReferenceTypeID
from jdbpy.wire.messages import event, event_request

_SHOWN = model.Limits(depth=0)
"""A value that is returned: in one line."""

_RETURN_VALUES_SINCE = 6


class MethodPoint(EventPoint):
    """Entries, exits or both, of all methods that the filters let through, or exits of one method."""

    noun = "trace"
    kind = "methods"
    what = "methods"

    def __init__(self, basis: Basis, *, entries: bool, exits: bool, method: model.Location | None = None) -> None:
        super().__init__(basis)
        self.entries = entries
        self.exits = exits
        self.method = method
        self.only_method = method.method_id if method is not None else 0

    @property
    def spec(self) -> str:
        if self.method is not None:
            return f"exit of {self.method.class_name}.{self.method.method}"
        return "methods" if self.entries and self.exits else "entries" if self.entries else "exits"

    @property
    def agent_count(self) -> int:
        return count_for_agent(self) if self.entries != self.exits and self.method is None else 0

    async def _set_up(self) -> None:
        """wire: 1 trip."""
        returns = self._target.at_least(_RETURN_VALUES_SINCE)
        leaving = EventKind.METHOD_EXIT_WITH_RETURN_VALUE if returns else EventKind.METHOD_EXIT
        kinds = [EventKind.METHOD_ENTRY] * self.entries + [leaving] * self.exits
        only = [event_request.ClassOnly(ReferenceTypeID(self.method.type_id))] if self.method is not None else []
        await self._request([(kind, only) for kind in kinds])

    def concerns(self, hit: Hit) -> bool:
        if self.method is None:
            return True
        return bool(hit.event.location.methodID == self.method.method_id)

    async def details(self, hit: Hit) -> dict[str, Any]:
        """What is returned. wire: none for a primitive, 1 trip or 2 for an object."""
        if not isinstance(hit.event, event.MethodExitWithReturnValue):
            return {}
        [value] = await describe(self._target, [hit.event.value], _SHOWN)
        return {"return_value": value}

    def told(self, hit: Hit, where: str, details: dict[str, Any]) -> tuple[str, str]:
        if hit.request.kind == EventKind.METHOD_ENTRY:
            return "trace", f"method entered: {where}"
        value: model.Value | None = details.get("return_value")
        returns = "" if value is None or value.tag == "V" else f", returns {value.text}"
        return "trace", f"method exited: {where}{returns}"

"""Monitor traces: stops or reports where threads contend for monitors, and where they wait on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jdbpy.errors import JdwpError
from jdbpy.session import model
from jdbpy.session.concurrency import both
from jdbpy.session.points.event_point import Basis, EventPoint, count_for_agent
from jdbpy.session.requests import Hit
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
"""What can happen with a monitor: a thread wants one that another holds, gets it, begins to wait on one, is back."""


class MonitorPoint(EventPoint):
    """Some of ``KINDS``. Class filters are for the class of the monitor's object where a thread waits."""

    noun = "trace"
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

    async def details(self, hit: Hit) -> dict[str, Any]:
        """The object, and in a sentence what happened to it. wire: 2 trips, 3 where a thread wants the monitor."""
        happened = hit.event
        value = ids.TaggedValue(happened.object.tag, happened.object.objectID)
        owner, [shown] = await both(
            lambda: self._owner(happened), lambda: describe(self._target, [value], model.Limits(depth=0))
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

    def told(self, hit: Hit, where: str, details: dict[str, Any]) -> tuple[str, str]:
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

"""Thread and place of a hit in words and as data, for points that report and go on.

The thread may run meanwhile, and may be gone before it has told its name.
"""

from __future__ import annotations

from contextlib import suppress

from jdbpy.errors import Disconnected, JdwpError
from jdbpy.record import Record
from jdbpy.session import model
from jdbpy.session.concurrency import both
from jdbpy.session.model import ThreadRef
from jdbpy.session.requests import Hit
from jdbpy.session.target import Target
from jdbpy.wire.ids import CodeLocation, ObjectID, ThreadID
from jdbpy.wire.messages import thread_reference


class Where(Record):
    """Thread and place of a hit: ``thread "main", shop.Order.total, line 42``, and the same as data."""

    text: str
    data: tuple[tuple[str, object], ...]
    thread: ThreadRef | None
    location: model.Location | None = None


class Whereabouts:
    """Tells where hits happened; remembers the names of threads while it is in use."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._names: dict[int, str] = {}

    async def of(self, hit: Hit) -> Where:
        """Where a hit happened. wire: 1 trip, 0 when known."""
        place: CodeLocation | None = getattr(hit.event, "location", None)
        known = [place] if place is not None and place.classID else []
        name = self._names.get(hit.thread) or self._stopped(hit.thread)
        if name is None or not self._target.types.is_placed(known):
            name, _ = await both(lambda: self._name(hit.thread, name), lambda: self._learn(known))
        parts = [f'thread "{name}"'] if name else [f"thread {hit.thread}"] if hit.thread else []
        data: list[tuple[str, object]] = [("thread", hit.thread)] if hit.thread else []
        location = None
        if known:
            location = self._target.types.location(known[0])
            parts.append(f"{location.class_name}.{location.method}")
            data += [("class", location.class_name), ("method", location.method), ("line", location.line)]
            data.append(("code_index", location.code_index))
            if location.line:
                parts.append(f"line {location.line}")
        return Where(", ".join(parts), tuple(data), ThreadRef(hit.thread, name or "") if hit.thread else None, location)

    def _stopped(self, thread: int) -> str | None:
        """The name of a thread that stopped lately: known, though the target may be at its end by now."""
        stop = self._target.last_stop
        if stop is None or stop.thread is None or stop.thread.id != thread or not stop.thread.name:
            return None
        self._names[thread] = stop.thread.name
        return stop.thread.name

    async def _name(self, thread: int, known: str | None) -> str:
        if known is not None:
            return known
        if thread:
            try:
                reply = await self._target.conn.request(thread_reference.Name(ThreadID(ObjectID(thread))))
                self._names[thread] = reply.threadName
            except (JdwpError, Disconnected):
                return ""
        return self._names.get(thread, "")

    async def _learn(self, places: list[CodeLocation]) -> None:
        with suppress(JdwpError, Disconnected):  # the class was unloaded, or the target is gone: told as far as known
            await self._target.types.locations(places)

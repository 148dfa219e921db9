"""The events of all JVMs that a batch debugs, in the order in which they came.

Each session has a stream of its own; only their common order is kept here.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress

import trio

from jdbpy import Event, EventStream, Notice, Session, Stopped
from jdbpy.cli.jvms import Jvm

MANY = 100_000
"""Events whose order among the JVMs is remembered while they wait."""


def stays_selected(session: Session, event: Event) -> str:
    """Return the name of the thread that stays selected though another one has stopped; "" if none does."""
    if not isinstance(event, Stopped) or event.thread is None or session.selection[0] in (None, event.thread.id):
        return ""
    return session.selected_thread_name


class JvmEvents:
    """The events of all JVMs in the order in which they came: an async iterator. ``jvm``: where the last came from."""

    def __init__(self) -> None:
        self.jvm: Jvm | None = None
        self.on_progress: Callable[[], None] = lambda: None
        """Called at once when a command says how far it is, before that is taken."""
        self.expects_more: Callable[[], bool] = lambda: False
        """True while JVMs may be added, though all that are here have ended."""
        self._jvms: list[Jvm] = []
        self._streams: dict[Jvm, EventStream] = {}
        self._order: deque[Jvm] = deque(maxlen=MANY)
        self._waiting = trio.lowlevel.ParkingLot()

    def add(self, jvm: Jvm) -> None:
        """Take the events of a JVM, from now on and those that were not seen yet."""
        if jvm not in self._jvms:
            self._jvms.append(jvm)
        self._streams[jvm] = jvm.session.events()

        def came(event: Event) -> None:
            self._order.append(jvm)
            if isinstance(event, Notice) and event.kind == "progress":
                self.on_progress()
            self._waiting.unpark_all()

        jvm.session.listen(came)
        self._waiting.unpark_all()

    def remove(self, jvm: Jvm) -> None:
        """Take no more events of a JVM."""
        if jvm in self._jvms:
            self._jvms.remove(jvm)
            self._streams.pop(jvm).__exit__(None, None, None)
            self._waiting.unpark_all()

    def take_nowait(self) -> Event | None:
        """Return the next event if there is one by now."""
        for jvm in self._in_order():
            event = self._streams[jvm].take_nowait()
            if event is not None:
                self.jvm = jvm
                return event
        return None

    def _in_order(self) -> Iterator[Jvm]:
        while self._order:
            jvm = self._order.popleft()
            if jvm in self._streams:
                yield jvm
        yield from list(self._jvms)  # what came before anybody listened, and the words about what was dropped

    def wake(self) -> None:
        """Let what waits look again whether any event can come."""
        self._waiting.unpark_all()

    async def arrival(self) -> bool:
        """Wait until there is an event, and leave it there; False when none can come any more."""
        while not any(self._streams[jvm].waiting for jvm in self._jvms):
            ended = all(self._streams[jvm].over and not jvm.returning for jvm in self._jvms)
            if ended and not self.expects_more():
                return False
            await self._waiting.park()
        return True

    def __aiter__(self) -> JvmEvents:
        return self

    async def __anext__(self) -> Event:
        while await self.arrival():
            event = self.take_nowait()
            if event is not None:
                return event
        raise StopAsyncIteration

    def __enter__(self) -> JvmEvents:
        return self

    def __exit__(self, *error: object) -> None:
        for jvm in list(self._jvms):
            with suppress(KeyError):
                self.remove(jvm)

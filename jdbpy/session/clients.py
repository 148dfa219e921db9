"""Several clients of one session: each has a ``Session`` of its own on the same target.

Owns which components a client shares with the session that it has joined, and what is taken back when it leaves. Whose
a stop is, and which client gets which notice, belongs to ``session/events/clients``.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import cached_property
from typing import TYPE_CHECKING

import trio

from jdbpy.errors import JdbpyError, StateError
from jdbpy.session.events.clients import Clients, ClientTarget, GuardedConnection
from jdbpy.session.model.events import Event, VMDisconnected
from jdbpy.session.session import Session
from jdbpy.session.watchdog import Panicked, panic
from jdbpy.wire.effects import ReadOnlyGuard

if TYPE_CHECKING:
    from jdbpy.session.breakpoints.breakpoint_table import BreakpointTable
    from jdbpy.session.breakpoints.line_breakpoints import LineBreakpoints
    from jdbpy.session.eval.api.component import Values
    from jdbpy.session.execution.stops import StopShower
    from jdbpy.session.hotswap.hotswap import HotSwap
    from jdbpy.session.in_target.component import Instrumentation
    from jdbpy.session.inspect.classes import ClassDirectory
    from jdbpy.session.model.breakpoints import BreakpointInfo
    from jdbpy.session.sources.sources import Sources

SETTLE_LIMIT = 3.0
"""Seconds for which a client that leaves waits until hits that have come in already are decided."""

LEAVE_LIMIT = 10.0
"""Seconds for taking out its breakpoints."""


class ClientSession(Session):
    """A session as one client of several has it. Its selection, the stops that it has seen, its history of values and
    what it has suspended are its own; the connection, breakpoints, types, sources and named values are shared."""

    def __init__(self, host: Session, target: ClientTarget) -> None:
        self._host = host
        self._target: ClientTarget = target
        self._options = host._options
        self._chores = None
        self._process = None
        self._left = False
        self.recorded_lines = ()
        self.playback = None
        self._dispatcher = host._dispatcher
        self._watchdog = host._watchdog

    @property
    def name(self) -> str:
        """Return the client's name, under which the others see it."""
        return self._target.client

    @property
    def companions(self) -> tuple[str, ...]:
        """Return the names of the other clients."""
        clients = self._target.clients
        return () if clients is None else tuple(name for name in clients.names if name != self.name)

    # What it shares, and what it has on the shared state

    @cached_property
    def sources(self) -> Sources:
        """Source text of what is debugged."""
        return self._host.sources

    @cached_property
    def classes(self) -> ClassDirectory:
        """Loaded classes, their members and lines."""
        return self._host.classes

    @cached_property
    def _stops(self) -> StopShower:
        stops = self._host._stops
        stops.hooks.append(self._remember)
        return stops

    @cached_property
    def points(self) -> BreakpointTable:
        """Return all that stops or reports, by number."""
        from jdbpy.session.breakpoints.breakpoint_table import ClientBreakpointTable

        return ClientBreakpointTable(self._host.points, self._target)

    @cached_property
    def breakpoints(self) -> LineBreakpoints:
        """Breakpoints at lines and methods."""
        from jdbpy.session.breakpoints.line_breakpoints import LineBreakpoints

        return LineBreakpoints(self._target, self.points, self.stack.selected, self._host.breakpoints)

    @cached_property
    def values(self) -> Values:
        """Expressions and values."""
        from jdbpy.session.eval.api.component import Values

        return Values(self._target, self.stack, self.sources, lambda: self._target.last_stop, self._host.values)

    @property
    def instrumentation(self) -> Instrumentation:
        """Conditions of breakpoints that the target itself computes, at the speed of its code."""
        return self._host.instrumentation

    @cached_property
    def hotswap(self) -> HotSwap:
        """Classes of the running target replaced by newer ones."""
        from jdbpy.session.hotswap.hotswap import HotSwap

        return HotSwap(self._target, self.classes, self.breakpoints, self.stack, self._host.hotswap)

    # What is the session's, not the client's

    @property
    def launched(self) -> bool:
        """False: the host, which has launched the target, ends it."""
        return False

    @property
    def points_are_used(self) -> bool:
        """True if breakpoints or their like were ever asked for in the shared session."""
        return self._host.points_are_used

    def is_used(self, component: str) -> bool:
        """True if a component of that name was ever asked for, by this client or in the shared session."""
        return super().is_used(component) or self._host.is_used(component)

    def has_set(self, point: BreakpointInfo) -> bool:
        """True if this client has set the breakpoint."""
        return point.client == self.name

    def forbid_suspending(self) -> None:
        """From now on nothing that changes or suspends the target leaves for this client."""
        self._target.conn = GuardedConnection(self._host._target.conn, ReadOnlyGuard(allow_suspend=False))

    def publish(self, event: Event) -> None:
        """Hand an event to the subscribers of this client."""
        self._target.publisher.deliver(event)

    async def panic(self) -> Panicked:
        """Like ``Session.panic``, for all clients."""
        return await panic(self._target, self.points, self.execution)

    async def detach(self) -> None:
        """Leave the shared session, which goes on: what this client has set and suspended is taken back."""
        await self.leave()
        self._target.publisher.publish(VMDisconnected("detached"))

    async def run(self) -> None:
        """Does nothing: the task is the shared session's."""

    def run_beside(self, function: Callable[..., Awaitable[object]], *args: object) -> None:
        """Run a task beside the shared session. Raises StateError when it has ended."""
        self._host.run_beside(function, *args)

    async def leave(self, *, keep: bool = False) -> None:
        """Take back the client's steps, breakpoints and suspensions, unless they are to be kept; shielded.

        A hit that is being decided is waited for, a few seconds at most. wire: 1 trip.
        """
        if self._left:
            return
        from jdbpy.session.breakpoints.breakpoint_table import BreakpointTable

        self._left = True
        target = self._target
        clients = target.clients
        assert clients is not None
        target.left = True
        with trio.CancelScope(shield=True):
            if target.publisher.ending is None:
                with suppress(JdbpyError), trio.move_on_after(LEAVE_LIMIT):
                    set_by_it = self._host.points.of_client(target.client) if "points" in vars(self._host) else []
                    if numbers := [each for each in set_by_it if not keep or each < 0]:
                        await BreakpointTable.remove(self.points, numbers)  # whatever this client may do
            if target.publisher.ending is None and not keep:
                with trio.move_on_after(SETTLE_LIMIT):
                    await target.publisher.settled()
                with suppress(JdbpyError):
                    self.execution.leave()
        if "_stops" in vars(self):
            self._stops.hooks.remove(self._remember)
        if "observer" in vars(self):
            target.extensions.remove(self.observer)
        clients.part_with(target)


@asynccontextmanager
async def join_session(
    session: Session,
    name: str,
    *,
    together: bool = False,
    attended: bool = True,
    keep: Callable[[], bool] = lambda: False,
    read_only: bool = False,
    allow_suspend: bool = False,
) -> AsyncIterator[ClientSession]:
    """Join a session as a further client; leaving the block takes back its breakpoints and what it has suspended.

    Each client stops, steps and evaluates in its own threads. A stop concerns the clients whose breakpoint, step or
    pause it is, one that suspends all threads everybody; of others a client gets a notice, and releases them only once
    it has selected their thread. The first client that joins decides whether all work ``together``, where every stop
    concerns every client, and whether the session itself is ``attended`` by a user.

    ``name`` gets a number where it is taken. ``keep`` is asked at the end: if it says so, nothing is taken back. With
    ``read_only`` nothing of this client changes or suspends the target, as with ``Options``. Raises StateError for a
    session that has ended.
    """
    if session.ending is not None or isinstance(session, ClientSession) or session.snapshot_info is not None:
        raise StateError("only a session with a running JVM can be joined", code="ENDED")
    clients = share(session, together=together, attended=attended)
    guard = session._target.conn.guard
    if read_only:
        guard = ReadOnlyGuard(allow_suspend=allow_suspend and (guard is None or guard.allow_suspend))
    client = ClientSession(session, clients.join(name[:MOST_NAME], guard if read_only else None))
    vars(client)["_stops"] = client._stops  # its stops are remembered from now on
    try:
        yield client
    finally:
        await client.leave(keep=keep())


MOST_NAME = 40
"""The most characters of a client's name."""


def share(session: Session, *, together: bool = False, attended: bool = True) -> Clients:
    """Make a session one that clients can join, if it is not yet."""
    return session._target.clients or Clients(session._target, together=together, attended=attended)


def clients_of(session: Session) -> tuple[str, ...]:
    """Return the names of the clients of a session; none while it is not shared. It raises no error. No trip."""
    clients = session._target.clients
    return () if clients is None else clients.names

"""The clients that share one target: what each of them has of its own, and which stops are whose.

Owns the rules of sharing. A stop belongs to the clients whose breakpoint, step or pause it is; one that suspends all
threads, or that belongs to no client, concerns all. Any other stop is a notice for the rest, which neither moves their
selection nor is released by their ``cont``, until they select its thread. In a session that is used ``together``, by
one person with several front ends, every stop concerns every client.

What clients share is one set of attributes: a ``ClientTarget`` has the dictionary of the session's own target, and
slots for what is the client's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import trio

from jdbpy.escape import escape
from jdbpy.session.events.requests import EventRequest
from jdbpy.session.events.selection import Selection
from jdbpy.session.events.streams import Publisher
from jdbpy.session.events.target import Target
from jdbpy.session.model.breakpoints import SuspendPolicy
from jdbpy.session.model.events import Event, Notice, Stopped, StopReason, ThreadsResumed
from jdbpy.wire.connection import Connection
from jdbpy.wire.effects import EvaluationGuard, ReadOnlyGuard

P = TypeVar("P")


class GuardedConnection(Connection):
    """The connection as a read-only client has it: with a guard of the client's own."""

    __slots__ = ("guard",)

    def __init__(self, shared: Connection, guard: ReadOnlyGuard) -> None:
        self.__dict__ = shared.__dict__
        self.guard = guard


class ReadOnlyTarget(Target):
    """The target as one read-only evaluation has it: all is shared but for the connection."""

    __slots__ = ("_whole", "conn")

    def __init__(self, whole: Target) -> None:
        self.__dict__ = whole.__dict__
        self._whole = whole
        self.conn = whole.conn if whole.conn.guard is not None else GuardedConnection(whole.conn, EvaluationGuard())

    def publish(self, event: Event) -> None:
        self._whole.publish(event)

    def part(self, kind: type[P], make: Callable[[Target], P]) -> P:
        """Return the one object of a class that belongs to the target, made for the whole target."""
        return self._whole.part(kind, make)


class Follower(Publisher):
    """The events of one client beside the session's first one, and the stops that it has not seen yet."""

    def __init__(self, hub: Publisher, on_taken: Callable[[Stopped], None]) -> None:
        super().__init__(on_taken)
        self._hub = hub
        self._early = None
        self.ending = hub.ending

    @property
    def quiet(self) -> bool:
        return self._hub.quiet

    async def settled(self) -> None:
        """Wait until all that has come in so far was handled."""
        await self._hub.settled()

    def drop_stops(self, released: Callable[[Stopped], bool]) -> None:
        """Forget the stops whose threads are being resumed, for all clients."""
        self._hub.drop_stops(released)

    def drop_breakpoints(self, numbers: Iterable[int]) -> list[Stopped]:
        """Forget the stops that only these breakpoints have caused, for all clients."""
        return self._hub.drop_breakpoints(numbers)


class ClientTarget(Target):
    """The target as one client has it: all is shared but for its selection, its stops, its events and its name."""

    __slots__ = (
        "client",
        "conn",
        "hold",
        "last_stop",
        "left",
        "mine",
        "own_parts",
        "publisher",
        "selection",
        "suspends",
        "taken",
    )

    def __init__(self, shared: Target, client: str, guard: ReadOnlyGuard | None) -> None:
        self.__dict__ = shared.__dict__
        host = host_of(shared)
        self.client = client
        self.conn = host.conn if guard is None else GuardedConnection(host.conn, guard)
        self.hold = host.hold
        self.last_stop: Stopped | None = None
        self.left = False
        self.own_parts: dict[type[Any], Any] = {}
        self.mine: Mapping[str, Any] = {"clients": (client,)}
        self.publisher: Publisher = Follower(host.publisher, self._select_shown)
        self.selection = Selection()
        self.suspends = Counter[int]()
        self.taken: dict[int, Stopped] = {}

    def publish(self, event: Event) -> None:
        host_of(self).publish(event)

    def part(self, kind: type[P], make: Callable[[Target], P]) -> P:
        """Return the one object of a class that belongs to the target; of some classes each client has one."""
        if not getattr(kind, "PER_CLIENT", False):
            return host_of(self).part(kind, make)
        found: P | None = self.own_parts.get(kind)
        if found is None:
            found = self.own_parts[kind] = make(self)
        return found


def host_of(target: Target) -> Target:
    """Return the target of the session that the clients have joined."""
    clients = target.clients
    return target if clients is None else clients.host


class Steps:
    """The steps under way, at most one a thread, whichever client has begun it."""

    def __init__(self, target: Target) -> None:
        self._requests = target.requests
        self.pending: dict[int, list[EventRequest]] = {}
        self.watched: set[int] = set()  # threads whose end is asked for, so that no step waits for a dead one
        self.clients: dict[int, str] = {}  # who has begun it, where there are several
        self.begun: Counter[int] = Counter()  # steps of each thread so far
        self.overdue: set[int] = set()
        """Threads whose step has not ended while other threads waited: those are shown now, and the step is pending."""
        self.on_end: Callable[[], None] = lambda: None
        """Called when a step has ended otherwise than with a stop of its thread."""

    @classmethod
    def of(cls, target: Target) -> Steps:
        return target.part(cls, cls)

    def on_stop(self, stop: Stopped) -> None:
        """Clear the steps that a stop has ended: that of its thread, and all if the user has suspended everything."""
        if stop.reason is StopReason.PAUSE and stop.policy is SuspendPolicy.ALL:
            for thread in list(self.pending):
                self.end(thread)
        elif stop.thread is not None:
            self.end(stop.thread.id)

    def end(self, thread: int) -> bool:
        """Clear the step of a thread; True if it had one. wire: no wait."""
        requests = self.pending.pop(thread, [])
        self.overdue.discard(thread)
        self._requests.submit_clear(requests)
        return bool(requests)

    def forget(self) -> None:
        """All requests have been taken out of the target, those of steps among them."""
        self.pending.clear()
        self.overdue.clear()
        self.watched.clear()

    def end_of(self, client: str) -> None:
        """Clear the steps that a client has begun. wire: no wait."""
        for thread in [each for each, whose in self.clients.items() if whose == client]:
            del self.clients[thread]
            self.end(thread)
        self.on_end()


class Clients:
    """All clients of one target; ``host`` is the client whose session they have joined.

    ``attended`` says whether somebody works in that session itself, or it is only served.
    """

    def __init__(self, host: Target, *, together: bool, attended: bool) -> None:
        self.host = host
        self.together = together
        self.attended = attended
        self.members: dict[str, ClientTarget] = {}
        self.internal: dict[int, str] = {}
        """Whose the breakpoints are that front ends have set for themselves, by number."""
        self._turns: dict[int, trio.Lock] = {}
        self._standing: dict[int, tuple[Stopped, int]] = {}  # by thread, 0 for none; with ``Suspension.stop_of``
        host.clients = self
        for stop in (*host.stops.values(), *(() if host.last_stop is None else (host.last_stop,))):
            if stop.frame is None or host.suspension.is_current(stop.frame):
                self._stands(stop)
        host.client = HOST if attended else ""
        host.mine = {"clients": (HOST,)} if attended else {}
        host.publisher.admit = self._for_host

    def join(self, name: str, guard: ReadOnlyGuard | None) -> ClientTarget:
        """Add a client, with that name or a similar one that is free. It is shown what is stopped now."""
        found, number = name, 1
        while found in self.members or found in ("", HOST):
            number += 1
            found = f"{name or 'client'}-{number}"
        member = ClientTarget(self.host, found, guard)
        self.members[found] = member
        self.host.publisher.follow(member.publisher, lambda event: self._admit(member, event))
        for stop in self._stops():
            self._choose(member, stop)
            if (shown := self._admit(member, stop)) is not None:
                member.publisher.publish(shown)
        self._tell_of(found, "joined")
        return member

    def _tell_of(self, client: str, did: str) -> None:
        self.tell(client, Notice(f"client-{did}", f"{escape(client)} has {did}", (("client", client),)))

    def part_with(self, member: ClientTarget) -> None:
        """A client has left."""
        member.left = True
        self.members.pop(member.client, None)
        self.host.publisher.unfollow(member.publisher)
        self._tell_of(member.client, "left")

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of all clients."""
        return (HOST, *self.members) if self.attended else tuple(self.members)

    def all(self) -> list[Target]:
        """Return the target as each client has it."""
        return [self.host, *self.members.values()]

    # -- stops -------------------------------------------------------------------------------------------------------

    def _stops(self) -> list[Stopped]:
        """Return the stops at which threads stand now."""
        suspension = self.host.suspension
        self._standing = {
            thread: (stop, number)
            for thread, (stop, number) in self._standing.items()
            if (suspension.is_suspended(thread) if thread else suspension.everything_held)
            and suspension.stop_of(thread) == number
        }
        return [stop for stop, _ in self._standing.values()]

    def _stands(self, stop: Stopped) -> None:
        thread = stop.thread.id if stop.thread is not None else 0
        self._standing[thread] = stop, self.host.suspension.stop_of(thread)

    def concerns(self, client: str, stop: Stopped) -> bool:
        """True if a stop is one of the client's: another client's stop of a thread of its own is not."""
        everything = stop.policy is SuspendPolicy.ALL or stop.thread is None
        if self.together or everything or client in stop.clients:
            return True
        return not any(name in self.names for name in stop.clients)  # of those who have left what they keep

    def stopped(self, stop: Stopped) -> None:
        """Take in a stop that is about to be published; who has selected nothing that is suspended looks at it."""
        self._stands(stop)
        for each in self.all():
            self._choose(each, stop)

    def _choose(self, target: Target, stop: Stopped) -> None:
        if not self.concerns(target.client, stop):
            return
        target.last_stop = stop
        selected = target.selection.thread
        if stop.thread is None:
            return
        if selected is None or selected.id == stop.thread.id or not self.host.suspension.is_suspended(selected.id):
            target.selection.select(stop.thread, stop.frame.index if stop.frame is not None else 1)

    def _for_host(self, event: Event) -> Event | None:
        return self._admit(self.host, event)

    def _admit(self, target: Target, event: Event) -> Event | None:
        """Return an event as a client is shown it: the stop of another client's thread is a notice."""
        if isinstance(event, ThreadsResumed) and event.client == target.client:
            return None
        if isinstance(event, Notice) and self._is_internal(target, event):
            return None
        if not isinstance(event, Stopped) or event.thread is None or self.concerns(target.client, event):
            return event
        return _elsewhere(event)

    def _is_internal(self, target: Target, notice: Notice) -> bool:
        """True if a notice is of a breakpoint that another client's front end has set for itself."""
        number = dict(notice.data).get("breakpoint")
        return isinstance(number, int) and number < 0 and self.internal.get(number, self.host.client) != target.client

    def take(self, target: Target, thread: int) -> None:
        """A client has selected a thread itself: a stop at which it stands is from now on one that it may release."""
        stop = self.host.stops.get(thread)
        if stop is not None and not self.concerns(target.client, stop):
            target.taken[thread] = stop

    def others_threads(self, target: Target) -> frozenset[int]:
        """Threads that stand at stops of other clients only, which ``cont`` of this one leaves suspended."""
        return frozenset(
            stop.thread.id
            for stop in self._stops()
            if stop.thread is not None
            and not self.concerns(target.client, stop)
            and target.taken.get(stop.thread.id) is not stop
        )

    def owned_stops(self, target: Target) -> list[Stopped]:
        """Return the stops that belong to a client alone."""
        return [stop for stop in self._stops() if stop.clients == (target.client,)]

    def resumed(self, target: Target, thread: int | None, keep: frozenset[int]) -> None:
        """Publish a release by a client. Threads that run are no longer selected by any client."""
        suspension = self.host.suspension
        for each in self.all():
            selected = each.selection.thread
            if selected is not None and not suspension.is_suspended(selected.id):
                each.selection.clear()
            if each.taken:
                stops = self._stops()
                each.taken = {number: stop for number, stop in each.taken.items() if stop in stops}
        still = {*keep, *suspension.held_threads()}
        threads = () if thread is None else (thread,)
        if thread is None and suspension.everything_stopped:
            return
        self.host.publish(ThreadsResumed(target.client, threads, tuple(sorted(still)) if thread is None else ()))

    # -- beside stops ------------------------------------------------------------------------------------------------

    def tell(self, client: str, notice: Notice) -> None:
        """Publish a notice for all clients but the one that caused it."""
        for each in self.all():
            if each.client != client or (each is self.host and not self.attended):
                each.publisher.deliver(notice)

    def turn(self, thread: int) -> trio.Lock:
        """Return the lock of a thread, held while a client evaluates in it: others wait."""
        if len(self._turns) > _MOST_TURNS:
            self._turns = {each: lock for each, lock in self._turns.items() if lock.locked()}
        return self._turns.setdefault(thread, trio.Lock())


HOST = "host"
"""The name of the client whose session the others have joined."""

_MOST_TURNS = 1_000


def _elsewhere(stop: Stopped) -> Notice:
    """Return the notice of a stop that is another client's."""
    assert stop.thread is not None
    whose = " and ".join(escape(each) for each in stop.clients)
    place = stop.location
    where = "" if place is None else f" in {escape(place.class_name)}.{escape(place.method)}"
    line = "" if place is None or place.line is None else f", line {place.line}"
    why = f" at breakpoint {stop.breakpoint}" if stop.breakpoint is not None else f" ({stop.reason.value})"
    text = f"thread {escape(stop.thread.name)} stopped for {whose}{why}{where}{line}"
    data: list[tuple[str, object]] = [("clients", stop.clients), ("thread", stop.thread.id)]
    if stop.breakpoint is not None:
        data.append(("breakpoint", stop.breakpoint))
    if place is not None:
        data += [("class", place.class_name), ("method", place.method), ("line", place.line)]
    return Notice("stopped-elsewhere", text, tuple(data))

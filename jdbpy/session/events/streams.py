"""Events for their subscribers: one bounded queue a subscriber, and the stops that were not waited for yet.

A slow subscriber never slows the target or its fellows: what does not fit is dropped for it alone and counted, and it
gets an ``EventsDropped`` record at the place of the gap. Stops and endings are never dropped. What a target writes
before anybody listens is kept for the first who does.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from types import TracebackType

import trio

from jdbpy.session.events.stop_table import is_only_of
from jdbpy.session.model.events import Event, EventsDropped, Exited, Notice, Output, Stopped, VMDisconnected

DEFAULT_CAPACITY = 10_000


class EventStream:
    """The events of one subscriber, in order: an async iterator, and a context manager that ends the subscription.

    Iteration ends after ``Exited`` or ``VMDisconnected``.
    """

    def __init__(self, publisher: Publisher, capacity: int) -> None:
        self._publisher = publisher
        self._capacity = capacity
        self._queue: deque[Event] = deque()
        self._lost = 0
        self._waiting = trio.lowlevel.ParkingLot()
        self._over = False

    def put(self, event: Event) -> None:
        if len(self._queue) >= self._capacity and isinstance(event, Notice | Output):
            self._lost += 1
            return
        if self._lost:
            self._queue.append(EventsDropped(self._lost))
            self._lost = 0
        self._queue.append(event)
        if self._waiting:  # looking is cheap, and waking nobody is not
            self._waiting.unpark_all()

    def withdraw(self, stops: set[int]) -> None:
        """Take back stops, by their ``id()``, that were not taken."""
        self._queue = deque(event for event in self._queue if id(event) not in stops)

    @property
    def waiting(self) -> bool:
        """True if there is an event to be taken."""
        return bool(self._queue)

    @property
    def over(self) -> bool:
        """True if the last event was taken."""
        return self._over and not self._queue

    def take_nowait(self) -> Event | None:
        """Return the next event if there is one by now."""
        return self._take() if self._queue else None

    async def arrival(self) -> bool:
        """Wait until there is an event, and leave it there; False when none can come any more."""
        while not self._queue:
            if self._over:
                return False
            await self._waiting.park()
        return True

    def __aiter__(self) -> EventStream:
        return self

    async def __anext__(self) -> Event:
        if not await self.arrival():
            raise StopAsyncIteration
        return self._take()

    def _take(self) -> Event:
        event = self._queue.popleft()
        self._over = self._over or isinstance(event, Exited | VMDisconnected)
        if isinstance(event, Stopped):
            self._publisher.shown(event)
        return event

    def __enter__(self) -> EventStream:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._publisher.unsubscribe(self)


class Publisher:
    """All subscribers of one session, and the queue behind ``Session.next_stop``.

    ``on_taken`` is called with each stop as a subscriber or a waiter takes it.
    """

    def __init__(self, on_taken: Callable[[Stopped], None] = lambda stop: None) -> None:
        self._streams: list[EventStream] = []
        self._listeners: list[Callable[[Event], None]] = []
        self._stops: deque[Stopped] = deque()
        self._unseen: list[Stopped] = []
        self._owed: list[Stopped] = []  # of the unseen ones those that only a waiter can take
        self._shown: list[Stopped] = []  # of these the ones that a subscriber has taken
        self._common: list[Stopped] = []  # those that several waiters got
        self._for_waiters = False
        self._waiting: list[list[Stopped]] = []  # for each waiter the stop that came while it waited
        self.on_taken = on_taken
        self._early: list[Output | Notice] | None = []  # published before the first subscriber; None since then
        self._changed = trio.lowlevel.ParkingLot()
        self.ending: Exited | VMDisconnected | None = None
        self.before_ending: list[Callable[[], None]] = []
        """Called when the first ending is published, before it: for what is still to be said."""
        self.admit: Callable[[Event], Event | None] | None = None
        """In a shared session, the form of an event that its own subscribers are shown."""
        self._followers: list[tuple[Publisher, Callable[[Event], Event | None]]] = []
        self._came_in = 0
        self._handled = 0

    def subscribe(self, capacity: int = DEFAULT_CAPACITY) -> EventStream:
        """Return a stream of the events from now on; it begins with the stops that were not seen yet.

        The first one begins with what the target has written, and what was noticed, before.
        """
        stream = EventStream(self, capacity)
        self._streams.append(stream)
        for early in self._early or ():
            stream.put(early)
        self._early = None
        for stop in self._unseen:
            stream.put(stop)
        if self.ending is not None:
            stream.put(self.ending)
        return stream

    def listen(self, listener: Callable[[Event], None]) -> None:
        """Call with each event from now on, before it is in any queue; a listener must not wait or raise."""
        self._listeners.append(listener)

    def follow(self, follower: Publisher, admit: Callable[[Event], Event | None]) -> None:
        """Hand to ``follower`` what ``admit`` makes of each event. What was published before anybody listened is the
        first follower's, if none had taken it yet."""
        self._followers.append((follower, admit))
        if self._early is not None:
            follower._early, self._early = self._early, None

    def unfollow(self, follower: Publisher) -> None:
        """Hand no more events to it."""
        self._followers = [each for each in self._followers if each[0] is not follower]

    def unsubscribe(self, stream: EventStream) -> None:
        if stream in self._streams:
            self._streams.remove(stream)

    def publish(self, event: Event) -> None:
        """Hand the event to everybody. The first ending is the ending; later ones are ignored."""
        if isinstance(event, Exited | VMDisconnected):
            if self.ending is not None:
                return
            for say in self.before_ending:
                say()
            self.ending = event
        if self._followers:
            for follower, admit in list(self._followers):
                if (shown := admit(event)) is not None:
                    follower.publish(shown)
        shown = event if self.admit is None else self.admit(event)
        if shown is not None:
            self.deliver(shown)

    def deliver(self, event: Event) -> None:
        """Hand the event to the subscribers of this publisher, and to no others."""
        for listener in self._listeners:
            listener(event)
        if isinstance(event, Stopped):
            self._unseen.append(event)
            if self._for_waiters:
                self._owed.append(event)
            if not self._give(event):
                self._stops.append(event)
        elif isinstance(event, Output | Notice) and self._early is not None and len(self._early) < DEFAULT_CAPACITY:
            self._early.append(event)
        for stream in self._streams:
            stream.put(event)
        self._tell()

    def _give(self, stop: Stopped) -> bool:
        """Hand a stop to all callers of ``next_stop`` that wait. False if none does."""
        waiting = [place for place in self._waiting if not place]
        for place in waiting:
            place.append(stop)
        if len(waiting) > 1:
            self._common.append(stop)
        return bool(waiting)

    @property
    def awaited(self) -> bool:
        """True if a task, of any client, waits for the next stop."""
        return bool(self._waiting) or any(follower.awaited for follower, _ in self._followers)

    async def next_stop(self) -> Stopped | Exited | VMDisconnected:
        """Return the oldest stop that was not waited for, else the next one, else the ending.

        A stop that comes while several wait is given to all of them.
        """
        if not self._stops:
            place: list[Stopped] = []
            self._waiting.append(place)
            try:
                while not place and self.ending is None:
                    await self._changed.park()
            except trio.Cancelled:  # a stop may have come since, before this task could leave
                self._waiting = [other for other in self._waiting if other is not place]
                self._hand_on(place)
                raise
            self._waiting = [other for other in self._waiting if other is not place]
            if not place:
                assert self.ending is not None
                return self.ending
            stop = place[0]
        else:
            stop = self._stops.popleft()
        self.seen(stop)
        self.on_taken(stop)
        return stop

    def _hand_on(self, stops: Iterable[Stopped]) -> None:
        """Let others have what a waiter was given and does not take, unless somebody else got it too."""
        for stop in stops:
            unseen = any(other is stop for other in self._unseen)
            if unseen and all(other is not stop for other in self._common) and not self._give(stop):
                self._stops.appendleft(stop)
        self._tell()

    def seen(self, stop: Stopped) -> None:
        """Somebody has taken the stop; from now on a resume may release it."""
        self._unseen, self._owed, self._shown = (
            [other for other in stops if other is not stop] for stops in (self._unseen, self._owed, self._shown)
        )

    def shown(self, stop: Stopped) -> None:
        """A subscriber has taken the stop, which is as good as a waiter's, unless waiters run the target."""
        if self._owed and any(other is stop for other in self._owed):
            self._shown.append(stop)
        else:
            self.seen(stop)
        self.on_taken(stop)

    def run_for_waiters(self) -> None:
        """The target is resumed by a caller who waits (``cont``, ``step``): stops are for that waiter."""
        self._for_waiters = True

    def run_for_subscribers(self) -> None:
        """The target is resumed by a caller who does not wait (``resume``): what was shown counts as taken."""
        self._for_waiters = False
        for stop in self._shown:
            self.seen(stop)
        self._owed = []

    def handed_over(self, stop: Stopped) -> None:
        """The stop was returned to the task that asked for it (``pause``): no other task waits for it."""
        self.seen(stop)
        self._stops = deque(other for other in self._stops if other is not stop)

    def put_back(self, stop: Stopped) -> None:
        """Hand back a stop that a waiter took and did not get: it is the next one again. One that other waiters have
        got as well is theirs."""
        if any(other is stop for other in (*self._unseen, *self._common)):
            return
        self._unseen.insert(0, stop)
        if self._for_waiters:
            self._owed.insert(0, stop)
        self._hand_on([stop])

    def unseen(self) -> list[Stopped]:
        """Stops that were not taken: they outlive a resume, so that none is lost."""
        return list(self._unseen)

    def drop_stops(self, released: Callable[[Stopped], bool]) -> None:
        """Forget the stops whose threads are being resumed, for those who would still wait for them."""
        self._drop(released)
        for follower, _ in self._followers:
            follower._drop(released)

    def _drop(self, released: Callable[[Stopped], bool]) -> None:
        if not (self._stops or self._unseen or self._common):  # what is owed or was shown is unseen
            return
        gone = {id(stop) for stop in self._unseen if released(stop)}
        if gone:
            for stream in self._streams:
                stream.withdraw(gone)
        self._stops = deque(stop for stop in self._stops if not released(stop))
        self._unseen, self._owed, self._shown, self._common = (
            [stop for stop in stops if not released(stop)]
            for stops in (self._unseen, self._owed, self._shown, self._common)
        )

    def drop_breakpoints(self, numbers: Iterable[int]) -> list[Stopped]:
        """Forget the stops that were not taken and that only these breakpoints, now removed, have caused; return those
        of this publisher's own."""
        removed, gone = set(numbers), list[Stopped]()
        for each in (self, *(follower for follower, _ in self._followers)):
            withdrawn = each.withdraw(lambda stop: is_only_of(removed, stop))
            gone += withdrawn if each is self else []
        return gone

    def withdraw(self, meant: Callable[[Stopped], bool]) -> list[Stopped]:
        """Take back the stops that nobody has taken, of those that are meant, from all queues, and return them."""
        gone = [stop for stop in self._unseen if meant(stop)]
        if gone:
            taken_back = {id(stop) for stop in gone}
            self._drop(lambda stop: id(stop) in taken_back)
        return gone

    def came_in(self) -> None:
        """An event set has come in; it may become a stop."""
        self._came_in += 1

    def was_handled(self) -> None:
        """True if it has been handled, and its stop published if it became one."""
        self._handled += 1
        self._tell()

    @property
    def quiet(self) -> bool:
        """True if no event set is being handled now."""
        return self._handled >= self._came_in

    def _tell(self) -> None:
        if self._changed:
            self._changed.unpark_all()

    async def settled(self) -> None:
        """Wait until all that has come in so far was handled: a resume after it releases no stop unseen."""
        before = self._came_in  # what comes later, in a flood of traces, is not waited for
        while self._handled < before and self.ending is None:
            await self._changed.park()

    async def wait_for_stop(self) -> None:
        """Wait until there is a stop (or the ending) that ``next_stop`` would give at once, and leave it there."""
        while not self._stops and self.ending is None:
            await self._changed.park()

    async def wait_ended(self) -> Exited | VMDisconnected:
        while self.ending is None:
            await self._changed.park()
        return self.ending

"""The event sets that have come and that were not looked at yet.

Owns their order, and two rules about it. It decodes nothing and sends nothing: it calls ``hold`` and ``release``.

Parking. The agent installs a request before it answers the ``Set``, so an event can come in before the reply that
names its request id. An event set that comes while Sets are outstanding is kept back until those are answered (and
not longer: a Set submitted after it cannot be its cause).

Back-pressure. The reader never waits for a consumer, so the queue has no limit; above ``HIGH`` waiting sets the target
is asked to hold its events, below ``LOW`` to let them come again.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import trio

from jdbpy.errors import ProtocolError
from jdbpy.wire.framing import Packet

HIGH = 1000
LOW = 100

MAX_BYTES = 64 * 1024 * 1024
"""Memory that event sets may wait in. An agent stops at HoldEvents; what was under way by then is far less."""

_OVERHEAD = 200
"""Bytes of memory that a waiting event set takes beside its data."""


class EventQueue:
    """Event packets in the order of their arrival."""

    def __init__(self, hold: Callable[[], None], release: Callable[[], None]) -> None:
        self._hold = hold
        self._release = release
        self._ready: deque[Packet] = deque()
        self._parked: deque[tuple[int, Packet]] = deque()  # with the number of the last Set it must wait for
        self._sets: dict[int, int] = {}  # outstanding Sets, packet id -> number, oldest first
        self._sets_submitted = 0
        self._consumers = trio.lowlevel.ParkingLot()
        self._closed = False
        self._holding = False
        self._bytes = 0

    def __len__(self) -> int:
        return len(self._ready) + len(self._parked)

    @property
    def ready(self) -> int:
        """Return how many can be had now; the others are parked."""
        return len(self._ready)

    @property
    def parking(self) -> bool:
        """True if an event set that comes now is kept back."""
        return bool(self._sets)

    def set_submitted(self, packet_id: int) -> None:
        """An EventRequest.Set goes out."""
        self._sets_submitted += 1
        self._sets[packet_id] = self._sets_submitted

    def set_answered(self, packet_id: int) -> None:
        """Its reply is here and has been dealt with; event sets that waited for it come free."""
        if self._sets.pop(packet_id, None) is not None:
            self._unpark()

    def put(self, packet: Packet) -> None:
        """An event set has come in. Raises ProtocolError for more than an agent sends that heeds HoldEvents."""
        self._bytes += len(packet.data) + _OVERHEAD
        if self._bytes > MAX_BYTES:
            raise ProtocolError(f"{len(self)} event sets wait, and it sends more though it was asked to hold them")
        if self._sets:
            self._parked.append((self._sets_submitted, packet))
        else:
            self._ready.append(packet)
            if self._consumers:  # looking is cheap, and waking nobody is not
                self._consumers.unpark()
        if not self._holding and len(self) > HIGH:
            self._holding = True
            self._hold()

    def hold_for_good(self) -> None:
        """Have the target hold its events, now and for as long as the connection lasts."""
        self._holding = True
        self._release = _never
        self._hold()

    async def get(self) -> Packet | None:
        """Return the next event set, once there is one; None when the queue is closed and empty."""
        await trio.lowlevel.checkpoint_if_cancelled()
        while not self._ready:
            if self._closed:
                return None
            await self._consumers.park()
        packet = self._ready.popleft()
        self._bytes -= len(packet.data) + _OVERHEAD
        if self._holding and len(self) < LOW:
            self._holding = False
            self._release()
        return packet

    def close(self) -> None:
        """Nothing more will come; what is here can still be had."""
        self._closed = True
        self._sets.clear()
        self._unpark()
        self._consumers.unpark_all()

    def _unpark(self) -> None:
        oldest = next(iter(self._sets.values()), self._sets_submitted + 1)
        while self._parked and self._parked[0][0] < oldest:
            self._ready.append(self._parked.popleft()[1])
            self._consumers.unpark()


def _never() -> None:
    """Take the place of ``release`` once events are held for good."""

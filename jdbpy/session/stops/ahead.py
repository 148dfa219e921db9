"""Over a slow link: what a stop shows is asked for behind the Resume that leads to it, before it has come in.

Most steps end, and a breakpoint in a loop is hit, long before their event has come over the link. So the reads of the
stop follow the Resume after a moment, and again after longer ones while nothing has come in; those that reach the agent
after the thread has stopped are answered, and the stop costs one trip. Earlier ones are refused, which does no harm.
Where some came in time, those and their neighbors are sent for the next stop; where none did, all are.

Owns these reads and the rule by which answers count: the event set of the stop came in before all of them, its thread
has not run since, and it tells the place that Frames tells. Then they are those of the stop. The agent suspends a
thread before it sends its event and answers a command before it carries out the next: had the thread been read while
it was held for another reason, and then run to its stop, it would have been resumed in between, by a command behind
the reads, whose answers would have come before the event. Threads also run for an invoked method, of which the agent
decides when it ends; so nothing is read here while one runs.
"""

from __future__ import annotations

from contextlib import suppress
from math import inf
from typing import Any

import trio

from jdbpy.errors import Disconnected, ProtocolError
from jdbpy.session.stops.reads import StopReads
from jdbpy.session.target import Target
from jdbpy.wire.constants import JdwpSuspendPolicy
from jdbpy.wire.framing import Packet
from jdbpy.wire.pending import Pending

FIRST = 0.001
"""The time between the Resume and the first reads, in seconds; most steps are shorter."""

GROWTH = 3
"""How many times as long each further one is, until the Resume is answered: later reads save too little."""


class _Run:
    """A thread on its way to its next stop. ``reads`` go with the time after which they were sent; ``met``: its event
    has come in."""

    __slots__ = ("epoch", "met", "method", "reads", "resumed", "since", "thread")

    def __init__(self, thread: int, resumed: Pending[Any], epoch: int, method: tuple[int, int] | None) -> None:
        self.thread = thread
        self.resumed = resumed
        self.epoch = epoch
        self.method = method
        self.since = trio.current_time()
        self.reads: list[tuple[float, StopReads]] = []
        self.met = False


class StopsAhead:
    """The stops of one target that are read ahead: of one thread at a time, the one that was let go last."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._run: _Run | None = None
        self._more = trio.lowlevel.ParkingLot()
        self._enough: float | None = None  # reads that were sent so long after the Resume came in time

    async def run(self) -> None:
        """Sends the reads when it is time, for ever."""
        while True:
            run, enough = self._run, self._enough
            delay, longest = (FIRST, inf) if enough is None else (max(FIRST, enough / GROWTH), enough * GROWTH)
            while run is not None and run is self._run and delay <= longest:
                with trio.move_on_at(run.since + delay):
                    await self._more.park()  # until another one is expected
                if run is self._run and not self._read(run, delay):
                    break
                delay *= GROWTH
            if run is self._run:
                await self._more.park()

    def expect(self, thread_id: int, resumed: Pending[Any]) -> None:
        """The thread is let go by this command, and its next stop is likely to be the next one. wire: no wait."""
        suspension, last = self._target.suspension, self._target.last_stop
        self._run = None
        if suspension.is_suspended(thread_id) or suspension.evaluating:
            return
        here = last.location if last is not None and last.thread is not None and last.thread.id == thread_id else None
        method = (here.type_id, here.method_id) if here is not None else None
        self._run = _Run(thread_id, resumed, suspension.epoch_of(thread_id), method)
        self._more.unpark()

    def came_in(self, packet: Packet) -> None:
        """Takes note of an event set where it comes in: what has been answered before it is not of its stop."""
        run = self._run
        if run is None or run.met:
            return
        try:
            composite = self._target.conn.decode_event(packet)
        except ProtocolError:
            return  # the pump's to tell
        if composite.suspendPolicy == JdwpSuspendPolicy.NONE:
            return
        if any(getattr(event, "thread", 0) == run.thread for event in composite.events):
            run.met = True
            run.reads = [(delay, reads) for delay, reads in run.reads if not reads.answered]

    def take(self, thread_id: int) -> StopReads | None:
        """The reads of the stop of a thread whose event is being handled; None when there are none that count.

        What they say counts if it tells the place that the event tells.
        """
        run, suspension = self._run, self._target.suspension
        if run is None or run.thread != thread_id:
            return None
        self._run = None
        usable = run.met and run.epoch == suspension.epoch_of(thread_id) and not suspension.evaluating
        if not usable or not run.reads:
            self._enough = None
            return None
        self._enough, reads = run.reads[0]
        return reads

    def _read(self, run: _Run, delay: float) -> bool:
        """Sends the reads once more; False when that is of no use any more."""
        suspension = self._target.suspension
        if run.met or run.resumed.done or suspension.evaluating or suspension.epoch_of(run.thread) != run.epoch:
            return False
        variables = self._target.stop_places.variables_of(*run.method) if run.method is not None else []
        with suppress(Disconnected):
            run.reads.append((delay, StopReads(self._target, run.thread, variables)))
            return True
        return False

"""Hits that wait for their turn: those of threads that a stop suspends as well, at breakpoints that suspend everything.

A hit with policy ALL would not be reported before all threads are resumed (docs/agent.md, "Resuming before a packet").
One whose condition is to be asked yet suspends its thread only, and may be on its way when all are suspended for the
hit of another. It is put off until then, so that both kinds stop in the same order.
"""

from __future__ import annotations

import time

from jdbpy.session.events.decisions import Entry
from jdbpy.session.events.requests import EventRequest
from jdbpy.session.events.target import Target
from jdbpy.session.extension import Extension
from jdbpy.session.model.decisions import Decision
from jdbpy.wire.constants import JdwpSuspendPolicy
from jdbpy.wire.event_parts import thread_of
from jdbpy.wire.framing import Packet

_THREAD = bytes([JdwpSuspendPolicy.EVENT_THREAD])


class DeferredHits(Extension):
    """The hits of one target that were put off. ``leaving``: none is put off any more."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._hits: list[tuple[int, Packet, int]] = []  # by thread; with the number of the breakpoint
        self.leaving = False

    @classmethod
    def of(cls, target: Target) -> DeferredHits:
        return target.part(cls, cls)

    def take(self, packet: Packet, request: EventRequest) -> bool:
        """Put off the hit of an event set, which is one event of that request, if all threads are suspended already,
        as a stop at its breakpoint does it. Return True if it was put off."""
        suspension = self._target.suspension
        if not suspension.everything_held or request.guard is None or not request.guard.suspends_all:
            return False
        if packet.data[:1] != _THREAD or self.leaving:
            return False
        thread = thread_of(packet, self._target.conn.id_sizes)
        if not thread or not suspension.is_held_otherwise(thread):
            return False
        self._hits.append((thread, packet, request.guard.number))
        return True

    @property
    def threads(self) -> frozenset[int]:
        """The threads whose hit was put off: the agent counts one suspension of each more."""
        return frozenset(thread for thread, *_ in self._hits)

    def pending(self) -> list[Entry]:
        """Return the hits that were put off, as the trace of decisions has them. No wait."""
        now = time.time()
        found = list[Entry]()
        for thread, packet, number in self._hits:
            [event] = self._target.conn.decode_event(packet).events
            found.append((now, thread, getattr(event, "location", None), number, Decision.WAITING_TURN))
        return found

    def resumed(self) -> None:
        """Queue the hits of threads that nothing but their hit suspends any more."""
        if self._hits:
            suspended = self._target.suspension.is_held_otherwise
            due = [packet for thread, packet, _ in self._hits if not suspended(thread)]
            self._hits = [each for each in self._hits if suspended(each[0])]
            for packet in due:
                self._target.publisher.came_in()
                self._target.conn.queue_event(packet)

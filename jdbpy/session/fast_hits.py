"""Hits of points whose condition is false: looked at and let go where packets come in, without waking a task.

Owns the look at such a hit, from the event to the Resume, and what is asked ahead of the next one. It lets a hit go on
its own only where there is nothing to decide: one event, of one point, whose condition computes with primitive
variables of the frame and is false. Every other hit goes on to the pump, with what was read of it; the pump's rules
stay the only ones. The ledger learns of a hit when it is let go, in the same breath as of the Resume.

Reading ahead. Over a link with latency the Resume takes the reads of the next hit with it, behind some commands that
only take the agent's time: it carries out one after the other, and meanwhile the thread may be back. The answers count
if the event came in before them, tells the place that they tell, and the frame has the id that was foreseen; nothing
else can make all three true. The agent suspends the thread before it sends the event; the id holds a count of the
thread's resumes; and between our Resume and these reads no command of ours is carried out that would suspend or resume
the thread. If it is not back the reads are refused, which does no harm, and the hit is read when it comes.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from time import perf_counter
from typing import Any

from jdbpy.errors import Disconnected, JdbpyError, ProtocolError
from jdbpy.session.points.conditions import Condition, Glance
from jdbpy.session.requests import EventRequest
from jdbpy.session.suspension import Op
from jdbpy.session.target import Target
from jdbpy.wire.constants import SuspendPolicy
from jdbpy.wire.event_head import only_request
from jdbpy.wire.framing import Packet
from jdbpy.wire.ids import FrameID, Location, ObjectID, ThreadID
from jdbpy.wire.messages import thread_reference, virtual_machine
from jdbpy.wire.pending import Pending

FAR = 0.002
"""From which round trip on (seconds) reading ahead is worth what it costs the agent."""

MEANWHILE = 16
"""Commands that give the thread time to come back before it is read."""

_MISSES = 8
"""So many reads in a row that came too early end reading ahead ..."""

_PAUSE = 200
"""... for so many hits: the loop may have become a hot one by then."""


class _Look:
    """One hit that is being looked at, or that may come. ``packet`` is its event set, once that is here."""

    __slots__ = ("answers", "condition", "epoch", "glance", "guess", "packet", "place", "policy", "request", "sent_at")

    def __init__(
        self, request: EventRequest, condition: Condition, glance: Glance, place: Location, guess: FrameID, epoch: int
    ) -> None:
        self.request = request
        self.condition = condition
        self.glance = glance
        self.place = place
        self.guess = guess
        self.epoch = epoch
        self.packet: Packet | None = None
        self.policy = SuspendPolicy.EVENT_THREAD
        self.answers: Sequence[Pending[Any]] = ()
        self.sent_at = 0.0

    def is_same(self, other: _Look) -> bool:
        """Whether what was asked ahead for this one is what would be asked for the other."""
        return (
            self.glance is other.glance
            and self.place == other.place
            and self.guess == other.guess
            and self.epoch == other.epoch
        )


class FastHits:
    """The looks at hits of one target."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._ahead: dict[ThreadID, _Look] = {}
        self._round_trip = 0.0
        self._misses = 0
        self._pause = 0
        self.let_go = 0
        """Hits that were let go."""
        self.foreseen = 0
        """Those of them that were read ahead."""

    def take(self, packet: Packet) -> bool:
        """Takes the hit of an event set that has just come in, if it is one to be looked at here."""
        request = self._target.requests.find(only_request(packet))
        if request is None or request.guard is None or request.guard.condition is None:
            return False
        try:
            composite = self._target.conn.decode_event(packet)
        except ProtocolError:
            return False  # the pump's to tell
        [event] = composite.events
        thread = ThreadID(ObjectID(getattr(event, "thread", 0)))
        place = getattr(event, "location", None)
        ahead = self._ahead.pop(thread, None)
        if not thread or place is None:
            return False
        look = self._look(request, request.guard.condition, thread, place)
        if look is None:
            return False
        try:
            if ahead is None or not ahead.is_same(look) or any(answer.done for answer in ahead.answers):
                self._read(look, thread)
            else:
                look = ahead
        except Disconnected:
            return False
        look.packet = packet
        look.policy = SuspendPolicy(composite.suspendPolicy)
        return True

    def _look(self, request: EventRequest, condition: Condition, thread: ThreadID, place: Location) -> _Look | None:
        """The look at the next stop of a thread at a place; None when it cannot be looked at from here."""
        foresight, suspension = self._target.foresight, self._target.suspension
        guess = foresight.guess(thread) if foresight.sure and not suspension.evaluating else None
        glance = condition.glance(place) if guess is not None else None
        if glance is None or guess is None:
            return None
        return _Look(request, condition, glance, place, guess, suspension.epoch_of(thread))

    def _read(self, look: _Look, thread: ThreadID) -> None:
        """Asks for what the look needs. wire: no wait."""
        submit = self._target.conn.submit
        look.sent_at = perf_counter()
        first, *others = (thread_reference.Frames(thread, 0, 1), *look.glance.commands(thread, look.guess))
        answers = [submit(first)]
        for command in others:
            last = command is others[-1]
            answers.append(submit(command, on_reply=partial(self._answered, look, thread) if last else None))
        look.answers = answers

    def _answered(self, look: _Look, thread: ThreadID, _: object) -> None:
        """The last answer is here: lets the hit go, or hands it on."""
        took = perf_counter() - look.sent_at
        self._round_trip = min(took, self._round_trip * 1.1) if self._round_trip else took
        if look.packet is None:  # asked ahead, and the thread was not back
            if self._ahead.get(thread) is look:
                del self._ahead[thread]
            self._missed()
            return
        answers = [answer.outcome for answer in look.answers]
        if not self._is_false(look, thread, answers):
            self._target.publisher.came_in()
            self._target.conn.queue_event(look.packet)
            return
        with suppress(Disconnected):
            self._let_go(look, thread)

    def _is_false(self, look: _Look, thread: ThreadID, answers: Sequence[Any]) -> bool:
        """Whether the hit is to be let go: all is still as it was when it came in, and the condition is false."""
        target = self._target
        suspension = target.suspension
        if suspension.evaluating or suspension.epoch_of(thread) != look.epoch:
            return False
        reply, *values = answers
        if isinstance(reply, JdbpyError) or not reply.frames:
            return False
        top = reply.frames[0]
        right = target.foresight.compare(thread, look.epoch, look.guess, top.frameID)
        if not right or top.location != look.place:
            return False
        guard = look.request.guard
        if not look.request.active or guard is None or guard.condition is not look.condition:
            return False
        if look.glance.is_false(values):
            return True
        look.condition.was_read(thread, look.epoch, answers)
        return False

    def _let_go(self, look: _Look, thread: ThreadID) -> None:
        """Enters the hit and its end in the ledger; where it is worth while, asks for the next one at once."""
        target, everything = self._target, look.policy is SuspendPolicy.ALL
        target.suspension.event(thread, everything=everything)
        if everything:
            target.submit_op(Op.VM_RESUME)
        else:
            target.submit_op(Op.THREAD_RESUME, thread, by_event=True)
        self.let_go += 1
        if self._round_trip > FAR and not target.suspension.is_suspended(thread):
            self._read_ahead(look, thread)

    def _read_ahead(self, before: _Look, thread: ThreadID) -> None:
        """Asks for the next hit of the same point, for the case that the thread is back when the agent gets to it."""
        if self._pause:
            self._pause -= 1
            return
        look = self._look(before.request, before.condition, thread, before.place)
        if look is None:
            return
        for _ in range(MEANWHILE):
            self._target.conn.submit(virtual_machine.IDSizes())
        self._read(look, thread)
        self._ahead[thread] = look

    def _missed(self) -> None:
        self._misses += 1
        if self._misses == _MISSES:
            self._misses, self._pause = 0, _PAUSE

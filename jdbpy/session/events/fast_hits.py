"""Hits of breakpoints whose condition is false: read and resumed where packets come in, without waking a task.

Owns the look at such a hit, from the event to the Resume, and what is asked ahead of the next one. It lets a hit go on
its own only where there is nothing to decide: one event, of one point, whose condition is false. Hits of several
threads are looked at side by side. Every other hit goes on to the dispatcher, with what was found out; the dispatcher's
rules stay the only ones. ``Suspension`` learns of a hit when it is resumed, in the same breath as of the Resume.

A condition may run methods in a thread that its hit has suspended alone: each thread runs its own, side by side with
those of others. ``Suspension`` learns of such a hit before the first method, and keeps its thread among those of which
it is not decided yet (``asked``). A method that does not return is noticed by a task of its own (``watch_calls``).

The first reads are those of the frame, by the id that was foreseen: the agent refuses an id that is not that of the
thread's frames now. What the condition reads then, fields of objects and the like, is asked for where the answers come
in.

Over a link with latency the reads of the next hit follow the Resume after the time in which the thread was back lately.
Answers count if the event set came in before them, tells the place that they tell, and the frame has the id that was
foreseen; docs/speed.md proves it. Nothing is asked ahead while a method runs, and nothing at all while one
runs that lets all threads run.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import trio

from jdbpy.errors import Disconnected, JdbpyError, JdwpError, ProtocolError
from jdbpy.session.events.conditions import Condition, ConditionEvaluation, FastCondition, MethodCall
from jdbpy.session.events.requests import EventRequest
from jdbpy.session.events.suspension import SuspendOp
from jdbpy.session.events.target import Target
from jdbpy.session.model.decisions import Decision
from jdbpy.wire.command import Command
from jdbpy.wire.constants import Error, JdwpSuspendPolicy
from jdbpy.wire.framing import Packet
from jdbpy.wire.ids import CodeLocation, FrameID, ObjectID, ThreadID
from jdbpy.wire.messages import thread_reference
from jdbpy.wire.pending import Pending

LEAST = 0.001
"""The shortest time between a Resume and the reads of the next hit, in seconds."""

_SHARE = 0.25
"""The longest such time, as a share of the round trip: later reads save too little."""

_SMOOTH = 8
"""Over as many hits the time that a thread is away is averaged."""

_MISSES = 8
"""So many reads in a row that came too early end reading ahead ..."""

_PAUSE = 100
"""... for so many hits: they may follow each other more closely by then."""


class _Look:
    """One hit that is being looked at, or that may come. ``packet`` is its event set, once that is here."""

    __slots__ = (
        "ahead", "answers", "condition", "entered", "epoch", "fast_condition", "guess", "outcomes", "packet", "place",
        "policy", "request", "since",
    )  # fmt: skip

    def __init__(
        self,
        request: EventRequest,
        condition: Condition,
        fast_condition: FastCondition,
        place: CodeLocation,
        guess: FrameID,
        epoch: int,
    ) -> None:
        self.request = request
        self.condition = condition
        self.fast_condition = fast_condition
        self.place = place
        self.guess = guess
        self.epoch = epoch
        self.packet: Packet | None = None
        self.policy = JdwpSuspendPolicy.EVENT_THREAD
        self.answers: Sequence[Pending[Any]] = ()
        self.outcomes: Sequence[Any] = ()  # of these, where the frame came with them, and is the one that was foreseen
        self.ahead = False  # they were asked before the hit, together with the frame
        self.since = 0.0  # when its reads were sent
        self.entered = False  # ``Suspension`` knows of the hit

    def is_read_for(self, other: _Look) -> bool:
        """True if what was asked ahead for this one, and is not answered yet, is what would be asked for the other."""
        same = self.fast_condition is other.fast_condition and self.place == other.place
        same = same and self.guess == other.guess and self.epoch == other.epoch
        return same and bool(self.answers) and not any(answer.done for answer in self.answers)


class _Call:
    """A method that is being run for a look."""

    __slots__ = ("due", "evaluation", "look", "method", "over", "stop")

    def __init__(self, look: _Look, evaluation: ConditionEvaluation, method: MethodCall, stop: int) -> None:
        self.look = look
        self.evaluation = evaluation
        self.method = method
        self.stop = stop
        self.due = trio.current_time() + method.limit
        self.over = False  # it counts as one that does not return


class FastHits:
    """The looks at hits of one target. ``take`` works without ``run``, which reads ahead."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._ahead: dict[ThreadID, _Look] = {}
        self._due: deque[tuple[float, ThreadID, _Look]] = deque()  # what is to be read ahead, and when
        self._more_due = trio.lowlevel.ParkingLot()
        self._resumed: dict[ThreadID, float] = {}  # when hits were resumed, while reading ahead
        self._away = 0.0  # how long threads have needed from a Resume to their next hit
        self._misses = 0
        self._pause = 0
        self._entered: dict[int, Packet] = {}  # hits by thread of which ``Suspension`` knows
        self._calls: dict[int, _Call] = {}  # the methods that are being run, by thread
        self._more_calls = trio.lowlevel.ParkingLot()
        self.let_go = 0
        """Hits that were resumed here."""
        self.read_ahead = 0
        """Hits that were read before they had come in."""

    async def run(self) -> None:
        """Reads ahead when it is time, for ever."""
        while True:
            while not self._due:
                await self._more_due.park()
            when, thread, look = self._due.popleft()
            await trio.sleep_until(when)
            suspension = self._target.suspension
            running = suspension.epoch_of(thread) == look.epoch and not suspension.evaluating
            if running and self._ahead.get(thread) is look:
                with suppress(Disconnected):
                    self._read(look, thread)

    async def watch_calls(self) -> None:
        """End the looks whose methods do not return, for ever."""
        while True:
            while not self._calls:
                await self._more_calls.park()
            await trio.sleep_until(min(each.due for each in self._calls.values()))
            now = trio.current_time()
            for thread, each in list(self._calls.items()):
                if each.due <= now:
                    del self._calls[thread]
                    each.over = True
                    with suppress(Disconnected):
                        await self._end(each, ThreadID(ObjectID(thread)))

    async def _end(self, call: _Call, thread: ThreadID) -> None:
        """Hand on a hit whose method does not return, as an error of its condition."""
        error = await call.method.unreturned()
        call.look.condition.has_run(thread, (), error)
        call.evaluation.close()
        self._hand_on(call.look)

    def take_over(self, thread: int, packet: Packet) -> bool:
        """True if ``Suspension`` knows of that hit already; the dispatcher has it from now on."""
        if self._entered.get(thread) is not packet:
            return False
        del self._entered[thread]
        return True

    def take(self, packet: Packet, request: EventRequest) -> bool:
        """Take the hit of an event set that has just come in, if it is one to be looked at here; the set is one event
        of that request."""
        guard = request.guard
        if guard is None or guard.condition is None or 0 < guard.look_after <= guard.passes:
            return False
        try:
            composite = self._target.conn.decode_event(packet)
        except ProtocolError:
            return False  # the dispatcher's to tell
        [event] = composite.events
        thread, place = ThreadID(ObjectID(getattr(event, "thread", 0))), getattr(event, "location", None)
        ahead = self._ahead.pop(thread, None)
        look = self._look(request, thread, place) if thread and place is not None else None
        if look is None:
            return False
        if self._target.latency.is_high_for_hits:
            self._time(thread)
        if ahead is not None and ahead.is_read_for(look):
            look = ahead
            self.read_ahead += 1
            self._misses = 0
        else:
            try:
                return self._look_at(look, thread, packet, JdwpSuspendPolicy(composite.suspendPolicy))
            except Disconnected:
                return False
        look.packet = packet
        look.policy = JdwpSuspendPolicy(composite.suspendPolicy)
        return True

    def _look_at(self, look: _Look, thread: ThreadID, packet: Packet, policy: JdwpSuspendPolicy) -> bool:
        """Read what the condition needs of a hit that is here. False if it is the dispatcher's at once.
        wire: no wait.
        """
        look.policy = policy
        commands = look.fast_condition.commands(thread, look.guess)
        if commands:
            look.packet = packet
            self._ask(look, thread, commands)
            return True
        evaluation = look.fast_condition.begin((), thread)
        if evaluation.asks or evaluation.call is not None or evaluation.holds is False:
            look.packet = packet
            self._go_on(look, thread, evaluation)
            return True
        return False

    def _look(self, request: EventRequest, thread: ThreadID, place: CodeLocation) -> _Look | None:
        """Return the look at the next stop of a thread at a place; None when it cannot be looked at from here."""
        frame_id_predictor, suspension = self._target.frame_id_predictor, self._target.suspension
        condition = request.guard.condition if request.guard is not None else None
        if condition is None or not frame_id_predictor.proved or self._target.invocations.others_run:
            return None
        guess, fast_condition = frame_id_predictor.guess(thread), condition.fast_condition(place)
        if guess is None or fast_condition is None:
            return None
        return _Look(request, condition, fast_condition, place, guess, suspension.epoch_of(thread))

    def _read(self, look: _Look, thread: ThreadID) -> None:
        """Asks ahead for what the look needs, and where the thread is. wire: no wait."""
        look.ahead = True
        self._ask(
            look, thread, (thread_reference.Frames(thread, 0, 1), *look.fast_condition.commands(thread, look.guess))
        )

    def _ask(self, look: _Look, thread: ThreadID, commands: Sequence[Command[Any]]) -> None:
        look.since = trio.current_time()
        *first, last = commands
        submit, pending = self._target.conn.submit, list[Pending[Any]]()
        look.answers = pending
        pending += [submit(command) for command in first]
        pending.append(submit(last, on_reply=partial(self._answered, look, thread)))

    def _answered(self, look: _Look, thread: ThreadID, _: object) -> None:
        """The last answer is here: lets the hit go, or hands it on."""
        self._target.latency.hit_read_took(trio.current_time() - look.since)
        if look.packet is None:  # asked ahead, and the thread was not back
            if self._ahead.get(thread) is look:
                del self._ahead[thread]
            self._misses += 1
            return
        answers = [answer.outcome for answer in look.answers]
        if self._is_read(look, thread, answers):
            look.outcomes = answers if look.ahead else ()
            self._go_on(look, thread, look.fast_condition.begin(answers[1:] if look.ahead else answers, thread))
        else:
            self._hand_on(look)

    def _go_on(self, look: _Look, thread: ThreadID, evaluation: ConditionEvaluation) -> None:
        """Resume the thread if the condition is false, hand the hit on if it is true, else ask for what is missing."""
        if not self._is_as_it_was(look, thread):
            self._give_up(look, thread, evaluation)
        elif evaluation.call is not None:
            self._call(look, thread, evaluation, evaluation.call)
        elif evaluation.asks:
            try:
                *first, last = evaluation.asks
                submit = self._target.conn.submit
                answers = [submit(command) for command in first]
                answers.append(submit(last, on_reply=lambda _: self._told(look, thread, evaluation, answers)))
            except Disconnected:
                evaluation.close()
        elif evaluation.holds is False:
            with suppress(Disconnected):
                self._let_go(look, thread)
        else:
            outcomes = () if look.entered else look.outcomes  # a method makes the ids of frames void
            look.condition.was_read(thread, look.epoch, outcomes, holds=bool(evaluation.holds))
            self._give_up(look, thread, evaluation)

    def _give_up(self, look: _Look, thread: ThreadID, evaluation: ConditionEvaluation) -> None:
        """Hand the hit on, with what was run for it."""
        if evaluation.calls:
            look.condition.has_run(thread, evaluation.calls, None)
        evaluation.close()
        self._hand_on(look)

    def _call(self, look: _Look, thread: ThreadID, evaluation: ConditionEvaluation, method: MethodCall) -> None:
        """Run a method in the thread of the hit, if nothing else suspends it, and no hit before it is to be decided."""
        suspension = self._target.suspension
        behind = not look.entered and thread in self._entered
        if behind or look.policy is not JdwpSuspendPolicy.EVENT_THREAD or suspension.count(thread) != look.entered:
            self._give_up(look, thread, evaluation)
            return
        if not look.entered:
            assert look.packet is not None
            look.entered, self._entered[thread] = True, look.packet
            suspension.event(thread, everything=False)
            suspension.asked.add(thread)
            self._target.invocations.suspended(thread)
        call = self._calls[thread] = _Call(look, evaluation, method, suspension.stop_of(thread))
        if len(self._calls) == 1:
            self._more_calls.unpark()
        try:
            method.start(lambda outcome: self._returned(call, thread, outcome))
        except Disconnected:
            evaluation.close()

    def _returned(self, call: _Call, thread: ThreadID, outcome: Any) -> None:
        """Take what came of a method."""
        if call.over:
            return
        del self._calls[thread]
        if call.stop == self._target.suspension.stop_of(thread):
            call.look.epoch = self._target.suspension.epoch_of(thread)  # a method is the end of an epoch, not of a stop
        if isinstance(outcome, JdbpyError) and not isinstance(outcome, JdwpError):
            call.evaluation.close()
            return
        call.evaluation.answer([outcome])
        self._go_on(call.look, thread, call.evaluation)

    def _told(
        self, look: _Look, thread: ThreadID, evaluation: ConditionEvaluation, answers: list[Pending[Any]]
    ) -> None:
        """Take the answers to what the evaluation has asked, the last of which came just now."""
        outcomes = [answer.outcome for answer in answers]
        if any(isinstance(outcome, JdbpyError) and not isinstance(outcome, JdwpError) for outcome in outcomes):
            self._give_up(look, thread, evaluation)
            return
        evaluation.answer(outcomes)
        self._go_on(look, thread, evaluation)

    def _hand_on(self, look: _Look) -> None:
        """The hit is the dispatcher's, as if it came in now."""
        assert look.packet is not None
        self._target.publisher.came_in()
        self._target.conn.queue_event(look.packet)

    def _is_as_it_was(self, look: _Look, thread: ThreadID) -> bool:
        """True if all is still as it was when the hit came in."""
        guard, suspension = look.request.guard, self._target.suspension
        if not look.request.active or guard is None or guard.condition is not look.condition:
            return False
        if look.entered and thread not in suspension.asked:
            return False  # it was resumed
        return not self._target.invocations.others_run and suspension.epoch_of(thread) == look.epoch

    def _is_read(self, look: _Look, thread: ThreadID, answers: Sequence[Any]) -> bool:
        """True if the answers are those of the hit: the frame is at its place and has the id that was foreseen."""
        if not self._is_as_it_was(look, thread):
            return False
        errors = [answer for answer in answers if isinstance(answer, JdbpyError)]
        if errors or not look.ahead:
            if any(isinstance(error, JdwpError) and error.number == Error.INVALID_FRAMEID for error in errors):
                self._target.frame_id_predictor.refused(thread)
            return not errors
        [top] = answers[0].frames
        right = self._target.frame_id_predictor.compare(thread, look.epoch, look.guess, top.frameID)
        return right and bool(top.location == look.place)

    def _let_go(self, look: _Look, thread: ThreadID) -> None:
        """Enter the hit and its end in ``Suspension``; where it is worth while, see to it that the next one
        is read.
        """
        target, everything = self._target, look.policy is JdwpSuspendPolicy.ALL
        if look.entered:
            del self._entered[thread]
            target.suspension.asked.discard(thread)
        else:
            target.suspension.event(thread, everything=everything)
            if not everything:
                target.invocations.suspended(thread)
        on_reply = target.hit_times.resuming(thread, look.policy)
        if everything:
            target.invocations.entered()
            target.unsuspend_all(but=thread, on_reply=on_reply)
        else:
            target.submit_op(SuspendOp.THREAD_RESUME, thread, by_event=True, on_reply=on_reply)
        self.let_go += 1
        if look.request.guard is not None:
            look.request.guard.passes += 1
            target.decisions.record(look.request.guard.number, thread, look.place, Decision.CONDITION_FALSE)
        suspended = target.suspension.is_suspended(thread) or target.suspension.evaluating
        if target.latency.is_high_for_hits and not suspended:
            self._look_ahead(look, thread)

    # -- reading ahead -----------------------------------------------------------------------------------------------

    def _look_ahead(self, before: _Look, thread: ThreadID) -> None:
        """Plans to read the next hit of the same point, for the case that the thread is back by then."""
        self._resumed[thread] = now = trio.current_time()
        if self._misses >= _MISSES:
            self._misses, self._pause = 0, _PAUSE
        if self._pause:
            self._pause -= 1
            return
        look = self._look(before.request, thread, before.place)
        if look is not None:
            self._ahead[thread] = look
            delay = max(LEAST, min(2 * self._away, self._target.latency.recent * _SHARE))
            self._due.append((now + delay, thread, look))
            self._more_due.unpark()

    def _time(self, thread: ThreadID) -> None:
        """Learns from a hit how long its thread was away."""
        resumed = self._resumed.pop(thread, None)
        if resumed is not None:
            away = max(0.0, trio.current_time() - resumed - self._target.latency.recent)
            self._away += (away - self._away) / _SMOOTH

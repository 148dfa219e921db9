"""The event dispatcher: takes event sets off the connection, asks the owners, and lets the set go or makes it a stop.

Owns the order of events and the rule of votes: every owner of a request in a set is asked, and the set is resumed,
once and with its own suspend policy, only when all agree. It knows nothing of what a breakpoint or a step is.

Sets are handled one by one, in order, and a handler may take its time (a condition that invokes a method). Four kinds
are not kept waiting, but passed where they come in (``Connection.on_event``): those of a thread that evaluates an
expression, whose invoke could otherwise never reply, hits whose condition is false (``fast_hits``), those that suspend
nothing and are only counted (``RequestTable.count_only``), and those whose owner lets them go without having to wait.
The last are asked about at once only while no other set waits or is being handled, so that the order stays.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import suppress
from functools import partial
from traceback import extract_tb
from typing import Any

import trio

from jdbpy.errors import Disconnected, JdbpyError, JdwpError, ProtocolError
from jdbpy.session.events.decisions import Numbers
from jdbpy.session.events.deferred_hits import DeferredHits
from jdbpy.session.events.fast_hits import FastHits
from jdbpy.session.events.requests import (
    AUTOMATIC,
    REASONS,
    EventRequest,
    RequestHit,
    StopPlan,
    Verdict,
    Vote,
    number_of,
    verdict_of,
)
from jdbpy.session.events.suspension import SuspendOp, Unfit
from jdbpy.session.events.target import Target
from jdbpy.session.model.decisions import Decision
from jdbpy.session.model.events import ExceptionInfo, Exited, Notice, VMDisconnected
from jdbpy.session.model.kinds import KINDS, StopReason
from jdbpy.task_groups import open_nursery
from jdbpy.wire import close_reason, event_parts
from jdbpy.wire.constants import JdwpSuspendPolicy
from jdbpy.wire.event_parts import only_request, thread_of
from jdbpy.wire.framing import Packet
from jdbpy.wire.messages import event as wire_event

Votes = list[tuple[RequestHit, StopPlan]]

StopShower = Callable[[Votes], Awaitable[None]]
ExceptionReader = Callable[[wire_event.Exception], Awaitable[ExceptionInfo]]

_ALL = bytes((JdwpSuspendPolicy.ALL,))
"""The beginning of an event set that suspends everything; no policy has a higher number."""

EXIT_LIMIT = 3.0
"""Seconds that the process of a launched target may outlive its connection before that counts as lost."""

DEATH_LIMIT = 30.0
"""The same for one that has said that it ends: its exit status is worth waiting for."""

_POLICIES = tuple(JdwpSuspendPolicy)
"""By their numbers."""

_MOST_WARNINGS = 20
"""Different warnings of events that make no sense; there are no more, whatever the target sends."""


class _Begun:
    """The vote of an owner who was asked where the set came in, until the dispatcher takes that set."""

    def __init__(self, composite: wire_event.Composite, hit: RequestHit, vote: Vote) -> None:
        self.composite = composite
        """The set as its owner was shown it: what lets it go must find it to be the same one later."""
        self._asked = hit, vote
        self.number = number_of(hit.request)
        self._active = hit.request.active  # else the owner itself has cleared it, or the agent

    def taken(self) -> tuple[RequestHit, Vote] | None:
        """Return the vote; None if the request was cleared meanwhile, whose hits do not count any more."""
        if self._active and not self._asked[0].request.active:
            self.drop()
            return None
        return self._asked

    def drop(self) -> None:
        """Nobody is going to wait for it."""
        vote = self._asked[1]
        if isinstance(vote, Coroutine):
            vote.close()


class EventDispatcher:
    """Runs for the life of a session. ``show_stop`` builds and publishes the Stop of the votes it is given.

    ``read_exception`` reads the exception at which the target was to stop. ``exit_status`` waits for the launched
    process and its output, and gives its status (None: cannot be had).
    """

    def __init__(
        self,
        target: Target,
        show_stop: StopShower,
        read_exception: ExceptionReader,
        exit_status: Callable[[], Awaitable[int | None]] | None = None,
    ) -> None:
        self._target = target
        self._show_stop = show_stop
        self._read_exception = read_exception
        self.fast_hits = FastHits(target)
        self._warned: set[str] = set()
        self._gone: wire_event.Composite | None = None  # the set that its handler has resumed already
        self._begun: _Begun | None = None  # of the next set that the dispatcher takes
        self._running = False
        self._nursery: trio.Nursery | None = None
        self._leaving = False
        self._deferred = DeferredHits.of(target)
        self.exit_status = exit_status
        self.death_told = False
        """True if the VM has reported its end, or was asked to exit: a closed connection is then its end."""

    async def run(self) -> None:
        """Handles events until the connection is over, then publishes how it ended."""
        conn = self._target.conn
        for _ in range(conn.events_waiting):  # the VM's start comes before anybody is there to take it
            self._target.publisher.came_in()
        conn.on_event = self._take
        self._target.extensions.add(self._deferred)
        self._running = True
        try:
            async with open_nursery() as nursery:
                self._nursery = nursery
                nursery.start_soon(self.fast_hits.run)
                nursery.start_soon(self.fast_hits.watch_calls)
                if self._target.high_latency:
                    nursery.start_soon(self._target.stops_ahead.run)
                reason = await self._work()
                nursery.cancel_scope.cancel()
        finally:
            self._running, self._nursery = False, None
            if self._begun is not None:
                self._begun.drop()
        await self._end(reason)

    async def _end(self, reason: str) -> None:
        """Publish the ending: the end of the VM if it said so or its process is gone, else the lost connection."""
        status: int | None = None
        if self.exit_status is not None:
            with trio.move_on_after(DEATH_LIMIT if self.death_told else EXIT_LIMIT):
                status = await self.exit_status()
        if self.death_told or status is not None:
            by_us = reason in (close_reason.DISPOSED, close_reason.BY_US)
            self._target.publish(Exited(status, close_reason.EXITED if by_us else reason))
        else:
            self._target.publish(VMDisconnected(reason))

    @property
    def put_off(self) -> frozenset[int]:
        """The threads whose hit waits until all are resumed, and that ``Suspension`` does not know of: the agent counts
        one suspension of each more."""
        return self._deferred.threads - self._target.suspension.asked

    def leave(self) -> None:
        """From now on resume every event set where it comes in; none becomes a stop any more."""
        self._leaving = self._deferred.leaving = True

    def _take(self, packet: Packet) -> bool:
        """Pass an event set as it comes in, if it is not to wait for its turn. A fault here ends nothing."""
        if packet.data[:1] > _ALL:
            self._warn(f"an event set has the unknown suspend policy {packet.data[0]}; all threads were resumed")
        try:
            return self._take_at_once(packet)
        except Exception as fault:
            self._warn(_fault(fault))
            self._target.publisher.came_in()
            return False

    def _warn(self, text: str) -> None:
        """Publish a warning, once."""
        if text not in self._warned and len(self._warned) < _MOST_WARNINGS:
            self._warned.add(text)
            self._target.publish(Notice("warning", text))

    def _take_at_once(self, packet: Packet) -> bool:
        if self._leaving:
            self._pass(packet)
            return True
        self._target.last_breakpoints.came_in(packet.data)
        everything = packet.data[:1] == _ALL
        if everything:
            self._target.invocations.suspended_all()
        if self._target.invocations.any:
            if self._is_of_evaluation(packet):
                return True
            if everything:
                self._let_calls_run()
        if self._target.suspension.own and self._is_of_own_thread(packet):
            return True
        if self._target.requests.count_only(packet.data):
            return True
        if self._target.requests.has_immediate and self._immediate(packet):
            return True
        if self._target.high_latency:
            self._target.stops_ahead.came_in(packet)
        request = self._target.requests.find(only_request(packet))
        if request is not None and packet.data[event_parts.KIND] != request.kind:
            request = None  # of another session's request; the dispatcher reports it
        if request is not None and self._deferred.take(packet, request):
            return True
        if request is not None and request.guard is not None:
            self._target.hit_times.arrived(request.guard, thread_of(packet, self._target.conn.id_sizes))
        if request is not None and (self.fast_hits.take(packet, request) or self._decide(packet, request)):
            return True
        self._target.publisher.came_in()
        return False

    def _immediate(self, packet: Packet) -> bool:
        """Call the handlers that wait for no turn, of a set with several events; True if that was all of them."""
        if packet.data[event_parts.COUNT] == event_parts.ONE:
            return False
        try:
            composite = self._target.conn.decode_event(packet)
        except ProtocolError:
            return False  # told when its turn comes
        requests = [self._target.requests.find(event.requestID) for event in composite.events]
        for event, request in zip(composite.events, requests, strict=True):
            if request is not None and request.immediate and not request.misfit(event):
                request.handler(self._hit(composite, event, request))
        free = composite.suspendPolicy == JdwpSuspendPolicy.NONE
        return free and all(request is not None and request.immediate for request in requests)

    def _decide(self, packet: Packet, request: EventRequest) -> bool:
        """Ask the owner of a set's one event, unless that has to wait, and resume the set if that is the verdict.

        If it is not, or is not there yet, the set goes on from there when the dispatcher takes it.
        """
        if not (self._running and self._target.publisher.quiet) or self._target.conn.parking:
            return False
        try:
            composite = self._target.conn.decode_event(packet)
        except ProtocolError:
            return False  # told when its turn comes
        [event] = composite.events
        if event.requestID != request.id or request.misfit(event):
            return False  # of an unknown kind, or the dispatcher's to report
        self._note_suspension(composite, undecided=True)
        hit = self._hit(composite, event, request)
        try:
            vote = request.handler(hit)
        except Exception as error:
            vote = _failing(error)  # the dispatcher's to tell
        if vote is None:
            if request.guard is None:
                self._target.decisions.count(0, Decision.OWN_REQUEST)
            self._resume_set(composite)
            return True
        self._begun = _Begun(composite, hit, vote)
        return False

    def _let_calls_run(self) -> None:
        """Resume the threads that run a method: the event of another thread must not keep them suspended."""
        with suppress(Disconnected), self._target.conn.corked:
            self._target.invocations.let_run()

    def _is_of_evaluation(self, packet: Packet) -> bool:
        """True if the set is one of threads that evaluate; it has been resumed then."""
        try:
            composite = self._target.conn.decode_event(packet)
        except ProtocolError:
            return False  # told when its turn comes
        evaluating = self._target.suspension.evaluating
        if not all(getattr(event, "thread", 0) in evaluating for event in composite.events):
            return False  # of another thread, or of none
        self._note_suspension(composite)
        self._resume(composite)
        self._record(composite, Decision.EVALUATION)
        for each in composite.events:
            counted = self._target.requests.find(each.requestID)
            if counted is not None and counted.recounts:
                self._target.requests.count_again(counted)
        prepared = [
            RequestHit(event, request, event.thread, JdwpSuspendPolicy.NONE)
            for event in composite.events
            if isinstance(event, wire_event.ClassPrepare)
            and (request := self._target.requests.find(event.requestID)) is not None
            and request.during_calls
        ]
        if prepared and self._nursery is not None:
            self._target.invocations.preparing(1)
            self._nursery.start_soon(self._look_at_prepared, prepared)
        return True

    def _is_of_own_thread(self, packet: Packet) -> bool:
        """True if the set is one of a thread of the debugger's own. It has been resumed then: what the user waits for
        does not happen there. What the debugger itself waits for is handled first."""
        thread = thread_of(packet, self._target.conn.id_sizes)
        if thread not in self._target.suspension.own:
            return False
        try:
            composite = self._target.conn.decode_event(packet)
        except ProtocolError:
            return False  # told when its turn comes
        if _thread_of(composite) != thread:
            return False
        self._note_suspension(composite)
        for event in composite.events:
            request = self._target.requests.find(event.requestID)
            if request is not None and request.thread == thread and not request.misfit(event):
                request.handler(self._hit(composite, event, request))
        self._resume(composite)
        self._record(composite, Decision.OWN_REQUEST)
        return True

    async def _look_at_prepared(self, prepared: list[RequestHit]) -> None:
        """Let breakpoints be set in classes that a method of an evaluation has prepared; its thread runs meanwhile."""
        try:
            for hit in prepared:
                try:
                    await verdict_of(hit.request.handler(hit))
                except Disconnected:
                    return
                except JdbpyError as error:
                    self._warn(f"no breakpoint could be set in a class that an expression has loaded: {error.message}")
                except Exception as fault:  # ours: the session goes on
                    self._warn(_fault(fault))
        finally:
            self._target.invocations.preparing(-1)

    def _pass(self, packet: Packet) -> None:
        """Resume an event set that came in while the session was being left."""
        with suppress(JdbpyError):
            composite = self._target.conn.decode_event(packet)
            self.death_told = self.death_told or any(isinstance(each, wire_event.VMDeath) for each in composite.events)
            self._note_suspension(composite)
            self._resume(composite)
            self._record(composite, Decision.LEAVING)

    async def _work(self) -> str:
        """Handles event sets until the connection ends; returns the reason why it did."""
        while True:
            try:
                taken = await self._target.conn.next_event()
                composite = taken if self._begun is None else self._begun.composite
            except Disconnected as gone:
                return gone.reason
            try:
                await self._handle(composite)
            except Disconnected:
                pass
            except JdbpyError as error:
                if composite is self._gone or not await self._stop_unread(composite, error):
                    self._resume_set(composite)
                    self._record(composite, Decision.FAULT)
                    self._target.publish(Notice("warning", f"an event could not be handled: {error.message}"))
            except Exception as fault:  # ours: the session goes on, and no thread stays suspended
                self._resume_set(composite)
                self._record(composite, Decision.FAULT)
                self._target.publish(Notice("warning", _fault(fault)))
            finally:
                self._target.suspension.undecided = None
                self._target.publisher.was_handled()

    async def _handle(self, composite: wire_event.Composite) -> None:
        begun, self._begun = self._begun, None
        if begun is None:
            packet = self._target.conn.packet_of(composite)
            request = self._target.requests.find(only_request(packet)) if packet is not None else None
            if packet is not None and request is not None and self._deferred.take(packet, request):
                return
            thread = _thread_of(composite)
            if packet is not None and self.fast_hits.take_over(thread, packet):
                suspension = self._target.suspension
                suspension.undecided, suspension.overruled = (thread, False), thread not in suspension.asked
                suspension.asked.discard(thread)
            else:
                self._note_suspension(composite, undecided=True)
        votes: Votes = []
        for event in self._once_each(composite.events) if len(composite.events) > 1 else composite.events:
            asked = self._ask(composite, event) if begun is None else begun.taken()
            if asked is None:
                if begun is not None:
                    self._record_one(event, Decision.BREAKPOINT_GONE, begun.number)
                continue
            plan = await verdict_of(asked[1])
            if plan is not None:
                votes.append((asked[0], plan))
            elif asked[0].request.guard is None:
                self._target.decisions.count(0, Decision.OWN_REQUEST)
        if votes and composite is not self._gone and not self._leaving and not self._target.suspension.overruled:
            self._target.hit_times.stopped(_thread_of(composite))
            await self._show_stop(votes)
        else:
            self._resume_set(composite)
            for hit, plan in votes:
                reason = Decision.LEAVING if self._leaving else Decision.RESUMED
                self._record_one(hit.event, reason, plan.extra.get("breakpoints", 0))

    def _record(self, composite: wire_event.Composite, reason: Decision) -> None:
        """Record the decision about each event of a set. No wait."""
        for event in composite.events:
            self._record_one(event, reason, number_of(self._target.requests.find(event.requestID)))

    def _record_one(self, event: Any, reason: Decision, numbers: Numbers) -> None:
        """Record the decision about an event; one of no breakpoint is only counted. No wait."""
        if numbers:
            place = getattr(event, "location", None)
            self._target.decisions.record(numbers, getattr(event, "thread", 0), place, reason)
        else:
            self._target.decisions.count(0, reason)

    def _once_each(self, events: Sequence[Any]) -> Sequence[Any]:
        """Return the events of a set, one of each request: one that is being set anew may stand there twice."""
        found: dict[object, Any] = {}
        for each in events:
            found.setdefault(self._target.requests.find(each.requestID) or id(each), each)
        return list(found.values())

    async def _stop_unread(self, composite: wire_event.Composite, error: JdbpyError) -> bool:
        """Stop at events of which it could not be found out whether to stop; True if there are any.

        The user wants to see them, and whatever resumed them would lose them.
        """
        votes: Votes = []
        for event in composite.events:
            reason = REASONS.get(type(event))
            request = self._target.requests.find(event.requestID) if reason in _SHOWN else None
            if reason is not None and request is not None and composite.suspendPolicy != JdwpSuspendPolicy.NONE:
                plan = StopPlan(reason, {"error": f"the stop could not be looked at: {error.message}"})
                votes.append((self._hit(composite, event, request), plan))
        if votes:
            await self._show_stop(votes)
        return bool(votes)

    def _ask(self, composite: wire_event.Composite, event: Any) -> tuple[RequestHit, Vote] | None:
        """Return the vote of an event's owner; None when it has none."""
        if isinstance(event, wire_event.VMDeath) and event.requestID == 0:
            self.death_told = True  # published when the connection ends: a requested VMDeath may still stop the VM
            return None
        if isinstance(event, wire_event.UnknownEvent):
            self._warn(f"an event of an unknown kind ({event.kind}) was passed over")
            return None
        request = self._target.requests.find(event.requestID) if event.requestID else AUTOMATIC
        if request is None:  # cleared while the event was on its way, or an earlier debugger's
            number = self._target.requests.cleared(event.requestID)
            reason = Decision.LEFT_OVER if number is None else Decision.BREAKPOINT_GONE
            self._record_one(event, reason, number or 0)
            return None
        if misfit := request.misfit(event):
            self._record_one(event, Decision.LEFT_OVER, 0)
            self._warn(f"an event was ignored: {misfit}")
            return None
        if request.counter is not None and composite.suspendPolicy == JdwpSuspendPolicy.NONE:
            request.counter.count(event.location)
            return None
        if request.immediate:
            return None  # it was asked where the set came in, if its id was known by then; now others have come in
        hit = self._hit(composite, event, request)
        if request is AUTOMATIC and isinstance(event, wire_event.Exception) and hit.policy != JdwpSuspendPolicy.NONE:
            return hit, self._thrown(event)
        return hit, request.handler(hit)

    async def _thrown(self, event: wire_event.Exception) -> Verdict:
        """Stop at the exception of ``onthrow``. wire: as ``exception_info``."""
        try:
            return StopPlan(StopReason.EXCEPTION, {"exception": await self._read_exception(event)})
        except JdwpError as error:
            return StopPlan(StopReason.EXCEPTION, {"error": f"the exception cannot be read: {error.message}"})

    def _hit(self, composite: wire_event.Composite, event: Any, request: EventRequest) -> RequestHit:
        policy = _POLICIES[composite.suspendPolicy]
        alone = len(composite.events) == 1 and policy is JdwpSuspendPolicy.EVENT_THREAD
        go_on = partial(self._resume_set, composite) if alone else None
        others = [each for each in composite.events if each is not event and not self._only_counts(each)]
        return RequestHit(event, request, getattr(event, "thread", 0), policy, go_on, bool(others))

    def _only_counts(self, event: Any) -> bool:
        """True if an event is of a request that has a thread come somewhere, and is never shown."""
        request = self._target.requests.find(event.requestID)
        return request is not None and request.recounts

    def _note_suspension(self, composite: wire_event.Composite, *, undecided: bool = False) -> None:
        if composite.suspendPolicy == JdwpSuspendPolicy.NONE:
            return
        thread = _thread_of(composite)
        # An event without a thread suspends everything, whatever its policy (eventHelper.c).
        everything = composite.suspendPolicy == JdwpSuspendPolicy.ALL or not thread
        at_event = wire_event.VMStart not in map(type, composite.events)
        self._target.suspension.event(thread, everything=everything, at_event=at_event)
        if any(isinstance(each, wire_event.Exception) and not each.requestID for each in composite.events):
            self._target.suspension.forbid_methods(thread, Unfit.FIRST_EXCEPTION)
        if composite.suspendPolicy == JdwpSuspendPolicy.ALL:
            self._target.invocations.entered()
        else:
            self._target.invocations.suspended(thread)
        if undecided:
            self._target.suspension.undecided = (thread, everything)
            self._target.suspension.overruled = False

    def _resume_set(self, composite: wire_event.Composite) -> None:
        """Resume the set with its own policy, once. wire: no wait."""
        if composite.suspendPolicy == JdwpSuspendPolicy.NONE or composite is self._gone:
            return
        self._gone = composite
        self._target.suspension.undecided = None
        if not self._target.suspension.overruled:
            self._resume(composite)

    def _resume(self, composite: wire_event.Composite) -> None:
        if composite.suspendPolicy == JdwpSuspendPolicy.NONE:
            return
        thread = _thread_of(composite)
        with suppress(Disconnected), self._target.conn.corked:
            on_reply = self._target.hit_times.resuming(thread, _POLICIES[composite.suspendPolicy])
            if composite.suspendPolicy == JdwpSuspendPolicy.ALL or not thread:
                self._target.unsuspend_all(but=thread, on_reply=on_reply)
            else:
                self._target.submit_op(SuspendOp.THREAD_RESUME, thread, by_event=True, on_reply=on_reply)


def _thread_of(composite: wire_event.Composite) -> int:
    """Return the thread that a set suspends: that of its events; 0 if they have none, or not all the same."""
    if len(composite.events) == 1:  # nearly all
        return getattr(composite.events[0], "thread", 0)
    threads = {getattr(event, "thread", 0) for event in composite.events} - {0}
    return threads.pop() if len(threads) == 1 else 0


def _fault(fault: Exception) -> str:
    at = extract_tb(fault.__traceback__)[-1]
    where = f"in {at.name}, line {at.lineno}"
    return f"an event could not be handled, a fault of jdbpy: {type(fault).__name__}: {fault} ({where})"


async def _failing(error: Exception) -> Verdict:
    raise error


_SHOWN = frozenset((StopReason.BREAKPOINT, StopReason.STEP, *KINDS["exception"].reasons, *KINDS["field"].reasons))
"""Reasons of events that stop a thread for the user, unless their owner decides otherwise."""

"""The serving side of a script that has joined with objects (``jdbpy.join``): its calls of the session's components.

A line is a call: ``{"call": "values.evaluate", "id": 3, "given": [[arguments], {names: arguments}]}``. Its answer, and
every event, bring what the script has to know without asking: what is suspended, which breakpoints there are.
"""

from __future__ import annotations

import inspect
from typing import Any

import trio

import jdbpy
from jdbpy import ClientSession, Event, JdbpyError, Notice, Stopped, ThreadsResumed, UsageError
from jdbpy.escape import escape
from jdbpy.serve.clients import Client
from jdbpy.serve.lines import Message, Outgoing, number_of, text_of
from jdbpy.serve.observations import LEAVE_LIMIT, ServedObservation
from jdbpy.serve.typed import COMPONENTS, OWN, pack, unpack
from jdbpy.task_groups import open_nursery

MADE = {"threads.sampler"}
"""Plain functions whose result a script may keep, and call."""

_OBSERVING = frozenset({"observe", "refresh", "unobserve"})
"""Calls that are about the observation of calls."""

_SETS = frozenset({"breakpoints", "catchpoints", "execution", "hotswap", "points", "traces", "watchpoints"})
"""Components after whose calls breakpoints may be others."""

MOST_CALLS = 1_000
"""Calls of one client at a time, and results that it keeps."""


class ServedObjects(Client):
    """A script with the objects of ``jdbpy.attach``."""

    def __init__(self, session: ClientSession, hello: Message, out: Outgoing) -> None:
        super().__init__(session, hello, out)
        if hello.get("version") != jdbpy.__version__:
            raise UsageError("the session is served by another version of jdbpy", code="WRONG_VERSION")
        self._calls: dict[object, trio.CancelScope] = {}
        self._kept: dict[str, Any] = {}
        self._stops: dict[int, Stopped] = {}
        self._taken: dict[int, Stopped] = {}
        self._call_ended = trio.lowlevel.ParkingLot()
        self._paused: tuple[int, Stopped] | None = None  # the last call that did, and its stop
        self._last_stop = 0
        self._points: tuple[Any, ...] = ()
        self._nursery: trio.Nursery | None = None
        self._observations: dict[str, tuple[ServedObservation, trio.CancelScope]] = {}
        self._end = trio.Event()

    async def run(self) -> int:
        session = self.session
        self.out.put({"type": "session", "info": pack(session.info), "remote": session.remote, **self._now()})
        for stop in session.untaken_stops():
            self._tell(stop)
        session.listen(self._tell)
        try:
            async with open_nursery() as self._nursery:
                await self._end.wait()
                self._nursery.cancel_scope.cancel()
        finally:
            with trio.move_on_after(LEAVE_LIMIT) as leaving:
                leaving.shield = True
                for key in list(self._observations):
                    await self._unobserve(key)
        return 0

    def take(self, message: Message) -> None:
        if message.get("end") is True:
            self._end.set()
        elif "taken" in message:
            stop = _move(message["taken"], self._stops, self._taken)
            if len(self._taken) > _MOST_TAKEN:
                del self._taken[next(iter(self._taken))]
            if stop is not None:
                self.session.take(stop)
        elif "put_back" in message:
            stop = _move(message["put_back"], self._taken, self._stops)
            if stop is not None:
                self.session.put_back(stop)
        elif "cancel" in message:
            scope = self._calls.get(message["cancel"]) if isinstance(message["cancel"], int) else None
            if scope is not None:
                scope.cancel()
            elif self._paused is not None and self._paused[0] == message["cancel"]:
                self.session.undo_pause(self._paused[1])  # its answer was on the way
        elif "undo_pause" in message:
            stop = unpack(message["undo_pause"])
            if not isinstance(stop, Stopped):
                raise UsageError("that is not a stop", code="WRONG_LINE")
            self.session.undo_pause(stop)
        elif "number" in message:
            self.session.points.number_next(int(number_of(message, "number", 1, 1, _MOST_NUMBER)))
        elif "make" in message:
            self._make(text_of(message, "make", most=100), text_of(message, "call", most=100))
        else:
            number = message.get("id")
            if not isinstance(number, int) or number in self._calls or len(self._calls) >= MOST_CALLS:
                raise UsageError("the number of a call is missing or in use, or too many calls wait", code="WRONG_LINE")
            assert self._nursery is not None
            scope = self._calls[number] = trio.CancelScope()
            self._nursery.start_soon(self._call, number, scope, message)

    def _make(self, key: str, call: str) -> None:
        if call not in MADE:
            raise UsageError(f"unknown object '{escape(call)}'", code="WRONG_LINE")
        if len(self._kept) >= MOST_CALLS:
            del self._kept[next(iter(self._kept))]
        component, _, name = call.partition(".")
        self._kept[f"#{key}"] = getattr(getattr(self.session, component), name)()

    async def _call(self, number: int, scope: trio.CancelScope, message: Message) -> None:
        answer: Message = {"type": "answer", "id": number}
        call = text_of(message, "call", most=100) if isinstance(message.get("call"), str) else ""
        try:
            with scope:
                await self._undone_before(number)
                given, named = unpack(message.get("given"))
                value = await self._function(call)(*given, **named)
                if call == "execution.pause":
                    self._paused = number, value
                    if scope.cancel_called:  # too late to end it
                        self.session.undo_pause(value)
                answer["value"] = pack(value)
        except JdbpyError as error:
            answer["error"] = pack(error)
        except (TypeError, ValueError, AttributeError, LookupError, RecursionError) as fault:
            text = f"{call or 'the call'} failed: {type(fault).__name__}: {fault}"
            answer["error"] = pack(UsageError(text, code="WRONG_CALL"))
        finally:
            del self._calls[number]
            self._call_ended.unpark_all()
        self.out.put({**answer, **self._now(call.partition(".")[0] in _SETS)})

    async def _undone_before(self, number: int) -> None:
        """Wait until earlier calls that were cancelled have undone what they began."""
        earlier = [scope for other, scope in self._calls.items() if other != number and scope.cancel_called]
        with trio.move_on_after(LEAVE_LIMIT):
            while any(scope in self._calls.values() for scope in earlier):
                await self._call_ended.park()

    async def _observe(self, key: object, kind: object, named: dict[str, Any]) -> None:
        """Begin to observe calls. Raises as the observer does."""
        if not isinstance(key, str) or key in self._observations or len(self._observations) >= MOST_CALLS:
            raise UsageError("the key of an observation is missing or in use, or there are too many", code="WRONG_CALL")
        observation = ServedObservation(self.session, key, str(kind), named, self.out.put)
        await observation.begin()
        scope = trio.CancelScope()
        self._observations[key] = observation, scope
        assert self._nursery is not None
        self._nursery.start_soon(self._tell_of, observation, scope)

    async def _tell_of(self, observation: ServedObservation, scope: trio.CancelScope) -> None:
        with scope:
            await observation.run()

    async def _unobserve(self, key: str) -> None:
        """End an observation. Raises UsageError for one that does not last."""
        if key not in self._observations:
            raise UsageError("no such observation", code="WRONG_CALL")
        observation, scope = self._observations.pop(key)
        scope.cancel()
        await observation.end()

    async def _refresh(self, key: str) -> None:
        """Send what an observation has counted so far. Raises UsageError for one that does not last."""
        if key not in self._observations:
            raise UsageError("no such observation", code="WRONG_CALL")
        await self._observations[key][0].refresh()

    def _function(self, call: str) -> Any:
        """Return the coroutine function that a call names. Raises UsageError for what may not be called."""
        if call in _OBSERVING:
            return getattr(self, f"_{call}")
        owner, _, name = call.rpartition(".")
        of: Any = None
        if owner in self._kept:
            of = self._kept[owner]
        elif owner in COMPONENTS:
            of = getattr(self.session, owner)
        elif not owner and name in OWN:
            of = self.session
        function = None if of is None or name.startswith("_") else getattr(of, name, None)
        if not inspect.iscoroutinefunction(function):
            raise UsageError(f"a session has no call '{escape(call)}'", code="WRONG_CALL")
        return function

    def _tell(self, event: Event) -> None:
        """Send an event, and what is another with it."""
        told: Message = {"type": "event", "event": pack(event)}
        if isinstance(event, Stopped):
            self._last_stop += 1
            self._stops[self._last_stop] = event
            if len(self._stops) > _MOST_STOPS:
                del self._stops[next(iter(self._stops))]
            told["stop"] = self._last_stop
        reported = isinstance(event, Notice) and event.report is not None
        if not reported:  # of these there may be thousands, and they suspend nothing
            told.update(self._now(not isinstance(event, ThreadsResumed)))
        if isinstance(event, Stopped):
            told["state"] = str(jdbpy.VmState.STOPPED)  # also before the event of the stop has been decided
        self.out.put(told)

    def _now(self, points: bool = True) -> Message:
        """Return the state that the script keeps, for answers without a trip; breakpoints only if changed."""
        session = self.session
        state = session.state
        if state is jdbpy.VmState.STOPPED and not session.execution.has_stopped:
            state = jdbpy.VmState.RUNNING  # for this client: what is suspended is others'
        now: Message = {"state": str(state), "suspended": pack(session.suspended)}
        if points and session.points_are_used and (listed := tuple(session.points.list())) != self._points:
            self._points = listed
            now["points"] = pack(listed)
        return now


_MOST_NUMBER = 1_000_000
"""The highest number of a breakpoint that a script may ask for."""

_MOST_STOPS = 10_000
"""Stops that a script has not taken, and may still."""

_MOST_TAKEN = 1_000
"""Stops that a script has taken, and may still hand back."""


def _move(number: object, whence: dict[int, Stopped], to: dict[int, Stopped]) -> Stopped | None:
    """Move the stop of a number; None if there is none."""
    stop = whence.pop(number, None) if isinstance(number, int) else None
    if stop is not None and isinstance(number, int):
        to[number] = stop
    return stop

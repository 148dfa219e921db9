"""Calls observed for a script that has joined: begun, reported and ended over the line between it and the session.

The observation itself runs where the session is served, as one of that client. A report goes to the script when its
call ends; what the script looks at without asking, counts and times, follows a moment later.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Protocol

import trio

from jdbpy import ClientSession, Disconnected, Report, UsageError
from jdbpy.serve.lines import Message
from jdbpy.serve.typed import pack, unpack
from jdbpy.session.calls.statistics import RunningTimes, TimesByMethod
from jdbpy.session.model.calls import CallsEnded, CallStatistics, CallTree

KINDS = ("calls", "statistics", "tree")

_PAUSE = 0.1
"""Seconds between two messages with counts and times."""

LEAVE_LIMIT = 5.0
"""Seconds in which an observation is taken out for a script that leaves."""


class ServedObservation:
    """An observation of a client, where the session is served."""

    def __init__(
        self, session: ClientSession, key: str, kind: str, named: dict[str, Any], put: Callable[[Message], None]
    ) -> None:
        """``named`` are arguments of the observer's method ``kind``. Raises UsageError."""
        if kind not in KINDS:
            raise UsageError("a session has no such observation", code="WRONG_CALL")
        self._key = key
        self._kind = kind
        self._put = put
        if kind == "calls":
            named = {**named, "on_call": self._on_call}
        self._observed = getattr(session.observer, kind)(**named)

    async def begin(self) -> None:
        """Begin, and send what is known then. Raises as the observation does."""
        await self._observed.__aenter__()
        self._tell()

    async def end(self) -> None:
        """End it, and send what is known then."""
        await self._observed.__aexit__(None, None, None)
        self._tell()

    async def refresh(self) -> None:
        """Take in what the target has counted so far, and send what is known then."""
        await self._observed.refresh()
        self._tell()

    async def run(self) -> None:
        """Send counts and times as they change, until cancelled."""
        last: object = None
        while True:
            await trio.sleep(_PAUSE)
            now = (self._observed.calls, self._observed.waiting, self._observed.over.is_set())
            if now != last:
                last = now
                self._tell()

    def _tell(self) -> None:
        self._put({"type": "observed", "of": self._key, "state": pack(self._state())})

    def _on_call(self, report: Report) -> None:
        counts = [self._observed.calls, self._observed.failures, self._observed.reported]
        self._put({"type": "observed", "of": self._key, "report": pack(report), "counts": counts})

    def _state(self) -> dict[str, Any]:
        observed = self._observed
        state: dict[str, Any] = {
            "summary": observed.summary,
            "waiting": observed.waiting,
            "lacks": observed.lacks,
            "over": observed.over.is_set(),
        }
        if self._kind == "tree":
            state["trees"] = observed.trees()
        elif self._kind == "statistics":
            state["times"] = observed.drain().rows()
        return state


class Caller(Protocol):
    """The session of a script that has joined: its calls go where the session is served."""

    async def call(self, name: str, *given: object, **named: object) -> Any: ...
    def begin_observation(self, observation: JoinedObservation) -> str: ...
    def end_observation(self, key: str) -> None: ...


class JoinedObserver:
    """The observer of a joined session: as ``Session.observer``."""

    def __init__(self, session: Caller) -> None:
        self._session = session

    def calls(self, method: str, *, on_call: Callable[[Report], None], **named: Any) -> JoinedObservation:
        """Report each call of a method: as ``CallObserver.calls``."""
        return JoinedObservation(self._session, "calls", method, named, on_call)

    def statistics(self, method: str, **named: Any) -> JoinedObservation:
        """Count calls and their times: as ``CallObserver.statistics``."""
        return JoinedObservation(self._session, "statistics", method, named)

    def tree(self, method: str, **named: Any) -> JoinedObservation:
        """Fold what is called inside of a method: as ``CallObserver.tree``."""
        return JoinedObservation(self._session, "tree", method, named)


class JoinedObservation:
    """An observation, where the script is; for an ``async with`` block."""

    def __init__(
        self,
        session: Caller,
        kind: str,
        method: str,
        named: dict[str, Any],
        on_call: Callable[[Report], None] = lambda report: None,
    ) -> None:
        self.method = method
        self.summary = CallsEnded(method, 0, 0, 0, 0, 0.0)
        """Its totals, as of the last message."""
        self.waiting = ""
        self.lacks: Sequence[str] = ()
        self.over = trio.Event()
        self._session = session
        self._kind = kind
        self._named = {**named, "method": method}
        self._on_call = on_call
        self._key = ""
        self._trees: tuple[CallTree, ...] = ()
        self._since = time.perf_counter()
        self._times = RunningTimes()

    async def __aenter__(self) -> JoinedObservation:
        """Begin. Raises what ``vm.calls`` raises in an own session."""
        self._key = self._session.begin_observation(self)
        self._since = time.perf_counter()
        await self._session.call("observe", self._key, self._kind, self._named)
        return self

    async def __aexit__(self, *exc: object) -> None:
        """End it; the session ends it by itself for a script that goes."""
        with trio.move_on_after(LEAVE_LIMIT) as leaving, suppress(Disconnected):
            leaving.shield = True
            await self._session.call("unobserve", self._key)
        self._session.end_observation(self._key)
        self.over.set()

    async def refresh(self) -> None:
        """Take in what the target, and the session, have counted so far. wire: as that of the session."""
        await self._session.call("refresh", self._key)

    def take_message(self, message: Message) -> None:
        """Take what the session sends of it."""
        if "report" in message:
            calls, failures, reported = map(int, message["counts"])
            self.summary = self.summary.replace(calls=calls, failures=failures, reported=reported)
            self._on_call(unpack(message["report"]))
        else:
            self._know(unpack(message.get("state")))

    def _know(self, state: dict[str, Any]) -> None:
        self.summary = state["summary"]
        self.waiting, self.lacks = state["waiting"], state["lacks"]
        self._trees = state.get("trees", ())
        self._times.new.add_rows(state.get("times", ()))
        if state["over"]:
            self.over.set()

    @property
    def calls(self) -> int:
        """Return how many calls have ended."""
        return self.summary.calls

    @property
    def failures(self) -> int:
        """Return how many of them an exception has ended."""
        return self.summary.failures

    @property
    def reported(self) -> int:
        """Return how many of them were reported."""
        return self.summary.reported

    @property
    def condition_false(self) -> int:
        """Return for how many of them the condition was false."""
        return self.summary.condition_false

    @property
    def observed(self) -> int:
        """Return how many methods are observed."""
        return self.summary.observed

    @property
    def seconds(self) -> float:
        """Return how many seconds it has lasted."""
        return self.summary.seconds

    def trees(self) -> tuple[CallTree, ...]:
        """Return what was folded so far, as of the last message."""
        return self._trees

    def take(self) -> CallStatistics:
        """Return the calls since the last call of this method, as far as they have arrived."""
        now = time.perf_counter()
        since, self._since = self._since, now
        return self._statistics(self._times.drain(), now - since)

    def whole(self) -> CallStatistics:
        """Return all calls since it began, as far as they have arrived."""
        return self._statistics(self._times.whole(), self.seconds)

    def _statistics(self, found: TimesByMethod, seconds: float) -> CallStatistics:
        return found.statistics(seconds, self.observed, self.summary.in_target, self.summary.ordinary)

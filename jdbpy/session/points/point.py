"""One point as the user sees it: a number, a subject, and what a hit does.

Owns the state that all kinds have. What a kind asks of the target stands in its own module; when a hit counts is the
rule of ``component``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from jdbpy.session import model
from jdbpy.session.points.conditions import Condition, LogText
from jdbpy.session.points.options import PointOptions
from jdbpy.session.requests import Hit
from jdbpy.session.tracing.meter import Meter
from jdbpy.wire.constants import SuspendPolicy
from jdbpy.wire.pending import Pending

_POLICIES = {
    model.SuspendPolicy.NONE: SuspendPolicy.NONE,
    model.SuspendPolicy.THREAD: SuspendPolicy.EVENT_THREAD,
    model.SuspendPolicy.ALL: SuspendPolicy.ALL,
}


class Point(ABC):
    """A numbered point. ``noun`` is what messages call it; ``message`` says what it waits for."""

    noun = "point"
    kind = ""
    """The ``kind`` of its ``model.Breakpoint``."""
    looks_at_thread = False
    """Whether a hit is told by reading what the thread may change as soon as it runs on."""

    def __init__(self, number: int, policy: model.SuspendPolicy, options: PointOptions) -> None:
        self.number = number
        self.policy = policy
        self.temporary = options.temporary
        self.thread = options.thread
        self.ignore = options.ignore
        self.enabled = True
        self.hits = 0
        self.message = ""
        self.condition_text = ""
        self.condition: Condition | None = None
        self.log_text = options.log
        self.log: LogText | None = None
        self.reporting = options.reporting
        self.file = options.reporting.file
        """Where reports are written to; "" for the listeners, also after a file that could not be written."""
        self.meter = Meter(options.reporting)

    @property
    def wire_policy(self) -> SuspendPolicy:
        """What the agent is to suspend: the thread at least, where something must be read before it goes on."""
        told = self.looks_at_thread and self.reporting.hold
        looks = self.condition is not None or self.log is not None or bool(self.reporting.stack) or told
        if self.policy is model.SuspendPolicy.NONE and looks:
            return SuspendPolicy.EVENT_THREAD
        return _POLICIES[self.policy]

    @property
    def called(self) -> str:
        """What messages call it: ``logpoint 3``."""
        if self.reporting.stack:
            return f"tracepoint {self.number}"
        return f"{'logpoint' if self.log is not None else self.noun} {self.number}"

    @property
    def reports(self) -> bool:
        """Whether a hit is reported and the target goes on."""
        return self.log is not None or self.policy is model.SuspendPolicy.NONE

    def shown_reporting(self) -> list[tuple[str, str]]:
        """How it reports, as the words of a command say it."""
        reporting = self.reporting
        limit = "" if reporting.limit is None else f"{reporting.limit}/s"
        shown = [("log", self.log_text), ("stack", str(reporting.stack or "")), ("limit", limit), ("to", self.file)]
        shown.append(("cost", f"{reporting.cost}%" if reporting.cost else ""))
        shown.append(("-max", str(reporting.most or "")))
        no_stop = [] if reporting.hold else [("--no-stop", "")]
        return [*no_stop, *((name, text) for name, text in shown if text)]

    @property
    def agent_count(self) -> int:
        """At which hit the agent is to report, and then drop its request; 0: at all of them."""
        return 0

    @abstractmethod
    async def arm(self) -> None:
        """Sets the point in the target. Raises UsageError when it cannot be; nothing is left behind then."""

    @abstractmethod
    def disarm(self) -> list[Pending[Any]]:
        """Takes the point out of the target; what is returned may be waited for."""

    @abstractmethod
    def snapshot(self) -> model.Breakpoint:
        """The point as plain data. No trip."""

    async def details(self, hit: Hit) -> dict[str, Any]:
        """What a hit adds to the fields of the ``Stop``. Raises JdwpError when it cannot be read any more."""
        return {}

    @abstractmethod
    def told(self, hit: Hit, where: str, details: dict[str, Any]) -> tuple[str, str]:
        """Kind and text of the notice for a hit that suspends nothing; ``where`` is thread and place in words."""

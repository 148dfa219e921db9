"""A backend that observes calls: its orders, its reports, and what all backends have in common.

Breakpoints serve on every target (``breakpoint_backend``). Code that is woven into the methods may serve the same
protocol: it reports ends of calls in batches, with times that the target has taken itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum, auto
from typing import Any, Protocol

from jdbpy.record import Record
from jdbpy.session.breakpoints.method_patterns import ObservedMethod
from jdbpy.session.eval.jvm.pins import Pins
from jdbpy.session.eval.operands import Operand
from jdbpy.session.model.events import ExceptionInfo
from jdbpy.session.model.threads import Location, ThreadRef
from jdbpy.session.model.values import ValueInfo, Variable
from jdbpy.wire import ids
from jdbpy.wire.ids import CodeLocation, MethodID, ReferenceTypeID

MethodKey = tuple[ReferenceTypeID, MethodID]


class CallDetails(Record):
    """One call at its end, as plain data. ``failure`` is the reason why a condition or an expression has no value."""

    location: Location
    thread: ThreadRef
    arguments: tuple[Variable, ...] = ()
    receiver: ValueInfo | None = None
    returned: ValueInfo | None = None
    exception: ExceptionInfo | None = None
    shown: tuple[Variable, ...] = ()
    callers: tuple[Location, ...] = ()
    failure: str = ""


class ReadCall(Record):
    """The reading of a call while its thread was suspended: ``variables`` are the replies for its arguments and its
    receiver, ``shown`` the expressions with their values, ``places`` where it stood and its callers. ``pins`` keep the
    objects from being collected until they are described; they must be released."""

    thread: int
    places: tuple[CodeLocation, ...]
    variables: tuple[Any, ...]
    shown: tuple[tuple[str, Operand], ...]
    returned: ids.TaggedValue | None
    thrown: Any
    failure: str
    pins: Pins | None = None

    def release(self) -> None:
        """Let its objects be collected. wire: no wait."""
        if self.pins is not None:
            self.pins.release()


class NotRead(Enum):
    """Why nothing was read of a call."""

    FALSE = auto()
    """The condition was false."""
    OTHER = auto()
    """Nothing is asked, enough was reported, or the call can no longer be read."""


class EndedCall(Record):
    """One call that has ended: ``cost`` in seconds, None where its begin was not seen. ``read`` is what was read where
    the call was wanted and its condition holds, else why nothing was. ``at``, seconds since 1970, is when it ended by
    the target's clock."""

    method: ObservedMethod
    thread: int
    cost: float | None
    failed: bool
    read: ReadCall | NotRead = NotRead.OTHER
    at: float | None = None


OnCalls = Callable[[Sequence[EndedCall]], None]
"""Takes calls that have ended, in the order of their ends. No wait."""


class CallsInTarget(Protocol):
    """Has the target itself observe calls, where that can be done: the ``instrumentation`` of a session."""

    def begun(self, observation: Any) -> None:
        """Observe the methods of an observation in the target as soon as that can be done. No wait."""

    async def refresh(self, observation: Any) -> None:
        """Take in what the target has counted so far. wire: 1 or 2 trips for each class."""

    async def ended(self, observation: Any) -> None:
        """Take in what the target has counted last, and take what observes out of it."""


class CallBackend(Protocol):
    """Observes the calls of some methods, from ``open`` to ``close``."""

    lacks: Sequence[str]
    """Sentences about what is not counted or measured, and about methods that are not observed."""

    async def open(self, methods: Sequence[ObservedMethod]) -> None:
        """Begin with these methods; may be called again for more of them."""

    async def close(self) -> None:
        """Take everything out of the target."""

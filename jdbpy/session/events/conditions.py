"""The evaluator as a point needs it: conditions and texts that were compiled when it was set, asked at every hit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Protocol

from jdbpy.errors import EvalError, JdbpyError
from jdbpy.record import Record
from jdbpy.session.model.threads import Location
from jdbpy.session.model.values import Variable
from jdbpy.wire.command import Command
from jdbpy.wire.ids import CodeLocation, FrameID, TaggedValue, ThreadID

Given = Mapping[str, tuple[TaggedValue, str]]
"""The values that a hit brings for expressions, ``ret``, ``exc``, ``old``, ``new``: each with its declared type (a JNI
signature, "" where only the value's own class is known)."""

NOTHING: Given = MappingProxyType({})


class MethodCall(Protocol):
    """A method that an evaluation wants to be run in its thread."""

    limit: float
    """Seconds after which it counts as one that does not return."""

    def start(self, on_end: Callable[[Any], None]) -> None:
        """Send it; ``on_end`` is given the reply, or the error. Only the thread itself runs. wire: no wait."""

    async def unreturned(self) -> JdbpyError:
        """Leave it running, and return the error that says so. wire: 6 trips or fewer."""


class ConditionEvaluation(Protocol):
    """One evaluation of a condition, which goes on with what comes in. It waits for nothing itself."""

    @property
    def call(self) -> MethodCall | None:
        """Return the method that is to be run next, in place of ``asks``; ``answer`` is given its one outcome."""

    @property
    def calls(self) -> Sequence[Any]:
        """Return the methods that were run so far, with what came of them: for ``Condition.has_run``."""

    @property
    def asks(self) -> Sequence[Command[Any]]:
        """Return the commands for what it has to know next; none when it is over."""

    @property
    def holds(self) -> bool | None:
        """The value, once it is over; None where it cannot be had so."""

    def answer(self, outcomes: Sequence[Any]) -> None:
        """Go on with the answers to what it asks, or the errors in their place."""

    def close(self) -> None:
        """End it before its end."""


class FastCondition(Protocol):
    """A condition at one place in code that reads the frame there and what is reached from that, or runs methods with
    these values."""

    def commands(self, thread: ThreadID, frame: FrameID) -> Sequence[Command[Any]]:
        """Return the commands for the variables of the frame; there may be none."""

    def begin(self, answers: Sequence[Any], thread: int) -> ConditionEvaluation:
        """Return the evaluation in a thread, with the answers to ``commands``, or the errors in their place."""


class Condition(Protocol):
    """A compiled Java expression of type boolean."""

    async def holds(self, thread_id: int, given: Given = NOTHING, at: CodeLocation | None = None) -> bool:
        """Its value in the innermost frame of a thread that an event has stopped. Raises EvalError."""

    async def check(self, place: Location, names: Iterable[str] = ()) -> EvalError | None:
        """Return what is wrong with it at a place in code, as far as that can be known without a thread that stands
        there.

        ``names`` are those that hits bring.
        """

    async def prepare(self, at: CodeLocation, place: Location) -> None:
        """Compile it for a place whose code is going to be replaced: hits there may be on their way."""

    def forget_code(self) -> None:
        """Classes were redefined: at a place whose code was replaced it is compiled anew."""

    def fast_condition(self, place: CodeLocation) -> FastCondition | None:
        """Return the short way to its value at a place; None where there is none, or none yet."""

    def was_read(self, thread_id: int, epoch: int, answers: Sequence[Any], *, holds: bool) -> None:
        """Take in what a fast condition has found out at a hit, so that ``holds`` need not: what it has read (the
        frame, then its variables; nothing, if it did not ask for the frame), and that the condition holds, if it does.
        """

    def has_run(self, thread_id: int, calls: Sequence[Any], error: JdbpyError | None) -> None:
        """Take in the methods that a fast condition has run at a hit, which ``holds`` does not run again, and the
        error that it ended with.
        """


class Passing(Record):
    """A thread that may run on as soon as its frame has been asked for: where it stands, and how it is resumed."""

    at: CodeLocation
    go_on: Callable[[], None]


class LogEntry(Record):
    """The text of a logpoint at a hit, and the values of its expressions."""

    text: str
    values: tuple[Variable, ...] = ()


class LogText(Protocol):
    """The compiled text of a logpoint."""

    async def check(self, place: Location, names: Iterable[str] = ()) -> EvalError | None:
        """See ``Condition.check``."""

    async def prepare(self, at: CodeLocation, place: Location) -> None:
        """See ``Condition.prepare``."""

    def forget_code(self) -> None:
        """See ``Condition.forget_code``."""

    async def render(
        self,
        thread_id: int,
        passing: Passing | None = None,
        given: Given = NOTHING,
        at: CodeLocation | None = None,
    ) -> LogEntry:
        """Return the text in the innermost frame of a thread that an event has stopped. Raises EvalError."""


CompileCondition = Callable[[str], Condition]
"""Compiles the text of a condition. Raises EvalError when it is no expression."""

CompileLogText = Callable[[str], LogText]
"""Compiles the text of a logpoint. Raises EvalError for what is no expression in it."""

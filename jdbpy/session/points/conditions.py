"""What a point needs of the evaluator: conditions and texts that were compiled when it was set, asked at every hit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Protocol

from jdbpy.errors import EvalError
from jdbpy.session import model
from jdbpy.wire.command import Command
from jdbpy.wire.ids import FrameID, Location, ThreadID, Value
from jdbpy.wire.record import Record

Given = Mapping[str, tuple[Value, str]]
"""What a hit brings for expressions, ``ret``, ``exc``, ``old``, ``new``: the value and its declared type (a JNI
signature, "" where only the value's own class is known)."""

NOTHING: Given = MappingProxyType({})


class Glance(Protocol):
    """A condition at one place in code that depends on nothing but primitive variables of the frame there."""

    def commands(self, thread: ThreadID, frame: FrameID) -> Sequence[Command[Any]]:
        """What asks for them."""

    def is_false(self, answers: Sequence[Any]) -> bool:
        """Whether the answers, or errors in their place, say that the condition does not hold. Waits for nothing."""


class Condition(Protocol):
    """A compiled Java expression of type boolean."""

    async def holds(self, thread_id: int, given: Given = NOTHING) -> bool:
        """Its value in the innermost frame of a thread that an event has stopped. Raises EvalError."""

    async def check(self, place: model.Location, names: Iterable[str] = ()) -> EvalError | None:
        """What is wrong with it at a place in code, as far as that can be told without a thread that stands there.

        ``names`` are those that hits bring.
        """

    def glance(self, place: Location) -> Glance | None:
        """The short way to its value at a place; None where there is none, or none yet."""

    def was_read(self, thread_id: int, epoch: int, answers: Sequence[Any]) -> None:
        """Takes in what a glance has read at a hit (its frame, then its variables), so that ``holds`` need not."""


class Passing(Record):
    """A thread that may run on as soon as its frame has been asked for: where it stands, and how it is let go."""

    at: Location
    go_on: Callable[[], None]


class LogEntry(Record):
    """The text of a logpoint at a hit, and the values of its expressions."""

    text: str
    values: tuple[model.Variable, ...] = ()


class LogText(Protocol):
    """The compiled text of a logpoint."""

    async def render(self, thread_id: int, passing: Passing | None = None, given: Given = NOTHING) -> LogEntry:
        """The text in the innermost frame of a thread that an event has stopped. Raises EvalError."""


CompileCondition = Callable[[str], Condition]
"""Compiles the text of a condition. Raises EvalError when it is no expression."""

CompileLogText = Callable[[str], LogText]
"""Compiles the text of a logpoint. Raises EvalError for what is no expression in it."""

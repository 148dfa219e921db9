"""What a point needs of the evaluator: conditions and texts that were compiled when it was set, asked at every hit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from jdbpy.wire.ids import Location
from jdbpy.wire.record import Record


class Condition(Protocol):
    """A compiled Java expression of type boolean."""

    async def holds(self, thread_id: int) -> bool:
        """Its value in the innermost frame of a thread that an event has stopped. Raises EvalError."""


class Passing(Record):
    """A thread that may run on as soon as its frame has been asked for: where it stands, and how it is let go."""

    at: Location
    go_on: Callable[[], None]


class LogText(Protocol):
    """The compiled text of a logpoint."""

    async def render(self, thread_id: int, passing: Passing | None = None) -> str:
        """The text in the innermost frame of a thread that an event has stopped. Raises EvalError."""


CompileCondition = Callable[[str], Condition]
"""Compiles the text of a condition. Raises EvalError when it is no expression."""

CompileLogText = Callable[[str], LogText]
"""Compiles the text of a logpoint. Raises EvalError for what is no expression in it."""

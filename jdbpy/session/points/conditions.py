"""What a point needs of the evaluator: a condition that was compiled when it was set, asked at every hit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol


class Condition(Protocol):
    """A compiled Java expression of type boolean."""

    async def holds(self, thread_id: int) -> bool:
        """Its value in the innermost frame of a thread that an event has stopped. Raises EvalError."""


CompileCondition = Callable[[str], Condition]
"""Compiles the text of a condition. Raises EvalError when it is no expression."""

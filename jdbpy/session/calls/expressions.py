"""The expressions about a call at its end: ``$cost > 100ms && $args[0] != null``, in the frame of the method.

``$cost`` is in milliseconds, a ``double``; a number with a unit is a time: ``100ms``, ``2s``, ``50us``. ``$args[0]`` is
the first argument, ``$ret`` what is returned (null where an exception ends the call), ``$exc`` the exception, or null.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from math import ceil, floor

from jdbpy.errors import EvalError, UsageError
from jdbpy.session.eval.conditions import LoadedClasses
from jdbpy.session.eval.evaluator import Evaluator
from jdbpy.session.eval.jvm.pins import Pins
from jdbpy.session.eval.operands import Operand
from jdbpy.session.eval.program import Compiled, Program
from jdbpy.session.eval.target import Ref
from jdbpy.session.eval.typing.class_graph import ClassGraph
from jdbpy.session.eval.variables import HitVariables
from jdbpy.session.events.conditions import Given
from jdbpy.session.model.threads import FrameInfo, Location, ThreadRef

_UNITS = {"ns": 1e-6, "us": 1e-3, "µs": 1e-3, "ms": 1.0, "s": 1e3}
_QUOTED = r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\''
_TIME = re.compile(rf"{_QUOTED}|(?<![\w.$])(\d+(?:\.\d+)?)(ns|us|µs|ms|s)\b")
_ARGUMENTS = re.compile(rf"{_QUOTED}|\$args\b\s*(?:\[\s*(\d+)\s*\]|\.\s*(length)\b)?")
_COMPARED = re.compile(r"\s*\$cost\s*(>=|<=|>|<)\s*(\d+(?:\.\d+)?)\s*")
_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    "<": operator.lt,
    ">=": operator.ge,
    "<=": operator.le,
}

MOST_COST = (1 << 63) - 1
"""Nanoseconds."""

Place = tuple[int, int, int]


def with_times(text: str) -> str:
    """Return the expression with times as milliseconds: ``$cost > 2s`` is ``$cost > 2000.0``."""
    return _TIME.sub(lambda found: found[0] if not found[1] else repr(float(found[1]) * _UNITS[found[2]]), text)


def with_arguments(text: str, names: Sequence[str]) -> str:
    """Return the expression with names of arguments in place of ``$args[0]``. Raises UsageError without arguments."""

    def named(found: re.Match[str]) -> str:
        if not found[0].startswith("$args"):
            return found[0]
        if found[2]:
            return str(len(names))
        if found[1] is None:
            raise UsageError(
                "$args is not a value by itself", hint="$args[0] is the first argument; 'show $args' shows all"
            )
        number = int(found[1])
        if number >= len(names):
            raise UsageError(f"no $args[{number}]: the method has {len(names)}")
        return names[number]

    return _ARGUMENTS.sub(named, text)


def cost_limits(text: str) -> list[Callable[[float], bool]]:
    """Return the parts of a condition that are about ``$cost`` alone, up to the first that is not: they are computed
    before anything is read. ``text`` has its times as milliseconds."""
    found: list[Callable[[float], bool]] = []
    parts = text.split("&&")
    if "||" in text or "?" in text:
        parts = parts if len(parts) == 1 else []
    for part in parts:
        compared = _COMPARED.fullmatch(part)
        if compared is None:
            break
        found.append(_compared_with(float(compared[2]), _OPERATORS[compared[1]]))
    return found


def _compared_with(limit: float, compare: Callable[[float, float], bool]) -> Callable[[float], bool]:
    return lambda cost: compare(cost, limit)


def cost_range(text: str) -> tuple[int, int]:
    """Return the shortest and the longest time, in nanoseconds, for which a condition about ``$cost`` alone holds."""
    low, high = 0, MOST_COST
    for part in text.split("&&") if text else ():
        compared = _COMPARED.fullmatch(part)
        assert compared is not None
        limit = float(compared[2]) * 1e6
        match compared[1]:
            case ">":
                low = max(low, floor(limit) + 1)
            case ">=":
                low = max(low, ceil(limit))
            case "<":
                high = min(high, ceil(limit) - 1)
            case _:
                high = min(high, floor(limit))
    return low, high


def is_of_cost_alone(text: str) -> bool:
    """True if a condition needs nothing but ``$cost``."""
    return all(_COMPARED.fullmatch(part) for part in text.split("&&"))


class ExpressionAtEnds:
    """One expression, evaluated at ends of calls of one method: compiled once for each place."""

    def __init__(self, text: str, *, condition: bool) -> None:
        """Raises EvalError for what is no Java expression."""
        self.text = text
        self._condition = condition
        try:
            self._program = Program(text)
            self._program.expression()
        except EvalError as error:
            error.expression = text
            raise
        self._compiled: dict[tuple[Place, frozenset[str]], Compiled] = {}

    async def operations(self, evaluator: Evaluator, place: Location, given: Given) -> Compiled:
        """Return its operations at a place in code without a thread there; of ``given`` only the types matter.

        Raises EvalError, also for a class that is not loaded. wire: as compiling it.
        """
        target = evaluator.frame_target(FrameInfo(1, place, ThreadRef(0, "")))
        try:
            own = HitVariables(evaluator.variables, given)
            return await self._program.compile(target, LoadedClasses(target), own, condition=self._condition)
        finally:
            target.pins.release()

    async def value(self, evaluator: Evaluator, frame: FrameInfo, given: Given, keep: Pins | None = None) -> Operand:
        """Return its value in a frame; an object is pinned by ``keep``.

        Raises EvalError. wire: 1 trip for what it reads of the frame, and 1 for each link.
        """
        at = frame.location
        place = (at.type_id, at.method_id, at.code_index)
        own = HitVariables(evaluator.variables, given)
        target = evaluator.frame_target(frame)
        try:
            key = place, frozenset(given)
            if key not in self._compiled:
                graph = ClassGraph(target)
                self._compiled[key] = await self._program.compile(target, graph, own, condition=self._condition)
            found = await self._compiled[key].run(target, own)
            if keep is not None and isinstance(found.value, Ref):
                keep.keep_alive(found.value.id)
            return found
        except EvalError as error:
            error.expression = self.text
            raise
        finally:
            target.pins.release()

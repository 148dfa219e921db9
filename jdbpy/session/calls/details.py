"""What is read of a call at its end: its condition, arguments, receiver, result, exception, expressions, callers."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from typing import Any

from jdbpy.errors import Disconnected, EvalError, JdbpyError, JdwpError
from jdbpy.session.calls.expressions import ExpressionAtEnds, cost_limits, is_of_cost_alone, with_arguments, with_times
from jdbpy.session.calls.means import CallDetails, MethodKey, ObservedMethod
from jdbpy.session.eval.evaluator import Evaluator
from jdbpy.session.expressions.results import Results
from jdbpy.session.java.signatures import split_method
from jdbpy.session.model.events import ExceptionInfo
from jdbpy.session.model.threads import Frame, ThreadRef
from jdbpy.session.model.values import Limits, Value, Variable
from jdbpy.session.target import facts
from jdbpy.session.target.conditions import Given
from jdbpy.session.target.frames import SlotVariable, from_code, from_table
from jdbpy.session.target.target import Target
from jdbpy.session.target.threads import wire_thread
from jdbpy.session.values.describe import describe
from jdbpy.session.values.throwables import exception_info
from jdbpy.wire import ids
from jdbpy.wire.constants import Tag
from jdbpy.wire.messages import stack_frame, thread_reference

THROWABLE = "Ljava/lang/Throwable;"
_VOID = ids.TaggedValue(Tag.VOID, None)


class Pace:
    """How many calls a second are reported, and how many were left out. ``limit`` None is no limit."""

    def __init__(self, limit: int | None) -> None:
        self._limit = math.inf if limit is None else limit
        self._second = -math.inf
        self._taken = 0
        self.left_out = 0

    def passes(self, now: float) -> bool:
        """True if a report fits into this second; else the call is counted as left out."""
        if now - self._second >= 1.0:
            self._second, self._taken = now, 0
        if self._taken < self._limit:
            return True
        self.left_out += 1
        return False

    def take(self) -> int:
        """Count a report; return how many were left out before it."""
        self._taken += 1
        left, self.left_out = self.left_out, 0
        return left


class CallReader:
    """Reads calls for one observation."""

    def __init__(
        self,
        target: Target,
        evaluator: Callable[[], Evaluator],
        *,
        condition: str = "",
        shown: Sequence[str] = (),
        callers: int = 0,
        pace: Pace,
        longest: int = 200,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        """Raises EvalError for what is no Java expression."""
        self._target = target
        self._evaluator = evaluator
        self._condition = with_times(condition.strip())
        self._shown = tuple(with_times(each) for each in shown if each.strip() != "$args")
        self._typed = tuple(each for each in shown if each.strip() != "$args")
        self._all_arguments = not shown or len(self._typed) < len(shown)
        self._limits_of_cost = cost_limits(self._condition) if self._condition else []
        self._only_cost = bool(self._condition) and is_of_cost_alone(self._condition)
        self._callers = callers
        self._pace = pace
        self._limits = Limits(depth=0, string=longest)
        self._clock = clock
        for text in (self._condition, *self._shown):
            if text:
                ExpressionAtEnds(text, condition=False)
        self._arguments: dict[MethodKey, list[SlotVariable]] = {}
        self._conditions: dict[MethodKey, ExpressionAtEnds] = {}
        self._expressions: dict[MethodKey, list[ExpressionAtEnds]] = {}

    async def prepare(self, methods: Sequence[ObservedMethod]) -> None:
        """Compile what can be compiled without a thread. Raises EvalError, UsageError. wire: 1 trip."""
        keys = [each.key for each in methods]
        owners = list(dict.fromkeys(key[0] for key in keys))
        await self._target.types.facts.prefetch((facts.VARIABLES, keys), (facts.METHODS, owners))
        for each in methods:
            table = self._target.types.facts.known(facts.VARIABLES, each.key)
            found = from_table(table, 0) if table is not None and table.slots else from_code(each.method, b"", 0)
            self._arguments[each.key] = own = [slot for slot in found if slot.kind == "argument"]
            names = [slot.name for slot in own]
            if self._condition and not self._only_cost:
                text = with_arguments(self._condition, names)
                self._conditions[each.key] = ExpressionAtEnds(text, condition=True)
            self._expressions[each.key] = [
                ExpressionAtEnds(with_arguments(text, names), condition=False) for text in self._shown
            ]

    def wants(self, cost: float | None) -> bool:
        """True if the call may be reported, as far as its time and the pace tell."""
        if self._condition and cost is None and self._limits_of_cost:
            return False
        if cost is not None and not all(holds(cost * 1e3) for holds in self._limits_of_cost):
            return False
        counted = self._conditions or self._pace.passes(self._clock())
        return bool(counted)

    async def read(
        self,
        method: ObservedMethod,
        thread: int,
        cost: float | None,
        *,
        frame: int,
        returned: ids.TaggedValue | None = None,
        thrown: Any = None,
    ) -> CallDetails | None:
        """What is wanted of a call whose thread is suspended in that frame; None where the condition is false, or where
        enough are reported this second. wire: 3 trips or 4, and what expressions and objects take.
        """
        target, asked = self._target, wire_thread(thread)
        epoch = target.suspension.epoch_of(thread)
        commands: list[Any] = [thread_reference.Name(asked)]
        commands += [thread_reference.Frames(asked, number, 1) for number in range(frame, frame + 1 + self._callers)]
        name, *replies = await target.conn.batch(commands)
        found = [each.frames[0] for each in replies if not isinstance(each, JdwpError) and each.frames]
        if not found or isinstance(replies[0], JdwpError):
            return None
        places = await target.types.locations([each.location for each in found])
        ref = ThreadRef(thread, "" if isinstance(name, JdwpError) else name.threadName)
        here = Frame(frame + 1, places[0], ref, found[0].frameID, epoch)
        given = self._given(method, cost, returned, thrown)
        failure = ""
        condition = self._conditions.get(method.key)
        if condition is not None:
            try:
                with self._bounded():
                    if not (await condition.value(self._evaluator(), here, given)).value:
                        return None
            except Disconnected:
                raise
            except JdbpyError as error:
                if thrown is not None and "$ret" in condition.text and "ret" not in given:
                    return None  # an exception has no primitive result
                failure = f"the condition failed: {error.message}"
            if not self._pace.passes(self._clock()):
                return None
        if self._enough():
            return None
        shown, trouble = await self._show(method, here, given)
        arguments, receiver = await self._variables(method, asked, found[0].frameID)
        result, exception = await self._outcome(returned, thrown)
        return CallDetails(
            places[0], ref, arguments, receiver, result, exception, shown, tuple(places[1:]), failure or trouble
        )

    _enough: Callable[[], bool] = staticmethod(lambda: False)

    def until(self, enough: Callable[[], bool]) -> None:
        """Read nothing any more once that is so."""
        self._enough = enough

    def _bounded(self) -> Any:
        return self._evaluator().bounded()

    def _given(
        self, method: ObservedMethod, cost: float | None, returned: ids.TaggedValue | None, thrown: Any
    ) -> Given:
        given: dict[str, tuple[ids.TaggedValue, str]] = {}
        if cost is not None:
            given["cost"] = ids.TaggedValue(Tag.DOUBLE, cost * 1e3), "D"
        declared = split_method(method.method.signature)[1]
        exception = ids.TaggedValue(Tag.OBJECT, 0)
        if thrown is not None:
            exception = ids.TaggedValue(thrown.exception.tag, thrown.exception.objectID)
            returned = ids.TaggedValue(Tag.OBJECT, 0) if declared[0] in "L[" else None
        if returned is not None and returned.tag != Tag.VOID:
            given["ret"] = returned, declared
        given["exc"] = exception, THROWABLE
        return given

    async def _show(self, method: ObservedMethod, here: Frame, given: Given) -> tuple[tuple[Variable, ...], str]:
        shown, trouble = [], ""
        results = Results(self._target)
        for typed, expression in zip(self._typed, self._expressions.get(method.key, ()), strict=False):
            try:
                with self._bounded():
                    operand = await expression.value(self._evaluator(), here, given)
                    value = await results.describe(operand, self._limits)
                shown.append(Variable(typed, value.type, value, "expression"))
            except Disconnected:
                raise
            except JdbpyError as error:
                unknown = isinstance(error, EvalError) and "$ret" in typed and "ret" not in given
                trouble = trouble or ("" if unknown else f"{typed}: {error.message}")
        return tuple(shown), trouble

    async def _variables(
        self, method: ObservedMethod, thread: Any, frame: ids.FrameID
    ) -> tuple[tuple[Variable, ...], Value | None]:
        """Arguments and receiver. wire: 1 trip, and what describing them takes."""
        slots = self._arguments.get(method.key, []) if self._all_arguments else []
        commands: list[Any] = [
            stack_frame.GetValues(thread, frame, [stack_frame.SlotInfo(each.slot, ord(each.signature[0]))])
            for each in slots
        ]
        if not method.method.is_static:
            commands.append(stack_frame.ThisObject(thread, frame))
        outcomes = await self._target.conn.batch(commands) if commands else []
        receiver = None
        if not method.method.is_static:
            this = outcomes.pop()
            if not isinstance(this, JdwpError) and this.objectThis.objectID:
                receiver = ids.TaggedValue(this.objectThis.tag, this.objectThis.objectID)
        known = [
            (each, reply.values[0])
            for each, reply in zip(slots, outcomes, strict=True)
            if not isinstance(reply, JdwpError)
        ]
        wanted = [value for _, value in known] + ([receiver] if receiver is not None else [])
        described = await describe(self._target, wanted, self._limits)
        shown = described.pop() if receiver is not None else None
        found = zip(known, described, strict=True)
        return tuple(Variable(each.name, value.type, value, "argument") for (each, _), value in found), shown

    async def _outcome(
        self, returned: ids.TaggedValue | None, thrown: Any
    ) -> tuple[Value | None, ExceptionInfo | None]:
        if thrown is not None:
            return None, await exception_info(self._target, thrown)
        if returned is None or returned.tag == Tag.VOID:
            return None, None
        [value] = await describe(self._target, [returned], self._limits)
        return value, None

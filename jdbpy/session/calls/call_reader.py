"""The reading of a call at its end: its condition, arguments, receiver, result, exception, expressions, callers."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from jdbpy.errors import Disconnected, EvalError, JdbpyError, JdwpError
from jdbpy.session.breakpoints.method_patterns import ObservedMethod
from jdbpy.session.calls.backend import CallDetails, MethodKey, NotRead, ReadCall
from jdbpy.session.calls.expressions import ExpressionAtEnds, cost_limits, is_of_cost_alone, with_arguments, with_times
from jdbpy.session.concurrency import both
from jdbpy.session.eval.api.results import Results
from jdbpy.session.eval.evaluator import Evaluator
from jdbpy.session.eval.jvm.pins import Pins
from jdbpy.session.eval.operands import Operand
from jdbpy.session.eval.program import Compiled
from jdbpy.session.events.conditions import Given
from jdbpy.session.events.frames import SlotVariable, from_code, from_table
from jdbpy.session.events.target import Target
from jdbpy.session.events.threads import wire_thread
from jdbpy.session.java.signatures import split_method
from jdbpy.session.jvm import facts
from jdbpy.session.jvm.refs import OBSOLETE
from jdbpy.session.model.threads import FrameInfo, Location, ThreadRef
from jdbpy.session.model.values import Limits, Variable
from jdbpy.session.values.describe import describe
from jdbpy.session.values.throwables import exception_info
from jdbpy.wire import ids
from jdbpy.wire.constants import Tag
from jdbpy.wire.layout import OBJECT_TAGS
from jdbpy.wire.messages import stack_frame, thread_reference

THROWABLE = "Ljava/lang/Throwable;"
_NAMED = 3
"""Methods that a sentence names."""

_VOID = ids.TaggedValue(Tag.VOID, None)


class ReportLimit:
    """The limit of calls that are reported in a second, and the count of those left out. ``limit`` None is no limit.

    A call takes its place among the reports of a second before it is read: calls of other threads end meanwhile.
    """

    def __init__(self, limit: int | None) -> None:
        self._limit = math.inf if limit is None else limit
        self._second = -math.inf
        self._taken = 0
        self.left_out = 0

    def passes(self, now: float) -> bool:
        """True if a report fits into this second, in which it has a place then; else the call is counted as left
        out."""
        if now - self._second >= 1.0:
            self._second, self._taken = now, 0
        if self._taken < self._limit:
            self._taken += 1
            return True
        self.left_out += 1
        return False

    @property
    def full_until(self) -> float:
        """Return the end of the second in which no more is reported; in the past else. By the clock of ``passes``."""
        return self._second + 1.0 if self._taken >= self._limit else -math.inf

    def give_back(self) -> None:
        """Give the place of a call back that could not be read."""
        self._taken = max(0, self._taken - 1)

    def take(self) -> int:
        """Return how many were left out since this was asked last."""
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
        depth: int = 0,
        pace: ReportLimit,
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
        self._limits = Limits(depth=depth, string=longest)
        self._clock = clock
        for text in (self._condition, *self._shown):
            if text:
                ExpressionAtEnds(text, condition=False)
        self._names: dict[int, str] = {}
        self._arguments: dict[MethodKey, list[SlotVariable]] = {}
        self._conditions: dict[MethodKey, ExpressionAtEnds] = {}
        self._expressions: dict[MethodKey, list[ExpressionAtEnds]] = {}
        self._without_result: list[str] = []  # methods of which $ret is to be shown, and which are void

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
            if self._of_result and split_method(each.method.signature)[1] == "V":
                self._without_result.append(each.name)

    @property
    def _of_result(self) -> list[str]:
        """Return the expressions to be shown that are about the result."""
        return [each for each in self._typed if "$ret" in each]

    @property
    def lacks(self) -> list[str]:
        """Return the sentence about methods that have no result to be shown, if there are any."""
        void = self._without_result
        if not void:
            return []
        more = f" and {len(void) - _NAMED} more" if len(void) > _NAMED else ""
        what = "it is void and returns" if len(void) == 1 else "they are void and return"
        of = ", ".join(f"'{each}'" for each in self._of_result)
        return [f"{of} is not shown for {', '.join(void[:_NAMED])}{more}: {what} nothing"]

    @property
    def needs_frame(self) -> str:
        """Return the reason why a call can only be read while its thread is suspended; "" if there is none."""
        return "callers are read from the stack" if self._callers else ""

    @property
    def cost_only(self) -> bool:
        """True if only the time is to be computed at an end of a call."""
        return not self._typed and (self._only_cost or not self._condition)

    @property
    def typed(self) -> Sequence[str]:
        """Return the expressions that are shown, as they were written."""
        return self._typed

    async def operations(
        self, method: ObservedMethod, place: Location, *, failed: bool
    ) -> tuple[Compiled | None, Sequence[Compiled | None]]:
        """Return the condition and the expressions shown, as they are at an end of a method; None for what has no value
        where an exception ends it: it has no primitive result. ``failed``: that is so.

        Raises EvalError. wire: as compiling them.
        """
        nothing = ids.TaggedValue(Tag.OBJECT, 0)
        declared = split_method(method.method.signature)[1]
        result = ids.TaggedValue(ord(declared[0]) if declared[0] not in "L[" else Tag.OBJECT, 0)
        given = dict(self._given(method, 0.0, result, None))
        given["exc"] = nothing, THROWABLE
        if failed and declared[0] not in "L[":
            given.pop("ret", None)

        async def of(expression: ExpressionAtEnds) -> Compiled | None:
            if failed and "$ret" in expression.text and "ret" not in given:
                return None
            return await expression.operations(self._evaluator(), place, given)

        condition = self._conditions.get(method.key)
        shown = [await of(each) for each in self._expressions.get(method.key, ())]
        return await of(condition) if condition is not None else None, shown

    @property
    def is_conditional(self) -> bool:
        """True if a condition reads more than the time."""
        return bool(self._condition) and not self._only_cost

    def refusal(self, cost: float | None) -> NotRead | None:
        """Return why a call is not to be reported, by its time and the pace; None if it may be."""
        if self._limits_of_cost and (cost is None or not all(holds(cost * 1e3) for holds in self._limits_of_cost)):
            return NotRead.FALSE  # a time that is not known fulfills nothing
        return None if self._conditions or self._pace.passes(self._clock()) else NotRead.OTHER

    async def read(
        self,
        method: ObservedMethod,
        thread: int,
        cost: float | None,
        *,
        frame: int,
        returned: ids.TaggedValue | None = None,
        thrown: Any = None,
    ) -> ReadCall | NotRead:
        """Return what is wanted of a call whose thread is suspended, in that frame, as it comes from the target; else
        why nothing is: the condition is false, enough are reported this second, or the class was given other code while
        the call was under way.

        wire: 1 trip for the innermost frame of a thread that was seen before, else 2; more for what expressions take.
        """
        pins = self._evaluator().pins()
        read: ReadCall | NotRead = NotRead.OTHER
        try:
            read = await self._read(method, thread, cost, frame, returned, thrown, pins)
        finally:
            if not isinstance(read, ReadCall):
                pins.release()
                if not self._conditions:  # else it has a place only where its condition was true
                    self._pace.give_back()
        return read

    async def _read(
        self,
        method: ObservedMethod,
        thread: int,
        cost: float | None,
        frame: int,
        returned: ids.TaggedValue | None,
        thrown: Any,
        pins: Pins,
    ) -> ReadCall | NotRead:
        asked = wire_thread(thread)
        epoch = self._target.suspension.epoch_of(thread)
        predictor = self._target.frame_id_predictor
        guess = predictor.guess(thread) if frame == 0 else None
        commands: list[Any] = [
            thread_reference.Frames(asked, number, 1) for number in range(frame, frame + 1 + self._callers)
        ]
        count = len(commands)
        if guess is not None:
            commands += self._variables_of(method, asked, guess)
        replies = await self._target.conn.batch(commands)
        frames, outcomes = replies[:count], replies[count:]
        found = [each.frames[0] for each in frames if not isinstance(each, JdwpError) and each.frames]
        if not found or isinstance(frames[0], JdwpError):
            return NotRead.OTHER
        if frame == 0 and not predictor.compare(thread, epoch, guess, found[0].frameID):
            outcomes = []
        places = [each.location for each in found]
        if places[0].methodID == OBSOLETE:
            return NotRead.OTHER
        given = self._given(method, cost, returned, thrown)
        condition, failure = self._conditions.get(method.key), ""
        operands: list[tuple[str, Operand]] = []
        if condition is not None or self._typed:
            if not self._target.types.is_placed(places[:1]):
                await self._target.types.locations(places[:1])
            here = FrameInfo(
                frame + 1, self._target.types.location(places[0]), ThreadRef(thread, ""), found[0].frameID, epoch
            )
            if condition is not None:
                try:
                    with self._bounded():
                        if not (await condition.value(self._evaluator(), here, given)).value:
                            return NotRead.FALSE
                except Disconnected:
                    raise
                except JdbpyError as error:
                    if thrown is not None and "$ret" in condition.text and "ret" not in given:
                        return NotRead.FALSE  # an exception has no primitive result
                    failure = f"the condition failed: {error.message}"
                if not self._pace.passes(self._clock()):
                    return NotRead.OTHER
            operands, trouble = await self._evaluated(method, here, given, pins)
            failure = failure or trouble
        if self._enough():
            return NotRead.OTHER
        if not outcomes:
            outcomes = await self._target.conn.batch(self._variables_of(method, asked, found[0].frameID))
        values = [None if isinstance(each, JdwpError) else each for each in outcomes]
        if (failure or None in values) and await self._is_obsolete(asked, frame):
            return NotRead.OTHER
        for each in _objects(values, returned, thrown):
            pins.keep_alive(each)
        return ReadCall(thread, tuple(places), tuple(values), tuple(operands), returned, thrown, failure, pins)

    async def _is_obsolete(self, thread: ids.ThreadID, frame: int) -> bool:
        """True if the frame's class was given other code since: there are no variables in it any more. wire: 1 trip."""
        try:
            reply = await self._target.conn.request(thread_reference.Frames(thread, frame, 1))
        except JdwpError:
            return False
        return bool(reply.frames) and reply.frames[0].location.methodID == OBSOLETE

    _enough: Callable[[], bool] = staticmethod(lambda: False)

    def until(self, enough: Callable[[], bool]) -> None:
        """Read nothing any more once that is so."""
        self._enough = enough

    async def describe(self, method: ObservedMethod, read: ReadCall) -> CallDetails:
        """Return what was read, as plain data; its thread need not be suspended any more. wire: 2 trips and more."""
        places = await self._target.types.locations(list(read.places))
        values = list(read.variables)
        this = None if method.method.is_static or not values else values.pop()
        receiver = []
        if this is not None and this.objectThis.objectID:
            receiver = [ids.TaggedValue(this.objectThis.tag, this.objectThis.objectID)]
        slots = self._arguments.get(method.key, []) if self._all_arguments else []
        known = [(slot, reply.values[0]) for slot, reply in zip(slots, values, strict=False) if reply is not None]
        result = [read.returned] if read.returned is not None and read.returned.tag != Tag.VOID else []
        name, described = await both(
            lambda: self._name_of(read.thread),
            lambda: describe(self._target, [*(value for _, value in known), *receiver, *result], self._limits),
        )
        arguments = tuple(
            Variable(slot.name, value.type, value, "argument")
            for (slot, _), value in zip(known, described, strict=False)
        )
        rest = described[len(known) :]
        results = Results(self._target)
        shown = []
        for typed, operand in read.shown:
            value = await results.describe(operand, self._limits)
            shown.append(Variable(typed, value.type, value, "expression"))
        failure, exception = read.failure, None
        if read.thrown is not None:
            try:
                exception = await exception_info(self._target, read.thrown)
            except JdwpError:
                failure = failure or "the exception was garbage-collected before it was read"
        return CallDetails(
            places[0],
            ThreadRef(read.thread, name),
            arguments,
            rest[0] if receiver else None,
            rest[-1] if result and exception is None else None,
            exception,
            tuple(shown),
            tuple(places[1:]),
            failure,
        )

    async def _name_of(self, thread: int) -> str:
        """Return the name of a thread; it is asked for once. wire: 1 trip, 0 when known."""
        if thread not in self._names:
            try:
                reply = await self._target.conn.request(thread_reference.Name(wire_thread(thread)))
            except JdwpError:
                return ""
            self._names[thread] = reply.threadName
        return self._names[thread]

    def _variables_of(self, method: ObservedMethod, thread: Any, frame: ids.FrameID) -> list[Any]:
        """Return the commands for the arguments and the receiver, each by itself."""
        slots = self._arguments.get(method.key, []) if self._all_arguments else []
        commands: list[Any] = [
            stack_frame.GetValues(thread, frame, [stack_frame.SlotInfo(each.slot, ord(each.signature[0]))])
            for each in slots
        ]
        if not method.method.is_static:
            commands.append(stack_frame.ThisObject(thread, frame))
        return commands

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

    async def _evaluated(
        self, method: ObservedMethod, here: FrameInfo, given: Given, pins: Pins
    ) -> tuple[list[tuple[str, Operand]], str]:
        """Return the values to be shown, and the reason why the first without one has none."""
        found: list[tuple[str, Operand]] = []
        trouble = ""
        for typed, expression in zip(self._typed, self._expressions.get(method.key, ()), strict=False):
            try:
                with self._bounded():
                    found.append((typed, await expression.value(self._evaluator(), here, given, pins)))
            except Disconnected:
                raise
            except JdbpyError as error:
                unknown = isinstance(error, EvalError) and "$ret" in typed and "ret" not in given
                trouble = trouble or ("" if unknown else f"{typed}: {error.message}")
        return found, trouble


def _objects(variables: Sequence[Any], returned: ids.TaggedValue | None, thrown: Any) -> Iterator[int]:
    """Yield the ids of the objects that the replies for a call's variables hold, of its result and its exception."""
    values = [] if returned is None else [returned]
    for reply in variables:
        if isinstance(reply, stack_frame.GetValuesReply):
            values += reply.values
        elif reply is not None:
            values.append(reply.objectThis)
    if thrown is not None:
        values.append(thrown.exception)
    for value in values:
        object_id = value.objectID if isinstance(value, ids.TaggedObjectID) else value.value
        if value.tag in OBJECT_TAGS and object_id:
            yield int(object_id)

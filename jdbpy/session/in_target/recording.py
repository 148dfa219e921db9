"""One recording of a method's calls by the target, from the request until its code is removed.

Owns which calls are wanted, when there are enough, and the messages about methods that cannot be recorded. Recorded
calls are handed to a keeper. No breakpoints are involved: a call is recorded in the target or not at all.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from typing import Any

import trio

from jdbpy.errors import UsageError
from jdbpy.session.breakpoints.method_patterns import ObservedMethod
from jdbpy.session.calls.backend import EndedCall, MethodKey
from jdbpy.session.calls.call_reader import CallReader, ReportLimit
from jdbpy.session.calls.expressions import MOST_COST, cost_range, is_of_cost_alone, with_times
from jdbpy.session.calls.observation import Observation, Observations
from jdbpy.session.eval.evaluator import Evaluator
from jdbpy.session.in_target.class_files import local_class_file
from jdbpy.session.in_target.weave.record_code import RECORD, RecordedMethod
from jdbpy.session.in_target.weave.records import TOP
from jdbpy.session.in_target.weave.weaver import MOST_COMPILED, weave
from jdbpy.session.java.bytecode import MalformedCode
from jdbpy.session.java.class_file import MalformedClassFile
from jdbpy.session.java.edit.code_variable import CheckParameter
from jdbpy.session.java.signatures import split_method
from jdbpy.session.jvm.refs import RefType
from jdbpy.session.model.events import Notice
from jdbpy.session.model.recorded import RecordingInfo
from jdbpy.session.recorded.call import RecordedCall
from jdbpy.session.recorded.points import LEVELS, MethodPoints, NotRecorded, points_of
from jdbpy.wire.ids import ReferenceTypeID

MOST_RECORDED = 20
"""Methods that one recording may be of."""

MOST_DEPTH = 5
"""Levels of fields and elements that may be kept of an object."""

_CLASS_NAME = re.compile(r"[\w$.]+")


def read_until(text: str) -> tuple[str, tuple[int, int] | None]:
    """Return what ends a recording: the name of an exception's class, or a range of times in nanoseconds.

    Raises UsageError.
    """
    timed = with_times(text.strip())
    if not timed:
        return "", None
    if _CLASS_NAME.fullmatch(timed) and not timed[0].isdigit():
        return timed, None
    if is_of_cost_alone(timed):
        return "", cost_range(timed)
    raise UsageError(
        f"'{text}' is neither an exception nor about $cost",
        hint="'until IllegalStateException', 'until $cost > 100ms'",
    )


class NoMeans:
    """Takes the place of a breakpoint backend and observes nothing."""

    def __init__(self) -> None:
        self.lacks: list[str] = []

    async def open(self, methods: Sequence[ObservedMethod]) -> None:
        """Do nothing."""

    def hand_over(self, keys: Collection[MethodKey]) -> None:
        """Do nothing."""

    def take_back(self, methods: Sequence[ObservedMethod]) -> None:
        """Do nothing."""

    def clear(self, type_ids: Sequence[int]) -> None:
        """Do nothing."""

    async def redefined(self, type_ids: Sequence[int]) -> None:
        """Do nothing."""

    def drop(self) -> list[Any]:
        """Return an empty list: there is nothing to wait for."""
        return []

    async def close(self) -> None:
        """Do nothing."""


class MethodRecording(Observation):
    """The recording of a method. ``number`` is the recording's number; ``keep`` takes each call and returns it
    numbered."""

    calls_until, calls_again = 1, 20

    def __init__(
        self,
        observer: Observations,
        evaluator: Callable[[], Evaluator],
        method: str,
        *,
        number: int,
        when: str,
        most: int,
        depth: int,
        level: str,
        until: str,
        hold: bool,
        keep: Callable[[RecordedCall], None],
    ) -> None:
        """Raises UsageError, EvalError."""
        if level not in LEVELS:
            raise UsageError(f"'{level}' is not one of {', '.join(LEVELS)}")
        if not 0 <= depth <= MOST_DEPTH:
            raise UsageError(f"what objects hold is recorded 0 to {MOST_DEPTH} levels deep, not {depth}")
        self.number = number
        self.level = level
        self.depth = depth
        self.most = most
        self.when = when.strip()
        self.until = until.strip()
        self.hold = hold
        """True if the objects that calls were given are kept from collection as long as the calls are kept."""
        self.kept = 0
        """The number of calls that were recorded."""
        self.missed = 0
        """Calls that were not recorded, as the ring was full."""
        self.refused = 0
        """Calls that were not wanted: the condition was false."""
        self.notes: list[str] = []
        """Sentences about what is not recorded."""
        self.has_left = False
        """True if it was taken out of the target."""
        self.ended_by = ""
        """The reason why it has ended by itself."""
        self._until_exception, self._until_cost = read_until(until)
        self.reader = CallReader(observer.target, evaluator, condition=when, pace=ReportLimit(None))
        by_cost = bool(self.when) and not self.reader.is_conditional
        self.costs = cost_range(with_times(self.when)) if by_cost else (0, MOST_COST)
        self._keep = keep
        self._placing: list[trio.Event] = []
        super().__init__(observer, method, MOST_RECORDED, in_target=True)

    def _made_means(self) -> Any:
        return NoMeans()

    def _take(self, calls: Sequence[EndedCall]) -> None:
        """Do nothing: no breakpoint reports calls here."""

    @property
    def state(self) -> str:
        """Return its state in words: ``recording``, ``waiting: ...``, ``ended: ...``."""
        if self.ended_by:
            return f"ended: {self.ended_by}"
        if self.has_ended():
            return "ended"
        if self.waiting:
            return self.waiting
        if not self.in_target:
            return f"not yet: {self.why_ordinary}" if self.why_ordinary else "from its next call on"
        return "recording"

    def start(self, task: Callable[[], Awaitable[object]]) -> None:
        """Run a task beside the session; ``placed`` waits for it."""
        done = trio.Event()
        self._placing.append(done)

        async def run() -> None:
            try:
                await task()
            finally:
                done.set()

        super().start(run)

    async def placed(self) -> None:
        """Wait until the next call will be recorded."""
        for each in self._placing:
            await each.wait()

    async def _on_class(self, prepared: RefType) -> None:
        await super()._on_class(prepared)
        if self.preparing.get(prepared.id):
            await self.placed()  # the class is still being prepared: none of its methods has been called

    @property
    def preparing(self) -> Mapping[ReferenceTypeID, int]:
        """Return the classes that are being prepared; see ``ClassWatch``."""
        return self._watch.preparing if self._watch is not None else {}

    @property
    def info(self) -> RecordingInfo:
        """Return it as plain data."""
        return RecordingInfo(
            number=self.number,
            method=self.method,
            state=self.state,
            level=self.level,
            calls=self.calls,
            kept=self.kept,
            missed=self.missed,
            refused=self.refused,
            condition=self.when,
            until=self.until,
            most=self.most,
            depth=self.depth,
            hold=self.hold,
            notes=tuple(self.notes),
        )

    async def _prepare(self, methods: Sequence[ObservedMethod]) -> None:
        """Compile the condition, and find out which methods cannot be recorded. Raises UsageError if none can."""
        await self.reader.prepare(methods)
        wrong: list[str] = []
        for each in methods:
            if each.method.has_code and (reason := await self._why_not(each)):
                wrong.append(f"{each.name} cannot be recorded: {reason}")
        if wrong and len(wrong) == sum(each.method.has_code for each in methods):
            raise UsageError(wrong[0], hint=_hint(wrong[0], self.level), code="NOT_RECORDED")
        self.notes += wrong

    async def _why_not(self, observed: ObservedMethod) -> str:
        """Return why a method cannot be recorded, judging by the class file at hand; note what will be left out."""
        data = await local_class_file(self._target, observed.owner.signature[1:-1])
        if data is None:
            return ""
        try:
            points = points_of(data, observed.method.name, observed.method.signature, self.level)
        except NotRecorded as why:
            return str(why)
        except (MalformedClassFile, MalformedCode):
            return ""  # it need not be the class that runs
        woven = weave(data, [recorded_method(observed, points, "Jdbpy__", 0)])
        if woven.refused:
            return woven.refused[0].text
        self.note(points, woven.methods[0].length + sum(each.length for each in woven.methods[0].insertions))
        return ""

    def note(self, points: MethodPoints, length: int) -> None:
        """Note what is left out of a method because its code would become too long."""
        sentences = [f"{points.name}: {each}" for each in points.lacks]
        if length > MOST_COMPILED:
            sentences.append(
                f"{points.name} is {length:,} bytes long while it is recorded; the JVM compiles no method of more than "
                f"{MOST_COMPILED:,}"
            )
        self.notes += [each for each in sentences if each not in self.notes]

    # -- what the target has recorded ----------------------------------------------------------------------------------

    def count(self, ended: int, failed: int, refused: int, missed: int) -> None:
        """Add to the counts of calls: completed, ended by an exception, unwanted, not recorded."""
        self.calls += ended
        self.failures += failed
        self.refused += refused
        self.missed = missed

    @property
    def condition_false(self) -> int:
        """Return the number of calls for which the condition was false."""
        return self.refused

    def room(self, count: int) -> int:
        """Return how many of a number of calls are still wanted."""
        if self.over.is_set():
            return 0
        return min(count, self.most - self.kept) if self.most else count

    def enter(self, call: RecordedCall, above: Sequence[str]) -> None:
        """Enter a call; ``above`` are the class of the exception that ended it and its superclasses."""
        if self.over.is_set():
            return
        self.kept += 1
        self._keep(call)
        why = self._ends_with(call, above)
        if not why and self.most and self.kept >= self.most:
            why = f"{self.kept:,} {'call' if self.kept == 1 else 'calls'} of {self.method} recorded"
        if why:
            self.end(why)

    def _ends_with(self, call: RecordedCall, above: Sequence[str]) -> str:
        if self._until_exception:
            wanted = self._until_exception
            if any(each == wanted or each.rpartition(".")[2].replace("$", ".") == wanted for each in above):
                return f"call {call.number} of {self.method} threw {above[0]}"
        elif self._until_cost is not None and self._until_cost[0] <= call.cost * 1e9 <= self._until_cost[1]:
            return f"call {call.number} of {self.method} took {call.cost * 1e3:,.1f} ms"
        return ""

    def end(self, why: str) -> None:
        """Report that the recording is complete."""
        self.ended_by = why
        self.over.set()

    def refuse(self, why: str) -> None:
        """Report once why a method is not recorded yet."""
        if why and why != self.why_ordinary:
            text = f"{self.method} is not recorded yet: {why}"
            self._target.publish(Notice("warning", text))
        self.why_ordinary = why

    def take_back(self, type_id: int, why: str) -> None:
        super().take_back(type_id, "")
        self.refuse(why)


def _hint(text: str, level: str) -> str:
    return "'lines' behind it records less" if "longer" in text and level != "lines" else ""


def recorded_method(
    observed: ObservedMethod, points: MethodPoints, helper: str, number: int, kept: Sequence[CheckParameter] = ()
) -> RecordedMethod:
    """Return the code to insert into a method."""
    returns = split_method(observed.method.signature)[1]
    result = () if returns == "V" else (CheckParameter(TOP, returns),)
    return RecordedMethod(
        observed.method.name,
        observed.method.signature,
        helper,
        number,
        RECORD,
        kept=(*result, *kept),
        points=points.points,
    )

"""One recorded call: its lines in order, what each has stored, and the values at any of them. Pure.

What the target has kept is understood when it is asked for: thousands of calls are kept, few are looked at. Of a long
call the first and the last events are kept; of those between there is how often each point was passed, and what each
store has stored last, so that variables are right behind the gap too.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from functools import cached_property

from jdbpy.errors import StateError
from jdbpy.record import Record
from jdbpy.session.model.recorded import CallRunAgain
from jdbpy.session.recorded.kept_values import KeptTexts, KeptValue, primitive_value
from jdbpy.session.recorded.points import RETURNED, THREW, MethodPoints, RecordPoint, VariableScope

HEAD, EVENTS = 2, 4_096
"""As of ``in_target.weave.record_code``."""

MOST_UNDERSTOOD = 32
"""Calls of which events and steps stay in memory: they take some hundred bytes each, what was kept of them 16."""

_UNDERSTOOD: deque[RecordedCall] = deque()

_BLOCK = 128
"""Events between two of those at which the values of all variables are kept ready."""

ADDED_BY_LINE = ("store", "field", "call")


class CallData(Record):
    """What the target has kept of a call: the numbers of its events, their text, and what was overwritten; the latter
    is empty where nothing was.
    """

    data: array[int]
    text: str
    before: array[int]

    @property
    def size(self) -> int:
        """Return the bytes that it takes, about."""
        return 8 * (len(self.data) + len(self.before)) + 2 * len(self.text) + 200


class RecordedEvent(Record):
    """One event: its number in the call, its point, its value (None for a line, and of what returns nothing).

    ``in_gap``: it is the last one of its point among those that were not kept.
    """

    number: int
    point: RecordPoint
    value: KeptValue | None = None
    in_gap: bool = False


_Written = dict[tuple[int, str], KeptValue]
"""The last value of each variable by its slot and name, of each field by -1 and its name."""


def _write(written: _Written, events: Sequence[RecordedEvent]) -> None:
    for each in events:
        if each.point.kind in ("store", "argument", "field") and each.value is not None:
            written[each.point.slot, each.point.name] = each.value


class RecordedWrite(Record):
    """A value that was written: by the line of the step with that number, 0 for an argument. ``old`` is the value of
    before, None where it had none. ``in_gap``: others came between, which were not kept."""

    step: int
    line: int
    name: str
    old: KeptValue | None
    new: KeptValue
    in_gap: bool = False


class RecordedStep(Record):
    """One line that was reached, as a debugger stops there: before it runs. ``number`` counts from 1, ``turn`` is how
    often the line was reached until now. ``first`` and ``last`` are the numbers of the events from here to the next.

    ``left_out`` lines before it were not kept. ``end``: the call is at its end; "returned" or "threw".
    """

    number: int
    line: int
    at: int
    turn: int
    first: int
    last: int
    left_out: int = 0
    end: str = ""


class RecordedException(Record):
    """The exception that has ended a call."""

    type: str
    message: str | None = None

    @property
    def text(self) -> str:
        return self.type if self.message is None else f"{self.type}: {self.message}"


class HeldArguments(Record):
    """What it takes to run a call once more in its JVM: its class there, and the objects that it was given, by the
    number of the argument; ``this`` counts. 0 is one that was collected before it was read. ``thread`` has made it.

    ``held``: they are kept from collection as long as the call is kept.
    """

    type_id: int
    objects: Mapping[int, int]
    thread: int = 0
    held: bool = False


class RecordedCall:
    """A call of a method. ``number`` is given by whoever keeps it; ``at`` is when it ended, in seconds since 1970, and
    ``cost`` how long it took, in seconds."""

    def __init__(
        self,
        number: int,
        method: MethodPoints,
        data: CallData,
        *,
        at: float,
        cost: float,
        exception: RecordedException | None = None,
        source: str = "",
        recording: int = 0,
        given: HeldArguments | None = None,
    ) -> None:
        self.given = given
        """None of a call that comes from a file."""
        self.run_again: Callable[[], Awaitable[CallRunAgain]] | None = None
        """Given by whoever keeps it."""
        self.recording = recording
        """The number of the recording that it comes from; 0 of a file."""
        self.number = number
        self.method = method
        self.data = data
        self.at_time = at
        self.cost = cost
        self.exception = exception
        self.source = source
        """The name of the source file; "" where it is not known."""

    async def again(self) -> CallRunAgain:
        """Run the method once more, with the arguments that were kept; see ``CallRecorder.again``. Raises StateError.

        In ``jdbpy.sync`` it is ``recording.again(call)``. wire: 3 trips and the call.
        """
        if self.run_again is None:
            raise StateError(f"recorded call {self.number} is not kept in a session", code="NOT_AGAIN")
        return await self.run_again()

    @cached_property
    def _texts(self) -> KeptTexts:
        return KeptTexts(self.data.text)

    @property
    def thread(self) -> str:
        """Return the name that the thread had."""
        return self._texts.thread

    @property
    def failed(self) -> bool:
        """True if an exception has ended it."""
        return self.exception is not None

    @property
    def count(self) -> int:
        """Return the number of all its events, those of its gap too."""
        return self.data.data[0]

    @property
    def left_out(self) -> int:
        """Return the number of events that were not kept."""
        return max(0, self.count - EVENTS)

    # -- events --------------------------------------------------------------------------------------------------------

    @cached_property
    def events(self) -> Sequence[RecordedEvent]:
        """Return the events in their order; of those that were not kept the last of each point."""
        self._understood()
        return [
            event.replace(in_gap=True) if in_gap else event
            for number, point, raw, in_gap in self._raw_events()
            for event in [self._event(number, point, raw)]
        ]

    def _understood(self) -> None:
        _UNDERSTOOD.append(self)
        if len(_UNDERSTOOD) > MOST_UNDERSTOOD:
            _UNDERSTOOD.popleft().forget()

    def forget(self) -> None:
        """Keep what the target has kept alone; the rest is understood anew when it is asked for."""
        for name in ("events", "_numbers", "steps", "writes", "_step_starts", "_written"):
            self.__dict__.pop(name, None)

    def _raw_events(self) -> Iterator[tuple[int, int, int, bool]]:
        """Yield number, point, value of the events in their order, and whether it is in the gap."""
        data, count, half = self.data.data, self.count, EVENTS // 2
        for number in range(min(count, EVENTS if count <= EVENTS else half)):
            yield number, data[HEAD + 2 * number], data[HEAD + 2 * number + 1], False
        if count <= EVENTS:
            return
        before = self.data.before
        points = range(min(len(before) // 3, len(self.method.points)))
        for at in sorted((each for each in points if before[3 * each + 2]), key=lambda each: before[3 * each + 2]):
            yield before[3 * at + 2] - 1, at, before[3 * at + 1], True
        for number in range(count - half, count):  # the last half turns round
            place = half + number % half
            yield number, data[HEAD + 2 * place], data[HEAD + 2 * place + 1], False

    def _event(self, number: int, point_number: int, raw: int) -> RecordedEvent:
        point = self.method.points[point_number]
        kind = point.signature[0]
        if kind == "V":
            return RecordedEvent(number, point)
        value = self._texts.value(raw) if kind in "L[" else primitive_value(kind, raw)
        return RecordedEvent(number, point, value)

    @cached_property
    def _numbers(self) -> Sequence[int]:
        return [each.number for each in self.events]

    def events_of(self, step: RecordedStep) -> Sequence[RecordedEvent]:
        """Return what was recorded from a step to the next one."""
        first = bisect_left(self._numbers, step.first)
        return [each for each in self.events[first : bisect_right(self._numbers, step.last)] if not each.in_gap]

    # -- lines ---------------------------------------------------------------------------------------------------------

    @cached_property
    def steps(self) -> Sequence[RecordedStep]:
        """Return the lines in the order in which they were reached, and at last the end of the call.

        A line may have several places where it goes on, such as the head of a loop: it is reached anew when another
        line was in between, or when it does not come to a later place.
        """
        self._understood()
        starts, skipped, left_out = self._starts()
        turns: Counter[int] = Counter()
        found: list[RecordedStep] = []
        end = self.count - 1
        ends = [*(number for number, _ in starts[1:]), end]
        for (number, point), following in zip(starts, ends, strict=False):
            before = left_out.get(number, 0)
            if number in left_out:
                turns.update(skipped)
            turns[point.line] += 1
            turn = turns[point.line]
            found.append(RecordedStep(len(found) + 1, point.line, point.at, turn, number, following - 1, before))
        at_end = found[-1] if found else RecordedStep(0, 0, 0, 0, 0, 0)
        last = self._raw_last()[0]
        how = "threw" if last == THREW else "returned"
        behind = sum(skipped.values()) if not left_out else 0
        found.append(RecordedStep(len(found) + 1, at_end.line, at_end.at, at_end.turn, end, end, behind, how))
        return found

    @property
    def line_count(self) -> int:
        """Return how many lines are kept: one less than there are steps."""
        return len(self._starts()[0])

    def _starts(self) -> tuple[list[tuple[int, RecordPoint]], dict[int, int], dict[int, int]]:
        """Return the events with which lines begin; how often lines were reached that are left out; and how many of
        these are left out before an event, by its number.
        """
        starts: list[tuple[int, RecordPoint]] = []
        left_out: dict[int, int] = {}
        skipped = self.lines_in_gap()
        last: RecordPoint | None = None
        for number, point_number, _, in_gap in self._raw_events():
            point = self.method.points[point_number]
            if point.kind != "line":
                continue
            goes_on = last is not None and last.line == point.line and point.at > last.at
            last = point
            if in_gap:
                continue
            if skipped and not left_out and number >= EVENTS // 2:
                left_out[number] = sum(skipped.values()) - goes_on  # it was reached before, and is seen here
                if goes_on:
                    skipped[point.line] -= 1
            elif goes_on:
                continue
            starts.append((number, point))
        return starts, skipped, left_out

    def lines_in_gap(self) -> dict[int, int]:
        """Return how often lines were reached in what was not kept."""
        before, found = self.data.before, Counter[int]()
        for number, point in enumerate(self.method.points[: len(before) // 3]):
            if point.kind == "line":
                found[point.line] += before[3 * number]
        return {line: count for line, count in found.items() if count}

    def at(self, line: int) -> list[RecordedStep]:
        """Return the steps at a line."""
        return [each for each in self.steps if each.line == line and not each.end]

    # -- values --------------------------------------------------------------------------------------------------------

    @cached_property
    def writes(self) -> Sequence[tuple[int, RecordedWrite]]:
        """Return all writes of variables and fields, arguments first, with the numbers of their events."""
        known: dict[tuple[int, str], KeptValue] = {}
        found = []
        for each in self.events:
            if each.point.kind not in ("store", "field", "argument") or each.value is None:
                continue
            key = each.point.slot, each.point.name
            step = self._step_of(each.number) if each.point.kind != "argument" else 0
            write = RecordedWrite(step, each.point.line, each.point.name, known.get(key), each.value, each.in_gap)
            known[key] = each.value
            found.append((each.number, write))
        return found

    def _step_of(self, number: int) -> int:
        """Return the number of the step to which an event belongs; of one in the gap the step before that."""
        at = bisect_right(self._step_starts, number)
        return max(1, min(at, len(self._step_starts))) if self._step_starts else 1

    @cached_property
    def _step_starts(self) -> Sequence[int]:
        return [each.first for each in self.steps if not each.end]

    def values(self, step: RecordedStep) -> dict[str, KeptValue]:
        """Return the variables in scope at a step with their values, and the fields that were written until then.

        A variable without a value is left out.
        """
        at = bisect_left(self._numbers, step.first)
        written = dict(self._written[at // _BLOCK])
        _write(written, self.events[at - at % _BLOCK : at])
        found: dict[str, KeptValue] = {}
        for variable in self._in_scope(step):
            value = written.get((variable.slot, variable.name))
            if value is not None:
                found[variable.name] = value
        if not self._is_named:
            found.update({name: value for (slot, name), value in written.items() if slot >= 0})
        found.update({name: value for (slot, name), value in written.items() if slot < 0})
        return found

    @cached_property
    def _written(self) -> Sequence[_Written]:
        """Return what was written before every ``_BLOCK``-th event."""
        written: _Written = {}
        found: list[_Written] = [{}]
        for start in range(0, len(self.events), _BLOCK):
            _write(written, self.events[start : start + _BLOCK])
            found.append(dict(written))
        return found

    @property
    def _is_named(self) -> bool:
        return not any(each.name.startswith("slot") for each in self.method.variables)

    def _in_scope(self, step: RecordedStep) -> list[VariableScope]:
        return self.method.in_scope(step.at)

    def changes(self, step: RecordedStep) -> list[RecordedWrite]:
        """Return what the line of a step has written."""
        return [write for number, write in self.writes if step.first <= number <= step.last and write.step]

    def last(self, name: str, before: RecordedStep | None = None) -> list[RecordedWrite]:
        """Return the writes of a variable or field, the last one first; those before a step if one is given.

        A field is written as the program has it (``this.total``), or by its name alone.
        """
        end = before.first if before is not None else self.count
        return [
            write
            for number, write in reversed(self.writes)
            if number < end and (write.name == name or write.name.endswith(f".{name}"))
        ]

    def last_values(self) -> dict[str, KeptValue]:
        """Return arguments, variables and fields by name, as they were written last."""
        last: dict[str, tuple[int, int, int]] = {}
        for number, point_number, raw, _ in self._raw_events():
            point = self.method.points[point_number]
            if point.kind in ("store", "field", "argument"):
                last[point.name] = number, point_number, raw
        values = {name: self._event(*event).value for name, event in last.items()}
        return {name: value for name, value in values.items() if value is not None}

    @cached_property
    def arguments(self) -> Sequence[tuple[str, KeptValue]]:
        """Return the arguments as they were given, ``this`` first."""
        found = []
        for number, point_number, raw, _ in self._raw_events():
            event = self._event(number, point_number, raw)
            if event.point.kind != "argument":
                break
            if event.value is not None:
                found.append((event.point.name, event.value))
        return found

    @cached_property
    def result(self) -> KeptValue | None:
        """Return what was returned; None of a void method and where an exception has ended the call."""
        point, raw = self._raw_last()
        return self._event(self.count - 1, point, raw).value if point == RETURNED else None

    def _raw_last(self) -> tuple[int, int]:
        """Return point and value of the last event: how the call has ended."""
        number, half = self.count - 1, EVENTS // 2
        if number < 0:
            return THREW, 0
        place = number if number < EVENTS else half + number % half
        return self.data.data[HEAD + 2 * place], self.data.data[HEAD + 2 * place + 1]

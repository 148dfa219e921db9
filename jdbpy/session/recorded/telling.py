"""Recorded calls as the plain data of ``model.recorded``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from jdbpy.session.model.events import time_of
from jdbpy.session.model.recorded import (
    ComparedCalls,
    DifferingValue,
    FailedCallsDiffer,
    FailedCallsPart,
    KeptVariable,
    KeptWrite,
    RecordedCallInfo,
    RecordedPlace,
)
from jdbpy.session.recorded.call import RecordedCall, RecordedWrite
from jdbpy.session.recorded.comparing import CallComparison, FailedDifference, FailedParting, ValueDifference
from jdbpy.session.recorded.cursor import CallCursor
from jdbpy.session.recorded.kept_values import KeptValue


def variables_told(values: Mapping[str, KeptValue] | Iterable[tuple[str, KeptValue]]) -> tuple[KeptVariable, ...]:
    """Return values with their names."""
    return tuple(variable_told(name, value) for name, value in dict(values).items())


def variable_told(name: str, value: KeptValue) -> KeptVariable:
    """Return a value with its name, and its parts."""
    return KeptVariable(name, value.type, value.text, variables_told(value.parts) if value.parts else ())


def call_told(call: RecordedCall) -> RecordedCallInfo:
    """Return a call in short."""
    return RecordedCallInfo(
        number=call.number,
        class_name=call.method.class_name,
        method=call.method.method,
        thread=call.thread,
        time=time_of(call.at_time),
        cost=call.cost,
        arguments=variables_told(each for each in call.arguments if each[0] != "this"),
        result=call.result.text if call.result is not None else None,
        exception=call.exception.text if call.exception is not None else None,
        lines=call.line_count,
        left_out=call.left_out,
    )


def outcome_told(call: RecordedCall) -> str:
    """Return how a call has ended: ``returned 42``, ``threw java.lang.IllegalStateException: no``."""
    if call.exception is not None:
        return f"threw {call.exception.text}"
    return f"returned {call.result.text}" if call.result is not None else "returned"


def write_told(write: RecordedWrite) -> KeptWrite:
    """Return a write."""
    old = write.old.text if write.old is not None else None
    return KeptWrite(write.step, write.line, write.name, old, write.new.text, write.in_gap)


def place_told(cursor: CallCursor) -> RecordedPlace:
    """Return where one is in a call, and what the line before has done."""
    call, step = cursor.call, cursor.step
    before = call.steps[step.number - 2] if step.number > 1 and not step.left_out else None
    made = call.events_of(before) if before is not None else ()
    calls = [
        (each.point.name, each.value.text if each.value is not None else "", each.value)
        for each in made
        if each.point.kind == "call"
    ]
    return RecordedPlace(
        call=call.number,
        class_name=call.method.class_name,
        method=call.method.method,
        source=call.source,
        step=step.number,
        steps=len(call.steps),
        line=step.line,
        turn=step.turn,
        end=step.end,
        outcome=outcome_told(call) if step.end else "",
        left_out=step.left_out,
        changes=tuple(map(write_told, call.changes(before))) if before is not None else (),
        called=tuple(KeptVariable(name, value.type if value else "void", text) for name, text, value in calls),
    )


def _differing(values: Iterable[ValueDifference]) -> tuple[DifferingValue, ...]:
    return tuple(
        DifferingValue(
            each.name,
            each.one.text if each.one is not None else None,
            each.other.text if each.other is not None else None,
        )
        for each in values
    )


def comparison_told(one: RecordedCall, other: RecordedCall, found: CallComparison) -> ComparedCalls:
    """Return where two calls part."""
    return ComparedCalls(
        one=one.number,
        other=other.number,
        step=found.one.number if found.one is not None else None,
        line=found.one.line if found.one is not None else None,
        other_line=found.other.line if found.other is not None else None,
        values=_differing(found.values),
        first_line=found.first_step.line if found.first_step is not None else None,
        first_step=found.first_step.number if found.first_step is not None else None,
        first_values=_differing(found.first_values),
        outcomes=(outcome_told(one), outcome_told(other)),
    )


def differs_told(found: Iterable[FailedDifference]) -> tuple[FailedCallsDiffer, ...]:
    """Return what differs between calls that failed and those that did not."""
    return tuple(FailedCallsDiffer(each.what, each.failed, each.returned) for each in found)


def parting_told(found: FailedParting | None) -> FailedCallsPart | None:
    """Return where calls that failed leave the way of the others."""
    if found is None:
        return None
    return FailedCallsPart(
        line=found.line,
        failed_line=found.failed_line,
        other_line=found.other_line,
        calls=found.calls,
        failed=found.failed.number,
        other=found.other.number,
        values=_differing(found.values),
    )

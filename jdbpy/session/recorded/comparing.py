"""Compares recorded calls: where two calls diverge, and what distinguishes failed calls from the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from jdbpy.record import Record
from jdbpy.session.recorded.call import RecordedCall, RecordedStep
from jdbpy.session.recorded.kept_values import KeptValue


class ValueDifference(Record):
    """A name with its value in each of two calls; None if it has no value there."""

    name: str
    one: KeptValue | None
    other: KeptValue | None


class CallComparison(Record):
    """Two calls side by side: ``one`` and ``other`` are the steps at which they diverge, after the same lines.

    ``values`` are the values that differ at that step. ``first_values`` are the first values that differ at all, at
    the step ``first_step`` of both calls.
    """

    one: RecordedStep | None
    other: RecordedStep | None
    values: tuple[ValueDifference, ...]
    first_step: RecordedStep | None = None
    first_values: tuple[ValueDifference, ...] = ()

    @property
    def is_same(self) -> bool:
        """True if both calls execute the same lines and end the same way."""
        return self.one is None and self.other is None


def same_value(one: KeptValue | None, other: KeptValue | None) -> bool:
    """True if two values of different calls are equal; objects are compared by class, size and parts, not identity."""
    if one is None or other is None or one.kind != "object" or other.kind != "object":
        return one == other
    if (one.type, one.size, len(one.parts)) != (other.type, other.size, len(other.parts)):
        return False
    pairs = zip(one.parts, other.parts, strict=True)
    return all(a[0] == b[0] and same_value(a[1], b[1]) for a, b in pairs)


def differences(one: Mapping[str, KeptValue], other: Mapping[str, KeptValue]) -> tuple[ValueDifference, ...]:
    """Return the names whose values differ."""
    names = dict.fromkeys([*one, *other])
    return tuple(
        ValueDifference(name, one.get(name), other.get(name))
        for name in names
        if not same_value(one.get(name), other.get(name))
    )


def compare_calls(one: RecordedCall, other: RecordedCall) -> CallComparison:
    """Compare two calls of one method."""
    first_step, first_values = None, tuple[ValueDifference, ...]()
    for a, b in zip(one.steps, other.steps, strict=False):
        values = differences(one.values(a), other.values(b)) if not first_values else ()
        if values:
            first_step, first_values = a, values
        if (a.line, a.end, a.left_out) != (b.line, b.end, b.left_out):
            return CallComparison(a, b, differences(one.values(a), other.values(b)), first_step, first_values)
    return CallComparison(None, None, (), first_step, first_values)


class FailedDifference(Record):
    """A statement with the number of failed calls and of other calls for which it is true."""

    what: str
    failed: int
    returned: int


class FailedParting(Record):
    """The line after which failed calls take a path that no other call takes.

    ``calls`` failed calls go from there to ``failed_line``, other calls to ``other_line``; None if the call ends there.
    ``failed`` is one of those calls, ``other`` the call that shares the longest path with it.
    """

    line: int
    failed_line: int | None
    other_line: int | None
    calls: int
    failed: RecordedCall
    other: RecordedCall
    values: tuple[ValueDifference, ...]


_MOST_COMPARED = 50
"""How many calls of each kind are compared line by line: the most recent ones."""

_MOST_MARKED = 2_000
"""How many calls of each kind have their values compared: the most recent ones."""


def what_differs(
    failed: Sequence[RecordedCall], others: Sequence[RecordedCall], most: int = 12
) -> list[FailedDifference]:
    """Return what failed calls have in common and other calls do not, the clearest difference first.

    Compared are the lines reached, and the last values of arguments and variables: single values and ranges.
    """
    groups = [[each.last_values() for each in group[-_MOST_MARKED:]] for group in (failed, others)]
    if not groups[0] or not groups[1]:
        return []
    marked = [
        [_marks(call, last) for call, last in zip(group[-_MOST_MARKED:], values, strict=True)]
        for group, values in zip((failed, others), groups, strict=True)
    ]
    found = []
    for mark in dict.fromkeys(each for marks in marked[0] for each in sorted(marks)):
        of_failed, of_others = (sum(mark in marks for marks in group) for group in marked)
        difference = of_failed / len(marked[0]) - of_others / len(marked[1])
        if difference > 0.3 and (of_failed > 1 or len(marked[0]) == 1):
            found.append((-difference, len(mark), FailedDifference(mark, of_failed, of_others)))
    for mark, inside in _ranges(groups[0], groups[1]):
        if (difference := 1 - inside / len(groups[1])) > 0.3:
            found.append((-difference, len(mark), FailedDifference(mark, len(groups[0]), inside)))
    found.sort(key=lambda each: each[:2])
    return [each for *_, each in found[:most]]


def _marks(call: RecordedCall, last: Mapping[str, KeptValue]) -> set[str]:
    marks = {f"line {step.line} reached" for step in call.steps if not step.end and step.line}
    for name, value in last.items():
        if value.kind == "object":
            marks.add(
                f"{name} is a {value.type.rpartition('.')[2]}" + (f" of size {value.size}" if value.size >= 0 else "")
            )
        else:
            marks.add(f"{name} == {value.text}")
    return marks


def _ranges(
    failed: Sequence[Mapping[str, KeptValue]], others: Sequence[Mapping[str, KeptValue]]
) -> Iterator[tuple[str, int]]:
    """Yield, for each numeric variable, a bound that holds in all failed calls, and the number of other calls in which
    it holds. Of the lower and the upper bound, the one that holds in fewer other calls is used."""
    for name in failed[0]:
        both = [[_number(each.get(name)) for each in group] for group in (failed, others)]
        bad = [each for each in both[0] if each is not None]
        good = [each for each in both[1] if each is not None]
        if len(bad) < len(both[0]) or len(set(bad)) < 2 or not good:
            continue
        above, below = sum(each >= min(bad) for each in good), sum(each <= max(bad) for each in good)
        yield (f"{name} >= {min(bad)}", above) if above <= below else (f"{name} <= {max(bad)}", below)


def _number(value: KeptValue | None) -> int | float | None:
    raw = value.raw if value is not None and value.kind in ("primitive", "box") else None
    return raw if isinstance(raw, int | float) and not isinstance(raw, bool) and raw == raw else None


class _CallPath:
    """A node in the tree of executed lines: one call that reaches it, and the nodes that follow."""

    def __init__(self, call: RecordedCall) -> None:
        self.call = call
        self.next: dict[int, _CallPath] = {}


def where_they_part(failed: Sequence[RecordedCall], others: Sequence[RecordedCall]) -> FailedParting | None:
    """Return where most failed calls diverge from all other calls, or None if no failed call does."""
    if not failed or not others:
        return None
    others = others[-_MOST_COMPARED:]
    start = _CallPath(others[-1])
    for call in reversed(others):
        way = start
        for line in _way(call):
            way = way.next.setdefault(line, _CallPath(call))
    found: dict[tuple[int, int], list[tuple[int, RecordedCall, _CallPath]]] = {}
    for call in failed[-_MOST_COMPARED:]:
        way, before = start, 0
        for at, line in enumerate(_way(call)):
            if line not in way.next:
                found.setdefault((before, line), []).append((at, call, way))
                break
            way, before = way.next[line], line
    if not found:
        return None
    (before, line), calls = max(found.items(), key=lambda each: len(each[1]))
    at, call, way = min(calls, key=lambda each: each[0])
    other_line = next(iter(way.next), 0)
    values = differences(call.values(call.steps[at]), way.call.values(way.call.steps[at]))
    return FailedParting(before, _line(line), _line(other_line), len(calls), call, way.call, values)


def _line(number: int) -> int | None:
    return number if number > 0 else None


def _way(call: RecordedCall) -> list[int]:
    """Return the executed lines of a call in order, followed by 0 for a return or -1 for an exception."""
    return [each.line if not each.end else -1 if call.failed else 0 for each in call.steps]

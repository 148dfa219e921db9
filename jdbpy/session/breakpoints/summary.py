"""From the hit statistics of a point to its summary: names for methods, texts for values.

Owns the wording of what was counted. Values are described when they are asked for; an object may be gone by then.
"""

from __future__ import annotations

from jdbpy.errors import JdwpError
from jdbpy.session.breakpoints.breakpoint_base import BreakpointBase
from jdbpy.session.breakpoints.hit_statistics import HitStatisticsRow, Key, Method
from jdbpy.session.concurrency import both
from jdbpy.session.events.target import Target
from jdbpy.session.model.tracing import MethodTally, TraceSummary, ValueCount
from jdbpy.session.model.values import Limits
from jdbpy.session.model.words import HAPPENED
from jdbpy.session.values.describe import describe
from jdbpy.wire.event_parts import value_of
from jdbpy.wire.ids import ReferenceTypeID, TaggedValue


async def summarize(target: Target, point: BreakpointBase, most: int, most_values: int) -> TraceSummary:
    """Return the summary of a point, with so many methods and so many values of each. wire: 2 trips or 3, 0 when
    known."""
    hit_statistics, rate_limiter = point.hit_statistics, point.rate_limiter
    rows = [
        (kind, method, row) for kind, found in hit_statistics.rows.items() for method, row in found.items() if row.count
    ]
    rows.sort(key=lambda each: -each[2].count)
    listed = rows[:most]
    names, texts = await both(
        lambda: _names(target, {method for _, method, _ in listed}),
        lambda: _values(target, [row for _, _, row in listed], most_values),
    )
    seconds = rate_limiter.seconds
    methods = [
        MethodTally(
            *names[method],
            HAPPENED.get(kind, kind.name.lower()),
            row.count,
            row.count / seconds if seconds else 0.0,
            values,
            len(_merged(row)),
            row.forgot,
        )
        for (kind, method, row), values in zip(listed, texts, strict=True)
    ]
    return TraceSummary(
        point.number,
        point.called.rpartition(" ")[0],
        point.shown_spec,
        point.enabled,
        point.hits,
        seconds,
        point.hits / seconds if seconds else 0.0,
        rate_limiter.cost,
        tuple(methods),
        hit_statistics.others + sum(row.count for _, _, row in rows[most:]),
        rate_limiter.slowdown,
    )


async def _names(target: Target, methods: set[Method]) -> dict[Method, tuple[str, str, str, tuple[str, ...]]]:
    """Class, name, signature and types of parameters; question marks for a class that was unloaded."""
    ids = [ReferenceTypeID(type_id) for type_id in dict.fromkeys(type_id for type_id, _ in methods)]
    try:
        types, declared = await both(lambda: target.types.info(ids), lambda: target.types.methods(ids))
    except JdwpError:
        types, declared = {}, {}
    found = {}
    for type_id, method_id in methods:
        known = types.get(ReferenceTypeID(type_id))
        method = next((each for each in declared.get(ReferenceTypeID(type_id), ()) if each.id == method_id), None)
        found[type_id, method_id] = (
            known.name if known else "?",
            method.name if method else "?",
            method.signature if method else "",
            method.parameters if method else (),
        )
    return found


async def _values(target: Target, rows: list[HitStatisticsRow], most: int) -> list[tuple[ValueCount, ...]]:
    """Return the most frequent values of each row."""
    chosen = [sorted(_merged(row).items(), key=lambda item: -item[1])[:most] for row in rows]
    values = [value for row in chosen for value, _ in row if isinstance(value, TaggedValue)]
    classes = [ReferenceTypeID(value) for row in chosen for value, _ in row if isinstance(value, int)]
    described, known = await both(lambda: describe(target, values, Limits(depth=0)), lambda: _classes(target, classes))
    texts = iter(described)

    def text(value: TaggedValue | int) -> str:
        return known.get(ReferenceTypeID(value), "?") if isinstance(value, int) else next(texts).text

    return [tuple(ValueCount(text(value), count) for value, count in row) for row in chosen]


async def _classes(target: Target, ids: list[ReferenceTypeID]) -> dict[ReferenceTypeID, str]:
    try:
        return {type_id: known.name for type_id, known in (await target.types.info(ids)).items()}
    except JdwpError:
        return {}


def _merged(row: HitStatisticsRow) -> dict[TaggedValue | int, int]:
    """Return the values with their counts, those that were taken from bytes and the others together."""
    merged: dict[TaggedValue | int, int] = {}
    for key, count in row.values.items():
        value = _decoded(key)
        merged[value] = merged.get(value, 0) + count
    return merged


def _decoded(key: Key) -> TaggedValue | int:
    return value_of(key) if isinstance(key, bytes) else key

"""Summaries of traces as plain text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from jdbpy import tracing
from jdbpy.cli.plain.text import count, table
from jdbpy.cli.results.tracing import TraceSummaries
from jdbpy.cli.settings import Settings
from jdbpy.escape import escape


def summaries(result: TraceSummaries, settings: Settings) -> Iterator[str]:
    if not result.summaries:
        yield "nothing reports; 'trace go methods from CLASS' or 'logpoint PLACE \"TEXT\"' begins it"
    for each in result.summaries:
        yield from _summary(each)


def _summary(result: tracing.TraceSummary) -> Iterator[str]:
    off = "" if result.enabled else " (switched off)"
    pace = f" in {result.seconds:.1f} s, {_rate(result.rate)} a second" if result.seconds else ""
    cost = f", {result.cost * 1e6:,.1f} µs of the debugger's time each" if result.cost else ""
    yield f"{escape(result.name)} {result.number}, {escape(result.spec)}{off}: {count(result.hits, 'hit')}{pace}{cost}"
    if not result.methods:
        return
    rows = [(f"{'hits':>12}", f"{'a second':>10}", "", "method", "values")]
    rows += [
        (f"{each.count:>12,}", f"{_rate(each.rate):>10}", each.happened, _method(each), _values(each))
        for each in result.methods
    ]
    yield from table(rows)
    if result.others:
        yield f"{result.others:>12,}  in other methods; 'trace summary {result.number} -n 100' shows more"


def _method(each: tracing.MethodTally) -> str:
    types = ",".join(name.rpartition(".")[2] if "..." not in name else name for name in each.parameters)
    return f"{each.class_name}.{each.method}({types})"


def _values(each: tracing.MethodTally) -> str:
    if not each.values:
        return ""
    shown = ", ".join(f"{value.text} ({value.count:,})" for value in each.values)
    if each.forgot:
        return f"more than {each.distinct:,} different, most often {shown}"
    return f"{each.distinct:,} different, most often {shown}" if each.distinct > len(each.values) else shown


def _rate(rate: float) -> str:
    return f"{rate:,.0f}" if rate >= 10 else f"{rate:.1f}"


LINES: dict[type, Callable[[Any, Settings], Iterator[str]]] = {TraceSummaries: summaries}

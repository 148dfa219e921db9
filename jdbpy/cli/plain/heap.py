"""The heap's answers as plain text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from jdbpy import heap
from jdbpy.cli.plain.text import count, table, value_text
from jdbpy.cli.results.heap import Memory, ObjectSize, Referrers
from jdbpy.cli.settings import Settings
from jdbpy.escape import escape


def instances(result: heap.Instances, settings: Settings) -> Iterator[str]:
    yield f"{count(result.total, 'instance')} of {escape(result.class_name)}"
    yield from table([(f"  @{value.id}", value_text(value)) for value in result.values])
    if result.total > len(result.values):
        yield f"  ... {result.total - len(result.values)} more; -n shows more"


def histogram(result: heap.Histogram, settings: Settings) -> Iterator[str]:
    with_bytes = result.bytes is not None
    rows = [(f"{'instances':>12}", *([f"{'bytes':>14}"] if with_bytes else []), "class")]
    for each in result.classes:
        size = [f"{each.bytes or 0:>14,}"] if with_bytes else []
        rows.append((f"{each.count:>12,}", *size, each.class_name))
    yield from table(rows)
    more = f" and {count(result.left_out, 'class', 'classes')} more" if result.left_out else ""
    size_text = f", {result.bytes:,} bytes" if result.bytes is not None else ""
    yield f"{result.total:,} instances in all{size_text}{more}"


def referrers(result: Referrers, settings: Settings) -> Iterator[str]:
    if not result.referrers:
        yield f"nothing in the heap refers to {escape(result.expression)}; a thread's stack may"
        return
    rows = [(f"  @{each.value.id}", value_text(each.value), _how(each.how)) for each in result.referrers]
    yield f"{escape(result.expression)} is held by {count(len(rows), 'object')}:"
    yield from table(rows)


def path(result: heap.HeapPath, settings: Settings) -> Iterator[str]:
    if result.root:
        yield escape(result.root)
        for depth, step in enumerate(result.steps):
            yield f"{'  ' * (depth + 1)}-> {value_text(step.value)} {escape(step.how)}".rstrip()
    else:
        yield f"no path was found: {escape(result.note)}"
    yield f"  ({count(result.searched, 'object')} searched)"


def memory(result: Memory, settings: Settings) -> Iterator[str]:
    rows = [("", f"{'used':>10}", f"{'committed':>10}", f"{'maximum':>10}")]
    rows += [
        (area.name, _mib(area.used), _mib(area.committed), _mib(area.maximum))
        for area in result.areas
        if area.kind != "collector"
    ]
    yield from table(rows)
    for area in result.areas:
        if area.kind == "collector":
            yield f"{escape(area.name)}: {count(area.collections or 0, 'collection')}, {area.milliseconds} ms"


def object_size(result: ObjectSize, settings: Settings) -> Iterator[str]:
    if result.bytes is not None:
        size = count(result.bytes, "byte")
        yield f"{escape(result.expression)}: {size} ({escape(result.type)}), without what it holds"
    else:
        yield f"{escape(result.expression)}: {escape(result.type)} of {count(result.length or 0, 'element')}"


def _how(places: tuple[str, ...]) -> str:
    return ", ".join(places) if places else "(inside the VM)"


def _mib(size: int | None) -> str:
    return f"{'-':>10}" if size is None else f"{size / 2**20:>8.1f} M"


LINES: dict[type, Callable[[Any, Settings], Iterator[str]]] = {
    heap.Instances: instances,
    heap.Histogram: histogram,
    heap.HeapPath: path,
    Referrers: referrers,
    Memory: memory,
    ObjectSize: object_size,
}

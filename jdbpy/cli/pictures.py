"""Pictures of what commands have found, written to files: stacks, calls, instances."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated

from jdbpy import Notice, Session, calls, heap, threads
from jdbpy.cli.arguments.base import FileName, Option
from jdbpy.drawing.charts import bars
from jdbpy.drawing.stacks import WeightedStacks
from jdbpy.drawing.units import BYTES, NANOS, OBJECTS
from jdbpy.profiles.files import write, write_text

Svg = Annotated[str, Option("--svg", argument=FileName(), help="a picture of it, written to this file")]
"""The option of commands that draw."""

_BARS = 40
"""The most bars of a picture."""


def draw_stacks(session: Session, groups: Iterable[threads.EqualStacks], path: str) -> None:
    """Write a flame graph of the stacks of threads: a frame is as wide as the threads that are in it."""
    stacks = WeightedStacks(None, "threads", "stacks of all threads")
    for group in groups:
        frames = [f"{frame.location.class_name}.{frame.location.method}" for frame in reversed(group.frames)]
        stacks.add(tuple(frames) or ("[no Java frames]",), len(group.threads))
    _written(session, write(stacks, path))


def draw_trees(session: Session, trees: Iterable[calls.CallTree], path: str) -> None:
    """Write a flame graph of calls: a method is as wide as its time."""
    stacks = WeightedStacks(None, NANOS, "calls")

    def add(path: tuple[str, ...], total: float, nodes: Sequence[calls.CallNode]) -> None:
        stacks.add(path, max(0, round((total - sum(node.total for node in nodes)) * 1e9)))
        for node in nodes:
            add((*path, f"{node.class_name}.{node.method}"), node.total, node.children)

    for tree in trees:
        add((f"{tree.class_name}.{tree.method}",), tree.total, tree.children)
    _written(session, write(stacks, path))


def draw_statistics(session: Session, found: calls.CallStatistics, path: str) -> None:
    """Write bars: for each method the time of all its calls."""
    rows = [(f"{each.class_name}.{each.method}", each.total * 1e9) for each in found.methods[:_BARS]]
    title = f"time of calls by method, in {found.seconds:.1f} s"
    _written(session, write_text(bars(rows, NANOS, title), path))


def draw_histogram(session: Session, found: heap.ClassHistogram, path: str) -> None:
    """Write bars: for each class its instances, or their bytes."""
    by_bytes = any(each.bytes is not None for each in found.classes)
    rows = [(each.class_name, float(each.bytes or 0 if by_bytes else each.count)) for each in found.classes[:_BARS]]
    title = f"{'bytes' if by_bytes else 'instances'} by class"
    _written(session, write_text(bars(rows, BYTES if by_bytes else OBJECTS, title), path))


def _written(session: Session, path: str) -> None:
    session.publish(Notice("picture", f"written: {path}"))

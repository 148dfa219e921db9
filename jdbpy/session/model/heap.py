"""Plain data about the heap, for front ends."""

from __future__ import annotations

from typing import Annotated

from jdbpy.json_form import HIDDEN, Inline, Json
from jdbpy.record import Record
from jdbpy.session.model.threads import FrameInfo, ThreadRef
from jdbpy.session.model.values import ValueInfo


class Instances(Record):
    """Reachable instances of a class (not of its subclasses): ``total`` of them, the first ones in ``values``."""

    class_name: Annotated[str, Json(key="class")]
    total: int
    values: Annotated[tuple[ValueInfo, ...], Json("the first ones", "instances")]


class ClassCount(Record):
    """The number of reachable instances of a class. ``bytes`` only where the target's own histogram was asked."""

    class_name: Annotated[str, Json(key="class")]
    id: Annotated[int, HIDDEN]
    count: int
    bytes: int | None = None


class ClassHistogram(Record):
    """Instances by class, the most numerous first; ``total`` counts the instances of all classes that fit."""

    json_name = "histogram"

    classes: Annotated[tuple[ClassCount, ...], "the most numerous first"]
    total: Annotated[int, "instances of all classes that fit"]
    left_out: Annotated[int, Json("classes beyond the limit", optional=False)] = 0
    bytes: Annotated[int | None, "of all instances, with --bytes"] = None


class Referrer(Record):
    """An object that refers to another; ``how`` names the places: ``.next``, ``[3]``, ``static CACHE``, or "" when
    it is a reference that no field or element shows (a class to its loader, a thread to its locals)."""

    value: Annotated[ValueInfo, Inline((("changed", HIDDEN), ("number", HIDDEN)))]
    how: Annotated[tuple[str, ...], "the places that hold the reference; none where it is inside the VM"]


class StackRoot(Record):
    """A variable of a stopped thread that holds an object."""

    thread: ThreadRef
    frame: FrameInfo
    variable: str


class PathStep(Record):
    """One link of a path: the object, and the place in it that holds the next one."""

    value: Annotated[ValueInfo, Inline((("changed", HIDDEN), ("number", HIDDEN)))]
    how: Annotated[str, Json("the place in it that holds the next one", optional=True)]


class HeapPath(Record):
    """A shortest chain of references to an object.

    ``root`` says where it starts ("static com.acme.Cache.INSTANCE", "local order of frame 2, thread main"), ``steps``
    lead from there to the object itself, which is the last one. ``root`` is empty when none was found; ``searched``
    counts the objects whose referrers were asked for.
    """

    json_name = "path"

    root: Annotated[str, "where it begins; empty when none was found"]
    steps: Annotated[tuple[PathStep, ...], "from the root's object to the object itself"]
    searched: Annotated[int, "objects whose referrers were asked for"]
    note: str = ""


class MemoryArea(Record):
    """A part of the target's memory, in bytes; ``maximum`` is None where it has none."""

    name: str
    kind: Annotated[str, "heap, non-heap, pool or collector"]
    used: int
    committed: int
    maximum: Annotated[int | None, "null where there is none"]
    collections: Annotated[int | None, "of a collector: how often, and"] = None
    milliseconds: Annotated[int | None, "time spent collecting"] = None

"""Plain data about the heap, for front ends."""

from __future__ import annotations

from jdbpy.record import Record
from jdbpy.session.model import Frame, ThreadRef, Value


class Instances(Record):
    """Reachable instances of a class (not of its subclasses): ``total`` of them, the first ones in ``values``."""

    class_name: str
    total: int
    values: tuple[Value, ...]


class ClassCount(Record):
    """How many reachable instances a class has. ``bytes`` only where the target's own histogram was asked."""

    class_name: str
    id: int
    count: int
    bytes: int | None = None


class Histogram(Record):
    """Instances by class, the most numerous first; ``total`` counts the instances of all classes that fit."""

    classes: tuple[ClassCount, ...]
    total: int
    left_out: int = 0  # classes beyond the limit
    bytes: int | None = None


class Referrer(Record):
    """An object that refers to another; ``how`` names the places: ``.next``, ``[3]``, ``static CACHE``, or "" when
    it is a reference that no field or element shows (a class to its loader, a thread to its locals)."""

    value: Value
    how: tuple[str, ...]


class StackRoot(Record):
    """A variable of a stopped thread that holds an object."""

    thread: ThreadRef
    frame: Frame
    variable: str


class PathStep(Record):
    """One link of a path: the object, and the place in it that holds the next one."""

    value: Value
    how: str


class HeapPath(Record):
    """A shortest chain of references to an object.

    ``root`` says where it starts ("static com.acme.Cache.INSTANCE", "local order of frame 2, thread main"), ``steps``
    lead from there to the object itself, which is the last one. ``root`` is empty when none was found; ``searched``
    counts the objects whose referrers were asked for.
    """

    root: str
    steps: tuple[PathStep, ...]
    searched: int
    note: str = ""


class MemoryArea(Record):
    """A part of the target's memory, in bytes; ``maximum`` is None where it has none."""

    name: str
    kind: str  # "heap", "non-heap", "pool" or "collector"
    used: int
    committed: int
    maximum: int | None
    collections: int | None = None  # of a collector: how often, and
    milliseconds: int | None = None  # how long in all

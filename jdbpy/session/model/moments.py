"""A JVM at one moment, as far as it can be compared with another, or with itself later; and what differs.

Pure. ``compare`` says what differs of what both have.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Annotated, TypeVar

from jdbpy.json_form import Json
from jdbpy.record import Record

T = TypeVar("T")

SECTIONS = ("threads", "classes", "properties", "flags", "histogram")
DEFAULT = SECTIONS[:4]
"""Without the histogram, for which the JVM walks through its heap."""


class StackCount(Record):
    """The number of threads that have a stack."""

    frames: Annotated[tuple[str, ...], "the innermost first: `com.acme.Order.total (Order.java:42)`"]
    threads: Annotated[tuple[str, ...], "their names"]


class ClassVersion(Record):
    """A loaded class. ``checksum`` is over its constant pool, methods and bytecode; "" for a class of the JDK."""

    name: str
    checksum: str


class Moment(Record):
    """A JVM at one moment. What was not asked for, or could not be read, is None; ``missing`` says why."""

    address: str
    vm: str
    java: str
    taken: Annotated[float, "seconds since 1970"]
    threads: tuple[StackCount, ...] | None = None
    classes: tuple[ClassVersion, ...] | None = None
    properties: Mapping[str, str] | None = None
    flags: Mapping[str, str] | None = None
    histogram: Annotated[Mapping[str, int] | None, "instances by class"] = None
    missing: Annotated[Mapping[str, str], "what could not be read, and why"] = {}


class StackDifference(Record):
    """A stack that another number of threads has."""

    frames: tuple[str, ...]
    first: Annotated[int, "threads that have it in the first"]
    second: Annotated[int, "in the second"]
    threads: Annotated[tuple[str, ...], "names of threads that have it, of the one that has more"]


class CountDifference(Record):
    """A class of which there are more instances in one."""

    class_name: Annotated[str, Json(key="class")]
    first: int
    second: int


class ClassDifference(Record):
    """A class that only one has loaded, or that has other code in each."""

    name: str
    how: Annotated[str, "first, second: only there; code: in both, with other code"]


class TextDifference(Record):
    """A property or a flag that differs; null where there is none."""

    name: str
    first: str | None
    second: str | None


class Difference(Record):
    """The difference between two moments. A section that one of them has not is in ``missing``."""

    first: str
    second: str
    threads: tuple[StackDifference, ...] = ()
    classes: tuple[ClassDifference, ...] = ()
    properties: tuple[TextDifference, ...] = ()
    flags: tuple[TextDifference, ...] = ()
    histogram: Annotated[tuple[CountDifference, ...], "the largest differences first"] = ()
    compared: Annotated[tuple[str, ...], "the sections that both have"] = ()
    missing: Annotated[Mapping[str, str], "what is not compared, and why"] = {}


def compare(first: Moment, second: Moment, names: tuple[str, str] = ("", "")) -> Difference:
    """Return what differs; ``names`` are what the two are called, by default their addresses."""
    missing: dict[str, str] = {}

    def both(section: str, one: T | None, other: T | None) -> tuple[T, T] | None:
        if one is not None and other is not None:
            return one, other
        absent = [
            f"{name}: {why}" if (why := moment.missing.get(section)) else f"{name} has none"
            for name, moment, found in zip(called, (first, second), (one, other), strict=True)
            if found is None
        ]
        if len(absent) == 1 or section in first.missing or section in second.missing:
            missing[section] = "; ".join(absent)
        return None

    called = (names[0] or first.address, names[1] or second.address)
    threads = both("threads", first.threads, second.threads)
    classes = both("classes", first.classes, second.classes)
    properties = both("properties", first.properties, second.properties)
    flags = both("flags", first.flags, second.flags)
    histogram = both("histogram", first.histogram, second.histogram)
    sections = {
        "threads": threads,
        "classes": classes,
        "properties": properties,
        "flags": flags,
        "histogram": histogram,
    }
    return Difference(
        *called,
        threads=_stacks(*threads) if threads else (),
        classes=_classes(*classes) if classes else (),
        properties=_texts(*properties) if properties else (),
        flags=_texts(*flags) if flags else (),
        histogram=_counts(*histogram) if histogram else (),
        compared=tuple(name for name, found in sections.items() if found),
        missing=missing,
    )


def _stacks(first: Iterable[StackCount], second: Iterable[StackCount]) -> tuple[StackDifference, ...]:
    before, after = ({each.frames: each.threads for each in stacks} for stacks in (first, second))
    found = []
    for frames in dict.fromkeys([*before, *after]):
        one, other = before.get(frames, ()), after.get(frames, ())
        if len(one) != len(other):
            names = tuple((Counter(other) - Counter(one)) or (Counter(one) - Counter(other)))
            found.append(StackDifference(frames, len(one), len(other), names))
    return tuple(sorted(found, key=lambda each: -abs(each.second - each.first)))


def _classes(first: Iterable[ClassVersion], second: Iterable[ClassVersion]) -> tuple[ClassDifference, ...]:
    def versions(classes: Iterable[ClassVersion]) -> dict[str, set[str]]:
        by_name: dict[str, set[str]] = {}
        for each in classes:
            by_name.setdefault(each.name, set()).add(each.checksum)
        return by_name

    before, after = versions(first), versions(second)
    return tuple(
        ClassDifference(name, "second" if name not in before else "first" if name not in after else "code")
        for name in sorted({*before, *after})
        if before.get(name) != after.get(name)
    )


def _texts(first: Mapping[str, str], second: Mapping[str, str]) -> tuple[TextDifference, ...]:
    return tuple(
        TextDifference(name, first.get(name), second.get(name))
        for name in sorted({*first, *second})
        if first.get(name) != second.get(name)
    )


def _counts(first: Mapping[str, int], second: Mapping[str, int]) -> tuple[CountDifference, ...]:
    found = (CountDifference(name, first.get(name, 0), second.get(name, 0)) for name in {*first, *second})
    differing = (each for each in found if each.first != each.second)
    return tuple(sorted(differing, key=lambda each: (-abs(each.second - each.first), each.class_name)))

"""Breakpoints that wait for the same classes, and how the agent is asked to tell of these.

Owns which names, patterns and files catch the classes that a place may be in. It sets nothing in the target.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import trio

from jdbpy.session.breakpoints.breakpoint import LogicalBreakpoint
from jdbpy.session.breakpoints.location_spec import ClassLine, FileLine, MethodPlace
from jdbpy.session.breakpoints.places import AbsoluteSpec
from jdbpy.session.local_classes import LocalClasses
from jdbpy.session.requests import EventRequest
from jdbpy.session.types.class_names import ClassName, enclosing, none_loaded, not_loaded, similar
from jdbpy.session.types.refs import RefType
from jdbpy.session.types.signatures import signature_of
from jdbpy.wire.messages import event_request


class ClassGroup:
    """Breakpoints whose classes are found in the same way: those of one class name, or of one file.

    They share the requests that tell of classes prepared later (``watches``, by their pattern), and what a listing of
    all classes has shown: ``types``, None while that is not known; ``missing`` is what they wait for if there are none.
    A class that is prepared voids it. ``spec`` is the place of one of them.
    """

    def __init__(self, spec: AbsoluteSpec) -> None:
        self.spec = spec
        self.points: dict[LogicalBreakpoint, None] = {}
        self.watches: dict[str, EventRequest] = {}
        self.types: Sequence[RefType] | None = None
        self.missing = ""
        self.stale = False
        self.was_known = False
        self.lock = trio.Lock()

    def forget(self) -> None:
        self.types, self.stale = None, True


def group_key(spec: AbsoluteSpec) -> Any:
    """Return what decides which classes a place may be in."""
    if isinstance(spec, FileLine):
        return spec.directory, spec.file
    return type(spec), spec.class_name


def what_is_missing(spec: AbsoluteSpec, loaded: Iterable[RefType], local: LocalClasses) -> str:
    """Return why a breakpoint is pending, with what may have been meant instead: a slip would keep it pending.

    ``local`` has the classes that are not loaded yet, as far as they are known: one of the name is the one meant.
    """
    if isinstance(spec, FileLine):
        return none_loaded(f"of {spec.file}")
    assert spec.class_name is not None
    name = spec.class_name.text
    if spec.class_name.is_pattern:
        return none_loaded(name)
    if local.has(spec.class_name):
        return not_loaded([name])
    near = similar(name, (each.name for each in loaded if not each.is_array)) or local.near(name)
    return not_loaded([name], near)


def is_the_one(spec: AbsoluteSpec, types: Sequence[RefType]) -> bool:
    """True if the place ought to be in one of the types, not merely in something that has a similar name."""
    if isinstance(spec, FileLine):
        return True
    assert spec.class_name is not None
    name = spec.class_name
    return not name.is_pattern and any(name.is_name_of(each) for known in types for each in enclosing(known.name))


def signatures_of(spec: AbsoluteSpec) -> list[str]:
    """Signatures that name all the types there can be; none when only a listing of all classes tells."""
    if isinstance(spec, MethodPlace) and spec.class_name is not None and spec.class_name.is_full:
        return [signature_of(name) for name in spec.class_name.spellings()]
    return []


def watches_of(spec: AbsoluteSpec) -> dict[str, Any]:
    """Modifiers of the requests that tell when a class is prepared which may have the place, by a label."""
    if isinstance(spec, FileLine):
        return {f"source {spec.file}": event_request.SourceNameMatch(spec.file)}
    assert spec.class_name is not None
    watches = class_watches(spec.class_name, nested=isinstance(spec, ClassLine))
    if isinstance(spec, ClassLine) and not spec.class_name.is_full and not spec.class_name.text.endswith("*"):
        # Classes inside one of which only the end of the name is known: no pattern of names catches them.
        pattern = spec.class_name.source_pattern
        watches[f"source {pattern}"] = event_request.SourceNameMatch(pattern)
    return watches


def class_watches(name: ClassName, *, nested: bool) -> dict[str, Any]:
    return {pattern: event_request.ClassMatch(pattern) for pattern in name.prepare_patterns(nested=nested)}

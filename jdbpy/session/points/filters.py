"""What the events of a point are limited to, as modifiers of its requests: the agent passes over all others itself.

Modifiers of one request must all hold, so a point that is for several class patterns has a request for each. An event
that fits more than one of them would be reported by each; ``Share.earlier`` tells whose it is.
"""

from __future__ import annotations

from typing import Any

from jdbpy.errors import UsageError
from jdbpy.record import Record
from jdbpy.session.execution.excludes import check, matches
from jdbpy.session.points.options import PointOptions
from jdbpy.session.types.cache import TypeCache
from jdbpy.session.types.class_names import parse_class_name
from jdbpy.wire.ids import ObjectID, ReferenceTypeID, ThreadID
from jdbpy.wire.messages import event_request

THREAD = frozenset(("thread",))
CLASSES = frozenset(("classes", "excludes"))
CONDITION = frozenset(("condition", "callers"))
EVERY = THREAD | CLASSES | CONDITION | {"instance"}

_WORDS = {
    "thread": "limited to a thread",
    "instance": "limited to an object",
    "classes": "limited to classes",
    "excludes": "limited to classes",
    "condition": "given a condition: there is no frame to evaluate it in",
    "callers": "limited to callers: there is no stack",
}


class Share(Record):
    """The modifiers of one request of a point, and the class patterns whose events an earlier request reports."""

    modifiers: tuple[Any, ...]
    earlier: tuple[str, ...] = ()


def require_fitting(options: PointOptions, allowed: frozenset[str], what: str) -> None:
    """Raises UsageError for a filter that the agent does not know for such events (``eventFilter.c``)."""
    for name, words in _WORDS.items():
        if getattr(options, name) and name not in allowed:
            raise UsageError(f"{what} cannot be {words}")


async def shares(types: TypeCache, options: PointOptions) -> list[Share]:
    """The requests that the filters make, at least one. Raises UsageError. wire: 1 trip for ``Order+``, else none."""
    common: list[Any] = []
    if options.thread is not None:
        common.append(event_request.ThreadOnly(ThreadID(ObjectID(options.thread))))
    if options.instance is not None:
        common.append(event_request.InstanceOnly(ObjectID(options.instance)))
    common += [event_request.ClassExclude(pattern) for pattern in check(options.excludes)]
    if not options.classes:
        return [Share(tuple(common))]
    own = [modifier for pattern in options.classes for modifier in await _class_modifiers(types, pattern)]
    return [
        Share((*common, modifier), tuple(pattern for pattern, _ in own[:index]))
        for index, (_, modifier) in enumerate(own)
    ]


async def fits_any(types: TypeCache, patterns: tuple[str, ...], type_id: ReferenceTypeID) -> bool:
    """Whether a class fits one of the patterns. wire: 1 trip for a new class, and 1 a superclass for ``Order+``."""
    if not patterns or not type_id:
        return False
    known = (await types.info([type_id])).get(type_id)
    if known is None:
        return False
    names = {known.name}
    above = {each.name for each in await types.ancestors(type_id)} if any(map(_with_subclasses, patterns)) else set()
    return any(
        pattern[:-1] in names | above if _with_subclasses(pattern) else matches(pattern, known.name)
        for pattern in patterns
    )


async def _class_modifiers(types: TypeCache, pattern: str) -> list[tuple[str, Any]]:
    if not _with_subclasses(pattern):
        [checked] = check([pattern])
        return [(checked, event_request.ClassMatch(checked))]
    name = parse_class_name(pattern[:-1])
    await types.all_classes()
    chosen = name.choose(each.name for each in types.all_known() if not each.is_array)
    found = [each for each in types.all_known() if each.name in chosen]
    if name.is_pattern or not found:
        raise UsageError(
            f"no class {name.text} is loaded, whose subclasses could be told",
            hint="a pattern like com.acme.* may be for classes that are loaded later",
            code="NO_SUCH_CLASS",
        )
    return [(f"{each.name}+", event_request.ClassOnly(each.id)) for each in found]


def _with_subclasses(pattern: str) -> bool:
    return pattern.endswith("+")

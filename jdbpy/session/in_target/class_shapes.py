"""What a target tells of its classes for source that makes their objects (``recorded.shapes``)."""

from __future__ import annotations

from collections.abc import Iterable

from jdbpy.errors import Disconnected, JdbpyError
from jdbpy.session.events.target import Target
from jdbpy.session.java.signatures import signature_of
from jdbpy.session.jvm import facts
from jdbpy.session.jvm.refs import Field, Method, RefType
from jdbpy.session.recorded.shapes import ShapeMember, SourceShape

_MOST_CLASSES = 200


async def class_shapes(target: Target, names: Iterable[str]) -> dict[str, SourceShape]:
    """Return the classes of the target with these names, as far as they are there. wire: 1 trip, 2 for each level of
    superclasses."""
    wanted = list(dict.fromkeys(names))[:_MOST_CLASSES]
    try:
        found = await target.types.by_signatures([signature_of(each) for each in wanted])
        return {types[0].name: await _shape(target, types[0]) for types in found.values() if types}
    except Disconnected:
        raise
    except JdbpyError:  # a snapshot, in which this was not kept, or a class that was unloaded
        return {}


async def _shape(target: Target, type_: RefType) -> SourceShape:
    types = target.types
    above = (await types.superclasses([type_.id]))[type_.id]
    levels = [type_, *(each for each in above if each.name != "java.lang.Object")]
    fields = await types.fields([each.id for each in levels])
    methods = await types.methods([each.id for each in levels])
    modifiers = (await types.facts.many(facts.MODIFIERS, [type_.id]))[type_.id]
    return SourceShape(
        name=type_.name,
        modifiers=modifiers,
        superclass=above[0].name if above else "",
        fields=tuple(_member(each) for level in reversed(levels) for each in fields[level.id] if not each.is_static),
        methods=tuple(
            _member(each)
            for level in levels
            for each in methods[level.id]
            if level is type_ or not each.name.startswith("<")
        ),
    )


def _member(of: Field | Method) -> ShapeMember:
    return ShapeMember(of.name, of.signature, of.bits & 0xFFFF | (0x1000 if of.is_synthetic else 0))

"""Raw values of the evaluator and values of the wire, both ways."""

from __future__ import annotations

from jdbpy.session.eval.target import Raw, Ref
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import TaggedValue
from jdbpy.wire.layout import OBJECT_TAGS


def from_wire(value: TaggedValue) -> Raw:
    """The raw value: a Ref for an object, None for null and void."""
    if value.tag in OBJECT_TAGS:
        return Ref(int(value.value), value.tag) if value.value else None
    return value.value


def to_wire(signature: str, raw: Raw) -> TaggedValue:
    """The value as a variable of the type takes it; ``signature`` is the JNI type."""
    if signature[0] in "L[":
        return TaggedValue(raw.tag, raw.id) if isinstance(raw, Ref) else TaggedValue(Tag.OBJECT, 0)
    assert not isinstance(raw, Ref)
    return TaggedValue(ord(signature[0]), raw)

"""Where in a referrer the reference stands: its field, its element, a static field of the class it is.

The protocol tells who refers to an object and not from where; reading the referrer tells. Only fields and elements are
read; what the VM itself holds inside an object (a class's loader) shows in none, and gives no place.
"""

from __future__ import annotations

from collections.abc import Sequence

from jdbpy.errors import JdwpError
from jdbpy.session.target import Target
from jdbpy.session.types.refs import Field
from jdbpy.session.types.signatures import simple_name
from jdbpy.session.values.reader import ClassLayout, Reader
from jdbpy.session.values.waves import both, gather
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import TaggedObjectID, TaggedValue
from jdbpy.wire.layout import OBJECT_TAGS

_CHUNK = 20_000
"""Elements of an array looked at: the place of a reference further on stays unknown."""

_MOST_PLACES = 5


async def places_of(
    target: Target, referrers: Sequence[TaggedObjectID], wanted: Sequence[int]
) -> list[tuple[str, ...]]:
    """For each referrer the places that hold the object beside it in ``wanted``: ``.next``, ``[3]``, ``static CACHE``.

    wire: 2 trips when the classes are known, 1 more for each superclass that is not; whatever the number of referrers.
    """
    reader = target.objects.reader
    return await reader.run(gather([_places(reader, *each) for each in zip(referrers, wanted, strict=True)]))


async def _places(reader: Reader, referrer: TaggedObjectID, wanted: int) -> tuple[str, ...]:
    try:
        if referrer.tag == Tag.ARRAY:
            length = await reader.length(referrer.objectID)
            values = await reader.elements(referrer.objectID, 0, min(length, _CHUNK))
            return tuple(f"[{index}]" for index, value in enumerate(values) if _is(value, wanted))[:_MOST_PLACES]
        own = _own_places(reader, referrer.objectID, wanted)
        if referrer.tag != Tag.CLASS_OBJECT:
            return tuple((await own)[:_MOST_PLACES])
        found, static = await both(own, _static_places(reader, referrer.objectID, wanted))
        return tuple([*found, *static][:_MOST_PLACES])
    except JdwpError:  # collected, or unloaded, meanwhile
        return ()


async def _own_places(reader: Reader, referrer: int, wanted: int) -> list[str]:
    fields = await _instance_fields(reader, referrer)
    values = await reader.fields(referrer, fields)
    return [f".{field.name}" for field, value in zip(fields, values, strict=True) if _is(value, wanted)]


async def _instance_fields(reader: Reader, object_id: int) -> list[Field]:
    """All instance fields of an object that can hold a reference, inherited ones too."""
    fields: list[Field] = []
    shape: ClassLayout | None = await reader.shape(await reader.type_id(object_id))
    while shape is not None:
        fields += [field for field in shape.fields if not field.is_static and field.signature[0] in "L["]
        shape = await reader.shape(shape.superclass) if shape.superclass else None
    return fields


async def _static_places(reader: Reader, class_object: int, wanted: int) -> list[str]:
    shape = await reader.shape(await reader.reflected_type(class_object))
    fields = [field for field in shape.fields if field.is_static and field.signature[0] in "L["]
    values = await reader.statics(shape, fields)
    name = simple_name(shape.name)
    return [f"static {name}.{field.name}" for field, value in zip(fields, values, strict=True) if _is(value, wanted)]


def _is(value: TaggedValue, wanted: int) -> bool:
    return value.tag in OBJECT_TAGS and value.value == wanted

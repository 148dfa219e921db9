"""What is asked of objects before it is known whether anybody will look at them: their classes, the lengths of arrays.

Only what never changes, so that it may be asked at any time. Texts, which may be long, are left out; their lengths
are asked for.
"""

from __future__ import annotations

from collections.abc import Iterable

from jdbpy.errors import JdwpError
from jdbpy.session.values.reader import Reader
from jdbpy.session.values.strings import string_length
from jdbpy.session.values.waves import both, gather
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import TaggedValue
from jdbpy.wire.layout import OBJECT_TAGS

_WANTED = OBJECT_TAGS - {Tag.CLASS_OBJECT}
"""The class of a class is known."""


async def glance_at(reader: Reader, values: Iterable[TaggedValue | JdwpError]) -> None:
    """Learns what the objects among the values are; to be run by the reader. wire: 2 trips, 0 when known."""
    objects = {
        int(each.value): each for each in values if isinstance(each, TaggedValue) and each.tag in _WANTED and each.value
    }
    glances = [_glance(reader, each) for each in objects.values()]
    await both(gather(glances), both(reader.learn_foreseen(), reader.boot_class("java.lang.String")))


async def _glance(reader: Reader, value: TaggedValue) -> None:
    number = int(value.value or 0)
    try:
        if value.tag == Tag.ARRAY:
            type_id, _ = await both(reader.type_id(number), reader.length(number))
            await reader.signature(type_id)
        elif value.tag == Tag.STRING:
            await string_length(reader, number)
        else:
            await reader.shape(await reader.type_id(number))
    except JdwpError:
        pass  # it was collected: whoever needs it meets that again

"""What a throwable says of itself, read from its fields: no method of the target is run.

So the message is what its constructor was given; one that ``getMessage`` makes up is seen by evaluating that.
"""

from __future__ import annotations

from jdbpy.errors import JdwpError
from jdbpy.session.model import ExceptionInfo, Location
from jdbpy.session.values.obj import find_fields
from jdbpy.session.values.reader import Reader
from jdbpy.session.values.shown import UnknownLayout
from jdbpy.wire.record import Record

MOST_CAUSES = 5


class Throwable(Record):
    """Its class, its message, and the id of its cause (0: none)."""

    type: str
    message: str | None
    cause: int

    def __str__(self) -> str:
        return self.type if self.message is None else f"{self.type}: {self.message}"


async def exception_info(reader: Reader, object_id: int, catch: Location | None) -> ExceptionInfo:
    """An exception that was thrown, to be caught at ``catch``. Raises JdwpError when it was collected.

    wire: 2 trips and 1 a superclass; when its class is known 2, and 2 a cause.
    """
    thrown = await reader.run(_read(reader, object_id))
    causes: list[str] = []
    seen = {object_id}
    cause = thrown.cause
    while cause and cause not in seen and len(causes) < MOST_CAUSES:
        seen.add(cause)
        try:
            below = await reader.run(_read(reader, cause))
        except JdwpError:
            break
        causes.append(str(below))
        cause = below.cause
    return ExceptionInfo(
        thrown.type, thrown.message, object_id, catch is not None, catch, cause=", caused by ".join(causes)
    )


async def _read(reader: Reader, object_id: int) -> Throwable:
    shape = await reader.shape(await reader.type_id(object_id))
    try:
        message, cause = await reader.fields(object_id, await find_fields(reader, shape, ["detailMessage", "cause"]))
    except UnknownLayout:
        return Throwable(shape.name, None, 0)  # a VM with a Throwable of its own
    text = await reader.text(int(message.value)) if message.value else None
    return Throwable(shape.name, text, int(cause.value or 0) if cause.value != object_id else 0)

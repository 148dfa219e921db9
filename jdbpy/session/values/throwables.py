"""The message, causes and stack of a throwable, read from its fields: no method of the target is run.

So the message is what its constructor was given; one that ``getMessage`` makes up is seen by evaluating that.
"""

from __future__ import annotations

from jdbpy.errors import JdwpError
from jdbpy.record import Record
from jdbpy.session import concurrency
from jdbpy.session.events.target import Target
from jdbpy.session.extension import Extension
from jdbpy.session.jvm.reading import read_both
from jdbpy.session.model.events import ExceptionInfo
from jdbpy.session.values.obj import find_fields
from jdbpy.session.values.objects import Objects
from jdbpy.session.values.reader import Reader
from jdbpy.session.values.shown import UnknownLayout
from jdbpy.session.values.strings import message_text
from jdbpy.wire.ids import CodeLocation, TaggedValue
from jdbpy.wire.messages.event import Exception

MOST_CAUSES = 5
"""Causes that are told; a chain may be long, and may bite its own tail."""


class Throwable(Record):
    """A throwable with its message, and its causes, the nearest first."""

    type: str
    message: str | None
    causes: tuple[Throwable, ...] = ()

    def __str__(self) -> str:
        return self.type if self.message is None else f"{self.type}: {self.message}"


async def read_throwable(reader: Reader, object_id: int) -> Throwable:
    """Return a throwable that the target holds. Raises JdwpError when it was collected.

    wire: 3 trips when its class is known, and 2 a cause; 1 a superclass that is new.
    """
    return await reader.run(_read(reader, object_id, (object_id,)))


async def exception_info(target: Target, event: Exception) -> ExceptionInfo:
    """Return what an event has thrown, and where that will be caught. wire: as ``read_throwable``; more where it passes
    code of the debugger's own."""
    place, object_id = await _catch_place(target, event), event.exception.objectID
    caught = [place] if place is not None and place.classID else []
    thrown, catch = await concurrency.both(
        lambda: read_throwable(Objects.of(target).reader, object_id), lambda: target.types.locations(caught)
    )
    causes = ", caused by ".join(map(str, thrown.causes))
    known = None if place is None else bool(caught)
    return ExceptionInfo(thrown.type, thrown.message, object_id, known, catch[0] if catch else None, causes)


async def _catch_place(target: Target, event: Exception) -> CodeLocation | None:
    """Return where the program catches what was thrown: no location if nowhere, None if that is not known."""
    place: CodeLocation | None = event.catchLocation
    if target.changed_code.throws_again(event.catchLocation):
        place = None
        for extension in target.extensions.of(Extension.caught_behind):
            place = await extension.caught_behind(event)
    return place


async def _read(reader: Reader, object_id: int, above: tuple[int, ...]) -> Throwable:
    """``above`` are the throwables that this one has caused, and itself."""
    shape = await reader.shape(await reader.type_id(object_id))
    try:
        message, cause = await reader.fields(object_id, await find_fields(reader, shape, ["detailMessage", "cause"]))
    except UnknownLayout:
        return Throwable(shape.name, None)  # a VM with a Throwable of its own
    text, causes = await read_both(_text(reader, message), _causes(reader, cause, above))
    return Throwable(shape.name, text, causes)


async def _text(reader: Reader, message: TaggedValue) -> str | None:
    return await message_text(reader, int(message.value)) if message.value else None


async def _causes(reader: Reader, cause: TaggedValue, above: tuple[int, ...]) -> tuple[Throwable, ...]:
    """Return the cause and its causes; one that was collected ends the chain. A throwable without a cause has itself
    there."""
    cause_id = int(cause.value or 0)
    if not cause_id or cause_id in above or len(above) > MOST_CAUSES:
        return ()
    try:
        nearest = await _read(reader, cause_id, (*above, cause_id))
    except JdwpError:
        return ()
    return (nearest.replace(causes=()), *nearest.causes)

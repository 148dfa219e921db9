"""Setting variables, fields and elements of arrays from wire values.

Everything the agent does not check is checked here before anything is sent: that a field belongs to the object's class
and is static or not as it is used, that the value fits the declared type, that indices lie in range, that the frame is
still the one that was read. The value comes ready made; turning text into values is the evaluator's work.
"""

from __future__ import annotations

from collections.abc import Sequence

from jdbpy.errors import JdwpError, StateError, UsageError
from jdbpy.session.model import Frame
from jdbpy.session.stack.slots import SlotVariable
from jdbpy.session.stack.variables import current_frames, frame_slots, require_readable
from jdbpy.session.target import Target
from jdbpy.session.threads.reader import wire_thread
from jdbpy.session.types import facts
from jdbpy.session.types.refs import Field
from jdbpy.session.types.signatures import java_name
from jdbpy.session.values.assignable import require_assignable
from jdbpy.wire.constants import Error, Tag, TypeTag
from jdbpy.wire.ids import ArrayID, ClassID, FieldValue, FrameID, ObjectID, ReferenceTypeID, StringID, TaggedValue
from jdbpy.wire.layout import OBJECT_TAGS
from jdbpy.wire.messages import (
    array_reference,
    class_type,
    object_reference,
    reference_type,
    stack_frame,
    virtual_machine,
)

_PIN_ATTEMPTS = 5
"""A new string can be collected before it is pinned; twice in a row is bad luck, five times is something else."""

FINAL_NOTE = "the field is final: code that was compiled before may go on with the old value"


async def write_local(target: Target, frame: Frame, slot: int, value: TaggedValue) -> None:
    """Sets an argument or local variable of a frame by its slot; it must be in scope.

    Raises StateError for a frame of an earlier stop, a native one, or one that the VM cannot write to; UsageError for
    ``this`` and for a value that does not fit. wire: 1 trip, and what checking the value takes.
    """
    target.conn.require_allowed(stack_frame.SetValues)
    require_readable(frame)
    [frame] = await current_frames(target, [frame])
    variable = next((each for each in await frame_slots(target, frame) if each.slot == slot), None)
    if variable is None:
        raise UsageError(
            f"there is no variable in slot {slot} of that frame that could be set", code="NO_SUCH_VARIABLE"
        )
    home = ReferenceTypeID(frame.location.type_id)
    _require_typed(variable, value)
    await require_assignable(target, variable.signature, value, variable.name, home)
    [frame] = await current_frames(target, [frame])
    command = stack_frame.SetValues(
        wire_thread(frame.thread.id), FrameID(frame.id), [stack_frame.SlotValue(slot, value)]
    )
    try:
        await target.conn.request(command)
    except JdwpError as error:
        raise _refused(error, variable.name) from error
    finally:
        target.frame_memory.forget(frame)


def _require_typed(variable: SlotVariable, value: TaggedValue) -> None:
    """Without a variable table the class that the code expects in a slot is not known, and nobody else checks."""
    if variable.kind == "slot" and value.tag in OBJECT_TAGS and value.value:
        raise UsageError(
            f"{variable.name} can only be set to null: its type is lost without debugging information",
            hint="compile with -g",
            code="TYPE_MISMATCH",
        )


def _refused(error: JdwpError, name: str) -> JdwpError | StateError:
    if error.number == Error.OPAQUE_FRAME:
        return StateError(
            f"{name} cannot be set there: in a virtual thread only the innermost frame can be written to, "
            "and only while the thread is at a stop of its own",
            code=error.code,
        )
    if error.number == Error.INVALID_SLOT:
        return StateError(f"{name} holds no value at this place, so it cannot be set yet", code=error.code)
    return error


async def write_field(target: Target, object_id: int, field: Field, value: TaggedValue) -> str:
    """Sets an instance field of an object. Returns a word of warning, or "".

    Raises UsageError when the object is null or has no such field, the field is static, or the value does not fit.
    wire: 1 trip, and what checking takes.
    """
    target.conn.require_allowed(object_reference.SetValues)
    _require_object(object_id, field.name)
    if field.is_static:
        raise UsageError(f"{field.name} is static: it belongs to its class, not to an object", code="INVALID_FIELDID")
    type_id = await target.objects.reader.run(target.objects.reader.type_id(object_id))
    lineage = [type_id, *(each.id for each in (await target.types.superclasses([type_id]))[type_id])]
    if field.type_id not in lineage or field not in (await target.types.fields([field.type_id]))[field.type_id]:
        raise UsageError(f"the object has no field {field.name} of that class", code="INVALID_FIELDID")
    await require_assignable(target, field.signature, value, field.name, field.type_id)
    await target.conn.request(object_reference.SetValues(ObjectID(object_id), [FieldValue(field.id, value)]))
    return FINAL_NOTE if field.is_final else ""


async def write_static(target: Target, field: Field, value: TaggedValue) -> str:
    """Sets a static field. Returns a word of warning, or "".

    Raises UsageError when it is not static, belongs to an interface, or the value does not fit; StateError when the VM
    took no notice: the agent says OK even then, so the field is read back. wire: 1 trip, and what checking takes.
    """
    target.conn.require_allowed(class_type.SetValues)
    if not field.is_static:
        raise UsageError(f"{field.name} is not static: it is set in an object", code="INVALID_FIELDID")
    types = target.types
    await types.prefetch((facts.FIELDS, [field.type_id]), (facts.MODIFIERS, [field.type_id]))
    if field not in (await types.fields([field.type_id])).get(field.type_id, ()):
        raise UsageError(f"the class has no field {field.name}", code="INVALID_FIELDID")
    declaring = (await types.info([field.type_id]))[field.type_id]
    if declaring.tag == TypeTag.INTERFACE:
        raise UsageError(f"{field.name} is a constant of an interface; no debugger can set it", code="INVALID_FIELDID")
    await require_assignable(target, field.signature, value, field.name, field.type_id)
    outcomes = await target.conn.batch(
        [
            class_type.SetValues(ClassID(field.type_id), [FieldValue(field.id, value)]),
            reference_type.GetValues(field.type_id, [field.id]),
        ]
    )
    for outcome in outcomes:
        if isinstance(outcome, JdwpError):
            raise outcome
    if not _same(outcomes[1].values[0], value):
        raise StateError(f"the target did not take the value for {field.name}", code="NOT_SET")
    return FINAL_NOTE if field.is_final else ""


async def write_elements(target: Target, array_id: int, start: int, values: Sequence[TaggedValue]) -> None:
    """Sets elements of an array from index ``start`` on.

    Raises UsageError for null, an index out of range, or a value that does not fit. wire: 1 trip, and checking.
    """
    target.conn.require_allowed(array_reference.SetValues)
    _require_object(array_id, "the array")
    reader = target.objects.reader
    type_id = await reader.run(reader.type_id(array_id))
    signature = await reader.run(reader.signature(type_id))
    if not signature.startswith("["):
        raise UsageError(f"an object of type {java_name(signature)} has no elements", code="INVALID_ARRAY")
    length = await reader.run(reader.length(array_id))
    if start < 0 or start + len(values) > length:
        wrong = start if not 0 <= start < length else length
        raise UsageError(f"index {wrong} is out of bounds for length {length}", code="INVALID_INDEX")
    for value in values:
        await require_assignable(target, signature[1:], value, "the element", type_id)
    if values:
        await target.conn.request(array_reference.SetValues(ArrayID(ObjectID(array_id)), start, values))


async def create_string(target: Target, text: str) -> TaggedValue:
    """Makes a string in the target and pins it; ``release`` lets it go again. wire: 2 trips."""
    for _ in range(_PIN_ATTEMPTS):
        created: StringID = (await target.conn.request(virtual_machine.CreateString(text))).stringObject
        try:
            await target.conn.request(object_reference.DisableCollection(created))
        except JdwpError as error:
            if error.number != Error.INVALID_OBJECT:
                raise
        else:
            return TaggedValue(Tag.STRING, created)
    raise StateError("the target's memory is so short that it drops a string before it can be used")


def release(target: Target, value: TaggedValue) -> None:
    """Takes back the pin of ``create_string``. Not waited for; an error would mean that it is gone anyway."""
    if value.tag in OBJECT_TAGS and value.value and target.conn.close_reason is None:
        target.conn.submit(object_reference.EnableCollection(ObjectID(int(value.value))))


def _require_object(object_id: int, what: str) -> None:
    if not object_id:
        raise UsageError(f"{what} cannot be set: the object is null", code="INVALID_OBJECT")


def _same(one: TaggedValue, other: TaggedValue) -> bool:
    """Whether two values are the same bits; NaN is itself here."""
    return one.value == other.value or (one.value != one.value and other.value != other.value)

"""Setting variables, fields and elements of arrays from wire values.

Everything the agent does not check is checked here before anything is sent: that a field belongs to the object's class
and is static or not as it is used, that the value fits the declared type, that indices lie in range, that the frame is
still the one that was read. The value comes ready made; turning text into values is the evaluator's work.

JNI stores what it is given. A reference of a wrong class in a field makes the VM run methods of a class on an object of
another, which ends it at once or, worse, later. So no reference is sent before its class is known to fit (JLS 5.2).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from jdbpy.errors import JdwpError, StateError, UsageError
from jdbpy.session.events.frames import SlotVariable
from jdbpy.session.events.target import Target
from jdbpy.session.events.threads import wire_thread
from jdbpy.session.java.signatures import PRIMITIVES, java_name
from jdbpy.session.jvm import facts
from jdbpy.session.jvm.refs import Field, RefType
from jdbpy.session.model.threads import FrameInfo
from jdbpy.session.values.objects import Objects
from jdbpy.session.values.variables import current_frames, frame_slots, require_readable
from jdbpy.wire.constants import Error, Tag, TypeTag
from jdbpy.wire.ids import (
    ArrayID,
    ClassID,
    ClassLoaderID,
    FieldValue,
    FrameID,
    ObjectID,
    ReferenceTypeID,
    StringID,
    TaggedValue,
)
from jdbpy.wire.layout import OBJECT_TAGS
from jdbpy.wire.messages import (
    array_reference,
    class_loader_reference,
    class_type,
    object_reference,
    reference_type,
    stack_frame,
    virtual_machine,
)

_LINKS = (facts.SUPERCLASS, facts.INTERFACES)

_RANGES = {Tag.BYTE: 8, Tag.SHORT: 16, Tag.INT: 32, Tag.LONG: 64}
_LARGEST_FLOAT = 3.4028234663852886e38

_TOLD_BY_TAG: dict[int, frozenset[str]] = {
    Tag.STRING: frozenset(("Ljava/lang/String;", "Ljava/lang/CharSequence;", "Ljava/lang/Object;")),
    Tag.CLASS_OBJECT: frozenset(("Ljava/lang/Class;", "Ljava/lang/Object;")),
    Tag.CLASS_LOADER: frozenset(("Ljava/lang/ClassLoader;", "Ljava/lang/Object;")),
    Tag.THREAD: frozenset(("Ljava/lang/Thread;", "Ljava/lang/Object;")),
    Tag.THREAD_GROUP: frozenset(("Ljava/lang/ThreadGroup;", "Ljava/lang/Object;")),
}
"""What objects are whose tag the agent has given: it looks at their classes for that."""

_ROOT = "Ljava/lang/Object;"

OF_THE_JDK = "Ljava/"
"""Of a name in java.* there is one class: no loader but the JDK's may define it (ClassLoader.defineClass)."""

_OF_EVERY_ARRAY = frozenset(("Ljava/lang/Object;", "Ljava/lang/Cloneable;", "Ljava/io/Serializable;"))


async def require_assignable(
    target: Target, signature: str, value: TaggedValue, what: str, home: ReferenceTypeID | None
) -> None:
    """Raises UsageError unless the value may be stored in ``what``, which is declared with the JNI type ``signature``.

    ``home`` is the class with the declaration: of two classes of one name the one that its loader sees is meant. Values
    of primitive types must have exactly that type: converting them belongs to expressions. wire: 1 trip for
    the object's class, and its ancestry; 0 when known.
    """
    declared = java_name(signature)
    if signature[0] in PRIMITIVES:
        _require_primitive(signature, value, what)
        return
    if value.tag not in OBJECT_TAGS:
        raise _mismatch(what, declared, PRIMITIVES.get(chr(value.tag), "?"))
    if not value.value or signature == _ROOT or signature in _TOLD_BY_TAG.get(value.tag, ()):
        return
    objects = Objects.of(target)
    type_id = await objects.reader.run(objects.reader.type_id(int(value.value)))
    if (type_id, signature, home) in objects.fitting:
        return
    if not await _fits(target, type_id, signature, home):
        found = (await target.types.info([type_id])).get(type_id)
        name = found.name if found else "?"
        raise _mismatch(what, declared, f"{name} of another class loader" if name == declared else name)
    objects.fitting.add((type_id, signature, home))


async def is_known_to_fit(target: Target, signature: str, value: TaggedValue, home: ReferenceTypeID) -> bool:
    """True if a value is known to fit the type, as ``require_assignable`` has found out for its class before.

    To be awaited in a reading (``Reader``). wire: 1 trip for the object's class, 0 when known.
    """
    if signature[0] in PRIMITIVES:
        _require_primitive(signature, value, "the value")
        return True
    if value.tag not in OBJECT_TAGS:
        return False
    if not value.value or signature == _ROOT or signature in _TOLD_BY_TAG.get(value.tag, ()):
        return True
    objects = Objects.of(target)
    return (await objects.reader.type_id(int(value.value)), signature, home) in objects.fitting


def _require_primitive(signature: str, value: TaggedValue, what: str) -> None:
    held = value.value
    if chr(value.tag) != signature:
        found = "a reference" if value.tag in OBJECT_TAGS else PRIMITIVES.get(chr(value.tag), "?")
        raise _mismatch(what, PRIMITIVES[signature], found)
    fits = True
    if value.tag == Tag.BOOLEAN:
        fits = isinstance(held, bool)
    elif value.tag == Tag.CHAR:
        fits = type(held) is int and 0 <= held <= 0xFFFF
    elif value.tag in _RANGES:
        fits = type(held) is int and -(1 << _RANGES[Tag(value.tag)] - 1) <= held < 1 << _RANGES[Tag(value.tag)] - 1
    elif value.tag == Tag.FLOAT:
        fits = isinstance(held, float) and (not math.isfinite(held) or abs(held) <= _LARGEST_FLOAT)
    else:
        fits = isinstance(held, float)
    if not fits:
        raise UsageError(
            f"{held!r} does not fit {what}, which is declared {PRIMITIVES[signature]}", code="TYPE_MISMATCH"
        )


def _mismatch(what: str, declared: str, found: str) -> UsageError:
    return UsageError(
        f"{what} is declared {declared}, which a value of type {found} does not fit", code="TYPE_MISMATCH"
    )


async def _fits(target: Target, type_id: ReferenceTypeID, signature: str, home: ReferenceTypeID | None) -> bool:
    """True if objects of a type are objects of the declared one as well."""
    types = target.types
    await types.facts.prefetch(*((fact, [type_id]) for fact in (*_LINKS, facts.SIGNATURE, facts.MODIFIERS)))
    found = (await types.info([type_id])).get(type_id)
    if found is None:
        return False
    if found.is_array:
        return await _array_fits(target, found, found.signature, signature, home)
    lineage = [found] if found.signature == signature else [found, *await types.ancestors(type_id)]
    named = {each.id for each in lineage if each.signature == signature}
    if not named or home is None or home in named or signature.startswith(OF_THE_JDK):
        return bool(named)
    loaders = await types.facts.many(facts.LOADER, [home, *named])
    if loaders.get(home) in {loader for each, loader in loaders.items() if each in named}:
        return True  # a loader means what it has defined itself (JVMS 5.3.5)
    loaded = await types.by_signature(signature)
    return len(loaded) <= 1 or await as_seen_from(target, home, loaded) in named


async def _array_fits(target: Target, array: RefType, found: str, declared: str, home: ReferenceTypeID | None) -> bool:
    """Arrays of references fit where their elements do; those of primitives fit their own type only (JLS 10.8)."""
    if declared in _OF_EVERY_ARRAY:
        return True
    if not declared.startswith("[") or not found.startswith("["):
        return False
    if found[1] == "[":
        return await _array_fits(target, array, found[1:], declared[1:], home)
    if found[1] != "L":
        return found == declared
    if declared[1] != "L":
        return False
    if declared[1:] == _ROOT:  # which is above interfaces too, without being among their ancestors
        return True
    # An array class has the loader of its elements: that tells which class of that name they are.
    element: ReferenceTypeID | None = target.types.known_named(found[1:]) if found.startswith(OF_THE_JDK, 1) else None
    element = element or await as_seen_from(target, array.id, await target.types.by_signature(found[1:]))
    return element is not None and await _fits(target, element, declared[1:], home)


async def as_seen_from(target: Target, home: ReferenceTypeID, loaded: Sequence[RefType]) -> ReferenceTypeID | None:
    """Return which of the types of one name a class means: that which its loader was asked for first (JVMS 5.3)."""
    if len(loaded) == 1:
        return loaded[0].id
    homes = [home] if home else []  # 0 stands for the boot loader
    loaders = await target.types.facts.many(facts.LOADER, [*homes, *(each.id for each in loaded)])
    loader = loaders.get(home, ClassLoaderID(ObjectID(0)))
    if not loader:
        return next((each.id for each in loaded if not loaders.get(each.id)), None)
    visible = (await target.conn.request(class_loader_reference.VisibleClasses(loader))).classes
    ids = {each.typeID for each in visible}
    return next((each.id for each in loaded if each.id in ids), None)


_PIN_ATTEMPTS = 5
"""A new string can be collected before it is pinned; twice in a row is bad luck, five times is something else."""

FINAL_NOTE = "the field is final: code that was compiled before may go on with the old value"


async def write_local(target: Target, frame: FrameInfo, slot: int, value: TaggedValue) -> None:
    """Set an argument or local variable of a frame by its slot; it must be in scope.

    Raises StateError for a frame of an earlier stop, a native one, or one that the VM cannot write to; UsageError for
    ``this`` and for a value that does not fit. wire: 1 trip, and what checking the value takes.
    """
    target.conn.require_allowed(stack_frame.SetValues)
    require_readable(frame)
    [frame] = await current_frames(target, [frame])
    variable = next((each for each in await frame_slots(target, frame) if each.slot == slot), None)
    if variable is None:
        raise UsageError(f"no variable in slot {slot} of that frame that could be set", code="NO_SUCH_VARIABLE")
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
    """Without a variable table the class that the code expects in a slot is not known, and nothing else checks."""
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
    """Set an instance field of an object. Returns a word of warning, or "".

    Raises UsageError when the object is null or has no such field, the field is static, or the value does not fit.
    wire: 1 trip, and what checking takes.
    """
    target.conn.require_allowed(object_reference.SetValues)
    _require_object(object_id, field.name)
    if field.is_static:
        raise UsageError(f"{field.name} is static: it belongs to its class, not to an object", code="INVALID_FIELDID")
    type_id = await Objects.of(target).reader.run(Objects.of(target).reader.type_id(object_id))
    lineage = [type_id, *(each.id for each in (await target.types.superclasses([type_id]))[type_id])]
    if field.type_id not in lineage or field not in (await target.types.fields([field.type_id]))[field.type_id]:
        raise UsageError(f"the object has no field {field.name} of that class", code="INVALID_FIELDID")
    await require_assignable(target, field.signature, value, field.name, field.type_id)
    Objects.of(target).reader.walks.forget()
    await target.conn.request(object_reference.SetValues(ObjectID(object_id), [FieldValue(field.id, value)]))
    return FINAL_NOTE if field.is_final else ""


async def write_static(target: Target, field: Field, value: TaggedValue) -> str:
    """Set a static field. Returns a word of warning, or "".

    Raises UsageError when it is not static, belongs to an interface, or the value does not fit; StateError when the VM
    took no notice: the agent says OK even then, so the field is read back. wire: 1 trip, and what checking takes.
    """
    target.conn.require_allowed(class_type.SetValues)
    if not field.is_static:
        raise UsageError(f"{field.name} is not static: it is set in an object", code="INVALID_FIELDID")
    types = target.types
    await types.facts.prefetch((facts.FIELDS, [field.type_id]), (facts.MODIFIERS, [field.type_id]))
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
    """Set elements of an array from index ``start`` on.

    Raises UsageError for null, an index out of range, or a value that does not fit. wire: 1 trip, and checking.
    """
    target.conn.require_allowed(array_reference.SetValues)
    _require_object(array_id, "the array")
    reader = Objects.of(target).reader
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
        reader.walks.forget()
        await target.conn.request(array_reference.SetValues(ArrayID(ObjectID(array_id)), start, values))


async def create_string(target: Target, text: str) -> TaggedValue:
    """Make a string in the target and pin it; ``release`` lets it go again. wire: 2 trips."""
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
    """Take back the pin of ``create_string``. Not waited for; an error would mean that it is gone anyway."""
    if value.tag in OBJECT_TAGS and value.value and target.conn.close_reason is None:
        target.conn.submit(object_reference.EnableCollection(ObjectID(int(value.value))))


def _require_object(object_id: int, what: str) -> None:
    if not object_id:
        raise UsageError(f"{what} cannot be set: the object is null", code="INVALID_OBJECT")


def _same(one: TaggedValue, other: TaggedValue) -> bool:
    """True if two values are the same bits; NaN is itself here."""
    return one.value == other.value or (one.value != one.value and other.value != other.value)

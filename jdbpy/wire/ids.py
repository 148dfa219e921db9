"""The types of fields in JDWP messages: scalars, ids, and the compound types that the specification has names for.

Owns what a message declaration is spelled with; how each looks in bytes is ``wire.layout``'s business. To a type
checker the scalars are plain ``int``, ``bool``, ``str`` and ``bytes``, and the ids are kinds of ``int`` that do not
mix. Ids are unsigned; 0 means null. Never send a null where an object is needed: the agent crashes (see ``session``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, NewType

from jdbpy.record import Record

Byte = Annotated[int, "byte"]
"""One byte, 0 to 255."""
Boolean = Annotated[bool, "boolean"]
"""One byte; whatever is not 0 is true."""
Int = Annotated[int, "int"]
"""Four bytes, signed."""
Long = Annotated[int, "long"]
"""Eight bytes, signed."""
String = Annotated[str, "string"]
"""Four bytes of length, then UTF-8; see ``wire.strings``."""
Bytes = Annotated[bytes, "bytes"]
"""Four bytes of length, then as many bytes: how a repeat of bytes is shown."""

if TYPE_CHECKING:  # so that ThreadID(7) is right; a NewType of a NewType would want ThreadID(ObjectID(7))

    class ObjectID(int): ...

    class ThreadID(ObjectID): ...

    class ThreadGroupID(ObjectID): ...

    class ArrayID(ObjectID): ...

    class StringID(ObjectID): ...

    class ClassLoaderID(ObjectID): ...

    class ClassObjectID(ObjectID): ...

    class ModuleID(ObjectID): ...

    class ReferenceTypeID(int): ...

    class ClassID(ReferenceTypeID): ...

    class InterfaceID(ReferenceTypeID): ...

    class ArrayTypeID(ReferenceTypeID): ...

    class MethodID(int): ...

    class FieldID(int): ...

    class FrameID(int): ...

else:
    ObjectID = NewType("ObjectID", int)
    ThreadID = NewType("ThreadID", ObjectID)
    ThreadGroupID = NewType("ThreadGroupID", ObjectID)
    ArrayID = NewType("ArrayID", ObjectID)
    StringID = NewType("StringID", ObjectID)
    ClassLoaderID = NewType("ClassLoaderID", ObjectID)
    ClassObjectID = NewType("ClassObjectID", ObjectID)
    ModuleID = NewType("ModuleID", ObjectID)
    ReferenceTypeID = NewType("ReferenceTypeID", int)
    ClassID = NewType("ClassID", ReferenceTypeID)
    InterfaceID = NewType("InterfaceID", ReferenceTypeID)
    ArrayTypeID = NewType("ArrayTypeID", ReferenceTypeID)
    MethodID = NewType("MethodID", int)
    FieldID = NewType("FieldID", int)
    FrameID = NewType("FrameID", int)


class IDSizes(Record):
    """The number of bytes of each family of ids, as VirtualMachine.IDSizes answers; all are 8 on a 64-bit JVM."""

    fieldIDSize: int = 8
    methodIDSize: int = 8
    objectIDSize: int = 8
    referenceTypeIDSize: int = 8
    frameIDSize: int = 8


class CodeLocation(Record):
    """A place in code: the index of an instruction in a method of a type. In a native method the index is -1.

    "No location" has 0 for class, method and index, whatever its type tag (HotSpot sends CLASS).
    """

    typeTag: Byte
    classID: ReferenceTypeID
    methodID: MethodID
    index: Long


class TaggedObjectID(Record):
    """An object id and what kind of object it is (a ``Tag``); the id may be 0."""

    tag: Byte
    objectID: ObjectID


class TaggedValue(Record):
    """A value with its ``Tag``: bool for Z, int for B C S I J (a char is its UTF-16 code unit), float for F and D,
    None for V, and an object id for every other tag."""

    tag: int
    value: int | float | bool | None


UntaggedValue = Annotated[TaggedValue, "untagged"]
"""A ``TaggedValue`` that is sent without its tag: the target knows the type of the field or element it goes to."""


class FieldValue(Record):
    """A field and the value that it is to get."""

    fieldID: FieldID
    value: UntaggedValue


class ArrayRegion(Record):
    """Elements of an array (the specification's arrayregion): plain Python values for a primitive element type, and
    ``TaggedValue`` each, with the tag of the element itself, when ``tag`` is one of the object tags."""

    tag: Byte
    values: list[int | float | bool | TaggedValue]

    def tagged(self) -> list[TaggedValue]:
        """Return the elements as values, whatever the element type is."""
        return [value if isinstance(value, TaggedValue) else TaggedValue(self.tag, value) for value in self.values]

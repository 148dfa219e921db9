"""ReferenceType, command set 2: what classes, interfaces and array types have in common.

``refType`` is the type that is asked about, in every command of this module.
"""

from __future__ import annotations

from collections.abc import Sequence

from jdbpy.record import Record
from jdbpy.wire.command import Command, Reply
from jdbpy.wire.constants import CommandSet
from jdbpy.wire.ids import (
    Byte,
    Bytes,
    ClassLoaderID,
    ClassObjectID,
    FieldID,
    Int,
    InterfaceID,
    MethodID,
    ModuleID,
    ReferenceTypeID,
    String,
    TaggedObjectID,
    TaggedValue,
)


class SignatureReply(Reply):
    signature: String


class Signature(Command[SignatureReply], number=(CommandSet.ReferenceType, 1)):
    """The JNI signature. A hidden class has a dot in it: ``LTest$$Lambda.0x00007f00;``."""

    refType: ReferenceTypeID


class ClassLoaderReply(Reply):
    classLoader: ClassLoaderID


class ClassLoader(Command[ClassLoaderReply], number=(CommandSet.ReferenceType, 2)):
    """The defining loader; 0 is the boot loader."""

    refType: ReferenceTypeID


class ModifiersReply(Reply):
    modBits: Int


class Modifiers(Command[ModifiersReply], number=(CommandSet.ReferenceType, 3)):
    """The access flags, as in the class file."""

    refType: ReferenceTypeID


class FieldInfo(Record):
    fieldID: FieldID
    name: String
    signature: String
    modBits: Int


class FieldsReply(Reply):
    declared: list[FieldInfo]


class Fields(Command[FieldsReply], number=(CommandSet.ReferenceType, 4)):
    """The fields that the type itself declares, in the class file's order; 0xF0000000 marks synthetic ones."""

    refType: ReferenceTypeID


class MethodInfo(Record):
    methodID: MethodID
    name: String
    signature: String
    modBits: Int


class MethodsReply(Reply):
    declared: list[MethodInfo]


class Methods(Command[MethodsReply], number=(CommandSet.ReferenceType, 5)):
    """The methods that the type itself declares, ``<init>`` and ``<clinit>`` too; 0xF0000000 marks synthetic ones."""

    refType: ReferenceTypeID


class GetValuesReply(Reply):
    values: list[TaggedValue]


class GetValues(Command[GetValuesReply], number=(CommandSet.ReferenceType, 6)):
    """Values of static fields of the type or a supertype. Unchecked: any other field id crashes the VM."""

    refType: ReferenceTypeID
    fields: Sequence[FieldID]


class SourceFileReply(Reply):
    sourceFile: String


class SourceFile(Command[SourceFileReply], number=(CommandSet.ReferenceType, 7)):
    """The source file's name without directories; ABSENT_INFORMATION without that attribute, and for arrays."""

    refType: ReferenceTypeID


class TypeInfo(Record):
    refTypeTag: Byte
    typeID: ReferenceTypeID


class NestedTypesReply(Reply):
    classes: list[TypeInfo]


class NestedTypes(Command[NestedTypesReply], number=(CommandSet.ReferenceType, 8)):
    """The loaded types nested in this one, found by their names; anonymous classes are left out."""

    refType: ReferenceTypeID


class StatusReply(Reply):
    status: Int


class Status(Command[StatusReply], number=(CommandSet.ReferenceType, 9)):
    """The ``ClassStatus`` bits; 0 for arrays and primitive classes."""

    refType: ReferenceTypeID


class InterfacesReply(Reply):
    interfaces: list[InterfaceID]


class Interfaces(Command[InterfacesReply], number=(CommandSet.ReferenceType, 10)):
    """The interfaces that are named in the type's own declaration."""

    refType: ReferenceTypeID


class ClassObjectReply(Reply):
    classObject: ClassObjectID


class ClassObject(Command[ClassObjectReply], number=(CommandSet.ReferenceType, 11)):
    """The java.lang.Class object. HotSpot gives type and object the same number."""

    refType: ReferenceTypeID


class SourceDebugExtensionReply(Reply):
    extension: String


class SourceDebugExtension(
    Command[SourceDebugExtensionReply],
    number=(CommandSet.ReferenceType, 12),
    capability="canGetSourceDebugExtension",
    since="1.4",
):
    """The SMAP (JSR 45) that maps the code to other languages' sources; ABSENT_INFORMATION when there is none."""

    refType: ReferenceTypeID


class SignatureWithGenericReply(Reply):
    signature: String
    genericSignature: String


class SignatureWithGeneric(Command[SignatureWithGenericReply], number=(CommandSet.ReferenceType, 13), since="1.5"):
    """The JNI signature, and the generic one or nothing."""

    refType: ReferenceTypeID


class FieldInfoWithGeneric(Record):
    fieldID: FieldID
    name: String
    signature: String
    genericSignature: String
    modBits: Int


class FieldsWithGenericReply(Reply):
    declared: list[FieldInfoWithGeneric]


class FieldsWithGeneric(Command[FieldsWithGenericReply], number=(CommandSet.ReferenceType, 14), since="1.5"):
    """Fields, with generic signatures where there are any."""

    refType: ReferenceTypeID


class MethodInfoWithGeneric(Record):
    methodID: MethodID
    name: String
    signature: String
    genericSignature: String
    modBits: Int


class MethodsWithGenericReply(Reply):
    declared: list[MethodInfoWithGeneric]


class MethodsWithGeneric(Command[MethodsWithGenericReply], number=(CommandSet.ReferenceType, 15), since="1.5"):
    """Methods, with generic signatures where there are any."""

    refType: ReferenceTypeID


class InstancesReply(Reply):
    instances: list[TaggedObjectID]


class Instances(
    Command[InstancesReply], number=(CommandSet.ReferenceType, 16), capability="canGetInstanceInfo", since="1.6"
):
    """Reachable instances of exactly this type, at most ``maxInstances``; 0 is all. The VM stands still meanwhile."""

    refType: ReferenceTypeID
    maxInstances: Int


class ClassFileVersionReply(Reply):
    majorVersion: Int
    minorVersion: Int


class ClassFileVersion(Command[ClassFileVersionReply], number=(CommandSet.ReferenceType, 17), since="1.6"):
    """The version of the class file; ABSENT_INFORMATION for arrays."""

    refType: ReferenceTypeID


class ConstantPoolReply(Reply):
    count: Int
    bytes: Bytes


class ConstantPool(
    Command[ConstantPoolReply], number=(CommandSet.ReferenceType, 18), capability="canGetConstantPool", since="1.6"
):
    """The constant pool in the class file's form. ``count`` is constant_pool_count: one more than the last index."""

    refType: ReferenceTypeID


class ModuleReply(Reply):
    module: ModuleID


class Module(Command[ModuleReply], number=(CommandSet.ReferenceType, 19), since="9"):
    """The module that the type belongs to."""

    refType: ReferenceTypeID

"""Classes and members as plain data for front ends: from what the agent tells to ``model`` records in Java's words.

Pure.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence

from jdbpy.session.model import ClassInfo, FieldInfo, MethodInfo
from jdbpy.session.types import signatures
from jdbpy.session.types.generics import generic_class, generic_method, generic_type
from jdbpy.session.types.refs import Field, Method, RefType
from jdbpy.wire.constants import ClassStatus, TypeTag
from jdbpy.wire.messages.virtual_machine import ClassInfoWithGeneric

_KINDS = {int(TypeTag.CLASS): "class", int(TypeTag.INTERFACE): "interface", int(TypeTag.ARRAY): "array"}

_STATUS = (
    (ClassStatus.VERIFIED, "verified"),
    (ClassStatus.PREPARED, "prepared"),
    (ClassStatus.INITIALIZED, "initialized"),
    (ClassStatus.ERROR, "error"),
)


def class_info(listed: ClassInfoWithGeneric) -> ClassInfo:
    """A class as the agent lists it; its loader is not told there."""
    return class_infos([listed])[0]


def class_infos(listed: Sequence[ClassInfoWithGeneric]) -> list[ClassInfo]:
    """``class_info`` of many: there may be tens of thousands, so column by column."""
    return list(
        map(
            ClassInfo,
            [each.typeID for each in listed],
            signatures.java_names([each.signature for each in listed]),
            [_KINDS.get(each.refTypeTag, "class") for each in listed],
            [each.signature for each in listed],
            [each.genericSignature for each in listed],
            [_status(each.status) for each in listed],
        )
    )


def declaration(info: ClassInfo, bits: int, superclass: str | None) -> str:
    """How the class is declared, "public final record com.acme.Point<T>"; "synthetic" when the compiler made it."""
    words = signatures.class_modifiers(bits)
    if superclass == "java.lang.Record":
        words = f"{words.replace('final', '')} record"
    elif info.kind == "class" and not bits & signatures.ENUM:
        words = f"{words} class"
    elif info.kind == "array":
        words = ""
    generic = generic_class(info.generic)
    parameters = f"<{', '.join(generic.parameters)}>" if generic and generic.parameters else ""
    return " ".join(f"{words} {info.name}{parameters}".split())


@functools.cache
def _status(bits: int) -> str:
    return " ".join(word for bit, word in _STATUS if bits & bit)


def method_info(declaring: RefType, method: Method) -> MethodInfo:
    """A method with its types as in source, generic ones where the class file tells them."""
    generic = generic_method(method.generic)
    parameters, returns = method.parameters, method.returns
    if generic is not None and len(generic.parameters) == len(parameters):  # inner classes' constructors hide some
        parameters, returns = generic.parameters, generic.returns
        if method.is_varargs and parameters:
            parameters = (*parameters[:-1], parameters[-1].removesuffix("[]") + "...")
    return MethodInfo(
        id=method.id,
        name=method.name,
        signature=method.signature,
        generic=method.generic,
        modifiers=signatures.method_modifiers(method.bits),
        modifier_bits=method.bits,
        class_name=declaring.name,
        type_id=method.type_id,
        parameters=parameters,
        returns=returns,
    )


def field_info(declaring: RefType, field: Field) -> FieldInfo:
    """A field with its type as in source."""
    return FieldInfo(
        id=field.id,
        name=field.name,
        signature=field.signature,
        generic=field.generic,
        type=generic_type(field.generic) or signatures.java_name(field.signature),
        modifiers=signatures.field_modifiers(field.bits),
        modifier_bits=field.bits,
        class_name=declaring.name,
        type_id=field.type_id,
    )

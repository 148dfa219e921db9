"""Classes and their members as plain data for front ends: from the agent's words to Java's.

Pure.
"""

from __future__ import annotations

from jdbpy.session.java import signatures
from jdbpy.session.java.generics import generic_class, generic_method, source_type
from jdbpy.session.jvm.refs import Field, Method, RefType
from jdbpy.session.model.classes import ClassInfo, FieldInfo, MethodInfo


def declaration(info: ClassInfo, bits: int, superclass: str | None) -> str:
    """Return how the class is declared, "public final record com.acme.Point<T>"; "synthetic" when the
    compiler made it.
    """
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


def method_info(declaring: RefType, method: Method) -> MethodInfo:
    """Return a method with its types as in source, generic ones where the class file has them."""
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
    """Return a field with its type as in source."""
    return FieldInfo(
        id=field.id,
        name=field.name,
        signature=field.signature,
        generic=field.generic,
        type=source_type(field),
        modifiers=signatures.field_modifiers(field.bits),
        modifier_bits=field.bits,
        class_name=declaring.name,
        type_id=field.type_id,
    )

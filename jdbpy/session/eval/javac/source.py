"""The text of the class that is compiled around one expression. Pure."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from jdbpy.record import Record
from jdbpy.session.eval.java.types import (
    OBJECT,
    ArrayType,
    ClassType,
    JavaType,
    LateType,
    NullType,
    Primitive,
    TypeVar,
    Wildcard,
)

METHOD = "make"


class CapturedParameter(Record):
    """Something that is handed in: its name in the text, and its type as source."""

    name: str
    type: str


class JavaSource(Record):
    """A class to compile: its binary name and its text."""

    name: str
    text: str


def class_around(package: str, parameters: Sequence[CapturedParameter], result: str, expression: str) -> JavaSource:
    """A class whose static method ``make`` gives the expression. Its name is new to every target."""
    simple = f"JdbpyExpression{secrets.token_hex(6)}"
    declared = ", ".join(f"{each.type} {each.name}" for each in parameters)
    lines = [
        *([f"package {package};"] if package else []),
        '@SuppressWarnings({"unchecked", "rawtypes"})',
        f"final class {simple} {{",
        f"    static {result} {METHOD}({declared}) throws Throwable {{",
        f"        return {expression};",
        "    }",
        "}",
        "",
    ]
    return JavaSource(f"{package}.{simple}" if package else simple, "\n".join(lines))


def source_type(kind: JavaType) -> str:
    """A type as it is written in source, with its type arguments; a bare ``?`` and what is not known is Object."""
    match kind:
        case Primitive():
            return kind.name
        case ArrayType(element=element):
            return source_type(element) + "[]"
        case TypeVar(bound=bound):
            return source_type(bound)
        case Wildcard(kind=which, bound=bound):
            return source_type(OBJECT if which == "*" else bound)
        case LateType() | NullType():
            return OBJECT.name
        case ClassType(name=name, args=args):
            written = name.replace("$", ".")
            return f"{written}<{', '.join(map(source_type, args))}>" if args else written
    return OBJECT.name

"""Numbers as values are shown, ``5000000000`` of a long or ``NaN`` of a float: the type of the variable that one is
assigned to says which literal it is.

Owns the spelling of these literals. Any other text is Java, where a number without a suffix is an int or a double.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from jdbpy.session.eval.syntax import tree
from jdbpy.session.eval.syntax.parser import parse_expression
from jdbpy.session.java.types import JavaType, unboxed

if TYPE_CHECKING:
    from jdbpy.session.eval.compile.compiler import Compiler
    from jdbpy.session.eval.ops.base import Op, Scope

_INTEGER = re.compile(r"[-+]?(?:0[xX][0-9a-fA-F_]+|0[bB][01_]+|[0-9][0-9_]*)")
_DECIMAL = re.compile(r"[-+]?(?:(?:[1-9][0-9_]*|0)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_SPECIAL = {
    "NaN": "NaN",
    "Infinity": "POSITIVE_INFINITY",
    "+Infinity": "POSITIVE_INFINITY",
    "-Infinity": "NEGATIVE_INFINITY",
}
_BITS = {"byte": 8, "short": 16}


def value_as_shown(text: str) -> tree.Expression:
    """Return the expression of a text that may be a value as it is shown. Raises EvalError for what is no Java."""
    text = text.strip()
    if text in _SPECIAL or _INTEGER.fullmatch(text) or _DECIMAL.fullmatch(text):
        return tree.ShownNumber(0, text)
    return parse_expression(text)


def for_variable(value: tree.Expression, target: JavaType) -> tree.Expression:
    """Return a value as a variable of the type takes it."""
    if not isinstance(value, tree.ShownNumber):
        return value
    kind = unboxed(target)
    return parse_expression(_in_java(value.text, kind.name) if kind is not None else value.text)


def _in_java(text: str, kind: str) -> str:
    if kind in ("float", "double"):
        if text in _SPECIAL:
            return f"java.lang.{kind.capitalize()}.{_SPECIAL[text]}"
        return f"{text}{kind[0]}" if _DECIMAL.fullmatch(text) else text
    if not _INTEGER.fullmatch(text):
        return text
    if kind == "long":
        return f"{text}L"
    if kind in _BITS and text[:2] in ("0x", "0X"):  # the bits of a negative number
        number = int(text.replace("_", "")[2:] or "0", 16)
        return f"({kind}) {text}" if number >> _BITS[kind] == 0 else text
    return text


async def compile_shown(c: Compiler, node: tree.ShownNumber, scope: Scope) -> Op:
    """Return the number as Java has it where the type of its variable is known only when the program runs."""
    return await c.value(parse_expression("0" if _INTEGER.fullmatch(node.text) else "0d"), scope)

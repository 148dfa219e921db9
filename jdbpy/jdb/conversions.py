"""Values as JDI fits them into variables and parameters, where Java asks for a cast or has none; literals as jdb has
them.

Owns JDI's rules and words. A value that fits is written as a literal of the wanted type in place of its expression.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from jdbpy.identifiers import WORD
from jdbpy.jdb.values import is_object

if TYPE_CHECKING:
    from jdbpy import ValueInfo

PRIMITIVES = ("boolean", "byte", "char", "short", "int", "long", "float", "double")
_RANGES = {
    "byte": (-(2**7), 2**7 - 1),
    "char": (0, 2**16 - 1),
    "short": (-(2**15), 2**15 - 1),
    "int": (-(2**31), 2**31 - 1),
    "long": (-(2**63), 2**63 - 1),
}
_INT_MAX, _LONG_MAX = _RANGES["int"][1], _RANGES["long"][1]
_LARGEST_FLOAT = 3.4028234663852886e38
_QUOTED = r""""(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'"""
_NUMBER_OR_TEXT = re.compile(
    rf"{_QUOTED}|(?<![{WORD}.])(?P<number>0[xX][0-9a-fA-F]{{8,}}|0[0-7]{{11,}}|[1-9]\d{{9,18}})(?![{WORD}.])"
)
_ASSIGNS = re.compile(rf"{_QUOTED}|[=!<>]=|(?P<assign>=)|(?P<no>[-+*/%&|^]=|>>=|<<=|->)")
_PART = re.compile(rf"{_QUOTED}|.", re.DOTALL)


class NotAssignable(Exception):
    """A value that does not fit; the message is JDI's."""


def with_long_literals(text: str) -> str:
    """Return an expression with an L at numbers that are too large for an int: jdb takes them as long, hexadecimal ones
    too."""

    def longer(match: re.Match[str]) -> str:
        number = match["number"]
        if number is None:
            return match[0]
        value = int(number, 8 if number[0] == "0" and number[1] not in "xX" else 0)
        return f"{number}L" if _INT_MAX < value <= _LONG_MAX else number

    return _NUMBER_OR_TEXT.sub(longer, text)


def assignment(text: str) -> tuple[str, str] | None:
    """Return the two sides of an assignment; None for any other expression."""
    for match in _ASSIGNS.finditer(text):
        if match["no"]:
            return None
        if match["assign"]:
            left, right = text[: match.start()], text[match.end() :]
            return (left.strip(), right.strip()) if left.strip() and right.strip() else None
    return None


def argument_at(text: str, column: int) -> tuple[int, int] | None:
    """Return where the argument of a call begins and ends in which a column is; None if it is in none."""
    brackets: list[int] = []  # where the argument begins in each that is open; -1 in one that is no call's
    depth = 0  # how many are open in the argument of the column
    for match in _PART.finditer(text):
        part, at = match[0], match.start()
        if depth and len(brackets) == depth and part in (",", ")"):
            return brackets[-1], at
        if part in ("(", "[", "{"):
            brackets.append(match.end() if part == "(" and re.search(rf"[{WORD}]\s*$", text[:at]) else -1)
        elif part in (")", "]", "}") and brackets:
            brackets.pop()
        elif part == "," and brackets and brackets[-1] >= 0:
            brackets[-1] = match.end()
        if match.end() > column and not depth:
            depth = max((number for number, begin in enumerate(brackets, 1) if begin >= 0), default=0)
            if not depth:
                return None
    return None


def literal(value: ValueInfo) -> str:
    """Return a primitive value as Java."""
    if value.type in ("float", "double"):
        return _real(value, "f" if value.type == "float" else "")
    if value.type == "long":
        return f"{value.text}L"
    return f"({value.type}) {_integer(value)}" if value.type in _RANGES else value.text


def converted(value: ValueInfo | None, wanted: str) -> str:
    """Return a primitive value as Java of another primitive type. Raises NotAssignable where JDI refuses it."""
    if value is None:
        raise NotAssignable("Can't set a primitive type to null")
    if is_object(value) or value.tag == "s":  # a string of the expression is nothing in the target yet
        raise NotAssignable("Can't assign object value to primitive")
    if wanted == "boolean":
        raise NotAssignable("Can't assign non-boolean value to a boolean")
    if value.type == "boolean":
        raise NotAssignable("Can't assign boolean value to an non-boolean")
    if not _fits(value, wanted):
        raise NotAssignable(f"Can't convert {value.raw if value.tag == 'C' else value.text} to {wanted}")
    return f"({wanted}) {literal(value)}"


def refused(value: ValueInfo | None, wanted: str) -> str:
    """Return why JDI does not assign a value to a variable of a class or array; ``wanted``: its full name."""
    if value is None or not (is_object(value) or value.tag == "s"):
        return "Can't assign primitive value to object"
    if wanted.endswith("[]") and value.tag != "[":
        return "Can't assign non-array value to an array"
    return f"Can't assign {value.type} to {wanted}"


def _fits(value: ValueInfo, wanted: str) -> bool:
    """True if JDI converts it: a whole number that is in the range, any that is into what has fractions. A fraction is
    cut off for byte, char and short, and refused for int and long.
    """
    if value.type not in ("float", "double"):
        low, high = _RANGES.get(wanted, (-math.inf, math.inf))
        return low <= _integer(value) <= high
    number = float(value.text)
    if wanted in ("int", "long"):
        low, high = _RANGES[wanted]
        return math.isfinite(number) and number == int(number) and low <= number <= high
    if wanted in _RANGES:
        low, high = _RANGES[wanted]
        return low <= number <= high
    return wanted == "double" or not math.isfinite(number) or abs(number) <= _LARGEST_FLOAT


def _integer(value: ValueInfo) -> int:
    return ord(str(value.raw)) if value.tag == "C" else int(value.text)


def _real(value: ValueInfo, suffix: str) -> str:
    if math.isfinite(float(value.text)):
        return value.text + suffix
    number = {"NaN": "0.0", "Infinity": "1.0", "-Infinity": "-1.0"}[value.text]
    return f"({number}{suffix} / 0.0{suffix})"

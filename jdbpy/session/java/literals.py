"""The values of Java's literals (JLS 3.10).

Owns the reading of integer, floating-point, character and string literals and text blocks. Pure; the lexer has already
refused what is no literal at all. Strings are Python strings in which a pair of surrogates is one character.
"""

from __future__ import annotations

import re
from fractions import Fraction

from jdbpy.errors import EvalError
from jdbpy.session.java.arithmetic import float32, wrap
from jdbpy.session.java.types import DOUBLE, FLOAT, INT, LONG, Primitive

MOST_DIGITS = 4000
"""The longest number, in characters."""

_ESCAPE = re.compile(r"\\(u+[0-9a-fA-F]{4}|[0-3][0-7]{2}|[0-7]{1,2}|\r\n|.)", re.DOTALL)
_SIMPLE_ESCAPES = {
    "b": "\b",
    "t": "\t",
    "n": "\n",
    "f": "\f",
    "r": "\r",
    "s": " ",
    '"': '"',
    "'": "'",
    "\\": "\\",
}
_SURROGATE_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")


def number(text: str, at: int, *, negative: bool = False) -> tuple[Primitive, int | float]:
    """Return the type and value of a numeric literal; ``negative`` says that a ``-`` stands directly before it.

    Raises EvalError for a number that its type cannot hold. The sign is applied to the value.
    """
    digits = text.replace("_", "")
    if len(digits) > MOST_DIGITS:
        raise EvalError(f"a number of {len(digits):,} characters is too long", at)
    if _is_floating(digits):
        kind, value = _floating(digits, at)
        return kind, -value if negative else value
    return _integer(digits, text, at, negative=negative)


def _is_floating(digits: str) -> bool:
    if digits[:2] in ("0x", "0X"):
        return "p" in digits.lower()
    return digits[:2] not in ("0b", "0B") and any(char in digits for char in ".eEfFdD")


def _integer(digits: str, text: str, at: int, *, negative: bool) -> tuple[Primitive, int]:
    kind = LONG if digits[-1] in "lL" else INT
    digits = digits.rstrip("lL")
    too_large = EvalError(f"integer number too large: {text.rstrip('lL')}", at)
    bits = 64 if kind is LONG else 32
    if digits[:2] in ("0x", "0X", "0b", "0B") or (digits[0] == "0" and len(digits) > 1):
        try:
            value = int(digits, 0) if digits[1] in "xXbB" else int(digits, 8)
        except ValueError:
            raise too_large from None  # what javac says of 09
        if value >= 1 << bits:
            raise too_large
        return kind, wrap(kind, -value if negative else wrap(kind, value))
    value = -int(digits) if negative else int(digits)
    if not -(1 << (bits - 1)) <= value < 1 << (bits - 1):
        raise too_large
    return kind, value


def _floating(digits: str, at: int) -> tuple[Primitive, float]:
    kind = FLOAT if digits[-1] in "fF" else DOUBLE
    hexadecimal = digits[:2] in ("0x", "0X")
    digits = digits.rstrip("fFdD")
    exact = _exact_hexadecimal(digits) if hexadecimal else Fraction(digits if digits[-1] != "." else digits[:-1])
    try:
        value = float32(exact) if kind is FLOAT else float(exact)
    except OverflowError:
        value = float("inf")
    if value == float("inf"):
        raise EvalError("floating-point number too large", at)
    if value == 0.0 and exact != 0:
        raise EvalError("floating-point number too small", at)
    return kind, value


def _exact_hexadecimal(digits: str) -> Fraction:
    mantissa, _, exponent = digits[2:].lower().partition("p")
    whole, _, fraction = mantissa.partition(".")
    return Fraction(int(whole + fraction, 16)) * Fraction(2) ** (int(exponent) - 4 * len(fraction))


def character(text: str, at: int) -> int:
    """Return the code unit of a character literal, quotes included in ``text``."""
    return ord(unescape(text[1:-1], at + 1))


def string(text: str, at: int) -> str:
    """Return the value of a string literal or text block, quotes included in ``text``."""
    if text.startswith('"""'):
        return unescape(_strip_indentation(text), at + 3)
    return unescape(text[1:-1], at + 1)


def unescape(text: str, at: int = 0) -> str:
    """Interprets the escape sequences (JLS 3.10.7); ``at`` is the column of the text, for the error."""

    def one(match: re.Match[str]) -> str:
        code = match[1]
        if code[0] == "u" and len(code) > 1:
            return chr(int(code.lstrip("u"), 16))
        if code[0] in "01234567":
            return chr(int(code, 8))
        if code in ("\n", "\r\n", "\r"):
            return ""
        if code not in _SIMPLE_ESCAPES:
            raise EvalError("illegal escape character", at + match.start() + 1)
        return _SIMPLE_ESCAPES[code]

    return pair_surrogates(_ESCAPE.sub(one, text))


def pair_surrogates(text: str) -> str:
    """Return the text with every high surrogate that a low one follows joined with it, as Java sees such a pair."""
    return _SURROGATE_PAIR.sub(lambda pair: _join(pair[0]), text)


def _join(pair: str) -> str:
    return pair.encode("utf-16-le", "surrogatepass").decode("utf-16-le")


def _strip_indentation(text: str) -> str:
    """Return the content of a text block before its escapes are interpreted (JLS 3.10.6)."""
    content = text[3:-3].replace("\r\n", "\n").replace("\r", "\n")
    lines = content.split("\n")[1:]
    counted = [line for line in lines[:-1] if line.strip(" \t\f")] + lines[-1:]
    indentation = min(len(line) - len(line.lstrip(" \t\f")) for line in counted)
    return "\n".join(line[indentation:].rstrip(" \t\f") if line.strip(" \t\f") else "" for line in lines)

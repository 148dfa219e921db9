"""Text of strings, characters and decimals as Java would write it. Pure.

Strings and characters are quoted and escaped so that the text is a Java literal of one line that no terminal can
misread. Decimals are those of JDK 19 and later; ``old_decimals`` has the others.
"""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING

from jdbpy.escape import escape

if TYPE_CHECKING:
    from fractions import Fraction


def string_literal(text: str) -> str:
    """The Java string literal of a text (JLS 3.10.5), in double quotes, on one line."""
    return f'"{_escape(text, chr(34))}"'


def char_literal(char: str) -> str:
    """The Java character literal (JLS 3.10.4) of one UTF-16 unit, in single quotes."""
    return f"'{_escape(char, chr(39))}'"


def _escape(text: str, quote: str) -> str:
    return escape(text.replace("\\", "\\\\").replace(quote, "\\" + quote))


def utf16_length(text: str) -> int:
    """``String.length()`` of a text: characters beyond the BMP count twice."""
    return len(text) + sum(char > "\uffff" for char in text) if not text.isascii() else len(text)


def double_text(value: float) -> str:
    """``Double.toString`` as specified since JDK 19: the shortest decimal that is read back as the same double."""
    if special := special_text(value):
        return special
    digits, exponent = _split(repr(abs(value)))
    if len(digits) == 1:  # Java chooses the nearest of two digits: 4.9E-324, where the shortest is 5E-324
        digits, exponent = _split(f"{abs(value):.1e}")
    return java_form(value < 0, digits, exponent)


def float_text(value: float) -> str:
    """``Float.toString`` as specified since JDK 19, of a value that fits a 32-bit float."""
    if special := special_text(value):
        return special
    digits, exponent = _shortest_float(abs(value))
    return java_form(value < 0, digits, exponent)


def special_text(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    if value == 0:
        return "-0.0" if math.copysign(1, value) < 0 else "0.0"
    return ""


def _split(text: str) -> tuple[str, int]:
    """Significant digits without zeros at their ends, and the exponent of the first: 0.0012 -> ("12", -3)."""
    mantissa, _, exponent = text.lower().partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = whole + fraction
    significant = digits.lstrip("0")
    return significant.rstrip("0"), len(whole) - 1 - (len(digits) - len(significant)) + int(exponent or 0)


def _shortest_float(value: float) -> tuple[str, int]:
    """Digits of the decimal that Float.toString chooses for a positive 32-bit float.

    Of all decimals that round to the float, those of the fewest digits (but at least two), and of these the nearest.
    """
    from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
    from fractions import Fraction

    low, high, inclusive = _rounding_interval(value)
    exact = Decimal(value)
    for count in range(2, 10):
        candidates = [Context(prec=count, rounding=rounding).plus(exact) for rounding in (ROUND_FLOOR, ROUND_CEILING)]
        fits = [
            candidate
            for candidate in candidates
            if low < Fraction(candidate) < high or (inclusive and Fraction(candidate) in (low, high))
        ]
        if fits:
            last = exact.adjusted() - count + 1
            best = min(fits, key=lambda one: (abs(Fraction(one) - Fraction(value)), int(one.scaleb(-last)) % 2))
            return _split(str(best))
    raise AssertionError("nine digits tell every 32-bit float")  # IEEE 754


def _rounding_interval(value: float) -> tuple[Fraction, Fraction, bool]:
    """What rounds to the positive float: lower and upper bound, and whether the bounds themselves do."""
    from fractions import Fraction

    (bits,) = struct.unpack(">I", struct.pack(">f", value))
    exact = Fraction(value)
    below = Fraction(*struct.unpack(">f", struct.pack(">I", bits - 1)))
    low = (exact + below) / 2
    exponent = max(bits >> 23, 1) - 127 - 23
    high = exact + Fraction(2) ** exponent / 2
    return low, high, bits % 2 == 0


def java_form(negative: bool, digits: str, exponent: int) -> str:
    """Digits d1 d2.. with d1 worth 10**exponent, in the form of Double.toString: plain from 1E-3 up to 1E7."""
    if -3 <= exponent < 7:
        if exponent < 0:
            text = "0." + "0" * (-exponent - 1) + digits
        else:
            whole = digits[: exponent + 1].ljust(exponent + 1, "0")
            text = f"{whole}.{digits[exponent + 1 :] or '0'}"
    else:
        text = f"{digits[0]}.{digits[1:] or '0'}E{exponent}"
    return "-" + text if negative else text

"""Text of strings, characters, decimals and other primitive values as Java would write it. Pure.

Strings and characters are quoted and escaped so that the text is a Java literal of one line that no terminal can
misread. Numbers are written without suffix: the type stands beside them.

A number is shown as the target itself prints it. From JDK 19 on ``Double.toString`` and ``Float.toString`` choose the
shortest decimal (JDK-4511638). ``old_double_text`` chooses digits as ``FloatingDecimal`` of earlier releases did:
2.0E23 was 1.9999999999999998E23.
"""

from __future__ import annotations

import math
import struct
from typing import TYPE_CHECKING

from jdbpy.escape import escape
from jdbpy.record import Record
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import TaggedValue

if TYPE_CHECKING:
    from fractions import Fraction


def string_literal(text: str) -> str:
    """Return the Java string literal of a text (JLS 3.10.5), in double quotes, on one line."""
    return f'"{_escape(text, chr(34))}"'


def char_literal(char: str) -> str:
    """Return the Java character literal (JLS 3.10.4) of one UTF-16 unit, in single quotes."""
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
    """Return what rounds to the positive float: lower and upper bound, and whether the bounds themselves do."""
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


_MANTISSA = 52  # bits after the binary point of a double
_LONG_5_POWERS = 27  # powers of five that fit a long
_WIDTHS = (32, 64)  # of the integers with which digits were generated, where they sufficed


class _Binary(Record):
    """A positive number as ``fraction * 2**(exponent - 52)``; ``significant`` bits of the fraction are known."""

    exponent: int
    fraction: int
    significant: int


def old_double_text(value: float) -> str:
    """Return the text of a double."""
    return special_text(value) or _text(value, _double_parts(abs(value)))


def old_float_text(value: float) -> str:
    """Return the text of a float, which ``value`` holds exactly."""
    return special_text(value) or _text(value, _float_parts(abs(value)))


def _text(value: float, parts: _Binary) -> str:
    digits, exponent = _digits(parts)
    return java_form(value < 0, "".join(map(str, digits)), exponent)


def _double_parts(value: float) -> _Binary:
    (bits,) = struct.unpack(">q", struct.pack(">d", value))
    return _parts(bits >> _MANTISSA, bits & ((1 << _MANTISSA) - 1), 1023, 53)


def _float_parts(value: float) -> _Binary:
    (bits,) = struct.unpack(">i", struct.pack(">f", value))
    return _parts(bits >> 23, (bits & ((1 << 23) - 1)) << (_MANTISSA - 23), 127, 24)


def _parts(exponent: int, fraction: int, bias: int, precision: int) -> _Binary:
    """Subnormal numbers are normalized; they have fewer significant bits."""
    if exponent:
        return _Binary(exponent - bias, fraction | 1 << _MANTISSA, precision)
    shift = _MANTISSA + 1 - fraction.bit_length()
    return _Binary(1 - bias - shift, fraction << shift, precision - shift)


def _digits(parts: _Binary) -> tuple[list[int], int]:
    """Decimal digits without zeros at the end, and the exponent of the first."""
    trailing = (parts.fraction & -parts.fraction).bit_length() - 1
    fraction_bits = _MANTISSA + 1 - trailing
    tiny = max(0, fraction_bits - parts.exponent - 1)
    if -21 <= parts.exponent <= 62 and tiny == 0:  # an integer that fits a long
        return _integer_digits(parts)
    return _fraction_digits(parts, trailing, fraction_bits, tiny)


def _integer_digits(parts: _Binary) -> tuple[list[int], int]:
    """Return all digits of an integer but those that its unknown low bits make up."""
    shift = parts.exponent - _MANTISSA
    value = parts.fraction << shift if shift >= 0 else parts.fraction >> -shift
    unknown = parts.exponent - parts.significant - 1
    dropped = int(unknown * math.log10(2)) if parts.exponent > parts.significant and unknown > 1 else 0
    if dropped:
        value, residue = divmod(value, 10**dropped)
        value += residue >= 10**dropped // 2
    text = str(value)
    return [int(digit) for digit in text.rstrip("0")], len(text) - 1 + dropped


def _bits_of_5(power: int) -> int:
    """Return how many bits a power of five was taken to have."""
    return (5**power).bit_length() if 0 < power < _LONG_5_POWERS else 3 * power


def _fraction_digits(parts: _Binary, trailing: int, fraction_bits: int, tiny: int) -> tuple[list[int], int]:
    """Digits generated one by one until what is left lies within the number's own uncertainty."""
    exponent = _estimate(parts)
    b5, s5 = max(0, -exponent), max(0, exponent)
    b2, s2 = b5 + tiny + parts.exponent, s5 + tiny
    m2 = b2 - parts.significant
    b2 -= fraction_bits - 1
    common = min(b2, s2)
    b2, s2, m2 = b2 - common, s2 - common, m2 - common
    if fraction_bits == 1:  # below a power of two the next number is half as far away
        m2 -= 1
    if m2 < 0:
        b2, s2, m2 = b2 - m2, s2 - m2, 0
    widest = max(fraction_bits + b2 + _bits_of_5(b5), s2 + 1 + _bits_of_5(s5 + 1))
    left = (parts.fraction >> trailing) * 5**b5 << b2
    bits = next((bits for bits in _WIDTHS if widest < bits), None)
    return _Generator(left, 5**s5 << s2, 5**b5 << m2, bits).run(exponent)


def _estimate(parts: _Binary) -> int:
    """Return a guess at the decimal exponent, never too small (a straight line for the logarithm)."""
    mantissa = parts.fraction / (1 << _MANTISSA)
    return math.floor((mantissa - 1.5) * 0.289529654 + 0.176091259 + parts.exponent * 0.301029995663981)


class _Generator:
    """Digits of ``left / scale``, known to within ``half``.

    ``bits`` is the width of the integers that were used, None for those of any size. Overflow of the narrow ones had
    an influence on the digits and is part of what the text was; and only they compared strictly.
    """

    def __init__(self, left: int, scale: int, half: int, bits: int | None) -> None:
        self._left = left
        self._scale = scale
        self._half = half
        self._bits = bits

    def run(self, exponent: int) -> tuple[list[int], int]:
        digits: list[int] = []
        low, high = self._next(digits)
        if digits == [0] and not high:
            digits.clear()  # the guess was one too large
            exponent -= 1
        if exponent < -3 or exponent >= 8:  # the form with an exponent has at least two digits
            low = high = False
        while not (low or high):
            low, high = self._next(digits)
        if high and (not low or self._rounds_up(digits)):
            exponent += _increment(digits)
        while len(digits) > 1 and digits[-1] == 0:
            digits.pop()
        return digits, exponent

    def _next(self, digits: list[int]) -> tuple[bool, bool]:
        """Append a digit. Return whether what is left is small enough, and whether the rest up to the next digit is."""
        digit, rest = divmod(self._left, self._scale)
        self._left = 10 * rest
        self._half = self._wrap(self._half * 10)
        digits.append(digit)
        if self._half <= 0 and self._bits:
            return True, True
        reach, tens = self._wrap(self._left + self._half), 10 * self._scale
        return self._left < self._half, reach > tens if self._bits else reach >= tens

    def _rounds_up(self, digits: list[int]) -> bool:
        difference = self._wrap(2 * self._left - 10 * self._scale)
        return digits[-1] % 2 == 1 if difference == 0 else difference > 0

    def _wrap(self, value: int) -> int:
        if self._bits is None:
            return value
        return (value + (1 << self._bits - 1)) % (1 << self._bits) - (1 << self._bits - 1)


def _increment(digits: list[int]) -> int:
    """Add one to the last digit; return 1 when the number became ten times as large."""
    for index in range(len(digits) - 1, -1, -1):
        if digits[index] < 9:
            digits[index] += 1
            return 0
        digits[index] = 0
    digits[0] = 1
    return 1


SHORTEST_DECIMALS = 19
"""The Java release from which on floating-point numbers are printed with the fewest digits."""


def decimal_text(tag: int, value: float, release: int) -> str:
    """``String.valueOf`` of a float or double (by its JDWP tag) in that release of Java."""
    if release < SHORTEST_DECIMALS:
        return old_float_text(value) if tag == Tag.FLOAT else old_double_text(value)
    return float_text(value) if tag == Tag.FLOAT else double_text(value)


def primitive_text(value: TaggedValue, release: int = SHORTEST_DECIMALS) -> str:
    """Return the literal of a primitive value, without the suffixes L and F; "void" for no value."""
    held = value.value
    match value.tag:
        case Tag.BOOLEAN:
            return "true" if held else "false"
        case Tag.CHAR:
            return char_literal(chr(int(held or 0)))
        case Tag.FLOAT | Tag.DOUBLE:
            return decimal_text(value.tag, float(0 if held is None else held), release)
        case Tag.VOID:
            return "void"
        case _:
            return str(held)

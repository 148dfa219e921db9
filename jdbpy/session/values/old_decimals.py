"""``Double.toString`` and ``Float.toString`` as they were before JDK 19: not always the shortest decimal.

Owns the way in which ``FloatingDecimal`` of those releases chose digits, so that a number is shown as the target
itself prints it: 2.0E23 was 1.9999999999999998E23. From JDK 19 on the shortest decimal is
chosen (JDK-4511638), which ``values.literals`` does.
"""

from __future__ import annotations

import math
import struct

from jdbpy.record import Record
from jdbpy.session.values.literals import java_form, special_text

_MANTISSA = 52  # bits after the binary point of a double
_LONG_5_POWERS = 27  # powers of five that fit a long
_WIDTHS = (32, 64)  # of the integers with which digits were generated, where they sufficed


class _Binary(Record):
    """A positive number as ``fraction * 2**(exponent - 52)``; ``significant`` bits of the fraction are known."""

    exponent: int
    fraction: int
    significant: int


def double_text(value: float) -> str:
    """The text of a double."""
    return special_text(value) or _text(value, _double_parts(abs(value)))


def float_text(value: float) -> str:
    """The text of a float, which ``value`` holds exactly."""
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
    """All digits of an integer but those that its unknown low bits make up."""
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
    """How many bits a power of five was taken to have."""
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
    """A guess at the decimal exponent, never too small (a straight line for the logarithm)."""
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
        """Appends a digit; tells whether what is left is small enough, or the rest up to the next digit is."""
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
    """Adds one to the last digit; returns 1 when the number became ten times as large."""
    for index in range(len(digits) - 1, -1, -1):
        if digits[index] < 9:
            digits[index] += 1
            return 0
        digits[index] = 0
    digits[0] = 1
    return 1

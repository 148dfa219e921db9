"""Java's arithmetic on plain Python values: every rule of JLS 15 that computes a number or a boolean.

Owns wrapping, rounding, promotion, shifts, comparison and primitive casts. Values are what the wire carries: ints for
byte, short, char (the code unit), int and long; floats for float and double (a float is kept rounded to single
precision); bools. It is pure and knows neither expressions nor the target.
"""

from __future__ import annotations

import math
import operator
import struct
from collections.abc import Callable, Mapping
from fractions import Fraction

from jdbpy.errors import Thrown
from jdbpy.session.java.types import BOOLEAN, BYTE, CHAR, DOUBLE, FLOAT, INT, LONG, SHORT, Primitive

Number = int | float
_BITS: Mapping[Primitive, int] = {BYTE: 8, SHORT: 16, CHAR: 16, INT: 32, LONG: 64}
_FLOAT32_MANTISSA = 24
_FLOAT32_MIN_EXPONENT = -149  # of the smallest subnormal


def wrap(kind: Primitive, value: int) -> int:
    """Return the low bits of an integer as byte, short, char, int or long hold them (JLS 5.1.3)."""
    bits = _BITS[kind]
    value &= (1 << bits) - 1
    return value if kind is CHAR or value < 1 << (bits - 1) else value - (1 << bits)


def float32(value: float | Fraction) -> float:
    """Rounds to single precision, to nearest and ties to even (IEEE 754); infinities and NaN pass.

    An int or Fraction is rounded once, not first to a double: (float) of a long must not be rounded twice.
    """
    if isinstance(value, float):
        try:
            return float(struct.unpack("f", struct.pack("f", value))[0])
        except OverflowError:
            return math.copysign(math.inf, value)
    if value == 0:
        return 0.0
    magnitude = abs(Fraction(value))
    exponent = magnitude.numerator.bit_length() - magnitude.denominator.bit_length() - _FLOAT32_MANTISSA
    if magnitude >= Fraction(2) ** (exponent + _FLOAT32_MANTISSA):
        exponent += 1
    exponent = max(exponent, _FLOAT32_MIN_EXPONENT)
    return float32(math.copysign(math.ldexp(float(round(magnitude / Fraction(2) ** exponent)), exponent), value))


def unary_promotion(kind: Primitive) -> Primitive:
    """Return the type of ``+x``, ``-x``, ``~x`` and of each operand of a shift (JLS 5.6)."""
    return INT if kind.rank < INT.rank else kind


def binary_promotion(left: Primitive, right: Primitive) -> Primitive:
    """Return the common type of two numeric operands (JLS 5.6)."""
    wider = left if left.rank >= right.rank else right
    return unary_promotion(wider)


def widens(source: Primitive, target: Primitive) -> bool:
    """True if source becomes target by identity or a widening primitive conversion (JLS 5.1.1, 5.1.2)."""
    if source is target:
        return True
    if source.rank == 0 or target.rank == 0 or target is CHAR:
        return False
    return source.rank < target.rank


def fits(value: Number, kind: Primitive) -> bool:
    """True if a constant int is representable in byte, short, char or int (JLS 5.2: implicit narrowing)."""
    return isinstance(value, int) and kind in _BITS and wrap(kind, value) == value


def convert(source: Primitive, target: Primitive, value: Number | bool) -> Number | bool:
    """Return a primitive cast or widening (JLS 5.1.2, 5.1.3). Boolean converts to nothing but itself."""
    if target is BOOLEAN:
        return value
    if target is DOUBLE:
        return float(value)
    if target is FLOAT:
        return float32(value if isinstance(value, float) else Fraction(value))
    if isinstance(value, float):
        value = _float_to_integer(value, LONG if target is LONG else INT)
    return wrap(target, int(value))


def _float_to_integer(value: float, kind: Primitive) -> int:
    """Toward zero; NaN is 0, what is too large becomes the nearest limit (JLS 5.1.3)."""
    if math.isnan(value):
        return 0
    limit = 1 << (_BITS[kind] - 1)
    if value >= limit:
        return limit - 1
    return max(int(value), -limit) if not math.isinf(value) else -limit


def _divide(left: int, right: int) -> int:
    """Integer division toward zero (JLS 15.17.2)."""
    if right == 0:
        raise Thrown("java.lang.ArithmeticException", "/ by zero")
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


def _remainder(left: int, right: int) -> int:
    """The sign is the dividend's (JLS 15.17.3)."""
    return left - _divide(left, right) * right


def _float_divide(left: float, right: float) -> float:
    if right == 0.0 and not math.isnan(left):
        if left == 0.0:
            return math.nan
        return math.copysign(math.inf, left) * math.copysign(1.0, right)
    return left / right if right != 0.0 else math.nan


def _float_remainder(left: float, right: float) -> float:
    """Truncating remainder, as C's fmod (JLS 15.17.3), which Python raises for where IEEE has NaN."""
    if math.isinf(left) or right == 0.0 or math.isnan(left) or math.isnan(right):
        return math.nan
    return math.fmod(left, right)


_INTEGER_OPS: Mapping[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _divide,
    "%": _remainder,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}
_FLOAT_OPS: Mapping[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _float_divide,
    "%": _float_remainder,
}
_COMPARISONS: Mapping[str, Callable[[Number, Number], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
BITWISE = frozenset("&|^")
SHIFTS = frozenset(("<<", ">>", ">>>"))
RELATIONAL = frozenset(("<", "<=", ">", ">="))
EQUALITY = frozenset(("==", "!="))


def binary(op: str, kind: Primitive, left: Number, right: Number) -> Number:
    """``left op right`` for one of ``+ - * / % & | ^``, both operands already promoted to ``kind``.

    kind is int, long, float, double, or boolean for the bitwise three. Raises Thrown for an integer division by zero.
    """
    if kind is BOOLEAN:
        return bool(_INTEGER_OPS[op](int(left), int(right)))
    if kind is INT or kind is LONG:
        return wrap(kind, _INTEGER_OPS[op](int(left), int(right)))
    result = _FLOAT_OPS[op](float(left), float(right))
    # A double has more than twice the bits of a float, so rounding its result again loses nothing for these five.
    return float32(result) if kind is FLOAT else result


def compare(op: str, left: Number, right: Number) -> bool:
    """``left op right``: a comparison of two promoted numbers, or ``== !=`` of two booleans (JLS 15.20, 15.21)."""
    return _COMPARISONS[op](left, right)


def shift(op: str, kind: Primitive, value: int, distance: int) -> int:
    """Return a shift of an int or long (JLS 15.19): only the low 5 or 6 bits of the distance count."""
    bits = _BITS[kind]
    distance &= bits - 1
    if op == "<<":
        return wrap(kind, value << distance)
    if op == ">>":
        return value >> distance
    return wrap(kind, (value & ((1 << bits) - 1)) >> distance)


def negate(kind: Primitive, value: Number) -> Number:
    """``-x`` of a promoted number (JLS 15.15.4): -0.0 for 0.0, and the smallest int stays what it is."""
    return -value if isinstance(value, float) else wrap(kind, -value)


def complement(kind: Primitive, value: int) -> int:
    """``~x`` of a promoted integer (JLS 15.15.5)."""
    return wrap(kind, ~value)

"""Java's arithmetic on plain values: tables from the specification, and laws that hold for all numbers."""

from __future__ import annotations

import math
import struct
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from jdbpy.errors import Thrown
from jdbpy.session.java import arithmetic
from jdbpy.session.java.types import BOOLEAN, BYTE, CHAR, DOUBLE, FLOAT, INT, LONG, PRIMITIVES, SHORT, Primitive

MAX, MIN = 2**31 - 1, -(2**31)
LMAX, LMIN = 2**63 - 1, -(2**63)
INF, NAN = math.inf, math.nan


@pytest.mark.parametrize(
    ("op", "kind", "left", "right", "result"),
    [
        ("+", INT, MAX, 1, MIN),
        ("-", INT, MIN, 1, MAX),
        ("*", INT, MAX, MAX, 1),
        ("*", INT, 100_000, 100_000, 1_410_065_408),
        ("*", INT, MIN, -1, MIN),
        ("/", INT, 7, 2, 3),
        ("/", INT, -7, 2, -3),
        ("/", INT, 7, -2, -3),
        ("/", INT, -7, -2, 3),
        ("/", INT, MIN, -1, MIN),
        ("/", INT, MIN, 1, MIN),
        ("%", INT, 7, 3, 1),
        ("%", INT, -7, 3, -1),
        ("%", INT, 7, -3, 1),
        ("%", INT, -7, -3, -1),
        ("%", INT, MIN, -1, 0),
        ("+", LONG, LMAX, 1, LMIN),
        ("*", LONG, LMAX, 2, -2),
        ("/", LONG, LMIN, -1, LMIN),
        ("/", LONG, 10**18, 7, 142857142857142857),
        ("%", LONG, LMIN, -1, 0),
        ("&", INT, -1, 0xFF, 0xFF),
        ("|", INT, MIN, 1, MIN + 1),
        ("^", INT, -1, 5, -6),
        ("&", LONG, -1, LMAX, LMAX),
        ("&", BOOLEAN, True, False, False),
        ("|", BOOLEAN, True, False, True),
        ("^", BOOLEAN, True, True, False),
        ("/", DOUBLE, 1.0, 0.0, INF),
        ("/", DOUBLE, -1.0, 0.0, -INF),
        ("/", DOUBLE, 1.0, -0.0, -INF),
        ("/", DOUBLE, 0.0, 0.0, NAN),
        ("/", DOUBLE, INF, INF, NAN),
        ("/", DOUBLE, INF, 0.0, INF),
        ("/", DOUBLE, NAN, 0.0, NAN),
        ("/", DOUBLE, 1.0, INF, 0.0),
        ("%", DOUBLE, 7.5, 2.0, 1.5),
        ("%", DOUBLE, -7.5, 2.0, -1.5),
        ("%", DOUBLE, 7.5, -2.0, 1.5),
        ("%", DOUBLE, 5.0, 0.0, NAN),
        ("%", DOUBLE, INF, 2.0, NAN),
        ("%", DOUBLE, 5.0, INF, 5.0),
        ("%", DOUBLE, -0.0, 2.0, -0.0),
        ("+", DOUBLE, INF, -INF, NAN),
        ("*", DOUBLE, 1e308, 10.0, INF),
        ("*", FLOAT, 3.4028234663852886e38, 2.0, INF),
        ("+", FLOAT, 16777216.0, 1.0, 16777216.0),
        ("*", FLOAT, 1.4012984643248170709e-45, 0.25, 0.0),
    ],
)
def test_binary(op: str, kind: Primitive, left: float, right: float, result: float) -> None:
    assert same(arithmetic.binary(op, kind, left, right), result)


@pytest.mark.parametrize(("op", "kind"), [(op, kind) for op in "/%" for kind in (INT, LONG)])
def test_division_by_zero(op: str, kind: Primitive) -> None:
    with pytest.raises(Thrown) as caught:
        arithmetic.binary(op, kind, 5, 0)
    assert (caught.value.exception_type, caught.value.exception_message) == (
        "java.lang.ArithmeticException",
        "/ by zero",
    )


@pytest.mark.parametrize(
    ("op", "kind", "value", "distance", "result"),
    [
        ("<<", INT, 1, 31, MIN),
        ("<<", INT, 1, 32, 1),
        ("<<", INT, 1, 33, 2),
        ("<<", INT, 1, -1, MIN),
        ("<<", INT, -1, 4, -16),
        (">>", INT, -16, 2, -4),
        (">>", INT, -1, 31, -1),
        (">>", INT, MIN, 31, -1),
        (">>>", INT, -1, 1, MAX),
        (">>>", INT, -1, 28, 15),
        (">>>", INT, -1, 0, -1),
        (">>>", INT, -1, 32, -1),
        ("<<", LONG, 1, 63, LMIN),
        ("<<", LONG, 1, 64, 1),
        (">>", LONG, LMIN, 63, -1),
        (">>>", LONG, -1, 1, LMAX),
        (">>>", LONG, -1, 63, 1),
    ],
)
def test_shifts(op: str, kind: Primitive, value: int, distance: int, result: int) -> None:
    assert arithmetic.shift(op, kind, value, distance) == result


@pytest.mark.parametrize(
    ("source", "target", "value", "result"),
    [
        (INT, BYTE, 200, -56),
        (INT, BYTE, -129, 127),
        (INT, SHORT, 70_000, 4464),
        (INT, CHAR, -1, 0xFFFF),
        (INT, CHAR, 65, 65),
        (CHAR, INT, 0xFFFF, 0xFFFF),
        (CHAR, SHORT, 0xFFFF, -1),
        (BYTE, CHAR, -1, 0xFFFF),
        (LONG, INT, 2**32 + 5, 5),
        (LONG, INT, LMIN, 0),
        (INT, LONG, -1, -1),
        (DOUBLE, INT, 3.99, 3),
        (DOUBLE, INT, -3.99, -3),
        (DOUBLE, INT, 1e20, MAX),
        (DOUBLE, INT, -1e20, MIN),
        (DOUBLE, INT, NAN, 0),
        (DOUBLE, INT, -INF, MIN),
        (DOUBLE, LONG, 1e30, LMAX),
        (DOUBLE, LONG, -INF, LMIN),
        (DOUBLE, LONG, 9.223372036854775e18, 9223372036854774784),
        (DOUBLE, BYTE, 300.7, 44),
        (DOUBLE, SHORT, 1e10, -1),
        (DOUBLE, CHAR, 97.5, 97),
        (FLOAT, INT, 16777217.0, 16777217),
        (INT, FLOAT, 16_777_217, 16777216.0),
        (LONG, FLOAT, LMAX, 9.223372036854775807e18),
        (LONG, FLOAT, 9_007_199_791_611_905, 9007200328482816.0),  # rounded once, not by way of double
        (LONG, DOUBLE, LMAX, 9.223372036854775807e18),
        (DOUBLE, FLOAT, 0.1, 0.10000000149011612),
        (DOUBLE, FLOAT, 1e40, INF),
        (DOUBLE, FLOAT, -1e40, -INF),
        (DOUBLE, FLOAT, 1e-50, 0.0),
        (DOUBLE, FLOAT, NAN, NAN),
        (FLOAT, DOUBLE, 0.5, 0.5),
        (BOOLEAN, BOOLEAN, True, True),
    ],
)
def test_conversions(source: Primitive, target: Primitive, value: float, result: float) -> None:
    assert same(arithmetic.convert(source, target, value), result)


@pytest.mark.parametrize(
    ("left", "right", "result"),
    [
        (BYTE, BYTE, INT),
        (CHAR, SHORT, INT),
        (INT, LONG, LONG),
        (LONG, FLOAT, FLOAT),
        (FLOAT, DOUBLE, DOUBLE),
        (CHAR, DOUBLE, DOUBLE),
        (INT, INT, INT),
    ],
)
def test_binary_promotion(left: Primitive, right: Primitive, result: Primitive) -> None:
    assert arithmetic.binary_promotion(left, right) is result
    assert arithmetic.binary_promotion(right, left) is result


def test_widening_is_what_the_specification_lists() -> None:
    """JLS 5.1.2, with identity."""
    order = ["byte", "short", "int", "long", "float", "double"]
    wanted = {(a, b) for i, a in enumerate(order) for b in order[i:]}
    wanted |= {("char", b) for b in ("char", "int", "long", "float", "double")} | {
        ("boolean", "boolean"),
        ("void", "void"),
    }
    kinds = PRIMITIVES.values()
    assert {(a.name, b.name) for a in kinds for b in kinds if arithmetic.widens(a, b)} == wanted


@pytest.mark.parametrize(
    ("value", "kind", "fits"),
    [
        (127, BYTE, True),
        (128, BYTE, False),
        (-129, BYTE, False),
        (0xFFFF, CHAR, True),
        (-1, CHAR, False),
        (1.0, INT, False),
    ],
)
def test_constants_that_fit(value: float, kind: Primitive, fits: bool) -> None:
    assert arithmetic.fits(value, kind) is fits


def test_unary() -> None:
    assert arithmetic.negate(INT, MIN) == MIN
    assert same(arithmetic.negate(DOUBLE, 0.0), -0.0)
    assert arithmetic.complement(INT, 5) == -6
    assert arithmetic.unary_promotion(BYTE) is INT
    assert arithmetic.unary_promotion(FLOAT) is FLOAT


@pytest.mark.parametrize(("op", "result"), [("<", False), ("<=", False), (">", False), ("==", False), ("!=", True)])
def test_nan_compares_with_nothing(op: str, result: bool) -> None:
    assert arithmetic.compare(op, NAN, NAN) is result


@given(st.integers(LMIN, LMAX), st.integers(LMIN, LMAX))
def test_division_and_remainder_belong_together(left: int, right: int) -> None:
    """JLS 15.17.3: (a / b) * b + (a % b) == a, and the remainder has the sign of the dividend."""
    if right == 0:
        return
    quotient, rest = arithmetic.binary("/", LONG, left, right), arithmetic.binary("%", LONG, left, right)
    product = arithmetic.binary("*", LONG, quotient, right)
    assert arithmetic.binary("+", LONG, product, rest) == left
    assert rest == 0 or (rest < 0) == (left < 0)


@given(st.integers(LMIN, LMAX))
def test_integers_are_rounded_to_floats_once(value: int) -> None:
    """The nearest float, ties to even: none of the neighbors is nearer."""
    found = arithmetic.float32(Fraction(value))
    bits = struct.unpack(">i", struct.pack(">f", found))[0]
    neighbors = [struct.unpack(">f", struct.pack(">i", bits + step))[0] for step in (-1, 1)] if value else []
    distance = abs(Fraction(found) - value)
    for neighbor in neighbors:
        other = abs(Fraction(neighbor) - value)
        assert distance < other or (distance == other and bits % 2 == 0)


@given(st.floats(width=32), st.floats(width=32), st.sampled_from("+-*/"))
def test_float_operations_stay_floats(left: float, right: float, op: str) -> None:
    result = float(arithmetic.binary(op, FLOAT, left, right))
    assert same(arithmetic.float32(result), result)


def same(one: float, other: float) -> bool:
    """Equal, of one type, with NaN equal to itself and -0.0 unlike 0.0."""
    return type(one) is type(other) and repr(one) == repr(other)

"""How floating-point numbers were printed before JDK 19: facts recorded from JDK 17, of every way through the rule."""

from __future__ import annotations

import math

import pytest

from jdbpy.session.java.arithmetic import float32
from jdbpy.session.java.texts import old_double_text, old_float_text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (math.inf, "Infinity"),
        (-math.inf, "-Infinity"),
        (math.nan, "NaN"),
        (1.0, "1.0"),
        (-1.5, "-1.5"),
        (0.1, "0.1"),
        (0.001, "0.001"),
        (0.0001, "1.0E-4"),
        (9999999.0, "9999999.0"),
        (1e7, "1.0E7"),
        (123456789012.0, "1.23456789012E11"),
        (1e21, "1.0E21"),
        (1e22, "1.0E22"),
        (1e23, "9.999999999999999E22"),
        (2e23, "1.9999999999999998E23"),
        (2.0**63, "9.223372036854776E18"),
        (2.0**80, "1.2089258196146292E24"),
        (2.0**-44, "5.6843418860808015E-14"),
        (4.9e-324, "4.9E-324"),
        (2.2e-322, "2.2E-322"),
        (1.7976931348623157e308, "1.7976931348623157E308"),
        (2.2250738585072014e-308, "2.2250738585072014E-308"),
        (0.1 + 0.2, "0.30000000000000004"),
        (2.0e-3, "0.002"),
        (1.0 / 3, "0.3333333333333333"),
    ],
)
def test_doubles(value: float, text: str) -> None:
    assert old_double_text(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.1, "0.1"),
        (1.0 / 3, "0.33333334"),
        (1e10, "1.0E10"),
        (3.4028235e38, "3.4028235E38"),
        (1.4e-45, "1.4E-45"),
        (16777216.0, "1.6777216E7"),
        (9007200328482816.0, "9.0072003E15"),
        (2.0**83, "9.6714065E24"),  # an overflow of the rule itself, which is part of what was printed
        (12345678.9, "1.2345679E7"),
    ],
)
def test_floats(value: float, text: str) -> None:
    assert old_float_text(float32(value)) == text

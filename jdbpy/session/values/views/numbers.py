"""Boxed primitives, BigInteger and BigDecimal."""

from __future__ import annotations

from collections.abc import Sequence

from jdbpy.session.values.obj import Obj, number
from jdbpy.session.values.primitives import primitive_text
from jdbpy.session.values.shown import Scalar, Shown
from jdbpy.session.values.views.registry import view
from jdbpy.wire.ids import TaggedValue

_NOT_COMPACT = -(1 << 63)
"""``BigDecimal.INFLATED``: the digits are in ``intVal``."""


@view(
    "java.lang.Boolean",
    "java.lang.Byte",
    "java.lang.Character",
    "java.lang.Double",
    "java.lang.Float",
    "java.lang.Integer",
    "java.lang.Long",
    "java.lang.Short",
)
async def boxed(obj: Obj) -> Shown:
    value = await obj.get("value")
    return Scalar(primitive_text(value, obj.reader.release), held=value)


@view("java.math.BigInteger")
async def big_integer(obj: Obj) -> Shown:
    sign, magnitude = await obj.read("signum", "mag")
    return Scalar(str(await _whole(obj, sign, magnitude)))


async def _whole(obj: Obj, sign: TaggedValue, magnitude: TaggedValue) -> int:
    """Sign and magnitude; the latter in 32-bit words, the most significant first, which come as signed numbers."""
    words: Sequence[TaggedValue] = await obj.elements(magnitude)
    result = 0
    for word in words:
        result = result << 32 | number(word) & 0xFFFFFFFF
    return number(sign) * result


@view("java.math.BigDecimal")
async def big_decimal(obj: Obj) -> Shown:
    compact, scale, big = await obj.read("intCompact", "scale", "intVal")
    unscaled = number(compact)
    if unscaled == _NOT_COMPACT:
        unscaled = await _whole(obj, *await obj.object_fields(big, "signum", "mag"))
    return Scalar(decimal_text(unscaled, number(scale)))


def decimal_text(unscaled: int, scale: int) -> str:
    """``BigDecimal.toString``: plain for exponents down to -6, else in scientific notation."""
    digits = str(abs(unscaled))
    sign = "-" if unscaled < 0 else ""
    if scale == 0:
        return sign + digits
    exponent = len(digits) - 1 - scale
    if scale > 0 and exponent >= -6:
        padded = digits.rjust(scale + 1, "0")
        return f"{sign}{padded[:-scale]}.{padded[-scale:]}"
    mantissa = digits[0] + (f".{digits[1:]}" if len(digits) > 1 else "")
    return f"{sign}{mantissa}" + (f"E{exponent:+d}" if exponent else "")

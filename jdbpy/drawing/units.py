"""Formats weights."""

from __future__ import annotations

SAMPLES, NANOS, BYTES, CALLS, OBJECTS = "samples", "nanoseconds", "bytes", "calls", "objects"
"""What a weight counts."""

_TIMES = ((1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs"))
_SIZES = ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "kB"))


def in_words(weight: float, unit: str) -> str:
    """Format a weight with its unit: ``1.25 s``, ``3.1 MB``, ``1,204 samples``."""
    if unit == NANOS:
        return _scaled(weight, _TIMES, "ns")
    if unit == BYTES:
        return _scaled(weight, _SIZES, "bytes")
    return f"{weight:,.0f} {unit}" if weight != 1 else f"1 {unit.removesuffix('s')}"


def _scaled(weight: float, scales: tuple[tuple[int, str], ...], least: str) -> str:
    for size, name in scales:
        if abs(weight) >= size:
            number = weight / size
            return f"{number:.2f} {name}" if abs(number) < 10 else f"{number:,.1f} {name}"
    return f"{weight:,.0f} {least}"

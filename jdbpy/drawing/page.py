"""What all pictures share: escaping for XML, and colors that are legible on light and dark backgrounds."""

from __future__ import annotations

import html
import zlib

from jdbpy.escape import escape

STYLE = """
svg { background: var(--paper); color: var(--ink); font: 12px ui-monospace, "DejaVu Sans Mono", Menlo, monospace }
svg, :root { --paper: #ffffff; --ink: #1c1c1c; --faint: #6b6b6b; --line: #d8d8d8; --found: #8e24aa; --bar: #c8692b }
text { fill: var(--ink) }
.faint { fill: var(--faint) }
.line { stroke: var(--line) }
.bar { fill: var(--bar) }
@media (prefers-color-scheme: dark) {
  svg, :root { --paper: #17181b; --ink: #e9e9e9; --faint: #a0a0a0; --line: #3a3c41; --found: #d88bea; --bar: #d97f42 }
}
"""

_LIBRARIES = ("java.", "javax.", "jdk.", "sun.", "com.sun.")


def text(value: str) -> str:
    """Escape text for XML and HTML, attributes included."""
    return html.escape(escape(value), quote=True)


def hue(name: str) -> str:
    """Return the color of a method: warm for the program, cool for the JDK; always the same for a class."""
    number = zlib.crc32(name.rpartition(".")[0].encode("utf-8", "replace"))
    if name.startswith(_LIBRARIES):
        return f"hsl({150 + number % 60} 32% {66 + number // 61 % 9}%)"
    return f"hsl({12 + number % 42} 82% {64 + number // 61 % 9}%)"


def shade(change: float) -> str:
    """Return the color of a change, from -1 (gone entirely: blue) to 1 (entirely new: red)."""
    strength = min(1.0, abs(change)) ** 0.5
    if strength < 0.05:
        return "hsl(0 0% 82%)"
    return f"hsl({4 if change > 0 else 214} {40 + 45 * strength:.0f}% {88 - 32 * strength:.0f}%)"


def shortened(name: str, room: int) -> str:
    """Shorten a method's name to a number of characters, dropping packages before letters; "" if nothing fits."""
    if len(name) <= room:
        return name
    short = ".".join(name.split(".")[-2:]) if not name.startswith("[") else name
    if len(short) <= room:
        return short
    return short[: room - 1] + "…" if room >= 4 else ""

"""Bar charts and histograms as SVG; sparklines as text."""

from __future__ import annotations

from collections.abc import Sequence

from jdbpy.drawing import page
from jdbpy.drawing.units import in_words

_WIDTH, _ROW, _TOP = 900, 22, 52
_NAMES = 380
_LETTER = 7.25

_BLOCKS = "▁▂▃▄▅▆▇█"


def bars(rows: Sequence[tuple[str, float]], unit: str, title: str) -> str:
    """Return the SVG of a bar chart with one bar per name."""
    most = max((weight for _, weight in rows), default=0) or 1
    room = _WIDTH - _NAMES - 130
    lines = []
    for place, (name, weight) in enumerate(rows):
        said, y, length = page.text(in_words(weight, unit)), _TOP + place * _ROW, max(1.0, room * weight / most)
        short = page.text(page.shortened(name, int((_NAMES - 16) / _LETTER)))
        lines.append(
            f"<g><title>{page.text(name)}: {said}</title>"
            f'<text x="{_NAMES - 8}" y="{y + 14}" text-anchor="end">{short}</text>'
            f'<rect class="bar" x="{_NAMES}" y="{y + 2}" width="{length:.1f}" height="{_ROW - 6}" rx="2"/>'
            f'<text class="faint" x="{_NAMES + length + 6:.1f}" y="{y + 14}">{said}</text></g>'
        )
    return _picture(title, _TOP + len(rows) * _ROW + 12, lines)


def histogram(buckets: Sequence[tuple[float, float, int]], unit: str, title: str) -> str:
    """Return the SVG of a histogram; each bucket is its lower bound, its upper bound, and its count."""
    most = max((count for _, _, count in buckets), default=0) or 1
    height, left = 240, 46
    step = (_WIDTH - left - 16) / (len(buckets) or 1)
    floor = _TOP + height
    lines = [f'<line class="line" x1="{left}" y1="{floor}" x2="{_WIDTH - 16}" y2="{floor}"/>']
    lines.append(f'<text class="faint" x="{left - 6}" y="{_TOP + 10}" text-anchor="end">{most:,}</text>')
    every = max(1, -(-len(buckets) * 84 // int(_WIDTH - left - 16)))
    for place, (low, high, count) in enumerate(buckets):
        x, tall = left + place * step, height * count / most
        about = page.text(f"{in_words(low, unit)} to {in_words(high, unit)}: {count:,}")
        lines.append(
            f'<g><title>{about}</title><rect class="bar" x="{x + 1:.1f}" y="{floor - tall:.1f}" '
            f'width="{max(1.0, step - 2):.1f}" height="{tall:.1f}"/></g>'
        )
        if place % every == 0:
            label = page.text(in_words(low, unit))
            lines.append(f'<text class="faint" x="{x:.1f}" y="{floor + 16}">{label}</text>')
    return _picture(title, floor + 28, lines)


def sparkline(values: Sequence[float], width: int = 60) -> str:
    """Return a line of block characters, each as high as the sum of its share of the values."""
    if not values:
        return ""
    width = min(width, len(values))
    sums = [sum(values[len(values) * at // width : len(values) * (at + 1) // width]) for at in range(width)]
    most = max(sums) or 1
    return "".join(_BLOCKS[min(7, int(8 * value / most))] if value else " " for value in sums)


def _picture(title: str, height: int, lines: Sequence[str]) -> str:
    head = page.text(title)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" width="100%" role="img" '
        f'aria-label="{head}">\n<style>{page.STYLE}</style>\n'
        f'<rect width="{_WIDTH}" height="{height}" style="fill: var(--paper)"/>\n'
        f'<text x="8" y="24" style="font-size: 15px; font-weight: bold">{head}</text>\n'
        + "\n".join(lines)
        + "\n</svg>\n"
    )

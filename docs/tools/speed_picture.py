"""Draw what works take with jdbpy, JDI and jdb as SVG, and the same as a table: ``./dev generate speed``.

The figures are those of docs/measurements.md, which ``./dev bench`` writes.
The bars are logarithmic: each line of the grid is ten times the one before.
"""

from __future__ import annotations

import math
import re
from html import escape
from pathlib import Path

from jdbpy.record import Record

DOCS = Path(__file__).resolve().parents[1]
MEASURED = DOCS / "measurements.md"
PICTURE = DOCS / "pictures" / "speed.svg"
PAGE = DOCS / "performance.md"

BEGIN, END = "<!-- generated: ./dev generate speed -->\n", "<!-- end -->\n"

WORKS = (
    ("stacks of 200 threads, link of 100 ms", "`where all`, 200 threads of 20 frames", "100 ms"),
    ("`locals` of 23 variables, link of 100 ms", "`locals`, 23 variables", "100 ms"),
    ("a `step` with its source, link of 100 ms", "a `step`", "100 ms"),
    ("a `step` with its source, same machine", "a `step`", "loopback"),
    ("a hit with a false condition, link of 20 ms", "a condition in the target: i == -1", "20 ms"),
)
"""What is shown: a name for it, and the row and link of the measurements."""

WHO = ("jdbpy", "JDI", "jdb")
COLORS = {"jdbpy": "#2f7d4f", "JDI": "#8a8a8a", "jdb": "#c2c2c2"}
UNITS = {"ns": 1e-9, "µs": 1e-6, "ms": 1e-3, "s": 1.0}

LOWEST, HIGHEST = -9, 2  # powers of ten of a second: a nanosecond to a hundred seconds
WIDTH, LEFT, RIGHT, TOP = 900, 310, 70, 34
BAR, GAP = 13, 16


class Work(Record):
    """A work with the time that each needs, as it is written in the measurements ("2.4 ns"); "" is not measured."""

    name: str
    times: tuple[str, ...]


def works() -> list[Work]:
    """Return what is shown. Raises LookupError if the measurements have no such row."""
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in MEASURED.read_text(encoding="utf-8").splitlines()
        if line.startswith("|")
    ]
    head = next(row for row in rows if row[:2] == ["work", "link"])
    columns = [head.index(who) for who in WHO]
    found = []
    for name, work, link in WORKS:
        row = next((row for row in rows if row[:2] == [work, link]), None)
        if row is None:
            raise LookupError(f"{MEASURED.name} has no row {work!r} for {link}: name another one in WORKS")
        found.append(Work(name, tuple(row[each].split(",")[0] for each in columns)))
    return found


def seconds(text: str) -> float:
    """Return the seconds of "2.4 ns" or "47.6 s"."""
    match = re.fullmatch(r"([\d.]+) (\S+)", text)
    if match is None:
        raise ValueError(f"not a time: {text!r}")
    return float(match[1]) * UNITS[match[2]]


def table(shown: list[Work]) -> str:
    """Return the works as a table in Markdown."""
    lines = [f"| | {' | '.join(WHO)} |", "|---|---|---|---|"]
    lines += [f"| {work.name} | {' | '.join(work.times)} |" for work in shown]
    return "\n".join(lines) + "\n"


def svg(shown: list[Work]) -> str:
    """Return the picture."""
    scale = (WIDTH - LEFT - RIGHT) / (HIGHEST - LOWEST)
    parts, y = [], TOP
    for work in shown:
        begin = y
        for who, time in zip(WHO, work.times, strict=True):
            if time:
                length = (math.log10(seconds(time)) - LOWEST) * scale
                parts.append(f'<rect x="{LEFT}" y="{y}" width="{length:.0f}" height="{BAR}" fill="{COLORS[who]}"/>')
                parts.append(f'<text x="{LEFT + length + 5:.0f}" y="{y + 11}">{escape(f"{who} {time}")}</text>')
                y += BAR + 2
        name = escape(work.name.replace("`", ""))
        parts.append(f'<text x="{LEFT - 10}" y="{(begin + y) / 2 + 4:.0f}" text-anchor="end">{name}</text>')
        y += GAP
    grid = []
    for power, label in ((-9, "1 ns"), (-6, "1 µs"), (-3, "1 ms"), (0, "1 s"), (2, "100 s")):
        x = LEFT + (power - LOWEST) * scale
        grid.append(f'<line x1="{x:.0f}" y1="{TOP - 8}" x2="{x:.0f}" y2="{y - GAP}" stroke="#ddd"/>')
        grid.append(f'<text x="{x:.0f}" y="{TOP - 14}" text-anchor="middle" fill="#777">{label}</text>')
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" font-family="sans-serif" font-size="12">\n'
        f'<rect width="{WIDTH}" height="{y}" fill="#fff"/>\n' + "\n".join([*grid, *parts]) + "\n</svg>\n"
    )


def page(shown: list[Work]) -> str:
    """Return the page with the table of today's measurements."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    return f"{before}{BEGIN}\n{table(shown)}\n{END}{after}"


def write() -> None:
    shown = works()
    PICTURE.write_text(svg(shown), encoding="utf-8")
    PAGE.write_text(page(shown), encoding="utf-8")

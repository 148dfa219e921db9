"""What came of the trials, as a table: on the terminal, and in docs/reliability.md."""

from __future__ import annotations

import os
import platform
from collections.abc import Sequence
from pathlib import Path

from tests.soak.trial import Outcome

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reliability.md"
BEGIN, END = "<!-- ./dev soak --write: begin -->", "<!-- ./dev soak --write: end -->"


def plain(outcomes: Sequence[Outcome]) -> str:
    """The table for a terminal, failures below it."""
    rows = [("trial", "Java", "tries", "failed", "seconds")]
    for one in outcomes:
        rows.append((one.trial, one.jvm or "-", f"{one.tries:,}", str(one.failed), f"{one.seconds:.0f}"))
    figures = ["figures", *(", ".join(f"{name}: {value}" for name, value in one.figures.items()) for one in outcomes)]
    widths = [max(len(row[i]) for row in rows) for i in range(5)]
    lines = []
    for row, measured in zip(rows, figures, strict=True):
        padded = [cell.ljust(width) for cell, width in zip(row[:2], widths[:2], strict=True)]
        padded += [cell.rjust(width) for cell, width in zip(row[2:], widths[2:], strict=True)]
        lines.append("  ".join([*padded, measured]).rstrip())
    for one in outcomes:
        for failure in one.failures:
            again = f"./dev soak --only {one.trial}" + (f" --jvm {one.jvm}" if one.jvm else "")
            times = f"   ({failure.times} times)" if failure.times > 1 else ""
            lines += [f"FAILED {again} --seed {failure.seed} --tries 1{times}", f"       {failure.what}"]
    return "\n".join(lines) + "\n"


def markdown(outcomes: Sequence[Outcome], minutes: float) -> str:
    """The table for the page."""
    lines = [
        f"A run of {minutes:g} minutes with seed {outcomes[0].seed}, on {os.cpu_count()} processors, "
        f"{platform.system()}, Python {platform.python_version()}:",
        "",
        "| trial | Java | tries | failed | figures |",
        "|---|---|---|---|---|",
    ]
    for one in outcomes:
        figures = "; ".join(f"{name}: {value}" for name, value in one.figures.items())
        lines.append(f"| {one.trial} | {one.jvm or '-'} | {one.tries:,} | {one.failed} | {figures} |")
    return "\n".join(lines) + "\n"


def write(outcomes: Sequence[Outcome], minutes: float) -> None:
    """Replace the table of the page."""
    text = PAGE.read_text(encoding="utf-8")
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    PAGE.write_text(f"{head}{BEGIN}\n\n{markdown(outcomes, minutes)}\n{END}{tail}", encoding="utf-8")

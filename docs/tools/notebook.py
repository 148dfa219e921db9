"""Runs the notebook of docs/notebooks and keeps what its cells show: ``./dev generate notebook``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

NOTEBOOK = Path(__file__).resolve().parents[1] / "notebooks" / "coffee.ipynb"


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
    """Execute the notebook and write it with its outputs, without what differs from run to run."""
    import nbformat

    notebook = executed()
    for cell in notebook.cells:
        cell.metadata = {}
        for each in cell.get("outputs", ()):
            for kind, text in each.get("data", {}).items():
                each["data"][kind] = re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:5005", text)
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    nbformat.write(notebook, NOTEBOOK)  # type: ignore[no-untyped-call]

"""The notebook of the documentation is run by a kernel, cell by cell, and shows what is kept in it."""

from __future__ import annotations

import pytest

from docs.tools import notebook
from tests.harness import Jvm

WANTED = {
    "vm": ("<vm 127.0.0.1:", ", stopped>"),
    "stop": ("<code>breakpoint coffee.Till.total(Till.java:",),
    "stop.thread.stack()": ("<b>main</b><ol", "coffee.CoffeeBar.main(CoffeeBar.java:"),
    'order["drinks"]': ("<i>java.util.ArrayList</i>", "ArrayList(2)"),
    'order["drinks"].python(depth=3)': ("['ESPRESSO', 'CAPPUCCINO']",),
    "table": ("<table><thead><tr><th>cents</th><th>caller</th>", ">540</td>", "coffee.CoffeeBar.serve"),
    "histogram.top(5)": ("<th>class</th><th>instances</th>", "<td>coffee.Customer</td>"),
}


def test_it_runs(any_jvm: Jvm, monkeypatch: pytest.MonkeyPatch) -> None:
    import nbformat

    monkeypatch.setenv("JAVA_HOME", any_jvm.home)
    kept = nbformat.read(notebook.NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]
    for made in (kept, notebook.executed()):
        shows = {cell.source.splitlines()[-1]: notebook.shown(cell) for cell in made.cells if cell.cell_type == "code"}
        missing = [(last, part) for last, parts in WANTED.items() for part in parts if part not in shows[last]]
        assert not missing
        assert "Error" not in "".join(shows.values())


def test_the_picture_shows_the_notebook() -> None:
    import nbformat

    kept = nbformat.read(notebook.NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]
    assert notebook.PICTURE.read_text(encoding="utf-8") == notebook.draw(kept), "./dev generate notebook"

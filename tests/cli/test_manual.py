"""The generated pages are those that the program would make now."""

from __future__ import annotations

import pytest

from docs.tools.manual import DOCS, PAGES


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_up_to_date(name: str) -> None:
    page = (DOCS / name).read_text(encoding="utf-8")
    assert page == PAGES[name](), f"docs/{name} is old: run ./dev generate manual"

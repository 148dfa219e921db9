"""The generated pages are those that the program would make now."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from docs.tools.manual import DOCS, commands_page, json_page


@pytest.mark.parametrize(("name", "make"), [("commands.md", commands_page), ("json.md", json_page)])
def test_the_page_is_up_to_date(name: str, make: Callable[[], str]) -> None:
    assert (DOCS / name).read_text(encoding="utf-8") == make(), f"docs/{name} is old: run ./dev generate manual"

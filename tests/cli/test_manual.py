"""The generated pages are those that the program would make now."""

from __future__ import annotations

import pytest

from docs.tools.command_names import FILE, names
from docs.tools.manual import DOCS, PAGES


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_up_to_date(name: str) -> None:
    page = (DOCS / name).read_text(encoding="utf-8")
    assert page == PAGES[name](), f"docs/{name} is old: run ./dev generate manual"


def test_the_names_of_commands_are_up_to_date() -> None:
    assert FILE.read_text(encoding="utf-8") == names(), "a command has come or gone: run ./dev generate names"

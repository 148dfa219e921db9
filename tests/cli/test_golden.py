"""Results and events come out character by character as they did, in all three forms."""

from __future__ import annotations

import difflib

import pytest

from tests.cli import golden


@pytest.mark.parametrize("name", ["plain.txt", "styled.txt", "json.txt"])
def test_what_users_see_has_not_changed(name: str) -> None:
    known = (golden.DIRECTORY / name).read_text(encoding="utf-8")
    now = golden.files()[name]
    changes = "\n".join(difflib.unified_diff(known.splitlines(), now.splitlines(), "known", "now", lineterm="", n=2))
    assert now == known, f"if this is wanted: ./dev generate golden\n{changes[:4000]}"

"""The programs in ``fixtures``: each is compiled by itself, and some trials compile all of them together."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"


def test_no_class_is_declared_twice() -> None:
    files = sorted(FIXTURES.glob("*.java"))
    declared = Counter(
        name
        for file in files
        for name in re.findall(r"^(?:[a-z]+ )*(?:class|interface|enum|record) (\w+)", file.read_text(), re.MULTILINE)
    )
    assert declared["Hello"] == 1
    assert [name for name, count in declared.items() if count > 1] == []

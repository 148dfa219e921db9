"""What docs/recorded-calls.md shows at a prompt, to be compared with what happens."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "recorded-calls.md"
OTHERS = "## Two calls compared"


def shown(page: str) -> list[tuple[str, str]]:
    """The lines that a page shows at a prompt, each with what it shows behind them."""
    text = "\n".join(block for block in re.findall(r"```text\n(.*?)```", page, re.DOTALL) if block.startswith("> "))
    parts = re.split(r"^> (.*)\n", text + "\n", flags=re.MULTILINE)[1:]
    return [(line, told) for line, told in zip(parts[::2], parts[1::2], strict=True)]


def without_times(text: str) -> list[str]:
    text = re.sub(r"\d\d:\d\d:\d\d\.\d+", "12:34:56.789", text)
    text = re.sub(r"(main|main,)( +)[\d.,]+ [µm]?s( +|$)", r"\1 TIME", text, flags=re.MULTILINE)
    text = re.sub(r"(main|main,) +TIME *", r"\1 TIME ", text)
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]

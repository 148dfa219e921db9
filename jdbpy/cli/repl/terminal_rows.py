"""How many rows of a terminal a text takes. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain

_ESCAPE_CODES = re.compile(r"\x1b\[[0-9;]*m")  # the only ones that renderers write


def rows(line: str, columns: int) -> int:
    """Rows that one line takes in ``columns``, its newline apart; color codes take none."""
    text = _ESCAPE_CODES.sub("", line.removesuffix("\n"))
    if text.isascii():
        width = len(text)
    else:
        from wcwidth import wcswidth  # comes with prompt_toolkit; wide characters take two columns

        width = max(wcswidth(text), 0)
    return max(1, -(-width // columns))


def fitting(parts: Iterable[str], columns: int, lines: int) -> str | Iterator[str]:
    """The whole text of ``parts`` (each of whole lines) if it fits in ``lines`` rows, else an iterator of all parts.

    No more parts are made than are needed to find out.
    """
    head: list[str] = []
    height = 0
    source = iter(parts)
    for part in source:
        head.append(part)
        height += sum(rows(line, columns) for line in part.split("\n")[:-1])
        if height > lines:
            return chain(head, source)
    return "".join(head)

"""Conditions that cannot be evaluated: the first failure stops and says why, its likes pass and are counted. Pure."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"\d+")


class Failures:
    """The failures of one condition so far."""

    def __init__(self) -> None:
        self.count = 0
        self.last = ""
        self._told: set[str] = set()

    def note(self, message: str) -> bool:
        """Takes in a failure; whether it is to be told: nothing like it was before, numbers in it aside."""
        self.count += 1
        self.last = message
        kind = _NUMBER.sub("0", message)  # "Index 7 out of bounds for length 3" is one failure, not a thousand
        new = kind not in self._told
        self._told.add(kind)
        return new

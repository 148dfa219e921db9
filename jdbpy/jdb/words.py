"""A line cut into words as jdb cuts it: at blanks, with the rest to be had whole, the blanks before it included."""

from __future__ import annotations

import re

_INTEGER = re.compile(r"([+-]?)(?:(?:0[xX]|#)([0-9a-fA-F]+)|0([0-7]+)|([0-9]+))", re.ASCII)
_BLANKS = " \t\n\r\f"


class Words:
    """Takes words off the front of a line. ``delimiters`` end a word; they stay at the front of the rest."""

    def __init__(self, text: str) -> None:
        self._rest = text

    def more(self, delimiters: str = _BLANKS) -> bool:
        """True if there is another word."""
        return bool(self._rest.strip(delimiters))

    def next(self, delimiters: str = _BLANKS) -> str:
        """Return the next word, "" when there is none."""
        text = self._rest.lstrip(delimiters)
        end = next((at for at, letter in enumerate(text) if letter in delimiters), len(text))
        self._rest = text[end:]
        return text[:end]

    def all(self) -> list[str]:
        """Return all words that are left."""
        words, self._rest = self._rest.split(), ""
        return words

    def rest(self) -> str:
        """Return the rest of the line as it was typed, the blanks before it included."""
        rest, self._rest = self._rest, ""
        return rest


def whole_number(text: str) -> int | None:
    """Return the integer at the start of a text, as java.text.NumberFormat reads it; None when there is none."""
    sign = -1 if text[:1] == "-" else 1
    digits = ""
    for letter in text[1:] if sign < 0 else text:
        if not letter.isdecimal():
            if letter == "," and digits:
                continue
            break
        digits += letter
    return sign * int(digits) if digits else None


def java_integer(text: str) -> int | None:
    """Return an int as java.lang.Integer.decode reads it (``0x1F``, ``#1F``, ``017``); None when it is none."""
    match = _INTEGER.fullmatch(text)
    if match is None:
        return None
    sign, hexadecimal, octal, decimal = match.groups()
    base, digits = (16, hexadecimal) if hexadecimal else (8, octal) if octal else (10, decimal)
    try:
        value = int(sign + digits, base)
    except ValueError:
        return None
    return value if -(1 << 31) <= value < 1 << 31 else None

"""The one way in which text of the target reaches a terminal, a log or a literal: nothing passes that hides or acts.

Owns the rule and the form, for all floors. Everything that the target, a class file or a source file had a say in goes
through it before it is shown.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}

_BLANKS = frozenset("\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000")
"""Blanks of some width, which Python counts as unprintable; they are harmless."""

_CANDIDATES = re.compile("[^ -~]")
_SHAPELESS = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0"
    "\U0001d159\U0001d173-\U0001d17a\U000e0100-\U000e01ef]"
)
"""Characters that Python counts as printable and that have no shape: fillers, joiners, variation selectors."""


def is_unsafe(character: str) -> bool:
    """True if a character does not show as itself.

    Controls, marks that change the direction, and what has no shape: joiners, fillers, tags, variation selectors, line
    separators, lone surrogates, private and unassigned characters.
    """
    if " " <= character <= "~":
        return False
    return (not character.isprintable() and character not in _BLANKS) or bool(_SHAPELESS.match(character))


def escape(text: str) -> str:
    """Return ``text`` with each unsafe character written as in a Java literal (``\\n``, ``\\u001b``).

    Backslashes are left alone, so that a literal that is already escaped stays as it is.
    """
    if text.isascii() and text.isprintable():  # nearly all of it, and found out in a fraction of the time
        return text
    return _CANDIDATES.sub(lambda match: escape_character(match[0]) if is_unsafe(match[0]) else match[0], text)


def escape_lines(text: str) -> str:
    """Return ``text`` escaped, but for line ends and tabs: for output that is a text of several lines."""
    return "".join(escape(piece) if piece not in ("\n", "\t") else piece for piece in re.split(r"([\n\t])", text))


def escape_code(lines: Iterable[str], tab: int = 4) -> list[str]:
    """Return lines of source: tabs become spaces, their ends are cut, the rest is escaped."""
    found = [line.rstrip().expandtabs(tab) for line in lines]
    whole = "".join(found)
    return found if whole.isascii() and whole.isprintable() else list(map(escape, found))  # as ``escape``, for all


def escape_character(character: str) -> str:
    """Return the escape sequence of a character as Java writes it: UTF-16, so some are two."""
    if character in _NAMED:
        return _NAMED[character]
    code = ord(character)
    if code > 0xFFFF:
        code -= 0x10000
        return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
    return f"\\u{code:04x}"

"""The one way in which text from the target reaches a terminal or a log: no control character passes.

Owns the rule; renderers apply it to everything that the target, a class file or a source file had a say in.
"""

from __future__ import annotations

import re

_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f", "\0": "\\0"}

# C0 and C1 controls, DEL; line and paragraph separators; the marks that reorder or hide text (bidirectional
# overrides and isolates, zero width, byte-order mark, interlinear and tag characters); lone surrogates, which no
# encoder takes.
_UNSAFE = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)


def escape(text: str) -> str:
    """``text`` with every unsafe character written as in a Java literal (``\\n``, ``\\u001b``); the rest unchanged.

    Backslashes are left alone, so that a literal that is already escaped stays as it is.
    """
    if text.isprintable():  # which nothing unsafe is, and told in a fraction of the time
        return text
    return _UNSAFE.sub(_escaped, text)


def escape_line(text: str, tab: int = 4) -> str:
    """A line of source: tabs become spaces, its end is cut, the rest is escaped."""
    return escape(text.rstrip().expandtabs(tab))


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    if character in _NAMED:
        return _NAMED[character]
    code = ord(character)
    if code > 0xFFFF:  # as Java writes it: a surrogate pair
        code -= 0x10000
        return f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 0x3FF):04x}"
    return f"\\u{code:04x}"

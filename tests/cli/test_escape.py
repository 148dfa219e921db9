"""The escape rule."""

from __future__ import annotations

import unicodedata

from hypothesis import given, strategies as st

from jdbpy.cli.escape import escape, escape_line


def test_text_stays_as_it_is() -> None:
    assert escape('a "b" \\n é 日本 🎉') == 'a "b" \\n é 日本 🎉'


def test_controls_are_written_as_in_java() -> None:
    assert escape("\x1b[2J\n\r\t\0\x7f\x9b") == "\\u001b[2J\\n\\r\\t\\0\\u007f\\u009b"


def test_marks_that_reorder_or_hide_are_written_out() -> None:
    assert escape("\u202e\u2066\u200b\ufeff\u2028") == "\\u202e\\u2066\\u200b\\ufeff\\u2028"


def test_lone_surrogates_and_tags_are_written_out() -> None:
    assert escape("\ud83d") == "\\ud83d"
    assert escape("\U000e0041") == "\\udb40\\udc41"


def test_a_source_line_keeps_its_indent() -> None:
    assert escape_line("\tint n;\x0c \n") == "    int n;"
    assert escape_line("  a\x1b") == "  a\\u001b"


@given(st.text(st.characters()))
def test_no_control_or_format_character_passes(text: str) -> None:
    categories = {unicodedata.category(character) for character in escape(text)}
    assert not categories & {"Cc", "Cs", "Zl", "Zp"}
    assert not any(unicodedata.bidirectional(c) in ("LRO", "RLO", "LRE", "RLE", "PDF") for c in escape(text))
    escape(text).encode()

"""The escape rule."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from jdbpy.escape import escape, escape_code, escape_lines
from jdbpy.session.breakpoints.reports import append_report
from jdbpy.session.java.texts import string_literal


def test_text_stays_as_it_is() -> None:
    assert escape('a "b" \\n é 日本 🎉') == 'a "b" \\n é 日本 🎉'


def test_controls_are_written_as_in_java() -> None:
    assert escape("\x1b[2J\n\r\t\0\x7f\x9b") == "\\u001b[2J\\n\\r\\t\\u0000\\u007f\\u009b"


def test_marks_that_reorder_or_hide_are_written_out() -> None:
    assert escape("\u202e\u2066\u200b\ufeff\u2028") == "\\u202e\\u2066\\u200b\\ufeff\\u2028"


def test_lone_surrogates_and_tags_are_written_out() -> None:
    assert escape("\ud83d") == "\\ud83d"
    assert escape("\U000e0041") == "\\udb40\\udc41"


SHAPELESS = [
    *"\u00ad\u034f\u061c\u115f\u1160\u17b4\u180e\u200b\u200f\u202a\u202e\u2060\u2069\u3164\ufe0f\ufeff\uffa0\ufff9",
    *"\ue000\uf8ff\u0378\ud800\udfff\U000e0000\U000e007f\U000e0100\U000f0000\U0010ffff",
]


@pytest.mark.parametrize("character", SHAPELESS, ids=ascii)
def test_what_has_no_shape_is_written_out_in_one_form_everywhere(character: str, tmp_path: Path) -> None:
    units = character.encode("utf-16-be", "surrogatepass").hex()
    expected = "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))
    assert escape(f"a{character}b") == f"a{expected}b"
    assert string_literal(f"a{character}b") == f'"a{expected}b"'
    append_report(str(tmp_path / "log"), [f"a{character}b"])
    assert (tmp_path / "log").read_text() == f"a{expected}b\n"


def test_blanks_and_letters_of_all_scripts_stay() -> None:
    text = "a\u00a0b\u3000c é ß Ω ж א ع ह 한 日 e\u0301 🎉"
    assert escape(text) == text
    assert string_literal(text) == f'"{text}"'


def test_lines_stay_lines() -> None:
    assert escape_lines("a\tb\n\x1b[2J\r\nc") == "a\tb\n\\u001b[2J\\r\nc"


def test_a_source_line_keeps_its_indent() -> None:
    assert escape_code(["\tint n;\x0c \n", "", "}"]) == ["    int n;", "", "}"]
    assert escape_code(["  a\x1b", "int é;"]) == ["  a\\u001b", "int é;"]


@given(st.text(st.characters()))
def test_no_control_or_format_character_passes(text: str) -> None:
    categories = {unicodedata.category(character) for character in escape(text)}
    assert not categories & {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    assert not any(unicodedata.bidirectional(c) in ("LRO", "RLO", "LRE", "RLE", "PDF") for c in escape(text))
    escape(text).encode()

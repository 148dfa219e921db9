"""Strings on the wire: every Java string comes back as it was, in standard UTF-8 and in what agents make of it."""

from __future__ import annotations

import pytest
from hypothesis import given

from jdbpy.wire.strings import ENCODING_ERRORS
from tests.wire.strategies import JAVA_STRINGS

CASES = [
    ("plain", "Grüße, 世界", "Grüße, 世界".encode()),
    ("NUL", "a\0b", b"a\0b"),
    ("beyond the BMP", "\N{SNAKE}", b"\xf0\x9f\x90\x8d"),
    ("high half", "a\ud83db", b"a\xed\xa0\xbdb"),
    ("low half", "\ude00", b"\xed\xb8\x80"),
    ("halves the wrong way round", "\ude00\ud83d", b"\xed\xb8\x80\xed\xa0\xbd"),
    ("half before a whole", "\ud83d\N{SNAKE}", b"\xed\xa0\xbd" + "\N{SNAKE}".encode()),
]


@pytest.mark.parametrize(("text", "data"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_as_hotspot_sends_it(text: str, data: bytes) -> None:
    assert data.decode("utf-8", ENCODING_ERRORS) == text
    assert text.encode("utf-8", ENCODING_ERRORS) == data


def test_modified_utf8_is_read() -> None:
    assert b"a\xc0\x80b".decode("utf-8", ENCODING_ERRORS) == "a\0b"
    assert b"x\xed\xa0\xbd\xed\xb8\x80y".decode("utf-8", ENCODING_ERRORS) == "x\N{GRINNING FACE}y"


def test_two_halves_are_sent_as_the_character_they_make() -> None:
    assert "x\ud83d\ude00y".encode("utf-8", ENCODING_ERRORS) == "x\N{GRINNING FACE}y".encode()


@pytest.mark.parametrize(
    "data",
    [b"\xff", b"\xc0\x81", b"\xc0", b"\xed", b"\xed\xa0", b"\xed\xa0\x20", b"\xe4\xb8", b"\xf5\x80\x80\x80", b"\x80"],
    ids=lambda data: data.hex(),
)
def test_what_is_no_utf8_is_refused(data: bytes) -> None:
    with pytest.raises(UnicodeDecodeError):
        (b"ab" + data + b"cd").decode("utf-8", ENCODING_ERRORS)
    with pytest.raises(UnicodeDecodeError):
        data.decode("utf-8", ENCODING_ERRORS)


@given(text=JAVA_STRINGS)
def test_every_java_string_round_trips(text: str) -> None:
    assert text.encode("utf-8", ENCODING_ERRORS).decode("utf-8", ENCODING_ERRORS) == text

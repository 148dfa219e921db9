"""Tokens and literals: every form, and what Java's lexer refuses."""

from __future__ import annotations

import pytest

from jdbpy.errors import EvalError
from jdbpy.session.eval.syntax.lexer import TokenKind, tokens
from jdbpy.session.java import literals
from jdbpy.session.java.types import DOUBLE, FLOAT, INT, LONG, Primitive


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("0", INT, 0),
        ("00", INT, 0),
        ("1_000_000", INT, 1_000_000),
        ("2147483647", INT, 2**31 - 1),
        ("0x7fffffff", INT, 2**31 - 1),
        ("0xFFFF_FFFF", INT, -1),
        ("0x80000000", INT, -(2**31)),
        ("037777777777", INT, -1),
        ("017", INT, 15),
        ("0_17", INT, 15),
        ("0b101", INT, 5),
        ("0B1111_0000", INT, 240),
        ("5L", LONG, 5),
        ("5l", LONG, 5),
        ("9223372036854775807L", LONG, 2**63 - 1),
        ("0xFFFFFFFFFFFFFFFFL", LONG, -1),
        ("0b1L", LONG, 1),
        ("1.5", DOUBLE, 1.5),
        (".5", DOUBLE, 0.5),
        ("5.", DOUBLE, 5.0),
        ("1e3", DOUBLE, 1000.0),
        ("1E-3", DOUBLE, 0.001),
        ("1d", DOUBLE, 1.0),
        ("1.e2", DOUBLE, 100.0),
        ("1_0.0_1", DOUBLE, 10.01),
        ("08.5", DOUBLE, 8.5),
        ("4.9e-324", DOUBLE, 5e-324),
        ("1.7976931348623157e308", DOUBLE, 1.7976931348623157e308),
        ("0x1p3", DOUBLE, 8.0),
        ("0x1.8p1", DOUBLE, 3.0),
        ("0x.8p0", DOUBLE, 0.5),
        ("0x1p-2f", FLOAT, 0.25),
        ("1f", FLOAT, 1.0),
        ("0.1F", FLOAT, 0.10000000149011612),
        ("3.4028235e38f", FLOAT, 3.4028234663852886e38),
        ("1.4e-45f", FLOAT, 1.401298464324817e-45),
        ("1.00000017881393432617187499f", FLOAT, 1.0000001192092896),  # rounded once: by way of double it would differ
    ],
)
def test_numbers(text: str, kind: Primitive, value: float) -> None:
    assert [token.kind for token in tokens(text)] == [TokenKind.NUMBER]
    assert literals.number(text, 0) == (kind, value)


@pytest.mark.parametrize(
    ("text", "value"),
    [("2147483648", -(2**31)), ("9223372036854775808L", -(2**63)), ("0x80000000", -(2**31)), ("5", -5)],
)
def test_numbers_behind_a_minus(text: str, value: int) -> None:
    assert literals.number(text, 0, negative=True)[1] == value


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2147483648", "integer number too large: 2147483648"),
        ("9223372036854775808L", "integer number too large: 9223372036854775808"),
        ("0x1_0000_0000", "integer number too large: 0x1_0000_0000"),
        ("09", "integer number too large: 09"),
        ("1e400", "floating-point number too large"),
        ("1e40f", "floating-point number too large"),
        ("1e-400", "floating-point number too small"),
        ("1_", "illegal underscore"),
        ("0x_1", "illegal underscore"),
        ("1_.5", "illegal underscore"),
        ("1._5", "illegal underscore"),
        ("1_L", "illegal underscore"),
        ("0x", "hexadecimal numbers must contain at least one hexadecimal digit"),
        ("0b", "binary numbers must contain at least one binary digit"),
        ("0b12", "binary numbers may contain only 0 and 1"),
        ("1e", "malformed floating-point literal"),
        ("1e+", "malformed floating-point literal"),
        ("0x1.8", "malformed floating-point literal"),
        ("0x1p", "malformed floating-point literal"),
        ("'ab'", "unclosed character literal"),
        ("''", "empty character literal"),
        ("'", "unclosed character literal"),
        ("'😀'", "unclosed character literal"),
        ('"abc', "unclosed string literal"),
        ('"a\nb"', "unclosed string literal"),
        ('"""a"""', "illegal text block open delimiter sequence, missing line terminator"),
        ('"""\na', "unclosed text block"),
        (r'"\q"', "illegal escape character"),
        ("/* never closed", "unclosed comment"),
        ("a # b", "illegal character: '#'"),
        ("a \u0001", "illegal character: '\\u0001'"),
    ],
)
def test_what_the_lexer_refuses(text: str, message: str) -> None:
    with pytest.raises(EvalError) as caught:
        for token in tokens(text):
            if token.kind is TokenKind.NUMBER:
                literals.number(token.text, token.start)
            elif token.kind is TokenKind.STRING:
                literals.string(token.text, token.start)
    assert caught.value.message == message
    assert caught.value.column is not None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r"'a'", "a"),
        (r"'\n'", "\n"),
        (r"'\''", "'"),
        (r"'\\'", "\\"),
        (r"'\0'", "\0"),
        (r"'\101'", "A"),
        (r"'\377'", "\xff"),
        (r"'\s'", " "),
        (r"'\u00e9'", "é"),
        (r"'\uuu0041'", "A"),
    ],
)
def test_characters(text: str, value: str) -> None:
    assert [token.kind for token in tokens(text)] == [TokenKind.CHARACTER]
    assert chr(literals.character(text, 0)) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'""', ""),
        (r'"tab\tquote\"back\\"', 'tab\tquote"back\\'),
        (r'"\7\77\377\400"', "\7\77\377\x200"),
        (r'"né日本"', "né日本"),
        (r'"\ud83d\ude00"', "😀"),
        (r'"\ud83d"', "\ud83d"),
        ('"""\n  a\n    b\n  """', "a\n  b\n"),
        ('"""\n  a\n  b"""', "a\nb"),
        ('"""\n    a\n  """', "  a\n"),
        ('"""\n  a   \n  b\\s\\n\n  """', "a\nb \n\n"),
        ('"""\n  one \\\n  line\n  """', "one line\n"),
        ('"""\n  "quoted" \\"""\n  """', '"quoted" """\n'),
        ('"""\n\n  a\n  """', "\na\n"),
        ('"""\r\n  a\r\n  """', "a\n"),
    ],
)
def test_strings_and_text_blocks(text: str, value: str) -> None:
    assert [token.kind for token in tokens(text)] in ([TokenKind.STRING], [TokenKind.TEXT_BLOCK])
    assert literals.string(text, 0) == value


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a>>>=b", ["a", ">>>=", "b"]),
        ("a[1..2]", ["a", "[", "1", "..", "2", "]"]),
        ("a[i..]", ["a", "[", "i", "..", "]"]),
        ("x->y::z", ["x", "->", "y", "::", "z"]),
        ("a/**/b//c\n+d", ["a", "b", "+", "d"]),
        ("$1+_x.é", ["$1", "+", "_x", ".", "é"]),
        ("1.5.toString", ["1.5", ".", "toString"]),
        ("a<b>c", ["a", "<", "b", ">", "c"]),
    ],
)
def test_tokens(text: str, found: list[str]) -> None:
    assert [token.text for token in tokens(text)] == found
    assert all(text[token.start : token.end] == token.text for token in tokens(text))

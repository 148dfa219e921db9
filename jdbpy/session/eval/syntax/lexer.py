"""Java's lexical structure (JLS 3), as far as the evaluator needs it before the grammar; import declarations.

Import declarations (JLS 7.5) are read out of source files, whose names an expression may use.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from enum import Enum, auto

from jdbpy.errors import EvalError
from jdbpy.identifiers import IDENTIFIER, PART, WORD
from jdbpy.record import Record


class TokenKind(Enum):
    IDENTIFIER = auto()  # keywords, true, false and null included
    NUMBER = auto()
    CHARACTER = auto()
    STRING = auto()
    TEXT_BLOCK = auto()
    OPERATOR = auto()  # separators included


class Token(Record):
    """One token: ``text[start:end]`` of what was read."""

    kind: TokenKind
    text: str
    start: int
    end: int


_SKIP = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/)+", re.DOTALL)
_IDENTIFIER = re.compile(IDENTIFIER)
_IDENTIFIER_PART = re.compile(rf"{PART}*")
_NUMBER = re.compile(
    r"""0[xX](?:[0-9a-fA-F_]*(?:\.(?!\.)[0-9a-fA-F_]*)?(?:[pP][+-]?[0-9_]*)?)[lLfFdD]?
      | 0[bB][0-9_]*[lL]?
      | (?:[0-9][0-9_]*(?:\.(?!\.)(?![A-Za-z$])[0-9_]*|\.(?=[eEfFdD]\b|[eE][+-]?[0-9]))?|\.[0-9][0-9_]*)
        (?:[eE][+-]?[0-9_]*)?[lLfFdD]?""",
    re.VERBOSE,
)
_OPERATOR = re.compile(
    r">>>=|<<=|>>=|->|::|\+\+|--|&&|\|\||==|!=|<=|>=|\+=|-=|\*=|/=|&=|\|=|\^=|%=|<<|>>>|>>|\.\."
    r"|[(){}\[\];,.@=<>!~?:+\-*/&|^%]"
)
_QUOTED = re.compile(r"(?:[^\\\n\"]|\\.)*", re.DOTALL)
_CHARACTER = re.compile(r"'(\\(?:u+[0-9a-fA-F]{4}|[0-3]?[0-7]?[0-7]|.)|[^\\\n'])'", re.DOTALL)
_BLOCK_END = re.compile(r'(?:[^\\]|\\.)*?"""', re.DOTALL)


def tokens(text: str) -> list[Token]:
    """Return all tokens of the text, blanks and comments left out; EvalError for what Java's lexer refuses."""
    found: list[Token] = []
    at = 0
    while True:
        if skipped := _SKIP.match(text, at):
            at = skipped.end()
        if at >= len(text):
            return found
        token = _token(text, at)
        found.append(token)
        at = token.end


def _token(text: str, at: int) -> Token:
    if text.startswith("/*", at):
        raise EvalError("unclosed comment", at)
    if text.startswith('"""', at):
        return _text_block(text, at)
    if text[at] == '"':
        return _string(text, at)
    if text[at] == "'":
        return _character(text, at)
    if match := _IDENTIFIER.match(text, at):
        return _make(TokenKind.IDENTIFIER, text, at, match.end())
    if (match := _NUMBER.match(text, at)) and match.end() > at:
        return _number(text, at, match.end())
    if match := _OPERATOR.match(text, at):
        return _make(TokenKind.OPERATOR, text, at, match.end())
    shown = text[at] if text[at].isprintable() else f"\\u{ord(text[at]):04x}"
    raise EvalError(f"illegal character: '{shown}'", at)


def _make(kind: TokenKind, text: str, start: int, end: int) -> Token:
    return Token(kind, text[start:end], start, end)


def _string(text: str, at: int) -> Token:
    match = _QUOTED.match(text, at + 1)
    end = match.end() if match else at + 1
    if end >= len(text) or text[end] != '"':
        raise EvalError("unclosed string literal", at)
    return _make(TokenKind.STRING, text, at, end + 1)


def _text_block(text: str, at: int) -> Token:
    opening = re.compile(r'"""[ \t\f]*\r?\n').match(text, at)
    if opening is None:
        raise EvalError("illegal text block open delimiter sequence, missing line terminator", at)
    closing = _BLOCK_END.match(text, opening.end())
    if closing is None:
        raise EvalError("unclosed text block", at)
    return _make(TokenKind.TEXT_BLOCK, text, at, closing.end())


def _character(text: str, at: int) -> Token:
    match = _CHARACTER.match(text, at)
    if match is None:
        raise EvalError("empty character literal" if text.startswith("''", at) else "unclosed character literal", at)
    if len(match[1]) == 1 and match[1] > "\uffff":
        raise EvalError("unclosed character literal", at)  # two UTF-16 units do not fit a char
    return _make(TokenKind.CHARACTER, text, at, match.end())


def _number(text: str, at: int, end: int) -> Token:
    number = text[at:end]
    for message, wrong in _NUMBER_FAULTS.items():
        if wrong(number):
            raise EvalError(message, at)
    if (rest := _IDENTIFIER_PART.match(text, end)) and rest.end() > end:
        raise EvalError("';' expected", end)
    return _make(TokenKind.NUMBER, text, at, end)


_NUMBER_FAULTS: Mapping[str, Callable[[str], object]] = {
    "illegal underscore": re.compile(
        r"_$|_[lLfFdD]$|_\.|\._|^0[xXbB]_|_[pP]|[pP][+-]?_|^[\d_.]*_[eE]|^[^xX]*[eE][+-]?_"
    ).search,
    "hexadecimal numbers must contain at least one hexadecimal digit": re.compile(r"^0[xX]\.?(?:[lL]$|[pP]|$)").match,
    "binary numbers must contain at least one binary digit": re.compile(r"^0[bB][lL]?$").match,
    "binary numbers may contain only 0 and 1": re.compile(r"^0[bB].*[2-9]").match,
    "malformed floating-point literal": re.compile(
        r"^(?![0]?[xX])[^xX]*[eE][+-]?[fFdD]?$|^0[xX].*[pP][+-]?[fFdD]?$|^0[xX][^pP]*\.[^pP]*$|\.[^pP]*[lL]$"
    ).match,
}


class Imports(Record):
    """Imports by kind; names are as written, dotted. ``types`` and ``members`` map the simple name to what it means."""

    types: tuple[tuple[str, str], ...] = ()  # ("List", "java.util.List")
    packages: tuple[str, ...] = ()  # "java.util" of java.util.*
    members: tuple[tuple[str, str], ...] = ()  # ("max", "java.lang.Math.max")
    classes: tuple[str, ...] = ()  # "java.lang.Math" of static java.lang.Math.*


NO_IMPORTS = Imports()

_COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"', re.DOTALL)
_IMPORT = re.compile(rf"(?<![{WORD}.])import\s+(static\s+)?([{WORD}.\s]+?)(\.\s*\*)?\s*;")
_TYPE = re.compile(rf"^\s*(?:[{WORD}@()\s]*\s)?(?:class|interface|enum|record)\s+[{WORD}]+", re.MULTILINE)


def read_imports(source: str) -> Imports:
    """Return the imports of a compilation unit."""
    text = _COMMENT_OR_STRING.sub(" ", source)
    first_type = _TYPE.search(text)
    header = text[: first_type.start()] if first_type else text
    types: list[tuple[str, str]] = []
    packages: list[str] = []
    members: list[tuple[str, str]] = []
    classes: list[str] = []
    for static, spaced, star in _IMPORT.findall(header):
        name = re.sub(r"\s+", "", spaced)
        simple = name.rpartition(".")[2]
        if static and star:
            classes.append(name)
        elif static:
            members.append((simple, name))
        elif star:
            packages.append(name)
        else:
            types.append((simple, name))
    return Imports(tuple(types), tuple(packages), tuple(members), tuple(classes))

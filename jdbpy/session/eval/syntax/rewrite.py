"""From what the user typed to Java that the grammar can read, and back to the user's columns.

Owns the Unicode escapes of the source (JLS 3.3) and the debugger's additions to Java's syntax:

    @123                the object with that id
    a[10..20]           a slice, either bound may be missing
    a[? it.total > 9]   the elements for which the condition holds
    T$$Lambda/0x..16    a hidden class, as the JVM spells it

Each is rewritten to Java of the same meaning for the grammar and remembered as a mark at its place. It says nothing
about what they do.
"""

from __future__ import annotations

import re
from enum import Enum, auto

from jdbpy.errors import EvalError
from jdbpy.identifiers import IDENTIFIER, START, WORD
from jdbpy.record import Record
from jdbpy.session.eval.syntax.lexer import Token, TokenKind, tokens


class Mark(Enum):
    """The meaning of a place in the rewritten text."""

    OBJECT_ID = auto()  # an identifier "$123"
    SLICE = auto()  # the "[" of "a[(start)||(end)]"; a missing end is "null"
    FILTER = auto()  # the "[" of "a[$filter(condition)]"


class Rewritten(Record):
    """Java text, the column of the user's text for each of its characters and one past the end, and the marks."""

    text: str
    columns: tuple[int, ...]
    marks: dict[int, Mark]


_HIDDEN_CLASS = re.compile(
    rf"(?<![{WORD}])({IDENTIFIER})/(0x[0-9a-f]{{8,16}})(?=\.{START}|::)"
    r"|(?<![\w$])([^\W\d][\w$]*/0x[0-9a-f]{16}|[^\W\d]\w*\$\$[\w$]*/0x[0-9a-f]{8,16})(?=\s*\))"
)
_FOR_SLASH = "\u30ce"
_STAND_IN = re.compile(f"{_FOR_SLASH}(?=0x[0-9a-f]{{8}})")
"""A letter in place of the slash, so that the grammar takes the name of a hidden class for a word."""

_ENCODED = re.compile(f"{_FOR_SLASH}([0-9a-f]{{2,6}}){_FOR_SLASH}")
"""A character of an identifier by its code, for the same reason."""

_UNICODE_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\(u+)([0-9a-fA-F]{4})?")
_CLOSING = {"(": ")", "[": "]", "{": "}"}


def rewrite(typed: str) -> Rewritten:
    """Return the text for the grammar; EvalError for lexical errors, with the column in the typed text."""
    text, columns = _translate_escapes(typed)
    text = _HIDDEN_CLASS.sub(lambda found: found[0].replace("/", _FOR_SLASH), text) if "/0x" in text else text
    try:
        return _Rewriter(text, columns).run()
    except EvalError as error:
        if error.column is not None:
            error.column = columns[min(error.column, len(columns) - 1)]
        raise


def as_spelled(word: str) -> str:
    """Return a word of the rewritten text as the user spelled it: with the slash of a hidden class, and with
    characters that the grammar does not take.
    """
    if _FOR_SLASH not in word:
        return word
    return _STAND_IN.sub("/", _ENCODED.sub(lambda found: chr(int(found[1], 16)), word))


def _for_grammar(identifier: str) -> str:
    """Return an identifier of Java as one of the grammar, which has no currency signs and no format characters."""
    return "".join(c if _is_plain(at, c) else f"{_FOR_SLASH}{ord(c):x}{_FOR_SLASH}" for at, c in enumerate(identifier))


def _is_plain(at: int, character: str) -> bool:
    """True if the grammar takes a character of an identifier at that place."""
    return character == "$" or (character if at == 0 else f"a{character}").isidentifier()


def _translate_escapes(typed: str) -> tuple[str, list[int]]:
    """Replaces Unicode escapes; surrogates (which literals join) and NUL stay escaped."""
    out: list[str] = []
    columns: list[int] = []
    at = 0
    for match in _UNICODE_ESCAPE.finditer(typed):
        start = match.start() + len(match[1])
        if match[3] is None:
            raise EvalError("illegal unicode escape", start)
        code = int(match[3], 16)
        if 0xD800 <= code <= 0xDFFF or not code:  # the grammar ends at a NUL
            continue
        out.append(typed[at:start] + chr(code))
        columns += [*range(at, start), start]
        at = match.end()
    out.append(typed[at:])
    columns += range(at, len(typed) + 1)
    return "".join(out), columns


class _Rewriter:
    """Copies tokens, with what stands between them, and rewrites the debugger's own syntax on the way."""

    def __init__(self, text: str, columns: list[int]) -> None:
        self._text = text
        self._columns = columns
        self._tokens = tokens(text)
        self._closers = _match_brackets(self._tokens)
        self._out: list[str] = []
        self._out_columns: list[int] = []
        self._length = 0
        self._copied = 0  # how much of the text is already in the output
        self._marks: dict[int, Mark] = {}

    def run(self) -> Rewritten:
        self._copy_tokens(0, len(self._tokens))
        self._copy(len(self._text))
        self._out_columns.append(self._columns[-1])
        return Rewritten("".join(self._out), tuple(self._out_columns), self._marks)

    def _copy_tokens(self, start: int, end: int) -> None:
        index = start
        while index < end:
            token = self._tokens[index]
            if token.text == "@" and index + 1 < end and self._is_object_id(token, self._tokens[index + 1]):
                self._copy(token.start)
                self._marks[self._length] = Mark.OBJECT_ID
                self._replace(token, "$")
            elif token.kind is TokenKind.IDENTIFIER and not token.text.isascii():
                self._copy(token.start)
                self._replace(token, _for_grammar(token.text))
            elif token.text == "[":
                index = self._brackets(index)
            index += 1

    @staticmethod
    def _is_object_id(at: Token, number: Token) -> bool:
        return number.kind is TokenKind.NUMBER and number.start == at.end and number.text.isdecimal()

    def _brackets(self, index: int) -> int:
        """Handles ``[ ... ]`` from the token ``[``; returns the index of the token to go on after."""
        close = self._closers[index]
        following = self._tokens[index + 1]
        if following.text == "?":
            self._copy(self._tokens[index].start)
            self._marks[self._length] = Mark.FILTER
            self._copy(self._tokens[index].end)
            self._insert("$filter(")
            self._copied = following.end
            self._copy_tokens(index + 2, close)
            self._copy(self._tokens[close].start)
            self._insert(")")
            return close
        dots = self._dots_between(index, close)
        if dots is None:
            return index
        self._copy(self._tokens[index].start)
        self._marks[self._length] = Mark.SLICE
        self._copy(self._tokens[index].end)
        self._bound(index + 1, dots, "0")
        self._copy(self._tokens[dots].start)
        self._replace(self._tokens[dots], "||")
        self._bound(dots + 1, close, "null")
        return close

    def _bound(self, start: int, end: int, missing: str) -> None:
        """One bound of a slice in parentheses, so that any expression may stand there."""
        self._insert("(")
        if start == end:
            self._insert(missing)
        self._copy_tokens(start, end)
        self._copy(self._tokens[end].start)
        self._insert(")")

    def _dots_between(self, index: int, close: int) -> int | None:
        """Return the ``..`` directly between these brackets."""
        depth_end = index
        for position in range(index + 1, close):
            if position <= depth_end:
                continue
            if position in self._closers:
                depth_end = self._closers[position]
            elif self._tokens[position].text == "..":
                return position
        return None

    def _copy(self, end: int) -> None:
        """Copies the text up to ``end``."""
        if end > self._copied:
            self._out.append(self._text[self._copied : end])
            self._out_columns += self._columns[self._copied : end]
            self._length += end - self._copied
            self._copied = end

    def _insert(self, text: str) -> None:
        column = self._columns[self._copied]
        self._out.append(text)
        self._out_columns += [column] * len(text)
        self._length += len(text)

    def _replace(self, token: Token, text: str) -> None:
        """Write text in place of the next token."""
        self._insert(text)
        self._copied = token.end


def _match_brackets(found: list[Token]) -> dict[int, int]:
    """Return the index of the closing bracket for each opening one; EvalError when they do not pair up."""
    closers: dict[int, int] = {}
    opened: list[int] = []
    for index, token in enumerate(found):
        if token.kind is not TokenKind.OPERATOR:
            continue
        if token.text in _CLOSING:
            opened.append(index)
        elif token.text in _CLOSING.values():
            if not opened:
                raise EvalError("illegal start of expression", token.start)
            expected = _CLOSING[found[opened[-1]].text]
            if token.text != expected:
                raise EvalError(f"'{expected}' expected", token.start)
            closers[opened.pop()] = index
    if opened:
        raise EvalError(f"'{_CLOSING[found[opened[-1]].text]}' expected", found[-1].end)
    return closers

"""The lexer of command lines: words with their places, quotes honored.

Knows nothing about commands. Free text (expressions, conditions) is never taken apart here: a command that expects it
gets the rest of its line as it was typed.
"""

from __future__ import annotations

from jdbpy.errors import UsageError
from jdbpy.record import Record


class Word(Record):
    """A word of a line; ``text`` is without its quotes, ``start`` and ``end`` are offsets with them."""

    text: str
    start: int
    end: int
    closed: bool = True  # False: a quote is still open


def next_word(line: str, start: int = 0) -> Word | None:
    """Return the first word at or after ``start``, or None. A part in ``"`` or ``'`` quotes may hold blanks."""
    end = len(line)
    while start < end and line[start].isspace():
        start += 1
    if start == end:
        return None
    position, quote, parts = start, "", []
    while position < end:
        character = line[position]
        if quote:
            if character == quote:
                quote = ""
            else:
                parts.append(character)
        elif character in "\"'":
            quote = character
        elif character.isspace():
            break
        else:
            parts.append(character)
        position += 1
    return Word("".join(parts), start, position, not quote)


def split_words(line: str) -> list[Word]:
    """Return all words of ``line``; raises UsageError when a quote is not closed."""
    words: list[Word] = []
    word = next_word(line)
    while word is not None:
        words.append(word)
        word = next_word(line, word.end)
    if words and not words[-1].closed:
        raise UsageError(f"a quote is not closed in: {line.strip()}", hint="close it, or leave the quotes out")
    return words

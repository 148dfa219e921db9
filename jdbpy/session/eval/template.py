"""The text of a logpoint: ``total {order.total} of {orders.length}``. Pure.

Owns its syntax: expressions stand in braces; ``{{`` and ``}}`` are braces of the text. The expressions themselves are
Java, strings and braces in them included.
"""

from __future__ import annotations

from collections.abc import Sequence

from jdbpy.errors import EvalError
from jdbpy.record import Record


class Placeholder(Record):
    """An expression to be put in; ``at`` is its column in the template."""

    expression: str
    at: int


class Template(Record):
    """Texts and placeholders, in order."""

    parts: tuple[str | Placeholder, ...]

    @property
    def placeholders(self) -> tuple[Placeholder, ...]:
        return tuple(part for part in self.parts if isinstance(part, Placeholder))

    def render(self, values: Sequence[str]) -> str:
        """The text with a value for each placeholder."""
        rest = iter(values)
        return "".join(part if isinstance(part, str) else next(rest) for part in self.parts)


def parse_template(text: str) -> Template:
    """The template that a text spells. Raises EvalError, with the column, for braces that do not pair up."""
    parts: list[str | Placeholder] = []
    plain = ""
    at = 0
    while at < len(text):
        if text.startswith(("{{", "}}"), at):
            plain += text[at]
            at += 2
        elif text[at] == "}":
            raise EvalError("'{' expected before this '}'", at, hint="a brace in the text is written twice: }}")
        elif text[at] == "{":
            end = _end_of_expression(text, at)
            parts += [plain, _placeholder(text, at + 1, end)] if plain else [_placeholder(text, at + 1, end)]
            plain, at = "", end + 1
        else:
            plain += text[at]
            at += 1
    return Template((*parts, plain) if plain else tuple(parts))


def _placeholder(text: str, start: int, end: int) -> Placeholder:
    expression = text[start:end]
    if not expression.strip():
        raise EvalError("an expression is expected between the braces", start)
    return Placeholder(expression.strip(), start + len(expression) - len(expression.lstrip()))


def _end_of_expression(text: str, opening: int) -> int:
    """Where the brace closes that opens here; braces of the expression and in its strings do not count."""
    depth = 0
    at = opening
    while at < len(text):
        char = text[at]
        if char in "\"'":
            at = _end_of_quoted(text, at)
        elif char == "{":
            depth += 1
        elif char == "}":
            depth -= 1
            if depth == 0:
                return at
        at += 1
    raise EvalError("'}' expected", len(text), hint="a brace in the text is written twice: {{")


def _end_of_quoted(text: str, at: int) -> int:
    quote = text[at]
    end = at + 1
    while end < len(text) and text[end] != quote:
        end += 2 if text[end] == "\\" else 1
    return end

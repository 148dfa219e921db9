"""Arguments that are code: expressions and assignments, taken as they are typed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated

from jdbpy.cli.arguments.base import Argument, matching
from jdbpy.cli.arguments.target import class_names
from jdbpy.cli.names import Candidate, Names
from jdbpy.cli.settings import SETTINGS
from jdbpy.errors import UsageError
from jdbpy.identifiers import WORD
from jdbpy.record import Record


class ExpressionArgument(Argument[str]):
    """A Java expression."""

    metavar = "EXPRESSION"
    help = "a Java expression over what the selected frame sees"
    takes_rest = True
    options_behind = True  # "x --depth 3" is no Java

    def parse(self, text: str) -> str:
        return text.rstrip(";").rstrip() or text

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        return complete_expression(text, names)


ExpressionText = Annotated[str, ExpressionArgument()]


class Assignment(Record):
    """``set``: a value for something in the target, or (``setting``) for a setting of jdbpy."""

    target: str
    value: str
    setting: bool = False


class AssignmentArgument(Argument[Assignment]):
    """``TARGET = EXPRESSION``, ``var TARGET = EXPRESSION``, or ``SETTING VALUE``."""

    metavar = "TARGET = EXPRESSION | SETTING VALUE"
    help = "with `=`: a local, field, static field or array element and its new value; without: a setting"
    takes_rest = True

    def parse(self, text: str) -> Assignment:
        place = assignment_sign(text)
        if place < 0:
            name, _, value = text.partition(" ")
            return Assignment(name, value.strip(), setting=True)
        target = re.sub(r"^var\s+", "", text[:place].strip())
        value = text[place + 1 :].strip().rstrip(";").rstrip()
        if not target or not value:
            raise UsageError(f"{'what is to be set' if not target else 'the new value'} is missing")
        return Assignment(target, value)

    def complete(self, text: str, names: Names) -> Iterable[Candidate]:
        settings = list(matching(text, SETTINGS, "setting")) if " " not in text else []
        if "-" not in text or not settings:  # "frame-b" begins no target of an assignment
            yield from complete_expression(text, names)
        yield from settings


def assignment_sign(text: str) -> int:
    """Return the offset of the ``=`` that assigns, or -1: not one of ``==``, ``<=``, and none in brackets or quotes."""
    depth, position = 0, 0
    while position < len(text):
        character = text[position]
        if character in "\"'":
            position = _end_of_literal(text, position)
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif character == "=" and depth == 0:
            if text[position + 1 : position + 2] == "=":
                position += 1
            elif text[position - 1 : position] not in tuple("<>!+-*/%&|^"):
                return position
        position += 1
    return -1


def complete_expression(text: str, names: Names) -> Iterable[Candidate]:
    """Completes the name that ends at the cursor: a variable, a field of ``this``, a class; a member behind a dot."""
    name = re.search(rf"[{WORD}.]*$", text)
    typed = name[0] if name else ""
    owner, dot, start = typed.rpartition(".")
    if dot:
        type_name = dict(names.variables).get(owner, owner).partition("<")[0]
        yield from matching(start, names.members if owner == "this" else names.fields.get(type_name, ()), "field")
        yield from matching(start, (name for name in names.methods.get(type_name, ()) if name[:1] != "<"), "method")
    else:
        for variable, type_name in names.variables:
            if variable.startswith(typed):
                yield Candidate(variable, len(typed), type_name)
        yield from matching(typed, names.members, "field")
        if typed.startswith("$"):
            yield from matching(typed, (f"${name}" for name in names.saved), "saved")
    if typed:
        yield from class_names(typed, names)


def _end_of_literal(text: str, start: int) -> int:
    """Return the offset of the quote that closes the literal at ``start``, or the end of the text."""
    position = start + 1
    while position < len(text) and text[position] != text[start]:
        position += 2 if text[position] == "\\" else 1
    return position

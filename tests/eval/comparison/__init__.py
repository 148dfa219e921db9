"""Tables of expressions, and the program in which both jdbpy and java evaluate them.

Each table is named for the place in ``Subject.java`` where its expressions are evaluated, one a line, in order: what
one changes, the next ones see, on both sides. ``#`` begins a comment line, ``void:`` an expression without a value.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from tests.harness import Program, inline

HERE = Path(__file__).parent
PLACES = ("instance", "static", "lambda", "inner", "anonymous", "generic")
"""In the order in which the program comes to them."""

_VOID = "void:"


@cache
def table(place: str) -> tuple[str, ...]:
    """The expressions of a place."""
    lines = (HERE / f"{place}.txt").read_text(encoding="utf-8").splitlines()
    return tuple(line for line in lines if line and not line.startswith("#"))


def expression(line: str) -> str:
    """The expression of a line, as it is given to jdbpy."""
    return line.removeprefix(_VOID).strip()


@cache
def program() -> Program:
    """The program with all expressions compiled into it."""
    return _with(PLACES)


@cache
def program_to_stop_in() -> Program:
    """The same without the expressions of the first place, which capture nothing.

    With them its method has some 800 handlers, which HotSpot 17 goes through for each local that is read.
    """
    return _with(PLACES[1:])


def _with(places: tuple[str, ...]) -> Program:
    source = (HERE / "Subject.java").read_text(encoding="utf-8")
    return inline(re.sub(r"//#EXPRESSIONS (\w+)", lambda found: _code(found[1]) if found[1] in places else "", source))


def _code(place: str) -> str:
    statements = [_statement(place, number, line) for number, line in enumerate(table(place))]
    return "if (javaEvaluates) {\n" + "\n".join(statements) + "\n}"


def _statement(place: str, number: int, line: str) -> str:
    where = f'"{place}", {number}'
    shown = f"show({where}, {line});"
    if line.startswith(_VOID):
        shown = f'{expression(line)}; print({where}, "void", "void");'
    return f"try {{ {shown} }} catch (Throwable thrownHere) {{ thrown({where}, thrownHere); }}"

"""Tables of expressions, and the program in which both jdbpy and java evaluate them.

Each table is named for the place in ``Subject.java`` where its expressions are evaluated, one a line, in order: what
one changes, the next ones see, on both sides. ``#`` begins a comment line, ``void:`` an expression without a value.
For an older Java release those are left out that javac does not compile for it.
"""

from __future__ import annotations

import re
from collections.abc import Collection
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


_LATER_SYNTAX = re.compile(r"\bswitch \(|\binstanceof [\w<>?]+ \w+\b")
"""Switches with a value, and patterns."""


@cache
def left_out(release: int) -> frozenset[tuple[str, int]]:
    """The expressions that are none of that Java release, by place and number: what javac says."""
    if release >= 17:
        return frozenset()
    every = [(place, number, line) for place in PLACES for number, line in enumerate(table(place))]
    # what ends javac's parsing would cost a compilation each
    found = {(place, number) for place, number, line in every if _LATER_SYNTAX.search(line)}
    while True:
        source = _source(PLACES, release, found)
        try:
            inline(source, release=release)
            return frozenset(found)
        except RuntimeError as error:
            lines = source.splitlines()
            wrong = [lines[int(number) - 1] for number in re.findall(r"Subject\.java:(\d+): error", str(error))]
            rows = [row for line in wrong for row in _ROW.findall(line)]
            assert len(rows) == len(wrong), error
            found |= {(place, int(number)) for place, number in rows}


@cache
def program(release: int = 17) -> Program:
    """The program with all expressions of a Java release compiled into it."""
    return inline(_source(PLACES, release, left_out(release)), release=release)


@cache
def program_to_stop_in(release: int = 17) -> Program:
    """The same without the expressions of the first place, which capture nothing.

    With them its method has some 800 handlers, which HotSpot 17 goes through for each local that is read.
    """
    return inline(_source(PLACES[1:], release, left_out(release)), release=release)


_ROW = re.compile(r'^try \{ .*catch \(Throwable thrownHere\) \{ thrown\("(\w+)", (\d+), thrownHere\); \}$')

_POINT = """static final class Point {
        final int x; final int y;
        Point(int x, int y) { this.x = x; this.y = y; }
        int x() { return x; }
        int y() { return y; }
        @Override public boolean equals(Object o) { return o instanceof Point && o.toString().equals(toString()); }
        @Override public int hashCode() { return 31 * x + y; }
        @Override public String toString() { return "Point[x=" + x + ", y=" + y + "]"; }"""
"""What a record is, for a Java release that has none."""


def _source(places: tuple[str, ...], release: int, without: Collection[tuple[str, int]]) -> str:
    source = (HERE / "Subject.java").read_text(encoding="utf-8")
    if release < 16:
        source = source.replace("record Point(int x, int y) {", _POINT)
        source = source.replace("List.of(", "Arrays.asList(")
        source = re.sub(r"Map\.of\(([^()]*)\)", r"mapOf(\1)", source)
        source = source.replace("static boolean javaEvaluates;", _MAP_OF + "static boolean javaEvaluates;")

    def code(found: re.Match[str]) -> str:
        return _code(found[1], without) if found[1] in places else ""

    return re.sub(r"//#EXPRESSIONS (\w+)", code, source)


_MAP_OF = """@SuppressWarnings("unchecked") static <K, V> Map<K, V> mapOf(Object... all) {
        Map<K, V> made = new HashMap<>();
        for (int i = 0; i < all.length; i += 2) made.put((K) all[i], (V) all[i + 1]);
        return made;
    }

    """


def _code(place: str, without: Collection[tuple[str, int]]) -> str:
    rows = [(number, line) for number, line in enumerate(table(place)) if (place, number) not in without]
    statements = [_statement(place, number, line) for number, line in rows]
    return "if (javaEvaluates) {\n" + "\n".join(statements) + "\n}"


def _statement(place: str, number: int, line: str) -> str:
    where = f'"{place}", {number}'
    shown = f"show({where}, {line});"
    if line.startswith(_VOID):
        shown = f'{expression(line)}; print({where}, "void", "void");'
    return f"try {{ {shown} }} catch (Throwable thrownHere) {{ thrown({where}, thrownHere); }}"

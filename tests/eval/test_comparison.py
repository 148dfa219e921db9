"""The same expressions at the same places of the same program: evaluated by jdbpy, and compiled by javac and run.

Type, text and exception must be the same. What a message says beyond its beginning is left out where it depends on
things that only the running code has: which local was null, which module a class came from.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from jdbpy.errors import Thrown
from jdbpy.session.java import literals
from jdbpy.session.java.arithmetic import float32
from jdbpy.session.model.values import ValueInfo
from jdbpy.session.session import Session
from tests.eval.comparison import PLACES, expression, left_out, program, program_to_stop_in, table
from tests.harness import Jvm, debug
from tests.harness.jvms import BRIEF
from tests.weaving import expressions

Answer = tuple[str, str]
"""Type and text; of an exception "!" with its class, and its message."""

_ROUND: dict[str, Callable[[float], float]] = {"float": float32, "double": float}
WORDED_SINCE = {
    "java.lang.NullPointerException": 14,
    "java.lang.ArrayIndexOutOfBoundsException": 11,
    "java.lang.NegativeArraySizeException": 11,
    "java.lang.ClassCastException": 11,
}
"""The Java release that words the message of an exception as 17 does."""
_OPEN_MESSAGES = ("java.lang.NullPointerException", "java.lang.ClassCastException")


@pytest.mark.every_java
async def test_java_gives_the_same_answers(jvm: Jvm, tmp_path: Path) -> None:
    """Every expression of every table, by jdbpy and, where a condition inside the target can have it, as bytecode."""
    release = min(17, jvm.feature)
    wanted = rows(output_of_java(jvm, release))
    wrong: list[str] = []
    in_target = expressions.Table({}, {})
    async with debug(jvm, program_to_stop_in(release), "jdbpy evaluates") as d:
        for place in PLACES:
            await d.session.breakpoints.add(d.at(place))
        for place in PLACES:
            await d.resume()
            await d.wait_stop("breakpoint", at=place)
            frame = await d.session.stack.selected()
            for number, line in enumerate(table(place)):
                if (place, number) in left_out(release):
                    continue
                found = await answer_of_jdbpy(d.session, expression(line))
                java = wanted[place, number]
                if not same(found, java, release):
                    wrong.append(f"{place}: {line}\n    java  {java}\n    jdbpy {found}")
                if expression(line) == line:
                    await expressions.take_in(in_target, (place, number), d.session.values.evaluator, frame, line)
        await d.resume()
        await d.wait_exit()
    assert not wrong, f"{len(wrong)} of {len(wanted)} differ:\n" + "\n".join(wrong)
    assert len(wanted) >= LEAST[release]
    compare_in_target(jvm, release, in_target, tmp_path)


CHANGING = ("sideEffect() + number", "number + sideEffect()", 'map.put("new", 5)', 'map.remove("k")')
"""They change what they read, so the helper, which comes first, and Java see different things."""

STAY_OUTSIDE = {
    "assigns a variable",
    "has a switch",
    "calls a method of the superclass by super",
    "computes with a value whose static type does not allow it",
}


LEAST = {8: 863, 11: 872, 17: 884}
"""Expressions at least, by Java release: what its language and its library have of the tables."""


def compare_in_target(jvm: Jvm, release: int, emitted: expressions.Table, directory: Path) -> None:
    """Those expressions that a helper can have, woven in front of Java's own."""
    assert set(emitted.refused.values()) == (STAY_OUTSIDE if release >= 14 else STAY_OUTSIDE - {"has a switch"})
    assert len(emitted.emitted) >= LEAST[release] - 114
    found = rows(expressions.run_woven(jvm, program(release), emitted, directory))
    wrong = []
    for place, number in emitted.emitted:
        line = table(place)[number]
        inside, java = found[expressions.WOVEN + place, number], found[place, number]
        if inside != java and line not in CHANGING:
            wrong.append(f"{place}: {line}\n    java   {java}\n    inside {inside}")
    assert not wrong, f"{len(wrong)} of {len(emitted.emitted)} differ inside the target:\n" + "\n".join(wrong)


def test_the_tables_are_large_enough() -> None:
    """The number of expressions that the comparison promises, none of them twice in a row."""
    tables = [table(place) for place in PLACES]
    assert sum(map(len, tables)) >= 400


def same(found: Answer, java: Answer, release: int) -> bool:
    """Whether the answers agree; of some exceptions only the beginning of the message counts.

    On an older Java jdbpy throws in the words of 17 what it throws itself (docs/jdk.md, "The words of exceptions").
    """
    if found[0] == java[0] and WORDED_SINCE.get(found[0].removeprefix("!"), 0) > release:
        return True
    if found[0] == java[0] and found[0].removeprefix("!") in _OPEN_MESSAGES:
        return found[1] == "null" or java[1].startswith(found[1])
    if found[0] == java[0] and found[0] in _ROUND:  # a literal of the same number, -0.0 told from 0.0
        return repr(_ROUND[found[0]](float(found[1]))) == repr(_ROUND[found[0]](float(java[1])))
    return found == java


def output_of_java(jvm: Jvm, release: int) -> str:
    """What the program prints when it runs by itself."""
    command = [jvm.java, *BRIEF, "-cp", program(release).classes, program(release).main]
    return subprocess.run(command, capture_output=True, check=True, timeout=60, encoding="ascii").stdout


def rows(output: str) -> dict[tuple[str, int], Answer]:
    """Place, number, type and escaped text of each line."""
    found = [line.split("\t") for line in output.splitlines() if line.count("\t") == 3]
    return {(row[0], int(row[1])): (row[2], literals.unescape(row[3])) for row in found}


async def answer_of_jdbpy(session: Session, text: str) -> Answer:
    """The answer of jdbpy in the terms of the program: chars as numbers, objects by their string conversion."""
    try:
        value = await session.values.evaluate(text)
        if value.tag in "ZBCSIJFD":
            return value.type, str(ord(str(value.raw))) if value.tag == "C" else value.text
        if value.text in ("null", "void") and value.tag != "s":
            return value.text, value.text
        return value.type, await string_conversion(session, value)
    except Thrown as error:
        return f"!{error.exception_type}", str("null" if error.exception_message is None else error.exception_message)
    except Exception as error:
        return "error of jdbpy", f"{type(error).__name__}: {error}"


async def string_conversion(session: Session, value: ValueInfo) -> str:
    """The text of the last value, arrays element by element."""
    last = "$_"
    if value.type.endswith("]"):
        last = "java.util.Arrays.deepToString(new Object[] {$_})"
    text = literals.string((await session.values.to_string(last)).text, 0)
    return text[1:-1] if value.type.endswith("]") else text

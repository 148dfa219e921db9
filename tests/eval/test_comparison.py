"""The same expressions at the same places of the same program: evaluated by jdbpy, and compiled by javac and run.

Type, text and exception must be the same. What a message says beyond its beginning is left out where it depends on
things that only the running code has: which local was null, which module a class came from.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable

from jdbpy.errors import Thrown
from jdbpy.session.java import literals
from jdbpy.session.java.arithmetic import float32
from jdbpy.session.model.values import Value
from jdbpy.session.session import Session
from tests.eval.comparison import PLACES, expression, program, table
from tests.harness import Jvm, debug

Answer = tuple[str, str]
"""Type and text; of an exception "!" with its class, and its message."""

_ROUND: dict[str, Callable[[float], float]] = {"float": float32, "double": float}
_OPEN_MESSAGES = ("java.lang.NullPointerException", "java.lang.ClassCastException")


async def test_java_gives_the_same_answers(jvm: Jvm) -> None:
    """Every expression of every table."""
    wanted = answers_of_java(jvm)
    wrong: list[str] = []
    async with debug(jvm, program(), "jdbpy evaluates") as d:
        for place in PLACES:
            await d.session.breakpoints.add(d.at(place))
        for place in PLACES:
            await d.resume()
            await d.wait_stop("breakpoint", at=place)
            for number, line in enumerate(table(place)):
                found = await answer_of_jdbpy(d.session, expression(line))
                java = wanted[place, number]
                if not same(found, java):
                    wrong.append(f"{place}: {line}\n    java  {java}\n    jdbpy {found}")
        await d.resume()
        await d.wait_exit()
    assert not wrong, f"{len(wrong)} of {len(wanted)} differ:\n" + "\n".join(wrong)


def test_the_tables_are_large_enough() -> None:
    """The number of expressions that the comparison promises, none of them twice in a row."""
    tables = [table(place) for place in PLACES]
    assert sum(map(len, tables)) >= 400


def same(found: Answer, java: Answer) -> bool:
    """Whether the answers agree; of some exceptions only the beginning of the message counts."""
    if found[0] == java[0] and found[0].removeprefix("!") in _OPEN_MESSAGES:
        return found[1] == "null" or java[1].startswith(found[1])
    if found[0] == java[0] and found[0] in _ROUND:  # a literal of the same number, -0.0 told from 0.0
        return repr(_ROUND[found[0]](float(found[1]))) == repr(_ROUND[found[0]](float(java[1])))
    return found == java


def answers_of_java(jvm: Jvm) -> dict[tuple[str, int], Answer]:
    """What the program prints when it runs by itself: place, number, type and escaped text."""
    command = [jvm.java, "-cp", program().classes, program().main]
    done = subprocess.run(command, capture_output=True, check=True, timeout=60, encoding="ascii")
    rows = [line.split("\t") for line in done.stdout.splitlines() if line.count("\t") == 3]
    return {(row[0], int(row[1])): (row[2], literals.unescape(row[3])) for row in rows}


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


async def string_conversion(session: Session, value: Value) -> str:
    """The text of the last value, arrays element by element."""
    last = "$_"
    if value.type.endswith("]"):
        last = "java.util.Arrays.deepToString(new Object[] {$_})"
    text = literals.string((await session.values.to_string(last)).text, 0)
    return text[1:-1] if value.type.endswith("]") else text

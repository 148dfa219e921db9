"""Expressions that Java refuses to compile: jdbpy refuses them too, in javac's words and at javac's column.

javac compiles every expression of ``comparison/refused.txt`` in the place where jdbpy evaluates it. Where javac says
more (symbol, location, reasons), it does so on further lines; jdbpy has one sentence that begins as javac's does.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from jdbpy.errors import EvalError
from jdbpy.record import Record
from tests.eval.comparison import HERE, program_to_stop_in, table
from tests.harness import Jvm, debug
from tests.harness.jvms import javac

_START = 'show("refused", 0, '
_ERROR = re.compile(r"Subject\.java:(\d+): error: (.*)\n.*\n( *)\^", re.MULTILINE)


class Refusal(Record):
    """What javac says of an expression, and where: the column in the expression."""

    message: str
    column: int


@pytest.fixture(scope="module")
def refusals(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Refusal]:
    """javac's first error for every expression."""
    return refusals_of_javac(tmp_path_factory.mktemp("refused"))


async def test_jdbpy_refuses_what_java_refuses(any_jvm: Jvm, refusals: dict[str, Refusal]) -> None:
    wrong: list[str] = []
    async with debug(any_jvm, program_to_stop_in(), "jdbpy evaluates") as d:
        await d.run_to("instance")
        for text in table("refused"):
            java = refusals[text]
            try:
                value = await d.session.values.evaluate(text)
                wrong.append(f"{text}\n    java  {java}\n    jdbpy {value.type} {value.text}")
            except EvalError as error:
                if not same(text, error, java):
                    wrong.append(
                        f"{text}\n    java  {java}\n    jdbpy {type(error).__name__} {error.message!r} {error.column}"
                    )
        await d.resume()
        await d.wait_exit()
    assert not wrong, f"{len(wrong)} of {len(refusals)} differ:\n" + "\n".join(wrong)


def same(text: str, error: EvalError, java: Refusal) -> bool:
    """Whether the sentence begins as javac's, and the column is javac's.

    Of a member javac marks the dot before its name, of a call that gives nothing the parenthesis after it.
    """
    if not error.message.startswith(java.message) or error.column is None:
        return False
    return error.column in (java.column, java.column + 1) or text[error.column : java.column].isidentifier()


def refusals_of_javac(work: Path) -> dict[str, Refusal]:
    """javac looks for missing cases only where it finds nothing else wrong: those expressions get a second run."""
    found = _compile(work, table("refused"))
    found |= _compile(work, [text for text in table("refused") if text not in found])
    missing = [text for text in table("refused") if text not in found]
    assert not missing, f"javac accepts {missing}"
    return found


def _compile(work: Path, texts: Sequence[str]) -> dict[str, Refusal]:
    source = (HERE / "Subject.java").read_text(encoding="utf-8")
    lines = "\n".join(f"{_START}{text});" for text in texts)
    file = work / "Subject.java"
    file.write_text(source.replace("//#EXPRESSIONS instance", "\n" + lines), encoding="utf-8")
    command = [javac(), "-d", str(work), "-Xmaxerrs", "1000", "-encoding", "UTF-8", str(file)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=60)
    numbered = file.read_text(encoding="utf-8").splitlines()
    found: dict[str, Refusal] = {}
    for number, message, blanks in _ERROR.findall(done.stderr):
        line = numbered[int(number) - 1]
        if line.startswith(_START):
            found.setdefault(line[len(_START) : -2], Refusal(message.rstrip(";"), len(blanks) - len(_START)))
    return found

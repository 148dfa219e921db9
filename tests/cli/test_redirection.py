"""``COMMAND > FILE``, and the ``>`` that is Java's."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from jdbpy.cli.commands import TABLE
from jdbpy.cli.redirection import redirected
from tests.cli.process import jdbpy, launching, script
from tests.harness import Jvm, program

ROUNDS = program("Rounds")


@pytest.mark.parametrize(
    ("line", "left", "file"),
    [
        ("where > stack.txt", "", "stack.txt"),
        ("where all >> a/b", "", "a/b"),
        ("threads -s blocked > t.txt", "-s blocked", "t.txt"),
        ('print a > "x y.txt"', "a", "x y.txt"),
        ("print a >'x'", "a", "x"),
        ("print a > /tmp/x", "a", "/tmp/x"),
        ("dump order > ~/x", "order", os.path.expanduser("~/x")),
        ("print a >> ./x", "a", "x"),
        ("print a > b", "a > b", ""),
        ("print a > b/c", "a > b/c", ""),
        ("print a > b.c", "a > b.c", ""),
        ("print a >> 2", "a >> 2", ""),
        ("print a >= b", "a >= b", ""),
        ("break A:1 if n > 2", "A:1 if n > 2", ""),
        ('logpoint A:1 "a > /b"', 'A:1 "a > /b"', ""),
        ('print s.equals(" > /b")', 's.equals(" > /b")', ""),
        ('py 1 > "x"', '1 > "x"', ""),
        ("on 1 where > /x", "1 where > /x", ""),
        ("shell ls > /x", "ls > /x", ""),
    ],
)
def test_whose_sign_it_is(line: str, left: str, file: str) -> None:
    found = TABLE.find(line)
    assert found is not None
    text, target = redirected(found.command, line[found.rest :])
    assert text.strip() == left
    assert (target.path if target is not None else "") == (os.path.abspath(file) if file else "")
    assert target is None or target.append is (">>" in line)


async def test_results_go_to_files(jvm: Jvm, tmp_path: Path) -> None:
    lines = [
        f"break {ROUNDS.at('number')}",
        "run",
        f"where > {tmp_path}/shown",
        f'print number > 0 >> "{tmp_path}/shown"',
        f"where > {tmp_path}/none/shown",
        "print 3 > 2",
    ]
    done = await jdbpy(*launching(ROUNDS.on(jvm), "--keep-going", *script(*lines)), jvm=jvm)
    shown = (tmp_path / "shown").read_text().splitlines()
    assert shown[0].startswith('Thread 1 "main", ') and "=> [1] Rounds." in shown[1]
    assert shown[-1].startswith("number > 0 = ")
    assert f"lines written to {tmp_path}/shown\n1 line added to {tmp_path}/shown\n" in done.out
    assert "3 > 2 = true" in done.out and "=> [1]" not in done.out
    assert f"cannot write {tmp_path}/none/shown: No such file or directory" in done.err

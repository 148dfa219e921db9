"""What is assigned and handed over, and literals: as the JDK's jdb converts, refuses and reads them."""

from __future__ import annotations

import re

import pytest

from jdbpy.jdb.conversions import argument_at, assignment, with_long_literals
from tests.harness import Jvm, program
from tests.jdb.beside import JDKS
from tests.jdb.differences import normalized
from tests.jdb.driving import ours, run_script, theirs

CONVERTED = """\
set JdbValues.anInt = 5L
print JdbValues.anInt
set JdbValues.aByte = local
set JdbValues.aByte = JdbValues.anInt
set JdbValues.aByte = JdbValues.anInt + 1
set JdbValues.aByte = JdbValues.ints.length
set JdbValues.aByte = 7
set JdbValues.aByte = 300
set JdbValues.aByte = wide
set JdbValues.aByte = 1.5
set JdbValues.aByte = -1.5
print JdbValues.aByte
set JdbValues.aByte = 300.5
set JdbValues.aByte = -129.5
set JdbValues.aByte = 'x'
set JdbValues.aByte = JdbValues.aChar
set JdbValues.aShort = 70000
set JdbValues.aShort = 1.5
set JdbValues.aShort = JdbValues.anInt
set JdbValues.aShort = JdbValues.aChar
set JdbValues.aChar = 65
print JdbValues.aChar
set JdbValues.aChar = JdbValues.anInt
set JdbValues.aChar = -1
set JdbValues.aChar = little
set JdbValues.aChar = 70000
set JdbValues.aChar = 65.5
set JdbValues.aChar = -0.5
set JdbValues.anInt = 5.0
set JdbValues.anInt = 3.0f
set JdbValues.anInt = 5.5
set JdbValues.anInt = 1.5f
set JdbValues.anInt = 5000000000
set JdbValues.anInt = JdbValues.aLong
set JdbValues.anInt = 'x'
set JdbValues.anInt = 'x' + 1
set JdbValues.anInt = true
set JdbValues.anInt = null
set JdbValues.anInt = nope
set JdbValues.anInt = local = 4
set JdbValues.anInt=3
set JdbValues.anInt = JdbValues.takesInt(5L).length()
set JdbValues.anInt = JdbValues.takesInt(1)
set JdbValues.aLong = 5.0
set JdbValues.aLong = 5.5
set JdbValues.aLong = 9223372036854775807
set JdbValues.aFloat = 2.5
set JdbValues.aFloat = 1.1
set JdbValues.aFloat = 2
set JdbValues.aFloat = JdbValues.aLong
set JdbValues.aFloat = JdbValues.aDouble
set JdbValues.aDouble = 1
set JdbValues.aDouble = JdbValues.aFloat
set JdbValues.aBoolean = 1
set JdbValues.aBoolean = 5.5
set JdbValues.aBoolean = JdbValues.anInt == 9
set JdbValues.aBoolean = !JdbValues.aBoolean
set local = 5L
set little = local
set wide = 3.0
set this.own = 3.0
set own = 2.0
print own
set JdbValues.ints[0] = 5L
set JdbValues.ints[0] = 5.5
set JdbValues.ints[0] = JdbValues.left
set JdbValues.floats[0] = 1.1
set JdbValues.aString = "x=y"
set JdbValues.aString = JdbValues.left
set JdbValues.aString = JdbValues.takesInt(1)
set JdbValues.right = JdbValues.other
set JdbValues.left = "x"
set JdbValues.ints = JdbValues.floats
set JdbValues.objects = JdbValues.ints
set JdbValues.left = null
set JdbValues.nope = 3
set this.nope = 3
set nope = 3
print JdbValues.anInt = 9
print JdbValues.anInt == 9
"""
"""Assignments: `set` shows what was assigned, not what became of it."""

LITERALS = """\
set JdbValues.anInt = -2147483648
print JdbValues.anInt
set JdbValues.anInt = 0x7fffffff
set JdbValues.anInt = 0x80000000
set JdbValues.anInt = 2147483648
set JdbValues.aLong = 0x7fffffffffffffff
print JdbValues.aLong
set JdbValues.aLong = -9223372036854775808
set JdbValues.aByte = 0xff
set JdbValues.aByte = -0x80
print 0xffffffff
print 0X1F
print 0x7fffffff
print 0x7fffffffffffffff
print 0xffffffffffffffff
print 037777777777
print 010
print 5L
print -2147483648
print 4294967296
print 9223372036854775808
print JdbValues.aShort + 0x80000000
print -0x80000000
print "0xffffffff"
"""

ARGUMENTS = """\
print JdbValues.takesBoolean(1)
print JdbValues.takesBoolean(null)
print JdbValues.takesBoolean("x")
print JdbValues.takesBoolean(JdbValues.anInt + 1)
print JdbValues.takesByte(1)
print JdbValues.takesByte(300)
print JdbValues.takesByte(little)
print JdbValues.takesByte(JdbValues.anInt)
print JdbValues.takesByte((JdbValues.anInt + 1))
print JdbValues.takesInt(5L)
print JdbValues.takesInt(5.5)
print JdbValues.takesInt(true)
print JdbValues.takesInt("x")
print JdbValues.takesInt('x')
print JdbValues.takesInt(JdbValues.ints)
print JdbValues.takesInt(JdbValues.left)
print JdbValues.takesInt()
print JdbValues.takesObject("x")
print JdbValues.takesObject(JdbValues.ints)
print JdbValues.takesString(5)
print JdbValues.takesString(JdbValues.left)
print JdbValues.takesString(JdbValues.ints)
print JdbValues.takesInts(JdbValues.floats)
print JdbValues.takesInts(JdbValues.objects)
print JdbValues.takesInts(5)
print JdbValues.takesInts("x")
print JdbValues.takesInts(JdbValues.left)
print JdbValues.takesRight(JdbValues.left)
print JdbValues.takesRight(JdbValues.other)
print JdbValues.takesRight(JdbValues.anything)
print JdbValues.takesRight("x")
print JdbValues.takesRight(null)
print JdbValues.takesTwo(1)
print JdbValues.takesTwo(1, 2)
print JdbValues.takesTwo(1, "x", 3)
print JdbValues.takesTwo("x", "y")
print JdbValues.takesTwo(true, 5)
print JdbValues.takesTwo(1.0, "a,b(")
print JdbValues.takesTwo(5L, "a").length()
print JdbValues.overloaded(1)
print JdbValues.overloaded(1L)
print JdbValues.overloaded(true)
print JdbValues.overloaded("x")
print this.instance(5L)
print this.instance(JdbValues.ints[1] + 2L)
print this.instance("x")
print this.instance(1, 2)
print instance(true)
print instance()
print JdbValues.instance(1)
print JdbValues.nope(1)
dump JdbValues.takesInt(5L)
"""

JAVAS = {
    "print JdbValues.overloaded('x')": "int 120",
    "print JdbValues.overloaded(little)": "int 3",
    "print JdbValues.takesObject(5)": "object true",
    "set JdbValues.objects[0] = 5": " = 5",
}
"""What jdb refuses and Java has a rule for: docs/jdb.md lists it."""

BEGIN = ("stop at JdbValues:{look}", "~run")


@pytest.mark.parametrize("script", [CONVERTED, LITERALS, ARGUMENTS], ids=["converted", "literals", "arguments"])
async def test_values_beside_jdb(jvm: Jvm, script: str) -> None:
    """The same lines as jdb, on each JVM."""
    lines = [*BEGIN, *script.splitlines()]
    of_jdk, of_ours = await _answers(JDKS[0], lines, jdb=True), await _answers(jvm, lines)
    assert [*zip(lines, of_ours, strict=True)] == [*zip(lines, of_jdk, strict=True)]


async def test_calls_stay_those_of_java(jvm: Jvm) -> None:
    answers = await _answers(jvm, [*BEGIN, *JAVAS])
    assert [text for text, wanted in zip(answers[2:], JAVAS.values(), strict=True) if wanted not in text] == []


async def test_what_is_assigned_is_computed_once(jvm: Jvm) -> None:
    """The call on the right side, also where its result is of another type than the variable."""
    script = [
        f"set {name} = next()" for name in ("calls", "JdbValues.aByte", "JdbValues.aString", "JdbValues.anything")
    ]
    answers = await _answers(jvm, [*BEGIN, *script, "print nextCalls"])
    assert [re.findall(r" = (\w+)\n", text)[-1] for text in answers[2:]] == ["1", "2", "null", "4", "4"]


async def _answers(jvm: Jvm, lines: list[str], *, jdb: bool = False) -> list[str]:
    values = program("JdbValues")
    lines = [line.format(look=values.line("look")) for line in lines]
    words = ("-sourcepath", values.sources, "-classpath", values.classes, "JdbValues")
    run = await run_script(theirs(jvm, *words) if jdb else ours(*words), jvm, lines)
    assert run.status == 0
    return [re.sub(r"@\w+|line=\d+ bci=\d+", "", normalized(answer.text)) for answer in run.answers[1:]]


def test_the_sides_of_an_assignment() -> None:
    assert assignment("a = b") == ("a", "b")
    assert assignment('a["="] = "x = y"') == ('a["="]', '"x = y"')
    assert assignment("a = b == c") == ("a", "b == c")
    for other in ("a == b", "a += b", "a >>= 1", "a", "x -> y = 3", "= 3", "a =", '"a = b"'):
        assert assignment(other) is None


def test_the_argument_at_a_column() -> None:
    def argument(text: str) -> str | None:
        column = text.index("^")
        text = text.replace("^", "")
        place = argument_at(text, column)
        return None if place is None else text[slice(*place)].strip()

    assert argument("f(^1)") == "1"
    assert argument("f(1, a ^+ b, c)") == "a + b"
    assert argument('f("a,b(", ^2)') == "2"
    assert argument("f((a ^+ b))") == "(a + b)"
    assert argument("f(g(1), ^h(2))") == "h(2)"
    assert argument("f(g(1, ^x[3]), 2)") == "x[3]"
    assert argument("f(1) ^+ 2") is None
    assert argument("(1 ^+ 2)") is None
    assert argument("f(^1") is None


def test_literals_that_are_long() -> None:
    assert with_long_literals("0x80000000 + 2147483648 + 2147483647") == "0x80000000L + 2147483648L + 2147483647"
    assert with_long_literals("""f("0xffffffff", '8', a0xffffffff, 0xffffffffL)""") == (
        """f("0xffffffff", '8', a0xffffffff, 0xffffffffL)"""
    )

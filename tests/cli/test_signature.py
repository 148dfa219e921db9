"""What is read from the annotations of a command: usage, parsing, what is expected at the cursor."""

from __future__ import annotations

from typing import Annotated, Any

import pytest

from jdbpy.cli.arguments.base import FilePath, Number, Option, Slash, TextArgument, WordArgument
from jdbpy.cli.arguments.code import ExpressionArgument
from jdbpy.cli.context import Context
from jdbpy.cli.results import Done
from jdbpy.cli.signature import Signature
from jdbpy.errors import UsageError


async def plain(
    ctx: Context, first: Annotated[str, WordArgument("FIRST")], second: Annotated[int, Number("N")] = 1
) -> Done:
    return Done("")


async def repeated(ctx: Context, *words: Annotated[str, WordArgument("EACH")]) -> Done:
    return Done("")


async def options(
    ctx: Context,
    rest: Annotated[str | None, TextArgument("REST")] = None,
    *,
    switch: Annotated[bool, Option("-s", "--switch", help="a switch")] = False,
    count: Annotated[int | None, Option("-n", "--count", argument=Number("COUNT"))] = None,
) -> Done:
    return Done("")


async def slashed(
    ctx: Context, rest: Annotated[str, TextArgument("REST")], *, n: Annotated[int, Slash(Number("N"))] = 1
) -> Done:
    return Done("")


async def of_expression(
    ctx: Context,
    rest: Annotated[str, ExpressionArgument()],
    *,
    switch: Annotated[bool, Option("-s", "--switch", help="a switch")] = False,
    count: Annotated[int | None, Option("-n", "--count", argument=Number("COUNT"))] = None,
) -> Done:
    return Done("")


async def of_file(
    ctx: Context,
    file: Annotated[str, FilePath()],
    *,
    switch: Annotated[bool, Option("-s", help="a switch")] = False,
) -> Done:
    return Done("")


@pytest.mark.parametrize(
    ("function", "usage"),
    [
        (plain, "FIRST [N]"),
        (repeated, "[EACH...]"),
        (options, "[-s] [-n COUNT] [REST]"),
        (slashed, "[/N] REST"),
    ],
)
def test_usage(function: Any, usage: str) -> None:
    assert Signature(function).usage == usage


@pytest.mark.parametrize(
    ("function", "text", "values", "keywords"),
    [
        (plain, "a", ["a"], {}),
        (plain, "  a   7 ", ["a", 7], {}),
        (plain, "'a b' 7", ["a b", 7], {}),
        (plain, "-s", ["-s"], {}),  # no options: a dash is nothing special
        (plain, "'--all'", ["--all"], {}),
        (repeated, "", [], {}),
        (repeated, "a --1 ---", ["a", "--1", "---"], {}),
        (repeated, "a b c", ["a", "b", "c"], {}),
        (options, "", [], {}),
        (options, "any thing  at all ", ["any thing  at all"], {}),
        (options, "-s -n 3 x - y", ["x - y"], {"switch": True, "count": 3}),
        (options, "--count=3 x", ["x"], {"count": 3}),
        (options, "x -s", ["x -s"], {}),  # the rest of the line is taken as it is
        (options, "-- -s", ["-s"], {}),
        (options, "--other", ["--other"], {}),
        (of_file, "-- --all x", ["--all x"], {}),
        (options, "-x", ["-x"], {}),
        (of_expression, "a - b --count 3", ["a - b"], {"count": 3}),
        (of_expression, "a --count=3 --switch ", ["a"], {"count": 3, "switch": True}),
        (of_expression, "--switch a --count 3", ["a"], {"count": 3, "switch": True}),
        (of_expression, 'f("a --count 3")', ['f("a --count 3")'], {}),
        (of_expression, '"a --count" + "b --switch"', ['"a --count" + "b --switch"'], {}),
        (of_expression, "i --other", ["i --other"], {}),
        (of_expression, "i - --count", ["i - --count"], {}),  # a variable of that name
        (of_expression, "i -n 3", ["i -n 3"], {}),  # short ones are Java
        (slashed, "/7 a b", ["a b"], {"n": 7}),
        (slashed, " /7 a", ["a"], {"n": 7}),
        (slashed, " %7 a", ["a"], {"n": 7}),
        (slashed, " a /7", ["a /7"], {}),  # a division
        (slashed, " /*7*/ a", ["/*7*/ a"], {}),
    ],
)
def test_parse(function: Any, text: str, values: list[Any], keywords: dict[str, Any]) -> None:
    assert Signature(function).parse(text) == (values, keywords)


@pytest.mark.parametrize(
    ("function", "text", "message"),
    [
        (plain, "", "FIRST is missing"),
        (plain, "a x", "'x' is not a whole number"),
        (plain, "a 0", "N is 0, but must be from 1"),
        (plain, "a 1 b", "unexpected argument 'b'"),
        (plain, "'a", "a quote is not closed"),
        (plain, "--all", "unknown option '--all'"),
        (plain, "a --all=3", "unknown option '--all'"),
        (plain, "a 1 --all", "unknown option '--all'"),
        (repeated, "a --all", "unknown option '--all'"),
        (of_file, "--all x", "unknown option '--all'"),
        (options, "-n", "-n needs COUNT"),
        (options, "-n x", "'x' is not a whole number"),
        (options, "-s=1 x", "-s takes no value"),
        (of_expression, "x --count", "-n needs COUNT"),
        (of_expression, "x --count y", "'y' is not a whole number"),
        (slashed, "/x a", "'x' is not a whole number"),
        (slashed, "/7", "REST is missing"),
    ],
)
def test_parse_refuses(function: Any, text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Signature(function).parse(text)


@pytest.mark.parametrize(
    ("function", "text", "argument", "flags", "typed"),
    [
        (plain, " ", "FIRST", False, ""),
        (plain, " ab", "FIRST", False, "ab"),
        (plain, " ab ", "N", False, ""),
        (plain, " ab 1 ", None, False, ""),
        (repeated, " a b c", "EACH", False, "c"),
        (options, " ", "REST", True, ""),
        (options, " -", "REST", True, "-"),
        (options, " -n ", "COUNT", False, ""),
        (options, " -n 3", "COUNT", False, "3"),
        (options, " --count=3", "COUNT", False, "3"),
        (options, " -s a b", "REST", True, "a b"),
    ],
)
def test_expected(function: Any, text: str, argument: str | None, flags: bool, typed: str) -> None:
    expected = Signature(function).expected(text)
    assert (expected.argument.metavar if expected.argument else None) == argument
    assert bool(expected.flags) == flags
    assert expected.text == typed

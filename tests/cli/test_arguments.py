"""Argument types: what each takes, refuses and offers."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from jdbpy import SuspendPolicy
from jdbpy.cli.arguments.base import Argument, ChoiceArgument, FilePath, Number, SearchPath, TextArgument, WordArgument
from jdbpy.cli.arguments.code import Assignment, AssignmentArgument, ExpressionArgument
from jdbpy.cli.arguments.commands import CommandName, SettingName
from jdbpy.cli.arguments.location import (
    BreakpointArgument,
    BreakpointRequest,
    ListArgument,
    LocationArgument,
    PlaceOrNumber,
    PlaceRequest,
)
from jdbpy.cli.arguments.mbeans import MBeanArgument
from jdbpy.cli.arguments.target import (
    BreakpointNumbers,
    BreakpointNumbersOrAll,
    ClassNameArgument,
    ClassPattern,
    ExcludePatterns,
    FrameArgument,
    FrameNumber,
    MethodName,
    ThreadArgument,
)
from jdbpy.cli.names import Names
from jdbpy.errors import UsageError
from tests.cli.tails import tail_of


def identify(value: object) -> str:
    """A name for test ids that is the same in every process: parallel workers must collect equal ids."""
    if isinstance(value, Argument):
        return type(value).__name__
    return ",".join(sorted(value)) if isinstance(value, set) else str(value)


NAMES = Names(
    commands=("where", "where all", "stop"),
    classes=("com.acme.Order", "com.acme.Outer$Inner", "java.lang.String"),
    methods={"com.acme.Order": ("total", "touch", "<init>")},
    fields={"com.acme.Order": ("items", "owner"), "java.lang.String": ("value",)},
    variables=(("order", "com.acme.Order"), ("n", "int"), ("names", "java.util.List<String>")),
    members=("items", "id"),
    threads=((1, "main"), (12, "http-1"), (13, "my thread")),
    thread_groups=("main", "system"),
    breakpoints=((1, "com.acme.Order:42"), (12, "A.b")),
    frames=12,
    sources=("Order.java",),
    excludes=("java.*",),
    mbeans=("com.acme:name=the main one", "java.lang:type=Memory", "java.lang:type=Threading"),
    mbean_members={
        "java.lang:type=Memory": (("Verbose", "attribute boolean"), ("gc", "operation")),
        "com.acme:name=the main one": (("Size", "attribute int"), ("Seen", "attribute long")),
    },
)


@pytest.mark.parametrize(
    ("argument", "text", "value"),
    [
        (WordArgument(), "x", "x"),
        (TextArgument(), "x  y", "x  y"),
        (Number("N"), "3", 3),
        (Number("N", 0, 5), "0", 0),
        (ChoiceArgument("on", "off"), "ON", "on"),
        (FilePath(), "'a b.txt'", "a b.txt"),
        (FilePath(), "~/x", os.path.expanduser("~/x")),
        (SearchPath(), f"a{os.pathsep}{os.pathsep}b.jar", ("a", "b.jar")),
        (ThreadArgument(), "main", "main"),
        (FrameArgument(), "3", FrameNumber(3, False)),
        (FrameArgument(), "#0", FrameNumber(0, True)),
        (ClassNameArgument(), "com.acme.Order", "com.acme.Order"),
        (ClassNameArgument(), "com/acme/Order", "com.acme.Order"),
        (ClassNameArgument(), "int[][]", "int[][]"),
        (ClassPattern(), "com.*", "com.*"),
        (ClassPattern(), "Order", "*Order*"),
        (MethodName(), "<init>", "<init>"),
        (ExcludePatterns(), "java.*, *Proxy  a.B", ("java.*", "*Proxy", "a.B")),
        (ExcludePatterns(), "None", ()),
        (BreakpointNumbers(), "3", (3,)),
        (BreakpointNumbers(), "2-4", (2, 3, 4)),
        (BreakpointNumbers(), "3,", (3,)),
        (BreakpointNumbersOrAll(), "ALL", ()),
        (BreakpointNumbersOrAll(), "7", (7,)),
        (ExpressionArgument(), "a + b;", "a + b"),
        (ExpressionArgument(), "-x", "-x"),
        (CommandName(), "where   all", "where all"),
        (SettingName(), "frame-base", "frame-base"),
        (ListArgument(), "+", "+"),
        (LocationArgument(), "42", PlaceRequest("42", 42)),
        (LocationArgument(), ":42", PlaceRequest(":42", 42)),
        (LocationArgument(), "+3", PlaceRequest("+3", offset=3)),
        (LocationArgument(), "-3", PlaceRequest("-3", offset=-3)),
        (LocationArgument(), "Order.java:42", PlaceRequest("Order.java:42")),
        (LocationArgument(), "Order.add(int, String)", PlaceRequest("Order.add(int, String)")),
        (PlaceOrNumber(), "3", 3),
        (PlaceOrNumber(), ":3", PlaceRequest(":3", 3)),
        (PlaceOrNumber(), "in Order.total", PlaceRequest("Order.total")),
        (PlaceOrNumber(), "at Order.add (int)", PlaceRequest("Order.add(int)")),
    ],
    ids=identify,
)
def test_parse(argument: Argument[Any], text: str, value: object) -> None:
    assert argument.parse(text) == value


@pytest.mark.parametrize(
    ("argument", "text", "message"),
    [
        (Number("N"), "x", "'x' is not a whole number"),
        (Number("N"), "0", "N is 0, but must be from 1"),
        (Number("N", 0, 5), "6", "must be from 0 to 5"),
        (ChoiceArgument("on", "off"), "maybe", "'maybe' is not one of on, off"),
        (FrameArgument(), "x", "'x' is not a frame number"),
        (FrameArgument(), "-1", "'-1' is not a frame number"),
        (FrameArgument(), "##1", "'##1' is not a frame number"),
        (ClassNameArgument(), "a b", "'a b' is not a class name"),
        (ClassNameArgument(), "f()", "is not a class name"),
        (ClassPattern(), "a;b", "is not a pattern"),
        (ExcludePatterns(), "a.*.b", "has its `\\*` inside"),
        (BreakpointNumbers(), "0", "is not a range of breakpoint numbers"),
        (BreakpointNumbers(), "4-2", "is not a range of breakpoint numbers"),
        (BreakpointNumbers(), "x", "'x' is not a breakpoint number"),
        (BreakpointNumbersOrAll(), "every", "'every' is not a breakpoint number"),
        (LocationArgument(), "0", "lines are counted from 1"),
        (BreakpointArgument(), "at", "LOCATION is missing"),
        (BreakpointArgument(), "thread 5 at", "LOCATION is missing"),
        (BreakpointArgument(), "A:1 if", "missing condition after 'if'"),
        (BreakpointArgument(), "A:1 thread", "after 'thread' a thread is missing"),
        (BreakpointArgument(), "A:1 -c", "-c needs a number"),
        (BreakpointArgument(), "A:1 -c 0", "-c needs a number"),
        (BreakpointArgument(), "A:1 B:2", "unexpected argument 'B:2'"),
        (AssignmentArgument(), "= 3", "what is to be set is missing"),
        (AssignmentArgument(), "x =", "the new value is missing"),
    ],
    ids=identify,
)
def test_parse_refuses(argument: Argument[Any], text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        argument.parse(text)


@pytest.mark.parametrize(
    ("text", "place", "wanted"),
    [
        ("at Order:42", "Order:42", {}),
        ("in Order.total", "Order.total", {}),
        ("IN Order.total", "Order.total", {}),
        ("Order.total", "Order.total", {}),
        ("go in A.b", "A.b", {"policy": SuspendPolicy.NONE}),
        ("thread at A:3", "A:3", {"policy": SuspendPolicy.THREAD}),
        ("all A:3", "A:3", {"policy": SuspendPolicy.ALL}),
        ("thread 12 at A:3", "A:3", {"policy": SuspendPolicy.THREAD, "thread": "12"}),
        ("12 in A.b", "A.b", {"thread": "12"}),
        ("go 0x1f in A.b", "A.b", {"policy": SuspendPolicy.NONE, "thread": "0x1f"}),
        ("A:3 thread http-1", "A:3", {"thread": "http-1"}),
        ('A:3 thread "my thread" -t', "A:3", {"thread": "my thread", "temporary": True}),
        ("-t A:3", "A:3", {"temporary": True}),
        ("A:3 -d", "A:3", {"enabled": False}),
        ("A:3 -c 5", "A:3", {"ignore": 4}),
        ("A:3 if n > 3", "A:3", {"condition": "n > 3"}),
        ("A:3 if(n > 3)", "A:3", {"condition": "(n > 3)"}),
        ("A.add (int, String) if x", "A.add(int, String)", {"condition": "x"}),
        ("in A.m(final Map.Entry<K, V> e) -t", "A.m(final Map.Entry<K, V> e)", {"temporary": True}),
        ("com.acme.If.iffy", "com.acme.If.iffy", {}),
    ],
)  # fmt: skip
def test_breakpoint_requests(text: str, place: str, wanted: dict[str, Any]) -> None:
    request = BreakpointArgument().parse(text)
    assert request.place.text == place
    assert request == BreakpointRequest(request.place, tail_of(**wanted))


def test_a_bare_line_is_one_of_the_current_file() -> None:
    assert BreakpointArgument().parse("42").place == PlaceRequest("42", 42)
    assert BreakpointArgument().parse("at :42").place == PlaceRequest(":42", 42)


@pytest.mark.parametrize(
    ("text", "target", "value"),
    [
        ("x = 3", "x", "3"),
        ("x=3;", "x", "3"),
        ("var x = 3", "x", "3"),
        ("variable = 3", "variable", "3"),
        ('a["="] = "="', 'a["="]', '"="'),
        ("a[i == 1 ? 0 : 1] = b == c", "a[i == 1 ? 0 : 1]", "b == c"),
        ("f(x <= 1).y = z != 1", "f(x <= 1).y", "z != 1"),
        ("c = '\\''", "c", "'\\''"),
        ("com.acme.Order.count = 1", "com.acme.Order.count", "1"),
    ],
)
def test_assignments(text: str, target: str, value: str) -> None:
    assert AssignmentArgument().parse(text) == Assignment(target, value)


@pytest.mark.parametrize("text", ["x == 3", "x <= 3", "x += 1", "f(a = 1)"])
def test_what_is_no_assignment_is_taken_for_a_setting(text: str) -> None:
    assert AssignmentArgument().parse(text).setting


@pytest.mark.parametrize(
    ("argument", "text", "wanted"),
    [
        (ThreadArgument(), "1", {"1", "12", "13"}),
        (ThreadArgument(), "ht", {"http-1"}),
        (ThreadArgument(), "my", {'"my thread"'}),
        (FrameArgument(), "1", {"1", "10", "11", "12"}),
        (ClassNameArgument(), "com.acme.O", {"com.acme.Order", "com.acme.Outer$Inner"}),
        (ClassNameArgument(), "ord", {"com.acme.Order"}),
        (ClassPattern(), "Str", {"java.lang.String"}),
        (MethodName(), "to", {"total", "touch"}),
        (ExcludePatterns(), "a, j", {"java.*"}),
        (BreakpointNumbers(), "1", {"1", "12"}),
        (BreakpointNumbersOrAll(), "a", {"all"}),
        (CommandName(), "wh", {"where", "where all"}),
        (SettingName(), "frame", {"frame-base", "frame-limit"}),
        (ChoiceArgument("on", "off"), "o", {"on", "off"}),
        (LocationArgument(), "com.acme.Order.to", {"total", "touch"}),
        (LocationArgument(), "Ord", {"com.acme.Order", "Order.java"}),
        (PlaceOrNumber(), "1", {"1", "12"}),
        (ListArgument(), "Order.j", {"Order.java"}),
        (BreakpointArgument(), "i", {"in"}),
        (BreakpointArgument(), "at com.acme.Ord", {"com.acme.Order"}),
        (BreakpointArgument(), "at com.acme.Order.tot", {"total"}),
        (BreakpointArgument(), "at A:3 thread ht", {"http-1"}),
        (BreakpointArgument(), "at A:3 if n", {"n", "names"}),
        (ExpressionArgument(), "a + n", {"n", "names"}),
        (ExpressionArgument(), "order.", {"items", "owner", "total", "touch"}),
        (ExpressionArgument(), "f(this.i", {"items", "id"}),
        (ExpressionArgument(), "java.lang.String.v", {"value"}),
        (ExpressionArgument(), "Outer", {"com.acme.Outer$Inner"}),
        (AssignmentArgument(), "n", {"n", "names"}),
        (AssignmentArgument(), "repe", {"repeat"}),
        (MBeanArgument(), "java.lang:type=M", {"java.lang:type=Memory"}),
        (MBeanArgument(), "com", {'"com.acme:name=the main one"'}),
        (MBeanArgument(), "java.lang:type=Memory ", {"Verbose", "gc"}),
        (MBeanArgument(), "memory v", {"Verbose"}),
        (MBeanArgument(), "* ", {"Verbose", "gc", "Size", "Seen"}),
        (MBeanArgument(), '"com.acme:name=the main one" s', {"Size", "Seen"}),
        (MBeanArgument(), "java.lang:type=Threading ", set()),
        (MBeanArgument(), "java.lang:type=Memory gc(", set()),
    ],
    ids=identify,
)
def test_complete(argument: Argument[Any], text: str, wanted: set[str]) -> None:
    candidates = list(argument.complete(text, NAMES))
    assert {candidate.text for candidate in candidates} == wanted
    for candidate in candidates:
        assert 0 <= candidate.replaces <= len(text)


def test_files_are_completed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "some.txt").touch()
    (tmp_path / ".hidden").touch()
    monkeypatch.chdir(tmp_path)
    assert [candidate.text for candidate in FilePath().complete("s", NAMES)] == ["some.txt", "sub/"]
    assert [candidate.text for candidate in FilePath().complete("", NAMES)] == ["some.txt", "sub/"]
    assert [candidate.text for candidate in FilePath().complete(f"{tmp_path}/.h", NAMES)] == [".hidden"]
    assert [candidate.text for candidate in SearchPath().complete(f"x{os.pathsep}so", NAMES)] == ["some.txt"]
    assert list(FilePath().complete("missing/x", NAMES)) == []

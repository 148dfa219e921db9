"""What a text mentions, for looking it up ahead: paths and whether they are surely read, calls, types."""

from __future__ import annotations

import pytest

from jdbpy.session.eval.syntax.mentions import THIS, MentionedCall, Mentions, Path
from jdbpy.session.eval.syntax.parser import parse
from jdbpy.session.java.types import INT


def mentions(text: str) -> Mentions:
    return Mentions(parse(text))


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("a.b[2].c", [Path("a", ("b", 2, "c"), first=True, result=True)]),
        ("this.a", [Path(THIS, ("a",), first=True, result=True)]),
        ("a.b + 1", [Path("a", ("b",), typed=True, inspected=True, first=True)]),
        ("a > b.c", [Path("a", (), typed=True, first=True), Path("b", ("c",), typed=True, first=True)]),
        ("a && b.c", [Path("a", (), typed=True, first=True), Path("b", ("c",), typed=True)]),
        ("f(a).b + c", [Path("a", (), typed=True, inspected=True, first=True), Path("c", (), True, True)]),
        (
            "a.b = c.d",
            [Path("a", ("b",), typed=True), Path("a", (), True, first=True), Path("c", ("d",), True, first=True)],
        ),
        ("a[i].b", [Path("a", (), typed=True, first=True), Path("i", (), typed=True, first=True)]),
        ("a++; b", [Path("a", (), typed=True), Path("b", (), result=True)]),
    ],
)
def test_paths(text: str, paths: list[Path]) -> None:
    assert mentions(text).paths == paths


def test_calls_with_what_can_be_seen_of_their_arguments() -> None:
    found = mentions("a.total(3, b, c.d).name() + new Order(x)")
    assert found.calls == [
        MentionedCall("total", (INT, "b", None), typed=True),
        MentionedCall("name", (), typed=True),
        MentionedCall("<init>", ("x",), typed=True),
    ]
    assert found.texts


def test_types() -> None:
    found = mentions("(java.util.Map<String, int[]>) a instanceof Thing t ? new int[3] : new Order[] {}")
    assert list(found.types) == ["java.util.Map", "String", "Thing", "Order"]


def test_fields_of_what_is_no_path() -> None:
    assert mentions("f().first.second.third").fields == {"first", "second"}

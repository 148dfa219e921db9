"""The grammar of source maps (JSR 45): what real compilers write, and what nobody should."""

from __future__ import annotations

import pytest

from jdbpy.session.java.smap import SourceMap, parse
from jdbpy.session.jvm.lines import files_of, lines_in, place_at
from jdbpy.session.jvm.refs import LineTable

KOTLIN = """SMAP
Main.kt
Kotlin
*S Kotlin
*F
+ 1 Main.kt
com/acme/MainKt
+ 2 Util.kt
UtilKt
*L
1#1,7:1
2#2,3:8
*E
*S KotlinDebug
*F
+ 1 Main.kt
MainKt
*L
3#1,3:8
*E
"""

JSP = """SMAP
index_jsp.java
JSP
*S JSP
*F
+ 0 index.jsp
/WEB-INF/index.jsp
1 plain.jsp
*L
1,5:53
7:61,3
9#1,2:70,0
10#1,2:80,4
*E
"""


def shown(source_map: SourceMap, line: int, stratum: str = "") -> str:
    chosen = source_map.stratum(stratum)
    place = chosen.place(line) if chosen else None
    return f"{place.path or place.file}:{place.line}" if place else ""


@pytest.mark.parametrize(
    ("text", "stratum", "lines"),
    [
        (KOTLIN, "", {1: "com/acme/Main.kt:1", 7: "com/acme/Main.kt:7", 8: "Util.kt:2", 10: "Util.kt:4", 11: ""}),
        (KOTLIN, "JSP", {8: "Util.kt:2"}),
        (KOTLIN, "Java", {1: "", 8: ""}),
        (JSP, "", {52: "", 53: "/WEB-INF/index.jsp:1", 57: "/WEB-INF/index.jsp:5", 58: ""}),
        (JSP, "", {61: "/WEB-INF/index.jsp:7", 63: "/WEB-INF/index.jsp:7", 64: ""}),
        (JSP, "", {70: "plain.jsp:9", 71: "", 80: "plain.jsp:10", 83: "plain.jsp:10", 84: "plain.jsp:11", 88: ""}),
        (KOTLIN.replace("\n", "\r\n"), "", {8: "Util.kt:2"}),
    ],
)
def test_lines(text: str, stratum: str, lines: dict[int, str]) -> None:
    found = parse(text)
    assert {line: shown(found, line, stratum) for line in lines} == lines


def test_a_stratum_after_the_end_is_read() -> None:
    assert [each.name for each in parse(KOTLIN).strata] == ["Kotlin", "KotlinDebug"]
    assert shown(parse(KOTLIN), 9, "KotlinDebug") == "Main.kt:4"


@pytest.mark.parametrize(
    "text",
    ["", "SMAP", "SMAP\nx", "hello", "SMAP\nA.java\nX\n*S Y\n*F\n1 a\n*L\n1:1\n*E", "SMAP\na\nX\n*L\n1:1\n*F\n*S X"],
)
def test_what_is_no_map_shows_nothing(text: str) -> None:
    assert shown(parse(text), 1) == ""
    assert parse(text).text == text


@pytest.mark.parametrize(
    "bad", ["x#1:1", "1#:1", "1:", ":", "1#9:1", "-1:1", "1#1,0:1", "9" * 5000 + ":1", "1#" + "9" * 5000 + ":1", "1:٣"]
)
def test_a_line_that_is_wrong_is_passed_over(bad: str) -> None:
    found = parse(f"SMAP\nA\nX\n*S X\n*F\n1 a.x\n*L\n{bad}\n5#1:50\n*E\n")
    assert shown(found, 50) == "a.x:5"


def test_a_file_whose_number_is_wrong_is_passed_over() -> None:
    found = parse("SMAP\nA\nX\n*S X\n*F\n" + "9" * 5000 + " b.x\n1 a.x\n*L\n5#1:50\n*E\n")
    assert shown(found, 50) == "a.x:5"


def test_an_embedded_map_is_passed_over() -> None:
    inner = "*O JSP\nSMAP\nx\nY\n*S X\n*F\n9 wrong.y\n*L\n1#9:50\n*E\n*C JSP\n"
    found = parse(f"SMAP\nA\nX\n{inner}*S X\n*F\n1 a.x\n*L\n5#1:50\n*V\nvendor\n*E\n")
    assert shown(found, 50) == "a.x:5"


def test_a_line_table_through_a_stratum() -> None:
    stratum = parse(KOTLIN).stratum()
    table = LineTable(0, 30, ((0, 2), (5, 8), (10, 9), (20, 99)))
    assert [file.name for file in files_of(stratum, "Util.kt")] == ["Util.kt", "Main.kt"]
    assert [file.name for file in files_of(stratum, "MainKt.java")] == ["Main.kt", "Util.kt"]
    assert [file.name for file in files_of(None, "A.java")] == ["A.java"]
    assert lines_in(table, stratum, "Util.kt").starts_of(3) == [10]
    assert lines_in(table, stratum, "Util.kt").lines() == {2, 3}
    assert lines_in(table, stratum, "Main.kt").starts_of(2) == [0]
    assert lines_in(table, None, None) is table
    place = place_at(table, stratum, 12)
    assert place is not None
    assert (place.file, place.line) == ("Util.kt", 3)
    assert place_at(table, stratum, 25) == place  # line 99 is counted to what is before it
    assert place_at(LineTable(0, 30, ((0, 99), (5, 8))), stratum, 0) == place_at(table, stratum, 5)
    assert place_at(LineTable(0, 30, ((0, 99),)), stratum, 0) is None

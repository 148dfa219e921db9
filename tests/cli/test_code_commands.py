"""The commands about code and hot swap on every JVM: their JSON, and what a person reads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jdbpy.cli.arguments.location import ClassOrFile, MethodText, StratumArgument
from jdbpy.cli.names import Names
from tests.cli.process import jdbpy, launching, script
from tests.harness import Jvm, inline, program
from tests.harness.class_files import with_source_map

SWAPPED = program("Swapped", release=8)  # its class files replace each other on all versions
NEWER = inline(
    Path(SWAPPED.sources, "Swapped.java").read_text(encoding="utf-8").replace("return result;", "return result + 10;"),
    release=8,
)
SMAP = "SMAP\nMain.kt\nKotlin\n*S Kotlin\n*F\n+ 1 Main.kt\napp/MainKt\n*L\n1#1,99:1\n*E\n"


def steps(directory: Path) -> list[tuple[str, Callable[[Any], object]]]:
    """Lines, and what the data of each result must satisfy; the program stands in ``next``."""
    return [
        ("disassemble", lambda d: sum(each.get("current", False) for each in d["methods"][0]["instructions"]) == 1),
        ("bytecodes Swapped next", lambda d: [each["method"] for each in d["methods"]] == ["next"]),
        ("disass Swapped", lambda d: {"main", "next", "<init>"} == {each["method"] for each in d["methods"]}),
        ("constpool Swapped", lambda d: {"Methodref", "Utf8"} <= {entry["kind"] for entry in d["entries"]}),
        ("extension Swapped", lambda d: d["text"] == SMAP and d["strata"][0]["files"][0]["path"] == "app/Main.kt"),
        ("stratum", lambda d: d == {"chosen": "", "known": ["Kotlin"]}),
        ("stratum Java", lambda d: d["chosen"] == "Java"),
        ("where", lambda d: d["frames"][0]["source"] == "Swapped.java" and "stratum" not in d["frames"][0]),
        ("stratum default", lambda d: d["chosen"] == ""),
        ("where", lambda d: d["frames"][0]["source"] == "Main.kt" and d["frames"][0]["stratum"] == "Kotlin"),
        (f"redefine {NEWER.classes}", lambda d: d["classes"][0]["changes"] == ["next(int)"] and d["obsolete"]),
        ("where", lambda d: d["frames"][0]["obsolete"]),
        (f"redefine {NEWER.classes}", lambda d: d["classes"] == [] and d["not_loaded"] == ["Swapped$Helper"]),
        (f"redefine {NEWER.classes}/Swapped.class", lambda d: d["classes"][0]["changes"] == []),
        (f"hotswap Swapped {SWAPPED.classes}/Swapped.class", lambda d: d["classes"][0]["name"] == "Swapped"),
        (f"redefine --compile {NEWER.sources}/Swapped.java", lambda d: d["classes"][0]["changes"] == ["next(int)"]),
        ("class Swapped", lambda d: d["declaration"] == "class Swapped" and "Java 8" in d["class_file_version"]),
    ]


@pytest.mark.every_java
async def test_every_command_about_code(jvm: Jvm, tmp_path: Path) -> None:
    mapped = with_source_map(SWAPPED, tmp_path, SMAP)
    expected = steps(tmp_path)
    lines = ["stop in Swapped.next", "run", *(line for line, _ in expected)]
    done = await jdbpy(*launching(mapped.on(jvm), "--json", "--keep-going", *script(*lines)), jvm=jvm)
    wrong = [
        f"{line}: {found}"
        for (line, check), found in zip(expected, done.results[2:], strict=True)
        if not found["ok"] or not check(found["data"])
    ]
    assert not wrong, "\n".join(wrong)


async def test_what_a_person_reads(any_jvm: Jvm, tmp_path: Path) -> None:
    mapped = with_source_map(SWAPPED, tmp_path, SMAP)
    lines = ["stop in Swapped.next", "run", "disassemble", "extension Swapped", "stratum", f"redefine {NEWER.classes}",
             "where", "constpool Swapped", "list", "longlist"]  # fmt: skip
    done = await jdbpy(*launching(mapped, "--keep-going", *script(*lines)), jvm=any_jvm)
    for text in (
        "int Swapped.next(int): ",
        "=>      0: iload_1                     // value",
        "getfield        #",
        "// Field step:I",
        "Kotlin (default, shown now): app/Main.kt",
        "lines shown: of each class's own default stratum",
        "redefined Swapped: next(int)",
        "1 class not loaded: Swapped$Helper",
        "1 frame still in old code:",
        "('pop' takes the innermost frame back",
        "[replaced since]",
        "Fieldref",
        "entries of Swapped",
        "this frame runs code that was replaced",
    ):
        assert text in done.out + done.err, f"{text!r} is not in\n{done.out}"


async def test_what_is_refused_says_what_to_do(any_jvm: Jvm) -> None:
    lines = ["redefine", "redefine A b c", "redefine -cp x y", "redefine X.java", "redefine /no/such/directory",
             "redefine --compile", "extension java.lang.String", "disassemble Nowhere.run"]  # fmt: skip
    done = await jdbpy(*launching(SWAPPED, "--json", "--keep-going", *script(*lines)), jvm=any_jvm)
    errors = [found["error"] for found in done.results]
    assert [bool(error["hint"]) for error in errors] == [True] * len(lines), errors
    assert errors[3]["hint"] == "redefine --compile X.java"


def test_completion(tmp_path: Path) -> None:
    (tmp_path / "Order.class").touch()
    names = Names(classes=("com.acme.Order",), methods={"com.acme.Order": ("total",)})
    assert [each.text for each in StratumArgument().complete("J", names)] == ["Java", "JSP"]
    assert [each.text for each in ClassOrFile().complete("ord", names)] == ["com.acme.Order"]
    assert [each.text for each in ClassOrFile().complete(f"{tmp_path}/Or", names)] == ["Order.class"]
    assert "total" in [each.text for each in MethodText().complete("com.acme.Order.to", names)]

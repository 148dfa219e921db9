"""Where there is no source: what a decompiler of the user's makes of the class file, else the bytecode."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from jdbpy.errors import StateError, UsageError
from jdbpy.session.sources import decompiler
from jdbpy.session.sources.decompiler import decompile, on_lines_of_class, words_of
from jdbpy.session.sources.text import SourceFile
from tests.cli.process import jdbpy, launching, script
from tests.harness import Jvm, inline, program
from tests.harness.remote import write_python_program

STALL = program("Stall")
OTHER = inline("""\
public class Stall {
    public static void main(String[] args) {
        orders++;
    }

    static int orders;
}
""")

DECOMPILER = """\
import os, pathlib, sys
option, path = sys.argv[1:]
if option == "--fail":
    print("no\\x1b[31m luck", file=sys.stderr)
    sys.exit(3)
data = pathlib.Path(path).read_bytes()
assert data[:4] == bytes.fromhex("cafebabe"), data
assert [os.path.basename(path)] == os.listdir(".") == ["Stall.class"]
print("// " + option + {state!r}[:0])
print("class Stall {{")
print("    static void main(String[] args) {{\\n        order(\\"\\x1b\\");\\n    }}")
print("    static void order(String shop) {{\\n        ++orders;\\n    }}\\n}}")
"""


async def test_without_a_source(jvm: Jvm, tmp_path: Path) -> None:
    program_ = tmp_path / "bin" / "decompiler"
    write_python_program(program_, DECOMPILER, tmp_path)
    shutil.copytree(STALL.classes, tmp_path / "classes")
    (tmp_path / "empty").mkdir()
    here = STALL.replace(classes=str(tmp_path / "classes"), sources=str(tmp_path / "empty"))
    lines = [
        *("stop in Stall.main", "run", "list", "longlist", "list Stall.order", "list 3"),
        *("set decompiler 'not-here --x'", f"set decompiler '{program_} --nice'"),
        *("list", "list Stall.order", "longlist", "list 1,2", "list +"),
        *(f"set decompiler {program_} --fail", "list", f"set decompiler {program_} --nice"),
        *("set shell on", f"shell cp {OTHER.classes}/Stall.class {tmp_path}/classes", "list"),
    ]
    done = await jdbpy(*launching(here, "--json", "--keep-going", *script(*lines)), jvm=jvm)
    found: list[Any] = [each.get("data") or each.get("error") for each in done.results]
    assert len(found) == len(lines), done.out
    window, whole, order = (each["methods"] for each in found[2:5])
    assert [each["method"] for each in (*window, *whole, *order)] == ["main", "main", "order"]
    assert len(window[0]["instructions"]) == 10 < len(whole[0]["instructions"])
    assert window[0]["instructions"][0]["current"]
    assert window[0]["note"].startswith("the source of Stall.java was not found; 10 of ")
    assert found[5]["message"] == "the source of Stall.java was not found"
    assert found[6]["message"] == "no program 'not-here' on the PATH"
    assert found[7]["settings"][0]["value"] == f"{program_} --nice"
    listed, order, whole, first, then = (each["source"] for each in found[8:13])
    assert [line["text"].strip() for line in listed["lines"]][:2] == [
        "static void main(String[] args) {",
        'order("\x1b");',
    ]
    assert (listed["path"], listed["stale"]) == ("Stall.java, as decompiler has made it of the class file", True)
    assert [line["line"] for line in order["lines"]] == [6, 7, 8, 9]
    assert [line["line"] for line in whole["lines"]] == [3, 4, 5]
    assert ([line["text"] for line in first["lines"]], first.get("current")) == (["// --nice", "class Stall {"], None)
    assert then["lines"][0]["line"] == 3
    assert (
        found[14]["methods"][0]["note"].partition(";")[0]
        == "the decompiler decompiler failed with status 3: no\\u001b[31m luck"
    )
    why = "no class file of Stall: the one found is not that of the code that runs"
    assert found[18]["methods"][0]["note"].startswith(f"{why};")


async def test_a_stop_shows_what_a_decompiler_makes(any_jvm: Jvm, tmp_path: Path) -> None:
    """Once for each method, marked as decompiled; without a source only."""
    program_ = tmp_path / "bin" / "decompiler"
    write_python_program(program_, DECOMPILER, tmp_path)
    (tmp_path / "empty").mkdir()
    lines = ["stop in Stall.main", f"set decompiler '{program_} --nice'", "run", "next"]
    for sources, times in ((str(tmp_path / "empty"), 1), (STALL.sources, 0)):
        shown = await jdbpy(*launching(STALL.replace(sources=sources), *script(*lines)), jvm=any_jvm)
        assert shown.status == 0, shown.err
        assert shown.out.count("(Stall.java, as decompiler has made it of the class file: ") == times, shown.out
        assert shown.out.count("   3      static void main(String[] args) {") == times


async def test_a_decompiler_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decompiler, "MOST_BYTES", 4096)
    for words, why in (
        (["yes"], "the decompiler yes has written more than"),
        (["true"], "the decompiler true has written nothing"),
    ):
        with pytest.raises(StateError, match=why):
            await decompile(words, "com.acme.Order", b"")
    monkeypatch.setattr(decompiler, "LIMIT", 0.01)
    with pytest.raises(StateError, match="was not done within"):
        await decompile(["sh", "-c", "sleep 1000 & wait"], "com.acme.Order$../../x", b"")


@pytest.mark.parametrize(
    ("text", "methods", "laid_out"),
    [
        ("{|void a() {|x();|}|void b() {|y();|}|}", "a3 b9", "{|void a() {|x();|}||||void b() {|y();|}|}"),
        ("// p|import q;|{|void a() {|x();|}|}", "a3", "/* p */ import q; {|void a() {|x();|}|}"),
        ("{|A() {}|void a() { }|}", "<init>1 a5", "{|A() {}|||void a() { }|}"),
        ("{|int a(int n);|}", "a4", "{|int a(int n);|}"),
        ("{|void a() {|x();// 7 8|y();|}|}", "a6", "{||||void a() {||x();// 7 8|y();|}|}"),
        ("{|void a() {|x(/*SL:4*/);|y(/*SL:3*/);|}|}", "a4", "{||void a() {|x(/*SL:4*/);|y(/*SL:3*/);|}|}"),
        ("{|void a() {|x();|}|void a(int n) {|y();|}|}", "a9", "{|void a() {|x();|}|void a(int n) {|y();|}|}"),
    ],
)
def test_the_text_is_laid_out_on_the_lines_of_the_class(text: str, methods: str, laid_out: str) -> None:
    """Moved down or joined; what is noted counts, and what would turn the order around does not."""
    firsts = [(name, int(line)) for name, line in re.findall(r"(\D+?)(\d+) ?", methods)]
    shown = on_lines_of_class(SourceFile("A.java", tuple(text.split("|"))), "A", firsts)
    assert "|".join(shown.lines) == laid_out


def test_the_words_of_a_decompiler() -> None:
    assert words_of("'sh -c true'") == words_of("sh -c true") == ("sh", "-c", "true")
    assert words_of("none") == words_of("") == ()
    for wrong in ("sh 'a", "not-here"):
        with pytest.raises(UsageError):
            words_of(wrong)

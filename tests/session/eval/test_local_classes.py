"""Classes that are not loaded yet: found on the source path and the class path, for completion and for slips."""

from __future__ import annotations

import os
import re
import zipfile
from pathlib import Path

import pytest

import jdbpy
from jdbpy.cli.arguments.location import complete_place
from jdbpy.cli.context import Context
from jdbpy.cli.repl.completion_refresh import Known, NamesRefresher
from jdbpy.cli.table import CommandTable
from jdbpy.session.sources import local_classes
from tests.harness import LIMIT, Jvm, debug, inline, within

pytestmark = pytest.mark.one_java

SOURCE = """
    package shop;
    public class Opening {
        public static void main(String[] args) {
            System.out.println("open"); // @open
            if (args.length > 0) Late.run();
        }
    }
    class Late {
        static class Inner {}
        static void run() {}
    }
"""


def sources(root: Path) -> Path:
    """A project with sources of a class that was never compiled, and what is no class."""
    folder = root / "project" / "src" / "main" / "java" / "com" / "acme"
    folder.mkdir(parents=True)
    (folder / "Ledger.java").write_text("// a comment\npackage com.acme;\nclass Ledger {}\n")
    (folder / "package-info.java").write_text("package com.acme;\n")
    (root / "project" / ".git").mkdir()
    (root / "project" / ".git" / "Hidden.java").write_text("class Hidden {}\n")
    return root / "project"


async def test_classes_of_the_paths_are_known_before_they_are_loaded(jvm: Jvm, tmp_path: Path) -> None:
    options = jdbpy.Options(source_path=(str(sources(tmp_path)),))
    async with debug(jvm, inline(SOURCE), options=options) as d:
        source_only = await d.session.classes.not_loaded(LIMIT)
        assert "com.acme.Ledger" in source_only
        assert "Hidden" not in source_only
        assert not any("package-info" in name for name in source_only)
    program = inline(SOURCE)
    classes = jdbpy.Options(source_path=(str(tmp_path / "project"), os.path.dirname(program.classes)))
    async with debug(jvm, program, options=classes) as d:
        found = await d.session.classes.not_loaded(LIMIT)
        assert {"com.acme.Ledger", "shop.Opening", "shop.Late", "shop.Late$Inner"} <= found
        assert d.session.classes.known().classes.count("shop.Late") == 0


async def test_the_class_path_of_a_stranger_is_not_opened(any_jvm: Jvm, tmp_path: Path) -> None:
    options = jdbpy.Options(source_path=(str(sources(tmp_path)),))
    async with debug(any_jvm, inline(SOURCE), options=options) as d:
        with within(LIMIT):
            d.session._target._other_host = True
            assert "shop.Late" not in await d.session.classes.not_loaded(LIMIT)


async def test_a_jar_is_read_by_its_names(any_jvm: Jvm, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "lib.jar", "w") as jar:
        for name in ("org/lib/Tool.java", "org/lib/Tool$Part.java", "module-info.java", "META-INF/MANIFEST.MF"):
            jar.writestr(name, "")
    options = jdbpy.Options(source_path=(str(tmp_path / "lib.jar"),))
    async with debug(any_jvm, inline(SOURCE), options=options) as d:
        found = await d.session.classes.not_loaded(LIMIT)
        assert {name for name in found if name.startswith(("org", "module", "META"))} == {
            "org.lib.Tool",
            "org.lib.Tool$Part",
        }


async def test_a_breakpoint_that_waits_names_what_may_have_been_meant(jvm: Jvm, tmp_path: Path) -> None:
    options = jdbpy.Options(source_path=(str(sources(tmp_path)),))
    async with debug(jvm, inline(SOURCE), options=options) as d:
        for place, message in (
            ("com.acme.Ledger:3", "pending: class com.acme.Ledger is not loaded yet"),
            ("Ledger.add", "pending: class Ledger is not loaded yet"),
            ("com.acme.Leger:3", "pending: class com.acme.Leger is not loaded yet (there is com.acme.Ledger)"),
            ("com.acne.Ledger:3", "pending: class com.acne.Ledger is not loaded yet (there is com.acme.Ledger)"),
            ("com.acme.Quite:3", "pending: class com.acme.Quite is not loaded yet"),
        ):
            assert (await d.session.breakpoints.add(place)).message == message


async def test_a_class_of_the_program_goes_before_one_of_the_jdk(jvm: Jvm) -> None:
    """Which has its short name and is loaded already."""
    async with debug(jvm, inline(OWN)) as d:
        await d.run_to("begin")
        line = inline(OWN).line("node")
        for place, near in (("Formatter.format", "java.util.Formatter"), (f"Node:{line}", "java.util.HashMap$Node, ")):
            message = (await d.session.breakpoints.add(place)).message
            name = re.split("[.:]", place)[0]
            assert message.startswith(f"pending: class {name} is not loaded yet (there is {near}")
        of_the_jdk = await d.session.breakpoints.add("ArrayList.add(Object)")
        assert {each.class_name for each in of_the_jdk.resolved} == {"java.util.ArrayList"}
        await d.session.breakpoints.remove([of_the_jdk.number])
        await d.resume()
        await d.wait_stop("breakpoint", at="format")
        await d.resume()
        await d.wait_stop("breakpoint", at="node")


async def test_of_what_is_traced_and_watched_too(jvm: Jvm) -> None:
    async with debug(jvm, inline(OWN)) as d:
        await d.run_to("begin")
        await d.session.traces.methods(method="Formatter.format", exits=False)
        await d.session.watchpoints.add("Node.value")
        await d.resume()
        await d.wait_stop("method-entry", at="format")
        await d.resume()
        await d.wait_stop("modification", frames=["Node.<init>"])


OWN = """
    package shop;
    public class Own {
        public static void main(String[] args) {
            String begun = new java.util.Formatter().format("%s", new java.util.ArrayList<>()).toString();
            System.out.println(begun); // @begin
            new Formatter().format();
            new Node().add();
        }
    }
    class Formatter {
        void format() {
            System.out.println("formatted"); // @format
        }
    }
    class Node {
        int value = 1;
        void add() {
            System.out.println("added"); // @node
        }
    }
"""


async def test_completion_offers_classes_that_are_not_loaded(any_jvm: Jvm, tmp_path: Path) -> None:
    options = jdbpy.Options(source_path=(str(sources(tmp_path)),))
    async with debug(any_jvm, inline(SOURCE), options=options) as d:
        known = Known(CommandTable())
        refresher = NamesRefresher(Context(d.session), known)
        await refresher._search_paths()
        assert [(each.text, each.meta) for each in complete_place("Ledg", known.names)] == [
            ("com.acme.Ledger", "class, not loaded")
        ]


def test_the_search_is_bounded(tmp_path: Path) -> None:
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(200):
        (folder / f"C{number}.java").write_text("")
    search = local_classes._ClassSearch(local_classes._Paths((str(tmp_path),), ()))
    search.ended = True
    search._all()
    assert search.done
    assert not search.found

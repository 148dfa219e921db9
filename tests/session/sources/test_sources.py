"""Sources: found in directories and archives, decoded, shown as windows."""

from __future__ import annotations

import math
import os
import threading
import zipfile
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from jdbpy import attach_session
from jdbpy.session.events.target import Target
from jdbpy.session.local.java_home import JavaHome, inspect_home
from jdbpy.session.model.events import Notice
from jdbpy.session.model.threads import Location
from jdbpy.session.sources import sources as sources_module
from jdbpy.session.sources.roots import DirectoryRoot
from jdbpy.session.sources.sources import SEARCH_LIMIT, Sources, window_of
from jdbpy.session.sources.text import SourceFile, decode, package_in, relative_path, split_lines
from tests.harness import Jvm, debug, inline, start_target
from tests.harness.needs import maven
from tests.harness.programs import ROOT

pytestmark = pytest.mark.one_java


class NoTarget:
    """Stands in for a target of which only the listeners are needed."""

    def __init__(self) -> None:
        self.published: list[object] = []

    def publish(self, event: object) -> None:
        self.published.append(event)


def sources_in(*path: Path | str) -> tuple[Sources, NoTarget]:
    target = NoTarget()
    return Sources(target, [str(each) for each in path]), target  # type: ignore[arg-type]


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def at(class_name: str, source: str | None, line: int | None) -> Location:
    return Location(class_name, "m", "()V", source, line, 0)


# -- text ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"caf\xc3\xa9", "café"),
        (b"\xef\xbb\xbfpackage a;", "package a;"),
        ("größe".encode("utf-16"), "größe"),
        (b"caf\xe9", "café"),  # not UTF-8: then Latin-1
        (b"", ""),
    ],
)
def test_encodings(data: bytes, text: str) -> None:
    assert decode(data) == text


def test_lines_are_those_of_the_compiler() -> None:
    assert split_lines("a\nb\r\nc\rd\u2028e\x0cf\n") == ("a", "b", "c", "d\u2028e\x0cf")
    assert split_lines("") == ()


@pytest.mark.parametrize(
    ("text", "package"),
    [
        ("/* licence */\npackage com.acme;\nclass A {}", "com.acme"),
        ("package com.acme\n\nfun main() {}", "com.acme"),
        ("package com\npackage acme\nclass A", "com.acme"),
        ("package `in`.out", "in.out"),
        ("class A {}", ""),
    ],
)
def test_the_package_a_file_declares(text: str, package: str) -> None:
    assert package_in(text.split("\n")) == package


@pytest.mark.parametrize(
    ("class_name", "source", "path"),
    [
        ("com.acme.Order$Line", "Order.java", "com/acme/Order.java"),
        ("com.acme.Order$Line$1", None, "com/acme/Order.java"),
        ("Order", "Order.java", "Order.java"),
        ("com.acme.MainKt", "com/acme/Main.kt", "com/acme/Main.kt"),
    ],
)
def test_where_a_class_s_file_is_by_custom(class_name: str, source: str | None, path: str) -> None:
    assert relative_path(class_name, source) == path


# -- windows -------------------------------------------------------------------------------------------------------


def test_windows_are_cut_at_the_ends_of_the_file() -> None:
    file = SourceFile("/x/A.java", tuple(f"line {number}" for number in range(1, 11)))
    window = window_of(file, "A.java", 2, 3)
    assert (window.current, window.total, window.stale) == (2, 10, False)
    assert [number for number, _ in window.lines] == [1, 2, 3, 4, 5]
    assert window.lines[1] == (2, "line 2")
    assert [number for number, _ in window_of(file, "A.java", 10, 1).lines] == [9, 10]


def test_a_line_beyond_the_end_is_told() -> None:
    window = window_of(SourceFile("/x/A.java", ("one", "two")), "A.java", 40, 1)
    assert (window.current, window.stale, window.lines) == (None, True, ((1, "one"), (2, "two")))
    empty = window_of(SourceFile("/x/A.java", ()), "A.java", 1, 1)
    assert (empty.stale, empty.lines) == (True, ())


# -- searching -----------------------------------------------------------------------------------------------------


async def test_a_directory_of_packages(tmp_path: Path) -> None:
    file = write(tmp_path / "com/acme/Order.java", "package com.acme;\nclass Order {}\n")
    sources, _ = sources_in(tmp_path)
    assert await sources.find("com.acme.Order$Line", "Order.java") == str(file)
    assert await sources.find("com.acme.Nothing") is None
    window = await sources.window(at("com.acme.Order", "Order.java", 2))
    assert window is not None
    assert (window.path, window.name, window.lines[-1]) == (str(file), "Order.java", (2, "class Order {}"))
    assert await sources.window(at("com.acme.Order", "Order.java", None)) is None
    assert await sources.window(None) is None


async def test_a_whole_project(tmp_path: Path) -> None:
    wrong = write(tmp_path / "old/src/com/beta/Order.java", "package com.beta;")
    right = write(tmp_path / "app/src/main/java/com/acme/Order.java", "package com.acme;")
    kotlin = write(tmp_path / "app/src/main/kotlin/Main.kt", "package com.acme.app\n")
    write(tmp_path / "app/src/main/kotlin/other/Main.kt", "package com.other\n")
    write(tmp_path / ".git/com/acme/Hidden.java", "package com.acme;")
    sources, _ = sources_in(tmp_path)
    assert await sources.find("com.acme.Order", "Order.java") == str(right)
    assert await sources.find("com.beta.Order", "Order.java") == str(wrong)
    assert await sources.find("com.acme.app.MainKt", "Main.kt") == str(kotlin)
    assert await sources.find("com.acme.Hidden", "Hidden.java") is None


async def test_archives(tmp_path: Path) -> None:
    archive = tmp_path / "sources.jar"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("com/acme/Order.java", "package com.acme;\r\nclass Order {}\r\n")
        file.writestr("java.base/java/lang/Thing.java", "package java.lang;")
    sources, _ = sources_in(archive)
    text = await sources.text("com.acme.Order")
    assert text == SourceFile(f"{archive}!/com/acme/Order.java", ("package com.acme;", "class Order {}"))
    assert await sources.find("java.lang.Thing", "Thing.java") == f"{archive}!/java.base/java/lang/Thing.java"


async def test_entries_with_wildcards(tmp_path: Path) -> None:
    """Archives in the order of their names, directories at any depth; one that matches nothing is told."""
    for name in ("b-sources.jar", "a-sources.jar"):
        with zipfile.ZipFile(tmp_path / name, "w") as archive:
            archive.writestr("shop/Order.java", f"package shop; // {name}")
    write(tmp_path / "one/deep/src/shop/Item.java", "package shop; class Item {}")
    sources, target = sources_in(f"{tmp_path}/*-sources.jar", f"{tmp_path}/**/src", f"{tmp_path}/none*")
    order = await sources.text("shop.Order", "Order.java")
    assert order is not None
    assert order.lines[0].endswith("// a-sources.jar")
    assert await sources.find("shop.Item", "Item.java") == f"{tmp_path}/one/deep/src/shop/Item.java"
    assert await sources.text("shop.None", "None.java") is None
    assert [str(event) for event in target.published if "matches nothing" in str(event)]


async def test_the_first_entry_that_has_the_file_wins(tmp_path: Path) -> None:
    first = write(tmp_path / "a/Order.java", "// first")
    second = write(tmp_path / "b/Order.java", "// second")
    sources, _ = sources_in(tmp_path / "a", tmp_path / "b")
    assert await sources.find("Order", "Order.java") == str(first)
    sources.path = (str(tmp_path / "b"),)
    assert await sources.find("Order", "Order.java") == str(second)


async def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    file = write(tmp_path / "Order.java", "// before")
    sources, _ = sources_in(tmp_path)
    assert await sources.text("Order") == SourceFile(str(file), ("// before",))
    file.write_text("// changed\n// since")
    assert await sources.text("Order") == SourceFile(str(file), ("// changed", "// since"))
    file.unlink()
    assert await sources.text("Order") is None


async def test_entries_that_cannot_be_used_are_told_once(tmp_path: Path) -> None:
    file = write(tmp_path / "good/Order.java", "// here")
    broken = write(tmp_path / "broken.zip", "no archive")
    sources, target = sources_in(tmp_path / "nowhere", broken, tmp_path / "good")
    for _ in range(2):
        assert await sources.find("Order", "Order.java") == str(file)
    texts = [event.text for event in target.published if isinstance(event, Notice)]
    assert texts == [
        f"{tmp_path / 'nowhere'} on the source path cannot be used: No such file or directory",
        f"{broken} on the source path cannot be used: it is not a zip or jar archive",
    ]


async def test_without_a_path_the_working_directory_is_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "src/com/acme/Order.java", "package com.acme;")
    monkeypatch.chdir(tmp_path)
    sources, _ = sources_in()
    assert sources.path == (".",)
    assert await sources.find("com.acme.Order", "Order.java") == "src/com/acme/Order.java"


async def test_an_entry_that_does_not_answer_is_abandoned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mock_clock: MockClock
) -> None:
    file = write(tmp_path / "good/Order.java", "class Order {}")
    (tmp_path / "dead").mkdir()
    sources, target = sources_in(tmp_path / "dead", tmp_path / "good")
    entered, answer = threading.Event(), threading.Event()
    has = DirectoryRoot.has

    def wait(root: DirectoryRoot, path: str) -> bool:
        if root.path == str(tmp_path / "dead"):
            entered.set()
            answer.wait()
        return has(root, path)

    monkeypatch.setattr(DirectoryRoot, "has", wait)
    try:
        with trio.CancelScope() as scope:  # the user interrupts: nothing is said, and nothing left out
            async with trio.open_nursery() as nursery:
                nursery.start_soon(sources.find, "Order", "Order.java")
                await trio.to_thread.run_sync(entered.wait, 60)
                scope.cancel()
        assert target.published == []
        entered.clear()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(sources.find, "Order", "Order.java")
            await trio.to_thread.run_sync(entered.wait, 60)
            mock_clock.jump(SEARCH_LIMIT + 1)
        [notice] = target.published
        assert isinstance(notice, Notice)
        assert notice.text == (
            f"{tmp_path / 'dead'} on the source path does not answer within 10 s; it is no longer searched"
        )
        assert await sources.find("Order", "Order.java") == str(file)
    finally:
        answer.set()


# -- the JDK's own -------------------------------------------------------------------------------------------------


def fake_jdk(home: Path, version: str) -> Path:
    """Something that looks like an installed JDK with sources."""
    write(home / "release", f'JAVA_VERSION="{version}"\n')
    write(home / "bin/java", "#!/bin/sh\n").chmod(0o755)
    write(home / "lib/libjdwp.so", "")
    with zipfile.ZipFile(home / "lib/src.zip", "w") as file:
        file.writestr("java.base/java/lang/String.java", "package java.lang;\nclass String {}\n")
    return home


@pytest.mark.usefixtures("nothing_ahead")
@pytest.mark.two_javas
async def test_sources_of_the_jdk(jvm: Jvm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with debug(jvm, "Hello") as d:
        target: Target = d.session._target
        version = target.info.version
        fake_jdk(tmp_path / "other", "99.0.1")
        monkeypatch.setattr(sources_module, "java_homes", lambda: map(inspect, ["other", "equal"]))
        fake_jdk(tmp_path / "equal", version)

        def inspect(name: str) -> JavaHome:
            home = inspect_home(str(tmp_path / name))
            assert home is not None
            return home

        found = await d.session.sources.find("java.lang.String", "String.java")
        assert found is not None
        assert found.endswith("src.zip!/java.base/java/lang/String.java")
        assert str(tmp_path / "other") not in found
        before = target.conn.statistics().waves
        assert await d.session.sources.find("java.lang.NoSuchClass", "NoSuchClass.java") is None
        assert target.conn.statistics().waves == before


async def test_a_stop_shows_its_source(jvm: Jvm) -> None:
    async with debug(jvm, "Shop") as d:
        stop = await d.run_to("anonymous")
        assert stop.source is not None
        assert stop.source.current == d.program.line("anonymous")
        assert "// @anonymous" in dict(stop.source.lines)[stop.source.current]


# -- files that are hardly those of the class ----------------------------------------------------------------------

SHOP = """\
package com.acme;

/** total( */
class Shop {
    int sum;

    int total(int n) {
        String text = "}";
        return sum + n; // total
    }

    void later() {
        Runnable run = () ->
            System.out.println();
        run.run();
    }

    class Inner {
        void go() { }
    }
}
"""


@pytest.mark.parametrize(
    ("class_name", "method", "line", "doubt"),
    [
        ("com.acme.Shop", "total", 9, ""),
        ("com.acme.Shop", "total", 13, "line 13 is not in its method total"),
        ("com.acme.Shop", "sold", 9, "it has no method sold"),
        ("com.acme.Shop", "total", 99, "it ends with line 21"),
        ("com.acme.Shop", "<init>", 5, ""),
        ("com.acme.Shop", "<init>", 6, "it has no code on line 6"),
        ("com.acme.Shop", "<init>", 3, "it has no code on line 3"),
        ("com.acme.Shop", "lambda$later$0", 14, ""),
        ("com.acme.Shop", "lambda$later$0", 8, "line 8 is not in its method later"),
        ("com.acme.Shop", "access$000", 9, ""),
        ("com.acme.Shop$Inner", "go", 19, ""),
        ("com.acme.Shop$Outer", "go", 19, "it has no class Outer"),
        ("com.acme.Shop$1Local", "go", 19, "it has no class Local"),
        ("com.acme.Shop$1", "go", 19, ""),
    ],
)
async def test_a_file_that_cannot_be_the_class_s_is_doubted(
    tmp_path: Path, class_name: str, method: str, line: int, doubt: str
) -> None:
    write(tmp_path / "com/acme/Shop.java", SHOP)
    sources, _ = sources_in(tmp_path)
    window = await sources.window(at(class_name, "Shop.java", line).replace(method=method))
    assert window is not None
    assert (window.warning, window.stale) == (doubt, bool(doubt))


async def test_files_of_another_package_are_not_shown(tmp_path: Path) -> None:
    write(tmp_path / "Order.java", "class Order {}")
    write(tmp_path / "com/acme/Order.java", "package com.other;\nclass Order {}")
    write(tmp_path / "com/acme/Main.kt", "/*\npackage com.acme\n*/\nfun main() {}")
    sources, _ = sources_in(tmp_path)
    assert await sources.find("com.acme.Order", "Order.java") is None
    assert await sources.find("com.acme.MainKt", "Main.kt") is None
    right = write(tmp_path / "src/Order.java", "/* package x; */ @Deprecated package com . acme; class Order {}")
    sources.path = (str(tmp_path),)
    assert await sources.find("com.acme.Order", "Order.java") == str(right)


async def test_paths_of_source_maps(tmp_path: Path) -> None:
    """A JSP at the root of a web application; Clojure, which tells where the file was when it was compiled."""
    page = write(tmp_path / "web/index.jsp", "<p>")
    write(tmp_path / "web/other/index.jsp", "<p>other")
    core = write(tmp_path / "src/acme/my_core.clj", '(ns ^{:doc "x"} acme.my-core\n  (:require x))')
    script = write(tmp_path / "script.clj", "(println 1)")
    sources, _ = sources_in(tmp_path / "web", tmp_path / "src", tmp_path)
    assert await sources.find("org.apache.jsp.index_jsp", "./index.jsp") == str(page)
    assert await sources.find("org.apache.jsp.index_jsp", "/index.jsp") == str(page)
    assert await sources.find("acme.my_core$total", "/build/ci/src/acme/my_core.clj") == str(core)
    assert await sources.find("acme.my_core$total", "acme/my_core.clj") == str(core)
    assert await sources.find("user$eval1", str(script)) == str(script)
    assert await sources.find("user$eval1", "/etc/hosts") is None
    assert at("A", "index.jsp", 1).replace(source_path="index.jsp").source_file == "./index.jsp"


@pytest.mark.parametrize("far", [0.0, math.inf])
async def test_the_sources_of_libraries_lie_beside_them(
    any_jvm: Jvm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, far: float
) -> None:
    """In a cache of Maven's or Gradle's below the home directory, and nowhere else; over a slow link for who asks."""
    monkeypatch.setattr("jdbpy.session.jvm.latency.HIGH", far)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "work").mkdir()
    library = inline("package shop; public class Till { public static void main(String[] a) { int n = 1; // @here\n} }")
    checksum = "0123456789abcdef" * 2 + "01234567"
    classes, texts = ROOT / library.classes, ROOT / library.sources
    monkeypatch.chdir(tmp_path / "work")
    for place, beside, there in (
        ("home/.m2/repository/shop/till/1.0/till-1.0.jar", "till-1.0-sources.jar", True),
        (f"home/.gradle/caches/modules-2/files-2.1/shop/till/1.0/{checksum}/till-1.0.jar", "", True),
        ("elsewhere/till-1.0.jar", "till-1.0-sources.jar", False),
    ):
        jar = tmp_path / place
        jar.parent.mkdir(parents=True)
        with zipfile.ZipFile(jar, "w") as archive:
            archive.write(classes / "shop/Till.class", "shop/Till.class")
        sources = jar.parent / beside if beside else jar.parent.parent / checksum[::-1] / "till-1.0-sources.jar"
        sources.parent.mkdir(exist_ok=True)
        with zipfile.ZipFile(sources, "w") as archive:
            archive.write(texts / "shop/Till.java", "shop/Till.java")
        moved = library.replace(classes=str(jar), sources="")
        async with start_target(any_jvm, moved) as target, attach_session(target.address) as session:
            found = await session.sources.text("shop.Till", "Till.java")
            assert (found is not None) is there
            assert found is None or found.path == f"{sources}!/shop/Till.java"


POM_OF_LIBRARY = """\
<project><modelVersion>4.0.0</modelVersion><groupId>org.shop</groupId><artifactId>till</artifactId>
<version>1.0</version></project>
"""
TILL = "<dependency><groupId>org.shop</groupId><artifactId>till</artifactId><version>1.0</version>"
POM_OF_PROGRAM = f"""\
<project><modelVersion>4.0.0</modelVersion><groupId>org.shop</groupId><artifactId>shop</artifactId><version>1</version>
<repositories><repository><id>shop</id><url>file://{{there}}</url></repository></repositories><dependencies>
{TILL}</dependency>{TILL}<classifier>sources</classifier></dependency></dependencies></project>
"""
SETTINGS = """\
<settings><localRepository>{cache}</localRepository><mirrors><mirror><id>debian</id><mirrorOf>central</mirrorOf>
<url>file:///usr/share/maven-repo</url></mirror></mirrors></settings>
"""


async def test_the_sources_in_a_cache_that_maven_has_laid_out(
    any_jvm: Jvm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Debian's Maven gets a library and its sources from a repository, as it does for a build, without a network."""
    found = maven()
    assert found is not None, "no Maven: apt-get install maven libmaven-jar-plugin-java"
    library = inline("package shop; public class Till { public static void main(String[] a) { int n = 1; // @here\n} }")
    cache = tmp_path / "home" / ".m2" / "repository"
    there = tmp_path / "there" / "org" / "shop" / "till" / "1.0"
    there.mkdir(parents=True)
    for name, entry, root in (("till-1.0", "Till.class", "classes"), ("till-1.0-sources", "Till.java", "sources")):
        with zipfile.ZipFile(there / f"{name}.jar", "w") as archive:
            archive.write(ROOT / getattr(library, root) / "shop" / entry, f"shop/{entry}")
    write(there / "till-1.0.pom", POM_OF_LIBRARY)
    write(tmp_path / "work" / "pom.xml", POM_OF_PROGRAM.format(there=tmp_path / "there"))
    settings = write(tmp_path / "settings.xml", SETTINGS.format(cache=cache))
    program, goal = found
    words = [program, "--batch-mode", "--quiet", "--settings", str(settings), goal]
    await trio.run_process(words, cwd=tmp_path / "work", env={**os.environ, "JAVA_HOME": any_jvm.home})
    jar = cache / "org" / "shop" / "till" / "1.0" / "till-1.0.jar"
    assert (jar.parent / "_remote.repositories").is_file(), "laid out by Maven"
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path / "work")
    async with start_target(any_jvm, library.replace(classes=str(jar), sources="")) as target:
        async with attach_session(target.address) as session:
            text = await session.sources.text("shop.Till", "Till.java")
            assert text is not None
            assert text.path == f"{jar.parent}/till-1.0-sources.jar!/shop/Till.java"


LOADING = inline("""\
import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;

public class Loading {
    public static void main(String[] jars) throws Exception {
        for (int i = 0; i < jars.length; i++) {
            URL[] urls = { new File(jars[i]).toURI().toURL() };
            Class.forName("shop" + i + ".Till", true, new URLClassLoader(urls)).getMethod("main").invoke(null);
        }
        System.out.println("ready");
        System.in.read();
    }
}
""")
POM = "#Created\ngroupId=org.shop\nartifactId=till\nversion=1.0\n"


@pytest.mark.usefixtures("nothing_ahead")
async def test_the_sources_of_what_a_class_came_from(jvm: Jvm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of jars that no class path names, as those of a web application: beside them, or where Maven keeps them."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    lib = tmp_path / "work" / "shop" / "WEB-INF" / "lib"
    places = (
        (lib / "till-0.9.jar", lib / "till-0.9-sources.jar", True),
        (lib / "renamed.jar", tmp_path / "home/.m2/repository/org/shop/till/1.0/till-1.0-sources.jar", True),
        (tmp_path / "elsewhere/till-1.0.jar", tmp_path / "elsewhere/till-1.0-sources.jar", False),
    )
    for number, (jar, sources, _) in enumerate(places):
        library = inline(f"package shop{number}; public class Till {{ public static void main() {{\n}} }}")
        for path, entry, root in ((jar, "Till.class", library.classes), (sources, "Till.java", library.sources)):
            path.parent.mkdir(parents=True, exist_ok=True)
            with zipfile.ZipFile(path, "w") as archive:
                archive.write(ROOT / root / f"shop{number}" / entry, f"shop{number}/{entry}")
                if path.name == "renamed.jar":
                    archive.writestr("META-INF/maven/org.shop/till/pom.properties", POM)
    jars = [str(jar) for jar, _, _ in places]
    async with start_target(jvm, LOADING, *jars, suspend=False) as target:
        await target.wait_output("ready")
        monkeypatch.chdir(tmp_path / "work")
        async with attach_session(target.address) as session:
            for number, (_, sources, there) in enumerate(places):
                found = await session.sources.text(f"shop{number}.Till", "Till.java")
                assert (found.path if found else "") == (f"{sources}!/shop{number}/Till.java" if there else "")
            before = session.statistics().waves
            assert await session.sources.text("shop2.Till", "Till.java") is None
            assert session.statistics().waves == before  # once for a package

"""Classes of real JVMs: listed, found, described."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from jdbpy.errors import UsageError
from jdbpy.session.java.class_file import version_words
from tests.harness import Jvm, debug, program

pytestmark = pytest.mark.one_java


@pytest.mark.usefixtures("nothing_ahead")
async def test_listing(jvm: Jvm) -> None:
    async with debug(jvm, "Shop") as d:
        await d.run_to("closed")
        before = d.session.statistics().waves
        everything = await d.session.classes.list()
        assert d.session.statistics().waves - before == 1
        assert set(d.session.classes.known().classes) >= {"shop.Order", "shop.Order$Line"}  # for completion
        assert len(everything) > 300
        names = [info.name for info in everything]
        assert names == sorted(names)
        shop = {info.name for info in await d.session.classes.list("shop.*") if "[]" not in info.name}
        assert {"shop.Order", "shop.Order$Line", "shop.Order$1", "shop.Audit", "shop.Plugin"} <= shop
        assert {info.name for info in await d.session.classes.list("courier")} == {"shop.Courier"}
        assert await d.session.classes.list("cOurier") == []
        [order] = await d.session.classes.list("*.Order")
        assert (order.kind, order.signature, order.status) == (
            "class",
            "Lshop/Order;",
            "verified prepared initialized",
        )
        [priced] = await d.session.classes.list("shop.Priced")
        assert priced.kind == "interface"
        [basket] = await d.session.classes.list("shop.Basket")
        assert basket.generic.startswith("<T::Ljava/lang/Comparable")
        strings = await d.session.classes.list("*.lang.String[]")
        assert [(info.kind, info.name) for info in strings] == [("array", "java.lang.String[]")]


async def test_finding_by_name(jvm: Jvm) -> None:
    async with debug(jvm, "Shop") as d:
        await d.run_to("closed")
        classes = d.session.classes
        for name in ("shop.Order", "Order", " shop.Order "):
            assert [info.name for info in await classes.find(name)] == ["shop.Order"]
        for name in ("Order.Line", "shop.Order$Line", "Line"):
            assert [info.name for info in await classes.find(name)] == ["shop.Order$Line"]
        assert [info.kind for info in await classes.find("java.lang.String[]")] == ["array"]
        assert [info.kind for info in await classes.find("int[]")] == ["array"]
        assert await classes.find("shop.Nothing") == []
        assert await classes.find("a + b") == []
        with pytest.raises(UsageError, match="is a pattern, not a class"):
            await classes.detail("shop.*")
        with pytest.raises(UsageError, match="'Node' may be"):
            await classes.find("Node")


async def test_one_name_from_two_loaders(jvm: Jvm) -> None:
    async with debug(jvm, "Shop") as d:
        await d.run_to("closed")
        first, second = await d.session.classes.find("Plugin")
        assert first.loader is not None
        assert first.loader.startswith("java.net.URLClassLoader@")
        assert first.loader != second.loader
        assert [info.id for info in await d.session.classes.find(f"Plugin@{second.id}")] == [second.id]
        detail = await d.session.classes.detail(f"shop.Plugin@{second.id}")
        assert (detail.info.id, detail.loader) == (second.id, second.loader)


@pytest.mark.usefixtures("nothing_ahead")
async def test_detail(jvm: Jvm) -> None:
    async with debug(jvm, "Shop") as d:
        await d.run_to("closed")
        before = d.session.statistics().waves
        thread = await d.session.classes.detail("java.lang.Thread")
        assert d.session.statistics().waves - before <= 4
        assert (thread.loader, thread.loader_parents, thread.code_source) == ("bootstrap", (), "")
        order = await d.session.classes.detail("Order")
        assert (order.info.name, order.modifiers, order.loader, order.source) == ("shop.Order", "", "app", "Order.java")
        assert (order.superclass, order.superclasses) == ("shop.Document", ("shop.Document", "java.lang.Object"))
        assert order.nested == ("shop.Order$1", "shop.Order$Builder", "shop.Order$Line")
        assert (order.class_file_version, order.module) == ("61.0, Java 17", "")
        assert (order.loader_name, order.loader_parents) == ("app", ("platform", "bootstrap"))
        assert (order.code_source, order.code_source_candidates) == (f"file:{d.program.classes}/", ())
        first, _ = await d.session.classes.find("Plugin")
        plugin = await d.session.classes.detail(f"Plugin@{first.id}")
        assert (plugin.loader_name, plugin.loader_parents) == ("plugin 1", ("platform", "bootstrap"))
        document = await d.session.classes.detail("shop.Document")
        assert (document.modifiers, document.subclasses) == ("abstract", ("shop.Order",))
        courier = await d.session.classes.detail("Courier")
        basket = await d.session.classes.detail("Basket")
        assert basket.declaration == "class shop.Basket<T extends java.lang.Comparable<T>>"
        assert basket.generic_interfaces == ("java.lang.Comparable<shop.Basket<T>>",)
        assert (courier.modifiers, courier.interfaces, courier.subclasses) == ("final", ("shop.Priced",), ())
        priced = await d.session.classes.detail("Priced")
        assert priced.declaration == "interface shop.Priced"
        assert (priced.modifiers, priced.superclass, priced.subclasses) == ("interface", None, ("shop.Courier",))
        string = await d.session.classes.detail("java.lang.String")
        assert (string.loader, string.module, string.modifiers) == ("bootstrap", "java.base", "public final")
        assert "java.lang.Comparable" in string.interfaces
        array = await d.session.classes.detail("java.lang.String[]")
        assert (array.info.kind, array.superclass, array.source, array.class_file_version) == (
            "array",
            "java.lang.Object",
            None,
            "",
        )


async def test_of_several_archives_the_class_tells_its_own(jvm: Jvm, tmp_path: Path) -> None:
    """Before Java 25 only a method of the class tells: it is run where a thread can, and nothing is guessed else."""
    plain = program("Shop")
    (tmp_path / "shop").mkdir()
    elsewhere = tmp_path / "shop" / "Courier.class"
    elsewhere.write_bytes((Path(plain.classes) / "shop" / "Courier.class").read_bytes())
    both = plain.replace(classes=f"{tmp_path}{os.pathsep}{plain.classes}")
    async with debug(jvm, both) as d:
        await d.run_to("closed")
        courier = await d.session.classes.detail("Courier")
        assert courier.code_source == f"file:{tmp_path}/"
        assert (await d.session.classes.detail("Order")).code_source == f"file:{plain.classes}/"


@pytest.mark.parametrize(
    ("version", "words"),
    [
        ((61, 0), "61.0, Java 17"),
        ((52, 0), "52.0, Java 8"),
        ((48, 0), "48.0, Java 1.4"),
        ((45, 3), "45.3, Java 1.1"),
        ((69, 65535), "69.65535, Java 25 with preview features"),
    ],
)
def test_versions_in_words(version: tuple[int, int], words: str) -> None:
    assert version_words(version) == words


async def test_detail_is_cheap_once_the_classes_are_known(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Shop") as d:
        await d.run_to("closed")
        await d.session.classes.detail("shop.Document")
        before = d.session.statistics()
        await d.session.classes.detail("shop.Document")
        after = d.session.statistics()
        assert after.commands == before.commands


async def test_methods(jvm: Jvm) -> None:
    async with debug(jvm, "Shop") as d:
        await d.run_to("closed")
        own = await d.session.classes.methods("Order", inherited=False)
        assert {each.class_name for each in own} == {"shop.Order"}
        discounts = {(each.parameters, each.returns) for each in own if each.name == "discount"}
        assert discounts == {(("int",), "long"), (("double",), "long"), (("java.lang.String...",), "long")}
        everything = await d.session.classes.methods("shop.Order")
        owners = list(dict.fromkeys(each.class_name for each in everything))
        assert owners == ["shop.Order", "shop.Document", "java.lang.Object"]
        [title] = [each for each in everything if each.name == "title"]
        assert (title.class_name, title.modifiers, title.returns) == ("shop.Document", "", "java.lang.String")
        total = [each for each in everything if each.name == "total"]
        assert {each.class_name: each.modifiers for each in total} == {"shop.Order": "", "shop.Document": "abstract"}
        compares = [each for each in await d.session.classes.methods("Basket") if each.name == "compareTo"]
        assert [(each.class_name, each.parameters, each.modifiers) for each in compares] == [
            ("shop.Basket", ("shop.Basket<T>",), "public"),
            ("shop.Basket", ("java.lang.Object",), "public bridge"),
            ("java.lang.Comparable", ("T",), "public abstract"),
        ]
        [made] = [each for each in await d.session.classes.methods("Order") if each.name == "lambda$names$0"]
        assert made.modifiers == "private static synthetic"


async def test_fields(jvm: Jvm) -> None:
    async with debug(jvm, "Shop") as d:
        await d.run_to("closed")
        fields = {each.name: each for each in await d.session.classes.fields("Order")}
        lines = fields["lines"]
        assert (lines.type, lines.modifiers, lines.class_name) == (
            "java.util.List<shop.Order$Line>",
            "private final",
            "shop.Order",
        )
        assert (fields["id"].class_name, fields["id"].type) == ("shop.Document", "java.lang.String")
        assert {each.name for each in await d.session.classes.fields("Order", inherited=False)} == {"lines"}
        outer = {each.name: each.modifiers for each in await d.session.classes.fields("Order.Line")}
        assert outer["this$0"] == "final synthetic"


async def test_lines(jvm: Jvm) -> None:
    async with debug(jvm, "Shop") as d:
        await d.run_to("closed")
        entries = await d.session.classes.lines("Order", "total")
        markers = [d.program.line(marker) for marker in ("total", "loop", "body", "loop", "sum")]
        assert [entry.line for entry in entries] == markers
        assert [entry.code_index for entry in entries] == sorted(entry.code_index for entry in entries)
        assert {entry.method for entry in await d.session.classes.lines("Order")} >= {"<init>", "pay", "names"}
        with pytest.raises(UsageError, match=r"no method totl in shop\.Order") as caught:
            await d.session.classes.lines("Order", "totl")
        assert caught.value.hint == "there is total"


async def test_a_class_that_is_not_loaded(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Shop") as d:
        await d.run_to("closed")
        with pytest.raises(UsageError, match=r"no class shop\.Odrer is loaded") as caught:
            await d.session.classes.detail("shop.Odrer")
        assert "shop.Order" in caught.value.hint
        with pytest.raises(UsageError, match=r"no class x\.y\.Z is loaded"):
            await d.session.classes.methods("x.y.Z")


async def test_known_names_cost_no_trip(any_jvm: Jvm) -> None:
    async with debug(any_jvm, "Shop") as d:
        await d.run_to("closed")
        await d.session.classes.lines("Order")
        await d.session.classes.fields("Order")
        before = d.session.statistics().commands
        known = d.session.classes.known()
        assert d.session.statistics().commands == before
        assert {"shop.Order", "java.lang.String"} <= set(known.classes)
        assert not [name for name in known.classes if "[]" in name]
        assert known.methods["shop.Order"].count("discount") == 1
        assert "lambda$names$0" not in known.methods["shop.Order"]
        assert known.fields["shop.Order"] == ("lines",)
        assert "Shop.java" in known.sources


async def test_a_listing_holds_no_longer_than_the_target_stands_still(jvm: Jvm) -> None:
    """A class that a method loads is found after it, and nothing is asked again before."""
    async with debug(jvm, "Shop") as d:
        await d.run_to("closed")
        classes = d.session.classes
        assert await classes.find("java.util.concurrent.Phaser") == []
        before = d.session.statistics().commands
        assert await classes.find("java.util.concurrent.Phaser") == []
        assert d.session.statistics().commands == before
        await d.session.values.evaluate('Class.forName("java.util.concurrent.Phaser")')
        [found] = await classes.find("java.util.concurrent.Phaser")
        assert found.name == "java.util.concurrent.Phaser"

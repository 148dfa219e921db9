"""What is guessed of the JDK's classes, against the classes of real JVMs."""

from __future__ import annotations

from jdbpy.session.java.jdk import above, made_of
from tests.harness import Jvm, debug

CLASSES = (
    "java.lang.String",
    "java.lang.StringBuilder",
    "java.lang.Integer",
    "java.lang.Short",
    "java.lang.Boolean",
    "java.lang.Class",
    "java.lang.Thread",
    "java.lang.RuntimeException",
    "java.util.ArrayList",
    "java.util.LinkedList",
    "java.util.HashMap",
    "java.util.LinkedHashMap",
    "java.util.TreeMap",
    "java.util.HashSet",
    "java.util.LinkedHashSet",
)


async def test_what_is_above_a_class_is_guessed_right(jvm: Jvm) -> None:
    async with debug(jvm, "Shop") as d:
        await d.run_to("total")
        types = d.session._target.types
        for name in CLASSES:
            await d.session.values.evaluate(f'Class.forName("{name}")')
            [own] = await types.by_signature(f"L{name.replace('.', '/')};")
            truth = {each.name for each in await types.ancestors(own.id)} - {"java.lang.Object"}
            guess = set(above(name, jvm.feature))
            assert truth <= guess, name
            assert not guess - truth, name


def test_objects_of_an_interface_are_guessed() -> None:
    assert {"java.util.ArrayList", "java.util.AbstractList", "java.lang.Iterable"} <= set(above("java.util.List", 17))
    assert above("shop.Order", 17) == ()


def test_what_objects_have_their_fields_from() -> None:
    assert made_of(["java.util.List", "shop.Order"]) == {"java.util.List", "java.util.ArrayList", "shop.Order"}
    assert made_of(["java.lang.RuntimeException"]) == {
        "java.lang.RuntimeException",
        "java.lang.Exception",
        "java.lang.Throwable",
    }
    assert made_of(["java.util.LinkedHashSet"]) == {
        "java.util.LinkedHashSet",
        "java.util.HashSet",
        "java.util.HashMap",
        "java.util.HashMap$Node",
    }
    assert made_of(["java.lang.String", "java.lang.Object"]) == set()

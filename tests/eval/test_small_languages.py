"""The small languages beside Java's: signatures, imports, hit counts, texts of logpoints."""

from __future__ import annotations

import pytest

from jdbpy.errors import EvalError, UsageError
from jdbpy.session.breakpoints.breakpoint_base import parse_hit_count
from jdbpy.session.eval.conditions import Placeholder, parse_template
from jdbpy.session.eval.syntax.lexer import Imports, read_imports
from jdbpy.session.java.descriptors import read_class, read_method, read_type
from jdbpy.session.java.types import TypeVar, descriptor, erasure, jvm_name, source_name, substitute

# -- signatures ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("signature", "shown", "named", "by_class"),
    [
        ("I", "int", "int", "int"),
        ("[[J", "long[][]", "long[][]", "[[J"),
        ("Ljava/lang/String;", "String", "java.lang.String", "java.lang.String"),
        ("[Ljava/util/Map$Entry;", "Entry[]", "java.util.Map$Entry[]", "[Ljava.util.Map$Entry;"),
        ("Ljava/util/List<Ljava/lang/String;>;", "List<String>", "java.util.List", "java.util.List"),
        ("Ljava/util/Map<TK;[I>;", "Map<K,int[]>", "java.util.Map", "java.util.Map"),
        ("Ljava/util/List<+Ljava/lang/Number;>;", "List<? extends Number>", "java.util.List", "java.util.List"),
        ("Ljava/util/List<-TT;>;", "List<? super T>", "java.util.List", "java.util.List"),
        ("Ljava/util/List<*>;", "List<?>", "java.util.List", "java.util.List"),
        ("La/Outer<Ljava/lang/String;>.Inner<TT;>;", "Inner<T>", "a.Outer$Inner", "a.Outer$Inner"),
        ("[TT;", "T[]", "java.lang.Object[]", "[Ljava.lang.Object;"),
        ("Lp/Outer$1;", "Outer$1", "p.Outer$1", "p.Outer$1"),
    ],
)
def test_types(signature: str, shown: str, named: str, by_class: str) -> None:
    kind = read_type(signature)
    assert (str(kind), source_name(kind), jvm_name(kind)) == (shown, named, by_class)
    assert read_type(descriptor(kind)) == erasure(kind)


def test_methods() -> None:
    method = read_method("<T:Ljava/lang/Object;U::Ljava/lang/Comparable<TU;>;>(TT;[TU;I)Ljava/util/List<TT;>;^TE;")
    assert [str(kind) for kind in method.parameters] == ["T", "U[]", "int"]
    assert str(method.returns) == "List<T>"
    assert [(each.name, source_name(each.bound)) for each in method.variables] == [
        ("T", "java.lang.Object"),
        ("U", "java.lang.Comparable"),
    ]
    assert str(erasure(method.parameters[1])) == "Comparable[]"
    assert str(substitute(method.returns, {"T": read_type("Ljava/lang/String;")})) == "List<String>"


def test_classes() -> None:
    found = read_class("<E:Ljava/lang/Object;>Lp/Base<TE;>;Ljava/util/List<TE;>;")
    assert [each.name for each in found.variables] == ["E"]
    assert [str(each) for each in found.supertypes] == ["Base<E>", "List<E>"]
    [argument] = found.supertypes[0].args
    assert isinstance(argument, TypeVar)


@pytest.mark.parametrize("signature", ["", "L", "Lfoo", "[", "Ljava/util/List<I", "Q", "TT"])
def test_malformed_signatures(signature: str) -> None:
    with pytest.raises(EvalError) as caught:
        read_type(signature)
    assert caught.value.code == "BAD_SIGNATURE"


# -- imports -------------------------------------------------------------------------------------------------------


def test_imports() -> None:
    source = """
    /* import not.This; */
    package p; // import nor.This;
    import java.util.List;
    import java.util . Map ;import java.io.*;
    import static java.lang.Math.max; import static java.lang.Math.*;
    @Deprecated("import no.Way;")
    public final class C {
        import inside.C;
    }
    """
    assert read_imports(source) == Imports(
        types=(("List", "java.util.List"), ("Map", "java.util.Map")),
        packages=("java.io",),
        members=(("max", "java.lang.Math.max"),),
        classes=("java.lang.Math",),
    )
    assert read_imports("") == Imports()


# -- hit counts ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "shown", "admitted"),
    [
        ("3", "== 3", [3]),
        ("= 3", "== 3", [3]),
        ("==3", "== 3", [3]),
        ("!= 3", "!= 3", [1, 2, 4, 5, 6, 7]),
        (">= 5", ">= 5", [5, 6, 7]),
        (">5", "> 5", [6, 7]),
        ("< 3", "< 3", [1, 2]),
        ("<= 3 ", "<= 3", [1, 2, 3]),
        ("% 3", "% 3", [3, 6]),
    ],
)
def test_hit_counts(text: str, shown: str, admitted: list[int]) -> None:
    count = parse_hit_count(text)
    assert str(count) == shown
    assert [hits for hits in range(1, 8) if count.admits(hits)] == admitted


@pytest.mark.parametrize(
    ("text", "over_after"),
    [("3", 3), ("<= 3", 3), ("< 3", 2), (">= 3", None), ("> 3", None), ("% 3", None), ("!= 3", None)],
)
def test_hit_counts_that_are_over(text: str, over_after: int | None) -> None:
    """The first hit after which none can come any more."""
    count = parse_hit_count(text)
    over = [hits for hits in range(1, 20) if count.is_over(hits)]
    assert (over[0] if over else None) == over_after


@pytest.mark.parametrize("text", ["3", "!= 3", ">= 5", "> 5", "< 3", "<= 3", "% 4"])
def test_the_hit_count_that_follows(text: str) -> None:
    count = parse_hit_count(text)
    for hits in range(20):
        following = next((each for each in range(hits + 1, 40) if count.admits(each)), None)
        assert count.following(hits) == following


@pytest.mark.parametrize("text", ["", "x", "> ", "% 0", "0", "< 1", "<= 0", "-1", "1.5", ">> 3", "3 4"])
def test_what_is_no_hit_count(text: str) -> None:
    with pytest.raises(UsageError):
        parse_hit_count(text)


def test_no_hit_is_divisible_by_0() -> None:
    with pytest.raises(UsageError, match="'% 0': the divisor must be 1 or more"):
        parse_hit_count("% 0")


# -- texts of logpoints --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("plain", ("plain",)),
        ("", ()),
        ("{a}", (Placeholder("a", 1),)),
        ("x={ a.b } y", ("x=", Placeholder("a.b", 4), " y")),
        ("{{a}} }}{{", ("{a} }{",)),
        ("{new int[] {1, 2}[0]}", (Placeholder("new int[] {1, 2}[0]", 1),)),
        ('{"}" + \'{\' + "\\"}"}!', (Placeholder('"}" + \'{\' + "\\"}"', 1), "!")),
        ("{a}{b}", (Placeholder("a", 1), Placeholder("b", 4))),
    ],
)
def test_templates(text: str, parts: tuple[object, ...]) -> None:
    template = parse_template(text)
    assert template.parts == parts
    values = [f"<{each.expression}>" for each in template.placeholders]
    expected = [f"<{each.expression}>" if isinstance(each, Placeholder) else str(each) for each in parts]
    assert template.render(values) == "".join(expected)


@pytest.mark.parametrize(("text", "column"), [("a {b", 4), ("a } b", 2), ("{}", 1), ("{ }", 1), ('{"}', 3)])
def test_wrong_templates(text: str, column: int) -> None:
    with pytest.raises(EvalError) as caught:
        parse_template(text)
    assert caught.value.column == column
    assert caught.value.message

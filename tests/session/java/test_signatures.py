"""Signatures and modifiers as Java, and what names tell."""

from __future__ import annotations

import pytest

from jdbpy.session.java import signatures
from jdbpy.session.java.generics import GenericClass, GenericMethod, generic_class, generic_method, generic_type


@pytest.mark.parametrize(
    ("signature", "name"),
    [
        ("I", "int"),
        ("V", "void"),
        ("[[J", "long[][]"),
        ("Ljava/lang/String;", "java.lang.String"),
        ("[Ljava/util/Map$Entry;", "java.util.Map$Entry[]"),
        ("Ltest/T$$Lambda.0x00007f00;", "test.T$$Lambda/0x00007f00"),
        ("LOrder;", "Order"),
    ],
)
def test_names_both_ways(signature: str, name: str) -> None:
    assert signatures.java_name(signature) == name
    assert signatures.signature_of(name) == signature


def test_blanks_in_array_types() -> None:
    assert signatures.signature_of(" java.lang.String [] [ ]") == "[[Ljava/lang/String;"


def test_unknown_signatures_are_shown_as_they_came() -> None:
    assert signatures.java_name("Q?") == "Q?"


@pytest.mark.parametrize(
    ("signature", "parameters", "result"),
    [
        ("()V", (), "V"),
        ("(I[JLa/B;)[I", ("I", "[J", "La/B;"), "[I"),
        ("([[La/B;D)V", ("[[La/B;", "D"), "V"),
        ("(Ljava/util/Map<TK;[TV;>.Entry<*>;TT;)TT;^TE;", ("Ljava/util/Map<TK;[TV;>.Entry<*>;", "TT;"), "TT;"),
    ],
)
def test_method_signatures(signature: str, parameters: tuple[str, ...], result: str) -> None:
    assert signatures.split_method(signature) == (parameters, result)


def test_varargs_are_spelled_with_dots() -> None:
    assert signatures.parameter_types("(I[Ljava/lang/String;)V", varargs=True) == ("int", "java.lang.String...")
    assert signatures.parameter_types("([I[I)V") == ("int[]", "int[]")


@pytest.mark.parametrize(
    ("name", "simple", "package", "top"),
    [
        ("Order", "Order", "", "Order"),
        ("com.acme.Order", "Order", "com.acme", "com.acme.Order"),
        ("com.acme.Order$Line$1", "Order$Line$1", "com.acme", "com.acme.Order"),
        ("jdk.proxy1.$Proxy3", "$Proxy3", "jdk.proxy1", "jdk.proxy1.$Proxy3"),
        ("a.Trailing$", "Trailing$", "a", "a.Trailing$"),
        ("a.T$$Lambda/0x7f.1", "T$$Lambda/0x7f.1", "a", "a.T"),
    ],
)
def test_parts_of_names(name: str, simple: str, package: str, top: str) -> None:
    assert signatures.simple_name(name) == simple
    assert signatures.package_of(name) == package
    assert signatures.outermost(name) == top


@pytest.mark.parametrize(
    ("text", "java"),
    [
        ("I", "int"),
        ("TT;", "T"),
        ("[TT;", "T[]"),
        ("Ljava/util/List<Ljava/lang/String;>;", "java.util.List<java.lang.String>"),
        ("Ljava/util/Map<TK;[I>;", "java.util.Map<K, int[]>"),
        ("Ljava/util/List<+Ljava/lang/Number;>;", "java.util.List<? extends java.lang.Number>"),
        ("Ljava/util/List<-TT;>;", "java.util.List<? super T>"),
        ("Ljava/lang/Class<*>;", "java.lang.Class<?>"),
        ("La/Outer<TT;>.Inner<TU;>;", "a.Outer<T>.Inner<U>"),
    ],
)
def test_generic_types(text: str, java: str) -> None:
    assert generic_type(text) == java


def test_generic_classes() -> None:
    text = "<K:Ljava/lang/Object;V:Ljava/lang/Number;:Ljava/lang/Comparable<TV;>;>La/Base<TK;>;Ljava/util/List<TV;>;"
    parameters = ("K", "V extends java.lang.Number & java.lang.Comparable<V>")
    assert generic_class(text) == GenericClass(parameters, "a.Base<K>", ("java.util.List<V>",))


def test_generic_methods() -> None:
    text = "<T::Ljava/lang/Runnable;E:Ljava/lang/Exception;>(ITT;)Ljava/util/List<TT;>;^TE;"
    expected = GenericMethod(
        ("T extends java.lang.Runnable", "E extends java.lang.Exception"), ("int", "T"), "java.util.List<T>", ("E",)
    )
    assert generic_method(text) == expected


@pytest.mark.parametrize("text", ["", "T", "TT", "L", "Ljava/util/List<", "Ljava/util/List<TT;", "X", "II", "[" * 5000])
def test_malformed_generic_signatures_are_no_error(text: str) -> None:
    assert generic_type(text) is None
    assert generic_method(text) is None


@pytest.mark.parametrize(
    ("bits", "words"),
    [
        (0x0001 | 0x0020, "public"),  # ACC_SUPER is no modifier
        (0x0001 | 0x0400 | 0x0200, "public interface"),
        (0x2000 | 0x0400 | 0x0200, "@interface"),
        (0x0010 | 0x4000, "final enum"),
        (0x0002 | 0x0008 | 0x0010, "private static final"),
    ],
)
def test_class_modifiers(bits: int, words: str) -> None:
    assert signatures.class_modifiers(bits) == words


def test_method_modifiers() -> None:
    assert signatures.method_modifiers(0x0001 | 0x0008 | 0x0020 | 0x0080) == "public static synchronized"
    assert signatures.method_modifiers(0x0001 | 0x0040 | 0x1000) == "public bridge"
    assert signatures.method_modifiers(0x0002 | 0x0008 | -0x10000000) == "private static synthetic"  # a signed int


def test_field_modifiers() -> None:
    assert signatures.field_modifiers(0x0004 | 0x0010 | 0x0080) == "protected final transient"
    assert signatures.field_modifiers(0x0040) == "volatile"
    assert signatures.field_modifiers(0x0010 | -0x10000000) == "final synthetic"

"""Places in code as users write them."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from jdbpy.errors import UsageError
from jdbpy.session.breakpoints.location_spec import ClassLine, CurrentLine, FileLine, MethodPlace, parse_location
from jdbpy.session.java.class_names import ClassName
from jdbpy.session.jvm.refs import Method
from jdbpy.wire.ids import MethodID, ReferenceTypeID


def class_line(name: str, line: int) -> ClassLine:
    return ClassLine(ClassName(name), line)


def method(owner: str, name: str, *parameters: str, any_parameters: bool = False) -> MethodPlace:
    return MethodPlace(ClassName(owner) if owner else None, name, None if any_parameters else parameters)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("com.acme.Order:42", class_line("com.acme.Order", 42)),
        ("Order:42", class_line("Order", 42)),
        (" Order : 42 ", class_line("Order", 42)),
        ("com.acme.Outer$Inner:7", class_line("com.acme.Outer$Inner", 7)),
        ("Outer.Inner:7", class_line("Outer.Inner", 7)),
        ("*.Order:3", class_line("*.Order", 3)),
        ("com.acme.*:3", class_line("com.acme.*", 3)),
        ("Größe:3", class_line("Größe", 3)),
        ("MainKt$main$1:3", class_line("MainKt$main$1", 3)),
        ("Order.java:12", FileLine("", "Order.java", 12)),
        ("src/main/java/com/acme/Order.java:12", FileLine("src/main/java/com/acme", "Order.java", 12)),
        (r"C:\code\src\Order.java:12", FileLine("C:/code/src", "Order.java", 12)),
        ("/abs/Main.kt:1", FileLine("/abs", "Main.kt", 1)),
        ("./index.jsp:9", FileLine(".", "index.jsp", 9)),
        ("42", CurrentLine(42, relative=False)),
        (":42", CurrentLine(42, relative=False)),
        ("+3", CurrentLine(3, relative=True)),
        ("-2", CurrentLine(-2, relative=True)),
        ("+0", CurrentLine(0, relative=True)),
        ("com.acme.Order.total", method("com.acme.Order", "total", any_parameters=True)),
        ("Order#total", method("Order", "total", any_parameters=True)),
        ("Order::total", method("Order", "total", any_parameters=True)),
        ("total", method("", "total", any_parameters=True)),
        ("Order.<init>", method("Order", "<init>", any_parameters=True)),
        ("Order.<clinit>", method("Order", "<clinit>", any_parameters=True)),
        ("*.Order.total", method("*.Order", "total", any_parameters=True)),
        ("com.acme.*.total", method("com.acme.*", "total", any_parameters=True)),
        ("Order.total()", method("Order", "total")),
        ("Order.total( )", method("Order", "total")),
        ("Order.total(int,String)", method("Order", "total", "int", "String")),
        ("Order.total(int, java.lang.String [])", method("Order", "total", "int", "java.lang.String[]")),
        ("Order.total(String...)", method("Order", "total", "String...")),
        ("Order.put(Map.Entry<K, List<V>>, int[][])", method("Order", "put", "Map.Entry", "int[][]")),
        ("Order.put(final Map<K,V> items, @NotNull int count)", method("Order", "put", "Map", "int")),
        ("Order.<init>(int)", method("Order", "<init>", "int")),
        ("MathKt.plus-impl", method("MathKt", "plus-impl", any_parameters=True)),
        ("com.acme.Screen()", method("com.acme", "Screen")),
    ],
)
def test_forms(text: str, expected: object) -> None:
    assert parse_location(text) == expected


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("", "a place in code is missing", "Class:LINE"),
        ("Order:", "'' is not a line number", "Class:LINE"),
        ("Order:x", "'x' is not a line number", "Class:LINE"),
        ("Order:0", "lines count from 1", ""),
        (":0", "lines count from 1", ""),
        ("Order:65536", "line 65536 is more than a class file can name, 65535", ""),
        ("+" + "9" * 5000, "is more than a class file can name", ""),
        ("Order.total(int", "should end with the list of parameter types", "Class.method(int,String)"),
        ("Order.total)", "should end with", ""),
        ("Order.total(int,,int)", "'' is not a type", ""),
        ("Order.total(a b c)", "'a b c' is not a type", ""),
        ("com.acme.Order", "looks like a class without a method", "com.acme.Order:LINE or com.acme.Order.METHOD"),
        ("Order.java", "which line", "Order.java:LINE"),
        ("src/Order.kt", "which line", "src/Order.kt:LINE"),
        ("src/:5", "names a directory", ""),
        ("com..acme:5", "'com..acme' is not a class name", "as in Java"),
        ("co*m.Order:5", "'co*m.Order' is not a class name", "one * may stand at the start or at the end"),
        ("a b.c", "not a class name", ""),
        ("1a.c:3", "'1a.c' is not a class name", ""),
        ("Order.to tal", "is not a place in code", ""),
    ],
)
def test_faults(text: str, message: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_location(text)
    assert message in caught.value.message
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    "text",
    ["com.acme.Order:42", "src/Order.java:3", "Order.java:3", ":42", "+3", "-2", "Order.total", "A.m(int,T...)", "m"],
)
def test_text_form_reads_back(text: str) -> None:
    assert str(parse_location(text)) == text


VARARGS = 0x80
GENERIC = "<T:Ljava/lang/Object;>(TT;Ljava/util/List<TT;>;)V"


@pytest.mark.parametrize(
    ("typed", "signature", "generic", "bits", "fits"),
    [
        ("m", "(I)V", "", 0, True),
        ("m()", "()V", "", 0, True),
        ("m()", "(I)V", "", 0, False),
        ("m(int)", "(I)V", "", 0, True),
        ("m(long)", "(I)V", "", 0, False),
        ("m(String)", "(Ljava/lang/String;)V", "", 0, True),
        ("m(lang.String)", "(Ljava/lang/String;)V", "", 0, True),
        ("m(java.lang.String)", "(Ljava/lang/String;)V", "", 0, True),
        ("m(tring)", "(Ljava/lang/String;)V", "", 0, False),
        ("m(String)", "([Ljava/lang/String;)V", "", 0, False),
        ("m(String[])", "([Ljava/lang/String;)V", "", 0, True),
        ("m(String[])", "([Ljava/lang/String;)V", "", VARARGS, True),
        ("m(String...)", "([Ljava/lang/String;)V", "", VARARGS, True),
        ("m(Map.Entry)", "(Ljava/util/Map$Entry;)V", "", 0, True),
        ("m(Map$Entry)", "(Ljava/util/Map$Entry;)V", "", 0, True),
        ("m(Entry)", "(Ljava/util/Map$Entry;)V", "", 0, True),
        ("m(T, List<T>)", "(Ljava/lang/Object;Ljava/util/List;)V", GENERIC, 0, True),
        ("m(Object, List)", "(Ljava/lang/Object;Ljava/util/List;)V", GENERIC, 0, True),
        ("other", "()V", "", 0, False),
    ],
)
def test_parameters_choose_the_overload(typed: str, signature: str, generic: str, bits: int, fits: bool) -> None:
    place = parse_location(typed)
    assert isinstance(place, MethodPlace)
    assert place.fits(Method(MethodID(1), ReferenceTypeID(1), "m", signature, generic, bits)) is fits


@given(st.text(alphabet="aO.java:019()<>[]+-*$/\\ #@,é\t"))
def test_any_text_is_a_place_or_a_usage_error(text: str) -> None:
    try:
        place = parse_location(text)
    except UsageError:
        return
    assert parse_location(str(place)) == place

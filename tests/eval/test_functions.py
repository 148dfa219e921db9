"""Lambdas and anonymous classes: refused unless asked for, then compiled here and run by the target."""

from __future__ import annotations

import pytest

from jdbpy.errors import EvalError, StateError, Thrown
from jdbpy.session.eval import javac
from jdbpy.session.eval.javac import CapturedParameter, class_around, source_type
from jdbpy.session.java.descriptors import read_type
from jdbpy.session.local.java_home import JavaHome
from tests.eval.at_stop import stopped, value
from tests.harness import Debugging, Jvm


def allow_javac(d: Debugging) -> None:
    values = d.session.values
    values.rules = values.rules.replace(javac=True)


async def test_what_the_target_runs_is_compiled_and_defined_there(jvm: Jvm) -> None:
    async with stopped(jvm) as (d, _):
        allow_javac(d)
        rows = {
            # Locals, fields of the instance, methods with and without an object, statics, types of the scope.
            "strings.stream().map(s -> s + local + number + twice(2) + name.length()).toList().get(1)": '"two44244"',
            "strings.stream().mapToInt(String::length).sum() + "
            "java.util.Optional.of(strings).map(List::size).get()": "8",
            "strings.removeIf(s -> s.length() > calls + 100)": "false",
            '((java.util.function.Supplier<String>) () -> { int x = argument; return "x" + x; }).get()': '"x3"',
            "java.util.function.IntUnaryOperator f = n -> n * local; f.applyAsInt(5)": "20",
            'new Comparable<String>() { public int compareTo(String o) { return local; } }.compareTo("ab") + "," + '
            'new Object() { public String toString() { return "anon" + Late.loaded; } }': '"4,anon99"',
        }
        assert {text: await value(d, text) for text in rows} == rows
        with pytest.raises(Thrown) as caught:
            await value(d, "strings.forEach(s -> { throw new IllegalStateException(s + words.length); })")
        assert (caught.value.exception_type, caught.value.exception_message) == (
            "java.lang.IllegalStateException",
            "one2",
        )
        with pytest.raises(EvalError) as refused:
            await value(d, "strings.removeIf(s -> s.undefined())")
        assert refused.value.message == "javac: cannot find symbol"


async def test_without_being_asked_nothing_is_compiled(any_jvm: Jvm) -> None:
    async with stopped(any_jvm) as (d, _):
        for text in ("strings.removeIf(s -> true)", "new Runnable() { public void run() {} }", "(Runnable) () -> {}"):
            with pytest.raises(EvalError) as caught:
                await value(d, text)
            assert "must run in the target" in caught.value.message
            assert "set javac on" in caught.value.hint


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(String) () -> 1", "incompatible types: String is not a functional interface for this lambda"),
        ("(Runnable) x -> 1", "incompatible types: Runnable is not a functional interface for this lambda"),
        ("strings.get(() -> 1)", "incompatible types: lambda cannot be converted to int"),
        ("strings.add(() -> 1)", "incompatible types: lambda cannot be converted to String"),
    ],
)
async def test_lambdas_where_none_can_stand(any_jvm: Jvm, text: str, message: str) -> None:
    async with stopped(any_jvm) as (d, _):
        allow_javac(d)
        with pytest.raises(EvalError) as caught:
            await value(d, text)
        assert caught.value.message == message


async def test_where_there_is_no_javac(monkeypatch: pytest.MonkeyPatch) -> None:
    runtime = JavaHome("/java", "/java/bin/java", None, "17", 17, "PATH")
    monkeypatch.setattr(javac, "java_homes", lambda: [runtime])
    with pytest.raises(StateError) as caught:
        await javac.compile_class(class_around("", (), "int", "1"), 17, ())
    assert caught.value.code == "NO_JAVAC"


async def test_the_compiler_and_its_errors() -> None:
    good = class_around("p", (CapturedParameter("x", "int"),), "Runnable", "new Runnable() { public void run() { } }")
    names = [name for name, _ in (await javac.compile_class(good, 17, ())).files]
    assert names == [f"{good.name}$1", good.name]
    with pytest.raises(EvalError) as caught:
        await javac.compile_class(class_around("", (), "int", '"x"'), 17, ())
    assert caught.value.message == "javac: incompatible types: String cannot be converted to int"


@pytest.mark.parametrize(
    ("signature", "text"),
    [
        ("I", "int"),
        ("[Ljava/util/Map$Entry;", "java.util.Map.Entry[]"),
        (
            "Ljava/util/function/Function<-TT;+Ljava/lang/Number;>;",
            "java.util.function.Function<java.lang.Object, java.lang.Number>",
        ),
        ("Ljava/util/List<*>;", "java.util.List<java.lang.Object>"),
        ("TT;", "java.lang.Object"),
    ],
)
def test_types_as_source(signature: str, text: str) -> None:
    assert source_type(read_type(signature)) == text

"""What the names of an expression mean: variables, fields, classes, from the inside outwards; against a fake target."""

from __future__ import annotations

import pytest

from jdbpy.errors import EvalError
from jdbpy.session.eval.syntax.lexer import read_imports
from tests.eval.fake_shop import shop


async def test_names_are_searched_from_the_inside_outwards() -> None:
    """Locals hide fields, fields what was captured, and that the fields of the class around."""
    fake = shop()
    fake.define("Main$In", fields="LMain; this$0|I val$captured|I val$size|I own")
    outer = fake.this
    assert outer is not None
    fake.home = "Main$In"
    fake.this = fake.new("Main$In", this_0=outer, own=1)
    fake.object(fake.this).fields.update({"this$0": outer, "val$captured": 2, "val$size": 4})
    answers = {text: (await fake.evaluate(text)).value for text in ("own", "captured", "size", "n", "limit")}
    assert answers == {"own": 1, "captured": 2, "size": 4, "n": 7, "limit": 50}
    assert (await fake.evaluate("Main.this.size")).value == 3


async def test_static_code_has_no_instance() -> None:
    fake = shop()
    fake.is_static = True
    for text, message in {
        "this": "non-static variable this cannot be referenced from a static context",
        "size": "non-static variable size cannot be referenced from a static context",
        "toString()": "non-static method toString() cannot be referenced from a static context",
    }.items():
        with pytest.raises(EvalError) as caught:
            await fake.evaluate(text)
        assert caught.value.message == message


async def test_a_static_field_hides_a_member_class_of_its_name() -> None:
    fake = shop()
    fake.define("Outer$inner", fields="static I depth")
    fake.define("Outer", fields="static LOrder; inner")
    fake.statics["Outer", "inner"] = fake.new("Order", total=4)
    fake.statics["Outer$inner", "depth"] = 9
    assert (await fake.evaluate("Outer.inner.total")).value == 4
    with pytest.raises(EvalError, match="cannot find symbol: variable depth"):
        await fake.evaluate("Outer.inner.depth")


@pytest.mark.parametrize(
    ("imports", "value"),
    [
        ("import com.acme.Thing;", 1),
        ("import com.other.*;", 2),
        ("import static com.acme.Thing.x;", 1),
        ("import static com.other.Thing.*;", 2),
    ],
)
async def test_imports_say_which_class_is_meant(imports: str, value: int) -> None:
    fake = shop()
    for number, package in enumerate(("com.acme", "com.other"), 1):
        fake.define(f"{package}.Thing", fields="static I x")
        fake.statics[f"{package}.Thing", "x"] = number
    fake.source_imports = read_imports(f"package main;\n{imports}\nclass Main {{}}")
    assert (await fake.evaluate("x" if "static" in imports else "Thing.x")).value == value


async def test_a_simple_name_of_several_classes_is_ambiguous() -> None:
    fake = shop()
    fake.define("com.acme.Thing", fields="static I x")
    fake.define("com.other.Thing", fields="static I x")
    with pytest.raises(EvalError) as caught:
        await fake.evaluate("Thing.x")
    assert caught.value.message == "reference to Thing is ambiguous: com.acme.Thing, com.other.Thing"


async def test_a_class_that_is_not_loaded_is_loaded_when_it_is_named() -> None:
    fake = shop()
    fake.define("com.acme.Late", fields="static I x")
    fake.unloaded.add("com.acme.Late")
    fake.statics["com.acme.Late", "x"] = 8
    assert (await fake.evaluate("com.acme.Late.x + 1")).value == 9
    assert "load com.acme.Late" in fake.trips

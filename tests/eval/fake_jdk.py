"""The classes of the JDK that every fake target knows: as far as the evaluator's rules ask for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jdbpy.errors import Thrown
from jdbpy.session.eval.target import Raw

if TYPE_CHECKING:
    from tests.eval.fake_world import FakeWorld

OBJECT = "java.lang.Object"
BOXES = {
    "Integer": "I",
    "Long": "J",
    "Double": "D",
    "Character": "C",
    "Boolean": "Z",
    "Byte": "B",
    "Short": "S",
    "Float": "F",
}
SIGNATURES = {
    "int": "I",
    "long": "J",
    "double": "D",
    "char": "C",
    "boolean": "Z",
    "byte": "B",
    "short": "S",
    "float": "F",
}
_PRIMITIVES = {tag: name for name, tag in SIGNATURES.items()}


def define_jdk(fake: FakeWorld) -> None:
    """Defines them, with methods in Python."""
    fake.define(
        OBJECT,
        above=(),
        methods={
            "toString()Ljava/lang/String;": lambda this: fake.string(f"{fake.object(this).class_name}@1"),
            "equals(Ljava/lang/Object;)Z": lambda this, other: this == other,
            "hashCode()I": lambda this: 1,
            "getClass()Ljava/lang/Class;": lambda this: None,
        },
    )
    for name in ("java.io.Serializable", "java.lang.Cloneable", "java.lang.CharSequence", "java.lang.Runnable"):
        fake.define(name, words="interface")
    fake.define("java.lang.Comparable", words="interface", generic="<T:Ljava/lang/Object;>Ljava/lang/Object;")
    fake.define(
        "java.lang.String",
        above=(OBJECT, "java.lang.Comparable", "java.lang.CharSequence", "java.io.Serializable"),
        words="final",
        methods={
            "length()I": lambda this: len(fake.text_of(this)),
            "intern()Ljava/lang/String;": lambda this: this,
            "charAt(I)C": lambda this, index: _char_at(fake, this, index),
            "equals(Ljava/lang/Object;)Z": lambda this, other: other is not None and this == other,
            "substring(II)Ljava/lang/String;": lambda this, start, end: fake.string(fake.text_of(this)[start:end]),
            "trim()Ljava/lang/String;": lambda this: fake.string(fake.text_of(this).strip()),
        },
    )
    fake.define("java.lang.Class", fields="Ljava/lang/String; name", words="final")
    fake.define("java.lang.Number", words="abstract")
    fake.define("java.lang.Enum", fields="Ljava/lang/String; name|I ordinal", words="abstract")
    for box, tag in BOXES.items():
        number = "java.lang.Number" if tag not in "ZC" else OBJECT
        descriptor = f"Ljava/lang/{box};"
        fake.define(
            f"java.lang.{box}",
            above=(number, "java.lang.Comparable"),
            words="final",
            fields=f"{tag} value|static final Ljava/lang/Class; TYPE",
            methods={
                f"static valueOf({tag}){descriptor}": lambda value, box=box: fake.small_box(box, value),
                f"{_PRIMITIVES[tag]}Value(){tag}": lambda this: fake.object(this).fields["value"],
            },
        )
    fake.define("java.lang.Iterable", words="interface", generic="<T:Ljava/lang/Object;>Ljava/lang/Object;")
    fake.define(
        "java.util.List",
        above=("java.lang.Iterable",),
        words="interface",
        generic="<E:Ljava/lang/Object;>Ljava/lang/Object;Ljava/lang/Iterable<TE;>;",
        methods={
            "abstract get(I)Ljava/lang/Object;": lambda this, index: None,
            "abstract add(Ljava/lang/Object;)Z": lambda this, value: None,
            "abstract size()I": lambda this: None,
        },
        generics={"get": "(I)TE;", "add": "(TE;)Z"},
    )
    fake.define(
        "java.util.ArrayList",
        above=(OBJECT, "java.util.List"),
        generic="<E:Ljava/lang/Object;>Ljava/lang/Object;Ljava/util/List<TE;>;",
        methods={
            "get(I)Ljava/lang/Object;": lambda this, index: fake.object(this).elements[index],
            "size()I": lambda this: len(fake.object(this).elements),
        },
        generics={"get": "(I)TE;"},
    )
    for name in ("java.lang.Throwable", "java.lang.RuntimeException"):
        fake.define(name)


def _char_at(fake: FakeWorld, this: Raw, index: int) -> Raw:
    text = fake.text_of(this)
    if not 0 <= index < len(text):
        raise Thrown("java.lang.StringIndexOutOfBoundsException", f"index {index}, length {len(text)}")
    return ord(text[index])

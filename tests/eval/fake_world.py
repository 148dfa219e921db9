"""Classes and objects without any JVM: classes from a few lines of text, objects in a dict, methods in Python.

world = FakeWorld()
world.define("Order", fields="I total|LOrder; next|static I count", methods={"sum(I)I": lambda this, x: ...})
order = world.new("Order", total=7)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jdbpy.session.eval.target import ClassFacts, Raw, Ref
from jdbpy.session.java.signatures import ABSTRACT, ENUM, FINAL, INTERFACE, PRIVATE, PUBLIC, STATIC, VARARGS
from jdbpy.session.jvm.refs import Field, Method
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import FieldID, MethodID, ReferenceTypeID
from tests.eval.fake_jdk import OBJECT, define_jdk

Code = Callable[..., Raw]
_WORDS = {
    "static": STATIC,
    "final": FINAL,
    "private": PRIVATE,
    "abstract": ABSTRACT,
    "varargs": VARARGS,
    "interface": INTERFACE,
    "enum": ENUM,
}


class FakeObject:
    """An object: its class, and its fields, elements or text."""

    def __init__(self, class_name: str) -> None:
        self.class_name = class_name
        self.fields: dict[str, Raw] = {}
        self.elements: list[Raw] = []
        self.text = ""


class FakeWorld:
    """What there is: classes, with their static fields, and objects."""

    def __init__(self) -> None:
        self.statics: dict[tuple[str, str], Raw] = {}
        self._classes: dict[str, ClassFacts] = {}
        self._by_id: dict[int, ClassFacts] = {}
        self._code: dict[int, Code] = {}
        self._objects: dict[int, FakeObject] = {}
        self._next = 100
        self._cached: dict[tuple[str, object], Ref] = {}
        define_jdk(self)

    def define(
        self,
        name: str,
        *,
        above: Sequence[str] = ("java.lang.Object",),
        fields: str = "",
        methods: Mapping[str, Code] | None = None,
        words: str = "",
        generic: str = "",
        generics: Mapping[str, str] | None = None,
    ) -> None:
        """A class. ``above`` is the superclass and the interfaces; ``generics`` maps members to generic signatures."""
        class_id = ReferenceTypeID(self._id())
        told = generics or {}
        own_fields = [_field(self._id(), class_id, text.strip(), told) for text in fields.split("|") if text.strip()]
        own_methods = []
        for text, code in (methods or {}).items():
            method = _method(self._id(), class_id, text, told)
            self._code[method.id] = code
            own_methods.append(method)
        is_interface = "interface" in words
        parents = [self._classes[parent] for parent in above]
        superclass = 0 if is_interface or not parents else parents[0].id
        interfaces = tuple(parent.id for parent in (parents if is_interface else parents[1:]) if parent.name != OBJECT)
        found = ClassFacts(
            class_id, name, _bits(words.split()), generic, superclass, interfaces, tuple(own_fields), tuple(own_methods)
        )
        self._classes[name] = self._by_id[class_id] = found

    def new(self, class_name: str, /, **fields: Raw) -> Ref:
        """An object with these field values; the others have their defaults."""
        made = FakeObject(class_name)
        for cls in self._lineage(class_name):
            for field in cls.fields:
                made.fields.setdefault(field.name, default_of(field.signature))
        made.fields.update(fields)
        return self._keep(made, Tag.OBJECT)

    def string(self, text: str) -> Ref:
        made = FakeObject("java.lang.String")
        made.text = text
        return self._keep(made, Tag.STRING)

    def box(self, class_name: str, value: Raw) -> Ref:
        return self.new(f"java.lang.{class_name}", value=value)

    def small_box(self, box: str, value: Raw) -> Ref:
        """A box, always the same for a small value (JLS 5.1.7)."""
        if not isinstance(value, int) or abs(value) > 127:
            return self.box(box, value)
        return self._cached.setdefault((box, value), self.box(box, value))

    def array(self, type_name: str, *elements: Raw) -> Ref:
        """An array of a type such as ``int[]``."""
        self._array_class(type_name)
        made = FakeObject(type_name)
        made.elements = list(elements)
        return self._keep(made, Tag.ARRAY)

    def list_of(self, *elements: Raw) -> Ref:
        """A java.util.ArrayList."""
        made = self.new("java.util.ArrayList")
        self.object(made).elements = list(elements)
        return made

    def object(self, ref: Raw) -> FakeObject:
        """The object itself, for the code of methods."""
        assert isinstance(ref, Ref)
        return self._objects[ref.id]

    def text_of(self, raw: Raw) -> str:
        """The characters of a string."""
        assert isinstance(raw, Ref)
        return self._objects[raw.id].text

    def _array_class(self, name: str) -> None:
        if name not in self._classes:
            self.define(name, above=(OBJECT, "java.lang.Cloneable", "java.io.Serializable"), words="final")

    def _lineage(self, name: str) -> list[ClassFacts]:
        found, pending = [], [self._classes[name]]
        while pending:
            cls = pending.pop(0)
            found.append(cls)
            pending += [self._by_id[above] for above in (cls.superclass, *cls.interfaces) if above]
        return found

    def _keep(self, made: FakeObject, tag: int) -> Ref:
        ref = Ref(self._id(), tag)
        self._objects[ref.id] = made
        return ref

    def _id(self) -> int:
        self._next += 1
        return self._next


def _bits(words: Sequence[str]) -> int:
    return PUBLIC | sum(_WORDS[word] for word in words)


def _field(field_id: int, owner: ReferenceTypeID, text: str, generics: Mapping[str, str]) -> Field:
    """A field of ``static final I count``."""
    *words, signature, name = text.split()
    return Field(FieldID(field_id), owner, name, signature, generics.get(name, ""), _bits(words))


def _method(method_id: int, owner: ReferenceTypeID, text: str, generics: Mapping[str, str]) -> Method:
    """A method of ``static max(II)I``."""
    *words, rest = text.split()
    name, _, signature = rest.partition("(")
    return Method(MethodID(method_id), owner, name, "(" + signature, generics.get(name, ""), _bits(words))


def default_of(signature: str) -> Any:
    if signature in "FD":
        return 0.0
    return None if signature[0] in "L[" else False if signature == "Z" else 0

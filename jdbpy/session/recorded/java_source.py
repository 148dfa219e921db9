"""Values that were kept as Java source: literals, boxes, constants, arrays, collections, records and beans. Pure."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from jdbpy.session.eval.syntax.explain import KEYWORDS
from jdbpy.session.java.signatures import PRIMITIVES, java_name, signature_of
from jdbpy.session.java.texts import double_text, float_text
from jdbpy.session.recorded.kept_values import KeptValue
from jdbpy.session.recorded.shapes import ShapeMember, SourceShape

_ESCAPES = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "'": "\\'", "\\": "\\\\"}
_WORDS = KEYWORDS | {"true", "false", "null", "_"}
_NAME = re.compile(r"[A-Za-z_$][\w$]*", re.ASCII)
_PART = re.compile(r"[A-Za-z_][\w]*", re.ASCII)
_BOXES = {
    "java.lang.Boolean": "Z",
    "java.lang.Byte": "B",
    "java.lang.Character": "C",
    "java.lang.Short": "S",
    "java.lang.Integer": "I",
    "java.lang.Long": "J",
    "java.lang.Float": "F",
    "java.lang.Double": "D",
}
_ZEROS = ("0", "0L", "0.0", "0.0f", "false", "null", "(byte) 0", "(short) 0", "'\\000'")

_LISTS = ("ArrayList", "LinkedList", "Vector", "ArrayDeque", "LinkedHashSet", "HashSet", "TreeSet")
_MAPS = ("HashMap", "LinkedHashMap", "TreeMap", "Hashtable")
_MADE_BY = {"List": "ArrayList", "Set": "LinkedHashSet", "Map": "LinkedHashMap"}
"""What takes the place of a class of the JDK without a name in source, by the end of that name."""


class NotInSource(Exception):
    """A value cannot be written in source, for the reason in its text."""


def java_string(text: str) -> str:
    """Return a literal of ASCII, whatever is in the text."""
    return f'"{_escaped(text)}"'


def _escaped(text: str) -> str:
    return "".join(_ESCAPES.get(each) or _character(each) for each in text)


def _character(char: str) -> str:
    code = ord(char)
    if 0x20 <= code < 0x7F:
        return char
    if code < 0x20:
        return f"\\{code:03o}"  # not by its number in hexadecimal: that is read before the literal is
    return "".join(f"\\u{unit:04x}" for unit in _units(char))


def _units(char: str) -> Sequence[int]:
    data = char.encode("utf-16-be", "surrogatepass")
    return [int.from_bytes(data[at : at + 2], "big") for at in range(0, len(data), 2)]


def in_a_comment(text: str) -> str:
    """Return a text that no compiler reads as anything but a comment of one line."""
    plain = "".join(each if 0x20 <= ord(each) < 0x7F else "?" for each in text)
    return plain.replace("\\", "\\\\").replace("*/", "* /")[:400]


def primitive_source(signature: str, raw: object) -> str:
    """Return a literal of a primitive type."""
    match signature:
        case "Z":
            return "true" if raw else "false"
        case "C":
            return f"'{_escaped(str(raw))}'"
        case "B" | "S":
            return f"({java_name(signature)}) {raw}"
        case "J":
            return f"{raw}L"
        case "F" | "D":
            assert isinstance(raw, int | float)
            box = "Float" if signature == "F" else "Double"
            if math.isnan(raw):
                return f"{box}.NaN"
            if math.isinf(raw):
                return f"{box}.{'POSITIVE' if raw > 0 else 'NEGATIVE'}_INFINITY"
            return f"{float_text(raw)}f" if signature == "F" else double_text(raw)
    return "Integer.MIN_VALUE" if raw == -(1 << 31) else str(raw)


class ValueSource:
    """Writes the statements that make values, for source in a package."""

    def __init__(self, package: str, shapes: Mapping[str, SourceShape]) -> None:
        self.statements: list[str] = []
        self._package = package
        self._shapes = shapes
        self._names: set[str] = set()

    def name(self, wanted: str) -> str:
        """Return a name for a variable: the wanted one, if nothing has it."""
        base = wanted if _NAME.fullmatch(wanted) and wanted not in _WORDS else "value"
        name, number = base, 2
        while name in self._names:
            name, number = f"{base}{number}", number + 1
        self._names.add(name)
        return name

    def shape(self, name: str) -> SourceShape | None:
        """Return what is known of a class."""
        return self._shapes.get(name)

    def type_name(self, name: str) -> str:
        """Return how source names a class or type. Raises NotInSource for one without a name."""
        element = name.rstrip("[]")
        if element in PRIMITIVES.values():
            return name
        package, _, own = element.rpartition(".")
        parts = own.split("$")
        if not all(_PART.fullmatch(each) and each not in _WORDS for each in (*parts, *package.split(".")) if each):
            raise NotInSource(f"{element} has no name in source")
        shape = self._shapes.get(element)
        if shape is not None and shape.is_private:
            raise NotInSource(f"{element} is private")
        if not all(parts):
            raise NotInSource(f"{element} has no name in source")
        dotted = ".".join(parts)
        plain = package in ("java.lang", "java.util", self._package)
        return (dotted if plain or not package else f"{package}.{dotted}") + name[len(element) :]

    # -- values --------------------------------------------------------------------------------------------------------

    def value(self, value: KeptValue, signature: str = "Ljava/lang/Object;") -> str:
        """Return an expression for a value, in a place of that type. What it takes first is added to ``statements``.

        Raises NotInSource.
        """
        if value.length:
            raise NotInSource(f"only the beginning of {value.length:,} characters was kept")
        match value.kind:
            case "null":
                return "null"
            case "primitive":
                return primitive_source(signature_of(value.type), value.raw)
            case "string":
                return java_string(str(value.raw))
            case "box":
                return self._box(value, signature)
            case "constant":
                if not _NAME.fullmatch(str(value.raw)):
                    raise NotInSource(f"{value.raw} has no name in source")
                return f"{self.type_name(value.type)}.{value.raw}"
            case "class":
                return f"{self.type_name(str(value.raw))}.class"
            case "builder":
                return f"new {self.type_name(value.type)}({java_string(str(value.raw))})"
        if value.type.endswith("]"):
            return self._array(value)
        package, _, own = value.type.rpartition(".")
        if package == "java.util" or package.startswith("java.util."):
            return self._collection(value, own, signature)
        return self._object(value)

    def _box(self, value: KeptValue, signature: str) -> str:
        tag = _BOXES.get(value.type, "")
        if not tag:
            return f"new {self.type_name(value.type)}({java_string(str(value.raw))})"
        literal = primitive_source(tag, value.raw)
        return literal if signature == tag else f"{value.type.rpartition('.')[2]}.valueOf({literal})"

    def _elements(self, value: KeptValue, signature: str = "Ljava/lang/Object;") -> list[str]:
        if value.size > len(value.parts):
            missing = f"{len(value.parts)} of its {value.size}" if value.parts else f"none of its {value.size}"
            raise NotInSource(f"{missing} elements were kept; a greater 'deep N' behind 'record METHOD' keeps 16")
        return [self.value(each, signature) for _, each in value.parts]

    def _array(self, value: KeptValue) -> str:
        signature = signature_of(value.type)
        element = signature[1:]
        inner = [
            f"({java_name(element)}) {each}" if each == "null" else each for each in self._elements(value, element)
        ]
        named = self.type_name(value.type)
        return f"new {named} {{{', '.join(inner)}}}"

    def _collection(self, value: KeptValue, own: str, signature: str) -> str:
        """Return an expression for a collection: of its own class, or of the usual one where that has no name."""
        kind, nested = own, own.partition("$")[2].rstrip("N0123456789")
        if own.startswith(("Arrays$", "Collections$", "ImmutableCollections$")):
            kind = next((made for end, made in _MADE_BY.items() if nested.endswith(end)), own)
        declared = signature[1:-1].rpartition("/")[2]
        if kind not in (*_LISTS, *_MAPS) or (kind != own and declared in (*_LISTS, *_MAPS) and declared != kind):
            raise NotInSource(f"a {own.replace('$', '.')} is not made in source")
        if kind in _MAPS:
            return self._map(value, kind)
        elements = self._elements(value)
        if not elements:
            return f"new {kind}()"
        elements = [f"(Object) {each}" if each == "null" or each.startswith("new ") else each for each in elements]
        return f"new {kind}(Arrays.asList({', '.join(elements)}))"

    def _map(self, value: KeptValue, kind: str) -> str:
        if value.size > len(value.keys):
            missing = f"{len(value.keys)} of its {value.size}" if value.keys else f"none of its {value.size}"
            raise NotInSource(f"{missing} entries were kept; a greater 'deep N' behind 'record METHOD' keeps 16")
        entries = [(self.value(key), self.value(each)) for key, (_, each) in zip(value.keys, value.parts, strict=True)]
        if not entries:
            return f"new {kind}()"
        name = self.name("map")
        self.statements.append(f"{kind} {name} = new {kind}();")
        self.statements += [f"{name}.put({key}, {each});" for key, each in entries]
        return name

    def _object(self, value: KeptValue) -> str:
        """Return an expression for an object of the program: a record, or one by its constructor, or by setters."""
        shape = self._shapes.get(value.type)
        if shape is None:
            raise NotInSource(
                f"a {value.type} is not made in source" if value.type.startswith("java.") else "its class is not known"
            )
        if shape.is_abstract:
            raise NotInSource("its class is abstract")
        if any(each.is_synthetic for each in shape.fields):
            raise NotInSource("it belongs to another object")
        kept = dict(value.parts)
        names = {each.name for each in shape.fields}
        if len(names) < len(shape.fields):
            raise NotInSource("two of its fields have one name")
        if not names <= kept.keys():
            raise NotInSource("its fields were not kept; a greater 'deep N' behind 'record METHOD' keeps them")
        made = shape.takes_all
        if shape.is_record or self._usable(shape, made):
            given = [self.value(kept[each.name], each.signature) for each in shape.fields]
            return f"new {self.type_name(value.type)}({', '.join(given)})"
        return self._bean(value, shape, kept)

    def _usable(self, shape: SourceShape, member: ShapeMember | None) -> bool:
        return shape.usable(member, self._package)

    def fresh(self, class_name: str) -> str:
        """Return an expression for a new object of a class; "" where it has no constructor without parameters."""
        shape = self._shapes.get(class_name)
        if shape is None or shape.is_abstract or not self._usable(shape, shape.method("<init>", "()V")):
            return ""
        try:
            return f"new {self.type_name(class_name)}()"
        except NotInSource:
            return ""

    def _bean(self, value: KeptValue, shape: SourceShape, kept: Mapping[str, KeptValue]) -> str:
        if not self._usable(shape, shape.method("<init>", "()V")):
            raise NotInSource(
                "its class has no constructor that takes its fields in their order, and none without parameters"
            )
        calls = []
        for field in shape.fields:
            given = self.value(kept[field.name], field.signature)
            setter = shape.setter(field)
            if self._usable(shape, setter):
                calls.append(f"set{field.name[:1].upper()}{field.name[1:]}({given})")
            elif given not in _ZEROS and kept[field.name].size:  # an empty collection is what it begins with
                raise NotInSource(f"its class has no setter of {field.name}, which is {kept[field.name].text}")
        named = self.type_name(value.type)
        if not calls:
            return f"new {named}()"
        name = self.name(shape.name.rpartition(".")[2].rpartition("$")[2].lower() or "made")
        self.statements.append(f"{named} {name} = new {named}();")
        self.statements += [f"{name}.{each};" for each in calls]
        return name

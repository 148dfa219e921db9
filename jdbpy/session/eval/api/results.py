"""Operands of the evaluator described as plain data, wherever they live: in the target, or in the debugger alone."""

from __future__ import annotations

from functools import partial

from jdbpy.errors import EvalError
from jdbpy.session.concurrency import together
from jdbpy.session.eval.operands import Elements, Entry, LocalBox, LocalString, Operand
from jdbpy.session.eval.target import Ref, to_wire
from jdbpy.session.events.target import Target
from jdbpy.session.java.literals import unescape
from jdbpy.session.java.texts import string_literal, utf16_length
from jdbpy.session.java.types import BOXES, LATE, NULL, STRING, Primitive, SequenceType, source_name
from jdbpy.session.model.values import Bytes, Limits, ValueInfo, Variable
from jdbpy.session.values import describe, strings
from jdbpy.session.values.bytes import no_bytes, of_array, of_object, of_text, of_values, wanted
from jdbpy.session.values.objects import Objects
from jdbpy.session.values.value_text import braces, composed
from jdbpy.wire import ids
from jdbpy.wire.constants import Tag

LOG_LIMITS = Limits(depth=1, string=10_000, elements=20, fields=10)
"""The limits for a value in a line of a log."""

VOID = ValueInfo("void", "void", "V", None)


async def log_values(target: Target, operands: list[Operand]) -> list[tuple[ValueInfo, str]]:
    """Return the operands, each with its text as a logpoint writes it: strings and characters as they are, else as
    ``print``.

    wire: what describing objects takes, all of them side by side.
    """
    results = Results(target)
    calls = (partial(results.describe, operand, LOG_LIMITS) for operand in operands)
    return [(value, _unquoted(value)) for value in await together(*calls)]


def _unquoted(value: ValueInfo) -> str:
    """Return the characters of a string or char, the text of anything else."""
    if value.tag == "C":
        return str(value.raw)
    if value.tag != "s":
        return value.text
    dots = "..." if value.truncated else ""
    return unescape(value.text.removesuffix(dots)[1:-1]) + dots


class Results:
    """Describes the operands of one evaluation; ``format`` is one of ``formats.FORMATS``, for numbers."""

    def __init__(self, target: Target, format: str = "") -> None:
        self._target = target
        self._format = format

    async def describe(self, operand: Operand, limits: Limits) -> ValueInfo:
        """Return the operand as plain data. wire: what describing the object takes, nothing for a primitive."""
        match operand.value:
            case LocalString(text=text):
                return self.text(text, limits.string)
            case LocalBox(kind=kind):
                [inner] = await self._wire([ids.TaggedValue(ord(kind.tag), operand.value.value)], limits)
                return ValueInfo(BOXES[kind].name, inner.text, "L", None, formatted=inner.formatted)
            case Elements(elements=elements):
                return await self._sequence(operand.type, elements, limits)
            case Entry(key=key, value=value):
                parts: list[ValueInfo] = await together(
                    *(partial(self.describe, part, limits) for part in (key, value))
                )
                named = zip(("key", "value"), parts, strict=True)
                children = tuple(Variable(name, part.type, part, "field") for name, part in named)
                entry = ValueInfo("java.util.Map$Entry", "", "L", None, children=children)
                return composed(entry, map(_texts, parts), "=".join)
        if isinstance(operand.type, Primitive) and operand.type.tag == "V":
            return VOID
        if operand.value is None and operand.type not in (NULL, LATE):  # null tells nothing: the declared type does
            return ValueInfo(source_name(operand.type), "null", "L", None)
        [described] = await self._wire([self._wire_value(operand)], limits)
        return described

    async def dump(self, operand: Operand, limits: Limits) -> ValueInfo:
        """Like ``describe``, an object by all its fields."""
        if isinstance(operand.value, Ref):
            return await describe.dump(self._target, self._wire_value(operand), limits, self._format)
        return await self.describe(operand, limits)

    async def bytes(self, operand: Operand, count: int | None) -> Bytes:
        """Return the first ``count`` elements of the operand as bytes. Raises EvalError for what has none."""
        reader = Objects.of(self._target).reader
        match operand.value:
            case LocalString(text=text):
                return of_text(text, count)
            case Elements(elements=elements, start=start):
                return self._bytes_of(operand, elements, start, count)
            case Ref(id=object_id, tag=Tag.ARRAY):
                return await reader.run(of_array(reader, object_id, count))
            case Ref(id=object_id, tag=Tag.STRING):
                most = wanted("C", count, strings.MOST)
                text, length = await reader.run(strings.string_start(reader, object_id, most))
                return of_text(text, count, object_id, length)
            case Ref(id=object_id):
                return await reader.run(of_object(reader, object_id, count))
            case None:
                raise EvalError("null has no bytes")
        raise no_bytes(source_name(operand.type))

    @staticmethod
    def _bytes_of(operand: Operand, elements: list[Operand], start: int, count: int | None) -> Bytes:
        """Return the bytes of a slice, which the debugger has read."""
        element = operand.type.element if isinstance(operand.type, SequenceType) else None
        kinds = {each.type for each in elements} if elements else {element}
        kind = kinds.pop()
        if kinds or not isinstance(kind, Primitive):
            raise no_bytes(f"a sequence of {source_name(element) if element is not None else 'objects'}")
        read = elements[: wanted(kind.tag, count, len(elements))]
        values = [each.value for each in read if isinstance(each.value, int | float)]
        return of_values(f"{kind.name}[]", kind.tag, values, start, len(elements))

    def text(self, text: str, longest: int | None = None) -> ValueInfo:
        """Return a string that is not in the target."""
        length = utf16_length(text)
        cut = text if longest is None else text[:longest]
        truncated = len(cut) < len(text)
        return ValueInfo(
            STRING.name, string_literal(cut) + ("..." if truncated else ""), "s", None, None, length, truncated
        )

    @staticmethod
    def _wire_value(operand: Operand) -> ids.TaggedValue:
        value = operand.value
        if isinstance(operand.type, Primitive):
            assert isinstance(value, int | float)
            return to_wire(operand.type.tag, value)
        return ids.TaggedValue(value.tag, value.id) if isinstance(value, Ref) else ids.TaggedValue(Tag.OBJECT, 0)

    async def _wire(self, values: list[ids.TaggedValue], limits: Limits) -> list[ValueInfo]:
        return await describe.describe(self._target, values, limits, self._format)

    async def _sequence(self, kind: object, elements: list[Operand], limits: Limits) -> ValueInfo:
        """Elements that the debugger holds, shown as an array is."""
        inner = Limits(max(limits.depth - 1, 0), limits.string, limits.elements, limits.fields)
        calls = (partial(self.describe, element, inner) for element in elements[: limits.elements])
        shown: list[ValueInfo] = await together(*calls)
        element = source_name(kind.element) if isinstance(kind, SequenceType) else "java.lang.Object"
        head = f"{element}[{len(elements)}]"
        children = tuple(Variable(f"[{index}]", value.type, value, "element") for index, value in enumerate(shown))
        cut = len(shown) < len(elements)
        plain = ValueInfo(f"{element}[]", head, "[", None, None, len(elements), cut, children)
        return composed(plain, map(_texts, shown), lambda parts: f"{head} {braces(parts, len(elements))}")


def _texts(value: ValueInfo) -> tuple[str, str]:
    return value.text, value.formatted or value.text

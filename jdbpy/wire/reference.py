"""The reference codec: each layout as a ``construct`` Struct.

Owns the slow and plain reading of the declarations, which the generated codec is compared with, and which can run a
connection just as well (``JDBPY_CODEC=construct``). Nothing else of jdbpy imports construct, and this module
is imported only when it is wanted.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import construct as c

from jdbpy.record import Record
from jdbpy.wire.codec import Codec
from jdbpy.wire.command import Choice
from jdbpy.wire.ids import ArrayRegion, IDSizes, TaggedValue
from jdbpy.wire.layout import (
    OBJECT_TAGS,
    VALUE_CODES,
    VOID_TAG,
    Blob,
    Group,
    Identifier,
    Kinds,
    LayoutNode,
    LayoutNumber,
    LayoutText,
    Region,
    Repeat,
    Tagged,
    Untagged,
    fixed_codes,
    id_code,
    layout_of,
    number_code,
)
from jdbpy.wire.lazy_records import Columns, RowForm, Rows
from jdbpy.wire.strings import ENCODING_ERRORS

_FIELDS = {
    "?": c.FormatField(">", "?"),
    "b": c.Int8sb,
    "B": c.Int8ub,
    "h": c.Int16sb,
    "H": c.Int16ub,
    "i": c.Int32sb,
    "I": c.Int32ub,
    "q": c.Int64sb,
    "Q": c.Int64ub,
    "f": c.Float32b,
    "d": c.Float64b,
}
_BLOB = c.Prefixed(c.Int32ub, c.GreedyBytes)
_TEXT = c.ExprAdapter(
    _BLOB,
    decoder=lambda data, context: data.decode("utf-8", ENCODING_ERRORS),
    encoder=lambda text, context: text.encode("utf-8", ENCODING_ERRORS),
)


class ReferenceCodec(Codec):
    """Interprets construct Structs; about twenty times slower than the generated codec."""

    encode_faults = (c.ConstructError, KeyError, AttributeError, TypeError, ValueError)
    decode_faults = (c.ConstructError, KeyError, UnicodeDecodeError, StopIteration)

    def make_encoder(self, cls: type[Record], sizes: IDSizes) -> Callable[[Any], bytes]:
        message = construct_of(layout_of(cls), sizes)
        return lambda record: bytes(message.build(record))

    def make_decoder(self, cls: type[Record], sizes: IDSizes) -> Callable[[bytes, Iterator[int]], Any]:
        message = c.FocusedSeq("message", "message" / construct_of(layout_of(cls), sizes), c.Terminated)
        return lambda data, tags: message.parse(data, tags=tags)


def construct_of(node: LayoutNode, sizes: IDSizes) -> Any:
    """Return the Construct that parses a part into the Python values of ``wire.ids``, and builds it of them."""
    match node:
        case LayoutNumber() | Identifier():
            return _FIELDS[number_code(node, sizes)]
        case LayoutText():
            return _TEXT
        case Blob():
            return _BLOB
        case Tagged():
            return _tagged(sizes)
        case Untagged():
            return _UntaggedValue(value_constructs(sizes))
        case Region():
            return _region(sizes)
        case Repeat(element=Kinds() as kinds):
            return _Choices(kinds.choice, sizes)
        case Repeat(element=Group() as element) if node.held is Columns:
            return _columns(element, c.PrefixedArray(c.Int32ub, construct_of(element, sizes)))
        case Repeat(element=Group() as element) if node.held is Rows:
            return _rows(_ParsedRow(element, sizes))
        case Repeat():
            return _list(c.PrefixedArray(c.Int32ub, construct_of(node.element, sizes)))
        case Group():
            return _group(node, sizes)
        case _:
            raise TypeError(f"no construct for {node}")


def _list(array: Any) -> Any:
    """Return the same array, with a plain list as its value."""
    return c.ExprAdapter(array, decoder=lambda items, context: list(items), encoder=lambda items, context: items)


def _columns(element: Group, array: Any) -> Any:
    """Return the same array, with ``Columns`` as its value."""
    record = element.record
    return c.ExprAdapter(
        array, decoder=lambda items, context: Columns.of(record, items), encoder=lambda items, context: items
    )


class _ParsedRow(RowForm[Any]):
    """Records of fixed width that construct parses and builds."""

    def __init__(self, element: Group, sizes: IDSizes) -> None:
        codes = fixed_codes(element, sizes)
        if codes is None:
            raise TypeError(f"no rows of {element.record.__name__}")
        super().__init__(codes[0], codes[1:])
        self.record = construct_of(element, sizes)

    def read(self, data: bytes) -> Iterable[Any]:
        found: Iterable[Any] = c.GreedyRange(self.record).parse(data)
        return found


def _rows(form: _ParsedRow) -> Any:
    """Return an array of records of fixed width, with ``Rows`` as its value."""
    return c.ExprAdapter(
        c.PrefixedArray(c.Int32ub, c.Bytes(form.width)),
        decoder=lambda items, context: Rows(form, b"".join(items)),
        encoder=lambda rows, context: [form.record.build(row) for row in rows],
    )


def _group(node: Group, sizes: IDSizes) -> Any:
    record, names = node.record, [field for field, _ in node.fields]
    return c.ExprAdapter(
        c.Struct(*(field / construct_of(part, sizes) for field, part in node.fields)),
        decoder=lambda container, context: record(*(container[field] for field in names)),
        encoder=lambda message, context: {field: getattr(message, field) for field in names},
    )


def value_constructs(sizes: IDSizes) -> dict[int, Any]:
    """Return the Constructs of what a field or an element can hold, by tag."""
    fields = {tag: _FIELDS[code] for tag, code in VALUE_CODES.items()}
    return fields | dict.fromkeys(OBJECT_TAGS, _FIELDS[id_code(sizes, "objectIDSize")])


def _tagged(sizes: IDSizes) -> Any:
    return c.ExprAdapter(
        c.Struct(
            "tag" / c.Int8ub,
            "value" / c.Switch(c.this.tag, value_constructs(sizes) | {VOID_TAG: c.Pass}, default=c.Error),
        ),
        decoder=lambda container, context: TaggedValue(container["tag"], container["value"]),
        encoder=lambda value, context: {"tag": value.tag, "value": value.value},
    )


def _region(sizes: IDSizes) -> Any:
    elements = {tag: _FIELDS[code] for tag, code in VALUE_CODES.items()} | dict.fromkeys(OBJECT_TAGS, _tagged(sizes))
    arrays = {tag: _list(c.PrefixedArray(c.Int32ub, element)) for tag, element in elements.items()}
    return c.ExprAdapter(
        c.Struct("tag" / c.Int8ub, "values" / c.Switch(c.this.tag, arrays, default=c.Error)),
        decoder=lambda container, context: ArrayRegion(container["tag"], container["values"]),
        encoder=lambda region, context: {"tag": region.tag, "values": region.values},
    )


class _Construct(c.Construct):  # type: ignore[misc] # construct comes without types
    """Base of the constructs of ours."""


class _UntaggedValue(_Construct):
    """A value whose tag is the next of the ``tags`` that ``parse`` was given, or the Value's own in ``build``."""

    def __init__(self, fields: dict[int, Any]) -> None:
        super().__init__()
        self.fields = fields

    def _parse(self, stream: io.BytesIO, context: Any, path: str) -> TaggedValue:
        tag = next(context._root._.tags)
        return TaggedValue(tag, self.fields[tag]._parsereport(stream, context, path))

    def _build(self, value: TaggedValue, stream: io.BytesIO, context: Any, path: str) -> TaggedValue:
        self.fields[value.tag]._build(value.value, stream, context, path)
        return value


class _Choices(_Construct):
    """A counted array of a ``Choice``. An unknown kind, where one may be kept, takes the rest of the data."""

    def __init__(self, choice: type[Choice], sizes: IDSizes) -> None:
        super().__init__()
        self.choice = choice
        self.kinds = {kind: _group(layout_of(record), sizes) for kind, record in choice.KINDS.items()}

    def _parse(self, stream: io.BytesIO, context: Any, path: str) -> list[Choice]:
        count = c.Int32ub._parsereport(stream, context, path)
        if count > c.stream_size(stream) - stream.tell():
            raise c.StreamError("more elements than bytes", path=path)
        choices: list[Choice] = []
        for _ in range(count):
            kind = c.Int8ub._parsereport(stream, context, path)
            if kind not in self.kinds and self.choice.UNKNOWN is not None:
                return [*choices, self.choice.UNKNOWN(0, kind, stream.read())]
            choices.append(self.kinds[kind]._parsereport(stream, context, path))
        return choices

    def _build(self, choices: Sequence[Any], stream: io.BytesIO, context: Any, path: str) -> Sequence[Any]:
        c.Int32ub._build(len(choices), stream, context, path)
        for item in choices:
            if type(item) is self.choice.UNKNOWN:
                c.Int8ub._build(item.kind, stream, context, path)
                c.stream_write(stream, item.data, len(item.data), path)
            else:
                c.Int8ub._build(item.KIND, stream, context, path)
                self.kinds[item.KIND]._build(item, stream, context, path)
        return choices

"""Generating decoders.

A decoder walks the layout once and writes straight code: fixed-width fields gather in a run until something of unknown
width follows, then the run is one ``struct`` call. Counts and lengths are read unsigned, so that a negative one is just
too large, and compared with what is left. Whatever is wrong ends in one of ``FAULTS``; where exactly is found out
afterwards (``wire.faults``), so the good case pays nothing for good messages.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import takewhile
from typing import Any

from jdbpy.record import Record
from jdbpy.wire.codegen.source import Source, code_width, title_of
from jdbpy.wire.codegen.values import Malformed, read_region, tagged_readers, untagged_readers
from jdbpy.wire.command import Choice
from jdbpy.wire.ids import IDSizes, TaggedValue
from jdbpy.wire.layout import (
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
    layout_of,
    number_code,
)
from jdbpy.wire.lazy_records import Columns, RowForm, Rows
from jdbpy.wire.strings import ENCODING_ERRORS

Decode = Callable[[bytes, Iterator[int]], Any]
"""The data of a message, and the tags of its untagged values in order; returns the message."""

FAULTS = (Malformed, struct.error, IndexError, KeyError, UnicodeDecodeError, StopIteration)
"""The errors of a decoder when the data does not fit the layout."""


def make_decoder(record: type[Record], sizes: IDSizes) -> Decode:
    """Generates the decoder of a message; it raises one of ``FAULTS``."""
    writer = _DecoderWriter(Source(title_of("decode", record, sizes), "decode(data, tags)"), sizes)
    writer.source.line("size = len(data)")
    result = writer.read(layout_of(record), "")
    writer.flush()
    writer.fail_if(f"{writer.here()} != size")
    writer.source.line(f"return {result}")
    decode: Decode = writer.source.finish()
    return decode


class _KindReaders(dict[int, Any]):
    """Decoders of the kinds of a choice, each written when it is first met."""

    def __init__(self, choice: type[Choice], sizes: IDSizes) -> None:
        super().__init__()
        self._choice = choice
        self._sizes = sizes

    def __missing__(self, kind: int) -> Any:
        """Return the decoder of a kind; None when the kind is unknown but its bytes can be kept, else KeyError."""
        record = self._choice.KINDS.get(kind)
        if record is None:
            if self._choice.UNKNOWN is None:
                raise KeyError(kind)
            return None
        writer = _DecoderWriter(
            Source(title_of("decode", record, self._sizes), "read(data, pos, size, tags)"), self._sizes, "pos"
        )
        result = writer.read(layout_of(record), "")
        writer.flush()
        writer.source.line(f"return {result}, {writer.here()}")
        self[kind] = writer.source.finish()
        return self[kind]


class _DecoderWriter:
    """Writes the body of one decoder. The place in the data is ``base`` (a variable or nothing) plus ``delta``."""

    def __init__(self, source: Source, sizes: IDSizes, base: str = "") -> None:
        self.source = source
        self.sizes = sizes
        self.base = base
        self.delta = 0
        self._run: list[tuple[str, str]] = []

    def here(self) -> str:
        """Return the place in the data, as an expression."""
        if not self.base:
            return str(self.delta)
        return f"{self.base} + {self.delta}" if self.delta else self.base

    def settle(self) -> None:
        """Put the place into the variable ``pos``, so that code in a loop can go on from there."""
        self.flush()
        if self.here() != "pos":
            self.source.line(f"pos = {self.here()}")
        self.base, self.delta = "pos", 0

    def move(self, variable: str) -> None:
        """The place is now what the variable says."""
        if variable != "pos":
            self.source.line(f"pos = {variable}")
        self.base, self.delta = "pos", 0

    def fail_if(self, condition: str) -> None:
        self.source.constant("Malformed", Malformed)
        self.source.line(f"if {condition}:")
        self.source.line("    raise Malformed")

    def fixed(self, code: str, wish: str) -> str:
        """Add a field of fixed width to the run; return the variable that it will be in."""
        variable = self.source.name(wish)
        self._run.append((variable, code))
        return variable

    def flush(self) -> None:
        """Read the run."""
        if not self._run:
            return
        codes = "".join(code for _, code in self._run)
        unpack = self.source.structure(codes, "unpack_from")
        variables = ", ".join(variable for variable, _ in self._run)
        self.source.line(f"{variables}{',' if len(self._run) == 1 else ''} = {unpack}(data, {self.here()})")
        self.delta += code_width(codes)
        self._run.clear()

    def read(self, node: LayoutNode, wish: str) -> str:
        """Write what reads a part; return the expression that makes it of the variables read."""
        match node:
            case LayoutNumber() | Identifier():
                return self.fixed(number_code(node, self.sizes), wish)
            case LayoutText() | Blob():
                return self._counted(node, wish)
            case Tagged() | Untagged():
                return self._value(node, wish)
            case Region():
                return self._region(wish)
            case Repeat():
                return self._repeat(node, wish)
            case Group():
                record = self.source.constant(node.record.__name__, node.record)
                return f"{record}({', '.join(self._fields(node))})"
            case _:
                raise TypeError(f"no code for {node}")

    def _fields(self, group: Group) -> list[str]:
        """Return the values of a group's fields, as expressions."""
        values: list[str] = []
        parts = [part for _, part in group.fields]
        for index, (field, part) in enumerate(group.fields):
            behind = list(takewhile(lambda part: isinstance(part, LayoutNumber | Identifier), parts[index + 1 :]))
            if len(values) > index:
                continue
            if isinstance(part, LayoutText) and behind and index and isinstance(parts[index - 1], LayoutText):
                wishes = [name for name, _ in group.fields[index + 1 : index + 1 + len(behind)]]
                codes = "".join(fixed_codes(each, self.sizes) or "" for each in behind)
                values += self._seldom(field, wishes, codes)
            else:
                values.append(self.read(part, field))
        return values

    def _seldom(self, wish: str, wishes: Sequence[str], codes: str) -> list[str]:
        """A text that stands behind another, a generic signature, is mostly empty: then one call reads it and the fixed
        fields that follow it. Where it is not empty, the bytes that were read for these are there all the same."""
        start, length = self.here(), self.source.name(f"{wish}_length")
        variable, *behind = [self.source.name(each) for each in (wish, *wishes)]
        both = self.source.structure(f"I{codes}", "unpack_from")
        again = self.source.structure(codes, "unpack_from")
        self.source.line(f"{length}, {', '.join(behind)} = {both}(data, {start})")
        self.source.line(f"pos = {start} + 4")
        self.source.line(f'{variable} = ""')
        self.source.line(f"if {length}:")
        self.source.line(f"    end = pos + {length}")
        self.source.line(f'    {variable} = data[pos:end].decode("utf-8", "{ENCODING_ERRORS}")')
        self.source.line(f"    {', '.join(behind)}{',' if len(behind) == 1 else ''} = {again}(data, end)")
        self.source.line("    pos = end")
        self.base, self.delta = "pos", code_width(codes)
        return [variable, *behind]

    def _counted(self, node: LayoutText | Blob, wish: str) -> str:
        length = self.fixed("I", f"{wish}_length")
        self.flush()
        start = self.here()
        self.source.line(f"end = {start} + {length}")
        variable = self.source.name(wish)
        # How far it is shows in what is read next, or at the end of the message.
        decode = f'.decode("utf-8", "{ENCODING_ERRORS}") if {length} else ""' if isinstance(node, LayoutText) else ""
        self.source.line(f"{variable} = data[{start}:end]{decode}")
        self.move("end")
        return variable

    def _value(self, node: LayoutNode, wish: str) -> str:
        self.flush()
        self.source.constant("Value", TaggedValue)
        tag, variable = self.source.name("tag"), self.source.name(wish)
        if isinstance(node, Tagged):
            self.source.constant("readers", tagged_readers(self.sizes))
            self.source.line(f"{tag} = data[{self.here()}]")
            self.delta += 1
        else:
            self.source.constant("readers", untagged_readers(self.sizes))
            self.source.line(f"{tag} = next(tags)")
        self.source.line(f"unpack, width = readers[{tag}]")
        self.source.line(f"{variable} = Value({tag}, unpack(data, {self.here()})[0])")
        self.move(f"{self.here()} + width")
        return variable

    def _region(self, wish: str) -> str:
        self.flush()
        self.source.constant("readers", tagged_readers(self.sizes))
        self.source.constant("read_region", read_region)
        variable = self.source.name(wish)
        self.source.line(f"{variable}, pos = read_region(data, {self.here()}, readers)")
        self.move("pos")
        return variable

    def _repeat(self, node: Repeat, wish: str) -> str:
        count = self.fixed("I", f"{wish}_count")
        self.flush()
        codes = fixed_codes(node.element, self.sizes)
        if codes is not None and node.held is not Columns:
            return self._of_fixed_width(node, codes, count, wish)
        self.fail_if(f"{count} * {_least_width(node.element, self.sizes)} > size - {self._bracketed()}")
        self.settle()
        if isinstance(node.element, Group) and node.held is Columns:
            return self._columns(node.element, count, wish)
        items = self.source.name(wish)
        self.source.line(f"{items} = []")
        self.source.line(f"for _ in range({count}):")
        self.source.indent()
        if isinstance(node.element, Kinds):
            self._kind(node.element, items)
        else:
            expression = self.read(node.element, f"{wish}_item")
            self.settle()
            self.source.line(f"{items}.append({expression})")
        self.source.dedent()
        return items

    def _of_fixed_width(self, node: Repeat, codes: str, count: str, wish: str) -> str:
        """Elements of fixed width: one pass of ``iter_unpack`` over all of them, or none yet."""
        start = self.here()
        self.source.line(f"end = {start} + {count} * {code_width(codes)}")
        self.fail_if("end > size")
        items = self.source.name(wish)
        if node.held is Rows:
            self.source.constant("Rows", Rows)
            form = self.source.constant(f"form_of_{items}", _ReadRow(node.element, codes, self.sizes))
            self.source.line(f"{items} = Rows({form}, data, {start}, end)")
        else:
            rows = _each_row(self.source, node.element, codes, self.sizes, f"data[{start}:end]", f"{wish}_item")
            self.source.line(f"{items} = {rows}")
        self.move("end")
        return items

    def _columns(self, element: Group, count: str, wish: str) -> str:
        """Elements that are not made into records: each field is added to a list of its own."""
        self.source.constant("Columns", Columns)
        record = self.source.constant(element.record.__name__, element.record)
        columns = [self.source.name(f"{wish}_{field}") for field, _ in element.fields]
        for column in columns:
            self.source.line(f"{column} = []")
        self.source.line(f"for _ in range({count}):")
        self.source.indent()
        values = self._fields(element)
        self.settle()
        for column, value in zip(columns, values, strict=True):
            self.source.line(f"{column}.append({value})")
        self.source.dedent()
        return f"Columns({record}, [{', '.join(columns)}])"

    def _kind(self, node: Kinds, items: str) -> None:
        """One element of a choice; an unknown kind takes the rest of the data."""
        self.source.constant("kinds", _KindReaders(node.choice, self.sizes))
        self.source.line("kind = data[pos]")
        self.source.line("read = kinds[kind]")
        if node.choice.UNKNOWN is not None:
            unknown = self.source.constant(node.choice.UNKNOWN.__name__, node.choice.UNKNOWN)
            self.source.line("if read is None:")
            self.source.line(f"    {items}.append({unknown}(0, kind, data[pos + 1 :]))")
            self.source.line("    pos = size")
            self.source.line("    break")
        self.source.line("item, pos = read(data, pos + 1, size, tags)")
        self.source.line(f"{items}.append(item)")

    def _bracketed(self) -> str:
        return f"({self.here()})" if " " in self.here() else self.here()


class _ReadRow(RowForm[Any]):
    """Records of fixed width, read by one pass of ``iter_unpack``."""

    def __init__(self, element: LayoutNode, codes: str, sizes: IDSizes) -> None:
        if not isinstance(element, Group):
            raise TypeError(f"no rows of {element}")
        super().__init__(codes[0], codes[1:])
        source = Source(title_of("rows", element.record, sizes), "read(data)")
        source.line(f"return {_each_row(source, element, codes, sizes, 'data')}")
        self._read: Callable[[bytes], Iterable[Any]] = source.finish()

    def read(self, data: bytes) -> Iterable[Any]:
        return self._read(data)


def _each_row(source: Source, element: LayoutNode, codes: str, sizes: IDSizes, data: str, wish: str = "") -> str:
    """Return the list of the elements of fixed width that are in the data, as an expression."""
    row = _DecoderWriter(source, sizes)
    expression = row.read(element, wish)
    variables = ", ".join(variable for variable, _ in row._run)
    unpack = source.structure(codes, "iter_unpack")
    return f"[{expression} for {variables}{',' if len(codes) == 1 else ''} in {unpack}({data})]"


def _least_width(node: LayoutNode, sizes: IDSizes) -> int:
    """Return the fewest bytes that a part can take."""
    match node:
        case LayoutNumber() | Identifier():
            return code_width(number_code(node, sizes))
        case Group():
            return sum(_least_width(part, sizes) for _, part in node.fields)
        case Tagged() | Untagged() | Kinds():
            return 1
        case Region():
            return 5
        case _:
            return 4

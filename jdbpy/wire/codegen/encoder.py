"""Generating encoders: the mirror image of ``decoder``, with the same fused runs."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any

from jdbpy.record import Record
from jdbpy.wire.codegen.source import Source, title_of
from jdbpy.wire.codegen.values import tagged_writers, untagged_writers, write_region
from jdbpy.wire.command import Choice
from jdbpy.wire.ids import IDSizes
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
from jdbpy.wire.strings import ENCODING_ERRORS

Encode = Callable[[Any], bytes]

FAULTS = (struct.error, KeyError, AttributeError, TypeError, ValueError, OverflowError)
"""The errors of an encoder when a message does not fit its layout."""


def make_encoder(record: type[Record], sizes: IDSizes) -> Encode:
    """Generates the encoder of a message; it raises one of ``FAULTS``."""
    return _encoder(layout_of(record), sizes)


def find_misfit(message: Record, sizes: IDSizes) -> str:
    """Return which field of a message cannot be encoded and why: ``exitCode is 4294967296: ...``; empty when
    all can.
    """
    for field, part in layout_of(type(message)).fields:
        try:
            _encoder(Group(type(message), [(field, part)]), sizes)(message)
        except FAULTS as fault:
            return f"{field} is {getattr(message, field)!r:.200}: {fault}"
    return ""


def _encoder(layout: Group, sizes: IDSizes) -> Encode:
    writer = _EncoderWriter(Source(title_of("encode", layout.record, sizes), "encode(message)"), sizes)
    if fixed_codes(layout, sizes) is not None:
        writer.write(layout, "message")
        writer.source.line(f"return {writer.packed_run()}")
    else:
        writer.source.line("out = bytearray()")
        writer.write(layout, "message")
        writer.flush()
        writer.source.line("return bytes(out)")
    encode: Encode = writer.source.finish()
    return encode


class _KindWriters(dict[type[Choice], Any]):
    """Encoders of the kinds of a choice, each written when it is first used."""

    def __init__(self, sizes: IDSizes) -> None:
        super().__init__()
        self._sizes = sizes

    def __missing__(self, record: type[Choice]) -> Any:
        writer = _EncoderWriter(Source(title_of("encode", record, self._sizes), "write(message, out)"), self._sizes)
        if record is record.UNKNOWN:
            writer.source.line("out.append(message.kind)")
            writer.source.line("out += message.data")
        else:
            writer.source.line(f"out.append({record.KIND})")
            writer.write(layout_of(record), "message")
            writer.flush()
        self[record] = writer.source.finish()
        return self[record]


class _EncoderWriter:
    """Writes the body of one encoder, which appends to ``out``."""

    def __init__(self, source: Source, sizes: IDSizes) -> None:
        self.source = source
        self.sizes = sizes
        self._run: list[tuple[str, str]] = []

    def fixed(self, code: str, expression: str) -> None:
        self._run.append((expression, code))

    def packed_run(self) -> str:
        """End the run of fixed-width fields; return the expression that packs it."""
        pack = self.source.structure("".join(code for _, code in self._run), "pack")
        arguments = ", ".join(expression for expression, _ in self._run)
        self._run.clear()
        return f"{pack}({arguments})"

    def flush(self) -> None:
        """Append the run of fixed-width fields, if there is one."""
        if self._run:
            self.source.line(f"out += {self.packed_run()}")

    def write(self, node: LayoutNode, expression: str) -> None:
        """Write what encodes a part that the expression yields."""
        match node:
            case LayoutNumber() | Identifier():
                self.fixed(number_code(node, self.sizes), expression)
            case LayoutText():
                variable = self.source.name("text")
                self.source.line(f'{variable} = {expression}.encode("utf-8", "{ENCODING_ERRORS}")')
                self._counted(variable)
            case Blob():
                self._counted(expression)
            case Tagged() | Untagged():
                self._value(node, expression)
            case Region():
                self.flush()
                self.source.constant("writers", tagged_writers(self.sizes))
                self.source.constant("write_region", write_region)
                self.source.line(f"write_region({expression}, out, writers)")
            case Repeat():
                self._repeat(node, expression)
            case Group():
                for field, part in node.fields:
                    self.write(part, f"{expression}.{field}")
            case Kinds():
                self.source.constant("kinds", _KindWriters(self.sizes))
                self.source.line(f"kinds[type({expression})]({expression}, out)")
            case _:
                raise TypeError(f"no code for {node}")

    def _counted(self, expression: str) -> None:
        self.fixed("I", f"len({expression})")
        self.flush()
        self.source.line(f"out += {expression}")

    def _value(self, node: LayoutNode, expression: str) -> None:
        self.flush()
        tagged = isinstance(node, Tagged)
        self.source.constant("writers", tagged_writers(self.sizes) if tagged else untagged_writers(self.sizes))
        if tagged:
            self.source.line(f"out.append({expression}.tag)")
        self.source.line(f"out += writers[{expression}.tag]({expression}.value)")

    def _repeat(self, node: Repeat, expression: str) -> None:
        self.fixed("I", f"len({expression})")
        self.flush()
        item = self.source.name("each")
        self.source.line(f"for {item} in {expression}:")
        self.source.indent()
        self.write(node.element, item)
        self.flush()
        self.source.dedent()

"""A class file made of what a debugging agent tells of a loaded class: constants, members, code.

Pure. It is for reading, not for loading: the agent tells neither exception handlers nor stack maps, bootstrap methods,
annotations or declared exceptions, so they are not in it.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from jdbpy.record import Record
from jdbpy.session.java.bytecode import MalformedCode, decode
from jdbpy.session.java.class_file import MAGIC
from jdbpy.session.java.edit.class_parts import PoolWriter
from jdbpy.session.java.edit.slots import arguments_of, stored_slots
from jdbpy.session.java.signatures import STATIC, is_synthetic

_SUPER = 0x0020
_INTERFACE = 0x0200
_SYNTHETIC = 0x1000


class KnownMember(Record):
    """A field, or a method with its code, its rows of code index and line, and its variables: where each begins, for
    how many bytes, name, signature and slot."""

    name: str
    signature: str
    bits: int
    generic: str = ""
    code: bytes = b""
    lines: Sequence[tuple[int, int]] = ()
    variables: Sequence[tuple[int, int, str, str, int]] = ()


class KnownClass(Record):
    """All that is known of a class; names are internal, the pool is as the agent gives it."""

    name: str
    superclass: str
    interfaces: Sequence[str]
    access: int
    version: tuple[int, int]
    source: str
    pool_count: int
    pool: bytes
    fields: Sequence[KnownMember]
    methods: Sequence[KnownMember]


def class_file_of(known: KnownClass) -> bytes:
    """Return the class file. Raises PoolFull for one with too many constants."""
    more = PoolWriter(known.pool_count)
    access = known.access & 0xFFFF
    access |= 0 if access & _INTERFACE else _SUPER
    body = struct.pack(">HH", access, more.class_(known.name))
    body += struct.pack(">H", more.class_(known.superclass) if known.superclass else 0)
    body += struct.pack(">H", len(known.interfaces))
    body += b"".join(struct.pack(">H", more.class_(each)) for each in known.interfaces)
    for members in (known.fields, known.methods):
        body += struct.pack(">H", len(members)) + b"".join(_member(each, more) for each in members)
    body += _all([_text_attribute("SourceFile", known.source, more)])
    head = MAGIC + struct.pack(">HHH", known.version[1], known.version[0], more.count)
    return head + known.pool + more.data + body


def _member(each: KnownMember, more: PoolWriter) -> bytes:
    bits = each.bits & 0x0FFF | (_SYNTHETIC if is_synthetic(each.bits) else 0)
    attributes = [_text_attribute("Signature", each.generic, more)]
    if each.code:
        attributes.append(_attribute("Code", _code(each, more), more))
    return struct.pack(">HHH", bits, more.utf8(each.name), more.utf8(each.signature)) + _all(attributes)


def _code(each: KnownMember, more: PoolWriter) -> bytes:
    """Return the Code attribute; the depth of the stack is the most that so many instructions can reach."""
    try:
        instructions = list(decode(each.code))
        slots = stored_slots(each.code, instructions)
    except MalformedCode:
        instructions, slots = [], frozenset(range(255))
    arguments = arguments_of(each.signature, static=bool(each.bits & STATIC))
    wide = [slot + (2 if kind in ("J", "D") else 1) for slot, kind in arguments.items()]
    highest = max([0, *wide, *(slot + 1 for slot in slots)])
    lines = b"".join(struct.pack(">HH", index, line & 0xFFFF) for index, line in each.lines)
    table = struct.pack(">H", len(each.lines)) + lines
    inner = [_attribute("LineNumberTable", table, more)] if each.lines else []
    if each.variables:
        rows = [
            struct.pack(">HHHHH", begin, length, more.utf8(name), more.utf8(signature), slot)
            for begin, length, name, signature, slot in each.variables
        ]
        table = struct.pack(">H", len(rows)) + b"".join(rows)
        inner.append(_attribute("LocalVariableTable", table, more))
    head = struct.pack(">HHI", min(0xFFFF, 2 * max(1, len(instructions))), highest, len(each.code))
    return head + each.code + struct.pack(">H", 0) + _all(inner)


def _attribute(name: str, content: bytes, more: PoolWriter) -> bytes:
    return struct.pack(">HI", more.utf8(name), len(content)) + content


def _text_attribute(name: str, text: str, more: PoolWriter) -> bytes:
    return _attribute(name, struct.pack(">H", more.utf8(text)), more) if text else b""


def _all(attributes: Sequence[bytes]) -> bytes:
    there = [each for each in attributes if each]
    return struct.pack(">H", len(there)) + b"".join(there)

"""Java bytecode as far as control flow goes: where instructions begin, and where each may go next (JVMS 6.5).

Pure; reads the bytes of ``Method.Bytecodes``. Exception tables do not come over the wire, so handlers are code that
nothing leads to.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from jdbpy.record import Record

_GOTO, _JSR, _RET = 167, 168, 169
_TABLESWITCH, _LOOKUPSWITCH = 170, 171
_ATHROW, _WIDE, _IINC = 191, 196, 132
_GOTO_W, _JSR_W = 200, 201
_RETURNS = range(172, 178)


def _lengths() -> dict[int, int]:
    """The lengths of all instructions that have a fixed one."""
    lengths = dict.fromkeys(range(202), 1)
    runs: tuple[tuple[int, int, int], ...] = (
        (16, 16, 2),  # bipush
        (17, 17, 3),  # sipush
        (18, 18, 2),  # ldc
        (19, 20, 3),  # ldc_w, ldc2_w
        (21, 25, 2),  # iload ... aload
        (54, 58, 2),  # istore ... astore
        (132, 132, 3),  # iinc
        (153, 168, 3),  # ifeq ... jsr
        (169, 169, 2),  # ret
        (178, 184, 3),  # getstatic ... invokestatic
        (185, 186, 5),  # invokeinterface, invokedynamic
        (187, 187, 3),  # new
        (188, 188, 2),  # newarray
        (189, 189, 3),  # anewarray
        (192, 193, 3),  # checkcast, instanceof
        (197, 197, 4),  # multianewarray
        (198, 199, 3),  # ifnull, ifnonnull
        (200, 201, 5),  # goto_w, jsr_w
    )
    for first, last, length in runs:
        lengths.update(dict.fromkeys(range(first, last + 1), length))
    for variable in (_TABLESWITCH, _LOOKUPSWITCH, _WIDE):
        del lengths[variable]
    return lengths


_LENGTHS = _lengths()


class DecodedInstruction(Record):
    """One instruction: its code index, its length in bytes, and the code indices that may come after it."""

    index: int
    opcode: int
    length: int
    next: tuple[int, ...]


class MalformedCode(Exception):
    """The bytes are no instructions that we know."""


def decode(code: bytes) -> Iterator[DecodedInstruction]:
    """The instructions of a method in order. Raises MalformedCode."""
    index = 0
    while index < len(code):
        instruction = _at(code, index)
        yield instruction
        index += instruction.length


def _at(code: bytes, index: int) -> DecodedInstruction:
    opcode = code[index]
    try:
        if opcode in (_TABLESWITCH, _LOOKUPSWITCH):
            length, targets = _switch(code, index)
            return DecodedInstruction(index, opcode, length, targets)
        if opcode == _WIDE:
            length = 6 if code[index + 1] == _IINC else 4
            return DecodedInstruction(index, opcode, length, () if code[index + 1] == _RET else (index + length,))
        length = _LENGTHS[opcode]
        return DecodedInstruction(index, opcode, length, _next(code, index, opcode, length))
    except (KeyError, IndexError, struct.error):
        raise MalformedCode(f"opcode {opcode} at {index}") from None


def _next(code: bytes, index: int, opcode: int, length: int) -> tuple[int, ...]:
    following = index + length
    if opcode in (_RET, _ATHROW) or opcode in _RETURNS:
        return ()
    if opcode in (_GOTO_W, _JSR_W):
        [offset] = struct.unpack_from(">i", code, index + 1)
        return (index + offset,) if opcode == _GOTO_W else (index + offset, following)
    if 153 <= opcode <= _JSR or opcode in (198, 199):
        [offset] = struct.unpack_from(">h", code, index + 1)
        return (index + offset,) if opcode == _GOTO else (index + offset, following)
    return (following,)


def _switch(code: bytes, index: int) -> tuple[int, tuple[int, ...]]:
    """Length and targets of a switch: the default, then the cases; padded so that its numbers lie at multiples of 4."""
    start = index + 4 - index % 4
    default, low_or_count = struct.unpack_from(">ii", code, start)
    if code[index] == _TABLESWITCH:
        [high] = struct.unpack_from(">i", code, start + 8)
        count = high - low_or_count + 1
        offsets = struct.unpack_from(f">{count}i", code, start + 12)
        end = start + 12 + 4 * count
    else:
        pairs = struct.unpack_from(f">{2 * low_or_count}i", code, start + 8)
        offsets = pairs[1::2]
        end = start + 8 + 8 * low_or_count
    return end - index, tuple(index + offset for offset in dict.fromkeys((default, *offsets)))

"""The local variable from which the object of each ``putfield`` comes: by a walk over the code with the operand stack.

Pure. The stack is followed word by word: each word is the slot that it was loaded from, or nothing known. Where ways
meet that differ, nothing is known.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

from jdbpy.session.java.bytecode import DecodedInstruction, decode
from jdbpy.session.java.constant_pool import ConstantPool
from jdbpy.session.java.edit.assembler import words
from jdbpy.session.java.signatures import split_method

UNKNOWN = -1

_PUTFIELD, _INVOKEDYNAMIC, _WIDE = 181, 186, 196
_ALOAD, _ALOAD_0 = 25, range(42, 46)


def _effects() -> dict[int, tuple[int, int]]:
    """Return how many words instructions take off the stack and put there, of those for which that is fixed."""
    runs: tuple[tuple[int, int, int, int], ...] = (
        (0, 0, 0, 0), (1, 8, 0, 1), (9, 10, 0, 2), (11, 13, 0, 1), (14, 15, 0, 2), (16, 19, 0, 1), (20, 20, 0, 2),
        (21, 21, 0, 1), (22, 22, 0, 2), (23, 23, 0, 1), (24, 24, 0, 2), (25, 25, 0, 1), (26, 29, 0, 1), (30, 33, 0, 2),
        (34, 37, 0, 1), (38, 41, 0, 2), (42, 45, 0, 1), (46, 46, 2, 1), (47, 47, 2, 2), (48, 48, 2, 1), (49, 49, 2, 2),
        (50, 53, 2, 1), (54, 54, 1, 0), (55, 55, 2, 0), (56, 56, 1, 0), (57, 57, 2, 0), (58, 58, 1, 0), (59, 62, 1, 0),
        (63, 66, 2, 0), (67, 70, 1, 0), (71, 74, 2, 0), (75, 78, 1, 0), (79, 79, 3, 0), (80, 80, 4, 0), (81, 81, 3, 0),
        (82, 82, 4, 0), (83, 86, 3, 0), (87, 87, 1, 0), (88, 88, 2, 0), (116, 116, 1, 1), (117, 117, 2, 2),
        (118, 118, 1, 1), (119, 119, 2, 2), (132, 132, 0, 0), (133, 133, 1, 2), (134, 134, 1, 1), (135, 135, 1, 2),
        (136, 137, 2, 1), (138, 138, 2, 2), (139, 139, 1, 1), (140, 141, 1, 2), (142, 142, 2, 1), (143, 143, 2, 2),
        (144, 144, 2, 1), (145, 147, 1, 1), (148, 148, 4, 1), (149, 150, 2, 1), (151, 152, 4, 1), (153, 158, 1, 0),
        (159, 166, 2, 0), (167, 167, 0, 0), (170, 171, 1, 0), (172, 172, 1, 0), (173, 173, 2, 0), (174, 174, 1, 0),
        (175, 175, 2, 0), (176, 176, 1, 0), (177, 177, 0, 0), (187, 187, 0, 1), (188, 190, 1, 1), (191, 191, 1, 0),
        (192, 193, 1, 1), (194, 195, 1, 0), (198, 199, 1, 0), (200, 200, 0, 0),
    )  # fmt: skip
    found = {opcode: (taken, put) for first, last, taken, put in runs for opcode in range(first, last + 1)}
    for first, narrow, wide in ((96, (2, 1), (4, 2)), (100, (2, 1), (4, 2)), (104, (2, 1), (4, 2)),
                                (108, (2, 1), (4, 2)), (112, (2, 1), (4, 2))):  # fmt: skip
        found.update({first: narrow, first + 1: wide, first + 2: narrow, first + 3: wide})
    for shift in (120, 122, 124):
        found.update({shift: (2, 1), shift + 1: (3, 2)})
    for logical in (126, 128, 130):
        found.update({logical: (2, 1), logical + 1: (4, 2)})
    return found


_EFFECTS = _effects()

_SHUFFLES = {
    89: (1, (0, 0)),
    90: (2, (1, 0, 1)),
    91: (3, (2, 0, 1, 2)),
    92: (2, (0, 1, 0, 1)),
    93: (3, (1, 2, 0, 1, 2)),
    94: (4, (2, 3, 0, 1, 2, 3)),
    95: (2, (1, 0)),
}
"""How many words ``dup`` and its kin take, and which of these they put there, the lowest first."""


def receivers_of(code: bytes, pool: ConstantPool, handlers: Sequence[tuple[int, int, int]]) -> Mapping[int, int]:
    """Return the slot from which the object of each ``putfield`` comes, by code index; none where it is another one.

    Raises what ``reading_code`` turns into MalformedCode.
    """
    instructions = {each.index: each for each in decode(code)}
    before: dict[int, tuple[int, ...]] = {0: ()}
    pending = [0, *(handler for _, _, handler in handlers)]
    before.update({handler: (UNKNOWN,) for _, _, handler in handlers})
    while pending:
        index = pending.pop()
        instruction = instructions[index]
        after = _after(code, pool, instruction, before[index])
        for following in instruction.next:
            known = before.get(following)
            merged = (
                after if known is None else tuple(a if a == b else UNKNOWN for a, b in zip(known, after, strict=True))
            )
            if merged != known:
                before[following] = merged
                pending.append(following)
    found = {}
    for index, stack in before.items():
        if instructions[index].opcode == _PUTFIELD:
            [number] = struct.unpack_from(">H", code, index + 1)
            slot = stack[-1 - words(pool.member(number)[2])]
            if slot != UNKNOWN:
                found[index] = slot
    return found


def _after(code: bytes, pool: ConstantPool, instruction: DecodedInstruction, stack: tuple[int, ...]) -> tuple[int, ...]:
    """Return the stack behind an instruction."""
    opcode, index = instruction.opcode, instruction.index
    if opcode == _WIDE:
        opcode = code[index + 1]
        if opcode == _ALOAD:
            return (*stack, struct.unpack_from(">H", code, index + 2)[0])
    elif opcode == _ALOAD:
        return (*stack, code[index + 1])
    elif opcode in _ALOAD_0:
        return (*stack, opcode - _ALOAD_0.start)
    if opcode in _SHUFFLES:
        taken, put = _SHUFFLES[opcode]
        top = stack[len(stack) - taken :]
        return (*stack[: len(stack) - taken], *(top[each] for each in put))
    takes, puts = _effect(code, pool, opcode, index)
    return (*stack[: len(stack) - takes], *([UNKNOWN] * puts))


def _effect(code: bytes, pool: ConstantPool, opcode: int, index: int) -> tuple[int, int]:
    if opcode in _EFFECTS:
        return _EFFECTS[opcode]
    [number] = struct.unpack_from(">H", code, index + 1)
    if opcode == 197:  # multianewarray
        return code[index + 3], 1
    if 178 <= opcode <= _PUTFIELD:
        size = words(pool.member(number)[2])
        return {178: (0, size), 179: (size, 0), 180: (1, size), 181: (1 + size, 0)}[opcode]
    signature = pool.member(number)[2]
    if opcode == _INVOKEDYNAMIC:
        signature = pool.utf8(int(pool.numbers(int(pool.numbers(number)[1]))[1]))
    parameters, returned = split_method(signature)
    return sum(map(words, parameters)) + (opcode not in (184, _INVOKEDYNAMIC)), words(returned)

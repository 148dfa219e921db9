"""Where a method is entered and left, for breakpoints in place of the agent's method events.

Pure; reads bytecode. What is returned lies on the operand stack, which no debugger can read. It is known all the same
where the return follows directly what has put it there: a constant, or a variable of the frame.
"""

from __future__ import annotations

import struct

from jdbpy.record import Record
from jdbpy.session.code.instructions import DecodedInstruction, decode

_WIDE = 196
_RETURN = 177
_RETURNS = range(172, 178)
_CONSTANTS: dict[int, int | float | None] = {
    1: None,
    **{2 + n: n - 1 for n in range(7)},  # iconst_m1 ... iconst_5
    **{9 + n: n for n in range(2)},  # lconst_0, lconst_1
    **{11 + n: float(n) for n in range(3)},  # fconst_0 ... fconst_2
    **{14 + n: float(n) for n in range(2)},  # dconst_0, dconst_1
}
_BIPUSH, _SIPUSH = 16, 17
_LOADS = range(21, 26)
_SHORT_LOADS = range(26, 46)


class ReturnInstruction(Record):
    """A return instruction: ``slot`` is the variable that it returns, ``constant`` the value; neither where it returns
    something else. ``void``: it returns nothing."""

    index: int
    void: bool = False
    slot: int | None = None
    is_constant: bool = False
    constant: int | float | None = None


class MethodEnds(Record):
    """``enters_once``: the first instruction is executed only when the method is entered, and by no loop."""

    enters_once: bool
    returns: tuple[ReturnInstruction, ...]


def method_ends(code: bytes) -> MethodEnds:
    """Find the ends of a method. Raises MalformedCode."""
    instructions = list(decode(code))
    targets = {target for each in instructions for target in each.next if target != each.index + each.length}
    found, before = [], None
    for each in instructions:
        if each.opcode in _RETURNS:
            found.append(_return(code, each, None if each.index in targets else before))
        before = each
    return MethodEnds(0 not in targets, tuple(found))


def _return(code: bytes, instruction: DecodedInstruction, before: DecodedInstruction | None) -> ReturnInstruction:
    index = instruction.index
    if instruction.opcode == _RETURN:
        return ReturnInstruction(index, void=True)
    if before is None:
        return ReturnInstruction(index)
    at, opcode = before.index, before.opcode
    if opcode in _CONSTANTS:
        return ReturnInstruction(index, is_constant=True, constant=_CONSTANTS[opcode])
    if opcode == _BIPUSH:
        return ReturnInstruction(index, is_constant=True, constant=struct.unpack_from(">b", code, at + 1)[0])
    if opcode == _SIPUSH:
        return ReturnInstruction(index, is_constant=True, constant=struct.unpack_from(">h", code, at + 1)[0])
    if opcode in _LOADS:
        return ReturnInstruction(index, slot=code[at + 1])
    if opcode in _SHORT_LOADS:
        return ReturnInstruction(index, slot=(opcode - _SHORT_LOADS.start) % 4)
    if opcode == _WIDE and code[at + 1] in _LOADS:
        return ReturnInstruction(index, slot=struct.unpack_from(">H", code, at + 2)[0])
    return ReturnInstruction(index)

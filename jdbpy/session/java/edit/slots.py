"""Local variables that have a value, by instruction: as the JVM's verifiers see it, without the classes of objects.

The LocalVariableTable is what a compiler says; some (Groovy's, Kotlin's) name variables where no way through the code
has given them a value. The verifier would refuse a whole class for one of them.

At an instruction that has a stack map frame the frame says it. Elsewhere it follows from the instructions before.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from jdbpy.session.java.bytecode import DecodedInstruction, decode
from jdbpy.session.java.edit.code_shift import CodeParts
from jdbpy.session.java.edit.stack_maps import UNINITIALIZED_THIS, FrameLocals, read_frames
from jdbpy.session.java.signatures import argument_slots

_STORES, _SHORT_STORES, _WIDE, _IINC = range(54, 59), range(59, 79), 196, 132
_KINDS = "IJFDL"


def kind_of(signature: str) -> str:
    """Types that one instruction loads are one kind: I, J, F, D, L."""
    return "L" if signature.startswith(("L", "[")) else "I" if signature in ("Z", "B", "C", "S", "I") else signature


def arguments_of(signature: str, *, static: bool) -> FrameLocals:
    """Return the kinds of ``this`` and of the arguments by slot."""
    this: FrameLocals = {} if static else {0: "L"}
    return {**this, **{slot: kind_of(each) for slot, each in argument_slots(signature, static=static)}}


def stored_by(code: bytes, instruction: DecodedInstruction) -> tuple[int, str] | None:
    """Return the slot that an instruction gives a value, and the kind; None of others."""
    opcode, at = instruction.opcode, instruction.index
    if opcode in _SHORT_STORES:
        return (opcode - _SHORT_STORES.start) % 4, _KINDS[(opcode - _SHORT_STORES.start) // 4]
    if opcode in _STORES:
        return code[at + 1], _KINDS[opcode - _STORES.start]
    if opcode == _IINC:
        return code[at + 1], "I"
    if opcode == _WIDE and (code[at + 1] in _STORES or code[at + 1] == _IINC):
        slot: int = struct.unpack_from(">H", code, at + 2)[0]
        return slot, "I" if code[at + 1] == _IINC else _KINDS[code[at + 1] - _STORES.start]
    return None


def values_in_slots(
    code: CodeParts, arguments: FrameLocals, initializes: Collection[int] = ()
) -> Mapping[int, FrameLocals]:
    """Return the kinds of the values in slots, before each instruction that can be reached. ``initializes`` are the
    calls of ``super()`` or ``this()`` in a constructor.

    Raises MalformedCode, UnknownFrame, struct.error.
    """
    if initializes:
        arguments = {**arguments, 0: UNINITIALIZED_THIS}
    tables = [each.content for each in code.attributes if each.name == "StackMapTable"]
    frames = {index: locals_ for each in tables for index, locals_ in read_frames(each, arguments)}
    instructions = {each.index: each for each in decode(code.code)}
    before: dict[int, FrameLocals] = {}
    pending: list[int] = []

    def reach(index: int, values: FrameLocals) -> None:
        known = before.get(index)
        merged = frames[index] if index in frames else values if known is None else _common(known, values)
        if known is None or (merged is not known and merged != known):
            before[index] = merged
            pending.append(index)

    reach(0, arguments)
    while pending:
        index = pending.pop()
        instruction = instructions.get(index)
        if instruction is None:
            continue
        values = before[index]
        after = _stored(values, stored_by(code.code, instruction))
        if index in initializes:
            after = {slot: "L" if kind == UNINITIALIZED_THIS else kind for slot, kind in after.items()}
        for target in instruction.next:
            reach(target, after)
        for handler in _handlers(code.handlers, index):
            reach(handler, values)
            if after is not values:
                reach(handler, after)
    return before


def _handlers(handlers: Sequence[tuple[int, ...]], index: int) -> Iterator[int]:
    return (handler for start, end, handler, _ in handlers if start <= index < end)


def _common(one: FrameLocals, other: FrameLocals) -> FrameLocals:
    """Slots that have values of the same kind in both."""
    if one is other or one.items() <= other.items():
        return one
    return {slot: kind for slot, kind in one.items() if other.get(slot) == kind}


def _stored(values: FrameLocals, stored: tuple[int, str] | None) -> FrameLocals:
    if stored is None or values.get(stored[0]) == stored[1]:
        return values
    slot, kind = stored
    changed = {**values, slot: kind}
    if values.get(slot - 1) in ("J", "D"):
        del changed[slot - 1]
    if kind in ("J", "D"):
        changed.pop(slot + 1, None)
    return changed


def stored_slots(code: bytes, instructions: Iterable[DecodedInstruction]) -> frozenset[int]:
    """Return the slots that instructions store to."""
    found = [stored_by(code, each) for each in instructions]
    return frozenset(n for each in found if each for n in range(each[0], each[0] + 1 + (each[1] in ("J", "D"))))

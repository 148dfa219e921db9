"""Java bytecode as far as control flow goes: where instructions begin, where each may go, where a method ends.

Pure; reads the bytes of ``Method.Bytecodes`` (JVMS 6.5). Exception tables do not come over the wire, so handlers are
code that nothing leads to.

Places of one line. javac gives a line several entries in a method whenever a statement comes back to it: a call whose
arguments stand on lines of their own returns to its first line, a ``for`` header has its start and its increment far
apart, a ``finally`` block is there once for every way into it. Stopping at all of them stops twice in the first case;
stopping at the first only, as jdb does, misses the other two. The rule: a place is left out when it can be reached only
over another place of the line that is kept, each time anew (``once_per_pass``).

Ends of methods, for breakpoints in place of the agent's method events. What is returned lies on the operand stack,
which no debugger can read. It is known all the same where the return follows directly what has put it there: a
constant, or a variable of the frame.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

from jdbpy.record import Record
from jdbpy.session.java.constant_pool import CLASS, ConstantPool, MalformedPool

_GOTO, _JSR, _RET = 167, 168, 169
_TABLESWITCH, _LOOKUPSWITCH = 170, 171
_ATHROW, _WIDE, _IINC = 191, 196, 132
_GOTO_W, _JSR_W = 200, 201
_RETURNS = range(172, 178)
_LDC, _LDC_W, _GETFIELD, _ARRAYLENGTH = 18, 19, 180, 190
_ARRAY_STORES, _LAST_JUMP, _IFNULL, _IFNONNULL = range(79, 87), _GOTO, 198, 199


def _lengths() -> dict[int, int]:
    """Return the lengths of all instructions that have a fixed one."""
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


_READING = frozenset(
    {
        *(each for each in range(_LAST_JUMP + 1) if each not in (_LDC, _LDC_W, *_ARRAY_STORES)),
        *(_TABLESWITCH, _LOOKUPSWITCH, *_RETURNS, _GETFIELD, _ARRAYLENGTH, _WIDE, _IFNULL, _IFNONNULL),
    }
)
"""Instructions that call nothing, make nothing, and change nothing but the frame."""


class DecodedInstruction(Record):
    """One instruction: its code index, its length in bytes, and the code indices that may come after it."""

    index: int
    opcode: int
    length: int
    next: tuple[int, ...]


class MalformedCode(Exception):
    """The bytes are no instructions that we know."""


@contextmanager
def reading_code() -> Iterator[None]:
    """Raise MalformedCode for whatever comes of bytes in the block that lie about lengths, places or constants."""
    try:
        yield
    except (struct.error, LookupError, ValueError, OverflowError, MalformedPool) as error:
        raise MalformedCode(f"{type(error).__name__}: {error}") from error


def decode(code: bytes) -> Iterator[DecodedInstruction]:
    """Yield the instructions of a method in order. Raises MalformedCode."""
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
        elif opcode == _WIDE:
            length = 6 if code[index + 1] == _IINC else 4
            targets = () if code[index + 1] == _RET else (index + length,)
        else:
            length = _LENGTHS[opcode]
            targets = _next(code, index, opcode, length)
    except (KeyError, IndexError, struct.error):
        raise MalformedCode(f"opcode {opcode} at {index}") from None
    if length < 1 or index + length > len(code):
        raise MalformedCode(f"opcode {opcode} at {index} is cut off")
    return DecodedInstruction(index, opcode, length, targets)


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


_Flow = dict[int, tuple[int, ...]]


_WITH_CLASS = frozenset((18, 19, *range(178, 186), 187, 189, 192, 193, 197))
"""Instructions with an entry of the constant pool that may be or have a class: constants, members, casts, tests."""


def classes_used(code: bytes, pool: ConstantPool) -> Iterator[str]:
    """Yield the Java names of the classes that instructions refer to, element types of arrays among them."""
    try:
        for each in decode(code):
            if each.opcode not in _WITH_CLASS:
                continue
            wide = each.opcode != 18
            entry = int.from_bytes(code[each.index + 1 : each.index + 2 + wide], "big")
            name = pool.name(entry) if pool.tag(entry) == CLASS else pool.member(entry)[0]
            name = name.lstrip("[").removeprefix("L").removesuffix(";") if name.startswith("[") else name
            if name:
                yield name.replace("/", ".")
    except MalformedCode:
        return


def once_per_pass(code: bytes, places: Sequence[int]) -> list[int]:
    """Return the code indices out of ``places`` (rising) to stop at; all of them when the code cannot be read."""
    if len(places) < 2 or not code:
        return list(places)
    try:
        flow: _Flow = {instruction.index: instruction.next for instruction in decode(code)}
    except MalformedCode:
        return list(places)
    roots = _roots(flow)
    kept: list[int] = []
    for place in places:
        if not any(_leads_always(flow, roots, first, place) for first in kept):
            kept.append(place)
    return kept


def _leads_always(flow: _Flow, roots: Iterable[int], first: int, place: int) -> bool:
    """True if every execution of ``place`` has one of ``first`` before it, since the last execution of ``place``."""
    starts = [root for root in roots if root != first]
    return place not in _reached(flow, [*starts, *flow.get(place, ())], without=first)


def _roots(flow: _Flow) -> list[int]:
    """Return where execution may begin: the entry, and the exception handlers, to which no jump leads."""
    roots: list[int] = []
    seen: set[int] = set()
    for index in sorted(flow):
        if index not in seen:
            roots.append(index)
            seen |= _reached(flow, [index])
    return roots


def _reached(flow: _Flow, starts: Iterable[int], without: int | None = None) -> set[int]:
    """Everything that can be executed from ``starts`` on, those included, when nothing goes through ``without``."""
    seen = {without} if without is not None else set()
    pending = [start for start in starts if start not in seen]
    reached: set[int] = set(pending)
    while pending:
        for index in flow.get(pending.pop(), ()):
            if index not in reached and index not in seen:
                reached.add(index)
                pending.append(index)
    return reached


def leads_to(code: bytes, index: int, place: int, handlers: Sequence[tuple[int, int, int]] | None = None) -> bool:
    """True if ``place`` may be executed after the instruction at ``index`` was, in the same call of the method.

    Any instruction may throw. ``handlers`` are the method's, as (first code index, index behind the last, index of the
    handler). Where they are not known (None) any handler may be executed after each instruction. True also for code
    that cannot be read.
    """
    try:
        flow: _Flow = {instruction.index: instruction.next for instruction in decode(code)}
    except MalformedCode:
        return True
    if handlers is None:
        return place in _reached(flow, [*flow.get(index, ()), *(root for root in _roots(flow) if root)])
    for first, end, handler in handlers:
        flow.update({at: (*after, handler) for at, after in flow.items() if first <= at < end})
    return place in _reached(flow, flow.get(index, ()))


def returns_at(code: bytes, index: int) -> bool:
    """True if the instruction at an index returns from its method."""
    return code[index] in _RETURNS


_RETURN = 177

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


def only_reads(code: bytes) -> bool:
    """True if a method reads fields and computes, and does nothing else: no other code can run within it."""
    try:
        return bool(code) and all(each.opcode in _READING for each in decode(code))
    except MalformedCode:
        return False


def second_instruction(code: bytes) -> int | None:
    """Return the code index of the second instruction, if it is executed once each time the method is entered, and at
    no other time; else None, also for code that cannot be read."""
    try:
        instructions = list(decode(code))
    except MalformedCode:
        return None
    if len(instructions) < 2:
        return None
    second = instructions[1].index
    before = [each for each in instructions if second in each.next]
    once = before == instructions[:1] and not any(0 in each.next for each in instructions)
    return second if once and instructions[0].next == (second,) else None


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

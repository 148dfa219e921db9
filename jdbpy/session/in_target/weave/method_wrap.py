"""Methods with code around them: at the entry, in front of each return, where an exception leaves, around calls.

The method gets a variable of its own behind all others, in every stack map frame, and a last handler for any
exception, which reports it and throws it again. Handlers of the method come first, as before. A constructor has the
handler behind ``super()`` only: handlers before it cannot use ``this``.
"""

from __future__ import annotations

import struct
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from jdbpy.session.in_target.weave.records import OWN, TOP, Surrounding
from jdbpy.session.java.bytecode import decode
from jdbpy.session.java.edit.assembler import words
from jdbpy.session.java.edit.class_parts import Attribute, ClassParts, MethodParts, PoolWriter
from jdbpy.session.java.edit.code_shift import ALIGNMENT, CodeMap, CodeParts
from jdbpy.session.java.edit.code_variable import CheckParameter
from jdbpy.session.java.edit.slots import kind_of
from jdbpy.session.java.edit.stack_maps import (
    DOUBLE_TYPE,
    FLOAT_TYPE,
    INT_TYPE,
    LONG_TYPE,
    THIS_TYPE,
    TOP_TYPE,
    UNINITIALIZED_THIS,
    FrameLocals,
    FullFrame,
    full_frames,
    object_type,
    table_of,
    with_variable,
)
from jdbpy.session.java.signatures import split_method

THROWABLE = "java/lang/Throwable"
OBJECT = "java/lang/Object"
LAST_WITHOUT_FRAMES = 49
"""Class files up to that version have no stack map frames."""

_RETURNS = range(172, 178)
_NOP, _DUP, _DUP2, _ATHROW, _INVOKESTATIC, _SIPUSH, _WIDE = 0, 89, 92, 191, 184, 17, 196
_LOADS = {"J": 22, "F": 23, "D": 24, "L": 25, "[": 25}
_LSTORE, _ASTORE, _ILOAD = 55, 58, 21
_NUMBERS = {"I": INT_TYPE, "F": FLOAT_TYPE, "D": DOUBLE_TYPE, "J": LONG_TYPE}


def load(signature: str, slot: int) -> bytes:
    """Return the instruction that loads a variable of that type, or doubles the top of the stack."""
    if slot == TOP:
        return bytes([_DUP2 if signature in ("J", "D") else _DUP])
    opcode = _LOADS.get(signature[0], _ILOAD)
    if slot < 4:
        return bytes([26 + 4 * (opcode - _ILOAD) + slot])
    return bytes([opcode, slot]) if slot < 256 else struct.pack(">BBH", _WIDE, opcode, slot)


def padded(code: bytes) -> bytes:
    """Return the code filled up to a multiple of the alignment."""
    return code + bytes([_NOP]) * (-len(code) % ALIGNMENT)


class SurroundingCode:
    """The code of one surrounding. ``slot`` is that of the method's own variable."""

    def __init__(self, of: Surrounding, slot: int, pool: PoolWriter, code: CodeParts) -> None:
        """Raises PoolFull, MalformedCode."""
        self.of = of
        self.slot = slot
        self._pool = pool
        own = load(of.local, slot)
        opcode = _LSTORE if of.local == "J" else _ASTORE
        store = bytes([opcode, slot]) if slot < 256 else struct.pack(">BBH", _WIDE, opcode, slot)
        self.entry = padded(self._call(f"begin{of.number}", f"(){of.local}") + store)
        """The code at the beginning of the method, run once for each call of it."""
        self.before: dict[int, bytes] = {}
        self.behind: dict[int, bytes] = {}
        left = padded(self._loads(of.left) + self._call(f"left{of.number}", self._signature(of.left)))
        for each in decode(code.code):
            if each.opcode in _RETURNS:
                self.before[each.index] = left
        for number, call in enumerate(of.calls):
            calling = own + struct.pack(">Bh", _SIPUSH, number) + self._call("calling", "([JI)V")
            self.before[call.index] = padded(calling)
            self.behind[call.after] = padded(own + self._call("came", "([J)V"))
        if of.calls:
            for handler in {each[2] for each in code.handlers}:
                self.before[handler] = padded(own + self._call("caught", "([J)V")) + self.before.get(handler, b"")
        threw = self._signature(of.threw, f"L{THROWABLE};")
        self.last = bytes([_DUP]) + self._loads(of.threw) + self._call(f"threw{of.number}", threw)
        """The code that reports the exception on the stack, which stays there."""
        self.words = 5 + sum(words(each.signature) for each in of.kept)
        """Words that it pushes, at most; the exception in the last handler is one of them."""

    def _signature(self, parameters: Iterable[CheckParameter], first: str = "") -> str:
        types = (each.signature if each.slot == OWN else each.passed_as for each in parameters)
        return f"({first}{''.join(types)})V"

    def _loads(self, parameters: Iterable[CheckParameter]) -> bytes:
        return b"".join(load(each.signature, self.slot if each.slot == OWN else each.slot) for each in parameters)

    def _call(self, name: str, signature: str) -> bytes:
        return struct.pack(">BH", _INVOKESTATIC, self._pool.method(self.of.owner, name, signature))

    @property
    def frame_type(self) -> bytes:
        """Return the verification type of the method's own variable."""
        return LONG_TYPE if self.of.local == "J" else object_type(self._pool.class_(self.of.local))


def protected(code: CodeParts, values: Mapping[int, FrameLocals]) -> list[tuple[int, int]]:
    """Return the ranges of code in which an exception can be caught: all of it but what comes before ``super()``, and
    what cannot be reached, where no variable has a value for the handler (Groovy's compiler leaves such code)."""
    ranges: list[tuple[int, int]] = []
    for each in decode(code.code):
        if values.get(each.index, {0: UNINITIALIZED_THIS}).get(0) == UNINITIALIZED_THIS:
            continue
        end = each.index + each.length
        if ranges and ranges[-1][1] == each.index:
            ranges[-1] = ranges[-1][0], end
        else:
            ranges.append((each.index, end))
    return ranges


def with_handler(
    shifted: CodeParts,
    surroundings: Sequence[SurroundingCode],
    ranges: Collection[tuple[int, int]],
    where: CodeMap,
    parts: ClassParts,
    method: MethodParts,
    pool: PoolWriter,
) -> tuple[CodeParts, int]:
    """Return the code with the variables of surroundings and the handler for exceptions, and the handler's length.

    ``shifted`` has their other code already; ``where`` maps to it. Raises UnknownFrame, PoolFull, struct.error.
    """
    tail = b"".join(each.last for each in surroundings) + bytes([_ATHROW])
    at = len(shifted.code)
    handlers = [(where.place(start), where.target(end), at, 0) for start, end in ranges]
    attributes = list(shifted.attributes)
    if struct.unpack(">H", parts.version[2:])[0] > LAST_WITHOUT_FRAMES:
        first = list(first_locals(parts, method, pool))
        table = next((each for each in attributes if each.name == "StackMapTable"), None)
        frames = list(full_frames(table.content, first)) if table is not None else []
        kept = {each.slot: each.signature for one in surroundings for each in one.of.threw if each.slot >= 0}
        frames.append(FullFrame(at, handler_locals(kept, pool), (object_type(pool.class_(THROWABLE)),)))
        for each in surroundings:
            frames = [with_variable(frame, each.slot, each.frame_type) for frame in frames]
        done = Attribute(pool.utf8("StackMapTable"), "StackMapTable", table_of(frames))
        attributes = [each for each in attributes if each is not table] + [done]
    width = sum(words(each.of.local) for each in surroundings)
    changed = CodeParts(
        stack=shifted.stack,
        locals=shifted.locals + width,
        code=shifted.code + tail,
        handlers=(*shifted.handlers, *handlers),
        attributes=tuple(attributes),
    )
    return changed, len(tail)


def first_locals(parts: ClassParts, method: MethodParts, pool: PoolWriter) -> Iterator[bytes]:
    """Return the verification types of ``this`` and the arguments at the method's beginning."""
    if not method.is_static:
        if method.name == "<init>":
            yield THIS_TYPE
        else:
            yield object_type(struct.unpack_from(">H", parts.middle, 2)[0])
    for each in split_method(method.signature)[0]:
        if each[0] in "L[":
            yield object_type(pool.class_(each if each[0] == "[" else each[1:-1]))
        else:
            yield _NUMBERS[kind_of(each)]


def handler_locals(kept: Mapping[int, str], pool: PoolWriter) -> tuple[bytes, ...]:
    """Return the types of the variables that a handler reads. Others may have any value where it is thrown."""
    found: list[bytes] = []
    slot = 0
    for wanted, signature in sorted(kept.items()):
        found += [TOP_TYPE] * (wanted - slot)
        kind = kind_of(signature)
        found.append(object_type(pool.class_(OBJECT)) if kind == "L" else _NUMBERS[kind])
        slot = wanted + words(kind)
    return tuple(found)

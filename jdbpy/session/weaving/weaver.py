"""Calls put in front of lines of methods.

A call is straight code: variables are loaded, a static method without a result is called. Of the method's own code only
distances change, so it is verified and compiled as before.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

from jdbpy.session.java.bytecode import MalformedCode, decode
from jdbpy.session.java.class_file import MalformedClassFile
from jdbpy.session.java.class_parts import (
    Attribute,
    ClassParts,
    MethodParts,
    PoolFull,
    PoolWriter,
    put_together,
    take_apart,
)
from jdbpy.session.java.constant_pool import METHOD
from jdbpy.session.weaving.code_shift import (
    ALIGNMENT,
    CodeParts,
    JumpTooFar,
    VariableRow,
    insert,
    read_code,
    variables_of,
)
from jdbpy.session.weaving.parts import (
    TOP,
    CheckCall,
    CheckParameter,
    Insertion,
    Refused,
    Woven,
    WovenMethod,
    WovenPlace,
)
from jdbpy.session.weaving.slots import arguments_of, kind_of, stored_slots, values_in_slots
from jdbpy.session.weaving.stack_maps import UNINITIALIZED_THIS, UnknownFrame

MOST_CODE = 65_535
MOST_COMPILED = 8_000
"""HotSpot compiles no method with more bytes of code than that (DontCompileHugeMethods)."""

_DUP, _DUP2 = 89, 92
_NOP, _INVOKESPECIAL, _INVOKESTATIC, _NEW, _WIDE = 0, 183, 184, 187, 196
_LOADS = {"J": 22, "F": 23, "D": 24, "L": 25, "[": 25}
_ILOAD = 21

_SENTENCES = {
    "no such place": "the class file has no such method or no instruction there",
    "no variables": "the class was compiled without local variables (javac -g)",
    "not alive": "the variable {} has no value there",
    "before super": "'this' cannot be read before the constructor has called super()",
    "too long": "the method would be longer than 65,535 bytes",
    "not compiled": "the method would be longer than 8,000 bytes, and the JVM compiles no longer ones",
    "jump too far": "a jump in the method would not reach its target any more",
    "pool full": "the constant pool of the class has no room",
    "not read": "the method has something in it that jdbpy cannot read",
}


class _NotWoven(Exception):
    """A place cannot be woven."""

    def __init__(self, reason: str, *words: str) -> None:
        self.reason = reason
        self.words = words

    def refuse(self, place: WovenPlace) -> Refused:
        return Refused(place, self.reason, _SENTENCES[self.reason].format(*self.words))


def weave(data: bytes, places: Sequence[WovenPlace]) -> Woven:
    """Return the class file with a call at each place; what cannot be woven is refused, and the rest is woven.

    ``data`` is the original class file, never a woven one. Raises MalformedClassFile.
    """
    parts = take_apart(data)
    pool = PoolWriter(parts.pool_count)
    methods, maps, refused = [], [], []
    wanted: dict[tuple[str, str], list[WovenPlace]] = {}
    for place in places:
        wanted.setdefault((place.method, place.signature), []).append(place)
    for method in parts.methods:
        here = wanted.pop((method.name, method.signature), None)
        if here is not None:
            weaving = _MethodWeaving(parts, method, pool)
            method = weaving.weave(here)
            refused += weaving.refused
            if weaving.woven is not None:
                maps.append(weaving.woven)
        methods.append(method)
    refused += [_NotWoven("no such place").refuse(place) for here in wanted.values() for place in here]
    done = put_together(parts.replace(methods=tuple(methods)), pool) if maps else data
    return Woven(done, tuple(maps), tuple(refused))


class _MethodWeaving:
    """The weaving of one method."""

    def __init__(self, parts: ClassParts, method: MethodParts, pool: PoolWriter) -> None:
        self.refused: list[Refused] = []
        self.woven: WovenMethod | None = None
        self._parts = parts
        self._method = method
        self._pool = pool

    def weave(self, places: Sequence[WovenPlace]) -> MethodParts:
        """The method with calls at the places that can be woven."""
        attribute = self._method.code
        if attribute is None:
            self._refuse(places, _NotWoven("no such place"))
            return self._method
        try:
            code = read_code(attribute.content, self._parts.pool)
            checks = _Checks(self._parts, self._method, code)
        except (struct.error, IndexError, MalformedCode, MalformedClassFile, UnknownFrame):
            self._refuse(places, _NotWoven("not read"))
            return self._method
        fit: list[WovenPlace] = []
        for place in places:
            try:
                checks.check(place)
                fit.append(place)
            except _NotWoven as unfit:
                self._refuse([place], unfit)
        done, inserted = self._insert_most(code, fit)
        if not inserted:
            return self._method
        self.woven = WovenMethod(
            method=self._method.name,
            signature=self._method.signature,
            length=len(code.code),
            insertions=tuple(Insertion(at, len(inserted[at])) for at in sorted(inserted)),
        )
        changed = Attribute(attribute.index, attribute.name, done.data)
        attributes = tuple(changed if each is attribute else each for each in self._method.attributes)
        return self._method.replace(attributes=attributes)

    def _refuse(self, places: Iterable[WovenPlace], unfit: _NotWoven) -> None:
        self.refused += [unfit.refuse(place) for place in places]

    def _insert_most(self, code: CodeParts, places: Sequence[WovenPlace]) -> tuple[CodeParts, dict[int, bytes]]:
        """The code with as many of the calls as there is room for, and what was put in by index."""
        fit: list[tuple[WovenPlace, bytes]] = []
        length = len(code.code)
        for place in places:
            try:
                call = self._code(place.call)
                _check_length(len(code.code), length + len(call))
                length += len(call)
                fit.append((place, call))
            except _NotWoven as unfit:
                self._refuse([place], unfit)
        while fit:
            inserted: dict[int, bytes] = {}
            for place, call in fit:  # of several at one index the first comes first
                inserted[place.at] = inserted.get(place.at, b"") + call
            try:
                words = max(sum(map(_width, place.call.parameters)) for place, _ in fit)
                return self._insert(code, inserted, words), inserted
            except _NotWoven as unfit:
                self._refuse([fit.pop()[0]], unfit)
        return code, {}

    def _insert(self, code: CodeParts, inserted: dict[int, bytes], words: int) -> CodeParts:
        """The code with all of the calls, which push so many words at most. Raises _Unfit."""
        if code.stack + words > MOST_CODE:
            raise _NotWoven("too long")
        try:
            return insert(code, self._parts.pool, inserted, words)
        except JumpTooFar:
            raise _NotWoven("jump too far") from None
        except (MalformedCode, MalformedClassFile, UnknownFrame, struct.error, IndexError):
            raise _NotWoven("not read") from None

    def _code(self, call: CheckCall) -> bytes:
        """The instructions of a call, filled up to a multiple of the alignment. Raises _Unfit."""
        code = b"".join([load(each.signature, each.slot) for each in call.parameters])
        try:
            code += struct.pack(">BH", _INVOKESTATIC, self._pool.method(call.owner, call.name, call.signature))
        except PoolFull:
            raise _NotWoven("pool full") from None
        return code + bytes([_NOP]) * (-len(code) % ALIGNMENT)


def _check_length(before: int, after: int) -> None:
    """Raises _Unfit where a method becomes too long."""
    if after > MOST_CODE:
        raise _NotWoven("too long")
    if before <= MOST_COMPILED < after:
        raise _NotWoven("not compiled")


def load(signature: str, slot: int) -> bytes:
    """The instruction that loads a variable of that type, or doubles the top of the stack."""
    if slot == TOP:
        return bytes([_DUP2 if signature in ("J", "D") else _DUP])
    opcode = _LOADS.get(signature[0], _ILOAD)
    if slot < 4:
        return bytes([26 + 4 * (opcode - _ILOAD) + slot])
    return bytes([opcode, slot]) if slot < 256 else struct.pack(">BBH", _WIDE, opcode, slot)


def _width(parameter: CheckParameter) -> int:
    return 2 if parameter.signature in ("J", "D") else 1


class _Checks:
    """The places of a method that can be woven, by what its tables say."""

    def __init__(self, parts: ClassParts, method: MethodParts, code: CodeParts) -> None:
        """Raises MalformedCode, UnknownFrame, struct.error."""
        self._instructions = {each.index: each.opcode for each in decode(code.code)}
        self._pool = parts.pool
        self._code = code.code
        self._variables: dict[int, list[VariableRow]] = {}
        for row in variables_of(code, parts.pool):
            self._variables.setdefault(row.slot, []).append(row)
        self._arguments = arguments_of(method.signature, static=method.is_static)
        self._stored = stored_slots(code.code, decode(code.code))
        initializes = self._initializes() if method.name == "<init>" else ()
        self._values = values_in_slots(code, self._arguments, initializes)

    def check(self, place: WovenPlace) -> None:
        """Raises _Unfit."""
        if place.at not in self._instructions:
            raise _NotWoven("no such place")
        for each in place.call.parameters:
            if each.slot == TOP:
                continue
            if self._values.get(place.at, {}).get(each.slot) == UNINITIALIZED_THIS:
                raise _NotWoven("before super")
            if not self._has_value(each, place.at):
                raise (
                    _NotWoven("not alive", each.name or f"in slot {each.slot}")
                    if self._variables
                    else _NotWoven("no variables")
                )

    def _has_value(self, parameter: CheckParameter, at: int) -> bool:
        """True if the slot has a value of that kind there, and it is that variable's."""
        kind = kind_of(parameter.signature)
        if self._values.get(at, {}).get(parameter.slot) != kind:
            return False
        rows = self._variables.get(parameter.slot, ())
        if any(row.start <= at < row.end and kind_of(row.signature) == kind for row in rows):
            return True
        return parameter.slot in self._arguments and parameter.slot not in self._stored

    def _initializes(self) -> set[int]:
        """The indices of the calls of other constructors for ``this``: those that no ``new`` belongs to."""
        found, made = set(), 0
        for index, opcode in self._instructions.items():
            if opcode == _NEW:
                made += 1
            elif opcode == _INVOKESPECIAL:
                [number] = struct.unpack_from(">H", self._code, index + 1)
                if self._pool.tag(number) == METHOD and self._pool.member(number)[1] == "<init>":
                    if made == 0:
                        found.add(index)
                    made = max(0, made - 1)
        return found

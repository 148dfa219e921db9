"""Calls put in front of lines of methods.

A call is straight code: variables are loaded, a static method without a result is called. Of the method's own code only
distances change, so it is verified and compiled as before.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from jdbpy.session.in_target.weave.method_wrap import SurroundingCode, load, padded, protected, with_handler
from jdbpy.session.in_target.weave.record_code import RecordedCode, RecordedMethod
from jdbpy.session.in_target.weave.records import (
    TOP,
    CheckCall,
    Insertion,
    Refused,
    Surrounding,
    Woven,
    WovenMethod,
    WovenPlace,
)
from jdbpy.session.java.bytecode import MalformedCode, decode, reading_code
from jdbpy.session.java.class_file import MalformedClassFile
from jdbpy.session.java.constant_pool import METHOD
from jdbpy.session.java.edit.assembler import words
from jdbpy.session.java.edit.class_parts import (
    Attribute,
    ClassParts,
    MethodParts,
    PoolFull,
    PoolWriter,
    put_together,
    take_apart,
)
from jdbpy.session.java.edit.code_shift import (
    CodeMap,
    CodeParts,
    JumpTooFar,
    VariableRow,
    insert,
    read_code,
    variables_of,
)
from jdbpy.session.java.edit.code_variable import CheckParameter
from jdbpy.session.java.edit.slots import arguments_of, kind_of, stored_slots, values_in_slots
from jdbpy.session.java.edit.stack_maps import UNINITIALIZED_THIS, UnknownFrame

MOST_CODE = 65_535
MOST_COMPILED = 8_000
"""HotSpot compiles no method with more bytes of code than that (DontCompileHugeMethods)."""

_GETFIELD, _INVOKESPECIAL, _INVOKESTATIC, _NEW = 180, 183, 184, 187
_THIS = CheckParameter(0, "Ljava/lang/Object;", "this")

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

    def refuse(self, place: WovenPlace | Surrounding) -> Refused:
        return Refused(place, self.reason, _SENTENCES[self.reason].format(*self.words))


def weave(data: bytes, places: Sequence[WovenPlace | Surrounding]) -> Woven:
    """Return the class file with a call at each place, and code around methods; what cannot be woven is refused, and
    the rest is woven.

    ``data`` is the original class file, never a woven one. Raises MalformedClassFile.
    """
    parts = take_apart(data)
    pool = PoolWriter(parts.pool_count)
    methods, maps, refused = [], [], []
    wanted: dict[tuple[str, str], list[WovenPlace | Surrounding]] = {}
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

    def weave(self, places: Sequence[WovenPlace | Surrounding]) -> MethodParts:
        """Return the method with calls at the places that can be woven, and the code around it."""
        attribute = self._method.code
        if attribute is None:
            self._refuse(places, _NotWoven("no such place"))
            return self._method
        try:
            with reading_code():
                code = read_code(attribute.content, self._parts.pool)
                checks = _Checks(self._parts, self._method, code)
        except (MalformedCode, MalformedClassFile, UnknownFrame):
            self._refuse(places, _NotWoven("not read"))
            return self._method
        fit: list[_Fitting] = []
        length, slot = len(code.code), code.locals
        for place in places:
            try:
                with reading_code():
                    checks.check(place)
                    one = self._fitting(place, slot, code)
                _check_length(len(code.code), length + one.length, [one])
                length += one.length
                slot += one.slots
                fit.append(one)
            except _NotWoven as unfit:
                self._refuse([place], unfit)
            except (MalformedCode, MalformedClassFile, UnknownFrame):
                self._refuse([place], _NotWoven("not read"))
        while fit:
            try:
                done, insertions = self._insert(code, checks, fit)
                break
            except _NotWoven as unfit:
                self._refuse([fit.pop().place], unfit)
        else:
            return self._method
        self.woven = WovenMethod(
            method=self._method.name,
            signature=self._method.signature,
            length=len(code.code),
            insertions=tuple(insertions),
        )
        changed = Attribute(attribute.index, attribute.name, done.data)
        attributes = tuple(changed if each is attribute else each for each in self._method.attributes)
        return self._method.replace(attributes=attributes)

    def _refuse(self, places: Iterable[WovenPlace | Surrounding], unfit: _NotWoven) -> None:
        self.refused += [unfit.refuse(place) for place in places]

    def _fitting(self, place: WovenPlace | Surrounding, slot: int, code: CodeParts) -> _Fitting:
        """Return the code for a place; ``slot`` is the first that is free. Raises _NotWoven."""
        try:
            if isinstance(place, Surrounding):
                around = (
                    RecordedCode(place, slot, self._pool, code)
                    if isinstance(place, RecordedMethod)
                    else SurroundingCode(place, slot, self._pool, code)
                )
                return _Fitting(place, around.before, around.behind, around.words, around)
            return _Fitting(
                place,
                {place.at: self._code(place.call)},
                {},
                sum(words(each.signature) for each in place.call.parameters),
            )
        except PoolFull:
            raise _NotWoven("pool full") from None

    def _insert(
        self, code: CodeParts, checks: _Checks, fit: Sequence[_Fitting]
    ) -> tuple[CodeParts, Iterable[Insertion]]:
        """Return the code with all that fits, and what was put in where. Raises _NotWoven."""
        before: dict[int, bytes] = {}
        behind: dict[int, bytes] = {}
        for each in fit:  # of several at one index the first comes first; what counts a call is closest to it
            if each.around is not None:
                behind[0] = behind.get(0, b"") + each.around.entry
            for at, piece in each.before.items():
                before[at] = before.get(at, b"") + piece
            for at, piece in each.behind.items():
                behind[at] = piece + behind.get(at, b"")
        words = max(each.words for each in fit)
        around = [each.around for each in fit if each.around is not None]
        if code.stack + words > MOST_CODE or code.locals + 2 * len(around) > MOST_CODE:
            raise _NotWoven("too long")
        where = CodeMap(before, behind)
        tail = 0
        try:
            with reading_code():
                done = insert(code, self._parts.pool, before, words, behind)
                if around:
                    ranges = protected(code, checks.values)
                    done, tail = with_handler(done, around, ranges, where, self._parts, self._method, self._pool)
        except JumpTooFar:
            raise _NotWoven("jump too far") from None
        except PoolFull:
            raise _NotWoven("pool full") from None
        except (MalformedCode, MalformedClassFile, UnknownFrame):
            raise _NotWoven("not read") from None
        _check_length(len(code.code), len(done.code), fit)
        inserted = [
            Insertion(at, len(behind.get(at, b"")) + len(before.get(at, b"")), len(behind.get(at, b"")))
            for at in sorted({*before, *behind})
        ]
        return done, [*inserted, *([Insertion(len(code.code), tail)] if tail else [])]

    def _code(self, call: CheckCall) -> bytes:
        """Return the instructions of a call, filled up to a multiple of the alignment. Raises PoolFull."""
        code = b"".join([self._load(each) for each in call.parameters])
        index = self._pool.method(call.owner, call.name, call.signature)
        return padded(code + struct.pack(">BH", _INVOKESTATIC, index))

    def _load(self, parameter: CheckParameter) -> bytes:
        """Return the instructions that push an argument. Raises PoolFull."""
        if not parameter.owner:
            return load(parameter.signature, parameter.slot)
        index = self._pool.field(parameter.owner, parameter.name, parameter.signature)
        return load(_THIS.signature, _THIS.slot) + struct.pack(">BH", _GETFIELD, index)


class _Fitting(NamedTuple):
    """The code for one place of a method: by the index of the instruction before or behind it."""

    place: WovenPlace | Surrounding
    before: Mapping[int, bytes]
    behind: Mapping[int, bytes]
    words: int
    around: SurroundingCode | None = None

    @property
    def length(self) -> int:
        return sum(map(len, (*self.before.values(), *self.behind.values())))

    @property
    def slots(self) -> int:
        return 0 if self.around is None else words(self.around.of.local)


def _check_length(before: int, after: int, fit: Iterable[_Fitting]) -> None:
    """Raises _NotWoven where a method becomes too long; one that is recorded may become one that is not compiled."""
    if after > MOST_CODE:
        raise _NotWoven("too long")
    if before <= MOST_COMPILED < after and not any(isinstance(each.place, RecordedMethod) for each in fit):
        raise _NotWoven("not compiled")


class _Checks:
    """The places of a method that can be woven, by its tables."""

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
        self.values = values_in_slots(code, self._arguments, initializes)

    def check(self, place: WovenPlace | Surrounding) -> None:
        """Raises _NotWoven."""
        if isinstance(place, Surrounding):
            for each in place.kept:
                kind = kind_of(each.signature)
                known = (values.get(each.slot) in (kind, UNINITIALIZED_THIS) for values in self.values.values())
                if each.slot != TOP and not (each.slot in self._arguments and all(known)):
                    raise _NotWoven("not alive", each.name or f"in slot {each.slot}")
            return
        if place.at not in self._instructions:
            raise _NotWoven("no such place")
        for each in (_THIS if parameter.owner else parameter for parameter in place.call.parameters):
            if each.slot == TOP:
                continue
            if self.values.get(place.at, {}).get(each.slot) == UNINITIALIZED_THIS:
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
        if self.values.get(at, {}).get(parameter.slot) != kind:
            return False
        rows = self._variables.get(parameter.slot, ())
        if any(row.start <= at < row.end and kind_of(row.signature) == kind for row in rows):
            return True
        return parameter.slot in self._arguments and parameter.slot not in self._stored

    def _initializes(self) -> set[int]:
        """Return the indices of the calls of other constructors for ``this``: those that no ``new`` belongs to."""
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

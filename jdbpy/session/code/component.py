"""The ``code`` of a session: constant pools, and methods disassembled.

Owns which class and method a text means here; the bytes come from ``types.TypeCache``, the words from ``operands``.
"""

from __future__ import annotations

import builtins
from collections.abc import Awaitable, Callable, Sequence

from jdbpy.errors import StateError, UsageError
from jdbpy.session.breakpoints.location_spec import MethodPlace, parse_location
from jdbpy.session.classes.component import Classes
from jdbpy.session.classes.records import method_info
from jdbpy.session.code.constant_pool import KINDS, ConstantPool
from jdbpy.session.code.instructions import MalformedCode, decode
from jdbpy.session.code.model import ConstantPoolListing, Disassembly, Instruction, PoolEntry
from jdbpy.session.code.operands import OperandReader
from jdbpy.session.model import Frame
from jdbpy.session.strata.sources import lines_by_index
from jdbpy.session.target import Target
from jdbpy.session.types import facts, signatures
from jdbpy.session.types.class_names import close_to
from jdbpy.session.types.refs import OBSOLETE, Method, RefType
from jdbpy.wire.constants import Error

NO_TABLE = "the protocol does not send exception tables: handlers are code that nothing leads to"

_FORM = "write CLASS.METHOD, CLASS.METHOD(int,String), or CLASS for all its methods"


class Code:
    """The code of loaded classes. ``selected`` gives the frame that is shown when no method is named."""

    def __init__(self, target: Target, classes: Classes, selected: Callable[[], Awaitable[Frame]]) -> None:
        self._target = target
        self._types = target.types
        self._classes = classes
        self._selected = selected

    async def constant_pool(self, class_name: str) -> ConstantPoolListing:
        """The constant pool of a class, after a redefinition with what that has added.

        Raises UsageError when it is not loaded, StateError when the VM does not tell it.
        wire: 2 trips, 3 for a short name.
        """
        own = await self._classes.loaded(class_name)
        pool = await self._pool(own)
        if pool is None:
            raise StateError(
                f"the VM does not tell the constant pool of {own.name}",
                hint="arrays have none; 'version' lists what the VM can do",
                code=Error.ABSENT_INFORMATION.name,
            )
        entries = (PoolEntry(index, KINDS[pool.tag(index)], pool.references(index), pool.text(index)) for index in pool)
        return ConstantPoolListing(own.name, tuple(entries))

    async def bytes(self, place: str) -> bytes:
        """The code of a method as it stands in the class file; of overloads that of the first that has any.

        Raises UsageError for what is not there. wire: 3 trips.
        """
        own, methods = await self._meant(place)
        keys = [(own.id, each.id) for each in methods if each.has_code]
        found = await self._types.many(facts.BYTECODES, keys)
        return next((found[key] for key in keys if found.get(key)), b"")

    async def disassemble(self, place: str = "") -> list[Disassembly]:
        """The code of a method, all overloads, or of a class, all methods; of the selected frame's when none is named.

        The instruction at which the selected frame stands is marked. Raises UsageError for what is not there,
        StateError without a frame and for one that runs a replaced version. wire: 3 trips; 2 for the selected frame.
        """
        if place:
            own, methods = await self._meant(place)
        else:
            frame = await self._selected()
            if frame.location.method_id == OBSOLETE:
                raise StateError(
                    "this frame runs a version of the method that was replaced, and the VM does not tell its code",
                    hint="'pop' drops the frame; 'disassemble CLASS.METHOD' shows the new version",
                )
            own = await self._classes.loaded(f"{frame.location.class_name}@{frame.location.type_id}")
            declared = (await self._types.methods([own.id])).get(own.id, ())
            methods = [each for each in declared if each.id == frame.location.method_id]
        keys = [(own.id, each.id) for each in methods]
        with_code = [(own.id, each.id) for each in methods if each.has_code]
        await self._types.prefetch(
            (facts.BYTECODES, with_code),
            (facts.LINES, keys),
            (facts.VARIABLES, with_code),
            (facts.CONSTANT_POOL, [own.id]),
            (facts.SOURCE_FILE, [own.id]),
            (facts.SOURCE_MAP, [own.id]),
        )
        current = await self._current(own)
        return [self._disassembly(own, each, current) for each in methods]

    async def _pool(self, own: RefType) -> ConstantPool | None:
        return (await self._types.many(facts.CONSTANT_POOL, [own.id])).get(own.id)

    async def _meant(self, place: str) -> tuple[RefType, Sequence[Method]]:
        """The class and those of its methods that the text names. wire: 2 trips."""
        if "(" not in place and await self._classes.find(place):
            own = await self._classes.loaded(place)
            return own, (await self._types.methods([own.id])).get(own.id, ())
        spec = parse_location(place)
        if not isinstance(spec, MethodPlace):
            raise UsageError(f"'{place}' is no method", hint=_FORM)
        name = spec.class_name.text if spec.class_name else (await self._selected()).location.class_name
        own = await self._classes.loaded(name)
        declared = (await self._types.methods([own.id])).get(own.id, ())
        methods = [each for each in declared if spec.fits(each)]
        if not methods:
            near = close_to(spec.method, (each.name for each in declared))
            hint = f"there is {', '.join(near)}" if near else f"'methods {own.name}' lists what there is"
            raise UsageError(f"no method {spec.method_text} in {own.name}", hint=hint, code="NO_METHOD")
        return own, methods

    async def _current(self, own: RefType) -> tuple[int, int] | None:
        """Method and code index of the selected frame, if it is in that class."""
        try:
            location = (await self._selected()).location
        except StateError:
            return None
        return (location.method_id, location.code_index) if location.type_id == own.id else None

    def _disassembly(self, own: RefType, method: Method, current: tuple[int, int] | None) -> Disassembly:
        info = method_info(own, method)
        code = self._types.known(facts.BYTECODES, (own.id, method.id)) or b""
        note = NO_TABLE if code else _why_none(method)
        try:
            instructions = tuple(self._instructions(own, method, code, current))
        except (MalformedCode, IndexError):
            instructions, note = (), "its code cannot be read: it has an instruction that we do not know"
        return Disassembly(
            class_name=own.name,
            method=method.name,
            signature=method.signature,
            modifiers=info.modifiers,
            parameters=info.parameters,
            returns=info.returns,
            size=len(code),
            instructions=instructions,
            note=note,
        )

    def _instructions(
        self, own: RefType, method: Method, code: builtins.bytes, current: tuple[int, int] | None
    ) -> list[Instruction]:
        key = (own.id, method.id)
        table = self._types.known(facts.VARIABLES, key)
        reader = OperandReader(
            code,
            self._types.known(facts.CONSTANT_POOL, own.id),
            table.slots if table else (),
            own.signature.removeprefix("L").removesuffix(";"),
        )
        lines = lines_by_index(self._types, key)
        shown = []
        for instruction in decode(code):
            operands = reader.operands(instruction)
            line, source = lines.get(instruction.index, (None, ""))
            shown.append(
                Instruction(
                    index=instruction.index,
                    name=reader.name(instruction),
                    operands=operands.text,
                    meaning=operands.meaning,
                    line=line,
                    source=source,
                    current=current == (method.id, instruction.index),
                    cases=operands.cases,
                )
            )
        return shown


def _why_none(method: Method) -> str:
    if method.bits & signatures.NATIVE:
        return "it is native: it has no bytecode"
    if method.bits & signatures.ABSTRACT:
        return "it is abstract: it has no code"
    return "the VM does not tell its code"

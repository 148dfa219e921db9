"""The ``code`` of a session: constant pools, and methods disassembled.

Owns which class and method a text means here, and the operands of instructions, as javap writes them and in words:
``#7`` is ``Field items:Ljava/util/List;``. Names of local variables, which javap does not give, stand in where the
class file has them. The bytes come from ``TypeCache``.
"""

from __future__ import annotations

import builtins
import re
import struct
from collections.abc import Awaitable, Callable, Sequence

from jdbpy.errors import StateError, UsageError
from jdbpy.record import Record
from jdbpy.session.breakpoints.location_spec import MethodPlace, parse_location
from jdbpy.session.events.target import Target
from jdbpy.session.inspect.class_records import method_info
from jdbpy.session.inspect.classes import ClassDirectory
from jdbpy.session.java import constant_pool, signatures
from jdbpy.session.java.bytecode import DecodedInstruction, MalformedCode, decode, reading_code
from jdbpy.session.java.class_file import parse
from jdbpy.session.java.class_names import close_to
from jdbpy.session.java.constant_pool import KINDS, ConstantPool
from jdbpy.session.jvm import facts
from jdbpy.session.jvm.changed_code import CodeIndexMap
from jdbpy.session.jvm.refs import OBSOLETE, Method, RefType, Slot
from jdbpy.session.jvm.types import lines_by_index
from jdbpy.session.model.code import ConstantPoolListing, Disassembly, Instruction, PoolEntry, SwitchCase
from jdbpy.session.model.threads import FrameInfo
from jdbpy.wire.constants import Error

_IN_ORDER = """
    nop aconst_null iconst_m1 iconst_0 iconst_1 iconst_2 iconst_3 iconst_4 iconst_5 lconst_0 lconst_1 fconst_0 fconst_1
    fconst_2 dconst_0 dconst_1 bipush sipush ldc ldc_w ldc2_w iload lload fload dload aload iload_0 iload_1 iload_2
    iload_3 lload_0 lload_1 lload_2 lload_3 fload_0 fload_1 fload_2 fload_3 dload_0 dload_1 dload_2 dload_3 aload_0
    aload_1 aload_2 aload_3 iaload laload faload daload aaload baload caload saload istore lstore fstore dstore astore
    istore_0 istore_1 istore_2 istore_3 lstore_0 lstore_1 lstore_2 lstore_3 fstore_0 fstore_1 fstore_2 fstore_3
    dstore_0 dstore_1 dstore_2 dstore_3 astore_0 astore_1 astore_2 astore_3 iastore lastore fastore dastore aastore
    bastore castore sastore pop pop2 dup dup_x1 dup_x2 dup2 dup2_x1 dup2_x2 swap iadd ladd fadd dadd isub lsub fsub
    dsub imul lmul fmul dmul idiv ldiv fdiv ddiv irem lrem frem drem ineg lneg fneg dneg ishl lshl ishr lshr iushr
    lushr iand land ior lor ixor lxor iinc i2l i2f i2d l2i l2f l2d f2i f2l f2d d2i d2l d2f i2b i2c i2s lcmp fcmpl
    fcmpg dcmpl dcmpg ifeq ifne iflt ifge ifgt ifle if_icmpeq if_icmpne if_icmplt if_icmpge if_icmpgt if_icmple
    if_acmpeq if_acmpne goto jsr ret tableswitch lookupswitch ireturn lreturn freturn dreturn areturn return getstatic
    putstatic getfield putfield invokevirtual invokespecial invokestatic invokeinterface invokedynamic new newarray
    anewarray arraylength athrow checkcast instanceof monitorenter monitorexit wide multianewarray ifnull ifnonnull
    goto_w jsr_w
"""

NAMES = tuple(_IN_ORDER.split())
"""The name of an instruction at its opcode."""


_ARRAYS = {4: "boolean", 5: "char", 6: "float", 7: "double", 8: "byte", 9: "short", 10: "int", 11: "long"}
_OF_VARIABLE = re.compile(r"[ilfda](?:load|store)(?:_(\d))?|ret|iinc")
_OF_POOL = re.compile(
    "ldc(2?_w)?|(get|put)(static|field)|invoke[a-z]+|new|anewarray|checkcast|instanceof|multianewarray"
)
_WORDS = {
    constant_pool.FIELD: "Field",
    constant_pool.METHOD: "Method",
    constant_pool.INTERFACE_METHOD: "InterfaceMethod",
    constant_pool.CLASS: "class",
    constant_pool.INTEGER: "int",
    constant_pool.FLOAT: "float",
    constant_pool.LONG: "long",
    constant_pool.DOUBLE: "double",
}
_OWN = re.compile(r"^(?P<owner>[^.]+)\.")


class Operands(Record):
    """``text`` as in the code, ``meaning`` in words; ``cases`` of a switch."""

    text: str
    meaning: str = ""
    cases: tuple[SwitchCase, ...] = ()


class OperandReader:
    """Reads the operands of one method's instructions. ``own`` is its class, "com/acme/Order", left out as obvious."""

    def __init__(self, code: bytes, pool: ConstantPool | None, slots: Sequence[Slot], own: str) -> None:
        self._code = code
        self._pool = pool
        self._slots = slots
        self._own = own

    def name(self, instruction: DecodedInstruction) -> str:
        """Return the instruction's name; of a wide one with the one that it widens, "wide iinc"."""
        name = NAMES[instruction.opcode]
        with reading_code():
            return f"wide {NAMES[self._code[instruction.index + 1]]}" if name == "wide" else name

    def operands(self, instruction: DecodedInstruction) -> Operands:
        """Return what follows the name. Raises MalformedCode for one that is cut off, or whose constant is none."""
        with reading_code():
            return self._operands(instruction)

    def _operands(self, instruction: DecodedInstruction) -> Operands:
        code, at = self._code, instruction.index
        name = NAMES[instruction.opcode]
        if name == "wide":
            return self._variable(instruction, NAMES[code[at + 1]], wide=True)
        if _OF_VARIABLE.fullmatch(name):
            return self._variable(instruction, name, wide=False)
        if _OF_POOL.fullmatch(name):
            return self._constant(instruction, name)
        if name in ("tableswitch", "lookupswitch"):
            return self._switch(at, name)
        if name == "bipush":
            return Operands(str(struct.unpack_from(">b", code, at + 1)[0]))
        if name == "sipush":
            return Operands(str(struct.unpack_from(">h", code, at + 1)[0]))
        if name == "newarray":
            return Operands(_ARRAYS.get(code[at + 1], str(code[at + 1])))
        if name.startswith(("if", "goto", "jsr")):
            [offset] = struct.unpack_from(">i" if name.endswith("_w") else ">h", code, at + 1)
            return Operands(str(at + offset))
        return Operands("")

    def _variable(self, instruction: DecodedInstruction, name: str, *, wide: bool) -> Operands:
        at = instruction.index + (2 if wide else 1)
        implied = _OF_VARIABLE.fullmatch(name)
        short = implied[1] if implied else None
        if short is not None:
            number, text = int(short), ""
        else:
            [number] = struct.unpack_from(">H" if wide else ">B", self._code, at)
            text = str(number)
            if name == "iinc":
                [amount] = struct.unpack_from(">h" if wide else ">b", self._code, at + (2 if wide else 1))
                text = f"{number}, {amount}"
        # A variable is alive from the instruction after its first store on.
        places = (instruction.index, instruction.index + instruction.length)
        alive = [slot for slot in self._slots if slot.slot == number and any(map(slot.visible_at, places))]
        return Operands(text, alive[0].name if alive else "")

    def _constant(self, instruction: DecodedInstruction, name: str) -> Operands:
        form = ">B" if name == "ldc" else ">H"
        [index] = struct.unpack_from(form, self._code, instruction.index + 1)
        text = f"#{index}"
        if name in ("invokeinterface", "invokedynamic", "multianewarray"):
            text += f", {self._code[instruction.index + 3]}"
        if self._pool is None:
            return Operands(text)
        tag = self._pool.tag(index)
        meaning = self._pool.text(index)
        if tag in (constant_pool.FIELD, constant_pool.METHOD, constant_pool.INTERFACE_METHOD):
            meaning = _OWN.sub(lambda match: "" if match["owner"] == self._own else match[0], meaning)
        return Operands(text, f"{_WORDS.get(tag) or constant_pool.KINDS.get(tag, '')} {meaning}".strip())

    def _switch(self, at: int, name: str) -> Operands:
        start = at + 4 - at % 4
        default, first = struct.unpack_from(">ii", self._code, start)
        if name == "tableswitch":
            [last] = struct.unpack_from(">i", self._code, start + 8)
            offsets = struct.unpack_from(f">{last - first + 1}i", self._code, start + 12)
            cases = list(zip(range(first, last + 1), offsets, strict=True))
            meaning = f"{first} to {last}"
        else:
            numbers = struct.unpack_from(f">{2 * first}i", self._code, start + 8)
            cases = list(zip(numbers[::2], numbers[1::2], strict=True))
            meaning = f"{first} cases"
        shown = [SwitchCase(str(label), at + offset) for label, offset in cases]
        return Operands("", meaning, (*shown, SwitchCase("default", at + default)))


NO_TABLE = "the protocol does not send exception tables: handlers are code that nothing leads to"

_FORM = "write CLASS.METHOD, CLASS.METHOD(int,String), or CLASS for all its methods"


class _MethodCode(Record):
    """The code of a method. ``moved``: it is what the program means, and runs with something put in."""

    code: builtins.bytes
    pool: ConstantPool | None
    slots: Sequence[Slot]
    moved: CodeIndexMap | None = None


class Code:
    """The code of loaded classes. ``selected`` gives the frame that is shown when no method is named."""

    def __init__(self, target: Target, classes: ClassDirectory, selected: Callable[[], Awaitable[FrameInfo]]) -> None:
        self._target = target
        self._types = target.types
        self._classes = classes
        self._selected = selected

    async def constant_pool(self, class_name: str) -> ConstantPoolListing:
        """Return the constant pool of a class, after a redefinition with what that has added.

        Raises UsageError when it is not loaded, StateError when the VM does not tell it.
        wire: 2 trips, 3 for a short name.
        """
        own = await self._classes.loaded(class_name)
        pool = await self._pool(own)
        if pool is None:
            raise StateError(
                f"the VM does not give the constant pool of {own.name}",
                hint="arrays have none; 'version' lists what the VM can do",
                code=Error.ABSENT_INFORMATION.name,
            )
        entries = (PoolEntry(index, KINDS[pool.tag(index)], pool.references(index), pool.text(index)) for index in pool)
        return ConstantPoolListing(own.name, tuple(entries))

    async def bytes(self, place: str) -> bytes:
        """Return the code of a method as it stands in the class file; of overloads that of the first that has any.

        Raises UsageError for what is not there. wire: 3 trips.
        """
        own, methods = await self._meant(place)
        keys = [(own.id, each.id) for each in methods if each.has_code]
        found = await self._types.facts.many(facts.BYTECODES, keys)
        codes = (self._code(own, each, woven=False).code for each in methods if found.get((own.id, each.id)))
        return next(codes, b"")

    async def disassemble(self, place: str = "", *, woven: bool = False) -> list[Disassembly]:
        """Return the code of a method, all overloads, or of a class, all methods; of the selected frame's when none is
        named.

        It is the program's own; ``woven``: what runs, with what the debugger has put in (``session.instrumentation``).
        The instruction at which the selected frame stands is marked. Raises UsageError for what is not there,
        StateError without a frame and for one that runs a replaced version. wire: 3 trips; 2 for the selected frame.
        """
        if place:
            own, methods = await self._meant(place)
        else:
            frame = await self._selected()
            if frame.location.method_id == OBSOLETE:
                raise StateError(
                    "this frame runs a version of the method that was replaced, and the VM does not give its code",
                    hint="'pop' drops the frame; 'disassemble CLASS.METHOD' shows the new version",
                )
            own = await self._classes.loaded(f"{frame.location.class_name}@{frame.location.type_id}")
            declared = (await self._types.methods([own.id])).get(own.id, ())
            methods = [each for each in declared if each.id == frame.location.method_id]
        keys = [(own.id, each.id) for each in methods]
        with_code = [(own.id, each.id) for each in methods if each.has_code]
        await self._types.facts.prefetch(
            (facts.BYTECODES, with_code),
            (facts.LINES, keys),
            (facts.VARIABLES, with_code),
            (facts.CONSTANT_POOL, [own.id]),
            (facts.SOURCE_FILE, [own.id]),
            (facts.SOURCE_MAP, [own.id]),
        )
        current = await self._current(own)
        return [self._disassembly(own, each, current, woven=woven) for each in methods]

    async def _pool(self, own: RefType) -> ConstantPool | None:
        return (await self._types.facts.many(facts.CONSTANT_POOL, [own.id])).get(own.id)

    async def _meant(self, place: str) -> tuple[RefType, Sequence[Method]]:
        """Return the class and those of its methods that the text names. wire: 2 trips."""
        if "(" not in place and await self._classes.find(place):
            own = await self._classes.loaded(place)
            return own, (await self._types.methods([own.id])).get(own.id, ())
        spec = parse_location(place)
        if not isinstance(spec, MethodPlace) or spec.index:
            raise UsageError(f"'{place}' is not a method", hint=_FORM)
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

    def _code(self, own: RefType, method: Method, *, woven: bool) -> _MethodCode:
        """Return the code of a method whose facts are known. No trip."""
        key = (own.id, method.id)
        changed = self._target.changed_code.classes.get(own.id)
        moved = changed.maps.get(method.id) if changed is not None and not woven else None
        if changed is not None and moved is not None:
            file = parse(changed.original)
            wanted = method.name, method.signature
            found = next(each for each in file.methods if (each.name, each.signature) == wanted)
            slots = [Slot(start, name, text, "", length, slot) for start, length, name, text, slot in found.variables]
            return _MethodCode(found.code, file.pool, tuple(slots), moved)
        table = self._types.facts.known(facts.VARIABLES, key)
        code = self._types.facts.known(facts.BYTECODES, key) or b""
        return _MethodCode(code, self._types.facts.known(facts.CONSTANT_POOL, own.id), table.slots if table else ())

    def _disassembly(
        self, own: RefType, method: Method, current: tuple[int, int] | None, *, woven: bool
    ) -> Disassembly:
        info = method_info(own, method)
        known = self._code(own, method, woven=woven)
        code = known.code
        note = NO_TABLE if code else _why_none(method)
        try:
            instructions = tuple(self._instructions(own, method, known, current))
        except MalformedCode:
            instructions, note = (), "its code cannot be read: it has an unknown instruction"
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
        self, own: RefType, method: Method, known: _MethodCode, current: tuple[int, int] | None
    ) -> list[Instruction]:
        moved = known.moved
        if current is not None and moved is not None:
            current = current[0], moved.index_before(current[1])
        name = own.signature.removeprefix("L").removesuffix(";")
        reader = OperandReader(known.code, known.pool, known.slots, name)
        lines = lines_by_index(self._types, (own.id, method.id))
        shown = []
        for instruction in decode(known.code):
            operands = reader.operands(instruction)
            place = instruction.index if moved is None else moved.start_after(instruction.index)
            line, source = lines.get(place, (None, ""))
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
    return "the VM does not give its code"

"""The operands of instructions, as javap writes them and in words: ``#7`` is ``Field items:Ljava/util/List;``.

Pure. Names of local variables, which javap does not give, stand in where the class file has them.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence

from jdbpy.record import Record
from jdbpy.session.code import constant_pool
from jdbpy.session.code.constant_pool import ConstantPool
from jdbpy.session.code.instructions import DecodedInstruction
from jdbpy.session.code.model import SwitchCase
from jdbpy.session.code.opcodes import NAMES
from jdbpy.session.types.refs import Slot

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
        """The instruction's name; of a wide one with the one that it widens, "wide iinc"."""
        name = NAMES[instruction.opcode]
        return f"wide {NAMES[self._code[instruction.index + 1]]}" if name == "wide" else name

    def operands(self, instruction: DecodedInstruction) -> Operands:
        """What follows the name."""
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

"""Plain data about code for front ends: constant pools and disassembled methods."""

from __future__ import annotations

from jdbpy.record import Record


class PoolEntry(Record):
    """An entry of a constant pool. ``references`` are the entries it refers to, "#3.#7"; ``text`` what that means."""

    index: int
    kind: str  # "Methodref", "Utf8", as javap names them
    references: str
    text: str


class ConstantPoolListing(Record):
    """The constant pool of a loaded class."""

    class_name: str
    entries: tuple[PoolEntry, ...]


class SwitchCase(Record):
    """Where a switch goes: for the value ``label``, "default" for all others."""

    label: str
    target: int


class Instruction(Record):
    """One instruction. ``operands`` are what the code holds ("#7", "3, 1"), ``meaning`` what they refer to."""

    index: int
    name: str
    operands: str
    meaning: str
    line: int | None = None  # when a source line begins here
    source: str = ""  # its file, where it is another than the class's main one
    current: bool = False  # the selected frame stands here
    cases: tuple[SwitchCase, ...] = ()


class Disassembly(Record):
    """The code of one method. ``note`` says why there is none, or what it lacks."""

    class_name: str
    method: str
    signature: str  # JNI form, "(I)V"
    modifiers: str
    parameters: tuple[str, ...]  # types as in source
    returns: str
    size: int  # bytes of code
    instructions: tuple[Instruction, ...]
    note: str = ""

"""Plain data about code for front ends: constant pools and disassembled methods."""

from __future__ import annotations

from typing import Annotated

from jdbpy.json_form import Json
from jdbpy.record import Record


class PoolEntry(Record):
    """An entry of a constant pool. ``references`` are the entries it refers to, "#3.#7"; ``text`` what that means."""

    index: int
    kind: Annotated[str, "as javap names it: `Methodref`"]
    references: Annotated[str, Json("the entries that it refers to: `#3.#7`", optional=True)]
    text: Annotated[str, "all of it, resolved"]


class ConstantPoolListing(Record):
    """The constant pool of a loaded class."""

    json_name = "constant-pool"

    class_name: Annotated[str, Json(key="class")]
    entries: tuple[PoolEntry, ...]


class SwitchCase(Record):
    """A branch of a switch: its target for the value ``label``, "default" for all others."""

    label: Annotated[str, "a number, or `default`"]
    target: int


class Instruction(Record):
    """One instruction. ``operands`` are what the code holds ("#7", "3, 1"), ``meaning`` what they refer to."""

    index: Annotated[int, "where it stands"]
    name: str
    operands: Annotated[str, Json("as they are in the code: `#7`", optional=True)]
    meaning: Annotated[str, Json("what they refer to: `Field items:Ljava/util/List;`", optional=True)]
    line: Annotated[int | None, "the line that begins here"] = None
    source: Annotated[str, "its file, where it is not the class's own"] = ""
    current: Annotated[bool, "the selected frame stands here"] = False
    cases: Annotated[tuple[SwitchCase, ...], "of a switch"] = ()


class Disassembly(Record):
    """The code of one method. ``note`` says why there is none, or what it lacks."""

    class_name: Annotated[str, Json(key="class")]
    method: str
    signature: str  # JNI form, "(I)V"
    modifiers: str
    parameters: Annotated[tuple[str, ...], "their types"]
    returns: str
    size: Annotated[int, "bytes of code"]
    instructions: tuple[Instruction, ...]
    note: Annotated[str, "why there is no code, or what of it is not known"] = ""

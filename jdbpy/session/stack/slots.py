"""Which variables a method has at a place in its code, and in which slots of the frame they are. Pure.

With a variable table (-g) it is the table that tells. Without one, arguments follow from the signature, and what other
slots hold is told by the instructions that store into them; their names are lost.
"""

from __future__ import annotations

from jdbpy.record import Record
from jdbpy.session.code.instructions import MalformedCode, decode
from jdbpy.session.types.refs import Method, Slot, VariableTable
from jdbpy.session.types.signatures import split_method

_WIDE = 0xC4
_KINDS = "IJFDL"
"""Kinds of values in slots, in the order in which the instruction set counts them."""


class SlotVariable(Record):
    """A variable of a frame. ``signature`` is its type; ``kind`` is "argument", "local" or "slot"."""

    name: str
    signature: str
    generic: str
    slot: int
    kind: str


def from_table(table: VariableTable, code_index: int) -> list[SlotVariable]:
    """Arguments and locals that are in scope, by slot. ``this`` is not among them."""
    return [_variable(table, entry) for entry in _by_slot(table) if entry.visible_at(code_index)]


def all_of_table(table: VariableTable) -> list[SlotVariable]:
    """Arguments and locals that are in scope anywhere in the method, by slot; some slots more than once."""
    return [_variable(table, entry) for entry in _by_slot(table)]


def _by_slot(table: VariableTable) -> list[Slot]:
    own = [entry for entry in table.slots if not (entry.slot == 0 and entry.name == "this")]
    return sorted(own, key=lambda entry: entry.slot)


def _variable(table: VariableTable, entry: Slot) -> SlotVariable:
    kind = "argument" if entry.slot < table.argument_slots and entry.code_index == 0 else "local"
    return SlotVariable(entry.name, entry.signature, entry.generic, entry.slot, kind)


def from_code(method: Method, code: bytes, code_index: int) -> list[SlotVariable]:
    """Arguments named arg0, arg1..., and the other slots that something was stored into before this place."""
    found: list[SlotVariable] = []
    slot = 0 if method.is_static else 1
    for number, signature in enumerate(split_method(method.signature)[0]):
        found.append(SlotVariable(f"arg{number}", signature, "", slot, "argument"))
        slot += 2 if signature in "JD" else 1
    stores = {where: kind for where, kind in _stores(code, code_index) if where >= slot}
    found += [
        SlotVariable(f"slot{where}", "Ljava/lang/Object;" if kind == "L" else kind, "", where, "slot")
        for where, kind in sorted(stores.items())
    ]
    return found


def _stores(code: bytes, before: int) -> list[tuple[int, str]]:
    """Slot and kind of each store up to a code index, in the order of the code: the last one is the likeliest."""
    found = []
    try:
        for instruction in decode(code):
            if instruction.index >= before:
                break
            store = _store(code, instruction.index)
            if store is not None:
                found.append(store)
    except MalformedCode:
        pass  # what came before it is good
    return found


def _store(code: bytes, index: int) -> tuple[int, str] | None:
    """The slot that an instruction stores into and the kind of value, or None for other instructions (JVMS 6.5)."""
    opcode = code[index]
    if opcode == _WIDE and 54 <= code[index + 1] <= 58:
        return code[index + 2] << 8 | code[index + 3], _KINDS[code[index + 1] - 54]
    if 54 <= opcode <= 58:  # istore ... astore
        return code[index + 1], _KINDS[opcode - 54]
    if 59 <= opcode <= 78:  # istore_0 ... astore_3
        return (opcode - 59) % 4, _KINDS[(opcode - 59) // 4]
    return None

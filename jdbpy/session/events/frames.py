"""The variables of frames: in which slots they are, how they are read, and what was read of them.

Pure, but for ``FrameMemory``, which keeps what was read of a frame until its thread has run on, frames were popped, or
a variable was set: a question asked twice at one stop costs one answer. Nothing else can change variables: a method
that is invoked has frames of its own. What they refer to can change, and is not kept here.

Slots: with a variable table (-g) the table has them. Without one, arguments follow from the signature, and what
other slots hold is told by the instructions that store into them; their names are lost.

Commands: each variable has one of its own, as one that holds no value at this place would spoil all that are asked with
it. For many frames all variables of a frame are asked in one command; where that is spoiled, the frame is asked again
so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from jdbpy.errors import JdwpError
from jdbpy.record import Record
from jdbpy.session.events.suspension import Suspension
from jdbpy.session.java.bytecode import MalformedCode, decode
from jdbpy.session.java.signatures import split_method
from jdbpy.session.jvm.refs import Method, Slot, VariableTable
from jdbpy.session.model.threads import FrameInfo
from jdbpy.wire.command import Command
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import FrameID, TaggedValue, ThreadID
from jdbpy.wire.messages import stack_frame
from jdbpy.wire.messages.stack_frame import SlotInfo

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


class Slotted(Protocol):
    """A variable with its slot and its type."""

    @property
    def slot(self) -> int: ...

    @property
    def signature(self) -> str: ...


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
    """Return the slot that an instruction stores into and the kind of value, or None for other instructions (JVMS
    6.5)."""
    opcode = code[index]
    if opcode == _WIDE and 54 <= code[index + 1] <= 58:
        return code[index + 2] << 8 | code[index + 3], _KINDS[code[index + 1] - 54]
    if 54 <= opcode <= 58:  # istore ... astore
        return code[index + 1], _KINDS[opcode - 54]
    if 59 <= opcode <= 78:  # istore_0 ... astore_3
        return (opcode - 59) % 4, _KINDS[(opcode - 59) // 4]
    return None


_MOST = 100
"""Frames that are remembered; at the limit all are dropped."""

Outcomes = Mapping[tuple[int, str], TaggedValue | JdwpError]


class RawFrameVariables(Record):
    """``this`` (null in static code), and what reading each slot as a kind of value (its letter) gave."""

    this: TaggedValue
    slots: Outcomes

    def of(self, variables: Sequence[SlotVariable]) -> list[TaggedValue | JdwpError] | None:
        """Return one outcome for each variable; None when one of them was not read."""
        keys = [key_of(variable) for variable in variables]
        return [self.slots[key] for key in keys] if all(key in self.slots for key in keys) else None

    def beside(self, other: RawFrameVariables | None) -> RawFrameVariables:
        """Both together; this one is the later."""
        return self if other is None else self.replace(slots={**other.slots, **self.slots})


class FrameMemory:
    """The frames of one target."""

    def __init__(self, suspension: Suspension) -> None:
        self._suspension = suspension
        self._known: dict[object, tuple[int, RawFrameVariables | None]] = {}  # with the first epoch of those frames

    def recall(self, frame: FrameInfo) -> RawFrameVariables | None:
        """Return what is known of a frame, if its thread still stands in it; its id may be void by now."""
        thread = frame.thread.id
        if not self._suspension.is_suspended(thread):
            return None
        since, found = self._known.get(self._key(frame), (0, None))
        return found if since <= frame.epoch <= self._suspension.epoch_of(thread) else None

    def keep(self, frame: FrameInfo, variables: RawFrameVariables) -> None:
        """Remember what was read of a frame, unless its id is void by now."""
        if frame.epoch != self._suspension.epoch_of(frame.thread.id):
            return
        if len(self._known) >= _MOST:
            self._known.clear()
        key = self._key(frame)
        since, _ = self._known.get(key, (frame.epoch, None))
        self._known[key] = since, variables

    def forget(self, frame: FrameInfo) -> None:
        """Drop what is known of a frame: one of its variables was set."""
        key = self._key(frame)
        if key in self._known:
            self._known[key] = self._known[key][0], None

    def _key(self, frame: FrameInfo) -> object:
        place = frame.location
        standing = self._suspension.frames_of(frame.thread.id)
        return frame.thread.id, standing, frame.index, place.type_id, place.method_id, place.code_index


def key_of(variable: Slotted) -> tuple[int, str]:
    """Return a slot and the kind of value that it is read as."""
    return variable.slot, variable.signature[0]


def frame_commands(thread: ThreadID, frame: FrameID, variables: Sequence[SlotVariable]) -> list[Command[Any]]:
    """Return what asks for them all."""
    commands: list[Command[Any]] = [stack_frame.ThisObject(thread, frame)]
    for variable in variables:
        slots = [SlotInfo(variable.slot, ord(variable.signature[0]))]
        commands.append(stack_frame.GetValues(thread, frame, slots))
    return commands


def slots_to_ask(variables: Sequence[Slotted]) -> list[SlotInfo]:
    """Return the slots of variables as one command asks for them all."""
    return [SlotInfo(variable.slot, ord(variable.signature[0])) for variable in variables]


def frame_command(thread: ThreadID, frame: FrameID, variables: Sequence[Slotted], static: bool) -> Command[Any] | None:
    """Return what asks for them all at once, ``this`` as the variable in slot 0; None when there is nothing to ask.

    The target looks for the frame from the innermost on for each slot, and for ``ThisObject`` twice.
    """
    slots = [*([] if static else [SlotInfo(0, ord("L"))]), *slots_to_ask(variables)]
    return stack_frame.GetValues(thread, frame, slots) if slots else None


def frame_values(variables: Sequence[Slotted], static: bool, values: Sequence[TaggedValue]) -> RawFrameVariables:
    """Return the values in the answer to ``frame_command``."""
    this, rest = (TaggedValue(Tag.OBJECT, 0), values) if static else (values[0], values[1:])
    return RawFrameVariables(this, dict(zip(map(key_of, variables), rest, strict=True)))


def frame_variables(variables: Sequence[SlotVariable], answers: Sequence[Any]) -> RawFrameVariables | JdwpError:
    """Return what the answers, or errors in their place, tell of the frame; the error when there is no such frame."""
    this, *values = answers
    if isinstance(this, JdwpError):
        return this
    read = [each if isinstance(each, JdwpError) else each.values[0] for each in values]
    own = TaggedValue(this.objectThis.tag, this.objectThis.objectID)
    return RawFrameVariables(own, dict(zip(map(key_of, variables), read, strict=True)))

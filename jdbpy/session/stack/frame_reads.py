"""The commands that read ``this`` and the variables of one frame, and what their answers say. Pure.

Each variable has a command of its own, as one that holds no value at this place would spoil all that are asked with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jdbpy.errors import JdwpError
from jdbpy.session.stack.frame_memory import FrameVariables, key_of
from jdbpy.session.stack.slots import SlotVariable
from jdbpy.wire.command import Command
from jdbpy.wire.ids import FrameID, ThreadID, Value
from jdbpy.wire.messages import stack_frame
from jdbpy.wire.messages.stack_frame import SlotInfo


def frame_commands(thread: ThreadID, frame: FrameID, variables: Sequence[SlotVariable]) -> list[Command[Any]]:
    """What asks for them all."""
    commands: list[Command[Any]] = [stack_frame.ThisObject(thread, frame)]
    for variable in variables:
        slots = [SlotInfo(variable.slot, ord(variable.signature[0]))]
        commands.append(stack_frame.GetValues(thread, frame, slots))
    return commands


def frame_variables(variables: Sequence[SlotVariable], answers: Sequence[Any]) -> FrameVariables | JdwpError:
    """What the answers, or errors in their place, tell of the frame; the error when there is no such frame."""
    this, *values = answers
    if isinstance(this, JdwpError):
        return this
    read = [each if isinstance(each, JdwpError) else each.values[0] for each in values]
    own = Value(this.objectThis.tag, this.objectThis.objectID)
    return FrameVariables(own, dict(zip(map(key_of, variables), read, strict=True)))

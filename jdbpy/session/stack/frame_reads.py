"""The commands that read ``this`` and the variables of one frame, and what their answers say. Pure.

Each variable has a command of its own, as one that holds no value at this place would spoil all that are asked with it.
For many frames all variables of a frame are asked in one command; where that is spoiled, the frame is asked again so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jdbpy.errors import JdwpError
from jdbpy.session.stack.frame_memory import RawFrameVariables, key_of
from jdbpy.session.stack.slots import SlotVariable
from jdbpy.wire.command import Command
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import FrameID, TaggedValue, ThreadID
from jdbpy.wire.messages import stack_frame
from jdbpy.wire.messages.stack_frame import SlotInfo


def frame_commands(thread: ThreadID, frame: FrameID, variables: Sequence[SlotVariable]) -> list[Command[Any]]:
    """What asks for them all."""
    commands: list[Command[Any]] = [stack_frame.ThisObject(thread, frame)]
    for variable in variables:
        slots = [SlotInfo(variable.slot, ord(variable.signature[0]))]
        commands.append(stack_frame.GetValues(thread, frame, slots))
    return commands


def frame_command(
    thread: ThreadID, frame: FrameID, variables: Sequence[SlotVariable], static: bool
) -> Command[Any] | None:
    """What asks for them all at once, ``this`` as the variable in slot 0; None when there is nothing to ask.

    The target looks for the frame from the innermost on for each slot, and for ``ThisObject`` twice.
    """
    slots = [] if static else [SlotInfo(0, ord("L"))]
    slots += [SlotInfo(variable.slot, ord(variable.signature[0])) for variable in variables]
    return stack_frame.GetValues(thread, frame, slots) if slots else None


def frame_values(variables: Sequence[SlotVariable], static: bool, values: Sequence[TaggedValue]) -> RawFrameVariables:
    """What the answer to ``frame_command`` tells of the frame."""
    this, rest = (TaggedValue(Tag.OBJECT, 0), values) if static else (values[0], values[1:])
    return RawFrameVariables(this, dict(zip(map(key_of, variables), rest, strict=True)))


def frame_variables(variables: Sequence[SlotVariable], answers: Sequence[Any]) -> RawFrameVariables | JdwpError:
    """What the answers, or errors in their place, tell of the frame; the error when there is no such frame."""
    this, *values = answers
    if isinstance(this, JdwpError):
        return this
    read = [each if isinstance(each, JdwpError) else each.values[0] for each in values]
    own = TaggedValue(this.objectThis.tag, this.objectThis.objectID)
    return RawFrameVariables(own, dict(zip(map(key_of, variables), read, strict=True)))

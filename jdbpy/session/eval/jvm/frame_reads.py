"""Reading a frame whose id is foreseen: ``this`` and the slots of variables, in one trip."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jdbpy.errors import JdwpError
from jdbpy.session.eval.jvm.raw import from_wire
from jdbpy.session.eval.target import FrameValues, Local, Ref
from jdbpy.session.types.refs import as_declared
from jdbpy.wire.command import Command
from jdbpy.wire.ids import FrameID, ThreadID
from jdbpy.wire.messages import stack_frame


class FrameRead:
    """What is read of a frame: the variables, and ``this`` if it is asked for."""

    def __init__(self, locals_: Sequence[Local], *, this: bool) -> None:
        self._locals = locals_
        self._slots = [stack_frame.SlotInfo(local.slot, ord(local.signature[0])) for local in locals_]
        self._this = this

    def commands(self, thread: ThreadID, frame: FrameID) -> list[Command[Any]]:
        """One command for all slots, one for ``this``."""
        found: list[Command[Any]] = []
        if self._slots:
            found.append(stack_frame.GetValues(thread, frame, self._slots))
        if self._this:
            found.append(stack_frame.ThisObject(thread, frame))
        return found

    def values(self, outcomes: Sequence[Any]) -> FrameValues | None:
        """What the answers to ``commands`` say; None when the slots cannot be read all together."""
        rest = list(outcomes)
        this: Ref | None = None
        if self._this:
            answer = rest.pop()
            if isinstance(answer, JdwpError):
                raise answer
            if answer.objectThis.objectID:
                this = Ref(answer.objectThis.objectID, answer.objectThis.tag)
        if not rest:
            return FrameValues(this, {})
        if isinstance(rest[0], JdwpError):
            return None
        values = as_declared(self._locals, rest[0].values)
        slots = {local.slot: from_wire(value) for local, value in zip(self._locals, values, strict=True)}
        return FrameValues(this, slots)

"""The objects that the variables of stopped threads hold: where paths may begin besides static fields."""

from __future__ import annotations

from jdbpy.errors import JdwpError, StateError
from jdbpy.session.heap.model import StackRoot
from jdbpy.session.stack.component import Stack
from jdbpy.session.stack.variables import frame_slots, read_slots
from jdbpy.session.target import Target
from jdbpy.session.values.obj import OBJECT_TAGS

_FRAMES = 50
"""Frames of each thread that are looked at, the innermost first."""


async def stack_roots(target: Target, stack: Stack) -> dict[int, StackRoot]:
    """The objects in ``this``, arguments and locals of stopped threads, by id.

    wire: the stacks (2 to 4 trips), and 1 or 2 for each frame with variables.
    """
    roots: dict[int, StackRoot] = {}
    if not target.suspension.anything_held:
        return roots
    for trace in await stack.all():
        for frame in trace.frames[:_FRAMES]:
            if frame.native:
                continue
            try:
                variables = [each for each in await frame_slots(target, frame) if each.signature[0] in "L["]
                this, values = await read_slots(target, frame, variables)
            except (JdwpError, StateError):  # the thread was let go meanwhile
                break
            named = [("this", this), *zip((each.name for each in variables), values, strict=True)]
            for name, value in named:
                if not isinstance(value, JdwpError) and value.tag in OBJECT_TAGS and value.value:
                    roots.setdefault(int(value.value), StackRoot(frame.thread, frame, name))
    return roots

"""The objects that the variables of stopped threads hold: where paths may begin besides static fields."""

from __future__ import annotations

from functools import partial

from jdbpy.errors import JdwpError, StateError
from jdbpy.session.concurrency import together
from jdbpy.session.heap.model import StackRoot
from jdbpy.session.model import Frame
from jdbpy.session.stack.component import Stack
from jdbpy.session.stack.variables import frame_slots, prefetch_slots, read_slots
from jdbpy.session.target import Target
from jdbpy.wire.layout import OBJECT_TAGS

_FRAMES = 50
"""Frames of each thread that are looked at, the innermost first."""


async def stack_roots(target: Target, stack: Stack) -> dict[int, StackRoot]:
    """The objects in ``this``, arguments and locals of stopped threads, by id.

    wire: the stacks (2 or 3 trips), 1 for what variables the methods have, 1 for the values, whatever the number of
    frames; 1 more where there are methods without a variable table.
    """
    roots: dict[int, StackRoot] = {}
    if not target.suspension.anything_held:
        return roots
    traces = await stack.all()
    frames = [frame for trace in traces for frame in trace.frames[:_FRAMES] if not frame.native]
    await prefetch_slots(target, frames)
    for frame, held in zip(frames, await together(*(partial(_held, target, frame) for frame in frames)), strict=True):
        for name, value in held:
            roots.setdefault(value, StackRoot(frame.thread, frame, name))
    return roots


async def _held(target: Target, frame: Frame) -> list[tuple[str, int]]:
    """The variables of a frame that hold objects; none when its thread was let go meanwhile. wire: 1 trip."""
    try:
        variables = [each for each in await frame_slots(target, frame) if each.signature[0] in "L["]
        this, values = await read_slots(target, frame, variables)
    except (JdwpError, StateError):
        return []
    named = [("this", this), *zip((each.name for each in variables), values, strict=True)]
    return [
        (name, int(value.value))
        for name, value in named
        if not isinstance(value, JdwpError) and value.tag in OBJECT_TAGS and value.value
    ]

"""Conditions of breakpoints: parsed when they are set, compiled once for each place, asked at every hit.

Owns what a hit costs: one trip for the frame, one for all that the condition reads of it, one more for each further
link; nothing is described and nothing is remembered.
"""

from __future__ import annotations

from collections.abc import Callable

from jdbpy.errors import EvalError
from jdbpy.session.eval.java.class_graph import ClassGraph
from jdbpy.session.eval.jvm.frame_target import FrameTarget
from jdbpy.session.eval.ops.base import Variables
from jdbpy.session.eval.program import Compiled, Program
from jdbpy.session.model import Frame, ThreadRef
from jdbpy.session.target import Target
from jdbpy.session.thread_reader import wire_thread
from jdbpy.wire.messages import thread_reference

FrameTargetOf = Callable[[Frame], FrameTarget]
Place = tuple[int, int, int]
"""Type, method and code index."""


class CompiledCondition:
    """A boolean expression, evaluated in the innermost frame of a thread that an event has stopped."""

    def __init__(self, target: Target, frame_target: FrameTargetOf, variables: Variables, text: str) -> None:
        """Raises EvalError when the text is no single expression."""
        self.text = text
        self._target = target
        self._frame_target = frame_target
        self._variables = variables
        self._program = Program(text)
        self._program.expression()
        self._compiled: dict[Place, Compiled] = {}

    async def holds(self, thread_id: int) -> bool:
        """The value at this hit. Raises EvalError when it does not compile at this place, Thrown when it throws."""
        frame = await self._top_frame(thread_id)
        target = self._frame_target(frame)
        try:
            compiled = await self._at(frame, target)
            value = (await compiled.run(target, self._variables)).value
        finally:
            target.pins.release()
        return bool(value)

    async def _top_frame(self, thread_id: int) -> Frame:
        """The innermost frame. wire: 1 trip."""
        epoch = self._target.suspension.epoch_of(thread_id)
        reply = await self._target.conn.request(thread_reference.Frames(wire_thread(thread_id), 0, 1))
        if not reply.frames:
            raise EvalError("the thread has no Java frame")
        (location,) = await self._target.types.locations([reply.frames[0].location])
        return Frame(1, location, ThreadRef(thread_id, ""), reply.frames[0].frameID, epoch)

    async def _at(self, frame: Frame, target: FrameTarget) -> Compiled:
        place = (frame.location.type_id, frame.location.method_id, frame.location.code_index)
        if place not in self._compiled:
            graph = ClassGraph(target)
            self._compiled[place] = await self._program.compile(target, graph, self._variables, condition=True)
        return self._compiled[place]

"""An expression that is asked at every hit of a point: compiled once for each place, with as few trips as possible.

Owns the innermost frame of a thread that an event has just stopped, and the guess at its id that lets the frame and the
variables be asked for in one trip. The agent makes a frame id of a count of the thread's resumes and of the frame's
depth (``FrameID.c``; agent note 27), so the next id of the top frame follows from the last. The frame's real id comes
with the same trip: a wrong guess costs a trip more and never a wrong value.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from jdbpy.errors import EvalError, JdwpError
from jdbpy.session.eval.java.class_graph import ClassGraph
from jdbpy.session.eval.jvm.frame_reads import FrameRead
from jdbpy.session.eval.jvm.frame_target import FrameTarget
from jdbpy.session.eval.operands import Operand
from jdbpy.session.eval.ops.base import Variables
from jdbpy.session.eval.program import Compiled
from jdbpy.session.model import Frame, ThreadRef
from jdbpy.session.target import Target
from jdbpy.session.threads.reader import wire_thread
from jdbpy.wire.ids import FrameID
from jdbpy.wire.messages import thread_reference
from jdbpy.wire.record import Record

_ONE_RESUME = 1 << 16
"""What one resume of the thread adds to the id of its top frame."""

Place = tuple[int, int, int]
"""Type, method and code index."""
Compile = Callable[[FrameTarget, ClassGraph], Awaitable[Compiled]]
FrameTargetOf = Callable[[Frame], FrameTarget]


class _LastFrame(Record):
    """A thread's top frame at its last hit, and the thread's epoch then."""

    id: int
    epoch: int


class AtHits:
    """Evaluates one compiled text in the innermost frames of threads. ``compile_at`` compiles it for a frame."""

    def __init__(self, target: Target, frame_target: FrameTargetOf, variables: Variables, compile_at: Compile) -> None:
        self._target = target
        self._frame_target = frame_target
        self._variables = variables
        self._compile_at = compile_at
        self._compiled: dict[Place, Compiled] = {}
        self._last: dict[int, _LastFrame] = {}
        self._last_place: Place | None = None

    async def evaluate(self, thread_id: int) -> Operand:
        """The value at this hit. Raises EvalError when it does not compile at this place, Thrown when it throws.

        wire: 1 trip for the frame and its variables once the place is known, 1 for each further link.
        """
        target, place = await self._frame(thread_id)
        try:
            if place not in self._compiled:
                self._compiled[place] = await self._compile_at(target, ClassGraph(target))
            self._last_place = place
            return await self._compiled[place].run(target, self._variables)
        finally:
            target.pins.release()

    async def _frame(self, thread_id: int) -> tuple[FrameTarget, Place]:
        """The innermost frame, with its variables if the guess at its id was right. wire: 1 trip."""
        thread = wire_thread(thread_id)
        epoch = self._target.suspension.epoch_of(thread_id)
        last = self._last.get(thread_id)
        guess = FrameID(last.id + (epoch - last.epoch) * _ONE_RESUME) if last is not None else FrameID(0)
        read = self._foreseen_read() if guess else None
        commands: list[Any] = [thread_reference.Frames(thread, 0, 1)]
        reply, *outcomes = await self._target.conn.batch(commands + (read.commands(thread, guess) if read else []))
        if isinstance(reply, JdwpError):
            raise reply
        if not reply.frames:
            raise EvalError("the thread has no Java frame")
        top = reply.frames[0]
        self._last[thread_id] = _LastFrame(top.frameID, epoch)
        (location,) = await self._target.types.locations([top.location])
        target = self._frame_target(Frame(1, location, ThreadRef(thread_id, ""), top.frameID, epoch))
        place = (location.type_id, location.method_id, location.code_index)
        if read is not None and top.frameID == guess and place == self._last_place:
            values = read.values(outcomes)
            if values is not None:
                target.foresee(values)
        return target, place

    def _foreseen_read(self) -> FrameRead | None:
        """What will have to be read of the frame if this hit is where the last one was."""
        if self._last_place is None:
            return None
        reads = self._compiled[self._last_place].compiler.reads
        return FrameRead(list(reads.locals.values()), this=reads.this)

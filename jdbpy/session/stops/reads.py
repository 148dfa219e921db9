"""What a stop asks of its thread, in one wave: its name, its top frame, and over a slow link the variables in that.

Owns these commands and what their answers say. Variables can go into the same wave because the id of the frame is
foreseen (``foresight``); Frames, beside them, tells whether it was right, and only then do they count.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from jdbpy.errors import JdbpyError, JdwpError
from jdbpy.record import Record
from jdbpy.session.model import ThreadRef
from jdbpy.session.target import Target
from jdbpy.session.threads.reader import thread_ref
from jdbpy.wire.command import Command
from jdbpy.wire.constants import Error
from jdbpy.wire.ids import ObjectID, ThreadID
from jdbpy.wire.messages import thread_reference
from jdbpy.wire.pending import Pending

if TYPE_CHECKING:
    from jdbpy.session.stack.frame_memory import RawFrameVariables
    from jdbpy.session.stack.slots import SlotVariable

_MOST = 40
"""Variables that are read unasked, one command each: one that holds nothing spoils no other."""

_NO_FRAMES = frozenset((Error.THREAD_NOT_SUSPENDED, Error.INVALID_THREAD, Error.INVALID_INDEX))
"""Errors for a thread that has run on, has ended, or has no frame yet, as at the start of the VM."""


class Top(Record):
    """A thread, its top frame (None when it has none, or runs), the number of its frames, and what is in the frame.

    ``error`` says why the frame is missing, where the agent has refused it.
    """

    thread: ThreadRef
    frame: thread_reference.Frame | None
    total: int | None
    variables: RawFrameVariables | None
    error: str = ""


class StopReads:
    """The questions about one thread where it stands now, or will have stopped; they go out when this is made.

    ``variables`` are read too, if the id of the top frame can be foreseen. Raises Disconnected. wire: no wait.
    """

    __slots__ = ("_epoch", "_guess", "_pending", "_target", "_thread", "_variables")

    def __init__(self, target: Target, thread_id: int, variables: Sequence[SlotVariable] = ()) -> None:
        self._target = target
        self._thread = thread = ThreadID(ObjectID(thread_id))
        self._epoch = target.suspension.epoch_of(thread_id)
        self._guess = target.foresight.guess_or_try(thread_id) if variables else None
        self._variables = variables[:_MOST]
        commands: list[Command[Any]] = [
            thread_reference.Name(thread),
            thread_reference.Frames(thread, 0, 1),
            thread_reference.FrameCount(thread),
        ]
        if self._guess is not None:
            from jdbpy.session.stack.frame_reads import frame_commands

            commands += frame_commands(thread, self._guess, self._variables)
        with target.conn.gathering:
            self._pending: list[Pending[Any]] = target.conn.submit_all(commands)
            if target.at_least(21) and thread_id not in target.virtual_threads:
                target.conn.submit(thread_reference.IsVirtual(thread), on_reply=self._is_virtual)

    def _is_virtual(self, answer: thread_reference.IsVirtualReply | JdbpyError) -> None:
        if isinstance(answer, thread_reference.IsVirtualReply):
            self._target.virtual_threads[self._thread] = answer.isVirtual

    @property
    def answered(self) -> bool:
        """Whether an answer has come in already."""
        return self._pending[0].done

    async def take(self) -> Top:
        """What the answers say. wire: 1 trip from when they were asked for."""
        name, frames, count, *values = await self._target.conn.gather(self._pending)
        thread = thread_ref(self._thread, name)
        if isinstance(frames, JdwpError):
            error = "" if frames.number in _NO_FRAMES else f"the frames cannot be read: {frames}"
            return Top(thread, None, None, None, error)
        if not frames.frames:
            return Top(thread, None, None, None)
        [top] = frames.frames
        total = None if isinstance(count, JdwpError) else count.frameCount
        right = self._target.foresight.compare(self._thread, self._epoch, self._guess, top.frameID)
        return Top(thread, top, total, self._variables_of(values) if right else None)

    def _variables_of(self, answers: list[Any]) -> RawFrameVariables | None:
        from jdbpy.session.stack.frame_reads import frame_variables

        found = frame_variables(self._variables, answers)
        return None if isinstance(found, JdwpError) else found

"""Stacks and frames: of one thread, of all, the frame that is selected, and the variables in it.

Frames are remembered until their thread runs on, so that a question asked twice at one stop costs one answer.
"""

from __future__ import annotations

from collections.abc import Sequence

from jdbpy.errors import JdwpError, StateError, UsageError
from jdbpy.session.events.selection import no_such_thread
from jdbpy.session.events.target import Target
from jdbpy.session.events.threads import FrameRange, ReadThread, ThreadReader, wire_thread
from jdbpy.session.model.threads import (
    EVERY_THREAD,
    EqualStacks,
    FrameInfo,
    StackTrace,
    ThreadFilter,
    ThreadInfo,
    ThreadRef,
    check,
    fits,
)
from jdbpy.session.model.values import Limits, Variable
from jdbpy.session.values.changes import Changes
from jdbpy.session.values.objects import Objects
from jdbpy.session.values.variables import DEFAULT_LIMITS, read_variables
from jdbpy.wire.ids import ThreadID
from jdbpy.wire.messages import thread_reference


class StackReader:
    """Component ``session.stack``. Frames are numbered from 1, the innermost."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._reader = ThreadReader(target)
        self._selected: FrameInfo | None = None
        self._selected_at = 0  # the thread's stop at which it was read
        self._frames_at = 0  # and its frames then (``Suspension.frames_of``)

    # -- stacks --------------------------------------------------------------------------------------------------

    async def of(self, thread_id: int | None = None, start: int = 0, count: int | None = None) -> StackTrace:
        """Return the stack of a thread, by default the selected one: ``count`` frames (None: all) after the first
        ``start``.

        ``total`` counts all frames of the stack. A thread that runs has none, and ``error`` says so. Raises UsageError
        for an unknown thread. wire: 2 trips, 1 when the classes are known.
        """
        self._target.require_alive()
        if start < 0 or (count is not None and count < 0):
            raise UsageError("the frames of a stack are counted from 0 upwards")
        return _trace(await self._read(self._thread(thread_id), FrameRange(start, count)))

    async def all(self, chosen: ThreadFilter = EVERY_THREAD, *, count: int | None = None) -> list[StackTrace]:
        """Return the stacks of all live threads, or of those that the filter lets through: all frames, or the first
        ``count``.

        wire: 3 trips, 2 when the classes are known, however many threads; 1 more with a filter.
        """
        threads = await self._chosen(chosen)
        return [_trace(read) for read in await self._reader.read(threads, FrameRange(0, count))]

    async def folded(self, chosen: ThreadFilter = EVERY_THREAD, *, count: int | None = None) -> list[EqualStacks]:
        """Like ``all``, equal stacks once: those of most threads first. ``count`` compares no more than the first
        frames.

        Stacks are equal when they have the same methods at the same places; threads without frames are grouped by why.
        Costs as ``all``.
        """
        threads = await self._chosen(chosen)
        groups = [
            EqualStacks(tuple(read.info for read in group), tuple(group[0].frames), group[0].error)
            for group in await self._reader.read_equal(threads, FrameRange(0, count))
        ]
        return sorted(groups, key=lambda group: -len(group.threads))

    async def _chosen(self, chosen: ThreadFilter) -> list[ThreadID]:
        """Return the live threads that the filter lets through. wire: 1 trip, 2 with a filter."""
        self._target.require_alive()
        threads = await self._reader.all_threads()
        if check(chosen) == EVERY_THREAD:
            return threads
        return [wire_thread(read.info.id) for read in await self._reader.read(threads) if fits(chosen, read.info)]

    async def frames(self, thread_id: int, start: int, count: int) -> Sequence[FrameInfo]:
        """Frames of a suspended thread; fewer when the stack ends before. Raises StateError. wire: 1 or 2 trips."""
        self._target.require_alive()
        self._target.require_agent("looking into a frame")
        self._target.suspension.require_suspended(thread_id)
        read = await self._read(thread_id, FrameRange(start, count))
        if read.error:
            raise StateError(read.error, hint="'suspend THREAD' or 'pause' stops it")
        return read.frames

    async def _read(self, number: int, frames: FrameRange) -> ReadThread:
        found = await self._reader.read([wire_thread(number)], frames)
        if not found:
            raise no_such_thread(number)
        return found[0]

    # -- the selected frame --------------------------------------------------------------------------------------

    async def selected(self) -> FrameInfo:
        """Return the selected frame. Raises StateError when no thread is selected, or it runs. wire: 0 to 2 trips."""
        self._target.require_alive()
        self._target.require_agent("looking into a frame")
        thread = self._target.selection.require_thread()
        self._target.suspension.require_suspended(thread.id)
        remembered = self._selected
        epoch = self._target.suspension.epoch_of(thread.id)
        index = self._target.selection.frame
        if remembered is None or (remembered.thread.id, remembered.epoch, remembered.index) != (
            thread.id,
            epoch,
            index,
        ):
            same = await self._again(remembered, thread.id, index) if remembered is not None else None
            found = [same] if same is not None else await self.frames(thread.id, index - 1, 1)
            if not found:
                raise StateError("the thread has no Java frames", hint="'threads' lists the others")
            remembered = found[0]
            self.remember(remembered)
        return remembered

    async def standing(self) -> FrameInfo:
        """Return the selected frame. Its id may be void because methods have run since.

        Raises as ``selected``. wire: 0 to 2 trips.
        """
        remembered, thread = self._selected, self._target.selection.thread
        if remembered is not None and thread is not None:
            suspension = self._target.suspension
            here = (thread.id, self._target.selection.frame, suspension.frames_of(thread.id))
            if suspension.is_suspended(thread.id) and here == (remembered.thread.id, remembered.index, self._frames_at):
                self._target.require_alive()
                suspension.require_suspended(thread.id)
                return remembered
        return await self.selected()

    async def _again(self, frame: FrameInfo, thread_id: int, index: int) -> FrameInfo | None:
        """Return the frame with its new id, if its thread has done nothing since but run methods for expressions.

        wire: 1 trip, 0 when another frame is meant.
        """
        suspension = self._target.suspension
        if (frame.thread.id, frame.index, self._selected_at) != (thread_id, index, suspension.stop_of(thread_id)):
            return None
        epoch = suspension.epoch_of(thread_id)
        try:
            reply = await self._target.conn.request(thread_reference.Frames(wire_thread(thread_id), index - 1, 1))
        except JdwpError:
            return None
        place = frame.location
        for each in reply.frames:
            where = (each.location.classID, each.location.methodID, each.location.index)
            if where == (place.type_id, place.method_id, place.code_index):
                moved: FrameInfo = frame.replace(id=each.frameID, epoch=epoch)
                return moved
        return None

    def remember(self, frame: FrameInfo) -> None:
        """Take in a frame that was read elsewhere: a stop brings its own, and it is asked for at once."""
        self._selected = frame
        self._selected_at = self._target.suspension.stop_of(frame.thread.id)
        self._frames_at = self._target.suspension.frames_of(frame.thread.id)

    def forget(self) -> None:
        """Drop what is remembered: what the frames run, or how their lines are shown, has changed."""
        self._selected = None

    async def select_thread(self, thread_id: int) -> ThreadInfo:
        """Select a thread and its innermost frame. Raises UsageError for an unknown one. wire: 1 or 2 trips."""
        self._target.require_alive()
        read = await self._read(thread_id, FrameRange(0, 1))
        self._target.selection.select(ThreadRef(thread_id, read.info.name))
        if self._target.clients is not None:
            self._target.clients.take(self._target, thread_id)
        if not self._target.agent_line:  # there a virtual thread costs a dump of its own
            self._target.meet(thread_id)
        self.forget()
        if read.frames:
            self.remember(read.frames[0])
        return read.info

    async def select_frame(self, index: int) -> FrameInfo:
        """Select a frame of the selected thread. Raises UsageError beyond its ends. wire: 1 or 2 trips."""
        self._target.require_alive()
        self._target.require_agent("looking into a frame")
        thread = self._target.selection.require_thread()
        if index < 1:
            raise UsageError("that is beyond the innermost frame, which is number 1", code="NO_SUCH_FRAME")
        self._target.suspension.require_suspended(thread.id)
        read = await self._read(thread.id, FrameRange(index - 1, 1))
        if not read.frames:
            raise UsageError(
                f"no frame {index}: the stack of thread {thread.id} has {read.total}",
                hint="'where' shows the stack",
                code="NO_SUCH_FRAME",
            )
        self._target.selection.frame = index
        [frame] = read.frames
        self.remember(frame)
        return frame

    # -- variables -----------------------------------------------------------------------------------------------

    async def variables(self, frame: FrameInfo | None = None, limits: Limits = DEFAULT_LIMITS) -> tuple[Variable, ...]:
        """``this``, arguments, locals in scope and captured variables of a frame, by default the selected one.

        What has another value than at the last stop at which this was asked in the frame is marked as changed.
        Without a variable table (-g) arguments are called arg0, arg1 and so on, and other slots slot5. Raises
        StateError when the frame's thread has run on. wire: 2 trips and what describing takes, 1 when known.
        """
        self._target.require_alive()
        chosen = frame if frame is not None else await self.selected()
        return (await self.variables_of_all([chosen], limits))[0]

    def will_read(self, frame: FrameInfo) -> None:
        """The variables of a frame will be asked for at once: nothing else need be prefetched at this stop. No trip."""
        Objects.of(self._target).take_over(frame.thread.id)

    async def variables_of_all(
        self, frames: Sequence[FrameInfo], limits: Limits = DEFAULT_LIMITS
    ) -> list[tuple[Variable, ...]]:
        """``variables`` for many frames, side by side. wire: as for one."""
        self._target.require_alive()
        found = await read_variables(self._target, frames, limits)
        key = ("variables", limits)
        return [Changes.of(self._target).mark(frame, key, each) for frame, each in zip(frames, found, strict=True)]

    def _thread(self, number: int | None) -> int:
        return number if number is not None else self._target.selection.require_thread().id


def _trace(read: ReadThread) -> StackTrace:
    return StackTrace(read.info, read.frames, read.total, read.error)

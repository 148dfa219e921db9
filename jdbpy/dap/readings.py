"""The variables of frames, read ahead of the client's requests and once for several of them.

An editor asks for a stack, for the scopes of its innermost frame, then for the variables of each scope: each request
waits for the one before. So they are read when the stop is shown, and the requests are answered from that reading. It
is good for one look: who asks for the same once more, or after something was changed, gets what is there then.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import trio

import jdbpy
from jdbpy import JdbpyError
from jdbpy.dap.debuggee import Debuggee
from jdbpy.dap.editor import Editor
from jdbpy.dap.handles import Handles

if TYPE_CHECKING:
    from jdbpy import FieldInfo, FrameInfo, Limits, Variable

_MOST = 20
"""Frames whose variables are kept; at the limit all are dropped."""


ARRAY = "array:"
"""Begins the memory references of arrays of primitives; the number of their variables follows."""


def shallow() -> Limits:
    """Return how a value is described that can be opened: in one line."""
    return jdbpy.Limits(depth=0)


class _Reading:
    """The variables of one frame, or the fields of its ``this``: under way, read, or why they cannot be read."""

    def __init__(self, frame: FrameInfo) -> None:
        self.frame = frame
        self.done = trio.Event()
        self.found: Sequence[Variable] | None = None
        self.error: JdbpyError | None = None
        self.uses: set[str] = set()

    async def read(self, call: Callable[[], Awaitable[Sequence[Variable]]]) -> None:
        try:
            self.found = await call()
        except JdbpyError as error:  # raised again to each request that asks for them
            self.error = error
        finally:
            self.done.set()


class FrameReadings:
    """The readings of one client's frames, by thread and number of the frame."""

    def __init__(self, debuggee: Debuggee, editor: Editor, handles: Handles) -> None:
        self._debuggee = debuggee
        self._editor = editor
        self._handles = handles
        self._variables: dict[tuple[int, int], _Reading] = {}
        self._this: _Reading | None = None
        self._memory: dict[int, int] = {}  # the sizes of arrays whose bytes the client shows
        self._opens_this = True  # the client has opened "This" when it was last shown

    def ahead(self, frame: FrameInfo) -> None:
        """Begin to read what the client will ask for next: the variables of a frame, the fields of ``this``."""
        if frame.native or self._known(self._variables.get(_key(frame)), frame):
            return
        session = self._debuggee.session
        session.stack.will_read(frame)
        self._begin(frame)
        if self._this is not None:
            self._opens_this = bool(self._this.uses)
        self._this = None
        if self._opens_this:
            self._this = reading = _Reading(frame)
            self._debuggee.start(partial(reading.read, lambda: session.objects.fields_of_this(frame, shallow())))

    def has_memory(self, number: int, size: int) -> None:
        """The client shows the bytes of an array, by the number of its variables."""
        if len(self._memory) < _MOST and self._editor.info.supportsMemoryEvent:
            self._memory[number] = size

    def changed(self) -> None:
        """Something was written, or has run: what was read before is old."""
        self._variables.clear()
        for number, size in list(self._memory.items()):
            try:
                self._handles.container(number)
            except JdbpyError:  # its thread has run on
                del self._memory[number]
            else:
                body = {"memoryReference": f"{ARRAY}{number}", "offset": 0, "count": size}
                self._editor.event("memory", body)
        if self._this is not None:
            self._this.uses.add("")

    async def variables(self, frame: FrameInfo, use: str) -> Sequence[Variable]:
        """Return the variables of a frame; those of one reading are given once for each ``use``. Raises StateError.

        wire: 2 trips, 3 where they refer to objects of new classes; none for what was read ahead.
        """
        reading = self._variables.get(_key(frame))
        if reading is None or not self._known(reading, frame) or use in reading.uses:
            reading = self._begin(frame)
        reading.uses.add(use)
        await reading.done.wait()
        if reading.error is not None:
            raise reading.error
        if reading.found is None:  # the session has ended meanwhile
            return await self._debuggee.session.stack.variables(frame, shallow())
        return reading.found

    async def fields_of_this(self, frame: FrameInfo, object_id: int) -> Sequence[Variable]:
        """Return the fields of ``this`` of a frame, which has that id. wire: 2 trips or 3; none if they were read
        ahead."""
        reading = self._this
        if reading is not None and self._known(reading, frame) and not reading.uses:
            reading.uses.add("This")
            await reading.done.wait()
            if reading.found:
                return reading.found
        return await self._debuggee.session.objects.fields(object_id, shallow())

    def _begin(self, frame: FrameInfo) -> _Reading:
        session = self._debuggee.session
        if len(self._variables) >= _MOST:
            self._variables.clear()
        reading = self._variables[_key(frame)] = _Reading(frame)
        self._debuggee.start(partial(reading.read, lambda: session.stack.variables(frame, shallow())))
        return reading

    def _known(self, reading: _Reading | None, frame: FrameInfo) -> bool:
        """True if a reading is of that frame as it stands now."""
        if reading is None or not self._debuggee.session.is_current_frame(reading.frame):
            return False
        return _key(reading.frame) == _key(frame) and reading.frame.location == frame.location


def _key(frame: FrameInfo) -> tuple[int, int]:
    return frame.thread.id, frame.index


def is_static(field: FieldInfo) -> bool:
    return "static" in field.modifiers.split()

"""The numbers of the protocol for threads, frames and what has variables.

They are the adapter's own: ids of the target are its own affair, and may be larger than a number of JavaScript. Frames
and values are good until their thread runs on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jdbpy import StateError, UsageError
from jdbpy.record import Record

if TYPE_CHECKING:
    from jdbpy import FrameInfo, ValueInfo
    from jdbpy.dap.debuggee import Debuggee


class Container(Record):
    """A thing that has variables.

    ``kind``: "frame" (those of the ``names`` kinds), "object", "fields" (of an object that is shown otherwise as well),
    "range" (``start`` and ``count`` of its elements), "static" (of the frame's class), "returned", "string" (what
    toString() gives). ``path`` is a Java expression for it, "" if there is none. ``hex``: its numbers are shown so.
    """

    kind: str
    frame: FrameInfo | None
    value: ValueInfo | None = None
    path: str = ""
    names: tuple[str, ...] = ()
    start: int = 0
    count: int = 0
    hex: bool = False


class Handles:
    """The numbers that one client knows."""

    def __init__(self, debuggee: Debuggee) -> None:
        self._debuggee = debuggee
        self._thread_numbers: dict[int, int] = {}
        self._thread_ids: dict[int, int] = {}
        self._frames: dict[int, FrameInfo] = {}
        self._frame_numbers: dict[tuple[int, int], int] = {}
        self._containers: dict[int, Container] = {}
        self._recorded: dict[int, object] = {}
        self._last_number = 0
        self._last_thread = 0

    def thread_number(self, thread_id: int) -> int:
        """Return the client's number for a thread."""
        number = self._thread_numbers.get(thread_id)
        if number is None:
            number = self._thread_numbers[thread_id] = self.new_thread_number()
            self._thread_ids[number] = thread_id
        return number

    def new_thread_number(self) -> int:
        """Return a number that no thread has."""
        self._last_thread += 1
        return self._last_thread

    def thread_id(self, number: int) -> int:
        """Return the JDWP id of a thread. Raises UsageError for a number that no thread has."""
        if number not in self._thread_ids:
            raise UsageError(f"no thread {number}", code="NO_SUCH_THREAD")
        return self._thread_ids[number]

    def frame_number(self, frame: FrameInfo) -> int:
        """Return the client's number for a frame."""
        key = frame.thread.id, frame.index
        number = self._frame_numbers.get(key)
        if number is None or not self._debuggee.session.is_current_frame(self._frames[number]):
            self._last_number += 1
            number = self._frame_numbers[key] = self._last_number
        self._frames[number] = frame
        return number

    def frame(self, number: int) -> FrameInfo:
        """Return the frame of a number. Raises StateError when its thread has run on, UsageError when there is none."""
        found = self._frames.get(number)
        if found is not None and self._debuggee.session.is_current_frame(found):
            return found
        self._refuse_recorded(number)
        if found is not None or 0 < number <= self._last_number:
            raise StateError("that frame is gone: its thread has run since", code="FRAME_GONE")
        raise UsageError(f"no frame {number}", code="NO_SUCH_FRAME")

    def container_number(self, container: Container) -> int:
        """Return the client's number for something that has variables."""
        self._last_number += 1
        self._containers[self._last_number] = container
        return self._last_number

    def container(self, number: int) -> Container:
        """Return what has that number. Raises StateError when its thread has run on, UsageError when there is none."""
        found = self._containers.get(number)
        if found is not None and (found.frame is None or self._debuggee.session.is_current_frame(found.frame)):
            return found
        self._refuse_recorded(number)
        if found is not None or 0 < number <= self._last_number:
            raise StateError("these variables are gone: their thread has run since", code="VARIABLES_GONE")
        raise UsageError(f"no variables {number}", code="NO_SUCH_VARIABLES")

    # -- what is in a recorded call ------------------------------------------------------------------------------------

    def recorded_number(self, what: object) -> int:
        """Return the client's number for the frame of the recorded call that it is shown, or for values there."""
        self._last_number += 1
        self._recorded[self._last_number] = what
        return self._last_number

    def recorded(self, number: int | None) -> object | None:
        """Return what of a recorded call has that number; None where that is something else."""
        return self._recorded.get(number) if number is not None else None

    def drop_recorded(self) -> None:
        """Forget these numbers: another line of it is shown, or none."""
        self._recorded.clear()

    def _refuse_recorded(self, number: int) -> None:
        if number in self._recorded:
            raise StateError("that is in a recorded call: it is over, and can only be read", code="RECORDED")

    def drop_old(self) -> None:
        """Forget frames and values of threads that have run on. No trip."""
        session = self._debuggee.current
        if session is None:
            return
        frames = {number: frame for number, frame in self._frames.items() if session.is_current_frame(frame)}
        kept = {key: number for key, number in self._frame_numbers.items() if number in frames}
        self._frames, self._frame_numbers = frames, kept
        self._containers = {
            number: each
            for number, each in self._containers.items()
            if each.frame is None or session.is_current_frame(each.frame)
        }

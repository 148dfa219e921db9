"""Threads that run the method of an expression which was given up, while the client takes them for stopped.

An expression may be canceled, or take longer than is waited for: its method goes on, and nothing can be asked of its
thread until it has ended. The client hears that the thread runs, and that it stands where it was when the method ends.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from jdbpy import JdbpyError
from jdbpy.dap.debuggee import Debuggee
from jdbpy.dap.editor import Editor
from jdbpy.dap.handles import Handles
from jdbpy.dap.protocol import Body
from jdbpy.dap.stops import StopEvents
from jdbpy.escape import escape

if TYPE_CHECKING:
    from jdbpy import FrameInfo, Notice


class LeftMethods:
    """The threads of one client of which it has heard so."""

    def __init__(self, debuggee: Debuggee, editor: Editor, handles: Handles, stops: StopEvents) -> None:
        self._debuggee = debuggee
        self._editor = editor
        self._handles = handles
        self._stops = stops
        self._evaluating: Counter[int] = Counter()
        self._told: set[int] = set()

    @contextmanager
    def evaluating(self, frame: FrameInfo | None) -> Iterator[None]:
        """An expression is evaluated in a frame in the block. If it fails as a method has not returned, and no other
        request waits for that method, it was given up."""
        if frame is None:
            yield
            return
        thread = frame.thread.id
        self._evaluating[thread] += 1
        try:
            yield
        except JdbpyError as error:
            if error.code == "STILL_RUNNING" and self._evaluating[thread] == 1:
                self._runs(thread)
            raise
        finally:
            self._evaluating[thread] -= 1

    def heard(self, notice: Notice) -> None:
        """Take in what the session says of a method that was given up, if that is what it says. No trip."""
        data = dict(notice.data)
        thread, runs = data.get("thread"), data.get("runs")
        if isinstance(thread, int) and runs is True:
            self._runs(thread)
        elif isinstance(thread, int) and runs is False:
            self._ended(thread, notice.text)

    def begin_anew(self) -> None:
        """Forget the threads of another session."""
        self._told.clear()

    def _runs(self, thread: int) -> None:
        if thread in self._stops.last and thread not in self._told and self._debuggee.has_session:
            self._told.add(thread)
            body: Body = {"threadId": self._handles.thread_number(thread), "allThreadsContinued": False}
            self._editor.event("continued", body)

    def _ended(self, thread: int, text: str) -> None:
        if thread not in self._told:
            return
        self._told.discard(thread)
        if self._debuggee.has_session and self._debuggee.session.is_suspended(thread):
            self._handles.drop_old()
            body: Body = {
                "reason": "pause",
                "description": escape(text),
                "threadId": self._handles.thread_number(thread),
                "allThreadsStopped": self._debuggee.session.suspended_everything,
                "preserveFocusHint": True,
            }
            self._editor.event("stopped", body)

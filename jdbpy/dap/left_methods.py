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
from jdbpy.dap.adapter import Adapter
from jdbpy.dap.protocol import Body
from jdbpy.escape import escape

if TYPE_CHECKING:
    from jdbpy import FrameInfo, Notice


class LeftMethods:
    """The threads of one client of which it has heard so."""

    def __init__(self, adapter: Adapter) -> None:
        self._adapter = adapter
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
        adapter = self._adapter
        if thread in adapter.stops and thread not in self._told and adapter.has_session:
            self._told.add(thread)
            body: Body = {"threadId": adapter.thread_number(thread), "allThreadsContinued": False}
            adapter.sender.event("continued", body)

    def _ended(self, thread: int, text: str) -> None:
        adapter = self._adapter
        if thread not in self._told:
            return
        self._told.discard(thread)
        if adapter.has_session and adapter.session.is_suspended(thread):
            adapter.drop_old()
            body: Body = {
                "reason": "pause",
                "description": escape(text),
                "threadId": adapter.thread_number(thread),
                "allThreadsStopped": adapter.session.suspended_everything,
                "preserveFocusHint": True,
            }
            adapter.sender.event("stopped", body)

"""Stops as the client hears of them: stopped and continued, and where each thread has stopped last."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import jdbpy
from jdbpy import JdbpyError, UsageError
from jdbpy.dap.breakpoint_table import EditorBreakpoints
from jdbpy.dap.debuggee import Debuggee
from jdbpy.dap.editor import Editor
from jdbpy.dap.handles import Handles
from jdbpy.dap.protocol import Body
from jdbpy.dap.readings import FrameReadings
from jdbpy.escape import escape

if TYPE_CHECKING:
    from jdbpy import Session, Stopped


class StopEvents:
    """The stops of one client's session, and those that are no more than a part of what the client wants."""

    def __init__(
        self,
        debuggee: Debuggee,
        editor: Editor,
        handles: Handles,
        breakpoints: EditorBreakpoints,
        readings: FrameReadings,
    ) -> None:
        self._debuggee = debuggee
        self._editor = editor
        self._handles = handles
        self._breakpoints = breakpoints
        self._readings = readings
        self.last: dict[int, Stopped] = {}
        """The last stop of each thread, by the thread's JDWP id."""
        self.restarting: set[int] = set()
        """Threads that enter a frame anew."""
        self.looks_elsewhere = False
        """True while the client is shown a recorded call: a stop must not take its place."""
        self.calls_to_enter: dict[int, int] = {}
        """Threads that go to a call to step into it, by the number of the breakpoint there."""

    def begin_anew(self) -> None:
        """Forget the stops of another session."""
        self.last.clear()
        self.calls_to_enter.clear()

    def current(self, thread: int) -> Stopped | None:
        """Return the stop at which a thread still stands; None if it runs. No trip."""
        stop = self.last.get(thread)
        return stop if stop is not None and self._debuggee.session.is_current(stop) else None

    async def goes_on_into_call(self, session: Session, stop: Stopped) -> bool:
        """True if the stop is no more than the way to a call that the client wants to step into.

        wire: 2 trips if it is, or if the thread has stopped before it came there.
        """
        thread = stop.thread.id if stop.thread is not None else 0
        numbers = [number for number, of in self.calls_to_enter.items() if of == thread]
        for number in numbers:
            del self.calls_to_enter[number]
        try:
            if numbers and stop.breakpoints == (numbers[-1],):
                await session.execution.start_step(jdbpy.StepDepth.INTO, thread_id=thread)
                return True
            for number in numbers:
                with suppress(UsageError):  # it was hit before, and has gone
                    await session.points.remove([number])
        except JdbpyError:  # it runs by now, or has ended
            return False
        return False

    def show(self, stop: Stopped) -> None:
        """Send the event of a stop. No trip."""
        self._handles.drop_old()
        self._breakpoints.were_hit(stop)
        self._breakpoints.tell_messages()
        body: Body = {
            "reason": self._reason(stop),
            "allThreadsStopped": self._debuggee.session.suspended_everything,
            **_told(stop),
        }
        if stop.thread is not None:
            elsewhere = [each for each in self._standing().values() if each is not stop]
            body["threadId"] = self._handles.thread_number(stop.thread.id)
            body["preserveFocusHint"] = (
                bool(elsewhere or self.looks_elsewhere) and stop.reason is not jdbpy.StopReason.PAUSE and not _own(stop)
            )
            self.last[stop.thread.id] = stop
            if stop.frame is not None and not body["preserveFocusHint"]:
                self._readings.ahead(stop.frame)
        hit = self._breakpoints.hit_ids(stop)
        if hit:
            body["hitBreakpointIds"] = hit
        self._editor.event("stopped", body)

    def let_go_of_focus(self) -> None:
        """Have the client show another thread than those that have stopped: there are clients that forget which one
        they show only when it starts. No trip."""
        for thread in self._standing():
            self._editor.event("thread", {"reason": "started", "threadId": self._handles.thread_number(thread)})

    def show_again(self) -> None:
        """Send the events of the stops at which threads stand once more. No trip."""
        if self._debuggee.current is not None:
            for stop in self._standing().values():
                self.show(stop)

    def _standing(self) -> dict[int, Stopped]:
        """Return the stops at which threads stand."""
        session = self._debuggee.session
        return {thread: stop for thread, stop in self.last.items() if session.is_current(stop)}

    def _reason(self, stop: Stopped) -> str:
        thread = stop.thread.id if stop.thread is not None else 0
        if thread in self.restarting:
            self.restarting.discard(thread)
            if stop.reason is jdbpy.StopReason.STEP:
                return "restart"
        if self._breakpoints.entry in stop.breakpoints:
            return "entry"
        kind = self._breakpoints.kind(stop.breakpoint)
        if stop.reason is jdbpy.StopReason.BREAKPOINT and kind in ("function", "instruction"):
            return f"{kind} breakpoint"
        return stop.reason.words.editor or str(stop.reason)

    def report_resumed(self, *, everything: bool = False) -> None:
        """Something was resumed that no request of the client asked to resume: by ``maxSuspend``, by a command, by
        another client. ``everything``: for certain; else if nothing is suspended by now."""
        everything = everything or self._debuggee.session.state is not jdbpy.VmState.STOPPED
        for thread, stop in list(self.last.items()):
            if not self._debuggee.session.is_current(stop):
                del self.last[thread]
                number = self._handles.thread_number(thread)
                all_of_them = everything and not self.looks_elsewhere
                self._editor.event("continued", {"threadId": number, "allThreadsContinued": all_of_them})


def _own(stop: Stopped) -> bool:
    """True if the client asked for this very stop."""
    return stop.reason in (jdbpy.StopReason.STEP, jdbpy.StopReason.UNTIL)


def _told(stop: Stopped) -> Body:
    """Return what is shown beside the reason: ``description`` in place of it, ``text`` as well."""
    told: dict[str, Any] = {}
    if stop.exception is not None:
        failed = "Paused on exception" if stop.test is None else f"{stop.test.name} failed"
        told["description"] = escape(failed)
        message = f": {stop.exception.message}" if stop.exception.message is not None else ""
        compared = ""
        if stop.test is not None and stop.test.is_compared and str(stop.test.expected) not in message:
            compared = f", expected: {stop.test.expected}, actual: {stop.test.actual}"
        told["text"] = escape(f"{stop.exception.type}{message}{compared}")
    elif stop.variable:
        told["description"] = escape(f"{stop.variable} is read")
        if stop.new_value is not None:
            old = f" from {stop.old_value.text}" if stop.old_value is not None else ""
            told["description"] = escape(f"{stop.variable} changes{old} to {stop.new_value.text}")
    if stop.message:
        told["text"] = escape(stop.message)
    return told

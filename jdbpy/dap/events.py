"""The events of a session, as events of the protocol: output, breakpoint, thread, exited; stops by ``stops``."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import trio

import jdbpy
from jdbpy import JdbpyError
from jdbpy.dap.breakpoint_table import EditorBreakpoints
from jdbpy.dap.console import DebugConsole
from jdbpy.dap.debuggee import Debuggee
from jdbpy.dap.editor import Editor
from jdbpy.dap.handles import Handles
from jdbpy.dap.left_methods import LeftMethods
from jdbpy.dap.protocol import Body
from jdbpy.dap.stops import StopEvents
from jdbpy.escape import escape
from jdbpy.task_groups import open_nursery

if TYPE_CHECKING:
    from jdbpy import Event, Notice, Session, Stopped

_SILENT = frozenset(
    {
        "breakpoint-resolved",
        "breakpoint-pending",
        "breakpoint-failed",
        "breakpoint-free",
        "thread-started",
        "thread-ended",
    }
)


async def _resume(session: Session) -> None:
    try:
        await session.execution.resume()
    except JdbpyError:  # it runs by now, or has ended
        return


class SessionEvents:
    """What happens in the sessions of one client."""

    def __init__(
        self,
        debuggee: Debuggee,
        editor: Editor,
        handles: Handles,
        breakpoints: EditorBreakpoints,
        stops: StopEvents,
        left_methods: LeftMethods,
        console: DebugConsole,
    ) -> None:
        self._debuggee = debuggee
        self._editor = editor
        self._handles = handles
        self._breakpoints = breakpoints
        self._stops = stops
        self._left_methods = left_methods
        self._console = console

    async def follow(self, session: Session, *, task_status: trio.TaskStatus[None]) -> None:
        """Send what happens in the session, until it ends."""
        self._stops.begin_anew()
        self._left_methods.begin_anew()
        async with open_nursery() as nursery:
            with session.events() as stream:
                task_status.started()
                await self._hand_on(session, stream, nursery)

    async def _hand_on(self, session: Session, stream: AsyncIterator[Event], nursery: trio.Nursery) -> None:
        async for event in stream:
            match event:
                case jdbpy.Stopped():
                    await self._stopped(session, event)
                    nursery.start_soon(self._act, event)
                case jdbpy.Output(stream=name, text=text):
                    self._editor.event("output", {"category": name, "output": text})
                case jdbpy.Notice():
                    self._noticed(event)
                case jdbpy.ThreadsResumed():
                    self._stops.report_resumed(everything=not event.threads and not event.suspended)
                case jdbpy.EventsDropped(count=count):
                    self._editor.say(f"{count} events were dropped (too fast to show)", "important")
                case jdbpy.Exited(status=status, reason=reason):
                    if reason:
                        self._editor.say(reason)
                    await self._exited(status)
                case jdbpy.VMDisconnected(reason=reason):
                    if reason != "detached":
                        self._editor.say(f"the connection to the target is closed: {reason}", "important")
                        await self._exited(None)
                    else:
                        self._debuggee.finish()

    async def _exited(self, status: int | None) -> None:
        """Tell the client the exit status, where it can be known, and leave the session. No trip."""
        if status is None and self._debuggee.terminal is not None:
            status = await self._debuggee.terminal.status()
        if status is not None and not self._debuggee.quietly:
            self._editor.event("exited", {"exitCode": status})
        self._debuggee.finish()

    async def _act(self, stop: Stopped) -> None:
        """Run what the console has ordered for a stop."""
        try:
            await self._console.stopped(stop)
        except JdbpyError as error:  # it runs by now, or has ended
            if self._debuggee.has_session:
                self._editor.say(error.message, "important")

    async def _stopped(self, session: Session, stop: Stopped) -> None:
        if stop.reason is jdbpy.StopReason.START and not (
            self._debuggee.plan.stop_on_entry and not self._debuggee.plan.main_class
        ):
            if self._debuggee.configured:  # it came late
                await _resume(session)
            return
        if stop.reason is jdbpy.StopReason.START and not self._debuggee.configured:
            return
        if await self._stops.goes_on_into_call(session, stop):
            return
        self._stops.show(stop)

    def _noticed(self, notice: Notice) -> None:
        data = dict(notice.data)
        number = data.get("breakpoint", data.get("number"))
        if notice.kind in _SILENT:
            if isinstance(number, int):
                heard = self._breakpoints
                (heard.resolved if notice.kind == "breakpoint-resolved" else heard.changed)(number)
            thread = notice.report.thread if notice.report is not None else None
            if thread is not None and number == self._breakpoints.thread_reports:
                reason = "started" if notice.kind == "thread-started" else "exited"
                self._editor.event("thread", {"reason": reason, "threadId": self._handles.thread_number(thread.id)})
            return
        if number == self._breakpoints.thread_reports:
            return
        if notice.kind in ("breakpoint-changed", "breakpoint-removed") and isinstance(number, int):
            self._breakpoints.changed(number)  # by another client of the session
        if notice.kind == "resumed":
            self._stops.report_resumed()
        self._left_methods.heard(notice)
        lines = (notice.text,) if notice.kind == "logpoint" else notice.lines  # a client's log message is its own text
        body: Body = {"category": "console", "output": "".join(f"{escape(line)}\n" for line in lines)}
        if notice.kind in ("warning", "resumed", "left-out", "switched-off", "hot-place"):
            body["category"] = "important"
        self._editor.event("output", body)

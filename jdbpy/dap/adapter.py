"""One client: the parts that serve it, each with what it needs, and which of them carries out each request."""

from __future__ import annotations

from collections.abc import Callable

import trio

from jdbpy.dap.breakpoint_table import EditorBreakpoints
from jdbpy.dap.breakpoints import BreakpointRequests
from jdbpy.dap.code import CodeRequests
from jdbpy.dap.console import DebugConsole
from jdbpy.dap.debuggee import Debuggee
from jdbpy.dap.editor import Editor, Sender
from jdbpy.dap.events import SessionEvents
from jdbpy.dap.expressions import ExpressionRequests
from jdbpy.dap.frames import FrameRequests
from jdbpy.dap.handles import Handles
from jdbpy.dap.hotswap import HotswapRequests
from jdbpy.dap.left_methods import LeftMethods
from jdbpy.dap.memory import MemoryRequests
from jdbpy.dap.opening import Joining, OpeningRequests
from jdbpy.dap.protocol import Body, Request, handlers, read_arguments
from jdbpy.dap.readings import FrameReadings
from jdbpy.dap.recorded_thread import RecordedThread
from jdbpy.dap.running import RunningRequests
from jdbpy.dap.sources import SourceTable
from jdbpy.dap.stops import StopEvents
from jdbpy.dap.variables import VariableRequests


class Adapter:
    """One client and the session that it debugs. ``editor`` is the client itself, ``opening`` how far it has come."""

    def __init__(
        self,
        sender: Sender,
        nursery: trio.Nursery,
        served: Joining | None = None,
        let_in: Callable[[str], None] = lambda token: None,
    ) -> None:
        """``served`` and ``let_in``: as of ``OpeningRequests``."""
        self.editor = editor = Editor(sender)
        debuggee = Debuggee(nursery, editor)
        handles = Handles(debuggee)
        sources = SourceTable(debuggee, editor)
        readings = FrameReadings(debuggee, editor, handles)
        breakpoints = EditorBreakpoints(debuggee, editor, sources)
        stops = StopEvents(debuggee, editor, handles, breakpoints, readings)
        left_methods = LeftMethods(debuggee, editor, handles, stops)
        console = DebugConsole(debuggee, editor, sources, readings, breakpoints, stops)
        recorded = RecordedThread(debuggee, editor, handles, sources, stops, console)
        events = SessionEvents(debuggee, editor, handles, breakpoints, stops, left_methods, console)
        hotswap = HotswapRequests(debuggee, editor, sources, breakpoints)
        values = VariableRequests(debuggee, editor, handles, sources, readings, left_methods, recorded)
        self.opening = opening = OpeningRequests(
            debuggee, editor, sources, breakpoints, stops, hotswap, console, events.follow, served, let_in
        )
        self._handlers = handlers(
            (
                opening,
                RunningRequests(debuggee, editor, handles, sources, stops, recorded),
                FrameRequests(debuggee, editor, handles, sources, readings, stops, recorded),
                values,
                MemoryRequests(debuggee, handles, readings, values),
                ExpressionRequests(
                    debuggee, editor, handles, readings, left_methods, console, values, opening, recorded
                ),
                BreakpointRequests(debuggee, editor, handles, sources, breakpoints),
                CodeRequests(debuggee, editor, sources),
                hotswap,
            )
        )

    async def run(self, request: Request, given: object) -> Body | None:
        """Carry out a request: the body of its response. Raises UsageError for arguments that do not fit."""
        return await self._handlers[request.name](read_arguments(request.arguments, given))

"""The client as the adapter sees it: its facts, the way of messages to it, how it counts lines and names paths."""

from __future__ import annotations

from typing import Protocol

from jdbpy.dap.paths import Paths
from jdbpy.dap.protocol import Body
from jdbpy.escape import escape_lines
from jdbpy.record import Record


class ClientInfo(Record):
    """The client's own facts, from ``initialize``."""

    clientID: str = ""
    adapterID: str = ""
    linesStartAt1: bool = True
    columnsStartAt1: bool = True
    pathFormat: str = "path"
    supportsVariableType: bool = False
    supportsVariablePaging: bool = False
    supportsRunInTerminalRequest: bool = False
    supportsMemoryReferences: bool = False
    supportsMemoryEvent: bool = False
    supportsInvalidatedEvent: bool = False
    supportsProgressReporting: bool = False
    supportsStartDebuggingRequest: bool = False


class Sender(Protocol):
    """The way of messages to the client."""

    def event(self, name: str, body: Body | None = None) -> None:
        """Send an event."""

    async def ask(self, command: str, arguments: Body) -> Body:
        """Send a request of ours; its response."""


class Editor:
    """One client."""

    def __init__(self, sender: Sender) -> None:
        self._sender = sender
        self.info = ClientInfo()
        self.paths = Paths()

    def event(self, name: str, body: Body | None = None) -> None:
        """Send an event."""
        self._sender.event(name, body)

    async def ask(self, command: str, arguments: Body) -> Body:
        """Send a request of ours; its response. wire: none; as long as the client takes."""
        return await self._sender.ask(command, arguments)

    def say(self, text: str, category: str = "console") -> None:
        """Show a line in the client's console."""
        self.event("output", {"category": category, "output": f"{escape_lines(text)}\n"})

    def invalidate(self, area: str) -> None:
        """Tell a client that can hear it that what it shows is old: "variables", or "all"."""
        if self.info.supportsInvalidatedEvent:
            self.event("invalidated", {"areas": [area]})

    def line_out(self, line: int | None) -> int:
        """Return a line as the client counts; that of no line is 0."""
        return 0 if line is None else line if self.info.linesStartAt1 else line - 1

    def line_in(self, line: int) -> int:
        """Return a line of the client, counted from 1."""
        return line if self.info.linesStartAt1 else line + 1

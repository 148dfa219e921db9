"""The full screen of a client at a prompt: the panes are read where the session is served, and drawn by the client.

Owns what crosses between the two: changes of the state one way, what was opened the other. The lines of a
file are sent once.
"""

from __future__ import annotations

from typing import Any

import trio

from jdbpy.cli.context import Context
from jdbpy.cli.jvms import Jvms
from jdbpy.cli.screen.plugin_panes import pane_names, read_plugins
from jdbpy.cli.screen.reader import PaneReader
from jdbpy.cli.screen.state import SourceShown
from jdbpy.cli.screen.switching import ALWAYS, check_wish
from jdbpy.cli.settings import Settings
from jdbpy.errors import UsageError
from jdbpy.serve import typed
from jdbpy.serve.lines import Message, Outgoing

KINDS = ("open", "close", "more")
"""What a client may ask for of a variable."""

MOST_PATH = 10_000
"""Characters of the path of a variable."""


class ServedScreen:
    """The screen of one client, as its commands have it."""

    def __init__(self, out: Outgoing, settings: Settings, jvms: Jvms, nursery: trio.Nursery, *, able: bool) -> None:
        """``able``: the client's terminal can show one."""
        self._out = out
        self._settings = settings
        self._jvms = jvms
        self._nursery = nursery
        self._able = able
        self._reader: PaneReader | None = None
        self._reading = trio.CancelScope()
        self._sent: dict[str, Any] = {}

    def use(self, context: Context) -> None:
        """Show what a context has."""
        if self._able:
            context.screen = self
            context.on_displayed = self.poke

    @property
    def is_open(self) -> bool:
        """True while the client shows it."""
        return self._reader is not None

    async def open(self) -> None:
        """Let the client show it."""
        if self._reader is None and self._able:
            self._settings.on_screen = True
            self._sent = {}
            self._out.put({"type": "screen", "how": "open"})
            self._reader = PaneReader(self._jvms, self._publish, read_plugins)
            self._reading = trio.CancelScope()
            self._nursery.start_soon(self._read, self._reader, self._reading)

    async def close(self) -> None:
        """Let the client go back to its plain prompt."""
        if self._reader is not None:
            self._settings.on_screen = False
            self._reading.cancel()
            self._reader = None
            for jvm in self._jvms.members:
                jvm.context.seen = None
            self._out.put({"type": "screen", "how": "close"})

    async def arrange(self, name: str, how: str) -> None:
        """Show a pane, hide it, or size it. Raises UsageError."""
        check_wish((*ALWAYS, *pane_names()), name, how)
        await self.open()
        self._out.put({"type": "screen", "how": "arrange", "pane": name, "wish": how})

    async def _read(self, reader: PaneReader, scope: trio.CancelScope) -> None:
        with scope:
            await reader.run()

    def poke(self) -> None:
        """Something may have happened."""
        if self._reader is not None:
            self._reader.poke()

    def glance(self) -> None:
        """Something was put out."""
        if self._reader is not None:
            self._reader.glance()

    def note_line(self, line: str) -> None:
        """The client runs a line."""
        if self._reader is not None:
            self._reader.note_line(line)

    def take(self, message: Message) -> None:
        """Take what the client asks for of a variable. Raises UsageError."""
        kind, path = message.get("open"), message.get("path")
        if kind not in KINDS or not isinstance(path, str) or len(path) > MOST_PATH:
            raise UsageError("'open' needs a kind and a path", code="WRONG_LINE")
        if self._reader is not None:
            self._reader.open(str(kind), path)

    def _publish(self, state: Any) -> None:
        changes = {}
        for name in state.__fields__:
            value = getattr(state, name)
            if self._sent.get(name) != value:
                before, self._sent[name] = self._sent.get(name), value
                if isinstance(value, SourceShown) and isinstance(before, SourceShown) and before.lines is value.lines:
                    value = value.replace(lines=())
                    changes["lines_stay"] = True
                changes[name] = typed.pack(value)
        if changes:
            self._out.put({"type": "panes", "changes": changes})


def changed(state: Any, changes: object) -> Any:
    """Return a state with the changes that a session has sent. Raises UsageError for what it cannot have sent."""
    told = dict(changes) if isinstance(changes, dict) else {}
    stay = told.pop("lines_stay", False)
    found = {name: typed.unpack(value) for name, value in told.items() if name in state.__fields__}
    if any(not isinstance(value, type(getattr(state, name))) for name, value in found.items()):
        raise UsageError("a state of the screen is malformed", code="WRONG_LINE")
    if stay and "source" in found:
        found["source"] = found["source"].replace(lines=state.source.lines)
    return state.replace(**found)

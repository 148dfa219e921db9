"""Events of the target on the screen, as they come.

Owns their text, the wholeness of output lines, the brake when the screen is slower than the target, and who learns of
stops and of the end. It runs in a task of its own beside the prompt and the commands.
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Awaitable, Callable

import trio

from jdbpy import Event, Exited, Notice, Output, Stopped, ThreadsResumed, VMDisconnected
from jdbpy.cli.jvm_events import stays_selected
from jdbpy.cli.jvms import Jvm, Jvms
from jdbpy.cli.repl.screen import Screen, fault_text
from jdbpy.cli.repl.sink import LineGatherer, Sink
from jdbpy.escape import escape_code

UNFINISHED = 0.1
"""Seconds that an unfinished line of output waits for its rest before it is shown as a line of its own."""


class EventWatcher:
    """Shows each event of ``stream`` as ``text_of`` words it; ``happened`` is called after a stop, after
    a resume by the watchdog, and after the end."""

    def __init__(
        self,
        stream: AsyncIterator[Event],
        text_of: Callable[[Event], str],
        sink: Sink,
        happened: Callable[[Event], Awaitable[None]],
    ) -> None:
        self._stream = stream
        self._text_of = text_of
        self._sink = sink
        self._happened = happened
        self._lines = LineGatherer()

    async def run(self) -> None:
        """Show events until the last one (the target has ended, or the connection)."""
        over = False
        while not over:
            event: Event | None = None
            with trio.move_on_after(UNFINISHED if self._lines.pending else math.inf):
                event = await anext(self._stream)
            if isinstance(event, Output):
                self._show(self._lines.feed(event.stream, event.text))
            else:
                self._show([text for _, text in self._lines.rest()])
            if event is not None and not isinstance(event, Output):
                self._sink.write(self._text_of(event))
                if isinstance(event, Stopped | Exited | VMDisconnected) or _resumed(event):
                    await self._happened(event)
            await self._sink.room()
            over = isinstance(event, Exited | VMDisconnected)

    def _show(self, lines: list[str]) -> None:
        self._sink.write("".join(line + "\n" for line in escape_code(lines)))


def _resumed(event: Event) -> bool:
    """True if the watchdog or another client has resumed something: the stop that the prompt speaks of may be over."""
    return isinstance(event, ThreadsResumed) or (isinstance(event, Notice) and event.kind == "resumed")


def event_text(screen: Screen, jvms: Jvms, jvm: Jvm, event: Event) -> str:
    """Return the text of an event, which may make its JVM the current one. Of our own leaving the command has
    spoken."""
    if isinstance(event, VMDisconnected) and jvms.leaving:
        return ""
    before = jvms.current
    jvms.happened(jvm, event)
    try:
        stays = stays_selected(jvm.session, event) if jvm is jvms.current else ""
        text = screen.renderer.event(event, jvms.label(jvm), stays)
        if jvm is before is not jvms.current:
            text += f"{jvms.current.name} is current now\n"
        return text + _stays_current(jvms, jvm, event)
    except Exception:
        return fault_text()


def _stays_current(jvms: Jvms, jvm: Jvm, event: Event) -> str:
    """Return a line for a stop of another JVM than the one that the user is at work in."""
    if not isinstance(event, Stopped) or jvm is jvms.current:
        return ""
    return f"{jvms.current.name} stays current; 'session {jvm.name}' makes the one that stopped the current one\n"

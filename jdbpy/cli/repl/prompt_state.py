"""The state of the debugger that the prompt and the toolbar show: one record, swapped whole.

The prompt lives in another thread than the session, so it never looks at the session: the REPL publishes a new
``PromptState`` after every command and event, which ``Picture`` draws. The wording of both is made by pure functions of
that record, the width and the time. No colors, no terminal. The target is asked only when a frame other than the one
that stopped is selected, and then once.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

import trio
from wcwidth import wcswidth, wcwidth

from jdbpy import Event, JdbpyError, Stopped, StopReason, VmState
from jdbpy.cli.output.places import short_place_of
from jdbpy.escape import escape
from jdbpy.record import Record

if TYPE_CHECKING:
    from jdbpy import Session


ALL_THREADS = "all threads"
"""``held`` when the whole VM stands still."""

IDLE = "> "
"""jdb's prompt when no thread is selected."""


LONG = 60.0
"""Seconds of a suspension from which on the toolbar warns on a remote target."""


class PromptState(Record):
    """A picture of the session for the prompt. Times are those of the caller's monotonic clock, in seconds."""

    state: str = "running"  # running, stopped, exited, disconnected; snapshot
    thread: str = ""  # name of the selected thread, "" when none is
    frame: int = 1  # selected frame, from 1
    place: str = ""  # where the selected frame is: "Order.total:42"
    held: str = ""  # what is suspended: ALL_THREADS, "1 thread", "3 threads"
    since: float | None = None  # when that began
    remote: str = ""  # address of a target that is not on this machine
    jvm: str = ""  # its name, if several are debugged
    asks: str = ""  # what the next lines are for, when they are no commands to run: "commands 2"; or a prompt

    @property
    def takes_lines(self) -> bool:
        """True if the next lines are no commands; those in a recorded call are."""
        return bool(self.asks) and not self.asks.startswith("recorded ")


class Segment(Record):
    """A piece of the toolbar. ``kind`` names its look: state, thread, place, held, remote, or alarm."""

    kind: str
    text: str


def prompt_text(state: PromptState, columns: int) -> str:
    """``main[1] `` for a selected thread, else ``> ``, after what lines are asked for if they are not run.

    The name of the JVM goes before, if several are debugged: ``orders-1:main[1] ``, ``orders-1> ``.

    A long name is cut, so that half of the line is left to type.
    """
    jvm = shorten(escape(state.jvm), max(4, columns // 4)) if state.jvm else ""
    if state.asks:
        return state.asks if state.asks.endswith(" ") else f"{jvm}{' ' if jvm else ''}{state.asks}{IDLE}"
    if not state.thread:
        return f"{jvm}{IDLE}"
    frame = f"[{state.frame}] "
    room = columns // 2 - len(frame) - len(jvm)
    return (f"{jvm}:" if jvm else "") + shorten(escape(state.thread), max(4, room)) + frame


def toolbar(state: PromptState, columns: int, now: float) -> list[Segment]:
    """Return the toolbar in ``columns`` columns; the least important parts go first when it is narrow."""
    parts = [(0, Segment("state", state.state))]
    if state.thread:
        parts.append((1, Segment("thread", f"{escape(state.thread)}[{state.frame}]")))
    if state.place:
        parts.append((3, Segment("place", escape(state.place))))
    if state.held:
        long = state.since is not None and now - state.since >= LONG
        # health checks end a process that answers nobody
        alarm = state.remote and (state.held == ALL_THREADS or long)
        rank = -1 if alarm and long else 2
        parts.append((rank, Segment("alarm" if alarm else "held", _held(state, now))))
    if state.remote:
        parts.append((4, Segment("remote", f"remote {escape(state.remote)}")))
    while len(parts) > 1 and _width(parts) > columns:
        parts.remove(max(parts, key=lambda part: part[0]))
    return [Segment(part.kind, shorten(part.text, columns - 2)) for _, part in parts]


def shorten(text: str, width: int) -> str:
    """``text`` in at most ``width`` columns; what is cut is marked with an ellipsis."""
    if wcswidth(text) <= width:
        return text
    kept, used = "", 1
    for character in text:
        used += max(0, wcwidth(character))
        if used > width:
            break
        kept += character
    return kept + "…" if width > 0 else ""


def duration(seconds: float) -> str:
    """Return a length of time as people say it: ``4 s``, ``2:05 min``, ``1:02:05 h``."""
    whole = max(0, int(seconds))
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes}:{rest:02} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02} h"


def _held(state: PromptState, now: float) -> str:
    if state.remote and state.since is not None and now - state.since >= LONG:
        return f"suspended for {duration(now - state.since)}: the JVM is not answering; 'cont' resumes"
    return f"{state.held} held" + (f" {duration(now - state.since)}" if state.since is not None else "")


def _width(parts: list[tuple[int, Segment]]) -> int:
    """Columns of the toolbar: each part has a blank on both sides, and a bar stands between two."""
    return sum(wcswidth(segment.text) + 2 for _, segment in parts) + len(parts) - 1


ALONE = 600.0
"""Seconds without a key or a command, while something is suspended, after which the prompt rings."""

LOOK = 10.0
"""Seconds between two looks at what is suspended."""

BELL = "\a"


def rings_at(event: Event, idle: float, after: float | None) -> bool:
    """True if the prompt rings at an event: a stop, ``after`` seconds or more without a key; None: never."""
    return after is not None and idle >= after and isinstance(event, Stopped) and event.reason is not StopReason.START


async def ring_when_left_alone(session: Session, say: Callable[[str], object]) -> None:
    """Calls ``say`` once each time that the prompt was left alone while something is suspended; until cancelled.

    Nothing of a JVM is suspended in a session on a snapshot.
    """
    rung = False
    while session.snapshot_info is None:
        suspended = session.suspended_for()
        alone = min(suspended, session.idle) >= ALONE
        if alone and not rung:
            say(f"{BELL}{_who(session)} suspended for {duration(suspended)}: 'cont' resumes, and 'quit' leaves\n")
        rung = alone
        await trio.sleep(LOOK)


def _who(session: Session) -> str:
    if session.suspended_everything:
        return "all threads have been"
    count = len(session.suspended_threads)
    return "1 thread has been" if count == 1 else f"{count} threads have been"


class Picture:
    """Draws ``PromptState`` after ``PromptState`` of one session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._held_by: object = None  # the last stop when it was drawn last
        self._since: float | None = None

    async def draw(self, asks: str = "", jvm: str = "") -> PromptState:
        """Return the state now; ``asks`` is what the next lines are for, when they are not run; ``jvm`` the name to
        show.

        wire: 0 trips, 1 when another frame was selected since the last time.
        """
        session = self._session
        stopped = session.state is VmState.STOPPED
        if not stopped:
            self._since = None
        elif self._since is None:  # a prompt may have joined long after
            self._since = time.monotonic() - session.suspended_for()
        elif session.last_stop is not self._held_by:
            self._since = time.monotonic()
        self._held_by = session.last_stop
        thread_id, frame = session.selection
        return PromptState(
            state=str(session.state) if session.snapshot_info is None else "snapshot",
            thread=session.selected_thread_name if stopped and thread_id is not None else "",
            frame=frame,
            place=await self._where() if stopped and thread_id is not None else "",
            held=self._held() if stopped else "",
            since=self._since,
            remote=session.address if session.remote else "",
            jvm=jvm,
            asks=asks,
        )

    def _held(self) -> str:
        if self._session.snapshot_info is not None:
            return ""  # no JVM stands still
        if self._session.suspended_everything:
            return ALL_THREADS
        count = len(self._session.suspended_threads)
        return f"{count} thread{'' if count == 1 else 's'}"

    async def _where(self) -> str:
        try:
            return short_place_of((await self._session.stack.standing()).location)
        except JdbpyError:
            return ""  # it runs, as for an abandoned expression

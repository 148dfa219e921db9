"""The session as the prompt shows it.

Owns the translation from a session into a ``PromptState``; asks the target only when a frame other than the one that
stopped is selected, and then once.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from jdbpy import JdbpyError, VmState
from jdbpy.cli.output.places import short_place_of
from jdbpy.cli.repl.prompt_state import ALL_THREADS, PromptState

if TYPE_CHECKING:
    from jdbpy import Session


class Picture:
    """Draws ``PromptState`` after ``PromptState`` of one session."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._held_by: object = None  # the stop that holds it; anything else holds it since it was first seen held
        self._since: float | None = None
        self._place: tuple[object, str] = (None, "")  # of which frame, and where it is

    async def draw(self, asks: str = "", jvm: str = "") -> PromptState:
        """The state now; ``asks`` is what the next lines are for, when they are not run; ``jvm`` the name to show.

        wire: 0 trips, 1 when another frame was selected since the last time.
        """
        session = self._session
        stopped = session.state is VmState.STOPPED
        if not stopped:
            self._since = None
        elif self._since is None or session.last_stop is not self._held_by:
            self._since = time.monotonic()
        self._held_by = session.last_stop
        thread_id, frame = session.selection
        return PromptState(
            state=str(session.state),
            thread=session.selected_thread_name if stopped and thread_id is not None else "",
            frame=frame,
            place=await self._where(thread_id, frame) if stopped and thread_id is not None else "",
            held=self._held() if stopped else "",
            since=self._since,
            remote=session.address if session.remote else "",
            jvm=jvm,
            asks=asks,
        )

    def _held(self) -> str:
        if self._session.suspended_everything:
            return ALL_THREADS
        count = len(self._session.suspended_threads)
        return f"{count} thread{'' if count == 1 else 's'}"

    async def _where(self, thread_id: int, frame: int) -> str:
        stop = self._session.last_stop
        if stop is not None and stop.location and stop.thread and stop.thread.id == thread_id and frame == 1:
            return short_place_of(stop.location)
        selected = (thread_id, frame, stop.epoch if stop else 0)
        if self._place[0] != selected:
            try:
                self._place = (selected, short_place_of((await self._session.stack.selected()).location))
            except JdbpyError:
                self._place = (None, "")
        return self._place[1]

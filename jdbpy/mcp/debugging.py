"""The target of one client: opened when it is first needed, followed while it lasts, left when the client goes.

Owns what every answer says of the target: what is suspended and since when, which threads stopped where, and what was
written and reported since the last answer.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from datetime import datetime
from typing import TYPE_CHECKING, Any

import trio

import jdbpy
from jdbpy import (
    Event,
    Exited,
    Notice,
    Output,
    StateError,
    SuspendPolicy,
    UsageError,
    VMDisconnected,
)
from jdbpy.api import Thread
from jdbpy.mcp.answers import Body
from jdbpy.mcp.words import in_tools
from jdbpy.process.session_task import SessionTask
from jdbpy.record import Record

if TYPE_CHECKING:
    from jdbpy.api import Frame, Stop, Vm

Opening = Callable[["Rights"], AbstractAsyncContextManager["Vm"]]

MOST_OUTPUT = 4_000
"""Characters of the target's output that an answer brings at most, the last ones."""

MOST_NOTICES = 50
MOST_SHOWN = 10


class Rights(Record):
    """The rights of the client on a target, and how its sessions are opened."""

    changes: bool = False
    suspend: bool = False
    source_path: tuple[str, ...] = ()
    hold: str = ""
    max_suspend: float | None = None

    @property
    def options(self) -> dict[str, Any]:
        """Arguments for ``jdbpy.attach`` and ``launch``. What may not be done is refused where packets leave."""
        return {
            "read_only": not self.changes,
            "allow_suspend": not self.changes,
            "source_path": self.source_path,
            "hold": self.hold,
            "max_suspend": self.max_suspend,
        }


class Debugging:
    """The target of one client: nothing yet, or one JVM."""

    def __init__(self, nursery: trio.Nursery, rights: Rights, given: Opening | None = None) -> None:
        self.rights = rights
        self.given = given
        """The target named on the command line."""
        self.selected: Stop | None = None
        """The stop that the client was shown last."""
        self.heap: tuple[float, dict[str, int]] | None = None
        """When instances were counted last, and how many there were of each class."""
        self.using_prompt = trio.Lock()
        self._opened = False
        self._changing = trio.Lock()
        self._stops: dict[int, jdbpy.Stopped] = {}
        self._newest: jdbpy.Stopped | None = None
        self._came = trio.lowlevel.ParkingLot()
        self._output: deque[str] = deque()
        self._written = 0
        self._notices: deque[str] = deque(maxlen=MOST_NOTICES)
        self._task: SessionTask[Vm] = SessionTask(nursery, ready=self._ready, report=self._notices.append)
        self._ending: Body | None = None

    # -- the session -------------------------------------------------------------------------------------------------

    async def vm(self) -> Vm:
        """Return the JVM; the one named on the command line is opened at the first call.

        Raises StateError when there is none, or it has ended; as opening does.
        """
        if self.given is not None and not self._opened:
            async with self._changing:
                await self._open_first(self.given)
        vm = self._task.current
        if vm is not None and not vm.has_ended:
            return vm
        if self._opened:
            what = "the debugged program has ended" if self._ending is not None else "the program was left"
            raise StateError(what, hint="the tools attach and launch begin anew", code="ENDED")
        raise StateError("nothing is debugged yet", hint="use the tool attach or launch first", code="NOT_STARTED")

    async def open(self, opening: Opening) -> Vm:
        """Debug another JVM. Raises StateError while one is debugged; as opening does."""
        async with self._changing:
            vm = self._task.current
            if vm is not None and not vm.has_ended:
                raise StateError("a program is being debugged", hint="use the tool detach first", code="STARTED")
            await self._task.leave()
            await self._open(opening)
        return await self.vm()

    async def _open_first(self, opening: Opening) -> None:
        if not self._opened:  # by a tool that was called at the same time
            await self._open(opening)

    async def _open(self, opening: Opening) -> None:
        self._ending = None
        self.selected = None
        self.heap = None
        self._stops.clear()
        await self._task.open(opening(self.rights))

    async def leave(self, *, again: bool = False) -> None:
        """Leave the target: it runs on, and one that was launched is ended. Raises LeaveError when it is not certain
        that it runs. To leave nothing is not an error. ``again``: the one named on the command line is opened anew."""
        async with self._changing:
            await self._task.leave()
            self._ending = None
            self._opened = self._opened and not again

    async def _ready(self, vm: Vm, nursery: trio.Nursery) -> None:
        if vm.session.remote and not (self.rights.changes or self.rights.suspend):
            vm.session.forbid_suspending()
        self._opened = True
        vm.session.listen(self._on_event)

    def _on_event(self, event: Event) -> None:
        if isinstance(event, jdbpy.Stopped):
            self._newest = event
            self._came.unpark_all()
            if event.thread is not None:
                self._stops[event.thread.id] = event
                if len(self._stops) > 10 * MOST_NOTICES:
                    self._drop_old()
        elif isinstance(event, Output):
            self._output.append(event.text[-MOST_OUTPUT:])
            self._written += len(event.text)
            while sum(map(len, self._output)) > 2 * MOST_OUTPUT:
                self._output.popleft()
        elif isinstance(event, Notice):
            self._notices.extend(map(in_tools, event.lines[:1]))
        elif isinstance(event, Exited | VMDisconnected):
            self._ending = event.to_dict()

    def _drop_old(self) -> None:
        vm = self._task.current
        if vm is not None:
            self._stops = {thread: stop for thread, stop in self._stops.items() if vm.session.is_current(stop)}

    def touch(self) -> None:
        """The client is there: ``max_suspend`` counts from now."""
        vm = self._task.current
        if vm is not None:
            vm.session.touch()

    # -- what it is doing --------------------------------------------------------------------------------------------

    def target(self) -> Body:
        """Return what every answer says: the state of the target, and what came since the last answer. No trip."""
        found = self._state()
        if self._output:
            text = "".join(self._output)
            found["output"] = text[-MOST_OUTPUT:]
            if self._written > len(found["output"]):
                found["output_left_out"] = self._written - len(found["output"])
            self._output.clear()
            self._written = 0
        if self._notices:
            found["notices"] = list(self._notices)
            self._notices.clear()
        return found

    @property
    def state(self) -> str:
        """Return the state of the target, in a word."""
        if self._ending is not None:
            return "ended"
        vm = self._task.current
        return "none" if vm is None else "suspended" if vm.is_suspended else "running"

    def _state(self) -> Body:
        vm = self._task.current
        if self._ending is not None:
            return {"state": "ended", "suspended": "nothing", "ending": self._ending}
        if vm is None:
            return {"state": "none", "suspended": "nothing"}
        session = vm.session
        if not vm.is_suspended:
            return {"state": "running", "suspended": "nothing"}
        seconds = session.suspended_for()
        everything = session.suspended_everything
        found: Body = {
            "state": "suspended",
            "suspended": "all threads" if everything else f"{len(session.suspended_threads)} threads",
            "since": datetime.fromtimestamp(time.time() - seconds).astimezone().isoformat(timespec="milliseconds"),
            "seconds": round(seconds, 3),
        }
        self._drop_old()
        if self._stops:
            found["stops"] = [_summary(stop) for stop in list(self._stops.values())[:MOST_SHOWN]]
            if len(self._stops) > MOST_SHOWN:
                found["stops_left_out"] = len(self._stops) - MOST_SHOWN
        return found

    @property
    def stops(self) -> list[jdbpy.Stopped]:
        """The stops whose threads still stand there. No trip."""
        self._drop_old()
        return list(self._stops.values())

    async def all_stopped_by_another(self, thread: int) -> None:
        """Wait until a stop of another thread suspends everything, this thread too."""
        while True:
            await self._came.park()
            newest = self._newest
            if newest is None or newest.policy is not SuspendPolicy.ALL:
                continue
            if newest.thread is None or newest.thread.id != thread:
                return

    # -- threads and frames ------------------------------------------------------------------------------------------

    async def thread(self, text: str) -> Thread:
        """Return the thread of that id or name; "" is the one that stopped last. Raises UsageError, StateError."""
        vm = await self.vm()
        if text:
            return await vm.find_thread(text)
        if self.selected is not None and self.selected.is_current and self.selected.record.thread is not None:
            return self.selected.thread
        from jdbpy.api.vm import thread_of

        for stop in reversed(self.stops):
            if stop.thread is not None:
                return thread_of(vm, stop.thread)
        raise StateError(
            "no thread has stopped", hint="run_until_stop or pause, or name a thread", code="THREAD_NOT_SUSPENDED"
        )

    async def frame_if_stopped(self, thread: str, index: int) -> Frame | None:
        """Return such a frame, for an expression; None, for one of static names, where no thread was named or has
        stopped. Raises UsageError, StateError."""
        vm = self._task.current
        if not thread and (vm is None or not vm.is_suspended):
            return None
        return await self.frame(thread, index)

    async def frame(self, thread: str, index: int) -> Frame:
        """Return a frame of a suspended thread, 1 is the innermost. Raises UsageError, StateError."""
        found = await (await self.thread(thread)).frames(start=index - 1, count=1)
        if not found:
            raise UsageError(f"the thread has no frame {index}", code="NO_SUCH_FRAME")
        return found[0]


def _summary(stop: jdbpy.Stopped) -> Body:
    found: Body = {"reason": str(stop.reason)}
    if stop.thread is not None:
        found["thread"] = stop.thread.to_dict()
    if stop.location is not None:
        place = stop.location
        found["at"] = f"{place.class_name}.{place.method}({place.source or 'unknown'}:{place.line or 0})"
    if stop.breakpoint is not None:
        found["breakpoint"] = stop.breakpoint
    return found

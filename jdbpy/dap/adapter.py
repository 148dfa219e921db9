"""One client: its session with its task, its options, its numbers for threads, frames and values.

The numbers of the protocol are the adapter's own: ids of the target are its own affair, and may be larger than a number
of JavaScript. Frames and values are good until their thread runs on.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import trio

from jdbpy import JdbpyError, LeaveError, StateError, UsageError
from jdbpy.dap.paths import Paths
from jdbpy.dap.protocol import CAPABILITIES_OF_LAUNCHED, Body
from jdbpy.escape import escape
from jdbpy.garbage import loaded
from jdbpy.record import Record
from jdbpy.task_groups import open_nursery

if TYPE_CHECKING:
    from jdbpy import FrameInfo, Session, Stopped
    from jdbpy.dap.breakpoint_table import EditorBreakpoints
    from jdbpy.dap.code import SourceTable
    from jdbpy.dap.console import DebugConsole
    from jdbpy.dap.left_methods import LeftMethods
    from jdbpy.dap.readings import FrameReadings
    from jdbpy.dap.terminal import TerminalProgram
    from jdbpy.dap.variables import Container


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


class Joining(Protocol):
    """Joins a session that is served."""

    def __call__(self, name: str, read_only: bool, /) -> AbstractAsyncContextManager[Session]: ...


class Sender(Protocol):
    """The way of messages to the client."""

    def event(self, name: str, body: Body | None = None) -> None:
        """Send an event."""

    async def ask(self, command: str, arguments: Body) -> Body:
        """Send a request of ours; its response."""


class Adapter:
    """One client and the session that it debugs."""

    def __init__(
        self,
        sender: Sender,
        nursery: trio.Nursery,
        served: Joining | None = None,
        let_in: Callable[[str], None] = lambda token: None,
    ) -> None:
        self.sender = sender
        self.let_in = let_in
        """Takes the token that the client shows. Raises UsageError for a wrong one."""
        self.served = served
        self.client = ClientInfo()
        self.initialized = False
        self.configured = False
        self.is_over = False
        """True if the client has been answered for the last time."""
        self.is_ending = False
        """True if the target is about to end, as the client wants."""
        self.launches = False
        """True if the client's configuration is one for ``launch``."""
        self.told: set[str] = set()
        """Attributes of its configurations that were named as unknown."""
        self.no_debug = False
        self.stop_on_entry = False
        self.main_class = ""
        """Of a target that was launched."""
        self.stops: dict[int, Stopped] = {}
        """The last stop of each thread, by the thread's JDWP id."""
        self.reopen: Callable[[], AbstractAsyncContextManager[Session]] | None = None
        """Makes what opens the session, once more for ``restart``."""
        self.thread_point = 0
        """The number of what reports threads that start and end."""
        self.restarting: set[int] = set()
        """Threads that enter a frame anew."""
        self._nursery = nursery
        self._session: Session | None = None
        self._opening: trio.CancelScope | None = None
        self._opened = trio.Event()
        self._leaving = trio.Event()
        self._left = trio.Event()
        self.quietly = False
        """True if the client is not to hear that the session is over: another one follows."""
        self._keep = False
        self._problem: JdbpyError | None = None
        self._refusal = ""
        self._thread_numbers: dict[int, int] = {}
        self._thread_ids: dict[int, int] = {}
        self._frames: dict[int, FrameInfo] = {}
        self._frame_numbers: dict[tuple[int, int], int] = {}
        self._containers: dict[int, Container] = {}
        self._last_number = 0
        self.paths = Paths()
        self.step_targets: dict[int, tuple[int, int, str]] = {}
        """The calls that the client was shown last: their thread, their index, and the address where it stands."""
        self.calls: dict[int, int] = {}
        """Threads that go to a call to step into it, by the number of the breakpoint there."""
        self.class_paths: tuple[str, ...] = ()
        """The class path of the files that replace the target's classes."""
        self.decompiler = ""
        """The program and its arguments that the client's configuration names; the console may set another one."""
        self.replaces_classes = False
        """True if they replace them whenever they change."""
        self.terminal: TerminalProgram | None = None
        """The target, if the client has started it in a terminal of its own, for us."""
        self._session_nursery: trio.Nursery | None = None
        self.selecting = trio.Lock()
        """Held where the session can be asked about the selected frame only."""

    # -- the session -------------------------------------------------------------------------------------------------

    @property
    def session(self) -> Session:
        """Return the session. Raises StateError when there is none, or it has ended."""
        if self._session is None:
            if self._left.is_set():
                raise StateError("the debugged program has ended, or was left", code="ENDED")
            raise StateError("nothing is debugged yet: attach or launch comes first", code="NOT_STARTED")
        return self._session

    @property
    def has_session(self) -> bool:
        """True if there is a session that lasts."""
        return self._session is not None

    @property
    def started_it(self) -> bool:
        """True if the target was launched for this client, by the adapter or in a terminal of the client."""
        return self._session is not None and (self._session.launched or self.terminal is not None)

    async def open(self, opening: AbstractAsyncContextManager[Session]) -> None:
        """Open the session and keep it in a task of its own. Raises as opening it does."""
        if self._session is not None or self._opening is not None:
            raise StateError("something is debugged already: disconnect comes first", code="STARTED")
        self._refusal = ""
        self._opened = trio.Event()
        with trio.CancelScope() as self._opening:
            try:
                await self._nursery.start(self._keep_session, opening)
            finally:
                opened, self._opening = self._opening, None
                self._opened.set()
        if opened.cancelled_caught:
            raise StateError(self._refusal or "the client has ended the session meanwhile")

    def give_up_opening(self, reason: str) -> None:
        """Make the ``open`` that is under way fail."""
        if self._opening is not None:
            self._refusal = reason
            self._opening.cancel()

    def start(self, task: Callable[[], Awaitable[None]]) -> None:
        """Run a task beside the session, until it ends; while there is none, until the client goes."""
        (self._session_nursery or self._nursery).start_soon(task)

    async def leave(self, *, keep: bool, quietly: bool = False) -> None:
        """Leave the session: the target runs on (``keep``), or as opening it says: a launched one is ended.

        The client hears that it is over, but for ``quietly``.

        Raises LeaveError when it is not certain that the target runs.
        """
        if self._opening is not None:
            self._opening.cancel()
            await self._opened.wait()
            return
        if self._session is None:
            return
        self._keep, self.quietly = keep, quietly
        self._leaving.set()
        await self._left.wait()
        if isinstance(self._problem, LeaveError):
            raise self._problem

    async def end(self, grace: float, *, quietly: bool = False) -> None:
        """End the target that was launched for the client, and leave its session.

        The signal that runs its shutdown hooks ends it, and it is killed after ``grace`` seconds; in a terminal Exit of
        its VM ends it. The client hears what it writes until then. A second call may shorten the time.
        """
        session, left = self.session, self._left
        self.quietly = self.quietly or quietly
        self.is_ending = True
        if session.ending is None:
            await (session.end(grace) if session.launched else session.exit(0))
        await left.wait()  # when the end has been handed on

    async def _keep_session(
        self,
        opening: AbstractAsyncContextManager[Session],
        *,
        task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
    ) -> None:
        from jdbpy.dap.events import follow

        began = False
        try:
            async with opening as session:
                self._session = session
                self._leaving, self._left = trio.Event(), trio.Event()
                self._keep = self.quietly = self.is_ending = False
                self.stops.clear()
                self.left_methods.begin_anew()
                began = True
                async with open_nursery() as nursery:
                    self._session_nursery = nursery
                    await nursery.start(follow, self, session)
                    self.sender.event("process", self._process(session))
                    task_status.started()
                    await self._leaving.wait()
                    nursery.cancel_scope.cancel()
                self._session = None
                if self._keep and session.ending is None:
                    await session.detach()
        except JdbpyError as error:
            if not began:
                raise
            self._problem = error
            self._report(error.message)
        except BaseException as error:
            for note in getattr(error, "__notes__", ()):  # that it is not certain that the target runs
                self._report(note)
            raise
        finally:
            self._session = self._session_nursery = None
            self.calls.clear()
            if began:
                self._left.set()
        if not self.quietly:
            self.sender.event("terminated")

    def _process(self, session: Session) -> Body:
        """Announce the process that is debugged from now on. No trip."""
        stop = session.last_stop
        waits = stop is not None and stop.reason == "start"
        return {
            "name": escape(self.main_class or session.address),
            "isLocalProcess": not session.remote,
            "startMethod": "launch" if self.started_it else "attachForSuspendedLaunch" if waits else "attach",
        }

    def _report(self, text: str) -> None:
        sys.stderr.write(f"jdbpy dap: {text}\n")
        self.sender.event("output", {"category": "important", "output": f"{text}\n"})

    def ended(self) -> None:
        """The target has ended, or the connection: the session is left."""
        self._leaving.set()

    def was_answered(self, name: str) -> None:
        """The response to a request has been sent."""
        if name == "initialize":
            self._nursery.start_soon(partial(trio.to_thread.run_sync, _load, abandon_on_cancel=True))
        elif name in ("attach", "launch"):
            loaded()
            if self.started_it:
                self.sender.event("capabilities", {"capabilities": CAPABILITIES_OF_LAUNCHED})
            self.sender.event("initialized")
        elif name == "disconnect":
            self.is_over = True

    # -- numbers -----------------------------------------------------------------------------------------------------

    def thread_number(self, thread_id: int) -> int:
        """Return the client's number for a thread."""
        number = self._thread_numbers.get(thread_id)
        if number is None:
            number = self._thread_numbers[thread_id] = len(self._thread_numbers) + 1
            self._thread_ids[number] = thread_id
        return number

    def thread_id(self, number: int) -> int:
        """Return the JDWP id of a thread. Raises UsageError for a number that no thread has."""
        if number not in self._thread_ids:
            raise UsageError(f"no thread {number}", code="NO_SUCH_THREAD")
        return self._thread_ids[number]

    def frame_number(self, frame: FrameInfo) -> int:
        """Return the client's number for a frame."""
        key = frame.thread.id, frame.index
        number = self._frame_numbers.get(key)
        if number is None or not self.session.is_current_frame(self._frames[number]):
            self._last_number += 1
            number = self._frame_numbers[key] = self._last_number
        self._frames[number] = frame
        return number

    def frame(self, number: int) -> FrameInfo:
        """Return the frame of a number. Raises StateError when its thread has run on, UsageError when there is none."""
        found = self._frames.get(number)
        if found is not None and self.session.is_current_frame(found):
            return found
        if found is not None or 0 < number <= self._last_number:
            raise StateError("that frame is gone: its thread has run since", code="FRAME_GONE")
        raise UsageError(f"no frame {number}", code="NO_SUCH_FRAME")

    def container_number(self, container: Container) -> int:
        """Return the client's number for something that has variables."""
        self._last_number += 1
        self._containers[self._last_number] = container
        return self._last_number

    def container(self, number: int) -> Container:
        """Return what has that number. Raises StateError when its thread has run on, UsageError when there is none."""
        found = self._containers.get(number)
        if found is not None and (found.frame is None or self.session.is_current_frame(found.frame)):
            return found
        if found is not None or 0 < number <= self._last_number:
            raise StateError("these variables are gone: their thread has run since", code="VARIABLES_GONE")
        raise UsageError(f"no variables {number}", code="NO_SUCH_VARIABLES")

    def drop_old(self) -> None:
        """Forget frames and values of threads that have run on. No trip."""
        session = self._session
        if session is None:
            return
        frames = {number: frame for number, frame in self._frames.items() if session.is_current_frame(frame)}
        kept = {key: number for key, number in self._frame_numbers.items() if number in frames}
        self._frames, self._frame_numbers = frames, kept
        self._containers = {
            number: each
            for number, each in self._containers.items()
            if each.frame is None or session.is_current_frame(each.frame)
        }

    # -- tables of the client ----------------------------------------------------------------------------------------

    def _table(self, name: str, make: Callable[[], Any]) -> Any:
        if name not in self.__dict__:
            self.__dict__[name] = make()
        return self.__dict__[name]

    @property
    def breakpoints(self) -> EditorBreakpoints:
        """Return the client's breakpoints."""
        from jdbpy.dap.breakpoint_table import EditorBreakpoints

        table: EditorBreakpoints = self._table("_breakpoints", partial(EditorBreakpoints, self))
        return table

    @property
    def console(self) -> DebugConsole:
        """Return the client's debug console."""
        from jdbpy.dap.console import DebugConsole

        table: DebugConsole = self._table("_console", partial(DebugConsole, self))
        return table

    @property
    def left_methods(self) -> LeftMethods:
        """Return the threads that run methods of expressions which were given up."""
        from jdbpy.dap.left_methods import LeftMethods

        table: LeftMethods = self._table("_left_methods", partial(LeftMethods, self))
        return table

    @property
    def readings(self) -> FrameReadings:
        """Return the frames' variables, read for several requests."""
        from jdbpy.dap.readings import FrameReadings

        table: FrameReadings = self._table("_readings", partial(FrameReadings, self))
        return table

    @property
    def sources(self) -> SourceTable:
        """Return the sources that the client was shown."""
        from jdbpy.dap.code import SourceTable

        table: SourceTable = self._table("_sources", partial(SourceTable, self))
        return table

    # -- lines and paths ---------------------------------------------------------------------------------------------

    def line_out(self, line: int | None) -> int:
        """Return a line as the client counts; that of no line is 0."""
        return 0 if line is None else line if self.client.linesStartAt1 else line - 1

    def line_in(self, line: int) -> int:
        """Return a line of the client, counted from 1."""
        return line if self.client.linesStartAt1 else line + 1


def _load() -> None:
    """Import what every session needs, while the client makes up its mind."""
    import jdbpy

    for name in ("Session", "attach_session", "launch_session"):
        getattr(jdbpy, name)

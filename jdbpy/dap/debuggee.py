"""What one client debugs: its session, how it was opened and is opened again, and how it is left or ended."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Protocol

import trio

from jdbpy import StateError
from jdbpy.dap.editor import Editor
from jdbpy.escape import escape
from jdbpy.process.session_task import SessionTask
from jdbpy.record import Record

if TYPE_CHECKING:
    from jdbpy import Session
    from jdbpy.dap.terminal import TerminalProgram

GRACE = 2.0
"""Seconds that a program has to end by itself, after which ``disconnect`` kills it and ``terminate`` is answered: there
are editors that wait for 3."""

Reopen = Callable[[], "AbstractAsyncContextManager[Session]"]


class Plan(Record):
    """What the client's configuration orders. ``reopen`` makes what opens the session, once more for ``restart``.

    ``launches``: it is one for ``launch``; ``main_class`` is that of a target that is launched. ``class_paths`` have
    the files that replace the target's classes; ``replaces_classes``: whenever they change. ``failing_tests``: it stops
    where tests fail. ``init_commands``: lines of the console that run before the program goes on.
    """

    reopen: Reopen | None = None
    launches: bool = False
    main_class: str = ""
    no_debug: bool = False
    stop_on_entry: bool = False
    class_paths: tuple[str, ...] = ()
    replaces_classes: bool = False
    failing_tests: bool = False
    init_commands: tuple[str, ...] = ()


class Following(Protocol):
    """Sends what happens in a session to the client, until it ends."""

    async def __call__(self, session: Session, /, *, task_status: trio.TaskStatus[None]) -> None: ...


class Debuggee:
    """The target of one client, and the session with it."""

    def __init__(self, nursery: trio.Nursery, editor: Editor) -> None:
        self._editor = editor
        self.plan = Plan()
        self.terminal: TerminalProgram | None = None
        """The target, if the client has started it in a terminal of its own, for us."""
        self.configured = False
        """True if the client has said so: its breakpoints are set."""
        self.is_ending = False
        """True if the target is about to end, as the client wants."""
        self.quietly = False
        """True if the client is not to hear that the session is over: another one follows."""
        self.selecting = trio.Lock()
        """Held where the session can be asked about the selected frame only."""
        self._keep = False
        self._follow: Following
        self._task: SessionTask[Session] = SessionTask(
            nursery, ready=self._ready, leaving=self._before_leave, ended=self._ended, report=self._report
        )

    @property
    def session(self) -> Session:
        """Return the session. Raises StateError when there is none, or it has ended."""
        if self._task.current is None:
            if self._task.was_left:
                raise StateError("the debugged program has ended, or was left", code="ENDED")
            raise StateError("nothing is debugged yet: attach or launch comes first", code="NOT_STARTED")
        return self._task.current

    @property
    def current(self) -> Session | None:
        """Return the session while it lasts."""
        return self._task.current

    @property
    def has_session(self) -> bool:
        """True if there is a session that lasts."""
        return self._task.current is not None

    @property
    def started_it(self) -> bool:
        """True if the target was launched for this client, by the adapter or in a terminal of the client."""
        session = self._task.current
        return session is not None and (session.launched or self.terminal is not None)

    async def open(self, opening: AbstractAsyncContextManager[Session], follow: Following) -> None:
        """Open the session and follow it until it is over. Raises as opening it does."""
        if self._task.is_busy:
            raise StateError("something is debugged already: disconnect comes first", code="STARTED")
        self._follow = follow
        await self._task.open(opening)

    def give_up_opening(self, reason: str) -> None:
        """Make the ``open`` that is under way fail."""
        self._task.give_up(reason)

    def start(self, task: Callable[[], Awaitable[None]]) -> None:
        """Run a task beside the session, until it ends; while there is none, until the client goes."""
        self._task.start(task)

    def finish(self) -> None:
        """The target has ended, or the connection: leave the session."""
        self._task.finish()

    async def leave(self, *, keep: bool, quietly: bool = False) -> None:
        """Leave the session: the target runs on (``keep``), or as opening it says: a launched one is ended.

        The client hears that it is over, but for ``quietly``.

        Raises LeaveError when it is not certain that the target runs.
        """
        if self.has_session:
            self._keep, self.quietly = keep, quietly
        await self._task.leave()

    async def end(self, grace: float, *, quietly: bool = False) -> None:
        """End the target that was launched for the client, and leave its session.

        The signal that runs its shutdown hooks ends it, and it is killed after ``grace`` seconds; in a terminal Exit of
        its VM ends it. The client hears what it writes until then. A second call may shorten the time.
        """
        session, left = self.session, self._task.left
        self.quietly = self.quietly or quietly
        self.is_ending = True
        if session.ending is None:
            await (session.end(grace) if session.launched else session.exit(0))
        await left.wait()  # when the end has been handed on

    async def _ready(self, session: Session, nursery: trio.Nursery) -> None:
        self._keep = self.quietly = self.is_ending = False
        await nursery.start(self._follow, session)
        stop = session.last_stop
        waits = stop is not None and stop.reason == "start"
        self._editor.event(
            "process",
            {
                "name": escape(self.plan.main_class or session.address),
                "isLocalProcess": not session.remote,
                "startMethod": "launch" if self.started_it else "attachForSuspendedLaunch" if waits else "attach",
            },
        )

    async def _before_leave(self, session: Session) -> None:
        if self._keep and session.ending is None:
            await session.detach()

    def _ended(self) -> None:
        if not self.quietly:
            self._editor.event("terminated")

    def _report(self, text: str) -> None:
        sys.stderr.write(f"jdbpy dap: {text}\n")
        self._editor.event("output", {"category": "important", "output": f"{text}\n"})

"""The context that a command function is given beside its arguments.

Owns the state of the front end (settings, displays, whether to leave); all that is known of the target is asked of the
session each time.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

import trio

from jdbpy import Limits
from jdbpy.cli.settings import Settings
from jdbpy.errors import JdbpyError
from jdbpy.plugins import LOADED
from jdbpy.record import Record

if TYPE_CHECKING:
    from jdbpy import Session, moments
    from jdbpy.cli.jvms import Jvms
    from jdbpy.cli.python_lines import PythonLines
    from jdbpy.cli.restarting import Restarts
    from jdbpy.cli.results import DisplayedItem
    from jdbpy.cli.screen.switching import ScreenControl
    from jdbpy.plugins.running import PythonRunner


class Collecting:
    """The lines after ``commands N``, up to ``end``."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.lines: list[str] = []


class Display(Record):
    """An expression that is shown at each stop; ``format`` is a letter, or empty."""

    expression: str
    format: str = ""


class Listed(Record):
    """Lines of a file that were shown last."""

    class_name: str
    source: str | None
    first: int
    last: int


async def _yes(question: str) -> bool:
    return True


async def _no_script(line: str) -> bool:
    raise NotImplementedError("no interpreter runs")


async def _no_wait(seconds: float) -> bool:
    raise NotImplementedError("no front end shows events")


def _no_note(line: str) -> None:
    """Nothing is recorded."""


class Context:
    """The session, the settings, and what a command may ask of the front end."""

    def __init__(
        self,
        session: Session,
        *,
        settings: Settings | None = None,
        interactive: bool = False,
        confirm: Callable[[str], Awaitable[bool]] = _yes,
        restarts: Restarts | None = None,
        jvms: Jvms | None = None,
        beside: Context | None = None,
    ) -> None:
        """``beside``: another one of the same front end, whose names and scripts it shares."""
        self.session = session
        self.settings = settings or Settings()
        self.interactive = interactive
        self._ask = confirm
        self.displays: dict[int, Display] = {}  # what is shown at each stop, by number
        self.displayed: dict[int, DisplayedItem] = {}  # what each of these was, the last time
        self.seen: dict[str, Any] | None = None  # names that the screen has read at this stop, for completion
        self.on_displayed: Callable[[], None] | None = None  # called when one of them was evaluated
        self.screen: ScreenControl | None = None  # the way to the full screen and back; None: there is none
        self.next_display = 1  # displays and monitors are numbered together
        self.monitors: dict[int, str] = {}  # commands run at each stop, by number
        self.actions: dict[int, list[str]] = {}  # commands run when a point is hit, by the point's number
        self.aliases: dict[str, str] = {} if beside is None else beside.aliases  # beginnings of commands, by names
        self.collecting: Collecting | None = None  # lines are taken for actions, not run
        self.python: PythonRunner | None = None  # runs the user's Python; made when it is needed
        self.make_python: Callable[[], PythonRunner] | None = None  # None: no Python is run here
        self.python_lines: PythonLines | None = None  # lines are Python, since `py`
        self.acting = False  # monitors or actions run
        self.acted_on = False  # one of these has let the target run
        self.leaving = False  # quit, exit or detach was run: no command follows
        self.quiet = False  # only what fails is shown: of a file that is read with -q
        self.moments: dict[str, moments.Moment] = {} if beside is None else beside.moments  # that `moment` has kept
        self.scripts: list[str] = [] if beside is None else beside.scripts  # files that are being read, outermost first
        self.listed: Listed | None = None  # where `list +` goes on
        self.open_call: Any = None  # the place in a recorded call that is looked at: a ``CallCursor``
        self.stop_variables: dict[tuple[object, ...], dict[str, str]] = {}  # what each frame's variables showed last
        self.decompiled = ""  # the method whose decompiled text a stop has shown last
        self.restarts = restarts  # of a launched program; None: it cannot be started again from here
        self.jvms = jvms  # all that are debugged here; None: there is but this session
        self.putting_back = False  # breakpoints are set again: what was disabled never gets into the target
        self.restarted = False  # the line that runs now has asked for the restart that was just done
        self.serving: Record | None = None  # how others join this session
        self.wait: Callable[[float], Awaitable[bool]] = _no_wait  # shows events for so many seconds; False: a stop came
        self.observing: trio.Event | None = None  # a command observes: Ctrl-C sets this, which ends it in good order
        self.with_others = False  # a command of ``each`` runs: the same runs in other JVMs
        self.interrupted = False  # Ctrl-C has ended what that observes elsewhere: here it ends before it begins
        self.announce: Callable[[str], None] | None = None  # shows a line before what follows; None: with the result
        self.show_in_place: Callable[[Record], None] | None = None  # shows it over what was shown so last; None: cannot
        self.run_program: Callable[[list[str]], Awaitable[int]] | None = None  # gives one the terminal
        self.note_line: Callable[[str], None] = _no_note  # enters a line of the user into the session's recording
        self.run_line: Callable[[str], Awaitable[bool]] = _no_script  # set by the interpreter; False: it failed

    def observe(self) -> trio.Event:
        """Return the event by which Ctrl-C ends in good order what a command observes. The command sets ``observing``
        to None at its end."""
        self.observing = trio.Event()
        if self.interrupted:
            self.observing.set()
        return self.observing

    async def confirm(self, question: str) -> bool:
        """Ask at the prompt; a script is taken at its word."""
        if not self.interactive or not self.settings["confirm"]:
            return True
        return await self._ask(question)

    async def begin_python(self, nursery: trio.Nursery, show: Callable[[str], object]) -> list[JdbpyError]:
        """Allow Python to run beside the session, and let the plug-ins that are loaded work in it.

        ``show`` is given what it prints. Return what was wrong with them.
        """

        def make() -> PythonRunner:
            from jdbpy.plugins.running import PythonRunner

            if self.python is None:
                self.python = PythonRunner(self.session, nursery, show)
            return self.python

        self.make_python = make
        wrong: list[JdbpyError] = []
        for plugin in LOADED.values():
            try:
                await make().install(plugin)
            except JdbpyError as error:
                wrong.append(error)
        return wrong

    async def end_python(self) -> None:
        """Let the hooks of plug-ins have the events that are there."""
        if self.python is not None:
            await self.python.finish()

    def limits(self, depth: int | None = None) -> Limits:
        """Return the limits of values, as the settings say."""
        settings = self.settings
        return Limits(
            depth=settings["depth"] if depth is None else depth,
            string=settings["string-limit"],
            elements=settings["element-limit"],
            fields=settings["field-limit"],
        )

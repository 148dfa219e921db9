"""The interface of a renderer: text for each result, error and event.

Renderers only make text; who writes it, and where, is the front end's affair. A renderer may remember what it has shown
(the hint of the first stop), nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from jdbpy import Event, SourceWindow
from jdbpy.cli.results import Displayed
from jdbpy.errors import JdbpyError
from jdbpy.record import Record

if TYPE_CHECKING:
    from jdbpy.cli.table import CliCommand


class Outcome(Record):
    """The end of a line: with a ``result``, or with an ``error``. ``command`` is None when there is no such command."""

    line: str  # as it was typed, without blanks around it
    command: CliCommand | None
    result: Record | None = None
    error: JdbpyError | None = None
    jvm: str = ""  # where, if several are debugged


class Renderer(Protocol):
    """Each method returns whole lines with their ends, or "" when there is nothing to show."""

    def parts(self, outcome: Outcome) -> Iterator[str]:
        """Yield the result of a command that succeeded: of a long one the first part need not wait for the last."""

    def error(self, outcome: Outcome) -> str:
        """Return the error of a command that failed: one sentence, and the hint."""

    def event(self, event: Event, jvm: str = "", stays: str = "") -> str:
        """Something that happened in the target. Application output comes back as it was written.

        ``jvm`` is its name, if several are debugged; ``stays`` the thread that stays selected though another one has
        stopped.
        """

    def displays(self, displayed: Displayed, jvm: str = "") -> str:
        """Return the values of ``display``, after a stop."""

    def source(self, window: SourceWindow, jvm: str = "") -> str:
        """Source of a stop that is made only now."""

    def listening(self, address: str) -> str:
        """jdbpy waits for a JVM to connect to ``address``."""

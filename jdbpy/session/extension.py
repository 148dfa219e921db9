"""How a part of the session hangs on to what happens in others: a breakpoint set, a class replaced, a thread resumed.

An ``Extension`` overrides the methods it needs, and is added to the target's ``Extensions``. They are called in the
order in which they were added. Which of them follow on each other, from a breakpoint to the end of a session, is in
``tests/session/test_extension_order.py``. What hangs on can be left out: nothing else knows of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from jdbpy.session.jvm.refs import RefType
from jdbpy.wire.command import Command
from jdbpy.wire.ids import CodeLocation, ReferenceTypeID

Breakpoint = Any
"""A ``BreakpointBase`` of any kind. Breakpoints, hits and requests are on floors above."""


class Extension:
    """What may be told of; all methods are optional. Those that are no coroutines must not wait."""

    # -- breakpoints -------------------------------------------------------------------------------------------------

    def breakpoint_installed(self, point: Breakpoint) -> None:
        """A breakpoint at lines, or a trace of methods, was set at its places."""

    def breakpoint_removed(self, point: Breakpoint) -> None:
        """The requests of one were taken out, for good or to be set anew."""

    def request_at(self, point: Breakpoint, place: CodeLocation) -> Any:
        """Return the ``EventRequest`` by which the extension reports hits of a place itself; None: an ordinary one is
        set."""

    async def class_prepared(self, prepared: RefType, thread: int) -> None:
        """A class with breakpoints is prepared, in a thread that is suspended at that event."""

    async def before_change(self, points: Iterable[Breakpoint]) -> None:
        """Breakpoints are about to be removed, disabled or changed: report hits of them that are still kept."""

    async def breakpoints_removed(self) -> None:
        """Breakpoints were removed or disabled, and the target has confirmed it."""

    async def caught_behind(self, thrown: Any, frames: Sequence[CodeLocation] | None = None) -> CodeLocation | None:
        """Return where the program catches what an event has thrown, and a handler of the debugger's own catches and
        throws again: no location if nowhere, None if that is not known. ``frames`` are those of the thread that are
        looked at, from the innermost; None for all."""
        return None

    async def hit_threshold(self, point: Breakpoint, hit: Any) -> None:
        """A breakpoint has been passed or has reported ``look_after`` times; the thread of the hit is suspended."""

    # -- code --------------------------------------------------------------------------------------------------------

    async def hot_swapped(self, type_id: ReferenceTypeID, data: bytes) -> None:
        """A hot swap has given a class these bytes; its breakpoints are not set again yet."""

    def code_cleared(self, type_ids: Sequence[ReferenceTypeID]) -> None:
        """Classes were redefined, and nothing is set there again yet: drop requests in them. The agent sets no
        breakpoint where it believes that another one stands."""

    async def redefined(self, type_ids: Sequence[ReferenceTypeID]) -> None:
        """Classes were redefined, and breakpoints are set there again."""

    # -- stops, and the end ------------------------------------------------------------------------------------------

    async def before_stop(self) -> None:
        """A stop is about to be published: report what happened before it."""

    def resumed(self) -> None:
        """A command that resumes was submitted, with ``Suspension`` at what follows from it."""

    def suspended(self) -> None:
        """The user has suspended something; a stop that shows it comes later, or never."""

    async def before_leave(self) -> None:
        """The target is about to be left: report what it has kept."""

    def closing_commands(self) -> list[Command[Any]]:
        """Return the commands after which what the extension leaves in the target keeps no object alive."""
        return []


class Extensions:
    """The extensions of one target, in order."""

    def __init__(self) -> None:
        self._all: tuple[Extension, ...] = ()
        self._users: dict[str, tuple[Extension, ...]] = {}

    def of(self, method: Callable[..., Any]) -> tuple[Extension, ...]:
        """Return the extensions that override a method, ``Extension.resumed``, in order."""
        return self._users.get(method.__name__, ())

    def add(self, extension: Extension, *, in_place_of: type[Extension] | None = None) -> None:
        """Call an extension after the others from now on. Those of the class ``in_place_of`` are called no more."""
        kept = (each for each in self._all if in_place_of is None or not isinstance(each, in_place_of))
        self._set((*kept, extension))

    def remove(self, extension: Extension) -> None:
        """Call an extension no more."""
        self._set(each for each in self._all if each is not extension)

    def _set(self, extensions: Iterable[Extension]) -> None:
        self._all = tuple(extensions)
        names = [name for name, method in vars(Extension).items() if not name.startswith("_") and callable(method)]
        self._users = {
            name: tuple(each for each in self._all if getattr(type(each), name) is not getattr(Extension, name))
            for name in names
        }

"""Breakpoints as live objects: how often they were hit, switched on and off, and the stops that they bring.

Made by ./dev generate from jdbpy/api/breakpoints.py; do not edit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from jdbpy.api import breakpoints as inner
from jdbpy.sync import portal

if TYPE_CHECKING:
    from jdbpy.api.frames import Place
    from jdbpy.session.model.breakpoints import BreakpointInfo
    from jdbpy.sync.hits import Stop


class Breakpoint(portal.Synced):
    """A breakpoint, watchpoint, catchpoint or trace in the target. Its properties are as of now, without a trip.

    In an ``with`` block it is removed at the end of the block.
    """

    __slots__ = ()

    @property
    def number(self) -> int:
        """Its number, as the command line shows it."""
        found: int = self._wrap(self._inner.number)
        return found

    @property
    def error(self) -> BaseException | None:
        """The exception of the function given as ``do``; raised at the end of the session."""
        found: BaseException | None = self._wrap(self._inner.error)
        return found

    @property
    def record(self) -> BreakpointInfo:
        """Return all about it, as plain data. Raises UsageError once it is removed. No trip."""
        found: BreakpointInfo = self._there(lambda: self._inner.record)
        return found

    @property
    def spec(self) -> str:
        """Return where it is, or what it watches, as one types it. No trip."""
        found: str = self._there(lambda: self._inner.spec)
        return found

    @property
    def hits(self) -> int:
        """Return how many hits have counted so far. No trip."""
        found: int = self._there(lambda: self._inner.hits)
        return found

    @property
    def enabled(self) -> bool:
        """True unless it is switched off. No trip."""
        found: bool = self._there(lambda: self._inner.enabled)
        return found

    @property
    def is_pending(self) -> bool:
        """True while the class is not loaded in which it is to stand. No trip."""
        found: bool = self._there(lambda: self._inner.is_pending)
        return found

    @property
    def message(self) -> str:
        """Return what it waits for, in words; "" for nothing. No trip."""
        found: str = self._there(lambda: self._inner.message)
        return found

    @property
    def places(self) -> list[Place]:
        """Return where in code it stands now. No trip."""
        found: list[Place] = self._there(lambda: self._inner.places)
        return found

    @property
    def exists(self) -> bool:
        """False once it is removed. No trip."""
        found: bool = self._there(lambda: self._inner.exists)
        return found

    def wait(self, timeout: float | None = None) -> Stop:
        """Return the next stop at it that was not taken yet; each stop goes to one of those who wait.

        Raises TimedOut after ``timeout`` seconds (None: no limit), StateError when the target has ended or it was
        removed, Disconnected. wire: no trip.
        """
        found: Stop = self._await(lambda: self._inner.wait(timeout))
        return found

    def stops(self, seconds: float | None = None, count: int | None = None) -> Iterator[Stop]:
        """Return its stops one by one, of the next ``seconds`` or the next ``count``; each is resumed when the next is
        asked for, unless it was already. Ends with the target. No trip but for what the loop asks."""
        return self._iterate(self._inner._stops_pages(seconds, count))

    def enable(self) -> None:
        """Switch it on. Raises UsageError once it is removed. wire: 1 to 3 trips."""
        self._await(lambda: self._inner.enable())

    def disable(self) -> None:
        """Switch it off, and keep it. Raises UsageError once it is removed. wire: 1 trip."""
        self._await(lambda: self._inner.disable())

    def remove(self) -> None:
        """Take it out for good; to remove it again is not an error. wire: 1 trip."""
        self._await(lambda: self._inner.remove())

    def set_condition(self, when: str) -> None:
        """Stop only where this boolean Java expression is true; "" stops always. Raises EvalError. wire: none, or as
        setting it."""
        self._await(lambda: self._inner.set_condition(when))

    def to_dict(self) -> dict[str, Any]:
        """Return its JSON object, as the command line gives it: ``docs/json.md``. No trip."""
        found: dict[str, Any] = self._there(lambda: self._inner.to_dict())
        return found

    def to_json(self) -> str:
        """``to_dict`` as a text of ASCII. No trip."""
        found: str = self._there(lambda: self._inner.to_json())
        return found

    def __enter__(self) -> Breakpoint:
        """Enter the block."""
        self._await(self._inner.__aenter__)
        return self

    def __exit__(self, *exc: object) -> None:
        """Remove it. wire: 1 trip."""
        self._await(lambda: self._inner.__aexit__(*exc))


portal.register(inner.Breakpoint, Breakpoint)

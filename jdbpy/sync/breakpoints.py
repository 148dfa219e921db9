"""Breakpoints as live objects: how often they were hit, switched on and off; the stops and the hits that they bring.

Made by ./dev generate from jdbpy/api/breakpoints.py; do not edit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from jdbpy.api import breakpoints as inner
from jdbpy.sync import portal
from jdbpy.sync.hits import Hit

if TYPE_CHECKING:
    from pathlib import Path

    from jdbpy.api.frames import Place
    from jdbpy.session.model.breakpoints import BreakpointInfo
    from jdbpy.session.model.snapshots import SnapshotTaken
    from jdbpy.sync.frames import Frame
    from jdbpy.sync.hits import Reported


class Stop(Hit):
    """A stop: a hit whose thread is suspended, and maybe all others. It lasts until its thread is resumed."""

    __slots__ = ()

    @property
    def reason(self) -> str:
        """Return why it stopped: ``event``."""
        found: str = self._wrap(self._inner.reason)
        return found

    @property
    def frame(self) -> Frame:
        """Return the innermost frame, good until its thread runs. Raises StateError where there is none. No trip."""
        found: Frame = self._wrap(self._inner.frame)
        return found

    @property
    def breakpoint(self) -> Breakpoint:
        """Return the breakpoint that stopped it. Raises StateError for another stop. No trip."""
        found: Breakpoint = self._there(lambda: self._inner.breakpoint)
        return found

    @property
    def suspends_all(self) -> bool:
        """True if all threads were suspended, False if only its own."""
        found: bool = self._wrap(self._inner.suspends_all)
        return found

    @property
    def is_current(self) -> bool:
        """True until its thread runs on. No trip."""
        found: bool = self._wrap(self._inner.is_current)
        return found

    @property
    def warning(self) -> str:
        """Return what went wrong at the stop, such as a condition that failed; "" if nothing has."""
        found: str = self._wrap(self._inner.warning)
        return found

    def snapshot(
        self, path: str | Path, *, depth: int | None = None, most: int | None = None, masks: Sequence[str] = ()
    ) -> SnapshotTaken:
        """Write a snapshot of the JVM as it stands: see ``Vm.snapshot``, whose arguments, errors and costs it has."""
        found: SnapshotTaken = self._await(lambda: self._inner.snapshot(path, depth=depth, most=most, masks=masks))
        return found

    def resume(self) -> None:
        """Resume what the stop suspends: its thread, or all. A stop that is over is not an error. wire: no wait."""
        self._await(lambda: self._inner.resume())


portal.register(inner.Stop, Stop)


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


class Hits(portal.Synced):
    """Hits that are reported while the target goes on; to be used in an ``with`` block.

    The block begins with the request in the target, so that no hit is lost in between, and ends by taking it out. At
    most 10,000 hits wait for a slow script; ``dropped`` counts those that did not fit.
    """

    __slots__ = ()

    def __enter__(self) -> Hits:
        """Begin to take hits. Raises UsageError and EvalError for what makes no sense. wire: 1 to 3 trips."""
        self._await(self._inner.__aenter__)
        return self

    def __exit__(self, *exc: object) -> None:
        """End it; what was not taken can still be. wire: 1 trip."""
        self._await(lambda: self._inner.__aexit__(*exc))

    @property
    def breakpoint(self) -> Breakpoint:
        """Return what is set in the target: its count of hits, whether it waits for a class. No trip."""
        found: Breakpoint = self._there(lambda: self._inner.breakpoint)
        return found

    @property
    def dropped(self) -> int:
        """Hits that were dropped because the script was too slow. No trip."""
        found: int = self._there(lambda: self._inner.dropped)
        return found

    def take(self, seconds: float | None = None, count: int | None = None) -> Iterator[Reported]:
        """Return the hits, one by one: of the next ``seconds``, or the next ``count``, or what comes first of both.

        Without either, up to the end of the block or of the target, which is not an error. Raises StateError before the
        block, Disconnected. No trip.
        """
        return self._iterate(self._inner._take_pages(seconds, count))

    def __iter__(self) -> Iterator[Reported]:
        """Walk through them."""
        return self._iterate(self._inner._take_pages())

    def next(self, timeout: float | None = None) -> Reported:
        """Return the next hit. Raises TimedOut after ``timeout`` seconds (None: no limit), StateError when the target
        has ended, or before the block. No trip."""
        found: Reported = self._await(lambda: self._inner.next(timeout))
        return found

    def summary(self) -> Any:
        """Return what all hits come to, taken or not, as ``jdbpy.tracing.TraceSummary``: counts by method, values.

        wire: 2 or 3 trips.
        """
        return self._await(lambda: self._inner.summary())


portal.register(inner.Hits, Hits)

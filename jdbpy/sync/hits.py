"""The events at a breakpoint: hits that are reported while the target goes on, and stops, which suspend a thread.

Made by ./dev generate from jdbpy/api/hits.py; do not edit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from jdbpy.api import hits as inner
from jdbpy.sync import portal

if TYPE_CHECKING:
    from pathlib import Path

    from jdbpy.api.frames import Place
    from jdbpy.session.model.snapshots import SnapshotTaken
    from jdbpy.sync.breakpoints import Breakpoint
    from jdbpy.sync.frames import Frame, Thread
    from jdbpy.sync.values import Value


class Hit(portal.SyncedHtml):
    """One hit of a breakpoint, a trace or a watchpoint, with its data as it was then.

    ``event`` is what happened: "breakpoint", "method-entry", "method-exit", "exception", "access", "modification",
    "monitor", "class-prepare", "class-unload", "thread-start", "thread-death", "vm-death"; of stops also "step",
    "pause", "start". A property that does not belong to it raises StateError. Texts and primitives are as they were at
    the hit; what an object holds is read when it is asked for.
    """

    __slots__ = ()

    @property
    def record(self) -> Any:
        """As of ``jdbpy.api.Hit``."""
        found: Any = self._wrap(self._inner.record)
        return found

    @property
    def event(self) -> str:
        """As of ``jdbpy.api.Hit``."""
        found: str = self._wrap(self._inner.event)
        return found

    @property
    def time(self) -> float:
        """The time at which it came to the debugger, in seconds since 1970."""
        found: float = self._wrap(self._inner.time)
        return found

    @property
    def number(self) -> int:
        """Which hit of its breakpoint it is, from 1; 0 for what is none of a breakpoint."""
        found: int = self._wrap(self._inner.number)
        return found

    @property
    def thread(self) -> Thread:
        """Return the thread in which it happened. Raises StateError where there is none (``class-unload``). No trip."""
        found: Thread = self._wrap(self._inner.thread)
        return found

    @property
    def place(self) -> Place:
        """Return the place in code where it happened. No trip."""
        found: Place = self._wrap(self._inner.place)
        return found

    @property
    def returned(self) -> Value:
        """Return what the method has returned: at a "method-exit", and at the end of ``finish`` and ``next``; a value
        of the type ``void`` of a method that returns nothing. No trip.
        """
        found: Value = self._wrap(self._inner.returned)
        return found

    @property
    def exception(self) -> Value:
        """Return the exception that was thrown. No trip."""
        found: Value = self._wrap(self._inner.exception)
        return found

    @property
    def message(self) -> str:
        """Return the message of the exception; "" if it has none. No trip."""
        found: str = self._wrap(self._inner.message)
        return found

    @property
    def caught(self) -> bool:
        """True if some frame of the thread catches the exception. No trip."""
        found: bool = self._wrap(self._inner.caught)
        return found

    @property
    def field(self) -> str:
        """Return the watched field that was read or changed: ``com.acme.Order.total``. No trip."""
        found: str = self._wrap(self._inner.field)
        return found

    @property
    def old(self) -> Value:
        """Return what the field held before. No trip."""
        found: Value = self._wrap(self._inner.old)
        return found

    @property
    def new(self) -> Value:
        """Return what the field is about to hold. No trip."""
        found: Value = self._wrap(self._inner.new)
        return found

    @property
    def object(self) -> Value:
        """Return the object whose field it is, or whose monitor. No trip."""
        found: Value = self._wrap(self._inner.object)
        return found

    @property
    def monitor(self) -> str:
        """Return what happened to the monitor: "enter" (another thread has it), "entered", "wait", "waited".
        No trip.
        """
        found: str = self._wrap(self._inner.monitor)
        return found

    @property
    def loaded(self) -> str:
        """Return the name of the class that was loaded or unloaded. No trip."""
        found: str = self._wrap(self._inner.loaded)
        return found

    @property
    def failure(self) -> str:
        """Return why its condition, or the text of a log, could not be evaluated; "" if it could. No trip."""
        found: str = self._wrap(self._inner.failure)
        return found

    def has(self, what: str) -> bool:
        """True if the hit has that: ``hit.has("returned")``, by the name of a property. No trip."""
        found: bool = self._wrap(self._inner.has(what))
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return its JSON object, as the command line gives it: ``docs/json.md``. No trip."""
        found: dict[str, Any] = self._wrap(self._inner.to_dict())
        return found

    def to_json(self) -> str:
        """``to_dict`` as a text of ASCII. No trip."""
        found: str = self._wrap(self._inner.to_json())
        return found


portal.register(inner.Hit, Hit)


class Reported(Hit):
    """A hit that was reported while the target went on."""

    __slots__ = ()

    @property
    def args(self) -> dict[str, Value]:
        """Return the arguments by name, at a "method-entry"; ``arg0``, ``arg1`` without debug information. No trip."""
        found: dict[str, Value] = self._wrap(self._inner.args)
        return found

    @property
    def values(self) -> dict[str, Value]:
        """Return what the expressions of ``vm.log`` gave, by their texts. No trip."""
        found: dict[str, Value] = self._wrap(self._inner.values)
        return found

    @property
    def cost(self) -> float:
        """Return the seconds that an observed call took. Raises StateError where its begin was not seen. No trip."""
        found: float = self._wrap(self._inner.cost)
        return found

    @property
    def stack(self) -> list[Place]:
        """Return the places of the innermost frames, as many as were asked for with ``stack=``. No trip."""
        found: list[Place] = self._wrap(self._inner.stack)
        return found

    @property
    def caller(self) -> Place:
        """Return the place that called the method. Raises StateError unless ``stack`` was 2 or more. No trip."""
        found: Place = self._wrap(self._inner.caller)
        return found


portal.register(inner.Reported, Reported)


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

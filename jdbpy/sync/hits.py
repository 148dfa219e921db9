"""The events at a breakpoint: hits that are reported while the target goes on, and stops, which suspend a thread.

Made by ./dev generate from jdbpy/api/hits.py; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jdbpy.api import hits as inner
from jdbpy.sync import portal

if TYPE_CHECKING:
    from jdbpy.api.frames import Place
    from jdbpy.sync.frames import Thread
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
    def caught(self) -> bool | None:
        """True if some frame of the thread catches the exception; None where that is not known, as it passes a method
        that is recorded. No trip."""
        found: bool | None = self._wrap(self._inner.caught)
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

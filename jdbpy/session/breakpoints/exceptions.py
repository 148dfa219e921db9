"""Catchpoints for exceptions: by class or pattern, caught or not, wherever they are thrown or only in some classes.

A request is for one class and its subclasses, so a pattern becomes one for each exception class that it fits, those
that are loaded later included; a class below another that has a request needs none. Exceptions of other classes thus
cost the target nothing. For a class the subclasses count too, as in a Java ``catch``; for a pattern only the names that
fit it, since ``*Exception`` would otherwise be every exception there is.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from contextlib import suppress
from functools import partial
from typing import Any

from jdbpy.errors import Disconnected, JdbpyError, ProtocolError, UsageError
from jdbpy.session.breakpoints.class_watch import ClassWatch
from jdbpy.session.breakpoints.event_point import Basis, Concerned, EventBreakpoint
from jdbpy.session.events.conditions import Given
from jdbpy.session.events.requests import RequestHit
from jdbpy.session.extension import Extension
from jdbpy.session.java.class_names import ClassName
from jdbpy.session.jvm.refs import RefType
from jdbpy.session.model import events
from jdbpy.session.values.objects import Objects
from jdbpy.session.values.throwables import exception_info
from jdbpy.wire.constants import EventKind
from jdbpy.wire.ids import CodeLocation, ObjectID, ReferenceTypeID, TaggedValue
from jdbpy.wire.messages import event_request, object_reference
from jdbpy.wire.pending import Pending

_ANY = ReferenceTypeID(0)
_MOST_ASKED = 32
"""Classes that may be asked for at a time: of more exceptions in so short a time the classes are not counted."""

_MOST_UNDECIDED = 64
"""Throwables that are remembered from where they are thrown to where it is known who catches them."""

_THROWABLE = "Ljava/lang/Throwable;"


class ExceptionCatchpoint(EventBreakpoint):
    """Stops where an exception is thrown."""

    kind = "exception"
    what = "exceptions"
    brings = frozenset(("exc",))
    looks_at_thread = True

    def __init__(self, basis: Basis, *, name: ClassName, caught: bool, uncaught: bool) -> None:
        super().__init__(basis)
        self.typed = name
        self.caught = caught
        self.uncaught = uncaught
        self._throwable: RefType | None = None
        self._covered: set[ReferenceTypeID] = set()
        self._looks_at_all = False
        self._undecided: OrderedDict[int, CodeLocation] = OrderedDict()
        """By throwable, where it was thrown; those whose catcher was not known when they were thrown."""
        self._asked = 0  # classes of exceptions that are being asked for
        self._watch = ClassWatch(basis.target, name, self._on_class, of_the_jdk=True)

    @property
    def spec(self) -> str:
        which = "all" if self.caught and self.uncaught else "caught" if self.caught else "uncaught"
        return f"{which} {self._watch.name.text}"

    def is_for(self, name: ClassName) -> bool:
        """True if it was set for, or found, a class of that name."""
        return self._watch.is_for(name)

    async def _set_up(self) -> None:
        """wire: 3 trips, and 1 a superclass that is new; 1 for every exception (``*``)."""
        self._covered.clear()
        self._looks_at_all = self._tells_apart and self._target.changed_code.has_handlers
        if self.typed.text == "*":
            await self._catch([_ANY])
            return
        throwables = await self._target.types.by_signature(_THROWABLE)
        if not throwables:
            raise ProtocolError("the target says that java.lang.Throwable is not loaded")
        self._throwable = throwables[0]
        pattern = self.typed.is_pattern
        found = await self._watch.open(self._throwable.id if pattern else None)
        await self._cover(found)
        if self._covered:
            self.message = ""
        elif found and not pattern:
            raise UsageError(f"{found[0].name} is not an exception class", code="NO_EXCEPTION")
        else:
            self.message = self._watch.waiting()

    def disarm(self) -> list[Pending[Any]]:
        return [*self._watch.close(), *super().disarm()]

    @property
    def counts_every_hit(self) -> bool:
        """True if each event of the agent is a hit; what the debugger's own handlers throw again is not one."""
        return super().counts_every_hit and not self._target.changed_code.has_handlers

    @property
    def _tells_apart(self) -> bool:
        """True if caught exceptions are meant and uncaught ones are not, or the other way round."""
        return not (self.caught and self.uncaught)

    def look_at_all(self) -> None:
        """Have caught and uncaught exceptions reported as long as the agent does not tell them apart as the program
        does, which ``concerns`` finds out. wire: no wait."""
        self._looks_at_all = self._tells_apart and self._target.changed_code.has_handlers
        for each in self.requests:
            first = next(one for one in each.modifiers if isinstance(one, event_request.ExceptionOnly))
            only = self._only(first.exceptionOrNull)
            if only != first:
                self._target.requests.change(each, [only if one is first else one for one in each.modifiers])

    def _only(self, type_id: ReferenceTypeID) -> event_request.ExceptionOnly:
        every = self._looks_at_all
        return event_request.ExceptionOnly(type_id, self.caught or every, self.uncaught or every)

    def concerns(self, hit: RequestHit) -> Concerned:
        thrown, caught, code = int(hit.event.exception.objectID), hit.event.catchLocation, self._target.changed_code
        if code.throws_again(hit.event.location) and thrown not in self._undecided:
            return False
        if self._tells_apart and code.throws_again(caught):
            return partial(self._is_meant_behind, hit)
        if self._tells_apart and bool(caught.classID) is not self.caught:
            self._undecided.pop(thrown, None)
            return False
        return partial(self._fits, hit) if self.typed.is_pattern and self.typed.text != "*" else True

    async def _is_meant_behind(self, hit: RequestHit) -> bool:
        """True for an exception that passes a method which is observed, if it is caught, or not caught, as is meant.

        Where that is not known now it is when the exception leaves that method. wire: see ``Extension.caught_behind``.
        """
        thrown = int(hit.event.exception.objectID)
        place: CodeLocation | None = None
        for extension in self._target.extensions.of(Extension.caught_behind):
            place = await extension.caught_behind(hit.event)
        if place is None:
            self._undecided.setdefault(thrown, hit.event.location)
            if len(self._undecided) > _MOST_UNDECIDED:
                self._undecided.popitem(last=False)
            return False
        return bool(place.classID) is self.caught and await self._fits(hit)

    async def _fits(self, hit: RequestHit) -> bool:
        """True if the exception's own class fits the pattern. wire: 2 trips, 1 for a known class."""
        if not self.typed.is_pattern or self.typed.text == "*":
            return True
        reader = Objects.of(self._target).reader
        type_id = await reader.run(reader.type_id(hit.event.exception.objectID))
        known = (await self._target.types.info([type_id])).get(type_id)
        return known is None or self.typed.is_name_of(known.name)

    def count(self, hit: RequestHit) -> None:
        """Enter a hit with the class of the exception, which is asked for beside everything else. wire: no wait."""
        place, object_id = hit.event.location, hit.event.exception.objectID
        row = self.hit_statistics.row(self.hit_statistics.of_kind(hit.request.kind), (place.classID, place.methodID))
        if row is None:
            return
        row.count += 1
        if self._asked >= _MOST_ASKED:
            return

        def answered(reply: Any) -> None:
            self._asked -= 1
            if not isinstance(reply, JdbpyError):
                self.hit_statistics.add_value(row, int(reply.typeID))

        with suppress(Disconnected):
            self._target.conn.submit(object_reference.ReferenceType(ObjectID(object_id)), on_reply=answered)
            self._asked += 1

    async def given(self, hit: RequestHit, text: str) -> Given:
        thrown = hit.event.exception
        return {"exc": (TaggedValue(thrown.tag, thrown.objectID), "")}

    async def details(self, hit: RequestHit) -> dict[str, Any]:
        """Return what was thrown and where it will be caught. wire: as ``exception_info``."""
        told: dict[str, Any] = {"exception": await exception_info(self._target, hit.event)}
        first = self._undecided.pop(int(hit.event.exception.objectID), None)
        if first is not None and self._target.changed_code.throws_again(hit.event.location):
            [place] = await self._target.types.locations([first])
            where = f"{place.class_name}.{place.method}" + (f", line {place.line}" if place.line else "")
            told["message"] = f"it was thrown in {where}: who catches it is known only here, behind an observed method"
        return told

    def told(self, hit: RequestHit, where: str, details: dict[str, Any]) -> tuple[str, str]:
        info: events.ExceptionInfo | None = details.get("exception")
        if info is None:
            return "exception-thrown", f"an exception was thrown: {where}"
        said = f": {info.message}" if info.message is not None else ""
        how = "uncaught exception" if info.caught is False else "exception"
        return "exception-thrown", f"{how} {info.type}{said} thrown: {where}"

    async def _on_class(self, prepared: RefType) -> None:
        waited = not self.requests
        await self._cover([prepared])
        if self._covered:
            self.message = ""
            self._announce(resolved=waited)
        elif not self.typed.is_pattern:
            self.message = f"{prepared.name} is not an exception class"
            self._announce(resolved=False)

    async def _cover(self, types: Iterable[RefType]) -> None:
        """Requests exceptions of those types that no request covers yet. wire: 1 trip, and 1 a superclass."""
        assert self._throwable is not None
        above = {
            type_id: {type_id, *(each.id for each in chain)}
            for type_id, chain in (await self._target.types.superclasses(each.id for each in types)).items()
        }
        exceptions = {type_id for type_id, chain in above.items() if self._throwable.id in chain}
        new = [
            type_id
            for type_id in exceptions
            if not above[type_id] & self._covered and not (above[type_id] - {type_id}) & exceptions
        ]
        self._covered.update(new)
        await self._catch(new)

    async def _catch(self, types: Iterable[ReferenceTypeID]) -> None:
        only = [self._only(type_id) for type_id in types]
        if only:
            await self._request([(EventKind.EXCEPTION, [modifier]) for modifier in only])
            self.look_at_all()  # code may have been put into classes meanwhile

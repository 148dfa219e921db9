"""Places in code at which threads stop, and what is learned of them: names and lines, and what variables there are.

Owns which places are known well enough for a stop there to be shown, and its variables to be asked for, in one trip.
Facts themselves are the type cache's.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import trio

from jdbpy.session.concurrency import together
from jdbpy.session.types import facts
from jdbpy.session.types.cache import TypeCache
from jdbpy.session.types.facts import MethodKey
from jdbpy.session.types.refs import OBSOLETE
from jdbpy.wire.ids import CodeLocation, MethodID, ReferenceTypeID

if TYPE_CHECKING:
    from jdbpy.session.stack.slots import SlotVariable

_FACTS_OF_FRAMES = (facts.SIGNATURE, facts.MODIFIERS, facts.SUPERCLASS, facts.INTERFACES, facts.FIELDS)
"""What variables and names in a frame are looked up in, of its class."""


class StopPlaces:
    """The places of one target."""

    def __init__(self, types: TypeCache) -> None:
        self._types = types
        self._learned: set[MethodKey] = set()
        self._learning: dict[MethodKey, trio.Event] = {}

    def is_learned(self, at: CodeLocation) -> bool:
        """Whether a stop there needs nothing but what changes from stop to stop."""
        return (at.classID, at.methodID) in self._learned and self._types.is_placed([at])

    async def learn(self, places: Iterable[CodeLocation]) -> None:
        """Learns places, and what looking at variables there begins with. wire: 1 trip, 0 when known."""
        types, places = self._types, [place for place in places if place.classID]
        if not places:
            return
        keys = {(place.classID, place.methodID) for place in places}
        methods = [key for key in keys if key[1] != OBSOLETE]
        classes = [place.classID for place in places]
        done = trio.Event()
        self._learning.update(dict.fromkeys(keys, done))
        try:
            await together(
                lambda: types.locations(places),
                lambda: types.prefetch((facts.VARIABLES, methods), *((fact, classes) for fact in _FACTS_OF_FRAMES)),
                types.learn_root,
            )
        finally:
            done.set()
            for key in keys:
                self._learning.pop(key, None)
        self._learned |= keys

    async def settled(self, at: CodeLocation) -> None:
        """Waits while a place is being learned: a breakpoint may be hit before all is here that was asked with it."""
        learning = self._learning.get((at.classID, at.methodID))
        if learning is not None:
            await learning.wait()

    def variables(self, at: CodeLocation) -> list[SlotVariable]:
        """The variables in scope at a place; none where that is not known, or there is no variable table. No trip."""
        from jdbpy.session.stack.slots import from_table

        table = self._types.known(facts.VARIABLES, (at.classID, at.methodID))
        return from_table(table, at.index) if table is not None else []

    def variables_of(self, type_id: int, method_id: int) -> list[SlotVariable]:
        """All variables that a method has somewhere, each kind of value in a slot once; none as above. No trip."""
        from jdbpy.session.stack.frame_memory import key_of
        from jdbpy.session.stack.slots import all_of_table

        table = self._types.known(facts.VARIABLES, (ReferenceTypeID(type_id), MethodID(method_id)))
        found = all_of_table(table) if table is not None else []
        return list({key_of(variable): variable for variable in found}.values())

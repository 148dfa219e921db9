"""The classes that variables are likely to hold, judged by their declared types.

Over a link with latency these are looked up beside the values themselves, so that what objects of them consist of is
known by the time their classes are: two trips less for a class that nobody has looked at. Owns guesses only; a wrong
one costs a few bytes.
"""

from __future__ import annotations

from collections.abc import Iterable

from jdbpy.session.types import facts
from jdbpy.session.types.cache import TypeCache
from jdbpy.session.types.jdk import made_of
from jdbpy.session.types.signatures import java_name, signature_of
from jdbpy.wire.ids import ReferenceTypeID


class LikelyClasses:
    """The guesses about one target; no type is looked up twice."""

    def __init__(self, types: TypeCache) -> None:
        self._types = types
        self._asked: set[str] = set()
        self._found: list[ReferenceTypeID] = []

    def unknown(self, declared: Iterable[str]) -> list[str]:
        """The signatures of classes that are worth looking up for variables of these types. No trip."""
        names = made_of(java_name(each) for each in declared if each.startswith("L"))
        wanted = {signature_of(name) for name in names} - self._asked
        if wanted:
            fields = self._types.all_of(facts.FIELDS)
            wanted -= {known.signature for known in self._types.all_known() if known.id in fields}
        return sorted(wanted)

    async def look_up(self, signatures: Iterable[str]) -> None:
        """Looks for the loaded classes of these names. wire: 1 trip, 0 for none."""
        wanted = list(signatures)
        if wanted:
            self._asked.update(wanted)
            self._found += [each.id for found in (await self._types.by_signatures(wanted)).values() for each in found]

    def found(self) -> list[ReferenceTypeID]:
        """The classes that were found since this was asked last: what they consist of is worth asking for. No trip."""
        found, self._found = self._found, []
        return found

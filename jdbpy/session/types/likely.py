"""The classes that variables are likely to hold, judged by their declared types.

Over a link with latency these are looked up beside the values themselves, so that what objects of them consist of is
known by the time their classes are: two trips less for a class that nobody has looked at. Owns guesses only; a wrong
one costs a few bytes.
"""

from __future__ import annotations

from collections.abc import Iterable

from jdbpy.session.types import facts
from jdbpy.session.types.cache import TypeCache
from jdbpy.wire.ids import ReferenceTypeID

NEVER = frozenset(("Ljava/lang/Object;", "Ljava/lang/String;", "Ljava/lang/Class;"))
"""Types that tell nothing, or whose objects are read without their fields."""

ALSO = {
    "Ljava/lang/StringBuilder;": ("Ljava/lang/AbstractStringBuilder;",),
    "Ljava/lang/StringBuffer;": ("Ljava/lang/AbstractStringBuilder;",),
    "Ljava/lang/Exception;": ("Ljava/lang/Throwable;",),
    "Ljava/lang/RuntimeException;": ("Ljava/lang/Exception;", "Ljava/lang/Throwable;"),
    "Ljava/util/LinkedHashMap;": ("Ljava/util/HashMap;", "Ljava/util/HashMap$Node;"),
    "Ljava/util/LinkedHashSet;": ("Ljava/util/HashSet;", "Ljava/util/HashMap;"),
    "Ljava/util/HashSet;": ("Ljava/util/HashMap;",),
    "Ljava/util/List;": ("Ljava/util/ArrayList;",),
    "Ljava/util/Collection;": ("Ljava/util/ArrayList;",),
    "Ljava/util/Map;": ("Ljava/util/HashMap;", "Ljava/util/HashMap$Node;"),
    "Ljava/util/HashMap;": ("Ljava/util/HashMap$Node;",),
    "Ljava/util/Set;": ("Ljava/util/HashSet;", "Ljava/util/HashMap;"),
}
"""What an object of a declared type has its fields from, or most often is."""


class LikelyClasses:
    """The guesses about one target; no type is looked up twice."""

    def __init__(self, types: TypeCache) -> None:
        self._types = types
        self._asked: set[str] = set()
        self._found: list[ReferenceTypeID] = []

    def unknown(self, declared: Iterable[str]) -> list[str]:
        """The signatures of classes that are worth looking up for variables of these types. No trip."""
        wanted = {name for name in declared if name.startswith("L")} - NEVER
        wanted |= {name for each in wanted for name in ALSO.get(each, ())}
        wanted -= self._asked
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

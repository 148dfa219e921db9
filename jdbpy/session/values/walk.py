"""Reads the first entries of a linked structure in its own order, level by level instead of node by node.

A structure is a list of parts: entries that are known, and references that are not read yet. In each round all
references that may stand before the last wanted entry are read at once, and each is replaced by what it leads to:
a bucket by its node and the rest of its chain, a tree by left subtree, node and right subtree. Pure: how references are
read is left to the caller.

Who shows a large structure page by page asks for the first 100, the first 200 and so on. ``Walks`` remembers how far
each was read, so that a page begins where the one before has ended.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Hashable, Sequence
from typing import Any, Generic, TypeVar

from jdbpy.errors import JdwpError
from jdbpy.session.values.shown import UnknownLayout
from jdbpy.wire.constants import Error

Entry = TypeVar("Entry")


class Unread:
    """A part that has to be read: ``at`` is whatever ``expand`` needs, ``least`` how many entries it holds at least."""

    __slots__ = ("at", "least")

    def __init__(self, at: Any, least: int = 1) -> None:
        self.at = at
        self.least = least


class KnownEntry(Generic[Entry]):
    """A part that is an entry."""

    __slots__ = ("entry",)

    def __init__(self, entry: Entry) -> None:
        self.entry = entry


LEFT_OUT = (Error.NOT_IN_SNAPSHOT, Error.NOT_IN_RECORDING, Error.NEEDS_AGENT)
"""Errors of a structure that a file, or a thread dump, has in part: what comes before is good."""

Plan = Sequence[Unread | KnownEntry[Entry]]
Expand = Callable[[list[Any]], Awaitable[list[Plan[Entry]]]]
"""Reads references; returns for each the parts that stand in its place."""

_ROUNDS = 10_000
"""More rounds than wanted entries: a structure that changes while it is read can lead in circles."""


async def first_in_order(plan: Plan[Entry], expand: Expand[Entry], want: int, *, in_part: bool = False) -> list[Entry]:
    """Return the first ``want`` entries, or all if there are fewer. One wave for each level that has to be read.

    ``in_part``: of a structure that a snapshot has in part the first entries are given; for callers who know how many
    there are.
    """
    return await Walk(plan).first(expand, want, in_part=in_part)


class Walk(Generic[Entry]):
    """A structure as far as it was read: the entries before the first part that was not, and the parts from there."""

    __slots__ = ("_entries", "_parts")

    def __init__(self, plan: Plan[Entry]) -> None:
        self._entries: list[Entry] = []
        self._parts = _settled(plan, self._entries)

    def __len__(self) -> int:
        """Return how many entries were read."""
        return len(self._entries)

    async def first(self, expand: Expand[Entry], want: int, *, in_part: bool = False) -> list[Entry]:
        """Go on until ``want`` entries are read: see ``first_in_order``. Others may walk at the same time."""
        entries, parts = self._entries, self._parts
        if len(entries) >= want:
            return entries[:want]
        entries = list(entries)
        for _ in range(_ROUNDS + want):
            picked = _needed(parts, want - len(entries))
            if not picked:
                if len(entries) > len(self._entries):
                    self._entries, self._parts = entries, parts
                return [*entries, *(part.entry for part in parts if isinstance(part, KnownEntry))][:want]
            try:
                found = iter(await expand([unread.at for unread in picked]))
            except JdwpError as error:
                if not (in_part and entries) or error.number not in LEFT_OUT:
                    raise
                return entries[:want]
            replaced = {id(unread): next(found) for unread in picked}
            parts = _settled([each for part in parts for each in replaced.get(id(part), (part,))], entries)
        raise UnknownLayout("it leads in circles")


_MOST_WALKS = 20
"""Structures of which is known how far they were read; the oldest is forgotten."""


class Walks:
    """The structures of which is known how far they were read, as long as they stay as they are.

    ``moment`` is another whenever anything has run; None while something may be running. Then only structures with a
    ``version`` are remembered, a number that they change themselves with each entry that comes or goes.
    """

    def __init__(self, moment: Callable[[], Hashable]) -> None:
        self._moment = moment
        self._now: Hashable = None
        self._known: dict[Hashable, Walk[Any]] = {}
        self._versions: dict[Hashable, tuple[Hashable, Walk[Any]]] = {}

    @property
    def stand_still(self) -> bool:
        """True if nothing runs: entries that were read are as they were. No trip."""
        return self._moment() is not None

    def of(self, structure: Hashable, plan: Plan[Entry], version: Hashable = None) -> Walk[Entry]:
        """Return the walk of a structure, which begins with a plan. No trip."""
        moment = self._moment()
        if moment is None:
            return self._of_version(structure, plan, version)
        if moment != self._now:
            self._known.clear()
            self._now = moment
        walk: Walk[Entry] | None = self._known.pop(structure, None)
        return self._keep(structure, Walk(plan) if walk is None else walk)

    def all_read(self, structure: Hashable, entries: Sequence[Entry]) -> None:
        """Take in all entries of a structure, which were read in another way. No trip."""
        if self._moment() is not None and self._moment() == self._now:
            self._known.pop(structure, None)
            self._keep(structure, Walk([KnownEntry(each) for each in entries]))

    def forget(self) -> None:
        """Begin anew: something was written into the target."""
        self._known.clear()
        self._versions.clear()

    def _of_version(self, structure: Hashable, plan: Plan[Entry], version: Hashable) -> Walk[Entry]:
        of, walk = self._versions.pop(structure, (None, None))
        if walk is None or of != version:
            walk = Walk(plan)
        if version is not None:
            _make_room(self._versions)
            self._versions[structure] = version, walk
        return walk

    def _keep(self, structure: Hashable, walk: Walk[Entry]) -> Walk[Entry]:
        _make_room(self._known)
        self._known[structure] = walk
        return walk


def _make_room(known: dict[Hashable, Any]) -> None:
    if len(known) >= _MOST_WALKS:
        del known[next(iter(known))]


def _settled(parts: Plan[Entry], entries: list[Entry]) -> Plan[Entry]:
    """Return the parts from the first on that is not read; the entries before it go to ``entries``."""
    for index, part in enumerate(parts):
        if isinstance(part, Unread):
            return parts[index:]
        entries.append(part.entry)
    return []


def _needed(parts: Sequence[Unread | KnownEntry[Entry]], want: int) -> list[Unread]:
    """Return the references that may lead to one of the first ``want`` entries."""
    picked = []
    count = 0
    for part in parts:
        if count >= want:
            break
        if isinstance(part, Unread):
            picked.append(part)
            count += part.least
        else:
            count += 1
    return picked

"""What is above a type: its superclasses and interfaces, climbed level by level for many types at once.

Owns the climbing; the links themselves are facts like others. Java's rules of what is inherited are for the callers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from jdbpy.session.types import facts
from jdbpy.session.types.facts import Fact
from jdbpy.session.types.loaded import LoadedTypes
from jdbpy.session.types.refs import RefType
from jdbpy.wire.connection import Connection
from jdbpy.wire.ids import ClassID, ReferenceTypeID
from jdbpy.wire.messages import reference_type

_ROOT = "Ljava/lang/Object;"


class Ancestry(LoadedTypes):
    """The types of one target and what each inherits from."""

    def __init__(self, conn: Connection) -> None:
        super().__init__(conn)
        self._root_known = False

    async def superclasses(
        self, type_ids: Iterable[ReferenceTypeID], *also: Fact[ReferenceTypeID, Any]
    ) -> dict[ReferenceTypeID, tuple[RefType, ...]]:
        """The superclasses of each type, nearest first, up to java.lang.Object.

        The facts ``also`` are learned on the way for the types and all their superclasses, at no further cost. The
        protocol tells one link at a time: wire: 1 trip a link, whatever the number of types, 0 when known.
        """
        wanted = list(dict.fromkeys(type_ids))
        await self._climb(wanted, (facts.SUPERCLASS,), also)
        return {type_id: tuple(self._above(type_id)) for type_id in wanted}

    async def ancestors(self, type_id: ReferenceTypeID, *also: Fact[ReferenceTypeID, Any]) -> tuple[RefType, ...]:
        """Superclasses, nearest first, then all interfaces. ``also`` as in ``superclasses``. wire: 1 trip a level."""
        await self._climb([type_id], (facts.SUPERCLASS, facts.INTERFACES), also)
        classes = list(self._above(type_id))
        interfaces: dict[ReferenceTypeID, None] = {}
        pending = [type_id, *(each.id for each in classes)]
        while pending:
            for interface in self.known(facts.INTERFACES, pending.pop(0)) or ():
                if interface not in interfaces:
                    interfaces[interface] = None
                    pending.append(interface)
        return (*classes, *(self._types[each] for each in interfaces if each in self._types))

    async def _climb(
        self, type_ids: Iterable[ReferenceTypeID], links: Sequence[Fact[Any, Any]], also: Sequence[Fact[Any, Any]]
    ) -> None:
        """Learns the links, and ``also``, of the types and of all that they lead to."""
        seen: set[ReferenceTypeID] = set()
        level = set(type_ids)
        while level:
            unknown = [type_id for type_id in level if type_id not in self._types]
            await self.prefetch(
                *((fact, level) for fact in (*links, *also)), (facts.SIGNATURE, unknown), (facts.MODIFIERS, unknown)
            )
            await self.info(unknown)
            seen |= level
            level = {parent for type_id in level for link in links for parent in self._parents(link, type_id)} - seen

    def _parents(self, link: Fact[Any, Any], type_id: ReferenceTypeID) -> Iterable[ReferenceTypeID]:
        found = self.known(link, type_id)
        if isinstance(found, tuple):
            return found
        return (found,) if found else ()

    def _above(self, type_id: ReferenceTypeID) -> Iterable[RefType]:
        parent = self.known(facts.SUPERCLASS, type_id)
        while parent and parent in self._types:
            yield self._types[parent]
            parent = self.known(facts.SUPERCLASS, parent)

    async def learn_root(self) -> None:
        """Learns java.lang.Object, so that climbing ends one trip earlier. wire: 1 trip, 0 when known."""
        if self._root_known:
            return
        for root in await self.by_signature(_ROOT):
            self._root_known = True
            reply = reference_type.SignatureWithGenericReply(_ROOT, "")
            values: list[tuple[Fact[ReferenceTypeID, Any], Any]] = [
                (facts.SIGNATURE, reply),
                (facts.FIELDS, ()),
                (facts.SUPERCLASS, ClassID(ReferenceTypeID(0))),
                (facts.INTERFACES, ()),
            ]
            for fact, value in values:
                self._facts.setdefault(fact, {})[root.id] = value

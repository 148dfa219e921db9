"""The types that are loaded: each by its id, and by its name as far as an answer or an event has mentioned it.

Owns the ``RefType`` of every type that was heard of. Reference type ids are never given out twice in a session (the
agent counts them up), so what is left behind for a class that went unnoticed costs memory, never truth.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from jdbpy.errors import JdwpError
from jdbpy.session.types import facts, signatures
from jdbpy.session.types.fact_cache import FactCache
from jdbpy.session.types.refs import RefType
from jdbpy.wire.columns import Columns
from jdbpy.wire.connection import Connection
from jdbpy.wire.constants import TypeTag
from jdbpy.wire.garbage import no_collection
from jdbpy.wire.ids import ReferenceTypeID
from jdbpy.wire.messages import virtual_machine


class LoadedTypes(FactCache):
    """The types of one target, and the facts about them."""

    def __init__(self, conn: Connection) -> None:
        super().__init__(conn)
        self._learned: dict[ReferenceTypeID, RefType] = {}
        self._listed: Columns[virtual_machine.ClassInfoWithGeneric] | None = None  # not learned yet
        self._named: dict[str, ReferenceTypeID] = {}  # as it was when there were so many types
        self._named_count = 0

    async def by_signature(self, signature: str) -> list[RefType]:
        """The prepared types with this JNI signature, one for each loader that defined one. wire: 1 trip.

        Never from the cache: another loader may have defined one more meanwhile.
        """
        return (await self.by_signatures([signature]))[signature]

    async def by_signatures(self, wanted: Iterable[str]) -> dict[str, list[RefType]]:
        """``by_signature`` for many. Every item scans all classes of the target. wire: 1 trip."""
        names = list(dict.fromkeys(wanted))
        replies = await self._conn.batch([virtual_machine.ClassesBySignature(name) for name in names])
        found: dict[str, list[RefType]] = {}
        for name, reply in zip(names, replies, strict=True):
            if isinstance(reply, JdwpError):
                raise reply
            found[name] = [self.learn(each.typeID, each.refTypeTag, name) for each in reply.classes]
        return found

    async def all_classes(self) -> Sequence[virtual_machine.ClassInfoWithGeneric]:
        """Every prepared class and every array type, as the agent lists them. wire: 1 trip."""
        reply = await self._conn.request(virtual_machine.AllClassesWithGeneric())
        self.learn_all(reply.classes)
        with no_collection():
            return list(reply.classes)

    def learn_all(self, listed: Columns[virtual_machine.ClassInfoWithGeneric]) -> None:
        """Takes in the answer of AllClassesWithGeneric, for callers who ask for it in a segment of their own.

        Tens of thousands of types are entered when the next one is looked up: a list alone needs none of them.
        """
        self._listed = listed

    @property
    def _types(self) -> dict[ReferenceTypeID, RefType]:
        """All types that some answer has mentioned, by id."""
        if self._listed is not None:
            listed, self._listed = self._listed, None
            told = zip(*(listed.column(field) for field in ("typeID", "refTypeTag", "signature")), strict=True)
            with no_collection():
                new = [RefType(*each) for each in told if each[0] not in self._learned]
                self._learned.update((each.id, each) for each in new)
        return self._learned

    def learn(self, type_id: ReferenceTypeID, tag: int, signature: str) -> RefType:
        """Takes in what an event or a reply has told of a type."""
        found = self._types.get(type_id)
        if found is None:
            found = self._types[type_id] = RefType(type_id, tag, signature)
        return found

    def known_named(self, signature: str) -> ReferenceTypeID:
        """A type of that name that some answer has mentioned, 0 for none. There may be others. No trip."""
        types = self._types
        if len(types) != self._named_count:
            self._named = {each.signature: each.id for each in types.values()}
            self._named_count = len(types)
        found = self._named.get(signature, ReferenceTypeID(0))
        return found if found in types else ReferenceTypeID(0)

    def known_class(self, name: str) -> RefType | None:
        """The class of that name in java.*, of which there is one, if some answer has mentioned it. No trip."""
        found = self._types.get(self.known_named(signatures.signature_of(name))) if name.startswith("java.") else None
        return found if found is not None and found.tag == TypeTag.CLASS else None

    def all_known(self) -> Iterable[RefType]:
        """The types that some answer has mentioned. No trip."""
        return self._types.values()

    async def info(self, type_ids: Iterable[ReferenceTypeID]) -> dict[ReferenceTypeID, RefType]:
        """The types with these ids. wire: 1 trip, 0 when known."""
        wanted = list(dict.fromkeys(type_ids))
        unknown = [type_id for type_id in wanted if type_id not in self._types]
        if unknown:
            await self.prefetch((facts.SIGNATURE, unknown), (facts.MODIFIERS, unknown))
            signature_of = await self.many(facts.SIGNATURE, unknown)
            modifiers = await self.many(facts.MODIFIERS, unknown)
            for type_id, reply in signature_of.items():
                self.learn(type_id, _tag(reply.signature, modifiers.get(type_id, 0)), reply.signature)
        return {type_id: self._types[type_id] for type_id in wanted if type_id in self._types}

    def forget(self, type_ids: Iterable[ReferenceTypeID]) -> None:
        """Drops types that were unloaded, with all that is known of them."""
        gone = set(type_ids)
        super().forget(gone)
        for type_id in gone:
            self._types.pop(type_id, None)

    def forget_signature(self, signature: str) -> None:
        """Drops all types of that name (docs/agent.md, "A class unload names the class only").

        The fellows from other loaders that live on are simply asked about again.
        """
        self.forget([type_id for type_id, known in self._types.items() if known.signature == signature])


def _tag(signature: str, modifiers: int) -> int:
    if signature.startswith("["):
        return TypeTag.ARRAY
    return TypeTag.INTERFACE if modifiers & signatures.INTERFACE else TypeTag.CLASS

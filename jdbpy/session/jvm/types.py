"""The cache of what is known about loaded types: ``TypeCache``, with ancestors, members, lines and places in code.

Owns the ``RefType`` of every type that was heard of: by its id, and by its name as far as an answer or an event has
mentioned it. Reference type ids are never given out twice in a session (the agent counts them up), so what is left
behind for a class that went unnoticed costs memory, never truth.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from jdbpy.errors import JdwpError
from jdbpy.garbage import no_collection
from jdbpy.session.java import signatures
from jdbpy.session.java.bytecode import once_per_pass
from jdbpy.session.java.smap import Stratum, StratumFile
from jdbpy.session.jvm import facts
from jdbpy.session.jvm.facts import Fact, FactCache, MethodKey
from jdbpy.session.jvm.lines import files_of, lines_in, main_file, model_location
from jdbpy.session.jvm.refs import NO_LINES, NOWHERE, OBSOLETE, Field, LineTable, Method, RefType, VariableTable
from jdbpy.session.model.threads import Location
from jdbpy.wire.connection import Connection
from jdbpy.wire.constants import TypeTag
from jdbpy.wire.ids import ClassID, CodeLocation, MethodID, ReferenceTypeID
from jdbpy.wire.lazy_records import Columns
from jdbpy.wire.messages import reference_type, virtual_machine

_ROOT = "Ljava/lang/Object;"


class TypeCache:
    """The loaded types of one target, and the facts about them.

    Methods that take many things return a dict by what was asked; a type that is gone is missing from it. Their cost
    is one trip for all that is not known yet, none when all is. ``facts`` asks for what is known of types by their id.
    """

    def __init__(self, conn: Connection) -> None:
        self.facts = FactCache(conn)
        self._conn = conn
        self._learned: dict[ReferenceTypeID, RefType] = {}
        self._listed: Columns[virtual_machine.ClassInfoWithGeneric] | None = None  # not learned yet
        self._named: dict[str, ReferenceTypeID] = {}  # as it was when there were so many types
        self._named_count = 0
        self._highest = 0
        self._counted = (0, 0, 0)  # so many types, superclasses and lists of interfaces were known then
        self._root_known = False
        self._places: dict[ReferenceTypeID, dict[tuple[MethodID, int], Location]] = {}
        self._stratum = ""

    # Which types there are

    async def by_signature(self, signature: str) -> list[RefType]:
        """Return the prepared types with this JNI signature, one for each loader that defined one. wire: 1 trip.

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
        """Return every prepared class and every array type, as the agent lists them. wire: 1 trip."""
        reply = await self._conn.request(virtual_machine.AllClassesWithGeneric())
        self.cache_all(reply.classes)
        with no_collection():
            return list(reply.classes)

    def cache_all(self, listed: Columns[virtual_machine.ClassInfoWithGeneric]) -> None:
        """Take in the answer of AllClassesWithGeneric, for callers who ask for it in a segment of their own.

        Tens of thousands of types are entered when the next one is looked up: a list alone needs none of them.
        """
        self._listed = listed

    @property
    def _types(self) -> dict[ReferenceTypeID, RefType]:
        """Return all types that some answer has mentioned, by id."""
        if self._listed is not None:
            listed, self._listed = self._listed, None
            told = zip(*(listed.column(field) for field in ("typeID", "refTypeTag", "signature")), strict=True)
            with no_collection():
                new = [RefType(*each) for each in told if each[0] not in self._learned]
                self._learned.update((each.id, each) for each in new)
        return self._learned

    @property
    def highest(self) -> int:
        """Return the highest id of a type that some answer has mentioned, 0 for none. No trip."""
        superclasses, interfaces = self.facts.all_of(facts.SUPERCLASS), self.facts.all_of(facts.INTERFACES)
        counts = len(self._types), len(superclasses), len(interfaces)
        if counts != self._counted:
            above = max((each for some in interfaces.values() for each in some), default=0)
            self._highest = max(
                self._highest, above, max(self._types, default=0), max(superclasses.values(), default=0)
            )
            self._counted = counts
        return self._highest

    def learn(self, type_id: ReferenceTypeID, tag: int, signature: str) -> RefType:
        """Cache what an event or a reply says of a type."""
        found = self._types.get(type_id)
        if found is None:
            found = self._types[type_id] = RefType(type_id, tag, signature)
        return found

    def known_named(self, signature: str) -> ReferenceTypeID:
        """Return a type of that name that some answer has mentioned, 0 for none. There may be others. No trip."""
        types = self._types
        if len(types) != self._named_count:
            self._named = {each.signature: each.id for each in types.values()}
            self._named_count = len(types)
        found = self._named.get(signature, ReferenceTypeID(0))
        return found if found in types else ReferenceTypeID(0)

    def known_class(self, name: str) -> RefType | None:
        """Return the class of that name in java.*, of which there is one, if some answer has mentioned it. No trip."""
        found = self._types.get(self.known_named(signatures.signature_of(name))) if name.startswith("java.") else None
        return found if found is not None and found.tag == TypeTag.CLASS else None

    def all_known(self) -> Iterable[RefType]:
        """Return the types that some answer has mentioned. No trip."""
        return self._types.values()

    def known(self, type_id: ReferenceTypeID) -> RefType | None:
        """Return the type with this id, if some answer has mentioned it. No trip."""
        return self._types.get(type_id)

    async def info(self, type_ids: Iterable[ReferenceTypeID]) -> dict[ReferenceTypeID, RefType]:
        """Return the types with these ids. wire: 1 trip, 0 when known."""
        wanted = list(dict.fromkeys(type_ids))
        unknown = [type_id for type_id in wanted if type_id not in self._types]
        if unknown:
            await self.facts.prefetch((facts.SIGNATURE, unknown), (facts.MODIFIERS, unknown))
            signature_of = await self.facts.many(facts.SIGNATURE, unknown)
            modifiers = await self.facts.many(facts.MODIFIERS, unknown)
            for type_id, reply in signature_of.items():
                self.learn(type_id, _tag(reply.signature, modifiers.get(type_id, 0)), reply.signature)
        return {type_id: self._types[type_id] for type_id in wanted if type_id in self._types}

    # What is above them

    async def superclasses(
        self, type_ids: Iterable[ReferenceTypeID], *also: Fact[ReferenceTypeID, Any]
    ) -> dict[ReferenceTypeID, tuple[RefType, ...]]:
        """Return the superclasses of each type, nearest first, up to java.lang.Object.

        The facts ``also`` are learned on the way for the types and all their superclasses, at no further cost. The
        protocol gives one link at a time: wire: 1 trip a link, whatever the number of types, 0 when known.
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
            for interface in self.facts.known(facts.INTERFACES, pending.pop(0)) or ():
                if interface not in interfaces:
                    interfaces[interface] = None
                    pending.append(interface)
        return (*classes, *(self._types[each] for each in interfaces if each in self._types))

    async def _climb(
        self, type_ids: Iterable[ReferenceTypeID], links: Sequence[Fact[Any, Any]], also: Sequence[Fact[Any, Any]]
    ) -> None:
        """Learn the links, and ``also``, of the types and of all that they lead to."""
        seen: set[ReferenceTypeID] = set()
        level = set(type_ids)
        while level:
            unknown = [type_id for type_id in level if type_id not in self._types]
            await self.facts.prefetch(
                *((fact, level) for fact in (*links, *also)), (facts.SIGNATURE, unknown), (facts.MODIFIERS, unknown)
            )
            await self.info(unknown)
            seen |= level
            level = {parent for type_id in level for link in links for parent in self._parents(link, type_id)} - seen

    def _parents(self, link: Fact[Any, Any], type_id: ReferenceTypeID) -> Iterable[ReferenceTypeID]:
        found = self.facts.known(link, type_id)
        if isinstance(found, tuple):
            return found
        return (found,) if found else ()

    def _above(self, type_id: ReferenceTypeID) -> Iterable[RefType]:
        parent = self.facts.known(facts.SUPERCLASS, type_id)
        while parent and parent in self._types:
            yield self._types[parent]
            parent = self.facts.known(facts.SUPERCLASS, parent)

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
                self.facts.learn(fact, root.id, value)

    # Members and code

    async def methods(self, type_ids: Iterable[ReferenceTypeID]) -> dict[ReferenceTypeID, tuple[Method, ...]]:
        """Return the methods that the types themselves declare. wire: 1 trip, 0 when known."""
        return await self.facts.many(facts.METHODS, type_ids)

    async def fields(self, type_ids: Iterable[ReferenceTypeID]) -> dict[ReferenceTypeID, tuple[Field, ...]]:
        """Return the fields that the types themselves declare. wire: 1 trip, 0 when known."""
        return await self.facts.many(facts.FIELDS, type_ids)

    async def line_tables(self, methods: Iterable[MethodKey]) -> dict[MethodKey, LineTable]:
        """Line tables by (type id, method id). wire: 1 trip, 0 when known."""
        return await self.facts.many(facts.LINES, methods)

    async def variable_tables(self, methods: Iterable[MethodKey]) -> dict[MethodKey, VariableTable | None]:
        """Variable tables by (type id, method id); None without -g. wire: 1 trip, 0 when known."""
        return await self.facts.many(facts.VARIABLES, methods)

    # Source files and strata

    @property
    def stratum(self) -> str:
        """Return the stratum that lines are shown in; "" for each class's own default, "Java" for the class file's
        lines."""
        return self._stratum

    @stratum.setter
    def stratum(self, name: str) -> None:
        self._stratum = name
        self._places.clear()

    def stratum_of(self, type_id: ReferenceTypeID) -> Stratum | None:
        """Return what the type's lines are looked at through, as far as its map is known; None for those as
        they are.
        """
        source_map = self.facts.known(facts.SOURCE_MAP, type_id)
        return source_map.stratum(self._stratum) if source_map is not None else None

    def lines_of(self, key: MethodKey, file: str | None = None) -> LineTable:
        """Return the known line table of a method, with the lines of one of its files: its class's main one. The file
        that the class was compiled from may be none of the stratum. No trip.
        """
        table = self.facts.known(facts.LINES, key) or NO_LINES
        stratum, source = self.stratum_of(key[0]), self.facts.known(facts.SOURCE_FILE, key[0])
        own = file is not None and file == source
        if stratum is None or (own and all(each.name != file for each in stratum.files)):
            return table
        return lines_in(table, stratum, file or main_file(stratum, source))

    # Places in code

    async def locations(self, places: Sequence[CodeLocation]) -> list[Location]:
        """Names, source files and lines of places in code; none of them may be null. wire: 1 trip, 0 when known."""
        new = [place for place in places if (place.methodID, place.index) not in self._places.get(place.classID, ())]
        if new:
            await self._learn_around(new)
        return [self.location(place) for place in places]

    def is_placed(self, places: Iterable[CodeLocation]) -> bool:
        """True if ``locations`` of these places would take no trip. No trip."""
        return all((place.methodID, place.index) in self._places.get(place.classID, ()) for place in places)

    async def _learn_around(self, places: Sequence[CodeLocation]) -> None:
        """Learn what ``location`` needs. wire: 1 trip, 0 when known."""
        type_ids = {place.classID for place in places}
        methods = {(place.classID, place.methodID) for place in places if place.methodID != OBSOLETE}
        unknown = [type_id for type_id in type_ids if type_id not in self._types]
        await self.facts.prefetch(
            (facts.SIGNATURE, unknown),
            (facts.METHODS, type_ids),
            (facts.SOURCE_FILE, type_ids),
            (facts.SOURCE_MAP, type_ids),
            (facts.LINES, methods),
            lenient=True,
        )
        for place in places:
            signature = self.facts.known(facts.SIGNATURE, place.classID)
            if signature is not None:
                self.learn(place.classID, place.typeTag, signature.signature)

    def location(self, place: CodeLocation) -> Location:
        """Return the place as far as it is known. No trip."""
        type_id, key = place.classID, (place.methodID, place.index)
        shown = self._places.get(type_id, {}).get(key)
        if shown is not None:
            return shown
        declaring = self._types.get(type_id)
        methods = self.facts.known(facts.METHODS, type_id)
        lines = self.facts.known(facts.LINES, (type_id, place.methodID))
        shown = model_location(
            place,
            declaring,
            next((each for each in methods or () if each.id == place.methodID), None),
            lines or NO_LINES,
            self.facts.known(facts.SOURCE_FILE, type_id),
            self.stratum_of(type_id),
            self._refused(type_id, place.methodID),
        )
        is_all = methods is not None and (lines is not None or place.methodID == OBSOLETE)
        is_told = type_id in self.facts.all_of(facts.SOURCE_FILE) and type_id in self.facts.all_of(facts.SOURCE_MAP)
        if declaring is not None and is_all and is_told:
            self._places.setdefault(type_id, {})[key] = shown
        return shown

    def _refused(self, type_id: ReferenceTypeID, method_id: MethodID) -> str:
        """Return what of a place the agent refused to tell, and why; "" for what it has given."""
        asked: tuple[tuple[str, facts.Fact[Any, Any], Any], ...] = (
            ("the name of the class", facts.SIGNATURE, type_id),
            ("the method", facts.METHODS, type_id),
            ("the line", facts.LINES, (type_id, method_id)),
            ("the source file", facts.SOURCE_FILE, type_id),
            ("the source map", facts.SOURCE_MAP, type_id),
        )
        for what, fact, key in asked:
            error = self.facts.refusal(fact, key) if key not in self.facts.all_of(fact) else None
            if error is not None and (what != "the name of the class" or type_id not in self._types):
                return f"{what} is not known: {error.message}"
        return ""

    async def locations_of_line(
        self, methods: Sequence[MethodKey], line: int, file: str | None = None
    ) -> list[CodeLocation]:
        """Return where to stop so that one pass over the line in any of the methods stops once; see ``java.bytecode``.

        The line is one of ``file`` where a class has lines of several, else of its main file.
        wire: 1 trip, and 1 more for methods that come back to the line; 0 when known.
        """
        type_ids = {type_id for type_id, _ in methods}
        await self.facts.prefetch((facts.LINES, methods), (facts.SOURCE_FILE, type_ids), (facts.SOURCE_MAP, type_ids))
        starts = {key: self.lines_of(key, file).starts_of(line) for key in methods}
        code = await self.facts.many(facts.BYTECODES, [key for key, indices in starts.items() if len(indices) > 1])
        await self.info(key[0] for key, indices in starts.items() if indices)
        return [
            CodeLocation(self._types[key[0]].tag, *key, index)
            for key, indices in starts.items()
            for index in once_per_pass(code.get(key, b""), indices)
            if key[0] in self._types
        ]

    # Forgetting

    def forget(self, type_ids: Iterable[ReferenceTypeID]) -> None:
        """Drop types that were unloaded, with all that is known of them."""
        gone = set(type_ids)
        self.facts.forget(gone)
        for type_id in gone:
            self._types.pop(type_id, None)
            self._places.pop(type_id, None)

    def invalidate(self, type_ids: Iterable[ReferenceTypeID]) -> None:
        """Drop what a redefinition changes: members, lines, variables, code, source name."""
        changed = set(type_ids)
        self.facts.invalidate(changed)
        for type_id in changed:
            self._places.pop(type_id, None)

    def invalidate_facts(self, type_ids: Iterable[ReferenceTypeID]) -> None:
        """As ``invalidate``, but places that were known stay so until it is known where they have moved."""
        self.facts.invalidate(set(type_ids))

    def moved(self, type_id: ReferenceTypeID, places: Mapping[CodeLocation, CodeLocation]) -> None:
        """Drop what the redefinition of a type has changed; these places of it have moved and keep their names."""
        former = self._places.get(type_id, {})
        self.invalidate([type_id])
        known = [(former.get((old.methodID, old.index)), new) for old, new in places.items()]
        kept = {
            (new.methodID, new.index): shown.replace(code_index=new.index) for shown, new in known if shown is not None
        }
        if kept:
            self._places[type_id] = kept

    def forget_signature(self, signature: str) -> None:
        """Drop all types of that name (docs/agent.md, "A class unload names the class only").

        The fellows from other loaders that live on are simply asked about again.
        """
        self.forget([type_id for type_id, known in self._types.items() if known.signature == signature])


def _tag(signature: str, modifiers: int) -> int:
    if signature.startswith("["):
        return TypeTag.ARRAY
    return TypeTag.INTERFACE if modifiers & signatures.INTERFACE else TypeTag.CLASS


async def sources_of(
    types: TypeCache, type_ids: Iterable[ReferenceTypeID]
) -> dict[ReferenceTypeID, tuple[StratumFile, ...]]:
    """Return the source files of each type, its main one first: those of its stratum, and the one that SourceFile
    names.

    wire: 1 trip, 0 when known.
    """
    wanted = list(type_ids)
    await types.facts.prefetch((facts.SOURCE_FILE, wanted), (facts.SOURCE_MAP, wanted))
    found = {}
    for each in wanted:
        files, source = _files(types, each), types.facts.known(facts.SOURCE_FILE, each)
        generated = (StratumFile(0, source, None),) if source and all(file.name != source for file in files) else ()
        found[each] = (*files, *generated)
    return found


def lines_by_index(types: TypeCache, key: MethodKey) -> dict[int, tuple[int, str]]:
    """Return where the known lines of a method begin: the line by code index, with its file if not the main one. No
    trip.
    """
    files = _files(types, key[0])
    found = {}
    for file in files or (StratumFile(0, "", None),):
        source = "" if not files or file is files[0] else file.name
        for index, line in types.lines_of(key, file.name).entries:
            if line != NOWHERE:
                found[index] = (line, source)
    return found


def _files(types: TypeCache, type_id: ReferenceTypeID) -> tuple[StratumFile, ...]:
    return files_of(types.stratum_of(type_id), types.facts.known(facts.SOURCE_FILE, type_id))

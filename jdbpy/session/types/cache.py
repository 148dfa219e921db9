"""The cache of what is known about loaded types: ``TypeCache``, with members, lines and places in code.

Its parts build on each other: ``fact_cache`` remembers facts, ``loaded`` the types, ``ancestry`` climbs to what is
above a type. This module owns how code is told in files and lines, and through which stratum. Others use
``TypeCache`` only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from jdbpy.session import model
from jdbpy.session.code.code_flow import once_per_pass
from jdbpy.session.strata.lines import lines_in, main_file
from jdbpy.session.strata.smap import Stratum
from jdbpy.session.types import facts
from jdbpy.session.types.ancestry import Ancestry
from jdbpy.session.types.facts import MethodKey
from jdbpy.session.types.locations import model_location
from jdbpy.session.types.refs import NO_LINES, OBSOLETE, Field, LineTable, Method, VariableTable
from jdbpy.wire.connection import Connection
from jdbpy.wire.ids import CodeLocation, MethodID, ReferenceTypeID


class TypeCache(Ancestry):
    """Facts about the loaded types of one target.

    Methods that take many things return a dict by what was asked; a type that is gone is missing from it. Their cost
    is one trip for all that is not known yet, none when all is.
    """

    def __init__(self, conn: Connection) -> None:
        super().__init__(conn)
        self._places: dict[ReferenceTypeID, dict[tuple[MethodID, int], model.Location]] = {}
        self._stratum = ""

    # -- members and code ----------------------------------------------------------------------------------------

    async def methods(self, type_ids: Iterable[ReferenceTypeID]) -> dict[ReferenceTypeID, tuple[Method, ...]]:
        """The methods that the types themselves declare. wire: 1 trip, 0 when known."""
        return await self.many(facts.METHODS, type_ids)

    async def fields(self, type_ids: Iterable[ReferenceTypeID]) -> dict[ReferenceTypeID, tuple[Field, ...]]:
        """The fields that the types themselves declare. wire: 1 trip, 0 when known."""
        return await self.many(facts.FIELDS, type_ids)

    async def line_tables(self, methods: Iterable[MethodKey]) -> dict[MethodKey, LineTable]:
        """Line tables by (type id, method id). wire: 1 trip, 0 when known."""
        return await self.many(facts.LINES, methods)

    async def variable_tables(self, methods: Iterable[MethodKey]) -> dict[MethodKey, VariableTable | None]:
        """Variable tables by (type id, method id); None without -g. wire: 1 trip, 0 when known."""
        return await self.many(facts.VARIABLES, methods)

    # -- source files and strata ---------------------------------------------------------------------------------

    @property
    def stratum(self) -> str:
        """The stratum that lines are shown in; "" for each class's own default, "Java" for the class file's lines."""
        return self._stratum

    @stratum.setter
    def stratum(self, name: str) -> None:
        self._stratum = name
        self._places.clear()

    def stratum_of(self, type_id: ReferenceTypeID) -> Stratum | None:
        """What the type's lines are looked at through, as far as its map is known; None for those as they are."""
        source_map = self.known(facts.SOURCE_MAP, type_id)
        return source_map.stratum(self._stratum) if source_map is not None else None

    def lines_of(self, key: MethodKey, file: str | None = None) -> LineTable:
        """The known line table of a method, with the lines of one of its files: its class's main one. No trip."""
        table = self.known(facts.LINES, key) or NO_LINES
        stratum = self.stratum_of(key[0])
        if stratum is None:
            return table
        return lines_in(table, stratum, file or main_file(stratum, self.known(facts.SOURCE_FILE, key[0])))

    # -- locations -----------------------------------------------------------------------------------------------

    async def locations(self, places: Sequence[CodeLocation]) -> list[model.Location]:
        """Names, source files and lines of places in code; none of them may be null. wire: 1 trip, 0 when known."""
        new = [place for place in places if (place.methodID, place.index) not in self._places.get(place.classID, ())]
        if new:
            await self._learn_around(new)
        return [self.location(place) for place in places]

    def is_placed(self, places: Iterable[CodeLocation]) -> bool:
        """Whether all is known that ``locations`` tells of these places. No trip."""
        return all((place.methodID, place.index) in self._places.get(place.classID, ()) for place in places)

    async def _learn_around(self, places: Sequence[CodeLocation]) -> None:
        """Learns what ``location`` needs. wire: 1 trip, 0 when known."""
        type_ids = {place.classID for place in places}
        methods = {(place.classID, place.methodID) for place in places if place.methodID != OBSOLETE}
        unknown = [type_id for type_id in type_ids if type_id not in self._types]
        await self.prefetch(
            (facts.SIGNATURE, unknown),
            (facts.METHODS, type_ids),
            (facts.SOURCE_FILE, type_ids),
            (facts.SOURCE_MAP, type_ids),
            (facts.LINES, methods),
            lenient=True,
        )
        for place in places:
            signature = self.known(facts.SIGNATURE, place.classID)
            if signature is not None:
                self.learn(place.classID, place.typeTag, signature.signature)

    def location(self, place: CodeLocation) -> model.Location:
        """The place as far as it is known. No trip."""
        type_id, key = place.classID, (place.methodID, place.index)
        shown = self._places.get(type_id, {}).get(key)
        if shown is not None:
            return shown
        declaring = self._types.get(type_id)
        methods = self.known(facts.METHODS, type_id)
        lines = self.known(facts.LINES, (type_id, place.methodID))
        shown = model_location(
            place,
            declaring,
            next((each for each in methods or () if each.id == place.methodID), None),
            lines or NO_LINES,
            self.known(facts.SOURCE_FILE, type_id),
            self.stratum_of(type_id),
            self._refused(type_id, place.methodID),
        )
        is_all = methods is not None and (lines is not None or place.methodID == OBSOLETE)
        is_told = type_id in self.all_of(facts.SOURCE_FILE) and type_id in self.all_of(facts.SOURCE_MAP)
        if declaring is not None and is_all and is_told:
            self._places.setdefault(type_id, {})[key] = shown
        return shown

    def _refused(self, type_id: ReferenceTypeID, method_id: MethodID) -> str:
        """What of a place the agent refused to tell, and why; "" for what it has told."""
        asked: tuple[tuple[str, facts.Fact[Any, Any], Any], ...] = (
            ("the name of the class", facts.SIGNATURE, type_id),
            ("the method", facts.METHODS, type_id),
            ("the line", facts.LINES, (type_id, method_id)),
            ("the source file", facts.SOURCE_FILE, type_id),
            ("the source map", facts.SOURCE_MAP, type_id),
        )
        for what, fact, key in asked:
            error = self.refusal(fact, key) if self._refusals and key not in self.all_of(fact) else None
            if error is not None and (what != "the name of the class" or type_id not in self._types):
                return f"{what} is not known: {error}"
        return ""

    async def locations_of_line(
        self, methods: Sequence[MethodKey], line: int, file: str | None = None
    ) -> list[CodeLocation]:
        """Where to stop so that one pass over the line in any of the methods stops once; see ``code_flow``.

        The line is one of ``file`` where a class has lines of several, else of its main file.
        wire: 1 trip, and 1 more for methods that come back to the line; 0 when known.
        """
        type_ids = {type_id for type_id, _ in methods}
        await self.prefetch((facts.LINES, methods), (facts.SOURCE_FILE, type_ids), (facts.SOURCE_MAP, type_ids))
        starts = {key: self.lines_of(key, file).starts_of(line) for key in methods}
        code = await self.many(facts.BYTECODES, [key for key, indices in starts.items() if len(indices) > 1])
        await self.info(key[0] for key, indices in starts.items() if indices)
        return [
            CodeLocation(self._types[key[0]].tag, *key, index)
            for key, indices in starts.items()
            for index in once_per_pass(code.get(key, b""), indices)
            if key[0] in self._types
        ]

    # -- forgetting ----------------------------------------------------------------------------------------------

    def _drop(self, stores: Iterable[dict[Any, Any]], type_ids: set[ReferenceTypeID]) -> None:
        super()._drop(stores, type_ids)
        for type_id in type_ids:
            self._places.pop(type_id, None)

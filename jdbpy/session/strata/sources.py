"""The source files that classes have lines of, as far as their source maps and SourceFile attributes tell."""

from __future__ import annotations

from collections.abc import Iterable

from jdbpy.session.strata.lines import files_of
from jdbpy.session.strata.smap import StratumFile
from jdbpy.session.types import facts
from jdbpy.session.types.cache import TypeCache
from jdbpy.session.types.facts import MethodKey
from jdbpy.session.types.refs import NOWHERE
from jdbpy.wire.ids import ReferenceTypeID


async def sources_of(
    types: TypeCache, type_ids: Iterable[ReferenceTypeID]
) -> dict[ReferenceTypeID, tuple[StratumFile, ...]]:
    """The source files of each type, its main one first: of its stratum, or the one that SourceFile names.

    wire: 1 trip, 0 when known.
    """
    wanted = list(type_ids)
    await types.prefetch((facts.SOURCE_FILE, wanted), (facts.SOURCE_MAP, wanted))
    return {each: _files(types, each) for each in wanted}


def lines_by_index(types: TypeCache, key: MethodKey) -> dict[int, tuple[int, str]]:
    """Where the known lines of a method begin: the line by code index, with its file if not the main one. No trip."""
    files = _files(types, key[0])
    found = {}
    for file in files or (StratumFile(0, "", None),):
        source = "" if not files or file is files[0] else file.name
        for index, line in types.lines_of(key, file.name).entries:
            if line != NOWHERE:
                found[index] = (line, source)
    return found


def _files(types: TypeCache, type_id: ReferenceTypeID) -> tuple[StratumFile, ...]:
    return files_of(types.stratum_of(type_id), types.known(facts.SOURCE_FILE, type_id))

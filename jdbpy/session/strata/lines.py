"""A method's line table as it looks through a stratum: which line of which source file each instruction belongs to.

Pure. Without a stratum the table is what the class file says. Lines that a compiler inlined into a method are told
apart from the method's own: Kotlin and Scala write a second stratum, ``KotlinDebug``, which maps what was inlined to
the line of the call.
"""

from __future__ import annotations

from jdbpy.record import Record
from jdbpy.session.strata.smap import SourceMap, SourcePlace, Stratum, StratumFile
from jdbpy.session.types.refs import NOWHERE, LineTable

_INCLUDING = frozenset({"JSP"})
"""Strata whose further files are included in the text: their lines are run by no call."""


def main_file(stratum: Stratum, source: str | None) -> str | None:
    """The file that the class itself was made from: the one its SourceFile attribute names, else the first."""
    names = [file.name for file in stratum.files]
    if source in names:
        return source
    return names[0] if names else None


def files_of(stratum: Stratum | None, source: str | None) -> tuple[StratumFile, ...]:
    """The files that a class has lines of, its main one first; ``source`` is its SourceFile attribute."""
    if stratum is None:
        return (StratumFile(0, source, None),) if source else ()
    first = main_file(stratum, source)
    return tuple(sorted(stratum.files, key=lambda file: file.name != first))


def place_at(table: LineTable, stratum: Stratum | None, code_index: int) -> SourcePlace | None:
    """The source line of an instruction; None without a stratum, and where the stratum has none."""
    line = table.line_at(code_index)
    return stratum.place(line) if stratum is not None and line is not None else None


def lines_in(table: LineTable, stratum: Stratum | None, file: str | None) -> LineTable:
    """The table with the lines of one file of the stratum; what belongs to other files is NOWHERE."""
    if stratum is None:
        return table
    entries = []
    for index, line in table.entries:
        place = stratum.place(line)
        entries.append((index, place.line if place is not None and place.file == file else NOWHERE))
    return LineTable(table.start, table.end, tuple(entries))


class Inlined(Record):
    """Code that was inlined: the ``line`` of the call, 0 where the map does not tell, and the file it came from."""

    line: int
    file: str


def inlined_at(source_map: SourceMap, stratum: Stratum, source: str | None, line: int) -> Inlined | None:
    """Return the call that a line of the class file was inlined for; None for a method's own line.

    ``source`` is the SourceFile attribute. Of a run of lines Kotlin tells the call's line as the first one, and counts
    on from there although the call is on one line.
    """
    place = stratum.place(line)
    file = place.file if place is not None else ""
    calls = next((each for each in source_map.strata if each.name == f"{stratum.name}Debug"), None)
    if calls is not None:
        run = next((each for each in calls.runs if each.output <= line < each.end), None)
        if run is not None:
            return Inlined(run.first, file)
    foreign = file and file != main_file(stratum, source) and stratum.name not in _INCLUDING
    return Inlined(0, file) if foreign else None

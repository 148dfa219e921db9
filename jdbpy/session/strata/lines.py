"""A method's line table as it looks through a stratum: which line of which source file each instruction belongs to.

Pure. Without a stratum the table is what the class file says.
"""

from __future__ import annotations

from jdbpy.session.strata.smap import SourcePlace, Stratum, StratumFile
from jdbpy.session.types.refs import NOWHERE, LineTable


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

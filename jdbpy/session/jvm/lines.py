"""Places in code as people read them: ids and indices become names, files and lines, seen through a stratum.

Pure, over facts that are at hand; ``TypeCache.locations`` fetches them in bulk. Without a stratum a line table is what
the class file says. Lines that a compiler inlined into a method are distinguished from the method's own: Kotlin and
Scala write a second stratum, ``KotlinDebug``, which maps what was inlined to the line of the call.
"""

from __future__ import annotations

from collections.abc import Iterable

from jdbpy.errors import UsageError
from jdbpy.record import Record
from jdbpy.session.java.smap import SourceMap, SourcePlace, Stratum, StratumFile
from jdbpy.session.jvm.refs import NOWHERE, OBSOLETE, LineTable, Method, RefType
from jdbpy.session.model.threads import Location
from jdbpy.wire.ids import CodeLocation

_INLINING = frozenset({"Kotlin", "Scala"})
"""Strata whose further files are those of functions that were inlined; those of others are included in the text, and
no call runs their lines."""


def main_file(stratum: Stratum, source: str | None) -> str | None:
    """Return the file that the class itself was made from: the one its SourceFile attribute names, else the first."""
    names = [file.name for file in stratum.files]
    if source in names:
        return source
    return names[0] if names else None


def files_of(stratum: Stratum | None, source: str | None) -> tuple[StratumFile, ...]:
    """Return the files that a class has lines of, its main one first; ``source`` is its SourceFile attribute."""
    if stratum is None:
        return (StratumFile(0, source, None),) if source else ()
    first = main_file(stratum, source)
    return tuple(sorted(stratum.files, key=lambda file: file.name != first))


def place_at(table: LineTable, stratum: Stratum | None, code_index: int) -> SourcePlace | None:
    """Return the source line of an instruction; None without a stratum, and where the method has none of its lines.

    Code of a line that the stratum does not have is counted to the one before it, else to the first, as JDI does.
    """
    if stratum is None or code_index < 0:
        return None
    mapped = [(index, place) for index, line in table.entries if (place := stratum.place(line)) is not None]
    return next((place for index, place in reversed(mapped) if index <= code_index), mapped[0][1] if mapped else None)


def lines_in(table: LineTable, stratum: Stratum | None, file: str | None) -> LineTable:
    """Return the table with the lines of one file of the stratum; what belongs to other files is NOWHERE."""
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

    ``source`` is the SourceFile attribute. Of a run of lines Kotlin gives the call's line as the first one, and counts
    on from there although the call is on one line.
    """
    place = stratum.place(line)
    file = place.file if place is not None else ""
    calls = next((each for each in source_map.strata if each.name == f"{stratum.name}Debug"), None)
    if calls is not None:
        run = next((each for each in calls.runs if each.output <= line < each.end), None)
        if run is not None:
            return Inlined(run.first, file)
    foreign = file and file != main_file(stratum, source) and stratum.name in _INLINING
    return Inlined(0, file) if foreign else None


UNKNOWN = "?"
"""Shown for a name that the target could not tell: the class was unloaded in between."""


def model_location(
    place: CodeLocation,
    declaring: RefType | None,
    method: Method | None,
    lines: LineTable,
    source: str | None,
    stratum: Stratum | None = None,
    error: str = "",
) -> Location:
    """Return the place with its names. The method of an obsolete frame has no name any more: "<obsolete>".

    A method that the stratum does not have is shown as the class file has it.
    """
    missing = "<obsolete>" if place.methodID == OBSOLETE else UNKNOWN
    seen = place_at(lines, stratum, place.index)
    return Location(
        class_name=declaring.name if declaring else UNKNOWN,
        method=method.name if method else missing,
        signature=method.signature if method else "",
        source=seen.file if seen else source,
        line=seen.line if seen else lines.line_at(place.index),
        code_index=place.index,
        type_id=place.classID,
        method_id=place.methodID,
        type_tag=place.typeTag,
        source_path=seen.path if seen else None,
        stratum=stratum.name if stratum and seen else "",
        error=error,
    )


def no_code_on_line(line: int, lines: Iterable[int], where: str, *, has_code: bool = True) -> UsageError:
    """Return the error for a line at which nothing can stop. ``lines`` are those that have code."""
    known = sorted(lines)
    if not has_code:
        return UsageError(f"{where} has no code", hint="stop in a class that has some", code="NO_CODE")
    if not known:
        message = f"{where} has no line numbers"
        return UsageError(message, hint="it was compiled without them (javac -g:lines)", code="NO_LINES")
    below = [each for each in known if each < line][-1:]
    above = [each for each in known if each > line][:1]
    nearest = " and ".join(map(str, below + above))
    noun = "the nearest is" if len(below + above) == 1 else "the nearest are"
    return UsageError(f"no code on line {line} of {where}; {noun} {nearest}", code="NO_CODE")

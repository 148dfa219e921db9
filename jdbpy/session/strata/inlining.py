"""Lines that a compiler inlined into a method from elsewhere, told apart from the method's own.

Pure. Kotlin and Scala write a second stratum, ``KotlinDebug``, which maps what was inlined to the line of the call.
"""

from __future__ import annotations

from jdbpy.session.strata.lines import main_file
from jdbpy.session.strata.smap import SourceMap, Stratum
from jdbpy.wire.record import Record

_INCLUDING = frozenset({"JSP"})
"""Strata whose further files are included in the text: their lines are run by no call."""


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

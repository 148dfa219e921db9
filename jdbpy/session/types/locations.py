"""Places in code: what the wire sends as three ids and an index becomes names, a file and a line.

Owns that translation, for facts that are at hand; ``types.TypeCache.locations`` fetches them in bulk.
"""

from __future__ import annotations

from collections.abc import Iterable

from jdbpy.errors import UsageError
from jdbpy.session import model
from jdbpy.session.strata.lines import place_at
from jdbpy.session.strata.smap import Stratum
from jdbpy.session.types.refs import OBSOLETE, LineTable, Method, RefType
from jdbpy.wire.ids import CodeLocation

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
) -> model.Location:
    """The place with its names. The method of an obsolete frame has no name any more: "<obsolete>".

    A place that the stratum does not have is shown as the class file has it.
    """
    missing = "<obsolete>" if place.methodID == OBSOLETE else UNKNOWN
    seen = place_at(lines, stratum, place.index)
    return model.Location(
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
    """The error for a line at which nothing can stop. ``lines`` are those that have code."""
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

"""Plain data about source maps for front ends."""

from __future__ import annotations

from jdbpy.record import Record


class StratumSource(Record):
    """A file of a stratum. ``path`` is relative, with slashes; None when the map names the file only."""

    name: str
    path: str | None


class StratumInfo(Record):
    """A stratum of a class; ``chosen`` when its lines are the ones that are shown."""

    name: str
    files: tuple[StratumSource, ...]
    default: bool
    chosen: bool


class SourceDebug(Record):
    """The SourceDebugExtension of a class: its ``text``, and what it says when it is an SMAP (JSR 45)."""

    class_name: str
    text: str
    generated: str  # the file in between that was compiled: "index_jsp.java"
    strata: tuple[StratumInfo, ...]


class StratumChoice(Record):
    """The stratum whose lines are shown, "" for each class's own default, and those that some known class has."""

    chosen: str
    known: tuple[str, ...]

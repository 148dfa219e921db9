"""Plain data about source maps for front ends."""

from __future__ import annotations

from typing import Annotated

from jdbpy.json_form import Json
from jdbpy.record import Record


class StratumSource(Record):
    """A file of a stratum. ``path`` is relative, with slashes; None when the map names the file only."""

    json_name = "stratum-file"

    name: str
    path: str | None


class StratumInfo(Record):
    """A stratum of a class; ``chosen`` when its lines are the ones that are shown."""

    json_name = "stratum"

    name: str
    files: tuple[StratumSource, ...]
    default: Annotated[bool, Json("its compiler chose it", optional=True)]
    chosen: Annotated[bool, Json("its lines are shown now", optional=True)]


class SourceDebug(Record):
    """The SourceDebugExtension of a class: its ``text``, and what it says when it is an SMAP (JSR 45)."""

    class_name: Annotated[str, Json(key="class")]
    text: Annotated[str, "as the class file has it"]
    generated: Annotated[str, Json("the file that was compiled in between", optional=True)]
    strata: Annotated[tuple[StratumInfo, ...], "none when it is not an SMAP"]


class StratumChoice(Record):
    """The stratum whose lines are shown, "" for each class's own default, and those that some known class has."""

    chosen: Annotated[str, "empty: each class's own default"]
    known: Annotated[tuple[str, ...], "those that some known class has"]

"""The parts of the JVM Tool Interface that can be had through a debug port: one row for each function, event and
capability.

Owns the table ``rows.json`` and its wording. ``help jvmti`` and docs/jvmti.md are made from it, and a test holds each
row that claims a command against the command table and the suite.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files

from jdbpy.record import Record

REACH = {
    "direct": "reached by the debug protocol",
    "invoke": "reached by running a method in the target",
    "internal": "used by the JDWP agent for itself; no debugger gets at it",
    "none": "out of reach of a debug port",
}
"""The way to a row, in words."""


class Row(Record):
    """One name of the JVM TI specification.

    ``kind`` is function, event or capability; ``reach`` a key of ``REACH``; ``via`` the JDWP commands or the Java
    method that reach it, ``command`` the line of jdbpy that does, ``test`` the test that shows it.
    """

    name: str
    kind: str
    since: str
    reach: str
    group: str = ""
    requires: tuple[str, ...] = ()
    via: str = ""
    command: str = ""
    test: str = ""
    note: str = ""

    @property
    def reachable(self) -> bool:
        return self.reach in ("direct", "invoke")


@cache
def rows() -> tuple[Row, ...]:
    """Return all rows, in the order of the specification."""
    data = json.loads(files(__package__).joinpath("rows.json").read_text(encoding="utf-8"))
    return tuple(Row(**{**row, "requires": tuple(row.get("requires", ()))}) for row in data)


def find(name: str) -> Row | None:
    """Return the row of that name, in upper or lower case."""
    folded = name.lower()
    return next((row for row in rows() if row.name.lower() == folded), None)


def in_words(row: Row) -> str:
    """Return what ``help jvmti NAME`` says."""
    lines = [f"{row.name} is a {row.kind} of the JVM Tool Interface, since {row.since}: {REACH[row.reach]}."]
    if row.command:
        lines.append(f"  command: {row.command}")
    if row.via:
        lines.append(f"  by way of: {row.via}")
    if row.requires:
        lines.append(f"  needs: {', '.join(row.requires)}")
    if row.note:
        lines.append(f"  {row.note}")
    return "\n".join(lines)

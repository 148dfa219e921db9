"""All that the command line can give: the JSON objects, and the types of results that can be shown.

Loads all commands; for the manual and the tests.
"""

from __future__ import annotations

import jdbpy.cli.packets  # noqa: F401  (its results are registered)
from jdbpy import packets
from jdbpy.cli.commands import TABLE
from jdbpy.cli.listing import LocalJvms
from jdbpy.cli.output import shows
from jdbpy.cli.output.json_lines import EVENTS
from jdbpy.json_form import JsonObject, json_object, json_objects
from jdbpy.record import Record


def all_objects() -> dict[str, JsonObject]:
    """Return the JSON objects of all events and of all that commands return, by name."""
    return json_objects(_whole())


def all_records() -> list[type[Record]]:
    """Return the records that they are made of, parts included."""
    found: dict[type, None] = dict.fromkeys(_whole())
    for record in (waiting := list(found)):
        new = [part for part in json_object(record).parts if part not in found]
        found.update(dict.fromkeys(new))
        waiting += new
    return [each for each in found if issubclass(each, Record)]


def shown_types() -> list[type]:
    """Return the types that can be shown."""
    list(TABLE)
    return shows.shown_types()


def _whole() -> list[type[Record]]:
    return [*EVENTS, LocalJvms, packets.CaptureSummary, *(each for command in TABLE for each in command.returns)]

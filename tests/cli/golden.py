"""The three forms of a sample of each result and event, in files that ``./dev generate golden`` writes.

A change of the code that is not to change what users see changes none of these files, and one that is to change it
shows each character that changes. The texts of a full sample are the names of their fields, so that a file also shows
which field comes out where; a bare sample has nothing in its lists and optional fields.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import jdbpy
from jdbpy.cli.catalog import all_records, shown_types
from jdbpy.cli.output import terminal as styled
from jdbpy.cli.output.json_lines import JsonRenderer
from jdbpy.cli.output.plain import PlainRenderer
from jdbpy.cli.output.renderer import Outcome, Renderer
from jdbpy.cli.output.terminal import RichRenderer
from jdbpy.cli.settings import Settings
from jdbpy.json_form import encode
from jdbpy.record import Record
from tests.cli.samples import NAMES, sample

DIRECTORY = Path(__file__).parent / "shown"

EVENTS: list[type[Record]] = [jdbpy.Stopped, jdbpy.Exited, jdbpy.VMDisconnected, jdbpy.Notice, jdbpy.EventsDropped]

BARE = 0
"""The depth of a sample without anything in lists and optional fields."""

FULL = 3


def files() -> dict[str, str]:
    """Return the content of each file by its name."""
    return {
        "plain.txt": _text(lambda record: _shown(PlainRenderer(Settings()), record)),
        "styled.txt": _text(lambda record: _shown(RichRenderer(Settings()), record).replace("\x1b", "ESC")),
        "json.txt": _json(),
    }


def write() -> None:
    """Write all files anew."""
    for name, content in files().items():
        (DIRECTORY / name).write_text(content, encoding="utf-8")


def _samples(records: list[type[Record]]) -> dict[str, Record]:
    """Return the samples of records by their titles."""
    named = sorted(records, key=lambda record: record.__name__)
    depths = {"": FULL, ", bare": BARE}
    return {
        f"{record.__name__}{bare}": sample(record, NAMES, depth) for record in named for bare, depth in depths.items()
    }


def _text(show: Callable[[Record], str]) -> str:
    with mock.patch.object(styled, "size", lambda: (100, 40)):
        found = {title: show(record) for title, record in _samples([*shown_types(), *EVENTS]).items()}
    return "".join(
        f"== {title}\n{text}" + ("" if text.endswith("\n") or not text else "\n") for title, text in found.items()
    )


def _shown(renderer: Renderer, record: Record) -> str:
    if type(record) in EVENTS:
        return renderer.event(record)  # type: ignore[arg-type]
    return "".join(renderer.parts(Outcome("command", None, record)))


def _json() -> str:
    found = {
        title: json.dumps(encode(each), indent=1, ensure_ascii=False) for title, each in _samples(all_records()).items()
    }
    for title, event in _samples(EVENTS).items():
        found[f"event {title}"] = JsonRenderer().event(event).rstrip("\n")  # type: ignore[arg-type]
    return "".join(f"== {title}\n{text}\n" for title, text in found.items())

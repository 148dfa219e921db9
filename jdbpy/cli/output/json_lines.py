"""The JSON Lines renderer: one object a line for every result and every event (``docs/json.md``).

Owns the envelope, and the names of events; what is in it follows from the declarations of records (``json_form``).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from jdbpy import (
    EvalError,
    Event,
    EventsDropped,
    Exited,
    JdbpyError,
    Notice,
    Output,
    SourceWindow,
    Stopped,
    ThreadsResumed,
    Thrown,
    VMDisconnected,
    packets,
)
from jdbpy.cli.output.renderer import Outcome
from jdbpy.cli.results import Displayed, Listening
from jdbpy.json_form import encode
from jdbpy.record import Record

EVENTS: dict[type[Record], str] = {
    Stopped: "stop",
    Exited: "exited",
    VMDisconnected: "disconnected",
    Output: "output",
    Notice: "notice",
    EventsDropped: "lost",
    ThreadsResumed: "resumed",
    Displayed: "display",
    Listening: "listening",
    packets.CapturedPacket: "packet",
    packets.CaptureNote: "packet-note",
}
"""The names of events; the ``data`` of each is the JSON object of that name."""


class JsonRenderer:
    """Implements ``Renderer``. All text is ASCII, so that no encoding or terminal can be in the way."""

    def parts(self, outcome: Outcome) -> Iterator[str]:
        data = encode(outcome.result) if outcome.result is not None else {}
        yield _line({"type": "result", "command": outcome.line, **_where(outcome.jvm), "ok": True, "data": data})

    def error(self, outcome: Outcome) -> str:
        error = error_data(outcome.error) if outcome.error is not None else {}
        return _line({"type": "result", "command": outcome.line, **_where(outcome.jvm), "ok": False, "error": error})

    def event(self, event: Event | packets.CapturedPacket | packets.CaptureNote, jvm: str = "", stays: str = "") -> str:
        selected = {"selected": stays} if stays else {}
        return _line({"type": "event", "event": EVENTS[type(event)], **_where(jvm), **selected, "data": encode(event)})

    def displays(self, displayed: Displayed, jvm: str = "") -> str:
        return _line({"type": "event", "event": "display", **_where(jvm), "data": encode(displayed)})

    def source(self, window: SourceWindow, jvm: str = "") -> str:
        return ""  # `list` gives it

    def listening(self, address: str) -> str:
        return _line({"type": "event", "event": "listening", "data": encode(Listening(address))})


def error_data(error: JdbpyError) -> dict[str, Any]:
    """Return an error as the object that a result has in its place."""
    described: dict[str, Any] = {"code": error.code, "message": error.message, "hint": error.hint}
    if isinstance(error, EvalError) and error.column is not None:
        described["column"] = error.column
        if error.expression:
            described["expression"] = error.expression
    if isinstance(error, Thrown):
        described["exception"] = {
            "type": error.exception_type,
            "message": error.exception_message,
            "id": error.id,
            "stack": list(error.stack),
        }
    return described


def _where(jvm: str) -> dict[str, str]:
    return {"jvm": jvm} if jvm else {}


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, separators=(",", ":")) + "\n"

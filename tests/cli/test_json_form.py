"""The JSON form: every result and event has a declared shape, and comes out in it."""

from __future__ import annotations

import json

import pytest

import jdbpy
from jdbpy.cli.catalog import all_objects, all_records
from jdbpy.cli.output.json_lines import EVENTS, JsonRenderer
from jdbpy.cli.output.renderer import Outcome
from jdbpy.errors import EvalError, UsageError
from jdbpy.json_form import JsonObject, encode, name_of
from jdbpy.record import Record
from tests.cli.json_check import check, check_line
from tests.cli.samples import HOSTILE, sample

OBJECTS = all_objects()
KINDS = {"any", "string", "integer", "number", "boolean", "object", *OBJECTS}


def test_each_object_has_a_name_of_its_own() -> None:
    assert len({name_of(record) for record in all_records()}) == len(all_records())


@pytest.mark.parametrize("made", list(OBJECTS.values()), ids=lambda made: made.name)
def test_objects_name_only_kinds_that_there_are(made: JsonObject) -> None:
    assert {key.kind.removesuffix("[]").removesuffix("?") for key in made.keys} <= KINDS
    assert len({key.key for key in made.keys}) == len(made.keys)
    assert made.help


@pytest.mark.parametrize("record", all_records(), ids=lambda record: record.__name__)
@pytest.mark.parametrize("text", ["text", HOSTILE], ids=["text", "hostile"])
def test_records_come_out_in_their_shape(record: type[Record], text: str) -> None:
    check(json.loads(json.dumps(encode(sample(record, text)))), name_of(record))


def test_every_event_has_a_name_and_a_shape() -> None:
    events: list[type[Record]] = [
        jdbpy.Stopped,
        jdbpy.Exited,
        jdbpy.VMDisconnected,
        jdbpy.Output,
        jdbpy.Notice,
        jdbpy.EventsDropped,
    ]
    names = [check_line(JsonRenderer().event(sample(event, HOSTILE)))["event"] for event in events]
    assert names == ["stop", "exited", "disconnected", "output", "notice", "lost"]
    assert set(names) < set(EVENTS.values())


def test_a_frame_has_the_keys_of_the_contract() -> None:
    location = jdbpy.Location("com.acme.Order", "total", "()I", "Order.java", 42, 3)
    frame = encode(jdbpy.FrameInfo(1, location, jdbpy.ThreadRef(1, "main")))
    del frame["code_index"]
    assert frame == {
        "index": 1,
        "class": "com.acme.Order",
        "method": "total",
        "signature": "()I",
        "source": "Order.java",
        "line": 42,
    }


def test_a_variable_has_the_keys_of_the_contract() -> None:
    value = jdbpy.ValueInfo(type="int", text="7", tag="I", raw=7)
    variable = encode(jdbpy.Variable(name="n", type="int", value=value, kind="argument"))
    assert variable == {"name": "n", "type": "int", "runtime_type": "int", "value": "7", "kind": "argument"}


def test_a_variable_that_cannot_be_read_says_why() -> None:
    variable = encode(jdbpy.Variable(name="n", type="int", value=None, kind="local", error="not in scope"))
    assert variable == {"name": "n", "type": "int", "value": None, "kind": "local", "error": "not in scope"}


def test_an_empty_string_has_a_length() -> None:
    value = jdbpy.ValueInfo(type="java.lang.String", text='""', tag="s", raw=5, id=5, length=0)
    assert encode(value)["length"] == 0


def test_an_error_carries_code_message_and_hint() -> None:
    renderer = JsonRenderer()
    error = UsageError("unknown command 'x'", hint="'help'", code="UNKNOWN_COMMAND")
    line = check_line(renderer.error(Outcome("x y", None, error=error)))
    assert line["command"] == "x y"
    assert line["error"] == {"code": "UNKNOWN_COMMAND", "message": "unknown command 'x'", "hint": "'help'"}
    wrong = check_line(renderer.error(Outcome("p a+", None, error=EvalError("unfinished", 2))))
    assert wrong["error"]["column"] == 2

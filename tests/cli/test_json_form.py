"""The JSON form: every result and event has a declared shape, and comes out in it."""

from __future__ import annotations

import json
import types
import typing

import pytest

import jdbpy
from jdbpy.cli.commands import TABLE
from jdbpy.cli.json_form import EVENTS, SHAPE_OF, SHAPES
from jdbpy.cli.json_form.encode import encode
from jdbpy.cli.output.json_lines import JsonRenderer
from jdbpy.cli.output.renderer import Outcome
from jdbpy.cli.table import Command
from jdbpy.errors import EvalError, UsageError
from jdbpy.record import Record
from tests.cli.json_check import check, check_line
from tests.cli.samples import HOSTILE, sample

KINDS = {"string", "integer", "number", "boolean", "object", *SHAPES}


def returned_types(command: Command) -> list[type[Record]]:
    hint = command.signature.returns
    return list(typing.get_args(hint)) if isinstance(hint, types.UnionType) else [hint]


@pytest.mark.parametrize("command", list(TABLE), ids=lambda command: command.name)
def test_every_result_has_a_shape(command: Command) -> None:
    assert set(returned_types(command)) <= set(SHAPE_OF)


@pytest.mark.parametrize("shape", list(SHAPES.values()), ids=lambda shape: shape.name)
def test_shapes_name_only_kinds_that_there_are(shape: jdbpy.cli.json_form.Shape) -> None:
    assert {field.kind.removesuffix("[]").removesuffix("?") for field in shape.fields} <= KINDS
    assert len({field.key for field in shape.fields}) == len(shape.fields)


@pytest.mark.parametrize("record", list(SHAPE_OF), ids=lambda record: record.__name__)
@pytest.mark.parametrize("text", ["text", HOSTILE], ids=["text", "hostile"])
def test_records_come_out_in_their_shape(record: type[Record], text: str) -> None:
    check(json.loads(json.dumps(encode(sample(record, text)))), SHAPE_OF[record].name)


def test_every_event_has_a_name_and_a_shape() -> None:
    events: list[type[Record]] = [jdbpy.Stop, jdbpy.Exited, jdbpy.Gone, jdbpy.Output, jdbpy.Notice, jdbpy.Lost]
    names = [check_line(JsonRenderer().event(sample(event, HOSTILE)))["event"] for event in events]
    assert names == ["stop", "exited", "disconnected", "output", "notice", "lost"]
    assert set(names) < set(EVENTS)


def test_a_frame_has_the_keys_of_the_contract() -> None:
    location = jdbpy.Location("com.acme.Order", "total", "()I", "Order.java", 42, 3)
    frame = encode(jdbpy.Frame(1, location, jdbpy.ThreadRef(1, "main")))
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
    value = jdbpy.Value(type="int", text="7", tag="I", raw=7)
    variable = encode(jdbpy.Variable(name="n", type="int", value=value, kind="argument"))
    assert variable == {"name": "n", "type": "int", "runtime_type": "int", "value": "7", "kind": "argument"}


def test_a_variable_that_cannot_be_read_says_why() -> None:
    variable = encode(jdbpy.Variable(name="n", type="int", value=None, kind="local", error="not in scope"))
    assert variable == {"name": "n", "type": "int", "value": None, "kind": "local", "error": "not in scope"}


def test_an_empty_string_has_a_length() -> None:
    value = jdbpy.Value(type="java.lang.String", text='""', tag="s", raw=5, id=5, length=0)
    assert encode(value)["length"] == 0


def test_an_error_carries_code_message_and_hint() -> None:
    renderer = JsonRenderer()
    error = UsageError("there is no command 'x'", hint="'help'", code="UNKNOWN_COMMAND")
    line = check_line(renderer.error(Outcome("x y", None, error=error)))
    assert line["command"] == "x y"
    assert line["error"] == {"code": "UNKNOWN_COMMAND", "message": "there is no command 'x'", "hint": "'help'"}
    wrong = check_line(renderer.error(Outcome("p a+", None, error=EvalError("unfinished", 2))))
    assert wrong["error"]["column"] == 2

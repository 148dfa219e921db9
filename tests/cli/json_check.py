"""Checks of JSON against the declared shapes: what ``docs/json.md`` promises is what comes out."""

from __future__ import annotations

import json
from typing import Any

from jdbpy.cli.catalog import all_objects
from jdbpy.cli.output.json_lines import EVENTS

OBJECTS = all_objects()
_PLAIN = {"string": str, "integer": int, "number": float, "boolean": bool, "object": dict}


def check_line(line: str) -> dict[str, Any]:
    """One line of output, checked whole; returns the object."""
    assert line.isascii(), line
    found: dict[str, Any] = json.loads(line)
    if found["type"] == "event":
        assert [key for key in found if key != "jvm"] == ["type", "event", "data"]
        assert found["event"] in EVENTS.values()
        check(found["data"], found["event"])
        return found
    assert found["type"] == "result"
    assert isinstance(found["command"], str)
    if found["ok"]:
        assert [key for key in found if key != "jvm"] == ["type", "command", "ok", "data"]
    else:
        assert [key for key in found if key != "jvm"] == ["type", "command", "ok", "error"]
        error = found["error"]
        assert set(error) - {"column", "expression", "exception"} == {"code", "message", "hint"}
        assert error["code"].isupper()
        assert error["message"]
    return found


def check(value: Any, kind: str, where: str = "") -> None:
    """Raises AssertionError unless the value is of the kind: exactly the declared keys, each of its own kind."""
    where = where or kind
    if kind.endswith("?"):
        if value is not None:
            check(value, kind[:-1], where)
    elif kind == "any":
        json.dumps(value)
    elif kind.endswith("[]"):
        assert isinstance(value, list), where
        for item in value:
            check(item, kind[:-2], f"{where}[]")
    elif kind in _PLAIN:
        assert type(value) is _PLAIN[kind], f"{where}: {value!r} is no {kind}"
    else:
        fields = {field.key: field for field in OBJECTS[kind].keys}
        assert isinstance(value, dict), where
        assert set(value) <= set(fields), f"{where}: undeclared {set(value) - set(fields)}"
        missing = {key for key, field in fields.items() if not field.optional} - set(value)
        assert not missing, f"{where}: missing {missing}"
        for key, item in value.items():
            check(item, fields[key].kind, f"{where}.{key}")

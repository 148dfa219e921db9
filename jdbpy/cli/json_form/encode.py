"""From a record to its JSON object."""

from __future__ import annotations

from typing import Any

from jdbpy.cli.json_form import SHAPE_OF, SHAPES
from jdbpy.cli.json_form.shape import Shape
from jdbpy.record import Record


def encode(record: Record) -> dict[str, Any]:
    """The JSON object of a record whose shape is declared."""
    shape = SHAPE_OF[type(record)]
    return _object(shape, [_follow(record, field.source or field.key) for field in shape.fields])


def _object(shape: Shape, values: list[Any]) -> dict[str, Any]:
    encoded = {}
    for field, value in zip(shape.fields, values, strict=True):
        json = _value(value, field.kind)
        if not field.optional or not (json is None or json is False or json in ("", [], {})):
            encoded[field.key] = json
    return encoded


def _value(value: Any, kind: str) -> Any:
    if isinstance(value, Record):
        return encode(value)
    if kind.endswith("[]"):
        return [_value(item, kind[:-2]) for item in value or ()]
    if kind == "object":
        return dict(value or ())
    if isinstance(value, tuple):
        return _object(SHAPES[kind], list(value))
    return str(value) if isinstance(value, str) else value  # an enum of words is a plain string


def _follow(record: Any, path: str) -> Any:
    """The attribute at the end of a dotted path; None when one on the way is None."""
    for name in path.split("."):
        if record is None:
            return None
        record = getattr(record, name)
    return record

"""The JSON form of plain data, derived from how it is declared: the keys are the fields of the record.

Owns the marks for the few that differ, and the way from a record to its object. A field may be declared as
``Annotated[str, "what it means"]``, or with a ``Json`` mark. A class may give its object another name (``json_name``),
and keys to some of its properties (``json_properties``, with ``?`` after one that is
left out when there is nothing to say). A change that removes or renames a key, or changes what it
means, raises ``SCHEMA_VERSION``; new keys may come at any time.
"""

from __future__ import annotations

import re
import types
import typing
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cache
from typing import Any

from jdbpy.record import Record

SCHEMA_VERSION = 1
"""Of the JSON form."""


class Json(Record):
    """The JSON form of a field where that does not follow from its declaration.

    ``optional``: left out when there is nothing to say (null, "", false, an empty list); None means "if it has a
    default". ``hidden``: it has no key.
    """

    help: str = ""
    key: str = ""
    optional: bool | None = None
    hidden: bool = False


HIDDEN = Json(hidden=True)
"""The mark of a field that is not in the JSON form."""


class Inline(Record):
    """The mark of a record whose keys stand in the object around it; ``but`` says which of them differ there."""

    but: tuple[tuple[str, Json], ...] = ()


class JsonKey(Record):
    """A key of a JSON object.

    ``kind`` is "string", "integer", "number", "boolean", "object" (names with values), "any" (plain data as it is), or
    the name of an object; "?" after it allows null, "[]" makes it a list. ``path``: the attributes that lead from the
    record to the value.
    """

    key: str
    kind: str
    help: str
    optional: bool
    path: tuple[str, ...]


class JsonObject(Record):
    """The JSON object that a type of record becomes."""

    name: str
    help: str
    keys: tuple[JsonKey, ...]
    parts: tuple[type, ...]  # other types that its keys may hold


@cache
def json_object(record: type) -> JsonObject:
    """Return the JSON object of a type of record, or of a named tuple. Raises TypeError for a field without a form."""
    hints = typing.get_type_hints(record, include_extras=True)
    keys: list[JsonKey] = []
    parts: list[type] = []
    for field in _fields(record):
        hint = hints[field]
        marks = getattr(hint, "__metadata__", ())
        hint = hint.__origin__ if marks else hint
        mark = marks[0] if marks else Json()
        if isinstance(mark, Inline):
            inner = json_object(_without_null(hint))
            keys += _inlined(field, inner, dict(mark.but), may_be_null=_without_null(hint) is not hint)
            parts += inner.parts
            continue
        mark = Json(mark) if isinstance(mark, str) else mark
        if mark.hidden:
            continue
        kind = _kind(hint, parts)
        optional = field in getattr(record, "__defaults__", ()) if mark.optional is None else mark.optional
        key = mark.key or field
        keys.append(JsonKey(key, kind.removesuffix("?") if optional else kind, mark.help, optional, (field,)))
    for given in record.__dict__.get("json_properties", ()):
        name, optional = given.removesuffix("?"), given.endswith("?")
        getter = record.__dict__[name].fget
        kind = _kind(typing.get_type_hints(getter)["return"], parts)
        keys.append(JsonKey(name, kind, _help(getter), optional, (name,)))
    return JsonObject(name_of(record), _help(record), tuple(keys), tuple(dict.fromkeys(parts)))


def json_objects(records: Iterable[type]) -> dict[str, JsonObject]:
    """Return the JSON objects of these types, and of all that their keys hold, by name."""
    found: dict[str, JsonObject] = {}
    waiting = list(records)
    while waiting:
        made = json_object(waiting.pop(0))
        if made.name not in found:
            found[made.name] = made
            waiting += made.parts
    return found


def name_of(record: type) -> str:
    """Return the name of a type's JSON object: ``thread-ref`` for ThreadRef, unless its ``json_name`` is another."""
    given = record.__dict__.get("json_name")
    return given if isinstance(given, str) else re.sub(r"(?<=.)([A-Z])", r"-\1", record.__name__).lower()


def encode(record: Record) -> dict[str, Any]:
    """Return the JSON object of a record."""
    encoded: dict[str, Any] = {}
    for key, kind, optional, path in _plan(type(record)):
        value: Any = record
        for name in path:
            value = getattr(value, name, None)
        json = value if type(value) in _SIMPLE else _value(value, kind)
        if not optional or not (json is None or json is False or json in ("", [], {})):
            encoded[key] = json
    return encoded


_SIMPLE = frozenset((str, int, float, bool))


@cache
def _plan(record: type) -> tuple[tuple[str, str, bool, tuple[str, ...]], ...]:
    """Return key, kind, optional and path of each key: what encoding needs of them."""
    return tuple((each.key, each.kind, each.optional, each.path) for each in json_object(record).keys)


def _value(value: Any, kind: str) -> Any:
    if isinstance(value, Record):
        return encode(value)
    if kind == "object":
        return dict(value or ())
    if kind.endswith("[]"):
        return [_value(item, kind[:-2]) for item in value or ()]
    if isinstance(value, str):
        return str(value)  # an enum of words is a plain string
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, tuple):  # a named one
        return dict(zip(_fields(type(value)), value, strict=True))
    return value


def _fields(record: type) -> tuple[str, ...]:
    fields: tuple[str, ...] = getattr(record, "__fields__", ()) or getattr(record, "_fields", ())
    return fields


def _kind(hint: Any, parts: list[type]) -> str:
    """Return the kind of a key; the types of records that it holds are added to ``parts``."""
    if hint in _KINDS:
        return _KINDS[hint]
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        kind = _kind(_without_null(hint), parts)
        return kind if kind.endswith("[]") else f"{kind}?"
    if origin is not None and issubclass(origin, Mapping):
        return "object"
    if origin is not None and issubclass(origin, Iterable):
        item = arguments[0]
        if typing.get_origin(item) is tuple and typing.get_args(item)[0] is str:
            return "object"
        return _kind(item, parts) + "[]"
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return "string"
    if isinstance(hint, type) and issubclass(hint, Record | tuple):
        parts.append(hint)
        return name_of(hint)
    raise TypeError(f"{hint} has no JSON form")


_KINDS: dict[Any, str] = {Any: "any", str: "string", int: "integer", float: "number", bool: "boolean", bytes: "string"}


def _without_null(hint: Any) -> Any:
    kept = [each for each in typing.get_args(hint) if each is not types.NoneType]
    return kept[0] if len(kept) == 1 else hint


def _inlined(field: str, inner: JsonObject, but: dict[str, Json], *, may_be_null: bool) -> Iterable[JsonKey]:
    for each in inner.keys:
        mark = but.get(each.key, Json())
        if mark.hidden:
            continue
        optional = each.optional if mark.optional is None else mark.optional
        kind = each.kind.removesuffix("?") + ("?" if not optional and (may_be_null or each.kind.endswith("?")) else "")
        yield JsonKey(mark.key or each.key, kind, mark.help or each.help, optional, (field, *each.path))


def _help(of: Any) -> str:
    """Return the first paragraph of a docstring."""
    return " ".join((of.__doc__ or "").partition("\n\n")[0].split())

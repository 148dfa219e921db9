"""Requests as they are declared: the table of them, their arguments as records, and what is wrong with arguments.

A request is one annotated method of a part of the adapter. Its arguments are a record: a field without a default is
required, those that are not declared are ignored (``unknown`` has their names where a record declares that), and a
wrong type is a ``UsageError`` with the path to it. What a request lets the adapter announce (``supports...``) stands
beside it.
"""

from __future__ import annotations

import re
import types
import typing
from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import Any, TypeVar, cast

from jdbpy import UsageError
from jdbpy.record import Record

MOST_ITEMS = 20_000
"""The longest list in the arguments: breakpoints of a file, at the very most."""

Body = dict[str, Any]
"""The body of a response or an event."""

MOST_NUMBER = 1 << 53
"""The greatest number in arguments: greater ones are not told apart in JSON."""

_NO_CHARACTER = re.compile("[\0\ud800-\udfff]")
"""Characters that the name of a file, host or option cannot have."""

_OF_PROGRAM = frozenset(("expression", "value", "condition", "logMessage", "text", "name"))
"""Arguments that are texts of the program: a string there may have any character."""

_NAMES = {bool: "true or false", int: "a whole number", str: "a text", float: "a number", dict: "an object"}


class NoArguments(Record):
    """A request without arguments, or with none that matter."""


class Request(Record):
    """An entry of the table. ``in_order``: those after it wait until it was carried out. ``at_once``: it waits for
    none."""

    name: str
    arguments: type[Record]
    method: Callable[[Any, Any], Awaitable[Body | None]]
    in_order: bool = False
    at_once: bool = False


REQUESTS: dict[str, Request] = {}
CAPABILITIES: Body = {}
"""The capabilities that ``initialize`` announces; each is set beside the code that serves it."""

CAPABILITIES_OF_LAUNCHED: Body = {"supportsTerminateRequest": True, "supportTerminateDebuggee": True}
"""Capabilities that are announced once a program was launched: one that was attached to is not the client's to end."""

R = TypeVar("R", bound=Callable[[Any, Any], Awaitable[Body | None]])


def request(
    name: str, arguments: type[Record] = NoArguments, *, in_order: bool = False, at_once: bool = False, **can: Any
) -> Callable[[R], R]:
    """Enter a method into the table under the name of its request, and announce what it can."""

    def enter(function: R) -> R:
        REQUESTS[name] = Request(name, arguments, function, in_order, at_once)
        CAPABILITIES.update(can)
        return function

    return enter


def handlers(parts: Iterable[object]) -> dict[str, Callable[[Any], Awaitable[Body | None]]]:
    """Return what carries out each request, by its name: the methods of these parts. Raises KeyError for none."""
    bound = {}
    for part in parts:
        for method in vars(type(part)).values():
            bound[method] = part
    return {name: partial(each.method, bound[each.method]) for name, each in REQUESTS.items()}


T = TypeVar("T", bound=Record)
_hints: dict[type[Record], dict[str, Any]] = {}


def read_arguments(kind: type[T], given: object, path: str = "arguments") -> T:
    """Return the arguments of a request as a record. Raises UsageError with the path to what is wrong."""
    if given is None:
        given = {}
    if not isinstance(given, dict):
        raise UsageError(f"{path} must be an object, not {_said(given)}", code="WRONG_ARGUMENT")
    if kind not in _hints:
        _hints[kind] = typing.get_type_hints(kind)
    values = {}
    for field in kind.__fields__:
        if field == "unknown":
            values[field] = tuple(name for name in given if name == field or name not in kind.__fields__)
            continue
        value = given.get(field)
        if value is None and field in kind.__defaults__:
            continue
        if value is None:
            raise UsageError(f"{path}.{field} is missing", code="WRONG_ARGUMENT")
        values[field] = _read(_hints[kind][field], value, f"{path}.{field}")
    return kind(**values)


def _read(hint: Any, value: object, path: str) -> Any:
    origin = typing.get_origin(hint)
    if hint is Any or hint is object:
        return value
    if origin is types.UnionType or origin is typing.Union:
        return _one_of([each for each in typing.get_args(hint) if each is not type(None)], value, path)
    if origin is tuple:
        if not isinstance(value, list):
            raise UsageError(f"{path} must be a list, not {_said(value)}", code="WRONG_ARGUMENT")
        if len(value) > MOST_ITEMS:
            raise UsageError(f"{path} has {len(value):,} items; the most is {MOST_ITEMS:,}", code="WRONG_ARGUMENT")
        kind = typing.get_args(hint)[0]
        return tuple(_read(kind, each, f"{path}[{index}]") for index, each in enumerate(value))
    if origin is dict:
        if not isinstance(value, dict):
            raise UsageError(f"{path} must be an object, not {_said(value)}", code="WRONG_ARGUMENT")
        kind = typing.get_args(hint)[1]
        return {key: _read(kind, each, f"{path}.{key}") if each is not None else None for key, each in value.items()}
    if isinstance(hint, type) and issubclass(hint, Record):
        return read_arguments(hint, value, path)
    if hint is float and isinstance(value, int | float) and not isinstance(value, bool):
        if not -MOST_NUMBER <= value <= MOST_NUMBER:  # JSON as Python reads it has NaN and Infinity
            raise UsageError(f"{path} is out of range", code="WRONG_ARGUMENT")
        return float(value)
    if hint is int and isinstance(value, float) and value.is_integer():  # JSON knows one kind of number
        value = int(value)
    if not isinstance(value, hint) or (isinstance(value, bool) and hint is not bool):
        raise UsageError(f"{path} must be {_NAMES.get(hint, hint)}, not {_said(value)}", code="WRONG_ARGUMENT")
    if isinstance(value, int) and not -MOST_NUMBER <= value <= MOST_NUMBER:
        raise UsageError(f"{path} is out of range", code="WRONG_ARGUMENT")
    if isinstance(value, str) and (match := _NO_CHARACTER.search(value)) and path.rpartition(".")[2] not in _OF_PROGRAM:
        raise UsageError(f"{path} has the character U+{ord(match[0]):04X}", code="WRONG_ARGUMENT")
    return value


def _one_of(hints: list[Any], value: object, path: str) -> Any:
    failure: UsageError | None = None
    for hint in hints:
        try:
            return _read(hint, value, path)
        except UsageError as error:
            failure = failure or error
    raise cast(UsageError, failure)


def _said(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return "a number"
        case str():
            return "a text"
        case list():
            return "a list"
    return "an object"

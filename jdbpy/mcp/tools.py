"""The table of tools. A tool is one annotated function: its schema, and the check of what comes in, follow from it.

Arguments are text, numbers, truth values, one of several words, or lists of text. What does not fit is refused in a
sentence before the tool runs.
"""

from __future__ import annotations

import inspect
import math
import typing
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from jdbpy import UsageError
from jdbpy.mcp.answers import Body
from jdbpy.record import Record

if TYPE_CHECKING:
    from jdbpy.mcp.debugging import Debugging

LONGEST_ARGUMENT = 20_000
"""Characters of a text that a client may give."""

_KINDS: dict[Any, tuple[str, str]] = {
    str: ("string", "a text"),
    int: ("integer", "a whole number"),
    float: ("number", "a number"),
    bool: ("boolean", "true or false"),
}


class Within:
    """The mark of a number that must lie between two others."""

    def __init__(self, low: float, high: float) -> None:
        self.low = low
        self.high = high


class Tool(Record):
    """A tool: its name, what it does, and the JSON schema of its arguments. ``reads``: it changes nothing; ``changes``:
    it may change what the program holds; ``repeatable``: called again with the same arguments it does nothing more."""

    name: str
    help: str
    schema: Body
    reads: bool
    changes: bool
    repeatable: bool
    function: Callable[..., Awaitable[Body]]

    async def run(self, debugging: Debugging, given: Body) -> Body:
        """Check the arguments and run it. Raises UsageError for those that do not fit."""
        return await self.function(debugging, **_checked(self.function, self.name, given))


TOOLS: dict[str, Tool] = {}
"""All tools by name, once ``load`` has run."""

_F = TypeVar("_F", bound=Callable[..., Awaitable[Body]])


def tool(*, reads: bool = False, changes: bool = False, repeatable: bool = False) -> Callable[[_F], _F]:
    """Enter a function into the table. Its docstring is what a client reads; ``Annotated`` texts explain arguments."""

    def enter(function: _F) -> _F:
        name = function.__name__.rstrip("_")
        help = " ".join((function.__doc__ or "").split())
        TOOLS[name] = Tool(name, help, _schema(function), reads, changes, repeatable or reads, function)
        return function

    return enter


def load() -> dict[str, Tool]:
    """Return all tools; imports the modules that have them."""
    from importlib import import_module

    for module in ("running", "inspecting", "measuring", "recording", "testing", "prompt"):
        import_module(f"jdbpy.mcp.{module}")
    return TOOLS


def _schema(function: Callable[..., Any]) -> Body:
    properties: Body = {}
    required = []
    for name, parameter, hint, marks in _parameters(function):
        described = _described(hint)
        for mark in marks:
            if isinstance(mark, Within):
                described["minimum"], described["maximum"] = mark.low, mark.high
            else:
                described["description"] = mark
        if parameter.default is parameter.empty:
            required.append(name)
        elif parameter.default not in ("", None, (), False):
            described["default"] = parameter.default
        properties[name] = described
    schema: Body = {"type": "object", "properties": properties, "additionalProperties": False}
    if required:
        schema["required"] = required
    return schema


def _parameters(function: Callable[..., Any]) -> list[tuple[str, inspect.Parameter, Any, tuple[Any, ...]]]:
    hints = typing.get_type_hints(function, include_extras=True)
    found = []
    for name, parameter in list(inspect.signature(function).parameters.items())[1:]:
        hint = hints[name]
        marks = getattr(hint, "__metadata__", ())
        found.append((name, parameter, hint.__origin__ if marks else hint, marks))
    return found


def _described(hint: Any) -> Body:
    if typing.get_origin(hint) is Literal:
        return {"type": "string", "enum": list(typing.get_args(hint))}
    if typing.get_origin(hint) is tuple:
        return {"type": "array", "items": {"type": "string"}}
    return {"type": _KINDS[hint][0]}


def _checked(function: Callable[..., Any], tool_name: str, given: Body) -> Body:
    parameters = _parameters(function)
    names = [name for name, *_ in parameters]
    for name in given:
        if name not in names:
            takes = f"it takes {', '.join(names)}" if names else "it takes none"
            raise UsageError(f"{tool_name} has no argument '{name[:100]}'", hint=takes, code="WRONG_ARGUMENT")
    made: Body = {}
    for name, parameter, hint, marks in parameters:
        if given.get(name) is not None:
            made[name] = _value(f"{tool_name}: {name}", given[name], hint, marks)
        elif parameter.default is parameter.empty:
            raise UsageError(f"{tool_name} needs the argument '{name}'", code="WRONG_ARGUMENT")
    return made


def _value(name: str, value: Any, hint: Any, marks: tuple[Any, ...]) -> Any:
    if typing.get_origin(hint) is Literal:
        words = typing.get_args(hint)
        if value not in words:
            raise UsageError(f"{name} is one of {', '.join(words)}", code="WRONG_ARGUMENT")
        return value
    if typing.get_origin(hint) is tuple:
        if not isinstance(value, list) or len(value) > 1000:
            raise UsageError(f"{name} is a list of texts", code="WRONG_ARGUMENT")
        return tuple(_value(name, each, str, ()) for each in value)
    if hint is str and isinstance(value, int) and not isinstance(value, bool):
        value = str(value)  # ids of threads and ports
    if hint is int and isinstance(value, float) and value.is_integer():
        value = int(value)
    right = isinstance(value, (int, float) if hint is float else hint)
    if not right or (isinstance(value, bool) and hint is not bool) or value != value or value in (math.inf, -math.inf):
        raise UsageError(f"{name} is {_KINDS[hint][1]}", code="WRONG_ARGUMENT")
    if isinstance(value, str) and len(value) > LONGEST_ARGUMENT:
        raise UsageError(f"{name} has more than {LONGEST_ARGUMENT:,} characters", code="WRONG_ARGUMENT")
    for mark in marks:
        if isinstance(mark, Within) and not mark.low <= value <= mark.high:
            raise UsageError(f"{name} is a number from {mark.low:g} to {mark.high:g}", code="WRONG_ARGUMENT")
    return value

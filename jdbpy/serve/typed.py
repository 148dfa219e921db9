"""Plain data of a session as JSON that keeps its types: records, enums, errors, tuples and sets come back as they were.

Owns the form in which the arguments and results of calls cross between a session and a script that has joined it. What
comes in can become plain data of jdbpy and nothing else: names are looked up in a fixed table, and no code of the other
side runs. An object that is referred to twice, also by itself, is one object again.

Numbers, texts, true, false and null are themselves; all else is an object with one key of one letter.
"""

from __future__ import annotations

import base64
import pkgutil
from collections.abc import Callable, Sequence
from decimal import Decimal
from enum import Enum
from functools import cache
from importlib import import_module
from typing import Any

import jdbpy.errors
import jdbpy.session.model
from jdbpy import JdbpyError, Record, UsageError
from jdbpy.session.values.export import JavaObject

COMPONENTS = frozenset(
    {
        "breakpoints", "catchpoints", "class_dump", "classes", "code", "decisions", "execution", "files", "heap",
        "hotswap", "locks", "loggers", "mbeans", "modules", "moments", "objects", "points", "profiler", "stack",
        "strata", "threads", "top", "traces", "values", "vm", "watchpoints",
    }
)  # fmt: skip
"""Components of a session whose coroutines may be called."""

OWN = frozenset({"down", "exit", "panic", "select_frame", "select_thread", "snapshot", "up"})
"""Coroutines of the session itself."""

_MODULES = (
    "jdbpy.session.values.queries",
    "jdbpy.session.inspect.sampling",
    "jdbpy.cli.screen.state",
    "jdbpy.profiles.profile",
)
"""Modules with records beside those of the model."""

_DEEPEST = 400
"""Objects in objects."""


def pack(value: object) -> Any:
    """Return what ``json.dumps`` takes. Raises TypeError for what is no plain data, and UsageError where it is too
    deep."""
    return _Packing().pack(value, 0)


def unpack(packed: Any) -> Any:
    """Return the value that ``pack`` was given. Raises UsageError for what it cannot have made."""
    try:
        return _Unpacking().unpack(packed, 0)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError) as error:
        raise UsageError(f"a value is malformed: {type(error).__name__}", code="WRONG_LINE") from None


@cache
def _types() -> dict[str, type[Any]]:
    names = [
        f"{jdbpy.session.model.__name__}.{each.name}" for each in pkgutil.iter_modules(jdbpy.session.model.__path__)
    ]
    found: dict[str, type[Any]] = {}
    for module in map(import_module, (*names, *_MODULES)):
        for name, value in vars(module).items():
            if isinstance(value, type) and issubclass(value, Record | Enum) and value.__module__ == module.__name__:
                found[name] = value
    return found


@cache
def _errors() -> dict[str, type[JdbpyError]]:
    return {
        name: value
        for name, value in vars(jdbpy.errors).items()
        if isinstance(value, type) and issubclass(value, JdbpyError)
    }


class _Packing:
    def __init__(self) -> None:
        self._seen: dict[int, int] = {}
        self._kept: list[object] = []  # so that no id is given twice

    def pack(self, value: Any, depth: int) -> Any:
        if value is None or type(value) in (bool, int, float, str):
            return value
        if depth > _DEEPEST:
            raise UsageError(f"the value is more than {_DEEPEST} objects deep", code="TOO_DEEP")
        if isinstance(value, Record):
            fields = [self.pack(each, depth + 1) for _, each in value.__iter_fields__()]
            return {"r": [type(value).__name__, *fields]}
        if isinstance(value, Enum):
            name = type(value).__name__
            return {"e": [name, value.value]} if name in _types() else value.value
        if isinstance(value, JdbpyError):
            fields = [[key, self.pack(each, depth + 1)] for key, each in vars(value).items() if key != "__notes__"]
            return {"x": [type(value).__name__, fields]}
        if isinstance(value, tuple):
            return {"t": self._items(value, depth)}
        if isinstance(value, bytes | bytearray):
            return {"b": base64.b64encode(value).decode()}
        if isinstance(value, Decimal):
            return {"n": str(value)}
        if isinstance(value, set | frozenset):
            return {"f" if isinstance(value, frozenset) else "s": self._items(value, depth)}
        if id(value) in self._seen:
            return {"#": self._seen[id(value)]}
        if isinstance(value, dict | list | Sequence):
            self._seen[id(value)] = len(self._seen)
            self._kept.append(value)
            if not isinstance(value, dict):
                return {"l": self._items(value, depth)}
            pairs = [[self.pack(key, depth + 1), self.pack(each, depth + 1)] for key, each in value.items()]
            return {"j": [value.type, pairs]} if isinstance(value, JavaObject) else {"d": pairs}
        raise TypeError(f"{type(value).__name__} is not plain data")

    def _items(self, values: Any, depth: int) -> list[Any]:
        return [self.pack(each, depth + 1) for each in values]


class _Unpacking:
    def __init__(self) -> None:
        self._made: list[Any] = []

    def unpack(self, packed: Any, depth: int) -> Any:
        if not isinstance(packed, dict):
            if isinstance(packed, list):
                raise UsageError("a value is malformed: a list", code="WRONG_LINE")
            return packed
        if depth > _DEEPEST:
            raise UsageError(f"a value is more than {_DEEPEST} objects deep", code="TOO_DEEP")
        [(letter, held)] = packed.items()
        return _FORMS[letter](self, held, depth + 1)

    def items(self, held: list[Any], depth: int) -> list[Any]:
        return [self.unpack(each, depth) for each in held]

    def record(self, held: list[Any], depth: int) -> Any:
        name, *fields = held
        kind = _types()[name]
        if not issubclass(kind, Record):
            raise ValueError
        return kind(*self.items(fields, depth))

    def enum(self, held: list[Any], depth: int) -> Any:
        kind = _types()[held[0]]
        if not issubclass(kind, Enum):
            raise ValueError
        return kind(held[1])

    def error(self, held: list[Any], depth: int) -> JdbpyError:
        name, fields = held
        kind = _errors()[name]
        made = kind.__new__(kind)
        for key, each in fields:
            if not isinstance(key, str) or key.startswith("_"):
                raise ValueError
            vars(made)[key] = self.unpack(each, depth)
        made.args = (str(vars(made).setdefault("message", "")),)
        return made

    def again(self, held: Any, depth: int) -> Any:
        return self._made[held]

    def list_(self, held: list[Any], depth: int) -> list[Any]:
        made: list[Any] = []
        self._made.append(made)
        made.extend(self.items(held, depth))
        return made

    def pairs(self, held: list[Any], depth: int) -> dict[Any, Any]:
        return self._filled({}, held, depth)

    def java_object(self, held: list[Any], depth: int) -> dict[Any, Any]:
        return self._filled(JavaObject(str(held[0])), held[1], depth)

    def _filled(self, made: dict[Any, Any], pairs: list[Any], depth: int) -> dict[Any, Any]:
        self._made.append(made)
        for key, each in pairs:
            made[self.unpack(key, depth)] = self.unpack(each, depth)
        return made


_FORMS: dict[str, Callable[[_Unpacking, Any, int], Any]] = {
    "r": _Unpacking.record,
    "e": _Unpacking.enum,
    "x": _Unpacking.error,
    "t": lambda unpacking, held, depth: tuple(unpacking.items(held, depth)),
    "b": lambda unpacking, held, depth: base64.b64decode(held, validate=True),
    "n": lambda unpacking, held, depth: Decimal(held),
    "s": lambda unpacking, held, depth: set(unpacking.items(held, depth)),
    "f": lambda unpacking, held, depth: frozenset(unpacking.items(held, depth)),
    "#": _Unpacking.again,
    "l": _Unpacking.list_,
    "d": _Unpacking.pairs,
    "j": _Unpacking.java_object,
}

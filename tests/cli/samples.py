"""An instance of any record, made from its annotations: every field filled, every text the given one."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

from jdbpy.cli.results import Done
from jdbpy.errors import JdbpyError
from jdbpy.record import Record

HOSTILE = "\x1b[31m\n\r\t\x00\x7f\x9b\u202e\u2028\ud800é日"
"""Text as a target may send it: escapes, ends of lines, marks that reorder, a lone surrogate; and honest letters."""


NAMES = ""
"""As the text of a sample: each text is the name of its field."""


def sample(record: type[Record], text: str = "text", depth: int = 3) -> Any:
    """A record with every field filled; those that hold records of the same kind end after ``depth``."""
    hints = typing.get_type_hints(record)
    return record(**{name: _value(hints[name], name, text, depth) for name in record.__fields__})


def _value(hint: Any, name: str, text: str, depth: int) -> Any:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is tuple:
        if arguments[-1] is Ellipsis:
            return (_value(arguments[0], name, text, depth - 1),) if depth > 0 else ()
        return tuple(_value(argument, name, text, depth) for argument in arguments)
    if origin is Mapping:
        return {text or name: text or name}
    if origin is Sequence:
        return (_value(arguments[0], name, text, depth - 1),) if depth > 0 else ()
    if origin in (typing.Union, types.UnionType):
        return _value(arguments[0], name, text, depth) if depth > 0 else None
    if isinstance(hint, type) and issubclass(hint, tuple):
        fields = typing.get_type_hints(hint)
        return hint(*(_value(field, word, text, depth) for word, field in fields.items()))
    if hint is str:
        return text or name
    if hint is bytes:
        return b"bytes"
    if hint is bool:
        return True
    if hint is int:
        return 7
    if hint is float:
        return 7.5
    if hint is JdbpyError:
        return JdbpyError(text or name)
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return next(iter(hint))
    if isinstance(hint, type) and issubclass(hint, Record):
        return sample(Done if hint is Record else hint, text, depth - 1)
    return text or name  # object

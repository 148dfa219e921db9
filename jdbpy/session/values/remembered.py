"""The constant facts of an object of the target: its type, the text of a string, the length of an array.

Ids of objects are never given out twice in a session, so nothing here can become wrong; it is bounded all the same,
because a logpoint may see millions of objects.
"""

from __future__ import annotations

from typing import TypeVar

from jdbpy.record import Record
from jdbpy.session.target.refs import RefType

V = TypeVar("V")

_MOST = 50_000
"""Entries of each kind; at the limit all are dropped, which costs a few round trips and keeps this simple."""
_LONGEST = 2_000
"""Strings beyond this many characters are read again when they are shown again."""


class StringBody(Record):
    """The array behind a string: its ``layout`` is "latin1", "utf16" (both bytes) or "chars"; ``length`` in units."""

    array: int
    layout: str
    length: int


class Remembered:
    """Facts about objects by object id."""

    def __init__(self) -> None:
        self._types: dict[int, int] = {}
        self._texts: dict[int, str] = {}
        self._bodies: dict[int, StringBody] = {}
        self._lengths: dict[int, int] = {}
        self._reflected: dict[int, int] = {}
        self.boot_classes: dict[str, RefType] = {}
        """Types of the boot loader by Java name: there is one of each name, and it is never unloaded."""

    def type_of(self, object_id: int) -> int | None:
        return self._types.get(object_id)

    def text_of(self, string_id: int) -> str | None:
        return self._texts.get(string_id)

    def body_of(self, string_id: int) -> StringBody | None:
        return self._bodies.get(string_id)

    def length_of(self, array_id: int) -> int | None:
        return self._lengths.get(array_id)

    def reflected_by(self, class_object: int) -> int | None:
        """The type that a java.lang.Class object stands for."""
        return self._reflected.get(class_object)

    def cache_type(self, object_id: int, type_id: int) -> None:
        _put(self._types, object_id, type_id)

    def cache_text(self, string_id: int, text: str) -> None:
        if len(text) <= _LONGEST:
            _put(self._texts, string_id, text)

    def cache_body(self, string_id: int, body: StringBody) -> None:
        _put(self._bodies, string_id, body)

    def cache_length(self, array_id: int, length: int) -> None:
        _put(self._lengths, array_id, length)

    def learn_reflected(self, class_object: int, type_id: int) -> None:
        _put(self._reflected, class_object, type_id)


def _put(known: dict[int, V], key: int, value: V) -> None:
    if len(known) >= _MOST:
        known.clear()
    known[key] = value

"""The memory of objects of the target.

``Remembered`` has constant facts: the type of an object, the text of a string, the length of an array.

Ids of objects are never given out twice in a session, so nothing of it can become wrong; it is bounded all the same,
because a logpoint may see millions of objects. ``Prefetched`` has contents, for the time of one evaluation.
``GivenObjects`` counts the sendings of ids that are to be taken back.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from typing import Any, TypeVar

from jdbpy.errors import JdwpError
from jdbpy.record import Record
from jdbpy.session.jvm.refs import RefType
from jdbpy.wire.command import Command
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import TaggedValue
from jdbpy.wire.layout import OBJECT_TAGS
from jdbpy.wire.messages import array_reference, object_reference

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


class Prefetched:
    """Answers about contents that were asked for before an evaluation needs them: good until it writes or runs
    something."""

    def __init__(self) -> None:
        self._answers: dict[Hashable, Any] = {}

    def __bool__(self) -> bool:
        return bool(self._answers)

    def keep(self, commands: Sequence[Command[Any]], answers: Sequence[Any]) -> None:
        """Remember the answers to commands, but for errors."""
        for command, answer in zip(commands, answers, strict=True):
            if not isinstance(answer, JdwpError):
                self._answers[_key(command)] = answer

    def answers(self, commands: Sequence[Command[Any]]) -> list[Any] | None:
        """Return the answers to these commands, None if one is missing."""
        found = [self._answers.get(_key(command)) for command in commands]
        return None if None in found else found

    def clear(self) -> None:
        """Forget all: something was written or run."""
        self._answers.clear()


def _key(command: Command[Any]) -> Hashable:
    """Return what equal commands have in common."""
    values = (getattr(command, field) for field in command.__fields__)
    return type(command), *(tuple(each) if isinstance(each, list) else each for each in values)


PLAIN = frozenset((Tag.OBJECT, Tag.ARRAY, Tag.STRING))
"""Tags of objects whose ids are not kept for longer: those of classes, loaders and threads are."""


class GivenObject:
    """An object that a method has given: how often its id was sent for that, and each id that was read from it, from
    those, and so on."""

    def __init__(self, object_id: int) -> None:
        self.id = object_id
        self.sent: Counter[int] = Counter()
        self.results = {object_id}
        """Those of them that were results of expressions."""


class GivenObjects:
    """Objects that methods have given, with all that was read from them since."""

    def __init__(self) -> None:
        self._holders: dict[int, list[GivenObject]] = {}

    def add(self, object_id: int) -> GivenObject:
        """Take in an object that was sent just now."""
        given = GivenObject(object_id)
        self._count(given, object_id)
        return given

    def of(self, object_id: int) -> Sequence[GivenObject]:
        """Return those by which an object is known, oldest first."""
        return self._holders.get(object_id, ())

    def __bool__(self) -> bool:
        return bool(self._holders)

    def read(self, command: Command[Any], outcome: Any) -> None:
        """Take in what was read from one of the objects, if that is what the command asks for."""
        if isinstance(command, object_reference.GetValues) and isinstance(outcome, object_reference.GetValuesReply):
            self.take_in(command.object, outcome.values)
        elif isinstance(command, array_reference.GetValues) and isinstance(outcome, array_reference.GetValuesReply):
            self.take_in(command.arrayObject, outcome.values.tagged() if outcome.values.tag in OBJECT_TAGS else ())

    def take_in(self, object_id: int, values: Iterable[TaggedValue]) -> None:
        """Take in what was read from one object."""
        holders = self._holders.get(object_id, [])
        for each in values if holders else ():
            if each.tag in PLAIN and each.value:
                self._count(holders[-1], int(each.value))

    def _count(self, given: GivenObject, object_id: int) -> None:
        if object_id not in given.sent:
            self._holders.setdefault(object_id, []).append(given)
        given.sent[object_id] += 1

    def remove(self, given: GivenObject) -> None:
        """Forget an object and what was read from it: it is taken back."""
        for each in given.sent:
            holders = self._holders[each]
            holders.remove(given)
            if not holders:
                del self._holders[each]


class Remembered:
    """Facts about objects by object id."""

    def __init__(self) -> None:
        self._types: dict[int, int] = {}
        self._texts: dict[int, str] = {}
        self._bodies: dict[int, StringBody] = {}
        self._lengths: dict[int, int] = {}
        self._reflected: dict[int, int] = {}
        self.given = GivenObjects()
        self.highest = 0
        """The highest id among them: HotSpot's agent counts ids up."""
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
        """Return the type that a java.lang.Class object represents."""
        return self._reflected.get(class_object)

    def cache_type(self, object_id: int, type_id: int) -> None:
        self.highest = max(self.highest, object_id, type_id)
        _put(self._types, object_id, type_id)

    def cache_text(self, string_id: int, text: str) -> None:
        if len(text) <= _LONGEST:
            _put(self._texts, string_id, text)

    def cache_body(self, string_id: int, body: StringBody) -> None:
        self.highest = max(self.highest, body.array)
        _put(self._bodies, string_id, body)

    def forget_body(self, string_id: int) -> None:
        """Forget the array behind a string."""
        self._bodies.pop(string_id, None)

    def cache_length(self, array_id: int, length: int) -> None:
        _put(self._lengths, array_id, length)

    def learn_reflected(self, class_object: int, type_id: int) -> None:
        _put(self._reflected, class_object, type_id)


def _put(known: dict[int, V], key: int, value: V) -> None:
    if len(known) >= _MOST:
        known.clear()
    known[key] = value

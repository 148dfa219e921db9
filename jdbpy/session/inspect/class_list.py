"""The list of all loaded classes as plain data: put in order, and made into records one by one.

Pure. A program has tens of thousands of classes, and who lists them looks at their names, at a few, or passes over all
of them: what is done to each here is done to whole columns, and nothing is imported that a list does not need.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cache
from typing import Any, overload

from jdbpy.garbage import no_collection
from jdbpy.session.java.signatures import java_names
from jdbpy.session.jvm.changed_code import PREFIX
from jdbpy.session.model.classes import ClassInfo
from jdbpy.wire.constants import ClassStatus, TypeTag
from jdbpy.wire.lazy_records import Columns, OnDemand
from jdbpy.wire.messages.virtual_machine import ClassInfoWithGeneric

_KINDS = {int(TypeTag.CLASS): "class", int(TypeTag.INTERFACE): "interface", int(TypeTag.ARRAY): "array"}

_STATUS = (
    (ClassStatus.VERIFIED, "verified"),
    (ClassStatus.PREPARED, "prepared"),
    (ClassStatus.INITIALIZED, "initialized"),
    (ClassStatus.ERROR, "error"),
)


class ClassList(OnDemand[ClassInfo]):
    """Loaded classes, by name. Each ``ClassInfo`` is made when it is looked at; equal to a list of equal ones.

    ``names`` are the names of all, in the same order.
    """

    __slots__ = ("_listed", "_places", "names")

    def __init__(
        self, listed: Columns[ClassInfoWithGeneric], names: Sequence[str] = (), places: Sequence[int] = ()
    ) -> None:
        """``places`` are those of the classes among all that the agent lists, which come without loaders."""
        self.names = names
        self._listed = listed
        self._places = places

    def __len__(self) -> int:
        return len(self.names)

    @overload
    def __getitem__(self, index: int) -> ClassInfo: ...

    @overload
    def __getitem__(self, index: slice) -> ClassList: ...

    def __getitem__(self, index: int | slice) -> ClassInfo | ClassList:
        if isinstance(index, slice):
            return ClassList(self._listed, self.names[index], self._places[index])
        place = range(len(self))[index]
        return next(iter(self[place : place + 1]))

    def __iter__(self) -> Iterator[ClassInfo]:
        return map(
            ClassInfo,
            self._column("typeID"),
            self.names,
            map(_kind, self._column("refTypeTag")),
            self._column("signature"),
            self._column("genericSignature"),
            map(_status, self._column("status")),
        )

    def _column(self, field: str) -> Iterator[Any]:
        return map(self._listed.column(field).__getitem__, self._places)


def class_list(
    listed: Columns[ClassInfoWithGeneric], pattern: str = "", ids: Collection[int] | None = None
) -> ClassList:
    """Return the classes whose name fits the pattern, of those with these ids where ids are given, by name."""
    with no_collection():
        names = java_names(listed.column("signature"))
        places: Sequence[int] = range(len(names))
        if ids is not None:
            of = listed.column("typeID")
            places = [place for place in places if of[place] in ids]
        if PREFIX not in pattern:  # the debugger's own
            places = [place for place in places if PREFIX not in names[place]]
        if pattern:
            fits = _filter(pattern)
            places = [place for place in places if fits(names[place])]
        places = sorted(places, key=names.__getitem__)
        return ClassList(listed, [names[place] for place in places], places)


def class_info(listed: ClassInfoWithGeneric) -> ClassInfo:
    """Return a class as the agent lists it, without its loader."""
    return class_list(Columns.of(ClassInfoWithGeneric, [listed]))[0]


def _filter(pattern: str) -> Callable[[str], bool]:
    pattern = pattern.strip()
    if not pattern:
        return lambda name: True
    if "*" in pattern or "?" in pattern:
        capitals = re.IGNORECASE if pattern.islower() else 0
        whole = re.compile(re.escape(pattern).replace(r"\*", ".*").replace(r"\?", "."), capitals)
        return lambda name: whole.fullmatch(name) is not None
    if pattern.islower():
        return lambda name: pattern in name.lower()
    return lambda name: pattern in name


def _kind(tag: int) -> str:
    return _KINDS.get(tag, "class")


@cache
def _status(bits: int) -> str:
    return " ".join(word for bit, word in _STATUS if bits & bit)

"""Columns: very many records of one kind, held field by field.

Owns the sequence that stands in for a list of records where there may be tens of thousands, of which most are only
passed over: lists of plain values take a fraction of the time and memory that as many records do, and what is done to
all of them is done column by column.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, TypeVar, overload

from jdbpy.record import Record

R = TypeVar("R", bound=Record)
T = TypeVar("T")


class OnDemand(Sequence[T]):
    """A sequence whose items are made when they are looked at, anew each time. Equal to a list of equal items."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, type(self) | list):
            return len(self) == len(other) and all(mine == its for mine, its in zip(self, other, strict=True))
        return NotImplemented

    def __repr__(self) -> str:
        return f"{type(self).__name__}({list(self)!r})"


class Columns(OnDemand[R]):
    """Records of one class.

    ``columns`` are the values of its fields, in their order: as many sequences of the same length.
    """

    __slots__ = ("_columns", "_record")

    def __init__(self, record: type[R], columns: Sequence[Sequence[Any]]) -> None:
        self._record = record
        self._columns = columns

    @classmethod
    def of(cls, record: type[R], records: Iterable[R]) -> Columns[R]:
        """The same records by column."""
        held = list(records)
        return cls(record, [[getattr(each, field) for each in held] for field in record.__fields__])

    def column(self, field: str) -> Sequence[Any]:
        """The values of one field, not to be changed."""
        return self._columns[self._record.__fields__.index(field)]

    def __len__(self) -> int:
        return len(self._columns[0])

    @overload
    def __getitem__(self, index: int) -> R: ...

    @overload
    def __getitem__(self, index: slice) -> Columns[R]: ...

    def __getitem__(self, index: int | slice) -> R | Columns[R]:
        if isinstance(index, slice):
            return Columns(self._record, [column[index] for column in self._columns])
        return self._record(*(column[index] for column in self._columns))

    def __iter__(self) -> Iterator[R]:
        return map(self._record, *self._columns)

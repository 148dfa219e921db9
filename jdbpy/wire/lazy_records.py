"""Very many records of one kind, each made when it is looked at: rows of bytes as received, and columns by field.

Owns the sequences that stand in for lists of records of which most are only compared or passed over. ``Rows`` hold the
bytes, as of the frames of thousands of threads: nothing is decoded before it is looked at, and equal bytes need not be
decoded twice. ``Columns`` hold a list of plain values for each field, which takes a fraction of the time and memory of
as many records; what is done to all of them is done column by column.
"""

from __future__ import annotations

import struct
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar, overload

from jdbpy.record import Record

R = TypeVar("R", bound=Record)
T = TypeVar("T")


class OnDemand(Sequence[T]):
    """A sequence that makes its items when they are looked at, anew each time. Equal to a list or tuple of equals."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, type(self) | list | tuple):
            return len(self) == len(other) and all(mine == its for mine, its in zip(self, other, strict=True))
        return NotImplemented

    def __repr__(self) -> str:
        return f"{type(self).__name__}({list(self)!r})"


class RowForm(ABC, Generic[R]):
    """The layout of records: ``first`` is the ``struct`` code of their first field, ``others`` those of the rest."""

    __slots__ = ("halves", "width")

    def __init__(self, first: str, others: str) -> None:
        self.halves = struct.Struct(f">{first}{struct.calcsize('>' + others)}s")
        """The first field, and the bytes of all the others."""
        self.width = self.halves.size

    @abstractmethod
    def read(self, data: bytes) -> Iterable[R]:
        """Return the records of these bytes, which are whole rows."""


class Rows(OnDemand[R]):
    """Records of one form, one behind the other: the bytes of ``data`` from ``start`` to ``end``, which stay there."""

    __slots__ = ("_data", "_end", "_form", "_start")

    def __init__(self, form: RowForm[R], data: bytes, start: int = 0, end: int | None = None) -> None:
        self._form = form
        self._data = data
        self._start = start
        self._end = len(data) if end is None else end

    def halves(self) -> Iterator[tuple[Any, bytes]]:
        """Return of each record the value of the first field, and the bytes of all the others, equal where these are
        equal.
        """
        return self._form.halves.iter_unpack(memoryview(self._data)[self._start : self._end])

    def __len__(self) -> int:
        return (self._end - self._start) // self._form.width

    @overload
    def __getitem__(self, index: int) -> R: ...

    @overload
    def __getitem__(self, index: slice) -> Rows[R]: ...

    def __getitem__(self, index: int | slice) -> R | Rows[R]:
        width = self._form.width
        chosen = range(self._start, self._end, width)[index]
        if isinstance(chosen, int):
            [found] = self._form.read(self._data[chosen : chosen + width])
            return found
        if chosen.step == width:
            return Rows(self._form, self._data, chosen.start, max(chosen.start, chosen.stop))
        return Rows(self._form, b"".join(self._data[each : each + width] for each in chosen))

    def __iter__(self) -> Iterator[R]:
        return iter(self._form.read(self._data[self._start : self._end]))


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
        """Return the same records by column."""
        held = list(records)
        return cls(record, [[getattr(each, field) for each in held] for field in record.__fields__])

    def column(self, field: str) -> Sequence[Any]:
        """Return the values of one field, not to be changed."""
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

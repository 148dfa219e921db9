"""Rows: very many records of one kind and of fixed width, held as the bytes that were received.

Owns the sequence that stands in for a list of records of which most are only compared with others: the frames of
thousands of threads. Nothing is decoded before it is looked at, and equal bytes need not be decoded twice.
"""

from __future__ import annotations

import struct
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any, Generic, TypeVar, overload

from jdbpy.record import Record
from jdbpy.wire.columns import OnDemand

R = TypeVar("R", bound=Record)


class RowForm(ABC, Generic[R]):
    """The layout of records: ``first`` is the ``struct`` code of their first field, ``others`` those of the rest."""

    __slots__ = ("halves", "width")

    def __init__(self, first: str, others: str) -> None:
        self.halves = struct.Struct(f">{first}{struct.calcsize('>' + others)}s")
        """The first field, and the bytes of all the others."""
        self.width = self.halves.size

    @abstractmethod
    def read(self, data: bytes) -> Iterable[R]:
        """The records of these bytes, which are whole rows."""


class Rows(OnDemand[R]):
    """Records of one form. ``data`` holds them one behind the other, nothing before, between and after them."""

    __slots__ = ("_data", "_form")

    def __init__(self, form: RowForm[R], data: bytes) -> None:
        self._form = form
        self._data = data

    def halves(self) -> Iterator[tuple[Any, bytes]]:
        """Return of each record the value of the first field, and the bytes of all the others, equal where these are
        equal.
        """
        return self._form.halves.iter_unpack(self._data)

    def __len__(self) -> int:
        return len(self._data) // self._form.width

    @overload
    def __getitem__(self, index: int) -> R: ...

    @overload
    def __getitem__(self, index: slice) -> Rows[R]: ...

    def __getitem__(self, index: int | slice) -> R | Rows[R]:
        width = self._form.width
        chosen = range(len(self))[index]
        if isinstance(chosen, int):
            [found] = self._form.read(self._data[chosen * width : (chosen + 1) * width])
            return found
        if chosen.step == 1:
            return Rows(self._form, self._data[chosen.start * width : chosen.stop * width])
        return Rows(self._form, b"".join(self._data[each * width : (each + 1) * width] for each in chosen))

    def __iter__(self) -> Iterator[R]:
        return iter(self._form.read(self._data))

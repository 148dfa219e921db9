"""The parts of a value, page by page; chains of objects; and what is asked of one of them is asked of all.

What a loop asks of one element it mostly asks of the next ones too. So elements, nodes and entries know their
neighbors (``Peers``): one question is put for all of them, and answered without a trip for the others.
"""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Sequence
from time import monotonic
from typing import TYPE_CHECKING, Any

from jdbpy.api.core import Core
from jdbpy.api.lazy import Lazy, one_by_one
from jdbpy.errors import UsageError
from jdbpy.session.model.values import Variable
from jdbpy.session.values.queries import SHALLOW

if TYPE_CHECKING:
    from jdbpy.api.values import LazyValue, Value

FIRST_PAGE = 64
LARGEST_PAGE = 1024

_FRESH = 1.0
"""Seconds for which an answer is good while threads run."""


class Peers:
    """Values that were read together. An answer that came with a neighbor's is not used after the debugger has let the
    target run or has written to it, and, while any thread runs, no later than a second."""

    def __init__(self, core: Core) -> None:
        self._core = core
        self.values: list[Value] = []
        self._answers: dict[tuple[Hashable, int], tuple[object, float, Any]] = {}

    def known(self, question: Hashable, index: int) -> Any:
        """Return the answer that has come with a neighbor's, None if there is none. No trip."""
        found = self._answers.get((question, index))
        if found is None or found[0] != self._core.epoch:
            return None
        return found[2] if self._core.session.suspended_everything or monotonic() - found[1] < _FRESH else None

    async def ask(
        self,
        question: Hashable,
        index: int,
        read: Callable[[Sequence[Value]], Awaitable[Sequence[Any]]],
        fits: Callable[[Value], bool],
    ) -> Any:
        """Return the answer for the value of that index; ``read`` answers for all values that ``fits``. wire: as
        ``read``."""
        answer = self.known(question, index)
        if answer is None:
            asked = [place for place, value in enumerate(self.values) if place == index or fits(value)]
            epoch, now = self._core.epoch, monotonic()
            answers = await read([self.values[place] for place in asked])
            for place, each in zip(asked, answers, strict=True):
                self._answers[question, place] = epoch, now, each
            answer = self._answers[question, index][2]
        return answer


class Children:
    """The parts of a value, as an async iterator of values; pages are read as they are needed.

    wire: a few trips for each page; pages grow from 64 to 1,024 values.
    """

    def __init__(self, of: Value | LazyValue, make: Callable[..., Value]) -> None:
        """``make`` makes a value of a variable that was read, with its peers."""
        self._of = of
        self._make = make

    def __aiter__(self) -> AsyncIterator[Value]:
        return one_by_one(self._pages())

    async def _pages(self) -> AsyncIterator[deque[Value]]:
        start, count = 0, FIRST_PAGE
        while True:
            page = await self.page(start, count)
            size = len(page)
            yield deque(page)
            if size < count:
                return
            start += count
            count = min(max(4 * count, start), max(LARGEST_PAGE, start // 2))

    async def page(self, start: int, count: int) -> list[Value]:
        """``count`` of them from ``start`` on, fewer at the end. Raises UsageError for negative numbers.

        wire: 3 trips or a few more, whatever their number.
        """
        if start < 0 or count < 0:
            raise UsageError("a page starts at 0 or later, and has 0 values or more")
        value = await _made(self._of)
        core = value._core
        if value.record.id is None and not value.record.children:
            return []
        if value.record.id is None:  # what an expression has made, which is known as far as it was read
            found: Sequence[Variable] = value.record.children[start : start + count]
        else:
            part = None
            if value.record.tag not in "sc":
                length = value.record.length if value.record.tag == "[" else None
                wanted = count if length is None else max(0, min(count, length - start))
                part = await core.session.objects.part(value.record, start, wanted)
            if part is None:
                if value.record.tag in "sc":
                    return []
                found = (await core.session.objects.fields(value.id))[start : start + count]
                return [self._make(core, each) for each in found]
            found = part.items
        peers = Peers(core)
        return [self._make(core, each, peers=peers) for each in found]

    def __repr__(self) -> str:
        return f"<children of {self._of!r}>"

    async def count(self) -> int:
        """Return how many there are. Raises UsageError where only reading all of them would tell. wire: 3 trips."""
        value = await _made(self._of)
        part = await value._core.session.objects.part(value.record, 0, 0) if value.record.tag not in "sc" else None
        if part is None:
            return len(await value._core.session.objects.fields(value.id))
        if part.size is None:
            raise UsageError("the collection does not give its size", code="NO_LENGTH")
        return int(part.size)


class Chain:
    """Linked objects, as an async iterator of values; the links are followed when the first is asked for."""

    def __init__(
        self, first: Value | LazyValue, link: str, most: int, walk_heap: bool, make: Callable[..., Value]
    ) -> None:
        """``make`` makes a value of what was read, with its name and peers."""
        self._first = first
        self._link = link
        self._most = most
        self._walk_heap = walk_heap
        self._make = make

    def __repr__(self) -> str:
        return f"<chain of {self._first!r} by {self._link}>"

    def __aiter__(self) -> AsyncIterator[Value]:
        return one_by_one(self._pages())

    async def _pages(self) -> AsyncIterator[deque[Value]]:
        first = await _made(self._first)
        if first.is_null:
            return
        core = first._core
        ids = await core.session.objects.chain(first.id, self._link, self._most, walk_heap=self._walk_heap)
        start, count = 0, FIRST_PAGE
        while start < len(ids):
            described = await core.session.values.of_objects(ids[start : start + count], SHALLOW)
            peers = Peers(core)
            for number, record in enumerate(described, start):
                self._make(core, record, f"[{number}]", peers)
            yield deque(peers.values)
            start, count = start + count, LARGEST_PAGE


async def _made(of: Value | LazyValue) -> Value:
    return await of if isinstance(of, Lazy) else of

"""Answers that are asked for when they are awaited, so that ``await frame["order"]["total"]`` reads well."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator
from typing import Any, Generic, TypeVar

T_co = TypeVar("T_co", covariant=True)


class Lazy(Generic[T_co]):
    """Something that is asked for when it is awaited first; awaited again it gives the same."""

    def __init__(self, ask: Callable[[], Awaitable[T_co]], now: Callable[[], T_co | None] | None = None) -> None:
        """``now`` gives the answer if it is known without asking, else None."""
        self._ask = ask
        self._now = now
        self._answer: T_co | None = None

    def __await__(self) -> Generator[Any, Any, T_co]:
        return self.get().__await__()

    async def get(self) -> T_co:
        """Return the answer; what awaiting this gives."""
        answer = self.known()
        if answer is None:
            answer = self._answer = await self._ask()
        return answer

    def known(self) -> T_co | None:
        """Return the answer if it takes no trip, else None. Any thread may ask."""
        if self._answer is None and self._now is not None:
            self._answer = self._now()
        return self._answer

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: to be awaited>" if self._answer is None else repr(self._answer)


async def one_by_one(pages: AsyncIterator[deque[T_co]]) -> AsyncIterator[T_co]:
    """Yield what comes in pages, one by one. What was not asked for stays in its page."""
    try:
        async for page in pages:
            while page:
                yield page.popleft()
    finally:
        if isinstance(pages, AsyncGenerator):
            await pages.aclose()

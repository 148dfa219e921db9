"""The library under asyncio: it says what it needs, at each of its doors."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

import jdbpy
from jdbpy import StateError

DOORS: list[Callable[[], AbstractAsyncContextManager[Any]]] = [
    lambda: jdbpy.attach("5005"),
    lambda: jdbpy.launch("Hello"),
    lambda: jdbpy.listen("0"),
    lambda: jdbpy.open_snapshot("none.jdbpy"),
    lambda: jdbpy.fleet(["5005", "5006"]),
    lambda: jdbpy.join("orders"),
    lambda: jdbpy.attach_session("5005"),
    lambda: jdbpy.join_commands("orders"),
]


@pytest.mark.parametrize("number", range(len(DOORS)))
def test_a_task_of_asyncio_is_told_what_to_do(number: int) -> None:
    async def enter() -> None:
        async with DOORS[number]():
            pass

    with pytest.raises(StateError, match="jdbpy needs trio") as caught:
        asyncio.run(enter())
    assert "trio.run(main), or use jdbpy.sync in a thread" in str(caught.value)

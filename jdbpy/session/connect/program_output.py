"""What a program writes to its two pipes, read in the order in which it came.

Each pipe keeps its own order. That between the two is told by the system's list of what has become readable, which
grows at its end (Linux, macOS). Where a program has written to both, and to the first one once more, before anybody
has looked, the pieces of one pipe come together: nothing in a pipe says when it was written.
"""

from __future__ import annotations

import os
import selectors
from collections.abc import Callable, Mapping
from functools import partial

import trio

from jdbpy.task_groups import open_nursery

Take = Callable[[str, bytes], None]

_PIECE = 65_536
_LOOKS = 32
"""Looks in a row before others have their turn."""


async def read_in_order(pipes: Mapping[str, trio.abc.ReceiveStream], take: Take) -> None:
    """Call ``take`` with the name of a pipe and each piece of what comes; b"" at its end, until all end."""
    numbers = {name: fileno() for name, pipe in pipes.items() if (fileno := getattr(pipe, "fileno", None)) is not None}
    with selectors.DefaultSelector() as readable:
        fileno = getattr(readable, "fileno", None)  # of a list that the system keeps
        if fileno is not None and len(numbers) == len(pipes):
            for name, number in numbers.items():
                readable.register(number, selectors.EVENT_READ, name)
            await _read_listed(readable, fileno(), take)
            return
    async with open_nursery() as nursery:
        for name, pipe in pipes.items():
            nursery.start_soon(_read, pipe, partial(take, name))


async def _read_listed(readable: selectors.BaseSelector, number: int, take: Take) -> None:
    while readable.get_map():
        await trio.lowlevel.wait_readable(number)
        for _ in range(_LOOKS):  # until the list is empty: one that was readable before stands in front of later ones
            found = readable.select(0)
            if not found:
                break
            for key, _ in found:
                try:
                    data = os.read(key.fd, _PIECE)
                except BlockingIOError:
                    continue
                if not data:
                    readable.unregister(key.fd)
                take(key.data, data)


async def _read(pipe: trio.abc.ReceiveStream, take: Callable[[bytes], None]) -> None:
    async for data in pipe:
        take(bytes(data))
    take(b"")

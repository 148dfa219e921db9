"""The JDK's jdb and ours at the same time: what a test does with the one it does with the other."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable
from typing import TypeVar

import trio

from tests.harness import Jvm, all_jvms
from tests.jdb.driving import ours, theirs

Outcome = TypeVar("Outcome")
Command = Callable[..., list[str]]
"""Makes the command line of a jdb from its arguments."""


async def beside(jdk: Jvm, work: Callable[[Command], Awaitable[Outcome]]) -> tuple[Outcome, Outcome]:
    """What ``work`` gives with the JDK's jdb, and what it gives with ours."""
    outcomes: dict[str, Outcome] = {}

    async def run(name: str, command: Command) -> None:
        outcomes[name] = await work(command)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(run, "theirs", lambda *words: theirs(jdk, *words))
        nursery.start_soon(run, "ours", ours)
    return outcomes["theirs"], outcomes["ours"]


JDKS = [jvm for jvm in all_jvms() if os.path.exists(os.path.join(jvm.home, "bin", "jdb"))]
"""The JDKs with a jdb; there is one, since the tests compile with a JDK."""

"""A session that stands in the program of values, and what an expression gives there."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from jdbpy.session.model.breakpoints import SuspendPolicy
from jdbpy.session.model.events import Stopped
from tests.harness import Debugging, Jvm, debug


@asynccontextmanager
async def stopped(
    jvm: Jvm, marker: str = "here", policy: SuspendPolicy | None = None
) -> AsyncIterator[tuple[Debugging, Stopped]]:
    """The program of these tests, stopped at a marker; afterwards it runs to its end, as if nothing had been."""
    async with debug(jvm, "Evaluated") as d:
        point = await d.session.breakpoints.add(d.at(marker), policy=policy)
        await d.resume()
        stop = await d.wait_stop("breakpoint", at=marker, thread="main")
        await d.session.breakpoints.remove([point.number])
        yield d, stop
        await d.resume()
        await d.wait_exit()
        assert "done" in d.target.stdout


async def value(d: Debugging, text: str) -> str:
    return (await d.session.values.evaluate(text)).text

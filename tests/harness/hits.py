"""Hits of a breakpoint that a test waits for one by one."""

from __future__ import annotations

import jdbpy
from jdbpy.session.model.events import Exited, Stopped
from tests.harness import Debugging


async def next_hit(session: jdbpy.Session) -> int:
    """Let the target run to the next stop at a breakpoint; its thread, selected."""
    stop = await session.execution.cont()
    assert isinstance(stop, Stopped)
    assert stop.thread is not None
    await session.select_thread(stop.thread.id)
    return stop.thread.id


async def runs_to_its_end(d: Debugging, passed: int) -> None:
    """The program goes on, stops that were on their way apart, and has done all it was to do."""
    ending = await d.session.execution.cont()
    while isinstance(ending, Stopped):
        ending = await d.session.execution.cont()
    assert isinstance(ending, Exited)
    await d.target.wait_output(f"done {passed}")
    d.unseen()

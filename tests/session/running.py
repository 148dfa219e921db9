"""Running a program from stop to stop, for the tests of breakpoints and of what makes a hit count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from jdbpy.errors import JdwpError
from jdbpy.session.events.target import Target
from jdbpy.session.model.breakpoints import BreakpointInfo
from jdbpy.session.model.events import Exited
from jdbpy.session.session import Session
from jdbpy.wire.command import Command
from jdbpy.wire.connection import Connection
from jdbpy.wire.constants import EventKind
from jdbpy.wire.messages import thread_reference, virtual_machine
from jdbpy.wire.pending import Pending
from tests.harness import LIMIT, Debugging, within

ROUNDS = "Rounds"


async def values_at_stops(d: Debugging, expression: str, *, most: int = 100) -> list[str]:
    """Lets the target run to its end, or for so many stops: the text of an expression at each of them."""
    found: list[str] = []
    while len(found) < most:
        stop = await d.session.execution.cont()
        if isinstance(stop, Exited):
            await d.wait_exit()
            break
        await d.check_stop(stop, stop.reason)
        found.append((await d.session.values.evaluate(expression, remember=False)).text)
    return found


def places(point: BreakpointInfo) -> Counter[str]:
    """Where a breakpoint stands, as "Class.method" without the package."""
    return Counter(f"{each.class_name.rpartition('.')[2]}.{each.method}" for each in point.resolved)


@contextmanager
def watching(tell: Callable[[Command[Any]], None]) -> Iterator[None]:
    """Call ``tell`` with each command as it is submitted."""

    def submit(connection: Connection, command: Command[Any], **how: Any) -> Pending[Any]:
        tell(command)
        return unwatched(connection, command, **how)

    unwatched = Connection.submit
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Connection, "submit", submit)
        yield


def target_of(d: Debugging) -> Target:
    return d.session._target


def breakpoints_in_target(d: Debugging) -> int:
    """How many breakpoint requests stand in the target."""
    return sum(each.kind == EventKind.BREAKPOINT for each in target_of(d).requests.all_active())


async def counts_of(session: Session) -> dict[int, int]:
    """The agent's suspend count of each thread."""
    conn = session._target.conn
    threads = (await conn.request(virtual_machine.AllThreads())).threads
    counts = await conn.batch([thread_reference.SuspendCount(thread) for thread in threads])
    found = zip(threads, counts, strict=True)
    return {int(thread): count.suspendCount for thread, count in found if not isinstance(count, JdwpError)}


async def counts_agree(session: Session, *, waiting: bool = False) -> None:
    """The suspend count of every thread, as the agent tells it, is the one that the session believes in.

    The agent suspends a thread before it sends the event: its count is one more until that is in. ``waiting``: threads
    that have come to a breakpoint may be suspended by that as well, and wait for their turn.
    """
    with within(LIMIT):
        while True:
            await session._target.publisher.settled()
            found = await counts_of(session)
            expected = {thread: session._target.suspension.count(thread) for thread in found}
            assert all(found[thread] in (count, count + 1) for thread, count in expected.items()), (found, expected)
            if waiting or found == expected:
                return

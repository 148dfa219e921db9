"""What Ctrl-C means, as a table; and that signals come to one consumer and end nothing by themselves."""

from __future__ import annotations

import os
import signal

import pytest
import trio

from jdbpy.process.signals import Doing, Reaction, reaction, watch_signals
from tests.harness import LIMIT, within


@pytest.mark.parametrize(
    ("doing", "target_runs", "expected"),
    [
        (Doing.PROMPTING, True, Reaction.PAUSE),
        (Doing.PROMPTING, False, Reaction.EXPLAIN),
        (Doing.COMMAND, True, Reaction.CANCEL),
        (Doing.COMMAND, False, Reaction.CANCEL),
        (Doing.WAITING, True, Reaction.PAUSE),
        (Doing.WAITING, False, Reaction.CANCEL),
        (Doing.PAGING, True, Reaction.IGNORE),
        (Doing.PAGING, False, Reaction.IGNORE),
    ],
)
def test_reaction(doing: Doing, target_runs: bool, expected: Reaction) -> None:
    assert reaction(doing, target_runs) is expected


async def test_signals_reach_their_consumer() -> None:
    send, receive = trio.open_memory_channel[str](10)
    with within(LIMIT):
        async with trio.open_nursery() as nursery:
            await nursery.start(
                watch_signals, lambda: send.send_nowait("interrupt"), lambda number: send.send_nowait(f"leave {number}")
            )
            for number, expected in (
                (signal.SIGINT, "interrupt"),
                (signal.SIGTERM, f"leave {signal.SIGTERM}"),
                (signal.SIGINT, "interrupt"),
                (signal.SIGHUP, f"leave {signal.SIGHUP}"),
            ):
                os.kill(os.getpid(), number)
                assert await receive.receive() == expected
            nursery.cancel_scope.cancel()

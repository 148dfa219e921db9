"""The user's attention: a prompt that was left alone while something is suspended rings once.

Owns when it rings and what it says. Which keys count as activity is the prompt's affair (``Session.touch``).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import trio

from jdbpy.cli.repl.prompt_state import duration

if TYPE_CHECKING:
    from jdbpy import Session

ALONE = 600.0
"""Seconds without a key or a command, while something is suspended, after which the prompt rings."""

LOOK = 10.0
"""Seconds between two looks at what is suspended."""

BELL = "\a"


async def ring_when_left_alone(session: Session, say: Callable[[str], object]) -> None:
    """Calls ``say`` once each time that the prompt was left alone while something is suspended; until cancelled."""
    rung = False
    while True:
        suspended = session.suspended_for()
        alone = min(suspended, session.idle) >= ALONE
        if alone and not rung:
            say(f"{BELL}{_who(session)} suspended for {duration(suspended)}: 'cont' resumes, and 'quit' leaves\n")
        rung = alone
        await trio.sleep(LOOK)


def _who(session: Session) -> str:
    if session.suspended_everything:
        return "all threads have been"
    count = len(session.suspended_threads)
    return "1 thread has been" if count == 1 else f"{count} threads have been"

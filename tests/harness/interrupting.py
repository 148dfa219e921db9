"""KeyboardInterrupt at each step of a call in turn, as Ctrl-C may come at any.

Python raises it between two steps of a thread: where a function begins, and after calls of C. Here a profiling
function does. Steps are those of ``jdbpy.sync`` and of trio; in callbacks of the collector an error would be nobody's.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any

MOST_STEPS = 1_000
"""More than any call has."""


@contextmanager
def interrupted_at(step: int) -> Iterator[None]:
    """Raise KeyboardInterrupt in this thread at one of its next steps, counted from 0."""
    left = step

    def profile(frame: FrameType, event: str, arg: object) -> None:
        nonlocal left
        if event in ("call", "c_return") and frame.f_globals["__name__"].startswith(("jdbpy.sync", "trio")):
            left -= 1
            if left < 0:
                sys.setprofile(None)
                raise KeyboardInterrupt

    sys.setprofile(profile)
    try:
        yield
    finally:
        sys.setprofile(None)


def at_every_step(call: Callable[[], Any]) -> Iterator[Any]:
    """Make the same call again and again, interrupted a step later each time; yield each result, None for none.

    Ends with the first that is not interrupted.
    """
    for step in range(MOST_STEPS):
        result, whole = None, False
        with suppress(KeyboardInterrupt), interrupted_at(step):
            result, whole = call(), True
        yield result
        if whole:
            return
    raise AssertionError(f"a call of more than {MOST_STEPS} steps")

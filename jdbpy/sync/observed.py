"""Calls of methods, observed while the target runs: each with its values and its time, and statistics of many.

Made by ./dev generate from jdbpy/api/observed.py; do not edit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from jdbpy.api import observed as inner
from jdbpy.sync import portal

if TYPE_CHECKING:
    from jdbpy.api.tables import Table
    from jdbpy.session.model.calls import CallsEnded, CallStatistics
    from jdbpy.session.model.recorded import CallRunAgain, WhatDiffers
    from jdbpy.session.recorded.call import RecordedCall
    from jdbpy.sync.hits import Reported


class CallRecording(portal.Synced):
    """Calls of a method, recorded by the target line by line; for an ``with`` block. Nothing is suspended.

    A recorded call is plain data: ``call.steps`` are its lines in order, ``call.at(42)`` those at a line,
    ``call.values(step)`` the variables there, ``call.last("total")`` who wrote one, ``call.arguments``,
    ``call.result``, ``call.exception``, ``call.thread``, ``call.cost``; ``call.again()`` makes it once more.
    """

    __slots__ = ()

    def __enter__(self) -> CallRecording:
        """Begin. Raises UsageError for a method that cannot be recorded, StateError, EvalError. wire: 4 trips."""
        self._await(self._inner.__aenter__)
        return self

    def __exit__(self, *exc: object) -> None:
        """End it, and take it out of the target; what was recorded can still be read. wire: 3 trips."""
        self._await(lambda: self._inner.__aexit__(*exc))

    @property
    def state(self) -> str:
        """Return how far it is, in words: ``recording``, ``ended: ...``, or why no call is recorded yet. No trip."""
        found: str = self._there(lambda: self._inner.state)
        return found

    @property
    def count(self) -> int:
        """Return how many calls have ended so far, those too that were not recorded. No trip."""
        found: int = self._there(lambda: self._inner.count)
        return found

    @property
    def missed(self) -> int:
        """Return how many calls were not recorded as too many came at once. No trip."""
        found: int = self._there(lambda: self._inner.missed)
        return found

    @property
    def notes(self) -> list[str]:
        """Return sentences about what is not recorded. No trip."""
        found: list[str] = self._there(lambda: self._inner.notes)
        return found

    def calls(self) -> list[RecordedCall]:
        """Return the calls that were recorded so far, in the order of their ends. wire: 2 trips, more for many."""
        found: list[RecordedCall] = self._await(lambda: self._inner.calls())
        return found

    def again(self, call: RecordedCall) -> CallRunAgain:
        """Run the method of a recorded call once more, with the arguments that were kept: texts and numbers as they
        were, objects as they are now. Raises StateError where one was collected, or no method can be run. wire: 3 trips
        and the call."""
        found: CallRunAgain = self._await(lambda: self._inner.again(call))
        return found

    def differences(self, failing: str = "") -> WhatDiffers:
        """Return what the calls that failed have, and the others have not: values, lines, where they part.

        Those have failed that an exception has ended; with ``failing`` those for which a condition over what was kept
        holds: ``$ret < 0``. Raises EvalError, UsageError where no call is recorded. wire: as ``calls``.
        """
        found: WhatDiffers = self._await(lambda: self._inner.differences(failing))
        return found

    def wait(self, timeout: float | None = None) -> list[RecordedCall]:
        """Return the calls when it has ended by itself, by ``most`` or ``until``, or after so many seconds."""
        found: list[RecordedCall] = self._await(lambda: self._inner.wait(timeout))
        return found


portal.register(inner.CallRecording, CallRecording)


class Calls(portal.Synced):
    """Calls of methods, each reported when it ends; for an ``with`` block.

    A call is a hit of the kind "call", with ``args``, ``object`` (the receiver), ``returned`` or ``exception``,
    ``cost``, ``values`` (what was to be shown) and ``stack`` (its callers). The block begins with everything in the
    target and ends by taking it out. At most 10,000 calls wait for a slow script; ``dropped`` counts the others.
    """

    __slots__ = ()

    def __enter__(self) -> Calls:
        """Begin. Raises UsageError for a pattern that fits too many methods, EvalError. wire: 4 trips."""
        self._await(self._inner.__aenter__)
        return self

    def __exit__(self, *exc: object) -> None:
        """End it; what was not taken can still be. wire: 1 trip."""
        self._await(lambda: self._inner.__aexit__(*exc))

    @property
    def count(self) -> int:
        """Return how many calls have ended so far, those included that were not reported. No trip."""
        found: int = self._there(lambda: self._inner.count)
        return found

    @property
    def failures(self) -> int:
        """Return how many of them an exception has ended. No trip."""
        found: int = self._there(lambda: self._inner.failures)
        return found

    @property
    def waiting(self) -> str:
        """Return what is waited for, in words: a class that is not loaded; "" for nothing. No trip."""
        found: str = self._there(lambda: self._inner.waiting)
        return found

    @property
    def notes(self) -> list[str]:
        """Return sentences about what is not observed or not known. No trip."""
        found: list[str] = self._there(lambda: self._inner.notes)
        return found

    @property
    def dropped(self) -> int:
        """Calls that were dropped because the script was too slow. No trip."""
        found: int = self._there(lambda: self._inner.dropped)
        return found

    def take(self, seconds: float | None = None, count: int | None = None) -> Iterator[Reported]:
        """Return the calls, one by one: of the next ``seconds``, or the next ``count``, or what comes first of both.

        Without either, up to the end of the block or of the target, which is not an error. Raises StateError before the
        block, Disconnected. No trip.
        """
        return self._iterate(self._inner._take_pages(seconds, count))

    def __iter__(self) -> Iterator[Reported]:
        """Walk through them."""
        return self._iterate(self._inner._take_pages())

    def next(self, timeout: float | None = None) -> Reported:
        """Return the next call. Raises TimedOut after ``timeout`` seconds (None: no limit), StateError when the target
        has ended, or before the block. No trip."""
        found: Reported = self._await(lambda: self._inner.next(timeout))
        return found

    def summary(self) -> CallsEnded:
        """Return how many calls there were, and how many were reported. No trip."""
        found: CallsEnded = self._there(lambda: self._inner.summary())
        return found


portal.register(inner.Calls, Calls)


class CallTiming(portal.Synced):
    """Counts and times of calls by method, taken at every call; for an ``with`` block. Nothing is suspended."""

    __slots__ = ()

    def __enter__(self) -> CallTiming:
        """Begin. Raises UsageError for a pattern that fits too many methods. wire: 4 trips."""
        self._await(self._inner.__aenter__)
        return self

    def __exit__(self, *exc: object) -> None:
        """End it. wire: 1 trip."""
        self._await(lambda: self._inner.__aexit__(*exc))

    def refresh(self) -> None:
        """Take in what the target itself has counted so far; else that is done four times a second. wire: 2 trips."""
        self._await(lambda: self._inner.refresh())

    def take(self) -> CallStatistics:
        """Return the calls since this was asked last, or since the begin. No trip."""
        found: CallStatistics = self._there(lambda: self._inner.take())
        return found

    def whole(self) -> CallStatistics:
        """Return all calls since the begin. No trip."""
        found: CallStatistics = self._there(lambda: self._inner.whole())
        return found

    def table(self) -> Table:
        """Return all calls since the begin, by ``method``: ``calls``, ``failures``, ``mean``, ``p50``, ``p99`` and
        ``max`` in seconds. No trip."""
        found: Table = self._there(lambda: self._inner.table())
        return found


portal.register(inner.CallTiming, CallTiming)

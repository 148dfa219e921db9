"""Calls of methods, observed while the target runs: each with its values and its time, and statistics of many."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterator, Sequence
from typing import TYPE_CHECKING, Any

import trio

from jdbpy.api.core import Core
from jdbpy.api.feeds import CAPACITY, Feed, Feeds, only_in_a_block
from jdbpy.api.hits import Reported, next_report, report_pages
from jdbpy.api.lazy import one_by_one
from jdbpy.api.tables import Table
from jdbpy.session.model.calls import CallsEnded, CallStatistics

if TYPE_CHECKING:
    from jdbpy.session.in_target.recording import MethodRecording
    from jdbpy.session.model.recorded import CallRunAgain, WhatDiffers
    from jdbpy.session.recorded.call import RecordedCall


class Calls:
    """Calls of methods, each reported when it ends; for an ``async with`` block.

    A call is a hit of the kind "call", with ``args``, ``object`` (the receiver), ``returned`` or ``exception``,
    ``cost``, ``values`` (what was to be shown) and ``stack`` (its callers). The block begins with everything in the
    target and ends by taking it out. At most 10,000 calls wait for a slow script; ``dropped`` counts the others.
    """

    def __init__(
        self,
        feeds: Feeds,
        method: str,
        when: str,
        show: Sequence[str],
        callers: int,
        depth: int,
        limit: int | None,
        most_methods: int,
        in_target: bool,
        excludes: Sequence[str],
    ) -> None:
        self._feeds = feeds
        self._core = core = feeds.core
        self._feed = Feed(core, CAPACITY)
        self._begun = False
        self._observed = core.session.observer.calls(
            method,
            when=when,
            show=show,
            callers=callers,
            depth=depth,
            limit=limit,
            most_methods=most_methods,
            in_target=in_target,
            excludes=excludes,
            on_call=self._feed.put,
        )

    async def __aenter__(self) -> Calls:
        """Begin. Raises UsageError for a pattern that fits too many methods, EvalError. wire: 4 trips."""
        self._feeds.add(self._feed)
        await self._observed.__aenter__()
        self._begun = True
        return self

    async def __aexit__(self, *exc: object) -> None:
        """End it; what was not taken can still be. wire: 1 trip."""
        await self._observed.__aexit__(*exc)
        self._feed.close("the block of the calls has ended")
        self._feeds.discard(self._feed)

    @property
    def count(self) -> int:
        """Return how many calls have ended so far, those included that were not reported. No trip."""
        return self._observed.calls

    @property
    def failures(self) -> int:
        """Return how many of them an exception has ended. No trip."""
        return self._observed.failures

    @property
    def waiting(self) -> str:
        """Return what is waited for, in words: a class that is not loaded; "" for nothing. No trip."""
        return self._observed.waiting

    @property
    def notes(self) -> list[str]:
        """Return sentences about what is not observed or not known. No trip."""
        return list(self._observed.lacks)

    @property
    def dropped(self) -> int:
        """Calls that were dropped because the script was too slow. No trip."""
        return self._feed.dropped

    def take(self, seconds: float | None = None, count: int | None = None) -> AsyncIterator[Reported]:
        """Return the calls, one by one: of the next ``seconds``, or the next ``count``, or what comes first of both.

        Without either, up to the end of the block or of the target, which is not an error. Raises StateError before the
        block, Disconnected. No trip.
        """
        self._require_begun()
        return one_by_one(self._take_pages(seconds, count))

    def _take_pages(self, seconds: float | None = None, count: int | None = None) -> AsyncIterator[deque[Reported]]:
        return report_pages(self._core, self._feed, seconds, count)

    def __aiter__(self) -> AsyncIterator[Reported]:
        return self.take()

    async def next(self, timeout: float | None = None) -> Reported:
        """Return the next call. Raises TimedOut after ``timeout`` seconds (None: no limit), StateError when the target
        has ended, or before the block. No trip."""
        self._require_begun()
        return await next_report(self._core, self._feed, timeout, "call")

    def summary(self) -> CallsEnded:
        """Return how many calls there were, and how many were reported. No trip."""
        return self._observed.summary

    def _require_begun(self) -> None:
        if not self._begun:
            raise only_in_a_block("with vm.calls(...) as calls: in it calls.take(seconds=3)")

    def __repr__(self) -> str:
        return f"<calls of {self._observed.method}: {self.count}>"


class CallTiming:
    """Counts and times of calls by method, taken at every call; for an ``async with`` block. Nothing is suspended."""

    def __init__(self, core: Core, method: str, most_methods: int, in_target: bool, excludes: Sequence[str]) -> None:
        self._core = core
        self._observed = core.session.observer.statistics(
            method, most_methods=most_methods, in_target=in_target, excludes=excludes
        )

    async def __aenter__(self) -> CallTiming:
        """Begin. Raises UsageError for a pattern that fits too many methods. wire: 4 trips."""
        await self._observed.__aenter__()
        return self

    async def __aexit__(self, *exc: object) -> None:
        """End it. wire: 1 trip."""
        await self._observed.__aexit__(*exc)

    async def refresh(self) -> None:
        """Take in what the target itself has counted so far; else that is done four times a second. wire: 2 trips."""
        await self._observed.refresh()

    def take(self) -> CallStatistics:
        """Return the calls since this was asked last, or since the begin. No trip."""
        found: CallStatistics = self._observed.take()
        return found

    def whole(self) -> CallStatistics:
        """Return all calls since the begin. No trip."""
        return self._observed.whole()

    def table(self) -> Table:
        """Return all calls since the begin, by ``method``: ``calls``, ``failures``, ``mean``, ``p50``, ``p99`` and
        ``max`` in seconds. No trip."""
        rows: list[list[Any]] = [
            [
                f"{each.class_name}.{each.method}",
                each.count,
                each.failures,
                each.mean,
                each.p50,
                each.p99,
                each.maximum,
            ]
            for each in self.whole().methods
        ]
        return Table(["method", "calls", "failures", "mean", "p50", "p99", "max"], rows)


class CallRecording:
    """Calls of a method, recorded by the target line by line; for an ``async with`` block. Nothing is suspended.

    A recorded call is plain data: ``call.steps`` are its lines in order, ``call.at(42)`` those at a line,
    ``call.values(step)`` the variables there, ``call.last("total")`` who wrote one, ``call.arguments``,
    ``call.result``, ``call.exception``, ``call.thread``, ``call.cost``; ``await call.again()`` makes it once more.
    """

    def __init__(
        self, core: Core, method: str, when: str, most: int, depth: int, level: str, until: str, hold: bool
    ) -> None:
        self._core = core
        self._method = method
        self._asked: dict[str, Any] = {
            "when": when,
            "most": most,
            "depth": depth,
            "level": level,
            "until": until,
            "hold": hold,
        }
        self._made: MethodRecording | None = None

    async def __aenter__(self) -> CallRecording:
        """Begin. Raises UsageError for a method that cannot be recorded, StateError, EvalError. wire: 4 trips."""
        self._made = await self._core.session.recorder.record(self._method, **self._asked)
        return self

    async def __aexit__(self, *exc: object) -> None:
        """End it, and take it out of the target; what was recorded can still be read. wire: 3 trips."""
        if self._made is not None:
            await self._core.session.recorder.end(self._made)

    @property
    def state(self) -> str:
        """Return how far it is, in words: ``recording``, ``ended: ...``, or why no call is recorded yet. No trip."""
        return self._begun.state

    @property
    def count(self) -> int:
        """Return how many calls have ended so far, those too that were not recorded. No trip."""
        return self._begun.calls

    @property
    def missed(self) -> int:
        """Return how many calls were not recorded as too many came at once. No trip."""
        return self._begun.missed

    @property
    def notes(self) -> list[str]:
        """Return sentences about what is not recorded. No trip."""
        return list(self._begun.notes)

    async def calls(self) -> list[RecordedCall]:
        """Return the calls that were recorded so far, in the order of their ends. wire: 2 trips, more for many."""
        begun, recorder = self._begun, self._core.session.recorder
        if not begun.has_ended():
            await begun.refresh()
        return [each for each in recorder.calls if each.recording == begun.number]

    async def again(self, call: RecordedCall) -> CallRunAgain:
        """Run the method of a recorded call once more, with the arguments that were kept: texts and numbers as they
        were, objects as they are now. Raises StateError where one was collected, or no method can be run. wire: 3 trips
        and the call."""
        return await self._core.session.recorder.again(call)

    async def differences(self, failing: str = "") -> WhatDiffers:
        """Return what the calls that failed have, and the others have not: values, lines, where they part.

        Those have failed that an exception has ended; with ``failing`` those for which a condition over what was kept
        holds: ``$ret < 0``. Raises EvalError, UsageError where no call is recorded. wire: as ``calls``.
        """
        return self._core.session.recorder.differences(failing, await self.calls())

    async def wait(self, timeout: float | None = None) -> list[RecordedCall]:
        """Return the calls when it has ended by itself, by ``most`` or ``until``, or after so many seconds."""
        with trio.move_on_after(timeout) if timeout is not None else trio.CancelScope():
            await self._begun.over.wait()
        return await self.calls()

    @property
    def _begun(self) -> MethodRecording:
        if self._made is None:
            raise only_in_a_block("async with vm.record(...) as recording: in it await recording.wait(3)")
        return self._made

    def __repr__(self) -> str:
        return f"<recording of {self._method}>"

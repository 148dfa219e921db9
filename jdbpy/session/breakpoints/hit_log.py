"""Reads the trace of decisions: names of threads, places in words, and what became of the hits of each breakpoint.

Owns the way from the entries of ``events/decisions`` to plain data. Nothing of it runs at a hit.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress

from jdbpy.errors import Disconnected, JdbpyError, UsageError
from jdbpy.escape import escape
from jdbpy.files import open_private
from jdbpy.session.breakpoints.breakpoint_table import BreakpointTable
from jdbpy.session.events.decisions import COUNTING, Entry, Numbers
from jdbpy.session.events.deferred_hits import DeferredHits
from jdbpy.session.events.target import Target
from jdbpy.session.events.threads import wire_thread
from jdbpy.session.model.decisions import BreakpointHits, Decision, DecisionTotal, HitDecision, HitLog
from jdbpy.session.model.threads import Location, ThreadRef
from jdbpy.wire.ids import CodeLocation
from jdbpy.wire.messages import thread_reference


class HitLogReader:
    """Reads the decisions about the hits of one target, and tells them to a log as they are made."""

    def __init__(self, target: Target, points: Callable[[], BreakpointTable]) -> None:
        self._target = target
        self._points = points

    async def latest(self, count: int = 20, number: int | None = None) -> HitLog:
        """Return the latest decisions, of one breakpoint if a number is given, and the totals by reason.

        Raises UsageError for a breakpoint that there is not and never was. wire: 2 trips or less.
        """
        if count < 0:
            raise UsageError("the number of hits must not be negative")
        decisions = self._target.decisions
        totals = self._totals()
        if number is not None and number not in totals:
            raise UsageError(
                f"no breakpoint {number}", hint="'breakpoints' lists those that exist", code="NO_SUCH_BREAKPOINT"
            )
        pending = DeferredHits.of(self._target).pending()
        meant = [each for each in (*decisions.entries, *pending) if _is_of(number, each[3])]
        chosen = meant[len(meant) - min(count, len(meant)) :]
        names = await self._names(dict.fromkeys(entry[1] for entry in chosen))
        places = await self._places(dict.fromkeys(entry[2] for entry in chosen if entry[2] is not None))
        hits = tuple(
            HitDecision(
                when,
                ThreadRef(thread, names.get(thread, "")) if thread else None,
                places.get(place) if place is not None else None,
                _listed(numbers),
                reason,
            )
            for when, thread, place, numbers, reason in chosen
        )
        shown = [each for each in sorted(totals) if number in (None, each)]
        points = tuple(self._hits_of(each, totals[each]) for each in shown if each > 0 or number is not None)
        return HitLog(hits, points, max(0, decisions.recorded - len(decisions.entries)))

    def _totals(self) -> dict[int, dict[Decision, int]]:
        """Return the totals by breakpoint; hits that were recorded by nobody were only counted. No trip."""
        totals = self._target.decisions.totals()
        for point in self._points().list():
            of_point = totals.setdefault(point.number, {})
            counted = point.hits - sum(of_point.get(each, 0) for each in COUNTING)
            if counted > 0:
                of_point[Decision.COUNTED] = of_point.get(Decision.COUNTED, 0) + counted
        return totals

    def _hits_of(self, number: int, totals: dict[Decision, int]) -> BreakpointHits:
        rows = sorted(((reason, count) for reason, count in totals.items() if count), key=lambda row: -row[1])
        in_target = any(each.number == number and each.in_target for each in self._points().list())
        return BreakpointHits(number, tuple(DecisionTotal(*row) for row in rows), in_target)

    async def _names(self, threads: Iterable[int]) -> dict[int, str]:
        """Return the names of threads; those that have ended have none any more. wire: 1 trip."""
        found = {each.thread.id: each.thread.name for each in self._target.stops.values() if each.thread is not None}
        asked = [each for each in threads if each and not found.get(each)]
        with suppress(Disconnected):
            replies = await self._target.conn.batch([thread_reference.Name(wire_thread(each)) for each in asked])
            for thread, reply in zip(asked, replies, strict=True):
                if not isinstance(reply, JdbpyError):
                    found[thread] = reply.threadName
        return found

    async def _places(self, places: Iterable[CodeLocation]) -> dict[CodeLocation, Location]:
        """Return places as far as they are known. wire: 1 trip, 0 when known."""
        wanted = [place for place in places if place.classID]
        with suppress(JdbpyError):  # a class was unloaded, or the target is gone: told as far as known
            await self._target.types.locations(wanted)
        return {place: self._target.types.location(place) for place in wanted}

    def log_to(self, write: Callable[[str], None]) -> None:
        """Write a line for each decision from now on, with what is known without asking the target."""

        def told(entry: Entry) -> None:
            write(self._line(entry))

        self._target.decisions.listener = told

    def _line(self, entry: Entry) -> str:
        when, thread, place, numbers, reason = entry
        clock = time.strftime("%H:%M:%S", time.localtime(when)) + f".{int(when % 1 * 1000):03}"
        stop = self._target.stops.get(thread)
        name = f' "{escape(stop.thread.name)}"' if stop is not None and stop.thread is not None else ""
        where = ""
        if place is not None:
            known = self._target.types.location(place)
            where = f" {known.class_name}.{known.method}" + (f":{known.line}" if known.line else "")
        of = f" breakpoint {', '.join(map(str, _listed(numbers)))}" if _listed(numbers) else ""
        said = reason.outcome.value + ("" if reason is Decision.SHOWN else f": {reason.text}")
        return f"{clock} thread {thread}{name}{where}{of} {said}\n"


@contextmanager
def open_decision_log(path: str) -> Iterator[Callable[[str], None]]:
    """Yield what writes lines to a new file with mode 0600, "-": standard error. A log that cannot be written any more
    falls silent. Raises UsageError.
    """
    try:
        descriptor = os.dup(2) if path == "-" else open_private(path)
    except OSError as error:
        raise UsageError(
            f"cannot write the log of decisions {path}: {error.strerror}",
            hint="name a new file, or one of your own; - is standard error",
        ) from error
    with open(descriptor, "w", buffering=1, encoding="utf-8", errors="backslashreplace") as file:

        def write(line: str) -> None:
            with suppress(OSError, ValueError):
                file.write(line)

        yield write


def _is_of(number: int | None, numbers: Numbers) -> bool:
    return number is None or number == numbers or (isinstance(numbers, tuple) and number in numbers)


def _listed(numbers: Numbers) -> tuple[int, ...]:
    """Return the breakpoints; those of a front end have no number that a user knows."""
    return tuple(each for each in ((numbers,) if isinstance(numbers, int) else numbers) if each > 0)

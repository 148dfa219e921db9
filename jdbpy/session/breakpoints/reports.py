"""The reports of points that stop nothing: the text of a hit, with its time, thread, number and stack.

Owns the way of a report to the listeners or to its file, the word about what was left out, and the switching off of a
point that has had enough. How many hits are reported is the meter's business (``hit_rates``). The thread may run
meanwhile, and may be gone before it has told its name. A file is opened for each report: nothing is left unwritten or
open, and a file that was moved away begins anew.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any

import trio

from jdbpy.errors import Disconnected, JdbpyError, JdwpError, UsageError
from jdbpy.escape import escape
from jdbpy.files import append_lines
from jdbpy.record import Record
from jdbpy.session.breakpoints.breakpoint_base import BreakpointBase
from jdbpy.session.breakpoints.slowdown import Slowdown
from jdbpy.session.concurrency import both
from jdbpy.session.events.conditions import LogEntry, Passing
from jdbpy.session.events.hit_rates import LeftOut, Load, Taken
from jdbpy.session.events.requests import REASONS, RequestHit
from jdbpy.session.events.target import Target
from jdbpy.session.events.threads import wire_thread
from jdbpy.session.model import events
from jdbpy.session.model.threads import Location, ThreadRef
from jdbpy.session.model.values import Limits, Variable
from jdbpy.session.values.describe import describe
from jdbpy.wire.constants import JdwpSuspendPolicy
from jdbpy.wire.event_parts import value_of
from jdbpy.wire.ids import CodeLocation, ObjectID, ThreadID
from jdbpy.wire.messages import thread_reference
from jdbpy.wire.pending import Pending


def absolute(path: str) -> str:
    """Return the path of a file as it can be opened later, ``~`` included. Raises UsageError if it is not writable."""
    full = os.path.abspath(os.path.expanduser(path))
    try:
        append_report(full, ())
    except OSError as error:
        raise UsageError(
            f"{path} cannot be written: {error.strerror}", hint="name a new file, or one of your own", code="FILE"
        ) from error
    return full


def append_report(path: str, lines: Iterable[str]) -> None:
    """Append whole lines to a file that is for its owner only, the target's texts escaped. Raises OSError."""
    append_lines(path, map(escape, lines))


class Where(Record):
    """Thread and place of a hit: ``thread "main", shop.Order.total, line 42``, and the same as data."""

    text: str
    data: tuple[tuple[str, object], ...]
    thread: ThreadRef | None
    location: Location | None = None


class Whereabouts:
    """Tells where hits happened; remembers the names of threads while it is in use."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._names: dict[int, str] = {}

    async def of(self, hit: RequestHit) -> Where:
        """Return where a hit happened. wire: 1 trip, 0 when known."""
        place: CodeLocation | None = getattr(hit.event, "location", None)
        known = [place] if place is not None and place.classID else []
        name = self._names.get(hit.thread) or self._stopped(hit.thread)
        if name is None or not self._target.types.is_placed(known):
            name, _ = await both(lambda: self._name(hit.thread, name), lambda: self._learn(known))
        parts = [f'thread "{name}"'] if name else [f"thread {hit.thread}"] if hit.thread else []
        data: list[tuple[str, object]] = [("thread", hit.thread)] if hit.thread else []
        location = None
        if known:
            location = self._target.types.location(known[0])
            parts.append(f"{location.class_name}.{location.method}")
            data += [("class", location.class_name), ("method", location.method), ("line", location.line)]
            data.append(("code_index", location.code_index))
            if location.line:
                parts.append(f"line {location.line}")
        return Where(", ".join(parts), tuple(data), ThreadRef(hit.thread, name or "") if hit.thread else None, location)

    def _stopped(self, thread: int) -> str | None:
        """Return the name of a thread that stopped lately: known, though the target may be at its end by now."""
        stop = self._target.last_stop
        if stop is None or stop.thread is None or stop.thread.id != thread or not stop.thread.name:
            return None
        self._names[thread] = stop.thread.name
        return stop.thread.name

    async def _name(self, thread: int, known: str | None) -> str:
        if known is not None:
            return known
        if thread:
            try:
                reply = await self._target.conn.request(thread_reference.Name(ThreadID(ObjectID(thread))))
                self._names[thread] = reply.threadName
            except (JdwpError, Disconnected):
                return ""
        return self._names.get(thread, "")

    async def _learn(self, places: list[CodeLocation]) -> None:
        with suppress(JdwpError, Disconnected):  # the class was unloaded, or the target is gone: told as far as known
            await self._target.types.locations(places)


Clock = Callable[[], float]


class Reporter:
    """Reports hits. ``clock`` gives seconds for measuring, ``wall`` the time of day (seconds since 1970).

    ``on_rate`` is called about once a second for a point whose hits suspend nothing, ``on_window_over`` when what a
    point has left out is about to be said: it reports again from now on.
    """

    def __init__(
        self,
        target: Target,
        on_rate: Callable[[BreakpointBase, Load], None],
        on_window_over: Callable[[BreakpointBase], None],
        clock: Clock = time.perf_counter,
        wall: Clock = time.time,
    ) -> None:
        self._target = target
        self.on_rate = on_rate
        self.on_window_over = on_window_over
        self.clock = clock
        self.wall = wall
        self._whereabouts = Whereabouts(target)
        self._limited: set[BreakpointBase] = set()
        self._changed = trio.lowlevel.ParkingLot()

    def take(self, point: BreakpointBase) -> Taken:
        """Return whether the last hit of a point is to be reported."""
        taken = point.rate_limiter.take(point.hits, self.clock(), wall=self.wall(), busy=self._busy(point))
        self.watch(point)
        return taken

    def take_kept(self, point: BreakpointBase, count: int, enter: Callable[[], None]) -> list[Taken]:
        """Return which of the next hits, of which the target has kept ``count``, are to be reported.

        ``enter`` counts one hit. A point that was deleted or disabled reports none of them.
        """
        now, wall, limiter = self.clock(), self.wall(), point.rate_limiter
        found: list[Taken] = []
        if point.removed or not point.enabled:
            return found
        for _ in range(count):
            enter()
            if not limiter.passes(point.hits, now):
                found.append(limiter.take(point.hits, now, wall=wall))
            if limiter.over:
                break
        self.watch(point)
        return found

    def _busy(self, point: BreakpointBase) -> float | None:
        """Return the words for the cost of a point's hits, unless they are measured one by one: a thread waits
        for them.
        """
        return self._target.conn.busy if point.wire_policy is JdwpSuspendPolicy.NONE else None

    def watch(self, point: BreakpointBase) -> None:
        """Sees to it that what the point has left out so far is said in time, and how often it is hit."""
        if point.rate_limiter.window is not None:
            (hits, seconds), point.rate_limiter.window = point.rate_limiter.window, None
            if not point.rate_limiter.over:  # else it is switched off, which says enough
                self.on_rate(point, Load(hits, seconds, 0.0, everything=False))
        if point.rate_limiter.left_out_until is not None and point not in self._limited:
            self._limited.add(point)
            self._changed.unpark_all()

    async def run(self) -> None:
        """Says what was left out at the end of each window; runs for the life of the session."""
        while True:
            while not self._limited:
                await self._changed.park()
            until = min((point.rate_limiter.left_out_until or 0.0 for point in self._limited), default=0.0)
            await trio.sleep(max(until - self.clock(), 0.0))
            for point in list(self._limited):
                ends = point.rate_limiter.left_out_until
                if ends is None or ends <= self.clock():
                    self.settle(point)

    def settle(self, *points: BreakpointBase) -> None:
        """Says what those points, or all of them, have left out until now."""
        for point in points or tuple(self._limited):
            self._limited.discard(point)
            self.on_window_over(point)
            self._say_left_out(point, point.rate_limiter.close(self.clock(), self._busy(point)))

    async def report(
        self,
        point: BreakpointBase,
        hit: RequestHit,
        taken: Taken,
        before: bytes | None = None,
        *,
        failed: str = "",
        failure: str = "",
    ) -> None:
        """Publishes or writes what there is to say of a hit; ``failed`` says that its condition failed, ``failure``
        with what error.

        ``before`` is what a field held that changes, where it is known without reading it.

        wire: with a text or a stack 1 trip, in which the thread goes on; else 1, 0 when thread and place are known.
        """
        start = self.clock()
        self._say_left_out(point, taken.left_out)
        if taken.reported:
            kind, text, stack, where, values = await self._told(point, hit, before, failed)
            values["failure"] = failure or values.pop("failure", "")
            self._publish(point, hit, taken, kind, text, where, stack=tuple(stack), **values)
        if point.wire_policy is not JdwpSuspendPolicy.NONE:
            point.rate_limiter.measured(self.clock() - start)
        if taken.spent or taken.too_much is not None:
            self.switch_off(point, taken)

    async def report_kept(
        self,
        point: BreakpointBase,
        hit: RequestHit,
        taken: Taken,
        entry: LogEntry | None,
        time_ns: int,
        details: Mapping[str, Any] = MappingProxyType({}),
    ) -> None:
        """Publishes or writes a hit that the target has kept: its thread runs on, and nothing is read of it.

        ``details`` are those of ``BreakpointBase.details``.

        wire: none when the name of the thread is known, else 1 trip.
        """
        self._say_left_out(point, taken.left_out)
        if taken.reported:
            where = await self._whereabouts.of(hit)
            kind, text = ("logpoint", entry.text or where.text) if entry else point.told(hit, where.text, dict(details))
            values = entry.values if entry else ()
            self._publish(point, hit, taken, kind, text, where, time_ns=time_ns, values=values, **details)
        if taken.spent:
            self.switch_off(point, taken)

    def _publish(
        self,
        point: BreakpointBase,
        hit: RequestHit,
        taken: Taken,
        kind: str,
        text: str,
        where: Where,
        *,
        time_ns: int = 0,
        **values: Any,
    ) -> None:
        report = events.Report(
            events.time_of(taken.at),
            where.thread,
            taken.number,
            time_ns=time_ns or round(taken.at * 1e9),
            event=str(REASONS.get(type(hit.event), "")),
            location=where.location,
            **values,
        )
        self._out(point, events.Notice(kind, text, (("breakpoint", point.number), *where.data), report))

    async def _told(
        self, point: BreakpointBase, hit: RequestHit, before: bytes | None, failed: str
    ) -> tuple[str, str, list[Location], Where, dict[str, Any]]:
        """Kind, text, stack and place of a report, and its values as data."""
        if point.log is None and not point.reporting.stack:
            return await self._details(point, hit, before, failed)
        frames = self._ask_for_stack(point, hit)
        values: dict[str, Any] = {}
        kind, text = ("tracepoint" if point.reporting.stack else "logpoint"), failed
        if point.log is not None and not failed:
            text, values["values"], values["failure"] = await self._logged(point, hit)
        elif hit.go_on is not None and not failed and not point.looks_at_thread:
            hit.go_on()
        if point.log is None:  # what the point tells by itself, above the stack
            kind_of_point, told, _, _, values = await self._details(point, hit, None, failed)
            if kind_of_point != "breakpoint-hit":
                kind, text = kind_of_point, told
        stack = await self._stack(frames)
        where = await self._whereabouts.of(hit)
        return kind, text or where.text, stack, where, values

    async def _logged(self, point: BreakpointBase, hit: RequestHit) -> tuple[str, tuple[Variable, ...], str]:
        """Return the text of a logpoint, or that there is none, the values of its expressions, and the error."""
        assert point.log is not None
        place = getattr(hit.event, "location", None)
        passing = Passing(place, hit.go_on) if place is not None and hit.go_on is not None else None
        try:
            given = await point.given(hit, point.options.log)
            entry = await point.log.render(hit.thread, passing, given, place)
            return entry.text, entry.values, ""
        except Disconnected:
            raise
        except JdbpyError as error:
            return f"the text of {point.called} failed: {error.message}", (), error.message

    async def _details(
        self, point: BreakpointBase, hit: RequestHit, before: bytes | None, failed: str
    ) -> tuple[str, str, list[Location], Where, dict[str, Any]]:
        """Return the details that a point adds to the report of a hit."""
        details: dict[str, Any] = {}
        with suppress(Disconnected):  # the target ran on to its end: it is told as far as it is known
            try:
                details = await point.details(hit)
                if before is not None:
                    [details["old_value"]] = await describe(self._target, [value_of(before)], Limits(depth=0))
            except JdwpError as error:
                failed = failed or f"what happened could not be read: {error.message}"
        where = await self._whereabouts.of(hit)
        kind, text = point.told(hit, where.text, details)
        message = failed or details.get("message") or ""
        values = {name: value for name, value in details.items() if name in events.Report.__fields__}
        return kind, f"{text} ({message})" if message and message not in text else text, [], where, values

    def _ask_for_stack(self, point: BreakpointBase, hit: RequestHit) -> list[Pending[Any]]:
        """Ask for the frames one by one: more than there are would be refused, and the thread is resumed meanwhile."""
        if not hit.thread:
            return []
        ask = self._target.conn.submit
        return [ask(thread_reference.Frames(wire_thread(hit.thread), each, 1)) for each in range(point.reporting.stack)]

    async def _stack(self, asked: list[Pending[Any]]) -> list[Location]:
        replies = [reply for reply in await self._target.conn.gather(asked) if not isinstance(reply, JdwpError)]
        places: list[CodeLocation] = [frame.location for reply in replies for frame in reply.frames]
        with suppress(JdwpError):
            return await self._target.types.locations(places)
        return [self._target.types.location(place) for place in places]

    def _out(self, point: BreakpointBase, notice: events.Notice) -> None:
        """Hand a report to the listeners, or write it to the file of its point."""
        if point.reporting.file:
            try:
                append_report(point.reporting.file, notice.lines)
                return
            except OSError as error:
                path = point.reporting.file
                point.options = point.options.replace(reporting=point.reporting.replace(file=""))
                text = f"{point.called} cannot write to {path}: {error.strerror}; it reports here from now on"
                self._target.publish(events.Notice("warning", text, (("breakpoint", point.number),)))
        self._target.publish(notice)

    def _say_left_out(self, point: BreakpointBase, left: LeftOut | None) -> None:
        if left is not None:
            hits = "1 more hit" if left.count == 1 else f"{left.count:,} more hits"
            text = f"... {hits} of {point.called} in {left.seconds:.1f} s left out"
            data = (("breakpoint", point.number), ("count", left.count), ("seconds", round(left.seconds, 3)))
            self._out(point, events.Notice("left-out", text, data))

    def over_budget(self, point: BreakpointBase, load: Load) -> None:
        """Take a point out of the target whose hits suspend threads for longer than its budget allows."""
        data = (("rate", round(load.rate)), ("load", round(load.share, 3)))
        self._off(point, f"{load.text}, more than {point.reporting.cost}%", data)

    def slows(self, point: BreakpointBase, slowdown: Slowdown) -> None:
        """Take a point out of the target that slows it more than its budget allows."""
        why = (
            f"with it the target comes {slowdown.rate:,.0f} times a second to its busiest place, without it "
            f"{slowdown.without:,.0f} times: it takes {slowdown.share:.0%} of the target's time there, more than "
            f"{point.reporting.cost}%"
        )
        rates = (("rate", round(slowdown.rate)), ("rate_without", round(slowdown.without)))
        self._off(point, why, (*rates, ("load", round(slowdown.share, 3))))

    def lost(self, point: BreakpointBase, error: JdbpyError) -> None:
        """Take out for good a point that could not be set again after it was measured."""
        self._off(point, f"it could not be set again after it was measured: {error.message}", ())

    def _off(self, point: BreakpointBase, why: str, data: Iterable[tuple[str, object]]) -> None:
        if not point.enabled:
            return
        point.enabled = False
        with suppress(Disconnected):
            point.disarm()
        self.settle(point)
        text = f"{point.called} is switched off: {why}; 'enable {point.number}' sets it again"
        of_point = (("breakpoint", point.number), ("hits", point.hits))
        self._target.publish(events.Notice("switched-off", text, (*of_point, *data)))

    def switch_off(self, point: BreakpointBase, taken: Taken) -> None:
        """Take a point out of the target that has had enough, and say why. The requests go without a wait."""
        data: list[tuple[str, object]] = []
        if taken.too_much is not None:
            pace = taken.too_much
            why = (
                f"{pace.rate:,.0f} hits a second take {pace.load:.0%} of the target's time "
                f"({pace.cost * 1e6:.1f} µs each here), more than {point.reporting.cost}%"
            )
            data += [("rate", round(pace.rate)), ("cost", pace.cost), ("load", round(pace.load, 3))]
        else:
            why = "it has had its hit" if point.reporting.most == 1 else f"it has had its {point.reporting.most:,} hits"
        self._off(point, why, data)

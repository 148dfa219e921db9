"""A debugging session for tests: a target, jdbpy attached to it, and a record of every event that was looked at."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TypedDict, Unpack

import trio

import jdbpy
from benchmarks.relay import open_relay
from jdbpy.session.events.streams import EventStream
from jdbpy.session.model.events import Event, Exited, Notice, Output, Stopped, StopReason
from tests.harness.jvms import Jvm
from tests.harness.limits import LIMIT, within
from tests.harness.programs import Program
from tests.harness.targets import Target, start_target

ROUND_TRIP = float(os.environ.get("JDBPY_TEST_RTT", "0"))
"""Seconds of a link between the debugger and the targets of ``debug()``; 0: they are near."""


class Expected(TypedDict, total=False):
    """What a stop must be, as far as it matters.

    ``thread`` is the thread's name; ``frames`` are the innermost frames as "Class.method" (the class without its
    package), as many as matter; ``breakpoint`` is its number.
    """

    thread: str
    frames: Sequence[str]
    breakpoint: int


class Debugging:
    """What ``debug()`` gives: the ``target``, the ``session``, and checks that mark events as looked at."""

    def __init__(self, target: Target, session: jdbpy.Session, events: EventStream) -> None:
        self.target = target
        self.program = target.program
        self.session = session
        self.ignored = {"breakpoint-resolved", "breakpoint-pending", "hot-place"}  # kinds of Notice that need no look
        self._events = events
        self._checked: list[Event] = []  # handed to check_stop() before they came over the channel

    def at(self, marker: str, class_name: str = "") -> str:
        """The place of ``// @marker`` as a breakpoint spec."""
        return self.program.at(marker, class_name)

    async def resume(self) -> None:
        """Let the target run on; returns at once."""
        await self.session.execution.resume()

    async def run_to(self, marker: str, class_name: str = "", **expected: Unpack[Expected]) -> Stopped:
        """Let the target run to a marker, with a breakpoint that is gone afterwards; what else the stop must be."""
        await self.session.breakpoints.add(self.at(marker, class_name), temporary=True)
        await self.resume()
        return await self.wait_stop(StopReason.BREAKPOINT, at=marker, **expected)

    async def wait_stop(
        self, reason: StopReason | str, *, at: str | None = None, **expected: Unpack[Expected]
    ) -> Stopped:
        """Wait for the next event that matters; it must be this stop, at the line of that marker."""
        return await self._verify(await self.next_event(), reason, at, expected)

    async def check_stop(
        self, stop: Stopped | Exited, reason: StopReason | str, *, at: str | None = None, **expected: Unpack[Expected]
    ) -> Stopped:
        """Check a stop that a command returned (``session.execution.cont()``), and count it as looked at."""
        self._checked.append(stop)
        return await self._verify(stop, reason, at, expected)

    async def wait_exit(self, status: int = 0) -> None:
        """Wait until the target has ended: the session says so, and the process has this exit status."""
        event = await self.next_event()
        assert isinstance(event, Exited), f"expected the end, got {event}\n{self.target.report()}"
        assert await self.target.wait_exit() == status, self.target.report()

    async def wait_notice(self, kind: str) -> Notice:
        """Wait for the next event; it must be a notice of this kind."""
        self.ignored.discard(kind)
        event = await self.next_event()
        assert isinstance(event, Notice), f"expected a notice ({kind}), got {event}\n{self.target.report()}"
        assert event.kind == kind, event
        return event

    async def next_event(self) -> Event:
        """The next event that needs a look (Output and ignored notices do not), marked as looked at."""
        with trio.move_on_after(LIMIT):
            async for event in self._events:
                if self._matters(event):
                    return event
        raise AssertionError(f"no further event came\n{self.target.report()}")

    def unseen(self) -> list[Event]:
        """The events so far that no check looked at."""
        events: list[Event] = []
        while (event := self._events.take_nowait()) is not None:
            events.append(event)
        return [event for event in events if self._matters(event)]

    def _matters(self, event: Event) -> bool:
        if any(event is checked for checked in self._checked):
            return False
        return not (isinstance(event, Output) or (isinstance(event, Notice) and event.kind in self.ignored))

    async def _verify(self, stop: Event, reason: StopReason | str, at: str | None, expected: Expected) -> Stopped:
        if not isinstance(stop, Stopped):
            raise AssertionError(f"expected a stop ({reason}), got {stop}\n{self.target.report()}")
        wanted: dict[str, object] = {"reason": str(reason), **expected}
        found: dict[str, object] = {"reason": str(stop.reason)}
        if at is not None:
            wanted["place"] = f"{self.program.file(at)}:{self.program.line(at)}"
            found["place"] = stop.location and f"{stop.location.source}:{stop.location.line}"
        if "thread" in expected:
            found["thread"] = stop.thread and stop.thread.name
        if "breakpoint" in expected:
            found["breakpoint"] = stop.breakpoint
        if "frames" in expected:
            frames = wanted["frames"] = list(expected["frames"])
            trace = await self.session.stack.of(stop.thread.id if stop.thread else None, count=len(frames))
            found["frames"] = [
                f"{frame.location.class_name.rpartition('.')[2]}.{frame.location.method}" for frame in trace.frames
            ]
        if found != wanted:
            raise AssertionError(f"the stop is {found}, it should be {wanted}\n{self.target.report()}")
        return stop


@asynccontextmanager
async def _near_or_far(address: str) -> AsyncIterator[str]:
    """The address, or that of a slow link to it where the environment asks for one."""
    if not ROUND_TRIP:
        yield address
        return
    async with open_relay(address, rtt=ROUND_TRIP) as relay:
        yield relay.address


@asynccontextmanager
async def debug(
    jvm: Jvm,
    what: Program | str,
    *args: str,
    suspend: bool = True,
    agent: str = "",
    jvm_options: Sequence[str] = (),
    options: jdbpy.Options | None = None,
) -> AsyncIterator[Debugging]:
    """Start a target, attach jdbpy, and give both. With ``suspend`` the target is stopped at its start.

    An event that the block did not look at fails it. The program's own sources are on the source path unless
    ``options`` say otherwise.
    """
    async with start_target(jvm, what, *args, suspend=suspend, agent=agent, jvm_options=jvm_options) as target:
        chosen = options or jdbpy.Options(source_path=(target.program.sources,))
        async with _near_or_far(target.address) as address, jdbpy.attach_session(address, options=chosen) as session:
            session._target.latency.round_trip = ROUND_TRIP  # a busy machine makes the handshake slow
            with session.events() as events:
                debugging = Debugging(target, session, events)
                if suspend:
                    with within(LIMIT):
                        start = await session.next_stop()
                    await debugging.check_stop(start, StopReason.START)
                yield debugging
                unseen = debugging.unseen()
                assert not unseen, f"events that the test did not look at: {unseen}\n{target.report()}"

"""Stops that are read ahead, against a played target: races that no JVM makes on demand."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from jdbpy.session.events import prefetch
from jdbpy.session.events.prefetch import StopReads, Top
from jdbpy.session.events.suspension import SuspendOp
from jdbpy.session.execution.stops import StopShower
from jdbpy.session.jvm import latency
from jdbpy.session.sources.sources import Sources
from jdbpy.wire.command import Command
from jdbpy.wire.constants import Error
from jdbpy.wire.ids import CodeLocation, FrameID, ThreadID
from jdbpy.wire.messages import event, thread_reference, virtual_machine
from tests.fakes.frames import frames_reply
from tests.fakes.stage import ALL, MAIN, NONE, OTHER, PLACE, THREAD, Stage, stage, stop
from tests.harness import Jvm, debug
from tests.session.running import watching

ELSEWHERE = PLACE.replace(index=99)
ONE_RESUME = 0x10000
FAR = 0.5
AFTER = [prefetch.FIRST * prefetch.GROWTH**number for number in range(5)]
"""The times after the Resume at which reads are sent."""


class Played:
    """A thread that stood at a breakpoint and was resumed; the peer plays the agent of the VM."""

    def __init__(self, s: Stage) -> None:
        self.s = s
        self.peer = s.peer
        self.ahead = s.target.stops_ahead
        self.resume = 0

    async def let_go(self) -> None:
        """Resumes the thread as a command would."""
        resumed = self.s.target.submit_op(SuspendOp.VM_RESUME)
        self.ahead.expect(MAIN, resumed)
        self.resume = await self.peer.expect(virtual_machine.Resume())

    async def asked(self, thread: ThreadID = MAIN) -> list[int]:
        """The debugger asks for a stop; gives the ids of the packets."""
        return [
            await self.peer.expect(thread_reference.Name(thread)),
            await self.peer.expect(thread_reference.Frames(thread, 0, 1)),
            await self.peer.expect(thread_reference.FrameCount(thread)),
        ]

    async def answer(self, asked: list[int], place: CodeLocation = PLACE, *, generation: int = 1) -> None:
        name, frames, count = asked
        top = thread_reference.Frame(FrameID(generation * ONE_RESUME), place)
        await self.peer.reply(name, thread_reference.NameReply("main"))
        await self.peer.reply(frames, frames_reply(top))
        await self.peer.reply(count, thread_reference.FrameCountReply(3))

    async def refuse(self, asked: list[int]) -> None:
        name, *others = asked
        await self.peer.reply(name, thread_reference.NameReply("main"))
        for packet in others:
            await self.peer.reply(packet, error=Error.THREAD_NOT_SUSPENDED)

    async def hit(self, thread: ThreadID = MAIN, place: CodeLocation = PLACE, policy: Any = ALL) -> None:
        await self.peer.event(event.Composite(policy, [event.Breakpoint(2, thread, place)]))
        await wait_all_tasks_blocked()

    def taken(self) -> StopReads | None:
        return self.ahead.take(MAIN)

    async def nothing_asked(self) -> None:
        """Nothing is sent, however long one waits."""
        with trio.move_on_after(10):
            raise AssertionError(f"sent: {await self.peer.packets(1)}")


@asynccontextmanager
async def high_latency(round_trip: float = FAR) -> AsyncIterator[Played]:
    async with stage(round_trip=round_trip) as s:
        await s.request(2, stop)
        s.target.suspension.event(MAIN, everything=True)
        s.target.virtual_threads[MAIN] = False
        yield Played(s)


def top_of(top: Top) -> tuple[str, CodeLocation | None, int | None]:
    return top.thread.name, top.frame.location if top.frame else None, top.total


async def test_a_target_is_near_when_a_trip_is_short_after_a_long_handshake(autojump_clock: MockClock) -> None:
    """It was busy then. A trip that is long does not make a near target far."""
    async with high_latency() as played:
        target = played.s.target
        stops = StopShower(target, Sources(target, ()))
        target.conn.recall = None  # the same place is read anew each time, as at another stop
        for answered_after, is_far in ((FAR / 2, True), (0.001, False), (FAR, False)):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(partial(stops._read, MAIN, PLACE, ()))
                asked = await played.asked()
                await trio.sleep(answered_after)
                await played.answer(asked)
            assert target.high_latency is is_far


async def test_nothing_is_asked_behind_a_breakpoint_of_a_target_that_is_found_near(
    any_jvm: Jvm, monkeypatch: pytest.MonkeyPatch
) -> None:
    """jdbpy sends the same commands as to a target that was near from the start."""
    found = []
    for high in (math.inf, -math.inf):  # at its handshake
        asked: list[Command[Any]] = []
        monkeypatch.setattr(latency, "HIGH", high)
        async with debug(any_jvm, "Gallery") as d:
            monkeypatch.setattr(latency, "HIGH", math.inf)
            with watching(asked.append):
                await d.run_to("call")
                await wait_all_tasks_blocked()
        found.append(Counter(command.NAME for command in asked))
    near, found_near = found
    assert found_near == near


async def test_the_reads_of_a_stop_come_before_its_event(autojump_clock: MockClock) -> None:
    async with high_latency() as played:
        await played.let_go()
        asked = await played.asked()
        await played.peer.reply(played.resume)
        await played.hit()
        reads = played.taken()
        await played.answer(asked)
        assert reads is not None
        assert top_of(await reads.take()) == ("main", PLACE, 3)
        await played.nothing_asked()


async def test_refused_ones_are_sent_again_after_longer_times_until_the_resume_is_answered(
    autojump_clock: MockClock,
) -> None:
    async with high_latency() as played:
        start = trio.current_time()
        await played.let_go()
        times = []
        for _ in AFTER[:3]:
            asked = await played.asked()
            times.append(trio.current_time() - start)
            await played.refuse(asked)
        assert times == pytest.approx(AFTER[:3])
        await played.peer.reply(played.resume)
        await played.nothing_asked()


async def test_what_was_answered_before_the_event_came_in_is_not_of_the_stop(autojump_clock: MockClock) -> None:
    """The thread may have been held for another reason, and have run since."""
    async with high_latency() as played:
        await played.let_go()
        await played.answer(await played.asked())
        await played.peer.reply(played.resume)
        await wait_all_tasks_blocked()
        await played.hit()
        assert played.taken() is None


async def test_a_part_of_the_answers_before_the_event_spoils_them(autojump_clock: MockClock) -> None:
    async with high_latency() as played:
        await played.let_go()
        name, *_ = await played.asked()
        await played.peer.reply(name, thread_reference.NameReply("main"))
        await wait_all_tasks_blocked()
        await played.hit()
        assert played.taken() is None


async def test_an_event_that_suspends_nothing_is_no_stop(autojump_clock: MockClock) -> None:
    async with high_latency() as played:
        await played.let_go()
        asked = await played.asked()
        await played.hit(policy=NONE)
        await played.answer(asked)
        await wait_all_tasks_blocked()
        await played.hit()
        assert played.taken() is None


async def test_the_stop_of_another_thread_has_no_use_of_them(autojump_clock: MockClock) -> None:
    async with high_latency() as played:
        await played.let_go()
        await played.asked()
        await played.hit(OTHER)
        assert played.ahead.take(OTHER) is None
        assert played.taken() is None


async def test_a_thread_that_was_let_go_from_its_event_is_another_matter(autojump_clock: MockClock) -> None:
    async with high_latency() as played:
        await played.let_go()
        await played.asked()
        await played.hit()
        played.s.target.submit_op(SuspendOp.VM_RESUME)
        played.s.target.suspension.event(MAIN, everything=True)
        assert played.taken() is None


async def test_nothing_is_read_while_a_method_runs(autojump_clock: MockClock) -> None:
    async with high_latency() as played:
        played.s.target.suspension.evaluating.add(OTHER)
        await played.let_go()
        await played.nothing_asked()


async def test_nothing_is_read_of_a_thread_that_stays_held(autojump_clock: MockClock) -> None:
    async with high_latency() as played:
        played.s.target.suspension.event(MAIN, everything=False)
        await played.let_go()
        await played.nothing_asked()


@pytest.mark.parametrize(("in_time", "next_time"), [(0, (0, 1)), (1, (0, 1, 2)), (3, (2, 3, 4))])
async def test_after_reads_in_time_those_and_their_neighbors_are_sent(
    in_time: int, next_time: tuple[int, ...], autojump_clock: MockClock
) -> None:
    async with high_latency() as played:
        await played.let_go()
        for _ in range(in_time):
            await played.refuse(await played.asked())
        asked = await played.asked()
        await played.hit()
        reads = played.taken()
        await played.answer(asked)
        await played.peer.reply(played.resume)
        assert reads is not None
        await reads.take()
        start = trio.current_time()
        await played.let_go()
        times = []
        for _ in next_time:
            await played.asked()
            times.append(trio.current_time() - start)
        assert times == pytest.approx([AFTER[number] for number in next_time])
        await played.nothing_asked()


async def test_after_one_that_was_too_early_all_are(autojump_clock: MockClock) -> None:
    async with high_latency() as played:
        for _ in range(2):
            await played.let_go()
            for _ in AFTER:
                await played.refuse(await played.asked())
            await played.peer.reply(played.resume)
            await wait_all_tasks_blocked()
            await played.hit(policy=ALL)
            assert played.taken() is None


async def test_the_end_of_the_connection_ends_it_quietly(autojump_clock: MockClock) -> None:
    async with high_latency() as played:
        await played.let_go()
        await played.peer.stream.aclose()
        await trio.sleep(10)
        assert played.taken() is None


async def test_the_policy_of_the_event_does_not_matter(autojump_clock: MockClock) -> None:
    async with high_latency() as played:
        await played.let_go()
        await played.asked()
        await played.hit(policy=THREAD)
        assert played.taken() is not None

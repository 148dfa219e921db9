"""Evaluations in a target that does not answer any more end, with a sentence; those that get on are not bounded."""

from __future__ import annotations

import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import pytest
import trio
from trio.testing import MockClock

import jdbpy
from jdbpy import Stopped
from jdbpy.errors import TimedOut
from jdbpy.session.events import answers
from jdbpy.session.events.answers import GRACE, Answers
from jdbpy.wire.constants import EventKind
from jdbpy.wire.framing import REPLY, Packet, encode_packet
from jdbpy.wire.messages import event_request, object_reference, thread_reference, virtual_machine
from tests.fakes.jvm import SILENCE, FakeJvm
from tests.harness import LIMIT, Jvm, debug, within
from tests.harness.processes import halt
from tests.session.running import counts_agree

METHOD = 5.0
"""The limit of a method, in seconds."""


# -- with a fake, by a clock of its own --------------------------------------------------------------------------------


@asynccontextmanager
async def watched(jvm: FakeJvm) -> AsyncIterator[Answers]:
    """A connection whose replies are watched."""
    async with jvm.connected() as conn, trio.open_nursery() as nursery:
        watch = Answers(conn)
        nursery.start_soon(watch.run)
        yield watch
        nursery.cancel_scope.cancel()


async def ask(watch: Answers, *, times: int = 1) -> None:
    for _ in range(times):
        await watch._conn.request(virtual_machine.AllThreads())


async def test_no_answer(autojump_clock: MockClock) -> None:
    jvm = FakeJvm()
    jvm.on(virtual_machine.AllThreads, SILENCE)
    async with watched(jvm) as watch:
        begun = trio.current_time()
        with pytest.raises(TimedOut) as caught, watch.bounded(METHOD):
            await ask(watch)
        assert METHOD + GRACE < trio.current_time() - begun < METHOD + GRACE + 3
        assert caught.value.code == "NO_ANSWER"
        assert caught.value.message == "the target has not answered for 8 s, and the evaluation was given up"
        assert "'set run-limit'" in caught.value.hint


async def test_slow_answers_are_answers(autojump_clock: MockClock) -> None:
    jvm = FakeJvm()
    jvm.before(virtual_machine.AllThreads, partial(trio.sleep, METHOD))
    async with watched(jvm) as watch:
        with watch.bounded(METHOD):
            await ask(watch, times=20)
        assert trio.current_time() >= 20 * METHOD


async def test_one_command_without_answer_among_others(autojump_clock: MockClock) -> None:
    """A target that answers what others ask is no reason to wait for ever."""
    jvm = FakeJvm()
    jvm.on(thread_reference.Name, SILENCE)
    async with watched(jvm) as watch, trio.open_nursery() as nursery:

        async def others() -> None:
            while True:
                await trio.sleep(1)
                await ask(watch)

        nursery.start_soon(others)
        with pytest.raises(TimedOut), watch.bounded(METHOD):
            await watch._conn.request(thread_reference.Name(1))  # type: ignore[arg-type]
        nursery.cancel_scope.cancel()


async def test_an_earlier_command_without_answer(autojump_clock: MockClock) -> None:
    """It does not end the evaluations after it, as long as they are answered."""
    jvm = FakeJvm()
    jvm.on(thread_reference.Name, SILENCE)
    jvm.before(virtual_machine.AllThreads, partial(trio.sleep, 1))
    async with watched(jvm) as watch:
        with pytest.raises(TimedOut), watch.bounded(METHOD):
            await watch._conn.request(thread_reference.Name(1))  # type: ignore[arg-type]
        with watch.bounded(METHOD):
            await ask(watch, times=30)


async def test_a_method_has_its_own_limit(autojump_clock: MockClock) -> None:
    jvm = FakeJvm()
    jvm.on(object_reference.InvokeMethod, SILENCE)
    async with watched(jvm) as watch:
        with watch.bounded(METHOD), trio.move_on_after(10 * METHOD) as waiting:
            await watch._conn.request(object_reference.InvokeMethod(1, 1, 1, 1, [], 0))  # type: ignore[arg-type]
        assert waiting.cancelled_caught


async def test_a_long_reply_may_take_long(autojump_clock: MockClock) -> None:
    """As long as bytes of it come in."""
    jvm = FakeJvm()
    jvm.on(virtual_machine.AllThreads, SILENCE)
    async with watched(jvm) as watch, trio.open_nursery() as nursery:

        async def dribble() -> None:
            await jvm.wait_for(virtual_machine.AllThreads)
            body = (20_000).to_bytes(4, "big") + bytes(160_000)
            reply = encode_packet(Packet(1, REPLY, 0, 0, 0, body))
            for at in range(0, len(reply), 10_000):
                await jvm.send(reply[at : at + 10_000])
                await trio.sleep(METHOD)

        nursery.start_soon(dribble)
        with watch.bounded(METHOD):
            await ask(watch)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Evaluations end soon where sockets and processes take part, for which no other clock can be had."""
    monkeypatch.setattr(answers, "GRACE", 0.1)
    monkeypatch.setattr(answers, "_LOOK", 0.05)


async def test_a_condition_without_answer(impatient: None) -> None:
    """The hit becomes a stop that says why."""
    jvm = FakeJvm()
    async with jvm.listening() as address, jdbpy.attach_session(address) as session:
        session.values.rules = session.values.rules.replace(limit=1)
        await session.breakpoints.add("Played.main", condition="Played.count == 1")
        jvm.hold(thread_reference.Frames)
        await jvm.hit()
        await jvm.wait_for(thread_reference.Frames)  # for the condition
        await jvm.wait_for(thread_reference.Frames)  # for the stop
        await jvm.release()
        stop = await session.next_stop()
        assert isinstance(stop, Stopped)
        assert "the target has not answered for 1.1 s" in stop.message


async def test_a_step_that_was_cancelled_leaves_its_thread_watched_by_the_next() -> None:
    jvm = FakeJvm()
    async with jvm.listening() as address, jdbpy.attach_session(address) as session:
        await session.breakpoints.add("Played.main")
        await jvm.hit()
        stop = await session.next_stop()
        assert isinstance(stop, Stopped)
        jvm.hold(event_request.Set)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(session.execution.start_step)
            while (await jvm.wait_for(event_request.Set)).eventKind != EventKind.THREAD_DEATH:
                pass
            nursery.cancel_scope.cancel()
        await jvm.release()
        while (await jvm.wait_for(event_request.Clear)).eventKind != EventKind.THREAD_DEATH:
            pass
        assert EventKind.THREAD_DEATH not in [each.eventKind for each in jvm.requests.values()]
        await jvm.hit()
        await session.next_stop()
        await session.execution.start_step()
        assert EventKind.THREAD_DEATH in [each.eventKind for each in jvm.requests.values()]


# -- with a JVM that was halted ----------------------------------------------------------------------------------------


async def test_a_halted_process(impatient: None, jvm: Jvm) -> None:
    """The evaluation is given up; when the process goes on, all is as it was, and so it is after leaving."""
    with within(LIMIT):
        async with debug(jvm, "Busy", "2") as d:
            await d.session.breakpoints.add(d.at("work"))
            assert isinstance(await d.session.execution.cont(), Stopped)
            await halt(d.target.pid)
            with pytest.raises(TimedOut):
                await d.session.values.evaluate("Busy.counts.length() + thread", time_limit=0.1)
            os.kill(d.target.pid, signal.SIGCONT)
            assert (await d.session.values.evaluate("Busy.counts.length() + thread - thread")).text == "2"
            await counts_agree(d.session)
            await d.session.breakpoints.remove([1])
            await d.session.execution.unsuspend()
            await d.target.send("end")
            await d.target.wait_output("over")
            d.unseen()
            await d.wait_exit()

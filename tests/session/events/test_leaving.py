"""Leaving a target whose threads hit all the time: none stays suspended, and where that is not certain it is said.

A second debugger, which is nothing but a connection, looks at the suspend counts afterwards.
"""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
from collections.abc import Awaitable, Callable
from contextlib import suppress
from types import SimpleNamespace
from typing import Any, cast

import pytest
import trio
import trio.testing
from trio.testing import MockClock

import jdbpy
from jdbpy import Session, StepDepth, SuspendPolicy
from jdbpy.errors import Disconnected, JdbpyError, JdwpError, LeaveError
from jdbpy.session.events import leaving
from jdbpy.session.model.breakpoints import PointOptions
from jdbpy.wire.constants import Error, EventKind, JdwpSuspendPolicy, Tag, TypeTag
from jdbpy.wire.ids import ObjectID, TaggedObjectID, TaggedValue, ThreadID
from jdbpy.wire.messages import event, event_request, thread_reference, virtual_machine
from tests.cli.process import command, jdbpy as run_jdbpy, script
from tests.fakes.jvm import SILENCE, FakeJvm
from tests.fakes.world import FakeClass
from tests.harness import LIMIT, Jvm, Target, start_target, within
from tests.harness.connecting import connected
from tests.harness.processes import piped, send_line

THREADS = 3


async def suspended(target: Target) -> list[int]:
    """The suspend counts above 0, as the agent tells a debugger that does nothing else."""
    async with connected(target, [virtual_machine.IDSizes()]) as conn:
        conn.id_sizes = (await conn.hello[0].wait()).sizes()
        threads = (await conn.request(virtual_machine.AllThreads())).threads
        counts = await conn.batch([thread_reference.SuspendCount(thread) for thread in threads])
        assert conn.statistics().events == 0, "an event of the session before"
        await conn.request(virtual_machine.Dispose())
    return [each.suspendCount for each in counts if not isinstance(each, JdwpError) and each.suspendCount]


async def progress(target: Target) -> list[int]:
    """How many times each thread has called ``work``."""
    before = target.stdout.count("count ")
    await target.send("count")
    await target._wait("the counts", lambda: target.stdout.count("count ") > before, "stdout")
    return [int(number) for number in target.stdout.rpartition("count ")[2].split()]


async def all_move(target: Target) -> None:
    """Wait until every thread has gone on."""
    before = await progress(target)
    with within(LIMIT):
        while not all(now > then for now, then in zip(await progress(target), before, strict=True)):
            await trio.lowlevel.checkpoint()


async def stopped(session: Session) -> None:
    await session.breakpoints.add("Busy.work")
    await session.next_stop()


async def stopped_again(session: Session) -> None:
    await stopped(session)
    await session.execution.cont()


async def single_thread(session: Session) -> None:
    await session.breakpoints.add("Busy.work", policy=SuspendPolicy.THREAD)
    await session.next_stop()


async def condition(session: Session) -> None:
    await session.breakpoints.add("Busy.work", condition="count < 0")


async def logpoint(session: Session) -> None:
    await session.breakpoints.add("Busy.work", log="{count}")


async def step_pending(session: Session) -> None:
    await single_thread(session)
    await session.breakpoints.clear_all()
    await session.execution.start_step(StepDepth.OUT)


async def nap(session: Session) -> None:
    with suppress(JdbpyError):
        await session.values.evaluate("nap(50)")


async def method_running(session: Session) -> None:
    await stopped(session)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(nap, session)
        while not session._target.suspension.evaluating:
            await trio.lowlevel.checkpoint()
        await session.detach()


@pytest.mark.parametrize(
    "before", [stopped, stopped_again, single_thread, condition, logpoint, step_pending, method_running]
)
@pytest.mark.every_java
async def test_busy_threads_run_on_when_they_are_left(jvm: Jvm, before: Callable[[Session], Awaitable[None]]) -> None:
    async with start_target(jvm, "Busy", str(THREADS), suspend=False) as target:
        await target.wait_output("ready")
        for time in (1, 3):
            async with jdbpy.attach_session(target.address) as session:
                await before(session)
            await target.wait_listening(time + 1)
            assert await suspended(target) == []
            await target.wait_listening(time + 2)
        await all_move(target)


@pytest.mark.every_java
async def test_a_thread_that_was_left_in_a_method_can_run_another_one_later(jvm: Jvm) -> None:
    async with start_target(jvm, "Busy", "1", suspend=False) as target:
        await target.wait_output("ready")
        for time in range(1, 9, 2):
            async with jdbpy.attach_session(target.address) as session:
                await method_running(session)
            await target.wait_listening(time + 1)
            async with jdbpy.attach_session(target.address) as session:
                await single_thread(session)
                assert (await session.values.evaluate("Busy.yes()")).text == "true"
            await target.wait_listening(time + 2)


@pytest.mark.every_java
async def test_threads_whose_events_a_killed_debugger_has_not_taken_run_on_after_the_next_session(jvm: Jvm) -> None:
    """Old agents report nothing until a resume, where the connection broke at a stop of everything."""
    asked = event_request.Set(
        EventKind.METHOD_ENTRY, JdwpSuspendPolicy.ALL, [event_request.ClassMatch("Busy")]
    )  # of several threads that come to one, one is reported and the others wait
    async with start_target(jvm, "Busy", str(THREADS), suspend=False) as target:
        await target.wait_output("ready")
        async with connected(target, [virtual_machine.IDSizes()]) as conn:
            conn.id_sizes = (await conn.hello[0].wait()).sizes()
            await conn.request(asked)
            with within(LIMIT):
                await conn.next_event()
        await target.wait_listening(2)
        async with jdbpy.attach_session(target.address):
            pass
        await target.wait_listening(3)
        assert await suspended(target) == []
        await target.wait_listening(4)
        await all_move(target)


@pytest.mark.usefixtures("nothing_ahead")
async def test_a_session_that_suspended_nothing_is_left_in_one_trip() -> None:
    jvm = FakeJvm()
    async with jvm.listening() as address:
        async with jdbpy.attach_session(address) as session:
            before = session.statistics().waves
            await session.detach()
            assert session.statistics().waves == before + 1
        assert jvm.received(virtual_machine.HoldEvents) == []


async def test_events_are_held_before_threads_are_resumed() -> None:
    jvm = FakeJvm()
    async with jvm.listening() as address, jdbpy.attach_session(address) as session:
        await session.breakpoints.add("Played.main")
        await jvm.hit()
        await session.next_stop()
        await session.detach()
    kinds = [type(each) for each in jvm.commands]
    hold, resume = kinds.index(virtual_machine.HoldEvents), kinds.index(virtual_machine.Resume)
    assert kinds.index(event_request.Set) < hold < resume < kinds.index(virtual_machine.Dispose)
    assert virtual_machine.ReleaseEvents not in kinds


@pytest.mark.parametrize("policy", [SuspendPolicy.THREAD, SuspendPolicy.ALL])
async def test_an_event_that_was_being_reported_is_resumed(policy: SuspendPolicy) -> None:
    jvm = FakeJvm()
    counts: list[int] = []

    def dispose(_: virtual_machine.Dispose) -> bytes:
        counts.append(jvm.world.threads[1].suspend_count)
        return b""

    jvm.on(virtual_machine.Dispose, dispose)
    async with jvm.listening() as address, jdbpy.attach_session(address) as session:
        await session.breakpoints.add("Played.main", policy=policy)
        made = dict(jvm.requests)

        async def hit_late() -> None:
            jvm._before.clear()
            jvm.requests.update(made)  # taken from the queue before the request was cleared
            await jvm.hit()

        jvm.before(thread_reference.SuspendCount, hit_late)
        await session.detach()
    assert counts == [0]


async def all_hit(session: Session) -> None:
    await session.breakpoints.add("Played.main")


async def one_hits(session: Session) -> None:
    await session.breakpoints.add("Played.main", policy=SuspendPolicy.THREAD)


async def one_writes(session: Session) -> None:
    await session.watchpoints.add("Played.count", options=PointOptions(policy=SuspendPolicy.THREAD))


@pytest.mark.parametrize("before", [all_hit, one_hits, one_writes])
async def test_an_event_that_is_reported_late_is_waited_for(before: Callable[[Session], Awaitable[None]]) -> None:
    """However late: its thread stands where its event is, and the agent is asked for what it keeps."""
    jvm = FakeJvm()
    done: list[int | str] = []

    def dispose(_: virtual_machine.Dispose) -> bytes:
        done.append(jvm.world.threads[1].suspend_count)
        return b""

    async def report_late() -> None:
        await jvm.wait_for(virtual_machine.ReleaseEvents)
        jvm.requests.update(made)
        done.append("reported")
        [(number, request)] = made.items()
        if request.eventKind == EventKind.BREAKPOINT:
            await jvm.hit()
        else:
            [field] = [each for each in request.modifiers if isinstance(each, event_request.FieldOnly)]
            written = event.FieldModification(
                number,
                ThreadID(ObjectID(1)),
                thread.stack[0],
                TypeTag.CLASS,
                field.declaring,
                field.fieldID,
                TaggedObjectID(Tag.OBJECT, ObjectID(0)),
                TaggedValue(Tag.INT, 1),
            )
            await jvm.happen(written, policy=request.suspendPolicy)

    jvm.on(virtual_machine.Dispose, dispose)
    async with jvm.listening() as address, jdbpy.attach_session(address) as session:
        await before(session)
        made = {number: each for number, each in jvm.requests.items() if each.eventKind != EventKind.CLASS_PREPARE}
        thread = jvm.world.threads[1]
        modifiers = [each for request in made.values() for each in request.modifiers]
        for each in modifiers:
            if isinstance(each, event_request.LocationOnly):
                thread.stack[0] = each.loc
        thread.at_event = True
        async with trio.open_nursery() as nursery:
            nursery.start_soon(report_late)
            await session.detach()
            nursery.cancel_scope.cancel()
    assert done == ["reported", 0]


async def test_threads_that_the_debugger_knows_nothing_of_are_resumed() -> None:
    jvm = FakeJvm()
    counts: list[int] = []

    def dispose(_: virtual_machine.Dispose) -> bytes:
        counts.append(jvm.world.threads[1].suspend_count)
        return b""

    jvm.on(virtual_machine.Dispose, dispose)
    async with jvm.listening() as address, jdbpy.attach_session(address) as session:
        await session.breakpoints.add("Played.main")
        jvm.world.threads[1].suspend_count = 3
        await session.detach()
    assert counts == [0]


def never_resumed(jvm: FakeJvm) -> None:
    jvm.on(thread_reference.SuspendCount, thread_reference.SuspendCountReply(1))


def never_answered(jvm: FakeJvm) -> None:
    jvm.on(virtual_machine.Dispose, SILENCE)


def refused(jvm: FakeJvm) -> None:
    jvm.on(virtual_machine.Dispose, Error.INTERNAL)


def cut_off(jvm: FakeJvm) -> None:
    jvm.hang_up(virtual_machine.Dispose, after=5)


FAULTS = [
    (never_resumed, "1 thread of the target is still suspended"),
    (never_answered, "has not confirmed within"),
    (refused, "INTERNAL"),
    (cut_off, "the connection was lost while leaving"),
]


@pytest.mark.parametrize(("fault", "said"), FAULTS)
async def test_what_cannot_be_proved_is_raised(
    fault: Callable[[FakeJvm], None], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leaving, "LIMIT", 0.2)
    jvm = FakeJvm()
    async with jvm.listening() as address:
        with pytest.raises(LeaveError, match=said) as raised:
            async with jdbpy.attach_session(address) as session:
                await session.breakpoints.add("Played.main")
                fault(jvm)
        assert raised.value.hint
        assert raised.value.code == "LEAVE"


async def test_detach_raises_and_the_session_is_over() -> None:
    jvm = FakeJvm()
    refused(jvm)
    async with jvm.listening() as address, jdbpy.attach_session(address) as session:
        with pytest.raises(LeaveError):
            await session.detach()
        assert session.ending is not None


async def test_an_error_of_the_block_is_not_hidden() -> None:
    jvm = FakeJvm()
    refused(jvm)
    async with jvm.listening() as address:
        with pytest.raises(ZeroDivisionError) as raised:
            async with jdbpy.attach_session(address):
                raise ZeroDivisionError
        [note] = raised.value.__notes__
        assert "may still be suspended" in note


async def test_a_cancelled_block_tells_as_well() -> None:
    jvm = FakeJvm()
    refused(jvm)
    async with jvm.listening() as address:
        with pytest.raises(LeaveError), trio.CancelScope() as scope:
            async with jdbpy.attach_session(address):
                scope.cancel()
                await trio.sleep_forever()


WAYS = [
    (["--batch"], ["threads"], 1),
    (["--batch"], ["quit"], 1),
    (["--batch"], ["detach"], 1),
    (["--batch"], ["thread nobody"], 1),
    (["--batch", "--timeout", "2"], ["cont"], 4),
]


@pytest.mark.parametrize(("options", "lines", "status"), WAYS)
async def test_every_way_to_leave_a_batch_fails_with_a_sentence(
    options: list[str], lines: list[str], status: int
) -> None:
    jvm = FakeJvm()
    refused(jvm)
    async with jvm.listening() as address:
        done = await run_jdbpy("attach", address, *options, *script(*lines))
    assert done.status == status, done.err
    assert done.err.count("may still be suspended") == 1


async def test_json_has_it_too() -> None:
    jvm = FakeJvm()
    refused(jvm)
    async with jvm.listening() as address:
        done = await run_jdbpy("attach", address, "--json", *script("threads"))
    assert (done.status, done.results[-1]["error"]["code"]) == (1, "LEAVE")


def with_throwable() -> FakeJvm:
    """A JVM that refuses to be left, with the class that jdb mode asks for when it begins."""
    jvm = FakeJvm()
    jvm.world.classes.append(FakeClass(101, "Ljava/lang/Throwable;"))
    refused(jvm)
    return jvm


async def test_jdb_mode_says_it_and_fails() -> None:
    jvm = with_throwable()
    async with jvm.listening() as address:
        done = await run_jdbpy("jdb", "-attach", address, stdin="quit\n")
    assert done.status == 1
    assert "Traceback" not in done.err
    assert done.err.count("may still be suspended") == 1


@pytest.mark.parametrize(("mode", "begun"), [(["attach"], b"main"), (["jdb", "-attach"], b"Initializing")])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
async def test_a_signal_keeps_its_status_and_the_sentence_is_there(
    mode: list[str], begun: bytes, number: signal.Signals
) -> None:
    jvm = with_throwable()
    pipe = subprocess.PIPE
    async with jvm.listening() as address:
        async with piped(command(*mode, address), stderr=pipe, env={**os.environ}) as process:
            await send_line(process, "threads")
            with within(LIMIT):
                assert process.stdout
                assert process.stderr
                seen = b""
                while begun not in seen:
                    seen += await process.stdout.receive_some()
                os.kill(process.pid, number)
                errors = b"".join([chunk async for chunk in process.stderr])
                assert await process.wait() == 128 + number
            assert errors.count(b"may still be suspended") == 1, errors


@pytest.mark.parametrize(
    ("sends", "looks", "after"), [(False, False, 1.0), (True, False, 5.0), (False, True, 1.0), (True, True, 10.0)]
)
async def test_leaving_has_more_time_while_the_target_sends(
    sends: bool, looks: bool, after: float, autojump_clock: MockClock
) -> None:
    """A flood of events that are under way is read before the answer to Dispose is; threads are looked at."""
    held = leaving._StillSuspended()
    held.looks = looks
    received = itertools.count() if sends else itertools.repeat(0)
    connection = SimpleNamespace(statistics=lambda: SimpleNamespace(bytes_in=next(received)))
    began = trio.current_time()
    with trio.CancelScope() as scope:
        await leaving._give_up(cast(Any, SimpleNamespace(conn=connection)), scope, 1.0, held)
        await trio.lowlevel.checkpoint()
    assert scope.cancelled_caught
    assert trio.current_time() - began == pytest.approx(after)


async def test_time_in_which_this_process_does_not_run_is_no_silence(mock_clock: MockClock) -> None:
    """A machine that gives it no processor for a while, or a SIGSTOP."""
    connection = SimpleNamespace(statistics=lambda: SimpleNamespace(bytes_in=0))
    async with trio.open_nursery() as nursery:
        scope = trio.CancelScope()
        nursery.start_soon(leaving._give_up, cast(Any, SimpleNamespace(conn=connection)), scope, 1.0)
        for _ in range(leaving._TICKS - 1):
            await trio.testing.wait_all_tasks_blocked()
            mock_clock.jump(60)
        await trio.testing.wait_all_tasks_blocked()
        assert not scope.cancel_called
        mock_clock.jump(60)
        await trio.testing.wait_all_tasks_blocked()
        assert scope.cancel_called


async def test_a_target_that_is_slow_has_more_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """As slow as it was in the session: its answer to Dispose comes after the limit that others have."""
    monkeypatch.setattr(leaving, "LIMIT", 0.3)

    async def name(command: object) -> thread_reference.NameReply:
        await trio.sleep(0.3)
        return thread_reference.NameReply("main")

    async def disposed(command: object) -> bytes:
        await trio.sleep(0.8)
        return b""

    jvm = FakeJvm()
    jvm.on(thread_reference.Name, name)
    jvm.on(virtual_machine.Dispose, disposed)
    async with jvm.listening() as address, jdbpy.attach_session(address) as session:
        await session._target.conn.request(thread_reference.Name(ThreadID(ObjectID(1))))
        await session.detach()


async def test_a_script_that_leaves_a_connection_which_is_lost() -> None:
    """Its Disconnected says all; the session may not have published the ending yet."""
    jvm = FakeJvm()
    jvm.hang_up(thread_reference.Name, after=5)
    async with jvm.listening() as address:
        async with jdbpy.attach_session(address) as session:
            session._dispatcher.exit_status = trio.sleep_forever  # the ending is published seconds later
            with pytest.raises(Disconnected):
                await session._target.conn.request(thread_reference.Name(ThreadID(ObjectID(1))))
            assert session.ending is None


async def test_a_suspend_count_that_cannot_be_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leaving, "LIMIT", 0.2)
    jvm = FakeJvm()
    jvm.on(thread_reference.SuspendCount, thread_reference.SuspendCountReply(20_000))
    async with jvm.listening() as address:
        with pytest.raises(LeaveError):
            async with jdbpy.attach_session(address) as session:
                await session.breakpoints.add("Played.main")
        rounds = len(jvm.received(thread_reference.SuspendCount))
        assert len(jvm.received(virtual_machine.Resume)) <= leaving.MOST * rounds

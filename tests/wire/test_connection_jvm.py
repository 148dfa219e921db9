"""The connection on real JVMs: many requests at once, events that overtake replies, and the ways in which it ends."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
import trio

from jdbpy.errors import ConnectError, Disconnected, JdbpyError
from jdbpy.wire.command import Command
from jdbpy.wire.connection import Connection
from jdbpy.wire.constants import EventKind, JdwpSuspendPolicy
from jdbpy.wire.ids import ThreadID
from jdbpy.wire.messages import event, event_request, thread_reference, virtual_machine
from jdbpy.wire.opening import open_connection
from tests.harness.connecting import connected
from tests.harness.jvms import Jvm
from tests.harness.limits import LIMIT, within
from tests.harness.targets import Target, start_target

pytestmark = pytest.mark.one_java

HELLO: list[Command[Any]] = [virtual_machine.IDSizes(), virtual_machine.Version(), virtual_machine.AllThreads()]


@asynccontextmanager
async def bustling(jvm: Jvm) -> AsyncIterator[tuple[Connection, Target]]:
    """A connection to a program that starts threads all the time."""
    async with start_target(jvm, "Bustle", suspend=False) as target:
        await target.wait_output("bustling")
        with within(LIMIT):
            async with connected(target, HELLO) as connection:
                yield connection, target


async def runs_on(target: Target) -> None:
    """The program makes progress from now on."""
    counted = target.stdout.rpartition("so far: ")[2] if "so far" in target.stdout else "0"
    await target.wait_output(f"so far: {int(counted) + 2000}")


@pytest.mark.two_javas
async def test_commands_in_the_segment_of_the_handshake(jvm: Jvm) -> None:
    async with bustling(jvm) as (connection, _):
        sizes, version, threads = await connection.gather(connection.hello)
        assert sizes.objectIDSize == 8
        assert str(jvm.feature) in version.vmVersion
        assert len(threads.threads) > 3
        assert connection.statistics().waves == 1


async def test_a_batch_with_errors_in_it(jvm: Jvm) -> None:
    async with bustling(jvm) as (connection, _):
        threads = (await connection.hello[2].wait()).threads
        bad = thread_reference.Name(ThreadID(1 << 40))
        outcomes = await connection.batch([*(thread_reference.Name(thread) for thread in threads[:3]), bad, bad])
        assert "main" in [getattr(outcome, "threadName", "") for outcome in outcomes]
        assert [getattr(outcome, "code", "") for outcome in outcomes[3:]] == ["INVALID_OBJECT"] * 2


async def test_thousands_of_requests_at_once(jvm: Jvm) -> None:
    async with bustling(jvm) as (connection, _):
        await connection.gather(connection.hello)
        before = connection.statistics()
        outcomes = await connection.batch([virtual_machine.Version()] * 5000)
        assert len({outcome.vmName for outcome in outcomes}) == 1
        done = connection.statistics().since(before)
        assert (done.commands, done.replies) == (5000, 5000)


async def test_no_event_comes_before_its_request_is_known(jvm: Jvm) -> None:
    """Threads start all the time, so their events race with the reply of the Set that asks for them."""
    known: set[int] = set()

    def on_reply(reply: event_request.SetReply | JdbpyError) -> None:
        assert isinstance(reply, event_request.SetReply)
        known.add(reply.requestID)

    async with bustling(jvm) as (connection, _):
        for _ in range(100):
            pending = connection.submit(
                event_request.Set(EventKind.THREAD_START, JdwpSuspendPolicy.NONE, []), on_reply=on_reply
            )
            for happened in (await connection.next_event()).events:
                assert happened.requestID in known
            await connection.request(event_request.Clear(EventKind.THREAD_START, (await pending.wait()).requestID))


async def test_a_flood_of_events_is_held(jvm: Jvm) -> None:
    """Nobody takes the events of a program that starts threads without pause: the target holds them back."""
    async with bustling(jvm) as (connection, _):
        for kind in (EventKind.THREAD_START, EventKind.THREAD_DEATH):
            await connection.request(event_request.Set(kind, JdwpSuspendPolicy.NONE, []))
        while not connection.statistics().holds:
            await connection.request(virtual_machine.AllThreads())
        for _ in range(3000):  # more than waited when they were held: they flow again
            composite = await connection.next_event()
            assert all(isinstance(one, event.ThreadStart | event.ThreadDeath) for one in composite.events)
        await connection.request(virtual_machine.AllThreads())


async def test_a_cancelled_suspend_is_undone(jvm: Jvm) -> None:
    async with bustling(jvm) as (connection, target):
        pending = connection.submit(virtual_machine.Suspend())
        pending.abandon()
        await connection.request(virtual_machine.Version())
        await runs_on(target)


async def test_dispose_leaves_the_target_running(jvm: Jvm) -> None:
    async with bustling(jvm) as (connection, target):
        connection.submit(virtual_machine.Suspend())
        await connection.request(virtual_machine.Dispose())
        assert await connection.wait_closed() == "the debugger has detached"
        with pytest.raises(Disconnected, match="has detached"):
            await connection.request(virtual_machine.Version())
        await runs_on(target)


async def test_closing_leaves_the_target_running(jvm: Jvm) -> None:
    async with bustling(jvm) as (connection, target):
        await connection.request(virtual_machine.Suspend())
        await connection.aclose()
        await runs_on(target)


async def test_exit(jvm: Jvm) -> None:
    async with bustling(jvm) as (connection, target):
        await connection.request(virtual_machine.Exit(7))
        assert await connection.wait_closed() == "the VM has ended, as the debugger asked"
        assert await target.wait_exit() == 7


async def test_the_vm_is_killed_in_the_middle_of_a_batch(jvm: Jvm) -> None:
    async with bustling(jvm) as (connection, target):
        await connection.request(virtual_machine.Version())
        async with trio.open_nursery() as nursery:

            async def kill() -> None:
                before = connection.statistics().replies
                while connection.statistics().replies == before:
                    await trio.lowlevel.checkpoint()
                target.kill()

            nursery.start_soon(kill)
            with pytest.raises(Disconnected, match="the VM was killed or crashed"):
                while True:
                    await connection.batch([virtual_machine.AllClassesWithGeneric()] * 100)
        assert "the VM was killed or crashed" in await connection.wait_closed()


async def test_a_vm_that_ends_by_itself(jvm: Jvm) -> None:
    async with start_target(jvm, "Hello", suspend=True) as target, trio.open_nursery() as nursery:
        with within(LIMIT):
            async with connected(target) as connection:

                async def dispatcher() -> None:
                    with pytest.raises(Disconnected, match="the VM has ended"):
                        while True:
                            await connection.next_event()

                await connection.next_event()  # VMStart; a Resume that overtakes it is lost
                nursery.start_soon(dispatcher)
                await connection.request(virtual_machine.Resume())
                await target.send()
                assert await connection.wait_closed() == "the VM has ended"


async def test_a_second_debugger_is_refused_and_harms_nothing(jvm: Jvm) -> None:
    async with bustling(jvm) as (connection, target):
        with pytest.raises((ConnectError, OSError)):
            second = await trio.open_tcp_stream("127.0.0.1", target.port)
            async with open_connection(second, handshake_timeout=LIMIT):
                raise AssertionError("two debuggers at once")
        await connection.request(virtual_machine.Version())

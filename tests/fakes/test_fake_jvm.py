"""The fake JVM keeps its promises, or what is tested with it is worth nothing."""

from __future__ import annotations

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

import jdbpy
from jdbpy.errors import ConnectError, Disconnected, JdwpError, ProtocolError
from jdbpy.wire.constants import Error, EventKind, JdwpSuspendPolicy, Tag
from jdbpy.wire.ids import (
    ArrayID,
    ClassID,
    FieldID,
    FieldValue,
    IDSizes,
    MethodID,
    ObjectID,
    ReferenceTypeID,
    TaggedValue,
    ThreadID,
)
from jdbpy.wire.messages import (
    array_reference,
    class_type,
    event,
    event_request,
    method,
    object_reference,
    reference_type,
    thread_reference,
    virtual_machine,
)
from tests.fakes.jvm import SILENCE, FakeJvm
from tests.fakes.world import FakeField, FakeThread

MAIN = ThreadID(1)
NAME = thread_reference.Name(MAIN)
BREAKPOINT = event_request.Set(EventKind.BREAKPOINT, JdwpSuspendPolicy.ALL)
SIZES = pytest.mark.parametrize("sizes", [IDSizes(), IDSizes(4, 4, 8, 8, 8), IDSizes(4, 4, 4, 4, 4)], ids=str)


@SIZES
async def test_it_answers_out_of_its_world(sizes: IDSizes) -> None:
    jvm = FakeJvm(sizes=sizes)
    async with jvm.connected() as connection:
        assert (await connection.request(virtual_machine.IDSizes())).sizes() == sizes
        assert (await connection.request(virtual_machine.AllThreads())).threads == [MAIN]
        assert (await connection.request(NAME)).threadName == "main"
        [found] = (await connection.request(virtual_machine.ClassesBySignature("LPlayed;"))).classes
        declared = (await connection.request(reference_type.MethodsWithGeneric(found.typeID))).declared
        assert [one.name for one in declared] == ["main", "total"]
        lines = (await connection.request(method.LineTable(found.typeID, declared[0].methodID))).lines
        assert [line.lineNumber for line in lines] == [3, 4, 5]


async def test_errors_are_those_of_the_agent() -> None:
    async with FakeJvm().connected() as connection:
        outcomes = await connection.batch(
            [
                thread_reference.Name(ThreadID(77)),
                thread_reference.Frames(MAIN),
                reference_type.Signature(ReferenceTypeID(77)),
                method.LineTable(ReferenceTypeID(100), MethodID(1)),
                virtual_machine.AllModules(),
            ]
        )
        assert [error.code for error in outcomes] == [
            "INVALID_THREAD",
            "THREAD_NOT_SUSPENDED",
            "INVALID_CLASS",
            "INVALID_METHODID",
            "NOT_IMPLEMENTED",
        ]


async def test_it_counts_suspensions() -> None:
    jvm = FakeJvm()
    jvm.world.threads[2] = FakeThread(2, "worker")
    async with jvm.connected() as connection:
        await connection.batch([virtual_machine.Suspend(), thread_reference.Suspend(MAIN)])
        before = (await connection.request(thread_reference.Frames(MAIN))).frames
        await connection.batch([virtual_machine.Resume(), virtual_machine.Resume(), virtual_machine.Resume()])
        assert jvm.world.suspended() == []
        await connection.request(thread_reference.Suspend(MAIN))
        assert jvm.world.suspended() == ["main"]
        after = (await connection.request(thread_reference.Frames(MAIN))).frames
        assert [frame.location for frame in after] == [frame.location for frame in before]
        assert [frame.frameID for frame in after] != [frame.frameID for frame in before]
    assert jvm.world.suspended() == []


async def test_events_suspend_by_their_policy() -> None:
    jvm = FakeJvm()
    jvm.world.threads[2] = FakeThread(2, "worker")
    async with jvm.connected() as connection:
        await connection.request(event_request.Set(EventKind.BREAKPOINT, JdwpSuspendPolicy.EVENT_THREAD))
        await jvm.hit()
        happened = await connection.next_event()
        assert happened.suspendPolicy == JdwpSuspendPolicy.EVENT_THREAD
        assert isinstance(happened.events[0], event.Breakpoint)
        assert happened.events[0].location == jvm.world.threads[1].stack[0]
        assert jvm.world.suspended() == ["main"]
        await jvm.happen(event.VMDeath(0))
        assert jvm.world.suspended() == ["main", "worker"]


async def test_requests_are_known_until_they_are_cleared() -> None:
    jvm = FakeJvm()
    async with jvm.connected() as connection:
        first = (await connection.request(BREAKPOINT)).requestID
        await connection.request(event_request.Set(EventKind.THREAD_START, JdwpSuspendPolicy.NONE))
        await connection.request(event_request.Clear(EventKind.BREAKPOINT, first))
        assert [request.eventKind for request in jvm.requests.values()] == [EventKind.THREAD_START]
        await connection.request(BREAKPOINT)
        await connection.request(event_request.ClearAllBreakpoints())
        assert [request.eventKind for request in jvm.requests.values()] == [EventKind.THREAD_START]


async def test_untagged_values_are_read_with_the_types_of_the_world() -> None:
    jvm = FakeJvm()
    jvm.world.classes[0].fields += [FakeField(0x7200, "wide", "J"), FakeField(0x7300, "text", "Ljava/lang/String;")]
    jvm.world.arrays[50] = Tag.SHORT
    values = [
        FieldValue(FieldID(0x7200), TaggedValue(Tag.LONG, -5)),
        FieldValue(FieldID(0x7300), TaggedValue(Tag.OBJECT, 9)),
    ]
    sent = [
        class_type.SetValues(ClassID(100), values),
        object_reference.SetValues(ObjectID(7), values[::-1]),
        array_reference.SetValues(ArrayID(50), 0, [TaggedValue(Tag.SHORT, 1), TaggedValue(Tag.SHORT, 2)]),
    ]
    async with jvm.connected() as connection:
        await connection.batch(sent)
    assert jvm.commands == sent


async def test_answers_of_the_test() -> None:
    jvm = FakeJvm()

    async def slowly(command: thread_reference.Name) -> thread_reference.NameReply:
        await trio.lowlevel.checkpoint()
        return thread_reference.NameReply(f"thread {command.thread}")

    async with jvm.connected() as connection:
        jvm.on(thread_reference.Name, thread_reference.NameReply("other"))
        assert (await connection.request(NAME)).threadName == "other"
        jvm.on(thread_reference.Name, slowly)
        assert (await connection.request(NAME)).threadName == "thread 1"
        jvm.on(thread_reference.Name, lambda command: Error.INVALID_THREAD)
        with pytest.raises(JdwpError, match="INVALID_THREAD"):
            await connection.request(NAME)
        jvm.on(thread_reference.Name, b"\0\0\0\5ab")
        with pytest.raises(ProtocolError, match="its length is 5"):
            await connection.request(NAME)


async def test_silence_and_late_replies() -> None:
    jvm = FakeJvm()
    jvm.on(virtual_machine.Version, SILENCE)
    jvm.hold(thread_reference.Name)
    async with jvm.connected() as connection:
        never, late = connection.submit(virtual_machine.Version()), connection.submit(NAME)
        assert (await connection.request(virtual_machine.AllThreads())).threads == [MAIN]
        await wait_all_tasks_blocked()
        assert not late.done
        await jvm.release()
        assert (await late.wait()).threadName == "main"
        assert not never.done


async def test_an_event_before_the_reply() -> None:
    jvm = FakeJvm()
    order: list[str] = []
    jvm.before(event_request.Set, jvm.hit)
    async with jvm.connected() as connection:
        connection.submit(BREAKPOINT, on_reply=lambda reply: order.append("reply"))
        happened = await connection.next_event()
        order.append(f"event of request {happened.events[0].requestID}")
    assert order == ["reply", "event of request 2"]


async def test_hanging_up() -> None:
    jvm = FakeJvm()
    jvm.hang_up(thread_reference.Name, after=13)
    async with jvm.connected() as connection:
        with pytest.raises(Disconnected, match=r"in the middle of a packet \(13 of 19 bytes\)"):
            await connection.request(NAME)
    await jvm.gone.wait()


async def test_waiting_for_a_command() -> None:
    jvm = FakeJvm()
    async with jvm.connected() as connection, trio.open_nursery() as nursery:

        async def ask() -> None:
            await connection.batch([virtual_machine.Suspend(), NAME, virtual_machine.Resume(), NAME])

        nursery.start_soon(ask)
        assert await jvm.wait_for(thread_reference.Name) == NAME
        assert isinstance(await jvm.wait_for(virtual_machine.Resume), virtual_machine.Resume)
        assert await jvm.wait_for(thread_reference.Name) == NAME
        assert len(jvm.received(thread_reference.Name)) == 2


async def test_dispose_ends_the_session_after_its_reply() -> None:
    jvm = FakeJvm()
    async with jvm.connected() as connection:
        await connection.batch([virtual_machine.Suspend(), virtual_machine.Dispose()])
        await connection.wait_closed()
        await jvm.gone.wait()
        assert jvm.world.suspended() == []


async def test_a_session_on_it() -> None:
    jvm = FakeJvm()
    async with jvm.listening() as address:
        async with jdbpy.attach_session(address) as session:
            assert session.info.name == "Fake VM"
            [thread] = await session.threads.list()
            assert thread.name == "main"
        await jvm.gone.wait()
        assert isinstance(jvm.commands[-1], virtual_machine.Dispose)
        assert jvm.world.suspended() == []


async def test_something_else_behind_the_port() -> None:
    jvm = FakeJvm(handshake=b"HTTP/1.1 400 Bad Request\r\n\r\n")
    async with jvm.listening() as address:
        with pytest.raises(ConnectError):
            async with jdbpy.attach_session(address):
                pass

"""Event sets whose owner need not wait to decide, against a played target: order, ``Suspension``, and what is handed
on.
"""

from __future__ import annotations

import inspect
from collections.abc import Coroutine
from functools import partial
from typing import Any

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from jdbpy.session.breakpoints.breakpoint_base import BreakpointBase
from jdbpy.session.breakpoints.class_watch import ClassWatch
from jdbpy.session.breakpoints.event_point import Basis
from jdbpy.session.breakpoints.exceptions import ExceptionCatchpoint
from jdbpy.session.events.requests import RESUME, Handler, RequestHit, StopPlan, Verdict, Vote
from jdbpy.session.events.suspension import SuspendOp
from jdbpy.session.java.class_names import ClassName
from jdbpy.session.jvm.refs import RefType
from jdbpy.session.model.breakpoints import PointOptions, SuspendPolicy
from jdbpy.session.model.events import Notice, StopReason
from jdbpy.session.model.vm import VmState
from jdbpy.wire.command import Command
from jdbpy.wire.constants import Error, EventKind, JdwpSuspendPolicy, Tag
from jdbpy.wire.framing import REPLY, Packet, encode_command, encode_packet
from jdbpy.wire.ids import ObjectID, TaggedObjectID
from jdbpy.wire.lazy_records import Columns
from jdbpy.wire.messages import event, event_request, thread_reference, virtual_machine
from tests.fakes.stage import ALL, MAIN, OTHER, PLACE, THREAD, Stage, go_at_once, stage, stop, stop_at_once


class Owner:
    """Notes the threads of its hits as it is asked, and comes to its verdict when it is told to."""

    def __init__(self) -> None:
        self.hits: list[int] = []
        self.go_on = trio.Event()
        self.verdict: Verdict = RESUME

    def wait(self, hit: RequestHit) -> Vote:
        self.hits.append(hit.thread)
        return self._decide()

    async def _decide(self) -> Verdict:
        await self.go_on.wait()
        return self.verdict


@pytest.mark.parametrize(
    ("policy", "resume"), [(THREAD, thread_reference.Resume(MAIN)), (ALL, virtual_machine.Resume())]
)
async def test_a_set_is_let_go_where_it_comes_in(policy: JdwpSuspendPolicy, resume: Command[Any]) -> None:
    async with stage() as s:
        tasks: list[str] = []

        def note(hit: RequestHit) -> Verdict:
            assert s.target.suspension.count(MAIN) == 1
            assert s.target.suspension.plan_release() == []  # it is nobody's yet
            tasks.append(trio.lowlevel.current_task().name)
            return RESUME

        await s.request(2, note, policy)
        for _ in range(2):
            await s.hit(2, policy=policy)
            await s.peer.answer(resume)
        assert all(name.endswith("_receive") for name in tasks)
        assert len(tasks) == 2
        assert s.target.state is VmState.RUNNING
        assert s.target.suspension.undecided is None
        assert not s.shown


async def test_a_handler_that_lets_the_thread_go_itself_resumes_it_once() -> None:
    async with stage() as s:

        def hasten(hit: RequestHit) -> Verdict:
            assert hit.go_on is not None
            hit.go_on()
            return RESUME

        await s.request(2, hasten, THREAD)
        await s.hit(2, policy=THREAD)
        await s.hit(2, policy=THREAD, thread=OTHER)
        await s.peer.answer(thread_reference.Resume(MAIN))
        await s.peer.answer(thread_reference.Resume(OTHER))
        assert not s.target.suspension.anything_held


async def test_a_set_is_resumed_once_whatever_is_decoded_before_its_turn_comes() -> None:
    """Hits that are looked at meanwhile are decoded too; the set that was begun is found to be the same one."""
    async with stage() as s:

        async def hasten(hit: RequestHit) -> Verdict:
            assert hit.go_on is not None
            hit.go_on()
            await trio.lowlevel.checkpoint()
            return RESUME

        def ask(hit: RequestHit) -> Vote:
            of_another_thread = event.Composite(THREAD, [event.Breakpoint(2, OTHER, PLACE)])
            data = s.target.conn._codec.encode(of_another_thread, s.target.conn.id_sizes)
            s.target.conn.decode_event(Packet(1, 0, 64, 100, 0, data))
            return hasten(hit)

        await s.request(2, ask, THREAD)
        await s.hit(2, policy=THREAD)
        await s.hit(2, policy=THREAD, thread=OTHER)
        await s.peer.answer(thread_reference.Resume(MAIN))
        await s.peer.answer(thread_reference.Resume(OTHER))
        assert not s.target.suspension.anything_held


async def test_a_thread_that_is_held_otherwise_stays_held() -> None:
    async with stage() as s:
        await s.request(2, go_at_once, THREAD)
        s.target.submit_op(SuspendOp.VM_SUSPEND)
        await s.hit(2, policy=THREAD)
        await s.peer.answer(virtual_machine.Suspend())
        await s.peer.answer(thread_reference.Resume(MAIN))
        assert s.target.suspension.count(MAIN) == 1


async def test_a_set_waits_for_those_before_it() -> None:
    async with stage() as s:
        slow, order = Owner(), []

        def note(hit: RequestHit) -> Verdict:
            order.append(hit.thread)
            return RESUME

        await s.request(2, slow.wait, THREAD)
        await s.request(3, note, THREAD)
        await s.hit(2, policy=THREAD, thread=MAIN)
        await s.hit(3, policy=THREAD, thread=OTHER)
        assert not order
        slow.go_on.set()
        await s.peer.answer(thread_reference.Resume(MAIN))
        await s.peer.answer(thread_reference.Resume(OTHER))
        assert order == [OTHER]


async def test_a_set_that_comes_while_a_request_is_being_set_waits_for_its_reply() -> None:
    """It may be of that request; sets behind it, whose request is known, do not overtake it."""
    async with stage() as s, trio.open_nursery() as nursery:
        hits: list[int] = []

        def note(hit: RequestHit) -> Verdict:
            hits.append(hit.event.requestID)
            return RESUME

        await s.request(2, note, THREAD)
        nursery.start_soon(s.target.requests.add, EventKind.BREAKPOINT, THREAD, [], note)
        packet = await s.peer.expect(event_request.Set(EventKind.BREAKPOINT, THREAD, []))
        await s.hit(9, policy=THREAD, thread=OTHER)
        await s.hit(2, policy=THREAD, thread=MAIN)
        assert not hits
        await s.peer.reply(packet, event_request.SetReply(9))
        await s.peer.answer(thread_reference.Resume(OTHER))
        await s.peer.answer(thread_reference.Resume(MAIN))
        assert hits == [9, 2]


async def test_a_request_that_is_cleared_before_its_set_has_its_turn_is_not_asked() -> None:
    async with stage() as s, trio.open_nursery() as nursery:
        owner = Owner()
        await s.request(2, owner.wait, THREAD)
        nursery.start_soon(s.target.requests.add, EventKind.BREAKPOINT, THREAD, [], go_at_once)
        packet = await s.peer.expect(event_request.Set(EventKind.BREAKPOINT, THREAD, []))
        await s.hit(2, policy=THREAD)
        s.target.requests.submit_clear(s.target.requests.all_active())
        await s.peer.answer(event_request.Clear(EventKind.BREAKPOINT, 2))
        await s.peer.reply(packet, event_request.SetReply(3))
        await s.peer.answer(thread_reference.Resume(MAIN))
        assert not owner.hits


@pytest.mark.parametrize("handler", [stop, stop_at_once])
async def test_a_request_that_is_cleared_before_the_dispatcher_is_awake_does_not_stop(handler: Handler) -> None:
    async with stage() as s:
        await s.request(2, handler, THREAD)
        requests = s.target.requests

        def clear(_: object) -> None:
            requests.submit_clear(requests.all_active())

        s.target.conn.submit(virtual_machine.Version(), on_reply=clear)
        asked = await s.peer.expect(virtual_machine.Version())
        await _come_together(s, asked, event.Breakpoint(2, MAIN, PLACE))
        assert not s.shown
        await s.peer.answer(event_request.Clear(EventKind.BREAKPOINT, 2))
        await s.peer.answer(thread_reference.Resume(MAIN))


@pytest.mark.parametrize("policy", [THREAD, ALL])
async def test_an_owner_who_has_to_wait_is_asked_once_and_its_hit_is_nobodys_till_then(
    policy: JdwpSuspendPolicy,
) -> None:
    async with stage() as s:
        owner = Owner()
        owner.verdict = StopPlan(StopReason.BREAKPOINT, {})
        await s.request(2, owner.wait, policy)
        await s.hit(2, policy=policy)
        assert s.target.suspension.count(MAIN) == 1
        assert s.target.suspension.plan_release() == []
        assert not s.shown
        owner.go_on.set()
        await wait_all_tasks_blocked()
        assert owner.hits == [MAIN]
        assert len(s.shown) == 1
        assert s.target.suspension.count(MAIN) == 1
        assert len(s.target.suspension.plan_release()) == 1


async def test_a_stop_that_is_decided_at_once_is_shown_by_the_dispatcher() -> None:
    async with stage() as s:
        await s.request(2, stop_at_once, THREAD)
        await s.request(3, go_at_once, THREAD)
        await s.hit(2, policy=THREAD, thread=MAIN)
        await s.hit(3, policy=THREAD, thread=OTHER)
        await s.peer.answer(thread_reference.Resume(OTHER))
        assert [hit.thread for votes in s.shown for hit, _ in votes] == [MAIN]
        assert s.target.suspension.held_threads() == [MAIN]


async def test_sets_that_come_together_keep_their_order() -> None:
    """The first is begun where it comes in, the others follow it through the queue."""
    async with stage() as s:
        slow = Owner()
        await s.request(2, slow.wait, THREAD)
        await s.request(3, stop, THREAD)
        together = [
            event.Composite(THREAD, [event.Breakpoint(request, thread, PLACE)])
            for request, thread in ((2, MAIN), (3, OTHER), (2, OTHER))
        ]
        await s.peer.events(*together)
        await wait_all_tasks_blocked()
        assert slow.hits == [MAIN]
        slow.go_on.set()
        await s.peer.answer(thread_reference.Resume(MAIN))
        await s.peer.answer(thread_reference.Resume(OTHER))
        assert [hit.event.requestID for votes in s.shown for hit, _ in votes] == [3]
        assert slow.hits == [MAIN, OTHER]


async def test_an_event_of_an_unknown_kind_is_nobodys_whatever_its_bytes() -> None:
    async with stage() as s:
        await s.request(2, stop_at_once)
        with s.target.publisher.subscribe() as events:
            await s.peer.event(event.Composite(ALL, [event.UnknownEvent(0, 77, b"\0\0\0\2")]))
            await s.peer.answer(virtual_machine.Resume())
            told = await anext(events)
        assert isinstance(told, Notice) and "77" in told.text
        assert not s.shown


async def test_a_class_comes_as_nobody_waits_for_it_any_more() -> None:
    """The dispatcher sets nothing in the class, and leaves no coroutine unawaited."""
    set_in: list[RefType] = []

    async def note(prepared: RefType) -> None:
        set_in.append(prepared)

    async with stage() as s:
        watch = ClassWatch(s.target, ClassName("com.shop.Order"), note)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(watch.open)
            none = virtual_machine.AllClassesWithGenericReply(Columns.of(virtual_machine.ClassInfoWithGeneric, []))
            for packet in await s.peer.packets(2):  # in either order
                sets = packet.command_set == event_request.Set.COMMAND_SET
                answer = event_request.SetReply(2) if sets else none
                await s.peer.reply(packet.id, answer)

        def close(_: object) -> None:
            watch.close()

        s.target.conn.submit(virtual_machine.Version(), on_reply=close)
        prepared = event.ClassPrepare(2, MAIN, 1, PLACE.classID, "Lcom/shop/Order;", 7)
        await _come_together(s, await s.peer.expect(virtual_machine.Version()), prepared)
        await s.peer.answer(event_request.Clear(EventKind.CLASS_PREPARE, 2))
        await s.peer.answer(thread_reference.Resume(MAIN))
    assert not set_in


async def test_an_exception_comes_as_its_point_is_deleted() -> None:
    """The dispatcher does not ask for the class of the exception, and leaves no coroutine unawaited."""
    async with stage() as s:

        def met(point: BreakpointBase, reason: StopReason, hit: RequestHit) -> Vote:
            raise AssertionError("the point was deleted")

        basis = Basis(1, PointOptions(policy=SuspendPolicy.THREAD), s.target, met)
        point = ExceptionCatchpoint(basis, name=ClassName("*Failure"), caught=True, uncaught=True)
        requests = s.target.requests
        async with trio.open_nursery() as nursery:
            nursery.start_soon(requests.add, EventKind.EXCEPTION, THREAD, [], partial(point._on_event, ()))
            await s.peer.answer(event_request.Set(EventKind.EXCEPTION, THREAD, []), event_request.SetReply(2))

        def delete(_: object) -> None:
            requests.submit_clear(requests.all_active())

        s.target.conn.submit(virtual_machine.Version(), on_reply=delete)
        thrown = event.Exception(2, MAIN, PLACE, TaggedObjectID(Tag.OBJECT, ObjectID(9)), PLACE)
        await _come_together(s, await s.peer.expect(virtual_machine.Version()), thrown)
        await s.peer.answer(event_request.Clear(EventKind.EXCEPTION, 2))
        await s.peer.answer(thread_reference.Resume(MAIN))


async def _come_together(s: Stage, asked: int, happened: Any) -> None:
    """Send an event and the answer to what was asked in one segment: both are here before the dispatcher is awake."""
    composite = s.peer.codec.encode(event.Composite(THREAD, [happened]))
    answer = Packet(asked, REPLY, 0, 0, Error.NOT_IMPLEMENTED, b"")
    await s.peer.stream.send_all(encode_command(1, 64, 100, composite) + encode_packet(answer))
    await wait_all_tasks_blocked()


async def test_an_owner_that_is_not_heard_any_more_leaves_nothing_behind() -> None:
    """The session ends in the moment in which a hit comes in."""
    begun: list[Coroutine[Any, Any, Verdict]] = []
    async with stage() as s:

        def begin(hit: RequestHit) -> Vote:
            s.cancel_scope.cancel()
            begun.append(stop(hit))
            return begun[0]

        await s.request(2, begin)
        await s.hit(2)
    assert [inspect.getcoroutinestate(each) for each in begun] == [inspect.CORO_CLOSED]

"""Hits with a false condition, against a played target: races that no JVM makes on demand."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from jdbpy.errors import JdbpyError, JdwpError, StateError
from jdbpy.session.events.conditions import MethodCall
from jdbpy.session.events.fast_hits import FastHits
from jdbpy.session.events.requests import RESUME, RequestHit, RequestSpec, Verdict
from jdbpy.session.events.suspension import SuspendOp
from jdbpy.session.events.target import Target
from jdbpy.session.model.events import VMDisconnected
from jdbpy.session.model.vm import VmState
from jdbpy.wire.command import Command
from jdbpy.wire.constants import Error, EventKind, JdwpSuspendPolicy, Tag
from jdbpy.wire.ids import FieldID, FrameID, ObjectID, TaggedValue
from jdbpy.wire.messages import event, event_request, object_reference, stack_frame, thread_reference, virtual_machine
from tests.fakes.conditions import IsOne
from tests.fakes.frames import frames_reply
from tests.fakes.stage import ALL, MAIN, OTHER, PLACE, THREAD, Stage, stage, stop

ELSEWHERE = PLACE.replace(index=99)
ONE_RESUME = 0x10000
FIRST = FrameID(3 * ONE_RESUME)
RESUME_THREAD = thread_reference.Resume(MAIN)
NOT_SUSPENDED = Error.THREAD_NOT_SUSPENDED
HOLDS, FAILS = 1, 0
FIELD = object_reference.GetValues(ObjectID(9), [FieldID(5)])


class Further:
    """An evaluation that reads on: it holds if the field of an object is 1."""

    call: MethodCall | None = None
    calls: Sequence[Any] = ()

    def __init__(self) -> None:
        self.asks: Sequence[Command[Any]] = [FIELD]
        self.holds: bool | None = None
        self.closed = False

    def answer(self, outcomes: Sequence[Any]) -> None:
        [outcome] = outcomes
        self.asks = ()
        self.holds = None if isinstance(outcome, JdwpError) else bool(outcome.values[0].value == 1)

    def close(self) -> None:
        self.closed = True


class Method:
    """A method that has a second to return."""

    limit = 1.0

    def __init__(self, target: Target) -> None:
        self.target = target
        self.on_end: Callable[[Any], None] | None = None
        self.outcome: Any = None

    def start(self, on_end: Callable[[Any], None]) -> None:
        self.on_end = on_end
        self.target.invocations.begin(MAIN, others_run=False)

    def returns(self, outcome: bool) -> None:
        self.target.invocations.ended(MAIN)
        assert self.on_end is not None
        self.on_end(outcome)

    async def unreturned(self) -> JdbpyError:
        return StateError("it has not returned")


class Calling:
    """An evaluation that runs a method, whose result it is."""

    asks: Sequence[Command[Any]] = ()

    def __init__(self, method: Method) -> None:
        self.call: MethodCall | None = method
        self.calls: Sequence[Any] = ()
        self.holds: bool | None = None

    def answer(self, outcomes: Sequence[Any]) -> None:
        self.call, self.calls, [self.holds] = None, outcomes, outcomes

    def close(self) -> None:
        self.call = None


class Loop:
    """A thread that meets a breakpoint with a condition again and again; frame ids can be foreseen."""

    def __init__(self, s: Stage, fast: FastHits) -> None:
        self.s = s
        self.peer = s.peer
        self.fast = fast
        self.point = IsOne()
        self.frame = FIRST
        self.latency = 0.0

    async def set_up(self, policy: JdwpSuspendPolicy = THREAD) -> None:
        spec = RequestSpec(EventKind.BREAKPOINT, policy, [], stop, self.point)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.s.target.requests.add_many, [spec])
            await self.peer.answer(event_request.Set(EventKind.BREAKPOINT, policy, []), event_request.SetReply(7))
        frame_id_predictor = self.s.target.frame_id_predictor
        frame_id_predictor.compare(MAIN, 0, None, FIRST)
        frame_id_predictor.compare(MAIN, 0, frame_id_predictor.guess(MAIN), FIRST)

    async def hit(self, policy: JdwpSuspendPolicy = THREAD) -> None:
        await self.s.hit(7, policy=policy)

    async def read(self) -> tuple[int, int]:
        """The debugger reads the variable at a hit; gives the id of the packet."""
        [read] = self.point.commands(MAIN, self.frame)
        return 0, await self.peer.expect(read)

    async def asked(self) -> tuple[int, int]:
        """The debugger reads the frame and the variable ahead; gives the ids of the packets."""
        frames = await self.peer.expect(thread_reference.Frames(MAIN, 0, 1))
        [read] = self.point.commands(MAIN, self.frame)
        return frames, await self.peer.expect(read)

    async def answer(self, asked: tuple[int, int], number: int) -> None:
        frames, values = asked
        await trio.sleep(self.latency)
        if frames:
            await self.answer_frames(frames)
        await self.answer_values(values, number)

    async def answer_frames(self, packet: int) -> None:
        await self.peer.reply(packet, frames_reply(thread_reference.Frame(self.frame, PLACE)))

    async def answer_values(self, packet: int, number: int) -> None:
        await self.peer.reply(packet, stack_frame.GetValuesReply([TaggedValue(Tag.INT, number)]))

    async def refuse(self, asked: tuple[int, int]) -> None:
        """The thread is not back yet."""
        await trio.sleep(self.latency)
        for packet in asked:
            await self.peer.reply(packet, error=NOT_SUSPENDED)

    async def resumed(self) -> None:
        """The debugger lets the thread go."""
        await self.peer.answer(RESUME_THREAD)
        self.frame = FrameID(self.frame + ONE_RESUME)

    async def go_round(self) -> None:
        """A false hit that is read when it has come."""
        await self.hit()
        await self.answer(await self.read(), FAILS)
        await self.resumed()


@asynccontextmanager
async def loop(policy: JdwpSuspendPolicy = THREAD, *, latency: float = 0.0) -> AsyncIterator[Loop]:
    async with stage() as s:
        made = Loop(s, s.dispatcher.fast_hits)
        await made.set_up(policy)
        made.latency = latency
        yield made


high_latency = partial(loop, latency=0.02)
"""Answers take long enough for reading ahead."""


# Near: by a clock that stands while there is work, so that no answer takes long, busy as the machine may be


async def test_a_false_hit_is_let_go_and_nobody_is_asked(autojump_clock: MockClock) -> None:
    async with loop() as played:
        for _ in range(3):
            await played.hit()
            await played.answer(await played.read(), FAILS)
            await played.resumed()
        assert not played.s.shown
        assert not played.s.target.suspension.anything_held
        assert played.fast.let_go == 3


async def test_with_everything_suspended_everything_is_resumed(autojump_clock: MockClock) -> None:
    async with loop(ALL) as played:
        await played.hit(ALL)
        await played.answer(await played.read(), FAILS)
        await played.peer.answer(virtual_machine.Resume())
        assert played.s.target.state is VmState.RUNNING


async def test_a_true_hit_goes_to_the_dispatcher_and_is_known_to_be_true(autojump_clock: MockClock) -> None:
    async with loop() as played:
        await played.hit()
        await played.answer(await played.read(), HOLDS)
        await wait_all_tasks_blocked()
        assert len(played.s.shown) == 1
        assert played.point.told == [(MAIN, None)]
        assert played.s.target.suspension.is_suspended(MAIN)
        assert played.fast.let_go == 0


async def field_asked(played: Loop) -> int:
    """A hit whose condition reads on; gives the id of the packet that asks for the field."""
    played.point.evaluations.append(Further())
    await played.hit()
    await played.answer(await played.read(), FAILS)
    return await played.peer.expect(FIELD)


def field(number: int) -> object_reference.GetValuesReply:
    return object_reference.GetValuesReply([TaggedValue(Tag.INT, number)])


async def test_a_condition_that_reads_on_is_followed_where_the_answers_come_in(autojump_clock: MockClock) -> None:
    async with loop() as played:
        await played.peer.reply(await field_asked(played), field(FAILS))
        await played.resumed()
        assert not played.s.shown
        await played.peer.reply(await field_asked(played), field(HOLDS))
        await wait_all_tasks_blocked()
        assert len(played.s.shown) == 1
        assert played.point.holds_there
        assert played.fast.let_go == 1


async def test_what_cannot_be_read_on_goes_to_the_dispatcher(autojump_clock: MockClock) -> None:
    async with loop() as played:
        await played.peer.reply(await field_asked(played), error=Error.INVALID_OBJECT)
        await wait_all_tasks_blocked()
        assert len(played.s.shown) == 1
        assert not played.point.holds_there


@asynccontextmanager
async def method_called() -> AsyncIterator[tuple[Loop, Method]]:
    """A hit whose condition runs a method."""
    async with loop() as played:
        method = Method(played.s.target)
        played.point.evaluations.append(Calling(method))
        await played.hit()
        await played.answer(await played.read(), FAILS)
        await wait_all_tasks_blocked()
        assert method.on_end is not None
        assert not played.s.target.suspension.anything_held, "it is not decided yet"
        yield played, method


async def test_a_method_of_a_condition_is_run_and_its_thread_let_go(autojump_clock: MockClock) -> None:
    async with method_called() as (played, method):
        method.returns(False)
        await played.resumed()
        assert not played.s.shown
        assert not played.s.target.suspension.is_suspended(MAIN)
        assert played.fast.let_go == 1


async def test_a_method_that_gives_true_is_not_run_again(autojump_clock: MockClock) -> None:
    async with method_called() as (played, method):
        method.returns(True)
        await wait_all_tasks_blocked()
        assert len(played.s.shown) == 1
        assert played.point.holds_there
        assert played.point.run == [([True], None)]
        assert played.s.target.suspension.count(MAIN) == 1


async def test_a_method_that_does_not_return_is_an_error_of_the_condition(autojump_clock: MockClock) -> None:
    async with method_called() as (played, method):
        await trio.sleep(1.1)
        await wait_all_tasks_blocked()
        [([], error)] = played.point.run
        assert error is not None
        assert error.message == "it has not returned"
        assert len(played.s.shown) == 1
        method.returns(False)
        await wait_all_tasks_blocked()
        assert played.s.target.suspension.count(MAIN) == 1, "it stays at its stop"


async def test_a_thread_that_is_resumed_while_it_runs_a_method_makes_no_stop(autojump_clock: MockClock) -> None:
    """By ``panic`` or the watchdog."""
    async with method_called() as (played, method):
        played.s.target.submit_op(SuspendOp.VM_RESUME)
        played.s.target.submit_op(SuspendOp.THREAD_RESUME, MAIN, by_event=True)
        await played.peer.answer(virtual_machine.Resume())
        await played.peer.answer(RESUME_THREAD)
        method.returns(True)
        await played.peer.answer(RESUME_THREAD)  # the method has ended with its thread suspended
        await wait_all_tasks_blocked()
        assert not played.s.shown
        assert not played.s.target.suspension.is_suspended(MAIN)


async def test_a_hit_behind_one_that_was_resumed_waits_for_it(autojump_clock: MockClock) -> None:
    """The dispatcher comes to the first one late, and must not resume the thread for it: that stands at the second."""
    async with method_called() as (played, method):
        target, go_on = played.s.target, trio.Event()

        async def take_long(hit: RequestHit) -> Verdict:
            await go_on.wait()
            return RESUME

        await played.s.request(9, take_long, THREAD)
        await played.s.hit(9, policy=THREAD, thread=OTHER)
        target.submit_op(SuspendOp.THREAD_RESUME, MAIN, by_event=True)
        await played.peer.answer(RESUME_THREAD)
        method.returns(True)
        await played.resumed()
        second = Method(target)
        played.point.evaluations.append(Calling(second))
        await played.hit()
        guess = target.frame_id_predictor.guess(MAIN)
        assert guess is not None
        played.frame = guess
        await played.answer(await played.read(), FAILS)
        await wait_all_tasks_blocked()
        assert second.on_end is None, "it is the dispatcher's"
        go_on.set()
        await played.peer.answer(thread_reference.Resume(OTHER))
        await wait_all_tasks_blocked()
        assert len(played.s.shown) == 1
        assert target.suspension.count(MAIN) == 1


async def test_a_condition_that_is_changed_amid_its_reads_is_not_followed(autojump_clock: MockClock) -> None:
    async with loop() as played:
        packet = await field_asked(played)
        played.point.condition = None
        await played.peer.reply(packet, field(FAILS))
        await wait_all_tasks_blocked()
        assert len(played.s.shown) == 1


async def test_hits_of_several_threads_are_looked_at_side_by_side(autojump_clock: MockClock) -> None:
    async with loop() as played:
        frame_id_predictor = played.s.target.frame_id_predictor
        frame_id_predictor.compare(OTHER, 0, None, FIRST)
        first = await field_asked(played)
        played.point.evaluations.append(Further())
        await played.peer.event(event.Composite(THREAD, [event.Breakpoint(7, OTHER, PLACE)]))
        [read] = played.point.commands(OTHER, FIRST)
        await played.answer_values(await played.peer.expect(read), FAILS)
        second = await played.peer.expect(FIELD)
        await played.peer.reply(second, field(FAILS))
        await played.peer.answer(thread_reference.Resume(OTHER))
        await played.peer.reply(first, field(FAILS))
        await played.resumed()
        assert not played.s.shown


async def test_what_cannot_be_read_goes_to_the_dispatcher(autojump_clock: MockClock) -> None:
    async with loop() as played:
        await played.hit()
        _, values = await played.read()
        await played.peer.reply(values, error=Error.INVALID_SLOT)
        await wait_all_tasks_blocked()
        assert len(played.s.shown) == 1


async def test_a_frame_that_was_not_foreseen_goes_to_the_dispatcher(autojump_clock: MockClock) -> None:
    async with loop() as played:
        await played.hit()
        _, values = await played.read()
        await played.peer.reply(values, error=Error.INVALID_FRAMEID)
        await wait_all_tasks_blocked()
        assert len(played.s.shown) == 1
        assert played.s.target.frame_id_predictor._wrong == 1


async def test_a_point_that_is_removed_meanwhile_is_not_asked(autojump_clock: MockClock) -> None:
    async with loop() as played:
        await played.hit()
        asked = await played.read()
        played.s.target.requests.submit_clear(played.s.target.requests.all_active())
        await played.peer.answer(event_request.Clear(EventKind.BREAKPOINT, 7))
        await played.answer(asked, HOLDS)
        await played.resumed()
        assert not played.s.shown


async def test_a_condition_that_is_changed_meanwhile_does_not_count(autojump_clock: MockClock) -> None:
    async with loop() as played:
        await played.hit()
        asked = await played.read()
        played.point.condition = None
        await played.answer(asked, FAILS)
        await wait_all_tasks_blocked()
        assert len(played.s.shown) == 1


async def test_a_thread_that_is_resumed_meanwhile_is_not_resumed_twice(autojump_clock: MockClock) -> None:
    async with loop() as played:
        target = played.s.target
        target.submit_op(SuspendOp.VM_SUSPEND)
        await played.peer.answer(virtual_machine.Suspend())
        await played.hit()
        asked = await played.read()
        target.submit_op(SuspendOp.VM_RESUME)
        await played.peer.answer(virtual_machine.Resume())
        await played.answer(asked, FAILS)
        await wait_all_tasks_blocked()
        assert played.fast.let_go == 0
        assert len(played.s.shown) == 1, "the handler decides what to make of it"


async def test_several_events_at_once_are_the_dispatchers(autojump_clock: MockClock) -> None:
    async with loop() as played:
        await played.s.request(8, stop, THREAD)
        await played.s.hit(7, 8, policy=THREAD)
        assert len(played.s.shown[0]) == 2


async def test_hits_wait_while_a_method_lets_all_threads_run(autojump_clock: MockClock) -> None:
    async with loop() as played:
        played.s.target.invocations.begin(OTHER, others_run=True)
        await played.hit()
        assert len(played.s.shown) == 1


async def test_a_hit_that_is_let_go_amid_a_method_of_another_thread_counts_as_the_agent_counts(
    autojump_clock: MockClock,
) -> None:
    """Everything was suspended when the hit came in: its thread stays so, with the count that it had."""
    async with loop() as played:
        target = played.s.target
        target.suspension.event(OTHER, everything=True)
        target.invocations.begin(OTHER, others_run=False)
        await played.hit()
        await played.answer(await played.read(), FAILS)
        await played.resumed()
        assert target.invocations._agent.of(MAIN) == target.suspension.count(MAIN) == 1


async def test_a_connection_that_is_lost_amid_a_hit_ends_as_ever(autojump_clock: MockClock) -> None:
    async with loop() as played:
        await played.hit()
        await played.read()
        await played.peer.stream.aclose()
        assert isinstance(await played.s.target.publisher.wait_ended(), VMDisconnected)


# Far


async def test_a_hit_that_comes_before_the_answers_is_not_read_again(autojump_clock: MockClock) -> None:
    async with high_latency() as played:
        await played.go_round()
        asked = await played.asked()
        await played.hit()
        await played.answer(asked, FAILS)
        await played.resumed()
        assert (played.fast.let_go, played.fast.read_ahead) == (2, 1)
        asked = await played.asked()
        await played.hit()
        await played.answer(asked, HOLDS)
        await wait_all_tasks_blocked()
        assert len(played.s.shown) == 1
        assert played.point.told == [(MAIN, 1)]


async def test_everything_suspended_is_read_ahead_as_well(autojump_clock: MockClock) -> None:
    async with high_latency(ALL) as played:
        await played.hit(ALL)
        await played.answer(await played.read(), FAILS)
        await played.peer.answer(virtual_machine.Resume())
        played.frame = FrameID(played.frame + ONE_RESUME)
        asked = await played.asked()
        await played.hit(ALL)
        await played.answer(asked, FAILS)
        await played.peer.answer(virtual_machine.Resume())
        assert played.fast.read_ahead == 1


async def test_a_thread_that_is_not_back_is_read_when_it_comes(autojump_clock: MockClock) -> None:
    async with high_latency() as played:
        await played.go_round()
        await played.refuse(await played.asked())
        await played.go_round()
        assert (played.fast.let_go, played.fast.read_ahead) == (2, 0)


async def test_answers_before_the_event_do_not_count(autojump_clock: MockClock) -> None:
    async with high_latency() as played:
        await played.go_round()
        await played.answer(await played.asked(), FAILS)
        await played.hit()
        await played.answer(await played.read(), HOLDS)
        await wait_all_tasks_blocked()
        assert len(played.s.shown) == 1
        assert played.fast.read_ahead == 0


async def test_an_event_between_the_answers_does_not_make_them_count(autojump_clock: MockClock) -> None:
    async with high_latency() as played:
        await played.go_round()
        frames, values = await played.asked()
        await played.answer_frames(frames)
        await played.hit()
        await played.answer_values(values, FAILS)
        await played.answer(await played.read(), HOLDS)
        await wait_all_tasks_blocked()
        assert len(played.s.shown) == 1


async def test_an_event_elsewhere_stops_and_the_answers_are_forgotten(autojump_clock: MockClock) -> None:
    async with high_latency() as played:
        await played.s.request(8, stop, THREAD)
        await played.go_round()
        asked = await played.asked()
        await played.peer.event(event.Composite(THREAD, [event.Breakpoint(8, MAIN, ELSEWHERE)]))
        await played.answer(asked, FAILS)
        await wait_all_tasks_blocked()
        assert len(played.s.shown) == 1
        assert played.s.target.suspension.is_suspended(MAIN)
        assert played.fast.let_go == 1


async def test_answers_of_another_place_do_not_let_a_hit_go(autojump_clock: MockClock) -> None:
    async with high_latency() as played:
        await played.go_round()
        frames, values = await played.asked()
        await played.hit()
        elsewhere = thread_reference.Frame(played.frame, ELSEWHERE)
        await played.peer.reply(frames, frames_reply(elsewhere))
        await played.answer_values(values, FAILS)
        await wait_all_tasks_blocked()
        assert len(played.s.shown) == 1
        assert played.fast.let_go == 1


async def test_a_thread_that_is_held_is_not_read_ahead(autojump_clock: MockClock) -> None:
    async with high_latency() as played:
        await played.hit()
        asked = await played.read()
        played.s.target.submit_op(SuspendOp.THREAD_SUSPEND, MAIN)
        await played.peer.answer(thread_reference.Suspend(MAIN))
        await played.answer(asked, FAILS)
        await played.peer.answer(RESUME_THREAD)
        await trio.sleep(1)
        played.s.target.submit_op(SuspendOp.THREAD_RESUME, MAIN)
        await played.resumed()
        await played.hit()
        await played.read()


async def test_reads_that_are_due_are_left_out_when_the_event_is_here(autojump_clock: MockClock) -> None:
    async with high_latency() as played:
        await played.go_round()
        await played.hit()  # no time has passed
        asked = await played.read()
        await trio.sleep(1)
        await played.answer(asked, HOLDS)
        await wait_all_tasks_blocked()
        assert len(played.s.shown) == 1
        played.s.target.submit_op(SuspendOp.THREAD_RESUME, MAIN, by_event=True)
        await played.resumed()


async def test_reading_ahead_in_vain_is_given_up_for_a_while(autojump_clock: MockClock) -> None:
    async with high_latency() as played:
        for _ in range(8):
            await played.go_round()
            await played.refuse(await played.asked())
        for _ in range(20):
            await played.go_round()  # with no read in between
        assert (played.fast.let_go, played.fast.read_ahead) == (28, 0)

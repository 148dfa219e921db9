"""Several clients of one session: whose a stop is, what each may release, and what is left when one goes."""

from __future__ import annotations

import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
import trio
import trio.testing

import jdbpy
from benchmarks.relay import open_relay
from jdbpy.errors import ReadOnlyError, StateError
from jdbpy.session.events.streams import EventStream
from jdbpy.session.extension import Extension
from jdbpy.session.model.events import Notice, Stopped, ThreadsResumed
from jdbpy.session.model.options import StepDepth
from jdbpy.session.model.vm import VmState
from jdbpy.wire.ids import ObjectID, ThreadID
from jdbpy.wire.messages import thread_reference
from tests.harness import LIMIT, Jvm, Program, start_target, within
from tests.session.running import counts_of

pytestmark = pytest.mark.one_java

DESKS = ("first", "second", "third")


async def stop_of(client: jdbpy.Session) -> Stopped:
    with within(LIMIT):
        stop = await client.next_stop()
    assert isinstance(stop, Stopped)
    assert stop.thread is not None
    return stop


@asynccontextmanager
async def shared(
    jvm: Jvm, *names: str, rtt: float = 0.0
) -> AsyncIterator[tuple[Program, jdbpy.Session, list[jdbpy.ClientSession]]]:
    """Desks at work, a session with it that suspends single threads, and clients that have joined it."""
    async with AsyncExitStack() as stack:
        target = await stack.enter_async_context(start_target(jvm, "Desks", suspend=False))
        await target.wait_output("open")
        relay = await stack.enter_async_context(open_relay(target.address, rtt=rtt)) if rtt else target
        options = jdbpy.Options(hold="thread")
        session = await stack.enter_async_context(jdbpy.attach_session(relay.address, options=options))
        clients = [await stack.enter_async_context(jdbpy.join_session(session, name)) for name in names]
        yield target.program, session, clients


def stands(session: jdbpy.Session) -> bool:
    return session.suspended_everything


class Model:
    """What each of three clients, with a breakpoint at its own desk that suspends its thread, must find."""

    def __init__(self, clients: list[jdbpy.ClientSession], source: Program) -> None:
        self.clients = clients
        self.source = source
        self.numbers: list[int | None] = [None] * len(clients)
        self.stopped: list[Stopped | None] = [None] * len(clients)
        self.history = [0] * len(clients)
        self.done: list[tuple[int, str]] = []
        self.told: list[str] = []
        clients[0]._host._target.publisher.listen(self._hear)

    def _hear(self, event: jdbpy.Event) -> None:
        if isinstance(event, Notice) and event.kind == "warning":
            self.told.append(event.text)

    async def act(self, who: int, action: str) -> None:
        self.done.append((who, action))
        client, stop = self.clients[who], self.stopped[who]
        if action == "break" and self.numbers[who] is None and stop is None:
            point = await client.breakpoints.add(self.source.at(DESKS[who]), policy=jdbpy.SuspendPolicy.THREAD)
            assert point.client == client.name
            self.numbers[who] = point.number
            await self.take(who, DESKS[who])
        elif action == "delete" and (number := self.numbers[who]) is not None and stop is not None:
            await client.points.remove([number])
            self.numbers[who] = None
        elif action == "cont" and stop is not None:
            assert await client.execution.resume() == ()
            self.stopped[who] = None
            if self.numbers[who] is not None:
                await self.take(who, DESKS[who])
        elif action == "cont" and stop is None:
            with pytest.raises(StateError):
                await client.execution.resume()
        elif action == "step" and stop is not None and stop.location is not None:
            at_first = stop.location.line == self.source.line(DESKS[who])
            if at_first:
                await client.execution.start_step(StepDepth.OVER)
                await self.take(who, f"{DESKS[who]}-next")
        elif action == "evaluate" and stop is not None:
            value = await client.values.evaluate("twice()")
            self.history[who] += 1
            assert (value.text, value.number) == (str(2 * who + 2), self.history[who])
        elif action == "read" and stop is not None:
            assert (await client.values.evaluate("number", remember=False)).text == str(who + 1)

    async def take(self, who: int, marker: str) -> None:
        try:
            stop = self.stopped[who] = await stop_of(self.clients[who])
        except trio.TooSlowError as late:
            raise AssertionError(f"{await self.report(marker)}\n{late}") from None
        assert stop.thread is not None
        assert stop.location is not None
        assert (stop.thread.name, stop.location.line) == (f"desk-{who + 1}", self.source.line(marker))
        assert stop.clients == (self.clients[who].name,)

    async def report(self, marker: str) -> str:
        """Why no stop may have come: what the agent says of each thread, beside what the session believes."""
        target = self.clients[0]._host._target
        counts = await counts_of(self.clients[0]._host)
        states = await target.conn.batch([thread_reference.Status(ThreadID(ObjectID(each))) for each in counts])
        came = target.conn.statistics().events
        points = [(each.number, each.hits) for each in self.clients[0].points.list()]
        with trio.move_on_after(1):
            await self.clients[0].next_stop()
        return (
            f"no stop at {marker} after {self.done[-8:]}, warnings: {self.told}\n"
            f"events {came}, a second later {target.conn.statistics().events}; hits by point {points}\n"
            f"the agent: suspend counts {counts}, states {states}\n"
            f"the session: suspend counts {target.suspension.counts()}, undecided {target.suspension.undecided}, "
            f"quiet {target.publisher.quiet}, round trip {target.latency.round_trip:.4f}\n"
            f"requests {[(each.kind.name, each.id, each.modifiers) for each in target.requests.all_active()]}"
        )

    async def check(self) -> None:
        """Each client is where it must be, whatever the others have done."""
        suspended = {stop.thread.id for stop in self.stopped if stop is not None and stop.thread is not None}
        for client, stop in zip(self.clients, self.stopped, strict=True):
            chosen = stop.thread.id if stop is not None and stop.thread is not None else None
            assert client.selection[0] == chosen
            assert set(client.suspended_threads) == suspended
            assert not client.suspended_everything
            if stop is not None and chosen is not None:
                frame = await client.stack.selected()
                assert stop.location is not None
                assert (frame.thread.id, frame.location.line) == (chosen, stop.location.line)
        points = self.clients[0].points.list()
        expected = {number: self.clients[who].name for who, number in enumerate(self.numbers) if number is not None}
        assert {point.number: point.client for point in points} == expected


async def test_three_clients_do_hundreds_of_random_things(jvm: Jvm) -> None:
    """Each stops, steps, evaluates and goes on in its own thread; one that leaves in the midst leaves nothing.

    The threads rest between two passes. While they did not, a stop was lost now and then: the step of one thread made
    another one pass its breakpoint, which ``test_steps_of_others`` brings about each time.
    """
    chance = random.Random(7)
    options = jdbpy.Options(hold="thread")
    async with start_target(jvm, "Desks", suspend=False) as target, AsyncExitStack() as stack:
        await target.wait_output("open")
        session = await stack.enter_async_context(jdbpy.attach_session(target.address, options=options))
        names = ("ann", "ben", "cyd")
        leaving = [AsyncExitStack() for _ in names]
        clients = [
            await each.enter_async_context(jdbpy.join_session(session, name, attended=False))
            for each, name in zip(leaving, names, strict=True)
        ]
        assert jdbpy.clients_of(session) == names
        model = Model(clients, target.program)
        actions = ("break", "delete", "cont", "cont", "step", "step", "evaluate", "read")
        for _ in range(300):
            await model.act(chance.randrange(3), chance.choice(actions))
            await model.check()
        for who in range(3):  # to where everybody stands at a breakpoint
            while model.stopped[who] is None or model.numbers[who] is None:
                await model.act(who, "cont" if model.stopped[who] else "break")
        await leaving[1].aclose()
        ann = clients[0]
        assert {point.client for point in ann.points.list()} == {"ann", "cyd"}
        standing = [stop.thread.id for stop in (model.stopped[0], model.stopped[2]) if stop and stop.thread]
        assert set(ann.suspended_threads) == set(standing)
        gone = model.stopped[1]
        assert gone is not None
        assert gone.thread is not None
        assert not ann.is_suspended(gone.thread.id)
        await leaving[0].aclose()
        await leaving[2].aclose()
        assert session.state is VmState.RUNNING
        assert session.points.list() == []


async def test_what_clients_are_told_of_each_other(jvm: Jvm) -> None:
    async with shared(jvm, "ann", "ann") as (program, session, [ann, other]):
        assert other.name == "ann-2"
        assert jdbpy.clients_of(session) == ("host", "ann", "ann-2")
        with other.events() as told:
            await ann.breakpoints.add(program.at("first"))
            stop = await stop_of(ann)
            assert stop.thread is not None
            added = await _notice(told, "breakpoint-added")
            assert added.text.endswith("(ann)")
            elsewhere = await _notice(told, "stopped-elsewhere")
            assert dict(elsewhere.data)["thread"] == stop.thread.id
            # another client's stop is neither selected nor released
            assert other.selection[0] is None
            with pytest.raises(StateError, match="none of the threads that are suspended is yours"):
                await other.execution.resume()
            # its values: a name is everybody's, the history and the last exception are not
            await ann.values.save("desk", "this")
            await ann.values.evaluate("number")
            assert (await other.values.evaluate("$desk", remember=False)).type == "Desks"
            assert await other.values.history() == ()
            await ann.values.assign("taken", "41")
            assert (await _notice(told, "value-changed")).text == "taken was set to 41 (ann)"
            # evaluations in one thread come one after the other
            await other.select_thread(stop.thread.id)
            results: list[str] = []

            async def evaluate(client: jdbpy.Session) -> None:
                results.append((await client.values.evaluate("twice()")).text)

            async with trio.open_nursery() as nursery:
                for client in (ann, other, ann, other):
                    nursery.start_soon(evaluate, client)
            assert results == ["2"] * 4
            # once selected it may be released, and the others hear who did it
            with ann.events() as heard_by_ann:
                await other.execution.resume(stop.thread.id)
                resumed = await _next(heard_by_ann)
                while not isinstance(resumed, ThreadsResumed):
                    resumed = await _next(heard_by_ann)
                assert (resumed.client, resumed.threads) == ("ann-2", (stop.thread.id,))
            stop = await stop_of(ann)
            # what a front end sets for itself is nobody else's
            internal = jdbpy.PointOptions(policy=jdbpy.SuspendPolicy.NONE, internal=True)
            with ann.events() as of_ann, other.events() as of_other:
                hidden = await ann.breakpoints.add_with(program.at("third"), internal)
                assert hidden.number < 0
                assert dict((await _notice(of_ann, "breakpoint-hit")).data)["breakpoint"] == hidden.number
                assert [point.number for point in ann.points.list()] == [1]
                await ann.points.remove([hidden.number])
                await ann.values.assign("taken", "42")
                heard = await _next(of_other)
                assert isinstance(heard, Notice)
                assert heard.kind == "value-changed"
            # what a client suspends by name is its own, until it leaves
            async with jdbpy.join_session(session, "reader", read_only=True) as reader:
                with pytest.raises(ReadOnlyError):
                    await reader.breakpoints.add(program.at("second"))
                with pytest.raises(ReadOnlyError):
                    await reader.points.remove([1])
                assert stop.thread is not None
                assert (await reader.stack.of(stop.thread.id)).frames
            async with jdbpy.join_session(session, "brief") as brief:
                second = next(each.id for each in await brief.threads.list() if each.name == "desk-2")
                await brief.execution.suspend([second])
                await brief.execution.suspend()
                assert stands(session)
                observer = brief.observer
                assert observer in session._target.extensions.of(Extension.redefined)
            assert not stands(session)
            assert observer not in session._target.extensions.of(Extension.redefined)
            assert not ann.is_suspended(second)
            # what one keeps when it leaves is everybody's
            async with jdbpy.join_session(session, "keeper", keep=lambda: True) as keeper:
                await keeper.breakpoints.add(program.at("third"))
                kept = await stop_of(keeper)
            assert kept.thread is not None
            assert ann.is_suspended(kept.thread.id)
            assert (await other.execution.resume()) == ()
            kept = await stop_of(other)
            assert kept.clients == ("keeper",)
            await other.points.remove([kept.breakpoint or 0])
            await other.execution.resume()
            assert not ann.is_suspended(kept.thread.id if kept.thread else 0)
            # a stop that suspends everything concerns everybody, who may release it
            paused = await ann.execution.pause()
            assert isinstance(paused, Stopped)
            seen = await stop_of(other)
            assert seen.clients == ("ann",)
            await other.execution.resume()
            assert not stands(session)
            assert stop.thread is not None
            assert session.is_suspended(stop.thread.id)


async def test_a_release_leaves_the_stops_of_others(any_jvm: Jvm) -> None:
    """A stop that its client has not taken yet is the answer to its next ``cont``, which does not release it."""
    async with shared(any_jvm, "ann", "ben") as (program, session, [ann, ben]):
        await ann.breakpoints.add(program.at("first"))
        desk_1 = (await stop_of(ann)).thread
        assert desk_1 is not None
        point = await ben.breakpoints.add(program.at("second"))
        with within(LIMIT):
            await ben._target.publisher.wait_for_stop()
        [stop] = ben.untaken_stops()
        await ann.execution.unsuspend()  # `resume`
        assert ben.untaken_stops() == [stop]
        assert await ben.execution.resume() == (stop,)
        assert await stop_of(ben) is stop
        assert ben.is_current(stop)
        desk_1 = (await stop_of(ann)).thread
        assert desk_1 is not None
        # a step where everything is suspended leaves the threads of others where they are
        await ben.execution.pause()
        await ben.select_thread(stop.thread.id if stop.thread else 0)
        await ben.points.remove([point.number])
        await ben.execution.start_step(StepDepth.OVER)
        stepped = await stop_of(ben)
        assert stepped.location is not None
        assert stepped.location.line == program.line("second-next")
        await ben.execution.resume()
        assert ann.is_suspended(desk_1.id)
        assert not session.suspended_everything


async def test_a_thread_suspended_for_a_moment_is_no_stop(any_jvm: Jvm) -> None:
    """Before a step the debugger suspends other threads that have met a breakpoint, for as long as one answer takes."""
    async with shared(any_jvm, "ann", "ben", rtt=0.2) as (program, session, [ann, ben]):
        point = await ben.breakpoints.add(program.at("second"))
        await stop_of(ben)
        await ben.points.remove([point.number])
        await ben.execution.resume()
        await ann.breakpoints.add(program.at("first"))
        await stop_of(ann)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(ann.execution.start_step, StepDepth.OVER)
            brief = session._target.suspension.brief_holds
            with within(LIMIT):
                while not brief:
                    await trio.testing.wait_all_tasks_blocked()
            assert session.state is VmState.RUNNING
            assert await ben.execution.resume_if_stopped() == ()
            with pytest.raises(StateError, match="the target is running already"):
                await ben.execution.resume()
            assert brief
        await stop_of(ann)
        assert not brief


async def test_what_is_suspended_for_a_look_is_no_stop(any_jvm: Jvm) -> None:
    """`deadlocks` of a running target suspends it while it reads: no `cont` ends that, and no stop ends with it."""
    async with shared(any_jvm, "ben", rtt=0.2) as (_, session, [ben]):
        suspension = session._target.suspension

        async def frozen() -> None:
            with within(LIMIT):
                while not suspension.frozen:
                    await trio.testing.wait_all_tasks_blocked()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(session.locks.deadlocks)
            await frozen()
            assert (session.state, session.suspended_everything) == (VmState.RUNNING, False)
            assert await ben.execution.resume_if_stopped() == ()
            with pytest.raises(StateError, match="the target is running already"):
                await ben.execution.resume()
            assert suspension.frozen
        assert set((await counts_of(session)).values()) == {0}
        async with trio.open_nursery() as nursery:
            nursery.start_soon(session.locks.deadlocks)
            await frozen()
            await ben.execution.pause()
        assert ben.suspended_everything
        assert set((await counts_of(session)).values()) == {1}
        await ben.execution.resume()
        assert set((await counts_of(session)).values()) == {0}


async def test_one_person_with_two_front_ends(any_jvm: Jvm) -> None:
    options = jdbpy.Options(hold="thread")
    async with start_target(any_jvm, "Desks", suspend=False) as target:
        await target.wait_output("open")
        async with (
            jdbpy.attach_session(target.address, options=options) as session,
            jdbpy.join_session(session, "editor", together=True) as editor,
        ):
            point = await session.breakpoints.add(target.program.at("third"))
            stop = await stop_of(editor)
            assert stop.breakpoint == point.number
            assert (await stop_of(session)).thread == stop.thread
            assert editor.selection == session.selection
            await editor.points.remove([point.number])
            await editor.execution.resume()
            assert session.state is VmState.RUNNING
            assert session.selection[0] is None


async def _next(events: EventStream) -> jdbpy.Event:
    with within(LIMIT):
        return await anext(events)


async def _notice(events: EventStream, kind: str) -> Notice:
    while True:
        event = await _next(events)
        if isinstance(event, Notice) and event.kind == kind:
            return event

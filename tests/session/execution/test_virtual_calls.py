"""Methods that are run in virtual threads and pass breakpoints of policy ALL: the thread stays where it stood."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from trio.testing import wait_all_tasks_blocked

from jdbpy.session.breakpoints.line_breakpoint import MANY
from jdbpy.session.events.requests import EventRequest, RequestSpec
from jdbpy.session.model.breakpoints import SuspendPolicy
from jdbpy.wire.constants import EventKind
from jdbpy.wire.messages import event, event_request
from tests.fakes.conditions import IsOne
from tests.fakes.stage import ALL, MAIN, PLACE, THREAD, Stage, stage, stop
from tests.harness import LIMIT, Jvm, debug, within
from tests.harness.hits import next_hit
from tests.session.running import counts_agree

CALLS = 100
ROUNDS, READS = 10, 10


async def test_a_method_that_passes_breakpoints(newest_jvm: Jvm) -> None:
    with within(LIMIT):
        async with debug(newest_jvm, "Fibre") as d:
            for marker in ("here", "inner"):
                await d.session.breakpoints.add(d.at(marker), policy=SuspendPolicy.ALL)
            thread = await next_hit(d.session)
            for _ in range(CALLS):
                assert (await d.session.values.evaluate("outer()", remember=False)).text == "14"
                await counts_agree(d.session)
                assert (await d.session.stack.frames(thread, 0, 1))[0].location.method == "run"
            d.unseen()
            await d.resume()
            await d.wait_exit()


async def test_a_method_that_passes_breakpoints_whose_hits_the_agent_counts(newest_jvm: Jvm) -> None:
    """Their requests cannot be set anew, or counting would begin anew: they suspend their thread only."""
    with within(LIMIT):
        async with debug(newest_jvm, "Fibre") as d:
            await d.session.breakpoints.add(d.at("here"), policy=SuspendPolicy.ALL)
            thread = await next_hit(d.session)
            for _ in range(CALLS // 5):
                point = await d.session.breakpoints.add(
                    d.at("inner"), policy=SuspendPolicy.ALL, temporary=True, ignore=MANY - 1
                )
                assert "target counts" in point.message
                requests = d.session._target.requests.all_active()
                assert [each.policy for each in requests if event_request.Count(MANY) in each.modifiers] == [THREAD]
                call = f"many({MANY})"
                assert (await d.session.values.evaluate(call, remember=False)).text == str(7 * MANY)
                await counts_agree(d.session)
                assert (await d.session.stack.frames(thread, 0, 1))[0].location.method == "run"
                await d.session.breakpoints.remove([point.number])
            d.unseen()
            await d.resume()
            await d.wait_exit()


SET, CLEAR = event_request.Set, event_request.Clear
KIND = EventKind.BREAKPOINT


@asynccontextmanager
async def request_of_all() -> AsyncIterator[tuple[Stage, EventRequest]]:
    """A request with policy ALL, number 7."""
    async with stage() as s:
        point = IsOne()
        point.suspends_all = True
        point.condition = None
        request, _ = s.target.requests.submit(RequestSpec(KIND, ALL, [], stop, point))
        await s.peer.answer(SET(KIND, ALL, []), event_request.SetReply(7))
        await wait_all_tasks_blocked()
        yield s, request


async def test_requests_are_set_anew_and_back() -> None:
    """A hit of the old request that is on its way counts."""
    with within(LIMIT):
        async with request_of_all() as (s, request):
            s.target.requests.suspend_less()
            s.target.requests.suspend_less()
            await s.peer.answer(SET(KIND, THREAD, []), event_request.SetReply(8))
            await s.peer.event(event.Composite(ALL, [event.Breakpoint(7, MAIN, PLACE)]))
            await s.peer.answer(CLEAR(KIND, 7))
            await wait_all_tasks_blocked()
            assert len(s.shown) == 1
            assert request.id == 8
            s.target.requests.suspend_again()
            await s.peer.answer(SET(KIND, ALL, []), event_request.SetReply(9))
            await s.peer.answer(CLEAR(KIND, 8))
            assert s.target.requests.all_active() == [request]
            assert (request.id, request.policy) == (9, ALL)


async def test_one_that_is_removed_meanwhile_leaves_nothing() -> None:
    with within(LIMIT):
        async with request_of_all() as (s, request):
            s.target.requests.suspend_less()
            sent = await s.peer.expect(SET(KIND, THREAD, []))
            s.target.requests.submit_clear([request])
            await s.peer.reply(sent, event_request.SetReply(8))
            await s.peer.answer(CLEAR(KIND, 7))
            await s.peer.answer(CLEAR(KIND, 7))
            await s.peer.answer(CLEAR(KIND, 8))
            s.target.requests.suspend_again()
            assert not s.target.requests.all_active()


async def test_one_that_is_resumed_by_name_stops_at_a_breakpoint(newest_jvm: Jvm) -> None:
    """All others stay suspended meanwhile: what the agent only counts, it has not suspended."""
    with within(LIMIT):
        async with debug(newest_jvm, "Crew", "3", "virtual") as d:
            await d.session.breakpoints.add(d.at("call"), condition="name.charAt(1) == '2'", policy=SuspendPolicy.ALL)
            for _ in range(ROUNDS):
                thread = await next_hit(d.session)
                plain = await d.session.breakpoints.add(d.at("deep"), policy=SuspendPolicy.ALL)
                await d.session.execution.resume(thread)
                await d.check_stop(await d.session.next_stop(), "breakpoint", at="deep")
                for _ in range(READS):
                    [top] = await d.session.stack.frames(thread, 0, 1)
                    assert top.location.line == d.target.program.line("deep")
                    assert (await d.session.values.evaluate("name", remember=False)).text == '"w2"'
                assert d.session.suspended_everything
                await counts_agree(d.session, waiting=True)
                await d.session.breakpoints.remove([plain.number])
            d.unseen()

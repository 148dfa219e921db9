"""Subscribers: order, slow readers, endings; and the stops that nobody has seen."""

from __future__ import annotations

import pytest
import trio
import trio.testing

from jdbpy.session.events.streams import Publisher
from jdbpy.session.model.breakpoints import SuspendPolicy
from jdbpy.session.model.events import Event, EventsDropped, Exited, Notice, Output, Stopped, StopReason, VMDisconnected
from jdbpy.session.model.threads import ThreadRef


def notice(text: str) -> Notice:
    return Notice("warning", text)


def stop(thread: int) -> Stopped:
    return Stopped(StopReason.BREAKPOINT, ThreadRef(thread, "t"), None, None, SuspendPolicy.THREAD, 0)


async def test_a_stream_ends_with_the_ending() -> None:
    publisher = Publisher()
    with publisher.subscribe() as stream:
        events: list[Event] = [notice("a"), stop(1), Exited(0)]
        for event in events:
            publisher.publish(event)
        assert [event async for event in stream] == events


async def test_a_slow_subscriber_is_told_what_it_lost_and_keeps_every_stop() -> None:
    publisher = Publisher()
    with publisher.subscribe(capacity=2) as slow, publisher.subscribe() as other:
        events: list[Event] = [
            notice("a"), notice("b"), notice("c"), Output("stdout", "d"), stop(1), notice("e"), VMDisconnected("x"),
        ]  # fmt: skip
        for event in events:
            publisher.publish(event)
        assert [event async for event in slow] == [
            notice("a"), notice("b"), EventsDropped(2), stop(1), EventsDropped(1), VMDisconnected("x"),
        ]  # fmt: skip
        assert [event async for event in other] == events


async def test_a_stream_begins_with_what_nobody_has_seen() -> None:
    publisher = Publisher()
    first, second = stop(1), stop(2)
    publisher.publish(first)
    publisher.publish(notice("over"))
    publisher.publish(second)
    assert await publisher.next_stop() is first
    with publisher.subscribe() as stream:
        assert stream.take_nowait() == notice("over")
        assert stream.take_nowait() is second
        assert stream.take_nowait() is None
    with publisher.subscribe() as stream:
        assert stream.take_nowait() is None


async def test_who_comes_after_the_end_gets_the_end() -> None:
    publisher = Publisher()
    publisher.publish(Exited(3))
    publisher.publish(VMDisconnected("too late"))
    with publisher.subscribe() as stream:
        assert [event async for event in stream] == [Exited(3)]
    assert await publisher.next_stop() == Exited(3)
    assert await publisher.wait_ended() == Exited(3)


async def test_next_stop_waits_and_wakes(autojump_clock: trio.testing.MockClock) -> None:
    publisher = Publisher()
    got: list[object] = []

    async def wait() -> None:
        got.append(await publisher.next_stop())

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        await trio.testing.wait_all_tasks_blocked()
        publisher.publish(notice("no stop"))
        await trio.testing.wait_all_tasks_blocked()
        assert got == []
        publisher.publish(stop(7))
    assert got == [stop(7)]


async def test_a_stop_is_unseen_until_somebody_takes_it() -> None:
    publisher = Publisher()
    first, second = stop(1), stop(2)
    with publisher.subscribe() as stream:
        publisher.publish(first)
        publisher.publish(second)
        assert publisher.unseen() == [first, second]
        assert await publisher.next_stop() is first
        assert publisher.unseen() == [second]
        await anext(stream)
        assert await anext(stream) is second
        assert publisher.unseen() == []


async def test_a_released_stop_is_no_longer_waited_for() -> None:
    publisher = Publisher()
    publisher.publish(stop(1))
    publisher.publish(stop(2))
    publisher.drop_stops(lambda one: one.thread is not None and one.thread.id == 1)
    assert await publisher.next_stop() == stop(2)
    with trio.move_on_after(0) as scope:
        await publisher.next_stop()
    assert scope.cancelled_caught


async def test_a_waiter_that_is_cancelled_as_its_stop_comes_leaves_it_to_the_next() -> None:
    publisher, first = Publisher(), stop(1)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(publisher.next_stop)
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
        publisher.publish(first)
    assert await publisher.next_stop() is first


async def test_a_stop_that_is_put_back_is_the_next_and_given_to_one_who_waits() -> None:
    publisher, first, second = Publisher(), stop(1), stop(2)
    publisher.publish(first)
    publisher.publish(second)
    assert await publisher.next_stop() is first
    publisher.put_back(first)
    assert publisher.unseen() == [first, second]
    assert [await publisher.next_stop(), await publisher.next_stop()] == [first, second]
    got: list[object] = []

    async def wait() -> None:
        got.append(await publisher.next_stop())

    async with trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        await trio.testing.wait_all_tasks_blocked()
        publisher.put_back(second)
    assert got == [second]


async def test_a_stop_that_several_got_is_not_put_back() -> None:
    publisher, first = Publisher(), stop(1)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(publisher.next_stop)
        nursery.start_soon(publisher.next_stop)
        await trio.testing.wait_all_tasks_blocked()
        publisher.publish(first)
    publisher.put_back(first)
    assert publisher.unseen() == []
    publisher.publish(Exited(0))
    assert await publisher.next_stop() == Exited(0)


def test_unsubscribing_twice_is_harmless() -> None:
    publisher = Publisher()
    stream = publisher.subscribe()
    publisher.unsubscribe(stream)
    publisher.unsubscribe(stream)
    publisher.publish(notice("nobody"))
    assert stream.take_nowait() is None


@pytest.mark.parametrize("ending", [Exited(0), VMDisconnected("x")])
async def test_an_ended_stream_stays_ended(ending: Exited | VMDisconnected) -> None:
    publisher = Publisher()
    with publisher.subscribe() as stream:
        publisher.publish(ending)
        assert await anext(stream) == ending
        with pytest.raises(StopAsyncIteration):
            await anext(stream)

"""The event queue: parking behind outstanding Sets, and the two marks of back-pressure."""

from __future__ import annotations

import pytest
import trio
from trio.testing import wait_all_tasks_blocked

from jdbpy.wire.event_queue import HIGH, LOW, EventQueue
from jdbpy.wire.framing import Packet


def packet(number: int) -> Packet:
    return Packet(number, 0, 64, 100, 0, b"")


class Queue(EventQueue):
    """An EventQueue that remembers what it told the target."""

    def __init__(self) -> None:
        self.told: list[str] = []
        super().__init__(hold=lambda: self.told.append("hold"), release=lambda: self.told.append("release"))


@pytest.fixture
def queue() -> Queue:
    return Queue()


async def test_order(queue: Queue) -> None:
    for number in range(5):
        queue.put(packet(number))
    assert len(queue) == 5
    assert [(await queue.get() or packet(-1)).id for _ in range(5)] == [0, 1, 2, 3, 4]


async def test_a_consumer_waits(queue: Queue) -> None:
    async with trio.open_nursery() as nursery:
        taken: list[Packet | None] = []

        async def consume() -> None:
            taken.append(await queue.get())

        nursery.start_soon(consume)
        await wait_all_tasks_blocked()
        queue.put(packet(1))
    assert taken == [packet(1)]


async def next_number(queue: Queue) -> int:
    one = await queue.get()
    assert one is not None
    return one.id


async def test_events_wait_for_the_sets_before_them_and_for_no_other(queue: Queue) -> None:
    queue.put(packet(0))
    queue.set_submitted(10)
    queue.put(packet(1))
    queue.set_submitted(11)
    queue.put(packet(2))
    queue.set_submitted(12)
    assert await next_number(queue) == 0
    assert len(queue) == 2

    queue.set_answered(99)
    assert queue.ready == 0
    queue.set_answered(10)
    assert await next_number(queue) == 1
    assert queue.ready == 0
    queue.set_answered(11)
    assert await next_number(queue) == 2, "set 12 went out after the event had come"
    queue.put(packet(3))
    assert queue.ready == 0
    queue.set_answered(12)
    assert await next_number(queue) == 3


async def test_hold_and_release(queue: Queue) -> None:
    for number in range(HIGH):
        queue.put(packet(number))
    assert queue.told == []
    queue.put(packet(HIGH))
    queue.put(packet(HIGH + 1))
    assert queue.told == ["hold"], "told once"
    while len(queue) > LOW:
        await queue.get()
    assert queue.told == ["hold"]
    await queue.get()
    assert queue.told == ["hold", "release"]
    for number in range(HIGH):
        queue.put(packet(number))
    assert queue.told == ["hold", "release", "hold"]


async def test_parked_events_count_as_waiting(queue: Queue) -> None:
    queue.set_submitted(1)
    for number in range(HIGH + 1):
        queue.put(packet(number))
    assert queue.told == ["hold"]


async def test_close(queue: Queue) -> None:
    queue.set_submitted(1)
    queue.put(packet(1))
    queue.close()
    assert await next_number(queue) == 1, "what came before the end can be had"
    assert await queue.get() is None
    assert await queue.get() is None


async def test_close_wakes_all_consumers(queue: Queue) -> None:
    async with trio.open_nursery() as nursery:
        for _ in range(2):
            nursery.start_soon(queue.get)
        await wait_all_tasks_blocked()
        queue.close()


async def test_a_cancelled_consumer_takes_nothing(queue: Queue) -> None:
    with trio.CancelScope() as scope:
        scope.cancel()
        queue.put(packet(1))
        await queue.get()
    assert scope.cancelled_caught
    assert await next_number(queue) == 1

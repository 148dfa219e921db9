"""Behind the report of a VM's end the agent is asked something: a reader that waits for bytes would hold the end up."""

from __future__ import annotations

import trio
from trio.testing import MockClock

from jdbpy.wire.constants import JdwpSuspendPolicy
from jdbpy.wire.ids import ReferenceTypeID
from jdbpy.wire.messages import event, reference_type, virtual_machine
from jdbpy.wire.vm_death import MOST_ASKED, PAUSE
from tests.wire.peer import connected

QUESTION = reference_type.Signature(ReferenceTypeID(0))


def death(policy: JdwpSuspendPolicy) -> event.Composite:
    return event.Composite(policy, [event.VMDeath(0)])


async def test_an_ending_vm_is_asked_until_it_is_gone() -> None:
    async with connected() as (connection, peer):
        await peer.event(death(JdwpSuspendPolicy.NONE))
        for _ in range(3):
            await peer.expect(QUESTION)
        await peer.stream.aclose()
        assert await connection.wait_closed() == "the VM has ended"


async def test_one_that_does_not_go_is_asked_no_more(autojump_clock: MockClock) -> None:
    async with connected() as (connection, peer):
        await peer.event(death(JdwpSuspendPolicy.NONE))
        await peer.packets(MOST_ASKED)
        await trio.sleep(10 * PAUSE)
        connection.submit(virtual_machine.Version())
        await peer.expect(virtual_machine.Version())


async def test_one_that_is_held_for_the_user_is_asked_once_it_goes_on() -> None:
    async with connected() as (connection, peer), trio.open_nursery() as nursery:
        await peer.event(death(JdwpSuspendPolicy.ALL))
        await connection.next_event()
        nursery.start_soon(connection.request, virtual_machine.Resume())
        await peer.answer(virtual_machine.Resume())
        await peer.expect(QUESTION)

"""A dispatcher on a fake connection: events go in, what the session is told comes out."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio
from trio.testing import wait_all_tasks_blocked

from jdbpy.session.events.dispatch import EventDispatcher
from jdbpy.session.events.requests import (
    RESUME,
    Handler,
    RequestHit,
    StopPlan,
    Verdict,
)
from jdbpy.session.events.target import Target
from jdbpy.session.model.events import ExceptionInfo, StopReason
from jdbpy.session.model.vm import VmInfo
from jdbpy.wire.constants import EventKind, JdwpSuspendPolicy
from jdbpy.wire.ids import ClassID, CodeLocation, MethodID, ReferenceTypeID, ThreadID
from jdbpy.wire.messages import event, event_request, virtual_machine
from tests.wire.peer import Peer, connected

ALL, THREAD, NONE = JdwpSuspendPolicy.ALL, JdwpSuspendPolicy.EVENT_THREAD, JdwpSuspendPolicy.NONE


MAIN, OTHER = ThreadID(1), ThreadID(2)


PLACE = CodeLocation(1, ClassID(ReferenceTypeID(5)), MethodID(6), 7)


INFO = VmInfo("", "", "25", 25, 0, "test", ())


class Stage:
    """A target with a running dispatcher, the peer that plays the VM, and the stops that were shown."""

    def __init__(self, target: Target, peer: Peer) -> None:
        self.target = target
        self.peer = peer
        self.shown: list[list[tuple[RequestHit, StopPlan]]] = []
        self.dispatcher = EventDispatcher(target, self.show, self.read_exception)
        self.cancel_scope = trio.CancelScope()
        """What the dispatcher runs in."""

    async def show(self, votes: list[tuple[RequestHit, StopPlan]]) -> None:
        self.shown.append(votes)

    async def read_exception(self, event: event.Exception) -> ExceptionInfo:
        raise AssertionError("the target was not told to stop at an exception")

    async def request(self, request_id: int, handler: Handler, policy: JdwpSuspendPolicy = ALL) -> None:
        """Sets a breakpoint request that the VM numbers so."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self.target.requests.add, EventKind.BREAKPOINT, policy, [], handler)
            command = event_request.Set(EventKind.BREAKPOINT, policy, [])
            await self.peer.answer(command, event_request.SetReply(request_id))

    async def hit(self, *request_ids: int, policy: JdwpSuspendPolicy = ALL, thread: ThreadID = MAIN) -> None:
        await self.peer.event(event.Composite(policy, [event.Breakpoint(one, thread, PLACE) for one in request_ids]))
        await wait_all_tasks_blocked()


@asynccontextmanager
async def stage(*, round_trip: float = 0.0) -> AsyncIterator[Stage]:
    capabilities = virtual_machine.CapabilitiesNewReply(*[True] * 32)
    async with connected() as (connection, peer):
        scene = Stage(Target(connection, INFO, capabilities, round_trip=round_trip), peer)
        async with trio.open_nursery() as nursery:
            scene.cancel_scope = nursery.cancel_scope
            nursery.start_soon(scene.dispatcher.run)
            yield scene
            nursery.cancel_scope.cancel()


async def stop(hit: RequestHit) -> Verdict:
    return StopPlan(StopReason.BREAKPOINT, {})


def go_at_once(hit: RequestHit) -> Verdict:
    return RESUME


def stop_at_once(hit: RequestHit) -> Verdict:
    return StopPlan(StopReason.BREAKPOINT, {})

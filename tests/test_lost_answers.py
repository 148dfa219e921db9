"""The connection ends, or one answer never comes, at some command of a feature that runs tasks side by side.

A relay that knows packets cuts the conversation at a command, or drops the answer to one. The debugger must end by its
``--timeout`` with status 5 or 4 and sentences: whatever runs beside the wait, a lost connection is one.
"""

from __future__ import annotations

import struct
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import pytest
import trio

import jdbpy
from jdbpy.api.fleet import Fleet
from jdbpy.session.events import finishing
from jdbpy.task_groups import open_nursery
from tests.cli.process import script
from tests.harness import LIMIT, Jvm, Target, inline, start_target, within
from tests.harness.commands import jdbpy as run_jdbpy
from tests.harness.turns import TURNS

_HANDSHAKE = 14
_HEAD = struct.Struct(">IIBBB")
_CLEAR = (15, 2)  # EventRequest.Clear

FEATURES = {
    "calls": "calls Turns.* for 300ms",
    "calls in-target": "calls Turns.turn in-target for 300ms",
    "stats": "calls stats Turns.* every 100ms for 300ms",
    "stats in-target": "calls stats Turns.turn in-target for 300ms",
    "tree": "calls tree Turns.turn for 300ms",
    "tree in-target": "calls tree Turns.turn in-target for 300ms",
}


class PacketRelay:
    """Passes packets, and acts at the command with number ``at``: "close" ends all, "drop" loses its answer.

    ``losing`` is the kind of a command whose answers are lost, as long as it is set.
    """

    def __init__(self, at: float, how: str) -> None:
        self.at = at
        self.how = how
        self.commands = 0
        self.port = 0
        self.losing: tuple[int, int] | None = None
        self._lost = set[int]()
        self._dead = trio.Event()

    async def run(self, target: Target, task_status: trio.TaskStatus[None]) -> None:
        listener = (await trio.open_tcp_listeners(0, host="127.0.0.1"))[0]
        self.port = listener.socket.getsockname()[1]
        task_status.started()
        async with listener, await listener.accept() as near:
            async with await trio.open_tcp_stream("127.0.0.1", target.port) as far, open_nursery() as nursery:
                nursery.start_soon(self._pass, near, far, True)
                nursery.start_soon(self._pass, far, near, False)
                await self._dead.wait()
                nursery.cancel_scope.cancel()

    async def _pass(self, source: trio.SocketStream, sink: trio.SocketStream, commands: bool) -> None:
        buffer, head = bytearray(), _HANDSHAKE
        try:
            async for data in source:
                buffer += data
                out = bytearray()
                while len(buffer) >= max(head, 1):
                    if head:
                        size, passes = head, True
                    elif len(buffer) < _HEAD.size or len(buffer) < _HEAD.unpack_from(buffer)[0]:
                        break
                    else:
                        size, number, flags, *kind = _HEAD.unpack_from(buffer)
                        passes = self._passes(number, tuple(kind), commands, flags)
                    if passes:
                        out += buffer[:size]
                    del buffer[:size]
                    head = 0
                await sink.send_all(out)
                if self._dead.is_set():
                    return
        except trio.BrokenResourceError:
            pass
        self._dead.set()

    def _passes(self, number: int, kind: tuple[int, ...], command: bool, flags: int) -> bool:
        if command:
            self.commands += 1
            if self.commands == self.at and self.how == "close":
                self._dead.set()
            elif self.commands == self.at or kind == self.losing:
                self._lost.add(number)
        return command or not flags or number not in self._lost


@asynccontextmanager
async def relayed(target: Target, at: float, how: str) -> AsyncIterator[PacketRelay]:
    relay = PacketRelay(at, how)
    async with open_nursery() as nursery:
        await nursery.start(relay.run, target)
        yield relay
        nursery.cancel_scope.cancel()


async def cut(jvm: Jvm, line: str, at: float, how: str) -> tuple[int, str, int]:
    """Run one command with its conversation cut: the status, what was written, and the number of commands sent."""
    async with start_target(jvm, inline(TURNS), suspend=False) as target:
        await target.wait_output("turning")
        async with relayed(target, at, how) as relay:
            patience = "3" if how == "drop" and at < float("inf") else "60"  # else nothing has to wait for it
            status, output, errors = await run_jdbpy(relay.port, "--timeout", patience, *script(line))
        return status, output + errors, relay.commands


async def check(jvm: Jvm, feature: str, parts: int, how: str) -> list[str]:
    """Cut a feature at some of its commands; what was wrong."""
    status, text, count = await cut(jvm, FEATURES[feature], float("inf"), how)
    assert status == 0, text
    wrong = []
    for part in range(1, parts + 1):
        at = max(1, count * part // (parts + 1))
        status, text, _ = await cut(jvm, FEATURES[feature], at, how)
        right = {0, 3, 5} if how == "close" else {0, 1, 3, 4}
        if how == "close" and "the connection was lost while leaving" in text:
            right = {1, 5}  # what was set may still be in the target
        if status not in right or "Traceback" in text or "fault" in text:
            wrong.append(f"{feature}: {how} at {at} of {count}: {status}\n{text}")
    return wrong


@pytest.mark.parametrize("how", ["close", "drop"])
@pytest.mark.parametrize("feature", FEATURES)
async def test_a_command_ends_when_the_connection_or_an_answer_is_lost(any_jvm: Jvm, feature: str, how: str) -> None:
    assert await check(any_jvm, feature, 2, how) == []


@pytest.mark.parametrize("how", ["hits", "breakpoint", "fleet"])
async def test_a_block_of_a_script_ends_when_the_answer_at_its_end_is_lost(
    jvm: Jvm, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When it is cancelled, and when the time of its task is over meanwhile."""
    monkeypatch.setattr(finishing, "GRACE", 0.5)
    async with (
        start_target(jvm, inline(TURNS), suspend=False) as target,
        relayed(target, float("inf"), "drop") as relay,
    ):
        await target.wait_output("turning")
        async with jdbpy.attach(f"127.0.0.1:{relay.port}") as vm:
            fleet = Fleet()
            fleet.vms["one"] = vm
            blocks: dict[str, Callable[[], AbstractAsyncContextManager[Any]]] = {
                "hits": lambda: vm.log("Turns.turn", "turns"),
                "breakpoint": lambda: vm.stop_at("Turns.turn", hold="thread"),
                "fleet": lambda: fleet.hits(lambda vm: vm.log("Turns.turn", "turns")),
            }
            with within(3 * LIMIT):
                for cancelled in (True, False):
                    with trio.CancelScope() as scope:
                        async with blocks[how]():
                            relay.losing = _CLEAR
                            scope.deadline = trio.current_time() + 0.5
                            if cancelled:
                                scope.cancel()
                                await trio.sleep_forever()
                    assert scope.cancelled_caught
                    relay.losing = None

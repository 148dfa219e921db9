"""The end of a VM that has reported it: the agent's reader is kept from holding that end up.

HotSpot waits up to 0.3 s at its end for threads in native code, and the reader is one as long as it waits for bytes
(docs/agent.md, "An end waits for the reader"). Every packet brings it back from there, so something without effect is
asked until the VM is gone. To end the connection instead would be wrong: until the agent knows that the VM is dead, it
resumes everything and listens again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import trio

from jdbpy.errors import Disconnected
from jdbpy.wire.command import Command
from jdbpy.wire.constants import EventKind, JdwpSuspendPolicy
from jdbpy.wire.event_parts import KIND
from jdbpy.wire.framing import Packet
from jdbpy.wire.messages import reference_type, thread_reference, virtual_machine

if TYPE_CHECKING:
    from jdbpy.wire.connection import Connection

PAUSE = 0.01
"""Seconds between two questions: HotSpot looks as often whether a thread is still in native code."""

MOST_ASKED = 100
"""Questions; a VM that is still there behind the last of them ends as it would without them."""

QUESTION = reference_type.Signature
"""Asked about null, which is no type: answered with an error in any case."""

_VM_DEATH = bytes((EventKind.VM_DEATH,))

_RESUMES = (virtual_machine.Resume, thread_reference.Resume)


class VmDeathWatch:
    """Shown the event sets of a connection, and the replies behind the report of the VM's end."""

    def __init__(self, conn: Connection) -> None:
        self.reported = False
        """True if the VM has reported its end."""
        self._conn = conn
        self._ending = trio.Event()  # the VM goes on to its end, as far as this debugger is concerned

    async def run(self) -> None:
        """Beside the connection: ask the agent something while the VM ends."""
        while True:
            await self._ending.wait()
            self._ending = trio.Event()
            for _ in range(MOST_ASKED):
                try:
                    self._conn.submit_raw(QUESTION, bytes(self._conn.id_sizes.referenceTypeIDSize), _ignore)
                except Disconnected:
                    return
                await trio.sleep(PAUSE)

    def came_in(self, packet: Packet) -> None:
        """Look at an event set. One that suspends the VM leaves it to the user; its end goes on at a resume."""
        if packet.data[KIND : KIND + 1] == _VM_DEATH:
            self.reported = True
            if packet.data[0] == JdwpSuspendPolicy.NONE:
                self._ending.set()

    def answered(self, command: type[Command[Any]]) -> None:
        """Look at a reply that has come since the end was reported."""
        if command in _RESUMES:
            self._ending.set()


def _ignore(error: int, body: bytes) -> None:
    """The answer says nothing."""

"""Answers that stay good while nothing runs in the target: a question that is asked again costs no trip.

Owns what is remembered, and the rule when. ``Connection.recall`` is its one switch. The session says when nothing can
run (``moment``); the rest follows from the packets: what is sent and does more than read, its reply, and each event
end what is known. While a command that may run code is outstanding nothing is remembered, and nothing is recalled.

Why that is right: the agent answers commands one after the other. An answer is kept if nothing could run from before
its command left until it came in, and no command changed anything between. The same command would be answered the same
until the first of these happens, and that is when all is forgotten. What garbage collection may change is not kept.

Who asks again and again what is known waits for nothing: nothing else would run, the task that receives packets
included, and what is known would stay so for good. So other tasks have a turn after ``MOST_IN_A_ROW`` answers.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cache
from typing import Any

import trio

from jdbpy.wire.command import Command
from jdbpy.wire.constants import Error
from jdbpy.wire.effects import Effect, effect_of
from jdbpy.wire.framing import REPLY, Packet
from jdbpy.wire.messages import event_request, object_reference, virtual_machine

MOST = 32 * 1024 * 1024
"""Bytes of replies that are kept at most; what does not fit is asked for again."""

MOST_IN_A_ROW = 256
"""As many answers may be recalled while no packet comes in; then other tasks have their turn. That is after some
10 ms."""

_PASSING = (Error.OUT_OF_MEMORY, Error.INTERNAL, Error.INVALID_OBJECT)
"""Errors that another try may not meet: an id that belongs to nothing may be given out by the next answer."""

_NEITHER: frozenset[type[Command[Any]]] = frozenset(
    (
        event_request.Set,
        event_request.Clear,
        event_request.ClearAllBreakpoints,
        object_reference.DisableCollection,
        object_reference.EnableCollection,
        object_reference.IsCollected,
        virtual_machine.HoldEvents,
        virtual_machine.ReleaseEvents,
    )
)
"""Commands whose answers are not kept, and that change no other's."""


@cache
def _prefix(kind: type[Command[Any]]) -> bytes:
    return bytes((kind.COMMAND_SET, kind.COMMAND))


class Recall:
    """Remembers replies. ``moment`` gives None while something may run in the target, anything else otherwise."""

    def __init__(self, moment: Callable[[], Hashable | None]) -> None:
        self._moment = moment
        self._reads: dict[type[Command[Any]], bool] = dict.fromkeys(_NEITHER, True)
        self._open = False  # nothing runs, since the last time that something was forgotten
        self._changing: set[int] = set()  # packet ids of outstanding commands that do more than read
        # By the numbers of the command with its body. A view of all threads has thousands: small objects, and few.
        self._asked: dict[int, bytes] = {}
        self._known: dict[bytes, bytes | Packet] = {}  # the body of the reply; the whole of an error
        self._size = 0
        self._in_a_row = 0  # recalled since a packet has come in, or other tasks had their turn

    def is_turn_due(self) -> bool:
        """True if other tasks have had no turn for long: all that was asked was known."""
        return self._in_a_row >= MOST_IN_A_ROW

    async def give_turn(self) -> None:
        """Let other tasks run, that of the packets too."""
        self._in_a_row = 0
        await trio.lowlevel.checkpoint()

    def find(self, command: Command[Any], body: bytes) -> Packet | None:
        """Return the reply that such a command has had, if it is still good."""
        if not self._known or self._changing:
            return None
        known = self._known.get(_prefix(type(command)) + body)
        if known is None:
            return None
        self._in_a_row += 1
        return Packet(0, REPLY, 0, 0, 0, known) if isinstance(known, bytes) else known

    def sent(self, packet_id: int, command: Command[Any], body: bytes) -> None:
        """Take note of a command that leaves."""
        kind = type(command)
        reads = self._reads.get(kind)
        if reads is None:
            reads = self._reads[kind] = effect_of(kind) is Effect.READS
        if not reads:
            self._forget()
            self._changing.add(packet_id)
        elif self._open or (not self._changing and self._moment() is not None):
            self._open = True
            if kind not in _NEITHER:
                self._asked[packet_id] = _prefix(kind) + body

    def received(self, packet: Packet) -> None:
        """Take note of a packet that came in: keep the reply to a question, forget all after anything else."""
        self._in_a_row = 0
        if not packet.is_reply:
            self._forget()
        elif (asked := self._asked.pop(packet.id, None)) is not None:
            if packet.error not in _PASSING and self._size + len(packet.data) <= MOST:
                self._known[asked] = packet if packet.error else packet.data
                self._size += len(packet.data)
        elif packet.id in self._changing:
            self._changing.discard(packet.id)
            self._forget()

    def _forget(self) -> None:
        self._open = False
        if self._asked:
            self._asked.clear()
        if self._known:
            self._known.clear()
            self._size = 0

"""Questions by the hundred thousand, each asked where the answer that leads to it comes in.

Owns how many questions are under way, and their order: those of the lowest rank first. No task wakes between an answer
and the questions that follow from it, and the target is never idle while there is something to ask.
"""

from __future__ import annotations

import math
import struct
from collections import deque
from collections.abc import Callable
from typing import Any

import trio

from jdbpy.errors import Disconnected, JdbpyError, ProtocolError
from jdbpy.task_groups import open_nursery
from jdbpy.wire.command import Command
from jdbpy.wire.connection import Connection

Then = Callable[[int, bytes], None]
"""Gets the error code (0: none) and the body of an answer."""

MOST_AT_ONCE = 4_000
"""Questions under way: what a snapshot that is cancelled leaves to the target to answer."""


class Asker:
    """Asks one target. ``rest`` waits until all is answered."""

    def __init__(self, conn: Connection, ranks: int) -> None:
        """Questions have ranks from 0 to below ``ranks``."""
        self.questions = 0
        self.trips = 0
        """The longest chain of questions so far, each of which needed the answer to the one before."""
        self._conn = conn
        self._under_way = 0
        self._waiting: list[deque[tuple[type[Command[Any]], bytes, Then, int]]] = [deque() for _ in range(ranks)]
        self._lowest = ranks
        self._trip = 0  # of the answer that is being looked at
        self._error: Exception | None = None
        self._idle = trio.Event()
        self._stopped = self._dropping = False

    def ask(self, command: type[Command[Any]], body: bytes, then: Then, rank: int = 0) -> None:
        """Ask at once, or when there is room. Only commands that read."""
        if self._stopped or self._dropping:
            return
        if self._under_way >= MOST_AT_ONCE:
            self._waiting[rank].append((command, body, then, self._trip + 1))
            self._lowest = min(self._lowest, rank)
        else:
            self._send(command, body, then, self._trip + 1)

    async def rest(self, limit: float = math.inf) -> None:
        """Wait until all that was asked, and all that follows from it, is answered.

        After ``limit`` seconds what has not been sent is dropped, and only what is under way is waited for. Raises
        Disconnected, and ProtocolError for an answer that makes no sense. Cancelled, it asks nothing more.
        """
        if limit < math.inf:
            with trio.move_on_after(limit) as scope:
                await self._rest()
            if not scope.cancelled_caught:
                return
            for queue in self._waiting:
                queue.clear()
            self._stopped, self._dropping = False, True
        try:
            await self._rest()
        finally:
            self._dropping = False

    async def _rest(self) -> None:
        try:
            while self._under_way and self._error is None:
                self._idle = trio.Event()
                if self._conn.close_reason is not None:
                    raise Disconnected(self._conn.close_reason)
                async with open_nursery() as nursery:
                    nursery.start_soon(self._watch_end)
                    await self._idle.wait()
                    nursery.cancel_scope.cancel()
            self._trip = self.trips  # what is asked now waits for all of this
            if self._error is not None:
                raise self._error
        except BaseException:
            self._stopped = True
            raise

    async def _watch_end(self) -> None:
        reason = await self._conn.wait_closed()
        self._error = self._error or Disconnected(reason)
        self._idle.set()

    def _send(self, command: type[Command[Any]], body: bytes, then: Then, trip: int) -> None:
        def answered(error: int, data: bytes) -> None:
            self._under_way -= 1
            if self._stopped or self._error is not None:
                return
            self._trip = trip
            try:
                then(error, data)
                while self._under_way < MOST_AT_ONCE and (waiting := self._next()) is not None:
                    self._send(*waiting)
            except JdbpyError as fault:
                self._error = fault
            except (ArithmeticError, LookupError, ValueError, RecursionError, struct.error) as fault:
                self._error = ProtocolError(f"the answer to {command.NAME} makes no sense: {fault}")
            if not self._under_way or self._error is not None:
                self._idle.set()

        self._conn.submit_raw(command, body, answered)
        self._under_way += 1
        self.questions += 1
        self.trips = max(self.trips, trip)

    def _next(self) -> tuple[type[Command[Any]], bytes, Then, int] | None:
        while self._lowest < len(self._waiting):
            queue = self._waiting[self._lowest]
            if queue:
                return queue.popleft()
            self._lowest += 1
        return None

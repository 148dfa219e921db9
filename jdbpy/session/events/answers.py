"""The time limit of evaluations: one that waits for a target which does not answer is ended.

Owns how long replies have been outstanding. A task looks once a second while something is evaluated; an evaluation that
gets on is not bounded. Replies to invocations are left out: ``invoking`` bounds these by itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import trio

from jdbpy.errors import TimedOut
from jdbpy.wire.command import Command
from jdbpy.wire.connection import Connection
from jdbpy.wire.messages import class_type, interface_type, object_reference

GRACE = 3.0
"""Seconds that a reply may take above the limit of a method: it is told within 2 s that one has not returned."""

_LOOK = 1.0
"""Seconds between two looks."""

_LARGE = 64 * 1024
"""Bytes of a packet that may take long to come in: no event set is that long."""

_INVOCATIONS: frozenset[type[Command[Any]]] = frozenset(
    (
        class_type.InvokeMethod,
        class_type.NewInstance,
        interface_type.InvokeMethod,
        object_reference.InvokeMethod,
    )
)


class _Evaluation:
    """An evaluation under way, which ends when the target has not answered for ``limit`` seconds."""

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self.begun = trio.current_time()
        self.scope = trio.CancelScope()
        self.ended = False


class Answers:
    """Ends the evaluations whose target does not answer."""

    def __init__(self, conn: Connection) -> None:
        self._conn = conn
        self._evaluations: set[_Evaluation] = set()
        self._begun = trio.Event()
        self._since: dict[int, float] = {}  # outstanding commands by packet id: when each was first seen
        self._progress: tuple[int, object] = (0, None)
        self._progressed = 0.0
        self._partial: object = None  # the large packet that is coming in
        self._received = 0.0

    @contextmanager
    def bounded(self, limit: float) -> Iterator[None]:
        """Raise TimedOut in the block when the target has not answered for ``limit`` + GRACE seconds.

        ``limit`` is the longest that a method may take.
        """
        evaluation = _Evaluation(limit + GRACE)
        self._evaluations.add(evaluation)
        self._begun.set()
        try:
            with evaluation.scope:
                yield
        finally:
            self._evaluations.discard(evaluation)
        if evaluation.ended and evaluation.scope.cancelled_caught:
            raise TimedOut(
                f"the target has not answered for {evaluation.limit:g} s, and the evaluation was given up",
                hint="its process may be stopped or the link to it interrupted; 'set run-limit' allows more, "
                "'quit' leaves the target",
                code="NO_ANSWER",
            )

    async def run(self) -> None:
        """Watch until cancelled."""
        while True:
            self._begun = trio.Event()
            if not self._evaluations:
                await self._begun.wait()
            self._look(trio.current_time())
            while self._evaluations:
                await trio.sleep(_LOOK)
                self._look(trio.current_time())

    def _look(self, now: float) -> None:
        """End what has waited too long. wire: no trip."""
        conn = self._conn
        partial = conn.receiving(_LARGE)
        if partial is not None and partial != self._partial:
            self._received = now
        self._partial = partial
        progress = conn.statistics().replies, partial
        if progress != self._progress:
            self._progress, self._progressed = progress, now
        self._since = {number: self._since.get(number, now) for number in conn.outstanding(without=_INVOCATIONS)}
        if not self._since:
            return
        oldest = min(self._since.values())
        for evaluation in self._evaluations:
            begun = evaluation.begun
            # No reply at all comes, or others do and one that was asked for since has not.
            asked = min((since for since in self._since.values() if since >= begun), default=now)
            silent = now - max(oldest, begun, self._progressed)
            late = now - max(asked, self._received)
            if max(silent, late) > evaluation.limit:
                evaluation.ended = True
                evaluation.scope.cancel()

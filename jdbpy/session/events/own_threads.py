"""Threads of the debugger's own in the target: in them methods are run while the threads of the program run on.

Owns which there are, and which of them is free. Each stands at an event of its own, suspended by the debugger alone
(``Suspension.own``): it is no stop, and what resumes or suspends the program leaves it as it is. How one is made
belongs to ``in_target.own_thread``.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Protocol

import trio

from jdbpy.errors import Disconnected, JdwpError, StateError
from jdbpy.session.events.suspension import SuspendOp
from jdbpy.wire.constants import Error
from jdbpy.wire.messages import object_reference

if TYPE_CHECKING:
    from jdbpy.session.events.target import Target

MOST = 4
"""Threads of the debugger's own that there may be: a further one is made where all others run methods that nobody waits
for any more."""

_TRIES = 4

NAME = "jdbpy"
"""The name of such a thread in the target."""


class OwnThread:
    """One of them. ``turn`` is held while a method is sent and waited for; ``loader`` is the loader of the
    application, by which classes are found that no frame names, 0 while it is not prepared."""

    def __init__(self, thread: int) -> None:
        self.id = thread
        self.loader = 0
        self.turn = trio.Lock()


class ThreadMaker(Protocol):
    """Makes such threads, and knows whether that is allowed."""

    def forbidden(self) -> str:
        """Return why none may be made, "" if one may."""

    async def make(self, target: Target) -> OwnThread:
        """Make one. Raises StateError where none comes about."""

    async def prepare(self, target: Target, thread: int) -> int:
        """Make it ready, and return its loader."""


class OwnThreads:
    """The threads of the debugger's own in one target. ``maker`` makes one; None where that is not possible at all."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._threads: list[OwnThread] = []
        self._making = trio.Lock()
        self.maker: ThreadMaker | None = None

    @property
    def ids(self) -> tuple[int, ...]:
        """Return their ids, those of busy ones too. No trip."""
        return tuple(each.id for each in self._threads)

    @property
    def made(self) -> bool:
        """True if one is there that can run a method now. No trip."""
        return self._free() is not None

    @property
    def possible(self) -> bool:
        """True if one is there, or may be made. No trip."""
        if self.maker is None or not self._target.conn.allows(object_reference.InvokeMethod):
            return False
        return bool(self._threads) or not self.maker.forbidden()

    def require_possible(self, what: str) -> None:
        """Raises StateError where none may be made; ``what`` it would be for, in messages."""
        self._target.conn.require_allowed(object_reference.InvokeMethod)
        if self.possible:
            return
        why = self.maker.forbidden() if self.maker is not None else ""
        raise StateError(
            f"{what} needs a thread stopped at a breakpoint or step to run code in the JVM"
            + (f": {why}" if why else ""),
            hint="let the program come to a breakpoint, or do one step ('stepi')"
            + ("; or 'set in-target auto'" if why else ""),
            code="NOT_AT_EVENT",
        )

    async def get(self) -> OwnThread:
        """Return one that is free, or in use by somebody who waits for a method. Raises StateError where none is, and
        none comes about. wire: 0 trips, some 15 the first time."""
        if (free := self._free()) is not None and free.loader:
            return free
        async with self._making:
            return await self._prepared(self._free() or await self._made())

    async def _prepared(self, thread: OwnThread) -> OwnThread:
        if not thread.loader:
            assert self.maker is not None
            async with thread.turn:
                thread.loader = await self.maker.prepare(self._target, thread.id)
        return thread

    async def _made(self) -> OwnThread:
        assert self.maker is not None
        if len(self._threads) >= MOST:
            busy = self._threads[0].id
            raise StateError(
                self._target.suspension.running_method(busy),
                hint=self._target.suspension.methods.get(busy, ("", "wait for its end"))[1],
                code="STILL_RUNNING",
            )
        made = await self._make(self.maker)
        self._threads.append(made)
        return made

    async def _make(self, maker: ThreadMaker) -> OwnThread:
        """Have a thread made, anew where the target has collected the object before it could be kept."""
        for _ in range(_TRIES):
            try:
                return await maker.make(self._target)
            except JdwpError as error:
                if error.number != Error.INVALID_OBJECT:
                    raise
        return await maker.make(self._target)

    def end(self) -> None:
        """Let those run that run no method: they end. wire: no wait."""
        suspension = self._target.suspension
        with suppress(Disconnected), self._target.conn.corked:
            for each in self._threads:
                if each.id not in suspension.evaluating:
                    for _ in range(suspension.count(each.id)):
                        self._target.submit_op(SuspendOp.THREAD_RESUME, each.id, brief=True)
        self._free()

    def _free(self) -> OwnThread | None:
        suspension = self._target.suspension
        for each in list(self._threads):
            if each.id in suspension.evaluating:
                if each.turn.locked():
                    return each
            elif suspension.stopped_by_event(each.id):
                return each
            else:  # it was resumed with everything else, and has ended
                self._threads.remove(each)
        return None

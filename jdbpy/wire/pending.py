"""The handle of one command whose reply is awaited, or not awaited any more.

Owns the life of a reply after its packet has been found: outstanding, then settled; taken, or abandoned by its waiter.
Owns also the short table of commands whose work is undone when their waiter was cancelled between asking and answer.
It does no input or output and knows nothing of other commands.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Generic

import trio

from jdbpy.errors import Disconnected, JdbpyError
from jdbpy.wire.command import Command, R
from jdbpy.wire.error_text import jdwp_error
from jdbpy.wire.messages import event_request, object_reference, thread_reference, virtual_machine

if TYPE_CHECKING:
    from jdbpy.wire.framing import Packet

OnReply = Callable[[R | JdbpyError], None]
OnAbandoned = Callable[[Command[Any], Any], None]
"""Called with a command that nobody waits for any more, and its reply."""


class Pending(Generic[R]):
    """A submitted command. Made by ``Connection.submit``; ``await pending.wait()`` gives the reply.

    The body of the reply is decoded when it is first looked at, by its reader: the reader does not spend time on it,
    and the id sizes of that moment are used.

    A waiter that is cancelled abandons the command: its reply is swallowed when it comes, and what it created in the
    target is undone. So does ``abandon()``, for a reply that is no longer wanted.
    """

    __slots__ = (
        "_abandoned",
        "_body",
        "_decode",
        "_event",
        "_on_reply",
        "_outcome",
        "_taken",
        "_undo",
        "command",
        "sent_at",
    )

    def __init__(
        self,
        command: Command[R],
        decode: Callable[[Command[Any], bytes], Any],
        undo: Callable[[Command[Any], Any], None],
        on_reply: OnReply[R] | None = None,
    ) -> None:
        self.command = command
        self._on_reply = on_reply
        self.sent_at = 0.0
        self._decode = decode
        self._undo = undo
        self._body: bytes | None = None  # of the reply; all that is kept of its packet, for there may be thousands
        self._outcome: R | JdbpyError | None = None
        self._event: trio.Event | None = None
        self._taken = False
        self._abandoned = False

    @property
    def done(self) -> bool:
        """The reply is here, or the connection has ended."""
        return self._body is not None or self._outcome is not None

    @property
    def outcome(self) -> R | JdbpyError:
        """Return the reply, or the error in its place: JdwpError, ProtocolError (a malformed body) or Disconnected.

        Only when ``done``; RuntimeError before that.
        """
        self._taken = True
        return self._decoded()

    async def wait(self) -> R:
        """Wait for the reply, however long it takes: a method invocation may never answer.

        Raises JdwpError when the target answered with an error, Disconnected when the connection ended first and
        ProtocolError when the body of the reply is malformed.
        """
        await self.settled()
        outcome = self.outcome
        if isinstance(outcome, JdbpyError):
            raise outcome
        return outcome

    async def settled(self) -> None:
        """Wait until ``done`` without looking at the outcome. Abandons the command when cancelled."""
        try:
            if self.done:
                await trio.lowlevel.checkpoint_if_cancelled()
                return
            if self._event is None:
                self._event = trio.Event()
            await self._event.wait()
        except BaseException:
            self.abandon()
            raise

    def abandon(self) -> None:
        """Give the reply up: what the command creates in the target is undone, unless the outcome was taken."""
        if self._taken or self._abandoned:
            return
        self._abandoned = True
        if self.done:
            self._undo_outcome()

    def settle(self, answer: Packet | Disconnected) -> None:
        """For the connection: the reply has come, or never will. Runs ``on_reply``, wakes the waiter."""
        if isinstance(answer, Disconnected):
            self._outcome = answer
        elif answer.error:
            self._outcome = jdwp_error(answer.error, self.command.NAME)
        else:
            self._body = answer.data
        on_reply, self._on_reply = self._on_reply, None  # which may know this handle: no cycle stays for the collector
        if self._abandoned:
            self._undo_outcome()
        elif on_reply is not None:
            on_reply(self.outcome)
        if self._event is not None:
            self._event.set()

    def _undo_outcome(self) -> None:
        outcome = self._decoded()
        if not isinstance(outcome, JdbpyError):
            self._undo(self.command, outcome)

    def _decoded(self) -> R | JdbpyError:
        if self._body is not None:
            body, self._body = self._body, None
            self._outcome = self._decode(self.command, body)
        if self._outcome is None:
            raise RuntimeError("the reply has not come yet: await wait() first")
        return self._outcome


class RawPending:
    """A command whose reply is wanted as bytes, where it comes in: for who asks by the hundred thousand.

    ``command`` is the class of the command. ``answered`` gets the error code (0: none) and the body of the reply; it is
    called where packets are received: it must be quick and must not raise. It is not called when the connection ends.
    """

    __slots__ = ("_answered", "command", "sent_at")

    def __init__(self, command: type[Command[Any]], answered: Callable[[int, bytes], None]) -> None:
        self.command = command
        self.sent_at = 0.0
        self._answered = answered

    def settle(self, answer: Packet | Disconnected) -> None:
        """For the connection: the reply has come, or never will."""
        if not isinstance(answer, Disconnected):
            self._answered(answer.error, answer.data)


UNDO: dict[type[Command[Any]], Callable[[Any, Any], Command[Any]]] = {
    event_request.Set: lambda command, reply: event_request.Clear(command.eventKind, reply.requestID),
    object_reference.DisableCollection: lambda command, _: object_reference.EnableCollection(command.object),
    thread_reference.Suspend: lambda command, _: thread_reference.Resume(command.thread),
    virtual_machine.Suspend: lambda _, __: virtual_machine.Resume(),
}
"""Commands that leave something behind in the target: a request, a pin, a suspend count. With what takes it back."""


def undoing(command: Command[Any], reply: Any) -> Command[Any] | None:
    """Return the command that takes back what ``command``, answered by ``reply``, has done; None when nothing stays
    behind."""
    make = UNDO.get(type(command))
    return make(command, reply) if make else None

"""The undoing of a command whose reply is no longer waited for.

Owns the short table of commands that leave something behind in the target (a request, a pin, a suspend count) when
their waiter was cancelled between asking and answer. It sends nothing itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jdbpy.wire.command import Command
from jdbpy.wire.messages import event_request, object_reference, thread_reference, virtual_machine

_UNDO: dict[type[Command[Any]], Callable[[Any, Any], Command[Any]]] = {
    event_request.Set: lambda command, reply: event_request.Clear(command.eventKind, reply.requestID),
    object_reference.DisableCollection: lambda command, _: object_reference.EnableCollection(command.object),
    thread_reference.Suspend: lambda command, _: thread_reference.Resume(command.thread),
    virtual_machine.Suspend: lambda _, __: virtual_machine.Resume(),
}


def undoing(command: Command[Any], reply: Any) -> Command[Any] | None:
    """The command that takes back what ``command``, answered by ``reply``, has done; None when nothing stays behind."""
    make = _UNDO.get(type(command))
    return make(command, reply) if make else None

"""The audit log: who changed or suspended the target with which packet, when, and what for. JSON Lines.

Owns the form of the file. A line is written before the packet leaves, and another one when its outcome has come:

    {"time": "2026-01-31T12:00:00.123Z", "packet": 7, "command": "VirtualMachine.Suspend", "effect": "suspends",
     "what": "suspending all threads", "fields": "", "for": "pause"}
    {"time": "2026-01-31T12:00:00.125Z", "packet": 7, "command": "VirtualMachine.Suspend", "outcome": "OK"}

A packet that cannot be entered does not leave. Lines are appended, so that a file may hold many sessions; each begins
with a line that names its target.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from types import FrameType
from typing import Any

from jdbpy.errors import StateError, UsageError
from jdbpy.files import open_private
from jdbpy.wire.command import Command
from jdbpy.wire.effects import Effect, effect_of, in_words

_purpose: ContextVar[str] = ContextVar("purpose", default="")


@contextmanager
def purpose(text: str) -> Iterator[None]:
    """Name what is done inside the block in the audit log: a command as it was typed. Without, the call is named."""
    token = _purpose.set(text)
    try:
        yield
    finally:
        _purpose.reset(token)


@contextmanager
def open_audit_log(path: str, target: str) -> Iterator[AuditLog]:
    """Open the log at ``path``, mode 0600, which is appended to and never a link. Raises UsageError."""
    try:
        handle = open_private(path, append=True)
    except OSError as error:
        raise UsageError(
            f"cannot write the audit log {path}: {error.strerror}",
            hint="name a file of your own, or one in a directory that you may write to",
        ) from error
    try:
        log = AuditLog(handle)
        log.write({"session": target, "process": os.getpid()})
        yield log
    finally:
        os.close(handle)


class AuditLog:
    """Writes to a file by its descriptor."""

    def __init__(self, handle: int) -> None:
        self._handle = handle

    def sent(self, packet_id: int, command: Command[Any]) -> None:
        """Enter a command that is about to leave, if it changes or suspends. Raises StateError when it cannot be."""
        effect = effect_of(command)
        if effect is not Effect.CHANGES and effect is not Effect.SUSPENDS:
            return
        from jdbpy.wire.explain import explain

        fields: dict[str, object] = {"packet": packet_id, "command": command.NAME, "effect": effect.value}
        fields |= {"what": in_words(command), "fields": explain(command), "for": _purpose.get() or _caller()}
        self.write(fields)

    def answered(self, packet_id: int, command: Command[Any], outcome: str) -> None:
        """Enter the outcome of a command: ``OK``, the agent's error, or why there is none."""
        if effect_of(command) in (Effect.CHANGES, Effect.SUSPENDS):
            with suppress(StateError):  # the next packet that is to leave is refused
                self.write({"packet": packet_id, "command": command.NAME, "outcome": outcome})

    def write(self, fields: dict[str, object]) -> None:
        """Append a line with the time. Raises StateError."""
        import json
        from datetime import UTC, datetime

        time = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        line = json.dumps({"time": time, **fields}) + "\n"
        try:
            os.write(self._handle, line.encode())
        except OSError as error:
            raise StateError(
                f"refused: the audit log cannot be written ({error.strerror})",
                hint="make room for it, or attach without an audit log",
                code="AUDIT",
            ) from error


_OWN = ("jdbpy.session.session", "jdbpy.session.events.dispatch", "jdbpy.wire.")
"""Modules whose tasks handle events; what they send is for no call."""


_CALLED = {
    "ClassDirectory": "Classes",
    "HeapReader": "Heap",
    "LineBreakpoints": "Breakpoints",
    "ModuleDirectory": "Modules",
    "StackReader": "Stack",
    "ThreadDirectory": "Threads",
    "VmReader": "Vm",
}
"""Components of a session by their classes, as the log calls them: after the attribute of the session."""


def _caller() -> str:
    """Return the call of jdbpy's interface that leads here: ``Values.evaluate``; "an event" in jdbpy's own tasks."""
    found = ""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        module = frame.f_globals.get("__name__", "")
        if module.startswith("jdbpy.session.") and module != "jdbpy.session.concurrency":
            own = module.startswith(_OWN) and frame.f_code.co_name in ("run", "_work", "_handle", "_take")
            component, _, method = frame.f_code.co_qualname.partition(".")
            found = "an event" if own else f"{_CALLED.get(component, component)}{'.' if method else ''}{method}"
        frame = frame.f_back
    return found or "an event"

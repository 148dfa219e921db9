"""Refuses the commands that need the debugger agent. Owns the wording of these errors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jdbpy.errors import StateError
from jdbpy.session.events.target import needs_agent
from jdbpy.wire.command import Command
from jdbpy.wire.effects import ReadOnlyGuard, in_words

_WORDS = {
    "ArrayReference": "looking into objects",
    "ClassLoaderReference": "looking at class loaders",
    "ClassObjectReference": "looking into classes",
    "Method": "looking into methods",
    "ModuleReference": "looking at modules",
    "ObjectReference": "looking into objects",
    "ReferenceType": "looking into classes",
    "StackFrame": "reading variables",
    "StringReference": "looking into objects",
    "ThreadGroupReference": "listing thread groups",
}
"""By the command set, of commands that read."""

_OWN_WORDS = {
    "EventRequest.Set": "stopping the program at an event",
    "ObjectReference.ReferringObjects": "looking for what refers to an object",
    "ReferenceType.Instances": "looking for instances",
    "ThreadReference.OwnedMonitors": "listing the monitors of a thread",
    "VirtualMachine.AllClasses": "listing classes",
    "VirtualMachine.AllModules": "listing modules",
    "VirtualMachine.InstanceCounts": "counting instances",
    "VirtualMachine.TopLevelThreadGroups": "listing thread groups",
}


class WithoutAgentGuard(ReadOnlyGuard):
    """Refuses commands that the peer cannot answer. ``line`` is the JVM option that would load the agent."""

    def __init__(self, answers: Callable[[Command[Any] | type[Command[Any]]], bool], line: str) -> None:
        super().__init__(allow_suspend=False)
        self._answers = answers
        self._line = line

    def refusal(self, command: Command[Any] | type[Command[Any]]) -> StateError | None:
        """Return the error for a command that must not be sent, or None."""
        kind = command if isinstance(command, type) else type(command)
        if self._answers(command):
            return None
        return needs_agent(self._words(kind), self._line)

    def _words(self, kind: type[Command[Any]]) -> str:
        found = _OWN_WORDS.get(kind.NAME) or in_words(kind)
        return found if found != kind.NAME else _WORDS.get(kind.NAME.partition(".")[0], "that")

"""The effect of each command on the target, and the guard of a read-only session.

Owns the table of effects, by the specification's names, and the rule: a command that changes the target does not leave
in a read-only session, and one that suspends threads needs a permission of its own. Whatever releases or resumes is
always allowed, so that any session can be left. A command that stands in no table counts as a change.
"""

from __future__ import annotations

from enum import Enum
from typing import Any

from jdbpy.errors import ReadOnlyError, StateError
from jdbpy.wire.command import Command
from jdbpy.wire.constants import EventKind, JdwpSuspendPolicy


class Effect(Enum):
    """The most that a command does to the target."""

    READS = "reads"
    RELEASES = "releases"
    """Takes back what this session has done: requests, suspensions, pins, ids. Or flow control between both sides."""
    SUSPENDS = "suspends"
    CHANGES = "changes"


_READS = {
    "ArrayReference": ("GetValues", "Length"),
    "ClassLoaderReference": ("VisibleClasses",),
    "ClassObjectReference": ("ReflectedType",),
    "ClassType": ("Superclass",),
    "Method": ("Bytecodes", "IsObsolete", "LineTable", "VariableTable", "VariableTableWithGeneric"),
    "ModuleReference": ("ClassLoader", "Name"),
    "ObjectReference": ("GetValues", "IsCollected", "MonitorInfo", "ReferenceType", "ReferringObjects"),
    "ReferenceType": (
        "ClassFileVersion",
        "ClassLoader",
        "ClassObject",
        "ConstantPool",
        "Fields",
        "FieldsWithGeneric",
        "GetValues",
        "Instances",
        "Interfaces",
        "Methods",
        "MethodsWithGeneric",
        "Modifiers",
        "Module",
        "NestedTypes",
        "Signature",
        "SignatureWithGeneric",
        "SourceDebugExtension",
        "SourceFile",
        "Status",
    ),
    "StackFrame": ("GetValues", "ThisObject"),
    "StringReference": ("Value",),
    "ThreadGroupReference": ("Children", "Name", "Parent"),
    "ThreadReference": (
        "CurrentContendedMonitor",
        "FrameCount",
        "Frames",
        "IsVirtual",
        "Name",
        "OwnedMonitors",
        "OwnedMonitorsStackDepthInfo",
        "Status",
        "SuspendCount",
        "ThreadGroup",
    ),
    "VirtualMachine": (
        "AllClasses",
        "AllClassesWithGeneric",
        "AllModules",
        "AllThreads",
        "Capabilities",
        "CapabilitiesNew",
        "ClassPaths",
        "ClassesBySignature",
        "IDSizes",
        "InstanceCounts",
        "TopLevelThreadGroups",
        "Version",
    ),
}
_RELEASES = {
    "EventRequest": ("Clear", "ClearAllBreakpoints"),
    "ObjectReference": ("EnableCollection",),
    "ThreadReference": ("Resume",),
    "VirtualMachine": ("Dispose", "DisposeObjects", "HoldEvents", "ReleaseEvents", "Resume"),
}
_WORDS = {
    "EventRequest.Set": "stopping threads at an event",
    "ThreadReference.Suspend": "suspending a thread",
    "VirtualMachine.Suspend": "suspending all threads",
    "ArrayReference.SetValues": "setting an element of an array",
    "ArrayType.NewInstance": "making an array",
    "ClassType.InvokeMethod": "running a method",
    "ClassType.NewInstance": "running a constructor",
    "ClassType.SetValues": "setting a static field",
    "Event.Composite": "an event",
    "InterfaceType.InvokeMethod": "running a method",
    "ObjectReference.DisableCollection": "keeping an object from being collected",
    "ObjectReference.InvokeMethod": "running a method",
    "ObjectReference.SetValues": "setting a field",
    "StackFrame.PopFrames": "popping a frame",
    "StackFrame.SetValues": "setting a variable",
    "ThreadReference.ForceEarlyReturn": "a forced return",
    "ThreadReference.Interrupt": "interrupting a thread",
    "ThreadReference.Stop": "throwing an exception in a thread",
    "VirtualMachine.CreateString": "making a string",
    "VirtualMachine.Exit": "ending the VM",
    "VirtualMachine.RedefineClasses": "redefining classes",
    "VirtualMachine.SetDefaultStratum": "setting the agent's default stratum",
}
"""Commands that suspend or change, with the words of a refusal. Composite is the agent's: no debugger sends it."""

_SUSPENDS = ("ThreadReference.Suspend", "VirtualMachine.Suspend")

_EFFECTS = {
    **{f"{group}.{name}": Effect.READS for group, names in _READS.items() for name in names},
    **{f"{group}.{name}": Effect.RELEASES for group, names in _RELEASES.items() for name in names},
    **dict.fromkeys(_WORDS, Effect.CHANGES),
    **dict.fromkeys((*_SUSPENDS, "EventRequest.Set"), Effect.SUSPENDS),
}

_NEVER_SUSPENDS = (EventKind.CLASS_UNLOAD,)
"""Kinds of events for which the agent suspends nothing, whatever the policy of the request."""


def effect_of(command: Command[Any] | type[Command[Any]]) -> Effect:
    """Return the effect of a command, or the most that a command of a class may have. A request for events that
    suspends nothing reads."""
    effect = _EFFECTS.get(command.NAME, Effect.CHANGES)
    if command.NAME == "EventRequest.Set" and not isinstance(command, type):
        kind, policy = getattr(command, "eventKind", 0), getattr(command, "suspendPolicy", JdwpSuspendPolicy.ALL)
        return Effect.READS if policy == JdwpSuspendPolicy.NONE or kind in _NEVER_SUSPENDS else Effect.SUSPENDS
    return effect


def is_listed(command: type[Command[Any]]) -> bool:
    """True if the table says what the command does."""
    return command.NAME in _EFFECTS


def in_words(command: Command[Any] | type[Command[Any]]) -> str:
    """Return a command that suspends or changes, in a word or two: ``running a method``."""
    return _WORDS.get(command.NAME, command.NAME)


class ReadOnlyGuard:
    """The rule of a read-only session; ``allow_suspend`` permits to suspend threads."""

    def __init__(self, *, allow_suspend: bool) -> None:
        self.allow_suspend = allow_suspend

    def refusal(self, command: Command[Any] | type[Command[Any]]) -> StateError | None:
        """Return the error for a command that may not leave, or None. Of a class: for one of its commands at the
        worst."""
        effect = effect_of(command)
        if effect is Effect.CHANGES:
            return ReadOnlyError(
                f"refused: {in_words(command)} changes the target, and this session is read-only (--read-only)",
                hint="attach without --read-only (in a script without read_only) to change the target",
            )
        if effect is Effect.SUSPENDS and not self.allow_suspend:
            return ReadOnlyError(
                f"refused: {in_words(command)} suspends the target, which takes --allow-suspend in a read-only session",
                hint="attach with --read-only --allow-suspend (in a script allow_suspend=True) to stop threads",
            )
        return None


class EvaluationGuard(ReadOnlyGuard):
    """The rule of one read-only evaluation in a session that may change the target."""

    def __init__(self) -> None:
        super().__init__(allow_suspend=False)

    def refusal(self, command: Command[Any] | type[Command[Any]]) -> StateError | None:
        """Return the error for a command that may not leave, or None."""
        if effect_of(command) in (Effect.READS, Effect.RELEASES):
            return None
        return ReadOnlyError(
            f"refused: {in_words(command)} may have side effects, and this evaluation is read-only",
            hint="evaluate it in the console or as a watch",
        )

"""What each command does to the target, and what a read-only session refuses."""

from __future__ import annotations

from typing import Any

import pytest

from jdbpy.errors import ReadOnlyError
from jdbpy.wire.command import Command, all_commands
from jdbpy.wire.constants import EventKind, JdwpSuspendPolicy
from jdbpy.wire.effects import _EFFECTS, Effect, ReadOnlyGuard, effect_of, is_listed
from jdbpy.wire.messages import event_request, virtual_machine
from jdbpy.wire.pending import UNDO

CHANGES = {
    *("ArrayReference.SetValues", "ArrayType.NewInstance", "ClassType.InvokeMethod", "ClassType.NewInstance"),
    *("ClassType.SetValues", "Event.Composite", "InterfaceType.InvokeMethod", "ObjectReference.DisableCollection"),
    *("ObjectReference.InvokeMethod", "ObjectReference.SetValues", "StackFrame.PopFrames", "StackFrame.SetValues"),
    *("ThreadReference.ForceEarlyReturn", "ThreadReference.Interrupt", "ThreadReference.Stop"),
    *("VirtualMachine.CreateString", "VirtualMachine.Exit", "VirtualMachine.RedefineClasses"),
    "VirtualMachine.SetDefaultStratum",
}


@pytest.mark.parametrize("command", all_commands(), ids=lambda command: command.NAME)
def test_each_command_is_in_the_table(command: type[Command[Any]]) -> None:
    assert is_listed(command)


def test_the_table_names_commands_only() -> None:
    assert set(_EFFECTS) == {command.NAME for command in all_commands()}


def test_which_commands_change_and_which_suspend() -> None:
    by_effect = {effect: {each.NAME for each in all_commands() if effect_of(each) is effect} for effect in Effect}
    assert by_effect[Effect.CHANGES] == CHANGES
    assert by_effect[Effect.SUSPENDS] == {"EventRequest.Set", "ThreadReference.Suspend", "VirtualMachine.Suspend"}


def test_commands_of_which_nothing_is_known_count_as_changes() -> None:
    class Unheard:
        NAME = "VirtualMachine.Unheard"

    assert effect_of(Unheard) is Effect.CHANGES  # type: ignore[arg-type]


@pytest.mark.parametrize("allow_suspend", [False, True])
def test_whatever_takes_something_back_may_leave(allow_suspend: bool) -> None:
    guard = ReadOnlyGuard(allow_suspend=allow_suspend)
    taken_back: set[type[Command[Any]]] = {event_request.ClearAllBreakpoints, *map(_undone_by, UNDO)}
    taken_back |= {virtual_machine.Resume, virtual_machine.Dispose, virtual_machine.DisposeObjects}
    for command in taken_back:
        assert guard.refusal(command) is None


def _undone_by(command: type[Command[Any]]) -> type[Command[Any]]:
    class Anything:
        def __getattr__(self, name: str) -> int:
            return 1

    return type(UNDO[command](Anything(), Anything()))


@pytest.mark.parametrize("policy", list(JdwpSuspendPolicy))
def test_requests_suspend_unless_their_policy_is_none(policy: JdwpSuspendPolicy) -> None:
    request = event_request.Set(EventKind.BREAKPOINT, policy)
    refusal = ReadOnlyGuard(allow_suspend=False).refusal(request)
    assert (refusal is None) == (policy is JdwpSuspendPolicy.NONE)
    assert ReadOnlyGuard(allow_suspend=True).refusal(request) is None
    assert ReadOnlyGuard(allow_suspend=False).refusal(event_request.Set(EventKind.CLASS_UNLOAD, policy)) is None


def test_a_refusal_names_the_switch() -> None:
    changing = ReadOnlyGuard(allow_suspend=True).refusal(virtual_machine.Exit(0))
    suspending = ReadOnlyGuard(allow_suspend=False).refusal(virtual_machine.Suspend())
    assert isinstance(changing, ReadOnlyError)
    assert isinstance(suspending, ReadOnlyError)
    assert changing.message == (
        "refused: ending the VM changes the target, and this session is read-only (--read-only)"
    )
    assert suspending.message == (
        "refused: suspending all threads suspends the target, which takes --allow-suspend in a read-only session"
    )
    assert "--read-only --allow-suspend" in suspending.hint
    assert changing.code == suspending.code == "READ_ONLY"

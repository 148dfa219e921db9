"""The declarations: that all are there, under their numbers, and what using and importing them takes."""

from __future__ import annotations

import subprocess
import sys

import pytest

from jdbpy.wire.command import Choice, Command, Empty, all_commands, find_command
from jdbpy.wire.constants import CommandSet, Error, EventKind, ModKind, error_name
from jdbpy.wire.error_text import jdwp_error
from jdbpy.wire.ids import IDSizes, ThreadID
from jdbpy.wire.messages import event, event_request, thread_reference, virtual_machine

COMMANDS_OF = {
    "VirtualMachine": 22,
    "ReferenceType": 19,
    "ClassType": 4,
    "ArrayType": 1,
    "InterfaceType": 1,
    "Method": 5,
    "Field": 0,
    "ObjectReference": 9,
    "StringReference": 1,
    "ThreadReference": 15,
    "ThreadGroupReference": 3,
    "ArrayReference": 3,
    "ClassLoaderReference": 1,
    "EventRequest": 3,
    "StackFrame": 4,
    "ClassObjectReference": 1,
    "ModuleReference": 2,
    "Event": 1,
}
"""How many commands each set of the specification (JDK 25) has; the numbers start at 1 and have no gaps but one."""


def test_all_commands_are_declared() -> None:
    found = {name: [c.COMMAND for c in all_commands() if c.NAME.startswith(f"{name}.")] for name in COMMANDS_OF}
    expected = {name: list(range(1, count + 1)) for name, count in COMMANDS_OF.items()}
    expected["ObjectReference"] = [1, 2, 3, 5, 6, 7, 8, 9, 10]  # 4 is not used
    expected["Event"] = [100]
    assert found == expected
    assert set(COMMANDS_OF) == {command_set.name for command_set in CommandSet}
    assert len(all_commands()) == 95


def test_commands_are_found_by_number() -> None:
    assert find_command(11, 6) is thread_reference.Frames
    assert find_command(11, 99) is None
    assert find_command(8, 1) is None
    assert find_command(199, 1) is None


def test_every_declaration_is_documented_and_named_after_its_reply() -> None:
    for command in all_commands():
        assert command.__doc__ != Command.__doc__, command.NAME
        assert command.__doc__, command.NAME
        assert command.REPLY is Empty or command.REPLY.__name__ == f"{command.__name__}Reply", command.NAME
        assert command.REPLY is Empty or command.REPLY.__module__ == command.__module__, command.NAME


def kinds(choice: type[Choice]) -> dict[str, int]:
    return {record.__name__: kind for kind, record in choice.KINDS.items()}


def spelled(name: str) -> str:
    """A constant's name from a class's: ``MonitorWaited`` gives MONITOR_WAITED, ``VMStart`` VM_START."""
    words = "".join(f"_{letter}" if letter.isupper() else letter for letter in name.replace("VM", "Vm"))
    return words.strip("_").upper()


def test_all_event_kinds_and_modifiers_are_declared() -> None:
    assert {spelled(name): kind for name, kind in kinds(event_request.Modifier).items()} == dict(ModKind.__members__)
    never_sent = {"FRAME_POP", "USER_DEFINED", "CLASS_LOAD", "EXCEPTION_CATCH", "VM_DISCONNECTED"}
    assert {spelled(name) for name in kinds(event.Event)} == {kind.name for kind in EventKind} - never_sent
    assert all(EventKind[spelled(name)] == kind for name, kind in kinds(event.Event).items())
    assert len(kinds(event.Event)) == 18


def test_capabilities_named_by_commands_exist() -> None:
    named = {command.CAPABILITY for command in all_commands()} - {""}
    assert named < set(virtual_machine.CapabilitiesNewReply.__fields__)
    assert "canRedefineClasses" in named
    assert virtual_machine.CapabilitiesNewReply.__fields__[:7] == virtual_machine.CapabilitiesReply.__fields__
    assert len(virtual_machine.CapabilitiesNewReply.__fields__) == 32


def test_commands_are_made_by_position_or_name() -> None:
    assert thread_reference.Frames(ThreadID(7), 0, -1) == thread_reference.Frames(thread=ThreadID(7))
    assert thread_reference.Frames(ThreadID(7), 1) != thread_reference.Frames(ThreadID(7))


def test_id_sizes_of_the_reply() -> None:
    assert virtual_machine.IDSizesReply(1, 2, 4, 8, 8).sizes() == IDSizes(
        fieldIDSize=1, methodIDSize=2, objectIDSize=4, referenceTypeIDSize=8, frameIDSize=8
    )


def test_importing_messages_brings_in_neither_codec_nor_construct() -> None:
    script = (
        "import sys; from jdbpy.wire.command import all_commands; all_commands()\n"
        "print(sorted({'construct', 'trio', 'jdbpy.wire.codec', 'jdbpy.wire.layout'} & set(sys.modules)))\n"
        "from jdbpy.wire.codec import GeneratedCodec; from jdbpy.wire.messages import virtual_machine\n"
        "GeneratedCodec().encode(virtual_machine.Exit(1))\n"
        "print(sorted({'construct', 'trio', 'jdbpy.wire.faults', 'jdbpy.wire.explain'} & set(sys.modules)))"
    )
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True)
    assert result.stdout.split("\n")[:2] == ["[]", "[]"]


@pytest.mark.parametrize("error", [error for error in Error if error], ids=lambda error: error.name)
def test_every_error_code_has_words(error: Error) -> None:
    made = jdwp_error(error, "ThreadReference.Name")
    assert (made.number, made.code, made.command) == (error, error.name, "ThreadReference.Name")
    assert made.message.endswith(f" ({error.name} from ThreadReference.Name)")
    assert made.message != jdwp_error(9999, "ThreadReference.Name").message.replace("ERROR_9999", error.name)


def test_an_unknown_error_code_is_kept() -> None:
    made = jdwp_error(9999)
    assert (made.number, made.code) == (9999, "ERROR_9999")
    assert error_name(13) == "THREAD_NOT_SUSPENDED"

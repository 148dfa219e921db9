"""The parts of a message declaration: commands, replies, and records that come in several kinds.

Owns the base classes and the numbering; it knows neither bytes nor sockets. A declaration is a Record whose fields are
annotated with the types of ``wire.ids``, in the order of the wire::

    class Frames(Command[FramesReply], number=(CommandSet.ThreadReference, 6)):
        thread: ThreadID
        startFrame: Int
        length: Int
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any, ClassVar, Generic, TypeVar

from jdbpy.record import Record
from jdbpy.wire.constants import CommandSet


class Reply(Record):
    """Base of the data that answers a command."""


class Empty(Reply):
    """The reply to a command that answers with no data."""


R = TypeVar("R", bound=Record)

_COMMANDS: dict[tuple[int, int], type[Command[Any]]] = {}


class Command(Record, Generic[R]):
    """Base of commands; the parameter is the class of the reply's data."""

    COMMAND_SET: ClassVar[int]
    COMMAND: ClassVar[int]
    NAME: ClassVar[str]
    """``ThreadReference.Frames``, the specification's name."""
    CAPABILITY: ClassVar[str]
    """The flag of VirtualMachine.CapabilitiesNew that has to be set for this command to work, or nothing."""
    SINCE: ClassVar[str]
    """The first JDWP version with this command, or nothing when it has always been there."""
    REPLY: ClassVar[type[Record]]
    """The class of the reply's data; ``Connection.request`` gives the type checker the exact one."""

    def __init_subclass__(cls, *, number: tuple[CommandSet, int], capability: str = "", since: str = "") -> None:
        command_set, command = number
        cls.COMMAND_SET, cls.COMMAND = command_set.value, command
        cls.NAME = f"{command_set.name}.{cls.__name__}"
        cls.CAPABILITY, cls.SINCE = capability, since
        cls.REPLY = cls.__orig_bases__[0].__args__[0]  # type: ignore[attr-defined]
        _COMMANDS[command_set.value, command] = cls


class Choice(Record):
    """Base of records that come in several kinds, distinguished by a byte in front of them (events, modifiers).

    A direct subclass is the choice itself and owns the table ``KINDS``; a subclass of that with ``kind=...`` is one of
    the kinds and carries its number as ``KIND``. Subclasses without a kind only share fields.
    """

    KIND: ClassVar[int]
    KINDS: ClassVar[dict[int, type[Choice]]]
    UNKNOWN: ClassVar[type[Any] | None]
    """The class for an unknown kind, made as ``UNKNOWN(0, kind, data)``; None when an unknown kind is an error."""
    SELECTOR: ClassVar[str]
    """The specification's name of the byte."""

    def __init_subclass__(cls, *, kind: int | None = None, selector: str = "", unknown: bool = False) -> None:
        if selector:
            cls.KINDS, cls.UNKNOWN, cls.SELECTOR = {}, None, selector
        if kind is not None:
            cls.KIND = int(kind)
            cls.KINDS[cls.KIND] = cls
        if unknown:
            choice = cls.__base__
            assert choice is not None and issubclass(choice, Choice)
            choice.UNKNOWN = cls


def module_name(command_set: CommandSet) -> str:
    """Return the module that declares the commands of a set: ``thread_reference`` for ThreadReference."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", command_set.name).lower()


def find_command(command_set: int, command: int) -> type[Command[Any]] | None:
    """Return the command with these numbers, or None; loads the module that declares it."""
    known = CommandSet._value2member_map_.get(command_set)
    if isinstance(known, CommandSet) and known is not CommandSet.Field:
        import_module(f"jdbpy.wire.messages.{module_name(known)}")
    return _COMMANDS.get((command_set, command))


def all_commands() -> list[type[Command[Any]]]:
    """Return every command, by set and number; loads all modules of ``wire.messages``."""
    for command_set in CommandSet:
        find_command(command_set, 0)
    return [_COMMANDS[number] for number in sorted(_COMMANDS)]

"""ModuleReference, command set 18: names and loaders of modules."""

from __future__ import annotations

from jdbpy.wire.command import Command, Reply
from jdbpy.wire.constants import CommandSet
from jdbpy.wire.ids import ClassLoaderID, ModuleID, String


class NameReply(Reply):
    name: String


class Name(Command[NameReply], number=(CommandSet.ModuleReference, 1), since="9"):
    """The module's name; empty for an unnamed one."""

    module: ModuleID


class ClassLoaderReply(Reply):
    classLoader: ClassLoaderID


class ClassLoader(Command[ClassLoaderReply], number=(CommandSet.ModuleReference, 2), since="9"):
    """The loader of the module; 0 is the boot loader."""

    module: ModuleID

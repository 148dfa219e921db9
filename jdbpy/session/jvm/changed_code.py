"""Classes of the target into which this session has put checks of its own, and the classes that it has defined there.

Owns what all floors have to know of that: which class is the debugger's, which instruction was put in, which bytes are
the program's own. Putting checks in and taking them out belongs to ``instrumentation``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cached_property
from typing import Any, Protocol

from jdbpy.session.java import class_file
from jdbpy.session.jvm.refs import RefType
from jdbpy.wire.command import Command
from jdbpy.wire.ids import CodeLocation, MethodID, ReferenceTypeID
from jdbpy.wire.messages import virtual_machine

PREFIX = "Jdbpy__"
"""The beginning of the names of the debugger's own classes, behind their package."""

SIGN = f"L{PREFIX};"
"""The class that says that a debugger has changed classes of this VM at some time."""


def is_own_class(name: str) -> bool:
    """True if a class of that name, in any form, is one that a debugger of this kind has defined."""
    return PREFIX in name and name.replace("/", ".").rpartition(".")[2].removeprefix("L").startswith(PREFIX)


class CodeIndexMap(Protocol):
    """Code indices of one method before and after something was put in: ``in_target.weave.records.WovenMethod``."""

    def start_after(self, index: int) -> int: ...

    def index_after(self, index: int) -> int: ...

    def index_before(self, index: int) -> int: ...

    def is_inserted(self, index: int) -> bool: ...

    def is_behind_end(self, index: int) -> bool: ...


class ChangedClass:
    """A class that runs other code than its own, or is to: ``original`` is its class file, ``maps`` has the changed
    methods."""

    def __init__(self, type_: RefType, original: bytes) -> None:
        self.type = type_
        self.original = original
        self.maps: Mapping[MethodID, CodeIndexMap] = {}

    @cached_property
    def handlers(self) -> Mapping[tuple[str, str], tuple[tuple[int, int, int], ...]]:
        """Return the exception handlers in the class's own code, by name and signature of the method."""
        return {(each.name, each.signature): each.handlers for each in class_file.parse(self.original).methods}

    def index_before(self, place: CodeLocation) -> int:
        """Return the code index in the program's own code."""
        found = self.maps.get(place.methodID)
        return int(place.index) if found is None else found.index_before(place.index)


class ChangedCode:
    """The changes of this session to the code of one target."""

    def __init__(self) -> None:
        self.classes: dict[ReferenceTypeID, ChangedClass] = {}
        self.helpers: set[ReferenceTypeID] = set()
        """The debugger's own classes."""
        self.running_methods: set[ReferenceTypeID] = set()
        """Those of them that may run methods of the program."""
        self.has_handlers = False
        """True if handlers of this session's own may catch what the program throws, before it catches that itself."""
        self.replaced: Counter[ReferenceTypeID] = Counter()
        """How often this session has replaced the code of a class."""
        self.timed: set[ReferenceTypeID] = set()
        """Classes into which the JVM itself has put clocks."""

    def has_checks_in(self, type_id: ReferenceTypeID) -> bool:
        """True if a class runs other code than its own."""
        changed = self.classes.get(type_id)
        return changed is not None and bool(changed.maps)

    @property
    def has_checks(self) -> bool:
        """True if a class runs other code than its own."""
        return any(each.maps for each in self.classes.values())

    def is_inserted(self, place: CodeLocation) -> bool:
        """True if the instruction is none of the program's."""
        changed = self.classes.get(place.classID)
        found = changed.maps.get(place.methodID) if changed is not None else None
        return found is not None and found.is_inserted(place.index)

    def throws_again(self, place: CodeLocation) -> bool:
        """True if the instruction is in a handler that this session has put in: it throws again what it catches."""
        changed = self.classes.get(place.classID)
        found = changed.maps.get(place.methodID) if changed is not None else None
        return found is not None and found.is_behind_end(place.index)

    def original(self, type_id: ReferenceTypeID) -> bytes | None:
        """Return the class file that the program means, if it is not what runs."""
        changed = self.classes.get(type_id)
        return changed.original if changed is not None and changed.maps else None

    def restoring(self) -> list[Command[Any]]:
        """Return the commands that give all classes their own code again."""
        return [
            virtual_machine.RedefineClasses([virtual_machine.ClassDef(each.type.id, each.original)])
            for each in self.classes.values()
            if each.maps
        ]

"""Collects what is worth keeping of a target, in three phases: before, while and after it is suspended.

Owns which questions belong to which phase. It keeps answers as the bytes that came in; it writes no file and suspends
nothing (``taking``).
"""

from __future__ import annotations

from collections.abc import Iterable

from jdbpy.session.events.target import Target
from jdbpy.session.snapshots.asking import Asker
from jdbpy.session.snapshots.classes import STEP, SnapshotClasses
from jdbpy.session.snapshots.forms import ID, NULL, count_at
from jdbpy.session.snapshots.keeping import KeptAnswers
from jdbpy.session.snapshots.masking import Masks
from jdbpy.session.snapshots.objects import SnapshotObjects
from jdbpy.session.snapshots.stacks import SnapshotStacks
from jdbpy.wire.constants import Tag
from jdbpy.wire.messages import (
    class_loader_reference,
    class_object_reference,
    module_reference,
    object_reference,
    reference_type,
    virtual_machine,
)

_WITH_STATICS = ("Ljava/lang/StringUTF16;", "Ljava/util/ImmutableCollections;", "Ljava/lang/Module;")
"""Classes of the JDK whose static fields are read to show objects of others."""


class Collector:
    """Collects from one target. Call the phases in order, and ``asker.rest`` after each."""

    def __init__(self, target: Target, masks: Masks, *, depth: int, most: int) -> None:
        self.asker = Asker(target.conn, depth * STEP + 2)
        self.kept = KeptAnswers(self.asker)
        self.classes = SnapshotClasses(self.kept, masks, self._statics, modules=target.at_least(9))
        self.objects = SnapshotObjects(self.kept, self.classes, masks, depth * STEP, most)
        self.stacks = SnapshotStacks(
            self.kept,
            self.classes,
            self.objects,
            masks,
            virtual=target.at_least(21),
            depths=target.can("canGetMonitorFrameInfo"),
        )
        self._modules = target.at_least(9)
        self._ending_matters = target.ending.matter
        self._likely: list[bytes] = []

    def before(self) -> None:
        """Ask for what does not change while the target runs, and for the threads that there are likely to be."""
        for command in (
            virtual_machine.Version,
            virtual_machine.IDSizes,
            virtual_machine.Capabilities,
            virtual_machine.CapabilitiesNew,
            virtual_machine.ClassPaths,
        ):
            self.kept.keep(command, b"")
        self.classes.ask_list()
        if not self._ending_matters:  # else one of them may end before all are suspended
            self.asker.ask(
                virtual_machine.AllThreads, b"", lambda error, data: None if error else self._likely.extend(_ids(data))
            )

    def members(self) -> None:
        """Ask for the fields of the classes that ``before`` has found."""
        self.classes.ask_members()

    def suspended(self, more: Iterable[int]) -> None:
        """Ask for threads, stacks and what they reach: in the segment that suspends the target. ``more`` are threads
        that the agent does not list."""
        self.kept.keep(virtual_machine.AllThreads, b"", self._threads)
        self.kept.keep(virtual_machine.TopLevelThreadGroups, b"", self._groups)
        for thread in (*self._likely, *(ID.pack(each) for each in more)):
            self.stacks.thread(thread)
        limit = self.objects.limit
        self.objects.statics(self.classes.named("Ljava/lang/System;"), 0, only=("props",))
        for signature in _WITH_STATICS:
            self.objects.statics(self.classes.named(signature), limit)
        if self.classes.string:
            self.classes.layout(self.classes.string, lambda _: None)

    def _statics(self, type_id: bytes, chain: list[bytes]) -> None:
        """Keep the static fields of the classes of an object; what those of the JDK hold by its type."""
        for each in chain:
            self.objects.statics(each, self.objects.limit + (not self.classes.of_the_program(each)))

    def _threads(self, error: int, data: bytes) -> None:
        for thread in () if error else _ids(data):
            self.stacks.thread(thread)

    def _groups(self, error: int, data: bytes) -> None:
        for group in () if error else _ids(data):
            self.stacks.group(group)

    def after(self) -> None:
        """Ask for facts of classes, and for loaders and modules: the target may run."""
        self.classes.ask_list()
        self.classes.ask_facts()
        if self._modules:
            self.kept.keep(virtual_machine.AllModules, b"", self._all_modules)
        for type_id in self.classes.on_stacks:
            self.objects.class_object(type_id, max(0, self.objects.limit - 2 * STEP))
            self.kept.tell(reference_type.ClassLoader, type_id, self._loader)

    def others(self) -> None:
        """Ask for facts of the classes that nothing has led to, of which a large program has tens of thousands."""
        self.classes.ask_other_facts()

    def last(self) -> None:
        """Ask for types that the agent does not list: hidden and primitive ones, and those that came meanwhile."""
        kinds = (object_reference.ReferenceType, class_object_reference.ReflectedType)
        self.classes.ask_unlisted(entry[3:11] for kind in kinds for entry in list(self.kept.of(kind).values()))

    def _loader(self, error: int, data: bytes) -> None:
        if not error and data != NULL:
            self.kept.keep(class_loader_reference.VisibleClasses, data)
            self.objects.reach(Tag.CLASS_LOADER, ID.unpack(data)[0], 0)

    def _all_modules(self, error: int, data: bytes) -> None:
        for module in () if error else _ids(data):
            self.kept.keep(module_reference.Name, module)
            self.kept.keep(module_reference.ClassLoader, module)
            self.objects.reach(Tag.OBJECT, ID.unpack(module)[0], max(0, self.objects.limit - 2 * STEP))


def _ids(data: bytes) -> list[bytes]:
    """Return the ids of a list in a reply."""
    return [data[at : at + 8] for at in range(4, 4 + 8 * count_at(data, 0), 8)]

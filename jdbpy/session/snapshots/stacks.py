"""The threads of a snapshot: what they are, their stacks, the variables of their frames, their monitors.

Owns the questions about threads. All variables of a frame are asked in one question; one that holds no value spoils
all, and then each is asked alone.
"""

from __future__ import annotations

from collections.abc import Callable

from jdbpy.session.snapshots.classes import STEP, FrameForm, SnapshotClasses
from jdbpy.session.snapshots.forms import (
    APART,
    FRAME,
    ID,
    INT,
    NULL,
    OK,
    SLOT,
    SLOT_ANSWER,
    TOGETHER,
    count_at,
    tagged_values,
)
from jdbpy.session.snapshots.keeping import KeptAnswers
from jdbpy.session.snapshots.masking import Masks
from jdbpy.session.snapshots.objects import SnapshotObjects
from jdbpy.wire.constants import Tag
from jdbpy.wire.messages import object_reference, stack_frame, thread_group_reference, thread_reference

_MOST_FRAMES = 400
"""Frames of a thread whose variables are kept, from the innermost: the agent walks there anew for each."""

_NO_THIS = OK + bytes([Tag.OBJECT]) + NULL


class SnapshotStacks:
    """The threads that are kept."""

    def __init__(
        self,
        kept: KeptAnswers,
        classes: SnapshotClasses,
        objects: SnapshotObjects,
        masks: Masks,
        *,
        virtual: bool,
        depths: bool,
    ) -> None:
        """``virtual``: threads may be; ``depths``: the agent reports in which frames monitors were entered."""
        self.threads: dict[bytes, None] = {}
        self.frames = 0
        self._kept = kept
        self._classes = classes
        self._objects = objects
        self._masks = masks
        self._virtual = virtual
        self._depths = depths

    # -- threads and groups ----------------------------------------------------------------------------------------

    def group(self, group: bytes) -> None:
        """Keep a thread group with all that is in it."""
        if group == NULL:
            return

        def children(error: int, data: bytes) -> None:
            if not error:
                for each in self._kept.decoded(thread_group_reference.Children, data).childGroups:
                    self.group(ID.pack(each))

        self._kept.keep(thread_group_reference.Name, group)
        self._kept.keep(thread_group_reference.Parent, group)
        self._kept.keep(thread_group_reference.Children, group, children)

    def thread(self, thread: bytes) -> None:
        """Keep a thread with its stack."""
        if thread in self.threads:
            return
        self.threads[thread] = None
        keep = self._kept.keep
        for command in (thread_reference.Name, thread_reference.Status, thread_reference.SuspendCount):
            keep(command, thread)
        keep(thread_reference.ThreadGroup, thread, lambda error, data: None if error else self.group(data[:8]))
        if self._virtual:
            keep(thread_reference.IsVirtual, thread)
        whole = thread + INT.pack(0) + INT.pack(-1)
        keep(thread_reference.Frames, whole, lambda error, data: None if error else self._stack(thread, data))
        if self._depths:
            keep(thread_reference.OwnedMonitorsStackDepthInfo, thread, self._owned)
        else:
            keep(thread_reference.OwnedMonitors, thread, self._owned_alone)
        keep(thread_reference.CurrentContendedMonitor, thread, self._contended)
        self._objects.reach(Tag.THREAD, ID.unpack(thread)[0], 0)

    def _owned(self, error: int, data: bytes) -> None:
        if not error:
            for each in self._kept.decoded(thread_reference.OwnedMonitorsStackDepthInfo, data).owned:
                self._monitor(each.monitor.tag, each.monitor.objectID)

    def _owned_alone(self, error: int, data: bytes) -> None:
        if not error:
            for each in self._kept.decoded(thread_reference.OwnedMonitors, data).owned:
                self._monitor(each.tag, each.objectID)

    def _contended(self, error: int, data: bytes) -> None:
        if not error:
            each = self._kept.decoded(thread_reference.CurrentContendedMonitor, data).monitor
            self._monitor(each.tag, each.objectID)

    def _monitor(self, tag: int, object_id: int) -> None:
        if object_id:
            self._kept.keep(object_reference.MonitorInfo, ID.pack(object_id))
            self._objects.reach(tag, object_id, self._objects.limit)

    # -- frames ----------------------------------------------------------------------------------------------------

    def _stack(self, thread: bytes, data: bytes) -> None:
        self.frames += count_at(data, 0)
        on_stacks = self._classes.on_stacks
        for index, (frame, _, type_id, method_id, code_index) in enumerate(FRAME.iter_unpack(memoryview(data)[4:])):
            known = type_id != NULL and method_id != NULL
            if known:
                if type_id not in on_stacks and self._classes.of_the_program(type_id):
                    self._objects.statics(type_id, STEP)
                on_stacks.setdefault(type_id, {})[method_id] = None
            if index >= _MOST_FRAMES:
                continue
            if code_index < 0 or not known:
                self._this(thread + frame)
            else:
                self._frame(thread + frame, type_id, method_id, code_index)

    def _frame(self, frame: bytes, type_id: bytes, method_id: bytes, code_index: int) -> None:
        self._classes.variables(type_id, method_id, code_index, lambda form: self._variables(frame, form))

    def _this(self, frame: bytes) -> None:
        self._kept.keep(
            stack_frame.ThisObject, frame, lambda error, data: None if error else self._objects.value(data[:9], 0)
        )

    def _variables(self, frame: bytes, form: FrameForm | None) -> None:
        if form is None:
            self._this(frame)
            return
        if not form.has_this:
            self._kept.enter(stack_frame.ThisObject, frame, _NO_THIS)
        if not form.slots:
            return

        def answered(error: int, data: bytes) -> None:
            if error:
                if form.has_this:
                    self._this(frame)
                self._one_by_one(frame, form)
                return
            if form.hidden:
                values = list(tagged_values(data, 4, len(form.slots)))
                for at, value in enumerate(values):
                    if at not in form.hidden:
                        self._objects.value(value, 0)
                data = data[:4] + self._masks.replaced(values, form.hidden)
            else:
                found = iter(form.form.unpack(data))
                for tag, object_id in zip(found, found, strict=True):
                    if object_id:
                        self._objects.reach(tag, object_id, 0)
            self._kept.enter(stack_frame.GetValues, frame, TOGETHER + form.asked + data[4:])

        self._kept.asker.ask(stack_frame.GetValues, frame + form.asked, answered)

    def _one_by_one(self, frame: bytes, form: FrameForm) -> None:
        entry: list[bytes] = [APART]
        missing = len(form.slots) - form.has_this

        def read(at: int) -> Callable[[int, bytes], None]:
            def answered(error: int, data: bytes) -> None:
                nonlocal missing
                value = b"" if error else data[4:]
                if value and at in form.hidden:
                    value = self._masks.hide(value)
                elif value:
                    self._objects.value(value, 0)
                entry.append(SLOT_ANSWER.pack(*form.slots[at], error, len(value)) + value)
                missing -= 1
                if not missing:
                    self._kept.enter(stack_frame.GetValues, frame, b"".join(entry))

            return answered

        for at in range(int(form.has_this), len(form.slots)):
            question = frame + INT.pack(1) + SLOT.pack(*form.slots[at])
            self._kept.asker.ask(stack_frame.GetValues, question, read(at))

"""The variables of frames as they were read, so that a question asked twice at one stop costs one answer.

Owns what was read of a frame until its thread has run on, frames were popped, or a variable was set. Nothing else can
change them: a method that is invoked has frames of its own. What they refer to can change, and is not kept here. It
asks the target nothing; ``variables`` does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from jdbpy.errors import JdwpError
from jdbpy.record import Record
from jdbpy.session.model import Frame
from jdbpy.session.stack.slots import SlotVariable
from jdbpy.session.suspension import Suspension
from jdbpy.wire.ids import TaggedValue

_MOST = 100
"""Frames that are remembered; at the limit all are dropped."""

Outcomes = Mapping[tuple[int, str], TaggedValue | JdwpError]


class RawFrameVariables(Record):
    """``this`` (null in static code), and what reading each slot as a kind of value (its letter) gave."""

    this: TaggedValue
    slots: Outcomes

    def of(self, variables: Sequence[SlotVariable]) -> list[TaggedValue | JdwpError] | None:
        """One outcome for each variable; None when one of them was not read."""
        keys = [key_of(variable) for variable in variables]
        return [self.slots[key] for key in keys] if all(key in self.slots for key in keys) else None

    def beside(self, other: RawFrameVariables | None) -> RawFrameVariables:
        """Both together; this one is the later."""
        return self if other is None else self.replace(slots={**other.slots, **self.slots})


class FrameMemory:
    """The frames of one target."""

    def __init__(self, suspension: Suspension) -> None:
        self._suspension = suspension
        self._known: dict[object, tuple[int, RawFrameVariables | None]] = {}  # with the first epoch of those frames

    def recall(self, frame: Frame) -> RawFrameVariables | None:
        """What is known of a frame, if its thread still stands in it; its id may be void by now."""
        thread = frame.thread.id
        if not self._suspension.is_suspended(thread):
            return None
        since, found = self._known.get(self._key(frame), (0, None))
        return found if since <= frame.epoch <= self._suspension.epoch_of(thread) else None

    def keep(self, frame: Frame, variables: RawFrameVariables) -> None:
        """Remembers what was read of a frame, unless its id is void by now."""
        if frame.epoch != self._suspension.epoch_of(frame.thread.id):
            return
        if len(self._known) >= _MOST:
            self._known.clear()
        key = self._key(frame)
        since, _ = self._known.get(key, (frame.epoch, None))
        self._known[key] = since, variables

    def forget(self, frame: Frame) -> None:
        """Drops what is known of a frame: one of its variables was set."""
        key = self._key(frame)
        if key in self._known:
            self._known[key] = self._known[key][0], None

    def _key(self, frame: Frame) -> object:
        place = frame.location
        standing = self._suspension.frames_of(frame.thread.id)
        return frame.thread.id, standing, frame.index, place.type_id, place.method_id, place.code_index


def key_of(variable: SlotVariable) -> tuple[int, str]:
    """A slot and the kind of value that it is read as."""
    return variable.slot, variable.signature[0]

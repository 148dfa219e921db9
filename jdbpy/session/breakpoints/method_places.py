"""Methods traced by breakpoints: at the first instruction, and at those that return.

The agent's method events make the JVM interpret all threads and call the agent for each method of every class,
whatever the filters say. A breakpoint costs what its own hits cost. So named classes and methods get breakpoints.

A breakpoint at a return cannot tell a value that was just computed: it is on the operand stack. Where the thread is
suspended anyway, the exit event of that one thread is requested then. It comes with the value, at its next instruction.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from jdbpy.errors import JdwpError
from jdbpy.record import Record
from jdbpy.session.events.frames import SlotVariable, from_code, from_table
from jdbpy.session.events.target import Target
from jdbpy.session.events.threads import wire_thread
from jdbpy.session.java.bytecode import MalformedCode, ReturnInstruction, method_ends
from jdbpy.session.java.signatures import split_method
from jdbpy.session.jvm import facts
from jdbpy.session.jvm.refs import Method, RefType
from jdbpy.session.model.values import Limits, Variable
from jdbpy.session.values.describe import describe
from jdbpy.wire import ids
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import CodeLocation
from jdbpy.wire.messages import stack_frame, thread_reference

VOID = ids.TaggedValue(Tag.VOID, None)


class Exit(Record):
    """A return instruction of a method: where, of which type (a JNI signature) and how its value is known."""

    place: CodeLocation
    returns: str
    how: ReturnInstruction


class MethodPlaces(Record):
    """Places of breakpoints: entries, exits, and the methods that breakpoints cannot trace, with the reason.

    The entries of ``looping`` methods cannot be distinguished from the rounds of a loop.
    """

    entries: tuple[CodeLocation, ...]
    exits: tuple[Exit, ...]
    missed: tuple[tuple[str, str], ...] = ()
    looping: tuple[tuple[RefType, Method], ...] = ()


async def find_places(
    target: Target, methods: Sequence[tuple[RefType, Method]], *, entries: bool, exits: bool
) -> MethodPlaces:
    """Find where to set breakpoints for methods that have code. wire: 1 trip, 0 when the code is known."""
    keys = [(owner.id, method.id) for owner, method in methods if method.has_code]
    codes = await target.types.facts.many(facts.BYTECODES, keys)
    found: list[CodeLocation] = []
    leaving: list[Exit] = []
    missed: list[tuple[str, str]] = []
    looping: list[tuple[RefType, Method]] = []
    for owner, method in methods:
        code = codes.get((owner.id, method.id), b"")
        try:
            ends = method_ends(code) if code else None
        except MalformedCode:
            ends = None
        if ends is None:
            why = "native" if method.is_native else "without code" if method.is_abstract else "with unknown code"
            missed += [(method.name, why)] * (not method.is_abstract)
            continue
        if entries and ends.enters_once:
            found.append(CodeLocation(owner.tag, owner.id, method.id, 0))
        elif entries:
            missed.append((method.name, "which loops to its first instruction"))
            looping.append((owner, method))
        if exits:
            returns = split_method(method.signature)[1]
            at = [CodeLocation(owner.tag, owner.id, method.id, each.index) for each in ends.returns]
            leaving += [Exit(place, returns, each) for place, each in zip(at, ends.returns, strict=True)]
    return MethodPlaces(tuple(found), tuple(leaving), tuple(dict.fromkeys(missed)), tuple(looping))


def constant(of: Exit) -> ids.TaggedValue | None:
    """Return the value that the code returns, where it is a constant. No trip."""
    if of.how.void:
        return VOID
    if not of.how.is_constant:
        return None
    tag, value = ord(of.returns[0]), of.how.constant
    if tag in (Tag.OBJECT, Tag.ARRAY):
        return ids.TaggedValue(Tag.OBJECT, 0)
    return ids.TaggedValue(tag, bool(value) if tag == Tag.BOOLEAN else value)


class FrameSlotReader:
    """Reads variables of the innermost frames of threads that stand at events."""

    def __init__(self, target: Target) -> None:
        self._target = target

    async def returned(self, thread_id: int, of: Exit) -> ids.TaggedValue | None:
        """Return the variable that is about to be returned; None if it cannot be read. wire: 1 trip, 2 for a new
        thread."""
        assert of.how.slot is not None
        tag = Tag.OBJECT if of.returns[0] in "L[" else ord(of.returns[0])
        [value] = await self._read(thread_id, [(of.how.slot, tag)])
        return value

    async def arguments(
        self, thread_id: int, place: CodeLocation, go_on: Callable[[], None] | None, longest: int
    ) -> tuple[Variable, ...]:
        """Return the arguments of a method that was just entered; ``go_on`` resumes the thread once they are read.

        Texts have ``longest`` characters at most.

        wire: 1 trip or 2, and what describing them takes.
        """
        types, key = self._target.types, (place.classID, place.methodID)
        await types.facts.prefetch((facts.VARIABLES, [key]), (facts.METHODS, [place.classID]))
        table = types.facts.known(facts.VARIABLES, key)
        method = next(
            (each for each in types.facts.known(facts.METHODS, place.classID) or () if each.id == key[1]), None
        )
        found: Iterable[SlotVariable] = ()
        if table is not None and table.slots:
            found = from_table(table, 0)
        elif method is not None:
            found = from_code(method, b"", 0)
        wanted = [each for each in found if each.kind == "argument"]
        slots = [(each.slot, ord(each.signature[0])) for each in wanted]
        read = await self._read(thread_id, slots) if wanted else []
        if go_on is not None:
            go_on()
        known = [(each, value) for each, value in zip(wanted, read, strict=True) if value is not None]
        shown = await describe(self._target, [value for _, value in known], Limits(depth=0, string=longest))
        return tuple(
            Variable(each.name, value.type, value, "argument") for (each, _), value in zip(known, shown, strict=True)
        )

    async def _read(self, thread_id: int, slots: Sequence[tuple[int, int]]) -> list[ids.TaggedValue | None]:
        """Slots of the innermost frame. wire: 1 trip, 2 where the id of the frame cannot be foreseen."""
        target, thread = self._target, wire_thread(thread_id)
        epoch = target.suspension.epoch_of(thread_id)
        guess = target.frame_id_predictor.guess(thread_id)
        wanted = [stack_frame.SlotInfo(slot, tag) for slot, tag in slots]

        def asked(frame: ids.FrameID) -> list[Any]:  # each by itself, as one that cannot be read spoils all
            return [stack_frame.GetValues(thread, frame, [each]) for each in wanted]

        commands: list[Any] = [thread_reference.Frames(thread, 0, 1), *(asked(guess) if guess is not None else ())]
        reply, *outcomes = await target.conn.batch(commands)
        if isinstance(reply, JdwpError):
            raise reply
        top = reply.frames[0].frameID
        if not target.frame_id_predictor.compare(thread_id, epoch, guess, top):
            outcomes = await target.conn.batch(asked(top))
        return [None if isinstance(each, JdwpError) else each.values[0] for each in outcomes]

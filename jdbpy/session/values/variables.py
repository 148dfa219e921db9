"""The variables of a frame with their values: ``this``, arguments, locals in scope, captured variables.

What an inner class or a lambda's carrier has captured is in fields of ``this`` that the compiler made: ``val$x`` for a
variable x of the enclosing method, ``this$0`` for the enclosing object.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, TypeVar

from jdbpy.errors import JdwpError, StateError
from jdbpy.session.concurrency import both as both_sides, together
from jdbpy.session.events.frames import (
    SlotVariable,
    frame_command,
    frame_commands,
    frame_values,
    frame_variables,
    from_code,
    from_table,
    key_of,
)
from jdbpy.session.events.target import Target
from jdbpy.session.events.threads import wire_thread
from jdbpy.session.java.generics import source_type
from jdbpy.session.jvm import facts
from jdbpy.session.jvm.reading import gather, read_both
from jdbpy.session.jvm.refs import OBSOLETE, Field, Method
from jdbpy.session.model.threads import FrameInfo
from jdbpy.session.model.values import Limits, Variable
from jdbpy.session.values.describe import Describer
from jdbpy.session.values.objects import Objects, prefetch_objects
from jdbpy.wire.command import Command
from jdbpy.wire.constants import Error, Tag
from jdbpy.wire.ids import FrameID, MethodID, ReferenceTypeID, TaggedValue
from jdbpy.wire.messages import thread_reference

T = TypeVar("T")

_NOTHING = TaggedValue(Tag.OBJECT, 0)

DEFAULT_LIMITS = Limits(depth=1, elements=20, fields=20)
"""Enough for a line on each variable."""

_MOST_FRAMES = 65_536
"""Frames whose ids differ: the agent keeps 16 bits of the number (frameID.c)."""

_MOST_STEPS = 500_000
"""Frames that the target passes by for what is asked at once: from the innermost on, anew for each variable of each
frame (half a second or so). What was asked is answered to its end, whatever is cancelled here."""

_MOST_AT_ONCE = 5_000
"""Frames that are asked about at once."""

_WHY_NOT: dict[int, str] = {
    Error.INVALID_SLOT: "it holds no value here",
    Error.TYPE_MISMATCH: "it holds a value of another type here",
}


async def read_variables(target: Target, frames: Sequence[FrameInfo], limits: Limits) -> list[tuple[Variable, ...]]:
    """Return all variables of frames. A native method has none; one whose class was redefined meanwhile has only
    ``this``.

    Raises StateError when a thread has run on since its frame was read. wire: 1 trip for the variable tables, 1 for
    the values, then what describing them takes: 2 for strings and objects of known classes, 1 more for what is in them;
    whatever the number of frames, but for stacks so deep that ``_MOST_STEPS`` bounds what is asked at once.
    """
    for frame in frames:
        require_readable(frame)
    frames = await current_frames(target, frames)
    await Objects.of(target).prefetched({frame.thread.id for frame in frames})
    await prefetch_slots(target, frames)
    at_places: dict[object, list[SlotVariable]] = {}
    for frame in frames:
        if _place(frame) not in at_places:
            at_places[_place(frame)] = await frame_slots(target, frame)
    slots = [at_places[_place(frame)] for frame in frames]
    likely = [each for found in zip(frames, slots, strict=True) for each in _worth_looking_up(target, *found)]
    read, _ = await both_sides(
        lambda: _read_all_slots(target, frames, slots),
        lambda: target.likely.look_up(dict.fromkeys(likely)),
    )
    reader = Objects.of(target).reader
    readings = [
        _described(target, frame, variables, this, values, limits)
        for frame, variables, (this, values) in zip(frames, slots, read, strict=True)
    ]
    if target.high_latency and len(frames) == 1:
        [(this, values)] = read
        _, found = await reader.run(read_both(prefetch_objects(reader, [this, *values]), gather(readings)))
    else:
        found, _ = await reader.run(read_both(gather(readings), reader.read_expected()))
    return found


async def current_frames(target: Target, frames: Sequence[FrameInfo]) -> list[FrameInfo]:
    """Return the frames with the ids that they have now: methods that were run in a thread make its frames' ids void.

    Raises StateError when a thread has run on since its frame was read. wire: none, or 1 trip after a method was run.
    """
    suspension = target.suspension
    given = list(frames)  # each is the same one throughout, which it need not be in a sequence that makes them
    for frame in given:
        suspension.require_current(frame)
    old = [frame for frame in given if frame.epoch != suspension.epoch_of(frame.thread.id)]
    if not old:
        return given
    epochs = [suspension.epoch_of(frame.thread.id) for frame in old]
    outcomes = await target.conn.batch(
        [thread_reference.Frames(wire_thread(frame.thread.id), frame.index - 1, 1) for frame in old]
    )
    renewed: dict[int, FrameInfo] = {}
    for frame, epoch, outcome in zip(old, epochs, outcomes, strict=True):
        if isinstance(outcome, JdwpError):
            raise outcome
        renewed[id(frame)] = frame.replace(id=outcome.frames[0].frameID, epoch=epoch)
    return [renewed.get(id(frame), frame) for frame in given]


async def _read_all_slots(
    target: Target, frames: Sequence[FrameInfo], slots: Sequence[Sequence[SlotVariable]]
) -> list[tuple[TaggedValue, list[TaggedValue | JdwpError]]]:
    """Like ``read_slots`` for each frame. One by one only those of which a variable cannot be read.

    wire: 1 trip, one more for what cannot be read; or as many as ``_MOST_STEPS`` allows.
    """
    found: list[tuple[TaggedValue, list[TaggedValue | JdwpError]] | None] = [None] * len(frames)
    asked: list[tuple[int, bool, Command[Any]]] = []
    alone: list[int] = []
    static_at: dict[object, bool | None] = {}
    for index, (frame, variables) in enumerate(zip(frames, slots, strict=True)):
        known = target.frame_memory.recall(frame)
        outcomes = known.of(variables) if known is not None else None
        if frame.native:
            found[index] = _NOTHING, []
        elif known is not None and outcomes is not None:
            found[index] = known.this, outcomes
        else:
            place = _place(frame)
            if place not in static_at:
                static_at[place] = _is_static(target, frame)
            static = static_at[place]
            if static is None or len(frames) == 1 or any(each.kind == "slot" for each in variables):
                alone.append(index)
                continue
            command = frame_command(wire_thread(frame.thread.id), FrameID(frame.id), variables, static)
            if command is None:
                found[index] = _NOTHING, []
            else:
                asked.append((index, static, command))
    for part in _bounded(asked, [frames[index].index * (1 + len(slots[index])) for index, _, _ in asked]):
        answers = await target.conn.batch([command for _, _, command in part])
        for (index, static, _), answer in zip(part, answers, strict=True):
            if isinstance(answer, JdwpError):
                alone.append(index)
                continue
            read = frame_values(slots[index], static, answer.values)
            target.frame_memory.keep(frames[index], read.beside(target.frame_memory.recall(frames[index])))
            found[index] = read.this, [read.slots[key_of(variable)] for variable in slots[index]]
    for some in _bounded(alone, [frames[index].index * (2 + len(slots[index])) for index in alone]):
        each_read = await together(*(partial(read_slots, target, frames[index], slots[index]) for index in some))
        for index, outcome in zip(some, each_read, strict=True):
            found[index] = outcome
    return [each for each in found if each is not None]


def _bounded(items: Sequence[T], costs: Sequence[int]) -> Iterator[list[T]]:
    """Yield the items in order, in parts of ``_MOST_STEPS`` and ``_MOST_AT_ONCE`` at most."""
    part: list[T] = []
    steps = 0
    for item, cost in zip(items, costs, strict=True):
        if part and (steps + cost > _MOST_STEPS or len(part) >= _MOST_AT_ONCE):
            yield part
            part, steps = [], 0
        part.append(item)
        steps += cost
    if part:
        yield part


def _is_static(target: Target, frame: FrameInfo) -> bool | None:
    """True if the frame's method has no ``this``; None when the method is not known."""
    if not _has_slots(frame):
        return None
    type_id, method_id = _key(frame)
    methods = target.types.facts.known(facts.METHODS, type_id) or ()
    return next((each.is_static for each in methods if each.id == method_id), None)


def _place(frame: FrameInfo) -> object:
    """Frames of equal places have the same variables."""
    return _key(frame), frame.location.code_index, _has_slots(frame)


async def _described(
    target: Target,
    frame: FrameInfo,
    variables: Sequence[SlotVariable],
    this: TaggedValue,
    values: Sequence[TaggedValue | JdwpError],
    limits: Limits,
) -> tuple[Variable, ...]:
    """Return the variables of one frame, once they are read; to be run by the reader."""
    captured = _captured_fields(target, frame) if this.value else []
    describer = Describer(Objects.of(target).reader, Objects.of(target).views, limits, brief=True)
    described, captured_variables = await read_both(
        describer.values([this, *(value for value in values if isinstance(value, TaggedValue))]),
        _read_captured(describer, this, captured, frame),
    )
    texts = iter(described)
    own = next(texts)
    found = [Variable("this", frame.location.class_name, own, "this")] if this.value else []
    for variable, value in zip(variables, values, strict=True):
        if isinstance(value, TaggedValue):
            found.append(Variable(variable.name, source_type(variable), next(texts), variable.kind))
        elif variable.kind != "slot":  # a slot that something may have been stored into, but nothing was
            found.append(Variable(variable.name, source_type(variable), None, variable.kind, error=_why(value)))
    return (*found, *captured_variables)


async def prefetch_slots(target: Target, frames: Iterable[FrameInfo]) -> None:
    """Learn what ``frame_slots`` asks for these frames. wire: 1 trip, 0 when known; near by 1 more without -g."""
    keys = list(dict.fromkeys(_key(frame) for frame in frames if _has_slots(frame)))
    types = list(dict.fromkeys(type_id for type_id, _ in keys))
    code = keys if target.high_latency and target.can("canGetBytecodes") else []
    code = [key for key in code if target.types.facts.known(facts.VARIABLES, key) is None]  # or there is no table
    await target.types.facts.prefetch(
        (facts.VARIABLES, keys), (facts.METHODS, types), (facts.FIELDS, types), (facts.BYTECODES, code)
    )


def _has_slots(frame: FrameInfo) -> bool:
    return not (frame.native or frame.obsolete or frame.location.method_id == OBSOLETE)


def _key(frame: FrameInfo) -> facts.MethodKey:
    return ReferenceTypeID(frame.location.type_id), MethodID(frame.location.method_id)


async def frame_slots(target: Target, frame: FrameInfo) -> list[SlotVariable]:
    """Return the variables in scope in a frame, without their values. wire: as ``prefetch_slots``."""
    if not _has_slots(frame):
        return []
    types, key = target.types, _key(frame)
    type_id, method_id = key
    await prefetch_slots(target, [frame])
    table = (await types.variable_tables([key])).get(key)
    if table is not None:
        return from_table(table, frame.location.code_index)
    method = _method(await types.methods([type_id]), type_id, method_id)
    if method is None:
        return []
    code = (await types.facts.many(facts.BYTECODES, [key])).get(key, b"") if target.can("canGetBytecodes") else b""
    return from_code(method, code, frame.location.code_index)


async def read_slots(
    target: Target, frame: FrameInfo, variables: Sequence[SlotVariable]
) -> tuple[TaggedValue, list[TaggedValue | JdwpError]]:
    """``this`` (null in static code) and one outcome for each variable. wire: 1 trip, 0 when they were read before."""
    require_readable(frame)
    known = target.frame_memory.recall(frame)
    outcomes = known.of(variables) if known is not None else None
    if known is not None and outcomes is not None:
        return known.this, outcomes
    answers = await target.conn.batch(frame_commands(wire_thread(frame.thread.id), FrameID(frame.id), variables))
    found = frame_variables(variables, answers)
    if isinstance(found, JdwpError):
        raise found
    target.frame_memory.keep(frame, found.beside(known))
    return found.this, [found.slots[key_of(variable)] for variable in variables]


def require_readable(frame: FrameInfo) -> None:
    """Raises StateError for a frame whose id the agent takes for that of another one."""
    if frame.index > _MOST_FRAMES:
        raise StateError(
            f"the variables of frame {frame.index} cannot be read: the agent numbers frames with 16 bits, and gives "
            f"those of frame {(frame.index - 1) % _MOST_FRAMES + 1}",
            hint=f"frames up to the {_MOST_FRAMES:,}th can be looked at",
            code="NOT_AVAILABLE",
        )


def _worth_looking_up(target: Target, frame: FrameInfo, variables: Sequence[SlotVariable]) -> list[str]:
    """Classes to look up beside the values, where the link is slow and the values are still to be read."""
    if not target.high_latency or target.frame_memory.recall(frame) is not None:
        return []
    return target.likely.unknown(variable.signature for variable in variables)


def _method(
    methods: dict[ReferenceTypeID, tuple[Method, ...]], type_id: ReferenceTypeID, method_id: MethodID
) -> Method | None:
    return next((each for each in methods.get(type_id, ()) if each.id == method_id), None)


def _captured_fields(target: Target, frame: FrameInfo) -> list[Field]:
    """Return the fields for captured variables that the frame's own class declares."""
    fields = target.types.facts.known(facts.FIELDS, ReferenceTypeID(frame.location.type_id)) or ()
    return [field for field in fields if not field.is_static and field.name.startswith(("val$", "this$"))]


async def _read_captured(
    describer: Describer, this: TaggedValue, fields: Sequence[Field], frame: FrameInfo
) -> list[Variable]:
    if not fields:
        return []
    values = await describer.reader.fields(int(this.value or 0), fields)
    described = await describer.values(values)
    return [
        Variable(
            field.name.removeprefix("val$"),
            source_type(field),
            value,
            "captured",
            declared_in=frame.location.class_name,
        )
        for field, value in zip(fields, described, strict=True)
    ]


def _why(error: JdwpError) -> str:
    return _WHY_NOT.get(error.number, error.message)

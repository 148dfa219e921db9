"""The recorded calls of one class, as the target keeps them: the user of their ring.

A record is arrays and a text of the target: they are read together with others, as many as one trip may bring.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from typing import Any

from jdbpy.errors import JdwpError
from jdbpy.session.breakpoints.method_patterns import ObservedMethod
from jdbpy.session.events.target import Target
from jdbpy.session.in_target.call_counters import host_of
from jdbpy.session.in_target.call_records import RingLog
from jdbpy.session.in_target.class_changes import NotInstalled
from jdbpy.session.in_target.emit.emitter import Brought
from jdbpy.session.in_target.emit.expressions import emit_at_end
from jdbpy.session.in_target.held_objects import held_objects
from jdbpy.session.in_target.recording import MethodRecording, recorded_method
from jdbpy.session.in_target.ring_poller import RingEntry, RingPoller
from jdbpy.session.in_target.weave.call_ends import THROWN
from jdbpy.session.in_target.weave.record_helper import (
    ENDED,
    FAILED,
    PER_METHOD,
    REFUSED,
    TOOK,
    RecordedEnds,
    record_class,
)
from jdbpy.session.in_target.weave.records import TOP, Emitted, Surrounding
from jdbpy.session.java.edit.code_variable import CheckParameter
from jdbpy.session.java.signatures import argument_slots, split_method
from jdbpy.session.model.threads import Location
from jdbpy.session.recorded.call import CallData, HeldArguments, RecordedCall, RecordedException
from jdbpy.session.recorded.points import MethodPoints, NotRecorded, points_of
from jdbpy.session.values.objects import Objects
from jdbpy.session.values.throwables import read_throwable
from jdbpy.wire.command import Command
from jdbpy.wire.ids import ArrayID, CodeLocation, ObjectID
from jdbpy.wire.messages import array_reference, object_reference, string_reference, virtual_machine

_PLACES = 256
"""The number of calls that a ring has room for."""

_AT_ONCE = 32
"""Calls that are read in one trip."""

_READ_ONCE = ("data", "text", "before")
"""Columns of objects that nobody asks for again."""

_A_SECOND = 1_000
"""Calls that are read in a second: reading more would take much of what a busy server has."""


class MethodRecordLog(RingLog):
    """The records of a class's methods. ``points`` are theirs, in their order."""

    def __init__(
        self,
        target: Target,
        recording: MethodRecording,
        methods: Sequence[ObservedMethod],
        points: Sequence[MethodPoints],
        ends: Sequence[RecordedEnds],
        source: str,
        name: str,
        poller: RingPoller,
    ) -> None:
        """Raises CodeTooLong, PoolFull."""
        self._recording = recording
        self._methods = methods
        self._points = points
        self._ends = ends
        self._source = source
        self._given = max(len(each.arguments) for each in points)
        self._most = most = max(len(each.points) for each in points)
        depth = recording.depth
        helper = record_class(
            name,
            host_of(methods),
            ends,
            recording.costs,
            most,
            size=_PLACES,
            depth=depth,
            given=self._given,
            hold=recording.hold,
        )
        super().__init__(target, helper, poller)
        self._missed_before = 0
        self._skipped = 0
        self._clock = poller.clock
        self._since, self._so_many = -1.0, 0

    def surrounding(self, number: int) -> Surrounding:
        kept = self._ends[number].kept
        return recorded_method(self._methods[number], self._points[number], self.helper.name, number, kept)

    async def begin(self) -> None:
        if self._ring is None:
            self._missed_before = self._recording.missed
        await super().begin()

    # -- see ``RingUser`` ----------------------------------------------------------------------------------------------

    def opened(self, counters: Mapping[str, int]) -> None:
        """See ``RingUser``."""

    def counted(self, counters: Mapping[str, int]) -> None:
        """See ``RingUser``: how many calls have ended, and how many of them are not in the ring."""
        assert self._ring is not None
        now, before = self._ring.passes, self._counts
        self._counts = now
        totals = [sum(now[kind::PER_METHOD]) for kind in (ENDED, FAILED, REFUSED)]
        ended, failed, refused = (
            total - sum(before[kind::PER_METHOD]) for kind, total in zip((ENDED, FAILED, REFUSED), totals, strict=True)
        )
        missed = max(0, totals[0] - totals[2] - counters["HEAD"]) + self._skipped
        self._recording.count(ended, failed, refused, self._missed_before + missed)

    def rests_until(self) -> float:
        """See ``RingUser``: while as many were read as may be in a second."""
        return self._since + 1.0 if self._so_many >= _A_SECOND else -1.0

    def skipped(self, count: int) -> None:
        """See ``RingUser``: they are missed."""
        self._skipped += count

    def arrived(self, count: int) -> int:
        """See ``RingUser``: as many are read as are wanted."""
        now = self._clock()
        if now >= self._since + 1.0:
            self._since, self._so_many = now, 0
        wanted = self._recording.room(count)
        self._so_many += wanted
        return wanted

    async def read(self, entries: Sequence[RingEntry]) -> None:
        """See ``RingUser``. wire: 1 trip for so many calls, more for those that an exception has ended."""
        for at in range(0, len(entries), _AT_ONCE):
            await self._read(entries[at : at + _AT_ONCE])
        columns = [at for at, each in enumerate(self.helper.columns[2:]) if each.field in _READ_ONCE]
        read = [ObjectID(int(entry.values[at].value or 0)) for entry in entries for at in columns]
        done = [virtual_machine.Request(each, 1) for each in read if each]
        self._target.conn.submit(virtual_machine.DisposeObjects(done))  # the agent keeps a reference for each

    async def _read(self, entries: Sequence[RingEntry]) -> None:
        names = [each.field for each in self.helper.columns][2:]
        values = [dict(zip(names, entry.values, strict=True)) for entry in entries]
        commands: list[Command[Any]] = []
        for each in values:
            data, length = ArrayID(ObjectID(int(each["data"].value or 0))), int(each["lengths"].value or 0)
            commands += [
                array_reference.GetValues(data, 0, length),
                string_reference.Value(ObjectID(int(each["text"].value or 0))),
            ]
            if sums := int(each["before"].value or 0):
                commands.append(array_reference.GetValues(ArrayID(ObjectID(sums)), 0, 3 * self._most))
            if array_id := int(each["given"].value or 0):
                commands.append(array_reference.GetValues(ArrayID(ObjectID(array_id)), 0, self._given))
        replies = iter(await self._target.conn.batch(commands))
        come = []
        for each in values:
            data, text = next(replies), next(replies)
            before = next(replies) if int(each["before"].value or 0) else None
            given = next(replies) if int(each["given"].value or 0) else None
            wrong = next((one for one in (data, text, before, given) if isinstance(one, JdwpError)), None)
            if wrong is not None:
                raise wrong
            tagged = given.values.tagged() if given is not None else ()
            come.append((data, text, before, {number: int(one.value or 0) for number, one in enumerate(tagged)}))
        held = await held_objects(self._target, [objects for *_, objects in come], hold=self._recording.hold)
        for entry, each, (data, text, before, _), objects in zip(entries, values, come, held, strict=True):
            kept = CallData(
                array("q", data.values.values),
                text.stringValue,
                array("q", before.values.values if before is not None else ()),
            )
            await self._enter(entry, each, kept, objects)

    async def _enter(
        self, entry: RingEntry, values: Mapping[str, Any], kept: CallData, objects: Mapping[int, int]
    ) -> None:
        site, failed = divmod(int(values["sites"].value or 0), 2)
        exception, above = None, [""]
        if failed:
            thrown = int(values["thrown"].value or 0)
            try:
                read = await read_throwable(Objects.of(self._target).reader, thrown)
                exception = RecordedException(read.type, read.message)
                above = await self._classes_above(thrown)
            except JdwpError:
                exception = RecordedException("java.lang.Throwable")
        call = RecordedCall(
            0,
            self._points[site],
            kept,
            at=entry.time / 1e9,
            cost=int(values["costs"].value or 0) / 1e9,
            exception=exception,
            source=self._source,
            recording=self._recording.number,
            given=HeldArguments(self._methods[site].owner.id, objects, entry.thread, held=self._recording.hold),
        )
        self._recording.enter(call, above)

    async def _classes_above(self, object_id: int) -> list[str]:
        """Return the class of an object and those above it. wire: 1 trip, more for classes that are new."""
        types = self._target.types
        type_id = (await self._target.conn.request(object_reference.ReferenceType(ObjectID(object_id)))).typeID
        own = (await types.info([type_id]))[type_id]
        return list(dict.fromkeys([own.name, *(each.name for each in await types.ancestors(type_id))]))


async def record_log(
    target: Target,
    recording: MethodRecording,
    methods: Sequence[ObservedMethod],
    name: str,
    original: bytes,
    poller: RingPoller,
) -> MethodRecordLog:
    """Return the log of a class for a recording. Raises NotInstalled, NotInTarget, EvalError, CodeTooLong, PoolFull.

    wire: as compiling the condition.
    """
    owner = methods[0].owner
    places = [CodeLocation(owner.tag, owner.id, each.method.id, 0) for each in methods]
    entries = await target.types.locations(places)
    points, ends = [], []
    for each, entry in zip(methods, entries, strict=True):
        try:
            points.append(points_of(original, each.method.name, each.method.signature, recording.level))
        except NotRecorded as why:
            raise NotInstalled(f"{each.name}: {why}") from None
        ends.append((await _ends_of(recording, each, entry, owner.name)).replace(lines=points[-1].line_groups()))
        recording.note(points[-1], 0)
    source = entries[0].source_file or ""
    return MethodRecordLog(target, recording, methods, points, ends, source, name, poller)


async def _ends_of(recording: MethodRecording, observed: ObservedMethod, entry: Location, host: str) -> RecordedEnds:
    """Return how the calls of a method end. Raises NotInTarget, EvalError. wire: as compiling the condition."""
    method = observed.method
    returns = split_method(method.signature)[1]
    if not recording.reader.is_conditional:
        return RecordedEnds(returns)
    result = None if returns == "V" else CheckParameter(TOP, returns)
    brought: list[Brought] = [{"ret": result, "exc": None, "cost": TOOK}, {"ret": None, "exc": THROWN, "cost": TOOK}]
    kept: dict[int, CheckParameter] = {}
    conditions: list[Emitted | None] = []
    arguments = {slot for slot, _ in argument_slots(method.signature, static=method.is_static)}
    arguments |= set() if method.is_static else {0}
    for failed in (False, True):
        compiled, _ = await recording.reader.operations(observed, entry, failed=failed)
        emitted = emit_at_end(compiled, host, brought[failed]) if compiled is not None else None
        conditions.append(emitted)
        for each in emitted.parameters if emitted is not None else ():
            if each.slot >= 0:
                if each.slot not in arguments:
                    raise NotInstalled(f"the condition uses {each.name}, which is not an argument")
                kept[each.slot] = each
    return RecordedEnds(
        returns,
        tuple(kept.values()),
        (conditions[0], conditions[1]),
        (conditions[0] is None, conditions[1] is None),
    )

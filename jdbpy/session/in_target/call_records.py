"""Calls that the target keeps one by one, at their ends: arguments, result or exception, thread, times, in one ring for
each class. They are reported as those that breakpoints observe.

Objects are described as they are when the debugger reads them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from jdbpy.record import Record
from jdbpy.session.breakpoints.method_patterns import ObservedMethod
from jdbpy.session.calls.backend import EndedCall, ReadCall
from jdbpy.session.calls.each_call import ObservedCalls
from jdbpy.session.eval.operands import Operand
from jdbpy.session.eval.target import from_wire
from jdbpy.session.events.target import Target
from jdbpy.session.in_target.call_counters import fields_of, host_of, off
from jdbpy.session.in_target.class_changes import CodeChanges
from jdbpy.session.in_target.emit.emitter import Brought
from jdbpy.session.in_target.emit.expressions import emit_at_end, expression_of
from jdbpy.session.in_target.emit.refusals import NotInTarget
from jdbpy.session.in_target.ring_poller import Ring, RingEntry, RingPoller, RingUser
from jdbpy.session.in_target.weave.call_ends import THROWN
from jdbpy.session.in_target.weave.call_helper import (
    BROKEN,
    MISSING,
    PER_METHOD,
    RETURNED,
    THREW,
    TOOK,
    WANTED,
    End,
    ObservedEnds,
    call_class,
    columns_of,
    shown_in,
)
from jdbpy.session.in_target.weave.records import TOP, Surrounding
from jdbpy.session.in_target.weave.ring import number
from jdbpy.session.in_target.weave.trace_helper import TraceHelper, is_number
from jdbpy.session.java.edit.code_variable import CheckParameter
from jdbpy.session.java.signatures import argument_slots, split_method
from jdbpy.session.java.types import JavaType, Primitive
from jdbpy.session.model.threads import Location
from jdbpy.session.values.objects import Objects
from jdbpy.session.values.throwables import read_throwable
from jdbpy.wire.command import Command
from jdbpy.wire.ids import CodeLocation, FieldID, ObjectID, ReferenceTypeID, TaggedObjectID, TaggedValue
from jdbpy.wire.messages.stack_frame import GetValuesReply, ThisObjectReply

_PLACES = 4_096
"""The number of calls that a ring has room for."""


class _Thrown(Record):
    """An exception that has ended a call, with the place that catches it: unknown."""

    exception: TaggedObjectID
    catchLocation: CodeLocation


class ComputedEnds(Record):
    """The expressions of one method as they are computed in the target, with the static types of those that are shown:
    where it returns, and where an exception ends it.
    """

    ends: ObservedEnds
    returned: tuple[JavaType | None, ...] = ()
    threw: tuple[JavaType | None, ...] = ()


class RingLog(RingUser):
    """What a helper in the target keeps in a ring, from ``begin`` on: its user, and the switch of the helper."""

    def __init__(self, target: Target, helper: TraceHelper, poller: RingPoller) -> None:
        self.type_id = ReferenceTypeID(0)
        self.helper = helper
        self._target = target
        self._poller = poller
        self._ring: Ring | None = None
        self._on = FieldID(0)
        self._counts: tuple[int, ...] = (0,) * len(helper.calls)

    async def begin(self) -> None:
        if self._ring is None:
            self._on = (await fields_of(self._target, self.type_id))["on"]
            self._ring = Ring(self.helper, self.type_id, self)
            await self._ring.find(self._target)
            await self._ring.open(self._target, {})
            self._poller.add(self._ring)

    async def refresh(self) -> None:
        if self._ring is not None and not self._ring.over:
            await self._poller.poll([self._ring])

    def close(self) -> list[Command[Any]]:
        if self._ring is None:
            return []
        self._poller.remove(self._ring)
        return [off(self.type_id, self._on)]


class RecordLog(RingLog):
    """The calls of a class's methods, as the target keeps them: the user of their ring."""

    def __init__(
        self,
        target: Target,
        observation: ObservedCalls,
        methods: Sequence[ObservedMethod],
        computed: Sequence[ComputedEnds],
        name: str,
        changes: CodeChanges,
        poller: RingPoller,
    ) -> None:
        self._observation = observation
        self._methods = methods
        self._computed = computed
        self._kept = [each.ends.kept for each in computed]
        ends = [each.ends for each in computed]
        super().__init__(target, call_class(name, host_of(methods), ends, observation.costs, size=_PLACES), poller)
        self._changes = changes
        self._left_out = 0

    def surrounding(self, number: int) -> Surrounding:
        method = self._methods[number].method
        return Surrounding(method.name, method.signature, self.helper.name, number, kept=self._kept[number])

    # -- see ``RingUser`` ----------------------------------------------------------------------------------------------

    def opened(self, counters: Mapping[str, int]) -> None:
        """See ``RingUser``."""

    def counted(self, counters: Mapping[str, int]) -> None:
        """See ``RingUser``: how many calls have ended, and how many were wanted and not kept."""
        assert self._ring is not None
        now, before = self._ring.passes, self._counts
        self._counts = now

        def total(kind: int, of: Sequence[int]) -> int:
            return sum(of[kind::PER_METHOD])

        returned, failed, wanted = (total(kind, now) - total(kind, before) for kind in (RETURNED, THREW, WANTED))
        self._observation.count(returned + failed, failed, wanted)
        left_out = total(WANTED, now) - counters["HEAD"]
        if left_out > self._left_out:
            self._observation.leave_out(left_out - self._left_out)
            self._left_out = left_out

    def rests_until(self) -> float:
        """See ``RingUser``: while as many were reported as may be in a second."""
        return self._observation.rests_until()

    def skipped(self, count: int) -> None:
        """See ``RingUser``."""
        self._observation.leave_out(count)

    def arrived(self, count: int) -> int:
        """See ``RingUser``: as many are read as are to be reported."""
        return self._observation.accept(count)

    async def read(self, entries: Sequence[RingEntry]) -> None:
        """See ``RingUser``. wire: what describing the values takes."""
        for entry in entries:
            await self._observation.report(await self._ended(entry))

    async def _ended(self, entry: RingEntry) -> EndedCall:
        names = [each.field for each in self.helper.columns][2:]
        values = dict(zip(names, entry.values, strict=True))
        site, failed = divmod(int(values["sites"].value or 0), 2)
        observed, cost = self._methods[site], int(values["costs"].value or 0) / 1e9
        returned: TaggedValue | None = None
        this: list[Any] = []
        arguments: list[Any] = []
        for each, column in columns_of(self._kept[site]):
            value = values[column]
            if is_number(each):
                value = TaggedValue(ord(each.signature), number(each.signature, int(value.value or 0)))
            if each.slot == TOP:
                returned = None if failed else value
            elif each.slot == 0 and not observed.method.is_static:
                this.append(ThisObjectReply(TaggedObjectID(value.tag, ObjectID(int(value.value or 0)))))
            else:
                arguments.append(GetValuesReply([value]))
        thrown = None
        place = self._changes.place_now(observed.owner, observed.method.id, 0)
        if failed:
            exception = values["thrown"]
            nowhere = place.replace(classID=ReferenceTypeID(0))
            thrown = _Thrown(TaggedObjectID(exception.tag, ObjectID(int(exception.value or 0))), nowhere)
        shown, failure = await self._shown(site, bool(failed), values)
        read = ReadCall(entry.thread, (place,), (*arguments, *this), shown, returned, thrown, failure)
        return EndedCall(observed, entry.thread, cost, failed=bool(failed), read=read, at=entry.time / 1e9)

    async def _shown(
        self, site: int, failed: bool, values: Mapping[str, TaggedValue]
    ) -> tuple[tuple[tuple[str, Operand], ...], str]:
        """Return the values of expressions, and the reason why the first without one has none.

        wire: none, or as an exception's.
        """
        computed, typed = self._computed[site], self._observation.reader.typed
        types = computed.threw if failed else computed.returned
        end = computed.ends.threw if failed else computed.ends.returned
        if not end.emitted:
            return (), ""
        missing = int(values[MISSING].value or 0)
        shown = []
        for at, (text, type_, emitted) in enumerate(zip(typed, types, end.shown, strict=True)):
            if type_ is not None and emitted is not None and not missing >> at + 1 & 1:
                value = values[shown_in(at, emitted)]
                raw = number(type_.tag, int(value.value or 0)) if isinstance(type_, Primitive) else from_wire(value)
                shown.append((text, Operand(type_, raw)))
        if not missing:
            return tuple(shown), ""
        broken = await read_throwable(Objects.of(self._target).reader, int(values[BROKEN].value or 0))
        first = (missing & -missing).bit_length() - 1
        what = "the condition failed" if not first else typed[first - 1]
        return tuple(shown), f"{what}: {broken.type}" + (f": {broken.message}" if broken.message is not None else "")


async def computed_ends(
    observation: ObservedCalls, observed: ObservedMethod, entry: Location, host: str
) -> ComputedEnds:
    """Return what is kept and computed of a method's calls. ``entry`` is its first instruction.

    Raises NotInTarget, EvalError. wire: as compiling the expressions.
    """
    kept = kept_of(observed)
    if observation.reader.cost_only:
        return ComputedEnds(ObservedEnds(kept))
    result = next((each for each in kept if each.slot == TOP), None)
    brought: list[Brought] = [{"ret": result, "exc": None, "cost": TOOK}, {"ret": None, "exc": THROWN, "cost": TOOK}]
    passed = {each.slot for each in (*kept, TOOK, THROWN)}
    ends: list[End] = []
    types: list[tuple[JavaType | None, ...]] = []
    for failed in (False, True):
        condition, shown = await observation.reader.operations(observed, entry, failed=failed)
        known = [None if each is None else emit_at_end(each, host, brought[failed]) for each in (condition, *shown)]
        if any(one.slot not in passed for each in known if each is not None for one in each.parameters):
            raise NotInTarget("uses a local variable that is not an argument")
        never = condition is None and observation.reader.is_conditional
        ends.append(End(known[0], tuple(known[1:]), never))
        types.append(tuple(None if each is None else expression_of(each).type for each in shown))
    return ComputedEnds(ObservedEnds(kept, *ends), *types)


def kept_of(observed: ObservedMethod) -> tuple[CheckParameter, ...]:
    """Return the values to keep of each call of a method: the returned one, the receiver, the arguments."""
    method = observed.method
    returns = split_method(method.signature)[1]
    kept = [] if returns == "V" else [CheckParameter(TOP, returns)]
    if not method.is_static:
        kept.append(CheckParameter(0, "Ljava/lang/Object;", "this"))
    slots = argument_slots(method.signature, static=method.is_static)
    return (*kept, *(CheckParameter(slot, each, f"argument {slot}") for slot, each in slots))

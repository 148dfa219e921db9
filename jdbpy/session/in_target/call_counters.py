"""The counts and times that the target keeps of one class for one observation: read, and entered into it.

Sums are read as they stand: what has changed since the last reading is what has come.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from jdbpy.errors import JdbpyError
from jdbpy.session.breakpoints.method_patterns import ObservedMethod
from jdbpy.session.calls.call_stats import ObservedTimes
from jdbpy.session.calls.call_trees import ObservedTree
from jdbpy.session.calls.statistics import CallTimes, CallTotals, Fold
from jdbpy.session.calls.tree_breakpoints import CallSite as CalledPlace, find_call_sites
from jdbpy.session.events.target import Target
from jdbpy.session.in_target.weave import tree_helper
from jdbpy.session.in_target.weave.count_helper import (
    FAILED,
    FIRST_BUCKET,
    LONGEST,
    MOST,
    PER_METHOD,
    SHORTEST,
    TOTAL,
    bounds_of,
    count_class,
    middle_of,
)
from jdbpy.session.in_target.weave.records import CallPlace, HelperClass, Surrounding
from jdbpy.session.java import class_file
from jdbpy.wire.command import Command
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import ArrayID, ClassID, FieldID, FieldValue, ObjectID, ReferenceTypeID, TaggedValue
from jdbpy.wire.messages import array_reference, class_type, object_reference, reference_type


class CallLog(Protocol):
    """Has what the target keeps of the calls of one class for one observation."""

    type_id: ReferenceTypeID
    """The helper's."""

    @property
    def helper(self) -> HelperClass:
        """Return the class that the methods call."""

    def surrounding(self, number: int) -> Surrounding:
        """Return the code around the method with that number."""

    async def begin(self) -> None:
        """Take in what comes from now on."""

    async def refresh(self) -> None:
        """Take in what the target has kept since. wire: 1 trip, 2 where something was."""

    def close(self) -> list[Command[Any]]:
        """Return the commands after which the target keeps nothing for it any more."""


class CountLog:
    """The counts and times of the calls of a class's methods, as the target keeps them."""

    def __init__(
        self, target: Target, observation: ObservedTimes, methods: Sequence[ObservedMethod], name: str
    ) -> None:
        self.helper = count_class(name, host_of(methods), len(methods))
        self.type_id = ReferenceTypeID(0)
        self._target = target
        self._observation = observation
        self._methods = methods
        self._array = ArrayID(ObjectID(0))
        self._on = FieldID(0)
        self._last = [(0,) * PER_METHOD for _ in methods]

    def surrounding(self, number: int) -> Surrounding:
        method = self._methods[number].method
        return Surrounding(method.name, method.signature, self.helper.name, number)

    async def begin(self) -> None:
        if not self._array:
            self._array, self._on = await array_in(self._target, self.type_id, "TIMES")

    async def refresh(self) -> None:
        starts = [PER_METHOD * number for number in range(len(self._methods))]
        heads = await self._target.conn.batch(
            [array_reference.GetValues(self._array, at, FIRST_BUCKET) for at in starts]
        )
        changed = [
            number for number, reply in enumerate(heads) if numbers_of(reply) != self._last[number][:FIRST_BUCKET]
        ]
        asked = [array_reference.GetValues(self._array, starts[number], PER_METHOD) for number in changed]
        for number, reply in zip(changed, await self._target.conn.batch(asked), strict=True):
            now, before = numbers_of(reply), self._last[number]
            self._last[number] = now
            times = CallTimes()
            _enter(times, before, now)
            if times.total or times.count or times.failures:
                self._observation.enter(self._methods[number], times)

    def close(self) -> list[Command[Any]]:
        return [off(self.type_id, self._on)] if self._on else []


class TreeLog:
    """The times of the calls inside of a class's methods, as the target has added them up."""

    def __init__(
        self,
        target: Target,
        observation: ObservedTree,
        methods: Sequence[ObservedMethod],
        name: str,
        original: bytes,
    ) -> None:
        self.type_id = ReferenceTypeID(0)
        self._target = target
        self._observation = observation
        self._methods = methods
        self._places = [places_in(original, each) for each in methods]
        self._calls = [len(each) for each in self._places]
        self.helper = tree_helper.tree_class(name, host_of(methods), self._calls, observation.costs)
        self._array = ArrayID(ObjectID(0))
        self._on = FieldID(0)
        self._last: tuple[int, ...] = (0,) * tree_helper.start_of(len(methods), self._calls)

    def surrounding(self, number: int) -> Surrounding:
        method = self._methods[number].method
        calls = tuple(CallPlace(each.index, each.after) for each in self._places[number])
        return Surrounding(method.name, method.signature, self.helper.name, number, "[J", calls=calls)

    async def begin(self) -> None:
        if not self._array:
            self._array, self._on = await array_in(self._target, self.type_id, "TIMES")
        limit = (await fields_of(self._target, self.type_id))["limit"]
        most = self._observation.most
        left = max(most - self._observation.folded, 0) if most else tree_helper.ALL
        value = FieldValue(limit, TaggedValue(Tag.LONG, left))
        await self._target.conn.request(class_type.SetValues(ClassID(self.type_id), [value]))

    async def refresh(self) -> None:
        conn, last = self._target.conn, self._last
        head = numbers_of(await conn.request(array_reference.GetValues(self._array, 0, tree_helper.FIRST)))
        if head == last[: tree_helper.FIRST]:
            return
        now = numbers_of(await conn.request(array_reference.GetValues(self._array, 0, len(last))))
        self._last = now
        found: dict[ObservedMethod, Fold] = {}
        for number, places in enumerate(self._places):
            start = tree_helper.start_of(number, self._calls)
            fold = Fold()
            _total(fold, last, now, start)
            for at, place in enumerate(places, 1):
                inner = Fold()
                _total(inner, last, now, start + tree_helper.PER_PLACE * at)
                if inner.count:
                    fold.child(place.key).merge(inner)
            if fold.count or fold.children:
                found[self._methods[number]] = fold
        ended, failed = (now[at] - last[at] for at in (tree_helper.ENDED, tree_helper.FAILED))
        self._observation.enter(ended, failed, found)

    def close(self) -> list[Command[Any]]:
        return [off(self.type_id, self._on)] if self._on else []


def _total(totals: CallTotals, before: Sequence[int], now: Sequence[int], at: int) -> None:
    """Enter what was added between two readings; the longest and shortest are those of all."""
    count, failures, total = (
        now[at + field] - before[at + field] for field in (tree_helper.COUNT, tree_helper.FAILURES, tree_helper.TOTAL)
    )
    totals.count, totals.failures, totals.total = count, failures, total / 1e9
    if now[at + tree_helper.COUNT]:
        totals.maximum = now[at + tree_helper.LONGEST] / 1e9
        totals.minimum = (MOST - now[at + tree_helper.SHORTEST]) / 1e9


def places_in(original: bytes, observed: ObservedMethod) -> list[CalledPlace]:
    """Return the calls in the program's own code of a method, with their lines."""
    parsed = class_file.parse(original)
    key = observed.method.name, observed.method.signature
    method = next(each for each in parsed.methods if (each.name, each.signature) == key)
    found = []
    for each in find_call_sites(method.code, parsed.pool):
        lines = [line for at, line in sorted(method.lines) if at <= each.index]
        found.append(each.replace(line=lines[-1] if lines else None))
    return found


def host_of(methods: Sequence[ObservedMethod]) -> str:
    """Return the internal name of the class of methods."""
    return methods[0].owner.signature[1:-1]


def off(type_id: ReferenceTypeID, field: FieldID) -> Command[Any]:
    """Return the command after which a helper does nothing."""
    return class_type.SetValues(ClassID(type_id), [FieldValue(field, TaggedValue(Tag.INT, 0))])


def numbers_of(reply: Any) -> tuple[int, ...]:
    if isinstance(reply, JdbpyError):
        raise reply
    return tuple(reply.values.values)


def _enter(times: CallTimes, before: Sequence[int], now: Sequence[int]) -> None:
    """Enter what was counted of one method between two readings. The longest and the shortest call of all are exact,
    of those in between as exact as their buckets are.
    """
    more = {
        at: count - former
        for at, (former, count) in enumerate(zip(before[FIRST_BUCKET:], now[FIRST_BUCKET:], strict=True))
        if count > former
    }
    longest, shortest = now[LONGEST], MOST - now[SHORTEST]
    if more and now[LONGEST] == before[LONGEST]:
        longest = min(bounds_of(max(more))[1], longest)
    if more and now[SHORTEST] == before[SHORTEST]:
        shortest = max(bounds_of(min(more))[0], shortest)
    times.add_all(
        {middle_of(bucket) / 1e9: count for bucket, count in more.items()},
        now[FAILED] - before[FAILED],
        (now[TOTAL] - before[TOTAL]) / 1e9,
        min(shortest, longest) / 1e9,
        longest / 1e9,
    )


async def fields_of(target: Target, type_id: ReferenceTypeID) -> dict[str, FieldID]:
    """Return the fields of a class by name. wire: 1 trip, 0 when known."""
    return {each.name: each.id for each in (await target.types.fields([type_id]))[type_id]}


async def array_in(target: Target, type_id: ReferenceTypeID, name: str) -> tuple[ArrayID, FieldID]:
    """Return the array of an AtomicLongArray in a static field of a helper, and the field that switches the helper off.

    Raises JdwpError. wire: 3 trips, more for a class that is new.
    """
    fields = await fields_of(target, type_id)
    [holder] = (await target.conn.request(reference_type.GetValues(type_id, [fields[name]]))).values
    [atomic] = await target.types.by_signature("Ljava/util/concurrent/atomic/AtomicLongArray;")
    array = (await fields_of(target, atomic.id))["array"]
    reply = await target.conn.request(object_reference.GetValues(ObjectID(int(holder.value or 0)), [array]))
    return ArrayID(ObjectID(int(reply.values[0].value or 0))), fields["on"]

"""Rings in the target, read while everything runs: no thread is suspended, and none ever waits for the debugger.

Owns where the arrays of a ring are, the commands that read it, and how often. A poll is one trip for all rings, and one
more for those in which something has come: what no reader wants to see is only counted there. While entries come, it is
looked for them every few milliseconds, later less often.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Protocol

import trio

from jdbpy.errors import Disconnected, JdbpyError, JdwpError, StateError
from jdbpy.record import Record
from jdbpy.session.events.target import Target
from jdbpy.session.extension import Extension
from jdbpy.session.in_target.weave.log_helper import LogHelper
from jdbpy.session.in_target.weave.ring import RingReader
from jdbpy.session.in_target.weave.trace_helper import STRIPES, TraceHelper
from jdbpy.session.jvm import facts
from jdbpy.session.jvm.refs import Field
from jdbpy.wire.command import Command
from jdbpy.wire.constants import Tag
from jdbpy.wire.ids import ArrayID, ClassID, FieldID, FieldValue, ObjectID, ReferenceTypeID, TaggedValue
from jdbpy.wire.messages import array_reference, class_type, object_reference, reference_type, virtual_machine

_SOON, _LATE = 0.01, 0.25
"""Seconds between polls: while entries come, and when none has come for long. Each poll without one waits longer."""

_GUESS = 64
"""Entries that are looked for at first."""

_MOST_TURNS = 8
"""The most polls in a row without a pause, where the target keeps more than one reads."""

_STUCK = 200
"""After so many polls without progress an entry is given up that was begun and never finished."""

CLOSED = -(1 << 62)
"""The value of ``read`` with which a ring takes nothing more."""

_WHILE_RESTING = 64
"""Entries that a ring takes between two polls while no entry is wanted. Without any, the JVM compiles the methods of
the program without the code that keeps entries, and discards the compiled code when entries are wanted again."""

_COUNTERS = ("HITS", "PASSED", "HEAD", "DROPPED")
_ATOMIC, _ATOMIC_ARRAY = "Ljava/util/concurrent/atomic/AtomicLong;", "Ljava/util/concurrent/atomic/AtomicLongArray;"


_REFERENCES = ("thread", "instance", "thrown")


def emptied(type_id: ReferenceTypeID, fields: Iterable[Field]) -> list[Command[Any]]:
    """Return the commands after which the helper of a ring takes nothing any more, and its arrays can be collected.

    A thread that is in the helper then loses its entry. None for a helper without a ring, and without a filter.
    """
    named = {each.name: each for each in fields}
    if "HOST" not in named:
        return []
    values = [FieldValue(named["read"].id, TaggedValue(Tag.LONG, CLOSED))] if "read" in named else []
    for each in named.values():
        if each.signature[0] == "[" or each.signature == _ATOMIC_ARRAY or each.name in _REFERENCES:
            values.append(FieldValue(each.id, TaggedValue(Tag.OBJECT, 0)))
    return [class_type.SetValues(ClassID(type_id), values)] if values else []


class RingEntry(Record):
    """One entry: nanoseconds since 1970 by the target's clock, the thread, and the further columns."""

    time: int
    thread: int
    values: tuple[TaggedValue, ...]


class RingUser(Protocol):
    """The receiver of what a ring has kept."""

    def opened(self, counters: Mapping[str, int]) -> None:
        """Take in the counters of a ring that begins to keep entries."""

    def counted(self, counters: Mapping[str, int]) -> None:
        """Take in the present counters of the helper."""

    def rests_until(self) -> float:
        """Until then nothing of what comes is wanted, only how much it is; in the past else. By the poller's clock."""

    def skipped(self, count: int) -> None:
        """So many entries are not read, as nothing of them is wanted."""

    def arrived(self, count: int) -> int:
        """So many entries have come; return how many of the first of them are to be read. Called once for each."""

    async def read(self, entries: Sequence[RingEntry]) -> None:
        """Take in the entries that were asked for."""


class Ring:
    """The ring, or the counters, of one helper in the target."""

    def __init__(self, helper: LogHelper, type_id: ReferenceTypeID, user: RingUser) -> None:
        self.helper = helper
        self.type_id = type_id
        self.user = user
        self.reader = RingReader(helper.size) if helper.size else None
        self.counters: dict[str, ObjectID] = {}
        self._arrays: list[ArrayID] = []  # STAMPS, then the columns
        self._value = self._read_field = FieldID(0)
        self._guess = _GUESS
        self._stuck = 0
        self.passes: tuple[int, ...] = ()
        """The passes of each place of a trace, as of the last poll."""
        self._places = helper if isinstance(helper, TraceHelper) else None
        self._counts: list[ArrayID] = []
        self.rests = -math.inf
        """Until then the target keeps nothing, and only counts."""
        self.said: Mapping[str, int] = {}
        """The counters as they were at the last poll."""
        self.over = False
        """True if it is not to be read any more."""
        self._ended = False

    async def find(self, target: Target) -> None:
        """Find the arrays and counters of a helper that was initialized. Raises JdwpError. wire: 4 trips."""
        types, conn = target.types, target.conn
        fields = {each.name: each for each in (await types.fields([self.type_id]))[self.type_id]}
        atomic, atomic_array = [
            types.learn(reply.classes[0].typeID, reply.classes[0].refTypeTag, signature).id
            for signature, reply in zip(
                (_ATOMIC, _ATOMIC_ARRAY),
                await conn.batch([virtual_machine.ClassesBySignature(each) for each in (_ATOMIC, _ATOMIC_ARRAY)]),
                strict=True,
            )
            if _is_there(reply)
        ]
        of_atomics = await types.fields([atomic, atomic_array])
        [self._value] = [each.id for each in of_atomics[atomic] if each.name == "value"]
        counters = [name for name in _COUNTERS if name in fields]
        columns = [each.field for each in self.helper.columns]
        wanted = [fields[name].id for name in (*counters, *(["STAMPS"] if columns else []), *columns)]
        values = (await conn.request(reference_type.GetValues(self.type_id, wanted))).values
        found = [ObjectID(int(each.value or 0)) for each in values]
        self.counters = dict(zip(counters, found, strict=False))
        if columns:
            self._read_field = fields["read"].id
            [array] = [each.id for each in of_atomics[atomic_array] if each.name == "array"]
            atomics = [found[len(counters)]]
            if self._places is not None:
                reply = await conn.request(reference_type.GetValues(self.type_id, [fields["COUNTS"].id]))
                atomics.append(ObjectID(int(reply.values[0].value or 0)))
            replies = [await conn.request(object_reference.GetValues(each, [array])) for each in atomics]
            stamps, *self._counts = [ArrayID(ObjectID(int(each.values[0].value or 0))) for each in replies]
            self._arrays = [stamps, *(ArrayID(each) for each in found[len(counters) + 1 :])]

    async def open(self, target: Target, counters: Mapping[str, int]) -> None:
        """Take in entries from now on; counters begin with these values. wire: 2 trips."""
        self.over, self.rests, self._ended = False, -math.inf, False
        ask = [object_reference.GetValues(each, [self._value]) for each in self.counters.values()]
        replies = await target.conn.batch(ask)
        now = {name: int(reply.values[0].value or 0) for name, reply in zip(self.counters, replies, strict=True)}
        commands = self.set_counters(counters)
        if self.reader is not None:
            self.reader.next = now["HEAD"]
            commands.append(self._set_read(now["HEAD"]))
        self.user.opened({**now, **counters})
        await target.conn.batch(commands)

    def set_counters(self, values: Mapping[str, int]) -> list[Command[Any]]:
        """Return the commands that give counters their values."""
        return [
            object_reference.SetValues(self.counters[name], [FieldValue(self._value, TaggedValue(Tag.LONG, value))])
            for name, value in values.items()
            if name in self.counters
        ]

    def end(self) -> list[Command[Any]]:
        """Return the commands after which a ring takes nothing any more; what it has is still to be read."""
        self._ended = True
        return [self._set_read(CLOSED)] if self.reader is not None else []

    def close(self) -> list[Command[Any]]:
        """Return the commands after which a ring takes nothing any more, and keeps no object alive."""
        self.over = True
        if self.reader is None:
            return []
        objects = [
            array for array, column in zip(self._arrays[1:], self.helper.columns, strict=True) if column.array != "[J"
        ]
        nothing = [TaggedValue(Tag.OBJECT, 0)] * self.helper.size
        return [self._set_read(CLOSED), *(array_reference.SetValues(each, 0, nothing) for each in objects)]

    def rest(self, now: float) -> list[Command[Any]]:
        """Return the commands after which the target keeps no entries while none is wanted, or keeps them again."""
        if self.reader is None or self.over or self._ended:
            return []
        until = self.user.rests_until()
        if self.rests == -math.inf and until > now:
            self.rests = until
            return [self._set_resting()]
        if self.rests != -math.inf and now >= self.rests:
            self.rests = -math.inf
            return [self._set_read(self.reader.next)]
        return [self._set_resting()] if self.rests != -math.inf else []

    def _set_resting(self) -> Command[Any]:
        assert self.reader is not None
        return self._set_read(self.reader.next + _WHILE_RESTING - self.helper.size)

    def _set_read(self, number: int) -> Command[Any]:
        return class_type.SetValues(
            ClassID(self.type_id), [FieldValue(self._read_field, TaggedValue(Tag.LONG, number))]
        )

    # -- a poll: what is asked first, then what is asked for what has come -------------------------------------------

    def questions(self) -> list[Command[Any]]:
        """Return what a poll asks first: the counters, and the stamps of the next entries."""
        asked: list[Command[Any]] = []
        if self._places is not None:  # before HEAD: what was counted and not kept is never taken for more than it is
            length = STRIPES * self._places.stripe
            asked += [array_reference.GetValues(each, 0, length) for each in self._counts]
        asked += [object_reference.GetValues(each, [self._value]) for each in self.counters.values()]
        if self.reader is not None and self.rests == -math.inf:
            asked += [
                array_reference.GetValues(self._arrays[0], first, count)
                for first, count in self.reader.ranges(self._guess)
            ]
        return asked

    def finished(self, replies: Sequence[Any]) -> int:
        """Take in the answers; return how many entries have come since."""
        if self._places is not None:
            self.passes, replies = self._places.passes(replies[0].values.values), replies[1:]
        counts = [int(reply.values[0].value or 0) for reply in replies[: len(self.counters)]]
        counters = dict(zip(self.counters, counts, strict=True))
        self.said = counters
        rest = replies[len(counts) :]
        if self.reader is None:
            return 0
        if self.rests != -math.inf:
            skipped, self.reader.next = counters["HEAD"] - self.reader.next, counters["HEAD"]
            self.user.skipped(skipped)
            return 0
        stamps = [stamp for reply in rest for stamp in reply.values.values]
        done = 0
        for stamp in stamps:
            if stamp != self.reader.next + done + 1:
                break
            done += 1
        self._guess = min(self.helper.size, max(_GUESS, 2 * done))
        self._stuck = 0 if done or counters["HEAD"] <= self.reader.next else self._stuck + 1
        if self._stuck > _STUCK:
            self._stuck = 0
            self.reader.next += 1
        return done

    def columns(self, count: int) -> list[Command[Any]]:
        """Return what asks for the first so many entries."""
        assert self.reader is not None
        ranges = self.reader.ranges(count)
        return [array_reference.GetValues(array, *each) for array in self._arrays[1:] for each in ranges]

    def entries(self, count: int, replies: Sequence[Any]) -> list[RingEntry]:
        """Return these entries."""
        assert self.reader is not None
        parts = len(self.reader.ranges(count))
        lists = [
            [value for reply in replies[at : at + parts] for value in reply.values.tagged()]
            for at in range(0, len(replies), parts)
        ]
        return [
            RingEntry(int(time.value or 0), int(thread.value or 0), tuple(values))
            for time, thread, *values in zip(*lists, strict=True)
        ]

    def passed(self, count: int) -> list[Command[Any]]:
        """Go on behind so many entries; return the commands that free their places in the target."""
        assert self.reader is not None
        emptied = self._places.emptied if self._places is not None else ()
        nothing = TaggedValue(Tag.OBJECT, 0)
        commands: list[Command[Any]] = [
            array_reference.SetValues(array, first, [nothing] * so_many)
            for array, column in zip(self._arrays[1:], self.helper.columns, strict=True)
            if column.field in emptied
            for first, so_many in self.reader.ranges(count)
        ]
        self.reader.next += count
        return [] if self._ended else [*commands, self._set_read(self.reader.next)]


def _is_there(reply: Any) -> bool:
    if isinstance(reply, JdwpError) or not reply.classes:
        raise StateError("the target has no AtomicLong", code="NOT_AVAILABLE")
    return True


class RingPoller(Extension):
    """Reads the rings of one target, for ever. ``on_error`` is called with a ring that cannot be read any more."""

    def __init__(
        self, target: Target, on_error: Callable[[Ring, JdbpyError], None], clock: Callable[[], float]
    ) -> None:
        self._target = target
        self._on_error = on_error
        self.clock = clock
        self._rings: dict[Ring, None] = {}
        self._changed = trio.Event()
        self._lock = trio.Lock()
        target.extensions.add(self)

    def add(self, ring: Ring) -> None:
        """Read a ring from now on."""
        self._rings[ring] = None
        self._changed.set()

    def remove(self, ring: Ring) -> None:
        """Read a ring no more. wire: no wait."""
        if self._rings.pop(ring, ring) is None:
            self._submit(ring.close())

    async def run(self) -> None:
        """Poll for ever, as long as there is a ring."""
        pause = _SOON
        while True:
            if not self._rings:
                pause = _SOON
                self._changed = trio.Event()
                await self._changed.wait()
            await trio.sleep(pause)
            try:
                found = await self.poll()
            except Disconnected:
                return
            pause = _SOON if found else min(1.25 * pause, _LATE)

    async def poll(self, rings: Iterable[Ring] | None = None) -> int:
        """Read what has come into all or some rings; return how much. wire: 1 trip, 2 where something has come."""
        async with self._lock:
            total = 0
            pending = [each for each in (self._rings if rings is None else rings) if each in self._rings]
            for _ in range(_MOST_TURNS):  # those with more than was looked for are read again at once
                asked = await self._ask([(ring, ring.questions()) for ring in pending])
                found = [(ring, ring.finished(replies)) for ring, replies in asked]
                come = [(ring, count, ring.user.arrived(count)) for ring, count in found if count]
                columns = await self._ask([(ring, ring.columns(some)) for ring, _, some in come if some])
                replies_of = dict(columns)
                for ring, _, some in come:
                    if not some or ring in replies_of:  # before their places are used again
                        await ring.user.read(ring.entries(some, replies_of[ring]) if some else [])
                for ring, _ in found:
                    ring.user.counted(ring.said)  # what was dropped came later than what was kept
                self._submit([command for ring, count, _ in come if not ring.over for command in ring.passed(count)])
                now = self.clock()
                self._submit([command for ring, _ in found for command in ring.rest(now)])
                total += sum(count for _, count in found)
                pending = [ring for ring, count in found if count >= _GUESS and not ring.over]
                if not pending:
                    break
            return total

    async def before_stop(self) -> None:
        """Read what has come so far. wire: 1 trip, 2 where something has come, 0 without rings."""
        if self._rings:
            await self.poll()

    async def before_leave(self) -> None:
        """Have the target keep nothing more, and read what it has kept. wire: 1 trip, 2 where something has come."""
        if self._rings:
            self._submit([command for ring in self._rings for command in ring.end()])
            await self.poll()

    def closing_commands(self) -> list[Command[Any]]:
        known = self._target.types.facts.known
        fields = ((ring.type_id, known(facts.FIELDS, ring.type_id) or ()) for ring in self._rings)
        return [command for type_id, of_helper in fields for command in emptied(type_id, of_helper)]

    def _submit(self, commands: Sequence[Command[Any]]) -> None:
        with suppress(Disconnected):
            self._target.conn.submit_all(commands)

    async def _ask(self, asked: Sequence[tuple[Ring, Sequence[Command[Any]]]]) -> list[tuple[Ring, list[Any]]]:
        """Return the answers for each ring; one that cannot be read is left out from then on. wire: 1 trip."""
        outcomes = await self._target.conn.batch([each for _, commands in asked for each in commands])
        answered, at = [], 0
        for ring, commands in asked:
            replies, at = outcomes[at : at + len(commands)], at + len(commands)
            wrong = next((each for each in replies if isinstance(each, JdwpError)), None)
            if wrong is None:
                answered.append((ring, replies))
            else:
                self._rings.pop(ring, None)
                ring.over = True
                self._on_error(ring, wrong)
        return answered

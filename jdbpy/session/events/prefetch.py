"""Over a slow link: what a stop shows is asked for behind the Resume that leads to it, before it has come in.

Most steps end, and a breakpoint in a loop is hit, long before their event has come over the link. So the reads of the
stop follow the Resume after a moment, and again after longer ones while nothing has come in; those that reach the agent
after the thread has stopped are answered, and the stop costs one trip. Earlier ones are refused, which does no harm.
Where some came in time, those and their neighbors are sent for the next stop; where none did, all are.

Owns these reads and the rule by which answers count: the event set of the stop came in before all of them, its thread
has not run since, and its place is that of the top frame. docs/speed.md proves it. Nothing is read here while an
invoked method runs.

Owns also which places are known well enough for a stop there to be shown, and its variables to be asked for, in one
trip (``StopPlaces``); and the classes that variables are likely to hold, judged by their declared types, which are
looked up beside the values (``LikelyClasses``): two trips less for a class that was never looked at. A wrong guess
costs a few bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from math import inf
from typing import TYPE_CHECKING, Any

import trio

from jdbpy.errors import Disconnected, JdbpyError, JdwpError, ProtocolError
from jdbpy.record import Record
from jdbpy.session.concurrency import together
from jdbpy.session.events.frames import all_of_table, frame_commands, frame_variables, from_table, key_of
from jdbpy.session.events.target import Target
from jdbpy.session.events.threads import thread_ref
from jdbpy.session.java.jdk import made_of
from jdbpy.session.java.signatures import java_name, signature_of
from jdbpy.session.jvm import facts
from jdbpy.session.jvm.facts import MethodKey
from jdbpy.session.jvm.refs import OBSOLETE
from jdbpy.session.jvm.types import TypeCache
from jdbpy.session.model.threads import ThreadRef
from jdbpy.wire.command import Command
from jdbpy.wire.constants import Error, JdwpSuspendPolicy
from jdbpy.wire.framing import Packet
from jdbpy.wire.ids import CodeLocation, MethodID, ObjectID, ReferenceTypeID, ThreadID
from jdbpy.wire.messages import thread_reference
from jdbpy.wire.pending import Pending

if TYPE_CHECKING:
    from jdbpy.session.events.frames import RawFrameVariables, SlotVariable


_MOST = 40
"""Variables that are read unasked, one command each: one that holds nothing spoils no other."""

_NO_FRAMES = frozenset((Error.THREAD_NOT_SUSPENDED, Error.INVALID_THREAD, Error.INVALID_INDEX))
"""Errors for a thread that has run on, has ended, or has no frame yet, as at the start of the VM."""


class Top(Record):
    """A thread, its top frame (None when it has none, or runs), the number of its frames, and what is in the frame.

    ``error`` says why the frame is missing, where the agent has refused it.
    """

    thread: ThreadRef
    frame: thread_reference.Frame | None
    total: int | None
    variables: RawFrameVariables | None
    error: str = ""


class StopReads:
    """The questions about one thread where it stands now, or will have stopped; they go out when this is made.

    ``variables`` are read too, if the id of the top frame can be foreseen. Raises Disconnected. wire: no wait.
    """

    __slots__ = ("_epoch", "_guess", "_guessed", "_pending", "_target", "_thread", "_variables")

    def __init__(self, target: Target, thread_id: int, variables: Sequence[SlotVariable] = ()) -> None:
        self._target = target
        self._thread = thread = ThreadID(ObjectID(thread_id))
        self._epoch = target.suspension.epoch_of(thread_id)
        self._guess = target.frame_id_predictor.guess_or_try(thread_id) if variables else None
        self._variables = variables[:_MOST]
        self._guessed: trio.Event | None = None
        commands: list[Command[Any]] = [
            thread_reference.Name(thread),
            thread_reference.Frames(thread, 0, 1),
            thread_reference.FrameCount(thread),
        ]
        if self._guess is not None:
            commands += frame_commands(thread, self._guess, self._variables)
        with target.conn.corked:
            self._pending: list[Pending[Any]] = target.conn.submit_all(commands)
            if self._guess is not None and target.guess_objects is not None:
                references = sum(each.signature[0] in "L[" for each in self._variables)
                self._guessed = target.guess_objects(thread_id, references)
            if target.at_least(21) and thread_id not in target.virtual_threads:
                target.conn.submit(thread_reference.IsVirtual(thread), on_reply=self._is_virtual)

    def _is_virtual(self, answer: thread_reference.IsVirtualReply | JdbpyError) -> None:
        if isinstance(answer, thread_reference.IsVirtualReply):
            self._target.virtual_threads[self._thread] = answer.isVirtual

    @property
    def answered(self) -> bool:
        """True if an answer has come in already."""
        return self._pending[0].done

    async def take(self) -> Top:
        """Return what the answers say. wire: 1 trip from when they were asked for."""
        name, frames, count, *values = await self._target.conn.gather(self._pending)
        if self._guessed is not None:
            await self._guessed.wait()  # these answers follow at once, and what the objects are is wanted next
        thread = thread_ref(self._thread, name)
        if isinstance(frames, JdwpError):
            error = "" if frames.number in _NO_FRAMES else f"the frames cannot be read: {frames.message}"
            return Top(thread, None, None, None, error)
        if not frames.frames:
            return Top(thread, None, None, None)
        [top] = frames.frames
        total = None if isinstance(count, JdwpError) else count.frameCount
        right = self._target.frame_id_predictor.compare(self._thread, self._epoch, self._guess, top.frameID)
        return Top(thread, top, total, self._variables_of(values) if right else None)

    def _variables_of(self, answers: list[Any]) -> RawFrameVariables | None:
        found = frame_variables(self._variables, answers)
        return None if isinstance(found, JdwpError) else found


_FACTS_OF_FRAMES = (facts.SIGNATURE, facts.MODIFIERS, facts.SUPERCLASS, facts.INTERFACES, facts.FIELDS)
"""The facts of a frame's class in which variables and names are looked up."""


class StopPlaces:
    """The places of one target."""

    def __init__(self, types: TypeCache) -> None:
        self._types = types
        self._learned: set[MethodKey] = set()
        self._learning: dict[MethodKey, trio.Event] = {}
        self.on_learned: Callable[[Sequence[CodeLocation]], None] | None = None
        """Called with places that were learned; must not wait."""

    def is_learned(self, at: CodeLocation) -> bool:
        """True if a stop there needs nothing but what changes from stop to stop."""
        return (at.classID, at.methodID) in self._learned and self._types.is_placed([at])

    async def learn(self, places: Iterable[CodeLocation]) -> None:
        """Learns places, and what looking at variables there begins with. wire: 1 trip, 0 when known."""
        types, places = self._types, [place for place in places if place.classID]
        if not places:
            return
        keys = {(place.classID, place.methodID) for place in places}
        methods = [key for key in keys if key[1] != OBSOLETE]
        classes = [place.classID for place in places]
        done = trio.Event()
        self._learning.update(dict.fromkeys(keys, done))
        try:
            await together(
                lambda: types.locations(places),
                lambda: types.facts.prefetch(
                    (facts.VARIABLES, methods), *((fact, classes) for fact in _FACTS_OF_FRAMES)
                ),
                types.learn_root,
            )
        finally:
            done.set()
            for key in keys:
                self._learning.pop(key, None)
        self._learned |= keys
        if self.on_learned is not None:
            self.on_learned(places)

    async def settled(self, at: CodeLocation) -> None:
        """Waits while a place is being learned: a breakpoint may be hit before all is here that was asked with it."""
        learning = self._learning.get((at.classID, at.methodID))
        if learning is not None:
            await learning.wait()

    def declared(self, at: CodeLocation) -> list[str]:
        """Return the types (signatures) of the variables at a place, then those of its class's fields. No trip."""
        fields = self._types.facts.known(facts.FIELDS, at.classID) or ()
        own = [each.signature for each in fields if not each.is_static]
        return [*(each.signature for each in self.variables(at)), *own]

    def variables(self, at: CodeLocation) -> list[SlotVariable]:
        """Return the variables in scope at a place; none where that is not known, or there is no variable table. No
        trip."""
        table = self._types.facts.known(facts.VARIABLES, (at.classID, at.methodID))
        return from_table(table, at.index) if table is not None else []

    def variables_of(self, type_id: int, method_id: int) -> list[SlotVariable]:
        """Return all variables that a method has somewhere, each kind of value in a slot once; none as above. No
        trip."""
        table = self._types.facts.known(facts.VARIABLES, (ReferenceTypeID(type_id), MethodID(method_id)))
        found = all_of_table(table) if table is not None else []
        return list({key_of(variable): variable for variable in found}.values())


class LikelyClasses:
    """The guesses about one target; no type is looked up twice."""

    def __init__(self, types: TypeCache) -> None:
        self._types = types
        self._asked: set[str] = set()
        self._found: list[ReferenceTypeID] = []

    def unknown(self, declared: Iterable[str]) -> list[str]:
        """Return the signatures of classes that are worth looking up for variables of these types. No trip."""
        names = made_of(java_name(each) for each in declared if each.startswith("L"))
        wanted = {signature_of(name) for name in names} - self._asked
        if wanted:
            fields = self._types.facts.all_of(facts.FIELDS)
            wanted -= {known.signature for known in self._types.all_known() if known.id in fields}
        return sorted(wanted)

    async def look_up(self, signatures: Iterable[str]) -> None:
        """Look for the loaded classes of these names. wire: 1 trip, 0 for none."""
        wanted = list(signatures)
        if wanted:
            self._asked.update(wanted)
            self._found += [each.id for found in (await self._types.by_signatures(wanted)).values() for each in found]

    def found(self) -> list[ReferenceTypeID]:
        """Return the classes that were found since this was asked last: what they consist of is worth asking for. No
        trip."""
        found, self._found = self._found, []
        return found


FIRST = 0.001
"""The time between the Resume and the first reads, in seconds; most steps are shorter."""

GROWTH = 3
"""How many times as long each further one is, until the Resume is answered: later reads save too little."""


class _Run:
    """A thread on its way to its next stop. ``reads`` go with the time after which they were sent; ``met``: its event
    has come in."""

    __slots__ = ("epoch", "met", "method", "reads", "resumed", "since", "thread")

    def __init__(self, thread: int, resumed: Pending[Any], epoch: int, method: tuple[int, int] | None) -> None:
        self.thread = thread
        self.resumed = resumed
        self.epoch = epoch
        self.method = method
        self.since = trio.current_time()
        self.reads: list[tuple[float, StopReads]] = []
        self.met = False


class StopsAhead:
    """The stops of one target that are read ahead: of one thread at a time, the one that was resumed last."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._run: _Run | None = None
        self._more = trio.lowlevel.ParkingLot()
        self._enough: float | None = None  # reads that were sent so long after the Resume came in time

    async def run(self) -> None:
        """Send the reads when it is time, for ever."""
        while True:
            run, enough = self._run, self._enough
            delay, longest = (FIRST, inf) if enough is None else (max(FIRST, enough / GROWTH), enough * GROWTH)
            while run is not None and run is self._run and delay <= longest:
                with trio.move_on_at(run.since + delay):
                    await self._more.park()  # until another one is expected
                if run is self._run and not self._read(run, delay):
                    break
                delay *= GROWTH
            if run is self._run:
                await self._more.park()

    def expect(self, thread_id: int, resumed: Pending[Any]) -> None:
        """The thread is resumed by this command, and its next stop is likely to be the next one. wire: no wait."""
        suspension, last = self._target.suspension, self._target.last_stop
        self._run = None
        if suspension.is_suspended(thread_id) or suspension.evaluating:
            return
        here = last.location if last is not None and last.thread is not None and last.thread.id == thread_id else None
        method = (here.type_id, here.method_id) if here is not None else None
        self._run = _Run(thread_id, resumed, suspension.epoch_of(thread_id), method)
        self._more.unpark()

    def came_in(self, packet: Packet) -> None:
        """Takes note of an event set where it comes in: what has been answered before it is not of its stop."""
        run = self._run
        if run is None or run.met:
            return
        try:
            composite = self._target.conn.decode_event(packet)
        except ProtocolError:
            return  # the dispatcher's to tell
        if composite.suspendPolicy == JdwpSuspendPolicy.NONE:
            return
        if any(getattr(event, "thread", 0) == run.thread for event in composite.events):
            run.met = True
            run.reads = [(delay, reads) for delay, reads in run.reads if not reads.answered]

    def take(self, thread_id: int) -> StopReads | None:
        """Return the reads of the stop of a thread whose event is being handled; None when there are none that count.

        They count if their place is that of the event.
        """
        run, suspension = self._run, self._target.suspension
        if run is None or run.thread != thread_id:
            return None
        self._run = None
        usable = run.met and run.epoch == suspension.epoch_of(thread_id) and not suspension.evaluating
        if not usable or not run.reads:
            self._enough = None
            return None
        self._enough, reads = run.reads[0]
        return reads

    def _read(self, run: _Run, delay: float) -> bool:
        """Send the reads once more; False when that is of no use any more."""
        suspension = self._target.suspension
        if run.met or run.resumed.done or suspension.evaluating or suspension.epoch_of(run.thread) != run.epoch:
            return False
        variables = self._target.stop_places.variables_of(*run.method) if run.method is not None else []
        with suppress(Disconnected):
            run.reads.append((delay, StopReads(self._target, run.thread, variables)))
            return True
        return False

"""The connection to a target: commands out, replies to those who wait for them, event sets into a queue.

Owns which reply belongs to which command, and the end of the connection with its one reason. Nobody who is slow to take
replies or events holds up anybody else. There are no time limits on replies: a method invocation may never answer. It
knows what no command is for, except that a few leave something behind (``undoing``) and two end the connection.

    async with open_connection(stream) as connection:
        threads = (await connection.request(virtual_machine.AllThreads())).threads
        names = await connection.batch([thread_reference.Name(thread) for thread in threads])  # one round trip
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from time import perf_counter
from typing import TYPE_CHECKING, Any

import trio

from jdbpy.errors import Disconnected, JdbpyError, JdwpError, ProtocolError
from jdbpy.garbage import no_collection
from jdbpy.task_groups import open_nursery
from jdbpy.wire import close_reason
from jdbpy.wire.codec import default_codec
from jdbpy.wire.command import Command, R
from jdbpy.wire.constants import CommandSet, JdwpSuspendPolicy, error_name
from jdbpy.wire.event_queue import EventQueue
from jdbpy.wire.framing import Packet, encode_command
from jdbpy.wire.ids import IDSizes
from jdbpy.wire.messages import event_request, virtual_machine
from jdbpy.wire.messages.event import Composite
from jdbpy.wire.packet_stream import PacketStream
from jdbpy.wire.pending import OnAbandoned, OnReply, Pending, RawPending, undoing
from jdbpy.wire.statistics import Statistics
from jdbpy.wire.vm_death import VmDeathWatch

if TYPE_CHECKING:
    from jdbpy.wire.audit import AuditLog
    from jdbpy.wire.effects import ReadOnlyGuard
    from jdbpy.wire.reply_cache import Recall
    from jdbpy.wire.wirelog import Recorder, WireLog

_NOTABLE = frozenset((event_request.Set, virtual_machine.Dispose, virtual_machine.Exit))
"""Commands whose replies matter to the connection itself: events may wait for the first, the others end it."""

_INVOCATIONS = frozenset(
    ("ClassType.InvokeMethod", "ClassType.NewInstance", "InterfaceType.InvokeMethod", "ObjectReference.InvokeMethod")
)
"""Commands that take as long as the program wants."""

_NEVER_NULL = frozenset(CommandSet) - {
    CommandSet.VirtualMachine,
    CommandSet.ReferenceType,  # answers with an error
    CommandSet.ClassLoaderReference,  # null is the boot loader
    CommandSet.EventRequest,
}
"""The sets of commands whose first field is the id of what they are about. With null the agent crashes, exits, does not
answer or acts on a thread of its own (docs/agent.md, "Null where an object is needed")."""

_FADES = 0.9
"""The factor by which the slowest answer of late counts after one that was quicker."""

_COUNTED = {
    "ObjectReference.GetValues": "fields",
    "ReferenceType.GetValues": "fields",
    "StackFrame.GetValues": "slots",
}
"""Commands that are answered with as many values as they have items in the field named."""

_LARGE = 100_000
"""Bytes of a reply that is made into thousands of records."""

EXIT_LIMIT = 2.0
"""The longest that a target which was told to exit is waited for, in seconds."""


class Connection:
    """An open connection. Only ``opening`` makes one."""

    def __init__(self, stream: trio.abc.Stream, log: WireLog | None, peer: str = "") -> None:
        self.peer = peer or "the target"
        """The other side, in error messages."""
        self.id_sizes = IDSizes()
        """Sizes of the target's ids; to be set before the first reply with ids is looked at."""
        self.close_reason: str | None = None
        """The reason for its end, in words; None while it is open. The first reason is the one that stays."""
        self.hello: list[Pending[Any]] = []
        self.on_event: Callable[[Packet], bool] | None = None
        """Shown each event set as it comes in, before it is queued; returns True to keep it from the queue. It is
        called where packets are received: it must be quick, must not wait and must not raise. What it submits goes out
        with what else the packets that came together bring about."""
        self.carrier_ending: Callable[[], str] | None = None
        """Asked at the end how the program that carries the connection has failed; "" if it has not."""
        self.guard: ReadOnlyGuard | None = None
        """Asked about each command before it is encoded, in a read-only session."""
        self.audit: AuditLog | None = None
        """Told of each command before it leaves, and of its outcome."""
        self.recall: Recall | None = None
        """Remembers answers while nothing runs in the target; None asks each question again."""
        self.log = log
        """Told of every packet; may be set and taken away at any time."""
        self.recorder: Recorder | None = None
        """Told of every packet as bytes."""
        self._codec = default_codec()
        self._handling = self._decode_reply, self.undo  # once, not for each of thousands of commands
        self._stream = stream
        self._packets = PacketStream(stream, on_packet=self._dispatch, on_end=self._peer_ended)
        self._outstanding: dict[int, Pending[Any] | RawPending] = {}
        self._next_id = 1
        self._events = EventQueue(hold=self._hold_events, release=self._release_events)
        self._death = VmDeathWatch(self)
        self._decoded: tuple[Packet | None, Composite | None] = None, None  # the last event set that was looked at
        self._exiting = False
        self._closed = trio.Event()
        self._wave_began = 0.0
        self.slowest = 0.0
        """The longest that the target has taken for answers lately, in seconds; it fades with each further answer.
        Methods that were run do not count."""
        self._counts = dict.fromkeys(("commands", "replies", "events", "waves", "strays", "holds"), 0)

    # -- the beginning -------------------------------------------------------------------------------------------

    async def shake_hands(self, timeout: float, peer: str) -> None:
        """The handshake, with what was submitted so far in its segment. Raises ConnectError. wire: 1 trip."""
        await self._packets.shake_hands(timeout, peer)

    async def receive_until(self, done: Callable[[], bool]) -> None:
        """Send what was submitted and take in packets until ``done``: before ``run``, for what ``opening`` asks first.

        Raises ProtocolError, trio.BrokenResourceError, and EOFError when the peer has closed the stream.
        """
        await self._packets.exchange(done)

    async def run(self) -> None:
        """Receives and sends until the connection is over."""
        with trio.CancelScope(shield=True):  # it outlives a cancellation of what runs beside it
            async with open_nursery() as nursery:
                nursery.start_soon(self._death.run)
                await self._packets.run()
                nursery.cancel_scope.cancel()

    async def drop(self) -> None:
        """Close a connection that does not ``run``."""
        self._close(close_reason.BY_US)
        await trio.aclose_forcefully(self._stream)

    # -- commands ------------------------------------------------------------------------------------------------

    def submit(
        self, command: Command[R], *, on_reply: OnReply[R] | None = None, on_abandoned: OnAbandoned | None = None
    ) -> Pending[R]:
        """Queue a command and return the handle of its reply; everything queued goes out in one segment.

        ``on_reply`` is called with the reply, or the error in its place, before any later packet is looked at; it must
        not raise. It is not called for a command that was abandoned: for one that has left something behind
        ``on_abandoned`` is, in place of ``undo``. Raises Disconnected when the connection is over,
        ReadOnlyError for a command that may not leave, ProtocolError for one about null, at which the agent would end
        the VM.
        """
        if self.close_reason is not None:
            raise Disconnected(self.close_reason)
        if self.guard is not None:
            self.require_allowed(command)
        body = self._codec.encode(command, self.id_sizes)
        if command.COMMAND_SET in _NEVER_NULL and body.startswith(bytes(self.id_sizes.objectIDSize)):
            raise ProtocolError(f"{command.NAME} was to be sent for null (id 0), which would end the VM")
        if self.recall is not None and on_reply is None and (known := self.recall.find(command, body)) is not None:
            answered = Pending(command, *self._handling)
            answered.settle(known)
            return answered
        packet_id = self._new_id()
        if self.recall is not None:
            self.recall.sent(packet_id, command, body)
        if self.audit is not None:
            self.audit.sent(packet_id, command)
        data = encode_command(packet_id, command.COMMAND_SET, command.COMMAND, body)
        if self.recorder is not None:
            self.recorder.sent(packet_id, type(command), body)
        decode, undo = self._handling
        pending = Pending(command, decode, on_abandoned or undo, on_reply)
        counts = self._counts
        if not self._outstanding:
            counts["waves"] += 1
            self._wave_began = perf_counter()
        counts["commands"] += 1
        self._outstanding[packet_id] = pending
        if isinstance(command, event_request.Set):
            self._events.set_submitted(packet_id)
        if self.log is not None:
            pending.sent_at = self.log.sent(packet_id, command)
        self._packets.send(data)
        return pending

    def submit_raw(self, command: type[Command[Any]], body: bytes, answered: Callable[[int, bytes], None]) -> None:
        """Queue a command that only reads, given as the bytes of its body; ``answered`` as for ``RawPending``.

        Half as dear as ``submit``. Raises as that.
        """
        if self.close_reason is not None:
            raise Disconnected(self.close_reason)
        if command.COMMAND_SET in _NEVER_NULL and body.startswith(bytes(self.id_sizes.objectIDSize)):
            raise ProtocolError(f"{command.NAME} was to be sent for null (id 0), which would end the VM")
        packet_id = self._new_id()
        pending = RawPending(command, answered)
        counts = self._counts
        if not self._outstanding:
            counts["waves"] += 1
            self._wave_began = perf_counter()
        counts["commands"] += 1
        self._outstanding[packet_id] = pending
        if self.log is not None:
            pending.sent_at = self.log.sent(packet_id, self._codec.decode(command, body, self.id_sizes))
        if self.recorder is not None:
            self.recorder.sent(packet_id, command, body)
        self._packets.send(encode_command(packet_id, command.COMMAND_SET, command.COMMAND, body))

    def require_allowed(self, *commands: Command[Any] | type[Command[Any]]) -> None:
        """Raises ReadOnlyError for commands that ``submit`` would refuse: before others leave that lead to them."""
        if self.guard is None:
            return
        for command in commands:
            refusal = self.guard.refusal(command)
            if refusal is not None:
                raise refusal

    def allows(self, command: Command[Any] | type[Command[Any]]) -> bool:
        """True if ``submit`` would send the command."""
        return self.guard is None or self.guard.refusal(command) is None

    @property
    def corked(self) -> AbstractContextManager[None]:
        """Return what is submitted within ``with connection.corked``, which must not wait, goes out at its end in one
        segment: no task is woken to send it."""
        return self._packets.corked

    def flush(self) -> None:
        """Send what has been submitted now, instead of at the end of this turn: for what the target waits for."""
        self._packets.flush()

    async def request(self, command: Command[R]) -> R:
        """Submit one command and wait for its reply. Raises as ``Pending.wait``. wire: 1 trip."""
        with self.corked:
            pending = self.submit(command)
        if pending.done and self.recall is not None and self.recall.is_turn_due():
            await self.recall.give_turn()
        return await pending.wait()

    async def batch(self, commands: Sequence[Command[Any]]) -> list[Any]:
        """Submit all commands at once; give one outcome for each: the reply, or the JdwpError that came instead.

        Raises Disconnected or ProtocolError. Cancelled, it abandons all of them. wire: 1 trip.
        """
        return await self.gather(self.submit_all(commands))

    def submit_all(self, commands: Sequence[Command[Any]]) -> list[Pending[Any]]:
        """Submit all commands in one segment, which leaves now; the handles of their replies are for ``gather``.

        Raises Disconnected when the connection is over.
        """
        with self.corked:
            return [self.submit(command) for command in commands]

    async def gather(self, pendings: Sequence[Pending[Any]]) -> list[Any]:
        """Wait for commands that were submitted before; outcomes, errors and cancellation as in ``batch``."""
        try:
            await trio.lowlevel.checkpoint_if_cancelled()
            if self.recall is not None and self.recall.is_turn_due():
                await self.recall.give_turn()
            for pending in pendings:
                if not pending.done:
                    await pending.settled()
        except BaseException:
            for pending in pendings:
                pending.abandon()
            raise
        outcomes = []
        waiting = list(reversed(pendings))
        del pendings
        while waiting:  # each handle goes, with the reply that it keeps, as its outcome is taken
            outcomes.append(waiting.pop().outcome)
        for outcome in outcomes:
            if isinstance(outcome, JdbpyError) and not isinstance(outcome, JdwpError):
                raise outcome
        return outcomes

    def outstanding(self, *, without: Collection[type[Command[Any]]] = ()) -> list[int]:
        """Return the packet ids of the commands that were not answered yet, those of some classes left out."""
        return [
            number
            for number, pending in self._outstanding.items()
            if isinstance(pending, RawPending) or type(pending.command) not in without
        ]

    def receiving(self, least: int) -> tuple[int, int] | None:
        """Return (bytes that are here, bytes of all) of the packet that is coming in, if it has ``least`` or more."""
        packet = self._packets.incomplete()
        return packet if packet is not None and packet[1] >= least else None

    # -- events --------------------------------------------------------------------------------------------------

    @property
    def events_waiting(self) -> int:
        """Return how many event sets have come in and were not taken yet."""
        return len(self._events)

    @property
    def parking(self) -> bool:
        """True if event sets that come in now are kept back until a Set is answered: they may be of its request."""
        return self._events.parking

    async def next_event(self) -> Composite:
        """Return the next event set; they come in the order in which the target sent them.

        Raises Disconnected when the connection is over and all that came before its end has been taken. An event set
        that cannot be decoded ends the connection: nothing would resume what it has suspended, and the agent does so
        when the connection ends.
        """
        packet = await self._events.get()
        if packet is not None:
            try:
                return self.decode_event(packet)
            except ProtocolError as error:
                self._close(close_reason.not_jdwp(error))
        assert self.close_reason is not None
        raise Disconnected(self.close_reason)

    def decode_event(self, packet: Packet) -> Composite:
        """Return the event set of a packet that ``on_event`` was shown: the same one each time. Raises ProtocolError.

        A suspend policy that JDWP does not have counts as ALL: one resume of everything takes back whatever it did.
        """
        last, composite = self._decoded
        if composite is None or last is not packet:
            composite = self._codec.decode(Composite, packet.data, self.id_sizes)
            if composite.suspendPolicy > JdwpSuspendPolicy.ALL:
                composite = Composite(JdwpSuspendPolicy.ALL, composite.events)
            self._decoded = packet, composite
        return composite

    def packet_of(self, composite: Composite) -> Packet | None:
        """Return the packet of the event set that was decoded last; None for any other set."""
        packet, last = self._decoded
        return packet if last is composite else None

    def queue_event(self, packet: Packet) -> None:
        """Queue an event set that ``on_event`` has kept, behind those that are there by now."""
        self._events.put(packet)

    def hold_events(self) -> None:
        """Make the target keep its events to itself until the connection ends; an event already on its way still comes.

        What it keeps then is dropped, unsent, and what it would have suspended for those events is not suspended. The
        command goes out with what else is submitted in this turn.
        """
        self._events.hold_for_good()

    # -- the end -------------------------------------------------------------------------------------------------

    async def wait_closed(self) -> str:
        """Wait until the connection is over and say why."""
        await self._closed.wait()
        assert self.close_reason is not None
        return self.close_reason

    async def aclose(self) -> None:
        """Close the connection; commands that are still outstanding fail with Disconnected.

        Takes no more than a second or two, also when it is called in a cancelled scope. The agent in the target then
        drops all requests and resumes everything, unless the target has been asked to exit.
        """
        await self.end()
        await trio.lowlevel.checkpoint()

    @property
    def busy(self) -> float:
        """Seconds that were spent on packets where they come in: cutting them apart, and what ``on_event`` and
        ``on_reply`` do."""
        return self._packets.busy

    @property
    def round_trip(self) -> float:
        """Seconds that the handshake took: from when it was sent, whatever had to be loaded before."""
        return self._packets.round_trip

    def statistics(self) -> Statistics:
        """Return what has been sent and received so far."""
        return Statistics(bytes_in=self._packets.bytes_in, bytes_out=self._packets.bytes_out, **self._counts)

    def _close(self, reason: str) -> None:
        """End the connection for all who use it, at once; the first reason stays."""
        if self.close_reason is not None:
            return
        self.close_reason = reason
        if self.log is not None:
            self.log.note(f"closed: {reason}")
        self._packets.stop()
        outstanding, self._outstanding = self._outstanding, {}
        for packet_id, pending in outstanding.items():
            if self.audit is not None and isinstance(pending, Pending):
                self.audit.answered(packet_id, pending.command, f"no answer: {reason}")
            pending.settle(Disconnected(reason))  # to each its own: an error that is raised collects its traceback
        self._events.close()
        self._closed.set()

    async def end(self) -> None:
        """``aclose`` without a checkpoint, for a clean-up that must not be cancelled."""
        with trio.CancelScope(shield=True):
            if self._exiting:
                # When we close first, the agent resumes everything, and the program runs on for a moment.
                with trio.move_on_after(EXIT_LIMIT):
                    await self._closed.wait()
            self._close(close_reason.BY_US)
            await self._packets.wait_finished()

    def _peer_ended(self, reason: str) -> None:
        if self.close_reason is None:
            carrier = self.carrier_ending() if self.carrier_ending is not None else ""
            self._close(self._vm_ended() or carrier or reason)

    # -- packets -------------------------------------------------------------------------------------------------

    def _dispatch(self, packet: Packet) -> None:
        pending = self._outstanding.pop(packet.id, None) if packet.is_reply else None
        if self.log is not None:
            self.log.received(packet, self.id_sizes, pending)
        if self.recorder is not None:
            self.recorder.received(packet)
        if self.recall is not None:
            self.recall.received(packet)
        if isinstance(pending, RawPending):
            self._counts["replies"] += 1
            pending.settle(packet)
        elif pending is not None:
            self._counts["replies"] += 1
            if self.audit is not None:
                self.audit.answered(packet.id, pending.command, error_name(packet.error) if packet.error else "OK")
            if not self._outstanding and pending.command.NAME not in _INVOCATIONS:
                took = perf_counter() - self._wave_began
                self.slowest = took if took > self.slowest else self.slowest * _FADES
            pending.settle(packet)
            if type(pending.command) in _NOTABLE:
                self._after(packet, pending.command)
            if self._death.reported:
                self._death.answered(type(pending.command))
        elif (packet.command_set, packet.command) == (Composite.COMMAND_SET, Composite.COMMAND):
            self._counts["events"] += 1
            self._death.came_in(packet)
            if self.on_event is None or not self.on_event(packet):
                self._events.put(packet)
        else:  # a reply to nothing, or a command set of the peer's own: Android's agent sends such
            self._counts["strays"] += 1

    def _after(self, packet: Packet, command: Command[Any]) -> None:
        """Act on the reply to a notable command."""
        if isinstance(command, event_request.Set):
            self._events.set_answered(packet.id)
        elif packet.error == 0 and isinstance(command, virtual_machine.Dispose):
            self._close(close_reason.DISPOSED)
        elif packet.error == 0:
            self._exiting = True

    # -- helpers -------------------------------------------------------------------------------------------------

    def _new_id(self) -> int:
        """Return the next packet id: 32 bits, unlike that of any command which still waits for its reply."""
        packet_id = self._next_id
        while packet_id in self._outstanding:
            packet_id = packet_id + 1 & 0xFFFFFFFF
        self._next_id = packet_id + 1 & 0xFFFFFFFF
        return packet_id

    def _decode_reply(self, command: Command[Any], body: bytes) -> Any:
        try:
            if len(body) < _LARGE:
                reply = self._codec.decode_reply(type(command), body, self.id_sizes)
            else:
                with no_collection():
                    reply = self._codec.decode_reply(type(command), body, self.id_sizes)
        except ProtocolError as error:
            return error
        asked = _COUNTED.get(command.NAME)
        if asked is not None and len(reply.values) != len(getattr(command, asked)):
            count = len(getattr(command, asked))
            return ProtocolError(f"{command.NAME} reply: {len(reply.values)} values, where {count} were asked for")
        return reply

    def undo(self, command: Command[Any], reply: Any) -> None:
        """Take back what an abandoned command has left in the target."""
        undo = undoing(command, reply)
        if undo is not None and self.close_reason is None:
            self.submit(undo)

    def _hold_events(self) -> None:
        self._counts["holds"] += 1
        self._submit_if_open(virtual_machine.HoldEvents())

    def _release_events(self) -> None:
        self._submit_if_open(virtual_machine.ReleaseEvents())

    def _submit_if_open(self, command: Command[Any]) -> None:
        if self.close_reason is None:
            self.submit(command)

    def _vm_ended(self) -> str | None:
        """Return the reason when the target had said that it was going to end."""
        if self._exiting:
            return close_reason.EXITED
        return close_reason.VM_DEATH if self._death.reported else None

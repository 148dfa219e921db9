"""A connection that was captured, as packets: each taken apart, replies with what they answer.

Owns what one has to know of a whole connection to read a packet of it: where packets begin, who is the debugger, how
wide ids are, which command a reply answers, and of what types fields are. Bytes that were not captured, and such as are
no packets, end neither: the next packet is looked for at the beginning of a segment.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import jdbpy.wire.dissect as dissecting
from jdbpy.errors import ProtocolError
from jdbpy.record import Record
from jdbpy.session.model.packets import CapturedPacket, CaptureNote, PacketField, PacketMisfit
from jdbpy.session.packets.cutting import Cut, Cutter, Totals, Whole
from jdbpy.wire.codec import DEFAULT_SIZES, GeneratedCodec
from jdbpy.wire.command import Command, find_command
from jdbpy.wire.constants import CommandSet, error_name
from jdbpy.wire.dissect import HEADER, Dissection, Misfit, PacketPart
from jdbpy.wire.explain import explain_bytes
from jdbpy.wire.framing import HEADER_LENGTH, REPLY
from jdbpy.wire.ids import IDSizes
from jdbpy.wire.layout import check_sizes
from jdbpy.wire.messages import reference_type, virtual_machine

MOST_OPEN = 65_536
"""Commands of a connection that wait for their reply."""
_MOST_HELD, _MOST_HELD_BYTES = 64, 1024 * 1024
"""Packets, and bytes of them, that wait for the reply that tells how wide ids are."""
_MOST_FIELDS = 200_000

Item = CapturedPacket | CaptureNote
_FIELDS = {reference_type.Fields, reference_type.FieldsWithGeneric}


class Reading(Record):
    """How packets are to be read."""

    fields: int | None = None
    """How many fields of each are given; None for all."""
    raw: bool = False
    sizes: IDSizes | None = None


class _Open(Record):
    """A command without a reply yet: the packet's number, its class (None: not JDWP's), its name and time."""

    number: int
    command: type[Command[Any]] | None
    name: str
    time: float | None


class CapturedConversation:
    """The two directions, 0 and 1. ``feed`` it the bytes of each as they come, and ``end`` each direction.

    ``forced``: it counts as JDWP without a handshake.
    """

    def __init__(
        self, number: int, ends: tuple[str, str], reading: Reading, totals: Totals, *, forced: bool = False
    ) -> None:
        self.number = number
        self.ends = ends
        self.is_jdwp = False
        """True once there was a handshake, or packets where none is needed."""
        self.why_other = ""
        """Why it is no JDWP, once that is known."""
        self._reading = reading
        self._totals = totals
        self._forced = forced
        self._ways = [Cutter(totals, forced=forced), Cutter(totals, forced=forced)]
        self._debugger: int | None = None
        self._sizes = reading.sizes
        self._held: list[tuple[int, Whole]] = []
        self._open: list[dict[int, _Open]] = [{}, {}]
        self._tags: dict[int | None, int] = {}
        self._codec = GeneratedCodec()

    # -- what comes in ---------------------------------------------------------------------------------------------

    def feed(self, way: int, data: bytes, time: float | None) -> Iterator[Item]:
        """Take the bytes of a segment."""
        yield from self._cut(way, self._ways[way].feed(data, time), time)

    def lose(self, way: int, size: int, time: float | None) -> Iterator[Item]:
        """So many bytes of a direction were not captured."""
        yield from self._cut(way, self._ways[way].lose(size, time), time)

    def end(self, way: int, time: float | None) -> Iterator[Item]:
        """A direction has ended."""
        yield from self._cut(way, self._ways[way].end(), time)
        if self.is_jdwp and self.ended:
            yield from self._release()
            self._totals.unanswered += len(self._open[self._debugger or 0])
            yield self._note("ended", time, "the connection ends")

    def packet(self, way: int, data: bytes, offset: int, time: float | None) -> Iterator[Item]:
        """Take a packet that is known to be one; the debugger's direction is 0."""
        self._debugger, self.is_jdwp = 0, True
        yield from self._take(way, Whole(time, offset, data, len(data)))

    def note(self, kind: str, time: float | None, text: str) -> Iterator[Item]:
        """Put something between the packets that have come in and those that follow."""
        yield from self._release()
        yield self._note(kind, time, text)

    @property
    def ended(self) -> bool:
        """True if both directions have ended."""
        return all(each.ended for each in self._ways)

    def _cut(self, way: int, cuts: Iterator[Whole | Cut], time: float | None) -> Iterator[Item]:
        for each in cuts:
            if not self.is_jdwp:
                if isinstance(each, Cut) and each.kind != "handshake" and not self._forced:
                    self.why_other = self.why_other or each.text
                if self.why_other:
                    continue
                self.is_jdwp = True
                self._totals.connections += 1
                why = "" if each.kind == "handshake" else "; no handshake was captured"
                yield self._note("connection", time, f"{self.ends[0]} connects to {self.ends[1]}{why}")
            if isinstance(each, Whole):
                yield from self._take(way, each)
                continue
            yield from self._release() if each.kind != "handshake" else ()
            if each.kind == "handshake":
                if self._debugger is None:  # which speaks first
                    self._debugger = way
                yield self._note("handshake", time, f"handshake of the {self._sender(way)}")
            else:
                yield self._note(
                    "skipped" if each.kind == "other" else each.kind, time, f"{self._sender(way)}: {each.text}"
                )

    def _note(self, kind: str, time: float | None, text: str) -> CaptureNote:
        return CaptureNote(kind, self.number, time, text)

    def _sender(self, way: int) -> str:
        return "debugger" if way == self._debugger else "target"

    # -- packets ---------------------------------------------------------------------------------------------------

    def _take(self, way: int, whole: Whole) -> Iterator[Item]:
        """Take a packet apart, or hold it back while it is not known how wide ids are."""
        if self._debugger is None:
            self._debugger = way if _is_command_of_debugger(whole.data) else 1 - way
        if self._sizes is not None:
            yield self._read(way, whole)
            return
        self._held.append((way, whole))
        self._sizes = self._sizes_told(way, whole)
        many, large = len(self._held) >= _MOST_HELD, sum(len(each.data) for _, each in self._held) > _MOST_HELD_BYTES
        if self._sizes is not None or many or large:
            yield from self._release()

    def _sizes_told(self, way: int, whole: Whole) -> IDSizes | None:
        """Return how wide ids are, if a packet answers VirtualMachine.IDSizes among those that are held back."""
        head = HEADER.parse(whole.data)
        asked = virtual_machine.IDSizes.COMMAND_SET << 8 | virtual_machine.IDSizes.COMMAND
        if head.flags != REPLY or head.last or len(whole.data) < whole.length:
            return None
        for other, each in self._held:
            question = HEADER.parse(each.data)
            if other != way and not question.flags and (question.id, question.last) == (head.id, asked):
                return self._sizes_in(whole.data[HEADER_LENGTH:])
        return None

    def _sizes_in(self, body: bytes) -> IDSizes | None:
        """Return what a reply says of how wide ids are; None if it makes no sense, which is shown with the packet."""
        try:
            told = self._codec.decode_reply(virtual_machine.IDSizes, body)
            sizes = IDSizes(*(size for _, size in told.__iter_fields__()))
            check_sizes(sizes)
        except ProtocolError:
            return None
        return sizes

    def _release(self) -> Iterator[Item]:
        held, self._held = self._held, []
        if held:
            self._sizes = self._sizes or DEFAULT_SIZES
        for way, each in held:
            yield self._read(way, each)

    def _read(self, way: int, whole: Whole) -> CapturedPacket:
        totals = self._totals
        totals.packets += 1
        number = totals.packets
        head = HEADER.parse(whole.data)
        body = whole.data[HEADER_LENGTH:]
        if head.flags & REPLY:
            totals.replies += 1
            packet = self._reply(number, way, whole, head, body)
        else:
            packet = self._command(number, way, whole, head, body)
        if packet.misfit is not None:
            totals.misfits += 1
        return packet

    def _command(self, number: int, way: int, whole: Whole, head: Any, body: bytes) -> CapturedPacket:
        command_set, command = head.last >> 8, head.last & 0xFF
        known = find_command(command_set, command)
        name = known.NAME if known else _numbers(command_set, command)
        note = ""
        taken: Dissection | None = None
        if known is not None:
            taken = self._dissect(known, whole)
        elif (extension := dissecting.dissect_extension(command_set, command, body)) is not None:
            name, taken = extension
        else:
            note = "JDWP has no such command"
        by_target = way != self._debugger
        self._totals.events += by_target
        self._totals.commands += not by_target
        waiting = self._open[way]
        if len(waiting) >= MOST_OPEN:
            del waiting[next(iter(waiting))]
        waiting[head.id] = _Open(number, known, name, whole.time)
        kind = "event" if by_target and command_set == CommandSet.Event else "command"
        return self._packet(number, way, whole, head, kind, name, body, taken, note=note)

    def _reply(self, number: int, way: int, whole: Whole, head: Any, body: bytes) -> CapturedPacket:
        asked = self._open[1 - way].pop(head.id, None)
        since = None
        if asked is not None and asked.time is not None and whole.time is not None:
            since = (whole.time - asked.time) * 1000
        taken: Dissection | None = None
        note = "" if asked else "it answers no command that was captured"
        if head.last:
            taken = Dissection((), 0, (), None)
            if body:
                found = dissecting.found(body, 0)
                taken = taken.replace(misfit=Misfit("", 0, "no data behind an error", found))
        elif asked is not None and asked.command is not None:
            taken = self._dissect(asked.command.REPLY, whole)
            if taken.misfit is None and len(whole.data) == whole.length:
                self._learn(asked.command, body)
        packet = self._packet(number, way, whole, head, "reply", asked.name if asked else "", body, taken, note=note)
        error = error_name(head.last) if head.last else ""
        return packet.replace(error=head.last, error_name=error, answers=asked.number if asked else None, since=since)

    def _dissect(self, record: type[Record], whole: Whole) -> Dissection:
        most = self._reading.fields
        return dissecting.dissect(
            record,
            whole.data[HEADER_LENGTH:],
            self._sizes or DEFAULT_SIZES,
            tags=self._tags.get,
            most=dissecting.MOST_PARTS if most is None else most,
            missing=whole.length - len(whole.data),
        )

    def _learn(self, command: type[Command[Any]], body: bytes) -> None:
        """Remember what other packets are read by: how wide ids are, and the types of fields that are set."""
        if command is virtual_machine.IDSizes and self._reading.sizes is None:
            self._sizes = self._sizes_in(body) or self._sizes
        elif command in _FIELDS and len(self._tags) < _MOST_FIELDS:
            reply: Any = self._codec.decode_reply(command, body, self._sizes or DEFAULT_SIZES)
            self._tags.update((each.fieldID, ord(each.signature[0])) for each in reply.declared if each.signature)

    def _packet(
        self,
        number: int,
        way: int,
        whole: Whole,
        head: Any,
        kind: str,
        name: str,
        body: bytes,
        taken: Dissection | None,
        *,
        note: str = "",
    ) -> CapturedPacket:
        if taken is None:
            part = PacketPart("data", "bytes", 0, len(body), explain_bytes(body))
            taken = Dissection((part,) if body else (), 0, (), None)
        misfit = taken.misfit
        missing = whole.length - len(whole.data)
        if missing:
            cut = f"{len(whole.data):,} of its {whole.length:,} bytes: {whole.why_short}"
            note = f"{note}; {cut}" if note else cut
            self._totals.cut += 1
        return CapturedPacket(
            number,
            self.number,
            whole.time,
            self._sender(way),
            kind,
            head.id,
            name,
            offset=whole.offset,
            length=whole.length,
            fields=_fields(taken.parts),
            left_out=taken.left_out,
            last=_fields(taken.last),
            misfit=None
            if misfit is None
            else PacketMisfit(misfit.name, misfit.offset + HEADER_LENGTH, misfit.expected, misfit.found),
            note=note,
            missing=missing,
            data=whole.data if self._reading.raw else b"",
        )


def _fields(parts: Sequence[PacketPart]) -> tuple[PacketField, ...]:
    return tuple(PacketField(each.name, each.kind, each.offset + HEADER_LENGTH, each.size, each.text) for each in parts)


def _numbers(command_set: int, command: int) -> str:
    """Return the name of a command that JDWP does not have: what is known of its numbers."""
    known = CommandSet._value2member_map_.get(command_set)
    return f"{known.name if isinstance(known, CommandSet) else command_set}.{command}"


def _is_command_of_debugger(data: bytes) -> bool:
    head = HEADER.parse(data)
    return not head.flags & REPLY and head.last >> 8 in set(CommandSet) - {CommandSet.Event}

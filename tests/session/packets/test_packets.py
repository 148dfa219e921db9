"""Packets of sessions on real JVMs, out of captures and recordings; and of connections that a capture has in part."""

from __future__ import annotations

import io
import struct
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import jdbpy
from jdbpy import StateError, UsageError, packets
from jdbpy.session.packets import cutting
from jdbpy.wire.codec import GeneratedCodec
from jdbpy.wire.command import Command
from jdbpy.wire.constants import Tag
from jdbpy.wire.framing import REPLY, Packet, encode_packet
from jdbpy.wire.handshake import HANDSHAKE
from jdbpy.wire.ids import ClassID, FieldID, FieldValue, IDSizes, TaggedValue, ThreadID
from jdbpy.wire.messages import class_type, event, reference_type, thread_reference, virtual_machine
from tests.cli.process import jdbpy as run_jdbpy, script
from tests.harness import Jvm, program, start_target
from tests.harness.captures import Tcp, captured, frames_of, pcap, pcapng, segments_of
from tests.jdb.driving import drive, theirs

pytestmark = pytest.mark.one_java

SHOP = program("Shop")
CODEC = GeneratedCodec()
Chunk = tuple[int, bytes]


def read(path: Path, **options: Any) -> tuple[list[packets.CapturedPacket], list[packets.CaptureNote], Any]:
    """The packets of a file, what is between them, and the summary."""
    found = list(jdbpy.read_packets(str(path), **options))
    taken = [each for each in found if isinstance(each, packets.CapturedPacket)]
    notes = [each for each in found if isinstance(each, packets.CaptureNote)]
    assert isinstance(found[-1], packets.CaptureSummary)
    return taken, notes, found[-1]


def command(packet_id: int, made: Command[Any], sizes: IDSizes | None = None) -> bytes:
    kind = type(made)
    body = CODEC.encode(made, sizes or IDSizes())
    return encode_packet(Packet(packet_id, 0, kind.COMMAND_SET, kind.COMMAND, 0, body))


def reply(
    packet_id: int, made: Any = None, *, error: int = 0, sizes: IDSizes | None = None, data: bytes = b""
) -> bytes:
    body = CODEC.encode(made, sizes or IDSizes()) if made is not None else data
    return encode_packet(Packet(packet_id, REPLY, 0, 0, error, body))


HELLO: list[Chunk] = [(0, HANDSHAKE), (1, HANDSHAKE)]
ASKED = command(1, thread_reference.Name(ThreadID(7)))
ANSWERED = reply(1, thread_reference.NameReply("main"))


def capture(path: Path, chunks: Iterable[Chunk], tcp: Tcp | None = None) -> Path:
    file = path / "x.pcap"
    file.write_bytes(pcap(frames_of(segments_of(list(chunks), tcp))))
    return file


# -- sessions on real JVMs -------------------------------------------------------------------------------------------


async def test_a_capture_and_the_recording_of_a_session_have_the_same_packets(jvm: Jvm, tmp_path: Path) -> None:
    """Byte for byte, and the wire log of the session names the same commands."""
    lines = (
        f"break {SHOP.at('body')}",
        "cont",
        "locals",
        "set i = 1",
        "print lines[i].name",
        "where",
        "threads",
        "clear 1",
        "cont",
    )
    recorded, log, file = tmp_path / "one.jdbpy", tmp_path / "wire.log", tmp_path / "one.pcap"
    async with start_target(jvm, SHOP) as target, captured(target.address, file) as address:
        words = ("--record", str(recorded), "--wire-log", str(log), *script(*lines))
        done = await run_jdbpy("attach", address, *words)
        assert done.status == 0, done
    found, notes, summary = read(file, raw=True)
    assert [each.kind for each in notes] == ["connection", "handshake", "handshake", "ended"]
    assert (summary.misfits, summary.cut, summary.lost, summary.skipped) == (0, 0, 0, 0)
    assert summary.packets == summary.commands + summary.replies + summary.events == len(found)
    of_recording, said, _ = read(recorded, raw=True)
    assert [each.text for each in said if each.kind == "line"] == list(lines)
    for sender in ("debugger", "target"):
        theirs_ = [each.data for each in of_recording if each.sender == sender]
        assert [each.data for each in found if each.sender == sender] == theirs_
        assert all(each.misfit is None for each in of_recording)
    logged = Counter(line.split()[3] for line in log.read_text().splitlines() if line.split()[1] == "->")
    assert Counter(each.command for each in found if each.sender == "debugger") == logged
    for each in found:
        at = 11
        for field in each.fields if not each.left_out else ():
            assert field.offset == at
            at += field.size
        assert each.left_out or at == each.length, each
        if each.kind == "reply":
            assert each.answers is not None and each.since is not None and each.since >= 0
            assert found[each.answers - 1].command == each.command
    hit = next(each for each in found if each.kind == "event" and "Breakpoint (2)" in {f.value for f in each.fields})
    assert hit.command == "Event.Composite"


async def test_a_session_of_the_jdb_of_the_jdk(any_jvm: Jvm, tmp_path: Path) -> None:
    file = tmp_path / "one.pcap"
    async with start_target(any_jvm, SHOP) as target, captured(target.address, file) as address:
        lines = [
            f"stop at {SHOP.at('body')}",
            "~run",
            "locals",
            "where",
            "set i = 1",
            "threads",
            "~step",
            f"clear {SHOP.at('body')}",
        ]
        port = address.rpartition(":")[2]
        async with drive(theirs(any_jvm, "-attach", port), any_jvm) as driven:
            await driven.begin()
            answers = [(await driven.answer(line)).text for line in lines]
        assert any("Breakpoint hit" in each for each in answers), answers
    found, _, summary = read(file, fields=None)
    assert (summary.misfits, summary.skipped, summary.lost, summary.connections) == (0, 0, 0, 1)
    asked = {each.command for each in found if each.kind == "command"}
    assert {"VirtualMachine.IDSizes", "EventRequest.Set", "StackFrame.GetValues", "ThreadReference.Frames"} <= asked
    assert all(each.answers for each in found if each.kind == "reply")
    assert {"Breakpoint (2)", "SingleStep (1)"} <= {field.value for each in found for field in each.fields}


# -- what a capture has only in part ---------------------------------------------------------------------------------


def test_ids_are_as_wide_as_the_capture_says(tmp_path: Path) -> None:
    """Also for an event that comes before, as the start of a VM does."""
    narrow = IDSizes(4, 4, 4, 4, 4)
    start = command(0, event.Composite(2, [event.VMStart(0, ThreadID(1))]), narrow)
    told = reply(1, virtual_machine.IDSizesReply(4, 4, 4, 4, 4))
    chunks = [*HELLO, (1, start), (0, command(1, virtual_machine.IDSizes())), (1, told)]
    asked = (0, command(2, thread_reference.Name(ThreadID(7)), narrow))
    found, _, summary = read(capture(tmp_path, [*chunks, asked]))
    assert summary.misfits == 0
    assert [each.fields[-1].size for each in (found[0], found[-1])] == [4, 4]
    assert summary.unanswered == 1
    found, _, summary = read(capture(tmp_path, [*HELLO, (1, start), asked]))
    assert summary.misfits == 2  # 8 bytes are assumed
    for sizes in ([4], [4, 4, 4, 4, 4]):
        assert read(capture(tmp_path, [*HELLO, (1, start), asked]), id_sizes=sizes)[2].misfits == 0
    wrong = reply(1, virtual_machine.IDSizesReply(3, 4, 4, 4, 4))
    found, _, _ = read(capture(tmp_path, [*chunks[:-1], (1, wrong)]))
    assert [each.misfit for each in found[1:]] == [None, None] and found[-1].fields[0].value == "3"
    for given in ([3], [8, 8], [8, 8, 8, 8, 0]):
        with pytest.raises(UsageError, match="the sizes of ids cannot be"):
            read(capture(tmp_path, HELLO), id_sizes=given)


def test_a_capture_that_began_later_needs_the_port(tmp_path: Path) -> None:
    tcp = Tcp()
    segments = [(0, tcp.segment(0, ASKED)), (1, tcp.segment(1, ANSWERED[:15])), (1, tcp.segment(1, ANSWERED[15:]))]
    file = tmp_path / "x.pcap"
    file.write_bytes(pcap(frames_of(segments)))
    with pytest.raises(UsageError) as caught:
        read(file)
    assert "has no JDWP: 1 TCP connection without it" in caught.value.message and "--port" in caught.value.hint
    found, notes, _ = read(file, port=5005)
    assert [(each.command, each.sender, each.kind) for each in found] == [
        ("ThreadReference.Name", "debugger", "command"),
        ("ThreadReference.Name", "target", "reply"),
    ]
    assert "no handshake was captured" in notes[0].text
    tcp = Tcp()  # the rest of a packet comes first
    file.write_bytes(pcap(frames_of([(1, tcp.segment(1, ANSWERED[15:])), (1, tcp.segment(1, ANSWERED))])))
    found, notes, _ = read(file, port=5005)
    assert [each.kind for each in found] == ["reply"]


def test_what_was_lost_ends_nothing(tmp_path: Path) -> None:
    tcp = Tcp()
    segments = [*tcp.open(), *((side, tcp.segment(side, data)) for side, data in HELLO)]
    segments.append((0, tcp.segment(0, ASKED)))
    segments.append((1, tcp.segment(1, ANSWERED[:13])))
    tcp.segment(1, ANSWERED[13:17])  # never captured, within a packet: the next one begins where its length says
    segments.append((1, tcp.segment(1, ANSWERED[17:] + reply(2))))
    tcp.segment(0, bytes(50))  # a whole segment
    segments += [(0, tcp.segment(0, command(3, virtual_machine.Version()))), (1, tcp.segment(1)), *tcp.close()]
    file = tmp_path / "x.pcap"
    file.write_bytes(pcap(frames_of(segments)))
    found, notes, summary = read(file)
    assert [(each.id, each.kind, each.missing) for each in found] == [
        (1, "command", 0),
        (1, "reply", len(ANSWERED) - 13),
        (2, "reply", 0),
        (3, "command", 0),
    ]
    assert (summary.lost, summary.cut, summary.misfits) == (54, 1, 0)
    assert [each.text for each in notes if each.kind == "lost"] == [
        "target: 4 bytes were not captured",
        "debugger: 50 bytes were not captured",
    ]


def test_frames_that_were_cut(tmp_path: Path) -> None:
    long = reply(1, thread_reference.NameReply("m" * 500))
    again = [(0, command(2, thread_reference.Name(ThreadID(8)))), (1, reply(2, thread_reference.NameReply("x")))]
    frames = frames_of(segments_of([*HELLO, (0, ASKED), (1, long), *again]))
    file = tmp_path / "x.pcap"
    file.write_bytes(pcap(frames, most=90))
    found, _, summary = read(file)
    assert [each.missing for each in found] == [0, 515 - 36, 0, 0]
    assert "36 of its 515 bytes: the rest was not captured" in found[1].note
    assert (summary.misfits, found[3].answers) == (0, 3)


def test_what_is_no_packet_is_left_out_up_to_the_next(tmp_path: Path) -> None:
    garbage = b"HTTP/1.1 400 Bad Request\r\n\r\n"
    chunks = [
        *HELLO,
        (0, ASKED),
        (1, ANSWERED + garbage),
        (1, garbage),
        (1, reply(9)),
        (1, b"\0\0\0\x0b\0\0\0\7\x42\0\0"),
    ]
    found, notes, summary = read(capture(tmp_path, chunks))
    assert [each.id for each in found] == [1, 1, 9]
    skipped = [each.text for each in notes if each.kind == "skipped"]
    assert "expected the length of a packet, 11 to 536,870,912, found 1,213,486,160 (b'HTTP/1.1 400 Bad'" in skipped[0]
    assert f"{2 * len(garbage)} bytes left out" in skipped[1]
    assert "expected the flags of a packet, 0x00 (command) or 0x80 (reply), found 0x42" in skipped[2]
    assert summary.skipped == 2 * len(garbage) + 11


def test_a_target_that_does_not_answer_the_handshake(tmp_path: Path) -> None:
    _, notes, summary = read(capture(tmp_path, [(0, HANDSHAKE), (1, b"SSH-2.0-OpenSSH\r\n")]))
    assert "target: expected the handshake b'JDWP-Handshake', found b'SSH-2.0" in notes[2].text
    assert summary.connections == 1


def test_misfits_are_told_at_their_byte(tmp_path: Path) -> None:
    frames = reply(2, data=b"\0\0\0\1" + bytes(30))
    chunks = [*HELLO, (0, command(2, thread_reference.Frames(ThreadID(1)))), (1, frames)]
    chunks += [(0, command(3, thread_reference.Frames(ThreadID(1)))), (1, reply(3, error=13, data=b"xy"))]
    chunks += [(0, encode_packet(Packet(4, 0, 11, 99, 0, b"\1")))]
    chunks += [(1, encode_packet(Packet(5, 0, 199, 1, 0, b"HELO\0\0\0\1\0")))]
    found, _, summary = read(capture(tmp_path, chunks))
    short, refused = found[1], found[3]
    assert short.misfit == packets.PacketMisfit(
        "frames[0].location.index", 11 + 29, "a long of 8 bytes", "5 bytes: 00 00 00 00 00"
    )
    assert (refused.error, refused.error_name) == (13, "THREAD_NOT_SUSPENDED")
    assert refused.misfit == packets.PacketMisfit("", 11, "no data behind an error", "2 bytes: 78 79")
    assert (found[4].command, found[4].note) == ("ThreadReference.99", "JDWP has no such command")
    assert (found[5].command, found[5].sender) == ("DDM.Chunk", "target")
    assert summary.misfits == 2


def test_values_that_are_set_have_the_types_of_captured_declarations(tmp_path: Path) -> None:
    declared = reference_type.FieldsReply([reference_type.FieldInfo(FieldID(7), "n", "I", 0)])
    setting = command(2, class_type.SetValues(ClassID(1), [FieldValue(FieldID(7), TaggedValue(Tag.INT, 5))]))
    asked = [(0, command(1, reference_type.Fields(ClassID(1)))), (1, reply(1, declared))]
    found, _, _ = read(capture(tmp_path, [*HELLO, *asked, (0, setting)]))
    assert [each.value for each in found[-1].fields][-1] == "INT 5"
    found, _, _ = read(capture(tmp_path, [*HELLO, (0, setting)]))
    assert "were not captured" in found[-1].fields[-1].value


def test_several_connections_and_others_in_one_capture(tmp_path: Path) -> None:
    first, second, web = Tcp(client=1), Tcp(client=2), Tcp(client=3, server=80)
    mixed: list[Chunk] = []
    for pieces in zip(
        segments_of([*HELLO, (0, ASKED)], first),
        segments_of([*HELLO, (0, ASKED)], second),
        segments_of([(0, b"GET / HTTP/1.1\r\n\r\n"), (1, b"HTTP/1.1 200 OK\r\n\r\n"), (0, b"")], web),
        strict=True,
    ):
        mixed += pieces
    file = tmp_path / "x.pcapng"
    file.write_bytes(pcapng([*frames_of(mixed), b"\0" * 60]))
    found, _, summary = read(file)
    assert sorted((each.connection, each.id) for each in found) == [(1, 1), (2, 1)]
    assert (summary.connections, summary.unanswered) == (2, 2)
    [other] = summary.others
    assert other.startswith("127.0.0.1:3 to 127.0.0.2:80: expected the handshake")
    assert summary.unread == ("no TCP: 1",)


def test_a_long_packet_is_read_at_its_beginning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutting, "MOST_PACKET", 1000)
    long = reply(1, thread_reference.NameReply("m" * 5000))
    found, _, summary = read(capture(tmp_path, [*HELLO, (0, ASKED), (1, long[:700]), (1, long[700:] + reply(8))]))
    assert [(each.id, each.length) for each in found] == [(1, 19), (1, 5015), (8, 11)]
    assert found[1].missing and "the first are read" in found[1].note
    assert summary.skipped == 0


def test_what_is_begun_has_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cutting, "MOST_BEGUN", 1000)
    begun = struct.pack(">IIBH", 100_000, 1, REPLY, 0) + bytes(800)
    found, _, _ = read(capture(tmp_path, [*HELLO, (0, ASKED), (1, begun), (1, bytes(800)), (1, reply(8))]))
    assert [(each.id, each.missing > 0) for each in found] == [(1, False), (1, True), (8, False)]
    assert "too much is begun" in found[1].note


def test_a_damaged_capture_is_read_up_to_the_damage(tmp_path: Path) -> None:
    file = capture(tmp_path, [*HELLO, (0, ASKED), (1, ANSWERED)])
    whole = file.read_bytes()
    file.write_bytes(whole[: whole.index(ANSWERED) + 5])
    seen = []
    with pytest.raises(StateError, match="is damaged at byte"):
        for each in jdbpy.read_packets(str(file)):
            seen.append(type(each).__name__)
    assert seen.count("CapturedPacket") == 1


def test_other_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for content, message in (
        (b"", "is neither a capture nor a recording: it is empty"),
        (b"PK\3\4", "is neither a capture nor a recording: it begins with b'PK"),
        (pcap([]), "has no JDWP: no TCP data"),
    ):
        (tmp_path / "x").write_bytes(content)
        with pytest.raises(UsageError, match=message):
            read(tmp_path / "x")
    (tmp_path / "x").write_bytes(b"SQLite format 3\0" + bytes(500))
    with pytest.raises(StateError, match="is damaged"):
        read(tmp_path / "x")
    with pytest.raises(UsageError, match="cannot read"):
        read(tmp_path / "missing")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"SQLite format 3\0")))
    with pytest.raises(UsageError, match="a recording cannot be read from standard input"):
        list(jdbpy.read_packets("-"))

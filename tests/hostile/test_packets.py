"""Captures that lie: thousands of spoilt files are read to an end or refused in a sentence, in little memory."""

from __future__ import annotations

import json
import random
import struct
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

import jdbpy
from jdbpy.cli.output.json_lines import JsonRenderer
from jdbpy.cli.output.plain import plain_lines
from jdbpy.cli.output.shows import shown
from jdbpy.cli.packets import HELP
from jdbpy.cli.settings import Settings
from jdbpy.errors import JdbpyError
from jdbpy.wire.codec import GeneratedCodec
from jdbpy.wire.command import Command, Reply, all_commands
from jdbpy.wire.constants import EventKind, JdwpSuspendPolicy
from jdbpy.wire.framing import REPLY, Packet, encode_packet
from jdbpy.wire.handshake import HANDSHAKE
from jdbpy.wire.ids import ClassID, FieldID, IDSizes, ThreadID
from jdbpy.wire.messages import event, event_request, reference_type, thread_reference, virtual_machine
from tests.harness.captures import Tcp, ethernet, frames_of, ipv4, pcap, pcapng, segments_of

CODEC = GeneratedCodec()
HELLO = [(0, HANDSHAKE), (1, HANDSHAKE)]


def conversation() -> list[tuple[int, bytes]]:
    """Packets with all kinds of parts."""
    found = list(HELLO)
    asked: list[tuple[Command[Any], Reply]] = [
        (virtual_machine.IDSizes(), virtual_machine.IDSizesReply(8, 8, 8, 8, 8)),
        (thread_reference.Name(ThreadID(1)), thread_reference.NameReply("main\x1b[31m\u202e")),
        (
            event_request.Set(EventKind.SINGLE_STEP, JdwpSuspendPolicy.ALL, [event_request.Count(1)]),
            event_request.SetReply(7),
        ),
        (
            reference_type.Fields(ClassID(5)),
            reference_type.FieldsReply([reference_type.FieldInfo(FieldID(1), "n", "I", 0)]),
        ),
    ]
    for number, (made, answer) in enumerate(asked):
        kind = type(made)
        packet = Packet(number, 0, kind.COMMAND_SET, kind.COMMAND, 0, CODEC.encode(made, IDSizes()))
        found.append((0, encode_packet(packet)))
        found.append((1, encode_packet(Packet(number, REPLY, 0, 0, 0, CODEC.encode(answer, IDSizes())))))
    happened = CODEC.encode(event.Composite(2, [event.VMStart(0, ThreadID(1)), event.ThreadDeath(3, ThreadID(1))]))
    found.append((1, encode_packet(Packet(99, 0, 64, 100, 0, happened))))
    return found


def shown_whole(path: Path, **options: object) -> int:
    """Read a file as both front ends would show it; the number of lines."""
    lines = 0
    renderer = JsonRenderer()
    try:
        for each in jdbpy.read_packets(str(path), raw=True, **options):  # type: ignore[arg-type]
            text = "".join(plain_lines(shown(each, Settings())))
            assert text.isprintable(), ascii(text)
            if not isinstance(each, jdbpy.packets.CaptureSummary):
                json.loads(renderer.event(each), parse_constant=pytest.fail)
            lines += 1
    except JdbpyError as error:
        assert error.message and "\n" not in error.message
    return lines


@pytest.mark.parametrize("form", ["pcap", "pcapng"])
def test_spoilt_captures_are_read_to_an_end(tmp_path: Path, form: str) -> None:
    assert HELP
    frames = frames_of(segments_of(conversation()))
    whole = pcap(frames) if form == "pcap" else pcapng(frames)
    file = tmp_path / "x"
    chance = random.Random(43)
    read = 0
    for _ in range(150):
        spoilt = bytearray(whole)
        for _ in range(chance.choice((1, 1, 2, 5, 20))):
            at = chance.randrange(len(spoilt))
            change = chance.randrange(4)
            if change == 0:
                spoilt[at] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))
            elif change == 1:
                del spoilt[at : at + chance.randrange(1, 60)]
            elif change == 2:
                spoilt[at:at] = chance.randbytes(chance.randrange(1, 60))
            else:
                spoilt[at : at + 4] = struct.pack(">I", chance.choice((0, 0xFFFFFFFF, 0x7FFFFFFF, 1 << 16)))
        file.write_bytes(spoilt)
        read += shown_whole(file, port=5005)
    assert read > 150


def test_spoilt_packets_are_read_to_an_end(tmp_path: Path) -> None:
    """The frames are sound, what they carry is not: each command with bytes of any kind, and replies of any kind."""
    chance = random.Random(44)
    file = tmp_path / "x"
    for _ in range(20):
        chunks = conversation()
        for number, command in enumerate(all_commands()):
            body = chance.choice((b"", bytes(40), b"\0\0\0\1" * 12, b"\xff" * 30, chance.randbytes(60)))
            chunks.append((0, encode_packet(Packet(1000 + number, 0, command.COMMAND_SET, command.COMMAND, 0, body))))
            body = chance.choice((b"", bytes(40), b"\0\0\0\1" * 12, b"\xff" * 30, chance.randbytes(60)))
            error = chance.choice((0, 0, 0, 13, 65535))
            chunks.append((1, encode_packet(Packet(1000 + number, REPLY, 0, 0, error, body))))
        file.write_bytes(pcap(frames_of(segments_of(chunks))))
        lines = shown_whole(file)
        assert lines > 2 * len(all_commands())


def test_little_memory_is_taken(tmp_path: Path) -> None:
    """For sizes that are only claimed, for thousands of connections, and for segments of which one is missing."""
    tcp = Tcp()
    segments = [*tcp.open(), *((side, tcp.segment(side, data)) for side, data in HELLO)]
    claims = struct.pack(">IIBH", 0x1FFFFFFF, 1, REPLY, 0) + b"\x7f\xff\xff\xff"
    frames = frames_of([*segments, (1, tcp.segment(1, claims))])
    for port in range(1, 2000):
        other = Tcp(client=port)
        frames += [ethernet(side, ipv4(side, segment)) for side, segment in [*other.open()[:1]]]
        frames.append(ethernet(0, ipv4(0, other.segment(0, b"JDWP-Hand"))))
    late = Tcp(client=3000)
    frames += frames_of([*late.open(), *((side, late.segment(side, data)) for side, data in HELLO)])
    late.segment(0, b"never")
    for _ in range(1000):
        frames += frames_of([(0, late.segment(0, bytes(100)))])
        late.segment(0, b"x")
    file = tmp_path / "x"
    file.write_bytes(pcap(frames))
    tracemalloc.start()
    try:
        shown_whole(file)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 20 * 1024 * 1024

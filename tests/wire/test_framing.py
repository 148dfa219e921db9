"""Framing: whole, one byte at a time, with something behind, and what no packet can look like."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from jdbpy.errors import ProtocolError
from jdbpy.wire.framing import HEADER_LENGTH, MAX_LENGTH, REPLY, Framer, Packet, encode_command, encode_packet

CASES = [
    (Packet(1, 0, 1, 7, 0, b""), "0000000b 00000001 00 01 07"),
    (Packet(0xFFFFFFFF, 0, 64, 100, 0, b"\x02\x00"), "0000000d ffffffff 00 40 64 0200"),
    (Packet(7, REPLY, 0, 0, 0, b"abc"), "0000000e 00000007 80 0000 616263"),
    (Packet(8, REPLY, 0, 0, 502, b""), "0000000b 00000008 80 01f6"),
]

packets = st.builds(
    lambda packet_id, reply, high, low, data: (
        Packet(packet_id, REPLY, 0, 0, high << 8 | low, data) if reply else Packet(packet_id, 0, high, low, 0, data)
    ),
    st.integers(0, 0xFFFFFFFF),
    st.booleans(),
    st.integers(0, 255),
    st.integers(0, 255),
    st.binary(max_size=40),
)


def feed(framer: Framer, data: bytes) -> list[Packet]:
    framer.feed(data)
    return list(framer)


@pytest.mark.parametrize(("packet", "text"), CASES)
def test_packet_and_bytes(packet: Packet, text: str) -> None:
    data = bytes.fromhex(text)
    assert encode_packet(packet) == data

    framer = Framer()
    assert feed(framer, data) == [packet], "whole"
    assert framer.incomplete() is None

    framer = Framer()
    for index in range(len(data) - 1):
        assert feed(framer, data[index : index + 1]) == []
        here, whole = framer.incomplete() or (0, 0)
        assert here == index + 1
        assert whole == (len(data) if here >= HEADER_LENGTH else HEADER_LENGTH)
    assert feed(framer, data[-1:]) == [packet], "one byte at a time"

    framer = Framer()
    assert feed(framer, data + b"\0\0\0\x0b") == [packet], "something behind"
    assert framer.incomplete() == (4, HEADER_LENGTH)
    assert feed(framer, b"\0\0\0\x09\0\x02\x08") == [Packet(9, 0, 2, 8, 0, b"")]


def test_a_reply_is_told_by_its_flag() -> None:
    assert Packet(1, REPLY, 0, 0, 0, b"").is_reply
    assert not Packet(1, 0, 64, 100, 0, b"").is_reply


def test_encode_command() -> None:
    assert encode_command(3, 11, 6, b"xy") == encode_packet(Packet(3, 0, 11, 6, 0, b"xy"))


@given(st.lists(packets, max_size=8), st.lists(st.integers(1, 30), min_size=1))
def test_any_portions_give_the_same_packets(sent: list[Packet], portions: list[int]) -> None:
    data = b"".join(map(encode_packet, sent))
    framer, received, index = Framer(), [], 0
    while index < len(data):
        size = portions[index % len(portions)]
        received += feed(framer, data[index : index + size])
        index += size
    assert received == sent
    assert framer.incomplete() is None


def test_packets_keep_their_data_when_more_is_fed() -> None:
    framer = Framer()
    [first] = feed(framer, encode_packet(Packet(1, REPLY, 0, 0, 0, b"first")) + b"\0")
    feed(framer, encode_packet(Packet(2, REPLY, 0, 0, 0, b"second"))[1:])
    assert type(first.data) is bytes
    assert first.data == b"first"


@pytest.mark.parametrize("length", [0, 10, MAX_LENGTH + 1, 0xFFFFFFFF])
def test_impossible_length(length: int) -> None:
    framer = Framer()
    with pytest.raises(ProtocolError, match=f"a packet of {length} bytes"):
        feed(framer, length.to_bytes(4, "big"))


def test_text_is_refused_at_once() -> None:
    framer = Framer()
    with pytest.raises(ProtocolError, match=r"it begins b'HTTP/1\.1 400 Bad"):
        feed(framer, b"HTTP/1.1 400 Bad Request\r\n")


def test_longest_packet_is_a_limit_of_its_own() -> None:
    packet = Packet(1, REPLY, 0, 0, 0, b"x" * 20)
    assert feed(Framer(max_length=31), encode_packet(packet)) == [packet]
    with pytest.raises(ProtocolError, match="more than 30 are never sent"):
        feed(Framer(max_length=30), encode_packet(packet))


@pytest.mark.parametrize("flags", [0x01, 0x7F, 0x81, 0xFF])
def test_unknown_flags(flags: int) -> None:
    good = encode_packet(Packet(1, REPLY, 0, 0, 0, b""))
    framer = Framer()
    framer.feed(good + bytes.fromhex("0000000b 00000002") + bytes([flags, 0, 0]))
    received = iter(framer)
    assert next(received).id == 1, "what came before the fault is delivered"
    with pytest.raises(ProtocolError, match=f"flags 0x{flags:02x}"):
        next(received)

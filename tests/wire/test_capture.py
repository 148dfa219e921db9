"""Captures: both formats, in both byte orders, with each kind of link; streams of TCP put together; damaged files."""

from __future__ import annotations

import io
from collections.abc import Iterable

import pytest
from hypothesis import given, settings, strategies as st

from jdbpy.errors import StateError, UsageError
from jdbpy.wire.capture import streams as streams_module
from jdbpy.wire.capture.files import MOST_FRAME, CaptureFrame, is_capture, read_capture
from jdbpy.wire.capture.segments import NotTcp, TcpSegment, segment_of
from jdbpy.wire.capture.streams import TcpStreams
from tests.harness.captures import (
    ACK,
    LINKS,
    RST,
    SYN,
    Tcp,
    block,
    ethernet,
    frames_of,
    ipv4,
    ipv6,
    pcap,
    pcapng,
    raw,
    segments_of,
)

DATA = [(0, b"JDWP-Handshake"), (1, b"JDWP-Handshake"), (0, b"one"), (1, b"two"), (0, b"three")]


def read(data: bytes) -> list[CaptureFrame]:
    file = io.BytesIO(data)
    return list(read_capture(file, "x.pcap", file.read(4)))


def streams(frames: Iterable[bytes], link: int = 1) -> list[tuple[int, int, bytes, int]]:
    """Connection, sender's port, data and lost bytes of each piece that a capture of frames gives."""
    together = TcpStreams()
    found = []
    for frame in frames:
        found += list(together.feed(segment_of(CaptureFrame(0.0, link, frame, len(frame), 0))))
    found += list(together.flush())
    return [(each.connection, each.by.port, each.data, each.lost) for each in found if not each.ended]


def bytes_of(pieces: list[tuple[int, int, bytes, int]], port: int) -> bytes:
    """The bytes of a direction; what is lost is dots."""
    return b"".join(data + b"." * lost for _, by, data, lost in pieces if by == port)


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("nano", [False, True])
def test_pcap(order: str, nano: bool) -> None:
    frames = frames_of(segments_of(DATA))
    data = pcap(frames, order=order, nano=nano)
    assert is_capture(data[:4])
    found = read(data)
    assert [each.data for each in found] == frames
    assert [round((each.time or 0) - 1_700_000_000, 6) for each in found[:3]] == [0, 0.001, 0.002]
    assert found[0].offset == 24 and found[1].offset == 24 + 16 + len(frames[0])


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("kind", [6, 2, 3])
@pytest.mark.parametrize("resolution", [None, 9, 0x80 | 20])
def test_pcapng(order: str, kind: int, resolution: int | None) -> None:
    frames = frames_of(segments_of(DATA))
    data = pcapng(frames, order=order, kind=kind, resolution=resolution)
    found = read(data)
    assert [each.data for each in found] == frames
    if kind == 3:  # blocks without times
        assert {each.time for each in found} == {None}
    else:
        assert [round((each.time or 0) - 1_700_000_000, 5) for each in found[:2]] == [0, pytest.approx(0.001, abs=2e-6)]


def test_sections_of_either_order_follow_each_other() -> None:
    frames = frames_of(segments_of(DATA))
    found = read(pcapng(frames[:3]) + pcapng(frames[3:], order=">", link=1))
    assert [each.data for each in found] == frames


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("packet", [ipv4, ipv6])
def test_links(link: int, packet: object) -> None:
    make = ipv4 if packet is ipv4 else ipv6
    frames = [LINKS[link](side, make(side, segment)) for side, segment in segments_of(DATA)]
    found = streams(frames, link)
    assert bytes_of(found, 40_000) == b"JDWP-Handshakeonethree"
    assert bytes_of(found, 5005) == b"JDWP-Handshaketwo"


def test_what_stands_between_the_headers() -> None:
    [(side, segment)] = segments_of(DATA)[3:4]
    for frame in (
        ethernet(side, ipv4(side, segment), tags=2),
        ethernet(side, ipv6(side, segment, extension=True)),
        ethernet(side, ipv4(side, segment)) + bytes(6),  # filled up to the least size of a frame
        ethernet(side, ipv4(side, segment, length=0)),  # a network card was to cut it up
    ):
        found = segment_of(CaptureFrame(None, 1, frame, len(frame), 0))
        assert (found.data, str(found.by)[-6:], found.to.port) == (b"JDWP-Handshake", ":40000", 5005)


@pytest.mark.parametrize(
    ("frame", "link", "reason"),
    [
        (b"", 1, "no TCP"),
        (bytes(14), 1, "no TCP"),
        (ethernet(0, ipv4(0, bytes(20), protocol=17)), 1, "no TCP"),
        (ethernet(0, ipv4(0, Tcp().segment(0), fragment=0x2000)), 1, "a fragment of IP"),
        (raw(0, ipv4(0, b"short")), 101, "no TCP"),
        (b"\x99" * 60, 101, "no TCP"),
        (bytes(80), 147, "link type 147"),
    ],
)
def test_other_frames(frame: bytes, link: int, reason: str) -> None:
    with pytest.raises(NotTcp, match=reason):
        segment_of(CaptureFrame(None, link, frame, len(frame), 0))


@given(
    cuts=st.lists(st.integers(1, 30), max_size=20),
    shuffled=st.randoms(use_true_random=False),
    first=st.sampled_from([1000, 2**32 - 15]),
    again=st.lists(st.integers(0, 20), max_size=5),
)
@settings(deadline=None)
def test_segments_in_any_order_are_put_together(
    cuts: list[int], shuffled: object, first: int, again: list[int]
) -> None:
    """Also when some come twice, or overlap, and when sequence numbers begin again at 0."""
    text = bytes(range(65, 91)) * 12
    tcp = Tcp(sequences=(first, 0))
    opening = tcp.open()
    start = tcp.next[0]
    segments, at = [], 0
    for cut in [*cuts, len(text)]:
        piece = text[at : at + cut + 3]  # three bytes too many, which the next one has as well
        segments.append((0, tcp.segment(0, piece, sequence=(start + at) & 0xFFFFFFFF)))
        at = min(len(text), at + cut)
    segments += [segments[each % len(segments)] for each in again]
    shuffled.shuffle(segments)  # type: ignore[attr-defined]
    assert bytes_of(streams(frames_of([*opening, *segments])), 40_000) == text


def test_what_was_not_captured_is_told_when_it_was_acknowledged() -> None:
    tcp = Tcp()
    opening = tcp.open()
    tcp.segment(0, b"lost!")
    behind = (0, tcp.segment(0, b"behind"))
    found = streams(frames_of([*opening, behind]))
    assert found == [(1, 40_000, b"", 5), (1, 40_000, b"behind", 0)]  # at the end, for nobody knows
    together = TcpStreams()
    pieces = []
    for frame in frames_of([*opening, behind, (1, tcp.segment(1, b"ok"))]):
        pieces.append([(each.data, each.lost) for each in together.feed(_segment(frame))])
    assert pieces == [[], [], [], [], [(b"", 5), (b"behind", 0), (b"ok", 0)]]


def test_what_was_cut_off_is_lost() -> None:
    frames = frames_of(segments_of(DATA))
    cut = [CaptureFrame(0.0, 1, frame[:56], len(frame), 0) for frame in frames]
    together = TcpStreams()
    found = [(each.data, each.lost) for frame in cut for each in together.feed(segment_of(frame)) if not each.ended]
    assert found == [
        piece
        for data, lost in [(b"JD", 12), (b"JD", 12), (b"on", 1), (b"tw", 1), (b"th", 3)]
        for piece in ((data, 0), (b"", lost))
    ]


def _segment(frame: bytes) -> TcpSegment:
    return segment_of(CaptureFrame(0.0, 1, frame, len(frame), 0))


def test_a_port_that_is_used_again_is_another_connection() -> None:
    second = Tcp(sequences=(90_000, 70_000))
    found = streams(frames_of([*segments_of([(0, b"first")]), *segments_of([(0, b"second")], second)]))
    assert [(number, data) for number, _, data, _ in found] == [(1, b"first"), (2, b"second")]
    tcp = Tcp()
    segments = [*tcp.open(), (0, tcp.segment(0, b"first")), (1, tcp.segment(1, flags=RST | ACK))]
    again = Tcp(sequences=(90_000, 70_000))
    found = streams(frames_of([*segments, *again.open(), (0, again.segment(0, b"again"))]))
    assert [(number, data) for number, _, data, _ in found] == [(1, b"first"), (2, b"again")]


def test_a_capture_may_begin_amid_a_connection() -> None:
    tcp = Tcp()
    found = streams(frames_of([(0, tcp.segment(0, b"abc")), (1, tcp.segment(1, b"def")), (0, tcp.segment(0, b"ghi"))]))
    assert (bytes_of(found, 40_000), bytes_of(found, 5005)) == (b"abcghi", b"def")


def test_no_more_waits_than_there_is_room_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streams_module, "MOST_WAITING", 3)
    monkeypatch.setattr(streams_module, "MOST_CONNECTIONS", 4)
    tcp = Tcp()
    opening = tcp.open()
    tcp.segment(0, b"x")  # never captured
    behind = []
    for _ in range(6):
        behind.append((0, tcp.segment(0, b"ab")))
        tcp.segment(0, b"y")
    found = streams(frames_of([*opening, *behind]))
    assert bytes_of(found, 40_000) == b".ab.ab.ab.ab.ab.ab"
    together = TcpStreams()
    for port in range(1, 200):
        for frame in frames_of([(0, Tcp(client=port).segment(0, b"?", flags=SYN))]):
            list(together.feed(_segment(frame)))
    assert len(list(together.flush())) == 2 * 4


WHOLE = frames_of(segments_of(DATA))
HUGE = (MOST_FRAME + 1).to_bytes(4, "little")
DAMAGED = [
    (pcap(WHOLE)[:10], "the header of a pcap file has 20 bytes, and the file ends after 6 of them"),
    (pcap(WHOLE)[:-3], "a record has 54 bytes, and the file ends after 51 of them"),
    (pcap(WHOLE) + b"\0\0\0", "the header of a record has 16 bytes, and the file ends after 3 of them"),
    (pcap([]) + bytes(8) + HUGE + HUGE, "a record of 1,048,577 bytes; no frame has more than 1,048,576"),
    (pcapng(WHOLE)[:7], "the length of a section has 4 bytes, and the file ends after 3"),
    (pcapng(WHOLE)[:-4], "the length behind a block has 4 bytes, and the file ends after 0"),
    (pcapng([]) + block(6, bytes(20))[:-4] + b"\1\0\0\0", "a block of 32 bytes that says 1 at its end"),
    (pcapng([]) + b"\6\0\0\0\5\0\0\0", "a block of 5 bytes"),
    (pcapng([]) + b"\6\0\0\0\0\0\0\x7f" + bytes(16), "a block of 2,130,706,432 bytes; those with more than"),
    (pcapng([]) + block(6, b"\5\0\0\0" + bytes(16)), "names interface 5, and 1 are known"),
    (pcapng([]) + block(6, bytes(12) + b"\xff\0\0\0" + bytes(8)), "of type 6, is too short for what it says"),
    (b"\x0a\x0d\x0d\x0a\x1c\0\0\0" + bytes(20), "a section whose byte order is 00 00 00 00"),
]


@pytest.mark.parametrize(("data", "message"), DAMAGED)
def test_damaged_files(data: bytes, message: str) -> None:
    with pytest.raises(StateError) as caught:
        read(data)
    assert message in caught.value.message
    assert caught.value.message.startswith("the file x.pcap is damaged at byte ")


def test_other_files() -> None:
    with pytest.raises(UsageError, match=r"x\.pcap is not a capture"):
        read(b"%PDF-1.7")


def test_acknowledgments_alone_tell_nothing() -> None:
    tcp = Tcp()
    opening = tcp.open()
    found = streams(frames_of([*opening, (0, tcp.segment(0, flags=ACK)), (1, tcp.segment(1, flags=ACK))]))
    assert found == []

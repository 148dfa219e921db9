"""`jdbpy packets`: text, bytes beside it, JSON, errors and exit status."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import trio

from jdbpy.cli.packets import PacketsLine, parse_packets
from jdbpy.errors import UsageError
from jdbpy.wire.framing import REPLY, Packet, encode_packet
from jdbpy.wire.handshake import HANDSHAKE
from jdbpy.wire.messages import thread_reference
from tests.cli.json_check import check
from tests.cli.process import command, environment, jdbpy
from tests.harness import LIMIT, within
from tests.harness.captures import frames_of, pcap, segments_of
from tests.harness.processes import piped

ASKED = encode_packet(
    Packet(1, 0, *(thread_reference.Frames.COMMAND_SET, thread_reference.Frames.COMMAND), 0, bytes(16))
)
SHORT = encode_packet(Packet(1, REPLY, 0, 0, 0, b"\0\0\0\1" + bytes(30)))
SOUND = encode_packet(Packet(1, REPLY, 0, 0, 0, b"\0\0\0\1" + bytes(33)))
HELLO = [(0, HANDSHAKE), (1, HANDSHAKE), (0, ASKED)]

TEXT = """\
times are seconds since 2023-11-14 22:13:20.003000 UTC
-  0.000000  connection 1: 127.0.0.1:40000 connects to 127.0.0.2:5005
-  0.000000  connection 1: handshake of the debugger
-  0.001000  connection 1: handshake of the target
1  0.002000  debugger  ThreadReference.Frames  (1) id 1, 27 bytes at 14
    0x0b  thread      objectID  0
    0x13  startFrame  int       0
    0x17  length      int       0
2  0.003000  target  reply to 1 ThreadReference.Frames  after 1.000 ms  (1) id 1, 45 bytes at 14
    0x0b  frames                       count            1
    0x0f  frames[0].frameID            frameID          0x0
    0x17  frames[0].location.typeTag   byte             0
    0x18  frames[0].location.classID   referenceTypeID  0
    0x20  frames[0].location.methodID  methodID         0x0
    does not fit at 0x28 frames[0].location.index: expected a long of 8 bytes, found 5 bytes: 00 00 00 00 00
-  0.005000  connection 1: the connection ends
2 packets: 1 command, 1 reply, 0 event packets
1 packet with what does not fit
"""

RAW = """\
    0x00  00 00 00 1b              length                 27
    0x04  00 00 00 01              id                     1
    0x08  00                       flags                  0x00
    0x09  0b                       command set            11
    0x0a  06                       command                6
    0x0b  00 00 00 00 00 00 00 00  thread       objectID  0
    0x13  00 00 00 00              startFrame   int       0
    0x17  00 00 00 00              length       int       0
"""


def capture(path: Path, last: bytes = SHORT, *, cut: int = 0) -> str:
    file = path / "x.pcap"
    data = pcap(frames_of(segments_of([*HELLO, (1, last)])))
    file.write_bytes(data[: len(data) - cut])
    return str(file)


async def test_text(tmp_path: Path) -> None:
    done = await jdbpy("packets", capture(tmp_path))
    assert (done.status, done.out, done.err) == (1, TEXT, "")
    done = await jdbpy("packets", capture(tmp_path, SOUND))
    assert (done.status, done.out.splitlines()[-1]) == (0, "2 packets: 1 command, 1 reply, 0 event packets")


async def test_bytes_beside_the_fields(tmp_path: Path) -> None:
    done = await jdbpy("packets", "--raw", capture(tmp_path))
    assert RAW in done.out
    rest = done.out[done.out.index("    0x28") :].split("\n")
    assert (rest[0].rstrip(), rest[1].startswith("    does not fit at 0x28")) == ("    0x28  00 00 00 00 00", True)


async def test_json(tmp_path: Path) -> None:
    done = await jdbpy("packets", "--json", "--raw", capture(tmp_path))
    assert done.status == 1
    *events, result = done.objects
    packets = [each["data"] for each in events if each["event"] == "packet"]
    assert [each["data"]["kind"] for each in events if each["event"] == "packet-note"][:2] == [
        "connection",
        "handshake",
    ]
    assert packets[0]["data"] == ASKED.hex()
    assert (packets[1]["answers"], packets[1]["misfit"]["offset"]) == (1, 0x28)
    assert (result["command"], result["data"]["misfits"]) == ("packets", 1)
    check(result["data"], "packets")
    done = await jdbpy("packets", "--json", str(tmp_path / "missing"))
    assert (done.status, done.objects[0]["error"]["code"]) == (1, "FILE")


async def test_a_capture_that_is_going_on_is_shown_as_it_comes() -> None:
    data = pcap(frames_of(segments_of([*HELLO, (1, SOUND)])))
    end = data.index(ASKED) + len(ASKED)
    async with piped(command("packets", "--id-sizes", "8", "-"), env=environment(None)) as process:
        assert process.stdin is not None and process.stdout is not None
        await process.stdin.send_all(data[:end])
        shown = b""
        with within(LIMIT):
            while b"startFrame" not in shown:
                shown += await process.stdout.receive_some()
            await process.stdin.send_all(data[end:])
            await process.stdin.aclose()
            while more := await process.stdout.receive_some():
                shown += more
    assert b"1 command, 1 reply" in shown


async def test_all_fields(tmp_path: Path) -> None:
    many = encode_packet(Packet(1, REPLY, 0, 0, 0, (50).to_bytes(4, "big") + bytes(33 * 50)))
    file = capture(tmp_path, many)
    done = await jdbpy("packets", file)
    assert "... 187 fields more: --all shows all" in done.out and "frames[49]" not in done.out
    done = await jdbpy("packets", "--all", file)
    assert "frames[49].location.index" in done.out and "more" not in done.out


async def test_errors(tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_bytes(b"PK\3\4")
    done = await jdbpy("packets", str(other))
    assert (done.status, done.out) == (1, "")
    assert "is neither a capture nor a recording: it begins with b'PK" in done.err and "tcpdump" in done.err
    done = await jdbpy("packets", capture(tmp_path, SOUND, cut=200))
    assert done.status == 1 and "ThreadReference.Frames" in done.out and "is damaged at byte" in done.err
    done = await jdbpy("packets", "--frobnicate", "x")
    assert (done.status, "no such option: --frobnicate" in done.err) == (2, True)
    done = await jdbpy("packets", "--help")
    assert (done.status, done.out.startswith("usage: jdbpy packets FILE|-")) == (0, True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "packets needs one file"),
        (["a", "b"], "packets needs one file"),
        (["a", "--port"], "--port needs a value"),
        (["a", "--port", "x"], "--port needs the number of a port, not 'x'"),
        (["a", "--port=0"], "--port needs the number of a port, 1 to 65535, not '0'"),
        (["a", "--port", "5005,5006"], "--port needs the number of a port, 1 to 65535, not '5005,5006'"),
        (["a", "--id-sizes", "8,x"], "--id-sizes needs numbers of bytes, not '8,x'"),
        (["a", "--color", "red"], "--color is auto, always or never, not 'red'"),
        (["a", "--raw=1"], "no such option: --raw=1"),
    ],
)
def test_wrong_words(words: list[str], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_packets(words)
    assert message in caught.value.message


def test_words() -> None:
    assert parse_packets(["--raw", "-", "--port=5005", "--id-sizes", "8,4,8,8,8", "--all", "--json"]) == PacketsLine(
        "-", raw=True, all=True, json=True, port=5005, id_sizes=(8, 4, 8, 8, 8)
    )
    assert parse_packets(["x", "--help"]).file == ""


async def test_without_other_parts(tmp_path: Path) -> None:
    """It starts as quickly as what needs no session: the event loop is not loaded for it."""
    code = "import sys; from jdbpy.cli.main import main; main(sys.argv[1:]); print('prompt_toolkit' in sys.modules)"
    done = await trio.run_process(
        [sys.executable, "-c", code, "packets", capture(tmp_path)], capture_stdout=True, env=environment(None)
    )
    assert done.stdout.endswith(b"False\n")

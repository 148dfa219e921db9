"""The handshake: every way in which a peer can fail it has its sentence, in bounded time."""

from __future__ import annotations

import socket

import pytest
import trio
from trio.testing import MockClock, memory_stream_pair

from jdbpy.errors import ConnectError
from jdbpy.wire.handshake import HANDSHAKE, Handshake, shake_hands
from jdbpy.wire.opening import open_connection
from tests.harness import LIMIT


def test_echo_in_any_portions() -> None:
    assert Handshake().feed(HANDSHAKE) == b""
    assert Handshake().feed(HANDSHAKE + b"more") == b"more"
    handshake = Handshake()
    for byte in HANDSHAKE[:-1]:
        assert handshake.feed(bytes([byte])) is None
    assert handshake.feed(HANDSHAKE[-1:] + b"more") == b"more"


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (
            b"SSH-2.0-OpenSSH_9.2\r\n",
            r"peer:1 is not a debug port: it answered 'SSH-2\.0-OpenSSH_9\.2\\r\\n' instead of",
        ),
        (b"HTTP/1.1 400 Bad Request\r\n", "peer:1 is a web server, not the debug port of a JVM"),
        (b"\x15\x03\x01\x00\x02", "peer:1 speaks TLS, not JDWP"),
        (b"JDWP-handshake", "it answered 'JDWP-handshake' instead"),
        (b"\x1b[31m\xff" + b"a" * 100, r"it answered '\\x1b\[31m\\xffa{34}'\.\.\. instead"),
        (b"JDXP", "it answered 'JDXP' instead"),
    ],
)
def test_wrong_bytes(answer: bytes, sentence: str) -> None:
    with pytest.raises(ConnectError, match=sentence) as caught:
        Handshake("peer:1").feed(answer)
    assert "Listening for transport dt_socket at address" in caught.value.hint


async def test_commands_ride_in_the_segment_of_the_handshake() -> None:
    ours, theirs = memory_stream_pair()
    async with trio.open_nursery() as nursery:

        async def target() -> None:
            # one receive: a memory stream hands over all that was sent in one piece
            assert await theirs.receive_some() == HANDSHAKE + b"first"
            await theirs.send_all(HANDSHAKE + b"answer")

        nursery.start_soon(target)
        assert await shake_hands(ours, b"first", timeout=LIMIT, peer="") == b"answer"


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        (b"", "peer:1 accepted the connection but did not answer the JDWP handshake within 5 seconds"),
        (b"JDWP-", r"peer:1 did not complete the JDWP handshake within 5 seconds \(it sent 'JDWP-'\)"),
    ],
)
async def test_silence(sent: bytes, sentence: str, autojump_clock: MockClock) -> None:
    ours, theirs = memory_stream_pair()
    await theirs.send_all(sent)
    with pytest.raises(ConnectError, match=sentence) as caught:
        await shake_hands(ours, b"", timeout=5, peer="peer:1")
    assert "-agentlib:jdwp" in caught.value.hint
    assert trio.current_time() == pytest.approx(5, abs=0.1)


async def test_a_peer_that_does_not_even_read(autojump_clock: MockClock) -> None:
    ours, _theirs = trio.testing.lockstep_stream_pair()
    with pytest.raises(ConnectError, match="did not answer the JDWP handshake within 5 seconds"):
        await shake_hands(ours, b"", timeout=5, peer="peer:1")


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        (b"", "peer:1 closed the connection without a JDWP handshake"),
        (b"JDWP", r"peer:1 closed the connection in the middle of the JDWP handshake \(it sent 'JDWP'\)"),
    ],
)
async def test_close(sent: bytes, sentence: str) -> None:
    ours, theirs = memory_stream_pair()
    await theirs.send_all(sent)
    await theirs.send_eof()
    with pytest.raises(ConnectError, match=sentence) as caught:
        await shake_hands(ours, b"", timeout=LIMIT, peer="peer:1")
    assert "one debugger at a time" in caught.value.hint


async def test_broken_connection() -> None:
    ours, theirs = memory_stream_pair()
    await theirs.aclose()
    with pytest.raises(ConnectError, match="peer:1 broke off the connection without a JDWP handshake"):
        await shake_hands(ours, b"", timeout=LIMIT, peer="peer:1")


async def test_the_system_watches_for_peers_that_vanish() -> None:
    [listener] = await trio.open_tcp_listeners(0, host="127.0.0.1")
    async with listener, trio.open_nursery() as nursery:
        stream = await trio.open_tcp_stream("127.0.0.1", listener.socket.getsockname()[1])
        async with await listener.accept() as target:
            nursery.start_soon(target.send_all, HANDSHAKE)
            async with open_connection(stream):
                assert stream.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
                assert stream.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) == 30
                assert stream.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 1

"""The handshake: 14 bytes there and the same 14 back, and a clear sentence for every way in which a greeting fails.

Owns the first bytes of a connection, and the words for a peer that fails at the first commands. The debugger speaks
first, also when the JVM opened the connection (specification, "JDWP Handshake"; dt_socket/socketTransport.c).
``Handshake`` is sans-IO; ``shake_hands`` runs it over a stream.
"""

from __future__ import annotations

import trio

from jdbpy.errors import ConnectError, ProtocolError

HANDSHAKE = b"JDWP-Handshake"

_NOT_A_DEBUG_PORT = (
    "use the port that the JVM prints as 'Listening for transport dt_socket at address: PORT' "
    "when it is started with -agentlib:jdwp=transport=dt_socket,server=y,address=PORT"
)
_ONE_DEBUGGER = (
    "a JVM takes one debugger at a time and only from addresses in its allow= list; "
    "behind a tunnel (ssh -L, kubectl port-forward) make sure that the JVM listens at the far end"
)


_NO_AGENT = "another program may be listening there: " + _NOT_A_DEBUG_PORT
_STALLED = (
    "the JVM may be stopped (SIGSTOP, a container that is paused), out of memory or very busy; "
    "if no JVM is there, " + _NOT_A_DEBUG_PORT
)


def greeting_failure(peer: str, at: str, error: BaseException) -> ConnectError | None:
    """Return the error for a peer that shook hands and then failed; None if ``error`` is none of the peer's.

    ``at`` is the command that was not answered.
    """
    match error:
        case trio.TooSlowError():
            return ConnectError(f"{peer} shook hands, then stopped answering at {at}", hint=_STALLED)
        case EOFError():
            return ConnectError(f"{peer} shook hands, then closed the connection at {at}", hint=_ONE_DEBUGGER)
        case trio.BrokenResourceError():
            return ConnectError(f"{peer} shook hands, then broke off the connection at {at}", hint=_ONE_DEBUGGER)
        case ProtocolError():
            return not_an_agent(peer, error.message)
    return None


def not_an_agent(peer: str, reason: str) -> ConnectError:
    """Return the error for a peer that shook hands and cannot be debugged, for a reason."""
    return ConnectError(f"{peer} is not a debugger agent: it shook hands, then failed ({reason})", hint=_NO_AGENT)


async def shake_hands(stream: trio.abc.Stream, first: bytes, *, timeout: float, peer: str) -> bytes:
    """Send the handshake with ``first`` (commands) in the same segment and await the echo for ``timeout`` seconds.

    HotSpot reads exactly the handshake, then takes up the commands. Returns what came behind the echo; raises
    ConnectError.
    """
    handshake = Handshake(peer)
    try:
        with trio.fail_after(timeout):
            await stream.send_all(HANDSHAKE + first)
            while True:
                data = await stream.receive_some()
                if not data:
                    raise handshake.closed()
                rest = handshake.feed(data)
                if rest is not None:
                    return rest
    except trio.TooSlowError:
        raise handshake.silent(timeout) from None
    except trio.BrokenResourceError as error:
        raise handshake.closed("broke off the connection") from error


class HungUp(ConnectError):
    """The peer closed the connection before it had sent a byte: it may have waited too long for the handshake."""


class Handshake:
    """The received part of the peer's echo. ``peer`` names the other side in error messages ("127.0.0.1:5005")."""

    def __init__(self, peer: str = "") -> None:
        self._peer = peer or "the peer"
        self._received = b""

    def feed(self, data: bytes | bytearray) -> bytes | None:
        """Take bytes from the peer; return those behind the echo once it is complete, None before that.

        Raises ConnectError when they are not the echo.
        """
        self._received += data
        if self._received[: len(HANDSHAKE)] != HANDSHAKE[: len(self._received)]:
            raise self._wrong_bytes()
        return self._received[len(HANDSHAKE) :] if len(self._received) >= len(HANDSHAKE) else None

    def closed(self, how: str = "closed the connection") -> ConnectError:
        """Return the error for a peer that went away instead of answering; ``how`` is the verb of the sentence."""
        if self._received:
            return self._error(f"{self._peer} {how} in the middle of the JDWP handshake{self._so_far()}", _ONE_DEBUGGER)
        return HungUp(f"{self._peer} {how} without a JDWP handshake", hint=_ONE_DEBUGGER)

    def silent(self, seconds: float) -> ConnectError:
        """Return the error for a peer that did not complete the echo within ``seconds``."""
        if self._received:
            return self._error(
                f"{self._peer} did not complete the JDWP handshake within {_seconds(seconds)}{self._so_far()}",
                _NOT_A_DEBUG_PORT,
            )
        return self._error(
            f"{self._peer} accepted the connection but did not answer the JDWP handshake within {_seconds(seconds)}",
            "it may not be a debug port, or a JVM that is stopped or very busy; " + _NOT_A_DEBUG_PORT,
        )

    def _wrong_bytes(self) -> ConnectError:
        if self._received.startswith(b"HTTP/"):
            return self._error(f"{self._peer} is a web server, not the debug port of a JVM", _NOT_A_DEBUG_PORT)
        if self._received.startswith((b"\x15\x03", b"\x16\x03")):
            return self._error(f"{self._peer} speaks TLS, not JDWP", _NOT_A_DEBUG_PORT)
        return self._error(
            f"{self._peer} is not a debug port: it answered {_shown(self._received)} instead of the JDWP handshake",
            _NOT_A_DEBUG_PORT,
        )

    def _so_far(self) -> str:
        return f" (it sent {_shown(self._received)})"

    @staticmethod
    def _error(message: str, hint: str) -> ConnectError:
        return ConnectError(message, hint=hint)


def _seconds(seconds: float) -> str:
    """Return a limit as text: what is left of one that began a moment ago is shown as the whole."""
    return f"{round(seconds, 1) or seconds:g} seconds"


def _shown(data: bytes, limit: int = 40) -> str:
    """Return the first bytes of ``data`` as a quoted string without control characters."""
    return repr(data[:limit])[1:] + ("..." if len(data) > limit else "")

"""HotSpot's attach mechanism: what a running JVM of this machine says of its agent.

The socket ``.java_pidN`` in the temporary directory of the JVM; its listener is woken by a signal where it sleeps. A
JVM that is held, by a debugger or at its start, cannot answer.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import struct
import time
from contextlib import suppress
from pathlib import Path

ANSWER_LIMIT = 5.0
"""Seconds a JVM may take to answer; it takes milliseconds, and none at all while it is held."""

_PROPERTY = re.compile(r"^sun\.jdwp\.listenerAddress=(\w+)\\:(.+)$", re.MULTILINE)
_MOST_BYTES = 1024 * 1024
_CREDENTIALS = struct.Struct("3i")


def listener_address(place: str) -> str:
    """Return where the agent of a JVM listens, ``[HOST:]PORT``; "" if it does not, or not on a socket.

    ``place`` is the directory of its process in /proc. Raises OSError when the JVM cannot be asked.
    """
    found = _PROPERTY.search(_agent_properties(Path(place)))
    return found[2].strip().replace("\\:", ":") if found is not None and found[1] == "dt_socket" else ""


def _agent_properties(directory: Path) -> str:
    """Return the answer of the attach listener to ``agentProperties``. Raises OSError."""
    status = dict(line.split(":\t", 1) for line in (directory / "status").read_text().splitlines() if ":\t" in line)
    inner = status.get("NSpid", directory.name).split()[-1]  # its id in its own container
    path = directory / "root/tmp" / f".java_pid{inner}"
    deadline = time.monotonic() + ANSWER_LIMIT
    if not path.is_socket():
        _wake(directory, status, inner, path, deadline)
    with socket.socket(socket.AF_UNIX) as stream:
        stream.settimeout(max(deadline - time.monotonic(), 0.1))
        stream.connect(str(path))
        process, _, _ = _CREDENTIALS.unpack(stream.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size))
        if process != int(directory.name):
            raise OSError("another process listens at its attach socket")
        stream.sendall(b"1\0agentProperties\0\0\0\0")
        answer = b""
        while len(answer) < _MOST_BYTES and (more := stream.recv(8192)):
            answer += more
        return answer.decode(errors="replace")


def _wake(directory: Path, status: dict[str, str], inner: str, path: Path, deadline: float) -> None:
    """Have the JVM make its socket. Raises OSError."""
    if not int(status["SigCgt"], 16) & 1 << signal.SIGQUIT - 1:
        raise OSError("it has no attach mechanism")  # the signal would end it
    request = _request(directory, inner)
    try:
        os.kill(int(directory.name), signal.SIGQUIT)
        while not path.is_socket():
            if time.monotonic() > deadline:
                raise OSError(f"it does not answer within {ANSWER_LIMIT:g} seconds")
            time.sleep(0.01)  # HotSpot gives no other sign
    finally:
        request.unlink(missing_ok=True)


def _request(directory: Path, inner: str) -> Path:
    """Make the file that tells the JVM that the signal is meant for its attach mechanism. Raises OSError."""
    here, there = (directory / each / f".attach_pid{inner}" for each in ("cwd", "root/tmp"))
    with suppress(OSError):
        return _made(here)
    return _made(there)


def _made(file: Path) -> Path:
    os.close(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600))  # the directory may be anyone's
    return file

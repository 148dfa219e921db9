"""The address of the debugger agent of a local process: for attaching by process id.

/proc tells it of a JVM that was given an address on its command line. Any other one (options from a variable or a file,
a port of the agent's own choice) is asked as JDI's connector asks it: by the attach mechanism of HotSpot, which needs a
JVM that runs.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import time
from contextlib import suppress
from pathlib import Path

from jdbpy.errors import UsageError

ANSWER_LIMIT = 5.0
"""Seconds a JVM may take to answer; it takes milliseconds, and none at all while it is held."""

_AGENT_ADDRESS = re.compile(r"-(?:agentlib:jdwp=|Xrunjdwp:)\S*?address=(?:\*:)?([^,\s]+)")
_PROPERTY = re.compile(r"^sun\.jdwp\.listenerAddress=(\w+)\\:(.+)$", re.MULTILINE)
_LISTENING = "0A"
_MOST_BYTES = 1024 * 1024


def agent_address(pid: str) -> str:
    """``HOST:PORT`` of a process's agent. Raises UsageError when the process has none that can be found."""
    try:
        directory = Path(f"/proc/{int(pid)}")
        command = (directory / "cmdline").read_bytes().decode(errors="replace").replace("\0", " ")
    except (OSError, ValueError):
        raise UsageError(f"there is no process {pid} whose command line can be read") from None
    found = _AGENT_ADDRESS.search(command)
    if found is None:
        return _asked(directory)
    host, _, port = found[1].rpartition(":")
    if port != "0":
        return found[1]
    ports = _listening_ports(directory)  # the agent chose one itself
    if len(ports) != 1:
        return _asked(directory)
    return f"{host}:{ports[0]}" if host else str(ports[0])


def _listening_ports(directory: Path) -> list[int]:
    """Return the TCP ports on which a process listens."""
    sockets = set()
    for file in (directory / "fd").iterdir():
        with suppress(OSError):  # closed meanwhile
            sockets.add(os.readlink(file))
    ports = set()
    for table in ("tcp", "tcp6"):
        with suppress(OSError):
            for line in (directory / "net" / table).read_text().splitlines()[1:]:
                _, local, _, state, *_, inode = line.split()[:10]
                if state == _LISTENING and f"socket:[{inode}]" in sockets:
                    ports.add(int(local.rpartition(":")[2], 16))
    return sorted(ports)


def _asked(directory: Path) -> str:
    """Return what the JVM itself says of its agent."""
    pid = directory.name
    try:
        properties = _agent_properties(directory)
    except OSError as error:
        raise UsageError(
            f"process {pid} cannot be asked for its debugger agent: {error.strerror or error}",
            hint="a JVM that is held cannot answer; -attach HOST:PORT names the agent's address",
        ) from error
    found = _PROPERTY.search(properties)
    if found is None:
        raise UsageError(
            f"process {pid} is not a debuggee, or not listening for a debugger", hint="-agentlib:jdwp=...,server=y"
        )
    if found[1] != "dt_socket":
        raise UsageError(f"the agent of process {pid} listens by {found[1]}, which is no socket")
    return found[2].replace("\\:", ":")


def _agent_properties(directory: Path) -> str:
    """Return the answer of HotSpot's attach listener to ``agentProperties``; it is woken up if it sleeps. Raises
    OSError."""
    status = dict(line.split(":\t", 1) for line in (directory / "status").read_text().splitlines() if ":\t" in line)
    inner = status.get("NSpid", directory.name).split()[-1]  # its id in its own container
    path = directory / "root/tmp" / f".java_pid{inner}"
    deadline = time.monotonic() + ANSWER_LIMIT
    if not path.is_socket():
        if not int(status["SigCgt"], 16) & 1 << signal.SIGQUIT - 1:
            raise OSError("it is no JVM, or has no attach mechanism")  # the signal would end it
        request = directory / "cwd" / f".attach_pid{inner}"
        os.close(os.open(request, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600))  # the directory may be anyone's
        try:
            os.kill(int(directory.name), signal.SIGQUIT)
            while not path.is_socket():
                if time.monotonic() > deadline:
                    raise OSError(f"it does not answer within {ANSWER_LIMIT:g} seconds")
                time.sleep(0.01)  # HotSpot gives no other sign
        finally:
            request.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX) as stream:
        stream.settimeout(max(deadline - time.monotonic(), 0.1))
        stream.connect(str(path))
        stream.sendall(b"1\0agentProperties\0\0\0\0")
        answer = b""
        while len(answer) < _MOST_BYTES and (more := stream.recv(8192)):
            answer += more
        return answer.decode(errors="replace")

"""Where the debugger agent of a local process listens, as /proc tells it: for attaching by process id."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path

from jdbpy.errors import UsageError

_AGENT_ADDRESS = re.compile(r"-(?:agentlib:jdwp=|Xrunjdwp:)\S*?address=(?:\*:)?([^,\s]+)")
_LISTENING = "0A"


def agent_address(pid: str) -> str:
    """``HOST:PORT`` of a process's agent. Raises UsageError when the process has none that can be found."""
    try:
        directory = Path(f"/proc/{int(pid)}")
        command = (directory / "cmdline").read_bytes().decode(errors="replace").replace("\0", " ")
    except (OSError, ValueError):
        raise UsageError(f"there is no process {pid} whose command line can be read") from None
    found = _AGENT_ADDRESS.search(command)
    if found is None:
        raise UsageError(f"process {pid} was not started with the debugger agent", hint="-agentlib:jdwp=...")
    host, _, port = found[1].rpartition(":")
    if port != "0":
        return found[1]
    ports = _listening_ports(directory)  # the agent chose one itself
    if len(ports) != 1:
        raise UsageError(f"process {pid} listens on {len(ports)} ports", hint="-attach HOST:PORT names the agent's")
    return f"{host}:{ports[0]}" if host else str(ports[0])


def _listening_ports(directory: Path) -> list[int]:
    """The TCP ports on which a process listens."""
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

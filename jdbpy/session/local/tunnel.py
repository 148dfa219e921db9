"""The process at the other end of a connection to this machine: a JVM, or a tunnel to one elsewhere.

Owns what Linux tells of it, in /proc; elsewhere, and where it may not be read, nothing is known. What follows from it
is for the session to say.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress

_ESTABLISHED = "01"

_AGENT = re.compile(r"-(?:agentlib:jdwp=|Xrunjdwp:|agentpath:[^=]*jdwp[^=/]*=)(.*)")

ELSEWHERE = "a process outside this machine's network (a container)"


def tunnel_to(local_port: int, peer_port: int, *, proc: str = "/proc") -> str:
    """Return the tunnel that has the peer's end of a loopback connection, as ``ssh (process 123)``.

    "" if that is a JVM, this process itself, or not known. No trip; some milliseconds.
    """
    inodes = dict(_established(proc))
    if (local_port, peer_port) not in inodes:
        return ""  # our own end is not listed either: the table says nothing
    inode = inodes.get((peer_port, local_port))
    if inode is None:
        return ELSEWHERE
    process = _owner(inode, proc)
    if process is None or process == os.getpid() or is_jvm(process, proc):
        return ""
    with suppress(OSError), open(f"{proc}/{process}/comm", encoding="utf-8", errors="replace") as file:
        return f"{file.read().strip()} (process {process})"
    return ""


def agent_options(local_port: int, peer_port: int, *, proc: str = "/proc") -> dict[str, str]:
    """Return the options of the debugger agent in the JVM that has the peer's end of a loopback connection.

    They are those of its command line; {} if that is not known, or has none. No trip; about a millisecond.
    """
    inode = ""
    for process in filter(str.isdigit, os.listdir(proc)) if os.path.isdir(proc) else ():
        with suppress(OSError):
            with open(f"{proc}/{process}/cmdline", encoding="utf-8", errors="replace") as file:
                given = options_of_agent(file.read().split("\0"))
            inode = inode or (dict(_established(proc)).get((peer_port, local_port), "-") if given else "")
            if given and _has_socket(process, inode, proc):
                return given
    return {}


def options_of_agent(words: Iterable[str]) -> dict[str, str]:
    """Return the options of the debugger agent that is among the words of a JVM's command line; {} if none is."""
    given = next((found[1] for word in words if (found := _AGENT.match(word))), "")
    return dict(_pair(each) for each in given.split(",")) if given else {}


def _pair(option: str) -> tuple[str, str]:
    name, _, value = option.partition("=")
    return name, value


def _established(proc: str) -> Iterator[tuple[tuple[int, int], str]]:
    """Pairs of local and remote port of all connections, with the inodes of their sockets."""
    for table in ("tcp", "tcp6"):
        with suppress(OSError), open(f"{proc}/net/{table}", encoding="ascii") as file:
            for line in list(file)[1:]:
                fields = line.split()
                if len(fields) > 9 and fields[3] == _ESTABLISHED:
                    local, remote = (int(address.rpartition(":")[2], 16) for address in fields[1:3])
                    yield (local, remote), fields[9]


def _owner(inode: str, proc: str) -> int | None:
    """The process that has a socket; None if it belongs to somebody else, whose files may not be looked at."""
    for process in filter(str.isdigit, os.listdir(proc)):
        with suppress(OSError):
            if _has_socket(process, inode, proc):
                return int(process)
    return None


def _has_socket(process: str, inode: str, proc: str) -> bool:
    """True if the socket is among the files of the process. Raises OSError where these may not be looked at."""
    directory = f"{proc}/{process}/fd"
    for each in os.listdir(directory):
        with suppress(OSError):
            if os.readlink(f"{directory}/{each}") == f"socket:[{inode}]":
                return True
    return False


def is_jvm(process: int, proc: str) -> bool:
    """True if the process has loaded a JVM, whatever its program is called; or if that may not be looked at."""
    try:
        with open(f"{proc}/{process}/maps", encoding="utf-8", errors="replace") as file:
            return any("/libjvm." in line for line in file)
    except OSError:
        return True

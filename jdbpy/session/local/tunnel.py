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
HIDDEN = "a process of another user, who runs no JVM here"


def tunnel_to(local_port: int, peer_port: int, *, directory: str = "", proc: str = "/proc") -> str:
    """Return the tunnel that has the peer's end of a loopback connection, as ``ssh (process 123)``.

    "" if that is the JVM, this process itself, or not known. ``directory``: the working directory that the JVM tells; a
    JVM that works in another one is a tunnel written in Java. A process of somebody else that may not be looked at is a
    tunnel if no JVM of that user is here. No trip; some milliseconds.
    """
    sockets = dict(_established(proc))
    if (local_port, peer_port) not in sockets:
        return ""  # our own end is not listed either: the table says nothing
    if (peer_port, local_port) not in sockets:
        return ELSEWHERE
    inode, user = sockets[peer_port, local_port]
    process = _owner(inode, proc)
    if process is None:
        return HIDDEN if not _jvms_of(user, proc) else ""
    if process == os.getpid() or (is_jvm(process, proc) and not _works_elsewhere(process, directory, proc)):
        return ""
    with suppress(OSError), open(f"{proc}/{process}/comm", encoding="utf-8", errors="replace") as file:
        return f"{file.read().strip()} (process {process})"
    return ""


def _works_elsewhere(process: int, told: str, proc: str) -> bool:
    """True if the working directory of a JVM is certainly not the one that was told on the wire."""
    with suppress(OSError):
        with open(f"{proc}/{process}/cmdline", encoding="utf-8", errors="replace") as file:
            chosen = any(word.startswith("-Duser.dir=") for word in file.read().split("\0"))
        own = os.readlink(f"{proc}/{process}/cwd").removesuffix(" (deleted)")
        return bool(told) and not chosen and os.path.normpath(told) != os.path.normpath(own)
    return False


def _jvms_of(user: int, proc: str) -> bool:
    """True if a process of that user is a JVM, by its command line, which everybody may read, or may be one."""
    for process in filter(str.isdigit, os.listdir(proc)):
        with suppress(FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
            try:
                if os.stat(f"{proc}/{process}").st_uid != user:
                    continue
                with open(f"{proc}/{process}/cmdline", encoding="utf-8", errors="replace") as file:
                    words = file.read().split("\0")
            except PermissionError:
                return True
            if os.path.basename(words[0]).startswith("java") or options_of_agent(words):
                return True
    return False


def agent_options(local_port: int, peer_port: int, *, proc: str = "/proc") -> dict[str, str]:
    """Return the options of the debugger agent in the JVM that has the peer's end of a loopback connection.

    They are those of its command line; {} if that is not known, or has none. No trip; about a millisecond.
    """
    inode = ""
    for process in filter(str.isdigit, os.listdir(proc)) if os.path.isdir(proc) else ():
        with suppress(OSError):
            with open(f"{proc}/{process}/cmdline", encoding="utf-8", errors="replace") as file:
                given = options_of_agent(file.read().split("\0"))
            inode = inode or (dict(_established(proc)).get((peer_port, local_port), ("-", 0))[0] if given else "")
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


def _established(proc: str) -> Iterator[tuple[tuple[int, int], tuple[str, int]]]:
    """Pairs of local and remote port of all connections, with the inodes of their sockets and the users."""
    for table in ("tcp", "tcp6"):
        with suppress(OSError), open(f"{proc}/net/{table}", encoding="ascii") as file:
            for line in list(file)[1:]:
                fields = line.split()
                if len(fields) > 9 and fields[3] == _ESTABLISHED:
                    local, remote = (int(address.rpartition(":")[2], 16) for address in fields[1:3])
                    yield (local, remote), (fields[9], int(fields[7]))


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

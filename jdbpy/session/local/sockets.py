"""The TCP sockets and the threads of a process of this machine: what Linux tells of them in /proc.

Nothing is asked of the process. What may not be read is missing, and no error is raised.
"""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import suppress

from jdbpy.record import Record

LISTENS, ESTABLISHED = "0A", "01"

_MAPPED = bytes(10) + b"\xff\xff"
"""With these bytes an IPv6 address begins that stands for an IPv4 one."""


class OwnSocket(Record):
    """A TCP socket of a process: the number of its file, its state, its own end, the port of the other end."""

    file: int
    state: str
    family: str  # "tcp", or "tcp6" also for IPv4 addresses of a socket for both
    host: str
    port: int
    peer_port: int = 0


def sockets_of(place: str) -> list[OwnSocket]:
    """Return the TCP sockets of a process, of which ``place`` is the directory in /proc."""
    files: dict[str, int] = {}
    with suppress(OSError):
        for each in os.listdir(f"{place}/fd"):
            with suppress(OSError):
                name = os.readlink(f"{place}/fd/{each}")
                if name.startswith("socket:["):
                    files[name[8:-1]] = int(each)
    return [
        OwnSocket(files[inode], state, family, host, port, peer_port)
        for family, state, host, port, peer_port, inode in _sockets(place)
        if inode in files
    ]


def threads_of(place: str) -> dict[str, str]:
    """Return the threads of a process by number, with the first 15 characters of their names."""
    found: dict[str, str] = {}
    with suppress(OSError):
        for each in os.listdir(f"{place}/task"):
            with suppress(OSError), open(f"{place}/task/{each}/comm", encoding="utf-8", errors="replace") as file:
                found[each] = file.read().rstrip("\n")
    return found


def waits_on(place: str, thread: str) -> int | None:
    """Return the first argument of the system call in which a thread waits; None where that may not be read.

    It is the number of a file for ``accept``, an address in memory for ``poll`` and ``futex``. Only who may trace the
    process may know.
    """
    with suppress(OSError, ValueError), open(f"{place}/task/{thread}/syscall", encoding="ascii") as file:
        fields = file.read().split()
        if len(fields) > 2:
            return int(fields[1], 16)
    return None


def _sockets(place: str) -> Iterator[tuple[str, str, str, int, int, str]]:
    for table in ("tcp", "tcp6"):
        with suppress(OSError), open(f"{place}/net/{table}", encoding="ascii") as file:
            for line in list(file)[1:]:
                fields = line.split()
                if len(fields) > 9:
                    host, _, port = fields[1].rpartition(":")
                    peer_port = int(fields[2].rpartition(":")[2], 16)
                    yield table, fields[3], _host(host), int(port, 16), peer_port, fields[9]


def _host(digits: str) -> str:
    """Return an address that the kernel has written as words of 32 bits in the order of the machine's bytes."""
    raw = bytes.fromhex(digits)
    if sys.byteorder == "little":
        raw = b"".join(raw[at : at + 4][::-1] for at in range(0, len(raw), 4))
    if raw.startswith(_MAPPED):
        raw = raw[len(_MAPPED) :]
    return socket.inet_ntop(socket.AF_INET if len(raw) == 4 else socket.AF_INET6, raw)

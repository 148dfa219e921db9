"""The process at the other end of a connection to this machine: a JVM, or a tunnel to one elsewhere.

Owns what Linux tells of it, in /proc; elsewhere, and where it may not be read, nothing is known. What follows from it
is for the session to say.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property

from jdbpy.record import Record

_ESTABLISHED = "01"

_AGENT = re.compile(r"-(?:agentlib:jdwp=|Xrunjdwp:|agentpath:[^=]*jdwp[^=/]*=)(.*)")

ELSEWHERE = "a process outside this machine's network (a container)"
HIDDEN = "a process of another user, who runs no such JVM here"

_WITH_VALUE = (
    *("-p", "--module-path", "--upgrade-module-path", "--add-modules", "--limit-modules", "--add-exports"),
    *("--add-opens", "--add-reads", "--patch-module", "--enable-native-access"),
)
"""Options of ``java`` whose value is the next word."""


class ProcessStart(Record):
    """A process: its number, and when it was started. A later one with the same number is another."""

    pid: int
    ticks: int


def start_of(pid: int, *, proc: str = "/proc") -> ProcessStart | None:
    """Return a process by what no other one has; None if it does not exist."""
    with suppress(OSError), open(f"{proc}/{pid}/stat", encoding="utf-8", errors="replace") as file:
        return ProcessStart(pid, int(file.read().rpartition(")")[2].split()[19]))
    return None


class PeerProcess:
    """The process that has the peer's end of a loopback connection of ours; what was found of it is kept.

    To find it takes some milliseconds, nearly all of them inside the kernel (``find``, for a thread); what is asked
    afterwards reads a file or two. No trips.
    """

    def __init__(self, local_port: int, peer_port: int, *, proc: str = "/proc") -> None:
        self._ports = (local_port, peer_port)
        self._proc = proc

    def find(self) -> None:
        """Look the process up now, so that nothing else has to.

        One that is not found is looked for again when it is asked for: it may not have accepted the connection yet.
        """
        if self._process is None:
            del self._process, self._sockets

    @cached_property
    def _sockets(self) -> dict[tuple[int, int], tuple[str, int]]:
        """The two ends that this machine has, by their own port and the other's: the socket's inode and its user."""
        ends: dict[tuple[int, int], tuple[str, int]] = {}
        wanted = (self._ports, self._ports[::-1])
        for table in ("tcp", "tcp6"):  # the kernel takes milliseconds for each, however few connections there are
            if len(ends) < len(wanted):
                ends |= {ports: socket for ports, socket in _established(table, self._proc) if ports in wanted}
        return ends

    @cached_property
    def _process(self) -> int | None:
        """The process; None if it is not known, or is of another user, whose files cannot be read."""
        inode, _ = self._sockets.get(self._ports[::-1], ("", 0))
        for process in filter(str.isdigit, os.listdir(self._proc)) if inode else ():
            with suppress(OSError):
                if _has_socket(process, inode, self._proc):
                    return int(process)
        return None

    @property
    def start(self) -> ProcessStart | None:
        """The process, by what no other one has; None if it is not known."""
        return start_of(self._process, proc=self._proc) if self._process is not None else None

    @property
    def pid(self) -> int:
        """The number of the process; 0 if it is not known."""
        return self._process or 0

    @property
    def words(self) -> list[str]:
        """The words of its command line; [] if they are not known."""
        if self._process is not None:
            with suppress(OSError):
                return _words(self._process, self._proc)[:-1]
        return []

    @property
    def is_ours(self) -> bool:
        """True if the process certainly runs for this user, and sees the same files as this process."""
        process, proc = self._process, self._proc
        if process is None or self._sockets[self._ports[::-1]][1] != os.geteuid():
            return False
        with suppress(OSError):
            own, other = (os.readlink(f"{proc}/{each}/ns/mnt") for each in ("self", process))
            return own == other and os.path.samefile("/", f"{proc}/{process}/root")
        return False

    def agent_options(self) -> dict[str, str]:
        """Return the options of the debugger agent on the process's command line; {} if none is, or is known."""
        if self._process is not None:
            with suppress(OSError):
                return options_of_agent(_words(self._process, self._proc))
        return {}

    def tunnel(self, *, directory: str = "", class_path: Sequence[str] = ()) -> str:
        """Return the tunnel that the process is, as ``ssh (process 123)``.

        "" if it is the JVM, this process itself, or not known. ``directory`` and ``class_path``: what the JVM reports;
        a JVM that works in another directory, or was started with another class path, is a tunnel written in Java. A
        process of another user that may not be looked at is a tunnel if no JVM of that user, with that class path, is
        here.
        """
        proc = self._proc
        if self._ports not in self._sockets:
            return ""  # our own end is not listed either: the table says nothing
        if self._ports[::-1] not in self._sockets:
            return ELSEWHERE
        process = self._process
        if process is None:
            _, user = self._sockets[self._ports[::-1]]
            return HIDDEN if not _jvms_of(user, class_path, proc) else ""
        if process == os.getpid() or (is_jvm(process, proc) and not _is_another(process, directory, class_path, proc)):
            return ""
        with suppress(OSError), open(f"{proc}/{process}/comm", encoding="utf-8", errors="replace") as file:
            return f"{file.read().strip()} (process {process})"
        return ""


def _is_another(process: int, directory: str, class_path: Sequence[str], proc: str) -> bool:
    """True if a JVM is certainly not the one whose working directory and class path came over the wire."""
    with suppress(OSError):
        words = _words(process, proc)
        if _has_another_class_path(words, class_path):
            return True
        chosen = any(word.startswith("-Duser.dir=") for word in words)
        own = os.readlink(f"{proc}/{process}/cwd").removesuffix(" (deleted)")
        return bool(directory) and not chosen and os.path.normpath(directory) != os.path.normpath(own)
    return False


def _has_another_class_path(words: Sequence[str], told: Sequence[str]) -> bool:
    """True if the command line of a JVM names a class path with which the one on the wire does not begin."""
    options = iter(words[1:])
    named: str | None = None
    for word in options:
        if word in ("-cp", "-classpath", "--class-path"):
            named = next(options, None)
        elif word.startswith("--class-path="):
            named = word.partition("=")[2]
        elif word == "-jar":
            named = next(options, None)
            break
        elif word in _WITH_VALUE:
            next(options, None)
        elif word.startswith(("@", "-Djava.class.path=")):  # more options are in a file; the program chooses
            return False
        elif not word.startswith("-"):
            break
    parts = [each for each in (named or "").split(os.pathsep) if each]
    known = [each for each in told if each]
    return bool(parts and known) and "*" not in (named or "") and known[: len(parts)] != parts


def _jvms_of(user: int, class_path: Sequence[str], proc: str) -> bool:
    """True if a process of that user is a JVM, by its command line, which everybody may read, or may be one.

    A JVM with another class path is none.
    """
    for process in filter(str.isdigit, os.listdir(proc)):
        with suppress(FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
            try:
                if os.stat(f"{proc}/{process}").st_uid != user:
                    continue
                words = _words(process, proc)
            except PermissionError:
                return True
            is_java = os.path.basename(words[0]).startswith("java") or options_of_agent(words)
            if is_java and not _has_another_class_path(words, class_path):
                return True
    return False


def _words(process: int | str, proc: str) -> list[str]:
    """Return the words of a process's command line, which everybody may read in most systems. Raises OSError."""
    with open(f"{proc}/{process}/cmdline", encoding="utf-8", errors="replace") as file:
        return file.read().split("\0")


def options_of_agent(words: Iterable[str]) -> dict[str, str]:
    """Return the options of the debugger agent that is among the words of a JVM's command line; {} if none is."""
    given = next((found[1] for word in words if (found := _AGENT.match(word))), "")
    return dict(_pair(each) for each in given.split(",")) if given else {}


def _pair(option: str) -> tuple[str, str]:
    name, _, value = option.partition("=")
    return name, value


def _established(table: str, proc: str) -> Iterator[tuple[tuple[int, int], tuple[str, int]]]:
    """Pairs of local and remote port of a table's connections, with the inodes of their sockets and the users."""
    with suppress(OSError), open(f"{proc}/net/{table}", encoding="ascii") as file:
        for line in list(file)[1:]:
            fields = line.split()
            if len(fields) > 9 and fields[3] == _ESTABLISHED:
                local, remote = (int(address.rpartition(":")[2], 16) for address in fields[1:3])
                yield (local, remote), (fields[9], int(fields[7]))


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

"""The JVMs of this machine, and which of them have a debugger agent.

Owns what Linux tells of them in /proc: their words, their sockets. Nothing is asked of the JVMs, and no file that they
name is opened but the ``release`` of their Java. Of processes of other users little or nothing is known.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import PurePath
from typing import Annotated

from jdbpy.errors import ConnectError
from jdbpy.json_form import HIDDEN
from jdbpy.record import Record
from jdbpy.session.connect.greeting import AGENT_LINE, LOOPBACK, Address, parse_address
from jdbpy.session.connect.launch import program_of
from jdbpy.session.local.java_home import release_version
from jdbpy.session.local.tunnel import is_jvm, options_of_agent

_LISTENS, _ESTABLISHED = "0A", "01"
_VARIABLES = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")
_LISTENS_LATER = {"onthrow", "onuncaught", "onjcmd"}
"""Options of an agent that does not listen from the start of its JVM on."""

_TEXT_LIMIT = 1_000_000
_SHOWN = 200


class LocalJvm(Record):
    """A JVM of this machine.

    ``address`` is empty without an agent that listens, or where its port is not known; ``note`` then says why.
    ``debugger``: one is attached.
    """

    json_name = "local-jvm"

    pid: int
    main: Annotated[str, "the main class, or the name of the jar file"]
    java: Annotated[str, "version of its Java; empty when it is not known"] = ""
    address: Annotated[str, "where its agent listens for a debugger, HOST:PORT"] = ""
    debugger: Annotated[bool, "a debugger is attached"] = False
    note: Annotated[str, "what else is to be known of its agent"] = ""
    awaited: Annotated[str, HIDDEN] = ""  # where its agent will listen any moment: it is starting, or was just left


def local_jvms(*, proc: str = "/proc") -> tuple[LocalJvm, ...]:
    """Return the JVMs of this machine that this user may look at, by process number; () where there is no /proc.

    It raises no error: a process that ends meanwhile is left out.
    """
    numbers = filter(str.isdigit, os.listdir(proc)) if os.path.isdir(proc) else ()
    found = (_looked_at(number, proc) for number in sorted(map(int, numbers)))
    return tuple(each for each in found if each is not None)


def is_awaited(ports: Collection[int], *, proc: str = "/proc") -> bool:
    """True if the agent of some JVM of this machine is about to listen at one of these ports, or does so by now."""
    places = [each.awaited or each.address for each in local_jvms(proc=proc) if not each.debugger]
    return any(parse_address(place).port in ports for place in places if place)


def address_of_process(pid: int, *, proc: str = "/proc") -> str:
    """Return where the agent of a JVM of this machine listens, or will any moment. Raises ConnectError with the reason
    if there is none."""
    jvm = _looked_at(pid, proc)
    if jvm is None:
        there = os.path.isdir(f"{proc}/{pid}")
        why = "is no JVM, or belongs to another user" if there else "does not exist"
        raise ConnectError(f"the process {pid} {why}", hint="jdbpy list shows the JVMs of this machine")
    if jvm.address or jvm.awaited:
        return jvm.address or jvm.awaited
    raise ConnectError(
        f"the JVM {pid} ({jvm.main}) cannot be attached to: {jvm.note or 'it has no debugger agent'}",
        hint=f"the agent is loaded when a JVM starts: {AGENT_LINE}",
    )


def _looked_at(pid: int, proc: str) -> LocalJvm | None:
    place = f"{proc}/{pid}"
    words = _words(f"{place}/cmdline")
    if not words or not _may_read(f"{place}/maps") or not is_jvm(pid, proc):
        return None
    kind, program = program_of(words[1:])
    main = PurePath(program).name if kind == "-jar" else program.partition("/")[2] if kind else program
    jvm = LocalJvm(pid, main[:_SHOWN], _java_of(place))
    agent = options_of_agent([*words, *_from_environment(_words(f"{place}/environ"))])
    return jvm.replace(**_state_of_agent(agent, place)) if agent else jvm


def _state_of_agent(agent: Mapping[str, str], place: str) -> dict[str, object]:
    if agent.get("transport", "dt_socket") != "dt_socket":
        return {"note": f"its agent speaks {agent['transport'][:_SHOWN]}, not dt_socket"}
    if agent.get("server", "n") != "y":
        return {"note": f"its agent connects to {agent.get('address', '?')[:_SHOWN]} (server=n)"}
    host, _, number = agent.get("address", "").rpartition(":")
    host = host.strip("[]")
    own = _own_sockets(place)
    listening = [each for each in own if each[0] == _LISTENS]
    port = int(number) if number.isascii() and number.isdigit() else 0
    if not port:  # any free one, as long as nobody is attached
        ports = {each[1].port for each in listening}
        if len(ports) != 1:
            many = f"its agent listens at one of {', '.join(map(str, sorted(ports)[:8]))}"
            return {"note": many} if ports else {"note": "a debugger is attached", "debugger": True}
        port = ports.pop()
    where = Address(host if host not in ("", "*", "0.0.0.0", "::", "localhost") else LOOPBACK, port)
    if not _same_network(place):
        return {"note": f"its agent is at port {port} of a network of its own (a container)"}
    attached = any(state == _ESTABLISHED and at.port == port for state, at in own)
    if attached:
        return {"address": str(where), "debugger": True}
    if not any(at.port == port for _, at in listening):
        later = "" if agent.keys() & _LISTENS_LATER else str(where)
        return {"note": f"its agent does not listen at port {port} now", "awaited": later}
    return {"address": str(where)}


def _own_sockets(place: str) -> list[tuple[str, Address]]:
    """Return state and own address (of which only the port is of interest) of the sockets of a process."""
    inodes: set[str] = set()
    with suppress(OSError):
        for each in os.listdir(f"{place}/fd"):
            with suppress(OSError):
                name = os.readlink(f"{place}/fd/{each}")
                if name.startswith("socket:["):
                    inodes.add(name[8:-1])
    return [(state, at) for state, at, inode in _sockets(place) if inode in inodes]


def _sockets(place: str) -> Iterator[tuple[str, Address, str]]:
    for table in ("tcp", "tcp6"):
        with suppress(OSError), open(f"{place}/net/{table}", encoding="ascii") as file:
            for line in list(file)[1:]:
                fields = line.split()
                if len(fields) > 9:
                    host, _, port = fields[1].rpartition(":")
                    yield fields[3], Address(host, int(port, 16)), fields[9]


def _same_network(place: str) -> bool:
    try:
        return os.readlink(f"{place}/ns/net") == os.readlink("/proc/self/ns/net")
    except OSError:  # not to be known
        return True


def _java_of(place: str) -> str:
    """Return the version of the Java that a process runs: what the ``release`` file beside its executable says."""
    with suppress(OSError):
        home = os.path.dirname(os.path.dirname(os.readlink(f"{place}/exe")))
        return (release_version(home) or release_version(os.path.dirname(home)) or "")[:_SHOWN]
    return ""


def _words(file: str) -> list[str]:
    try:
        with open(file, encoding="utf-8", errors="replace") as opened:
            return opened.read(_TEXT_LIMIT).rstrip("\0").split("\0")
    except OSError:
        return []


def _from_environment(variables: Sequence[str]) -> list[str]:
    found = dict(each.partition("=")[::2] for each in variables)
    return [word for name in _VARIABLES for word in found.get(name, "").split()]


def _may_read(file: str) -> bool:
    try:
        with open(file, "rb"):  # the permissions of the file do not tell
            return True
    except OSError:
        return False

"""Which socket of a JVM of this machine is that of its debugger agent, where the agent has chosen the port itself.

A program has sockets of its own, at which a handshake for debuggers would harm it: only a socket that is certainly the
agent's is one. Threads of libjdwp tell what the agent does; nothing is asked of the JVM here.
"""

from __future__ import annotations

from enum import StrEnum

from jdbpy.record import Record
from jdbpy.session.local.sockets import LISTENS, OwnSocket, sockets_of, threads_of, waits_on

_LISTENER = "JDWP Transport Listener: dt_socket"[:15]
_READER = "JDWP Command Reader"[:15]
_HELPER = "JDWP Event Helper Thread"[:15]
"""The names of libjdwp's threads, as far as the kernel keeps them."""

_ANY = ("0.0.0.0", "::")
_LOOPBACK = ("127.0.0.1", "::1")


class AgentState(StrEnum):
    """What the agent of a JVM does."""

    NONE = "none"  # it has none, or its JVM is only starting
    LISTENS = "listens"
    ATTACHED = "attached"
    BETWEEN = "between"  # it is about to listen: it is starting, or a debugger has just left


class AgentSocket(Record):
    """What is known of an agent that listens: its socket, or, where that is not certain, all that may be it."""

    state: AgentState
    socket: OwnSocket | None = None
    candidates: tuple[OwnSocket, ...] = ()


def agent_state(place: str) -> AgentState:
    """Return what the agent of a JVM does, by its threads; ``place`` is the directory of the process in /proc."""
    return _state(set(threads_of(place).values()))


def agent_socket(place: str, host: str | None) -> AgentSocket:
    """Return the socket at which the agent of a JVM listens. ``host`` is what it was told; None if that is not known.

    It is the one for which libjdwp's thread waits. Where that may not be read, and the agent does listen, it is the
    only socket that has the address and the family that the agent has been told.
    """
    threads = threads_of(place)
    listening = [each for each in sockets_of(place) if each.state == LISTENS]
    files = {waits_on(place, number) for number, name in threads.items() if name == _LISTENER}
    found = tuple(each for each in listening if each.file in files)
    if len(found) == 1:
        return AgentSocket(AgentState.LISTENS, found[0], found)
    found = tuple(each for each in listening if _fits(each, host))
    state = agent_state(place)  # a debugger may have come before the sockets were read: those are the program's
    if state is not AgentState.LISTENS:
        return AgentSocket(state)
    return AgentSocket(state, found[0] if len(found) == 1 else None, found)


def _state(names: set[str]) -> AgentState:
    if _READER in names:  # the thread that has listened lives on meanwhile
        return AgentState.ATTACHED
    if _LISTENER in names:
        return AgentState.LISTENS
    return AgentState.BETWEEN if _HELPER in names else AgentState.NONE


def _fits(socket: OwnSocket, host: str | None) -> bool:
    """True if libjdwp may have made the socket, when it was told this host."""
    if host is None:
        return True
    if host == "*":
        return socket.host in _ANY
    if host in ("", "localhost"):  # a JDK 8 listens on all interfaces when it is told a port only
        return socket.host in ((*_LOOPBACK, *_ANY) if not host else _LOOPBACK) and _is_of_its_family(socket)
    if host.replace(".", "").isdigit() or ":" in host:
        return socket.host == host and _is_of_its_family(socket)
    return True


def _is_of_its_family(socket: OwnSocket) -> bool:
    """True if an IPv4 address has a socket for IPv4 only, as libjdwp makes it; those of Java are for both mostly."""
    return (socket.family == "tcp") == ("." in socket.host)

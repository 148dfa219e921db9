"""The JVMs of this machine, and which of them have a debugger agent.

Owns what Linux tells of them in /proc: their words, their sockets, their threads. Nothing is asked of the JVMs, but of
one that is named, where it is not certain which socket is its agent's; no file that they name is opened but the
``release`` of their Java. Of processes of other users little or nothing is known.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import PurePath
from typing import Annotated

from jdbpy.errors import ConnectError, UsageError
from jdbpy.json_form import HIDDEN
from jdbpy.record import Record
from jdbpy.session.connect.greeting import AGENT_LINE, LOOPBACK, Address, parse_address
from jdbpy.session.connect.java_command import program_of
from jdbpy.session.local.agent_socket import AgentState, agent_socket, agent_state
from jdbpy.session.local.attach_mechanism import listener_address
from jdbpy.session.local.java_home import release_version
from jdbpy.session.local.sockets import ESTABLISHED, LISTENS, sockets_of
from jdbpy.session.local.tunnel import is_jvm, options_of_agent

_VARIABLES = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")
_LISTENS_LATER = {"onthrow", "onuncaught", "onjcmd"}
"""Options of an agent that does not listen from the start of its JVM on."""

_ANY = ("*", "0.0.0.0", "::")

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
    comes: Annotated[bool, HIDDEN] = False  # it will listen any moment at a port that is not known yet
    uncertain: Annotated[bool, HIDDEN] = False  # it listens at one of several sockets


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
    """Return where the agent of a JVM of this machine listens, or will any moment.

    The JVM is asked where /proc leaves that open; it takes a while. Raises ConnectError with the reason if there is no
    such place, AgentComes if there will be one in a moment.
    """
    jvm = _looked_at(pid, proc)
    if jvm is None:
        there = os.path.isdir(f"{proc}/{pid}")
        why = "is not a JVM, or belongs to another user" if there else "does not exist"
        raise ConnectError(f"the process {pid} {why}", hint="jdbpy list shows the JVMs of this machine")
    if jvm.address or jvm.awaited:
        return jvm.address or jvm.awaited
    refused = f"the JVM {pid} ({jvm.main}) cannot be attached to: "
    if jvm.uncertain:
        return _asked(f"{proc}/{pid}", f"{refused}{jvm.note}")
    hint = f"the agent is loaded when a JVM starts: {AGENT_LINE}"
    if jvm.debugger:
        hint = "a JVM takes one debugger at a time: 'jdbpy join' joins one that is served"
    kind = AgentComes if jvm.comes else AgentTaken if jvm.debugger else ConnectError
    raise kind(f"{refused}{jvm.note or 'it has no debugger agent'}", hint=hint)


class AgentComes(ConnectError):
    """The agent of a JVM is about to listen, at a port that it has not chosen yet."""


class AgentTaken(ConnectError):
    """The agent of a JVM has a debugger, or had one a moment ago: its threads take some time to end."""


def _asked(place: str, refused: str) -> str:
    """Return where the agent listens by the JVM's own words. Raises ConnectError: no other socket may be tried."""
    hint = "attach HOST:PORT with the port that the JVM has printed: Listening for transport dt_socket at address: PORT"
    try:
        said = listener_address(place)
        where = parse_address(said, default_host=LOOPBACK) if said else None
    except (OSError, UsageError) as error:
        why = error.strerror or error if isinstance(error, OSError) else error.message
        raise ConnectError(f"{refused}, and the JVM cannot be asked which: {why}", hint=hint) from error
    if where is None:
        raise ConnectError(f"{refused}, and the JVM says that it does not listen now", hint=hint)
    return str(Address(LOOPBACK if where.host in _ANY else where.host, where.port))


def _looked_at(pid: int, proc: str) -> LocalJvm | None:
    place = f"{proc}/{pid}"
    words = _words(f"{place}/cmdline")
    if not words or not _may_read(f"{place}/maps") or not is_jvm(pid, proc):
        return None
    jvm = LocalJvm(pid, _program(words)[:_SHOWN], _java_of(place))
    agent = options_of_agent([*words, *_from_environment(_words(f"{place}/environ"))])
    if agent or agent_state(place) is not AgentState.NONE:
        return jvm.replace(**_state_of_agent(agent, place))
    return jvm


def _program(words: Sequence[str]) -> str:
    """Return what a JVM runs: a class, the name of a jar file; of another launcher than ``java`` its own name."""
    launcher = PurePath(words[0]).name
    if launcher not in ("java", "javaw"):  # javac and python have options of their own
        return launcher
    kind, program = program_of(words[1:])
    return PurePath(program).name if kind == "-jar" else program.partition("/")[2] if kind else program


def _state_of_agent(agent: Mapping[str, str], place: str) -> dict[str, object]:
    """Return what is to be said of an agent with these options; {} if they are not known."""
    if agent.get("transport", "dt_socket") != "dt_socket":
        return {"note": f"its agent speaks {agent['transport'][:_SHOWN]}, not dt_socket"}
    if agent and agent.get("server", "n") != "y":
        return {"note": f"its agent connects to {agent.get('address', '?')[:_SHOWN]} (server=n)"}
    host, _, number = agent.get("address", "").rpartition(":")
    host = host.strip("[]")
    port = int(number) if number.isascii() and number.isdigit() and len(number) < 6 else 0
    if not port:
        return _at_any_port(place, host if agent else None)
    where = Address(LOOPBACK if host in ("", *_ANY, "localhost") else host, port)
    if not _same_network(place):
        return {"note": f"its agent is at port {port} of a network of its own (a container)"}
    own = sockets_of(place)
    if any(each.state == ESTABLISHED and each.port == port for each in own):
        return {"address": str(where), "debugger": True}
    if not any(each.state == LISTENS and each.port == port for each in own):
        later = "" if agent.keys() & _LISTENS_LATER else str(where)
        return {"note": f"its agent does not listen at port {port} now", "awaited": later}
    return {"address": str(where)}


def _at_any_port(place: str, host: str | None) -> dict[str, object]:
    """Return what is to be said of an agent that chooses the port itself, a new one each time it listens."""
    found = agent_socket(place, host)
    if found.state is AgentState.ATTACHED:
        return {"note": "a debugger is attached", "debugger": True}
    if found.state is not AgentState.LISTENS:
        return {"note": "its agent does not listen now", "comes": found.state is AgentState.BETWEEN}
    if found.socket is None:
        ports = sorted({each.port for each in found.candidates})
        one = f"at one of {', '.join(map(str, ports[:8]))}{' ...' * (len(ports) > 8)}" if ports else "at no port known"
        return {"note": f"its agent listens {one}", "uncertain": _same_network(place)}
    at = found.socket
    if not _same_network(place):
        return {"note": f"its agent is at port {at.port} of a network of its own (a container)"}
    return {"address": str(Address(LOOPBACK if at.host in _ANY else at.host, at.port))}


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

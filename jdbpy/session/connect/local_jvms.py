"""The JVMs of this machine, and which of them have a debugger agent.

Owns what Linux tells of them in /proc: their words, their sockets, their threads. Nothing is asked of the JVMs, but of
one that is named, where it is not certain which socket is its agent's; no file that they name is opened but the
``release`` of their Java. Of processes of other users little or nothing is known.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import PurePath
from typing import Annotated

from jdbpy.errors import ConnectError, UsageError
from jdbpy.escape import escape
from jdbpy.json_form import HIDDEN
from jdbpy.record import Record
from jdbpy.session.connect.greeting import AGENT_LINE, LOOPBACK, Address, parse_address
from jdbpy.session.connect.java_command import program_of
from jdbpy.session.local.agent_socket import AgentState, agent_socket, agent_state
from jdbpy.session.local.java_home import release_version
from jdbpy.session.local.sockets import ESTABLISHED, LISTENS, OwnSocket, sockets_of
from jdbpy.session.local.tunnel import PeerProcess, is_jvm, options_of_agent
from jdbpy.session.without_agent.attach_socket import AttachError, ask, checked

_VARIABLES = ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")
_LISTENS_LATER = {"onthrow", "onuncaught", "onjcmd"}
"""Options of an agent that does not listen from the start of its JVM on."""

_LISTENS_AT = re.compile(r"^sun\.jdwp\.listenerAddress=(\w+)\\:(.+)$", re.MULTILINE)
ANSWER_LIMIT = 5.0
"""Seconds a JVM may take to answer where its agent listens; it takes none at all while it is held."""

_ANY = ("*", "0.0.0.0", "::")

_TEXT_LIMIT = 1_000_000
_SHOWN = 200

ONE_DEBUGGER = "a JVM takes one debugger at a time: end that one first; 'jdbpy sessions' lists sessions to join"


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
    waits: Annotated[str, HIDDEN] = ""  # what its agent listens after: "jcmd", "event", "never"
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
        try:
            checked(pid, proc)
        except AttachError as error:
            raise ConnectError(error.message, hint=error.hint) from error
        raise ConnectError(f"the process {pid} is not a JVM", hint="jdbpy jvms shows the JVMs of this machine")
    if jvm.address or jvm.awaited:
        return jvm.address or jvm.awaited
    refused = f"the JVM {pid} ({jvm.main}) cannot be attached to: "
    if jvm.uncertain:
        return _asked(f"{proc}/{pid}", f"{refused}{jvm.note}")
    if jvm.debugger:
        raise AgentTaken(f"{refused}{jvm.note}", hint=ONE_DEBUGGER)
    hint = f"the agent is loaded when a JVM starts: {AGENT_LINE}"
    kind = AgentComes if jvm.comes else ConnectError
    if kind is ConnectError and (jvm.waits or not jvm.note):
        raise NoAgent(f"{refused}{jvm.note or 'it has no debugger agent'}", hint=hint, on_jcmd=jvm.waits == "jcmd")
    raise kind(f"{refused}{jvm.note or 'it has no debugger agent'}", hint=hint)


def taken_agent(ports: Collection[int], *, proc: str = "/proc") -> AgentTaken | None:
    """Return the error for one of these ports whose agent, of a JVM of this machine, has a debugger; None without."""
    for jvm in local_jvms(proc=proc):
        for each in sockets_of(f"{proc}/{jvm.pid}") if jvm.debugger else ():
            if each.state == ESTABLISHED and each.port in ports:
                place = jvm.address or str(Address(each.host, each.port))
                name = escape(jvm.main) if jvm.main else "the JVM"
                who = _debugger_of(each, proc)
                found = f"{name} (process {jvm.pid}) at {place} has a debugger already"
                error = AgentTaken(f"{found}: {who}" if who else found, hint=ONE_DEBUGGER)
                error.taken = place
                return error
    return None


def _debugger_of(agent: OwnSocket, proc: str) -> str:
    """Return the process at the other end of an agent's connection, as ``python3 (process 123)``; "" if unknown."""
    process = PeerProcess(agent.port, agent.peer_port, proc=proc).start
    with suppress(OSError):
        if process is not None:
            with open(f"{proc}/{process.pid}/comm", encoding="utf-8", errors="replace") as file:
                return f"{escape(file.read().strip())} (process {process.pid})"
    return ""


class AgentComes(ConnectError):
    """The agent of a JVM is about to listen, at a port that it has not chosen yet."""


class AgentTaken(ConnectError):
    """The agent of a JVM has a debugger, or had one a moment ago: its threads take some time to end."""

    default_code = "HAS_DEBUGGER"


class NoAgent(ConnectError):
    """A JVM has no agent that listens; its attach socket may answer."""

    def __init__(self, message: str, *, hint: str = "", on_jcmd: bool = False) -> None:
        super().__init__(message, hint=hint)
        self.on_jcmd = on_jcmd
        """True if it has one that begins when a diagnostic command says so (``onjcmd=y``)."""


def _asked(place: str, refused: str) -> str:
    """Return where the agent listens by the JVM's own words. Raises ConnectError: no other socket may be tried."""
    hint = "attach HOST:PORT with the port that the JVM has printed: Listening for transport dt_socket at address: PORT"
    try:
        said = _listener(place)
        where = parse_address(said, default_host=LOOPBACK) if said else None
    except (AttachError, UsageError) as error:
        why = error.message
        raise ConnectError(f"{refused}, and the JVM cannot be asked which: {why}", hint=hint) from error
    if where is None:
        raise ConnectError(f"{refused}, and the JVM says that it does not listen now", hint=hint)
    return str(Address(LOOPBACK if where.host in _ANY else where.host, where.port))


def _listener(place: str) -> str:
    """Return where the agent of a JVM listens, by its own words; "" if it does not, or not on a socket.

    Raises AttachError when the JVM does not answer, as one that is held.
    """
    proc, _, pid = place.rpartition("/")
    _, told = ask(int(pid), ["agentProperties"], ANSWER_LIMIT, proc)
    found = _LISTENS_AT.search(told)
    return found[2].strip().replace("\\:", ":") if found is not None and found[1] == "dt_socket" else ""


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
        return {"note": f"its agent connects to {agent.get('address', '?')[:_SHOWN]} (server=n)", "waits": "never"}
    host, _, number = agent.get("address", "").rpartition(":")
    host = host.strip("[]")
    port = int(number) if number.isascii() and number.isdigit() and len(number) < 6 else 0
    waits = _waits_for(agent)
    if not port:
        found = _at_any_port(place, host if agent else None)
        return found | {"waits": waits, "comes": False} if waits and found.get("comes") is not None else found
    where = Address(LOOPBACK if host in ("", *_ANY, "localhost") else host, port)
    if not _same_network(place):
        return {"note": f"its agent is at port {port} of a network of its own (a container)"}
    own = sockets_of(place)
    if any(each.state == ESTABLISHED and each.port == port for each in own):
        return {"address": str(where), "debugger": True}
    if not any(each.state == LISTENS and each.port == port for each in own):
        if waits:
            return {"note": f"its agent does not listen at port {port} now", "waits": waits}
        return {"note": f"its agent does not listen at port {port} now", "awaited": str(where)}
    return {"address": str(where)}


def _waits_for(agent: Mapping[str, str]) -> str:
    """Return what an agent waits for before it listens; "" for one that does from the start on."""
    later = agent.keys() & _LISTENS_LATER
    return "jcmd" if agent.get("onjcmd") == "y" else "event" if later else ""


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

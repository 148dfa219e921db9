"""Addresses that name their transport: ``ssh://``, ``docker://``, ``k8s://``, ``pid://``.

Each scheme is one class: what its words mean, and which program opens the transport. It ends in a stream to the agent;
what is said on it is for others. Nothing is left listening: ssh and docker carry the connection on two sockets, kubectl
ends with us.

The agent is taken to listen on the loopback of the place that the address names, as it should.
"""

from __future__ import annotations

import ipaddress
import json
import os
import re
import shlex
import sys
from abc import abstractmethod
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, ClassVar, Self
from urllib.parse import parse_qs, unquote

import trio

from jdbpy.errors import ConnectError, UsageError
from jdbpy.escape import escape
from jdbpy.record import Record
from jdbpy.session.connect.greeting import AGENT_LINE, LOOPBACK, Address, is_loopback
from jdbpy.session.connect.tcp import MAYBE_TAKEN
from jdbpy.session.connect.transport_process import Helper, ask_helper, cut, run_helper

OPENING_LIMIT = 20.0
"""Seconds that a program gets to open its transport, beside those for the greeting."""

ASKING_LIMIT = 120.0
"""The same where it may ask a person for a passphrase."""

_NEAR_LIMIT = 2.0
"""Seconds for a connection to a container of this machine."""

_KINDS = re.compile(r"(pods?|po|deployments?|deploy|statefulsets?|sts|replicasets?|rs|services?|svc)(\.[a-z.]+)?")
_USER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.@+\\-]*\$?")
_HOST = re.compile(r"[A-Za-z0-9_.:%\[\]-]+")
_POD = re.compile(r"pod/[A-Za-z0-9][A-Za-z0-9.-]*")
_FOUND = re.compile(r"(pod|deployment\.apps|statefulset\.apps)/[A-Za-z0-9][A-Za-z0-9.-]*")
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]*")

_NOT_THERE = re.compile(r"open failed: connect failed: ([^;]+)|Stdio forwarding request failed: Session open refused")
_PROHIBITED = re.compile(r"open failed: administratively prohibited")
"""What ssh says, of its own connection and of one that another ssh shares with it."""

_RELAY = """\
if command -v socat >/dev/null 2>&1; then exec socat - TCP:127.0.0.1:$1; fi
if command -v bash >/dev/null 2>&1; then exec bash -c '
  exec 3<>/dev/tcp/127.0.0.1/$0 4<&0 || exit 1
  cat <&3 & r=$!; cat <&4 >&3 & w=$!
  wait -n; kill $r $w 2>/dev/null; exit 0' $1; fi
if command -v busybox >/dev/null 2>&1; then exec busybox nc 127.0.0.1 $1; fi
echo 'the container has no socat, bash or busybox to reach its loopback with' >&2; exit 127
"""
"""Run in the container: its standard input and output become a connection to its own loopback."""


class OpenTransport(Record):
    """An open transport to an agent. ``via`` is by what: ``ssh (process 123) to build.example.org``."""

    stream: trio.SocketStream
    via: str
    ending: Callable[[], str]
    """The end of the program that carries it, with its last words; "" while it runs."""


OpenTransports = AsyncGenerator[AbstractAsyncContextManager[OpenTransport], None]


class Transport(Record):
    """An address with a scheme. ``place`` is the host, container or workload, ``port`` the agent's port.

    ``process`` is a JVM by its number there, 0 where the port is given.
    """

    SCHEME: ClassVar[str]
    FORM: ClassVar[str]

    text: str
    place: str
    port: int = 0
    process: int = 0

    def __str__(self) -> str:
        return self.text

    @classmethod
    @abstractmethod
    def parse(cls, text: str, rest: str) -> Self | None:
        """Return what an address means, of which ``rest`` follows the scheme; None if it is none."""

    async def expanded(self) -> tuple[str, ...]:
        """Return the addresses that it stands for. Raises ConnectError."""
        return (self.text,)


class CarriedTransport(Transport):
    """An address elsewhere: a program carries the connection there."""

    @abstractmethod
    def transports(self) -> OpenTransports:
        """Yield the transports to try, one after the other, each opened when it is tried. Raises ConnectError."""

    @abstractmethod
    def shell(self, script: str) -> AbstractAsyncContextManager[OpenTransport]:
        """Run a script by the shell of the place; its standard input and output become the stream.

        Raises ConnectError.
        """


class SshTransport(CarriedTransport):
    """``host`` is the agent's own, as seen from the place; ``place_port`` is of its ssh server."""

    SCHEME = "ssh"
    FORM = "ssh://[USER@]HOST[:SSHPORT]/PORT or .../pid:N"

    host: str = LOOPBACK
    place_port: int | None = None

    @classmethod
    def parse(cls, text: str, rest: str) -> Self | None:
        place, slash, target = rest.partition("/")
        host, _, port_text = target.rpartition(":")
        process = _process(target)
        if process:
            host, port_text = "", "1"
        user, at, server = place.rpartition("@")
        server_port = None
        if not server.endswith("]") and ":" in server:
            server, _, number = server.rpartition(":")
            server_port = _port(number)
            if server_port is None:
                return None
        server = server.removeprefix("[").removesuffix("]")
        port = _port(port_text)
        well = slash and port and _HOST.fullmatch(server) and (not host or _HOST.fullmatch(host))
        if not well or server.startswith("-") or (at and not _USER.fullmatch(user)) or port is None:
            return None
        of_port = 0 if process else port
        return cls(text, f"{user}{at}{server}", of_port, process, host=host or LOOPBACK, place_port=server_port)

    async def transports(self) -> OpenTransports:
        words = ["ssh", "-W", str(Address(self.host, self.port)), *self._options]
        yield _carried([*words, "--", self.place], f"to {self.place}", may_ask=_may_ask(), explain=self._explained)

    def shell(self, script: str) -> AbstractAsyncContextManager[OpenTransport]:
        words = ["ssh", "-T", *self._options, "--", self.place, f"exec sh -c {shlex.quote(script)}"]
        return _carried(words, f"to {self.place}", may_ask=_may_ask())

    @property
    def _options(self) -> list[str]:
        words = ["-o", "ServerAliveInterval=15"]
        if not _may_ask():
            words += ["-o", "BatchMode=yes"]
        if self.place_port is not None:
            words += ["-p", str(self.place_port)]
        return words

    def _explained(self, said: str) -> ConnectError | None:
        """Return the error for words of ssh that has got to its host, but not to the agent behind it; else None."""
        place, agent = self.place.rpartition("@")[2], Address(self.host, self.port)
        if _PROHIBITED.search(said):
            return ConnectError(
                f"ssh reaches {place}, but its server does not permit to forward a connection ({said})",
                hint="AllowTcpForwarding and PermitOpen in its sshd_config decide that",
            )
        if (found := _NOT_THERE.search(said)) is None:
            return None
        why = found[1] or "refused there"
        hint = f"start the JVM there with {AGENT_LINE.replace('5005', str(self.port))}; {MAYBE_TAKEN}"
        if why not in ("Connection refused", "refused there"):
            hint = "the address behind the '/' is one as that host sees it"
        return ConnectError(f"ssh reaches {place}, but no debugger agent answers at {agent} there ({why})", hint=hint)


def _may_ask() -> bool:
    """True if a person sits at the terminal, of whom ssh may ask a passphrase."""
    try:
        return sys.stdin.isatty() and sys.stderr.isatty()
    except (AttributeError, ValueError):  # closed, or none
        return False


class DockerTransport(CarriedTransport):
    """A container of docker."""

    SCHEME = "docker"
    FORM = "docker://CONTAINER:PORT or docker://CONTAINER/pid:N"

    @classmethod
    def parse(cls, text: str, rest: str) -> Self | None:
        name, _, target = rest.partition("/")
        if _process(target):
            return cls(text, name, process=_process(target)) if _NAME.fullmatch(name) else None
        name, _, number = rest.rpartition(":")
        port = _port(number)
        return cls(text, name, port) if port and _NAME.fullmatch(name) else None

    def shell(self, script: str) -> AbstractAsyncContextManager[OpenTransport]:
        return _carried(["docker", "exec", "-i", self.place, "sh", "-c", script], f"exec in {self.place}")

    async def transports(self) -> OpenTransports:
        answer = await ask_helper(
            ["docker", "container", "inspect", "--format", "{{json .}}", self.place], limit=OPENING_LIMIT
        )
        found = _parsed(answer)
        if not _at(found, "State", "Running"):
            raise ConnectError(f"the container {self.place} does not run", hint="docker ps shows those that do")
        if await _engine_is_here():
            for where in container_addresses(found, self.port):
                yield _dialed(where, f"docker container {self.place}")
        words = ["docker", "exec", "-i", self.place, "sh", "-c", _RELAY, "sh", str(self.port)]
        yield _carried(words, f"exec in {self.place}")


async def _engine_is_here() -> bool:
    """True if the engine runs on this machine: addresses of its containers mean nothing elsewhere."""
    host = os.environ.get("DOCKER_HOST", "")
    if not host:
        try:
            format_ = ["--format", "{{.Endpoints.docker.Host}}"]
            host = await ask_helper(["docker", "context", "inspect", *format_], limit=OPENING_LIMIT)
        except ConnectError:  # podman in docker's clothes has no contexts
            return True
    return host.strip().startswith("unix:")


def container_addresses(found: Any, port: int) -> list[Address]:
    """Return where a container's port may be reached from its own machine, by what ``docker inspect`` says.

    That is a published port, then the container's own addresses. Nothing in it is believed but literal addresses.
    """
    addresses: list[Address] = []
    if _at(found, "HostConfig", "NetworkMode") == "host":
        return [Address(LOOPBACK, port)]
    for each in _items(_at(found, "NetworkSettings", "Ports", f"{port}/tcp")):
        published = _port(str(_at(each, "HostPort") or ""))
        host = str(_at(each, "HostIp") or "")
        host = {"": LOOPBACK, "0.0.0.0": LOOPBACK, "::": "::1"}.get(host, host)
        if published and (is_loopback(host) or _literal(host)):
            addresses.append(Address(host, published))
    networks = _at(found, "NetworkSettings", "Networks")
    for each in networks.values() if isinstance(networks, dict) else ():
        own = str(_at(each, "IPAddress") or "")
        if _literal(own):
            addresses.append(Address(own, port))
    return list(dict.fromkeys(addresses))[:4]


def _literal(host: str) -> bool:
    try:
        return bool(ipaddress.ip_address(host))
    except ValueError:
        return False


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise ConnectError(f"docker answered what cannot be read: {cut(text)}") from error


def _at(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _items(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


class PodTransport(CarriedTransport):
    """A workload of Kubernetes, by its name or by a selector of pods."""

    SCHEME = "k8s"
    FORM = "k8s://[CONTEXT/]NAMESPACE/WORKLOAD:PORT or k8s://[CONTEXT/]NAMESPACE:PORT?selector=app=orders"

    context: str = ""
    namespace: str = ""
    selector: str = ""

    @classmethod
    def parse(cls, text: str, rest: str) -> Self | None:
        path, _, query = rest.partition("?")
        where, _, number = path.rpartition(":")
        port = _port(number)
        above, _, target = path.rpartition("/")
        process = 0 if query else _process(target)
        if process:
            where, port = above, 1
        selector = "".join(parse_qs(query).get("selector", []))
        parts = [unquote(part) for part in where.split("/")]
        if not port or not all(parts) or bool(query) != bool(selector) or selector.startswith("-"):
            return None
        place = ""
        if not selector:
            place = parts.pop()
            if parts and _KINDS.fullmatch(parts[-1]) and len(parts) > 1:
                place = f"{parts.pop()}/{place}"
        if not parts or not _NAME.fullmatch(parts[-1]) or not (selector or _NAME.fullmatch(place.rpartition("/")[2])):
            return None
        namespace = parts.pop()
        port = 0 if process else port
        return cls(text, place, port, process, context="/".join(parts), namespace=namespace, selector=selector)

    @asynccontextmanager
    async def shell(self, script: str) -> AsyncIterator[OpenTransport]:
        workload = self.place if "/" in self.place else await self._find_workload()
        words = [*self._kubectl, "exec", "-i", workload, "--", "sh", "-c", script]
        async with _carried(words, f"exec in {workload}") as transport:
            yield transport

    async def transports(self) -> OpenTransports:
        yield self._forwarded(self.place if "/" in self.place else await self._find_workload())

    async def expanded(self) -> tuple[str, ...]:
        if not self.selector:
            return (self.text,)
        where = "/".join(filter(None, (self.context, self.namespace)))
        return tuple(f"k8s://{where}/{name}:{self.port}" for name in await self._selected())

    @property
    def _kubectl(self) -> list[str]:
        return ["kubectl", *(["--context", self.context] if self.context else []), "-n", self.namespace]

    async def _selected(self) -> list[str]:
        """Return the running pods of a selector, as ``pod/NAME``."""
        asked = ["get", "pods", "-l", self.selector, "--field-selector=status.phase=Running", "-o", "name"]
        names = (await ask_helper([*self._kubectl, *asked], limit=OPENING_LIMIT)).split()
        names = [name for name in names if _POD.fullmatch(name)]
        if not names:
            raise ConnectError(f"no running pod in the namespace {self.namespace} fits {escape(self.selector)}")
        return names

    async def _find_workload(self) -> str:
        """Return what to forward to, as ``pod/NAME``: the first running pod of a selector, or what has the name."""
        if self.selector:
            return (await self._selected())[0]
        kinds = [f"{kind}/{self.place}" for kind in ("pod", "deployment", "statefulset")]
        asked = [*self._kubectl, "get", *kinds, "--ignore-not-found", "-o", "name"]
        try:
            names = (await ask_helper(asked, limit=OPENING_LIMIT)).split()
        except ConnectError:  # one may be allowed to forward and not to look; kubectl says it best itself
            names = []
        found = next((name for name in names if _FOUND.fullmatch(name)), None)
        return found if found is not None else f"pod/{self.place}"

    @asynccontextmanager
    async def _forwarded(self, workload: str) -> AsyncIterator[OpenTransport]:
        """A transport by ``kubectl port-forward``, which listens on a free port of the loopback while it lives."""
        forward = [*self._kubectl, "port-forward", "--address", LOOPBACK, workload, f":{self.port}"]
        async with run_helper(forward, carries=False) as helper:
            try:
                port = await _forwarded_port(helper)
                stream = await _dial_near(Address(LOOPBACK, port))
                async with stream:
                    yield OpenTransport(stream, f"{helper.name} to {escape(workload)}", helper.ending)
            except ConnectError as error:
                raise await helper.failure(error) from error


async def _forwarded_port(helper: Helper) -> int:
    """Return the port that kubectl says it listens on: ``Forwarding from 127.0.0.1:40123 -> 5005``."""
    assert helper.lines is not None
    with trio.move_on_after(OPENING_LIMIT):
        async for line in helper.lines:
            found = re.match(r"Forwarding from 127\.0\.0\.1:(\d{1,5}) -> ", line)
            port = _port(found[1]) if found else None
            if port is not None:
                return port
        raise ConnectError("kubectl ended before it forwarded anything")
    raise ConnectError(f"kubectl did not begin to forward within {OPENING_LIMIT:g} seconds")


class ProcessTransport(Transport):
    """A process of this machine: wherever its agent listens, and its attach socket where it has none."""

    SCHEME = "pid"
    FORM = "pid://N"

    @classmethod
    def parse(cls, text: str, rest: str) -> Self | None:
        number = _process(f"pid:{rest}")
        return cls(text, rest, process=number) if number else None


TRANSPORTS: dict[str, type[Transport]] = {
    each.SCHEME: each for each in (SshTransport, DockerTransport, PodTransport, ProcessTransport)
}
"""All kinds of addresses, by their schemes."""


def parse_transport(text: str) -> Transport | None:
    """Return what an address with a scheme means; None for one without. Raises UsageError."""
    scheme, separator, rest = text.strip().partition("://")
    if not separator:
        return None
    kind = TRANSPORTS.get(scheme)
    if kind is None:
        known = ", ".join(f"{each}://" for each in TRANSPORTS)
        raise UsageError(f"'{escape(scheme)}://' is not a kind of address", hint=f"known are {known} and [HOST:]PORT")
    parsed = kind.parse(text.strip(), rest)
    if parsed is None or parsed.place.startswith("-"):
        raise UsageError(f"'{escape(text)}' is not an address", hint=kind.FORM)
    return parsed


def opening_limit() -> float:
    """Return the seconds that a program gets to open a transport."""
    return ASKING_LIMIT if _may_ask() else OPENING_LIMIT


async def expand_address(text: str) -> tuple[str, ...]:
    """Return the addresses of all running pods for a ``k8s://`` address with a selector; any other as it is.

    Raises UsageError, and ConnectError if kubectl fails or there is none.
    """
    address = parse_transport(text)
    return (text,) if address is None else await address.expanded()


def _process(text: str) -> int:
    """Return the number of a process, of ``pid:N`` in the place of a port; 0 for anything else."""
    found = re.fullmatch("pid:([0-9]{1,10})", text)
    return int(found[1]) if found is not None else 0


def _port(text: str) -> int | None:
    return int(text) if re.fullmatch("[0-9]{1,5}", text) and 1 <= int(text) <= 65535 else None


# Streams


@asynccontextmanager
async def _carried(
    words: Sequence[str],
    where: str,
    *,
    may_ask: bool = False,
    explain: Callable[[str], ConnectError | None] = lambda said: None,
) -> AsyncIterator[OpenTransport]:
    """A transport through the standard input and output of a program.

    ``explain`` returns an error in words of ours for what the program has said, or None.
    """
    async with run_helper(words, carries=True, may_ask=may_ask) as helper:
        assert helper.stream is not None
        try:
            yield OpenTransport(helper.stream, f"{helper.name} {escape(where)}", helper.ending)
        except ConnectError as error:
            failure = await helper.failure(error)
            raise explain(helper.said) or failure from error


@asynccontextmanager
async def _dialed(where: Address, what: str) -> AsyncIterator[OpenTransport]:
    async with await _dial_near(where) as stream:
        yield OpenTransport(stream, f"{what} at {where}", lambda: "")


async def _dial_near(where: Address) -> trio.SocketStream:
    with trio.move_on_after(_NEAR_LIMIT):
        try:
            stream = await trio.open_tcp_stream(where.host, where.port)
        except OSError as error:
            raise ConnectError(f"cannot connect to {where}: {error.strerror or error}") from error
        stream.setsockopt(trio.socket.IPPROTO_TCP, trio.socket.TCP_NODELAY, 1)
        return stream
    raise ConnectError(f"no answer from {where} within {_NEAR_LIMIT:g} seconds")

"""Addresses that name their transport: ``ssh://``, ``docker://``, ``k8s://``, ``pid://``.

Owns what these words mean, and which program opens the transport. It ends in a stream to the agent; what is said on it
is for others. Nothing is left listening: ssh and docker carry the connection on two sockets, kubectl ends with us.

The agent is taken to listen on the loopback of the place that the address names, as it should.
"""

from __future__ import annotations

import ipaddress
import json
import os
import re
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any
from urllib.parse import parse_qs, unquote

import trio

from jdbpy.errors import ConnectError, UsageError
from jdbpy.escape import escape
from jdbpy.record import Record
from jdbpy.session.connect.greeting import LOOPBACK, Address, is_loopback
from jdbpy.session.connect.transport_process import Helper, ask_helper, cut, run_helper

SCHEMES = ("ssh", "docker", "k8s", "pid")

FORMS = {
    "ssh": "ssh://[USER@]HOST[:SSHPORT]/PORT",
    "docker": "docker://CONTAINER:PORT",
    "k8s": "k8s://[CONTEXT/]NAMESPACE/WORKLOAD:PORT or k8s://[CONTEXT/]NAMESPACE:PORT?selector=app=orders",
    "pid": "pid://N",
}

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


class Transport(Record):
    """An open transport to an agent. ``via`` is by what: ``ssh (process 123) to build.example.org``."""

    stream: trio.SocketStream
    via: str
    ending: Callable[[], str]
    """The end of the program that carries it, with its last words; "" while it runs."""


Transports = AsyncGenerator[AbstractAsyncContextManager[Transport], None]


class TransportAddress(Record):
    """An address with a scheme. ``place`` is the host, container or workload; ``port`` 0 for a process."""

    text: str
    scheme: str
    place: str
    port: int = 0
    host: str = LOOPBACK  # ssh: the agent's own, as seen from the place
    place_port: int | None = None  # ssh: of its server
    context: str = ""  # k8s
    namespace: str = ""  # k8s
    selector: str = ""  # k8s

    def __str__(self) -> str:
        return self.text


def parse_transport(text: str) -> TransportAddress | None:
    """Return what an address with a scheme means; None for one without. Raises UsageError."""
    scheme, separator, rest = text.strip().partition("://")
    if not separator:
        return None
    if scheme not in SCHEMES:
        known = ", ".join(f"{each}://" for each in SCHEMES)
        raise UsageError(f"'{escape(scheme)}://' is not a kind of address", hint=f"known are {known} and [HOST:]PORT")
    parsed = {"ssh": _ssh, "docker": _docker, "k8s": _k8s, "pid": _pid}[scheme](text.strip(), rest)
    if parsed is None or parsed.place.startswith("-") or parsed.namespace.startswith("-"):
        raise UsageError(f"'{escape(text)}' is not an address", hint=FORMS[scheme])
    return parsed


def transports_to(address: TransportAddress) -> Transports:
    """Yield the transports to try, one after the other, each to be opened when it is tried. Raises ConnectError."""
    return {"ssh": _transports_by_ssh, "docker": _transports_to_container, "k8s": _transports_to_pod}[address.scheme](
        address
    )


def opening_limit() -> float:
    """Return the seconds that a program gets to open a transport."""
    return ASKING_LIMIT if _may_ask() else OPENING_LIMIT


def _port(text: str) -> int | None:
    return int(text) if re.fullmatch("[0-9]{1,5}", text) and 1 <= int(text) <= 65535 else None


def _ssh(text: str, rest: str) -> TransportAddress | None:
    place, slash, target = rest.partition("/")
    host, _, port_text = target.rpartition(":")
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
    return TransportAddress(text, "ssh", f"{user}{at}{server}", port, host=host or LOOPBACK, place_port=server_port)


def _docker(text: str, rest: str) -> TransportAddress | None:
    name, _, number = rest.rpartition(":")
    port = _port(number)
    return TransportAddress(text, "docker", name, port) if port and _NAME.fullmatch(name) else None


def _k8s(text: str, rest: str) -> TransportAddress | None:
    path, _, query = rest.partition("?")
    where, _, number = path.rpartition(":")
    port = _port(number)
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
    return TransportAddress(text, "k8s", place, port, context="/".join(parts), namespace=namespace, selector=selector)


def _pid(text: str, rest: str) -> TransportAddress | None:
    return TransportAddress(text, "pid", rest) if rest.isascii() and rest.isdigit() else None


# ssh


async def _transports_by_ssh(address: TransportAddress) -> Transports:
    words = ["ssh", "-W", str(Address(address.host, address.port)), "-o", "ServerAliveInterval=15"]
    if not _may_ask():
        words += ["-o", "BatchMode=yes"]
    if address.place_port is not None:
        words += ["-p", str(address.place_port)]
    yield _carried([*words, "--", address.place], f"to {address.place}", may_ask=_may_ask())


def _may_ask() -> bool:
    """True if a person sits at the terminal, of whom ssh may ask a passphrase."""
    try:
        return sys.stdin.isatty() and sys.stderr.isatty()
    except (AttributeError, ValueError):  # closed, or none
        return False


# docker


async def _transports_to_container(address: TransportAddress) -> Transports:
    answer = await ask_helper(
        ["docker", "container", "inspect", "--format", "{{json .}}", address.place], limit=OPENING_LIMIT
    )
    found = _parsed(answer)
    if not _at(found, "State", "Running"):
        raise ConnectError(f"the container {address.place} does not run", hint="docker ps shows those that do")
    if await _engine_is_here():
        for where in container_addresses(found, address.port):
            yield _dialed(where, f"docker container {address.place}")
    words = ["docker", "exec", "-i", address.place, "sh", "-c", _RELAY, "sh", str(address.port)]
    yield _carried(words, f"exec in {address.place}")


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


# kubectl


async def _transports_to_pod(address: TransportAddress) -> Transports:
    words = _kubectl(address)
    workload = address.place
    if "/" not in workload:
        workload = await _find_workload(words, address)
    yield _forwarded(words, workload, address)


async def expand_address(text: str) -> tuple[str, ...]:
    """Return the addresses of all running pods for a ``k8s://`` address with a selector; any other as it is.

    Raises UsageError, and ConnectError if kubectl fails or there is none.
    """
    address = parse_transport(text)
    if address is None or not address.selector:
        return (text,)
    where = "/".join(filter(None, (address.context, address.namespace)))
    found = await _selected(_kubectl(address), address)
    return tuple(f"k8s://{where}/{name}:{address.port}" for name in found)


def _kubectl(address: TransportAddress) -> list[str]:
    return ["kubectl", *(["--context", address.context] if address.context else []), "-n", address.namespace]


async def _selected(words: Sequence[str], address: TransportAddress) -> list[str]:
    """Return the running pods of a selector, as ``pod/NAME``."""
    asked = ["get", "pods", "-l", address.selector, "--field-selector=status.phase=Running", "-o", "name"]
    names = (await ask_helper([*words, *asked], limit=OPENING_LIMIT)).split()
    names = [name for name in names if _POD.fullmatch(name)]
    if not names:
        raise ConnectError(f"no running pod in the namespace {address.namespace} fits {escape(address.selector)}")
    return names


async def _find_workload(words: Sequence[str], address: TransportAddress) -> str:
    """Return what to forward to, as ``pod/NAME``: the first running pod of a selector, or what has the name."""
    if address.selector:
        return (await _selected(words, address))[0]
    kinds = [f"{kind}/{address.place}" for kind in ("pod", "deployment", "statefulset")]
    asked = [*words, "get", *kinds, "--ignore-not-found", "-o", "name"]
    try:
        names = (await ask_helper(asked, limit=OPENING_LIMIT)).split()
    except ConnectError:  # one may be allowed to forward and not to look; kubectl says it best itself
        names = []
    found = next((name for name in names if _FOUND.fullmatch(name)), None)
    return found if found is not None else f"pod/{address.place}"


@asynccontextmanager
async def _forwarded(words: Sequence[str], workload: str, address: TransportAddress) -> AsyncIterator[Transport]:
    """A transport by ``kubectl port-forward``, which listens on a free port of the loopback as long as it lives."""
    forward = [*words, "port-forward", "--address", LOOPBACK, workload, f":{address.port}"]
    async with run_helper(forward, carries=False) as helper:
        try:
            port = await _forwarded_port(helper)
            stream = await _dial_near(Address(LOOPBACK, port))
            async with stream:
                yield Transport(stream, f"{helper.name} to {escape(workload)}", helper.ending)
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


# Streams


@asynccontextmanager
async def _carried(words: Sequence[str], where: str, *, may_ask: bool = False) -> AsyncIterator[Transport]:
    """A transport through the standard input and output of a program."""
    async with run_helper(words, carries=True, may_ask=may_ask) as helper:
        assert helper.stream is not None
        try:
            yield Transport(helper.stream, f"{helper.name} {escape(where)}", helper.ending)
        except ConnectError as error:
            raise await helper.failure(error) from error


@asynccontextmanager
async def _dialed(where: Address, what: str) -> AsyncIterator[Transport]:
    async with await _dial_near(where) as stream:
        yield Transport(stream, f"{what} at {where}", lambda: "")


async def _dial_near(where: Address) -> trio.SocketStream:
    with trio.move_on_after(_NEAR_LIMIT):
        try:
            stream = await trio.open_tcp_stream(where.host, where.port)
        except OSError as error:
            raise ConnectError(f"cannot connect to {where}: {error.strerror or error}") from error
        stream.setsockopt(trio.socket.IPPROTO_TCP, trio.socket.TCP_NODELAY, 1)
        return stream
    raise ConnectError(f"no answer from {where} within {_NEAR_LIMIT:g} seconds")

"""Addresses of debug ports, as users type them: ``5005``, ``host:5005``, ``192.0.2.1:5005``, ``[::1]:5005``."""

from __future__ import annotations

import ipaddress

from jdbpy.errors import UsageError
from jdbpy.record import Record

LOOPBACK = "127.0.0.1"
LOCALHOST = "localhost"


class Address(Record):
    """A host (name or literal, IPv6 without its brackets) and a port."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_address(text: str, *, default_host: str = LOOPBACK, any_port: bool = False) -> Address:
    """Reads ``[HOST:]PORT``. ``*`` as the host means every interface. ``any_port`` allows port 0.

    Raises UsageError with the form that is wanted.
    """
    host, colon, port = text.strip().rpartition(":")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        raise UsageError(f"'{text}' is not clear: an IPv6 address goes in brackets", hint="for example [::1]:5005")
    elif colon and not host:
        host = default_host
    if not port.isascii() or not port.isdigit() or not (0 if any_port else 1) <= int(port) <= 65535:
        raise UsageError(
            f"'{text}' is not an address: a port is a number up to 65535", hint="[HOST:]PORT, for example 5005"
        )
    return Address({"": default_host, "*": "0.0.0.0"}.get(host, host), int(port))


def loopbacks(where: Address) -> list[Address]:
    """The addresses of this machine itself with that port: an agent listens at one of them only."""
    return [Address(LOOPBACK, where.port), Address("::1", where.port)]


def is_loopback(host: str) -> bool:
    """Whether a literal address (as a socket tells it) belongs to this machine's loopback."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return address.is_loopback or (mapped is not None and mapped.is_loopback)

"""Addresses as users type them."""

from __future__ import annotations

import pytest

from jdbpy.errors import UsageError
from jdbpy.session.connect.greeting import Address, is_loopback, parse_address


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("5005", "127.0.0.1", 5005),
        (":5005", "127.0.0.1", 5005),
        ("example.org:5005", "example.org", 5005),
        ("192.0.2.1:1", "192.0.2.1", 1),
        ("[::1]:5005", "::1", 5005),
        ("[fe80::1%eth0]:65535", "fe80::1%eth0", 65535),
        ("*:5005", "0.0.0.0", 5005),
        (" 5005 ", "127.0.0.1", 5005),
    ],
)
def test_forms(text: str, host: str, port: int) -> None:
    assert parse_address(text) == Address(host, port)


@pytest.mark.parametrize("text", ["", "host", "host:", "5005x", "host:70000", "host:-1", "::1:5005", "host:0", "٥٠٠٥"])
def test_what_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_address(text)
    assert caught.value.hint


def test_listening_takes_any_free_port() -> None:
    assert parse_address("0", any_port=True).port == 0


@pytest.mark.parametrize("address", [Address("::1", 5005), Address("example.org", 80)])
def test_text_is_read_back(address: Address) -> None:
    assert parse_address(str(address)) == address


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("10.0.0.1", False),
        ("::", False),
        ("example.org", False),
    ],
)
def test_loopback(host: str, loopback: bool) -> None:
    assert is_loopback(host) is loopback

"""Streamable HTTP: the SDK's client with a token, who is turned away, and what is left of a client that has gone."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import httpx2
import pytest
import trio
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from jdbpy import UsageError
from jdbpy.mcp.main import main, parse
from tests.harness import LIMIT, Jvm, start_target
from tests.mcp.client import Agent
from tests.mcp.http_door import served


@asynccontextmanager
async def agent_of(address: str, token: str) -> AsyncIterator[Agent]:
    """The SDK's client."""
    headers = {"Authorization": f"Bearer {token}"}
    async with httpx2.AsyncClient(headers=headers, timeout=LIMIT) as http:
        async with Client(streamable_http_client(address, http_client=http)) as client:
            yield Agent(client)


async def test_a_session_by_http_and_who_is_turned_away(jvm: Jvm) -> None:
    async with start_target(jvm, "Rounds") as target:
        async with served("--idle", "8", "attach", target.address) as (address, token):
            async with agent_of(address, token) as client:
                await client.call("set_breakpoint", at=target.program.at("number"))
                found = await client.call("run_until_stop")
                assert found["stop"]["breakpoint"] == 1 and client.target["suspended"] == "all threads"
                assert (await client.call("evaluate", expression="number"))["value"] == "1"
            async with httpx2.AsyncClient(timeout=LIMIT) as http:
                good = {"Authorization": f"Bearer {token}"}
                ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
                for headers, status in (
                    ({}, 401),
                    ({"Authorization": f"Bearer {token}x"}, 401),
                    ({**good, "Host": "evil.example"}, 421),
                    ({**good, "Origin": "http://evil.example"}, 403),
                ):
                    accepted = {**headers, "Accept": "application/json, text/event-stream"}
                    assert (await http.post(address, json=ping, headers=accepted)).status_code == status
                assert (await http.get(address, headers=good)).status_code == 405
                assert (await http.post(f"{address}/x", json=ping, headers=good)).status_code == 404
            assert await target.wait_exit() == 0  # it was left: by the client's end, or as nothing came any more


async def test_who_is_turned_away_is_told_so_to_the_end(newest_jvm: Jvm) -> None:
    """The reply says that the connection ends, and what the client still sends does not reset it."""
    async with start_target(newest_jvm, "Rounds") as target, served("attach", target.address) as (address, _):
        host, _, port = urlsplit(address).netloc.partition(":")
        for late in (False, True):
            body = b"x" * 1_000_000
            head = b"POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: %d\r\n\r\n" % len(body)
            async with await trio.open_tcp_stream(host, int(port)) as stream:
                await stream.send_all(head if late else head + body)
                reply = await stream.receive_some()
                assert reply.startswith(b"HTTP/1.1 401") and b"connection: close" in reply
                if late:
                    await stream.send_all(body)
                while data := await stream.receive_some():  # reset, it raises
                    reply += data
                assert reply.endswith(b"the token is missing or wrong\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--http", "x"], "--http is a port from 0 to 65535, not 'x'"),
        (["--http=70000"], "--http is a port"),
        (["--http", "0", "--idle", "-1"], "--idle needs a number of seconds, not '-1'"),
    ],
)
def test_wrong_options(words: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse(words)


def test_an_option_of_http_alone_and_a_weak_token(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--idle", "5"]) == 2 and "--idle goes with --http" in capsys.readouterr().err
    monkeypatch.setenv("JDBPY_MCP_TOKEN", "short")
    assert main(["--http", "0"]) == 2 and "at least 16" in capsys.readouterr().err

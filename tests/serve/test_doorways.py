"""Ports of this machine, where any of its users connects: nobody without the token takes anything, or locks out."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

import httpx2
import pytest
import trio
import trio.testing

import jdbpy
from jdbpy import UsageError
from jdbpy.dap.server import Server
from jdbpy.mcp.http import MOST_SESSIONS
from jdbpy.process.doorway import MOST_GREETING, MOST_WAITING, Doorway, same_token
from tests.dap.client import dap_client_of
from tests.harness import LIMIT, Jvm, start_target, within
from tests.harness.processes import piped
from tests.harness.reading import received
from tests.mcp.client import ROOT
from tests.mcp.http_door import served
from tests.serve.serving import run, serving, socket_of

STRANGERS = 2 * MOST_WAITING


@asynccontextmanager
async def editors_port() -> AsyncIterator[tuple[str, int, str]]:
    """``jdbpy dap --port 0``: its host, its port and its token."""
    command = [sys.executable, "-m", "jdbpy", "dap", "--port", "0"]
    async with piped(command, cwd=ROOT, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        said = b""
        while said.count(b"\n") < 2:
            said += await process.stderr.receive_some()
        found = re.search(r"listening on (\S+):(\d+)\njdbpy: token (\S+)", said.decode())
        assert found is not None, said
        yield found[1], int(found[2]), found[3]


@asynccontextmanager
async def strangers(host: str, port: int, *sent: bytes) -> AsyncIterator[None]:
    """Connections that send a part of a message each and wait."""
    async with AsyncExitStack() as stack:
        for number in range(STRANGERS):
            stream = await stack.enter_async_context(await trio.open_tcp_stream(host, port))
            with suppress(trio.BrokenResourceError):  # it had to make way
                await stream.send_all(sent[number % len(sent)])
        yield


async def test_an_editor_needs_the_token_and_strangers_do_not_lock_it_out(jvm: Jvm, tmp_path: Path) -> None:
    program = tmp_path / "java"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\n")
    program.chmod(0o700)
    half = b"Content-Length: 60000\r\n\r\n{" + b" " * 50_000
    async with start_target(jvm, "Hello", "a") as target, editors_port() as (host, port, token):
        async with dap_client_of(host, port) as stranger:
            await stranger.initialize()
            for given in ({}, {"token": "guessed"}, {"token": "\x07"}, {"token": token[:-1]}):
                said = await stranger.refused("launch", mainClass="Hello", javaExec=str(program), **given)
                assert "the token is missing or wrong" in said
                said = await stranger.refused("attach", port=target.port, decompiler=str(program), **given)
                assert "the token is missing or wrong" in said
            assert "nothing is debugged yet" in await stranger.refused("evaluate", expression="!help", context="repl")
        assert not (tmp_path / "ran").exists()
        with within(LIMIT):
            async with strangers(host, port, b"", b"C", half), dap_client_of(host, port) as owner:
                await owner.attach(target, token=token)
                await owner.request("configurationDone")
                await owner.request("disconnect", terminateDebuggee=True)
                await owner.event("terminated")


async def test_strangers_at_a_served_port_do_not_lock_out_its_owner(jvm: Jvm, runtime_directory: str) -> None:
    half = b"Content-Length: 60000\r\n\r\n{" + b" " * 50_000
    async with start_target(jvm, "Hello", "a", suspend=False) as target:
        await target.wait_output("waiting")
        async with serving("--port", "0", "attach", target.address) as session:
            _, said = await run("attach", target.address, "-c", "version", status=3)
            assert f"'jdbpy join {session.name}' joins the session that debugs it" in said
            host, _, port = session.address.rpartition(":")
            with within(LIMIT):
                async with strangers(host, int(port), b"C", half, b'{"front": "json"' + b" " * 50_000):
                    async with await trio.open_unix_socket(socket_of(session.name)) as own:
                        await own.send_all(b'{"front": "info"}\n')
                        await received(own, b'"type":"session"')
                    async with jdbpy.join_commands(session.address, token=session.token) as joined:
                        assert await joined.run("threads")
                    async with dap_client_of(host, int(port)) as editor:
                        await editor.initialize()
                        assert "token" in await editor.refused("attach", token="guessed")
                        await editor.request("attach", token=session.token)
                        await editor.request("disconnect")


async def test_agents_by_http_that_never_end_their_sessions_do_not_lock_out_others(jvm: Jvm) -> None:
    first = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}
    opening = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": first}
    async with served("--idle", "3") as (address, token):
        headers = {"Authorization": f"Bearer {token}", "Accept": "application/json, text/event-stream"}
        host, _, port = address.removeprefix("http://").removesuffix("/mcp").rpartition(":")
        with within(LIMIT):
            async with strangers(host, int(port), b"POST /mcp HTTP/1.1\r\nHost: x\r\n", b""):
                async with httpx2.AsyncClient(timeout=LIMIT, headers=headers) as http:
                    opened = []
                    for _ in range(2 * MOST_SESSIONS):
                        answer = await http.post(address, json=opening)
                        assert answer.status_code == 200, answer.text
                        opened.append(answer.headers["mcp-session-id"])
                    ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
                    for session, status in ((opened[-1], 200), (opened[0], 404)):
                        answer = await http.post(address, json=ping, headers={"Mcp-Session-Id": session})
                        assert answer.status_code == status, answer.text


async def test_a_body_is_not_read_before_the_token() -> None:
    async with served() as (address, _token):
        host, _, port = address.removeprefix("http://").removesuffix("/mcp").rpartition(":")
        async with await trio.open_tcp_stream(host, int(port)) as stream:
            await stream.send_all(b"POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 3000000\r\n\r\n")
            with within(LIMIT):
                assert (await received(stream, b"HTTP/1.1 401")).startswith(b"HTTP")


async def test_the_oldest_stranger_makes_way_and_each_has_a_time_limit(autojump_clock: trio.testing.MockClock) -> None:
    doorway = Doorway(1, 10.0, 2)
    ended: list[tuple[int, float]] = []

    async def stranger(number: int) -> None:
        with doorway.visited():
            await trio.sleep(3600)
        ended.append((number, trio.current_time() - begun))

    begun = trio.current_time()
    async with trio.open_nursery() as nursery:
        for number in range(3):
            nursery.start_soon(stranger, number)
            await trio.testing.wait_all_tasks_blocked()
        with doorway.visited() as owner:
            owner.enter()
            owner.enter()
            with doorway.visited() as further, pytest.raises(UsageError, match="1 clients are connected"):
                further.enter()
            await trio.sleep(60)
    assert [each for each, _ in ended] == [0, 1, 2] and [round(each) for _, each in ended] == [0, 0, 10]
    assert not doorway.waiting and not doorway.inside


async def test_a_stranger_that_takes_no_answers_or_sends_a_long_message_is_dropped() -> None:
    for data in (b"Content-Length: 2\r\n\r\n{}" * 5000, b"Content-Length: %d\r\n\r\n" % (MOST_GREETING + 1)):
        ours, theirs = trio.testing.memory_stream_pair()
        await theirs.send_all(data)

        class Stream:
            async def receive_some(self, ours: trio.abc.ReceiveStream = ours) -> bytes:
                return bytes(await ours.receive_some())

            async def send_all(self, data: bytes) -> None:
                if len(data) > MOST_GREETING:
                    await trio.sleep_forever()

        with within(LIMIT):
            await Server(Stream(), enter=lambda token: None).run()


def test_a_token_of_any_characters_is_compared() -> None:
    assert same_token("secret", "secret")
    assert not any(same_token(each, "secret") for each in ("", "\ud800", "secret ", "é"))

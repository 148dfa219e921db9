"""Messages as bytes: whole, a byte at a time, hostile ones; and what a client hears that sends such."""

from __future__ import annotations

import json

import pytest

from jdbpy.dap.framing import MOST_BODY_BYTES, MOST_HEADER_BYTES, Framing, FramingError, framed
from tests.dap.client import dap_client

FIRST = {"seq": 1, "type": "request", "command": "initialize", "arguments": {"name": "ä€\U0001f600"}}
SECOND = {"seq": 2, "type": "request", "command": "threads"}


def read(data: bytes, size: int) -> list[object]:
    framing = Framing()
    return [found for start in range(0, len(data), size) for found in framing.feed(data[start : start + size])]


@pytest.mark.parametrize("size", [1, 2, 7, 4096])
def test_messages_come_as_they_were_sent(size: int) -> None:
    assert read(framed(FIRST) + framed(SECOND), size) == [FIRST, SECOND]


def test_headers_may_be_spelled_otherwise() -> None:
    body = json.dumps(FIRST, ensure_ascii=False).encode()
    data = b"content-type: application/vscode-jsonrpc; charset=utf-8\r\nCONTENT-LENGTH:  %d \r\n\r\n" % len(body) + body
    assert read(data, 5) == [FIRST]


FATAL = {
    "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n": "not a message of the debug adapter protocol",
    "POST /x HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}": "not a message of the debug adapter protocol",
    "JDWP-Handshake\r\n\r\n": "not a message of the debug adapter protocol",
    '{"seq":1}\r\n\r\n': "not a message of the debug adapter protocol",
    "\r\n\r\n": "not a message of the debug adapter protocol",
    "Content-Type: x\r\n\r\n": "no Content-Length",
    "Content-Length: -1\r\n\r\n": "not a number",
    "Content-Length: 1e3\r\n\r\n": "not a number",
    "Content-Length: ²\r\n\r\n": "not a number",
    f"Content-Length: {MOST_BODY_BYTES + 1}\r\n\r\n": "the most is",
    f"Content-Length: {'9' * 5000}": "bytes",
    f"X-Y: {'z' * MOST_HEADER_BYTES}": "a header has more than",
}


@pytest.mark.parametrize("text", FATAL, ids=lambda text: repr(text[:30]))
@pytest.mark.parametrize("size", [1, 10_000])
def test_headers_that_are_none_end_it(text: str, size: int) -> None:
    [error] = read(text.encode() + framed(FIRST), size)
    assert isinstance(error, FramingError) and error.fatal and FATAL[text] in error.message


WRONG = [b"", b"{", b"[]", b"nul", b'"x"', b"\xff\xfe", b"9" * 10_000, b"[" * 100_000, b'{"a":' * 100_000, b"{}{}"]


@pytest.mark.parametrize("body", WRONG, ids=lambda body: repr(body[:10]))
def test_bodies_that_are_none_are_passed_over(body: bytes) -> None:
    data = b"Content-Length: %d\r\n\r\n" % len(body) + body + framed(SECOND)
    error, message = read(data, 65536)
    assert isinstance(error, FramingError) and not error.fatal and "message" in error.message
    assert message == SECOND


@pytest.mark.parametrize("text", ["GET / HTTP/1.1\r\n\r\n", "Content-Length: 99999999999\r\n\r\n"])
async def test_a_peer_that_is_no_client_hears_why_and_is_left(text: str) -> None:
    async with dap_client() as dap:
        await dap.send_raw(text.encode())
        response = await dap.response(0)
        assert not response["success"] and "message" in response["message"]
        await dap.wait_over()


async def test_messages_that_make_no_sense_are_answered_and_the_session_goes_on() -> None:
    async with dap_client() as dap:
        for body in (b"{", b"[1]", b"{}", b'{"type":"request","seq":"x"}', b'{"type":"response","request_seq":[]}'):
            await dap.send_raw(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        await dap.initialize()
        assert dap.responses.pop(0)["success"] is False
        assert "unknown request" in await dap.refused("fly")
        assert "nothing is debugged yet" in await dap.refused("threads")
        wrong: list[dict[str, object]] = [{}, {"requestId": "x"}, {"progressId": 5}, {"progressId": "request-²"}]
        for arguments in wrong:
            assert (await dap.response(await dap.start("cancel", **arguments)))["success"]
        assert "initialize was sent already" in await dap.refused("initialize", adapterID="x")


WRONG_ARGUMENTS: list[tuple[str, dict[str, object], str]] = [
    ("stackTrace", {}, "arguments.threadId is missing"),
    ("stackTrace", {"threadId": "1"}, "arguments.threadId must be a whole number, not a text"),
    ("stackTrace", {"threadId": True}, "arguments.threadId must be a whole number, not true"),
    ("stackTrace", {"threadId": 1.5}, "arguments.threadId must be a whole number, not a number"),
    ("stackTrace", {"threadId": 1 << 70}, "arguments.threadId is out of range"),
    ("setBreakpoints", {"source": []}, "arguments.source must be an object, not a list"),
    ("setBreakpoints", {"source": {"path": 1}}, "arguments.source.path must be a text, not a number"),
    (
        "setBreakpoints",
        {"source": {"path": "A.java"}, "breakpoints": [{"line": 1}, {"line": None}]},
        "arguments.breakpoints[1].line is missing",
    ),
    ("setFunctionBreakpoints", {"breakpoints": {}}, "arguments.breakpoints must be a list, not an object"),
    ("attach", {"port": []}, "arguments.port must be a whole number, not a list"),
    ("attach", {"port": 0}, "arguments.port must be from 1 to 65535"),
    ("attach", {"port": 5005, "hold": "some"}, "arguments.hold must be thread or all"),
    ("attach", {}, "attach needs a port"),
    ("launch", {}, "launch needs"),
    ("launch", {"mainClass": "A", "args": "'"}, "arguments.args cannot be split into words"),
    (
        "launch",
        {"mainClass": "A", "console": "none"},
        "console is one of internalConsole, integratedTerminal, external",
    ),
    ("attach", {"port": 1, "hotCodeReplace": "yes"}, "hotCodeReplace is one of auto, manual, never"),
    ("launch", {"mainClass": "A", "classPaths": ["$Auto"]}, "needs a language server"),
]


async def test_wrong_arguments_are_named_by_their_path() -> None:
    async with dap_client() as dap:
        await dap.initialize()
        for command, arguments, message in WRONG_ARGUMENTS:
            assert message in await dap.refused(command, **arguments)
        response = await dap.response(await dap.start("attach", port=1, host="127.0.0.1"))
        assert "no debugger agent is listening at 127.0.0.1:1" in response["message"]

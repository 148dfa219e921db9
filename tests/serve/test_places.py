"""Where sessions are found, and what is said where there is none, or it is not to be trusted."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path

import pytest
import trio
import trio.testing

import jdbpy
from jdbpy.serve import sockets
from jdbpy.serve.cmdline import parse_serve
from jdbpy.serve.lines import LineReader, Outgoing
from jdbpy.serve.main import _row
from tests.harness import LIMIT, within
from tests.serve.serving import run, socket_of


async def test_no_session_and_sessions_that_are_over(runtime_directory: str) -> None:
    with pytest.raises(jdbpy.ConnectError, match="no session is served"):
        await sockets.reach("")
    assert (await run("sessions"))[0] == "no session is served; 'jdbpy serve attach PORT' serves one\n"
    name, listener = await sockets.listen("orders")
    other, second = await sockets.listen("orders")
    assert (name, other) == ("orders", "orders-2")
    assert os.stat(socket_of("orders")).st_mode & 0o777 == 0o600
    assert os.stat(Path(runtime_directory, "jdbpy")).st_mode & 0o777 == 0o700
    with pytest.raises(jdbpy.UsageError, match="several sessions are served") as several:
        await sockets.reach("")
    assert several.value.hint == "name one: orders, orders-2"
    with pytest.raises(jdbpy.ConnectError, match="no session is called 'bills'") as unknown:
        await sockets.reach("bills")
    assert unknown.value.hint == "served: orders, orders-2"
    with pytest.raises(jdbpy.UsageError, match="is not a valid session name"):
        await sockets.reach("../orders")
    with socket.create_server(("127.0.0.1", 0)) as server:
        nobody = server.getsockname()[1]
    with pytest.raises(jdbpy.ConnectError, match=f"reached at 127.0.0.1:{nobody}: connection refused"):
        await sockets.reach(f"127.0.0.1:{nobody}")
    await second.aclose()  # its process was killed: the socket is still there
    with pytest.raises(jdbpy.ConnectError, match="the process that served it has gone"):
        await sockets.reach("orders-2")
    assert sockets.names() == ["orders"]
    await listener.aclose()
    assert (await run("join", "orders", status=3))[1].startswith("jdbpy: session 'orders' is over")


async def test_a_session_that_begins_while_another_one_is_missed_stays_reachable(
    runtime_directory: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A client that was refused by a socket left behind does not take away the one that was made meanwhile."""
    _, gone = await sockets.listen("orders")
    await gone.aclose()
    begun: list[trio.SocketListener] = []
    call = trio.open_unix_socket

    async def refused(path: str) -> trio.SocketStream:
        try:
            return await call(path)
        finally:
            if not begun:
                name, listener = await sockets.listen("orders")
                assert name == "orders"
                begun.append(listener)

    monkeypatch.setattr(trio, "open_unix_socket", refused)
    with pytest.raises(jdbpy.ConnectError, match="has gone"):
        await sockets.reach("orders")
    await (await sockets.reach("orders")).aclose()
    await begun[0].aclose()


async def test_a_session_that_ends_while_it_is_joined_has_gone(
    runtime_directory: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, listener = await sockets.listen("orders")
    listed = sockets.names

    def then_gone() -> list[str]:
        found = listed()
        sockets.remove("orders")
        return found

    monkeypatch.setattr(sockets, "names", then_gone)
    with pytest.raises(jdbpy.ConnectError, match="has gone"):
        await sockets.reach("orders")
    await listener.aclose()


def test_a_directory_of_somebody_else_is_not_used(
    runtime_directory: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = Path(sockets.directory(create=True))
    path.chmod(0o755)
    with pytest.raises(jdbpy.UsageError, match="others may look into"):
        sockets.directory()
    path.chmod(0o700)
    monkeypatch.setattr(os, "getuid", lambda: os.geteuid() + 1)
    with pytest.raises(jdbpy.UsageError, match="belongs to another user"):
        sockets.directory()
    monkeypatch.undo()
    elsewhere = tmp_path / "run"
    elsewhere.mkdir()
    (elsewhere / "jdbpy").symlink_to(path)
    with pytest.raises(jdbpy.UsageError, match="is not a directory"):
        sockets.directory({"XDG_RUNTIME_DIR": str(elsewhere)})


async def test_a_client_that_takes_nothing_has_gone() -> None:
    ours, theirs = trio.socket.socketpair(socket.AF_UNIX)
    out = Outgoing(trio.SocketStream(ours))
    with within(LIMIT):
        async with trio.open_nursery() as nursery:
            nursery.start_soon(out.run)
            await trio.testing.wait_all_tasks_blocked()
            for _ in range(40):
                out.put_text("x" * 1024 * 1024)
        await ours.send(b"x" * 2000)
        reader = LineReader(trio.SocketStream(theirs), most=1000)
        with pytest.raises(jdbpy.UsageError, match="longer than"):
            await reader.next()
    ours.close()
    theirs.close()


def test_the_command_line_of_serve() -> None:
    found = parse_serve(["--name=a", "--port", "0", "--keep", "attach", "127.0.0.1:5005", "--hold", "thread"])
    assert (found.name, found.port, found.keep, found.line.hold) == ("a", 0, True, "thread")
    assert parse_serve(["attach", "127.0.0.1:5005"]).name == "5005"
    assert parse_serve(["launch", "-cp", "x", "com.acme.Orders"]).name == "Orders"
    for wrong in (
        [],
        ["--name"],
        ["--name", "a b", "attach", "1"],
        ["--port", "x", "demo"],
        ["--moon", "demo"],
        ["open"],
    ):
        with pytest.raises(jdbpy.UsageError, match="cannot be served" if wrong == ["open"] else None):
            parse_serve(wrong)


def test_a_session_in_the_list() -> None:
    found = {"name": "a", "target": "t\x1b", "clients": ["ann", "ben"], "state": "stopped"}
    name, target, clients, state = _row({**found, "stopped_since": time.time() - 7_210})
    assert (name, target, clients) == ("a", "t\\u001b", "ann, ben")
    assert state.startswith("stopped for 2:0") and state.endswith(" h")
    assert _row({**found, "clients": [], "stopped_since": None})[2:] == ("no clients", "stopped")

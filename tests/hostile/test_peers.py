"""Every peer that is no debugger agent, or stops being one, ends in bounded time with status 3 and one sentence."""

from __future__ import annotations

import re
import sys
import tracemalloc
from collections.abc import Awaitable
from contextlib import suppress
from itertools import chain, repeat
from pathlib import Path
from typing import Any

import pytest
import trio

import jdbpy
from jdbpy.cli.cmdline import parse
from jdbpy.cli.run import run
from jdbpy.errors import ConnectError
from jdbpy.session.connect import attach
from jdbpy.session.connect.greeting import Greeted, greet
from jdbpy.wire.handshake import HANDSHAKE
from tests.cli.process import jdbpy as process
from tests.fakes.jvm import FakeJvm
from tests.harness import LIMIT, Jvm, start_target, within
from tests.harness.processes import halt
from tests.hostile.peers import NO_AGENT, PEERS, STOPS_BEING_ONE, playing, says

SHORT = "0.3"
"""The limit of time for a peer, in seconds."""


def test_there_are_enough_of_them() -> None:
    assert len(PEERS) == len(NO_AGENT) + len(STOPS_BEING_ONE) >= 40


@pytest.mark.parametrize("name", PEERS)
async def test_status_3_and_one_sentence(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    async with playing(PEERS[name]) as address:
        with within(LIMIT):
            status = await run(parse(["attach", address, "--batch", "--timeout", SHORT, "-c", "where"]))
    out, err = capsys.readouterr()
    assert (status, out) == (3, ""), err
    error, hint = err.splitlines()
    assert error.startswith("error: ") and error.isprintable() and len(error) < 400, err
    assert address in error
    assert hint.startswith("  ") and hint.isprintable()


async def test_the_limit_is_ten_seconds_by_itself(autojump_clock: trio.testing.MockClock) -> None:
    """No limit was given: 10 seconds from the first packet, whatever the peer stalls at."""
    for peer in (says(b""), says(HANDSHAKE)):
        async with playing(peer) as address:
            begun = trio.current_time()
            with pytest.raises(ConnectError, match=r"did not answer|stopped answering at"):
                async with jdbpy.attach_session(address):
                    pass
            assert trio.current_time() - begun <= jdbpy.CONNECT_LIMIT + 1


async def test_the_sentence_names_what_was_not_answered() -> None:
    async with playing(PEERS["VirtualMachine.Version unanswered"]) as address:
        with pytest.raises(ConnectError, match=r"stopped answering at VirtualMachine\.Version") as caught:
            async with jdbpy.attach_session(address, timeout=2):
                pass
    assert "stopped" in caught.value.hint


async def test_memory_is_not_taken_for_what_is_announced() -> None:
    tracemalloc.start()
    try:
        for name in ("a packet of 16 MB that never ends", "events without end", "2^31-1 threads"):
            async with playing(PEERS[name]) as address:
                with pytest.raises(ConnectError):
                    async with jdbpy.attach_session(address, timeout=0.5):
                        pass
        assert tracemalloc.get_traced_memory()[1] < 120_000_000
    finally:
        tracemalloc.stop()


async def test_listening_outlives_every_bad_caller(any_jvm: Jvm) -> None:
    """All of them call at once, more than are greeted side by side, and the silent ones stay; then comes a JVM."""
    send, receive = trio.open_memory_channel[str](1)
    ended = trio.Event()
    async with trio.open_nursery() as nursery:

        async def debugger() -> None:
            async with jdbpy.listen_session("0", on_listening=send.send_nowait) as session:
                assert session.info.jdwp_major == any_jvm.feature
            ended.set()

        async def call(address: str, name: str) -> None:
            host, _, port = address.rpartition(":")
            stream = await trio.open_tcp_stream(host, int(port))
            with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
                async with stream:
                    await PEERS[name](stream)

        nursery.start_soon(debugger)
        address = await receive.receive()
        for name in ("silent", "closes", "http", "handshake, then silence", "Version unanswered", "never reads"):
            nursery.start_soon(call, address, name if name in PEERS else f"VirtualMachine.{name}")
        await trio.testing.wait_all_tasks_blocked()
        async with start_target(any_jvm, "Hello", connect_to=address) as target:
            with within(LIMIT):
                await ended.wait()
            await target.send()
            assert await target.wait_exit() == 0
        nursery.cancel_scope.cancel()


async def test_silent_callers_give_up_their_place(any_jvm: Jvm, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many silent callers as are greeted at once hold the JVM up for the limit of one, not for ever."""
    silent = attach.GREETED_AT_ONCE + 2
    limits = chain([0.3] * silent, repeat(LIMIT))

    def greet_in_time(*arguments: Any, **options: Any) -> Awaitable[Greeted]:
        return greet(*arguments, **options, timeout=next(limits))

    monkeypatch.setattr(attach, "greet", greet_in_time)
    send, receive = trio.open_memory_channel[str](1)
    async with trio.open_nursery() as nursery:
        ended = trio.Event()

        async def debugger() -> None:
            async with jdbpy.listen_session("0", on_listening=send.send_nowait) as session:
                assert session.info.name
            ended.set()

        nursery.start_soon(debugger)
        host, _, port = (await receive.receive()).rpartition(":")
        callers = [await trio.open_tcp_stream(host, int(port)) for _ in range(silent)]
        async with start_target(any_jvm, "Ticker", connect_to=f"{host}:{port}"):
            with within(LIMIT):
                await ended.wait()
        for caller in callers:
            await caller.aclose()


async def test_a_jvm_that_is_stopped_while_it_is_greeted(any_jvm: Jvm) -> None:
    """As after SIGSTOP: the system takes the connection, the JVM does not."""
    async with start_target(any_jvm, "Ticker", suspend=False) as target:
        await target.wait_output("ready")
        await halt(target.pid)
        done = await process("attach", target.address, "--timeout", SHORT, "-c", "where")
        assert done.status == 3, done
        waited = re.search(r"did not answer the JDWP handshake within ([\d.]+) seconds", done.err)
        assert waited is not None, done
        assert float(waited[1]) <= float(SHORT), "connecting takes its part of the limit"


_STALLING = """#!{python}
import re, socket, sys, time
host, port = re.search(r"address=(.+):([0-9]+)", " ".join(sys.argv)).groups()
connection = socket.create_connection((host, int(port)))
connection.sendall({first!r})
connection.recv(100)
time.sleep(600)
"""


@pytest.mark.parametrize("first", ["", "JDWP-Handshake"], ids=["silent", "handshake"])
async def test_a_launched_jvm_that_connects_and_stalls(first: str, any_jvm: Jvm, tmp_path: Path) -> None:
    home = tmp_path / "stalling"
    (home / "bin").mkdir(parents=True)
    (home / "lib").symlink_to(Path(any_jvm.home) / "lib")
    (home / "release").symlink_to(Path(any_jvm.home) / "release")
    (home / "bin" / "java").write_text(_STALLING.format(python=sys.executable, first=first.encode()))
    (home / "bin" / "java").chmod(0o755)
    with pytest.raises(ConnectError, match=r"did not answer the JDWP handshake|stopped answering"):
        with within(LIMIT):
            async with jdbpy.launch_session(jdbpy.LaunchCommand(["Main"], java=str(home)), timeout=2):
                pass


@pytest.mark.parametrize("name", ["silent", "handshake, then silence", "ssh"])
async def test_as_jdb(name: str) -> None:
    """jdb's own exit status is 0 whatever happens, its words are of its own."""
    async with playing(PEERS[name]) as address:
        port = address.rpartition(":")[2]
        done = await process("jdb", "-connect", f"com.sun.jdi.SocketAttach:port={port},timeout=300")
    assert done.status == 0
    assert "Traceback" not in done.err
    assert "Unable to attach to target VM." in done.out + done.err


async def test_a_good_agent_behind_all_this() -> None:
    jvm = FakeJvm()
    async with jvm.listening() as address:
        async with jdbpy.attach_session(address, timeout=float(SHORT) * 10) as session:
            assert session.info.name == "Fake VM"

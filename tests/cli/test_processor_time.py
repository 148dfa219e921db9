"""A computation of the debugger without an end is ended from outside, and the target is left in good order."""

from __future__ import annotations

import io
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import trio

from jdbpy.errors import StateError
from jdbpy.process.processor_time import LoopWatch
from jdbpy.wire.messages import virtual_machine
from jdbpy.wire.wirelog import WireLog
from tests.cli.process import environment
from tests.cli.pseudo_terminal import open_terminal
from tests.fakes.jvm import FakeJvm
from tests.harness import LIMIT, within
from tests.harness.processes import piped
from tests.hostile.agent import circling
from tests.wire.peer import connected

CIRCLE = "its own superclass"

PATCH = """
import sys
from jdbpy.session.jvm.facts import FactCache
from jdbpy.session.jvm.types import TypeCache

climb = TypeCache._above

def above(self, type_id):
    print("climbing", file=sys.stderr, flush=True)
    for each in climb(self, type_id):
        pass

FactCache._require_above = lambda *anything: None
TypeCache._above = above
"""
"""Takes away what keeps the debugger from climbing in a circle."""

UNGUARDED = f"""{PATCH}
from jdbpy.cli.main import main
sys.exit(main(sys.argv[1:]))
"""
"""The debugger without it."""


class Ended:
    """How the unguarded debugger has ended."""

    def __init__(self, status: int, err: str, jvm: FakeJvm) -> None:
        self.status = status
        self.err = err
        assert "Traceback" not in err
        assert jvm.received(virtual_machine.Dispose), "it has detached in good order"
        assert not jvm.world.suspended()


async def climb(*words: str, send: signal.Signals | None = None) -> Ended:
    """Evaluate something in a JVM with a circle; send a signal when the endless climbing has begun."""
    jvm = circling(CIRCLE)
    with within(LIMIT):
        async with jvm.listening() as address:
            command = [sys.executable, "-W", "error", "-c", UNGUARDED, "attach", address, *words]
            command += ["-c", "class Played", "-c", "version"]
            err = ""
            async with piped(command, env=environment(None), stderr=subprocess.PIPE) as process:
                assert process.stderr is not None
                async for data in process.stderr:
                    err += data.decode()
                    if send is not None and "climbing" in err:
                        process.send_signal(send)
                        send = None
                status = await process.wait()
            await jvm.gone.wait()
    return Ended(status, err, jvm)


async def test_the_timeout_of_a_batch() -> None:
    ended = await climb("--timeout", "3")
    assert ended.status == 4
    assert "the debugger computed for more than 3 seconds" in ended.err


async def test_the_session_goes_on_behind_it() -> None:
    ended = await climb("--timeout", "3", "--keep-going")
    assert ended.status == 4


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)], ids=str
)
async def test_signals(number: signal.Signals, status: int) -> None:
    ended = await climb(send=number)
    assert ended.status == status
    assert "error: interrupted" in ended.err


async def test_ctrl_c_at_the_prompt(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(PATCH, encoding="utf-8")
    jvm = circling(CIRCLE)
    async with jvm.listening() as address:
        paths = {"PYTHONPATH": str(tmp_path)}
        async with open_terminal(["attach", address], tmp_path, environ=paths) as terminal:
            await terminal.wait_until(lambda: terminal.screen.cursor_line.startswith(">"), "the prompt")
            terminal.type("class Played\r")
            await terminal.expect("climbing")
            terminal.type("\x03")
            await terminal.expect("interrupted")
            terminal.type("version\r")
            await terminal.expect("Fake VM")
            terminal.type("quit\r")
            assert await terminal.wait_exit() == 0
        await jvm.gone.wait()
    assert not jvm.world.suspended()


async def test_packets_that_are_received_are_not_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is decoded and logged there ends, and an error would take the connection with it."""
    monkeypatch.setattr(LoopWatch, "_start", lambda *_: None)  # the test calls what the timer would
    watch = LoopWatch()

    def explain(*_: object) -> str:
        watch._turned = False
        watch.on_timer(signal.SIGPROF, sys._getframe())
        return "explained"

    monkeypatch.setattr("jdbpy.wire.explain.explain_body", explain)
    log = io.BytesIO()
    watch.want_end(lambda: StateError("interrupted"))
    async with connected(log=WireLog(log)) as (connection, peer), trio.open_nursery() as nursery:
        nursery.start_soon(peer.answer, virtual_machine.AllThreads(), virtual_machine.AllThreadsReply([]))
        assert (await connection.request(virtual_machine.AllThreads())).threads == []
    assert b"explained" in log.getvalue()

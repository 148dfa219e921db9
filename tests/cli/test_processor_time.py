"""A computation of the debugger without an end is ended from outside, and the target is left in good order."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest
import trio

from jdbpy.wire.messages import virtual_machine
from tests.cli.process import environment
from tests.fakes.jvm import FakeJvm
from tests.harness import LIMIT
from tests.harness.processes import piped
from tests.hostile.agent import circling

CIRCLE = "its own superclass"

UNGUARDED = """
import sys
from jdbpy.cli.main import main
from jdbpy.session.types.ancestry import Ancestry
from jdbpy.session.types.fact_cache import FactCache

climb = Ancestry._above

def above(self, type_id):
    print("climbing", file=sys.stderr, flush=True)
    for each in climb(self, type_id):
        pass

FactCache._require_above = lambda *anything: None
Ancestry._above = above
sys.exit(main(sys.argv[1:]))
"""
"""The debugger without what keeps it from climbing in a circle."""


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
    with trio.fail_after(LIMIT):
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
    ended = await climb("--timeout", "1")
    assert ended.status == 4
    assert "the debugger computed for more than 1 seconds" in ended.err


async def test_the_session_goes_on_behind_it() -> None:
    ended = await climb("--timeout", "1", "--keep-going")
    assert ended.status == 4


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)], ids=str
)
async def test_signals(number: signal.Signals, status: int) -> None:
    ended = await climb(send=number)
    assert ended.status == status
    assert "error: interrupted" in ended.err

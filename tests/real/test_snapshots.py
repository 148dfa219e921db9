"""Snapshots of Tomcat with eight clients at once, near and over a slow link, looked at with the JVM gone."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import trio

import jdbpy
from benchmarks.relay import open_relay
from jdbpy import Options, Stopped, SuspendPolicy
from jdbpy.task_groups import open_nursery
from tests.harness import LIMIT, Jvm, Program, start_target, within
from tests.harness.tomcat import tomcat as tomcat, wait_started
from tests.real.web_application import application as application, get

CLIENTS = 8
THINKING = 0.05
"""Seconds between two requests of a client: a hundred a second keep Tomcat busy, and leave time for the debugger."""
TRIPS = 50
"""The most that a snapshot may take, whatever is in the JVM; and half of that with the JVM suspended."""


@pytest.mark.parametrize("rtt", [0.0, 0.1])
async def test_tomcat_under_load(
    newest_jvm: Jvm, application: tuple[Program, list[str]], tmp_path: Path, rtt: float
) -> None:
    program, jvm_options = application
    running, stopped = str(tmp_path / "running.jdbpy"), str(tmp_path / "stopped.jdbpy")
    served = 0

    async def client(number: int) -> None:
        nonlocal served
        while True:
            assert await get(port, f"client{number}") == f"Hello client{number}"
            served += 1
            await trio.sleep(THINKING)

    async with start_target(newest_jvm, program, "start", suspend=False, jvm_options=jvm_options) as target:
        port = await wait_started(target)
        assert await get(port, "first") == "Hello first"
        async with open_relay(target.address, rtt=rtt) as relay, open_nursery() as nursery:
            with within(4 * LIMIT):
                options = Options(source_path=(str(tmp_path),))
                async with jdbpy.attach_session(relay.address, options=options) as session:
                    for number in range(CLIENTS):
                        nursery.start_soon(client, number)
                    taken = await session.snapshot(running)
                    assert taken.complete
                    assert taken.paused is not None
                    assert taken.trips <= TRIPS
                    assert taken.paused_trips <= TRIPS // 2
                    before = served
                    await session.breakpoints.add("web.Hello.text", policy=SuspendPolicy.THREAD, temporary=True)
                    stop = await session.next_stop()
                    assert isinstance(stop, Stopped)
                    assert (await session.snapshot(stopped)).complete
                    assert served >= before
                nursery.cancel_scope.cancel()
    async with jdbpy.open_snapshot_session(running) as session:
        threads = await session.threads.list()
        assert len(threads) == taken.threads
        assert any(each.name.startswith("http-nio") for each in threads)
        traces = await session.stack.all()
        await session.stack.variables_of_all([frame for trace in traces for frame in trace.frames])
        await session.locks.deadlocks()
    async with jdbpy.open_snapshot_session(stopped) as session:
        frame = await session.stack.selected()
        assert frame.location.method == "text"
        [name] = [each for each in await session.stack.variables() if each.name == "name"]
        assert name.value is not None
        assert re.fullmatch(r'"client\d"', name.value.text)
        await session.up()
        uri = await session.values.evaluate("request.request.coyoteRequest.queryMB.strValue")
        assert uri.text.startswith('"name=client') or uri.text == "null"
        window = await session.sources.window((await session.stack.selected()).location)
        assert window is not None
        assert any("String text = text(name);" in text for _, text in window.lines)
        found = await session.snapshots.find("client")
        assert found.total > 0

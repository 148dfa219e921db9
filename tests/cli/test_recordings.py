"""`--record FILE` and `jdbpy replay FILE`: what a session has printed is printed again, without the JVM."""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import trio

import jdbpy as library
from benchmarks.relay import open_relay
from jdbpy.session.connect import attach, offline
from jdbpy.session.connect.greeting import Greeted, greet
from jdbpy.session.snapshots.recording import recording
from jdbpy.wire.connection import Connection
from tests.cli.process import jdbpy, launching, script
from tests.cli.prompt import attached
from tests.harness import LIMIT, Jvm, program, start_target, within

SHOP = program("Shop")
LINES = (
    f"stop at {SHOP.at('body')}",
    "run",
    "print i",
    "cont",
    *("print lines[i].name", "print total()", "nonsense", "where", "threads", "locals", "next", "clear 1", "cont"),
)


def shown(objects: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What comes from the packets: not the program's output, nor the status with which its process has ended."""
    kept = [each for each in objects if each.get("event") not in ("output", "exited")]
    return [{**each, "data": None} if "exited" in (each.get("data") or ()) else each for each in kept]


async def test_a_session_is_played_again(jvm: Jvm, tmp_path: Path) -> None:
    path = tmp_path / "one.jdbpy"
    live = await jdbpy(*launching(SHOP, "--json", "--keep-going", "--record", str(path), *script(*LINES)), jvm=jvm)
    assert [each["ok"] for each in live.results].count(False) == 1, live.out
    again = await jdbpy("replay", str(path), "--json", "--sourcepath", SHOP.sources)
    assert again.status == live.status == 1, again
    assert shown(again.objects) == shown(live.objects)
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    other = await jdbpy("replay", str(path), "--json", "--keep-going", *script(*LINES[:3], "print this.id.hash"))
    assert [each["ok"] for each in other.results] == [True, True, True, False]
    assert other.results[-1]["error"]["code"] == "NOT_IN_RECORDING"


async def test_behind_the_last_stop_the_recording_ends(any_jvm: Jvm, tmp_path: Path) -> None:
    path = tmp_path / "one.jdbpy"
    lines = ("break Ticker.tick", "cont")
    async with start_target(any_jvm, "Ticker", suspend=True) as target:
        live = jdbpy("attach", target.address, "--record", str(path), *script(*lines))
        async with trio.open_nursery() as nursery:
            nursery.start_soon(target.send)
            assert (await live).status == 0
    again = await jdbpy("replay", str(path), *script(*lines, "cont", "echo behind it"))
    assert again.status == 5, again
    assert "Breakpoint 1 hit" in again.out and "behind it" not in again.out
    assert "the recording ends here" in again.err
    other = await jdbpy("replay", str(path), *script("cont"))  # the hit is of a breakpoint that is not set
    assert (other.status, "the recording ends here" in other.err) == (5, True), other


async def test_what_was_typed_at_a_prompt_comes_between_the_same_stops(any_jvm: Jvm, tmp_path: Path) -> None:
    """A person does not wait as a batch does: hits come unasked, and `cont` is followed by commands while it runs."""
    path = tmp_path / "one.jdbpy"
    async with attached(any_jvm, tmp_path, "--record", str(path)) as (terminal, target):
        await terminal.prompt(">")
        await terminal.run("break Ticker.tick", "Breakpoint 1 set", then=">")
        await target.send()
        await terminal.prompt("main[1]")
        await terminal.run("print ticks", "ticks = 0", then="main[1]")
        await terminal.run("next", "Step completed", then="main[1]")
        await terminal.run("cont", then=">")
        await terminal.run("locals", "error: ", then=">")
        await target.send()
        await terminal.prompt("main[1]")
        await terminal.run("print ticks", "ticks = 1", then="main[1]")
        await terminal.run("clear 1", "deleted", then="main[1]")
        await terminal.run("cont", then=">")
        await terminal.run("version", "OpenJDK", then=">")
        terminal.type("quit\r")
        assert await terminal.wait_exit() == 0
    again = await jdbpy("replay", str(path), "--json", "--sourcepath", program("Ticker").sources)
    seen = [
        each.get("command") or each["data"]["reason"]
        for each in again.objects
        if each["type"] == "result" or each["event"] == "stop"
    ]
    before = ["break Ticker.tick", "breakpoint", "print ticks", "step", "next", "cont", "locals"]
    after = ["breakpoint", "print ticks", "clear 1", "cont", "version", "quit"]
    assert seen == before + after, again.out
    assert [each["data"]["value"] for each in again.results if each["command"] == "print ticks"] == ["0", "1"]
    assert [each["command"] for each in again.results if not each["ok"]] == ["locals"]
    shown = await jdbpy("replay", str(path))
    assert "> print ticks\nticks = 0\n> next\n" in shown.out


async def test_what_was_asked_ahead_over_a_slow_link_is_played_without_one(jvm: Jvm, tmp_path: Path) -> None:
    """The reads of a stop were sent before it had come in, and refused at first: played, they come behind it."""
    path = tmp_path / "one.jdbpy"
    lines = (f"break {SHOP.at('body')}", *LINES[1:3], "cont", "print i", "next", "where", "cont", "print i")
    async with start_target(jvm, SHOP) as target, open_relay(target.address, rtt=0.03) as relay:
        words = ("--sourcepath", SHOP.sources, "--json", "--keep-going", "--record", str(path))
        live = await jdbpy("attach", relay.address, *words, *script(*lines))
    assert [each["ok"] for each in live.results] == [True] * len(lines), live
    again = await jdbpy("replay", str(path), "--json", "--sourcepath", SHOP.sources)
    assert again.status == 0
    assert shown(again.objects) == shown(live.objects)[1:]  # how the JVM was reached
    other = await jdbpy("replay", str(path), "--json", *script(*lines[:5]))
    assert other.results == live.results[:5]
    ended = await jdbpy("replay", str(path), "--hold", "all")  # that breakpoint was never set, so it is not hit
    assert (ended.status, "the recording ends here" in ended.err) == (5, True), ended


async def stopped_values(session: library.Session) -> list[str]:
    """Return the values of the variables at the first hit."""
    await session.breakpoints.add(SHOP.at("body"))
    stop = await session.execution.cont()
    assert isinstance(stop, library.Stopped)
    values = [each.value for each in await session.stack.variables(stop.frame)]
    return [each.text for each in values if each is not None]


async def test_a_start_that_came_late_is_played_before_the_session_begins(
    jvm: Jvm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The JVM was not suspended yet when it was greeted, so its main thread was looked at, and resumed for that."""
    path = str(tmp_path / "one.jdbpy")

    async def early(*args: Any, **options: Any) -> Greeted:
        return (await greet(*args, **options)).replace(suspended=options.get("suspended", False), begun=False)

    async def from_the_start(session: library.Session) -> list[str]:
        assert session.last_stop is not None
        assert (await session.next_stop()) is session.last_stop
        return await stopped_values(session)

    for module in (attach, offline):
        monkeypatch.setattr(module, "greet", early)
    async with start_target(jvm, SHOP) as target:
        async with library.attach_session(target.address, options=library.Options(record=path)) as session:
            live = await from_the_start(session)
    async with library.replay_session(path) as session:
        with within(LIMIT):
            assert await from_the_start(session) == live != []


async def test_a_machine_that_is_busy_is_no_slow_link(
    any_jvm: Jvm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long a recording takes to answer, nothing is asked ahead of which it knows nothing."""
    path, log = tmp_path / "one.jdbpy", tmp_path / "wire.log"

    async with start_target(any_jvm, SHOP) as target:
        async with library.attach_session(target.address, options=library.Options(record=str(path))) as session:
            session._target.latency.round_trip = 0.0
            await session.next_stop()
            live = await stopped_values(session)
    monkeypatch.setattr(Connection, "round_trip", 0.1)
    async with library.replay_session(str(path), options=library.Options(wire_log=str(log))) as session:
        await session.next_stop()
        assert await stopped_values(session) == live != []
        assert "NOT_IN_RECORDING" not in log.read_text()


async def test_recordings_of_attach_and_listen(any_jvm: Jvm, tmp_path: Path) -> None:
    path = tmp_path / "one.jdbpy"
    async with start_target(any_jvm, SHOP) as target:
        done = await jdbpy("attach", target.address, "--record", str(path), *script("threads", "version"))
        assert done.status == 0, done
    async with start_target(any_jvm, SHOP) as target:
        refused = await jdbpy("attach", target.address, "--record", str(path), *script("threads"))
        assert refused.status == 2
        assert "it exists already" in refused.err
    again = await jdbpy("replay", str(path))
    assert again.status == 0, again
    assert "main" in again.out
    async with library.replay_session(str(path)) as session:
        assert session.recorded_lines == ("threads", "version")
        assert "main" in [each.name for each in await session.threads.list()]


async def test_a_stop_that_does_not_come_is_not_waited_for(any_jvm: Jvm, tmp_path: Path) -> None:
    """A breakpoint that suspends another number of threads was never set, so that it is not hit."""
    path = tmp_path / "one.jdbpy"
    lines = script(f"break {SHOP.at('body')}", "resume", "wait 60", "print i")
    async with start_target(any_jvm, SHOP) as target:
        live = await jdbpy("attach", target.address, "--json", "--hold", "thread", "--record", str(path), *lines)
    again = await jdbpy("replay", str(path), "--json")
    assert [each["ok"] for each in live.results] == [each["ok"] for each in again.results] == [True] * 4
    other = await jdbpy("replay", str(path), "--json", "--keep-going", "--hold", "all")
    assert [each["ok"] for each in other.results] == [True, True, True, False]


async def test_behind_the_end_of_the_target_is_nothing(any_jvm: Jvm, tmp_path: Path) -> None:
    path = tmp_path / "one.jdbpy"
    async with start_target(any_jvm, SHOP) as target:
        words = ("--json", "--keep-going", "--record", str(path), *script("cont", "cont", "where"))
        live = await jdbpy("attach", target.address, *words)
    again = await jdbpy("replay", str(path), "--json")
    assert [each["ok"] for each in live.results] == [True, False, False]
    assert shown(again.objects) == shown(live.objects)


async def test_what_is_no_recording_is_said(tmp_path: Path, any_jvm: Jvm) -> None:
    path = tmp_path / "one.jdbpy"
    async with start_target(any_jvm, SHOP) as target:
        await jdbpy("attach", target.address, "--record", str(path), *script("threads"))
    opened = await jdbpy("open", str(path), *script("where"))
    assert opened.status == 2
    assert "is not a snapshot: it is a recording" in opened.err
    with closing(sqlite3.connect(path)) as base:
        base.execute("UPDATE blocks SET size = size + 1")
        base.commit()
    with pytest.raises(library.StateError, match="is damaged"):
        async with library.replay_session(str(path)):
            pass
    again = await jdbpy("replay", str(path), "--record", str(tmp_path / "two.jdbpy"))
    assert again.status == 2
    assert "--record is for attach, launch and listen, not for replay" in again.err
    missing = await jdbpy("replay")
    assert missing.status == 2
    assert "--record FILE" in missing.err


@pytest.mark.parametrize(
    "said",
    [b"{", b"[]", b"7", b'{"hold": ""}', b'{"remote": 1, "hold": ""}', b'{"remote": true, "hold": []}', b"[" * 10_000],
)
async def test_a_beginning_that_makes_no_sense(tmp_path: Path, said: bytes) -> None:
    path = str(tmp_path / "one.jdbpy")
    with recording(path, "JVM") as recorder:
        assert recorder is not None
        recorder._put(ord("B"), 0, 0, 0, said)
    with pytest.raises(library.StateError, match="is damaged: what it says of its beginning makes no sense"):
        async with library.replay_session(path):
            pass

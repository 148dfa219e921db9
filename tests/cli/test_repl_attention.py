"""A prompt that is left alone while something is suspended: the bell, the watchdog, and the key that resumes all."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import trio
from trio.testing import MockClock

from jdbpy import Notice, Stopped, StopReason, SuspendPolicy
from jdbpy.cli.repl.prompt_state import ring_when_left_alone, rings_at
from tests.cli.prompt import attached, selected, ticks
from tests.harness import Jvm

PANIC = "\x18\x12"


class Left:
    """A session as the bell sees it: since when something is suspended, and when a key was pressed."""

    def __init__(self) -> None:
        self.pressed = trio.current_time()
        self.since: float | None = None
        self.suspended_everything = True
        self.suspended_threads = ()
        self.snapshot_info = None

    @property
    def idle(self) -> float:
        return trio.current_time() - self.pressed

    def suspended_for(self) -> float:
        return 0.0 if self.since is None else trio.current_time() - self.since


async def test_the_bell_rings_once(autojump_clock: MockClock, nursery: trio.Nursery) -> None:
    left, said = Left(), list[str]()
    session: Any = left
    nursery.start_soon(ring_when_left_alone, session, said.append)
    await trio.sleep(10_000)
    assert said == [], "nothing is suspended"
    left.since = trio.current_time()
    await trio.sleep(595)
    assert said == []
    await trio.sleep(10_000)
    assert len(said) == 1
    assert said[0].startswith("\aall threads have been suspended for 10:")
    assert "'cont' resumes" in said[0]
    left.pressed = trio.current_time()
    await trio.sleep(595)
    assert len(said) == 1
    await trio.sleep(15)
    assert len(said) == 2
    left.since = None
    await trio.sleep(10_000)
    assert len(said) == 2


def test_the_bell_rings_at_a_stop_that_was_waited_for() -> None:
    stop, start = (
        Stopped(reason, None, None, None, SuspendPolicy.ALL, 1) for reason in (StopReason.BREAKPOINT, StopReason.START)
    )
    assert rings_at(stop, 10.0, 10.0)
    assert not rings_at(stop, 9.9, 10.0)
    assert not rings_at(stop, 1e6, None)
    assert not rings_at(start, 10.0, 10.0)
    assert not rings_at(Notice("warning", "hot"), 10.0, 10.0)


async def test_a_stop_rings_at_the_prompt(any_jvm: Jvm, tmp_path: Path) -> None:
    async with attached(any_jvm, tmp_path) as (terminal, target):
        await terminal.prompt(">")
        await terminal.run("set bell 0.001", then=">")
        rung = terminal.screen.bells
        await terminal.run("break Ticker.tick", "Breakpoint 1 set", then=">")
        await target.send()
        await terminal.expect("Breakpoint 1 hit")
        await terminal.prompt("main[1]")
        assert terminal.screen.bells > rung


async def test_who_presses_keys_is_not_rung_for(autojump_clock: MockClock, nursery: trio.Nursery) -> None:
    session: Any = SimpleNamespace(snapshot_info=None, idle=1.0, suspended_for=lambda: 9_999.0)
    said = list[str]()
    nursery.start_soon(ring_when_left_alone, session, said.append)
    await trio.sleep(10_000)
    assert said == []


async def test_the_watchdog_resumes_beside_an_idle_prompt(jvm: Jvm, tmp_path: Path) -> None:
    async with attached(jvm, tmp_path, "--max-suspend", "1", "-c", "break Ticker.tick") as (terminal, target):
        await terminal.expect("Breakpoint 1 set")
        await target.send()
        await terminal.expect("resumed all threads: suspended for 1 s without a key or command (max-suspend)")
        await terminal.prompt(">")
        await target.wait_output("tick 1")
        await terminal.run("show max-suspend", "max-suspend", "1", then=">")
        await terminal.run("set max-suspend off", "off", then=">")
        await target.send()
        await selected(terminal)
        terminal.type(PANIC)
        await terminal.expect("resumed: all threads", "disabled: 1", "'enable 1' sets them again")
        await terminal.prompt(">")
        await target.wait_output("tick 2")
        await ticks(target)
        await terminal.run("panic", "nothing was suspended", "no breakpoints were enabled", then=">")


async def test_the_key_leaves_what_is_typed(any_jvm: Jvm, tmp_path: Path) -> None:
    async with attached(any_jvm, tmp_path, "-c", "break Ticker.tick") as (terminal, target):
        await terminal.expect("Breakpoint 1 set")
        await target.send()
        await selected(terminal)
        terminal.type("print 1" + PANIC)
        await terminal.expect("resumed: all threads")
        await terminal.prompt("> print 1")
        await ticks(target)

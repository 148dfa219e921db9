"""The sink: order, gathering, the brake, and who has the screen. Time is trio's mock clock."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from jdbpy.cli.repl.sink import Sink


class Screen:
    """A surface that keeps what it is shown, one entry a print, with the time."""

    def __init__(self, *, prompting: bool) -> None:
        self.prompting = prompting
        self.shown: list[str] = []
        self.times: list[float] = []
        self.stuck: trio.Event | None = None

    async def show(self, text: str) -> None:
        if self.stuck is not None:
            await self.stuck.wait()
        self.shown.append(text)
        self.times.append(trio.current_time())


@asynccontextmanager
async def running(screen: Screen, **options: float) -> AsyncIterator[Sink]:
    sink = Sink(screen, **options)  # type: ignore[arg-type]
    async with trio.open_nursery() as nursery:
        await nursery.start(sink.run)
        yield sink
        nursery.cancel_scope.cancel()


async def test_above_a_prompt_text_is_gathered(autojump_clock: MockClock) -> None:
    screen = Screen(prompting=True)
    async with running(screen) as sink:
        begun = trio.current_time()
        for number in range(2000):
            sink.write(f"line {number}\n")
            if number % 100 == 0:
                await trio.sleep(0.001)
        await trio.sleep(1)
    assert screen.shown == ["".join(f"line {number}\n" for number in range(2000))]
    assert screen.times[0] - begun == pytest.approx(0.030)


async def test_without_a_prompt_nothing_waits(autojump_clock: MockClock) -> None:
    screen = Screen(prompting=False)
    async with running(screen) as sink:
        begun = trio.current_time()
        sink.write("at once\n")
        await wait_all_tasks_blocked()
        assert (screen.shown, screen.times) == (["at once\n"], [begun])


async def test_flush_does_not_wait_for_the_gathering(autojump_clock: MockClock) -> None:
    screen = Screen(prompting=True)
    async with running(screen) as sink:
        begun = trio.current_time()
        sink.write("a\n")
        sink.write("b\n")
        await sink.flush()
        assert (screen.shown, screen.times) == (["a\nb\n"], [begun])
        await sink.flush()  # nothing is left: returns


async def test_every_write_is_whole_lines() -> None:
    screen = Screen(prompting=False)
    async with running(screen) as sink:
        sink.write("no newline")
        sink.write("")
        sink.write("two\nlines")
        await sink.flush()
    assert "".join(screen.shown) == "no newline\ntwo\nlines\n"


async def test_what_is_written_while_the_screen_is_held_comes_afterwards(autojump_clock: MockClock) -> None:
    screen = Screen(prompting=False)
    async with running(screen) as sink:
        sink.write("before\n")
        async with sink.held():
            assert screen.shown == ["before\n"]
            sink.write("meanwhile\n")
            await trio.sleep(10)
            assert screen.shown == ["before\n"]
        await sink.flush()
        assert screen.shown == ["before\n", "meanwhile\n"]


async def test_a_fast_writer_waits_for_a_slow_screen(autojump_clock: MockClock) -> None:
    screen = Screen(prompting=False)
    screen.stuck = trio.Event()
    async with running(screen, limit=100) as sink:
        sink.write("x" * 10)
        await wait_all_tasks_blocked()  # the screen is stuck with the first write
        sink.write("y" * 101)
        with trio.move_on_after(5) as patience:
            await sink.room()
        assert patience.cancelled_caught
        screen.stuck.set()
        await sink.room()
        await sink.flush()
    assert "".join(screen.shown) == "x" * 10 + "\n" + "y" * 101 + "\n"


async def test_a_terminal_that_is_gone_ends_the_sink() -> None:
    class VMDisconnected(Screen):
        async def show(self, text: str) -> None:
            raise OSError(5, "Input/output error")

    with pytest.RaisesGroup(OSError):
        async with trio.open_nursery() as nursery:
            sink = Sink(VMDisconnected(prompting=False))
            await nursery.start(sink.run)
            sink.write("x")
            await sink.flush()

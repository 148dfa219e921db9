"""Events on the screen: whole lines of output, the order of things, and the brake."""

from __future__ import annotations

import gc
import sys

import trio
from trio.testing import MockClock

from jdbpy import Event, EventsDropped, Exited, Notice, Output, Stopped, StopReason, SuspendPolicy, VMDisconnected
from jdbpy.cli.repl.events import UNFINISHED, EventWatcher
from jdbpy.cli.repl.sink import Sink
from jdbpy.session.events.streams import Publisher

STOP = Stopped(StopReason.PAUSE, None, None, None, SuspendPolicy.ALL, 1)


class Screen:
    prompting = False

    def __init__(self) -> None:
        self.text = ""

    async def show(self, text: str) -> None:
        self.text += text


async def shown(*script: Event | float) -> tuple[str, list[Event]]:
    """What is on the screen after these events, with pauses of so many seconds between them; and what was told."""
    screen = Screen()
    sink = Sink(screen)
    told: list[Event] = []

    async def happened(event: Event) -> None:
        told.append(event)

    async with trio.open_nursery() as nursery:
        await nursery.start(sink.run)
        send, receive = trio.open_memory_channel[Event](0)
        watcher = EventWatcher(receive, lambda event: f"<{type(event).__name__}>\n", sink, happened)

        async def feed() -> None:
            for item in (*script, Exited(0)):
                if isinstance(item, float):
                    await trio.sleep(item)
                else:
                    await send.send(item)

        nursery.start_soon(feed)
        await watcher.run()
        await sink.flush()
        nursery.cancel_scope.cancel()
    return screen.text, told


async def test_output_comes_in_whole_lines(autojump_clock: MockClock) -> None:
    text, _ = await shown(Output("stdout", "one\ntw"), Output("stdout", "o\n"))
    assert text == "one\ntwo\n<Exited>\n"


async def test_text_of_the_target_is_escaped_and_tabs_are_kept_in_shape(autojump_clock: MockClock) -> None:
    text, _ = await shown(Output("stdout", "\x1b[31mred\x1b[0m\ta\rb\r\nc\n"))
    assert text == "\\u001b[31mred\\u001b[0m    a\nb\nc\n<Exited>\n"


async def test_a_line_that_is_not_ended_is_shown_all_the_same(autojump_clock: MockClock) -> None:
    text, _ = await shown(Output("stdout", "name? "), 2 * UNFINISHED, Output("stdout", "thanks\n"))
    assert text == "name?\nthanks\n<Exited>\n"


async def test_a_short_pause_does_not_cut_a_line(autojump_clock: MockClock) -> None:
    text, _ = await shown(
        Output("stdout", "a"), UNFINISHED / 2, Output("stdout", "b"), UNFINISHED / 2, Output("stdout", "\n")
    )
    assert text == "ab\n<Exited>\n"


async def test_output_stays_in_order_with_what_happens(autojump_clock: MockClock) -> None:
    text, told = await shown(Output("stdout", "before"), STOP, Output("stderr", "after\n"), Notice("trace", "x"))
    assert text == "before\n<Stopped>\nafter\n<Notice>\n<Exited>\n"
    assert told == [STOP, Exited(0)]


async def test_the_last_event_ends_it(autojump_clock: MockClock) -> None:
    text, told = await shown(VMDisconnected("lost"), STOP)
    assert text == "<VMDisconnected>\n"
    assert told == [VMDisconnected("lost")]


def blocks() -> int:
    """How many pieces of memory Python has in use."""
    gc.collect()
    return sys.getallocatedblocks()


class StuckScreen(Screen):
    """A terminal that takes nothing until it is read; it counts the reports that it is shown, and those dropped."""

    def __init__(self) -> None:
        super().__init__()
        self.read = trio.Event()
        self.hits = self.dropped = 0

    async def show(self, text: str) -> None:
        await self.read.wait()
        for line in text.splitlines():
            word, _, number = line.partition(" ")
            self.hits += word == "hit"
            self.dropped += int(number) if word == "dropped" else 0


def words(event: Event) -> str:
    if isinstance(event, EventsDropped):
        return f"dropped {event.count}\n"
    return f"{event.text}\n" if isinstance(event, Notice) else "over\n"


async def test_a_million_reports_wait_for_a_terminal_in_little_memory() -> None:
    """While it takes nothing, what does not fit is dropped and counted; once it does, what comes is shown again."""
    screen, publisher = StuckScreen(), Publisher()
    sink = Sink(screen)

    async def happened(event: Event) -> None:
        assert isinstance(event, Exited)

    async def publish(count: int) -> None:
        for number in range(count):
            publisher.publish(Notice("trace", f"hit {number} of a method that is called all the time"))
            if number % 500 == 0:
                await trio.lowlevel.checkpoint()

    async with trio.open_nursery() as nursery:
        await nursery.start(sink.run)
        async with trio.open_nursery() as watching:
            watching.start_soon(EventWatcher(publisher.subscribe(), words, sink, happened).run)
            await publish(40_000)
            full = blocks()
            await publish(960_000)
            assert blocks() < full + 1_000
            assert screen.hits == 0
            screen.read.set()
            await publish(20_000)
            publisher.publish(Exited(0))
        await sink.flush()
        nursery.cancel_scope.cancel()
    assert screen.hits + screen.dropped == 1_020_000
    assert 10_000 < screen.hits < 50_000

"""The reader of the panes where things change while it reads: races, so the session is a fake."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import trio

from jdbpy import VmState
from jdbpy.cli.context import Listed
from jdbpy.cli.screen.reader import PaneReader
from jdbpy.cli.screen.sources import SourceReader
from jdbpy.cli.screen.state import ScreenState, SourceShown
from jdbpy.errors import StateError
from tests.harness import LIMIT


class Fleet:
    """Two JVMs: the first is the current one."""

    several = True

    def __init__(self) -> None:
        self.members: list[Any] = [self._made("a"), self._made("b")]
        self.current = self.members[0]

    def _made(self, name: str) -> Any:
        session = SimpleNamespace(
            state=VmState.STOPPED,
            selection=(1, 1),
            selected_thread_name="main",
            last_stop=None,
            snapshot_info=None,
            ran=0,
            points_are_used=False,
            stack=SimpleNamespace(),
            threads=SimpleNamespace(list=self._none),
        )
        return SimpleNamespace(
            name=name, session=session, context=SimpleNamespace(session=session, listed=None, open_call=None)
        )

    async def _none(self) -> list[Any]:
        return []


async def test_a_stop_of_another_jvm_while_one_is_read_is_shown() -> None:
    fleet, states = Fleet(), list[ScreenState]()
    other = fleet.members[1].session
    other.state = VmState.RUNNING
    reader = PaneReader(fleet, states.append)

    async def selected() -> Any:
        other.state = VmState.STOPPED
        reader.glance()
        raise StateError("the thread has no Java frames")

    fleet.current.session.stack.selected = selected
    await reader._read()
    assert [each.state for each in states[-1].jvms] == ["stopped", "stopped"]


async def test_news_at_the_stop_that_is_read_do_not_begin_the_reading_again() -> None:
    """Else a watch that is evaluated there would keep variables from being read for ever."""
    fleet, states = Fleet(), list[ScreenState]()
    reader = PaneReader(fleet, states.append)

    async def selected() -> Any:
        reader.poke()
        await trio.lowlevel.checkpoint()
        scope.cancel()
        raise StateError("the thread has no Java frames")

    fleet.current.session.stack.selected = selected
    with trio.fail_after(LIMIT), trio.CancelScope() as scope:
        await reader.run()
    assert states[-1].variables_note == "the thread has no Java frames"


async def test_without_source_the_pane_says_what_can_be_done() -> None:
    fleet, states = Fleet(), list[ScreenState]()
    session, reader = fleet.current.session, PaneReader(fleet, states.append)
    session.remote = True
    for state, words in ((VmState.RUNNING, "p pauses it"), (VmState.EXITED, "':restart'")):
        session.state = state
        await reader._read()
        assert words in states[-1].source.message


async def test_a_listing_that_is_dropped_while_it_is_read(monkeypatch: Any) -> None:
    fleet, states = Fleet(), list[ScreenState]()
    context = fleet.current.context
    context.listed, context.displays, context.displayed = Listed("coffee.Till", None, 1, 9), {}, {}

    async def listed(*_: Any) -> SourceShown:
        context.listed = None
        return SourceShown("source", "/Till.java", lines=("class Till {}",) * 9)

    async def standing() -> Any:
        return SimpleNamespace(location=SimpleNamespace(line=None))

    monkeypatch.setattr(SourceReader, "listed", listed)
    fleet.current.session.stack.standing = standing
    await PaneReader(fleet, states.append)._read_again(context)
    assert (states[-1].source.key, states[-1].source.at) == ("/Till.java", 5)

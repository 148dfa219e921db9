"""The interactive prompt in its two forms, line editor and full screen, and switching between them.

Keeps what survives a switch: the output so far, which the screen shows and which is printed when the screen closes, and
the settings of its panes. To the front end both are one prompt, with ``connect`` and ``begin``.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Protocol, TextIO

import trio

from jdbpy.cli.repl.prompt_state import PromptState, prompt_text
from jdbpy.cli.screen.output_log import OutputLog
from jdbpy.errors import UsageError
from jdbpy.escape import escape
from jdbpy.task_groups import open_nursery

if TYPE_CHECKING:
    from jdbpy.cli.context import Context
    from jdbpy.cli.jvms import Jvms
    from jdbpy.cli.repl.prompt_line import EditedPrompt
    from jdbpy.cli.repl.prompt_thread import PromptThread
    from jdbpy.cli.screen.full_prompt import FullScreen
    from jdbpy.cli.screen.model import ScreenModel
    from jdbpy.cli.screen.reader import PaneReader
    from jdbpy.cli.screen.state import ScreenState
    from jdbpy.cli.settings import Settings

KEPT = 1_000
"""Lines of output that are printed when the screen closes."""

LAST_WORDS = 40
"""Lines of the last command's output that are printed when the user leaves the debugger from the screen."""


class ScreenControl(Protocol):
    """The interface of the full screen for commands."""

    @property
    def is_open(self) -> bool:
        """True while the screen is open."""

    async def open(self) -> None:
        """Open the screen."""

    async def close(self) -> None:
        """Go back to the plain prompt."""

    async def arrange(self, name: str, how: str) -> None:
        """Show a pane, hide it, or size it. Raises UsageError."""


ALWAYS = ("source", "variables", "stack", "watches", "threads", "jvms", "output")
"""The panes that are always there."""


def check_wish(names: Sequence[str], name: str, how: str) -> None:
    """Raise UsageError for an unknown pane, or an action that it does not support."""
    if name not in names:
        raise UsageError(f"no pane '{name}'", hint=f"panes: {', '.join(names)}")
    if how not in ("", "on", "off", "only") and not how.isdecimal():
        raise UsageError(f"'{how}' is neither on, off, only nor a number of rows")


class ScreenSwitch:
    """The prompt on a terminal: the line editor until ``open``, the screen until ``close``."""

    def __init__(
        self,
        line: EditedPrompt,
        thread: PromptThread,
        settings: Settings,
        stdin: TextIO,
        stdout: TextIO,
        nursery: trio.Nursery,
        **keys: Any,
    ) -> None:
        """``keys`` and ``color`` are those of the line editor."""
        self._line = line
        self._thread = thread
        self._settings = settings
        self._stdin, self._stdout = stdin, stdout
        self._nursery = nursery
        self._keys = keys
        self._log = OutputLog()
        self._state = PromptState()
        self._screen: FullScreen | None = None
        self._model: ScreenModel | None = None
        self._jvms: Jvms | None = None
        self._reader: PaneReader | None = None
        self._opened: Callable[[str, str], object] | None = None
        self._reading = trio.CancelScope()
        self._typed: list[str] = []  # on the screen, before it went
        self._opened_at = 0  # the number of lines of output then
        self._line_at = 0  # and when the last line was typed
        thread.when_it_fails(self._fail)

    # The two faces

    @property
    def is_open(self) -> bool:
        """True while the full screen is open."""
        return self._screen is not None

    async def open(self) -> None:
        """Open the full screen."""
        if self._screen is not None or (self._jvms is None and self._opened is None):
            return
        from jdbpy.cli.screen.full_prompt import FullScreen
        from jdbpy.cli.screen.model import ScreenModel

        self._settings.on_screen = True
        if self._model is None:
            self._model = ScreenModel(self._log)
            self._model.wished, self._model.sizes = self._settings.screen_view or ({}, self._model.sizes)
        self._opened_at = self._log.count
        if self._jvms is not None:
            from jdbpy.cli.screen.plugin_panes import read_plugins
            from jdbpy.cli.screen.reader import PaneReader

            self._reader = PaneReader(self._jvms, self.publish, read_plugins)
            self._opened = self._reader.open
        assert self._opened is not None
        self._screen = FullScreen(
            self._thread,
            self._model,
            self._stdin,
            self._stdout,
            self._line.history,
            opened=self._opened,
            **self._keys,
        )
        self._screen.update(self._state)
        self._reading = trio.CancelScope()
        await self._nursery.start(self._screen.run)
        if self._reader is not None:
            self._nursery.start_soon(self._read, self._reader, self._reading)

    async def close(self, *, say: int = KEPT) -> None:
        """Go back to the line, with the output of the meantime: at most so many lines."""
        screen, self._screen = self._screen, None
        if screen is None:
            return
        self._settings.on_screen = False
        if self._model is not None:
            self._settings.screen_view = self._model.wished, self._model.sizes
        self._reading.cancel()
        for jvm in self._jvms.members if self._jvms is not None else ():
            jvm.context.seen = None
        screen.end()
        with trio.CancelScope(shield=True):
            await screen.over.wait()
        self._typed += screen.waiting_lines()
        since = self._opened_at if say == KEPT else self._line_at
        if lines := self._log.since(since)[-say:]:
            await self._line.show("\n".join([*lines, ""]))
        self._line.update(self._state)

    async def _read(self, reader: PaneReader, scope: trio.CancelScope) -> None:
        with scope:
            await reader.run()

    def publish(self, state: ScreenState) -> None:
        """Show another state in the panes."""
        if self._screen is not None:
            self._screen.take(state)

    def _fail(self, error: BaseException) -> None:
        """Drawing has failed. In the prompt's thread."""
        if self._screen is not None:
            self._screen.fail(error)
        else:
            self._line.fail(error)

    # For commands

    def use(self, context: Context) -> None:
        """Show what a JVM's context has."""
        context.screen = self
        context.on_displayed = self._poke

    def bind(self, jvms: Jvms) -> None:
        """Show these JVMs."""
        self._jvms = jvms

    def bind_remote(self, opened: Callable[[str, str], object]) -> None:
        """Show what a session elsewhere sends (``publish``); ``opened`` is called with what is opened in the tree."""
        self._opened = opened

    async def arrange(self, name: str, how: str) -> None:
        """Show a pane (``on``), hide it (``off``), or give it so many rows. Raises UsageError."""
        if self._jvms is not None:
            from jdbpy.cli.screen.plugin_panes import pane_names

            check_wish((*ALWAYS, *pane_names()), name, how)
        await self.open()
        screen = self._screen
        if screen is None:
            return
        if how.isdecimal():
            screen.do(lambda model: model.size(name, int(how)))
        elif how == "only":
            screen.do(lambda model: model.zoom_on(name))
        else:
            screen.do(lambda model: model.show(name, how != "off"))

    def _poke(self) -> None:
        if self._reader is not None:
            self._reader.poke()

    # As a prompt

    @property
    def pages(self) -> bool:
        """True if long text goes through a pager; the screen's output can be scrolled."""
        return self._screen is None and self._line.pages

    @property
    def completes(self) -> bool:
        """True if names are completed."""
        return self._line.completes

    @property
    def prompting(self) -> bool:
        """True if what is shown must be drawn around a prompt."""
        return self._screen is not None or self._line.prompting

    def update(self, state: PromptState) -> None:
        """Take another state."""
        self._state = state
        if self._screen is None:
            self._line.update(state)
            return
        self._screen.update(state)
        self._poke()

    def redraw(self) -> None:
        """Draw it anew."""
        if self._screen is None:
            self._line.redraw()
        else:
            self._screen.redraw()

    async def read_line(self) -> str:
        """Return the next line; raises EOFError at Ctrl-D and when the terminal is gone."""
        screen = self._screen
        if screen is None:
            line = self._typed.pop(0) if self._typed else await self._line.read_line()
        else:
            self._poke()
            try:
                line = await screen.read_line()
            except EOFError:
                if screen.failure is None or isinstance(screen.failure, EOFError | OSError):
                    raise
                await self._give_up(screen.failure)
                return ""
        if line.strip():
            self._line_at = self._log.typed_at = self._log.count
            self._echo(line)
            if self._reader is not None:
                self._reader.note_line(line)
        return line

    def _echo(self, line: str) -> None:
        self._log.write(f"\x1b[1m{prompt_text(self._state, 80)}{escape(line)}\x1b[0m")

    async def _give_up(self, failure: BaseException) -> None:
        """The screen has failed: the session goes on at the line."""
        import traceback

        self._log.write("".join(["internal error, please report it:\n", *traceback.format_exception(failure)]))
        await self.close()

    async def ask(self, question: str) -> str:
        """Return the answer to a question."""
        return await (self._line if self._screen is None else self._screen).ask(question)

    def size(self) -> tuple[int, int]:
        """Columns and lines of the window."""
        return self._line.size()

    async def page(self, parts: Iterable[str]) -> None:
        """Show a long text."""
        if self._screen is None:
            await self._line.page(parts)
        else:
            await self.show("".join(parts))

    async def show(self, text: str) -> None:
        """Put text into the output, or above the line."""
        if text:
            self._log.write(text)
        if self._screen is None:
            await self._line.show(text)
        else:
            self._screen.redraw()
            if self._reader is not None:
                self._reader.glance()
            await trio.lowlevel.checkpoint()


@asynccontextmanager
async def open_switch(
    line: EditedPrompt, thread: PromptThread, settings: Settings, stdin: TextIO, stdout: TextIO, **keys: Any
) -> AsyncIterator[ScreenSwitch]:
    """A prompt with both faces. Whatever ends the block, the terminal is left as it was found."""
    async with open_nursery() as nursery:
        switch = ScreenSwitch(line, thread, settings, stdin, stdout, nursery, **keys)
        try:
            yield switch
        finally:
            again = settings.on_screen
            with trio.CancelScope(shield=True):
                await switch.close(say=LAST_WORDS)
            settings.on_screen = again  # for a program that is started again
        nursery.cancel_scope.cancel()


def connect(prompt: object, context: Context) -> None:
    """Let the commands of a context open the screen, if the prompt has one."""
    if isinstance(prompt, ScreenSwitch):
        prompt.use(context)


async def begin(prompt: object, jvms: Jvms, settings: Settings) -> None:
    """Show these JVMs, on the screen at once if that was asked for."""
    if isinstance(prompt, ScreenSwitch):
        prompt.bind(jvms)
        if settings.on_screen:
            await prompt.open()

"""The prompt with line editing: prompt_toolkit in its thread, seen from trio.

Owns the one prompt on the screen and what is printed above it; and the file of the lines that were typed: its place
(XDG's state directory), its mode (0600, since lines may hold values of the target), its length. It gets lines and shows
text; what they mean is left to others.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TextIO

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion, DummyCompleter
from prompt_toolkit.document import Document
from prompt_toolkit.enums import DEFAULT_BUFFER
from prompt_toolkit.filters import has_focus
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.history import History, InMemoryHistory
from prompt_toolkit.input import create_input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.styles import Style

from jdbpy.cli.names import Candidate
from jdbpy.cli.repl.prompt_state import PromptState, prompt_text, toolbar
from jdbpy.cli.repl.prompt_thread import PromptThread
from jdbpy.cli.repl.terminal import size
from jdbpy.cli.repl.terminal_pager import page
from jdbpy.files import append_lines, state_directory, write_whole

RESIZE = 0.25
"""Seconds between two looks at the window's size: the signal that tells of a change goes to the main thread only."""

Complete = Callable[[str], Iterable[Candidate]]


class EditedPrompt:
    """Lines from a person at a terminal that knows escape codes.

    ``complete`` gives candidates for the text before the cursor and ``interrupt`` is called at a Ctrl-C on an empty
    line, ``panic`` of Ctrl-X Ctrl-R, ``pressed`` of every key. ``complete`` is called in the prompt's thread, the
    others in trio's.
    """

    def __init__(
        self,
        thread: PromptThread,
        stdin: TextIO,
        stdout: TextIO,
        *,
        color: bool,
        complete: Complete,
        interrupt: Callable[[], object],
        panic: Callable[[], object] = lambda: None,
        pressed: Callable[[], object] = lambda: None,
    ) -> None:
        self._thread = thread
        self._state = PromptState()
        self._input = create_input(stdin)
        self._output = inline_output(stdout, color=color)
        self._keys = key_bindings(partial(thread.notify, interrupt), partial(thread.notify, panic))
        self._lines: PromptSession[str] = PromptSession(
            self._message,
            bottom_toolbar=self._toolbar,
            completer=_Completions(complete),
            complete_while_typing=False,
            history=LineHistory(history_path()),
            key_bindings=self._keys,
            enable_suspend=True,
            refresh_interval=1.0,  # for the time that the toolbar shows; nothing is written when nothing changed
            style=STYLE,
            input=self._input,
            output=self._output,
        )
        self._lines.app.terminal_size_polling_interval = RESIZE
        self._lines.app.key_processor.before_key_press += lambda _: thread.notify(pressed)
        self._prompt = self._lines
        self._leave = False
        thread.when_it_fails(self.fail)

    @property
    def pages(self) -> bool:
        """True if long text goes through a pager: there is a user at the keyboard."""
        return True

    @property
    def completes(self) -> bool:
        """True if names are completed."""
        return True

    @property
    def history(self) -> History:
        """Return the lines that were typed, which the screen shares."""
        return self._lines.history

    @property
    def prompting(self) -> bool:
        return self._prompt.app.is_running

    def update(self, state: PromptState) -> None:
        """Take another state, which is shown when the prompt is drawn the next time."""
        self._state = state

    def redraw(self) -> None:
        """Draws the prompt anew, if it is on the screen."""
        self._thread.post(self._prompt.app.invalidate)

    async def read_line(self) -> str:
        """Return the next line; raises EOFError at Ctrl-D on an empty line and when the terminal is gone.

        When it is cancelled the prompt is taken off the screen.
        """
        self._prompt = self._lines
        return await self._thread.run(partial(self._read, self._lines), wake=self._wake)

    async def ask(self, question: str) -> str:
        """Return the answer to a question; "" at Ctrl-C and Ctrl-D. It is not kept in the history."""
        self._prompt = PromptSession(
            question,
            history=InMemoryHistory(),
            completer=DummyCompleter(),
            key_bindings=key_bindings(self._wake),
            input=self._input,
            output=self._output,
        )
        try:
            return await self._thread.run(partial(self._read, self._prompt), wake=self._wake)
        except EOFError:
            return ""

    def size(self) -> tuple[int, int]:
        """Columns and lines of the window."""
        return size()

    async def page(self, parts: Iterable[str]) -> None:
        """Show a text that is taller than the screen; return when the reader has had enough."""
        await page(parts, sys.stdin, sys.stdout)

    async def show(self, text: str) -> None:
        """Write text above the prompt, if there is one. The text must end its last line."""
        await self._thread.run(partial(self._print, text), wake=lambda: None)

    async def _read(self, prompt: PromptSession[str]) -> str:
        prompt.app.erase_when_done = False
        try:
            return await prompt.prompt_async(
                pre_run=self._check_leave, handle_sigint=False, set_exception_handler=False
            )
        finally:
            self._leave = False

    def _wake(self) -> None:
        """End the prompt from outside: take it off the screen. In the prompt's thread."""
        self._leave = True
        self._check_leave()

    def _check_leave(self) -> None:
        app = self._prompt.app
        if self._leave and app.is_running and not app.is_done:
            app.erase_when_done = True
            app.exit(result="")

    def fail(self, error: BaseException) -> None:
        """Drawing the prompt failed (the terminal is gone): the task that waits for a line gets the error."""
        app = self._prompt.app
        if app.is_running and not app.is_done:
            app.exit(exception=error)

    async def _print(self, text: str) -> None:
        """Print in the prompt's thread. The terminal stays in raw mode, so that no key is echoed between the lines."""
        app = self._prompt.app
        if app.is_running:
            app.renderer.erase()
        self._output.write_raw(text)
        self._output.flush()
        if app.is_running:
            app.renderer.reset()
            app.invalidate()

    def _message(self) -> StyleAndTextTuples:
        state = self._state
        return [
            ("class:prompt" if state.thread or state.asks else "class:prompt.idle", prompt_text(state, self._columns()))
        ]

    def _toolbar(self) -> StyleAndTextTuples:
        fragments: StyleAndTextTuples = []
        for segment in toolbar(self._state, self._columns(), time.monotonic()):
            if fragments:
                fragments.append(("", "│"))
            fragments.append((f"class:toolbar.{segment.kind}", f" {segment.text} "))
        return fragments

    def _columns(self) -> int:
        return self._output.get_size().columns


class _Completions(Completer):
    """prompt_toolkit's view of ``complete``."""

    def __init__(self, complete: Complete) -> None:
        self._complete = complete

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        for candidate in self._complete(document.text_before_cursor):
            yield Completion(candidate.text, -candidate.replaces, display_meta=candidate.meta)


def key_bindings(interrupt: Callable[[], object], panic: Callable[[], object] = lambda: None) -> KeyBindings:
    """Ctrl-C clears a line that has text, else calls ``interrupt``; Ctrl-X Ctrl-R calls ``panic``. The prompt stays."""
    bindings = KeyBindings()

    @bindings.add("c-x", "c-r", filter=has_focus(DEFAULT_BUFFER))
    def resume_everything(event: KeyPressEvent) -> None:
        panic()

    @bindings.add("c-c", filter=has_focus(DEFAULT_BUFFER))
    def clear_or_interrupt(event: KeyPressEvent) -> None:
        if event.current_buffer.text:
            event.current_buffer.reset()
        else:
            interrupt()

    return bindings


STYLE = Style.from_dict(
    {
        "bottom-toolbar": "reverse",
        "toolbar.state": "bold",
        "toolbar.thread": "bold",
        "toolbar.alarm": "noreverse bg:ansired fg:ansiwhite bold",
        "prompt": "bold",
        "prompt.idle": "",
        "completion-menu": "bg:default fg:default",
        "completion-menu.completion": "reverse",
        "completion-menu.completion.current": "noreverse bold",
        "completion-menu.meta.completion": "reverse",
        "completion-menu.meta.completion.current": "noreverse",
        "scrollbar.background": "reverse",
        "scrollbar.button": "noreverse",
    }
)


class InlineOutput(Vt100_Output):
    """A terminal that is never asked where its cursor is.

    prompt_toolkit asks before each prompt, to put the toolbar at the very bottom of the screen; it then waits for the
    answer before every print above the prompt, warns about terminals that give none, and hides the toolbar meanwhile.
    Told that there is one row left, it draws the toolbar right below the line that is typed.
    """

    def get_rows_below_cursor_position(self) -> int:
        return 1

    @property
    def responds_to_cpr(self) -> bool:
        return False


def inline_output(stdout: TextIO, *, color: bool) -> InlineOutput:
    """Return the terminal behind ``stdout``; without color, bold and reversed text remain."""
    depth = ColorDepth.DEPTH_4_BIT if color else ColorDepth.DEPTH_1_BIT
    output = InlineOutput.from_pty(stdout, default_color_depth=depth)
    assert isinstance(output, InlineOutput)
    return output


KEPT = 5_000
"""Entries that survive a run; the file is cut back to this many when it is read."""


def history_path(environ: Mapping[str, str] = os.environ) -> Path | None:
    """Return the file ``history`` of the state directory; None when there is no home directory."""
    state = state_directory(environ)
    return Path(state, "history") if state else None


class LineHistory(History):
    """prompt_toolkit's history on that file. Without a file, or when it cannot be written, it lasts for this run.

    A line equal to the one before it is not added again; a line that begins with a blank is not kept (as in a shell).
    """

    def __init__(self, path: Path | None, *, kept: int = KEPT) -> None:
        super().__init__()
        self._path = path
        self._kept = kept

    def load_history_strings(self) -> Iterable[str]:
        """Return the newest first, as prompt_toolkit wants them."""
        if self._path is None:
            return []
        try:
            lines = self._path.read_text("utf-8", "replace").split("\n")
        except OSError:
            return []
        lines = [line for line in lines if line]
        if len(lines) > self._kept:
            lines = lines[-self._kept :]
            self._rewrite(lines)
        return reversed(lines)

    def append_string(self, string: str) -> None:
        string = " ".join(string.rstrip().splitlines())
        if string and not string[0].isspace() and self._loaded_strings[:1] != [string]:
            super().append_string(string)

    def store_string(self, string: str) -> None:
        if self._path is None:
            return
        try:
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            append_lines(str(self._path), [string])
        except OSError:
            self._path = None  # read-only home, full disk: the debugger is used for something else than its history

    def _rewrite(self, lines: list[str]) -> None:
        with suppress(OSError):
            write_whole(str(self._path), lines, replace=True)

"""The screen as a source of lines: the application in the prompt's thread, seen from trio.

Owns the communication between the two threads (lines, answers and requests come out, states and text go in), and
restores the terminal however the application ends.
"""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from typing import TextIO

import trio
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import History
from prompt_toolkit.input import create_input
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output

from jdbpy.cli.names import Candidate
from jdbpy.cli.repl.prompt_state import PromptState
from jdbpy.cli.repl.prompt_thread import PromptThread
from jdbpy.cli.screen.application import ScreenApplication
from jdbpy.cli.screen.model import ScreenModel
from jdbpy.cli.screen.state import ScreenState
from jdbpy.task_groups import open_nursery

WAITING = 2
"""Lines queued by keys while a command runs; more are dropped, so that a held key has no long aftermath."""


class FullScreen:
    """One screen. Methods are called in trio's thread."""

    def __init__(
        self,
        thread: PromptThread,
        model: ScreenModel,
        stdin: TextIO,
        stdout: TextIO,
        history: History,
        *,
        color: bool,
        complete: Callable[[str], Iterable[Candidate]],
        interrupt: Callable[[], object],
        panic: Callable[[], object],
        pressed: Callable[[], object],
        opened: Callable[[str, str], object],
    ) -> None:
        self.failure: BaseException | None = None
        """The error that ended the application; None after a regular end."""
        self.over = trio.Event()
        """Set when it has ended."""
        self._thread = thread
        self._lines: deque[str | None] = deque()
        self._came = trio.Event()
        self._answers: deque[str] = deque()
        self._state: ScreenState | None = None
        self._reading = False
        self._screen = ScreenApplication(
            model,
            _Crossing(thread, self, interrupt, panic, pressed, opened),
            input=create_input(stdin),
            output=Vt100_Output.from_pty(
                stdout, default_color_depth=ColorDepth.DEPTH_4_BIT if color else ColorDepth.DEPTH_1_BIT
            ),
            history=history,
            completer=_CommandCompleter(complete),
        )

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Show it until ``end`` is called, or the terminal has gone. A cancellation ends it as well."""
        task_status.started()
        try:
            async with open_nursery() as nursery:
                nursery.start_soon(self._follow_size)
                await self._thread.run(self._run, wake=self._exit)
                nursery.cancel_scope.cancel()
        finally:
            self.over.set()
            self._came.set()

    async def _follow_size(self) -> None:
        """Redraw whenever the window has changed, also when it has its old size again by then: the terminal may have
        cut what was on it."""
        if (changed := getattr(signal, "SIGWINCH", None)) is not None:
            with trio.open_signal_receiver(changed) as signals:
                async for _ in signals:
                    self._thread.post(self._screen.resized)

    async def _run(self) -> None:
        app = self._screen.application
        try:
            await app.run_async(pre_run=self._check_leave, handle_sigint=False, set_exception_handler=False)
        except (Exception, EOFError) as error:
            self.failure = error

    def end(self) -> None:
        """Take it off the terminal; ``over`` is set when that is done."""
        self._thread.post(self._exit)

    _leave = False

    def _exit(self) -> None:
        self._leave = True
        self._check_leave()

    def _check_leave(self) -> None:
        app = self._screen.application
        if self._leave and app.is_running and not app.is_done:
            app.exit()

    def fail(self, error: BaseException) -> None:
        """Drawing has failed. In the prompt's thread."""
        app = self._screen.application
        if app.is_running and not app.is_done:
            app.exit(exception=error)

    def redraw(self) -> None:
        """Redraw the screen."""
        self._thread.post(self._screen.application.invalidate)

    def update(self, state: PromptState) -> None:
        """Update the state of the prompt, which has the focus while more lines are asked for."""
        before = self._screen.prompt_state
        self._screen.prompt_state = state
        if state.takes_lines and not before.takes_lines:
            self._thread.post(self._screen.focus_prompt)
        self.redraw()

    def take(self, state: ScreenState) -> None:
        """Update the state of the panes."""
        waits = self._state is not None
        self._state = state
        if not waits:
            self._thread.post(self._take)

    def _take(self) -> None:
        state, self._state = self._state, None
        if state is not None:
            self._screen.model.take(state)
            self._screen.application.invalidate()

    def do(self, function: Callable[[ScreenModel], object]) -> None:
        """Change which panes are shown, and how."""
        self._thread.post(partial(function, self._screen.model))
        self.redraw()

    def say(self, text: str) -> None:
        """Show a message until the next key."""
        self._thread.post(partial(self._screen.say, text))
        self.redraw()

    # Lines

    async def read_line(self) -> str:
        """Return the next line that was typed, or that a key means. Raises EOFError at Ctrl-D, and when it is over."""
        self._reading = True
        try:
            while not self._lines:
                if self.over.is_set():
                    raise EOFError
                self._came = trio.Event()
                await self._came.wait()
        finally:
            self._reading = False
        line = self._lines.popleft()
        if line is None:
            raise EOFError
        return line

    async def ask(self, question: str) -> str:
        """Return the answer to a question; "" where there is none."""
        self._answers.clear()
        self._thread.post(partial(self._screen.ask, question))
        self.redraw()
        try:
            while not self._answers and not self.over.is_set():
                self._came = trio.Event()
                await self._came.wait()
        except trio.Cancelled:
            self._thread.post(self._screen.unask)
            raise
        return self._answers.popleft() if self._answers else ""

    def put_line(self, line: str | None, *, by_key: bool) -> None:
        """Take a line from the screen."""
        if by_key and len(self._lines) >= WAITING:
            self.say("a command runs: Ctrl-C ends it")
            return
        self._lines.append(line)
        self._came.set()

    def waiting_lines(self) -> list[str]:
        """Return the lines that were typed and not read."""
        return [line for line in self._lines if line is not None]

    def put_answer(self, answer: str) -> None:
        """Take the answer to a question."""
        self._answers.append(answer)
        self._came.set()


class _Crossing:
    """``Requests`` of the screen on their way to trio's thread."""

    def __init__(
        self,
        thread: PromptThread,
        screen: FullScreen,
        interrupt: Callable[[], object],
        panic: Callable[[], object],
        pressed: Callable[[], object],
        opened: Callable[[str, str], object],
    ) -> None:
        self._notify = thread.notify
        self._screen = screen
        self.interrupt = partial(thread.notify, interrupt)
        self.panic = partial(thread.notify, panic)
        self.pressed = partial(thread.notify, pressed)
        self._opened = opened

    def line(self, text: str, *, by_key: bool) -> None:
        self._notify(partial(self._screen.put_line, text, by_key=by_key))

    def answer(self, text: str) -> None:
        self._notify(partial(self._screen.put_answer, text))

    def open(self, kind: str, path: str) -> None:
        self._notify(partial(self._opened, kind, path))

    def end(self) -> None:
        self._notify(partial(self._screen.put_line, None, by_key=False))


class _CommandCompleter(Completer):
    """prompt_toolkit's view of ``complete``."""

    def __init__(self, complete: Callable[[str], Iterable[Candidate]]) -> None:
        self._complete = complete

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        for candidate in self._complete(document.text_before_cursor):
            yield Completion(candidate.text, -candidate.replaces, display_meta=candidate.meta)

"""The conversation at the prompt: lines in, outcomes and events out, until one side leaves.

Owns who has the screen and the keyboard at each moment, what an interrupt ends, and how the conversation ends. What
commands do, how things look and what keys mean stands in other modules.
"""

from __future__ import annotations

import sys
import traceback
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import chain
from typing import Protocol

import trio

from jdbpy import (
    Disconnected,
    Event,
    Exited,
    Gone,
    JdbpyError,
    LeaveError,
    Notice,
    Stop,
    StopReason,
    ThreadsResumed,
    VmState,
)
from jdbpy.cli.commands.data import evaluate_displays
from jdbpy.cli.context import Context
from jdbpy.cli.interpreter import Interpreter
from jdbpy.cli.output.plain import PlainRenderer
from jdbpy.cli.output.renderer import Outcome
from jdbpy.cli.repl.completion_refresh import NamesRefresher
from jdbpy.cli.repl.events import EventWatcher
from jdbpy.cli.repl.picture import Picture
from jdbpy.cli.repl.prompt_state import PromptState, ring_when_left_alone
from jdbpy.cli.repl.sink import Sink, Surface
from jdbpy.cli.repl.terminal import fitting, size
from jdbpy.cli.repl.terminal_pager import page
from jdbpy.cli.stop_actions import run_stop_actions
from jdbpy.cli.table import CliCommand, CommandTable
from jdbpy.escape import escape, escape_lines
from jdbpy.process.signals import Doing, Reaction, reaction
from jdbpy.record import Record

GRACE = 0.15
"""Seconds that the prompt waits after a command that resumes: most steps end within them, and are then shown first."""

FAILED = 1
"""Exit status when it is not certain that the target runs on."""

LOST = 5
"""Exit status when the connection is lost (architecture, section 5)."""


class Prompt(Surface, Protocol):
    """Where lines come from."""

    @property
    def pages(self) -> bool: ...

    def update(self, state: PromptState) -> None: ...

    def redraw(self) -> None: ...

    async def read_line(self) -> str: ...

    async def ask(self, question: str) -> str: ...


class Conversation:
    """One person, one session. ``status`` is the exit status afterwards."""

    def __init__(
        self,
        context: Context,
        table: CommandTable,
        make_renderer: Callable[[], PlainRenderer],
        prompt: Prompt,
        sink: Sink,
        names: NamesRefresher,
        after: Callable[[str], str] = lambda line: "",
    ) -> None:
        """``after`` is told of each line that succeeded, and says something, or nothing, when it is done."""
        self.status = 0
        self._make_renderer = make_renderer
        self._after = after
        self._context = context
        self._session = context.session
        self._prompt = prompt
        self._sink = sink
        self._names = names
        self._picture = Picture(context.session)
        self._interpreter = Interpreter(table, context, self._report, self._settle)
        context.wait = self._wait
        self._doing = Doing.COMMAND
        self._command = trio.CancelScope()  # ends the command that runs now
        self._reading = trio.CancelScope()  # takes the prompt off the screen
        self._entered = trio.Event()  # the prompt has been left
        self._begun = trio.Event()  # some event was shown
        self._before = context.session.last_stop  # no wait that begins now is ended by this one
        self._stopped = trio.Event()  # another stop, or the end, was shown
        self._ended = trio.Event()  # the end was shown
        self._began_ended = False  # the session had ended before the line that runs now
        self._resumed = False  # the line that runs now has let the target run
        self._in_a_row = True  # more lines follow at once: each waits for its stop
        self._long: list[Iterable[str]] = []  # outcomes that are taller than the screen
        self._last: CliCommand | None = None
        self._pausing = False
        self._showing = trio.CancelScope()  # ends the evaluation of displays

    @cached_property
    def _renderer(self) -> PlainRenderer:
        """Made when the first thing is to be shown: the prompt need not wait for it."""
        return self._make_renderer()

    # The course of it

    async def run(
        self, lines: Sequence[str], interrupts: trio.MemoryReceiveChannel[None], before: Sequence[str] = ()
    ) -> None:
        """Runs ``lines``, then what is typed, until a command leaves, Ctrl-D, or the end of the target.

        A line that fails keeps those behind it from running, but not if it is one of ``before``, which come first.
        """
        with self._session.events() as stream:
            async with trio.open_nursery() as nursery:
                self._nursery = nursery
                nursery.start_soon(EventWatcher(stream, self._event_text, self._sink, self._happened).run)
                nursery.start_soon(self._safely, self._names.run)
                nursery.start_soon(self._obey, interrupts)
                nursery.start_soon(ring_when_left_alone, self._session, self._sink.write)
                for wrong in await self._context.begin_python(nursery, self._printed):
                    self._report(Outcome("plugins", None, error=wrong))
                await self._converse(lines, before)
                if self._session.ending is not None:
                    await self._ended.wait()  # until it was shown
                await self._context.end_python()
                await self._sink.flush()
                nursery.cancel_scope.cancel()

    async def _converse(self, lines: Sequence[str], before: Sequence[str]) -> None:
        restarts = self._context.restarts
        again = restarts is not None and restarts.kept is not None
        if lines or before or again:
            with trio.move_on_after(GRACE):  # a target that is held at its start says so, or is just about to
                await self._begun.wait()
        for line in before:
            if not self._over:
                await self._run_line(line)
        if restarts is not None and again:
            line = await restarts.put_back(self._context, lambda text: self._sink.write(f"{text}\n"))
            self._context.restarted = True
            if line:
                await self._run_line(line)
            self._context.restarted = False
        while True:
            for line in lines:
                if self._over or not await self._run_line(line):
                    break
            if self._over:
                break
            typed = await self._next_line()
            lines = (typed or "").splitlines()  # several when they were pasted
            if typed == "" and self.takes_python:
                lines = [""]  # it ends a block
            self._in_a_row = len(lines) > 1

    @property
    def _over(self) -> bool:
        ending = self._session.ending
        return self._context.leaving or (ending is not None and not self._stays(ending))

    def _stays(self, ending: Exited | Gone) -> bool:
        """True if the prompt outlives the session."""
        restarts = self._context.restarts
        return restarts is not None and restarts.stays(self._context, ending)

    async def _next_line(self) -> str | None:
        """The next line to run; None when there is none, since nothing was typed or the target has ended."""
        self._prompt.update(await self._draw())
        await self._sink.flush()
        self._doing, self._entered = Doing.PROMPTING, trio.Event()
        line: str | None = None
        with trio.CancelScope() as self._reading:
            if not self._over:
                try:
                    line = await self._prompt.read_line()
                except EOFError:
                    line = "quit" if self._context.collecting is None else "end"
                    if self._context.python_lines is not None:
                        self._context.python_lines.clear()
        self._entered.set()
        if self.takes_python:
            return line
        return self._repeated() if line is not None and not line.strip() else line

    def _repeated(self) -> str | None:
        """What an empty line runs: what the last command says, which is nothing unless it can do no harm."""
        runs = self._session.state is VmState.RUNNING  # nothing to step through, and Enter is easily hit
        idle = runs or self._context.collecting is not None
        if self._last is None or idle or not self._context.settings["repeat"]:
            return None
        return "!!" if self._last.repeats == "again" else self._last.repeats or None

    @property
    def takes_python(self) -> bool:
        """True while lines are Python, since `py`."""
        return self._context.python_lines is not None

    def _printed(self, text: str) -> None:
        self._sink.write(escape_lines(text))

    # Commands

    async def _run_line(self, line: str) -> bool:
        """Runs a line to its end, or to the interrupt. False when it failed."""
        self._doing = Doing.COMMAND
        self._resumed, succeeded = False, False
        self._began_ended = self._session.ending is not None
        self._session.touch()
        self._expect_stop()
        with trio.CancelScope() as self._command:
            try:
                succeeded = await self._interpreter.run(line)
            except Exception:  # a fault of ours ends the command, not the session in the middle of somebody's work
                self._sink.write(_fault())
            await self._show_long()
        if self._command.cancelled_caught:
            self._sink.write("interrupted\n")
        elif self._resumed and not self._over:
            with trio.move_on_after(GRACE):
                await self._stopped.wait()
        self._session.touch()
        self._long.clear()
        self._names.poke()
        if succeeded:
            self._sink.write(self._after(line))
        return succeeded

    async def _settle(self, command: CliCommand, result: Record) -> Record:
        """After a command that let the target run: a script and ``3 next`` wait for the stop, a person need not."""
        self._resumed = True
        if self._in_a_row or self._context.scripts or self._interpreter.last[:1].isdigit():
            self._doing = Doing.WAITING
            await self._stopped.wait()
            self._expect_stop()
            self._doing = Doing.COMMAND
        return result

    async def _wait(self, seconds: float) -> bool:
        """Wait while events are shown; False if a stop or the end came before the time was over."""
        self._doing = Doing.WAITING
        with trio.move_on_after(seconds) as waiting:
            await self._stopped.wait()
        self._doing = Doing.COMMAND
        return waiting.cancelled_caught

    def _expect_stop(self) -> None:
        self._before, self._stopped = self._session.last_stop, trio.Event()

    def _report(self, outcome: Outcome) -> None:
        if not self._context.acting:
            self._last = outcome.command
        ended = isinstance(self._session.ending, Gone) and not self._began_ended
        if isinstance(outcome.error, Disconnected) and ended:
            return  # an event of its own says so
        if isinstance(outcome.error, LeaveError):
            self.status = FAILED
        if outcome.error is not None:
            self._show(iter([self._renderer.error(outcome)]))
        else:
            self._show(self._renderer.parts(outcome))

    def _show(self, parts: Iterator[str]) -> None:
        """Shows an outcome now if it fits on the screen, and nothing long waits before it.

        What is run by itself at a stop is shown at once: nobody has asked for it and waits to read it.
        """
        columns, lines = size()
        pages = self._prompt.pages and not self._context.acting
        text = fitting(parts, columns, lines - 1) if pages else "".join(parts)
        if isinstance(text, str) and (not self._long or self._context.acting):
            self._sink.write(text)
        else:
            self._long.append([text] if isinstance(text, str) else text)

    async def _show_long(self) -> None:
        if self._long:
            self._doing = Doing.PAGING
            async with self._sink.held():
                await page(chain.from_iterable(self._long), sys.stdin, sys.stdout)

    # Events

    def _event_text(self, event: Event) -> str:
        """The text of an event; of our own leaving the command has spoken already."""
        if isinstance(event, Gone) and self._context.leaving:
            return ""
        try:
            return self._renderer.event(event) + self._stays_selected(event)
        except Exception:
            return _fault()

    def _stays_selected(self, event: Event) -> str:
        """A line for a stop of another thread than the one that the user is at work in."""
        selected = self._session.selection[0]
        if not isinstance(event, Stop) or event.thread is None or selected in (None, event.thread.id):
            return ""
        name = escape(self._session.selected_thread_name)
        return f"thread {name} stays selected; 'thread {event.thread.id}' selects the one that stopped\n"

    async def _happened(self, event: Event) -> None:
        """A stop, a resume by the watchdog, or the end is being shown."""
        if isinstance(event, Notice | ThreadsResumed):
            await self._redraw()
            self._names.poke()
            return
        if not isinstance(event, Stop):
            if isinstance(event, Exited | Gone):
                self._session_ended(event)
            self._stopped.set()
            self._ended.set()
            self._reading.cancel()
            return
        old = event is self._before or event.reason is StopReason.START
        stopped = trio.Event() if old else self._stopped
        if event.reason is StopReason.START and self._doing is Doing.WAITING:
            with suppress(JdbpyError):  # told only now, after it was let go: it is not what the command waits for
                await self._session.execution.resume()
        self._prompt.update(await self._draw())
        await self._sink.flush()  # the prompt below the stop speaks of it, the one above it does not
        self._prompt.redraw()
        self._names.poke()
        self._begun.set()
        self._showing.cancel()
        self._nursery.start_soon(self._safely, self._do_at_stop, event, stopped)

    def _session_ended(self, event: Exited | Gone) -> None:
        context, restarts = self._context, self._context.restarts
        if context.leaving:
            return
        if restarts is not None and (restarts.automatic or self._stays(event)):
            self._sink.write(restarts.hint(context))
        if restarts is not None and restarts.comes_back(context):
            restarts.ask(context, "")
        elif isinstance(event, Gone):
            self.status = LOST

    async def _do_at_stop(self, stop: Stop, stopped: trio.Event) -> None:
        """Displays, monitors and the commands of what was hit.

        Beside everything else: an expression may run code of the target, and that may stop at a breakpoint.
        """
        if self._context.python is not None and await self._context.python.at_stop(stop):
            await self._redraw()
            return
        with trio.CancelScope() as self._showing:
            if self._context.displays:
                self._sink.write(self._renderer.displays(await evaluate_displays(self._context)))
        if await run_stop_actions(self._context, stop):
            await self._redraw()
        else:
            stopped.set()

    async def _draw(self) -> PromptState:
        collecting = self._context.collecting
        asks = "" if collecting is None else f"commands {collecting.number}"
        if self._context.python_lines is not None:
            asks = self._context.python_lines.prompt
        return await self._picture.draw(asks)

    async def _redraw(self) -> None:
        self._prompt.update(await self._draw())
        self._prompt.redraw()

    # Interrupts

    async def _obey(self, interrupts: trio.MemoryReceiveChannel[None]) -> None:
        async for _ in interrupts:
            if self._doing is Doing.PROMPTING and not self._prompt.prompting:
                with trio.move_on_after(GRACE):  # perhaps a line was entered just now: then its command is meant
                    await self._entered.wait()
            runs = self._session.state is VmState.RUNNING
            match reaction(self._doing, runs):
                case Reaction.CANCEL:
                    self._command.cancel()
                case Reaction.PAUSE | Reaction.EXPLAIN if self._context.collecting is not None:
                    self._context.collecting = None
                    self._sink.write("nothing was changed\n")
                    await self._redraw()
                case Reaction.PAUSE | Reaction.EXPLAIN if self.takes_python:
                    lines = self._context.python_lines
                    if lines is not None and not lines.clear():
                        self._sink.write("'exit' or Ctrl-D leaves Python\n")
                    await self._redraw()
                case Reaction.PAUSE:
                    if self._doing is Doing.WAITING:
                        self._command.cancel()
                    if not self._pausing:
                        self._nursery.start_soon(self._safely, self._pause)
                case Reaction.EXPLAIN:
                    self._sink.write(f"{self._still()}; Ctrl-D or 'quit' leaves the debugger\n")
                case Reaction.IGNORE:
                    pass

    def _still(self) -> str:
        """Why Ctrl-C does not stop anything."""
        if self._session.state is VmState.STOPPED and not self._session.suspended_everything:
            return "a thread is suspended already; 'pause' suspends the others too"
        return "nothing is running"

    async def _pause(self) -> None:
        self._pausing = True
        try:
            await self._session.execution.pause()
        except JdbpyError as error:
            self._sink.write(self._renderer.error(Outcome("pause", None, error=error)))
        finally:
            self._pausing = False

    def panic(self) -> None:
        """Does what the command does, whatever is typed at the prompt."""
        self._nursery.start_soon(self._safely, self._panic)

    async def _panic(self) -> None:
        try:
            outcome = Outcome("panic", None, await self._session.panic())
            self._sink.write("".join(self._renderer.parts(outcome)))
        except JdbpyError as error:
            self._sink.write(self._renderer.error(Outcome("panic", None, error=error)))
        await self._redraw()

    async def _safely(self, function: Callable[..., Awaitable[None]], *arguments: object) -> None:
        """Runs what goes on beside the prompt: its faults are shown and do not end the session."""
        try:
            await function(*arguments)
        except Exception:
            self._sink.write(_fault())


def _fault() -> str:
    """What to say of an exception that nobody foresaw."""
    return f"internal error, please report it:\n{traceback.format_exc()}"

"""The conversation at the prompt: lines in, outcomes and events out, until one side leaves.

Owns who has the screen and the keyboard at each moment, what an interrupt ends, and how the conversation ends. What
commands do, how things look and what keys mean stands in other modules.
"""

from __future__ import annotations

import re
import sys
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from functools import partial

import trio

from jdbpy import (
    Disconnected,
    Event,
    EventStream,
    Exited,
    JdbpyError,
    LeaveError,
    Notice,
    Session,
    SourceWindow,
    Stopped,
    StopReason,
    ThreadsResumed,
    UsageError,
    VMDisconnected,
    VmState,
)
from jdbpy.cli.context import Context
from jdbpy.cli.driver import Driver
from jdbpy.cli.interpreter import expanded
from jdbpy.cli.jvms import WAITING_FOR_ANY, Jvm, Jvms
from jdbpy.cli.output.plain import PlainRenderer
from jdbpy.cli.output.renderer import Outcome
from jdbpy.cli.repl.completion_refresh import NamesRefresher
from jdbpy.cli.repl.events import EventWatcher, event_text
from jdbpy.cli.repl.offers import Offers
from jdbpy.cli.repl.prompt_state import BELL, Picture, PromptState, ring_when_left_alone, rings_at
from jdbpy.cli.repl.screen import Prompt, Screen
from jdbpy.cli.repl.sink import LineGatherer, Sink
from jdbpy.cli.repl.terminal_pager import run_program
from jdbpy.cli.results import Displayed
from jdbpy.cli.table import CliCommand, CommandTable
from jdbpy.escape import escape, escape_code, escape_lines
from jdbpy.process.scripts import failed
from jdbpy.process.signals import Doing, Reaction, reaction
from jdbpy.process.statuses import FAILED, LOST
from jdbpy.record import Record
from jdbpy.task_groups import open_nursery

_COLORS = re.compile(r"\x1b\[[0-9;]*[mK]")

GRACE = 0.15
"""Seconds that the prompt waits after a command that resumes: most steps end within them, and are then shown first."""


class Conversation(Driver):
    """One person, one session or several."""

    def __init__(
        self,
        jvms: Jvms,
        make_context: Callable[[Jvm], Context],
        table: CommandTable,
        make_renderer: Callable[[], PlainRenderer],
        prompt: Prompt,
        sink: Sink,
        names: NamesRefresher,
        after: Callable[[str, bool], str] = lambda line, ended: "",
        offers: Offers | None = None,
    ) -> None:
        """``after`` is called with each line that succeeded, once the target stands or has ended (True then), and says
        something, or nothing.
        """
        super().__init__(jvms, table)
        self._after = after
        self._offers = offers
        self._make_context = make_context
        self._joined: dict[Jvm, trio.CancelScope] = {}  # what shows the events of each
        self._pictures: dict[Session, Picture] = {}
        self._prompt = prompt
        self._sink = sink
        self._screen = Screen(prompt, sink, make_renderer)
        self._names = names
        self._doing = Doing.COMMAND
        self._command = trio.CancelScope()  # ends the command that runs now
        self._reading = trio.CancelScope()  # takes the prompt off the screen
        self._entered = trio.Event()  # the prompt has been left
        self._begun = trio.Event()  # some event was shown
        self._before = jvms.current.session.last_stop  # no wait that begins now is ended by this one
        self._stopped = trio.Event()  # another stop, or the end, was shown
        self._ended = trio.Event()  # the end was shown
        self._began_ended = False  # the session had ended before the line that runs now
        self._resumed = False  # the line that runs now has let the target run, and nothing has waited for a stop
        self._unfinished = ""  # a line that has let the target run, which has not come to a stop yet
        self._in_a_row = True  # more lines follow at once: each waits for its stop
        self._last: CliCommand | None = None
        self._pausing = False
        self._lines: deque[str] = deque()  # what is run before the next prompt
        self._first: Sequence[str] = ()  # what is run before these, whatever fails
        self._interrupts: trio.MemoryReceiveChannel[None] | None = None
        self._output = LineGatherer()  # of what has started the JVMs
        jvms.bind(self)
        self.selected(jvms.current)
        self._offered_to = self.context

    # How output goes out

    def make_context(self, jvm: Jvm) -> Context:
        """Return what commands for a JVM are given."""
        context = self._make_context(jvm)
        context.announce = self.say
        context.run_program = self._run_program if self._prompt.pages else None
        context.show_in_place = self._screen.show_in_place if self._prompt.pages else None
        return context

    async def _run_program(self, words: list[str]) -> int:
        """Give a program the terminal until it ends; return its status. Raises UsageError where that is impossible."""
        if self.context.screen is not None and self.context.screen.is_open:
            raise UsageError("the screen has the terminal", hint="'screen' goes back to the plain prompt")
        self._doing = Doing.PAGING
        try:
            async with self._sink.held():
                return await run_program(words, sys.stdin)
        finally:
            self._doing = Doing.COMMAND

    def show_events_of(self, jvm: Jvm) -> None:
        """Show the events of a JVM as they come, once the conversation has begun."""
        if self._nursery is not None:
            self.part(jvm)
            self._joined[jvm] = trio.CancelScope()
            self._nursery.start_soon(self._watch, jvm, jvm.session.events(), self._joined[jvm])
        self._names.set_jvms(tuple(each.name for each in self.jvms.members))

    async def _watch(self, jvm: Jvm, stream: EventStream, scope: trio.CancelScope) -> None:
        with stream, scope:
            text_of = partial(self._text_of, jvm)
            happened = partial(self._happened, jvm)
            async with open_nursery() as nursery:
                nursery.start_soon(ring_when_left_alone, jvm.session, self._sink.write)
                await EventWatcher(stream, text_of, self._sink, happened).run()
                nursery.cancel_scope.cancel()

    def _text_of(self, jvm: Jvm, event: Event) -> str:
        """Return an event as text, with a bell before a stop that somebody has waited for who may look elsewhere."""
        text = event_text(self._screen, self.jvms, jvm, event)
        settings = jvm.context.settings
        rings = not settings.on_screen and rings_at(event, jvm.session.idle, settings["bell"])
        return f"{BELL}{text}" if rings else text

    def join(self, jvm: Jvm) -> None:
        super().join(jvm)
        if jvm is self.jvms.current:
            self._names.context = jvm.context

    def part(self, jvm: Jvm) -> None:
        """Show no more events of a JVM."""
        if jvm in self._joined:
            self._joined.pop(jvm).cancel()
        self._names.set_jvms(tuple(each.name for each in self.jvms.members))

    def selected(self, jvm: Jvm) -> None:
        """Show at the prompt, and complete, what belongs to this one from now on."""
        self._names.context = jvm.context
        self._before = jvm.session.last_stop
        self._names.poke()

    def say(self, text: str) -> None:
        """Show a sentence."""
        self._sink.write(self._screen.renderer.sentences(escape(text)))

    def printed(self, text: str) -> None:
        """Show what the user's Python has printed."""
        self._sink.write(escape_lines(text))

    def show_output(self, text: str) -> None:
        """Show what a command that has started the JVMs has written, line by line, without its colors."""
        lines = self._output.feed("stdout", _COLORS.sub("", text))
        self._sink.write("".join(f"{line}\n" for line in escape_code(lines)))

    def show_source(self, jvm: Jvm, window: SourceWindow) -> None:
        """Show the decompiled method of a stop."""
        self._sink.write(self._screen.renderer.source(window, self.jvms.label(jvm)))

    def show_displays(self, jvm: Jvm, displayed: Displayed) -> None:
        """Show the displays of a stop."""
        self._sink.write(self._screen.renderer.displays(displayed, self.jvms.label(jvm)))

    def plugin_failed(self, jvm: Jvm, error: JdbpyError) -> None:
        """Show that a plug-in cannot work in a session."""
        self.report(jvm, Outcome("plugins", None, error=error))

    def fault(self, line: str, fault: Exception) -> None:
        """Show a fault of jdbpy itself."""
        self._screen.fault()

    # The course of it

    async def run(
        self, lines: Sequence[str], interrupts: trio.MemoryReceiveChannel[None], before: Sequence[str] = ()
    ) -> None:
        """Run ``lines``, then what is typed, until a command leaves, Ctrl-D, or the end of the target.

        A line that fails keeps those behind it from running, but not if it is one of ``before``, which come first.
        """
        self._lines, self._first, self._interrupts = deque(lines), before, interrupts
        await self.drive()

    async def begin(self, nursery: trio.Nursery) -> None:
        """Show events, complete names and obey Ctrl-C beside the lines."""
        assert self._interrupts is not None
        for jvm in self.jvms.members:
            self.join(jvm)
        nursery.start_soon(self._safely, self._names.run)
        nursery.start_soon(self._obey, self._interrupts)

    async def first_line(self) -> str | None:
        """Run what comes first; return the line that has asked for a restart, or add what the user wants of the last
        session."""
        self._offered_to = self.context
        restarts = self.context.restarts
        again = restarts is not None and restarts.kept is not None
        if self._lines or self._first or again:
            with trio.move_on_after(GRACE):  # a target that is held at its start says so, or is just about to
                await self._begun.wait()
        for line in self._first:
            if not self.over:
                await self.run_line(line)
        if again:
            self._in_a_row = bool(self._lines)  # as where it is typed: the prompt need not wait for a stop
            return await super().first_line()
        if self._offers is not None and not self.over:
            with trio.CancelScope() as self._command:
                self._lines.extend(await self._offers.begin(self.context, self._ask, self._sink.write))
        return None

    async def next_line(self) -> str | None:
        """Return the next line, as soon as one is typed; None when the conversation is over."""
        while not self._lines:
            typed = await self._typed_line()
            if self.over:
                return None
            lines = (typed or "").splitlines()  # several when they were pasted
            if typed == "" and self.takes_python:
                lines = [""]  # it ends a block
            self._in_a_row = len(lines) > 1
            self._lines.extend(lines)
        return self._lines.popleft()

    async def after_line(self, line: str, succeeded: bool) -> bool:
        """Say where a line has failed: those behind it are not run."""
        if not succeeded:
            if where := failed(line):
                self._sink.write(f"{where}\n")
            self._lines.clear()
        return True

    async def end(self) -> None:
        """Let all be shown that has happened."""
        if self._offers is not None:
            self._offers.end(self._offered_to)
        if self.session.ending is not None:
            await self._ended.wait()  # until it was shown
        await super().end()
        await self._sink.flush()

    async def _ask(self, question: str) -> str:
        await self._sink.flush()
        return await self._prompt.ask(question)

    @property
    def over(self) -> bool:
        """True once the prompt does not outlive what has ended."""
        ending = self.session.ending
        if self.jvms.leaving or ending is None:
            return self.jvms.leaving
        return not self._stays(ending)

    def _stays(self, ending: Exited | VMDisconnected) -> bool:
        """True if the prompt outlives the session."""
        if self.jvms.several and self.jvms.go_on:
            return True
        restarts = self.context.restarts
        return restarts is not None and restarts.stays(self.context, ending)

    async def _typed_line(self) -> str | None:
        """Return what is typed, one line or several; None where nothing is to be run, or the target has ended."""
        self._prompt.update(await self._draw())
        await self._sink.flush()
        self._doing, self._entered = Doing.PROMPTING, trio.Event()
        line: str | None = None
        with trio.CancelScope() as self._reading:
            if not self.over:
                try:
                    line = await self._prompt.read_line()
                except EOFError:
                    line = "quit" if self.context.collecting is None else "end"
                    if self.context.python_lines is not None:
                        self.context.python_lines.clear()
        self._entered.set()
        if self.takes_python:
            return line
        return self._repeated() if line is not None and not line.strip() else line

    def _repeated(self) -> str | None:
        """Return what an empty line runs: what the last command says, which is nothing unless it can do no harm."""
        runs = (
            self.session.state is VmState.RUNNING and self.context.open_call is None
        )  # nothing to step through, and Enter is easily hit
        idle = runs or self.context.collecting is not None
        if self._last is None or idle or not self.context.settings["repeat"]:
            return None
        return "!!" if self._last.repeats == "again" else self._last.repeats or None

    @property
    def takes_python(self) -> bool:
        """True while lines are Python, since `py`."""
        return self.context.python_lines is not None

    # Commands

    async def run_line(self, line: str) -> bool:
        """Run a line to its end, or to the interrupt. False when it failed."""
        self._doing = Doing.COMMAND
        self._resumed, succeeded = False, False
        self._began_ended = self.session.ending is not None
        self._expect_stop()
        with self._names.held(), trio.CancelScope() as self._command:
            succeeded = await super().run_line(line)
            if self._screen.long:
                self._doing = Doing.PAGING
                await self._screen.page()
        if self._command.cancelled_caught:
            self._sink.write("interrupted\n")
            if self._doing is Doing.COMMAND and self.session.state is VmState.RUNNING and self._resumes(line):
                self._begin_pause()  # it had let the target run already: that is what was to be stopped
        elif self._resumed and not self.over:
            self._doing = Doing.WAITING  # the command is over: Ctrl-C pauses what it has let run
            with trio.move_on_after(GRACE):
                await self._stopped.wait()
            self._doing = Doing.COMMAND
        self.jvms.touch()
        self._screen.long.clear()
        if succeeded:
            self._unfinished = line
            if not self._resumed or self._stopped.is_set():
                self._say_after()
        return succeeded

    def _say_after(self) -> None:
        """Say what there is to say after a line, now that nothing more comes of it."""
        line, self._unfinished = self._unfinished, ""
        if line and not self.jvms.leaving and (said := self._after(line, self.session.ending is not None)):
            self._sink.write(self._screen.renderer.sentences(said, "      "))

    async def settle(self, command: CliCommand, result: Record) -> Record:
        """After a command that let the target run: a script and ``3 next`` wait for the stop, a person need not."""
        self._resumed = True
        jvm = self.jvms.current
        jvm.steps = command.name not in WAITING_FOR_ANY
        if self._in_a_row or self.context.scripts or jvm.interpreter.last[:1].isdigit():
            self._doing = Doing.WAITING
            await self._stopped.wait()
            self._expect_stop()
            self._doing, self._resumed = Doing.COMMAND, False
        return result

    async def wait(self, seconds: float) -> bool:
        """Wait while events are shown; False if a stop or the end came before the time was over."""
        self._doing = Doing.COMMAND if self.jvms.observing() else Doing.WAITING
        over = await super().wait(seconds)
        self._doing = Doing.COMMAND
        return over

    async def next_stop(self) -> None:
        """Wait until the next stop was shown, or the end."""
        await self._stopped.wait()

    def _expect_stop(self) -> None:
        self._before, self._stopped = self.session.last_stop, trio.Event()

    def report(self, jvm: Jvm, outcome: Outcome) -> None:
        """Show the outcome of a command; the loss of the connection is shown as an event."""
        if not jvm.context.acting:
            self._last = outcome.command
        ended = isinstance(jvm.session.ending, VMDisconnected) and not self._began_ended
        if jvm is not self.jvms.current:
            outcome = outcome.replace(jvm=self.jvms.label(jvm))
        if isinstance(outcome.error, Disconnected) and ended:
            return  # an event of its own says so
        if isinstance(outcome.error, LeaveError):
            self.status = FAILED
        self._screen.show(outcome, at_once=any(jvm.context.acting for jvm in self.jvms.members))

    # Events

    async def _happened(self, jvm: Jvm, event: Event) -> None:
        """A stop, a resume by the watchdog, or the end is being shown."""
        if self.jvms.several and jvm is not self.jvms.current:
            if isinstance(event, Stopped):
                self._start_soon(self._stopped_at, jvm, event, trio.Event())
            else:
                await self._redraw()
                self._names.poke()
            return
        if isinstance(event, Notice | ThreadsResumed):
            await self._redraw()
            self._names.poke()
            return
        if not isinstance(event, Stopped):
            if self.jvms.several and self.jvms.go_on:  # it comes back, or others are there
                self._stopped.set()
                self._ended.set()
                await self._redraw()
                return
            if isinstance(event, Exited | VMDisconnected):
                self._session_ended(event)
                self._say_after()
            self._stopped.set()
            self._ended.set()
            self._reading.cancel()
            return
        old = event is self._before or event.reason is StopReason.START
        stopped = trio.Event() if old else self._stopped
        if event.reason is StopReason.START and self._doing is Doing.WAITING:
            with suppress(JdbpyError):  # told only now, after it was resumed: it is not what the command waits for
                await self.session.execution.resume()
        self._prompt.update(await self._draw())
        await self._sink.flush()  # the prompt below the stop speaks of it, the one above it does not
        self._prompt.redraw()
        self._names.poke()
        self._begun.set()
        self._showing_stop.cancel()
        self._start_soon(self._stopped_at, jvm, event, stopped)

    def all_ended(self) -> None:
        """All JVMs have ended: no line follows."""
        self._sink.write("".join(escape_code([text for _, text in self._output.rest()])))
        self._stopped.set()
        self._ended.set()
        self._reading.cancel()

    def _start_soon(self, function: Callable[..., Awaitable[None]], *arguments: object) -> None:
        assert self._nursery is not None
        self._nursery.start_soon(self._safely, function, *arguments)

    def _session_ended(self, event: Exited | VMDisconnected) -> None:
        context, restarts = self.context, self.context.restarts
        if self.jvms.leaving:
            return
        if self.jvms.several:
            self.status = LOST if isinstance(event, VMDisconnected) else self.status
            return
        if restarts is not None and (restarts.automatic or self._stays(event)):
            self.say(restarts.hint(context))
        if self.comes_back:
            self.come_back()
        elif isinstance(event, VMDisconnected):
            self.status = LOST

    async def _stopped_at(self, jvm: Jvm, stop: Stopped, stopped: trio.Event) -> None:
        """Do what belongs to a stop.

        Beside everything else: an expression may run code of the target, and that may stop at a breakpoint.
        """
        if await self.do_at_stop(jvm, stop):
            await self._redraw()
        else:
            stopped.set()
            self._say_after()

    async def _draw(self) -> PromptState:
        collecting = self.context.collecting
        picture = self._pictures.setdefault(self.session, Picture(self.session))
        asks = "" if collecting is None else f"commands {collecting.number}"
        if self.context.open_call is not None:
            asks = f"recorded {self.context.open_call.call.number}"
        if self.context.python_lines is not None:
            asks = self.context.python_lines.prompt
        return await picture.draw(asks, self.jvms.label(self.jvms.current))

    async def _redraw(self) -> None:
        self._prompt.update(await self._draw())
        self._prompt.redraw()

    # Interrupts

    async def _obey(self, interrupts: trio.MemoryReceiveChannel[None]) -> None:
        async for _ in interrupts:
            if self._doing is Doing.PROMPTING and not self._prompt.prompting:
                with trio.move_on_after(GRACE):  # perhaps a line was entered just now: then its command is meant
                    await self._entered.wait()
            runs = self.session.state is VmState.RUNNING
            match reaction(self._doing, runs):
                case Reaction.CANCEL:
                    if not self.jvms.end_observing():
                        self._command.cancel()
                case Reaction.PAUSE | Reaction.EXPLAIN if self.context.collecting is not None:
                    self.context.collecting = None
                    self._sink.write("nothing was changed\n")
                    await self._redraw()
                case Reaction.PAUSE | Reaction.EXPLAIN if self.takes_python:
                    lines = self.context.python_lines
                    if lines is not None and not lines.clear():
                        self._sink.write("'exit' or Ctrl-D leaves Python\n")
                    await self._redraw()
                case Reaction.PAUSE:
                    if self._doing is Doing.WAITING:
                        self._command.cancel()
                    self._begin_pause()
                case Reaction.EXPLAIN:
                    self.say(f"{self._still()}; Ctrl-D or 'quit' leaves the debugger")
                case Reaction.IGNORE:
                    pass

    def _still(self) -> str:
        """Return why Ctrl-C does not stop anything."""
        if self.session.state is VmState.STOPPED and not self.session.suspended_everything:
            return "a thread is suspended already; 'pause' suspends the others too"
        return "nothing is running"

    def _resumes(self, line: str) -> bool:
        """True if a line is a command that lets the target run."""
        found = self._table.find(expanded(self.context, line))
        return found is not None and found.command.resumes

    def _begin_pause(self) -> None:
        if not self._pausing:
            self._pausing = True
            self._start_soon(self._pause)

    async def _pause(self) -> None:
        try:
            await self.session.execution.pause()
        except JdbpyError as error:
            self._sink.write(self._screen.renderer.error(Outcome("pause", None, error=error)))
        finally:
            self._pausing = False

    def panic(self) -> None:
        """Do what the command does, whatever is typed at the prompt."""
        self._start_soon(self._panic_everywhere)

    async def _panic_everywhere(self) -> None:
        async with open_nursery() as nursery:
            for jvm in self.jvms.members:
                if jvm.lives or not self.jvms.several:
                    nursery.start_soon(self._panic, jvm)

    async def _panic(self, jvm: Jvm) -> None:
        where = self.jvms.label(jvm)
        try:
            outcome = Outcome("panic", None, await jvm.session.panic(), jvm=where)
            self._sink.write("".join(self._screen.renderer.parts(outcome)))
        except JdbpyError as error:
            self._sink.write(self._screen.renderer.error(Outcome("panic", None, error=error, jvm=where)))
        await self._redraw()

    async def _safely(self, function: Callable[..., Awaitable[None]], *arguments: object) -> None:
        """Run what goes on beside the prompt: its faults are shown and do not end the session."""
        try:
            await function(*arguments)
        except Exception:
            self._screen.fault()

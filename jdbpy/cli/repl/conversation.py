"""The conversation at the prompt: lines in, outcomes and events out, until one side leaves.

Owns who has the screen and the keyboard at each moment, what an interrupt ends, and how the conversation ends. What
commands do, how things look and what keys mean stands in other modules.
"""

from __future__ import annotations

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
    Stopped,
    StopReason,
    ThreadsResumed,
    VMDisconnected,
    VmState,
)
from jdbpy.cli.commands.data import evaluate_displays
from jdbpy.cli.commands.source import decompiled_at
from jdbpy.cli.context import Context
from jdbpy.cli.interpreter import Interpreter
from jdbpy.cli.jvms import WAITING_FOR_ANY, Jvm, Jvms
from jdbpy.cli.output.plain import PlainRenderer
from jdbpy.cli.output.renderer import Outcome
from jdbpy.cli.repl.completion_refresh import NamesRefresher
from jdbpy.cli.repl.events import EventWatcher, event_text
from jdbpy.cli.repl.offers import Offers
from jdbpy.cli.repl.prompt_state import Picture, PromptState, ring_when_left_alone
from jdbpy.cli.repl.screen import Prompt, Screen
from jdbpy.cli.repl.sink import Sink
from jdbpy.cli.stop_actions import run_stop_actions
from jdbpy.cli.table import CliCommand, CommandTable
from jdbpy.escape import escape, escape_lines
from jdbpy.process.scripts import failed
from jdbpy.process.signals import Doing, Reaction, reaction
from jdbpy.process.statuses import FAILED, LOST
from jdbpy.record import Record
from jdbpy.task_groups import open_nursery

GRACE = 0.15
"""Seconds that the prompt waits after a command that resumes: most steps end within them, and are then shown first."""


class Conversation:
    """One person, one session or several. ``status`` is the exit status afterwards."""

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
        self.status = 0
        self._after = after
        self._offers = offers
        self._jvms = jvms
        self._make_context = make_context
        self._table = table
        self._nursery: trio.Nursery | None = None
        self._joined: dict[Jvm, trio.CancelScope] = {}  # what shows the events of each
        self._begun_python = False
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
        self._showing = trio.CancelScope()  # ends the evaluation of displays
        jvms.bind(self)
        self.selected(jvms.current)

    @property
    def _context(self) -> Context:
        return self._jvms.current.context

    @property
    def _session(self) -> Session:
        return self._jvms.current.session

    # What the JVMs want of a front end

    def join(self, jvm: Jvm) -> None:
        """Give a JVM its context, and show its events."""
        if not hasattr(jvm, "context") or not self._jvms.several:
            jvm.context = self._make_context(jvm)
            jvm.context.wait = self._wait
            jvm.context.announce = self.say
            jvm.interpreter = Interpreter(self._table, jvm.context, partial(self._report, jvm), self._settle)
        jvm.context.note_line = jvm.session.note_line
        self._names.set_jvms(tuple(each.name for each in self._jvms.members))
        if self._nursery is not None:
            self.part(jvm)
            self._joined[jvm] = trio.CancelScope()
            self._nursery.start_soon(self._watch, jvm, jvm.session.events(), self._joined[jvm])
            if self._begun_python:
                self._nursery.start_soon(self._begin_python, jvm)

    async def _watch(self, jvm: Jvm, stream: EventStream, scope: trio.CancelScope) -> None:
        with stream, scope:
            text_of = partial(event_text, self._screen, self._jvms, jvm)
            happened = partial(self._happened, jvm)
            async with open_nursery() as nursery:
                nursery.start_soon(ring_when_left_alone, jvm.session, self._sink.write)
                await EventWatcher(stream, text_of, self._sink, happened).run()
                nursery.cancel_scope.cancel()

    def part(self, jvm: Jvm) -> None:
        """Show no more events of a JVM."""
        if jvm in self._joined:
            self._joined.pop(jvm).cancel()
        self._names.set_jvms(tuple(each.name for each in self._jvms.members))

    def selected(self, jvm: Jvm) -> None:
        """Show at the prompt, and complete, what belongs to this one from now on."""
        self._names.context = jvm.context
        self._before = jvm.session.last_stop
        self._names.poke()

    def say(self, text: str) -> None:
        """Show a sentence."""
        self._sink.write(self._screen.renderer.sentences(escape(text)))

    # The course of it

    async def run(
        self, lines: Sequence[str], interrupts: trio.MemoryReceiveChannel[None], before: Sequence[str] = ()
    ) -> None:
        """Run ``lines``, then what is typed, until a command leaves, Ctrl-D, or the end of the target.

        A line that fails keeps those behind it from running, but not if it is one of ``before``, which come first.
        """
        async with open_nursery() as nursery:
            self._nursery = nursery
            for jvm in self._jvms.members:
                self.join(jvm)
            nursery.start_soon(self._safely, self._names.run)
            nursery.start_soon(self._obey, interrupts)
            self._begun_python = True
            for jvm in self._jvms.members:
                await self._begin_python(jvm)
            first = self._context
            await self._converse(lines, before)
            if self._offers is not None:
                self._offers.end(first)
            if self._session.ending is not None:
                await self._ended.wait()  # until it was shown
            for jvm in self._jvms.members:
                await jvm.context.end_python()
            await self._sink.flush()
            nursery.cancel_scope.cancel()

    async def _begin_python(self, jvm: Jvm) -> None:
        assert self._nursery is not None
        for wrong in await jvm.context.begin_python(self._nursery, self._printed):
            self._report(jvm, Outcome("plugins", None, error=wrong))

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
            line = await restarts.put_back(self._context, self.say)
            self._context.restarted = True
            if line:
                await self._run_line(line)
            self._context.restarted = False
        elif self._offers is not None and not self._over:
            with trio.CancelScope() as self._command:
                lines = (*lines, *await self._offers.begin(self._context, self._ask, self._sink.write))
        while True:
            for line in lines:
                if self._over:
                    break
                if not await self._run_line(line):
                    if where := failed(line):
                        self._sink.write(f"{where}\n")
                    break
            if self._over:
                break
            typed = await self._next_line()
            lines = (typed or "").splitlines()  # several when they were pasted
            if typed == "" and self.takes_python:
                lines = [""]  # it ends a block
            self._in_a_row = len(lines) > 1

    async def _ask(self, question: str) -> str:
        await self._sink.flush()
        return await self._prompt.ask(question)

    @property
    def _over(self) -> bool:
        ending = self._session.ending
        if self._jvms.leaving or ending is None:
            return self._jvms.leaving
        return not self._stays(ending)

    def _stays(self, ending: Exited | VMDisconnected) -> bool:
        """True if the prompt outlives the session."""
        if self._jvms.several and self._jvms.go_on:
            return True
        restarts = self._context.restarts
        return restarts is not None and restarts.stays(self._context, ending)

    async def _next_line(self) -> str | None:
        """Return the next line to run; None when there is none, since nothing was typed or the target has ended."""
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
        """Return what an empty line runs: what the last command says, which is nothing unless it can do no harm."""
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
        """Run a line to its end, or to the interrupt. False when it failed."""
        self._doing = Doing.COMMAND
        self._resumed, succeeded = False, False
        self._began_ended = self._session.ending is not None
        self._jvms.touch()
        self._expect_stop()
        with self._names.held(), trio.CancelScope() as self._command:
            try:
                succeeded = await self._jvms.current.interpreter.run(line)
            except Exception:  # a fault of ours ends the command, not the session in the middle of somebody's work
                self._screen.fault()
            if self._screen.long:
                self._doing = Doing.PAGING
                await self._screen.page()
        if self._command.cancelled_caught:
            self._sink.write("interrupted\n")
        elif self._resumed and not self._over:
            with trio.move_on_after(GRACE):
                await self._stopped.wait()
        self._jvms.touch()
        self._screen.long.clear()
        if succeeded:
            self._unfinished = line
            if not self._resumed or self._stopped.is_set():
                self._say_after()
        return succeeded

    def _say_after(self) -> None:
        """Say what there is to say after a line, now that nothing more comes of it."""
        line, self._unfinished = self._unfinished, ""
        if line and (said := self._after(line, self._session.ending is not None)):
            self._sink.write(self._screen.renderer.sentences(said, "      "))

    async def _settle(self, command: CliCommand, result: Record) -> Record:
        """After a command that let the target run: a script and ``3 next`` wait for the stop, a person need not."""
        self._resumed = True
        jvm = self._jvms.current
        jvm.steps = command.name not in WAITING_FOR_ANY
        if self._in_a_row or self._context.scripts or jvm.interpreter.last[:1].isdigit():
            self._doing = Doing.WAITING
            await self._stopped.wait()
            self._expect_stop()
            self._doing, self._resumed = Doing.COMMAND, False
        return result

    async def _wait(self, seconds: float) -> bool:
        """Wait while events are shown; False if a stop or the end came before the time was over."""
        self._doing = Doing.COMMAND if self._jvms.current.context.observing else Doing.WAITING
        with trio.move_on_after(seconds) as waiting:
            await self._stopped.wait()
        self._doing = Doing.COMMAND
        return waiting.cancelled_caught

    def _expect_stop(self) -> None:
        self._before, self._stopped = self._session.last_stop, trio.Event()

    def _report(self, jvm: Jvm, outcome: Outcome) -> None:
        if not jvm.context.acting:
            self._last = outcome.command
        ended = isinstance(jvm.session.ending, VMDisconnected) and not self._began_ended
        if jvm is not self._jvms.current:
            outcome = outcome.replace(jvm=self._jvms.label(jvm))
        if isinstance(outcome.error, Disconnected) and ended:
            return  # an event of its own says so
        if isinstance(outcome.error, LeaveError):
            self.status = FAILED
        self._screen.show(outcome, at_once=any(jvm.context.acting for jvm in self._jvms.members))

    # Events

    async def _happened(self, jvm: Jvm, event: Event) -> None:
        """A stop, a resume by the watchdog, or the end is being shown."""
        if self._jvms.several and jvm is not self._jvms.current:
            if isinstance(event, Stopped):
                self._start_soon(self._do_at_stop, jvm, event, trio.Event())
            else:
                await self._redraw()
                self._names.poke()
            return
        if isinstance(event, Notice | ThreadsResumed):
            await self._redraw()
            self._names.poke()
            return
        if not isinstance(event, Stopped):
            if self._jvms.several and self._jvms.go_on:  # it comes back, or others are there
                self._stopped.set()
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
                await self._session.execution.resume()
        self._prompt.update(await self._draw())
        await self._sink.flush()  # the prompt below the stop speaks of it, the one above it does not
        self._prompt.redraw()
        self._names.poke()
        self._begun.set()
        self._showing.cancel()
        self._start_soon(self._do_at_stop, jvm, event, stopped)

    def _start_soon(self, function: Callable[..., Awaitable[None]], *arguments: object) -> None:
        assert self._nursery is not None
        self._nursery.start_soon(self._safely, function, *arguments)

    def _session_ended(self, event: Exited | VMDisconnected) -> None:
        context, restarts = self._context, self._context.restarts
        if self._jvms.leaving:
            return
        if self._jvms.several:
            self.status = LOST if isinstance(event, VMDisconnected) else self.status
            return
        if restarts is not None and (restarts.automatic or self._stays(event)):
            self.say(restarts.hint(context))
        if restarts is not None and restarts.comes_back(context):
            restarts.ask(context, "")
        elif isinstance(event, VMDisconnected):
            self.status = LOST

    async def _do_at_stop(self, jvm: Jvm, stop: Stopped, stopped: trio.Event) -> None:
        """Displays, monitors and the commands of what was hit.

        Beside everything else: an expression may run code of the target, and that may stop at a breakpoint.
        """
        if jvm.context.python is not None and await jvm.context.python.at_stop(stop):
            await self._redraw()
            return
        with trio.CancelScope() as self._showing:
            window = await decompiled_at(jvm.context, stop)
            if window is not None:
                self._sink.write(self._screen.renderer.source(window, self._jvms.label(jvm)))
            if jvm.context.displays:
                found = await evaluate_displays(jvm.context)
                self._sink.write(self._screen.renderer.displays(found, self._jvms.label(jvm)))
        if await run_stop_actions(jvm.context, stop):
            await self._redraw()
        else:
            stopped.set()
            self._say_after()

    async def _draw(self) -> PromptState:
        collecting = self._context.collecting
        picture = self._pictures.setdefault(self._session, Picture(self._session))
        asks = "" if collecting is None else f"commands {collecting.number}"
        if self._context.python_lines is not None:
            asks = self._context.python_lines.prompt
        return await picture.draw(asks, self._jvms.label(self._jvms.current))

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
                        self._start_soon(self._pause)
                case Reaction.EXPLAIN:
                    self.say(f"{self._still()}; Ctrl-D or 'quit' leaves the debugger")
                case Reaction.IGNORE:
                    pass

    def _still(self) -> str:
        """Return why Ctrl-C does not stop anything."""
        if self._session.state is VmState.STOPPED and not self._session.suspended_everything:
            return "a thread is suspended already; 'pause' suspends the others too"
        return "nothing is running"

    async def _pause(self) -> None:
        self._pausing = True
        try:
            await self._session.execution.pause()
        except JdbpyError as error:
            self._sink.write(self._screen.renderer.error(Outcome("pause", None, error=error)))
        finally:
            self._pausing = False

    def panic(self) -> None:
        """Do what the command does, whatever is typed at the prompt."""
        self._start_soon(self._panic_everywhere)

    async def _panic_everywhere(self) -> None:
        async with open_nursery() as nursery:
            for jvm in self._jvms.members:
                if jvm.lives or not self._jvms.several:
                    nursery.start_soon(self._panic, jvm)

    async def _panic(self, jvm: Jvm) -> None:
        where = self._jvms.label(jvm)
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

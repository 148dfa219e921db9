"""The serving side of one client that speaks JSON Lines: a program, a batch, or a person at a prompt.

A client's first line says what it is. Its commands run here, with settings of its own; what they give is rendered here
for its width and colors. Keyboard, line editing, pager and screen are its own affair (``joining``).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TextIO

import trio

from jdbpy import ClientSession, UsageError
from jdbpy.cli.batch import Batch
from jdbpy.cli.commands import TABLE
from jdbpy.cli.console import Console
from jdbpy.cli.context import Context
from jdbpy.cli.jvms import Jvm, Jvms
from jdbpy.cli.output.json_lines import JsonRenderer
from jdbpy.cli.output.plain import PlainRenderer
from jdbpy.cli.output.renderer import Renderer
from jdbpy.cli.repl.completion import complete_line
from jdbpy.cli.repl.completion_refresh import Known, NamesRefresher
from jdbpy.cli.repl.conversation import Conversation
from jdbpy.cli.repl.prompt_state import PromptState
from jdbpy.cli.repl.sink import Sink
from jdbpy.cli.settings import Settings
from jdbpy.process.scripts import ScriptLine, ScriptLines
from jdbpy.serve.lines import Message, Outgoing, number_of, switch_of, text_of
from jdbpy.serve.screens import ServedScreen
from jdbpy.task_groups import open_nursery

LONGEST_PAGE = 8 * 1024 * 1024
"""Characters of a text that goes through a client's pager."""


class Client:
    """The common part of all kinds of clients."""

    def __init__(self, session: ClientSession, hello: Message, out: Outgoing) -> None:
        self.session = session
        self.out = out
        self.settings = Settings()
        self.timeout = number_of(hello, "timeout", 60.0, 0.001, 1e9)
        self.columns = int(number_of(hello, "columns", 80, 1, 10_000))
        self.rows = int(number_of(hello, "rows", 24, 1, 10_000))
        self._window = switch_of(hello, "window")
        self.color = switch_of(hello, "color")
        self.keep_going = switch_of(hello, "keep_going")
        self.json = switch_of(hello, "json")

    async def run(self) -> int:
        """Run what it asks for until it leaves; its exit status."""
        raise NotImplementedError

    def take(self, message: Message) -> None:
        """Take a line of it. Must not wait. Raises UsageError."""
        raise NotImplementedError

    def renderer(self) -> PlainRenderer:
        """Return what makes text for its terminal."""
        if self.color:
            from jdbpy.cli.output.terminal import RichRenderer

            return RichRenderer(self.settings, self._columns_of_window, lambda: self.columns)
        return PlainRenderer(self.settings, self._columns_of_window)

    def _columns_of_window(self) -> int | None:
        return self.columns if self._window else None


class ClientConsole(Console):
    """The console of a batch: its text goes to its client."""

    def __init__(self, renderer: Renderer, put: Callable[[str, bool], None], *, json: bool) -> None:
        super().__init__(renderer, json=json)
        self._put = put

    def write(self, text: str, stream: TextIO | None = None) -> None:
        """Queue text, for standard error where ``stream`` is that of this process."""
        if text:
            self._put(text, stream is sys.stderr)


class ClientLines(ScriptLines):
    """The lines of a batch, which the client hands over one by one."""

    def __init__(self, ask: Callable[[], None]) -> None:
        super().__init__(())
        self._ask = ask
        self._lines: list[str | None] = []
        self._came = trio.Event()
        self.at_once = False
        """True if the client has the next line: else it waits for its own standard input."""

    def ready(self) -> bool:
        """True if the next line is there without waiting for a person or a program."""
        return bool(self._lines) or self.at_once

    async def next(self) -> str | None:
        """Return the next line, or None when there are no more."""
        if not self._lines:
            self._came = trio.Event()
            self._ask()
            await self._came.wait()
        return self._lines.pop(0)

    def add(self, line: str | None) -> None:
        """Another line, or None at the end."""
        if len(self._lines) > _MOST_LINES:
            raise UsageError("too many commands wait already", code="WRONG_LINE")
        self._lines.append(line)
        self._came.set()


_MOST_LINES = 10_000


class BatchClient(Client):
    """A client whose lines are run as those of a batch."""

    _lines: ClientLines
    _batch: Batch

    async def run(self) -> int:
        return await self._batch.run(self._lines)

    def take(self, message: Message) -> None:
        if switch_of(message, "interrupt"):
            self._batch.interrupt()
        elif switch_of(message, "end"):
            self._lines.add(None)
        else:
            self._take_line(message)

    def _take_line(self, message: Message) -> None:
        raise NotImplementedError


class Scripted(BatchClient):
    """A batch: its commands run one after the other; the first failure ends it, unless with `--keep-going`."""

    def __init__(self, session: ClientSession, hello: Message, out: Outgoing) -> None:
        super().__init__(session, hello, out)
        self._lines = ClientLines(lambda: out.put({"type": "next"}))
        self._lines.at_once = switch_of(hello, "ready")
        renderer: Renderer = JsonRenderer() if self.json else self.renderer()
        self.settings.set("hints", "off")
        self._batch = Batch(
            session,
            ClientConsole(renderer, self._put, json=self.json),
            self.settings,
            timeout=self.timeout,
            keep_going=self.keep_going,
        )

    def _put(self, text: str, error: bool) -> None:
        self.out.put({"type": "error-text" if error else "text", "text": text})

    def _take_line(self, message: Message) -> None:
        self._lines.at_once = switch_of(message, "ready")
        line = text_of(message, "line")
        self._lines.add(ScriptLine(line, text_of(message, "place")) if "place" in message else line)


class ServedProgram(BatchClient):
    """A program: each line is a command, ``{"command": "where", "id": 1}``; results and events are those of ``--json``,
    and after the outcome of each command comes ``{"type": "done", "id": 1}``."""

    def __init__(self, session: ClientSession, hello: Message, out: Outgoing) -> None:
        super().__init__(session, hello, out)
        self._lines = lines = ProgramLines(lambda number: out.put({"type": "done", "id": number}))
        self._numbers = lines.numbers
        self._batch = Batch(
            session,
            ClientConsole(JsonRenderer(), self._put, json=True),
            self.settings,
            timeout=self.timeout,
            keep_going=True,
        )
        if "command" in hello:
            self.take(hello)

    def _put(self, text: str, error: bool) -> None:
        if error:
            self.out.put({"type": "message", "text": text})
        else:
            self.out.put_text(text)

    def _take_line(self, message: Message) -> None:
        command = text_of(message, "command")
        if "\n" in command or "\r" in command:
            raise UsageError("a command is one line", code="WRONG_LINE")
        self._numbers.append(message.get("id"))
        self._lines.add(command)


class ProgramLines(ClientLines):
    """The commands of a program; ``done`` is called with the number of each that was carried out."""

    def __init__(self, done: Callable[[object], None]) -> None:
        super().__init__(lambda: None)
        self.numbers: list[object] = []
        self._done = done
        self._runs = False

    async def next(self) -> str | None:
        """Return the next command, or None when there are no more."""
        if self._runs:
            self._done(self.numbers.pop(0))
            self._runs = False
        line = await super().next()
        self._runs = line is not None
        return line


class Person(Client):
    """Somebody at a prompt."""

    def __init__(self, session: ClientSession, hello: Message, out: Outgoing) -> None:
        super().__init__(session, hello, out)
        self.settings.set("color", "always" if self.color else "never")
        self._prompt = ClientPrompt(self, pages=switch_of(hello, "pages"))
        self._known = Known(TABLE)
        self._interrupt, self._interrupts = trio.open_memory_channel[None](1)
        self._conversation: Conversation | None = None
        self._able = switch_of(hello, "screens")
        self._begin_on_screen = switch_of(hello, "screen")
        self._begin = tuple(text_of(hello, "begin").splitlines())

    async def run(self) -> int:
        jvms = Jvms()
        jvms.begin(self.session, "", None)
        shared = Context(self.session, settings=self.settings)
        sink = Sink(self._prompt)
        async with open_nursery() as nursery:
            screen = self._prompt.screen = ServedScreen(self.out, self.settings, jvms, nursery, able=self._able)

            def make_context(jvm: Jvm) -> Context:
                context = Context(
                    jvm.session,
                    settings=self.settings,
                    interactive=True,
                    confirm=self._confirm,
                    jvms=jvms,
                    beside=shared,
                )
                screen.use(context)
                return context

            await nursery.start(sink.run)
            names = NamesRefresher(shared, self._known)
            conversation = Conversation(jvms, make_context, TABLE, self.renderer, self._prompt, sink, names)
            info = self.session.info
            others = ", ".join(self.session.companions) or "nobody else"
            conversation.say(
                f"Joined {info.address}, {info.name}, Java {info.version}, as {self.session.name}; "
                f"here: {others}. 'help' lists the commands."
            )
            self._conversation = conversation
            if self._begin_on_screen:
                await screen.open()
            await conversation.run(self._begin, self._interrupts)
            await sink.flush()
            nursery.cancel_scope.cancel()
        return conversation.status

    async def _confirm(self, question: str) -> bool:
        return (await self._prompt.ask(f"{question} [y/N] ")).strip().lower() in ("y", "yes")

    def take(self, message: Message) -> None:
        if "columns" in message:
            self.columns = int(number_of(message, "columns", 80, 1, 10_000))
            self.rows = int(number_of(message, "rows", 24, 1, 10_000))
        if switch_of(message, "interrupt"):
            with suppress(trio.WouldBlock):  # the one before has not been looked at yet: both mean the same
                self._interrupt.send_nowait(None)
        elif switch_of(message, "panic") and self._conversation is not None:
            self._conversation.panic()
        elif switch_of(message, "pressed"):
            self.session.touch()
        elif "complete" in message:
            found = complete_line(TABLE, text_of(message, "complete", most=10_000), self._known.names)
            self.out.put(
                {
                    "type": "candidates",
                    "id": message.get("id"),
                    "candidates": [[each.text, each.replaces, each.meta] for each in found],
                }
            )
        elif "open" in message and self._prompt.screen is not None:
            self._prompt.screen.take(message)
        elif "answer" in message or "end" in message:
            self._prompt.take(None if switch_of(message, "end") else text_of(message, "answer"))


class ClientPrompt:
    """The prompt of a client, as the conversation with it uses one."""

    def __init__(self, client: Person, *, pages: bool) -> None:
        self._client = client
        self._out = client.out
        self._pages = pages
        self.screen: ServedScreen | None = None
        """The client's full screen, once the conversation runs."""
        self._state: PromptState | None = None
        self._open = False
        self._answers: list[str | None] = []
        self._answered = trio.Event()

    @property
    def pages(self) -> bool:
        """True if long text goes through a pager."""
        return self._pages and not (self.screen is not None and self.screen.is_open)

    @property
    def completes(self) -> bool:
        """True if names are completed."""
        return True

    @property
    def prompting(self) -> bool:
        return self._open

    def size(self) -> tuple[int, int]:
        """Columns and lines of the client's window."""
        return self._client.columns, self._client.rows

    def update(self, state: PromptState) -> None:
        """Take another state."""
        if state != self._state:
            self._state = state
            shown = {name: getattr(state, name) for name in _STATE}
            age = None if state.since is None else max(0.0, time.monotonic() - state.since)
            self._out.put({"type": "state", "state": {**shown, "age": age}})
        if self.screen is not None:
            self.screen.poke()

    def redraw(self) -> None:
        """Does nothing: the client draws its prompt when it is sent another state."""

    async def read_line(self) -> str:
        """Return the next line; raises EOFError at Ctrl-D."""
        found = await self._ask({"type": "read"})
        if found is None:
            raise EOFError
        if self.screen is not None:
            self.screen.note_line(found)
        return found

    async def ask(self, question: str) -> str:
        """Return the answer to a question; "" at Ctrl-D."""
        return await self._ask({"type": "ask", "question": question}) or ""

    async def show(self, text: str) -> None:
        """Send text; wait where the client is slow."""
        self._out.put({"type": "show", "text": text})
        if self.screen is not None:
            self.screen.glance()
        await self._out.room()

    async def page(self, parts: Iterable[str]) -> None:
        """Send a text that is taller than the window; return when the reader has had enough."""
        text, size = [], 0
        for part in parts:
            text.append(part)
            size += len(part)
            if size > LONGEST_PAGE:
                text.append("... (the rest is left out)\n")
                break
            await trio.lowlevel.checkpoint()
        await self._ask({"type": "page", "text": "".join(text)})

    def take(self, answer: str | None) -> None:
        """Take the answer of the client: a line, or None for its end."""
        if len(self._answers) > _MOST_LINES:
            raise UsageError("too many lines wait already", code="WRONG_LINE")
        self._answers.append(answer)
        self._answered.set()

    async def _ask(self, message: Message) -> str | None:
        self._open = message["type"] == "read"
        self._out.put(message)
        try:
            while not self._answers:
                self._answered = trio.Event()
                await self._answered.wait()
        except trio.Cancelled:
            self._out.put({"type": "unread"})
            raise
        finally:
            self._open = False
        return self._answers.pop(0)


_STATE = ("state", "thread", "frame", "place", "held", "remote", "asks")

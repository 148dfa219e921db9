"""The joining side: a prompt or a batch here, whose commands run where the session is served.

Owns the keyboard, the screen, the pager and the exit status. It knows no debugger: it shows what it is sent, and sends
what is typed.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress

import trio

from jdbpy import JdbpyError
from jdbpy.cli.cmdline import CommandLine
from jdbpy.cli.names import Candidate
from jdbpy.cli.output.columns import columns_of_window
from jdbpy.cli.repl.loop import open_prompt
from jdbpy.cli.repl.prompt_state import PromptState
from jdbpy.cli.repl.screen import Prompt
from jdbpy.cli.repl.terminal import can_edit, restored_modes, size, wants_color
from jdbpy.cli.run import scripts_of
from jdbpy.cli.screen.state import ScreenState
from jdbpy.cli.screen.switching import ScreenSwitch
from jdbpy.cli.settings import Settings
from jdbpy.process import standard
from jdbpy.process.scripts import ScriptLine, ScriptLines
from jdbpy.process.signals import watch_signals
from jdbpy.process.statuses import LOST
from jdbpy.serve import sockets
from jdbpy.serve.greeting import error_of, greeting
from jdbpy.serve.lines import MOST_ANSWER, LineReader, Message, Outgoing
from jdbpy.serve.screens import changed
from jdbpy.task_groups import open_nursery

COMPLETION_LIMIT = 5.0
"""Seconds for which the prompt waits for completions."""

PRESSED = 5.0
"""Seconds between two reports that somebody is at the keyboard."""


async def join(line: CommandLine, *, is_batch: bool) -> int:
    """Join the session that the command line names; the exit status. Raises ConnectError and UsageError."""
    lines = ScriptLines(scripts_of(line)) if is_batch else ScriptLines(line.scripts)
    stream = await sockets.reach(line.name)
    async with stream:
        hello = greeting(line.token, line.client)
        hello.update(
            keep=line.keep,
            read_only=line.read_only,
            allow_suspend=line.allow_suspend,
            timeout=line.timeout,
            keep_going=line.keep_going,
            json=line.json,
            front="batch" if is_batch else "prompt",
            color=wants_color(line.color, sys.stdout),
            screens=not is_batch and can_edit(sys.stdin, sys.stdout),
            screen=line.screen,
        )
        columns, rows = size()
        hello.update(columns=columns, rows=rows, window=columns_of_window() is not None)
        kind = JoinedBatch if is_batch else JoinedPrompt
        return await kind(stream, hello, lines, line).run()


class Joined:
    """The common part of both ways of joining: the connection, the signals, the end."""

    def __init__(self, stream: trio.SocketStream, hello: Message, lines: ScriptLines, line: CommandLine) -> None:
        self.out = Outgoing(stream)
        self.reader = LineReader(stream, MOST_ANSWER)
        self.lines = lines
        self.line = line
        self.status: int | None = None
        self.failure: JdbpyError | None = None
        self._hello = hello
        self._ended_by = 0

    async def run(self) -> int:
        """Talk with the session until one of both leaves. Raises what the session has answered to the first line."""
        self.out.put(self._hello)
        async with open_nursery() as nursery:
            self.nursery = nursery
            nursery.start_soon(self.out.run)
            await nursery.start(watch_signals, self.interrupt, self._leave)
            await self.talk()
            nursery.cancel_scope.cancel()
        if self.failure is not None:
            raise self.failure
        if self._ended_by:
            return 128 + self._ended_by
        return LOST if self.status is None else self.status

    async def talk(self) -> None:
        """Take what comes until the end."""
        raise NotImplementedError

    def interrupt(self) -> None:
        """Ctrl-C: what runs there is to end."""
        self.out.put({"interrupt": True})

    def _leave(self, number: int) -> None:
        self._ended_by = number
        self.nursery.cancel_scope.cancel()

    async def next(self) -> Message | None:
        """Return the next line of the session, None at the end; an error that it reports is the end, too."""
        try:
            message = await self.reader.next()
        except JdbpyError as error:
            self.failure = error
            return None
        if message is not None and message.get("type") == "error":
            self.failure = error_of(message)
            return None
        if message is not None and message.get("type") == "end":
            status = message.get("status")
            self.status = status if isinstance(status, int) and 0 <= status < 256 else 1
            return None
        return message


class JoinedBatch(Joined):
    """Commands from here, one after the other; results on standard output."""

    def __init__(self, stream: trio.SocketStream, hello: Message, lines: ScriptLines, line: CommandLine) -> None:
        hello["ready"] = lines.ready()
        super().__init__(stream, hello, lines, line)

    def interrupt(self) -> None:
        """Ctrl-C ends a batch; the session takes back what it has set."""
        self._leave(2)

    async def talk(self) -> None:
        while (message := await self.next()) is not None:
            match message.get("type"):
                case "text":
                    standard.write(str(message.get("text", "")))
                case "error-text":
                    standard.write(str(message.get("text", "")), sys.stderr)
                case "next":
                    self.nursery.start_soon(self._send_next)
        if self.status is None and self.failure is None:
            standard.write("jdbpy: the connection to the session was lost\n", sys.stderr)

    async def _send_next(self) -> None:
        line = await self.lines.next()
        if line is None:
            self.out.put({"end": True})
            return
        place = {"place": line.place} if isinstance(line, ScriptLine) else {}
        self.out.put({"line": line, "ready": self.lines.ready(), **place})


class JoinedPrompt(Joined):
    """A person here. The line editor, its history and the pager are those of every prompt."""

    def __init__(self, stream: trio.SocketStream, hello: Message, lines: ScriptLines, line: CommandLine) -> None:
        super().__init__(stream, hello, lines, line)
        self._reading = trio.CancelScope()
        self._candidates: dict[int, tuple[trio.Event, list[Candidate]]] = {}
        self._asked = 0
        self._pressed = 0.0
        self._token = trio.lowlevel.current_trio_token()

    async def run(self) -> int:
        """Like ``Joined.run``; the terminal is afterwards as it was before."""
        with restored_modes(sys.stdin):
            return await super().run()

    async def talk(self) -> None:
        settings = Settings()
        settings.set("color", self.line.color)
        state = ScreenState()
        opened = open_prompt(settings, self._complete, self.interrupt, self._panic, self._note_key)
        async with opened as prompt, open_nursery() as nursery:
            self.out.put({"columns": size()[0], "rows": size()[1]})
            if isinstance(prompt, ScreenSwitch):
                prompt.bind_remote(lambda kind, path: self.out.put({"open": kind, "path": path}))
            while (message := await self.next()) is not None:
                if message.get("type") == "panes" and isinstance(prompt, ScreenSwitch):
                    state = changed(state, message.get("changes"))
                    prompt.publish(state)
                await self._take(message, prompt, nursery)
            nursery.cancel_scope.cancel()
        if self.status is None and self.failure is None:
            standard.write("jdbpy: the connection to the session was lost\n", sys.stderr)

    async def _take(self, message: Message, prompt: Prompt, nursery: trio.Nursery) -> None:
        match message.get("type"):
            case "show":
                await prompt.show(str(message.get("text", "")))
            case "state":
                prompt.update(_state(message.get("state")))
                prompt.redraw()
            case "read":
                self._reading = trio.CancelScope()
                nursery.start_soon(self._answer, self._reading, prompt.read_line)
            case "ask":
                question = str(message.get("question", ""))
                self._reading = trio.CancelScope()
                nursery.start_soon(self._answer, self._reading, lambda: prompt.ask(question))
            case "unread":
                self._reading.cancel()
            case "page":
                await prompt.page([str(message.get("text", ""))])
                self.out.put({"answer": ""})
            case "candidates":
                self._take_candidates(message)
            case "screen" if isinstance(prompt, ScreenSwitch):
                await self._change_screen(prompt, message)

    async def _change_screen(self, screen: ScreenSwitch, message: Message) -> None:
        match message.get("how"):
            case "open":
                await screen.open()
            case "close":
                await screen.close()
            case "arrange":
                await screen.arrange(str(message.get("pane", "")), str(message.get("wish", "")))

    async def _answer(self, scope: trio.CancelScope, ask: Callable[[], Awaitable[str]]) -> None:
        with scope:
            try:
                found = await ask()
            except EOFError:
                self.out.put({"end": True})
                return
            columns, rows = size()
            self.out.put({"answer": found, "columns": columns, "rows": rows})

    # From the prompt's thread, and its keys

    def _complete(self, text: str) -> Iterable[Candidate]:
        """Return what the session offers for a text. In the prompt's thread."""
        with suppress(trio.RunFinishedError, trio.Cancelled):
            return trio.from_thread.run(self._ask_candidates, text, trio_token=self._token)
        return []

    async def _ask_candidates(self, text: str) -> list[Candidate]:
        self._asked += 1
        came, found = trio.Event(), list[Candidate]()
        number = self._asked
        self._candidates[number] = came, found
        self.out.put({"complete": text, "id": number})
        try:
            with trio.move_on_after(COMPLETION_LIMIT):
                await came.wait()
        finally:
            del self._candidates[number]
        return found

    def _take_candidates(self, message: Message) -> None:
        number, told = message.get("id"), message.get("candidates")
        if isinstance(number, int) and number in self._candidates and isinstance(told, list):
            came, found = self._candidates[number]
            found += [Candidate(str(text), int(replaces), str(meta)) for text, replaces, meta in told]
            came.set()

    def _panic(self) -> None:
        self.out.put({"panic": True})

    def _note_key(self) -> None:
        if time.monotonic() - self._pressed > PRESSED:
            self._pressed = time.monotonic()
            self.out.put({"pressed": True})


def _state(told: object) -> PromptState:
    state = dict(told) if isinstance(told, dict) else {}
    age = state.pop("age", None)
    known = {key: value for key, value in state.items() if key in PromptState.__annotations__}
    since = None if not isinstance(age, int | float) else time.monotonic() - age
    return PromptState(**known, since=since)

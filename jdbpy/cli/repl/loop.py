"""The interactive debugger, put together: the terminal, the prompt, the sink, the conversation.

Owns the choice between the two kinds of prompt and of look, and that the terminal is left as it was found. The
session belongs to the caller, who leaves it afterwards.
"""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from typing import TYPE_CHECKING

import trio

from jdbpy.cli.commands import TABLE
from jdbpy.cli.context import Context
from jdbpy.cli.jvms import Jvm, Jvms
from jdbpy.cli.names import Candidate
from jdbpy.cli.output.choice import choose_renderer, plain_renderer
from jdbpy.cli.repl.completion import complete_line, complete_python
from jdbpy.cli.repl.completion_refresh import Known, NamesRefresher
from jdbpy.cli.repl.conversation import Conversation
from jdbpy.cli.repl.offers import Offers
from jdbpy.cli.repl.screen import Prompt
from jdbpy.cli.repl.sink import Sink, Surface
from jdbpy.cli.repl.terminal import can_edit, restored_modes, wants_color
from jdbpy.cli.screen import switching
from jdbpy.cli.settings import Settings
from jdbpy.errors import JdbpyError
from jdbpy.escape import escape, escape_lines
from jdbpy.files import config_directory, configured_plugins, why_not_trusted
from jdbpy.process.signals import watch_signals
from jdbpy.process.standard import OutputLost
from jdbpy.task_groups import open_nursery

if TYPE_CHECKING:
    from jdbpy import Session


HUNG_UP = 128 + 1
"""Exit status when the terminal went away, as if SIGHUP had ended the debugger."""


async def run_repl(
    session: Session,
    settings: Settings | None = None,
    *,
    before: Sequence[str] = (),
    lines: Sequence[str] = (),
    greeting: str = "",
    after: Callable[[str, bool], str] = lambda line, ended: "",
    jvms: Jvms | None = None,
    offers: Offers | None = None,
) -> int:
    """Talks with the person at the terminal until one of both leaves; returns the exit status.

    That is 0, 5 when the connection was lost, or 128 and the signal's number when SIGTERM or SIGHUP ended it.
    ``before`` and ``lines`` are commands to run before the first prompt; one of ``lines`` that fails is the last of
    them. ``greeting`` is the text to begin with; ``after`` gets each line that succeeded, and whether the target has
    ended, and may answer something to show. ``offers`` are made after ``before``. ``jvms`` has the session, and others
    beside it. If it can be opened again the prompt outlives its target, and ``restarts.kept`` is set afterwards if that
    was asked for. The sessions are still open afterwards, unless a command has left them.
    """
    settings = settings or Settings()
    if jvms is None:
        jvms = Jvms()
        jvms.begin(session, "", None)
    all_of_them = jvms
    known = Known(TABLE)
    send, interrupts = trio.open_memory_channel[None](1)
    status = 0
    conversation: Conversation | None = None

    def interrupt() -> None:
        with suppress(trio.WouldBlock):  # the one before has not been looked at yet: both mean the same
            send.send_nowait(None)

    def panic() -> None:
        if conversation is not None:
            conversation.panic()

    def leave(signal_number: int) -> None:
        nonlocal status
        status = 128 + signal_number
        nursery.cancel_scope.cancel()

    def complete(line: str) -> list[Candidate]:
        if conversation is not None and conversation.takes_python:
            return complete_python(line)
        return complete_line(TABLE, line, known.names)

    on_terminal = sys.stdout.isatty()
    try:
        with restored_modes(sys.stdin):
            async with open_nursery() as nursery:
                await nursery.start(watch_signals, interrupt, leave)
                opened = open_prompt(settings, complete, interrupt, panic, jvms.touch)
                async with opened as prompt, open_sink(prompt) as sink:
                    sink.write(plain_renderer(settings).sentences(greeting))
                    confirm = partial(_confirm, prompt)
                    shared = Context(session, settings=settings)

                    def make_context(jvm: Jvm) -> Context:
                        context = Context(
                            jvm.session,
                            settings=settings,
                            interactive=True,
                            confirm=confirm,
                            restarts=jvm.restarts,
                            jvms=all_of_them,
                            beside=shared,
                        )
                        switching.connect(prompt, context)
                        return context

                    names = NamesRefresher(shared, known, wanted=prompt.completes)
                    look = partial(choose_renderer, settings)
                    conversation = Conversation(jvms, make_context, TABLE, look, prompt, sink, names, after, offers)
                    await switching.begin(prompt, jvms, settings)
                    await conversation.run(lines, interrupts, before)
                    status = conversation.status
                nursery.cancel_scope.cancel()
    except* OSError as errors:  # what is written is not taken: nobody is there any more
        if not on_terminal:
            raise OutputLost(_first(errors)) from None
        status = HUNG_UP
    return status


def load() -> None:
    """Load what ``open_prompt`` needs, which takes a while."""
    if can_edit(sys.stdin, sys.stdout):
        from jdbpy.cli.repl import prompt_line, prompt_thread  # noqa: F401


@asynccontextmanager
async def open_prompt(
    settings: Settings,
    complete: Callable[[str], Iterable[Candidate]],
    interrupt: Callable[[], object],
    panic: Callable[[], object],
    pressed: Callable[[], object],
) -> AsyncIterator[Prompt]:
    """The prompt that the terminal can bear."""
    if not can_edit(sys.stdin, sys.stdout):
        from jdbpy.cli.repl.prompt_plain import PlainPrompt

        yield PlainPrompt(sys.stdin, sys.stdout)
        return
    from jdbpy.cli.repl.prompt_line import EditedPrompt
    from jdbpy.cli.repl.prompt_thread import open_prompt_thread

    color = wants_color(settings["color"], sys.stdout)
    async with open_prompt_thread() as thread:
        line = EditedPrompt(
            thread,
            sys.stdin,
            sys.stdout,
            color=color,
            complete=complete,
            interrupt=interrupt,
            panic=panic,
            pressed=pressed,
        )
        keys = {"complete": complete, "interrupt": interrupt, "panic": panic, "pressed": pressed}
        async with switching.open_switch(line, thread, settings, sys.stdin, sys.stdout, color=color, **keys) as prompt:
            yield prompt


@asynccontextmanager
async def open_sink(surface: Surface) -> AsyncIterator[Sink]:
    """A sink that runs; what it was given is on the screen afterwards."""
    sink = Sink(surface)
    async with open_nursery() as nursery:
        await nursery.start(sink.run)
        yield sink
        await sink.flush()
        nursery.cancel_scope.cancel()


def _first(group: BaseExceptionGroup[OSError]) -> OSError:
    found = group.exceptions[0]
    return found if isinstance(found, OSError) else _first(found)


async def _confirm(prompt: Prompt, question: str) -> bool:
    return (await prompt.ask(f"{question} [y/N] ")).strip().lower() in ("y", "yes")


def init_lines(environ: Mapping[str, str] = os.environ, *, address: str = "") -> tuple[list[str], str]:
    """Return the commands that read ``$XDG_CONFIG_HOME/jdbpy/init`` and ``targets/ADDRESS`` beside it, as far as these
    files are there, and what to say of one that is not read.

    A file that others may write is not read: it holds commands.
    """
    config = config_directory(environ)
    if not config:
        return [], ""
    names = ["init"]
    if address and os.path.basename(address) == address:  # not a path, whatever was typed
        names.append(os.path.join("targets", address))
    lines, remarks = [], []
    for path in (os.path.join(config, name) for name in names):
        if not os.path.exists(path):
            continue
        if reason := why_not_trusted(path):
            remarks.append(f"{path} is not read: {reason}\n")
        else:
            lines.append(f"read -q -k {path}")
    return lines, "".join(remarks)


async def load_configured_plugins() -> str:
    """Load the plug-ins of the configuration that are not loaded yet; return what to say of those that fail."""
    paths = configured_plugins()
    if not paths:
        return ""
    from jdbpy.cli.plugin_commands import load_plugins

    remarks: list[str] = []
    for path in paths:
        try:
            await load_plugins([path], lambda text: remarks.append(escape_lines(text)))
        except JdbpyError as error:
            remarks.append(f"{escape(error.message)}\n")
    return "".join(remarks)

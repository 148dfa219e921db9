"""Every debugger, attached and stopped at a breakpoint: where most of a person's work begins."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from benchmarks.bench import Bench, Link, program_of
from benchmarks.rivals.conversation import Conversation, open_jdb, open_jdbpy
from jdbpy.record import Record

JDB_PROMPT = "main[1] "


class Place(Record):
    """A marked line in one of the ``targets``."""

    program: str
    marker: str

    @property
    def line(self) -> int:
        return program_of(self.program).line(self.marker)

    @property
    def text(self) -> str:
        """As it is typed: "Data:42"."""
        return f"{self.program}:{self.line}"


@asynccontextmanager
async def jdb_at(bench: Bench, link: Link, place: Place) -> AsyncIterator[Conversation]:
    """jdb at its prompt, stopped there."""
    async with open_jdb(bench.jvm, link.address) as conversation:
        await conversation.say(f"stop at {place.text}")
        await conversation.until("Breakpoint hit: ")
        await conversation.until(JDB_PROMPT)
        yield conversation


@asynccontextmanager
async def jdbpy_at(link: Link, place: Place) -> AsyncIterator[Conversation]:
    """jdbpy's command line, stopped there."""
    async with open_jdbpy(link.address) as conversation:
        await conversation.ask(f"stop at {place.text}")
        await conversation.ask("cont")
        yield conversation


async def ask_jdb(conversation: Conversation, command: str) -> str:
    """Gives jdb a command and waits for the prompt, after a resume that of the next stop; gives what it wrote.

    ``Conversation.ask`` would not do: jdb evaluates expressions, and resumes, beside its reading of commands.
    """
    await conversation.say(command)
    return await conversation.until(JDB_PROMPT)

"""Programs that exit, throw, read, write fast or deadlock: launched, attached to, and listened for; beside jdb."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from tests.harness import LIMIT, Target, program, start_target, within
from tests.jdb.beside import JDKS, Command, beside
from tests.jdb.differences import normalized, without_prompts
from tests.jdb.driving import Driven, drive, ours

JDK = JDKS[-1]
WAYS = ("launch", "attach", "listen")


class Debuggee:
    """A program that stands at its start, with the jdb that debugs it. ``target`` is None when that has launched it."""

    def __init__(self, driven: Driven, target: Target | None, begun: str) -> None:
        self.driven = driven
        self.target = target
        self.begun = begun

    async def rest(self) -> str:
        """All that is still said, to the end of jdb itself, whose input stays open; its status is 0."""
        text = await self.driven.read(re.compile(rb"(?!)"))
        with within(LIMIT):
            assert await self.driven.process.wait() == 0
        return text


@asynccontextmanager
async def at_start(command: Command, way: str, what: str) -> AsyncIterator[Debuggee]:
    """The program in its way, held at its start."""
    ends = program("JdbEnds")
    sources = ("-sourcepath", ends.sources)
    if way == "launch":
        words = command(*sources, "-classpath", ends.classes, "-launch", "JdbEnds", what)
        async with drive(words, JDK, cwd=ends.classes, env={"ASKED_BY": "a test"}) as driven:
            yield Debuggee(driven, None, await driven.begin())
    elif way == "attach":
        async with start_target(JDK, ends, what) as target:
            async with drive(command(*sources, "-attach", f"127.0.0.1:{target.port}"), JDK) as driven:
                yield Debuggee(driven, target, await driven.begin())
    else:
        async with drive(command(*sources, "-listenany"), JDK) as driven:
            said = await driven.read(re.compile(rb"Listening at address: .*\n"))
            assert said.startswith("Listening at address: localhost:")
            port = said.strip().rpartition(":")[2]
            async with start_target(JDK, ends, what, connect_to=f"127.0.0.1:{port}") as target:
                yield Debuggee(driven, target, await driven.begin())


def assert_it_exited(command: Command, way: str, text: str) -> None:
    """The last text of a jdb reports the program's end; ours reports it after all of the program's output.

    In the JDK's jdb another thread still shows the output of a launched program, or how a command fails that the end
    has overtaken, and can write before the newline.
    """
    if command is ours:
        assert text.endswith("\nThe application exited\n")
    else:
        assert "The application exited" in text


@pytest.mark.parametrize("way", WAYS)
async def test_a_program_that_exits(way: str) -> None:
    """Ends jdb with it; none of its output is lost, the beginning of a line included, and commands are answered."""

    async def work(command: Command) -> list[str]:
        async with at_start(command, way, "exits") as debuggee:
            await debuggee.driven.type("cont\nexclude\nthreadgroup nope")
            text = await debuggee.rest()
            assert "java.*,javax.*,sun.*,com.sun.*,jdk.*,\n" in text
            if way == "launch" and command is ours:  # the JDK's jdb leaves before the last of it has come
                assert f"asked in {program('JdbEnds').classes} by a test\n" in text
                assert [int(number) for number in re.findall(r"line (\d+)$", text, re.MULTILINE)] == list(range(5_000))
                assert all(part in text for part in ("error 0\n", "error 1\n", "error 2\n", "no newline"))
            assert_it_exited(command, way, text)
            return sorted(without_prompts(debuggee.begun))

    of_jdk, of_ours = await beside(JDK, work)
    assert of_ours == of_jdk


@pytest.mark.parametrize("way", WAYS)
async def test_a_program_that_reads(way: str) -> None:
    """Standard input is the debugger's: a launched program waits for ever, and ends with jdb; another one goes on."""

    async def work(command: Command) -> tuple[str, ...]:
        async with at_start(command, way, "reads") as debuggee:
            driven = debuggee.driven
            await driven.answer(f"stop at JdbEnds:{program('JdbEnds').line('read')}")
            await driven.type("cont")
            await driven.read(re.compile(rb"Breakpoint hit: .*[\w-]+\[\d+\] $", re.DOTALL))
            await driven.answer("cont")
            await driven.answer("suspend")
            await driven.type("where 1")  # an earlier prompt may come now
            stack = await driven.read(re.compile(rb"JdbEnds\.reads.*\n(> |[\w-]+\[\d+\] )$", re.DOTALL))
            assert (await driven.answer("resume")).text == "All threads resumed.\n> "
            await driven.type("quit")
            rest = await debuggee.rest()
            if debuggee.target is not None:
                assert debuggee.target.process.stdin is not None
                await debuggee.target.process.stdin.send_all(b"x")
                assert await debuggee.target.process.wait() == 0
            return re.sub(r"\[\d+\]", "[]", stack[stack.index("JdbEnds.reads") :]), rest

    of_jdk, of_ours = await beside(JDK, work)
    assert of_ours == of_jdk


@pytest.mark.parametrize("way", WAYS)
async def test_a_program_that_deadlocks_and_throws(way: str) -> None:
    """Who holds what and who waits for it, thread by thread; then an exception that nobody catches, and the end."""

    async def work(command: Command) -> list[str]:
        async with at_start(command, way, "throws") as debuggee:
            driven = debuggee.driven
            thrown = (await driven.answer("~cont")).text
            threads = (await driven.answer("threads")).text
            [one] = re.findall(r"\)(\d+) +one ", threads)
            script = [f"threadlocks {one}", "where", "locals", "lock first", "lock JdbEnds.SECOND", "lock both"]
            answers = [(await driven.answer(line)).text for line in script]
            everything = [(await driven.answer(line)).text for line in ("threadlocks all", "where all")]
            await driven.type("cont")
            text = await debuggee.rest()
            told = [thrown, _of_the_program(threads), *answers, *map(_of_the_program, everything)]
            assert_it_exited(command, way, text)
            return [*map(normalized, told)]

    of_jdk, of_ours = await beside(JDK, work)
    assert of_ours == of_jdk
    assert "Exception occurred: java.lang.IllegalStateException (uncaught)" in of_ours[0]
    assert re.search(r"  Owned monitor: instance of .*\n   Waiting for monitor: instance of ", of_ours[2])


def _of_the_program(text: str) -> str:
    """The parts of an answer that are about threads of the program, by name: the JVM's own come and go."""
    text = re.sub(r"\w+\[\d+\] $", "", text)
    parts = re.split(r"(?m)^(?=Monitor information|\S.*:$|  \(java)", text)
    return "".join(
        sorted(normalized(part) for part in parts if re.search(r"\b(main|one|two)\b", part.partition("\n")[0]))
    )

"""jdb's command line: what is refused and what is shown, the same text and the same status as the JDK's jdb."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable

import pytest

from tests.harness import LIMIT, within
from tests.jdb.beside import JDKS, Command, beside
from tests.jdb.differences import interrupted, listed_differences, without_interruptions
from tests.jdb.driving import PROMPT, drive, theirs

JDK = JDKS[-1]

TOLD = """\
-help
-bogus
-cp . Order
-attach
-X Order
-dbgtrace 9999999999 Order
-listenany -attach 5
-attach 1 Main
-attach 1 -Rfoo
-listconnectors
-J-Dfoo=1 -version
--version
"""
"""Command lines that are answered without a program."""

TAKEN = """\
-Dx=1 -Xint -verbose:gc -verify -tclient -R-Dx=1 -R -dbgtrace 0x1f -sourcepath a -classpath b -J-Xmx64m Order x -Dx
-trackallthreads -connect com.sun.jdi.CommandLineLaunch:vmexec=java Order
-v Order
"""
"""Command lines after which there is a prompt."""


async def told(words: list[str]) -> tuple[str, int]:
    """All that a jdb says that ends by itself, and its status."""
    async with drive(words, JDK) as driven:
        return await driven.read(re.compile(rb"(?!)")), await driven.process.wait()


async def taken(words: list[str]) -> str:
    """What a jdb says to begin with, without running anything."""
    async with drive(words, JDK) as driven:
        text = await driven.read(re.compile(PROMPT.pattern + rb"|^\n?For command help.*\n\n?\Z", re.MULTILINE))
        return text if "Usage" in text else text + (await driven.answer("exclude")).text


async def test_what_is_told() -> None:
    assert not await different(TOLD, told)


async def test_what_is_taken() -> None:
    assert not await different(TAKEN, taken)


async def different(lines: str, ask: Callable[[list[str]], Awaitable[object]]) -> list[tuple[str, object, object]]:
    """The command lines to which both answer differently, but for those that docs/jdb.md lists."""

    async def work(command: Command) -> list[object]:
        return [await ask(command(*line.split())) for line in lines.splitlines()]

    of_jdk, of_ours = await beside(JDK, work)
    listed = listed_differences()
    return [
        (line, one, other)
        for line, one, other in zip(lines.splitlines(), of_jdk, of_ours, strict=True)
        if one != other and f"jdb {line}" not in listed
    ]


def test_the_table_lists_lines_of_these() -> None:
    """A row about a command line that is not run would be checked by nothing."""
    rows = {row.removeprefix("jdb ") for row in listed_differences() if row.startswith("jdb ")}
    assert rows <= {*TOLD.splitlines(), *TAKEN.splitlines()}


@pytest.mark.skipif(JDKS[0].feature >= 25, reason="one JDK only: its jdb takes what that of 25 takes")
async def test_options_of_an_older_jdb() -> None:
    """What the jdb of 25 has given up and that of 17 still takes is taken."""
    assert "invalid" not in await taken(theirs(JDKS[0], "-v", "-noasyncgc", "-prof", "-ms5m", "Order"))


async def test_variables_and_surroundings() -> None:
    """The options of the variables reach the target, and what Java says of them is shown."""
    from tests.harness import program

    ends = program("JdbEnds")

    async def work(command: Command) -> list[str]:
        env = {"JDK_JAVA_OPTIONS": "-Dmine=1", "_JAVA_OPTIONS": "-Dhers=2", "ASKED_BY": "me"}
        words = command("-tserver", "-R-Dours=3", "-classpath", ends.classes, "JdbEnds", "exits")
        async with drive(words, JDK, cwd=ends.sources, env=env) as driven:
            await driven.read()
            await driven.type("run")
            picked, line = interrupted("Picked up JDK_JAVA_OPTIONS"), interrupted("line 1\n")
            text = await driven.read(re.compile(f"(?s)(?=.*{picked}).*{line}".encode()))
            with within(LIMIT):
                await driven.type("quit")
            # other threads of jdb write its prompt and "VM Started", so these may stand before a line or inside it
            return sorted(re.findall(r"(?:NOTE: )?Picked up .*|asked in .*", without_interruptions(text)))

    of_jdk, of_ours = await beside(JDK, work)
    assert of_ours == [line for line in of_jdk if "_JAVA_OPTIONS: -Dhers" not in line or line in of_ours]
    assert f"asked in {ends.sources} by me" in of_ours
    assert "NOTE: Picked up JDK_JAVA_OPTIONS: -Dmine=1" in of_ours

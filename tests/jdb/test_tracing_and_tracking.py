"""-trackallthreads, and dbgtrace: beside the JDK's jdb."""

from __future__ import annotations

import re

from tests.harness import program
from tests.jdb.beside import JDKS, Command, beside
from tests.jdb.differences import normalized
from tests.jdb.driving import drive, ours

JDK = JDKS[-1]


async def test_virtual_threads() -> None:
    """They come after all others, in a group of their own; where all and threadlocks all have them too."""
    fibres = program("Fibres")

    async def work(command: Command) -> list[list[str]]:
        words = command("-trackallthreads", "-sourcepath", fibres.sources, "-classpath", fibres.classes, "Fibres")
        async with drive(words, JDK) as driven:
            await driven.read()
            await driven.answer(f"stop at Fibres:{fibres.line('ready')}")
            await driven.answer("~run")
            threads = (await driven.answer("threads")).text
            group = normalized(threads[threads.index("Group VirtualThreads:") :]).splitlines()
            names = [
                sorted(re.findall(r"^(?:Monitor information for thread )?(\w+):$", text, re.MULTILINE))
                for text in [(await driven.answer(line)).text for line in ("where all", "threadlocks all")]
            ]
            await driven.type("quit")
            return [sorted(group), *names]

    of_jdk, of_ours = await beside(JDK, work)
    assert of_ours == of_jdk
    assert any("java.lang.VirtualThread" in line for line in of_ours[0])


async def test_what_goes_over_the_wire() -> None:
    """From the start, in lines that begin as JDI's do. (jdb asks the target for every prompt, and writes amid it.)"""
    tour = program("JdbTour")

    async def work(command: Command) -> set[str]:
        async with drive(command("-dbgtrace", "-classpath", tour.classes, "-Dquiet=true", "JdbTour"), JDK) as driven:
            await driven.read()
            await driven.type("stop in JdbTour.work\nrun")
            return ways(await driven.read(re.compile(rb"Breakpoint hit")))

    of_jdk, of_ours = await beside(JDK, work)
    assert of_ours == of_jdk == {"Sending", "Receiving"}


async def test_flags_say_which_way() -> None:
    """1 is what is sent, 2 the answers; 0 ends it, and no flags are all."""
    tour = program("JdbTour")
    async with drive(ours("-classpath", tour.classes, "-Dquiet=true", "JdbTour"), JDK) as driven:
        await driven.read()
        await driven.answer("stop in JdbTour.work")
        assert not ways((await driven.answer("~run")).text)
        for flags, name, shown in (
            ("1", "Thread", {"Sending"}),
            ("0x2", "String", {"Receiving"}),
            ("0", "Class", set()),
            ("", "System", {"Sending", "Receiving"}),
        ):
            await driven.answer(f"dbgtrace {flags}")
            assert ways((await driven.answer(f"methods java.lang.{name}")).text) == shown


def ways(text: str) -> set[str]:
    """Whether commands are sent or answered."""
    return set(re.findall(r"\[JDI: (\w+) Command\(id=\d+\) JDWP\.\w+\.\w+", text))

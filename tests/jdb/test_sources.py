"""Source lines at stops and hits: where they are looked for, and under which name."""

from __future__ import annotations

import os
import re
from functools import partial
from pathlib import Path

from jdbpy.session.local.tunnel import PeerProcess
from tests.harness import Jvm, program, start_target
from tests.jdb.beside import JDKS, Command
from tests.jdb.driving import drive, ours, theirs


async def test_the_class_path_of_a_target_of_the_same_user(jvm: Jvm, tmp_path: Path) -> None:
    """It is searched as a whole, wherever the debugger runs; after `use` that alone; `redefine` changes nothing."""
    of_ours = await _at_a_stop(jvm, tmp_path, ours)
    assert of_ours == await _at_a_stop(JDKS[0], tmp_path, partial(theirs, JDKS[0]))
    stopped, listed, _, without, _, named, _, redefined = of_ours
    assert "int[] numbers" in stopped
    assert [" => " in each for each in (listed, without, named, redefined)] == [True, False, True, True]


async def _at_a_stop(jvm: Jvm, directory: Path, command: Command) -> list[str]:
    tour = program("JdbTour")
    both = tour.replace(classes=os.pathsep.join((tour.classes, tour.sources)))
    async with start_target(jvm, both) as target:
        words = command("-attach", f"127.0.0.1:{target.port}")
        async with drive(words, JDKS[0], cwd=str(directory)) as driven:
            await driven.begin()
            await driven.answer(f"stop at JdbTour:{tour.line('work')}")
            answers = [(await driven.answer("~cont")).text]
            script = ("list", "use /nope", "list", f"use {tour.sources}", "list")
            for line in (*script, f"redefine JdbTour {tour.classes}/JdbTour.class", "list"):
                answers.append((await driven.answer(line)).text)
    return [re.sub(r"bci=\d+", "", text) for text in answers]


async def test_what_is_not_searched_is_said_once(jvm: Jvm, tmp_path: Path) -> None:
    """A target that is not known to be the user's own: paths that it names are not opened."""
    tour = program("JdbTour")
    async with start_target(jvm, "JdbTour") as target:
        async with drive(_of_another_user("-attach", f"127.0.0.1:{target.port}"), jvm, cwd=str(tmp_path)) as driven:
            await driven.begin()
            await driven.answer(f"stop at JdbTour:{tour.line('work')}")
            stopped = (await driven.answer("~cont")).text
            listed = (await driven.answer("list")).text
            await driven.answer(f"use {tour.sources}")
            named = (await driven.answer("list")).text
    assert stopped.count("Not searched for sources, since the target is not known to be a process of yours") == 1
    assert f"{tour.classes}; use PATH names a source path.\n" in stopped
    assert listed.startswith("Source file not found: JdbTour.java\n")
    assert "Not searched" not in listed
    assert "int[] numbers" in named


def _of_another_user(*words: str) -> list[str]:
    """The command line of ours, which takes every process for that of another user."""
    command = ours(*words)
    code = "import os, sys; os.geteuid = lambda: -1; from jdbpy.cli.main import main; sys.exit(main())"
    return [command[0], "-c", code, *command[command.index("jdbpy") + 1 :]]


def test_a_process_of_this_user(tmp_path: Path) -> None:
    """Nothing is believed of a process that is not seen."""
    assert not PeerProcess(1, 2, proc=str(tmp_path)).is_ours


async def test_hits_that_suspend_nothing(jvm: Jvm) -> None:
    """The field with both values, and the line of the class's own source file."""
    go = program("JdbGo")
    script = [f"stop at JdbGo:{go.line('end')}", "stop go in JdbGoer.raise", "watch go JdbGoer.cents"]
    words = ("-sourcepath", go.sources, "-classpath", go.classes, "JdbGo")
    async with drive(ours(*words), jvm) as driven:
        await driven.read()
        for line in script:
            await driven.answer(line)
        text = (await driven.answer("~run")).text
    number = go.line("raise")
    place = f'"thread=main", JdbGoer.raise(), line={number} bci='
    source = f"{number}            cents += by; // @raise\n"
    assert re.search(re.escape(f"Breakpoint hit: {place}") + r"\d+\n" + re.escape(source), text), text
    changed = re.escape(f"Field (JdbGoer.cents) is 140, will be 141: {place}")
    assert re.search(changed + r"\d+\n" + re.escape(source), text), text

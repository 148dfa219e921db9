"""Every command, right and wrong, through the JDK's jdb and through ours: equal but for what docs/jdb.md lists."""

from __future__ import annotations

import re
import sys
from collections.abc import Set

import pytest

from tests.harness import Jvm, Program, program
from tests.jdb import scripts
from tests.jdb.beside import JDKS, beside
from tests.jdb.differences import beginnings, begins_with_event, listed_differences, normalized, without_failed_reading
from tests.jdb.driving import Answer, drive, run_script

CHANGED = {
    *("repeat", "repeat on", "repeat off", "repeat maybe", "help", "help x", "?", "? x", "connectors", "connectors x"),
    *("threadgroup", "list 1", "LIST"),
}
"""Lines that the jdb of a JDK before 25 does not know or answers in another way: ours is that of 25."""

LAST_WORDS = re.compile(rf"(?:Exception in .*|(?<![^\n ]){beginnings('Exception in')})\Z", re.DOTALL)
"""An exception that ends a thread, or the beginning of it."""


def test_there_is_a_jdb() -> None:
    assert JDKS, "no JDK with a jdb: apt-get install default-jdk-headless"


@pytest.mark.parametrize("jdk", JDKS, ids=lambda jdk: f"jdk{jdk.feature}")
@pytest.mark.parametrize("name", scripts.SCRIPTS)
async def test_answers(jdk: Jvm, name: str) -> None:
    """A command whose answer differs is in the table of docs/jdb.md."""
    tour = program("JdbTour")
    arguments = ("-sourcepath", tour.sources, "-classpath", tour.classes, "-Dquiet=true", "JdbTour", "x")
    await answered_alike(jdk, tour, arguments, scripts.SCRIPTS[name])


@pytest.mark.every_java
@pytest.mark.parametrize("name", ["EVERY_COMMAND", "STOPS"])
async def test_answers_about_other_versions(jvm: Jvm, name: str) -> None:
    """The JDK's jdb of one version, and ours, debug a program on another."""
    tour = program("JdbTour").on(jvm)
    quiet = "-XX:-PrintWarnings"  # new JVMs warn of an option that the JDK's jdb gives
    given = f"home={jvm.home},options={quiet} -classpath {tour.classes} -Dquiet=true,main=JdbTour x"
    arguments = ("-sourcepath", tour.sources, "-connect", f"com.sun.jdi.CommandLineLaunch:{given}")
    script = scripts.SCRIPTS[name].partition(scripts.KILL)[0]  # docs/agent.md, "Stop may end an old JVM"
    await answered_alike(JDKS[0], tour, arguments, script, but={"version", "!!"})


async def answered_alike(
    jdk: Jvm, tour: Program, arguments: tuple[str, ...], script: str, *, but: Set[str] = frozenset()
) -> None:
    """A script through the JDK's jdb, and through ours: lines of ``but`` and those of the table may differ."""
    words: dict[str, object] = {"sources": tour.sources, "classes": tour.classes}
    words.update({marker: tour.line(marker) for marker in tour.markers})
    lines = scripts.lines(script, words)
    of_jdk, of_ours = await beside(jdk, lambda command: run_script(command(*arguments), jdk, lines))
    assert [answer.line for answer in of_ours.answers] == [answer.line for answer in of_jdk.answers]
    listed = {*listed_differences(), *but}
    different = [
        f"{theirs_.line}\n--- jdb:\n{theirs_.text}\n--- jdbpy:\n{ours_.text}"
        for theirs_, ours_ in zip(of_jdk.answers, of_ours.answers, strict=True)
        if _differ(_of_jdb(theirs_), _of_jdb(ours_))
        and theirs_.line not in listed
        and not (jdk.feature < 25 and theirs_.line in CHANGED)
    ]
    assert not different, "\n=====\n".join(different)
    assert of_ours.status == of_jdk.status == 0


def test_wherever_jdb_writes_its_prompt_in_an_event_it_is_the_same() -> None:
    step = 'Step completed: "thread=main", A.b(), line=1 bci=0\n1    c(); // "d"\n\nmain[1] '
    written = [f"> \n{step}", f"\n> {step}", "\n" + step.replace(": ", ": > ", 1)]
    written += [f"\n{step}", f"\n{step}main[1] ", "\n" + step.replace("1    c", "main[1] 1    c")]
    assert {normalized(text) for text in written} == {f"> \n{step}"}
    assert [_differ(f"> \n{step}", text) for text in written] == [False, False, False, True, True, True]


@pytest.mark.parametrize("before", ["", "> ", "> \nmain[1] ", "The application exited\n"])
def test_what_jdb_says_of_the_output_of_a_program_that_it_ended_is_no_answer(before: str) -> None:
    words = "\nFatal error:\nFailed reading output of child java interpreter.\n"
    assert {without_failed_reading(before + words[:cut]) for cut in range(len(words) + 1)} == {before}
    other = f"{before}\nFatal error:\nUnable to attach to target VM.\n"
    assert without_failed_reading(other) == other


async def test_what_ours_writes_at_its_end_is_read_whole() -> None:
    async with drive([sys.executable, "-c", "print()"], JDKS[0]) as driven:
        assert await driven.read() == "\n"


def test_the_table_lists_commands_of_the_scripts() -> None:
    """A row about a line that no script has would be checked by nothing."""
    assert {row for row in listed_differences() if not row.startswith("jdb ")} <= scripts.typed()


def _differ(theirs: str, ours: str) -> bool:
    """True if the answers differ; ours has its prompt before an event, if that of jdb may have it there."""
    early = begins_with_event(ours) and not begins_with_event(theirs)
    return early or normalized(theirs) != normalized(ours)


def _of_jdb(answer: Answer) -> str:
    """Return an answer without the last words of a program that is resumed and may be ended before it has said them.

    The end of jdb may cut them anywhere.
    """
    return LAST_WORDS.sub("", answer.text) if answer.line.startswith("exit") else answer.text

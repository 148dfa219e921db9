"""A launched program started again: what is kept, in batches and at the prompt."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import jdbpy as library
from jdbpy.cli.commands import TABLE
from jdbpy.cli.context import Context
from tests.cli.process import jdbpy, launching, script
from tests.cli.pseudo_terminal import open_terminal
from tests.harness import Jvm, inline, program

HELLO = program("Hello")
Check = Callable[[Any], object]


def steps(directory: Path) -> list[tuple[str, Check]]:
    """Lines, and what the data of each result must satisfy, for Hello with two words."""

    def greets(word: str) -> Check:
        return lambda d: (d["expression"], d["value"]) == ("word", f'"{word}"')

    def hits(number: int) -> Check:
        return lambda d: d["stop"]["breakpoint"] == number

    return [
        ("start", lambda d: d["stop"]["location"]["method"] == "main" and d["stop"]["temporary"]),
        (f"break {HELLO.at('done')}", lambda d: d["breakpoint"]["number"] == 2),
        ("stop in Hello.greeting", lambda d: d["breakpoint"]["number"] == 3),
        ("delete 2", lambda d: [one["number"] for one in d["breakpoints"]] == [2]),
        ("cont", hits(3)),
        ("display number", lambda d: d["items"][0]["value"] == "1"),
        ("print word", greets("a")),
        ("cont", hits(3)),
        ("print word", greets("b")),
        ("restart", hits(3)),
        ("print word", greets("a")),
        ("display", lambda d: [item["expression"] for item in d["items"]] == ["number"]),
        ("breakpoints", lambda d: [one["number"] for one in d["breakpoints"]] == [3]),
        ("disable 3", lambda d: not d["breakpoints"][0]["enabled"]),
        ("cont", lambda d: d["exited"]["status"] == 0),
        ("run", lambda d: d["exited"]["status"] == 0),
        ("breakpoints", lambda d: [(one["number"], one["enabled"]) for one in d["breakpoints"]] == [(3, False)]),
        ("start", lambda d: d["stop"]["location"]["method"] == "main"),
    ]


@pytest.mark.every_java
async def test_a_program_is_started_again_with_all_breakpoints(jvm: Jvm, tmp_path: Path) -> None:
    expected = steps(tmp_path)
    lines = [line for line, _ in expected]
    words = launching(HELLO.on(jvm), "--json", *script(*lines), arguments=["a", "b"])
    done = await jdbpy(*words, jvm=jvm)
    assert [found["command"] for found in done.results] == lines, done.err
    wrong = [
        f"{line}: {found}"
        for (line, check), found in zip(expected, done.results, strict=True)
        if not found["ok"] or not check(found["data"])
    ]
    assert not wrong, "\n".join(wrong)
    assert done.status == 0


async def test_the_prompt_stays_when_the_program_has_ended(any_jvm: Jvm, tmp_path: Path) -> None:
    words = ["launch", "-cp", HELLO.classes, HELLO.main, "a"]
    async with open_terminal(words, tmp_path, environ={"JAVA_HOME": any_jvm.home}) as terminal:
        await terminal.prompt("main[1]")
        await terminal.run("stop in Hello.greeting", then="main[1]")
        await terminal.run("start", "emporary breakpoint 2 at Hello.main", "Temporary breakpoint 2 hit", then="main[1]")
        await terminal.run("r", "Breakpoint 1 hit", then="main[1]")
        await terminal.run("restart", then="end the program and start it again? [y/N]")
        shown = await terminal.run("y", "breakpoint 1 is set", "Breakpoint 1 hit", then="main[1]")
        assert "Hint" not in shown  # those for newcomers are given once
        await terminal.run("cont", "The target has ended with status 0", "'run' starts it again", then=">")
        for line in ("locals", "next", "pop", "until", "print 1"):
            await terminal.run(line, "the target has ended", "'run' starts it again", then=">")
        assert "`" not in await terminal.run("help cont", "like 'advance'", then=">")
        await terminal.run("run", "Breakpoint 1 hit", then="main[1]")
        terminal.type("quit\r")
        await terminal.expect("the target is ended")
        assert await terminal.wait_exit() == 0
        assert terminal.modes == terminal.modes_before


async def test_the_prompt_is_there_while_a_program_that_was_started_again_runs(any_jvm: Jvm, tmp_path: Path) -> None:
    waits = inline("class T { public static void main(String[] a) throws Exception { Thread.sleep(600_000); } }")
    words = ["launch", "-cp", waits.classes, waits.main]
    async with open_terminal(words, tmp_path, environ={"JAVA_HOME": any_jvm.home}) as terminal:
        await terminal.prompt("main[1]")
        await terminal.run("run", then=">")
        await terminal.run("restart", then="end the program and start it again? [y/N]")
        await terminal.run("y", then=">")
        await terminal.run("threads", "main", then=">")
        terminal.type("quit\r")
        await terminal.expect("the target is ended")
        assert await terminal.wait_exit() == 0


async def test_breakpoints_are_chosen_for_the_next_run_after_the_end(any_jvm: Jvm, tmp_path: Path) -> None:
    words = ["launch", "-cp", HELLO.classes, HELLO.main, "a"]
    async with open_terminal(words, tmp_path, environ={"JAVA_HOME": any_jvm.home}) as terminal:
        await terminal.prompt("main[1]")
        for line in ("break Hello.main", "break Hello.greeting", "break Hello.greeting", "break Hello.main after 2"):
            await terminal.run(line, "reakpoint", then="main[1]")
        await terminal.run("disable 1 2 3", then="main[1]")
        await terminal.run("cont", "'run' starts it again", then=">")
        for line, shown in (
            ("clear 2", "2"),
            ("clear 2", "no breakpoint 2"),
            ("enable 3", "3"),
            ("disable 4", "4"),
            ("delete 1", "1"),
            ("breakpoints", "Hello.greeting"),
        ):
            assert "has ended" not in await terminal.run(line, shown, then=">")
        for line in ("condition 3 true", "ignore 3 0", "tbreak Hello.main"):
            await terminal.run(line, f"pending: '{line}' is run when the program starts again", then=">")
        await terminal.run("breakpoints", f"pending until the target is back: {line}", then=">")
        await terminal.run("run", "reakpoint 5 hit", "Hello.main", then="main[1]")
        listed = await terminal.run("breakpoints", "Hello.greeting", "Hello.main", then="main[1]")
        assert "after 2" not in listed and "pending" not in listed
        await terminal.run("cont", "Breakpoint 3 hit", then="main[1]")
        await terminal.run("clear 3", then="main[1]")
        await terminal.run("cont", "'run' starts it again", then=">")
        await terminal.run("clear 4", then=">")
        await terminal.run("breakpoints", "no breakpoints", then=">")
        terminal.type("quit\r")
        assert await terminal.wait_exit() == 0


async def test_what_start_sets_is_said_above_its_stop(any_jvm: Jvm) -> None:
    """In a batch as at the prompt; in JSON it is part of the result, which is one."""
    for options in ((), ("--json",)):
        done = await jdbpy(*launching(HELLO, *options, *script("start", f"advance {HELLO.at('done')}")), jvm=any_jvm)
        assert done.status == 0, done.err
        if options:
            notes = [found["data"]["note"].split(" at ")[0] for found in done.results]
            assert notes == ["temporary breakpoint 1", "temporary breakpoint 2"]
        else:
            said = [line.partition(" at ")[0].partition(":")[0] for line in done.out.splitlines() if "emporary" in line]
            assert said == [
                "temporary breakpoint 1",
                "Temporary breakpoint 1 hit",
                "temporary breakpoint 2",
                "Temporary breakpoint 2 hit",
            ]


async def test_what_cannot_be_started_again_says_so(any_jvm: Jvm) -> None:
    command = library.LaunchCommand(["-cp", HELLO.classes, HELLO.main], java=any_jvm.home)
    async with library.launch_session(command) as session:
        await session.next_stop()
        for name in ("restart", "start"):
            with pytest.raises(library.StateError) as caught:
                await TABLE.by_name[name](Context(session), "")
            assert "jdbpy launch" in caught.value.hint


def test_the_main_class_of_a_command_line(tmp_path: Path) -> None:
    jar = tmp_path / "orders.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        archive.writestr("META-INF/MANIFEST.MF", "Manifest-Version: 1.0\r\nMain-Class: com.acme.Ord\r\n ers\r\n")
    broken = tmp_path / "broken.jar"
    broken.write_bytes(b"no archive")
    assert library.main_class(["-Xmx1g", "-cp", "a:b", "com/acme/Main", "-jar", "x"]) == "com.acme.Main"
    assert library.main_class(["-ea", "-jar", str(jar), "word"]) == "com.acme.Orders"
    assert library.main_class(["-p", "mods", "-m", "shop/com.acme.Main"]) == "com.acme.Main"
    for nothing in ([], ["-version"], ["-jar"], ["-jar", str(broken)], ["-jar", str(tmp_path / "none.jar")]):
        assert library.main_class(nothing) == ""

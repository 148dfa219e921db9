"""Launching, attaching and listening, ends of programs and of input, beside the JDK's jdb where that says anything."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
import trio

from tests.harness import Jvm, Program, inline, program, start_target
from tests.jdb.differences import normalised
from tests.jdb.driving import PROMPT, STOPPED, Driven, drive, ours, run_script, theirs
from tests.jdb.test_side_by_side import JDKS

COMMANDS: list[Callable[..., list[str]]] = [lambda jdk, *words: theirs(jdk, *words), lambda _, *words: ours(*words)]
"""The command lines of both."""

READER = """\
public class Reader {
    public static void main(String[] args) throws Exception {
        System.out.println("asked in " + System.getProperty("user.dir") + " by " + System.getenv("ASKED_BY"));
        System.out.print("no newline, ");
        for (int i = 0; i < 3; i++) System.err.println("error " + i);
        System.exit(3);
    }
}
"""


@pytest.fixture(params=JDKS[-1:], ids=lambda jdk: f"jdk{jdk.feature}")
def jdk(request: pytest.FixtureRequest) -> Jvm:
    """The newest JDK with a jdb."""
    found: Jvm = request.param
    return found


def end_of(text: str) -> str:
    return text[text.rindex("\nThe application") :]


async def test_the_end_of_the_program_ends_jdb(jdk: Jvm) -> None:
    """With the input still open; the program's output is all there."""
    reader = inline(READER)
    for command in COMMANDS:
        async with drive(command(jdk, "-classpath", reader.classes, reader.main), jdk, cwd=reader.classes) as driven:
            await driven.read()
            await driven.type("run")
            text = await driven.read(re.compile(rb"(?!)"))
            assert f"asked in {reader.classes} by null" in text
            assert "no newline, " in text
            assert "error 0\nerror 1\nerror 2\n" in text
            assert end_of(text) == "\nThe application exited\n"
            with trio.fail_after(10):
                assert await driven.process.wait() == 0


async def test_an_uncaught_exception(jdk: Jvm) -> None:
    tour = program("JdbTour")
    told = []
    for command in COMMANDS:
        words = ("-sourcepath", tour.sources, "-classpath", tour.classes, "-Dquiet=true", "-launch", "JdbTour", "x")
        async with drive(command(jdk, *words), jdk) as driven:
            begun = await driven.read(STOPPED)
            await driven.type("cont")
            thrown = await driven.read(STOPPED)
            await driven.type("cont")
            told.append((begun, thrown, end_of(await driven.read(re.compile(rb"(?!)")))))
    (begun, thrown, ended), (our_begun, our_thrown, our_ended) = told
    assert our_begun == begun
    assert normalised(our_thrown) == normalised(thrown)
    assert "Exception occurred: java.lang.IllegalArgumentException (uncaught)" in our_thrown
    assert our_ended == ended


async def test_attaching(jdk: Jvm) -> None:
    """To a program that waits for its debugger; it runs on after quit."""
    script = ["version", "stop in JdbTour.work", "~cont", "where", "run x", "clear JdbTour.work"]
    runs = []
    for command in COMMANDS:
        async with start_target(jdk, "JdbTour") as target:
            words = command(jdk, "-attach", f"127.0.0.1:{target.port}", "-sourcepath", target.program.sources)
            async with drive(words, jdk) as driven:
                begun = await driven.read(STOPPED)
                answers = [(await driven.answer(line)).text for line in script]
                await driven.type("quit")
                rest = await driven.read(re.compile(rb"(?!)"))
                # The start is told by another thread than the first prompt.
                begun_words = sorted(begun.replace("> ", "").split())
                runs.append((begun_words, [normalised(text) for text in answers], rest))
            await target.wait_output("total")
    assert runs[1] == runs[0]


async def test_listening(jdk: Jvm) -> None:
    """The address is told, and a JVM that connects to it is stopped at its start."""
    for command in COMMANDS:
        async with drive(command(jdk, "-listenany"), jdk) as driven:
            said = await driven.read(re.compile(rb"Listening at address: .*\n"))
            address = said.split()[-1]
            port = address.rpartition(":")[2]
            async with start_target(jdk, "JdbTour", connect_to=f"127.0.0.1:{port}"):
                text = (await driven.read(STOPPED)).replace("> ", "")  # told by another thread than the start
                assert text.startswith("Set uncaught java.lang.Throwable\nSet deferred uncaught java.lang.Throwable\n")
                assert text.endswith("VM Started: No frames on the current call stack\n\nmain[1] ")


async def test_closed_input_lets_go_of_what_was_attached_to(jdk: Jvm) -> None:
    async with start_target(jdk, "JdbTour") as target:
        run = await run_script(ours("-attach", str(target.port)), jdk, [])
        assert "Input stream closed.\n" in run.rest + run.answers[0].text
        assert run.status == 0
        await target.wait_output("total")


async def test_a_program_that_reads_waits(jdk: Jvm) -> None:
    """Standard input belongs to the debugger."""
    asks = inline(
        "public class Asks { public static void main(String[] a) throws Exception {"
        ' System.out.println("ready"); System.in.read(); } }'
    )
    async with drive(ours("-classpath", asks.classes, "Asks"), jdk) as driven:
        await driven.read()
        await driven.type("run")
        await driven.read(re.compile(rb"ready\n"))
        await driven.answer("suspend")
        assert "Asks.main (Asks.java:1)" in (await driven.answer("where all")).text
        await driven.type("quit")
        await rest_of(driven)
        assert await driven.process.wait() == 0


async def test_startup_files(jdk: Jvm, tmp_path: Path) -> None:
    tour = program("JdbTour")
    (tmp_path / "jdb.ini").write_text("# mine\nstop in JdbTour.work\n")
    texts = []
    for command in COMMANDS:
        async with drive(command(jdk, "-classpath", tour.classes, "JdbTour"), jdk, cwd=str(tmp_path)) as driven:
            texts.append(await driven.read(re.compile(rb"loaded\.\n(> )+$")))
            assert f"*** Reading commands from {tmp_path}" in texts[-1]
    assert normalised(texts[1]) == normalised(texts[0])


@pytest.mark.parametrize(
    "words",
    [
        ("-help",),
        ("-bogus",),
        ("-attach",),
        ("-sourcepath",),
        ("-X",),
        ("-dbgtrace", "1x"),
        ("-attach", "1", "-listen", "2"),
        ("-attach", "1", "Main"),
        ("-listconnectors",),
        ("-version",),
    ],
    ids=" ".join,
)
async def test_what_needs_no_program(jdk: Jvm, words: tuple[str, ...]) -> None:
    """Usage errors and the like: the same text, the same status."""
    async with drive(ours(*words), jdk) as our, drive(theirs(jdk, *words), jdk) as their:
        assert await rest_of(our) == await rest_of(their)
        assert await our.process.wait() == await their.process.wait() == 0


@pytest.mark.parametrize(
    ("spec", "shown"),
    [
        ("com.sun.jdi.CommandLineLaunch:main=Echo 'a b' \"c,d\",options=-Dx=1", "[a b, c,d] 1"),
        ('com.sun.jdi.CommandLineLaunch:main=Echo e  f,options="-Dx=1 2"', "[e, f] 1 2"),
    ],
)
async def test_connector_arguments(jdk: Jvm, spec: str, shown: str) -> None:
    """Quotes and commas in the values of a connector's arguments."""
    echo = _echo()
    spec = spec.replace("options=", f"options=-cp {echo.classes} ")
    async with drive(ours("-connect", spec, "-launch"), jdk) as driven:
        await driven.read(STOPPED)
        await driven.type("cont")
        assert shown in await driven.read(re.compile(rb"(?!)"))


async def test_attaching_by_process(jdk: Jvm) -> None:
    """By its id, where the agent chose the port itself."""
    async with start_target(jdk, "JdbTour") as target:
        async with drive(ours("-connect", f"com.sun.jdi.ProcessAttach:pid={target.process.pid}"), jdk) as driven:
            assert "VM Started: " in await driven.read(STOPPED)
            await driven.type("quit")
            await rest_of(driven)
        await target.wait_output("total")


async def test_a_refused_connection_is_a_sentence(jdk: Jvm) -> None:
    async with drive(ours("-attach", "127.0.0.1:1"), jdk) as driven:
        text = await rest_of(driven)
        assert "connection refused" in text
        assert text.endswith("\nFatal error:\nUnable to attach to target VM.\n")
        assert await driven.process.wait() == 0


async def test_output_while_the_prompt_is_up(jdk: Jvm) -> None:
    """A program that writes fast loses nothing, and commands are answered meanwhile."""
    source = """\
public class Fast {
    public static void main(String[] a) { for (int i = 0; i < 20_000; i++) System.out.println("line " + i); }
}
"""
    fast = inline(source)
    async with drive(ours("-classpath", fast.classes, "Fast"), jdk) as driven:
        await driven.read(PROMPT)
        await driven.type("run\nthreads\nexclude")
        text = await rest_of(driven)
        assert [int(number) for number in re.findall(r"line (\d+)$", text, re.MULTILINE)] == list(range(20_000))
        assert "java.*,javax.*,sun.*,com.sun.*,jdk.*,\n" in text


async def rest_of(driven: Driven) -> str:
    return await driven.read(re.compile(rb"(?!)"))


def _echo() -> Program:
    return inline(
        "import java.util.List;\n"
        "public class Echo { public static void main(String[] a) {"
        ' System.out.println(List.of(a) + " " + System.getProperty("x")); } }'
    )

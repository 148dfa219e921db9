"""Attaching and leaving, the end of input, the start-up files; beside the JDK's jdb where that says anything."""

from __future__ import annotations

import re
import signal
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import trio.testing

from jdbpy import Event, Session, Stopped, UsageError
from jdbpy.jdb.cmdline import parse
from jdbpy.jdb.events import Teller
from jdbpy.jdb.opening import open_session
from jdbpy.jdb.run import run
from jdbpy.process.scripts import Script
from tests.harness import Jvm, program, start_target
from tests.jdb.beside import JDKS, Command, beside
from tests.jdb.differences import normalized, without_prompts
from tests.jdb.driving import drive, ours, run_script

END = re.compile(rb"(?!)")


@pytest.fixture(params=JDKS[-1:], ids=lambda jdk: f"jdk{jdk.feature}")
def jdk(request: pytest.FixtureRequest) -> Jvm:
    """The newest JDK with a jdb."""
    found: Jvm = request.param
    return found


async def test_attaching(jdk: Jvm) -> None:
    """To a program that waits for its debugger; it runs on after quit."""
    await attached_alike(jdk, jdk, ["version", "stop in JdbTour.work", "~cont", "where", "run x", "clear JdbTour.work"])


@pytest.mark.every_java
async def test_a_target_of_every_java(jdk: Jvm, jvm: Jvm) -> None:
    """The JDK's jdb, and ours, attached to a target of another version."""
    script = ["class JdbTour", "stop in JdbTour.work", "~cont", "where", "wherei", "locals", "list"]
    script += ["methods JdbTour", "fields JdbTour", "lines JdbTour", "threadlocks", "where all", "print 1 + 2", "~next"]
    script += ["~step up", "classpath", "clear JdbTour.work"]
    await attached_alike(jdk, jvm, script)


async def attached_alike(jdk: Jvm, jvm: Jvm, script: list[str]) -> None:
    """Both jdb answer alike when they are attached to a target on ``jvm``, and leave it running."""

    async def work(command: Command) -> tuple[list[str], list[str], str]:
        async with start_target(jvm, "JdbTour") as target:
            words = command("-attach", f"127.0.0.1:{target.port}", "-sourcepath", target.program.sources)
            async with drive(words, jdk) as driven:
                begun = await driven.begin()
                answers = [normalized((await driven.answer(line)).text) for line in script]
                await driven.type("quit")
                rest = await driven.read(END)
            await target.wait_output("total")
            return sorted(without_prompts(begun)), answers, rest

    of_jdk, of_ours = await beside(jdk, work)
    assert of_ours == of_jdk


async def test_closed_input_lets_go_of_what_was_attached_to(jdk: Jvm) -> None:
    async with start_target(jdk, "JdbTour") as target:
        run = await run_script(ours("-attach", str(target.port)), jdk, [])
        assert "Input stream closed.\n" in run.rest + run.answers[0].text
        assert run.status == 0
        await target.wait_output("total")


async def test_what_is_told_while_the_target_is_left_may_have_gone(jdk: Jvm, monkeypatch: pytest.MonkeyPatch) -> None:
    """The end of input comes while the first stop is told: the agent forgets the thread when the debugger leaves."""
    left = trio.Event()
    begun = trio.Event()

    class Slow(Teller):
        async def tell(self, event: Event) -> None:
            if isinstance(event, Stopped):
                begun.set()
                await left.wait()
                raise UsageError("no thread 1")
            await super().tell(event)

    class Closed:
        def __init__(self, scripts: Iterable[Script]) -> None:
            """There is no line."""

        async def next(self) -> None:
            await begun.wait()

    @asynccontextmanager
    async def opened(*args: Any) -> AsyncIterator[Session]:
        async with open_session(*args) as session:
            yield session
        left.set()
        await trio.testing.wait_all_tasks_blocked()

    monkeypatch.setattr("jdbpy.jdb.run.Teller", Slow)
    monkeypatch.setattr("jdbpy.jdb.run.ScriptLines", Closed)
    monkeypatch.setattr("jdbpy.jdb.run.open_session", opened)
    async with start_target(jdk, "JdbTour") as target:
        assert await run(parse(["-attach", str(target.port)])) == 0
        assert left.is_set()
        await target.wait_output("total")


async def test_a_refused_connection_is_a_sentence(jdk: Jvm) -> None:
    async with drive(ours("-attach", "127.0.0.1:1"), jdk) as driven:
        text = await driven.read(END)
        assert "connection refused" in text
        assert text.endswith("\nFatal error:\nUnable to attach to target VM.\n")
        assert await driven.process.wait() == 0


async def test_startup_files(jdk: Jvm, tmp_path: Path) -> None:
    """That of the home directory, then that of the working directory; jdb.ini goes before .jdbrc."""
    tour = program("JdbTour")
    for directory, name, text in (
        ("home", ".jdbrc", "monitor where\n\n# a comment\nstop in JdbTour.work\n"),
        ("home/program", "jdb.ini", "read ../other\n"),
        ("home/program", ".jdbrc", "stop in JdbTour.unread\n"),
        ("home", "other", "repeat on\n2 stop\nbogus\n"),
    ):
        (tmp_path / directory).mkdir(exist_ok=True)
        (tmp_path / directory / name).write_text(text)
    home = str(tmp_path / "home")

    async def work(command: Command) -> list[str]:
        # Java takes the home directory from the list of users
        words = command(f"-J-Duser.home={home}", "-classpath", tour.classes, "JdbTour")
        texts = []
        for cwd in (f"{home}/program", home):
            async with drive(words, jdk, cwd=cwd, env={"HOME": home}) as driven:
                last = rb"after the class is loaded" if cwd == home else rb"'bogus'"
                texts.append(normalized(await driven.read(re.compile(last + rb".*\n(> ){2,}$"))))
        return texts

    of_jdk, of_ours = await beside(jdk, work)
    assert of_ours == of_jdk
    assert f"*** Reading commands from {home}/program/jdb.ini" in of_ours[0]


async def test_a_startup_file_that_others_may_write_is_not_read(jdk: Jvm, tmp_path: Path) -> None:
    """The one difference: jdb reads it. Its commands run methods of the target."""
    for place in ("home", "elsewhere"):
        (tmp_path / place).mkdir(mode=0o700)
        (tmp_path / place / ".jdbrc").write_text("bogus\n")
    (tmp_path / "home/.jdbrc").chmod(0o666)
    (tmp_path / "elsewhere").chmod(0o777)
    words = ours("-classpath", program("JdbTour").classes, "JdbTour")
    async with drive(words, jdk, cwd=str(tmp_path / "elsewhere"), env={"HOME": str(tmp_path / "home")}) as driven:
        said = (await driven.read(re.compile(rb"\n> $"))).splitlines()
    assert said[1:-1] == [
        f"*** Ignoring {tmp_path}/home/.jdbrc: it may be written by others",
        f"*** Ignoring {tmp_path}/elsewhere/.jdbrc: its directory may be written by others",
    ]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_a_signal_ends_it(jdk: Jvm, number: signal.Signals) -> None:
    """Ctrl-C in a terminal is one. A program that was attached to runs on."""

    async def work(command: Command) -> tuple[list[str], int]:
        async with start_target(jdk, "JdbTour") as target:
            async with drive(command("-attach", f"127.0.0.1:{target.port}"), jdk) as driven:
                await driven.begin()
                driven.process.send_signal(number)
                rest = await driven.read(END)
                await target.wait_output("total")
                return without_prompts(rest), await driven.process.wait()

    of_jdk, of_ours = await beside(jdk, work)
    assert of_ours == of_jdk == ([], 128 + number)


async def test_bytes_that_come_one_by_one(jdk: Jvm) -> None:
    """And lines that come together: what is read does not depend on how it was written."""
    tour = program("JdbTour")
    script = "stop in JdbTour.work\nmonitor where\nstop\n!!\nclear\nexit\n"

    async def work(command: Command) -> list[str]:
        texts = []
        for parts in (list(script), [script]):
            async with drive(command("-classpath", tour.classes, "JdbTour"), jdk) as driven:
                assert driven.process.stdin is not None
                for part in parts:
                    await driven.process.stdin.send_all(part.encode())
                texts.append(await driven.read(END))
        return texts

    of_jdk, of_ours = await beside(jdk, work)
    assert of_ours == of_jdk


async def test_a_directory_in_place_of_a_startup_file(jdk: Jvm, tmp_path: Path) -> None:
    """It cannot be read, and is not taken for somebody else's."""
    (tmp_path / "jdb.ini").mkdir()

    async def work(command: Command) -> list[str]:
        words = command(f"-J-Duser.home={tmp_path}")
        async with drive(words, jdk, cwd=str(tmp_path), env={"HOME": str(tmp_path)}) as driven:
            begun = await driven.read()
            return [begun, *[(await driven.answer(f"read {name}")).text for name in (tmp_path / "jdb.ini", "/nope")]]

    of_jdk, of_ours = await beside(jdk, work)
    assert of_ours == of_jdk
    assert f"Could not open: {tmp_path}/jdb.ini" in of_ours[0]

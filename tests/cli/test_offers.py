"""What the prompt offers: the files of the project, never unasked, and the breakpoints of the last time."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import cast

from jdbpy.cli.context import Context
from jdbpy.cli.repl.offers import Offers
from tests.cli.process import jdbpy, launching
from tests.cli.prompt import CTRL_D
from tests.cli.pseudo_terminal import PseudoTerminal, open_terminal
from tests.harness import Jvm, program

TICKER = program("Ticker")

PLUGIN = 'import jdbpy\n\n@jdbpy.command\ndef {name}(vm):\n    """Say it."""\n    return "from the {name}"\n'


@asynccontextmanager
async def launched(jvm: Jvm, home: Path, where: Path | None = None) -> AsyncIterator[PseudoTerminal]:
    """Ticker, held at its start, at a prompt in a working directory."""
    environ = {"JAVA_HOME": jvm.home}
    async with open_terminal(launching(TICKER), home, columns=200, environ=environ, where=where) as terminal:
        yield terminal


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


async def test_a_project_is_asked_about_until_it_is_trusted_and_again_when_it_has_changed(
    any_jvm: Jvm, tmp_path: Path
) -> None:
    project, home = tmp_path / "project", tmp_path / "home"
    write(project / ".jdbpy/init", "alias who = owner\n")
    write(project / ".jdbpy/plugins/owner.py", PLUGIN.format(name="owner"))
    (project / "below").mkdir()
    (project / ".git").mkdir()
    home.mkdir()
    question = "run them now, and from now on until they change? [y/N]"
    done = await jdbpy(*launching(TICKER, "-c", "owner", "--batch"), jvm=any_jvm, where=project)
    assert "unknown command 'owner'" in done.err
    for answer in ("\r", "y\r", "", "n\r"):
        if answer == "n\r":
            write(project / ".jdbpy/init", "alias who = owner\nalias other = owner\n")
        async with launched(any_jvm, home, where=project / "below") as terminal:
            if answer:
                await terminal.expect("the plug-in owner.py")
                await terminal.prompt(question)
                terminal.type("threads\r")  # no answer, and not run either
                await terminal.expect("'threads' is neither yes nor no: y runs them, n or an empty line does not")
                await terminal.prompt(question)
                terminal.type(answer)
            trusted = answer in ("y\r", "")
            await terminal.prompt("main[1]")
            assert "Reference Handler" not in terminal.screen.text
            shown = "from the owner" if trusted else "unknown command 'who'"
            await terminal.run("who", shown, then="main[1]")
            terminal.type(CTRL_D)
            assert await terminal.wait_exit() == 0


async def test_a_line_of_a_project_that_fails_is_named(any_jvm: Jvm, tmp_path: Path) -> None:
    project, home = tmp_path / "project", tmp_path / "home"
    write(project / ".jdbpy/init", "# what we call things\n\nfrobnicate\nalias who = where\n")
    home.mkdir()
    async with launched(any_jvm, home, where=project) as terminal:
        await terminal.prompt("run them now, and from now on until they change? [y/N]")
        terminal.type("y\r")
        await terminal.expect("unknown command 'frobnicate'")
        await terminal.expect(f"line 3 of {project}/.jdbpy/init failed: frobnicate")
        await terminal.prompt("main[1]")
        terminal.type(CTRL_D)
        assert await terminal.wait_exit() == 0


async def test_a_line_of_a_file_that_fails_is_named_at_the_prompt(any_jvm: Jvm, tmp_path: Path) -> None:
    file = tmp_path / "file"
    write(file, "# nothing\nfrobnicate\nversion\n")
    words = launching(TICKER, "-x", str(file))
    async with open_terminal(words, tmp_path, columns=200, environ={"JAVA_HOME": any_jvm.home}) as terminal:
        await terminal.expect("unknown command 'frobnicate'")
        await terminal.expect(f"line 2 of {file} failed: frobnicate")
        await terminal.prompt("main[1]")
        terminal.type(CTRL_D)
        assert await terminal.wait_exit() == 0


async def test_a_project_of_others_is_left_out_unasked(tmp_path: Path) -> None:
    """The files may change between reading them and answering; a group may share a project."""
    init, plugin = tmp_path / "project/.jdbpy/init", tmp_path / "project/.jdbpy/plugins/owner.py"
    write(init, "quit\n")
    write(plugin, PLUGIN.format(name="owner"))

    async def offered() -> str:
        said: list[str] = []

        async def ask(question: str) -> str:
            said.append(question)
            return "n"

        offers = Offers("", environ={"HOME": str(tmp_path / "home")}, directory=str(tmp_path / "project"))
        assert await offers.begin(cast(Context, None), ask, said.append) == []
        return "".join(said)

    for path, mode in ((init, 0o664), (plugin.parent, 0o775), (init.parent, 0o775)):
        path.chmod(mode)
        assert (await offered()).endswith("run them now, and from now on until they change? [y/N] ")
    for path, mode, words in (
        (init, 0o666, "init is not trusted: it may be written by others"),
        (plugin, 0o602, "owner.py is not trusted: it may be written by others"),
        (plugin.parent, 0o777, "owner.py is not trusted: its directory may be written by others"),
        (init.parent, 0o1777, "init is not trusted: its directory may be written by others"),
    ):
        before = path.stat().st_mode
        path.chmod(mode)
        assert await offered() == f"{init.parent} is left out: {words}\n"
        path.chmod(before)
    elsewhere = tmp_path / "elsewhere"
    write(elsewhere / "init", "quit\n")
    (elsewhere / "init").chmod(0o666)
    init.unlink()
    init.symlink_to(elsewhere / "init")
    assert "init is not trusted: it may be written by others" in await offered()
    plugin.unlink()
    init.unlink()
    os.mkfifo(init)
    assert await offered() == "", "nothing waits for a pipe"
    if os.geteuid() == 0:
        init.unlink()
        write(init, "quit\n")
        os.chown(init, 12345, -1)
        assert "init is not trusted: it belongs to another user" in await offered()


async def test_breakpoints_are_offered_the_next_time(any_jvm: Jvm, tmp_path: Path) -> None:
    async with launched(any_jvm, tmp_path) as terminal:
        await terminal.prompt("main[1]")
        await terminal.run("break Ticker.tick if false", "Breakpoint 1", then="main[1]")
        await terminal.run("catch java.io.IOException", "IOException", then="main[1]")
        terminal.type(CTRL_D)
        assert await terminal.wait_exit() == 0
    async with launched(any_jvm, tmp_path) as terminal:
        await terminal.prompt("2 breakpoints from the last session here; set again? [y/N]")
        terminal.type("y\r")
        await terminal.expect("2 breakpoints of the last time set again")
        await terminal.prompt("main[1]")
        await terminal.run("breakpoints", "Ticker.tick", "if false", "java.io.IOException", then="main[1]")
        terminal.type(CTRL_D)
        assert await terminal.wait_exit() == 0
    async with launched(any_jvm, tmp_path) as terminal:
        await terminal.prompt("2 breakpoints from the last session here; set again? [y/N]")
        terminal.type("breakpoints\r")  # a command that was typed ahead: it declines, and is run
        await terminal.expect("no breakpoints; ")
        await terminal.prompt("main[1]")
        terminal.type(CTRL_D)
        assert await terminal.wait_exit() == 0
    async with launched(any_jvm, tmp_path) as terminal:
        await terminal.prompt("main[1]")
        terminal.type(CTRL_D)
        assert await terminal.wait_exit() == 0


async def test_the_name_of_a_directory_gives_no_trust_to_another_project(tmp_path: Path) -> None:
    """What is trusted is kept by lines: a directory whose name has a newline would write one of its choice."""
    home, victim = tmp_path / "home", tmp_path / "victim"
    environ = {"HOME": str(home)}
    home.mkdir()

    async def offered(project: Path, answer: str) -> str:
        said: list[str] = []

        async def ask(question: str) -> str:
            said.append(question)
            return answer

        ran: list[str] = []
        ctx = cast(Context, SimpleNamespace(quiet=False, leaving=True, run_line=ran.append))
        offers = Offers("", environ=environ, directory=str(project))
        await offers.begin(ctx, ask, said.append)
        return "".join(said)

    write(victim / ".jdbpy/init", "quit\n")
    assert "[y/N]" in await offered(victim, "y"), "it is asked about"
    trusted = home / ".local/state/jdbpy/trusted"
    line = trusted.read_text()
    assert await offered(victim, "n") == "", "it is trusted"
    trusted.unlink()
    for kept in (line, line.replace('"', "")):
        hostile = tmp_path / f"x\n{kept.replace('/.jdbpy', '').strip()}"
        write(hostile / ".jdbpy/init", "quit\n")
        assert "is left out: a name in its path has control characters" in await offered(hostile, "y")
        assert not trusted.exists()
    for name in ("x\u2028y", "x\x85y", os.fsdecode(b"x\xff"), 'x"'):
        write(tmp_path / name / ".jdbpy/init", "quit\n")
        assert "[" in await offered(tmp_path / name, "y")
    kept_lines = trusted.read_text().splitlines()
    assert all(len(each.split("  ")[0]) == 64 for each in kept_lines), kept_lines
    assert "[y/N]" in await offered(victim, "n"), "it is asked about again"

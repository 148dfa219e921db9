"""Two prompts on one session: one that serves, one that has joined; what each of them shows."""

from __future__ import annotations

import os
import re
from pathlib import Path

from tests.cli.prompt import CTRL_C, CTRL_D, TAB, attached, selected
from tests.cli.pseudo_terminal import open_terminal
from tests.harness import Jvm
from tests.serve.serving import run


async def test_a_prompt_joins_that_of_somebody(any_jvm: Jvm, tmp_path: Path) -> None:
    environ = {"XDG_RUNTIME_DIR": os.environ["XDG_RUNTIME_DIR"], "PAGER": "cat"}
    async with attached(any_jvm, tmp_path, environ=environ) as (host, target):
        await host.prompt(">")
        await host.run("serve ticks", "jdbpy join ticks", then=">")
        words = ["join", "ticks", "--as", "ann"]
        async with open_terminal(words, tmp_path, columns=100, lines=30, environ=environ) as joined:
            await joined.expect("Joined", "as ann; here: host")
            await joined.prompt(">")
            await host.expect("ann has joined")
            # a breakpoint of one stops both; either goes on
            await joined.run("stop in Ticker.tick", "reakpoint 1", then=">")
            await host.expect("breakpoint 1 added: Ticker.tick (ann)")
            await target.send()
            await joined.expect("Breakpoint 1 hit", "=>", "ticks++;")
            await joined.prompt("main[1]")
            await host.expect("Breakpoint 1 hit")
            await host.prompt("main[1]")
            joined.type(f"breakpo{TAB}")  # the session knows how it goes on
            await joined.prompt("main[1] breakpoints")
            joined.type("\r")
            await joined.expect("by ann")
            await host.run("cont", then=">")
            await joined.expect("host has resumed all threads")
            await joined.prompt(">")
            # Ctrl-C, a question and a long text are the joined prompt's own affair
            joined.type(CTRL_C)
            await joined.expect("Paused")
            await selected(joined)
            joined.type("exit --kill\r")
            await joined.expect("end the target at", "[y/N]")
            joined.type("n\r")
            await joined.expect("nothing was done")
            joined.type("help\r")
            await joined.expect("Breakpoints", "help gdb")
            await selected(joined)
            joined.type(CTRL_D)
            assert await joined.wait_exit() == 0
            assert joined.modes == joined.modes_before
        await host.expect("ann has left")
        await host.prompt(">")
        assert "host" in (await run("sessions"))[0]
        await host.run("breakpoints", "no breakpoints", then=">")
        host.type("quit\r")
        assert await host.wait_exit() == 0
    assert "no session is served" in (await run("sessions"))[0]


async def test_sentences_are_broken_for_the_window_of_each(any_jvm: Jvm, tmp_path: Path) -> None:
    """The one that serves, a narrower one that has joined, with colors and without, and one that writes to a pipe."""
    environ = {"XDG_RUNTIME_DIR": os.environ["XDG_RUNTIME_DIR"], "PAGER": "cat"}
    async with attached(any_jvm, tmp_path, columns=60, environ=environ) as (host, _):
        await host.prompt(">")
        about_editors = "an editor attaches to it by the Debug Adapter Protocol:\n  'help serve'\n"
        await host.run("serve widths", about_editors, then=">")
        for number, color in enumerate(("always", "never"), 1):
            words = ["join", "widths", "--as", "ann", "--color", color]
            async with open_terminal(words, tmp_path, columns=44, environ=environ) as joined:
                first, *more = (await joined.expect("commands.")).splitlines()
                assert more and all(line.startswith("  ") for line in more)
                said = " ".join([first, *(line.strip() for line in more)])
                assert re.fullmatch(r"Joined \S+, .+, Java \S+, as ann; here: host\. 'help' lists the commands\.", said)
                await joined.prompt(">")
                pending = f"Trace {number} set: exits No.such by ann; a hit\n  suspends all threads; pending: class No"
                await joined.run("trace exits No.such", pending, then=">")
                joined.resize(36, 40)
                await joined.run("version", "target", then=">")  # its prompt tells of the new size
                words_of = "EXPRESSION: a Java expression over\n    what the selected frame sees\n"
                await joined.run("help print", words_of, then=">")
                joined.type(CTRL_D)
                assert await joined.wait_exit() == 0
        piped = await run("join", "widths", "-c", "trace exits No.such")
        assert len(piped[0].splitlines()) == 1, piped
        host.type("quit\r")
        assert await host.wait_exit() == 0

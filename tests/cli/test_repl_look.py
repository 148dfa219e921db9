"""What the prompt shows on terminals of all sorts: without escape codes or colors, narrow, low, with a pager."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from jdbpy.cli.repl.terminal_pager import QUESTION
from tests.cli.process import launching
from tests.cli.prompt import CTRL_C, CTRL_D, attached, selected, ticks
from tests.cli.pseudo_terminal import COLOR, open_terminal
from tests.harness import Jvm, program

COUNTING = program("Counting")
PAGER = """\
import signal, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
print("first line:", sys.stdin.readline())
print("press a key", flush=True)
open("/dev/tty").readline()
"""


@pytest.mark.parametrize("environ", [{"TERM": "dumb"}, {"TERM": ""}])
async def test_a_terminal_that_knows_no_escape_codes(any_jvm: Jvm, tmp_path: Path, environ: dict[str, str]) -> None:
    async with attached(any_jvm, tmp_path, environ=environ) as (terminal, target):
        await terminal.prompt(">")
        await terminal.run("stop in Ticker.tick", "reakpoint 1", then=">")
        terminal.type("whe")
        await terminal.prompt("> whe")
        await target.send()
        await terminal.expect("Breakpoint 1 hit", "=>")
        await terminal.prompt("main[1]")
        terminal.type("re\r")
        await terminal.expect("[1] Ticker.tick")
        await terminal.prompt("main[1]")
        await terminal.run("clear 1", "deleted", then="main[1]")
        await terminal.run("cont", then=">")
        terminal.type(CTRL_C)
        await terminal.expect("Paused")
        await selected(terminal)
        terminal.type(CTRL_D)
        await terminal.expect("the target runs on")
        assert await terminal.wait_exit() == 0
        assert "\x1b" not in terminal.sent
        assert terminal.modes == terminal.modes_before
        await ticks(target)


@pytest.mark.parametrize(("options", "environ"), [((), {"NO_COLOR": "1"}), (("--color", "never"), {})])
async def test_without_colors(any_jvm: Jvm, tmp_path: Path, options: tuple[str], environ: dict[str, str]) -> None:
    async with attached(any_jvm, tmp_path, *options, suspend=True, environ=environ) as (terminal, _):
        await terminal.prompt("main[1]")
        await terminal.run("threads", "main", then="main[1]")
        await terminal.run("nonsense", "unknown command", then="main[1]")
        terminal.type(CTRL_D)
        assert await terminal.wait_exit() == 0
        assert not COLOR.findall(terminal.sent)


async def test_colors_on_the_other_hand(any_jvm: Jvm, tmp_path: Path) -> None:
    async with attached(any_jvm, tmp_path, suspend=True) as (terminal, _):
        await terminal.prompt("main[1]")
        await terminal.run("nonsense", "unknown command", then="main[1]")
        assert COLOR.search(terminal.sent)


async def test_a_window_that_becomes_narrow(any_jvm: Jvm, tmp_path: Path) -> None:
    async with attached(any_jvm, tmp_path, "-c", "threads", suspend=True, columns=120) as (terminal, _):
        await terminal.expect("Reference Handler")
        await terminal.prompt("main[1]")
        terminal.resize(20, 40)
        await terminal.wait_until(  # the toolbar, without what no longer fits
            lambda: terminal.screen.text.endswith("\n stopped │ main[1]"), "a shorter toolbar"
        )
        shown = await terminal.run("threads", "Ref", then="main[1]")
        assert "Reference Handler" not in shown
        terminal.resize(40, 40)
        shown = await terminal.run("stop in no.Such.method", "threads", then="main[1]")
        pending = "is pending: class no.Such is not loaded yet; a hit suspends all threads"
        assert pending in " ".join(shown.split())  # broken between words only
        await terminal.run("stop in Ticker.tack", "threads", then="main[1]")
        await terminal.run("cont", "cannot be set: no method\n  tack in Ticker (there is tick)", then=">")
        terminal.resize(120, 40)
        await terminal.run("threads", "Reference Handler", then=">")


async def test_sentences_in_a_narrow_window_are_broken_between_words(any_jvm: Jvm, tmp_path: Path) -> None:
    words, environ = launching(COUNTING), {"JAVA_HOME": any_jvm.home}
    async with open_terminal(words, tmp_path, columns=44, environ=environ) as terminal:
        await terminal.prompt("main[1]")
        pending = "Trace 1 set: exits No.such; a hit suspends\n  all threads; pending: class No is not\n  loaded yet\n"
        await terminal.run("trace exits No.such", pending, then="main[1]")
        ended = "'run' starts it again with its breakpoints,\n  'start' stops in main, 'quit' leaves\n"
        await terminal.run("cont", ended, then=">")
        terminal.type(CTRL_C)
        await terminal.expect("nothing is running; Ctrl-D or 'quit' leaves\n  the debugger\n")
        await terminal.prompt(">")
        terminal.type(CTRL_D)
        assert await terminal.wait_exit() == 0


async def test_output_taller_than_the_screen(any_jvm: Jvm, tmp_path: Path) -> None:
    bare = {"PATH": str(tmp_path)}  # no less there: the pager of our own
    async with attached(any_jvm, tmp_path, suspend=True, lines=12, environ=bare) as (terminal, _):
        await terminal.prompt("main[1]")
        terminal.type("help all\r")
        await terminal.expect("running:")
        await terminal.prompt(QUESTION)
        terminal.type("q")
        await terminal.prompt("main[1]")
        terminal.type("help all\r")
        await terminal.prompt(QUESTION)
        terminal.type(CTRL_C)
        await terminal.prompt("main[1]")
        terminal.type(CTRL_D)
        assert await terminal.wait_exit() == 0
        assert terminal.modes == terminal.modes_before


async def test_output_through_a_pager(any_jvm: Jvm, tmp_path: Path) -> None:
    """It is there while the pager still reads, gets all of the text, and may leave early."""
    pager = tmp_path / "pager.py"
    pager.write_text(PAGER)
    environ = {"PAGER": f"{sys.executable} {pager}"}
    async with attached(any_jvm, tmp_path, suspend=True, lines=12, environ=environ) as (terminal, _):
        await terminal.prompt("main[1]")
        terminal.type("help all\r")
        await terminal.expect("first line: running:", "press a key")
        terminal.type(CTRL_C)  # is for the pager, which ignores it
        terminal.type("\r")
        await terminal.prompt("main[1]")
        await terminal.run("version", "target 127.0.0.1", then="main[1]")
        assert terminal.modes != terminal.modes_before
        assert "interrupted" not in terminal.screen.text

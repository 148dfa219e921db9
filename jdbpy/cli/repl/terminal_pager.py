"""Output that is taller than the screen: through ``less``, or a screen at a time where there is none.

Owns the terminal while it runs (the caller holds back everything else). The text is made while it is read: the first
screen is there at once, and what the reader never looks at is never made. Leaving early is no error.
"""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Iterable, Mapping
from typing import TextIO

import trio

from jdbpy.cli.repl.terminal import restored_modes, rows, size
from jdbpy.errors import UsageError

QUESTION = "-- more: space, a line: Enter, end: q --"

_PATIENCE = 1.0
"""Seconds that a pager gets to leave the screen when the debugger must end."""


def pager_command(environ: Mapping[str, str] = os.environ) -> list[str]:
    """Return the pager to run: PAGER, else ``less``; empty when there is none. ``cat`` means "do not page".

    ``less`` shows colors (-R), leaves at Ctrl-C (-K), and leaves what was read on the screen (-X).
    """
    words = shlex.split(environ.get("PAGER") or "less")
    program = shutil.which(words[0], path=environ.get("PATH")) if words else None
    if program is None:
        return []
    return [program, "-R", "-K", "-X"] if words == ["less"] else [program, *words[1:]]


async def page(parts: Iterable[str], stdin: TextIO, stdout: TextIO) -> None:
    """Show a long text; return when the reader has had enough."""
    command = pager_command()
    with restored_modes(stdin):
        if command and os.path.basename(command[0]) == "cat":
            for part in parts:
                await _write(stdout, part)
        elif command:
            await page_through(command, parts)
        else:
            await _page_simply(parts, stdin, stdout)


async def page_through(command: list[str], parts: Iterable[str]) -> None:
    """Show a text through a program; parts are made as fast as that reads them."""
    environ = {"LESSCHARSET": "utf-8", **os.environ}
    process = await trio.lowlevel.open_process(command, stdin=subprocess.PIPE, env=environ)
    assert process.stdin is not None
    try:
        try:
            async with process.stdin:
                for part in parts:
                    await process.stdin.send_all(part.encode("utf-8", "backslashreplace"))
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            pass  # the reader left
        await process.wait()
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGINT)  # at which it puts the screen back, other than at a SIGTERM
            with trio.move_on_after(_PATIENCE, shield=True):
                await process.wait()
            if process.returncode is None:
                process.kill()
                with trio.CancelScope(shield=True):
                    await process.wait()


async def run_program(words: list[str], stdin: TextIO) -> int:
    """Give a program the terminal until it ends; return its status. Raises UsageError where it cannot be started."""
    with restored_modes(stdin):
        try:
            process = await trio.lowlevel.open_process(words)
        except OSError as error:
            raise UsageError(f"cannot run {words[0]}: {error.strerror or error}") from error
        try:
            return await process.wait()
        finally:
            if process.returncode is None:
                process.kill()
                with trio.CancelScope(shield=True):
                    await process.wait()


async def _page_simply(parts: Iterable[str], stdin: TextIO, stdout: TextIO) -> None:
    """Show a screen and wait for a key, until the end or ``q``."""
    columns, lines = size()
    free = lines - 1
    for line in (line for part in parts for line in part.splitlines(keepends=True)):
        needed = rows(line, columns)
        if needed > free:
            key = await _ask(stdin, stdout, QUESTION[: columns - 1])
            if key in ("q", "Q", "\x03", "\x04", ""):
                return
            free = 1 if key in "\r\n" else lines - 1
        await _write(stdout, line)
        free -= needed


async def _ask(stdin: TextIO, stdout: TextIO, question: str) -> str:
    """Show the question until a key is pressed; return that key. No Enter, no echo, and Ctrl-C is a key here."""
    import termios
    import tty

    handle = stdin.fileno()
    before = termios.tcgetattr(handle)
    try:
        tty.setcbreak(handle, termios.TCSANOW)
        modes = termios.tcgetattr(handle)
        modes[3] &= ~termios.ISIG
        termios.tcsetattr(handle, termios.TCSANOW, modes)
        await _write(stdout, question)
        await trio.lowlevel.wait_readable(handle)
        key = os.read(handle, 1).decode("latin-1")
        await _write(stdout, "\r" + " " * len(question) + "\r")
    finally:
        termios.tcsetattr(handle, termios.TCSANOW, before)
    return key


async def _write(stdout: TextIO, text: str) -> None:
    await trio.to_thread.run_sync(_write_now, stdout, text)


def _write_now(stdout: TextIO, text: str) -> None:
    stdout.write(text)
    stdout.flush()

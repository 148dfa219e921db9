"""Standard output that is full, closed or read no more: one clear ending, no traceback, and the target runs on."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
import trio

from tests.cli.process import Done, command, environment
from tests.cli.prompt import ticks
from tests.cli.pseudo_terminal import open_terminal
from tests.harness import LIMIT, Jvm, Target, inline, start_target, within
from tests.harness.processes import send_line
from tests.jdb.driving import STOPPED, drive, ours

BATCH = ("-c", "classes")
WAYS = {
    "batch": ("attach", "ADDRESS", *BATCH),
    "keep-going": ("attach", "ADDRESS", "--keep-going", *BATCH),
    "json": ("attach", "ADDRESS", "--json", *BATCH),
    "jdb": ("jdb", "-attach", "ADDRESS"),
    "help": ("--help",),
    "version": ("--version",),
    "jdb-help": ("jdb", "-help"),
}
TYPED = "classes\nquit\n"
FULL = "jdbpy: standard output cannot be written: No space left on device\n"


async def run(target: Target, way: str, redirection: str) -> Done:
    words = [word.replace("ADDRESS", target.address) for word in command(*WAYS[way])]
    line = f'"$@" {redirection}'
    with within(2 * LIMIT):
        done = await trio.run_process(
            ["sh", "-c", line, "sh", *words],
            stdin=TYPED.encode(),
            capture_stdout=True,
            capture_stderr=True,
            check=False,
            env=environment(None),
        )
    if "ADDRESS" in WAYS[way]:
        await target.wait_listening_again()
    return Done(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.mark.parametrize("way", WAYS)
async def test_every_way_of_output_that_is_lost(any_jvm: Jvm, way: str) -> None:
    async with start_target(any_jvm, "Ticker", suspend=False) as target:
        await target.wait_output("ready")
        full = await run(target, way, ">/dev/full")
        assert (full.status, full.err) == (1, FULL)
        both = await run(target, way, ">/dev/full 2>&-")
        assert (both.status, both.err) == (1, "")
        all_full = await run(target, way, ">/dev/full 2>/dev/full")
        assert (all_full.status, all_full.err) == (1, "")
        none = await run(target, way, ">&-")
        assert (none.status, none.err) == (0, "")
        unheard = await run(target, way, "2>&-")
        assert (unheard.status, bool(unheard.out)) == (0, True)
        status, said = await trio.to_thread.run_sync(without_a_reader, target.address, way)
        assert (status, said) == (141, b"")
        await ticks(target)


def without_a_reader(address: str, way: str) -> tuple[int, bytes]:
    reader, writer = os.pipe()
    os.close(reader)
    words = [word.replace("ADDRESS", address) for word in command(*WAYS[way])]
    try:
        done = subprocess.run(
            words, input=TYPED.encode(), stdout=writer, stderr=subprocess.PIPE, env=environment(None), timeout=2 * LIMIT
        )
    finally:
        os.close(writer)
    return done.returncode, done.stderr


async def test_at_the_prompt_with_a_full_disk(any_jvm: Jvm, tmp_path: Path) -> None:
    errors = tmp_path / "errors"
    async with start_target(any_jvm, "Ticker", suspend=False) as target:
        await target.wait_output("ready")
        shell = f'"$@" >/dev/full 2>{errors}'
        async with open_terminal(["attach", target.address], tmp_path, shell=shell) as terminal:
            assert await terminal.wait_exit() == 1
        assert errors.read_text() == FULL
        await ticks(target)


async def test_at_the_prompt_without_a_reader(any_jvm: Jvm, tmp_path: Path) -> None:
    errors, pipe = tmp_path / "errors", tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    async with start_target(any_jvm, "Ticker", suspend=False) as target:
        await target.wait_output("ready")
        shell = f'"$@" >{pipe} 2>{errors}'
        async with open_terminal(["attach", target.address], tmp_path, shell=shell) as terminal:
            with within(LIMIT):
                await trio.lowlevel.wait_readable(reader)
            os.close(reader)
            terminal.type("version\r")
            assert await terminal.wait_exit() == 141
        assert errors.read_text() == ""
        await ticks(target)


async def test_usage_errors_without_standard_error() -> None:
    for redirection in ("2>&-", "2>/dev/full"):
        done = await trio.run_process(
            ["sh", "-c", f'"$@" {redirection}', "sh", *command("--nonsense")],
            capture_stdout=True,
            check=False,
            env=environment(None),
        )
        assert (done.returncode, done.stdout) == (2, b"")


EVIL = """\
class Evil {
    public static void main(String[] args) {
        Thread.currentThread().setName("ev\\u001b[31mil");
        System.out.println(text.length());  // @here
    }

    static String text = "a\\u001b[2Jb\\u202e\\u3164c";
}
"""


async def test_jdb_mode_escapes_on_a_terminal_and_not_in_a_pipe(jvm: Jvm, tmp_path: Path) -> None:
    evil = inline(EVIL)
    async with start_target(jvm, evil) as target:
        async with open_terminal(["jdb", "-attach", target.address], tmp_path) as terminal:
            await terminal.expect("main[1]")
            terminal.type(f"stop at {evil.at('here')}\rcont\r")
            await terminal.expect("Breakpoint hit", 'thread=ev\\u001b[31mil"', "ev\\u001b[31mil[1]")
            terminal.type("print Evil.text\r")
            await terminal.expect('Evil.text = "a\\u001b[2Jb\\u202e\\u3164c"')
            assert "\x1b" not in terminal.sent
            terminal.type("quit\r")
            await terminal.wait_exit()
    async with start_target(jvm, evil) as target, drive(ours("-attach", target.address), jvm) as driven:
        await driven.read(STOPPED)
        for line in (f"stop at {evil.at('here')}", "cont"):
            await send_line(driven.process, line)
        await driven.read(re.compile(rb"il\[1\] $"))
        await send_line(driven.process, "print Evil.text")
        assert "a\x1b[2Jb\u202e\u3164c" in await driven.read(re.compile(rb"il\[1\] $"))

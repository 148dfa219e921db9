"""Files that commands write: private, never through links, never over another file unasked."""

from __future__ import annotations

import os
import signal
import stat
from pathlib import Path

import pytest
import trio

from tests.cli.process import command, environment, jdbpy, launching, script
from tests.cli.prompt import attached, ticks
from tests.harness import LIMIT, Jvm, program, start_target, within
from tests.harness.processes import piped, send_line

TICK = "Ticker.tick"


def batch(*lines: str) -> list[str]:
    return launching(program("Hello"), "--json", "--keep-going", *script(*lines), arguments=["World"])


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


async def test_reports_and_saved_breakpoints_are_private(jvm: Jvm, tmp_path: Path) -> None:
    report, saved = tmp_path / "report", tmp_path / "saved"
    before = os.umask(0)
    try:
        lines = [f'logpoint Hello.greeting "here" to {report}', f"save breakpoints {saved}", "cont"]
        done = await jdbpy(*batch(*lines), jvm=jvm)
    finally:
        os.umask(before)
    assert done.status == 0, done
    assert "here" in report.read_text()
    assert mode(report) == mode(saved) == 0o600


async def test_links_are_refused_with_a_sentence(any_jvm: Jvm, tmp_path: Path) -> None:
    aim, link, pipe = tmp_path / "aim", tmp_path / "link", tmp_path / "pipe"
    aim.write_text("mine\n")
    link.symlink_to(aim)
    os.mkfifo(pipe)
    lines = [
        f'logpoint Hello.greeting "x" to {link}',
        f'logpoint Hello.greeting "x" to {pipe}',
        f"save breakpoints -f {link}",
        f"save breakpoints --force {pipe}",
    ]
    done = await jdbpy(*batch(*lines), jvm=any_jvm)
    assert [(each["error"]["code"], each["error"]["message"]) for each in done.results] == [
        ("FILE", f"{link} cannot be written: it is a symbolic link"),
        ("FILE", f"{pipe} cannot be written: it is a pipe"),
        ("FILE", f"{link} cannot be written: it is a symbolic link"),
        ("FILE", f"{pipe} cannot be written: it is a pipe"),
    ]
    assert aim.read_text() == "mine\n"
    log = await jdbpy(*launching(program("Hello"), "--wire-log", str(link), *script("threads")), jvm=any_jvm)
    assert (log.status, log.out) == (2, "")
    assert "it is a symbolic link" in log.err
    assert aim.read_text() == "mine\n"


async def test_a_batch_overwrites_only_when_told_to(any_jvm: Jvm, tmp_path: Path) -> None:
    saved = tmp_path / "saved"
    saved.write_text("precious\n")
    lines = ["stop in Hello.greeting", f"save breakpoints {saved}"]
    done = await jdbpy(*batch(*lines), jvm=any_jvm)
    error = done.results[-1]["error"]
    assert (error["code"], error["message"]) == ("FILE", f"{saved} exists already")
    assert "-f" in error["hint"]
    assert saved.read_text() == "precious\n"
    lines[-1] = f"save breakpoints -f {saved}"
    done = await jdbpy(*batch(*lines), jvm=any_jvm)
    assert done.results[-1]["data"] == {"path": str(saved), "count": 1}
    assert "Hello.greeting" in saved.read_text()
    assert mode(saved) == 0o600


async def test_the_prompt_asks_before_it_overwrites(any_jvm: Jvm, tmp_path: Path) -> None:
    saved = tmp_path / "s"
    saved.write_text("precious\n")
    async with attached(any_jvm, tmp_path) as (terminal, _):
        await terminal.prompt(">")
        await terminal.run(f"stop in {TICK}", "reakpoint 1", then=">")
        terminal.type(f"save breakpoints {saved}\r")
        await terminal.expect("overwrite", "[y/N]")
        terminal.type("n\r")
        await terminal.expect("nothing was written")
        assert saved.read_text() == "precious\n"
        await terminal.prompt(">")
        terminal.type(f"save breakpoints {saved}\r")
        await terminal.wait_until(lambda: terminal.screen.text.count("[y/N]") == 2, "the question")
        terminal.type("y\r")
        await terminal.wait_until(lambda: TICK in saved.read_text(), "the file to be written")


async def test_an_init_file_that_others_may_write_is_not_read(any_jvm: Jvm, tmp_path: Path) -> None:
    file = tmp_path / ".config/jdbpy/init"
    file.parent.mkdir(parents=True)
    file.write_text("set list-lines 3\n")
    file.chmod(0o666)
    async with attached(any_jvm, tmp_path, columns=200) as (terminal, _):
        await terminal.expect("init is not read: it may be written by others")
        await terminal.prompt(">")
        await terminal.run("show list-lines", "list-lines  10", then=">")


@pytest.mark.parametrize("jdb", [False, True])
async def test_under_nohup_a_hang_up_is_ignored(any_jvm: Jvm, jdb: bool) -> None:
    async with start_target(any_jvm, "Ticker", suspend=False) as target:
        await target.wait_output("ready")
        words = command("jdb", "-attach", target.address) if jdb else command("attach", target.address)
        start = ["sh", "-c", 'trap "" HUP; exec "$@"', "sh", *words]
        async with piped(start, env=environment(None)) as process:
            await send_line(process, "version")
            await _until(process, b"ersion")
            process.send_signal(signal.SIGHUP)
            await send_line(process, "threads")
            await _until(process, b"main")
            await send_line(process, "quit")
            assert await process.wait() == 0
        await ticks(target)


async def _until(process: trio.Process, wanted: bytes) -> None:
    assert process.stdout is not None
    seen = b""
    with within(LIMIT):
        while wanted not in seen:
            data = await process.stdout.receive_some()
            assert data, seen
            seen += data

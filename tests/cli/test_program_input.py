"""What a launched program reads: nothing, a file, or a terminal of its own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import trio

from tests.cli.process import jdbpy, launching, script
from tests.cli.pseudo_terminal import open_terminal
from tests.harness import LIMIT, Jvm, inline, within

READER = inline(
    """
    import java.io.BufferedReader;
    import java.io.InputStreamReader;

    class Reader {
        public static void main(String[] args) throws Exception {
            BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
            for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
                System.out.println("read " + line);
            }
            System.out.println("no more");
        }
    }
    """
)


async def test_a_file(jvm: Jvm, tmp_path: Path) -> None:
    (tmp_path / "lines").write_text("one\ntwo\n")
    done = await jdbpy(*launching(READER, "--stdin", str(tmp_path / "lines"), *script("run")), jvm=jvm)
    assert done.status == 0, done
    assert "read one\nread two\nno more\n" in done.out


async def test_a_terminal_of_its_own(jvm: Jvm) -> None:
    ours, theirs = os.openpty()
    try:
        os.write(ours, b"one\n\n")
        done = await jdbpy(*launching(READER, "--tty", os.ttyname(theirs), *script("run")), jvm=jvm)
        assert done.status == 0 and "read one" not in done.out, done
        said = b""
        with within(LIMIT):
            while b"no more" not in said:
                said += await trio.to_thread.run_sync(os.read, ours, 1_000)
        assert b"read one\r\n" in said
    finally:
        os.close(ours)
        os.close(theirs)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--stdin", "no-such-file"], "no-such-file cannot be opened for the program: No such file or directory"),
        (["--tty", "/dev/null"], "/dev/null is not a terminal"),
    ],
)
async def test_what_cannot_be_read_is_said(any_jvm: Jvm, words: list[str], said: str) -> None:
    done = await jdbpy(*launching(READER, *words, *script("run")), jvm=any_jvm)
    assert done.status == 2 and said in done.err, done


async def test_that_it_reads_nothing_is_said_once(any_jvm: Jvm, tmp_path: Path) -> None:
    words = launching(READER)
    async with open_terminal(words, tmp_path, environ={"JAVA_HOME": any_jvm.home}) as terminal:
        await terminal.expect("The program reads nothing: --stdin FILE gives it a file")
        await terminal.prompt("main[1]")
        shown = await terminal.run("run", "no more", "'run' starts it again", then=">")
        assert "reads nothing" not in shown
        assert "reads nothing" not in await terminal.run("run", "no more", "'run' starts it again", then=">")
        terminal.type("quit\r")
        assert await terminal.wait_exit() == 0

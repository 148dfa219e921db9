"""Words, numbers, names and files that a user, an editor or a recording gives, and that nothing can be made of."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from jdbpy.errors import EvalError, UsageError
from jdbpy.process import scripts
from jdbpy.process.scripts import read_script
from tests.cli.process import jdbpy, script
from tests.dap.client import dap_client
from tests.eval.fake_shop import shop
from tests.harness import Jvm, inline, start_target
from tests.harness.programs import ROOT
from tests.jdb.driving import drive, ours

pytestmark = pytest.mark.one_java

LONG = "9" * 5000

HELD = """
class Held {
    public static void main(String[] args) throws Exception { System.out.println("waiting"); System.in.read(); }
    static void other() {}
}
"""


async def test_numbers_and_names_of_any_length(any_jvm: Jvm) -> None:
    lines = [
        f"{LONG} threads", f"unwatch {LONG}", f"untrace {LONG}", f"ptype {LONG}", f"print 1.{LONG}", f"print @{LONG}",
        f"threadlocks 0x{LONG}", f"list Held:{LONG}", f"info line {LONG}", f"redefine {LONG}", "clear other",
        f"print @{1 << 64}", f"print @{(1 << 64) - 1}", f"thread {1 << 64}", f"where 0x{(1 << 64) - 1:x}",
    ]  # fmt: skip
    async with start_target(any_jvm, inline(HELD), suspend=False) as target:
        await target.wait_output("waiting")
        commands = script("stop in Held.other", *lines)
        done = await jdbpy("attach", target.address, "--json", "--keep-going", *commands)
        assert [each["ok"] for each in done.results] == [True, *[False] * len(lines)]
        assert done.status == 1 and "Traceback" not in done.err, done.err
        assert not any("fault" in each["error"]["message"] or "cannot be sent" in each["error"]["message"]
                       for each in done.results[1:]), done.out  # fmt: skip


async def test_a_number_that_is_too_long_is_refused_in_an_expression() -> None:
    for text in (LONG, f"1.{LONG}", f"1e{LONG}", f"0x1p{LONG}", f"n + {LONG}L"):
        with pytest.raises(EvalError, match="too long"):
            await shop().evaluate(text)


@pytest.mark.parametrize(
    ("command", "given"),
    [
        ("launch", {"mainClass": "A\0B"}),
        ("launch", {"mainClass": "A", "args": ["\ud800"]}),
        ("launch", {"mainClass": "A", "env": {"A": "\0"}}),
        ("launch", {"mainClass": "A", "javaExec": "/\udcff/java"}),
        ("launch", {"mainClass": "A", "cwd": "\0"}),
        ("attach", {"address": "\0:5005"}),
        ("attach", {"port": 1, "timeout": float("nan")}),
        ("attach", {"port": 1, "timeout": 10**400}),
        ("attach", {"port": 1, "timeout": -1}),
        ("attach", {"port": 1, "maxSuspend": -1}),
        ("attach", {"port": 1, "sourcePaths": ["\0"]}),
        ("attach", {"port": 1, "pathMappings": [{"local": "\0", "remote": "x"}]}),
        ("attach", {"port": int(LONG[:400])}),
    ],
)
async def test_what_an_editor_gives_is_no_fault_of_the_debugger(command: str, given: dict[str, object]) -> None:
    async with dap_client() as dap:
        await dap.initialize()
        said = await dap.refused(command, **given)
        assert "failed in the debugger itself" not in said


def test_a_file_of_commands_has_an_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scripts, "MOST_BYTES", 1 << 20)
    long = tmp_path / "long"
    with long.open("wb") as file:
        file.truncate((1 << 20) + 1)
    for path, why in (
        ("/dev/zero", "it is a device"),
        (str(long), "more than 1 MB"),
        (str(tmp_path), "directory"),
        ("a\0b", "no file can have such a name"),
    ):
        with pytest.raises(UsageError, match=why):
            read_script(path)
    assert read_script("/dev/null") == []
    read, write = os.pipe()
    os.write(write, b"threads\nwhere")
    os.close(write)
    assert read_script(f"/dev/fd/{read}") == ["threads", "where"]
    os.close(read)


async def test_files_of_commands_in_jdb_mode(jvm: Jvm, tmp_path: Path) -> None:
    """One that has no end, and one that reads itself, also by a link."""
    (tmp_path / "circle").write_text(f"classes x\nread {tmp_path}/link\n")
    (tmp_path / "link").symlink_to(tmp_path / "circle")
    (tmp_path / ".jdbrc").symlink_to("/dev/zero")
    async with drive(ours(), jvm, cwd=str(tmp_path)) as driven:
        begin = await driven.read()
        assert "Could not open: " in begin or "Ignoring" in begin
        answer = await driven.answer("read /dev/zero")
        assert "Could not open: /dev/zero" in answer.text
        await driven.type(f"read {tmp_path}/circle")
        said = await driven.read(re.compile(rb"Could not open: .*\n"))
        assert said.count("Reading commands from") == 1
        await driven.type(f"{LONG} classes")
        assert "Unrecognized command" in await driven.read(re.compile(rb"Unrecognized command"))


@pytest.mark.parametrize("front", ["threads", "serve x --port 0"])
async def test_a_recording_opens_nothing_for_others(
    jvm: Jvm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, front: str
) -> None:
    sockets = tmp_path / "s"
    sockets.mkdir(mode=0o700)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(sockets))
    path = str(tmp_path / "one.jdbpy")
    async with start_target(jvm, inline(HELD), suspend=False) as target:
        await target.wait_output("waiting")
        done = await jdbpy("attach", target.address, "--record", path, *script(front, "threads"))
        assert done.status == 0, done
    done = await jdbpy("replay", path)
    assert ("a recording cannot be joined by others" in done.err) is front.startswith("serve")
    assert "token" not in done.out + done.err
    assert [each for each in sockets.rglob("*") if each.is_socket()] == []


@pytest.mark.parametrize("command", [[sys.executable, "-m", "jdbpy"], [str(Path(sys.executable).with_name("jdbpy"))]])
def test_ctrl_c_during_the_first_imports_is_no_traceback(tmp_path: Path, command: list[str]) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\n"
        "class Finder:\n"
        "    def find_spec(self, name, path, target=None):\n"
        "        if name == 'jdbpy.cli.cmdline':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Finder())\n"
    )
    environ = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    done = subprocess.run([*command, "--version"], capture_output=True, text=True, env=environ, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")

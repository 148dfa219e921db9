"""Completion for shells: what the scripts offer, in a real bash."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from jdbpy.cli.cmdline import ALL_ACTIONS
from jdbpy.cli.shells import SHELLS, printed
from jdbpy.errors import UsageError
from tests.cli.process import jdbpy
from tests.harness import Jvm, start_target
from tests.harness.programs import ROOT


def offered(tmp_path: Path, *words: str) -> list[str]:
    """Return what bash offers for the last word."""
    command = tmp_path / "jdbpy"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m jdbpy "$@"\n')
    command.chmod(0o700)
    (tmp_path / "script").write_text(printed(["bash"]))
    quoted = " ".join(f"'{word}'" for word in words)
    code = f"source {tmp_path}/script; COMP_WORDS=(jdbpy {quoted}); COMP_CWORD={len(words)}; _jdbpy; "
    environ = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["bash", "--norc", "-c", code + 'printf "%s\\n" "${COMPREPLY[@]}"'],
        capture_output=True,
        text=True,
        check=True,
        env=environ,
    )
    assert done.stderr == ""
    return done.stdout.split()


def test_bash_offers_actions_options_and_values(tmp_path: Path) -> None:
    assert offered(tmp_path, "at") == ["attach"]
    assert set(ALL_ACTIONS) <= set(offered(tmp_path, ""))
    assert offered(tmp_path, "attach", "--ho") == ["--hold"]
    assert offered(tmp_path, "attach", "--hold", "") == ["thread", "all"]
    assert offered(tmp_path, "join", "--tok") == ["--token"]
    assert offered(tmp_path, "completion", "f") == ["fish"]
    assert offered(tmp_path, "attach", "-x", str(tmp_path / "scr")) == [str(tmp_path / "script")]


async def test_bash_offers_the_jvms_of_this_machine(any_jvm: Jvm, tmp_path: Path) -> None:
    async with start_target(any_jvm, "Ticker", suspend=False) as target:
        assert str(target.port) in offered(tmp_path, "attach", "")


def test_each_shell_has_every_action() -> None:
    for shell in SHELLS:
        text = printed([shell])
        assert all(action in text for action in ALL_ACTIONS) and "{" + "way}" not in text


async def test_a_wrong_shell_and_a_wrong_action(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="completion needs a shell: bash, zsh, fish"):
        printed(["tcsh"])
    done = await jdbpy("atach", "5005")
    assert done.status == 2 and "unknown action 'atach'" in done.err and "did you mean 'attach'?" in done.err

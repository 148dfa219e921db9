"""Emacs: gud-jdb with jdbpy in place of jdb, and with the JDK's for comparison."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import trio

from tests.harness import program, within
from tests.harness.needs import emacs
from tests.harness.programs import ROOT
from tests.jdb.beside import JDKS

LIMIT = 120.0
"""Seconds for a whole session in Emacs."""


async def test_gud_jdb(tmp_path: Path) -> None:
    """A breakpoint from a source buffer, next, step, up, down, print, finish: the arrow is on the right line."""
    assert emacs() is not None, "no Emacs: apt-get install emacs-nox"
    tour = program("JdbTour")
    wrapper = tmp_path / "jdb"
    wrapper.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m jdbpy jdb "$@"\n')
    wrapper.chmod(0o755)
    call, after, area = tour.line("call"), tour.line("call") + 1, tour.line("area")
    lines = {
        "run": call,
        "next": after,
        "step": area,
        "up": after,
        "down": area,
        "print": area,
        "finish": after,
    }
    expected = [f"{what}: JdbTour.java:{line}" for what, line in lines.items()] + ["done"]
    for jdb in (str(wrapper), str(Path(JDKS[-1].home, "bin", "jdb"))):
        # gud-jdb wants no blank after these two options, and puts one there itself.
        words = f"{jdb} -classpath{tour.classes} -sourcepath{tour.sources} JdbTour"
        source = str(Path(tour.sources, "JdbTour.java"))
        script = str(Path(__file__).with_name("gud.el"))
        with within(LIMIT):
            done = await trio.run_process(
                [str(emacs()), "-Q", "--batch", "-l", script, words, source, str(call)],
                capture_stdout=True,
                stderr=subprocess.STDOUT,
                check=False,
                env={
                    "PYTHONPATH": str(ROOT),
                    "HOME": str(tmp_path),
                    "PATH": "/usr/bin:/bin",
                    "JAVA_HOME": JDKS[-1].home,
                },
            )
        told = done.stdout.decode(errors="replace")
        assert [line for line in told.splitlines() if line in expected] == expected, told

"""Machines that have some programs only."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest


def before_path(monkeypatch: pytest.MonkeyPatch, directory: Path | str) -> None:
    monkeypatch.setenv("PATH", f"{directory}{os.pathsep}{os.environ['PATH']}")


def only(directory: Path, *programs: str) -> None:
    """A directory that has these programs, and those that a shell script cannot do without."""
    directory.mkdir()
    for name in (*programs, "sh", "grep", "sed", "rm", "sleep"):
        found = shutil.which(name)
        assert found is not None, name
        (directory / name).symlink_to(found)

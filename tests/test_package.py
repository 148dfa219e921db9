"""The wheel: it has all that the installed program needs, and nothing else."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory that holds what the wheel installs."""
    directory = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(directory)]
    subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    (wheel,) = directory.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(directory / "installed")
    return directory / "installed"


def files(directory: Path) -> set[str]:
    """All files of a package below ``directory``, without what Python leaves behind."""
    return {str(file.relative_to(directory)) for file in directory.rglob("*") if file.suffix not in (".pyc", "")}


def test_the_wheel_holds_the_package_and_only_that(installed: Path) -> None:
    assert files(installed / "jdbpy") == files(ROOT / "jdbpy")
    assert {"py.typed", "demo/classes/coffee/CoffeeBar.class", "demo/java/coffee/CoffeeBar.java"} <= files(
        installed / "jdbpy"
    )
    assert {path.name.partition("-")[0] for path in installed.iterdir()} == {"jdbpy"}


def test_the_installed_demo_runs(installed: Path, tmp_path: Path) -> None:
    environ = {**os.environ, "PYTHONPATH": str(installed), "HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-P", "-m", "jdbpy", "demo"],
        cwd=tmp_path,
        env=environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Ada pays 14.40" in done.stdout
    assert "Ben pays 1.00" in done.stdout
    assert done.stderr == ""

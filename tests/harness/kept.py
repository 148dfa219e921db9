"""Files that tests make once and keep in build/: compiled programs, archives of classes."""

from __future__ import annotations

import fcntl
import tempfile
from collections.abc import Callable
from pathlib import Path

BUILD = Path(__file__).resolve().parents[2] / "build"


def make_once(kept: Path, make: Callable[[Path], None]) -> None:
    """Have ``make`` make a file or a directory, unless it is there.

    Of parallel workers one makes it, and the others wait for that: all collect the same tests at first. Nobody sees
    half of it.
    """
    if kept.exists():
        return
    kept.parent.mkdir(parents=True, exist_ok=True)
    with open(f"{kept}.lock", "w", encoding="ascii") as lock, tempfile.TemporaryDirectory(dir=kept.parent) as work:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not kept.exists():
            made = Path(work, "made")
            make(made)
            made.rename(kept)

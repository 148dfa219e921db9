"""Each test has a directory of sockets of its own."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def runtime_directory(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A short path: that of a socket has a hundred bytes."""
    with tempfile.TemporaryDirectory(prefix="jdbpy-") as path:
        monkeypatch.setenv("XDG_RUNTIME_DIR", path)
        yield path

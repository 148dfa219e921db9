"""Files of the target's machine brought here: whole and the same, or not at all."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from jdbpy.errors import StateError, UsageError
from jdbpy.session.inspect import target_files
from tests.harness import Jvm, debug


async def test_a_file_comes_here_whole(jvm: Jvm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(target_files, "PART", 40_000)
    there, here = tmp_path / "there é", tmp_path / "here"
    data = os.urandom(100_001)
    there.write_bytes(data)
    told: list[tuple[int, int]] = []
    async with debug(jvm, "Hoard") as d:
        await d.run_to("look")
        files = d.session.files
        fetched = await files.fetch(str(there), str(here), on_progress=lambda *at: told.append(at))
        assert (fetched.size, fetched.removed) == (len(data), False)
        assert hashlib.sha256(here.read_bytes()).digest() == hashlib.sha256(data).digest()
        assert told[-1] == (len(data), len(data))
        assert len(told) == 3
        assert here.stat().st_mode & 0o777 == 0o600
        with pytest.raises(UsageError, match="exists already"):
            await files.fetch(str(there), str(here))
        there.write_bytes(b"")
        assert (await files.fetch(str(there), str(tmp_path / "empty"), remove=True)).removed
        assert not there.exists()
        with pytest.raises(UsageError, match=r"no file .* on the target's machine"):
            await files.fetch(str(there), str(tmp_path / "none"))
        assert (await files.temporary(".x")).endswith(".x")
        assert sorted(os.listdir(tmp_path)) == ["empty", "here"]


async def test_a_copy_that_is_not_the_same_is_none(any_jvm: Jvm, tmp_path: Path) -> None:
    there, here = tmp_path / "there", tmp_path / "here"
    there.write_bytes(b"before")

    def change(done: int, size: int) -> None:
        there.write_bytes(b"behind")

    async with debug(any_jvm, "Hoard") as d:
        await d.run_to("look")
        with pytest.raises(StateError, match="not the same"):
            await d.session.files.fetch(str(there), str(here), on_progress=change)
        assert os.listdir(tmp_path) == ["there"]

"""Files of snapshots and recordings that were tampered with: one sentence, soon, and without taking the memory."""

from __future__ import annotations

import sqlite3
import sys
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import trio

import jdbpy
from jdbpy.session.snapshots.recording import PACKETS, Recording, recording
from jdbpy.session.snapshots.store import MOST_ENTRY, SnapshotStore, StoreWriter, write_store
from tests.cli.process import jdbpy as run_jdbpy

Tamper = Callable[[sqlite3.Connection], object]

DATA = zlib.compress(b"")


def tampered(path: Path, change: Tamper) -> str:
    """A recording with one packet, changed."""
    with recording(str(path), "JVM") as recorder:
        assert recorder is not None
        recorder.line("threads")
    with closing(sqlite3.connect(path)) as base:
        change(base)
        base.commit()
    return str(path)


def row(*values: Any) -> Tamper:
    return lambda base: base.execute("INSERT INTO blocks VALUES (?, ?, ?, ?)", values)


@pytest.mark.parametrize(
    "change",
    [
        row(PACKETS, "text", 0, DATA),
        row(PACKETS, 1 << 62, 0, DATA),
        row(PACKETS, b"x", "text", DATA),
        row(PACKETS, b"x", 1 << 62, DATA),
        row(PACKETS, b"x", -1, DATA),
        row(PACKETS, b"x", 0, "text"),
        row("kind", b"x", 0, DATA),
        row(PACKETS, b"x" * 100_000, 0, DATA),
        lambda base: base.execute("UPDATE meta SET value = x'00'"),
    ],
)
def test_a_wrong_type_in_a_column_is_a_damaged_file(tmp_path: Path, change: Tamper) -> None:
    path = tampered(tmp_path / "one.jdbpy", change)
    with pytest.raises(jdbpy.JdbpyError, match="is damaged"), closing(SnapshotStore(path)) as store:
        list(store.items(PACKETS))
        Recording(store)


def blocks(number: int, entry: bytes, count: int) -> Tamper:
    """Blocks that unpack to many or long entries."""

    def change(base: sqlite3.Connection) -> None:
        for block in range(number):
            plain = b"".join(
                b"\x00\x06" + len(entry).to_bytes(4, "big") + block.to_bytes(2, "big") + each.to_bytes(4, "big") + entry
                for each in range(count)
            )
            first = b"x" + block.to_bytes(2, "big")
            row(PACKETS, first, len(plain), zlib.compress(plain, 3))(base)

    return change


@pytest.mark.parametrize(
    "change",
    [blocks(60, bytes(MOST_ENTRY // 4), 1), blocks(150, bytes(17), 9000), blocks(1, bytes(MOST_ENTRY * 2), 1)],
    ids=["long", "many", "one"],
)
async def test_what_unpacks_to_more_than_it_may_is_refused_soon(tmp_path: Path, change: Tamper) -> None:
    path = tampered(tmp_path / "one.jdbpy", change)
    command = [sys.executable, "-c", MEASURED, sys.executable, "-m", "jdbpy", "replay", str(path)]
    done = await trio.run_process(command, capture_stdout=True, capture_stderr=True)
    status, kilobytes = map(int, done.stdout.split())
    assert status == 1 and b"is damaged" in done.stderr and b"Traceback" not in done.stderr
    assert kilobytes < 250_000


MEASURED = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
print(done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""
"""A process that has one child only: the exit status of that, and the most memory that it took, in kilobytes."""


async def test_reading_a_recording_can_be_cancelled(tmp_path: Path) -> None:
    path = tampered(tmp_path / "one.jdbpy", blocks(20, bytes(17), 9000))
    with closing(SnapshotStore(path)) as store:
        read = Recording(store)
        with trio.move_on_after(0) as scope:
            await read.read()
        assert scope.cancelled_caught and not read.lines


def test_an_entry_that_is_too_long_is_left_out(tmp_path: Path) -> None:
    path = str(tmp_path / "one.jdbpy")
    write_store(path, {}, {1: {b"a": b"1", b"b": bytes(MOST_ENTRY + 1), b"c": bytes(MOST_ENTRY)}})
    with closing(SnapshotStore(path)) as store:
        assert [key for key, _ in store.items(1)] == [b"a", b"c"]
        assert store.get(1, b"b") is None and store.get(1, b"c") == bytes(MOST_ENTRY)


def test_a_recording_that_cannot_be_written_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flush = StoreWriter.flush

    def fail(writer: StoreWriter) -> None:
        writer._base.execute("PRAGMA query_only = ON")
        flush(writer)

    monkeypatch.setattr(StoreWriter, "flush", fail)
    with pytest.raises(jdbpy.StateError, match=r"the recording .* is not whole: attempt to write a readonly database"):
        with recording(str(tmp_path / "one.jdbpy"), "JVM") as recorder:
            assert recorder is not None
            recorder.line("threads")


async def test_a_recording_without_its_beginning_is_damaged(tmp_path: Path) -> None:
    path = tampered(tmp_path / "one.jdbpy", lambda base: None)
    done = await run_jdbpy("replay", path)
    assert done.status == 1 and "is damaged: it has no beginning" in done.err and "port" not in done.err

"""Files of snapshots and recordings that were changed: opened, or refused in a sentence, soon and in little memory.

The file of a real JVM is changed by bytes, by what its blocks hold when they are unpacked, and by the values in its
tables; then a batch looks at all that it has.
"""

from __future__ import annotations

import json
import random
import shutil
import sqlite3
import zlib
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import jdbpy
from jdbpy import JdbpyError
from jdbpy.cli.batch import Batch
from jdbpy.cli.played_batch import PlayedBatch
from jdbpy.cli.settings import Settings
from jdbpy.errors import UsageError
from jdbpy.process.scripts import Script, ScriptLines
from jdbpy.process.statuses import status_of
from tests.cli.process import jdbpy as run_jdbpy, script
from tests.harness import program, start_target, within
from tests.hostile.mutator import Paper, WatchedBatch
from tests.soak.fuzz import bounded, megabytes
from tests.soak.trial import Run

LIMIT = 60
"""Seconds that any one file may take."""

MEMORY = 200
"""Megabytes that this process may have at most."""

STATUSES = (0, 1, 2, 3, 4, 5)

LOOKING = (
    "where all", "threads", "thread main", "locals", "up", "print this", "dump this", "print this.items",
    "classes Prey", "fields Prey", "deadlocks", "threadlocks all", "find main", "properties", "modules",
    "instances Prey$Item", "histogram", "print map", "version", "disassemble Prey.total",
)  # fmt: skip

RECORDED = (
    "stop in Prey.total(int)", "cont", "where", "locals", "print this.items", "threads", "next", "step", "dump this",
    "instances Prey$Item", "print map", "clear 1", "watch Prey.opened", "finish",
)  # fmt: skip

_WRONG: tuple[Any, ...] = (
    None,
    0,
    -1,
    1,
    7,
    1 << 31,
    1 << 62,
    -(1 << 63),
    1.5,
    "",
    "text",
    "9" * 5000,
    b"",
    b"\0" * 70_000,
)
_WRONG_JSON: tuple[Any, ...] = (
    None, True, -1, 1 << 62, 1 << 64, 1.5, float("nan"), "", "\ud800", "9" * 5000, [], {}, [[]], ["x"], {"a": 1},
    "x" * 60_000,
)  # fmt: skip


async def made(run: Run, kind: str) -> Path:
    """A snapshot or a recording of a real JVM."""
    path = run.directory / "good"
    async with start_target(run.jvm, program("Prey"), suspend=False) as target:
        await target.wait_output("ready")
        if kind == "snapshots":
            words = script("stop in Prey.total(int)", "cont", f"snapshot {path}")
        else:
            words = ["--record", str(path), "--keep-going", "--timeout", "5", *script(*RECORDED)]
        await run_jdbpy("attach", target.address, *words)
    return path


# -- changes -----------------------------------------------------------------------------------------------------------


def _bytes(path: Path, rng: random.Random) -> None:
    data = bytearray(path.read_bytes())
    for _ in range(rng.randint(1, 20)):
        data[rng.randrange(len(data))] = rng.randrange(256)
    path.write_bytes(bytes(data))


def _cut(path: Path, rng: random.Random) -> None:
    data = path.read_bytes()
    path.write_bytes(data[: rng.randrange(len(data))])


def _in_base(change: Callable[[sqlite3.Connection, random.Random], None]) -> Callable[[Path, random.Random], None]:
    def apply(path: Path, rng: random.Random) -> None:
        with closing(sqlite3.connect(path)) as base:
            change(base, rng)
            base.commit()

    return apply


def _blocks(base: sqlite3.Connection) -> list[tuple[Any, ...]]:
    return base.execute("SELECT kind, first, size, data FROM blocks").fetchall()


def _plain(base: sqlite3.Connection, rng: random.Random) -> None:
    """Bytes of an unpacked block are others."""
    kind, first, _, packed = rng.choice(_blocks(base))
    plain = bytearray(zlib.decompressobj().decompress(packed, 1 << 24))
    for _ in range(rng.randint(1, 8)):
        if plain:
            plain[rng.randrange(len(plain))] = rng.choice((0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)))
    if rng.random() < 0.2:
        del plain[rng.randrange(len(plain) + 1) :]
    _put(base, kind, first, bytes(plain), len(plain))


def _put(base: sqlite3.Connection, kind: Any, first: Any, plain: bytes, size: int) -> None:
    values = (zlib.compress(plain), size, kind, first)
    base.execute("UPDATE blocks SET data = ?, size = ? WHERE kind = ? AND first = ?", values)


def _value(base: sqlite3.Connection, rng: random.Random) -> None:
    """A column of the blocks has another value."""
    kind, first, _, _ = rng.choice(_blocks(base))
    column = rng.choice(("kind", "first", "size", "data"))
    wrong = rng.choice([each for each in _WRONG if each is not None])
    base.execute(f"UPDATE OR REPLACE blocks SET {column} = ? WHERE kind = ? AND first = ?", (wrong, kind, first))


def _swapped(base: sqlite3.Connection, rng: random.Random) -> None:
    """Blocks have each other's data."""
    one, other = rng.choice(_blocks(base)), rng.choice(_blocks(base))
    base.execute("UPDATE blocks SET data = ?, size = ? WHERE kind = ? AND first = ?", (*other[3:1:-1], *one[:2]))


def _missing(base: sqlite3.Connection, rng: random.Random) -> None:
    kind, first, _, _ = rng.choice(_blocks(base))
    base.execute("DELETE FROM blocks WHERE kind = ? AND first = ?", (kind, first))


def _bomb(base: sqlite3.Connection, rng: random.Random) -> None:
    """A block unpacks to much more than it is."""
    kind, first, _, _ = rng.choice(_blocks(base))
    packer = zlib.compressobj(9)
    size = rng.choice((17, 64, 300)) << 20
    data = b"".join(packer.compress(bytes(1 << 20)) for _ in range(size >> 20)) + packer.flush()
    told = rng.choice((size, 100, 1 << 24, 1 << 40))
    base.execute("UPDATE blocks SET data = ?, size = ? WHERE kind = ? AND first = ?", (data, told, kind, first))


def _meta(base: sqlite3.Connection, rng: random.Random) -> None:
    """What stands beside the blocks is something else."""
    [name] = rng.choice(base.execute("SELECT name FROM meta WHERE name <> 'what'").fetchall())
    value = json.dumps(rng.choice(_WRONG_JSON)) if rng.random() < 0.8 else rng.choice(("{", "[" * 3000, "", "x"))
    if rng.random() < 0.15:
        base.execute("DELETE FROM meta WHERE name = ?", (name,))
    base.execute("UPDATE meta SET value = ? WHERE name = ?", (value, name))


WAYS: dict[str, Callable[[Path, random.Random], None]] = {
    "bytes": _bytes,
    "cut": _cut,
    "plain": _in_base(_plain),
    "plain, too": _in_base(_plain),
    "plain again": _in_base(_plain),
    "values": _in_base(_value),
    "swapped": _in_base(_swapped),
    "missing": _in_base(_missing),
    "bomb": _in_base(_bomb),
    "meta": _in_base(_meta),
    "meta, too": _in_base(_meta),
}


# -- the trial ---------------------------------------------------------------------------------------------------------


async def look(kind: str, path: Path, commands: Sequence[str], timeout: float = 1) -> int:
    """Open a file, and look at what it has; the status with which jdbpy would end. Raises what it must not."""
    paper = Paper()
    try:
        if kind == "snapshots":
            async with jdbpy.open_snapshot_session(str(path)) as session:
                batch: Batch = WatchedBatch(session, paper, Settings(), timeout=timeout, keep_going=True)
                status = await batch.run(ScriptLines([Script(command="\n".join(commands))]))
        else:
            async with jdbpy.replay_session(str(path)) as session:
                batch = _Played(session, paper, Settings(), timeout=timeout, keep_going=True)
                lines = tuple(Script(command=each) for each in session.recorded_lines)
                status = await batch.run(ScriptLines(lines))
    except JdbpyError as error:
        assert error.message and "\n" not in error.message, error.message
        return 2 if isinstance(error, UsageError) else status_of(error)
    faults = getattr(batch, "faults", ())
    assert not faults, faults[0][-1500:]
    return status


class _Played(PlayedBatch, WatchedBatch):
    """A batch that plays what was recorded, and keeps faults."""


async def snapshots(run: Run) -> None:
    """Open changed snapshots for as long as there is time."""
    await _run(run, "snapshots")


async def recordings(run: Run) -> None:
    """Play changed recordings for as long as there is time."""
    await _run(run, "recordings")


async def _run(run: Run, kind: str) -> None:
    before = megabytes()
    good = await made(run, kind)
    status = await look(kind, good, LOOKING, timeout=60)  # as it is it can be opened
    assert status in (0, 1), status
    statuses: Counter[int] = Counter()

    for seed in run.seeds():  # one at a time: a player waits until nothing else is to be done
        rng = run.random(seed)
        bad = run.directory / "bad"
        shutil.copy(good, bad)
        ways = [rng.choice(list(WAYS)) for _ in range(rng.choice((1, 1, 2)))]
        with run.attempt(seed), bounded(2 * LIMIT), within(LIMIT):
            with suppress(sqlite3.Error, zlib.error, IndexError):  # the first change has left nothing for another
                for way in ways:
                    WAYS[way](bad, rng)
            try:
                status = await look(kind, bad, rng.sample(LOOKING, 5))
            except Exception as error:
                error.add_note(f"changes: {', '.join(ways)}")
                raise
            statuses[status] += 1
            assert status in STATUSES, status
            if before < MEMORY // 2:
                assert megabytes() < MEMORY, f"the memory of this process has reached {megabytes()} MB"
    run.figure("statuses", ", ".join(f"{count:,} times {status}" for status, count in sorted(statuses.items())))
    run.figure("memory", f"{before} MB before, {megabytes()} MB at most")

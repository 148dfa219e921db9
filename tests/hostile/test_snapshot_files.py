"""Files that say they are snapshots: of other programs, cut off, changed, made to harm."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import zlib
from collections.abc import AsyncIterator
from contextlib import closing
from pathlib import Path

import pytest
import trio

import jdbpy
from jdbpy.errors import JdbpyError, StateError, UsageError
from tests.harness import LIMIT, Jvm, debug, within
from tests.session.snapshots.seen import seen

TRIALS = 16


@pytest.fixture
async def good(any_jvm: Jvm, tmp_path: Path) -> AsyncIterator[Path]:
    path = tmp_path / "good.jdbpy"
    async with debug(any_jvm, "Locks") as d:
        await d.run_to("ready")
        await d.session.snapshot(str(path), depth=2)
    yield path


async def look(path: Path) -> None:
    with within(LIMIT):
        async with jdbpy.open_snapshot_session(str(path)) as session:
            await seen(session)
            await session.snapshots.find("main")


async def test_what_is_no_snapshot_is_said_in_a_sentence(good: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"

    async def refused(why: str) -> None:
        with pytest.raises(UsageError, match=why) as caught:
            await look(other)
        assert str(other) in caught.value.message

    await refused("No such file")
    other.mkdir()
    await refused("Is a directory")
    other.rmdir()
    os.mkfifo(other)
    await refused("it is a pipe")
    other.unlink()
    other.write_bytes(b"")
    await refused("another kind of file")
    other.write_text("where all\n")
    await refused("another kind of file")
    with closing(sqlite3.connect(tmp_path / "base")) as base:
        base.execute("CREATE TABLE t (a)")
        base.commit()
    (tmp_path / "base").rename(other)
    await refused("another program has written it")
    for change, why in (
        ("PRAGMA user_version=99", "has format 99"),
        ("CREATE VIEW extra AS SELECT 1", "its tables are not those of a snapshot"),
        ("DROP TABLE blocks", "its tables are not those of a snapshot"),
        ("UPDATE meta SET value='\"recording\"' WHERE name='what'", "it is a recording"),
    ):
        shutil.copy(good, other)
        with closing(sqlite3.connect(other)) as base:
            base.execute(change)
            base.commit()
        await refused(why)


async def test_a_view_in_the_place_of_a_table_is_not_run(good: Path) -> None:
    with closing(sqlite3.connect(good)) as base:
        base.execute("DROP TABLE blocks")
        base.execute(
            "CREATE VIEW blocks AS WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n+1 FROM c) "
            "SELECT n AS kind, x'' AS first, n AS size, x'' AS data FROM c"
        )
        base.commit()
    with pytest.raises(UsageError, match="its tables are not those of a snapshot"):
        await look(good)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("UPDATE blocks SET size = size + 1", "another size than it says"),
        ("UPDATE blocks SET size = 9000000000000", "is not a block"),
        ("UPDATE blocks SET size = 'x'", "is not a block"),
        ("UPDATE blocks SET data = 'text'", "is not a block"),
        ("UPDATE blocks SET data = x'00ff00ff'", "cannot be unpacked"),
        ("UPDATE meta SET value = '{' WHERE name = 'taken'", "cannot be read"),
        ("UPDATE meta SET value = '\"x\"' WHERE name = 'taken'", "when it was taken"),
        ("UPDATE meta SET value = '-1' WHERE name = 'threads'", "is not a number"),
        ("UPDATE meta SET value = '[1]' WHERE name = 'masks'", "its masks"),
        ("UPDATE meta SET value = hex(zeroblob(600000)) WHERE name = 'masks'", "too long"),
    ],
)
async def test_damage_is_said_in_a_sentence(good: Path, change: str, why: str) -> None:
    with closing(sqlite3.connect(good)) as base:
        base.execute(change)
        base.commit()
    with pytest.raises(StateError, match=f"is damaged: .*{why}") as caught:
        await look(good)
    assert caught.value.hint


async def test_a_block_that_unpacks_to_very_much_takes_no_memory(good: Path) -> None:
    packer = zlib.compressobj(9)
    bomb = b"".join(packer.compress(bytes(1 << 20)) for _ in range(300)) + packer.flush()
    with closing(sqlite3.connect(good)) as base:
        base.execute("UPDATE blocks SET data = ?", (bomb,))
        base.commit()
    with pytest.raises(StateError, match="another size than it says"):
        await look(good)


async def test_changed_bytes_are_an_error_or_nothing(good: Path, tmp_path: Path) -> None:
    """Each trial changes some bytes of the plain blocks, or of the file: there is an error of ours, or none."""
    with closing(sqlite3.connect(good)) as base:
        blocks = base.execute("SELECT kind, first, data FROM blocks").fetchall()
    whole = await trio.Path(good).read_bytes()
    bad = tmp_path / "bad.jdbpy"
    for seed in range(TRIALS):
        chance = random.Random(seed)
        if seed % 3 == 0:
            data = bytearray(whole)
            for _ in range(chance.randint(1, 20)):
                data[chance.randrange(len(data))] = chance.randrange(256)
            bad.write_bytes(bytes(data[: chance.randrange(len(data))] if seed % 6 == 0 else data))
        else:
            shutil.copy(good, bad)
            kind, first, packed = chance.choice(blocks)
            plain = bytearray(zlib.decompress(packed))
            for _ in range(chance.randint(1, 8)):
                plain[chance.randrange(len(plain))] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))
            with closing(sqlite3.connect(bad)) as base:
                base.execute(
                    "UPDATE blocks SET data = ?, size = ? WHERE kind = ? AND first = ?",
                    (zlib.compress(bytes(plain)), len(plain), kind, first),
                )
                base.commit()
        try:
            await look(bad)
        except JdbpyError as error:
            assert error.message, seed
            assert "\n" not in error.message, seed
        except BaseException as error:
            raise AssertionError(f"seed {seed}") from error

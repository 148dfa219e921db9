"""The file of a snapshot or a recording: entries by key in compressed blocks, in one SQLite file.

Owns the format. Entries are sorted by key and packed into blocks, so that a hundred thousand small answers compress
together and one of them is found by reading one block. A file is written beside its place and moved there when it is
whole. A file that is read is not trusted: its schema must be the one that is written here, nothing of it is executed,
and sizes are checked before memory is taken.
"""

from __future__ import annotations

import json
import os
import sqlite3
import struct
import zlib
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from jdbpy.errors import StateError, UsageError
from jdbpy.files import beside_new_file, move_to_new, open_regular
from jdbpy.session.recorded.keeping import is_recorded_file

FORMAT = 1
"""The version of the format, which is SQLite's ``user_version``."""

_APPLICATION = 0x6A646270  # "jdbp"
_BLOCK = 256 * 1024
MOST_ENTRY = 16 * 1024 * 1024
"""Bytes of an entry, key and value; longer ones are left out."""
_MOST_BLOCK = _BLOCK + MOST_ENTRY + 64 * 1024
"""Bytes of a block before compression: its last entry may be a long one."""
_MOST_KEY = 60 * 1024
_MOST_META = 1024 * 1024
_MOST_CACHED = 32 * 1024 * 1024
_MOST_STEPS = 50_000_000
"""Instructions of SQLite's machine that one question may take: of a file whose tree was tampered with."""

_SCHEMA = (
    "CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
    "CREATE TABLE blocks (kind INTEGER NOT NULL, first BLOB NOT NULL, size INTEGER NOT NULL, data BLOB NOT NULL,"
    " PRIMARY KEY (kind, first)) WITHOUT ROWID",
)
_WRONG_BLOCKS = (
    "SELECT count(*) FROM blocks WHERE typeof(kind) <> 'integer' OR typeof(first) <> 'blob' OR length(first) > ?"
    " OR typeof(size) <> 'integer' OR size < 0 OR size > ? OR typeof(data) <> 'blob'"
)
_HEAD = struct.Struct(">HI")
"""Length of the key, length of the value; key and value follow."""

Entries = Mapping[bytes, bytes]


def write_store(path: str, meta: Mapping[str, Any], kinds: Mapping[int, Entries]) -> int:
    """Write a new file, mode 0600, that is there as a whole or not at all; return its size in bytes.

    Raises UsageError when there is a file of that name already, or it cannot be written. It blocks.
    """
    try:
        beside = beside_new_file(path)
    except OSError as error:
        raise cannot_write(path, error) from error
    try:
        _fill(beside, meta, kinds)
        size = os.stat(beside).st_size
        move_to_new(beside, path)
    except BaseException as error:
        with suppress(OSError):
            os.unlink(beside)
        if isinstance(error, (OSError, sqlite3.Error)):
            raise cannot_write(path, error) from error
        raise
    return size


def cannot_write(path: str, error: OSError | sqlite3.Error) -> UsageError:
    """Return the error for a file that cannot be written."""
    why = error.strerror if isinstance(error, OSError) else str(error)
    return UsageError(f"cannot write {path}: {why}", hint="name a new file in a directory of your own", code="FILE")


def _fill(path: str, meta: Mapping[str, Any], kinds: Mapping[int, Entries]) -> None:
    base = sqlite3.connect(path, isolation_level=None)
    try:
        base.execute("PRAGMA journal_mode=OFF")  # the file counts when it is whole, and not before
        base.execute("PRAGMA synchronous=OFF")
        base.execute(f"PRAGMA application_id={_APPLICATION}")
        base.execute(f"PRAGMA user_version={FORMAT}")
        base.execute("BEGIN")
        for statement in _SCHEMA:
            base.execute(statement)
        base.executemany("INSERT INTO meta VALUES (?, ?)", [(name, json.dumps(value)) for name, value in meta.items()])
        for kind, entries in kinds.items():
            base.executemany("INSERT INTO blocks VALUES (?, ?, ?, ?)", _blocks(kind, sorted(entries.items())))
        base.execute("COMMIT")
    finally:
        base.close()


def _blocks(kind: int, entries: Iterable[tuple[bytes, bytes]]) -> Iterator[tuple[int, bytes, int, bytes]]:
    first: bytes | None = None
    parts: list[bytes] = []
    size = 0
    for key, value in entries:
        if len(key) > _MOST_KEY or len(value) > MOST_ENTRY:
            continue
        if first is None:
            first = key
        parts += (_HEAD.pack(len(key), len(value)), key, value)
        size += _HEAD.size + len(key) + len(value)
        if size >= _BLOCK:
            yield kind, first, size, zlib.compress(b"".join(parts), 3)
            first, parts, size = None, [], 0
    if first is not None:
        yield kind, first, size, zlib.compress(b"".join(parts), 3)


class StoreWriter:
    """A new file that grows while it is used in a ``with`` block, for its owner only. Entries come by rising keys.

    A file that cannot be written any more is left as it is, and ``failed`` says why: it may not harm what it records.
    """

    def __init__(self, path: str, meta: Mapping[str, Any]) -> None:
        """Raises UsageError when there is a file of that name already, or it cannot be written."""
        self.failed = ""
        self._entries: list[tuple[bytes, bytes]] = []
        self._kind = 0
        self._size = 0
        try:
            beside = beside_new_file(path)
            try:
                _fill(beside, meta, {})
                move_to_new(beside, path)
            except BaseException:
                os.unlink(beside)
                raise
            self._base = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            self._base.execute("PRAGMA synchronous=OFF")
        except (OSError, sqlite3.Error) as error:
            raise cannot_write(path, error) from error

    def put(self, kind: int, key: bytes, value: bytes) -> None:
        """Add an entry; it is in the file when a block is full, or when the block of code ends."""
        if kind != self._kind:
            self.flush()
        self._kind = kind
        self._entries.append((key, value))
        self._size += len(value)
        if self._size >= _BLOCK:
            self.flush()

    def flush(self) -> None:
        """Write what was added."""
        entries, self._entries, self._size = self._entries, [], 0
        if entries and not self.failed:
            try:
                self._base.executemany("INSERT INTO blocks VALUES (?, ?, ?, ?)", _blocks(self._kind, entries))
            except sqlite3.Error as error:
                self.failed = str(error)

    def __enter__(self) -> StoreWriter:
        return self

    def __exit__(self, *error: object) -> None:
        self.flush()
        self._base.close()


class SnapshotStore:
    """A file that is read. Not to be used in several threads at a time."""

    def __init__(self, path: str) -> None:
        """Open the file. Raises UsageError: it cannot be read, or is no file of this kind."""
        self.path = path
        self._cached: OrderedDict[tuple[int, bytes], dict[bytes, bytes]] = OrderedDict()
        self._sizes: dict[tuple[int, bytes], int] = {}
        self._cached_bytes = 0
        try:
            with open_regular(path) as file:
                head = file.read(100)
                if is_recorded_file(head):
                    why = "it has recorded calls, which 'jdbpy open FILE' shows"
                    raise not_a_snapshot(path, why)
                if not head.startswith(b"SQLite format 3\0"):
                    raise not_a_snapshot(path, "it is another kind of file")
            place = os.path.abspath(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
            self._base = sqlite3.connect(
                f"file:{place}?mode=ro&immutable=1", uri=True, isolation_level=None, check_same_thread=False
            )
        except OSError as error:
            raise UsageError(f"cannot read {path}: {error.strerror}", code="FILE") from error
        except sqlite3.Error as error:
            raise not_a_snapshot(path, str(error)) from error
        try:
            self.meta = self._checked()
        except BaseException:
            self._base.close()
            raise

    def _checked(self) -> dict[str, Any]:
        """Check that the file is what this module writes; return its header."""
        self._base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, 2 * _MOST_BLOCK)  # of what cannot be compressed
        self._base.execute("PRAGMA trusted_schema=OFF")
        self._base.execute("PRAGMA cell_size_check=ON")
        self._base.set_progress_handler(lambda: 1, _MOST_STEPS)
        if self._rows("PRAGMA application_id") != [(_APPLICATION,)]:
            raise not_a_snapshot(self.path, "another program has written it")
        [(version,)] = self._rows("PRAGMA user_version")
        if version != FORMAT:
            raise UsageError(
                f"{self.path} has format {version}; this version of jdbpy reads format {FORMAT}",
                hint="open it with the version of jdbpy that has written it",
                code="FILE",
            )
        schema = self._rows("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL LIMIT 10")
        if sorted(schema) != sorted((statement,) for statement in _SCHEMA):
            raise not_a_snapshot(self.path, "its tables are not those of a snapshot")
        [(wrong,)] = self._rows(_WRONG_BLOCKS, _MOST_KEY, _MOST_BLOCK)
        if wrong:
            raise self.damaged("a block of answers is not a block")
        [(longest,)] = self._rows("SELECT coalesce(max(length(value)), 0) FROM meta")
        if longest > _MOST_META:
            raise self.damaged("what it says of itself is too long")
        found: dict[str, Any] = {}
        for name, value in self._rows("SELECT name, value FROM meta LIMIT 100"):
            try:
                found[str(name)] = json.loads(value)
            except (ValueError, TypeError, RecursionError) as error:
                raise self.damaged("what it says of itself cannot be read") from error
        return found

    def get(self, kind: int, key: bytes) -> bytes | None:
        """Return the value of an entry; None if there is none. Raises StateError for a damaged file."""
        rows = self._rows(
            "SELECT first FROM blocks WHERE kind = ? AND first <= ? ORDER BY first DESC LIMIT 1", kind, key
        )
        return self._block(kind, rows[0][0]).get(key) if rows else None

    def items(self, kind: int) -> Iterator[tuple[bytes, bytes]]:
        """Yield all entries of a kind, by rising keys."""
        for block in self.blocks(kind):
            yield from block.items()

    def blocks(self, kind: int) -> Iterator[Entries]:
        """Yield the entries of a kind block by block, each of which takes a moment."""
        after: bytes | None = None
        while True:
            if after is None:
                rows = self._rows("SELECT first FROM blocks WHERE kind = ? ORDER BY first LIMIT 1", kind)
            else:
                rows = self._rows(
                    "SELECT first FROM blocks WHERE kind = ? AND first > ? ORDER BY first LIMIT 1", kind, after
                )
            if not rows:
                return
            if after is not None and rows[0][0] <= after:
                raise self.damaged("its blocks are in no order")
            after = rows[0][0]
            yield self._unpacked(kind, after)[0]

    def close(self) -> None:
        self._base.close()

    def damaged(self, why: str) -> StateError:
        """Return the error for a file whose content makes no sense."""
        return StateError(
            f"the file {self.path} is damaged: {why}",
            hint="take the snapshot again, or copy the file again",
            code="FILE",
        )

    def _block(self, kind: int, first: bytes) -> dict[bytes, bytes]:
        place = kind, first
        known = self._cached.get(place)
        if known is not None:
            self._cached.move_to_end(place)
            return known
        entries, size = self._unpacked(kind, first)
        while self._cached and self._cached_bytes + size > _MOST_CACHED:
            oldest, _ = self._cached.popitem(last=False)
            self._cached_bytes -= self._sizes.pop(oldest)
        self._cached[place] = entries
        self._sizes[place] = size
        self._cached_bytes += size
        return entries

    def _unpacked(self, kind: int, first: bytes) -> tuple[dict[bytes, bytes], int]:
        """Return the entries of a block and its size."""
        rows = self._rows("SELECT size, data FROM blocks WHERE kind = ? AND first = ?", kind, first)
        if len(rows) != 1:
            raise self.damaged("its blocks are in no order")
        [(size, data)] = rows
        if not isinstance(size, int) or not isinstance(data, bytes) or not 0 <= size <= _MOST_BLOCK:
            raise self.damaged("a block of answers has no size")
        unpacker = zlib.decompressobj()
        try:
            plain = unpacker.decompress(data, size + 1)
        except zlib.error as error:
            raise self.damaged("a block of answers cannot be unpacked") from error
        if len(plain) != size:
            raise self.damaged("a block of answers has another size than it says")
        return self._cut(plain), size

    def _cut(self, plain: bytes) -> dict[bytes, bytes]:
        entries: dict[bytes, bytes] = {}
        at, end = 0, len(plain)
        while at < end:
            if at >= _BLOCK:
                raise self.damaged("a block of answers is too long")
            if end - at < _HEAD.size:
                raise self.damaged("a block of answers ends amid an entry")
            key_length, value_length = _HEAD.unpack_from(plain, at)
            at += _HEAD.size
            if end - at < key_length + value_length:
                raise self.damaged("a block of answers ends amid an entry")
            entries[plain[at : at + key_length]] = plain[at + key_length : at + key_length + value_length]
            at += key_length + value_length
        return entries

    def _rows(self, statement: str, *given: object) -> list[Any]:
        try:
            return self._base.execute(statement, given).fetchall()
        except (sqlite3.Error, OverflowError, ValueError, MemoryError) as error:
            raise self.damaged(str(error)) from error


def not_a_snapshot(path: str, why: str, noun: str = "snapshot") -> UsageError:
    """Return the error for a file of another kind."""
    made_by = {
        "snapshot": "'snapshot FILE' writes one, and 'jdbpy open FILE' reads it",
        "recording": "'jdbpy attach --record FILE' writes one, and 'jdbpy replay FILE' plays it",
    }
    return UsageError(f"{path} is not a {noun}: {why}", hint=made_by[noun], code="FILE")
